"""Values of a scenario against what a run showed: in SI, with bound and tolerance as the scenario states them; and the limit tables
of a suite at a measured key (the row itself, else what the table says of keys between two rows)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

from regc.judge.verdict import Check, CheckResult
from regc.model.criterion import LimitRow, LimitTable
from regc.model.source import SourceRef
from regc.model.units import KMH, dimension, in_si, plain, si_of
from regc.model.value import Sign, Value
from regc.signals.measurement import FLOAT_NOISE, OPEN
from regc.wording import amount, unit

#: Resolution to which a driven speed is read (km/h), half of it upwards (SPEED_NOTE says so), so that 42.0000012 is 42.
SPEED_RESOLUTION = Decimal("0.1")
#: A time to collision is read to a millisecond, as the digits of a log's speeds and gaps give it.
TIME_RESOLUTION = 0.001
_NOISE = Decimal("1e-9")
_WORDS = {"eq": "", "ge": ">= ", "le": "<= ", "gt": "> ", "lt": "< ", "ne": "not "}


def kmh(metres_per_second: float) -> Decimal:
    """A measured speed in km/h at the resolution of the judge; what a float lacks in its last digits decides nothing."""
    exact = (Decimal(repr(float(metres_per_second))) * KMH).quantize(_NOISE, ROUND_HALF_UP)
    return exact.quantize(SPEED_RESOLUTION, ROUND_HALF_UP)


def kmh_of(number: Decimal, of: str) -> Decimal:
    """A speed of the document in km/h, whatever its unit, at the resolution of what it is compared with."""
    return (in_si(number, of) * KMH).quantize(SPEED_RESOLUTION, ROUND_HALF_UP)


def is_speed(value: Value) -> bool:
    """Whether a value is a speed."""
    return bool(value.unit) and dimension(value.unit) == "m/s"


def si(number: Decimal, of: str) -> float:
    """A number of the document in SI; a bare one stays as it is. Raises KeyError for a unit that nothing here converts."""
    return float(in_si(number, of) if of else number)


@dataclass(frozen=True)
class AllowedRange:
    """What a value allows: from `low` to `high` (SI), the ends themselves only where they are not open."""

    low: float
    high: float
    low_open: bool = False
    high_open: bool = False


def allowed(value: Value) -> AllowedRange | None:
    """The ends of a value with its bound and tolerance; None for a symbol, and for one number without bound and tolerance, which no
    measurement can equal."""
    if value.lo is None or value.hi is None or value.bound == "ne":
        return None
    minus = plus = 0.0
    if value.tolerance is not None:
        minus, plus = (float(si_of(part, value.unit) if value.unit else part) for part in (value.tolerance.minus, value.tolerance.plus))
    low, high = si(value.lo, value.unit) - minus, si(value.hi, value.unit) + plus
    if value.bound in ("ge", "gt"):
        return AllowedRange(low, np.inf, low_open=value.bound == "gt")
    if value.bound in ("le", "lt"):
        return AllowedRange(-np.inf, high, high_open=value.bound == "lt")
    return None if value.is_number and value.tolerance is None else AllowedRange(low, high)


def within(least: float, most: float, ends: AllowedRange) -> CheckResult:
    """Whether a measurement that lies from `least` to `most` is allowed; missing where its bracket holds an end."""
    if _inside(least, ends) and _inside(most, ends):
        return "met"
    above = least > ends.high + FLOAT_NOISE or (ends.high_open and least >= ends.high - FLOAT_NOISE)
    below = most < ends.low - FLOAT_NOISE or (ends.low_open and most <= ends.low + FLOAT_NOISE)
    return "not_met" if above or below else "missing"


def _inside(number: float, ends: AllowedRange) -> bool:
    low = number > ends.low + FLOAT_NOISE if ends.low_open else number >= ends.low - FLOAT_NOISE
    high = number < ends.high - FLOAT_NOISE if ends.high_open else number <= ends.high + FLOAT_NOISE
    return low and high


def compared(least: float, most: float, sign: Sign, limit: float) -> CheckResult:
    """A measurement that lies from `least` to `most`, against a limit (SI)."""
    ends = {
        "<=": AllowedRange(-np.inf, limit), "<": AllowedRange(-np.inf, limit, high_open=True), ">=": AllowedRange(limit, np.inf),
        ">": AllowedRange(limit, np.inf, low_open=True), "==": AllowedRange(limit, limit), "!=": AllowedRange(limit, limit),
    }[sign]  # fmt: skip
    result = within(least, most, ends)
    return result if sign != "!=" or result == "missing" else "not_met" if result == "met" else "met"


def shown(number: float, of: str, digits: int = 2, against: float | None = None) -> str:
    """A measured number in a unit of the document: shown(11.667, "km/h") -> "42.00 km/h". More digits where it would look like the
    bound `against` (SI) and is not."""
    text = f"{in_unit(number, of):.{digits}f}"
    for more in range(digits, digits + 4):
        if against is None or f"{in_unit(number, of):.{more}f}" != f"{in_unit(against, of):.{more}f}":
            text = f"{in_unit(number, of):.{more}f}"
            break
    return f"{text} {unit(of)}".strip()


def in_unit(number: float, of: str) -> float:
    """A number in SI in another unit."""
    if not of:
        return number
    factor, offset = float(si_of(Decimal(1), of)), float(in_si(Decimal(0), of))
    return (number - offset) / factor


def bracket(least: float, most: float, of: str, digits: int = 3) -> str:
    """ "between 3.995 and 4.005 s"; "" where both are the same in these digits."""
    if not np.isfinite(least) or not np.isfinite(most):
        return (
            ""
            if least == most
            else f"at least {shown(least, of, digits)}"
            if np.isfinite(least)
            else f"at most {shown(most, of, digits)}"
        )
    first, last = f"{in_unit(least, of):.{digits}f}", f"{in_unit(most, of):.{digits}f}"
    return "" if first == last else f"between {first} and {last} {unit(of)}".strip()


def required(value: Value) -> str:
    """The bound as a report has it: ">= 4 s", "40 to 42 km/h"."""
    ends = allowed(value)
    if value.bound == "eq" and value.tolerance is not None and ends is not None:
        low, high = (f"{in_unit(end, value.unit):.6f}".rstrip("0").rstrip(".") for end in (ends.low, ends.high))
        return f"{low} to {high} {unit(value.unit)}".strip()
    return _WORDS[value.bound] + amount(value)


def place(sources: tuple[SourceRef, ...], fallback: str) -> str:
    """Where something stands, for a check's clause."""
    return sources[0].label() if sources else fallback


def check_value(
    name: str, measured: float, value: Value, clause: str, *, least: float | None = None, most: float | None = None,
    digits: int = 3, note: str = "", tolerance: Value | None = None,
) -> Check:  # fmt: skip
    """A validity check of one measured number (SI) against a value. `tolerance`: a bound that the document states apart for how far
    the number may be off the value."""
    least, most = measured if least is None else least, measured if most is None else most
    ends = allowed(value)
    said = required(value)
    if tolerance is not None and tolerance.hi is not None and value.lo is not None and value.hi is not None:
        off = si(tolerance.hi, tolerance.unit)
        ends = AllowedRange(si(value.lo, value.unit) - off, si(value.hi, value.unit) + off)
        said = f"{amount(value)} ± {amount(tolerance)}"
    if ends is None:
        result: CheckResult = "not_applicable"
        note = note or ("hangs on a declared value" if value.lo is None else "the document states no tolerance")
    else:
        result = within(least, most, ends)
    return Check(
        part="validity",
        name=name,
        result=result,
        measured=shown(measured, value.unit, digits),
        bracket=bracket(least, most, value.unit, digits),
        required=said,
        clause=place(value.sources, clause),
        note="; ".join(part for part in (note, OPEN if result == "missing" else "") if part),
    )


@dataclass(frozen=True)
class JudgedLimit:
    """One limit that a run is held against: the row's header, the limit in SI, its digits and unit, and the place that states it."""

    label: str
    limit: float
    digits: str
    unit: str
    clause: str
    only: tuple[str, ...] = ()


@dataclass(frozen=True)
class Looked:
    """What a table says at a key: the row, or None; `unknown`: why no row is known, "" where the table asks nothing there."""

    row: JudgedLimit | None
    unknown: str = ""


class LimitTables:
    """The tables of a suite by id."""

    def __init__(self, tables: Sequence[LimitTable]) -> None:
        self._tables: Mapping[str, LimitTable] = {table.id: table for table in tables}

    def get(self, id: str | None) -> LimitTable | None:
        """The table with that id."""
        return self._tables.get(id or "")

    def at(self, id: str, measured: float, category: str) -> Looked:
        """The limit at a measured key (SI) for a vehicle of a category ("" where none is known)."""
        table = self.get(id)
        if table is None:
            return Looked(None, f"the suite has no table {id}")
        rows = [row for row in table.rows if not (row.only and category) or category in row.only]
        keyed = [(_key(row.key), row) for row in rows]
        if not keyed:
            return Looked(None, f"table {table.name} has no rows")
        speed = is_speed(rows[0].key)
        key = kmh(measured) if speed else Decimal(repr(measured))
        text = f"{plain(key)} km/h" if speed else plain(key)
        exact = next((row for own, row in keyed if abs(own - key) <= Decimal("1e-9")), None)
        if exact is not None:
            return _looked(exact)
        below = max(((own, row) for own, row in keyed if own < key), key=lambda item: item[0], default=None)
        above = min(((own, row) for own, row in keyed if own > key), key=lambda item: item[0], default=None)
        if table.between == "next_higher":
            return _looked(above[1]) if above else Looked(None)
        if table.between == "next_lower":
            return _looked(below[1]) if below else Looked(None)
        if table.between == "interpolate" and above and below:
            return _interpolated(key, text, below, above)
        return Looked(None, f"table {table.name} has no row {text} and does not say what holds between its rows")

    def only(self, id: str | None, key: Value) -> tuple[str, ...]:
        """The categories that a mark restricts the row of a key to; () for all."""
        table = self.get(id)
        rows = table.rows if table is not None else ()
        return next((row.only for row in rows if _key(row.key) == _key(key)), ())

    def beyond(self, id: str, axes: Mapping[str, str]) -> tuple[str, str] | None:
        """The id of the table that holds past an axis value, and the place that says so."""
        table = self.get(id)
        other = next((table.beyond[value] for value in axes.values() if value in table.beyond), None) if table else None
        if table is None or other is None:
            return None
        return other, table.beyond_sources[0].label() if table.beyond_sources else table.table


def nominal(value: Value, key: Value | None, looked: Looked) -> JudgedLimit:
    """The row that gave a criterion its limit: `looked` is what its table says at the nominal key."""
    limit = si(value.number, value.unit)
    if looked.row is not None and looked.row.limit == limit:
        return looked.row
    return JudgedLimit(plain(_key(key)) if key is not None else "", limit, f"{value.number:f}", value.unit, _place(value))


def _looked(row: LimitRow) -> Looked:
    if row.limit is None or row.limit.lo is None:
        return Looked(None)
    value = row.limit
    return Looked(JudgedLimit(_label(row), si(value.number, value.unit), f"{value.number:f}", value.unit, _place(value), row.only))


def _interpolated(key: Decimal, text: str, below: tuple[Decimal, LimitRow], above: tuple[Decimal, LimitRow]) -> Looked:
    low, high = below[1].limit, above[1].limit
    if low is None or high is None or low.lo is None or high.lo is None:
        return Looked(None)
    share = (key - below[0]) / (above[0] - below[0])
    limit = low.number + (high.number - low.number) * share
    return Looked(
        JudgedLimit(text, si(limit, low.unit), plain(limit, 3), low.unit, _place(low), tuple({*below[1].only, *above[1].only}))
    )


def _key(value: Value) -> Decimal:
    if is_speed(value):
        return kmh_of(value.number, value.unit)
    return Decimal(repr(si(value.number, value.unit)))


def _label(row: LimitRow) -> str:
    place = row.key.sources[0] if row.key.sources else None
    return place.row if place and place.row else plain(_key(row.key))


def _place(value: Value) -> str:
    return value.sources[0].label() if value.sources else ""
