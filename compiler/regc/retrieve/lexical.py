"""Words of queries and clauses, and BM25 over them, with weighted query words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

#: Words that say nothing about the subject; the negations and modal verbs of regulations stay.
STOPWORDS = frozenset(
    re.findall(
        r"[a-z]+",
        """a an and any are as at be been being by case can do does for from has have her his how if in into is it its many may much
        need of on or shall show still such than that the their them then there these they this those to under upon was were what
        when where which while who will with within would you your""",
    )
)
_WORD = re.compile(r"[a-z]+(?:[0-9]+)?|\d+(?:\.\d+)*", re.IGNORECASE)

#: "Category A", "type D": the letter belongs to the word, else the article would go with the stop words.
_LETTERED = re.compile(r"\b(category|class|type)\s+([a-l])\b")


def words(text: str) -> list[str]:
    """Stemmed lower-case words and figures of a text in order, without stop words."""
    return [stem(word) for word in _WORD.findall(_LETTERED.sub(r"\1\2", text.lower())) if word not in STOPWORDS]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its English inflection: plural, -ing, -ed. Too little rather than too much is taken off."""
    if not word.isalpha() or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("eed"):
            word = word[: -len(ending)]
            return word[:-1] if word[-1] == word[-2] and word[-1] not in "ls" and len(word) > 4 else word
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


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
