"""Numbers that stand twice in a clause and differ: in two sentences with the same words around them, or in a formula and a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from regc.lang.words import Measurement, quantities

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


#: A formula that gives one symbol a number, as it is written or as LaTeX: "TTC_{2.1} = 2.1 s".
_GIVEN = re.compile(r"(?P<symbol>[A-Za-z]{2,})_?\{?(?P<index>[\w.]*)\}?\s*=\s*(?P<number>-?\d+(?:\.\d+)?)(?:\s*[A-Za-z/]+\d?)?")
_DECORATED = re.compile(r"\\(?:text|mathrm|mathit|operatorname)\{([^{}]*)\}")


def formula_differs(formula: str, sentences: Iterable[str]) -> str | None:
    """What is wrong with the number that a formula gives a symbol; None where nothing is. The formula's clause says the number in a
    sentence that names the symbol, and an index that is a number with decimals ("TTC_{2.1}") repeats it."""
    plain = _DECORATED.sub(r"\1", formula)
    for line in re.split(r"\n|\\\\", plain):
        given = _GIVEN.fullmatch(line.strip().strip("$ .,;"))
        if given is None:
            continue
        symbol, number = given["symbol"], Decimal(given["number"])
        if re.fullmatch(r"\d+\.\d+", given["index"]) and Decimal(given["index"]) != number:
            return f"the index says {given['index']}"
        named = [text for text in sentences if re.search(rf"\b{symbol}\b", text)]
        said = [
            (text[item.start : item.end], item)
            for text in named
            for item in quantities(text).measurements
            if item.unit and item.dimension != "tolerance"
        ]
        if said and not any(number in (item.lo, item.hi) for _, item in said):
            return f"its clause says {', '.join(dict.fromkeys(words for words, _ in said))}"
    return None
