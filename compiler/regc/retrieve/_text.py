"""Words of queries and clauses."""

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
