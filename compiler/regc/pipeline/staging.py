"""A suite laid out for driving: every chosen test with its corners, and what is left open as logical stages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:  # the command line takes its flags from here, for which no manoeuvre is needed
    from regc.manoeuvres.plan import Options
    from regc.model.stage import Staged
    from regc.model.suite import Suite
from collections.abc import Iterable

from regc.errors import StagingError
from regc.manoeuvres import stage, variants
from regc.manoeuvres.corners import corners, is_open
from regc.manoeuvres.data import StageData
from regc.manoeuvres.plan import Options
from regc.model.scenario import Scenario
from regc.model.stage import Stage, Staged
from regc.model.value import Value


class Staging(BaseModel):
    """What whoever builds may choose of how tests are laid out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ego: Literal["none", "external", "reference", "late"] = Field(
        "none",
        description="who drives: none (constant speed), external (a slot for the system under test), reference (a model that keeps the "
        "criteria), late (one that does not)",
    )
    step: float = Field(0.01, gt=0, le=0.1, description="time step in s of the player that the files are made for")
    approach: float | None = Field(None, ge=0, le=600, description="straight approach before the functional part in s")
    crossing_from: Literal["nearside", "farside"] | None = Field(None, description="where crossing targets come from, if it is open")
    traffic: Literal["rht", "lht"] = Field("rht", description="right-hand or left-hand traffic")
    points: int = Field(0, ge=0, le=20, description="values between the ends of each range")
    road_users: Path | None = Field(None, description="TOML file of vehicles and actors, laid over the built-in one")
    test_track: Path | None = Field(None, description="TOML file of road, surroundings and times, laid over the built-in one")
    layouts: Path | None = Field(None, description="TOML file of the free measures of manoeuvres, laid over the built-in one")

    def options(self) -> Options:
        """As the manoeuvres take it."""
        from regc.manoeuvres.plan import Options

        nearside = None if self.crossing_from is None else self.crossing_from == "nearside"
        return Options(self.ego, self.step, self.approach, nearside, self.traffic == "rht")


def stage_suite(suite: Suite, staging: Staging) -> Staged:
    """Every chosen test as stages. Raises DataFileError for a data file at fault; a test that cannot be laid out is told in
    `left_out`."""
    from regc.manoeuvres import data

    pass

    given = data.load(staging.road_users, staging.test_track, staging.layouts)
    return staged(suite.selected, given, staging.options(), points=staging.points)


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
