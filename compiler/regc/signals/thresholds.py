"""When a log is doubted: `data/judging.toml`, in SI units but for km/h where the name says so; and how targets move."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from regc.model.units import metres_per_second
from regc.tomlfiles import packaged

#: How the target moves, seen along the subject vehicle's path ("": only poses tell); data/signals.toml says what each means.
Motion = Literal["along", "across", "beside", "bend", "turned", "through", ""]


class Thresholds(BaseModel):
    """The numbers of judging.toml; what each is for stands there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    speed_step: float
    speed_step_time: float
    flag_delay: float
    flag_gap: float
    standstill_time: float
    standstill_speed: float
    gap_error: float
    held_distance: float
    held_time: float
    brake_delay: float
    brake_share: float
    undemanded_share: float
    undemanded_speed: float
    sign_noise: float
    deceleration_time: float
    least_half_width: float
    mass_ratio: float
    driven_by_hand: tuple[str, ...]

    @property
    def standing(self) -> float:
        """The speed in m/s below which a body stands."""
        return metres_per_second(self.standstill_speed)


@lru_cache(maxsize=1)
def thresholds() -> Thresholds:
    """The packaged numbers."""
    return Thresholds.model_validate(packaged("data", "judging.toml"))


@lru_cache(maxsize=1)
def _motions() -> dict[str, Motion]:
    motions: dict[str, Motion] = packaged("data", "signals.toml")["motion"]
    return motions


def motion_of(manoeuvre: str) -> Motion:
    """How the target of a manoeuvre of the vocabulary moves."""
    return _motions().get(manoeuvre, "")
