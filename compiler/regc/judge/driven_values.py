"""Each binding of a test that a log can show, against value, bound and tolerance as the test states them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from regc.judge import comparison
from regc.judge.comparison import SPEED_RESOLUTION, TIME_RESOLUTION, allowed, check_value, kmh, kmh_of, place, required, si
from regc.judge.declarations import Declarations, number, resolved
from regc.judge.verdict import Check, CheckResult
from regc.model.scenario import Scenario
from regc.model.units import metres_per_second, plain
from regc.model.value import Value, Word
from regc.runs.geometry import Series, overlap
from regc.runs.log import RunLog, drift
from regc.signals.contact import boxes, closing_speed
from regc.signals.longitudinal import DECELERATION_NOISE
from regc.signals.measurement import FLOAT_NOISE, OPEN, Motion, Window, thresholds
from regc.wording import amount, step


@dataclass(frozen=True)
class Run:
    """A run as its conditions are checked."""

    scenario: Scenario
    log: RunLog
    motion: Motion
    at: Window
    warned: float | None = None  # when the system first warned, s
    braking: float | None = None  # when the system began to brake, s
    braking_shown: bool = True  # whether the log would show braking by the system
    driver: float | None = None  # when the driver began to brake, s
    declarations: Declarations = field(default_factory=Declarations)
    extra_mass: Value | None = None  # what vehicles of this kind may weigh beyond running order and still be in it

    @property
    def clause(self) -> str:
        """Where the test stands, for what has no place of its own."""
        return f"{self.scenario.regulation} {self.scenario.clause}"

    @property
    def approach(self) -> slice:
        """Samples of the approach, the start of the functional part included; of a test without one all up to the system's braking."""
        end = self.at.functional
        if end == 0:
            end = self.at.last if self.braking is None else int(np.searchsorted(self.log.time, self.braking)) - 1
        return slice(self.at.approach, max(end, 0) + 1)


def binding_checks(run: Run, bind: Mapping[str, Value | Word]) -> Iterator[Check]:
    """Every binding of some, as the log shows it; else as the record of the test tells it."""
    for name, value in bind.items():
        if name == "starts":
            continue  # told with the speed of the target
        if isinstance(value, Value) and value.basis == "derived" and value.tolerance is None and name != "subject":
            continue  # follows from others, which are checked
        if isinstance(value, Value):
            told = resolved(value, run.scenario, run.log.info, run.declarations)
            if isinstance(told, str):
                yield _undeclared(run, name, value, told)
                continue
            value = told
        checker = _CHECKERS.get(name)
        checks = list(checker(run, value)) if checker is not None and isinstance(value, Value) else []
        yield from checks or [recorded(run, name, value)]


def _missing(name: str, channel: str, value: Value, run: Run) -> Check:
    clause = place(value.sources, run.clause)
    return Check(
        part="validity", name=name, result="missing", required=required(value), clause=clause, note=f"the log has no {channel}"
    )


def _undeclared(run: Run, name: str, value: Value, needs: str) -> Check:
    title, clause = name.replace("_", " "), place(value.sources, run.clause)
    note = f"hangs on what is declared: declare {needs}"
    return Check(part="validity", name=title, result="missing", required=required(value), clause=clause, note=note)


def recorded(run: Run, name: str, value: Value | Word, *, surroundings: bool = False) -> Check:
    """What only the record of the test tells."""
    title, clause, text = name.replace("_", " "), place(value.sources, run.clause), run.log.info.conditions.get(name)
    wanted = value.word if isinstance(value, Word) else required(value)
    if text is None:
        decides = not surroundings and step(name) != "prepare" and not run.log.info.simulated and isinstance(value, Value)
        result: CheckResult = "missing" if decides else "not_applicable"
        note = f"not shown: no channel of a log tells it, and the record does not (conditions.{name} of the sidecar)"
        return Check(part="validity", name=title, result=result, required=wanted, clause=clause, note=note)
    if isinstance(value, Word):
        met: CheckResult = "met" if text.strip().casefold() == value.word.casefold() else "not_met"
        return Check(part="validity", name=title, result=met, measured=text, required=wanted, clause=clause, note="on record")
    return check_value(title, number(text, value.unit, f"conditions.{name}"), value, run.clause, note="on record")


def _speeds(name: str, speeds: Series, value: Value, run: Run, note: str = "") -> Check:
    """Driven speeds, read to 0.1 km/h, against value and tolerance."""
    low, high = kmh(float(speeds.min())), kmh(float(speeds.max()))
    measured, clause = f"{low} to {high} km/h", place(value.sources, run.clause)
    if value.lo is None or value.hi is None or value.bound == "ne":
        return Check(part="validity", name=name, result="not_applicable", measured=measured, required=required(value), clause=clause)
    if allowed(value) is None and value.lo:
        text, said = "the document states no tolerance", required(value)
        return Check(part="validity", name=name, result="not_applicable", measured=measured, required=said, clause=clause, note=text)
    if allowed(value) is None:  # stationary
        stands: CheckResult = "met" if high <= SPEED_RESOLUTION / 2 else "not_met"
        return Check(part="validity", name=name, result=stands, measured=measured, required=required(value), clause=clause, note=note)
    minus, plus = (value.tolerance.minus, value.tolerance.plus) if value.tolerance else (0, 0)
    least, most = kmh_of(value.lo - minus, value.unit), kmh_of(value.hi + plus, value.unit)
    kept = {"ge": low >= least, "gt": low > least, "le": high <= most, "lt": high < most, "eq": least <= low and high <= most}
    words = {"ge": f">= {plain(least)}", "gt": f"> {plain(least)}", "le": f"<= {plain(most)}", "lt": f"< {plain(most)}"}
    wanted = words.get(value.bound, f"{plain(least)} to {plain(most)}") + " km/h"
    result: CheckResult = "met" if kept[value.bound] else "not_met"
    return Check(part="validity", name=name, result=result, measured=measured, required=wanted, clause=clause, note=note)


def _subject(run: Run, value: Value) -> Iterator[Check]:
    speed = run.log.get("subject_speed")
    if speed is None:
        yield _missing("subject speed", "speed of the subject vehicle", value, run)
        return
    check = _speeds("subject speed", speed[run.approach], value, run)
    if check.result == "not_met" and not run.braking_shown and run.at.functional == 0:
        # Where the test has no approach of its own, what slows the vehicle down may be the system.
        begun = _speeds("subject speed", speed[:1], value, run)
        if begun.result == "met" and float(speed[run.approach].max()) <= float(speed[0]) + metres_per_second(float(SPEED_RESOLUTION)):
            note = "the vehicle slows down, and the log does not show whether the system braked (braking_demand)"
            check = check.model_copy(update={"result": "missing", "note": note})
    yield check


def _lead(run: Run, value: Value) -> Iterator[Check]:
    speed = run.log.get("lead_speed")
    if speed is None:
        yield _missing("lead speed", "speed of the lead vehicle", value, run)
    else:
        yield _speeds("lead speed", speed[run.approach], value, run)


def _relative(run: Run, value: Value) -> Iterator[Check]:
    closing = closing_speed(run.log, run.motion)
    if closing is None:
        yield _missing("relative speed", "closing speed", value, run)
    elif value.tolerance is not None:
        yield _speeds("relative speed", closing[run.approach], value, run)
    else:
        begun = np.array([np.interp(run.at.begins, run.log.time, closing)])
        yield _speeds("relative speed", begun, value, run)


def _target(run: Run, value: Value) -> Iterator[Check]:
    log, at = run.log, run.at
    speed = log.get("target_speed")
    if speed is None:
        yield _missing("target speed", "speed of the target", value, run)
        return
    if run.motion != "across" and "run_up" not in run.scenario.bind:
        last = at.last
        if "target_deceleration" in run.scenario.bind:  # it brakes from the functional part on, which lies after this sample
            last = max(int(np.searchsorted(log.time, at.after, side="right")) - 1, at.approach)
        yield _speeds("target speed", speed[at.approach : last + 1], value, run)
        return
    moving = np.flatnonzero(np.abs(speed) > thresholds().standing)
    if not moving.size:
        clause = place(value.sources, run.clause)
        yield Check(part="validity", name="target speed", result="not_met", measured="0 km/h", required=required(value), clause=clause)
        return
    yield _start(run, int(moving[0]))
    steady, ends = max(at.functional, int(moving[0])), allowed(value)
    if ends is not None and np.isfinite(ends.low):
        # The target speeds up first; from the first sample within its tolerance it must stay there.
        least = ends.low - metres_per_second(float(SPEED_RESOLUTION) / 2)
        reached = np.flatnonzero(speed[steady : at.last + 1] >= least)
        steady = steady + int(reached[0]) if reached.size else steady
    if steady <= at.last:
        yield _speeds("target speed", speed[steady : at.last + 1], value, run, "from where it is first reached")


def _start(run: Run, moving: int) -> Check:
    """When the target starts; information, unless the test binds it to the functional part."""
    log, at, bound = run.log, run.at, run.scenario.bind.get("starts")
    shown = f"{log.time[moving] - log.time[at.functional]:+.2f} s from the functional part"
    asked = isinstance(bound, Word) and bound.word == "functional_part"
    early: CheckResult = "not_met" if at.marked else "missing"
    result: CheckResult = "not_applicable" if not asked else early if moving < at.functional else "met"
    wanted, clause = "not before the functional part" if asked else "", place(bound.sources if bound else (), run.clause)
    note = "the log marks no functional part, which may have begun earlier" if result == "missing" else ""
    return Check(part="validity", name="start of the target", result=result, measured=shown, required=wanted, clause=clause, note=note)


def _ttc(run: Run, value: Value) -> Iterator[Check]:
    log, at = run.log, run.at
    gap, closing = log.get("gap"), closing_speed(log, run.motion)
    if gap is None or closing is None:
        yield _missing("time to collision", "gap or closing speed", value, run)
        return
    ttc = gap / np.maximum(closing, 1e-9)
    measured, earliest = float(np.interp(at.begins, log.time, ttc)), float(np.interp(at.after, log.time, ttc))
    ends = allowed(value)
    if ends is None:
        yield check_value("time to collision", measured, value, run.clause)
        return
    low, high = min(measured, earliest), max(measured, earliest)
    half = TIME_RESOLUTION / 2
    widened = comparison.AllowedRange(ends.low - half, ends.high + half, ends.low_open, ends.high_open)
    result = comparison.within(low, high, widened)
    if result == "missing" and earliest > measured and not earliest > widened.low + FLOAT_NOISE:
        result = "not_met"  # the part began after the sample that has the bound
    yield Check(
        part="validity",
        name="time to collision",
        result=result,
        measured=f"{measured:.3f} s",
        bracket=f"between {low:.3f} and {high:.3f} s" if earliest > measured else "",
        required=required(value),
        clause=place(value.sources, run.clause),
        note=OPEN if result == "missing" else "",
    )


def _gap(run: Run, value: Value) -> Iterator[Check]:
    gap = run.log.get("gap")
    if gap is None:
        yield _missing("gap", "gap", value, run)
        return
    begun, before = (float(np.interp(time, run.log.time, gap)) for time in (run.at.begins, run.at.after))
    yield check_value("gap", begun, value, run.clause, least=min(begun, before), most=max(begun, before), digits=2)


def _straight_time(run: Run, value: Value) -> Iterator[Check]:
    """From the beginning of the log to the functional part. That begins after the last sample outside it, and the vehicle may have
    driven in the step before the first sample."""
    if not run.at.marked and run.at.functional == 0:
        yield _missing("straight approach", "mark of the functional part (functional_part)", value, run)
        return
    begun = float(run.log.time[0])
    driven = run.at.begins - begun
    yield check_value("straight approach", driven, value, run.clause, least=run.at.after - begun, most=driven + run.log.step)


def _approach_distance(run: Run, value: Value) -> Iterator[Check]:
    """The way that was driven until the front reached what is there, else until the functional part."""
    speed, gap = run.log.get("subject_speed"), run.log.get("gap")
    if speed is None:
        yield _missing("approach distance", "speed of the subject vehicle", value, run)
        return
    reached = np.flatnonzero(gap <= 0) if gap is not None else np.array([])
    if gap is not None and not reached.size and run.braking is not None:
        note, clause = "the system braked before it was reached", place(value.sources, run.clause)
        said = required(value)
        yield Check(part="validity", name="approach distance", result="not_applicable", required=said, clause=clause, note=note)
        return
    end = int(reached[0]) if reached.size else run.at.functional or run.at.last
    way = float((np.diff(run.log.time[: end + 1]) * (speed[1 : end + 1] + speed[:end]) / 2).sum())
    yield check_value("approach distance", way, value, run.clause, digits=2)


def _offset(run: Run, value: Value) -> Iterator[Check]:
    """In the path: how far the target is off the centreline. Across it: how far the subject vehicle leaves its line, and how far the
    point of impact without braking would be off."""
    offset = run.log.get("lateral_offset")
    if run.motion == "across":
        subject = run.log.tracks.get("subject")
        if subject is not None:
            part = drift(subject)[run.approach]
            yield _distance("straight line", float(part.max() - part.min()), value, run)
        yield from _impact_point("anticipated impact point", run, value)
    elif offset is None:
        yield _missing("lateral offset", "lateral offset", value, run)
    elif run.motion == "bend":
        # From far off, what lies around a bend is aside; near it, both are on the same stretch of road.
        gap = run.log.get("gap")
        if gap is None:
            yield _missing("lateral offset", "gap", value, run)
            return
        nearest = int(np.abs(gap[: run.at.last + 1]).argmin())
        yield _distance("lateral offset", abs(float(offset[nearest])), value, run)
    else:
        yield _distance("lateral offset", float(np.abs(offset[run.approach]).max()), value, run)


def _distance(name: str, measured: float, value: Value, run: Run, *, doubt: float = 0.0) -> Check:
    """A distance against its bound; `doubt` is how far the true one may be off to either side (m)."""
    return check_value(name, measured, value, run.clause, least=max(measured - doubt, 0.0), most=measured + doubt)


def _impact_point(name: str, run: Run, value: Value) -> Iterator[Check]:
    anticipated = anticipated_offset(run.log, run.at)
    if anticipated is None:
        yield _missing(name, "lateral offset", value, run)
    else:
        yield _distance(name, abs(anticipated[0]), value, run, doubt=anticipated[1])


def _impact_tolerance(run: Run, value: Value) -> Iterator[Check]:
    yield from _impact_point("impact point", run, value)


def anticipated_offset(log: RunLog, at: Window) -> tuple[float, float] | None:
    """Offset of the crossing target's reference point from the centreline at the moment in which the subject vehicle would reach
    the crossing plane without braking, interpolated, and how far the motion between its samples may be off that (m); None when the
    log cannot tell."""
    gap_channel, subject, lateral = log.get("gap"), log.get("subject_speed"), log.get("lateral_offset")
    if gap_channel is None or subject is None or lateral is None or at.last < 2:
        return None
    speed, gap = (float(np.interp(at.begins, log.time, values)) for values in (subject, gap_channel))
    if speed <= 0:
        return None
    arrival, last = at.begins + gap / speed, at.last
    time, offset = log.time[: last + 1], lateral[: last + 1]
    rate = np.diff(offset) / np.diff(time)
    if arrival > time[-1]:
        # Before contact or standstill of the log's subject: the target goes on as it did.
        begin = max(int(np.searchsorted(time, time[-1] - thresholds().standstill_time)) - 1, 0)
        mean = float(offset[-1] - offset[begin]) / float(time[-1] - time[begin])
        spread = float(np.abs(rate[begin:] - mean).max())
        ahead = arrival - float(time[-1])
        return float(offset[-1]) + mean * ahead, spread * min(ahead, float(time[-1] - time[-2]))
    before = min(max(int(np.searchsorted(time, arrival)) - 1, 0), rate.size - 1)
    around = rate[max(before - 1, 0) : before + 2]
    return float(np.interp(arrival, time, offset)), float(np.ptp(around)) * float(time[before + 1] - time[before]) / 4


def _overlap(run: Run, value: Value) -> Iterator[Check]:
    """Across the path: where on the width of the subject vehicle, from the side of the target, the impact would be without braking.
    In the path: the share of the width that the target covers, or where on the width its reference point lies."""
    tolerance = run.scenario.number("overlap_tolerance")
    bodies = boxes(run.log)
    if bodies is None or value.lo is None or value.hi is None:
        yield _missing("overlap", "widths of the bodies (boxes in the sidecar) or poses", value, run)
        return
    width, offset = bodies[0].width, run.log.get("lateral_offset")
    if run.motion == "across":
        anticipated = anticipated_offset(run.log, run.at)
        if anticipated is None or offset is None:
            yield _missing("overlap", "lateral offset", value, run)
            return
        side = 1.0 if offset[run.at.functional] < 0 else -1.0  # from the right: measured from the right edge to the left
        share, doubt = 0.5 + side * anticipated[0] / width, anticipated[1] / width
    elif "subject" in run.log.tracks and "target" in run.log.tracks and bodies[1].width >= width / 2:
        share, doubt = float(overlap(run.log.tracks["subject"], run.log.tracks["target"])[run.at.functional]), 0.0
    elif offset is not None:
        share, doubt = 0.5 - abs(float(offset[run.at.functional])) / width, 0.0
    else:
        yield _missing("overlap", "lateral offset", value, run)
        return
    off = si(tolerance.hi, tolerance.unit) / width if tolerance is not None and tolerance.hi is not None else 0.0
    ends = comparison.AllowedRange(si(value.lo, value.unit) - off, si(value.hi, value.unit) + off)
    exact = tolerance is None and value.is_number
    result: CheckResult = "not_applicable" if exact else comparison.within(share - doubt, share + doubt, ends)
    yield Check(
        part="validity",
        name="overlap",
        result=result,
        measured=comparison.shown(share, value.unit, 1),
        bracket=comparison.bracket(share - doubt, share + doubt, value.unit, 1) if doubt else "",
        required=amount(value) + (f" ± {amount(tolerance)}" if tolerance is not None else ""),
        clause=place(value.sources, run.clause),
        note="the document states no tolerance" if exact else OPEN if result == "missing" else "",
    )


def _path(role: str, name: str) -> Callable[[Run, Value], Iterator[Check]]:
    def check(run: Run, value: Value) -> Iterator[Check]:
        track = run.log.tracks.get(role)
        if track is None:
            yield _missing(name, f"poses of the {role}", value, run)
        else:
            yield _distance(name, float(np.abs(drift(track)[run.approach]).max()), value, run)

    return check


def _yaw_rate(run: Run, value: Value) -> Iterator[Check]:
    rate, track = run.log.get("yaw_rate"), run.log.tracks.get("subject")
    if rate is None and track is not None:
        rate = np.gradient(np.unwrap(track.heading), run.log.time)
    if rate is None:
        yield _missing("yaw rate", "yaw_rate", value, run)
    else:
        yield check_value("yaw rate", float(np.abs(rate[run.approach]).max()), value, run.clause, digits=2)


def _target_deceleration(run: Run, value: Value) -> Iterator[Check]:
    """The mean deceleration of the target, from where it is steady to contact, standstill or the end of the log."""
    speed, time, at = run.log.get("target_speed"), run.log.time, run.at
    rise = run.scenario.number("deceleration_rise")
    if speed is None:
        yield _missing("target deceleration", "speed of the target", value, run)
        return
    begins = at.begins + (si(rise.hi, rise.unit) if rise is not None and rise.hi is not None else 0.0)
    first = int(np.searchsorted(time, begins))
    slow = np.flatnonzero(speed[first : at.last + 1] <= thresholds().standing)
    last = first + int(slow[0]) - 1 if slow.size else at.last
    if last - first < 1:
        yield _missing("target deceleration", "samples in which the target brakes steadily", value, run)
        return
    mean = float(speed[first] - speed[last]) / float(time[last] - time[first])
    yield check_value("target deceleration", mean, value, run.clause)


def _deceleration_rise(run: Run, value: Value) -> Iterator[Check]:
    """How long the target takes from its first braking to its stated deceleration."""
    speed, wanted = run.log.get("target_speed"), run.scenario.number("target_deceleration")
    if speed is None or wanted is None or wanted.lo is None:
        yield _missing("deceleration rise", "speed of the target", value, run)
        return
    rates = -np.diff(speed) / np.diff(run.log.time)
    begins = np.flatnonzero(rates > DECELERATION_NOISE)
    ends = allowed(wanted)
    least = ends.low if ends is not None and np.isfinite(ends.low) else si(wanted.lo, wanted.unit)
    reached = np.flatnonzero(rates >= least - 1e-3)
    if not begins.size or not reached.size:
        yield check_value("deceleration rise", float(run.log.time[-1] - run.at.begins), value, run.clause, note="it is never reached")
        return
    took = float(run.log.time[reached[0]] - run.log.time[begins[0]])
    step_before = float(run.log.time[reached[0]] - run.log.time[max(reached[0] - 1, 0)])
    yield check_value("deceleration rise", took, value, run.clause, least=max(took - step_before, 0.0), most=took)


def _run_up(run: Run, value: Value) -> Iterator[Check]:
    """How far the target moves until it has its speed; a time where the document states one."""
    speed, target = run.log.get("target_speed"), run.scenario.number("target")
    ends = allowed(target) if target is not None else None
    if speed is None or ends is None:
        yield _missing("run-up", "speed of the target with a stated tolerance", value, run)
        return
    moving = np.flatnonzero(np.abs(speed) > thresholds().standing)
    reached = np.flatnonzero(speed >= ends.low - 1e-6)
    if not moving.size or not reached.size or moving[0] == 0:
        yield _missing("run-up", "start of the target", value, run)
        return
    part = slice(int(moving[0]) - 1, int(reached[0]) + 1)
    way = float((np.diff(run.log.time[part]) * (speed[part][1:] + speed[part][:-1]) / 2).sum())
    yield check_value("run-up", way, value, run.clause, digits=2)


def _rate(run: Run, value: Value) -> Iterator[Check]:
    """How fast the vehicle leaves its lane when it reaches the outer edge of the marking, or at the end of the log before that."""
    distance, time = run.log.get("line_distance"), run.log.time
    if distance is None:
        yield _missing("departure rate", "line_distance", value, run)
        return
    past = np.flatnonzero(distance <= 0)
    at = min(max(int(past[0]), 1) if past.size else run.at.last, time.size - 1)
    before = max(int(np.searchsorted(time, time[at] - thresholds().deceleration_time)), 0)
    before = min(before, at - 1)
    rate = float(distance[before] - distance[at]) / float(time[at] - time[before])
    yield check_value("departure rate", rate, value, run.clause, digits=3)


def _brake_deceleration(run: Run, value: Value) -> Iterator[Check]:
    own = run.log.get("driver_deceleration")
    if own is None:
        yield _missing("driver's deceleration", "driver_deceleration", value, run)
        return
    braking = np.flatnonzero(own[run.at.functional : run.at.last + 1] > DECELERATION_NOISE)
    if not braking.size:
        note = "; ".join(filter(None, ("the driver does not brake", run.log.evidence.get("driver_deceleration", ""))))
        yield check_value("driver's deceleration", 0.0, value, run.clause, note=note)
        return
    part = own[run.at.functional + int(braking[0]) : run.at.functional + int(braking[-1]) + 1]
    note = run.log.evidence.get("driver_deceleration", "")
    yield check_value("driver's deceleration", float(part.max() if part.size < 3 else part[1:-1].mean()), value, run.clause, note=note)


def _brake_delay(run: Run, value: Value) -> Iterator[Check]:
    """From the warning to the driver's braking, where it is due before the first contact."""
    ends, logged = allowed(value), {"driver_brake", "driver_input", "driver_deceleration"} & {*run.log.flags, *run.log.channels}
    contact = None if run.at.contact is None else float(run.log.time[run.at.contact])
    due = None if run.warned is None or ends is None else run.warned + ends.high
    if logged and run.driver is None and contact is not None and (due is None or contact < due):
        note, clause = "the contact came before the driver was to brake", place(value.sources, run.clause)
        yield Check(
            part="validity", name="driver's brake delay", result="not_applicable", required=required(value), clause=clause, note=note
        )
        return
    if run.driver is None or run.warned is None:
        yield _missing("driver's brake delay", "braking by the driver after a warning", value, run)
        return
    step_size = run.log.step
    delay = run.driver - run.warned
    yield check_value("driver's brake delay", delay, value, run.clause, least=delay - step_size, most=delay + step_size)


def _brake_ttc(run: Run, value: Value) -> Iterator[Check]:
    """The time to collision when the driver brakes."""
    gap, closing = run.log.get("gap"), closing_speed(run.log, run.motion)
    if run.driver is None or gap is None or closing is None:
        yield _missing("TTC of the driver's braking", "braking by the driver, with gap and closing speed", value, run)
        return
    ttc = gap / np.maximum(closing, 1e-9)
    at, before = (float(np.interp(time, run.log.time, ttc)) for time in (run.driver, run.driver - run.log.step))
    yield check_value("TTC of the driver's braking", at, value, run.clause, least=min(at, before), most=max(at, before))


_CHECKERS: dict[str, Callable[[Run, Value], Iterator[Check]]] = {
    "subject": _subject,
    "target": _target,
    "lead": _lead,
    "relative": _relative,
    "ttc": _ttc,
    "gap": _gap,
    "straight_time": _straight_time,
    "approach_distance": _approach_distance,
    "offset": _offset,
    "impact_tolerance": _impact_tolerance,
    "overlap": _overlap,
    "vehicle_path": _path("subject", "path of the subject vehicle"),
    "target_path": _path("target", "path of the target"),
    "yaw_rate": _yaw_rate,
    "target_deceleration": _target_deceleration,
    "deceleration_rise": _deceleration_rise,
    "run_up": _run_up,
    "rate": _rate,
    "brake_deceleration": _brake_deceleration,
    "brake_delay": _brake_delay,
    "brake_ttc": _brake_ttc,
}
