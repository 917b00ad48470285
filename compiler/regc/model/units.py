"""Units of regulations, converted once and at the edge, and the one way in which numbers are written."""

from __future__ import annotations

from decimal import Decimal

from regc.model.value import Value

#: unit -> (factor, offset, SI unit): SI value = value * factor + offset
_SI: dict[str, tuple[Decimal, Decimal, str]] = {
    "km/h": (Decimal(1000) / Decimal(3600), Decimal(0), "m/s"),
    "mph": (Decimal("0.44704"), Decimal(0), "m/s"),
    "m/s": (Decimal(1), Decimal(0), "m/s"),
    "m/s2": (Decimal(1), Decimal(0), "m/s2"),
    "s": (Decimal(1), Decimal(0), "s"),
    "m": (Decimal(1), Decimal(0), "m"),
    "cm": (Decimal("0.01"), Decimal(0), "m"),
    "mm": (Decimal("0.001"), Decimal(0), "m"),
    "km": (Decimal(1000), Decimal(0), "m"),
    "ft": (Decimal("0.3048"), Decimal(0), "m"),
    "kg": (Decimal(1), Decimal(0), "kg"),
    "degC": (Decimal(1), Decimal("273.15"), "K"),
    "K": (Decimal(1), Decimal(0), "K"),
    "lux": (Decimal(1), Decimal(0), "lux"),
    "m/s3": (Decimal(1), Decimal(0), "m/s3"),
    "mm/s": (Decimal("0.001"), Decimal(0), "m/s"),
    "g": (Decimal("9.80665"), Decimal(0), "m/s2"),
    "ms": (Decimal("0.001"), Decimal(0), "s"),
    "min": (Decimal(60), Decimal(0), "s"),
    "t": (Decimal(1000), Decimal(0), "kg"),
    "lb": (Decimal("0.45359237"), Decimal(0), "kg"),
    "N": (Decimal(1), Decimal(0), "N"),
    "deg": (Decimal("0.017453292519943295"), Decimal(0), "rad"),
    "deg/s": (Decimal("0.017453292519943295"), Decimal(0), "rad/s"),
    "per cent": (Decimal("0.01"), Decimal(0), "1"),
    "1": (Decimal(1), Decimal(0), "1"),
    "": (Decimal(1), Decimal(0), "1"),
}


def known_units() -> tuple[str, ...]:
    """Every unit that can be converted."""
    return tuple(_SI)


def si(value: Value) -> Decimal:
    """The value in SI (m/s, m, s, kg, K, lux, 1); raises KeyError for an unknown unit."""
    factor, offset, _ = _SI[value.unit]
    return value.number * factor + offset


def in_si(value: Decimal, unit: str) -> Decimal:
    """A number of `unit` in SI; raises KeyError for an unknown unit."""
    factor, offset, _ = _SI[unit]
    return value * factor + offset


def dimension(unit: str) -> str:
    """The SI unit that a unit is converted to; raises KeyError for an unknown unit."""
    return _SI[unit][2]


def si_of(value: Decimal, unit: str) -> Decimal:
    """A bare value of `unit` in SI, for tolerances and differences (no offset)."""
    return value * _SI[unit][0]


def plain(value: Decimal, places: int = 6) -> str:
    """A decimal as plain digits, at most `places` after the point, no exponent, no trailing zeros, never "-0"."""
    text = format(round(value, places), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text
