"""Units of regulations (data/units.toml), converted once and at the edge, and the one way in which numbers are written."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

from regc.model.value import Value

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: How many km/h one m/s is.
KMH = Decimal("3.6")
#: m/s2; the standard acceleration of free fall, as data/units.toml has it for g.
GRAVITY = 9.80665


@dataclass(frozen=True)
class Unit:
    """A unit as texts write it: "km/h" is a speed of 5/18 m/s; SI = value * factor + offset.

    `formula` is what turns a number of it into SI in a formula: " * 5 / 18".
    """

    name: str
    dimension: str
    factor: Fraction
    pattern: str
    offset: Fraction
    formula: str
    si: str


@cache
def units() -> Mapping[str, Unit]:
    """Every unit by its name, in the order in which texts are searched for them."""
    tables = tomllib.loads((Path(__file__).parents[1] / "data" / "units.toml").read_text("utf-8"))
    offsets, si_names = tables["offset"], tables["si"]
    return {
        name: Unit(name, dimension, Fraction(factor), pattern, Fraction(offsets.get(name, 0)), _formula(factor), si_names[dimension])
        for name, (dimension, factor, pattern) in tables["unit"].items()
    }


@cache
def lacking_units() -> re.Pattern[str]:
    """How texts write a unit that is known and that nothing here calculates with."""
    tables = tomllib.loads((Path(__file__).parents[1] / "data" / "units.toml").read_text("utf-8"))
    return re.compile(rf"(?:{'|'.join(tables['lacking']['words'])})(?![\w/²³])")


def _formula(factor: str) -> str:
    """How a factor is written in a formula.

    >>> [_formula(factor) for factor in ("5/18", "0.001", "0.3048", "1")]
    [' * 5 / 18', ' / 1000', ' * 0.3048', '']
    """
    exact = Fraction(factor)
    if exact == 1:
        return ""
    if "/" in factor:
        return f" * {exact.numerator} / {exact.denominator}"
    return f" / {exact.denominator}" if exact.numerator == 1 else f" * {factor}"


@cache
def _si() -> dict[str, tuple[Decimal, Decimal, str]]:
    """Unit -> (factor, offset, SI unit), a bare number included: SI value = value * factor + offset."""
    bare = (Decimal(1), Decimal(0), "1")
    return {unit.name: (_decimal(unit.factor), _decimal(unit.offset), unit.si) for unit in units().values()} | {"1": bare, "": bare}


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


#: SI units of quantities that cannot lie below zero.
_FROM_ZERO = frozenset({"m/s", "m", "s", "kg", "N", "lux", "K"})


def known_units() -> tuple[str, ...]:
    """Every unit that can be converted."""
    return tuple(_si())


def si(value: Value) -> Decimal:
    """The value in SI (m/s, m, s, kg, K, lux, 1); raises KeyError for an unknown unit.

    >>> si(Value(lo=Decimal(90), hi=Decimal(90), unit="km/h", basis="assumed", assumption="A834"))
    Decimal('25.00000000000000000000000000')
    """
    factor, offset, _ = _si()[value.unit]
    return value.number * factor + offset


def in_si(value: Decimal, unit: str) -> Decimal:
    """A number of `unit` in SI; raises KeyError for an unknown unit."""
    factor, offset, _ = _si()[unit]
    return value * factor + offset


def dimension(unit: str) -> str:
    """The SI unit that a unit is converted to; raises KeyError for an unknown unit."""
    return _si()[unit][2]


def can_be(value: Decimal, unit: str) -> bool:
    """Whether a quantity can be so much: speeds, lengths, times, masses, forces, illuminances and temperatures from absolute zero are
    not negative. True for a unit that is not known here."""
    return unit not in _si() or dimension(unit) not in _FROM_ZERO or in_si(value, unit) >= 0


def si_of(value: Decimal, unit: str) -> Decimal:
    """A bare value of `unit` in SI, for tolerances and differences (no offset)."""
    return value * _si()[unit][0]


def plain(value: Decimal, decimals: int = 6) -> str:
    """A decimal as plain digits, at most `places` after the point, no exponent, no trailing zeros, never "-0".

    >>> plain(Decimal("11.1111111")), plain(Decimal("2E+1")), plain(Decimal("-0.0000001"))
    ('11.111111', '20', '0')
    """
    text = format(round(value, decimals), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def kmh(metres_per_second: float) -> float:
    """A speed of SI in km/h."""
    return metres_per_second * float(KMH)


def metres_per_second(kmh: float) -> float:
    """A speed in km/h in SI."""
    return kmh / float(KMH)
