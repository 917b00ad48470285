"""All tests of a suite laid out: concrete stages, logical ones, and what cannot be driven with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from regc.errors import StagingError
from regc.manoeuvres import stage, variants
from regc.manoeuvres.corners import corners, equations
from regc.manoeuvres.data import StageData
from regc.manoeuvres.plan import Options, is_open
from regc.model.scenario2 import Scenario
from regc.model.stage import Stage, Staged
from regc.model.value import Value


def staged(
    scenarios: Iterable[Scenario],
    data: StageData,
    options: Options | None = None,
    *,
    rules: Mapping[str, Sequence[str]] | None = None,
    points: int = 2,
) -> Staged:
    """Every test laid out. `rules`: equations by manoeuvre, as the vocabulary has them. A test that leaves something open becomes a
    logical stage, and a concrete one at each corner of its ranges: its `variant` is the corner's part of the id. Raises DataFileError
    for a data file at fault."""
    stages: list[Stage] = []
    logical: list[Stage] = []
    left_out: dict[str, str] = {}
    for scenario in scenarios:
        own = equations((rules or {}).get(scenario.manoeuvre, ()))
        try:
            if _open(scenario):
                logical.append(stage(scenario, data, options))
            for corner in corners(scenario, own, points):
                stages.extend(_all(scenario, corner, data, options))
        except StagingError as error:
            left_out[scenario.id] = f"{error}; {error.hint}" if error.hint else str(error)
    return Staged(stages=tuple(stages), logical=tuple(logical), left_out=left_out)


def _open(scenario: Scenario) -> bool:
    return any(isinstance(bound, Value) and is_open(name, bound) for name, bound in scenario.bind.items())


def _all(scenario: Scenario, corner: Scenario, data: StageData, options: Options | None) -> Iterable[Stage]:
    """The stages of a concrete test, under the id of the test that it is of."""
    point = corner.id.removeprefix(scenario.id).removeprefix("_")
    for variant in variants(corner, data):
        made = stage(corner, data, options, variant)
        name = "-".join(part for part in (point, variant) if part)
        yield made.model_copy(update={"scenario": scenario.id, "variant": name})
