"""One neutral table of all scenarios for benches that read CSV: the document's numbers with their units and places."""

from __future__ import annotations

import csv
import io

from pydantic import BaseModel, ConfigDict

from regc.model.result import Artifact, Checked
from regc.model.scenario import Scenario
from regc.model.source import Quantity

NAME = "bench_csv"

_HEAD = ("id", "family", "category", "load_state", "status", "clause", "approach_type", "target_type", "warning_rule")
#: dotted field of Scenario; the columns are value, bound, tolerance and place
_FIELDS = (
    "subject.test_speed",
    "target.speed",
    "relative_speed",
    "approach.min_straight_time",
    "approach.max_lateral_offset",
    "approach.impact_point_tolerance",
    "trigger.min_ttc",
    "criteria.max_impact_speed",
    "criteria.min_warning_lead_time",
    "criteria.min_warning_modes",
    "criteria.min_braking_demand",
    "environment.peak_braking_coefficient",
    "environment.min_illumination",
    "runs.count",
    "runs.max_repeats",
    "runs.max_failed_share",
)


class Options(BaseModel):
    """Nothing to choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def emit(checked: Checked, options: Options) -> tuple[Artifact, ...]:
    """bench/scenarios.csv: one line a scenario, numbers with the source's digits in the document's units."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    parts = ("", "_unit", "_plus", "_minus", "_source")
    writer.writerow([*_HEAD, *(f"{field.replace('.', '_')}{part}" for field in _FIELDS for part in parts)])
    for scenario in checked.scenarios:
        writer.writerow(_row(scenario))
    return (Artifact(path="bench/scenarios.csv", content=stream.getvalue().encode(), target=NAME),)


def _row(scenario: Scenario) -> list[str]:
    found = dict(scenario.quantities())
    head = [
        scenario.id,
        scenario.family,
        scenario.category or "",
        scenario.load_state.kind if scenario.load_state else "",
        scenario.status,
        f"{scenario.regulation} {scenario.clause}",
        scenario.approach_type,
        scenario.target.type,
        scenario.criteria.warning_rule,
    ]
    return [*head, *(cell for field in _FIELDS for cell in _cells(found.get(field)))]


def _cells(quantity: Quantity | None) -> tuple[str, str, str, str, str]:
    if quantity is None:
        return ("", "", "", "", "")
    tolerance = quantity.tolerance
    return (
        format(quantity.value, "f"),
        quantity.unit,
        "" if tolerance is None else format(tolerance.plus, "f"),
        "" if tolerance is None else format(tolerance.minus, "f"),
        quantity.sources[0].label() if quantity.sources else quantity.assumption or "",
    )
