"""One run as measured: the signals that the judge reads, whoever wrote the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from regc.simulate._geometry import Flags, Series, Track, closing_speed, gap, lateral_offset, touching

#: Ways in which a warning can reach a driver; "unspecified" for a log that has one warning flag only.
WARNING_MODES = ("acoustic", "optical", "haptic", "unspecified")


class BoxInfo(BaseModel):
    """A bounding rectangle in metres; centre seen from the reference point of the logged pose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    length: float
    width: float
    forward: float = 0.0
    left: float = 0.0


class RunInfo(BaseModel):
    """What goes beside a log (its `.json` sidecar). `ego`: "none" is the baseline without a system. `events` are times in s by
    name (functional_part, warning, braking). `target_reference`: metres ahead of the target's reference point at which its lateral
    offset is measured (the crankshaft of a bicycle). `simulated` repeats must differ in `seed` or `parameters`. `scenario_key`:
    suite.scenario_key of the scenario that was driven ("" for a log that does not tell). `maximum_mass`: of the vehicle (kg);
    `gap_error`: measuring error of the gap (m)."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    scenario: str
    scenario_key: str = ""
    run: str = "1"
    vehicle_type: str = ""
    ego: str = "external"
    engine: str = "plain"
    simulated: bool = False
    seed: int | None = None
    parameters: dict[str, float] = {}
    events: dict[str, float] = {}
    step: float | None = None
    subject: str = "Ego"
    target: str = ""
    subject_box: BoxInfo | None = None
    target_box: BoxInfo | None = None
    target_reference: float | None = None
    mass: float | None = None
    running_order_mass: float | None = None
    maximum_mass: float | None = None
    gap_error: float | None = None
    late_warning_justification: str = ""
    log: str = ""


@dataclass(frozen=True)
class RunLog:
    """Signals over time, SI units, shape (samples,); None where the log has no such channel.

    `gap`: longitudinal, subject's front to the target's nearest face. `lateral_offset`: of the target's reference point from the
    subject's centreline, left positive. `closing_speed`: longitudinal relative speed. `demand` is the braking demand of the system
    under test (positive), `deceleration` what the vehicle did. `problems` are errors of the log itself as (kind, message).
    `tracks`: poses of subject and target where the log has them, `touching` what they say of contact. A flag is yes, no or not
    observed: `unseen` holds, by channel, the samples in which it was not. The functional part starts at `functional_part`, after
    `functional_after` where only the samples tell.
    """

    info: RunInfo
    time: Series
    subject_speed: Series | None = None
    target_speed: Series | None = None
    closing_speed: Series | None = None
    gap: Series | None = None
    lateral_offset: Series | None = None
    subject_drift: Series | None = None
    tracks: tuple[Track, Track] | None = None
    contact: Flags | None = None
    touching: Flags | None = None
    unseen: Mapping[str, Flags] = field(default_factory=dict)
    warnings: dict[str, Flags] = field(default_factory=dict)
    demand: Series | None = None
    deceleration: Series | None = None
    driver_input: Flags | None = None
    functional_part: float | None = None
    functional_after: float | None = None
    problems: tuple[tuple[Literal["invalid", "incomplete"], str], ...] = ()

    @cached_property
    def step(self) -> float:
        """The usual step in s; 0 for a log of less than two samples."""
        return float(np.median(np.diff(self.time))) if self.time.size > 1 else 0.0

    def observed(self, channel: str) -> Flags:
        """Samples in which a flag that the log has was observed."""
        unseen = self.unseen.get(channel)
        return np.ones(self.time.shape, dtype=np.bool_) if unseen is None else ~unseen


def from_tracks(
    info: RunInfo,
    time: Series,
    subject: Track,
    target: Track,
    *,
    warnings: dict[str, Flags] | None = None,
    demand: Series | None = None,
    deceleration: Series | None = None,
    driver_input: Flags | None = None,
    functional_part: float | None = None,
) -> RunLog:
    """The signals of a log that holds poses: contact, gap and offset from the boxes, not from any player's own flag."""
    across = -np.sin(subject.heading[0]), np.cos(subject.heading[0])
    drift = (subject.x - subject.x[0]) * across[0] + (subject.y - subject.y[0]) * across[1]
    touch = touching(subject, target)
    return RunLog(
        info=info,
        time=time,
        subject_speed=subject.speed,
        target_speed=target.speed,
        closing_speed=closing_speed(subject, target),
        gap=gap(subject, target),
        lateral_offset=lateral_offset(subject, target, info.target_reference),
        subject_drift=drift,
        tracks=(subject, target),
        contact=touch,
        touching=touch,
        warnings=warnings or {},
        demand=demand,
        deceleration=deceleration,
        driver_input=driver_input,
        functional_part=functional_part,
    )
