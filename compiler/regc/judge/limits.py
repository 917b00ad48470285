"""The limit tables of a suite, read at a measured key: the row itself, else what the table says of keys between two rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from regc.judge.comparison import is_speed, kmh, kmh_of, si
from regc.model.criterion import LimitRow, LimitTable
from regc.model.units import plain
from regc.model.value import Value


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
