"""Was the run a valid one? Every condition is the scenario's own quantity; the clause is that of its source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from regc.model.scenario import Scenario
from regc.model.source import Quantity
from regc.model.units import si
from regc.simulate._contact import Contact
from regc.simulate._geometry import Series
from regc.simulate._limits import SPEED_RESOLUTION, kmh, load_of, quantity_kmh
from regc.simulate._thresholds import thresholds
from regc.simulate.runlog import RunLog
from regc.simulate.verdict import Check, CheckResult

#: A gap may not change by more or less than this share of what the closing speed says before the log's units are doubted.
_UNIT_DOUBT = 0.1
#: A time to collision is read to a millisecond, as the digits of a log's speeds and gaps give it.
TTC_RESOLUTION = 0.001
#: Why a run is incomplete when a bound lies between what two samples say.
OPEN = "the bound lies between two samples, so the log leaves it open"
#: What a float lacks in its last digits decides nothing.
_FLOAT_NOISE = 1e-6


@dataclass(frozen=True)
class Window:
    """Sample positions: start of the straight approach, start of the functional part, first contact (None: no contact), last
    sample that counts (before contact or the end of the log). `begins`: time of the start of the functional part in s, which lies
    after `after` where only samples tell."""

    approach: int
    functional: int
    contact: int | None
    last: int
    marked: bool
    begins: float
    after: float


def place(quantity: Quantity | None, fallback: str) -> str:
    """Where a quantity stands, for a check's clause."""
    return quantity.sources[0].label() if quantity and quantity.sources else fallback


def window(scenario: Scenario, log: RunLog, contact: int | None) -> Window | None:
    """Where the parts of the test lie in a log whose first contact is given; None when the functional part cannot be found."""
    functional: int | None = None
    begins = after = log.functional_part
    if begins is not None:
        functional = int(np.searchsorted(log.time, begins - log.step / 2))
        if functional >= log.time.size:
            return None
        after = begins if log.functional_after is None else log.functional_after
    elif log.gap is not None and log.closing_speed is not None and scenario.trigger.min_ttc is not None:
        limit = float(si(scenario.trigger.min_ttc)) - TTC_RESOLUTION / 2
        closing = np.maximum(log.closing_speed, 1e-9)
        far = np.flatnonzero(log.gap / closing >= limit)
        near = np.flatnonzero(log.gap / closing < limit)
        functional = int(far[far < near[0]][-1]) if near.size and (far < near[0]).any() else None
        begins = after = None if functional is None else float(log.time[functional])
    if functional is None or begins is None or after is None:
        return None
    straight = float(si(scenario.approach.min_straight_time)) if scenario.approach.min_straight_time else 0.0
    approach = int(np.searchsorted(log.time, begins - straight - log.step / 2))
    last = log.time.size - 1 if contact is None else contact - 1
    return Window(approach, functional, contact, last, log.functional_part is not None, begins, after)


def _bounds(quantity: Quantity) -> tuple[Decimal, Decimal] | None:
    """The ends of the tolerance in km/h, at the resolution of what is compared with them."""
    if quantity.tolerance is None:
        return None
    ends = (quantity.value - quantity.tolerance.minus, quantity.value + quantity.tolerance.plus)
    low, high = (quantity_kmh(quantity.model_copy(update={"value": end})) for end in ends)
    return low, high


def _speed_check(name: str, speeds: Series, quantity: Quantity, clause: str, note: str = "") -> Check:
    low, high = kmh(float(speeds.min())), kmh(float(speeds.max()))
    measured = f"{low} to {high} km/h"
    bounds = _bounds(quantity)
    if bounds is None:
        result: CheckResult = "not_applicable" if quantity.value else ("met" if high <= SPEED_RESOLUTION / 2 else "not_met")
        return Check(
            part="validity",
            name=name,
            result=result,
            measured=measured,
            required=f"{quantity.value} {quantity.unit}",
            clause=place(quantity, clause),
            note="the document states no tolerance" if quantity.value else note,
        )
    fits = bounds[0] <= low and high <= bounds[1]
    return Check(
        part="validity",
        name=name,
        result="met" if fits else "not_met",
        measured=measured,
        required=f"{bounds[0].normalize():f} to {bounds[1].normalize():f} km/h",
        clause=place(quantity, clause),
        note=note,
    )


def apart(value: float, bound: float, digits: int) -> str:
    """A number with so many digits, or more where it would look like the bound and is not."""
    for more in range(digits, digits + 4):
        if f"{value:.{more}f}" != f"{bound:.{more}f}":
            return f"{value:.{more}f}"
    return f"{value:.{digits}f}"


def _missing(name: str, channel: str, clause: str) -> Check:
    return Check(part="validity", name=name, result="missing", clause=clause, note=f"the log has no {channel}")


def _integral(values: Series, time: Series) -> float:
    return float((np.diff(time) * (values[1:] + values[:-1]) / 2).sum())


def log_checks(scenario: Scenario, log: RunLog, contact: Contact) -> Iterator[Check]:
    """What is wrong with the log itself, before any question of the regulation."""
    for kind, message in log.problems:
        yield Check(part="log", name="log", result="not_met" if kind == "invalid" else "missing", note=message)
    if log.time.size < 3:
        yield Check(part="log", name="samples", result="not_met", measured=str(log.time.size), note="a log of less than 3 samples")
        return
    bad = not_finite(log)
    if bad:
        yield Check(part="log", name="finite numbers", result="not_met", note=f"not a number in: {', '.join(bad)}")
        return
    steps = np.diff(log.time)
    if (steps <= 0).any():
        where = int(np.flatnonzero(steps <= 0)[0])
        yield Check(
            part="log",
            name="time",
            result="not_met",
            measured=f"{log.time[where + 1]:.3f} s after {log.time[where]:.3f} s",
            note="time does not run forward",
        )
        return
    if steps.max() > 5 * np.median(steps):
        where = int(steps.argmax())
        yield Check(
            part="log", name="holes", result="not_met", measured=f"{steps[where]:.3f} s", note=f"a hole after {log.time[where]:.3f} s"
        )
        return
    if scenario.approach_type == "manoeuvre":
        return
    yield from _units(log, contact.first)
    for name, measured, against in contact.contradictions:
        yield Check(part="log", name=name, result="not_met", measured=measured, note=against)


def not_finite(log: RunLog) -> list[str]:
    """Channels that hold something that is no number."""
    names = ("time", "subject_speed", "target_speed", "closing_speed", "gap", "lateral_offset", "demand", "deceleration")
    return [name for name in names if (values := getattr(log, name)) is not None and not np.isfinite(values).all()]


def _units(log: RunLog, contact: int | None) -> Iterator[Check]:
    """Whether the gap closes by what the speeds say, up to the first contact."""
    until = log.time.size if contact is None else contact
    if log.gap is None or log.closing_speed is None or until < 2:
        return
    travelled, said = float(log.gap[0] - log.gap[until - 1]), _integral(log.closing_speed[:until], log.time[:until])
    slack = abs(float(log.closing_speed[0])) * 2 * float(np.diff(log.time).max()) + 0.1
    if abs(travelled - said) <= _UNIT_DOUBT * abs(said) + slack:
        return
    ratio = said / travelled if travelled else float("inf")
    near = "km/h read as m/s" if 3 < ratio < 4.2 else "m/s read as km/h" if 0.23 < ratio < 0.33 else "another scale"
    yield Check(
        part="log",
        name="units",
        result="not_met",
        measured=f"gap closes by {travelled:.2f} m, the speeds say {said:.2f} m",
        note=f"speeds and gap do not agree: {near}",
    )


def validity_checks(scenario: Scenario, log: RunLog, at: Window, additional_mass: Quantity | None) -> Iterator[Check]:
    """The conditions of a valid run, in the order of the test. `additional_mass`: allowed beyond the mass in running order."""
    clause = f"{scenario.regulation} {scenario.clause}"
    approach, functional = slice(at.approach, at.functional + 1), at.functional
    if not at.marked:
        ttc = scenario.trigger.min_ttc
        yield Check(
            part="validity",
            name="functional part",
            result="met",
            measured=f"{log.time[functional]:.3f} s",
            clause=place(ttc, clause),
            note="not marked in the log: taken as the last sample with the required time to collision",
        )
    straight = scenario.approach.min_straight_time
    if straight is not None:
        shown = at.begins - float(log.time[0])
        yield Check(
            part="validity",
            name="straight approach",
            result="met" if shown >= float(si(straight)) - _FLOAT_NOISE else "not_met",
            measured=f"{shown:.3f} s",
            required=f">= {straight.value} {straight.unit}",
            clause=place(straight, clause),
        )
    if log.subject_speed is None:
        yield _missing("subject speed", "speed of the subject vehicle", clause)
    else:
        yield _speed_check("subject speed", log.subject_speed[approach], scenario.subject.test_speed, clause)
    yield from _load(scenario, log, clause, additional_mass)
    yield from _ttc(scenario, log, at, clause)
    yield from _target_speed(scenario, log, at, clause)
    if scenario.approach_type == "in_lane":
        yield from _lane_offset(scenario, log, at, clause)
    elif scenario.approach_type == "crossing":
        yield from _impact_point(scenario, log, at, clause)
    yield _driver(log, at, clause)


def _ttc(scenario: Scenario, log: RunLog, at: Window, clause: str) -> Iterator[Check]:
    required = scenario.trigger.min_ttc
    if required is None:
        return
    if log.gap is None or log.closing_speed is None:
        yield _missing("time to collision", "gap or closing speed", place(required, clause))
        return
    ttc = log.gap / np.maximum(log.closing_speed, 1e-9)
    measured, earliest = float(np.interp(at.begins, log.time, ttc)), float(np.interp(at.after, log.time, ttc))
    bound = float(si(required)) - TTC_RESOLUTION / 2
    result: CheckResult = "met" if measured >= bound else "missing" if earliest > bound else "not_met"
    yield Check(
        part="validity",
        name="time to collision",
        result=result,
        measured=f"{measured:.3f} s" + (f" (between {measured:.3f} and {earliest:.3f} s)" if earliest > measured else ""),
        required=f">= {required.value} {required.unit}",
        clause=place(required, clause),
        note=OPEN if result == "missing" else "",
    )


def _load(scenario: Scenario, log: RunLog, clause: str, extra: Quantity | None) -> Iterator[Check]:
    """Whether the run's mass is one of the scenario's load state: running order up to the additional mass that the document allows,
    maximum mass above that."""
    load, mass, empty = load_of(scenario), log.info.mass, log.info.running_order_mass
    if load is None or mass is None or empty is None:
        return
    allowed = empty + (float(si(extra)) if extra else 0.0) + _FLOAT_NOISE
    most = (log.info.maximum_mass or thresholds().mass_ratio * empty) + _FLOAT_NOISE
    if load == "running_order":
        inside, required = empty - _FLOAT_NOISE <= mass <= min(allowed, most), f"{empty:g} to {min(allowed, most):g} kg"
    else:
        # A vehicle whose maximum mass is hardly more than that has no masses between the two.
        inside = min(allowed, most - 2 * _FLOAT_NOISE) < mass <= most
        required = f"over {allowed:g} to {most:g} kg"
    yield Check(
        part="validity",
        name="load state",
        result="met" if inside else "not_met",
        measured=f"{mass:g} kg",
        required=f"{load.replace('_', ' ')}: {required}",
        clause=place(extra, clause),
        note=f"running order is {empty:g} kg" + (f" + at most {extra.value} {extra.unit}" if extra else ""),
    )


def _target_speed(scenario: Scenario, log: RunLog, at: Window, clause: str) -> Iterator[Check]:
    speed = scenario.target.speed
    if log.target_speed is None:
        yield _missing("target speed", "speed of the target", place(speed, clause))
        return
    if scenario.approach_type == "in_lane":
        yield _speed_check("target speed", log.target_speed[at.approach : at.last + 1], speed, clause)
        return
    if scenario.approach_type != "crossing":
        return
    moving = np.flatnonzero(np.abs(log.target_speed) > thresholds().standing)
    if not moving.size:
        yield Check(part="validity", name="target speed", result="not_met", measured="0 km/h", clause=place(speed, clause))
        return
    if scenario.target.type == "pedestrian_target":
        early = bool(moving[0] < at.functional)
        yield Check(
            part="validity",
            name="start of the target",
            result="not_met" if early else "met",
            measured=f"{log.time[moving[0]] - log.time[at.functional]:+.2f} s",
            required="not before the functional part",
            clause=clause,
        )
    bounds = _bounds(speed)
    steady = max(at.functional, int(moving[0]))
    if bounds is not None:
        # The target speeds up first; from the first sample within its tolerance it must stay there.
        least = (float(bounds[0]) - float(SPEED_RESOLUTION) / 2) / 3.6
        reached = np.flatnonzero(log.target_speed[steady : at.last + 1] >= least)
        steady = steady + int(reached[0]) if reached.size else steady
    if steady <= at.last:
        yield _speed_check("target speed", log.target_speed[steady : at.last + 1], speed, clause, "from where it is first reached")


def _lane_offset(scenario: Scenario, log: RunLog, at: Window, clause: str) -> Iterator[Check]:
    limit = scenario.approach.max_lateral_offset
    if limit is None:
        return
    if log.lateral_offset is None:
        yield _missing("lateral offset", "lateral offset", place(limit, clause))
        return
    worst = float(np.abs(log.lateral_offset[at.approach : at.functional + 1]).max())
    yield _distance("lateral offset", worst, limit, clause)


def _distance(name: str, value: float, limit: Quantity, clause: str, *, doubt: float = 0.0) -> Check:
    """A distance against its bound; `doubt` is how far the true one may be off to either side (m)."""
    bound = float(si(limit)) + _FLOAT_NOISE
    result: CheckResult = "met" if value + doubt <= bound else "not_met" if value - doubt > bound else "missing"
    return Check(
        part="validity",
        name=name,
        result=result,
        measured=f"{apart(value, float(si(limit)), 3)} m"
        + (f" (between {max(value - doubt, 0):.3f} and {value + doubt:.3f} m)" if doubt >= 0.0005 else ""),
        required=f"<= {limit.value} {limit.unit}",
        clause=place(limit, clause),
        note=OPEN if result == "missing" else "",
    )


def anticipated_offset(log: RunLog, at: Window) -> tuple[float, float] | None:
    """Offset of the crossing target's reference point from the centreline at the moment in which the subject vehicle would reach
    the crossing plane without braking, interpolated, and how far the motion between its samples may be off that (m); None when the
    log cannot tell."""
    if log.gap is None or log.subject_speed is None or log.lateral_offset is None or at.last < 2:
        return None
    speed, gap = (float(np.interp(at.begins, log.time, values)) for values in (log.subject_speed, log.gap))
    if speed <= 0:
        return None
    arrival, last = at.begins + gap / speed, at.last
    time, offset = log.time[: last + 1], log.lateral_offset[: last + 1]
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


def _impact_point(scenario: Scenario, log: RunLog, at: Window, clause: str) -> Iterator[Check]:
    drift, limit = log.subject_drift, scenario.approach.max_lateral_offset
    if drift is not None and limit is not None:
        part = drift[at.approach : at.functional + 1]
        yield _distance("straight line", float(part.max() - part.min()), limit, clause)
    offset = anticipated_offset(log, at)
    for name, bound in (("anticipated impact point", limit), ("impact point", scenario.approach.impact_point_tolerance)):
        if bound is None:
            continue
        if offset is None:
            yield _missing(name, "lateral offset", place(bound, clause))
        else:
            yield _distance(name, abs(offset[0]), bound, clause, doubt=offset[1])


def _driver(log: RunLog, at: Window, clause: str) -> Check:
    if log.driver_input is None:
        note = "no driver in a simulated run" if log.info.simulated else "not observed: the log has no driver_input"
        return Check(part="validity", name="driver input", result="not_applicable", clause=clause, note=note)
    used = log.driver_input[at.functional : at.last + 1]
    first = np.flatnonzero(used)
    return Check(
        part="validity",
        name="driver input",
        result="not_met" if first.size else "met",
        measured=f"at {log.time[at.functional + first[0]]:.2f} s" if first.size else "none",
        required="none from the functional part on",
        clause=clause,
    )
