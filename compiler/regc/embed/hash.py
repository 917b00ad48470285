"""Hashed words and character triples: no model, no meaning, the same vector everywhere. For tests."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

import numpy as np

from regc.model.protocols import Embedder, Vectors

_DIMENSION = 384


def create(model: str | None = None) -> Embedder:
    """The hash embedder; `model` may be the dimension."""
    return HashEmbedder(int(model) if model else _DIMENSION)


class HashEmbedder:
    """Signed feature hashing of lower-case words (weight 1) and character triples (weight 1/2)."""

    def __init__(self, dimension: int = _DIMENSION) -> None:
        self.dimension = dimension
        self.name = f"hash-1-{dimension}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors; a text without a word gets the first axis."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float64)
        for row, text in enumerate(texts):
            for feature, weight in _features(text.lower()):
                digest = int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
                vectors[row, (digest >> 1) % self.dimension] += weight if digest & 1 else -weight
            if not vectors[row].any():
                vectors[row, 0] = 1
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in re.findall(r"\w+", text):
        yield word, 1.0
        padded = f"#{word}#"
        for start in range(len(padded) - 2):
            yield f"3:{padded[start : start + 3]}", 0.5
