"""Contact: what the channels tell of one, which of them contradict each other, and what became of the run.

Contact is the earliest of the log's flag, the geometry (a gap of 0 while closing; where the target is not in the path, also its
lateral offset within the half widths) and a speed step that a late flag explains. What no channel observed is not taken as given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from regc.runs.geometry import Flags, Series
from regc.runs.log import BoxInfo, RunLog
from regc.signals.measurement import (
    FLOAT_NOISE,
    Argument,
    Contact,
    EventKind,
    Happening,
    Measured,
    Motion,
    Onset,
    Outcome,
    Reading,
    Signal,
    Window,
    thresholds,
)

#: What a braking demand must exceed (m/s2) to count as one and not as noise of its channel.
DEMAND_NOISE = 0.05


def boxes(log: RunLog) -> tuple[BoxInfo, BoxInfo] | None:
    """The rectangles of subject vehicle and target, from the run's sidecar or from its poses; None when the log does not tell."""
    subject, target = _box(log, "subject"), _box(log, "target")
    return (subject, target) if subject is not None and target is not None else None


def _box(log: RunLog, role: str) -> BoxInfo | None:
    stated, track = log.info.box(role), log.tracks.get(role)
    if stated is not None or track is None:
        return stated
    return BoxInfo(length=track.box.length, width=track.box.width, forward=track.box.forward, left=track.box.left)


def closing_speed(log: RunLog, motion: Motion) -> Series | None:
    """The relative speed along the subject vehicle's path: the log's own, else what follows from its speeds."""
    own, subject, target = log.get("closing_speed"), log.get("subject_speed"), log.get("target_speed")
    if own is not None or subject is None:
        return own
    if motion in ("across", "through"):
        return subject
    return subject - target if target is not None and motion in ("along", "beside", "bend") else None


def find_contact(log: RunLog, motion: Motion) -> Contact:
    """The first contact of a driven run. The log's numbers are finite and its time runs forward."""
    touch, decides = _geometry(log, motion)
    flag = log.flags.get("contact")
    seen = np.zeros(log.time.shape, dtype=bool) if flag is None else log.observed("contact")
    flagged = _first(flag) if flag is not None else None
    touched = _first(touch)
    first = min((item for item in (flagged, touched) if item is not None), default=None)
    problems = list(_flag_against_geometry(log, motion, touched, flagged))
    step = _impossible_step(log, motion, first)
    if step is not None:
        at, lost, explained = step
        if explained or (lost < 0 and _nearly_touching(log, motion, at)):
            first = at
        else:
            against = "the contact flag" if flag is not None else "the gap"
            shown = f"{lost:+.2f} m/s in {log.time[at] - log.time[at - 1]:.3f} s at {log.time[at]:.3f} s"
            problems.append(("speed and contact", shown, f"no tyre does that, and {against} shows no contact there"))
    problems.extend(_speeds(log, motion, first))
    problems.extend(_held_gap(log, motion, first))
    problems.extend(_demand(log, motion, first))
    problems.extend(_signs(log, first))
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


def side_reach(subject: BoxInfo, target: BoxInfo, motion: Motion) -> float:
    """Half widths of a subject vehicle and of a target, which shows its length where it crosses at a right angle, in m."""
    return (subject.width + (target.length if motion == "across" else target.width)) / 2


def _first(flags: Flags) -> int | None:
    indices = np.flatnonzero(flags)
    return int(indices[0]) if indices.size else None


def _geometry(log: RunLog, motion: Motion) -> tuple[Flags, Flags]:
    """Samples in which the bodies touch, and those in which the geometry can tell."""
    nothing: Flags = np.zeros(log.time.shape, dtype=np.bool_)
    touch, decides = nothing.copy(), nothing.copy()
    if log.touching is not None:
        touch, decides = touch | log.touching, ~nothing
    gap, closing_at, offset = log.get("gap"), closing_speed(log, motion), log.get("lateral_offset")
    if gap is None or closing_at is None or motion in ("through", ""):
        return touch, decides
    closing = closing_at > 0
    closing[1:] |= closing[:-1].copy()  # the sample of the contact may have lost its speed already
    near = (gap <= 0) & closing
    if motion == "along":
        return touch | near, ~nothing
    if log.touching is not None or offset is None:
        return touch, decides
    bodies = boxes(log)
    if bodies is not None:
        subject, target = bodies
        along = target.width if motion == "across" else target.length
        beside = gap >= -(subject.length + along)
        return near & beside & (np.abs(_centre(log, offset, target, motion)) <= side_reach(subject, target, motion)), ~nothing
    reached = _first(gap <= 0)
    if reached and near[reached]:
        share = gap[reached - 1] / (gap[reached - 1] - gap[reached])
        touch[reached] = abs(offset[reached - 1] * (1 - share) + offset[reached] * share) <= thresholds().least_half_width
    return touch, decides


def _centre(log: RunLog, offset: Series, target: BoxInfo, motion: Motion) -> Series:
    """Lateral offset of the middle of a target's box from the subject's centreline (m, left positive)."""
    if motion != "across" or log.info.target_reference is None:
        return offset
    moved = float(offset[-1] - offset[0])
    return np.asarray(offset + np.sign(moved) * (target.forward - log.info.target_reference))


def _flag_against_geometry(log: RunLog, motion: Motion, touched: int | None, flagged: int | None) -> Iterator[tuple[str, str, str]]:
    gap, offset = log.get("gap"), log.get("lateral_offset")
    if "contact" in log.flags and touched is not None and flagged is None:
        later = (log.time >= log.time[touched] + thresholds().flag_delay) & log.observed("contact")
        if later.any():
            shown = f"gap {gap[touched]:.3f} m" if gap is not None else "the bodies overlap"
            yield "gap and contact", f"{shown} at {log.time[touched]:.3f} s", "the contact flag stays 0"
    if flagged is None or gap is None:
        return
    driven, closing = 0.0, closing_speed(log, motion)
    if closing is not None and flagged:
        driven = max(float(closing[flagged - 1]), 0.0) * float(log.time[flagged] - log.time[flagged - 1])
    if gap[flagged] > thresholds().flag_gap + driven:
        yield "gap and contact", f"gap {gap[flagged]:.3f} m at {log.time[flagged]:.3f} s", "the contact flag is set there"
    bodies = boxes(log)
    if motion in ("across", "beside", "bend") and bodies is not None and offset is not None:
        aside = float(_centre(log, offset, bodies[1], motion)[flagged])
        if abs(aside) > side_reach(*bodies, motion) + thresholds().flag_gap:
            shown = f"target {abs(aside):.3f} m beside the centreline at {log.time[flagged]:.3f} s"
            yield "lateral offset and contact", shown, "the contact flag is set there"


def _impossible_step(log: RunLog, motion: Motion, first: int | None) -> tuple[int, float, bool] | None:
    """The first speed step before contact that no tyre makes: its sample, the change in m/s, and whether a contact that is told
    a little later explains it."""
    rules = thresholds()
    begin = 1
    if log.functional_part is not None:
        begin = max(int(np.searchsorted(log.time, log.functional_part)), 1)
    end = log.time.size if first is None else first
    worst: tuple[int, float, Series] | None = None
    speeds = (log.get("subject_speed"), closing_speed(log, motion) if motion == "along" else None)
    most = rules.speed_step * np.maximum(np.diff(log.time), rules.speed_step_time)
    for speed in speeds:
        if speed is None:
            continue
        change = np.diff(speed)
        steps = 1 + np.flatnonzero(np.abs(change) > most)
        steps = steps[(steps >= begin) & (steps < end)]
        if steps.size and (worst is None or steps[0] < worst[0]):
            worst = (int(steps[0]), float(change[steps[0] - 1]), speed)
    if worst is None:
        return None
    at, change_there, speed = worst
    late = first is not None and log.time[first] - log.time[at] <= rules.flag_delay + 1e-9
    back = first is not None and bool((np.diff(speed[at : first + 1]) > most[at:first]).any())
    return at, change_there, late and change_there < 0 and not back


def gap_error(log: RunLog) -> float:
    """The measuring error of a log's gap (m)."""
    stated = log.info.gap_error
    return stated if stated is not None else 0.0 if log.info.simulated else thresholds().gap_error


def _nearly_touching(log: RunLog, motion: Motion, at: int) -> bool:
    """Whether the target is in the path and the gap, within its measuring error, may be gone at a sample."""
    gap, closing = log.get("gap"), closing_speed(log, motion)
    if gap is None or closing is None or motion != "along":
        return False
    driven = max(float(closing[at - 1]), 0.0) * float(log.time[at] - log.time[at - 1])
    return float(gap[at - 1]) - driven <= gap_error(log) and float(gap[at]) <= gap_error(log)


def _held_gap(log: RunLog, motion: Motion, first: int | None) -> Iterator[tuple[str, str, str]]:
    """A gap that stands still while the speeds close it: what a sensor shows that has lost the target."""
    gap, closing = log.get("gap"), closing_speed(log, motion)
    if gap is None or closing is None or motion == "":
        return
    rules, time = thresholds(), log.time[:first]
    digits = np.diff(np.unique(gap))
    quantum = float(digits[digits > FLOAT_NOISE].min(initial=1.0))
    speed = np.maximum(closing[: time.size], 0.0)
    opening = np.cumsum(speed <= 0)
    way = np.concatenate(([0.0], np.cumsum(np.diff(time) * (speed[1:] + speed[:-1]) / 2)))
    ends = np.searchsorted(way, way + max(rules.held_distance, 2 * quantum))
    ends = np.maximum(ends, np.searchsorted(time, time + rules.standstill_time))
    starts = np.flatnonzero(ends < time.size)
    starts = starts[(time[ends[starts]] - time[starts] <= rules.held_time) & (opening[ends[starts]] == opening[starts])]
    if log.functional_part is not None:
        starts = starts[time[starts] >= log.functional_part]
    closed, said = gap[starts] - gap[ends[starts]], way[ends[starts]] - way[starts]
    held = np.flatnonzero((closed < rules.brake_share * said) & (gap[ends[starts]] > 0))
    if held.size:
        begin, end = int(starts[held[0]]), int(ends[starts[held[0]]])
        shown = f"gap {gap[begin]:.3f} m at {time[begin]:.3f} s and {gap[end]:.3f} m at {time[end]:.3f} s"
        yield "gap and speeds", shown, f"the speeds close it by {said[held[0]]:.2f} m meanwhile"


def _speeds(log: RunLog, motion: Motion, first: int | None) -> Iterator[tuple[str, str, str]]:
    """A logged closing speed in the path must be the difference of the logged speeds."""
    closing, subject, target = log.get("closing_speed"), log.get("subject_speed"), log.get("target_speed")
    if motion != "along" or closing is None or subject is None or target is None:
        return
    apart = np.abs(closing - (subject - target))[:first]
    if apart.size and apart.max() > thresholds().speed_step * thresholds().speed_step_time:
        where = int(apart.argmax())
        shown = f"{closing[where]:.2f} m/s at {log.time[where]:.3f} s"
        yield "closing speed and speeds", shown, f"the two speeds differ by {subject[where] - target[where]:.2f} m/s"


def _demand(log: RunLog, motion: Motion, first: int | None) -> Iterator[tuple[str, str, str]]:
    """A demand that holds must slow the vehicle down."""
    demand, subject = log.get("braking_demand"), log.get("subject_speed")
    if demand is None or subject is None:
        return
    rules = thresholds()
    end = log.time.size if first is None else first
    asked = demand[:end] > DEMAND_NOISE
    onset = _first(asked)
    if onset is None:
        return
    let_go = np.flatnonzero(~asked[onset:])
    end = onset + int(let_go[0]) if let_go.size else end
    closing = closing_speed(log, motion)
    slow = np.flatnonzero((subject if closing is None else closing)[onset:end] <= rules.standing)
    end = onset + int(slow[0]) if slow.size else end
    begin = int(np.searchsorted(log.time, log.time[onset] + rules.brake_delay))
    if begin >= end - 1 or log.time[end - 1] - log.time[begin] < rules.standstill_time:
        return
    demanded = float((np.diff(log.time[begin:end]) * demand[begin : end - 1]).sum())
    lost = float(subject[begin] - subject[end - 1])
    shown = f"{demanded:.2f} m/s demanded from {log.time[begin]:.3f} s on"
    if lost < rules.brake_share * demanded:
        yield "braking demand and speed", shown, f"the speed falls by {lost:.2f} m/s"
    by_driver = any(log.flags[name][onset:end].any() for name in ("driver_input", "driver_brake") if name in log.flags)
    by_driver |= "driver_deceleration" in log.channels
    if lost * rules.brake_share > demanded and lost > rules.speed_step * rules.speed_step_time and not by_driver:
        yield "braking demand and speed", shown, f"the speed falls by {lost:.2f} m/s: is the demand in another unit?"


def _signs(log: RunLog, first: int | None) -> Iterator[tuple[str, str, str]]:
    """A demand or deceleration that is negative while the vehicle slows down, or a deceleration that is positive while it speeds up,
    has the wrong sign."""
    speed, rules = log.get("subject_speed"), thresholds()
    if speed is None or log.info.simulated:
        return  # a model logs what it commands, which a driver and a system may do at once
    steps, lost = np.diff(log.time[:first]), -np.diff(speed[:first])
    for name, sides in (("braking_demand", (-1,)), ("deceleration", (-1, 1))):
        values = log.get(name)
        for side in sides if values is not None else ():
            assert values is not None
            on = side * values[: steps.size] > rules.sign_noise
            said = float((steps * values[: steps.size])[on].sum())
            seconds = float(lost[on].sum())
            if steps[on].sum() >= rules.standstill_time and side * seconds < -rules.brake_share * abs(said):
                word = "falls" if seconds > 0 else "rises"
                shown = f"{said / float(steps[on].sum()):.2f} m/s2 for {float(steps[on].sum()):.2f} s"
                yield f"{name.replace('_', ' ')} and speed", shown, f"the speed {word} meanwhile: turn the sign (factor = -1.0)"
                break


# ------------------------------------------------------------ what became of the run


def outcome(log: RunLog, motion: Motion, at: Window, contact: Contact) -> Outcome:
    """Contact or not, and the longitudinal relative speed at the last sample before the first contact."""
    if contact.first is not None:
        return _impact(log, motion, contact.first)
    decided = _avoided(log, motion, at)
    if decided is None:
        return Outcome(None, unknown="the log ends before the outcome is decided", over=False)
    flag = log.flags.get("contact")
    if not contact.observed[at.functional : decided + 1].all():
        unknown = "contact is not observed in every sample, and gap, offset and bodies do not tell" if flag is not None else ""
        return Outcome(None, unknown=unknown or "no contact channel, and gap, offset and bodies do not tell")
    gap, error = log.get("gap"), gap_error(log)
    if gap is not None and motion != "through" and error > 0:
        least = float(gap[at.functional : decided + 1].min())
        if 0 <= least <= error:
            return Outcome(None, unknown=f"the gap falls to {least:.3f} m, within its measuring error of {error:g} m")
    return Outcome(False, 0.0)


def _impact(log: RunLog, motion: Motion, first: int) -> Outcome:
    flag = log.flags.get("contact")
    begun = np.diff(flag.astype(int)) == 1 if flag is not None else np.array([])
    contacts = max(int(begun.sum()), 1)
    time, before = float(log.time[first]), max(first - 1, 0)
    speed = closing_speed(log, motion)
    if speed is None:
        return Outcome(True, None, time, contacts, unknown="the log has no closing speed")
    if speed[before] <= thresholds().standing:
        stood = log.time[before] - thresholds().standstill_time
        since = np.flatnonzero(speed[: before + 1] > thresholds().standing)
        if since.size and log.time[since[-1]] > stood - FLOAT_NOISE:
            unknown = "the speed is 0 in the last sample before contact, and the vehicle did not stand"
            return Outcome(True, None, time, contacts, unknown=unknown)
    impact, least, most = _speed_at_contact(log, speed, first)
    return Outcome(True, impact, time, contacts, least, most)


def _speed_at_contact(log: RunLog, speed: Series, first: int) -> tuple[float, float, float]:
    """Speed at contact, and the least and the most that it may be. It is read from the samples before contact alone, since the one
    of the contact may have lost its speed to it: at the moment in which the gap is gone, if the log has it, else the last one."""
    before = max(first - 1, 0)
    last, step = float(speed[before]), float(log.time[first] - log.time[before])
    hardest = thresholds().speed_step * step
    at_contact = float(speed[first])
    least = max(at_contact if 0 <= last - at_contact <= hardest else last - hardest, 0.0)
    gap = log.get("gap")
    if before < 1 or gap is None or not gap[before] > 0 >= gap[first]:
        return last, least, last
    rates = np.diff(speed[max(before - 2, 0) : first + 1]) / np.diff(log.time[max(before - 2, 0) : first + 1])
    if abs(last - at_contact) > hardest:
        rates = rates[:-1]
    rate = float(np.diff(speed[before - 1 : before + 1])[0] / (log.time[before] - log.time[before - 1]))
    # When the gap is gone: by the deceleration before it, and straight between both samples; the truth lies at or between them.
    braked, straight = _gone(float(gap[before]), last, rate, step), step * float(gap[before] / (gap[before] - gap[first]))
    times = (straight,) if braked is None else (braked, straight)
    speeds = [last + rate * time for time in times]
    doubt = float(np.abs(rates - rate).max()) * max(times)
    if speeds[0] <= 0:
        return last, 0.0, last
    return speeds[0], max(min(speeds) - doubt, 0.0), max(speeds) + doubt


def _gone(gap: float, speed: float, rate: float, step: float) -> float | None:
    """How long a gap lasts that closes at `speed`, which changes at `rate`; None where it is not gone within a step."""
    under = speed * speed + 2 * rate * gap
    if under < 0:
        return None
    time = 2 * gap / (speed + math.sqrt(under)) if speed > 0 else step
    return time if 0 <= time <= step else None


def _avoided(log: RunLog, motion: Motion, at: Window) -> int | None:
    """The sample from which no contact can follow: the relative speed is gone, the target has crossed, or it is passed. None where
    the log ends before."""
    missed: list[int] = []
    rest = slice(at.functional, None)
    closing, gap, offset = closing_speed(log, motion), log.get("gap"), log.get("lateral_offset")
    for speed in (closing, log.get("subject_speed")):
        if speed is not None and (stands := standing_from(speed, log.time, at.functional)) is not None:
            missed.append(stands)
    bodies = boxes(log)
    passed = np.zeros(log.time[rest].shape, dtype=np.bool_)
    if gap is not None and motion != "along":
        lengths = 0.0 if bodies is None else bodies[0].length + (bodies[1].width if motion == "across" else bodies[1].length)
        passed = gap[rest] < -lengths
    if motion == "across" and offset is not None:
        beyond = -float(np.sign(offset[at.functional])) * offset[rest]
        if bodies is not None:
            passed = passed | (beyond > bodies[0].width / 2 + max(bodies[1].length, bodies[1].width))
        else:
            passed = passed & (beyond > thresholds().least_half_width)
    elif motion == "across" and bodies is None:
        passed = np.zeros_like(passed)
    missed.extend(at.functional + int(first) for first in np.flatnonzero(passed)[:1])
    return min(missed, default=None)


# ------------------------------------------------------------ signals and event


def _impact_speed(reading: Reading, mean_over: float) -> Measured:
    result = reading.outcome
    if result.collided is None or result.impact_speed is None:
        return Measured(None, note=result.unknown)
    if not result.collided:
        return Measured(0.0, 0.0, 0.0, shown="no contact")
    note = f"{result.contacts} contacts; the first one counts" if result.contacts > 1 else ""
    return Measured(result.impact_speed, result.least_impact_speed, result.most_impact_speed, note=note)


def _speed_reduction(reading: Reading, mean_over: float) -> Measured:
    result, log = reading.outcome, reading.log
    speed = log.get("subject_speed")
    if speed is None:
        return Measured(None, note="the log has no speed of the subject vehicle")
    if result.collided is None:
        return Measured(None, note=result.unknown)
    begun = float(np.interp(reading.at.begins, log.time, speed))
    if not result.collided or reading.at.contact is None:
        return Measured(begun, np.inf, np.inf, shown="no contact")
    value, least, most = _speed_at_contact(log, speed, reading.at.contact)
    return Measured(begun - value, begun - most, begun - least)


def _contact(reading: Reading, argument: Argument) -> Happening:
    result, at, time = reading.outcome, reading.at, reading.log.time
    until = float(time[at.last])
    if result.collided is None:
        return Happening(None, note=result.unknown)
    if not result.collided or at.contact is None:
        return Happening(False, watched_until=until)
    moment = Onset(float(time[max(at.contact - 1, 0)]), float(time[at.contact]))
    return Happening(True, ((moment, None),), float(time[at.contact]))


SIGNALS = {
    "impact_speed": Signal(
        "km/h", ("contact", "gap", "closing_speed"), "longitudinal relative speed at the first contact, 0 without one", _impact_speed
    ),
    "speed_reduction": Signal(
        "km/h",
        ("subject_speed", "contact"),
        "the subject vehicle's speed at the functional part less that at contact",
        _speed_reduction,
    ),
}
EVENTS = {"contact": EventKind(("contact", "gap"), "the first contact of the subject vehicle with the target", _contact)}
