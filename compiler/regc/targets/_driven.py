"""What every target whose files drive a subject vehicle towards a target can be told."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from regc import assumed
from regc.targets._osc_values import Ego, Setup


class DrivenOptions(BaseModel):
    """Approach, sides, and the files of assumed data."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    approach: float | None = Field(None, ge=0, le=600, description="straight approach before the functional part in s")
    crossing_from: Literal["nearside", "farside"] = Field("nearside", description="side from which crossing targets come")
    traffic: Literal["rht", "lht"] = Field("rht", description="right-hand or left-hand traffic")
    vehicle: Path | None = Field(None, description="TOML file of subject vehicles, in place of the built-in one")
    targets: Path | None = Field(None, description="TOML file of targets, in place of the built-in one")
    road: Path | None = Field(None, description="TOML file of road, surroundings and times, in place of the built-in one")

    def setup(self, ego: Ego, step: float, manoeuvres: assumed.Manoeuvres | None = None) -> Setup:
        """The options with the data that they name; `step` in s. Raises DataFileError for a data file that does not fit."""
        return Setup(
            ego=ego,
            approach=None if self.approach is None else Decimal(str(self.approach)),
            step=Decimal(str(step)),
            nearside=self.crossing_from == "nearside",
            right_hand=self.traffic == "rht",
            vehicles=assumed.vehicles(self.vehicle),
            targets=assumed.targets(self.targets),
            track=assumed.track(self.road),
            manoeuvres=manoeuvres,
        )
