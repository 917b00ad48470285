"""Where the parts of a test lie in a log: the straight approach, the start of the functional part, contact, the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from regc.judge.comparison import TIME_RESOLUTION, si
from regc.model.criterion import Criterion
from regc.model.scenario import Scenario, target_roles
from regc.runs.log import RunLog, met_in
from regc.signals.contact import closing_speed, standing_from
from regc.signals.longitudinal import DECELERATION_NOISE
from regc.signals.measurement import Motion, Reading, Window


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


# ---- the part of a run in which a phase of a sequence lies: from the moment that the log marks to the next one, or to what ends it.
#
# A log marks a phase by the event "phase_NAME" of its sidecar: files of regc announce it, and whoever drives the test by hand writes
# it.


#: When a predicate held first, in s; None where it did not, or the log does not show it.
Held = Callable[[Criterion, Reading], float | None]


def phase_part(scenario: Scenario, reading: Reading, name: str, held: Held) -> Reading | str:
    """The run within a phase, with who is met in it, or why the log does not show it. A phase that `until` ends is over when that first
    holds in it."""
    names = [phase.name for phase in scenario.phases]
    index = names.index(name)
    reading = replace(reading, log=met_in(reading.log, _met(scenario, index, reading.log)))
    begins = _begins(scenario, reading, index, held)
    if begins is None:
        return f"the log marks no beginning of the phase {name} (event phase_{name} in the run's sidecar)"
    whole = _within(reading, begins, None, name)
    if whole is None:
        return f"the log ends before the phase {name} begins"
    until = scenario.phases[index].until
    ends = held(until, whole) if until is not None else None
    if ends is None and index + 1 < len(names):
        ends = _begins(scenario, reading, index + 1, held)
        if ends is None and not _stopped(reading):
            return f"the log does not show when the phase {name} ends"
    elif ends is None:
        ends = _over(reading)
    return whole if ends is None else _within(reading, begins, ends, name) or whole


def _met(scenario: Scenario, index: int, log: RunLog) -> list[str]:
    """The roles of who is met in a phase: its target, or what it drives past."""
    phase = scenario.phases[index]
    target = target_roles(scenario.phases).get(phase.name)
    if target is not None:
        return [target]
    passed = {actor.role for actor in phase.actors} & {"pair", "object"}
    return [role for role in log.tracks if any(role.startswith(name) for name in passed)]


def _stopped(reading: Reading) -> bool:
    """Whether a simulated run ended with a contact or a standstill; its file would have marked the next phase."""
    speed, time = reading.log.get("subject_speed"), reading.log.time
    stands = speed is not None and standing_from(speed, time, reading.at.functional) is not None
    return reading.log.info.simulated and (reading.at.contact is not None or stands)


def _over(reading: Reading) -> float | None:
    """When the last phase has been driven, as the log marks it."""
    return reading.log.info.events.get("sequence_over")


def whole_run(scenario: Scenario, reading: Reading) -> Reading:
    """The run of a test: one in phases is over when the last of them has been driven."""
    if not scenario.phases or _over(reading) is None or reading.outcome.over:
        return reading
    outcome = replace(reading.outcome, over=True, collided=False, unknown="")
    return replace(reading, outcome=outcome)


def _begins(scenario: Scenario, reading: Reading, index: int, held: Held) -> float | None:
    """When a phase begins: as the log marks it, where the phase before ends by its predicate, or, the first one, with the functional
    part."""
    phase = scenario.phases[index]
    marked = reading.log.info.events.get(f"phase_{phase.name}")
    if marked is not None:
        return marked
    if index == 0:
        return reading.at.begins
    before = scenario.phases[index - 1]
    start = _begins(scenario, reading, index - 1, held) if before.until is not None else None
    part = None if start is None else _within(reading, start, None, before.name)
    return held(before.until, part) if before.until is not None and part is not None else None


def _within(reading: Reading, begins: float, ends: float | None, name: str) -> Reading | None:
    """The run from a moment to another (None: as far as it goes), in s; None where it ends before."""
    time, at = reading.log.time, reading.at
    first = int(np.searchsorted(time, begins - reading.log.step / 2))
    last = at.last if ends is None else min(at.last, int(np.searchsorted(time, ends - reading.log.step / 2)) - 1)
    if first > last:
        return None
    over = reading.outcome.over or (ends is not None and last < at.last)
    contact = at.contact if at.contact is not None and last == at.last else None
    window = replace(at, functional=first, last=last, contact=contact, begins=begins, after=begins)
    outcome = reading.outcome if contact is not None or last == at.last else replace(reading.outcome, collided=False, unknown="")
    return replace(reading, at=window, outcome=replace(outcome, over=over), phase=name)
