"""Where the parts of a test lie in a log: the straight approach, the start of the functional part, contact, the end."""

from __future__ import annotations

import numpy as np

from regc.judge.numbers import TIME_RESOLUTION, si
from regc.model.scenario import Scenario
from regc.runs.log import RunLog
from regc.signals.contact import closing_speed
from regc.signals.longitudinal import DECELERATION_NOISE
from regc.signals.reading import Window
from regc.signals.thresholds import Motion


def window(scenario: Scenario, log: RunLog, motion: Motion, contact: int | None) -> Window | None:
    """The parts of a driven test whose first contact is given; None when the functional part cannot be found.

    Its start is what the log marks. Else: where the test names a time to collision, the last sample that has it; where the target
    brakes, the last sample before; where it names neither, the beginning of the log.
    """
    begins = after = log.functional_part
    if begins is not None:
        functional: int | None = int(np.searchsorted(log.time, begins - log.step / 2))
        if functional is not None and functional >= log.time.size:
            return None
        after = begins if log.functional_after is None else log.functional_after
    else:
        functional = _found(scenario, log, motion)
        begins = after = None if functional is None else float(log.time[functional])
    if functional is None or begins is None or after is None:
        return None
    straight = scenario.number("straight_time")
    needed = si(straight.lo, straight.unit) if straight is not None and straight.lo is not None else 0.0
    approach = int(np.searchsorted(log.time, begins - needed - log.step / 2))
    last = log.time.size - 1 if contact is None else contact - 1
    return Window(approach, functional, contact, last, log.functional_part is not None, begins, after)


def _found(scenario: Scenario, log: RunLog, motion: Motion) -> int | None:
    ttc, gap, closing = scenario.number("ttc"), log.get("gap"), closing_speed(log, motion)
    if motion == "beside" and ttc is not None:
        return None  # it begins with a change of lane, and a time to collision of the test is that at another moment
    if ttc is not None and ttc.lo is not None:
        if gap is None or closing is None:
            return None
        limit = si(ttc.lo, ttc.unit) - TIME_RESOLUTION / 2
        times = gap / np.maximum(closing, 1e-9)
        far, near = np.flatnonzero(times >= limit), np.flatnonzero(times < limit)
        return int(far[far < near[0]][-1]) if near.size and (far < near[0]).any() else None
    if "target_deceleration" in scenario.bind:
        target = log.get("target_speed")
        if target is None:
            return None
        slowing = np.flatnonzero(-np.diff(target) / np.diff(log.time) > DECELERATION_NOISE)
        if not slowing.size:
            return None
        steady = np.flatnonzero(np.diff(target[: int(slowing[0]) + 1]) >= 0)  # its deceleration rises first
        return int(steady[-1]) + 1 if steady.size else int(slowing[0])
    return 0
