"""A number that stands twice in a clause: two sentences that say the same words around a quantity and another number.

"... at the latest 0.8 seconds before the emergency braking ... foreseen early enough for a warning 0.8 seconds before emergency
braking": the words alone say that both are one number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from regc.lang.words import Measurement

#: Words that say nothing of what is measured: articles, joints, comparisons, units, and what is left of "i.e.".
_ALL_IDLE = (
    "a an the of to or and in is are be been by for from on at as it its this that with which has have not no shall may must than more "
    "less least most greater lower higher maximum minimum i e g km h m s mph per cent"
)
_IDLE = frozenset(_ALL_IDLE.split())
_WORD = re.compile(r"[^\W\d_]+")
_END = re.compile(r"[.;:]\s|\n")
#: Signs looked at on either side, and words that must agree there.
_NEAR, _ALIKE = 80, 2


@dataclass(frozen=True)
class Said:
    """A quantity of a sentence: `at` its place, `clause` where it is compared, `read` by a test or not."""

    at: str
    clause: str
    text: str
    item: Measurement
    read: bool

    @property
    def words(self) -> str:
        """As it stands."""
        return self.text[self.item.start : self.item.end]

    def before(self) -> tuple[str, ...]:
        """The last words in front of it."""
        return _words(_END.split(self.text[max(0, self.item.start - _NEAR) : self.item.start])[-1])[-_ALIKE:]

    def behind(self) -> tuple[str, ...]:
        """The first words behind it."""
        return _words(_END.split(self.text[self.item.end : self.item.end + _NEAR])[0])[:_ALIKE]


def differing(said: Sequence[Said]) -> Iterator[tuple[Said, Said]]:
    """(read, other): another number with the same words before or behind it, which no test reads."""
    by_clause: dict[str, list[Said]] = {}
    for one in said:
        by_clause.setdefault(one.clause, []).append(one)
    for there in by_clause.values():
        read, others = ([one for one in there if one.read is held] for held in (True, False))
        for other in others:
            alike = [one for one in read if one.item.dimension == other.item.dimension and _alike(one, other)]
            if alike and not any(_amount(one.item) == _amount(other.item) for one in alike):
                yield alike[0], other


def _alike(one: Said, other: Said) -> bool:
    pairs = ((one.before(), other.before()), (one.behind(), other.behind()))
    return any(len(first) == _ALIKE and first == second for first, second in pairs)


def _amount(item: Measurement) -> tuple[object, ...]:
    return item.lo, item.hi, item.unit


def _words(text: str) -> tuple[str, ...]:
    """The words that say something, without their plural."""
    words = (match[0].casefold() for match in _WORD.finditer(text))
    return tuple(word.rstrip("s") for word in words if word not in _IDLE)
