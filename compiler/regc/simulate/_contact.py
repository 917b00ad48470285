"""First contact of a run, from every channel that tells of one, and the channels that contradict each other.

Contact is the earliest of the log's flag, the geometry (a gap of 0 while closing; for a crossing target also its lateral offset
within the half widths) and a speed step that a late flag explains. What no channel observed is not taken as given.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from regc.model.scenario import Scenario
from regc.simulate._geometry import Flags, Series
from regc.simulate._thresholds import thresholds
from regc.simulate.runlog import BoxInfo, RunLog

#: What a braking demand must exceed (m/s2) to count as one and not as noise of its channel.
DEMAND_NOISE = 0.05


@dataclass(frozen=True)
class Contact:
    """`first`: sample of the first contact (None: none was observed). `observed`: the samples in which one would have been seen.
    `contradictions`: channels that cannot both be right, as (name, what was measured, why it cannot be)."""

    first: int | None = None
    observed: Flags = field(default_factory=lambda: np.array([], dtype=np.bool_))
    contradictions: tuple[tuple[str, str, str], ...] = ()


def boxes(log: RunLog) -> tuple[BoxInfo, BoxInfo] | None:
    """The bodies' rectangles, from the run's sidecar or from its poses; None when the log does not tell."""
    if log.info.subject_box is not None and log.info.target_box is not None:
        return log.info.subject_box, log.info.target_box
    if log.tracks is None:
        return None
    subject, target = (BoxInfo(length=box.length, width=box.width, forward=box.forward, left=box.left) for box in _boxes(log))
    return subject, target


def _boxes(log: RunLog) -> Iterator[BoxInfo]:
    for track in log.tracks or ():
        yield BoxInfo(length=track.box.length, width=track.box.width, forward=track.box.forward, left=track.box.left)


def contact(scenario: Scenario, log: RunLog) -> Contact:
    """The first contact of a driven run. The log's numbers are finite and its time runs forward."""
    touch, decides = _geometry(scenario, log)
    flag = log.contact
    seen = np.zeros(log.time.shape, dtype=bool) if flag is None else log.observed("contact")
    flagged = _first(flag) if flag is not None else None
    touched = _first(touch)
    first = min((item for item in (flagged, touched) if item is not None), default=None)
    problems = list(_flag_against_geometry(scenario, log, touched, flagged))
    step = _impossible_step(scenario, log, first)
    if step is not None:
        at, lost, explained = step
        if explained:
            first = at
        else:
            against = "the contact flag" if flag is not None else "the gap"
            shown = f"{lost:+.2f} m/s in {log.time[at] - log.time[at - 1]:.3f} s at {log.time[at]:.3f} s"
            problems.append(("speed and contact", shown, f"no tyre does that, and {against} shows no contact there"))
    problems.extend(_speeds(scenario, log, first))
    problems.extend(_demand(log, first))
    return Contact(first, seen | decides, tuple(problems))


def standing_from(speed: Series, time: Series, begin: int) -> int | None:
    """The first sample from `begin` on from which a body stands: below the standstill speed for the standstill time, in more than
    one sample."""
    slow = speed <= thresholds().standing
    for start in begin + np.flatnonzero(slow[begin:] & ~np.concatenate(([False], slow[begin:-1]))):
        faster = np.flatnonzero(~slow[start:])
        end = start + int(faster[0]) - 1 if faster.size else time.size - 1
        if end > start and time[end] - time[start] >= thresholds().standstill_time - 1e-9:
            return int(start)
    return None


def side_reach(subject: BoxInfo, target: BoxInfo) -> float:
    """Half widths of a subject vehicle and of a target that crosses its way at a right angle, in m."""
    return (subject.width + target.length) / 2


def _first(flags: Flags) -> int | None:
    found = np.flatnonzero(flags)
    return int(found[0]) if found.size else None


def _geometry(scenario: Scenario, log: RunLog) -> tuple[Flags, Flags]:
    """Samples in which the bodies touch, and those in which the geometry can tell."""
    nothing: Flags = np.zeros(log.time.shape, dtype=np.bool_)
    touch, decides = nothing.copy(), nothing.copy()
    if log.touching is not None:
        touch, decides = touch | log.touching, ~nothing
    if log.gap is None or log.closing_speed is None:
        return touch, decides
    closing = log.closing_speed > 0
    closing[1:] |= closing[:-1].copy()  # the sample of the contact may have lost its speed already
    near = (log.gap <= 0) & closing
    if scenario.approach_type == "in_lane":
        return touch | near, ~nothing
    if log.touching is not None or log.lateral_offset is None:
        return touch, decides
    bodies = boxes(log)
    if bodies is not None:
        subject, target = bodies
        beside = log.gap >= -(subject.length + target.width)
        return near & beside & (np.abs(_centre(log, target)) <= side_reach(subject, target)), ~nothing
    reached = _first(log.gap <= 0)
    if reached and near[reached]:
        share = log.gap[reached - 1] / (log.gap[reached - 1] - log.gap[reached])
        offset = log.lateral_offset[reached - 1] * (1 - share) + log.lateral_offset[reached] * share
        touch[reached] = abs(offset) <= thresholds().least_half_width
    return touch, decides


def _centre(log: RunLog, target: BoxInfo) -> Series:
    """Lateral offset of the middle of a crossing target's box from the subject's centreline (m, left positive)."""
    assert log.lateral_offset is not None
    ahead = 0.0 if log.info.target_reference is None else target.forward - log.info.target_reference
    moved = float(log.lateral_offset[-1] - log.lateral_offset[0])
    return np.asarray(log.lateral_offset + np.sign(moved) * ahead)


def _flag_against_geometry(scenario: Scenario, log: RunLog, touched: int | None, flagged: int | None) -> Iterator[tuple[str, str, str]]:
    if log.contact is not None and touched is not None and flagged is None:
        later = (log.time >= log.time[touched] + thresholds().flag_delay) & log.observed("contact")
        if later.any():
            shown = f"gap {log.gap[touched]:.3f} m" if log.gap is not None else "the bodies overlap"
            yield "gap and contact", f"{shown} at {log.time[touched]:.3f} s", "the contact flag stays 0"
    if flagged is None or log.gap is None:
        return
    driven = 0.0
    if log.closing_speed is not None and flagged:
        driven = max(float(log.closing_speed[flagged - 1]), 0.0) * float(log.time[flagged] - log.time[flagged - 1])
    if log.gap[flagged] > thresholds().flag_gap + driven:
        yield "gap and contact", f"gap {log.gap[flagged]:.3f} m at {log.time[flagged]:.3f} s", "the contact flag is set there"
    bodies = boxes(log)
    if scenario.approach_type == "crossing" and bodies is not None and log.lateral_offset is not None:
        offset = float(_centre(log, bodies[1])[flagged])
        if abs(offset) > side_reach(*bodies) + thresholds().flag_gap:
            shown = f"target {abs(offset):.3f} m beside the centreline at {log.time[flagged]:.3f} s"
            yield "lateral offset and contact", shown, "the contact flag is set there"


def _impossible_step(scenario: Scenario, log: RunLog, first: int | None) -> tuple[int, float, bool] | None:
    """The first speed step before contact that no tyre makes: its sample, the change in m/s, and whether a contact that is told
    a little later explains it."""
    rules = thresholds()
    begin = 1
    if log.functional_part is not None:
        begin = max(int(np.searchsorted(log.time, log.functional_part)), 1)
    end = log.time.size if first is None else first
    found: tuple[int, float, Series] | None = None
    speeds = (log.subject_speed, log.closing_speed if scenario.approach_type == "in_lane" else None)
    most = rules.speed_step * np.maximum(np.diff(log.time), rules.speed_step_time)
    for speed in speeds:
        if speed is None:
            continue
        change = np.diff(speed)
        steps = 1 + np.flatnonzero(np.abs(change) > most)
        steps = steps[(steps >= begin) & (steps < end)]
        if steps.size and (found is None or steps[0] < found[0]):
            found = (int(steps[0]), float(change[steps[0] - 1]), speed)
    if found is None:
        return None
    at, change_there, speed = found
    late = first is not None and log.time[first] - log.time[at] <= rules.flag_delay + 1e-9
    back = first is not None and bool((np.diff(speed[at : first + 1]) > most[at:first]).any())
    return at, change_there, late and change_there < 0 and not back


def _speeds(scenario: Scenario, log: RunLog, first: int | None) -> Iterator[tuple[str, str, str]]:
    """A logged closing speed in lane must be the difference of the logged speeds."""
    if scenario.approach_type != "in_lane" or log.closing_speed is None or log.subject_speed is None or log.target_speed is None:
        return
    apart = np.abs(log.closing_speed - (log.subject_speed - log.target_speed))[:first]
    most = thresholds().speed_step * thresholds().speed_step_time
    if apart.size and apart.max() > most:
        where = int(apart.argmax())
        shown = f"{log.closing_speed[where]:.2f} m/s at {log.time[where]:.3f} s"
        yield (
            "closing speed and speeds",
            shown,
            f"the two speeds differ by {log.subject_speed[where] - log.target_speed[where]:.2f} m/s",
        )


def _demand(log: RunLog, first: int | None) -> Iterator[tuple[str, str, str]]:
    """A demand that holds must slow the vehicle down."""
    if log.demand is None or log.subject_speed is None:
        return
    rules = thresholds()
    end = log.time.size if first is None else first
    asked = log.demand[:end] > DEMAND_NOISE
    onset = _first(asked)
    if onset is None:
        return
    let_go = np.flatnonzero(~asked[onset:])
    end = onset + int(let_go[0]) if let_go.size else end
    speed = log.closing_speed if log.closing_speed is not None else log.subject_speed
    slow = np.flatnonzero(speed[onset:end] <= rules.standing)
    end = onset + int(slow[0]) if slow.size else end
    begin = int(np.searchsorted(log.time, log.time[onset] + rules.brake_delay))
    if begin >= end - 1 or log.time[end - 1] - log.time[begin] < rules.standstill_time:
        return
    demanded = float((np.diff(log.time[begin:end]) * log.demand[begin : end - 1]).sum())
    lost = float(log.subject_speed[begin] - log.subject_speed[end - 1])
    if lost < rules.brake_share * demanded:
        yield (
            "braking demand and speed",
            f"{demanded:.2f} m/s demanded from {log.time[begin]:.3f} s on",
            f"the speed falls by {lost:.2f} m/s",
        )
