"""Which words may name a number or a sentence in a place, the fewest first; the other way round than lang/places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from regc.lang.places import stands

#: What may not stand in the words of a place: brackets, separators, digits, and what TOML would have to escape.
BARRED = re.compile(r"[\[\]|:\d\"\\_&]|\.\.\.")
#: A place is named by a word of some length, not by an article or a unit alone.
_TELLING = re.compile(r"[A-Za-z]{4}|\([A-Z]{2,}\)")
#: Words before and behind a number that are tried, the fewest first.
_BEFORE, _BEHIND = range(1, 9), range(1, 6)
#: Words of a sentence that cite it at most.
_CITED = 12


def words_around(before: list[str], behind: list[str]) -> Iterator[str]:
    """Words of a place for the number between the words of its sentence, with "_" for the number where words follow it."""
    for words in _options(before, behind):
        if not BARRED.search(words.replace("_", "", 1).replace(" ... ", " ")) and _TELLING.search(words):
            yield words


def _options(before: list[str], behind: list[str]) -> Iterator[str]:
    for count in _BEFORE:
        if count <= len(before):
            yield " ".join(before[-count:])
        if count in _BEHIND and count <= len(behind):
            yield "_ " + " ".join(behind[:count])
    for first in (1, 2, 3, 5):
        for second in (1, 2, 3, 5):
            if first <= len(before) and second <= len(behind):
                yield f"{' '.join(before[-first:])} _ {' '.join(behind[:second])}"
    for first in (1, 2, 3, 4):
        for second in (1, 2, 3):
            for skip in range(0, max(0, len(before) - first - second)):
                yield f"{' '.join(before[skip : skip + first])} ... {' '.join(before[-second:])}"


def words_of_sentence(text: str, start: int, end: int) -> str | None:
    """The fewest words of the sentence [start, end) that stand nowhere before it in a text; None where its words cannot be cited."""
    words = text[start:end].split()
    for count in range(2, _CITED + 1):
        for first in range(max(1, len(words) - count + 1)):
            cited = " ".join(words[first : first + count])
            if BARRED.search(cited) or not _TELLING.search(cited):
                continue
            match = stands(cited, text)
            if match and start <= match.start() < end:
                return cited
    return None
