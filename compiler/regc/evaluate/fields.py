"""Compares scenarios field by field with a hand-written truth, exactly and without a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path

from regc.errors import DataFileError
from regc.evaluate.table import records
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.source import Frozen, Quantity, SourceRef

_WORDS: dict[str, Callable[[Scenario], str | None]] = {
    "family": lambda scenario: scenario.family,
    "category": lambda scenario: scenario.category,
    "load_kind": lambda scenario: scenario.load_state.kind if scenario.load_state else None,
    "group": lambda scenario: scenario.group,
    "status": lambda scenario: scenario.status,
}
_QUANTITIES: dict[str, Callable[[Scenario], Quantity | None]] = {
    "subject_speed": lambda scenario: scenario.subject.test_speed,
    "target_speed": lambda scenario: scenario.target.speed,
    "relative_speed": lambda scenario: scenario.relative_speed,
    "max_impact_speed": lambda scenario: scenario.criteria.max_impact_speed,
    "min_ttc": lambda scenario: scenario.trigger.min_ttc,
    "min_straight_time": lambda scenario: scenario.approach.min_straight_time,
    "max_lateral_offset": lambda scenario: scenario.approach.max_lateral_offset,
    "impact_point_tolerance": lambda scenario: scenario.approach.impact_point_tolerance,
    "min_warning_lead_time": lambda scenario: scenario.criteria.min_warning_lead_time,
    "min_braking_demand": lambda scenario: scenario.criteria.min_braking_demand,
    "runs": lambda scenario: scenario.runs.count,
    "max_failed_share": lambda scenario: scenario.runs.max_failed_share,
}
#: column -> (the quantity that carries the tolerance, its side)
_TOLERANCES = {
    "speed_plus": ("subject_speed", "plus"),
    "speed_minus": ("subject_speed", "minus"),
    "target_plus": ("target_speed", "plus"),
    "target_minus": ("target_speed", "minus"),
}
COLUMNS = (
    "id", "family", "category", "load_kind", "group", "status", "subject_speed", "speed_plus", "speed_minus", "target_speed",
    "relative_speed", "max_impact_speed", "min_ttc", "min_straight_time", "max_lateral_offset", "impact_point_tolerance",
    "target_plus", "target_minus", "min_warning_lead_time", "min_braking_demand", "runs", "max_failed_share",
)  # fmt: skip


class FieldTruth(Frozen):
    """One row of `fields.csv`: column -> text, "" where the document states nothing. Numbers are in the regulation's units."""

    id: str
    line: int
    values: dict[str, str]


class FieldDifference(Frozen):
    """A field whose two values differ; None is "not stated". `place` is where the scenario says that its number stands."""

    scenario: str
    field: str
    truth: str | None
    built: str | None
    place: str


class FieldComparison(Frozen):
    """`equal` of `compared` fields over the scenarios that both have; `missing` are truth ids that were not built, `extra` built ids
    that the truth does not have."""

    scenarios: int
    equal: int
    compared: int
    differences: tuple[FieldDifference, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    @property
    def clean(self) -> bool:
        """Nothing differs, nothing is missing, nothing is too many."""
        return not (self.differences or self.missing or self.extra)


def read_fields(path: Path) -> tuple[FieldTruth, ...]:
    """Rows of a `fields.csv`. Raises DataFileError for other columns, a doubled id, or text where a number belongs."""
    findings: list[Finding] = []
    rows: dict[str, FieldTruth] = {}
    for line, record in records(path, COLUMNS, findings):
        id = record["id"]
        if id in rows:
            raise DataFileError(
                f"{path.name} line {line}: {id!r} stands on line {rows[id].line} too", hint="every row needs an id of its own"
            )
        for column in (*_QUANTITIES, *_TOLERANCES):
            if record[column]:
                _number(record[column], f"{path.name} line {line} column {column}")
        rows[id] = FieldTruth(id=id, line=line, values=record)
    if findings:
        raise DataFileError(findings[0].message, hint="save the file as UTF-8")
    if not rows:
        raise DataFileError(f"{path.name}: no rows below the header", hint="a truth file needs at least one scenario")
    return tuple(rows.values())


def read_scenarios(path: Path) -> tuple[Scenario, ...]:
    """The scenarios of a build's `scenarios.json`. Raises DataFileError for anything else."""
    try:
        data = json.loads(path.read_text("utf-8"))
        return tuple(Scenario.model_validate(item) for item in data["scenarios"])
    except OSError as error:
        raise DataFileError(f"{path}: {error.strerror or error}", hint="give the path of a build's scenarios.json") from error
    except (ValueError, KeyError, TypeError) as error:
        raise DataFileError(f"{path.name}: not a build's scenarios.json: {error}", hint="regc build writes one") from error


def compare_fields(truth: Sequence[FieldTruth], scenarios: Sequence[Scenario]) -> FieldComparison:
    """Every column of every truth row against the scenario of the same id.

    Numbers are equal as numbers ("0.00" and "0"). A number that is only assumed counts as not stated by the document; a tolerance
    that is borrowed from another speed may be stated or not.
    """
    built = {scenario.id: scenario for scenario in scenarios}
    wanted = {row.id for row in truth}
    differences: list[FieldDifference] = []
    compared = 0
    for row in truth:
        scenario = built.get(row.id)
        if scenario is None:
            continue
        for column in COLUMNS[1:]:
            compared += 1
            expected = row.values[column] or None
            value, place = _built(scenario, column, expected is not None)
            if not _same(expected, value, column):
                differences.append(FieldDifference(scenario=row.id, field=column, truth=expected, built=value, place=place))
    return FieldComparison(
        scenarios=sum(row.id in built for row in truth),
        equal=compared - len(differences),
        compared=compared,
        differences=tuple(differences),
        missing=tuple(row.id for row in truth if row.id not in built),
        extra=tuple(scenario.id for scenario in scenarios if scenario.id not in wanted),
    )


def _built(scenario: Scenario, column: str, stated: bool) -> tuple[str | None, str]:
    if column in _WORDS:
        sources = scenario.load_state.sources if column == "load_kind" and scenario.load_state else scenario.status_sources
        return _WORDS[column](scenario), _label(sources, scenario)
    name, side = _TOLERANCES.get(column, (column, ""))
    quantity = _QUANTITIES[name](scenario)
    if quantity is None:
        return None, _label((), scenario)
    if not side:
        return (None if quantity.basis == "assumed" else format(quantity.value, "f")), _label(quantity.sources, scenario)
    tolerance = quantity.tolerance
    # A borrowed tolerance is the document's, for another speed: it is compared where the truth has one.
    if tolerance is None or (tolerance.assumption and not stated) or quantity.basis == "assumed":
        return None, _label(quantity.sources, scenario)
    return format(getattr(tolerance, side), "f"), _label(tolerance.sources or quantity.sources, scenario)


def _label(sources: Sequence[SourceRef], scenario: Scenario) -> str:
    return sources[0].label() if sources else f"{scenario.regulation} {scenario.clause}"


def _same(expected: str | None, value: str | None, column: str) -> bool:
    if expected is None or value is None or column in _WORDS:
        return expected == value
    return Decimal(expected) == Decimal(value)


def _number(text: str, place: str) -> Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise DataFileError(f"{place}: {text!r} is not a number", hint="write plain digits with a decimal point, or leave it empty")
    return number
