"""BM25 over token lists, with weighted query words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray


class Lexical:
    """A BM25 index (Lucene's variant, k1 1.5, b 0.75)."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        import bm25s

        self._size = len(documents)
        self._index = bm25s.BM25(k1=1.5, b=0.75)
        # bm25s cannot index a corpus without a word: a sentinel that no query has keeps it in shape
        self._index.index([list(document) or [""] for document in documents] or [[""]], show_progress=False)
        self._known = set(self._index.vocab_dict)
        self._holders: Counter[str] = Counter(word for document in documents for word in set(document))

    def knows(self, word: str) -> bool:
        """Whether a (stemmed) word stands anywhere in the index."""
        return word in self._known

    def rarity(self, word: str) -> float:
        """How much a word tells documents apart: its inverse document frequency, 0 when no document has it."""
        held = self._holders[word]
        return math.log(1 + (self._size - held + 0.5) / (held + 0.5)) if held else 0.0

    def scores(self, query: Mapping[str, float]) -> NDArray[np.float64]:
        """The score of every document, shape (documents,), for words with weights; zeros when it has none of the words."""
        total = np.zeros(self._size)
        for word, weight in query.items():
            total += weight * self._of(word)
        return total

    def concepts(self, query: Sequence[Mapping[str, float]]) -> NDArray[np.float64]:
        """As `scores`, for concepts: words with weights that mean the same, of which only the best counts in each document."""
        total = np.zeros(self._size)
        for concept in query:
            best = np.zeros(self._size)
            for word, weight in concept.items():
                np.maximum(best, weight * self._of(word), out=best)
            total += best
        return total

    def _of(self, word: str) -> NDArray[np.float64]:
        if not word or word not in self._known:
            return np.zeros(self._size)
        return np.asarray(self._index.get_scores([word]), dtype=np.float64)[: self._size]
