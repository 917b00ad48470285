"""Nearest vectors by cosine: exact where that is fast enough, hnswlib above a size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regc.errors import MissingExtraError, RegcError
from regc.model.protocols import Embedder, Vectors

#: Vectors up to which exact search is used: 20,000 x 384 take about 10 ms in numpy on two cores.
EXACT_UP_TO = 20_000


class Dense:
    """Texts by their vectors. `exact_up_to` 0 forces the approximate index (extra "ann")."""

    def __init__(self, embedder: Embedder, vectors: Vectors, *, exact_up_to: int = EXACT_UP_TO) -> None:
        self._embedder = embedder
        self.vectors = vectors
        self._approximate = _graph(vectors) if len(vectors) > exact_up_to else None

    def scores(self, text: str) -> NDArray[np.float64]:
        """The cosine of every vector to the text's, shape (vectors,)."""
        if not len(self.vectors):
            return np.zeros(0)
        return np.asarray(self.vectors @ self._embedder.embed([text])[0], dtype=np.float64)

    def nearest(self, text: str, k: int) -> list[tuple[int, float]]:
        """At most `k` (k may exceed the corpus) indices with their cosines, best first; the earlier one first when level."""
        k = min(k, len(self.vectors))
        if k <= 0:
            return []
        if self._approximate is None:
            return best(self.scores(text), k)
        query = self._embedder.embed([text])[0]
        labels, _ = self._approximate.knn_query(query[None, :], k=k)
        ids = [int(label) for label in labels[0]]
        cosine = {label: float(self.vectors[label] @ query) for label in ids}
        return [(label, cosine[label]) for label in sorted(ids, key=lambda label: (-cosine[label], label))]


def best(scores: NDArray[np.float64], k: int) -> list[tuple[int, float]]:
    """The `k` highest scores with their indices, best first; the earlier one first when level."""
    order = np.lexsort((np.arange(len(scores)), -scores))[:k]
    return [(int(index), float(scores[index])) for index in order]


def needed(embedder: Embedder | None, system: str) -> Embedder:
    """The embedder, or an error that says how to choose one."""
    if embedder is None:
        raise RegcError(
            f"retriever {system} ranks by vectors and was given no embedder",
            hint="choose one with --embedder (minilm, hash, openai:MODEL ...) or take the retriever regc",
        )
    return embedder


def normalised(vectors: Vectors) -> Vectors:
    """Rows of unit length; a zero row stays."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1.0), dtype=np.float32)


def fused(rankings: Sequence[Sequence[int]], k: int = 60) -> list[tuple[int, float]]:
    """Reciprocal rank fusion: score = sum of 1 / (k + rank), rank from 1; best first, the lower id first when level."""
    total: dict[int, float] = {}
    for ranking in rankings:
        for rank, id in enumerate(ranking, start=1):
            total[id] = total.get(id, 0.0) + 1.0 / (k + rank)
    return sorted(total.items(), key=lambda found: (-found[1], found[0]))


def _graph(vectors: Vectors) -> Any:
    try:
        import hnswlib
    except ImportError as error:
        raise MissingExtraError(f"{len(vectors)} vectors need the approximate index", extra="ann") from error
    index = hnswlib.Index(space="ip", dim=vectors.shape[1])
    index.init_index(max_elements=len(vectors), ef_construction=400, M=32, random_seed=7)
    # one thread: the graph is the same at every build
    index.add_items(vectors, np.arange(len(vectors)), num_threads=1)
    index.set_ef(400)
    index.set_num_threads(1)
    return index
