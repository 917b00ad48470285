"""A suite laid out for driving: every chosen test with its corners, and what is left open as logical stages."""

from __future__ import annotations

from collections.abc import Iterable

from regc.errors import StagingError
from regc.manoeuvres import data as data_files
from regc.manoeuvres import stage, variants
from regc.manoeuvres.corners import corners, is_open
from regc.manoeuvres.data import StageData
from regc.manoeuvres.plan import Options
from regc.model.scenario import Scenario
from regc.model.stage import Stage, Staged
from regc.model.suite import Suite
from regc.model.value import Value
from regc.pipeline.request import Staging


def stage_suite(suite: Suite, staging: Staging) -> Staged:
    """Every chosen test as stages. Raises DataFileError for a data file at fault; a test that cannot be laid out is told in
    `left_out`."""
    given = data_files.load(staging.road_users, staging.test_track, staging.layouts)
    return staged(suite.selected, given, options_of(staging), points=staging.points)


def options_of(staging: Staging) -> Options:
    """What was chosen, as the manoeuvres take it."""
    nearside = None if staging.crossing_from is None else staging.crossing_from == "nearside"
    return Options(staging.ego, staging.step, staging.approach, nearside, staging.traffic == "rht")


# ---- all tests of a suite laid out: concrete stages, logical ones, and what cannot be driven with the reason.


def staged(scenarios: Iterable[Scenario], data: StageData, options: Options | None = None, points: int = 0) -> Staged:
    """Every test laid out, mirrored for left-hand traffic. A test that leaves something open becomes a logical stage, and a concrete
    one at each corner of its ranges (`points` between their ends): stages of the same `scenario`, whose `variant` is the corner's part
    of the id. Raises DataFileError for a data file at fault."""
    chosen = options or Options()
    stages: list[Stage] = []
    logical: list[Stage] = []
    left_out: dict[str, str] = {}
    for scenario in scenarios:
        try:
            if _open(scenario):
                logical.append(_laid_out(scenario, data, chosen))
            for corner in corners(scenario, points):
                stages.extend(_all(scenario, corner, data, chosen))
        except StagingError as error:
            left_out[scenario.id] = f"{error}; {error.hint}" if error.hint else str(error)
    return Staged(stages=tuple(stages), logical=tuple(logical), left_out=left_out)


def _open(scenario: Scenario) -> bool:
    return any(isinstance(bound, Value) and is_open(name, bound) for name, bound in scenario.bind.items())


def _laid_out(scenario: Scenario, data: StageData, options: Options) -> Stage:
    made = stage(scenario, data, options)
    return made if options.right_hand else made.mirrored()


def _all(scenario: Scenario, corner: Scenario, data: StageData, options: Options) -> Iterable[Stage]:
    """The stages of a concrete test, under the id of the test that it is of."""
    point = corner.id.removeprefix(scenario.id).removeprefix("_")
    for test in variants(corner, data):
        made = _laid_out(test, data, options)
        name = "-".join(part for part in (point, made.variant) if part)
        yield made.model_copy(update={"scenario": scenario.id, "variant": name})
