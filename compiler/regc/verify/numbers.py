"""A number of an emitted file against the document: read again at its place, or calculated again from its formula."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from regc.verify.cited_places import NothingThere, Place, Places, Spot
from regc.verify.open_conditions import Open, opened
from regc.verify.recalculation import FormulaFault, Leaf, Node, leaves, parsed, parts
from regc.verify.recalculation import value as calculated
from regc.verify.spoken_numbers import UNITS, Spoken, are_range, in_si, same_unit, side_of_lead, spoken, tolerances

#: Calculated numbers are written with nine places.
_ROUNDED = Fraction(1, 10**8)
_SIDES = {"ge": 1, "gt": 1, "le": -1, "lt": -1}


@dataclass(frozen=True)
class WrittenTolerance:
    """Magnitudes in the unit of their number."""

    plus: Fraction
    minus: Fraction
    places: tuple[Place, ...] = ()
    assumption: str = ""


@dataclass(frozen=True)
class WrittenNumber:
    """A value of a file: a number, a range, or a symbol where `lo` is None. `conditions`: the open ones that it holds under."""

    lo: Fraction | None
    hi: Fraction | None
    unit: str = ""
    bound: str = "eq"
    basis: str = "cited"
    formula: str = ""
    symbol: str = ""
    assumption: str = ""
    differs: bool = False
    tolerance: WrittenTolerance | None = None
    places: tuple[Place, ...] = ()
    conditions: tuple[Open, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # a file names most of its numbers many times, and fractions are slow to hash
        return hash((self.lo, self.hi, self.unit, self.basis, self.formula, self.places))

    @property
    def words(self) -> str:
        """The number for a message."""
        if self.lo is None or self.hi is None:
            return self.symbol
        text = shown(self.lo) if self.lo == self.hi else f"{shown(self.lo)} to {shown(self.hi)}"
        return f"{text} {self.unit}".strip()


def number_of(data: Mapping[str, Any], places: Sequence[Place]) -> WrittenNumber:
    """A value of a file; `places` are the file's, which the value names by position."""
    around = data.get("tolerance")
    return WrittenNumber(
        lo=None if data.get("lo") is None else _decimal(data["lo"]),
        hi=None if data.get("hi") is None else _decimal(data["hi"]),
        unit=data.get("unit", ""),
        bound=data.get("bound", "eq"),
        basis=data.get("basis", "cited"),
        formula=data.get("formula", ""),
        symbol=data.get("symbol", ""),
        assumption=data.get("assumption") or "",
        differs=bool(data.get("differs", False)),
        tolerance=WrittenTolerance(
            plus=_decimal(around["plus"]),
            minus=_decimal(around["minus"]),
            places=tuple(_at(places, index) for index in around.get("sources", ())),
            assumption=around.get("assumption") or "",
        )
        if around
        else None,
        places=tuple(_at(places, index) for index in data.get("sources", ())),
        conditions=tuple(opened(item) for item in data.get("holds_if", ())),
    )


@lru_cache(maxsize=4096)
def _decimal(digits: str) -> Fraction:
    """Digits of a file; raises ValueError for what is no decimal."""
    try:
        return Fraction(Decimal(digits))
    except (InvalidOperation, OverflowError) as error:
        raise ValueError(f"{digits!r} is no number") from error


def _at(places: Sequence[Place], index: int) -> Place:
    if not 0 <= index < len(places):
        raise ValueError(f"place {index} of {len(places)}")
    return places[index]


def shown(number: Fraction) -> str:
    """A number in plain digits."""
    text = f"{float(number):.9f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


class Checker:
    """Numbers of one document; each is checked once. `declared`: what the applicant declared, as (number, unit)."""

    def __init__(self, places: Places, declared: Mapping[str, str]) -> None:
        self.places = places
        self.declared = tuple((item.value, item.unit) for text in declared.values() for item in spoken(text))
        self._done: dict[WrittenNumber, str] = {}

    def fault(self, number: WrittenNumber) -> str:
        """What the document says instead, "" where it says the number."""
        if number not in self._done:
            self._done[number] = self._fault(number)
        return self._done[number]

    def _fault(self, number: WrittenNumber) -> str:
        if number.unit not in UNITS:
            return f"{number.unit!r} is no unit that can be read again"
        if (number.lo is None) != (number.hi is None) or (number.lo is None and not number.symbol):
            return "one end of the number is missing"
        if number.basis == "assumed":
            return "" if number.assumption else "an assumed number without its code"
        if not number.places and not self._is_declared(number):
            return "no place of the document is named"
        try:
            for place in number.places:
                self.places.spots(place)
            told = self._calculated(number) if number.basis == "derived" else self._cited(number)
            return told or self._around(number)
        except (NothingThere, FormulaFault) as error:
            return str(error)

    # ------------------------------------------------------------ cited

    def _cited(self, number: WrittenNumber) -> str:
        if number.lo is None or number.hi is None:
            return self._leaves(number.symbol, number)
        if self._is_declared(number):
            return ""
        if self._stands(number, number.places[0]):
            return ""
        return f"{number.places[0].words} says {self._says(number, number.places[0])}"

    def _is_declared(self, number: WrittenNumber) -> bool:
        return number.lo is not None and number.lo == number.hi and any(
            same_unit(unit, number.unit) and in_si(value, unit) == in_si(number.lo, number.unit) for value, unit in self.declared
        )  # fmt: skip

    def _stands(self, number: WrittenNumber, place: Place) -> bool:
        return any(_stands_in(number, spot) for spot in self.places.spots(place))

    def _says(self, number: WrittenNumber, place: Place) -> str:
        """The numbers of that unit that the place does say."""
        there = [
            f"{_side_words(item.side)}{shown(item.value)} {item.unit}".strip()
            for spot in self.places.spots(place)
            for item in spoken(spot.text, spot.unit)
            if spot.holds(item.start) and same_unit(item.unit, number.unit)
        ]
        if there:
            return ", ".join(dict.fromkeys(there))
        spot = self.places.spots(place)[0]
        return f'"{(spot.text if spot.cell else place.quote or spot.text)[:80]}"'

    # ------------------------------------------------------------ tolerance

    def _around(self, number: WrittenNumber) -> str:
        around = number.tolerance
        if around is None:
            return ""
        places = around.places or number.places
        if not places:
            return "" if around.assumption else "the tolerance names no place"
        for place in places:
            self.places.spots(place)
        exact = bool(around.places)
        if any(_has_tolerance(around, number.unit, spot, exact=exact) for place in places for spot in self.places.spots(place)):
            return ""
        said = [
            f"+{shown(item.plus)}/-{shown(item.minus)} {item.unit}".strip()
            for place in places
            for spot in self.places.spots(place)
            for item in tolerances(spot.text, spot.unit)
        ]
        own = f"+{shown(around.plus)}/-{shown(around.minus)}"
        return f"tolerance {own}: {places[0].words} says {', '.join(dict.fromkeys(said)) or 'none'}"

    # ------------------------------------------------------------ derived

    def _calculated(self, number: WrittenNumber) -> str:
        if not number.formula:
            return "a derived number without its formula"
        told, interpolated = self._interpolated(number)
        if interpolated:
            return told
        if told := self._leaves(number.formula, number):
            return told
        value = calculated(parsed(number.formula))
        if number.lo is None or number.hi is None:
            return self._symbol(number, parsed(number.formula))
        if value is None:
            return f"{number.formula} hangs on what is not declared"
        low, high, dimension = value
        if dimension != UNITS[number.unit].dimension:
            return f"{number.formula} is not in {number.unit or 'a bare number'}"
        factor = UNITS[number.unit].factor
        low, high = low / factor, high / factor
        ends = {(low, high), (low, low), (high, high)}
        near = max(_ROUNDED, abs(high) * _ROUNDED)
        if any(abs(number.lo - first) <= near and abs(number.hi - last) <= near for first, last in ends):
            return ""
        wanted = shown(low) if low == high else f"{shown(low)} to {shown(high)}"
        return f"{number.formula} is {wanted} {number.unit}".strip()

    def _symbol(self, number: WrittenNumber, formula: Node) -> str:
        """Every number of a symbol is one that its formula has or comes to."""
        known = {value[:2] for part in parts(formula) if (value := calculated(part)) is not None}
        for leaf in leaves(parsed(number.symbol)):
            if (in_si(leaf.lo, leaf.unit), in_si(leaf.hi, leaf.unit)) not in known:
                return f"{shown(leaf.lo)} {leaf.unit}".strip() + f" does not follow from {number.formula}"
        return ""

    def _leaves(self, formula: str, number: WrittenNumber) -> str:
        """Every number of a formula stands at one of the places or was declared."""
        for leaf in leaves(parsed(formula)):
            if not self._backed(leaf, number):
                text = shown(leaf.lo) if leaf.lo == leaf.hi else f"{shown(leaf.lo)} to {shown(leaf.hi)}"
                where = "; ".join(place.words for place in number.places)
                return f"{text} {leaf.unit}".strip() + f" of the formula {formula} does not stand at {where}"
        return ""

    def _backed(self, leaf: Leaf, number: WrittenNumber) -> bool:
        alone = WrittenNumber(leaf.lo, leaf.hi, leaf.unit, places=number.places)
        return any(self._stands(alone, place) for place in number.places) or self._is_declared(alone)

    def _interpolated(self, number: WrittenNumber) -> tuple[str, bool]:
        """A limit on the line between two rows: "10 + 5 * (43 - 42) / (45 - 42)"."""
        match = re.fullmatch(r"(\S+) \+ (\S+) \* \((\S+) - (\S+)\) / \((\S+) - (\S+)\)", number.formula)
        cells = [place for place in number.places if place.table and place.row]
        if match is None or len(cells) < 2 or number.lo is None or cells[0].row == cells[1].row:
            return "", False
        at = Fraction(match[3])
        keys = [self.places.key(cell) for cell in cells[:2]]
        limits = [spoken(self.places.spots(cell)[0].text, number.unit) for cell in cells[:2]]
        if None in keys or any(len(limit) != 1 for limit in limits):
            return f"{number.formula}: its rows have no single number", True
        (first, last), (low, high) = keys, (limits[0][0].value, limits[1][0].value)
        assert first is not None
        assert last is not None
        if not first < at < last:
            return f"{shown(at)} does not lie between the rows {shown(first)} and {shown(last)}", True
        wanted = low + (high - low) * (at - first) / (last - first)
        near = abs(wanted - number.lo) <= _ROUNDED
        return ("" if near else f"between the rows {shown(first)} and {shown(last)} it is {shown(wanted)} {number.unit}"), True


# ---------------------------------------------------------------- at one spot


def _stands_in(number: WrittenNumber, spot: Spot) -> bool:
    assert number.lo is not None
    assert number.hi is not None
    there = spoken(spot.text, spot.unit or (number.unit if spot.cell else ""))
    inside = [item for item in there if spot.holds(item.start)]
    if number.lo == number.hi:
        cited = _cited(inside, spot)
        if any(_is(number.lo, number, item) and _fits(number.bound, item, spot) for item in cited):
            return True
        # "within 1.6 km/h of", "±0.5 m/s3" where a number is wanted
        return any(
            item.plus == item.minus == number.lo and (not item.unit or same_unit(item.unit, number.unit))
            for item in tolerances(spot.text, spot.unit)
            if spot.begins(item.start, item.end)
        )
    return any(
        spot.begins(first.start, first.end)
        and _is(number.lo, number, first)
        and _is(number.hi, number, second)
        and are_range(spot.text, first, second)
        for first, second in itertools.pairwise(inside)
    )


def _cited(inside: list[Spoken], spot: Spot) -> list[Spoken]:
    """The number that a place cites; both ends where it is a range."""
    begun = [item for item in inside if spot.begins(item.start, item.end)]
    return begun + [
        second
        for first, second in itertools.pairwise(inside)
        if first in begun and second not in begun and are_range(spot.text, first, second)
    ]


def _is(value: Fraction, number: WrittenNumber, item: Spoken) -> bool:
    """Whether a number of the text is that value: in the same unit, since numbers keep the document's; a zero in any."""
    if item.value != value:
        return False
    return item.unit == number.unit or (value == 0 and same_unit(item.unit, number.unit))


def _fits(bound: str, item: Spoken, spot: Spot) -> bool:
    """Whether the words do not bound the number to the other side."""
    side = item.side or (side_of_lead(spot.lead) if spot.lead else 0)
    return not side or not _SIDES.get(bound) or side == _SIDES[bound]


def _side_words(side: int) -> str:
    return {1: "at least ", -1: "not more than ", 0: ""}[side]


def _has_tolerance(around: WrittenTolerance, unit: str, spot: Spot, *, exact: bool) -> bool:
    """Whether a spot says a tolerance; `exact`: at the very position that is cited, or next behind the number there."""
    every = tolerances(spot.text, spot.unit)
    behind = next((item for item in every if item.start >= spot.at), None) if exact and spot.at >= 0 else None
    for item in every:
        there = spot.begins(item.start, item.end) or item is behind if exact else spot.holds(item.start)
        fits = item.unit in ("", unit) or same_unit(item.unit, unit)
        if there and fits and (item.plus, item.minus) == (around.plus, around.minus):
            return True
    if around.plus != around.minus:
        return False
    return any(
        (spot.begins(item.start, item.end) if exact else spot.holds(item.start))
        and item.side <= 0
        and item.value == around.plus
        and item.unit in ("", unit)
        for item in spoken(spot.text, spot.unit or (unit if spot.cell else ""))
    )
