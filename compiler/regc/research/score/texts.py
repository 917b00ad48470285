"""Test texts with all that scoring needs of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from regc.model.protocols import Embedder, Vectors
from regc.research.score.number_match import extract_numbers, extract_terms
from regc.research.score.table import TextScore

Matrix = NDArray[np.float64]


class Texts:
    """Rows, the numbers and terms of each, and its unit vector (shape (rows, dimension)); read once for every comparison."""

    def __init__(self, rows: Sequence[TextScore], vectors: Vectors, vocabulary: Sequence[str]) -> None:
        self.rows = tuple(rows)
        self.numbers = tuple(extract_numbers(row.text) for row in rows)
        self.terms = tuple(extract_terms(row.text, vocabulary) for row in rows)
        exact = np.asarray(vectors, dtype=np.float64).reshape(len(rows), -1 if rows else 0)
        norms = np.linalg.norm(exact, axis=1, keepdims=True)
        self.vectors: Matrix = exact / np.where(norms > 0, norms, 1)


def embed_texts(rows: Sequence[TextScore], embedder: Embedder, vocabulary: Sequence[str]) -> Texts:
    """Rows with their vectors; each distinct text is embedded once."""
    order = {text: place for place, text in enumerate(dict.fromkeys(row.text for row in rows))}
    if not order:
        return Texts((), np.zeros((0, 1), dtype=np.float32), vocabulary)
    return Texts(rows, embedder.embed(tuple(order))[[order[row.text] for row in rows]], vocabulary)
