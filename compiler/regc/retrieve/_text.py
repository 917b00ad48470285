"""Words of queries and clauses, and the count of tokens."""

from __future__ import annotations

import re
from functools import lru_cache

#: Words that say nothing about the subject; the negations and modal verbs of regulations stay.
STOPWORDS = frozenset(
    re.findall(
        r"[a-z]+",
        """a an and any are as at be been being by case can do does for from has have her his how if in into is it its many may much
        need of on or shall show still such than that the their them then there these they this those to under upon was were what
        when where which while who will with within would you your""",
    )
)
#: What an estimate counts, said in `Context.tokenizer`.
ESTIMATE = "estimate: a word of up to 8 letters, 3 digits or a sign are 1 token"

_WORD = re.compile(r"[a-z]+(?:[0-9]+)?|\d+(?:\.\d+)*", re.IGNORECASE)
_COUNTED = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]+")


def words(text: str) -> list[str]:
    """Stemmed lower-case words and figures of a text in order, without stop words."""
    return [stem(word) for word in _WORD.findall(text.lower()) if word not in STOPWORDS]


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


def tokens(text: str) -> int:
    """The estimated number of language-model tokens; the same on every machine, so budgets are kept by it."""
    total = 0
    for piece in _COUNTED.findall(text):
        if piece.isalpha():
            total += 1 + (len(piece) - 1) // 8
        elif piece.isdigit():
            total += 1 + (len(piece) - 1) // 3
        else:
            total += 1 + (len(piece) - 1) // 2
    return total
