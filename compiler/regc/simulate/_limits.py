"""The limit tables as the scenarios of a suite carry them, and the reading of a row by a measured speed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from regc.model.scenario import LoadKind, Scenario
from regc.model.source import Quantity
from regc.model.units import si

#: Resolution to which a measured speed is read (km/h), half of it upwards (SPEED_NOTE says so), so that 42.0000012 is 42.
SPEED_RESOLUTION = Decimal("0.1")
_FLOAT_NOISE = Decimal("1e-9")

_Key = tuple[str, str | None, str | None, str | None, str | None]


@dataclass(frozen=True)
class LimitRow:
    """One row: its speed in km/h, the limit, and the scenario that carries it."""

    speed: Decimal
    limit: Quantity
    scenario: str

    @property
    def label(self) -> str:
        """The row's header as the document has it, else its speed."""
        place = self.limit.sources[0] if self.limit.sources else None
        return place.row if place and place.row else format(self.speed.normalize(), "f")


def kmh(metres_per_second: float) -> Decimal:
    """A measured speed in km/h at the resolution of the judge; what a float lacks in its last digits decides nothing."""
    exact = (Decimal(repr(float(metres_per_second))) * Decimal("3.6")).quantize(_FLOAT_NOISE, ROUND_HALF_UP)
    return exact.quantize(SPEED_RESOLUTION, ROUND_HALF_UP)


def quantity_kmh(quantity: Quantity) -> Decimal:
    """A speed of the document in km/h, whatever its unit, at the resolution of what it is compared with."""
    return (si(quantity) * Decimal("3.6")).quantize(SPEED_RESOLUTION, ROUND_HALF_UP)


def _key(scenario: Scenario) -> _Key | None:
    limit = scenario.criteria.max_impact_speed
    if limit is None or not limit.sources:
        return None
    place = limit.sources[0]
    return (place.clause, place.table, place.column, scenario.category, scenario.group)


class LimitTables:
    """Columns of the limit tables as the scenarios carry them: rows by the place of the limit's own source. Scenarios of several
    families that read one column share its rows. `complete`: whether these are all scenarios of the edition; only then is the next
    higher row known to be the document's, and not merely the next one that a filter left."""

    def __init__(self, scenarios: Iterable[Scenario], *, complete: bool = False) -> None:
        self._complete = complete
        self._rows: dict[_Key, dict[Decimal, LimitRow]] = {}
        self._additional_mass: dict[tuple[str | None, str | None], Quantity] = {}
        for scenario in scenarios:
            for named in (*scenario.envelope, *scenario.manoeuvre):
                if "additional_mass" in named.name:
                    self._additional_mass.setdefault((scenario.category, scenario.group), named.quantity)
            key, limit = _key(scenario), scenario.criteria.max_impact_speed
            if key is None or limit is None or scenario.relative_speed is None:
                continue
            speed = quantity_kmh(scenario.relative_speed)
            self._rows.setdefault(key, {}).setdefault(speed, LimitRow(speed, limit, scenario.id))

    def additional_mass(self, scenario: Scenario) -> Quantity | None:
        """What a vehicle of the scenario's category may weigh beyond its mass in running order and still count as in running order:
        the tests at maximum mass do not carry it."""
        return self._additional_mass.get((scenario.category, scenario.group))

    def row_at(self, scenario: Scenario, speed: Decimal) -> tuple[LimitRow | None, str]:
        """The row of a speed in km/h in the scenario's column, and why it is not known. The row itself or, between two rows of a
        complete suite, the next higher one; (None, "") above the column, whose last row is then the nominal one or one above it."""
        key = _key(scenario)
        if key is None:
            return None, ""
        rows = self._rows.get(key, {})
        if speed in rows:
            return rows[speed], ""
        if not self._complete:
            return None, f"its column has no row {speed.normalize():f} in this suite, which is not known to be the whole edition"
        return min((row for row in rows.values() if row.speed >= speed), key=lambda row: row.speed, default=None), ""


def load_of(scenario: Scenario) -> LoadKind | None:
    """The load state that the scenario names."""
    return scenario.load_state.kind if scenario.load_state else None
