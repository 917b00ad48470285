"""What a scenario has the driver of the subject vehicle do, as a channel: no player measures a driver's braking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from regc.runs.geometry import Series
from regc.runs.log import DriverBraking

#: Below this much (m/s) above its goal a driver's braking is over.
_REACHED = 1e-6


def commanded(driver: Sequence[DriverBraking], events: Mapping[str, float], time: Series, speed: Series) -> Series:
    """The deceleration (m/s2) that the driver's own braking asks for at each sample: from the moment on that its event began, by
    `events` (s), until the speed that it goes to; shape (samples,). Of two the later counts."""
    asked = np.zeros(time.shape)
    for braking in sorted((item for item in driver if item.event in events), key=lambda item: events[item.event]):
        begun = time >= events[braking.event] - 1e-9
        asked[begun] = np.where(speed[begun] > braking.speed + _REACHED, braking.rate, 0.0)
    return asked
