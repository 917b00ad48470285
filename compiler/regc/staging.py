"""A suite laid out for driving: every chosen test with its corners, and what is left open as logical stages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:  # the command line takes its flags from here, for which no manoeuvre is needed
    from regc.manoeuvres.plan import Options
    from regc.model.stage import Staged
    from regc.model.suite import Suite


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
    from regc.manoeuvres.suite import staged

    given = data.load(staging.road_users, staging.test_track, staging.layouts)
    return staged(suite.selected, given, staging.options(), points=staging.points)
