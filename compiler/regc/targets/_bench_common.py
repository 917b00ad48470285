"""What the bench targets share: the straight road, and which scenarios they do not drive."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from regc.model.result import Checked, Finding
from regc.model.scenario import Scenario
from regc.targets import _roads
from regc.targets._osc_formula import Value
from regc.targets._osc_values import Setup, Values


def not_driven(scenario: Scenario, setup: Setup, models: Mapping[str, str], tool: str, option: str) -> Finding | None:
    """Why a bench target does not drive a scenario, or None. `models`: what the tool has for a target type."""
    kind = scenario.target.type
    if scenario.approach_type == "manoeuvre":
        return Finding(
            code="T633",
            severity="info",
            scenario=scenario.id,
            message=f"{scenario.id}: a manoeuvre of the subject vehicle; the {tool} target drives in-lane and crossing tests",
            hint="its files are in the openscenario target",
        )
    if kind not in setup.targets.types or kind not in models:
        what = f"no {tool} model" if kind in setup.targets.types else "no data"
        return Finding(
            code="T631",
            severity="warning",
            scenario=scenario.id,
            field="target.type",
            message=f"{scenario.id}: {what} for a target of type {kind!r}",
            hint=f"name one in a file for {option}, and its size in a file for --targets",
        )
    return None


def straight_road(checked: Checked, runs: Iterable[tuple[Values, Mapping[str, Value]]], setup: Setup) -> bytes:
    """OpenDRIVE for all runs: each a scenario's numbers and their values."""
    farthest, friction = Decimal(0), None
    for numbers, known in runs:
        given = {name: Decimal(str(value)) for name, value in known.items() if not isinstance(value, str)}
        target_way = Decimal(0) if numbers.crossing else given["end_time"] * given["prescribed_target_speed"]
        end = given["subject_x"] + given["end_time"] * given["subject_test_speed"]
        farthest = max(farthest, end, given["target_x"] + target_way)
        friction = given.get("peak_braking_coefficient", friction)
    return _roads.straight(
        setup.track.road,
        _roads.needed_length(setup.track.road, farthest),
        friction,
        setup.track.environment.slope / 100,
        right_hand=setup.right_hand,
        date=f"{checked.edition_date}T00:00:00",
        title=f"straight road for {checked.regulation} {checked.edition}, {checked.wording} wording",
    )
