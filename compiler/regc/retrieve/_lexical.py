"""BM25 over token lists, with weighted query words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from regc.resources import package_data
from regc.retrieve._text import stem, words

#: What a synonym counts beside the word that the query has.
SYNONYM_WEIGHT = 0.5


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
            if word and word in self._known:
                total += weight * np.asarray(self._index.get_scores([word]), dtype=np.float64)[: self._size]
        return total


def weighted(text: str, index: Lexical) -> dict[str, float]:
    """The query's words with weights: how often the query has them, and synonyms of the trade at half of that (in full where
    the index has none of the query's own word)."""
    query: dict[str, float] = {}
    own = words(text)
    for word in own:
        query[word] = query.get(word, 0.0) + 1.0
    for word in dict.fromkeys(own):
        weight = query[word] * (SYNONYM_WEIGHT if index.knows(word) else 1.0)
        for other in synonyms().get(word, ()):
            if other not in own and index.knows(other):
                query[other] = max(query.get(other, 0.0), weight)
    return query


@lru_cache(maxsize=1)
def synonyms() -> dict[str, tuple[str, ...]]:
    """Stemmed word -> the other words of its line in synonyms.txt."""
    found: dict[str, tuple[str, ...]] = {}
    for line in package_data("retrieve", "synonyms.txt").read_text(encoding="utf-8").splitlines():
        group = tuple(dict.fromkeys(stem(word) for word in line.split())) if not line.startswith("#") else ()
        for word in group:
            found[word] = (*found.get(word, ()), *(other for other in group if other != word))
    return found
