"""Warning, braking demand and impact speed of one run, each against the scenario's own criteria."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from regc.model.scenario import Scenario
from regc.model.units import si
from regc.simulate._contact import DEMAND_NOISE, Contact, boxes, standing_from
from regc.simulate._geometry import Flags, Series
from regc.simulate._limits import LimitRow, LimitTables, kmh, quantity_kmh
from regc.simulate._thresholds import thresholds
from regc.simulate._validity import OPEN, Window, apart, place
from regc.simulate.runlog import RunLog
from regc.simulate.verdict import Check, CheckResult

#: What a logged deceleration must exceed (m/s2) to count as braking and not as noise of the channel.
_DECELERATION_NOISE = 0.5
#: What a float lacks in its last digits decides nothing (m/s, m/s2, s).
_FLOAT_NOISE = 1e-6


@dataclass(frozen=True)
class Outcome:
    """What became of the run: `collided` None when the log does not show it, for the reason `unknown`; `over`: whether the log goes
    on until it is decided. The impact speed lies between the least and the most that the samples around contact allow. Speeds in
    m/s, times in s."""

    collided: bool | None
    impact_speed: float | None = None
    contact_time: float | None = None
    lookup_speed: float | None = None
    contacts: int = 0
    least_impact_speed: float = 0.0
    most_impact_speed: float = 0.0
    unknown: str = ""
    over: bool = True


@dataclass(frozen=True)
class WarningContext:
    """What decides which warning rule holds: the relative speed (km/h) up to which the vehicle avoids the collision, and whether
    that was declared or found in the runs; the stated justification of a late warning."""

    avoids_up_to: Decimal | None = None
    basis: str = ""
    justification: str = ""


def outcome(scenario: Scenario, log: RunLog, at: Window, contact: Contact) -> Outcome:
    """Contact or not, and the longitudinal speed at the last sample before the first contact."""
    in_lane = scenario.approach_type == "in_lane"
    speed = log.closing_speed if in_lane else log.subject_speed
    lookup = float(np.interp(at.begins, log.time, speed)) if speed is not None else None
    if contact.first is not None:
        return _impact(log, contact.first, lookup)
    decided = _avoided(scenario, log, at)
    if decided is None:
        return Outcome(None, lookup_speed=lookup, unknown="the log ends before the outcome is decided", over=False)
    if not contact.observed[at.functional : decided + 1].all():
        unknown = "contact is not observed in every sample, and gap, offset and bodies do not tell" if log.contact is not None else ""
        return Outcome(None, lookup_speed=lookup, unknown=unknown or "no contact channel, and gap, offset and bodies do not tell")
    error = log.info.gap_error if log.info.gap_error is not None else 0.0 if log.info.simulated else thresholds().gap_error
    if log.gap is not None and 0 <= (least := float(log.gap[at.functional : decided + 1].min())) <= error and error > 0:
        return Outcome(None, lookup_speed=lookup, unknown=f"the gap falls to {least:.3f} m, within its measuring error of {error:g} m")
    return Outcome(False, 0.0, lookup_speed=lookup)


def _impact(log: RunLog, first: int, lookup: float | None) -> Outcome:
    begun = np.diff(log.contact.astype(int)) == 1 if log.contact is not None else np.array([])
    contacts = max(int(begun.sum()), 1)
    time, before = float(log.time[first]), max(first - 1, 0)
    speed = log.closing_speed
    if speed is None:
        return Outcome(True, None, time, lookup, contacts, unknown="the log has no closing speed")
    if speed[before] <= thresholds().standing:
        stood = log.time[before] - thresholds().standstill_time
        since = np.flatnonzero(speed[: before + 1] > thresholds().standing)
        if since.size and log.time[since[-1]] > stood - _FLOAT_NOISE:
            unknown = "the speed is 0 in the last sample before contact, and the vehicle did not stand"
            return Outcome(True, None, time, lookup, contacts, unknown=unknown)
    impact, least, most = _speed_at_contact(log, speed, first)
    return Outcome(True, impact, time, lookup, contacts, least, most)


def _speed_at_contact(log: RunLog, speed: Series, first: int) -> tuple[float, float, float]:
    """Speed at contact, and the least and the most that it may be. It is read from the samples before contact alone, since the one
    of the contact may have lost its speed to it: at the moment in which the gap is gone, if the log has it, else the last one."""
    before = max(first - 1, 0)
    last, step = float(speed[before]), float(log.time[first] - log.time[before])
    hardest = thresholds().speed_step * step
    at_contact = float(speed[first])
    least = max(at_contact if 0 <= last - at_contact <= hardest else last - hardest, 0.0)
    gap = log.gap
    if before < 1 or gap is None or not gap[before] > 0 >= gap[first]:
        return last, least, last
    rates = np.diff(speed[max(before - 2, 0) : first + 1]) / np.diff(log.time[max(before - 2, 0) : first + 1])
    if abs(last - at_contact) > hardest:
        rates = rates[:-1]
    rate = float(np.diff(speed[before - 1 : before + 1])[0] / (log.time[before] - log.time[before - 1]))
    linear = step * float(gap[before] / (gap[before] - gap[first]))
    left = last**2 + 2 * rate * float(gap[before])
    if left <= 0:
        return last, 0.0, last
    impact = float(np.sqrt(left))
    after = min(2 * float(gap[before]) / (last + impact), step)
    doubt = float(np.abs(rates - rate).max()) * max(after, linear) + abs(rate) * abs(after - linear)
    return impact, max(impact - doubt, 0.0), impact + doubt


def _avoided(scenario: Scenario, log: RunLog, at: Window) -> int | None:
    """The sample from which no contact can follow: the relative speed is gone, the target has crossed, or it is passed. None where
    the log ends before."""
    found: list[int] = []
    if log.closing_speed is not None and (stands := standing_from(log.closing_speed, log.time, at.functional)) is not None:
        found.append(stands)
    if scenario.approach_type == "crossing" and log.lateral_offset is not None:
        rest = slice(at.functional, None)
        beyond = -float(np.sign(log.lateral_offset[at.functional])) * log.lateral_offset[rest]
        bodies = boxes(log)
        if bodies is not None:
            subject, target = bodies
            apart = beyond > subject.width / 2 + max(target.length, target.width)
            passed = log.gap[rest] < -(subject.length + target.width) if log.gap is not None else np.zeros_like(apart)
            over = apart | passed
        else:
            passed = log.gap[rest] < 0 if log.gap is not None else np.zeros(beyond.shape, dtype=bool)
            over = passed & (beyond > thresholds().least_half_width)
        found.extend(at.functional + int(first) for first in np.flatnonzero(over)[:1])
    return min(found, default=None)


def braking(log: RunLog) -> tuple[Series | None, float, str]:
    """The channel that stands for the braking demand (positive, m/s2), its noise, and what it is a proxy of ("" for the demand)."""
    if log.demand is not None:
        return log.demand, DEMAND_NOISE, ""
    if log.deceleration is not None:
        return log.deceleration, _DECELERATION_NOISE, "deceleration of the vehicle"
    return None, 0.0, ""


def _first(flags: Flags, at: Window) -> int | None:
    found = np.flatnonzero(flags[at.functional : at.last + 1])
    return at.functional + int(found[0]) if found.size else None


def demand_check(scenario: Scenario, log: RunLog, at: Window, result: Outcome) -> tuple[Check | None, float | None]:
    """The largest demand from the functional part to contact against the required one. A deceleration is at most what was demanded:
    it can show that the demand was enough, never that it was not."""
    required = scenario.criteria.min_braking_demand
    if required is None:
        return None, None
    channel, _, proxy = braking(log)
    clause = place(required, scenario.clause)
    wanted = f">= {required.value} {required.unit}"
    if channel is None:
        note = "the log has neither a braking demand nor a deceleration"
        return Check(part="demand", name="braking demand", result="missing", required=wanted, clause=clause, note=note), None
    part = slice(at.functional, at.last + 1)
    top = _largest_mean(channel[part], log.time[part]) if proxy else float(channel[part].max())
    met = top >= float(si(required)) - _FLOAT_NOISE
    note = "no braking demand was logged; the deceleration stands in for it, which is at most what was demanded" if proxy else ""
    note = note if result.over else result.unknown
    check = Check(
        part="demand",
        name="braking demand",
        result="met" if met else "missing" if proxy or not result.over else "not_met",
        measured=f"{apart(top, float(si(required)), 2)} m/s2",
        required=wanted,
        clause=clause,
        proxy=proxy,
        note=note,
    )
    return check, top


def _largest_mean(values: Series, time: Series) -> float:
    """The largest mean over the time that a deceleration is averaged over; 0 for a shorter part."""
    way = np.concatenate(([0.0], np.cumsum(np.diff(time) * values[1:])))
    ends = np.searchsorted(time, time + thresholds().deceleration_time - 1e-9)
    starts = np.flatnonzero(ends < time.size)
    if not starts.size:
        return 0.0
    ends = ends[starts]
    return float(((way[ends] - way[starts]) / (time[ends] - time[starts])).max())


@dataclass(frozen=True)
class _Onset:
    """When something began: not after `latest`, after `earliest` (s)."""

    earliest: float
    latest: float


def _onset(flags: Flags, observed: Flags, log: RunLog, at: Window, event: str) -> _Onset | None:
    """The start of a flag in the functional part: the event's own time where the run has it, else between two samples."""
    if event in log.info.events:
        return _Onset(log.info.events[event], log.info.events[event])
    first = _first(flags, at)
    if first is None:
        return None
    before = np.flatnonzero(~flags[:first] & observed[:first])
    return _Onset(float(log.time[before[-1]]) if before.size else -np.inf, float(log.time[first]))


def _channel(mode: str) -> str:
    return "warning" if mode == "unspecified" else f"warning_{mode}"


def warning_checks(
    scenario: Scenario, log: RunLog, at: Window, result: Outcome, context: WarningContext
) -> tuple[tuple[Check, ...], float | None]:
    """The warning against the start of braking; and the lead in s (None without both)."""
    criteria = scenario.criteria
    if criteria.warning_rule == "none":
        return (), None
    clause = place(criteria.min_warning_lead_time, f"{scenario.regulation} {scenario.clause}")
    if not log.warnings:
        return (Check(part="warning", name="warning", result="missing", clause=clause, note="the log has no warning channel"),), None
    channel, noise, proxy = braking(log)
    if channel is None:
        note = "the start of braking is not logged"
        return (Check(part="warning", name="warning", result="missing", clause=clause, note=note),), None
    all_seen = np.ones(log.time.shape, dtype=np.bool_)
    starts = [_onset(flags, log.observed(_channel(mode)), log, at, "warning") for mode, flags in log.warnings.items()]
    brake = _onset(channel > noise, all_seen, log, at, "braking")
    if brake is not None and proxy and "braking" not in log.info.events:
        # A vehicle slows down some time after it was asked to.
        brake = _Onset(brake.earliest - thresholds().brake_delay, brake.latest)
    required, rule = _required_lead(scenario, result, context)
    if not any(starts):
        unseen = not result.over or not all(log.observed(_channel(mode))[at.functional : at.last + 1].all() for mode in log.warnings)
        return (
            Check(
                part="warning",
                name="warning",
                result="missing" if unseen else "not_met",
                measured="none" if result.over and not unseen else "none in what the log shows",
                required=rule,
                clause=clause,
                proxy=proxy,
            ),
        ), None
    warned = _Onset(min(item.earliest for item in starts if item), min(item.latest for item in starts if item))
    lead = None if brake is None else brake.latest - warned.latest
    least = np.inf if brake is None else brake.earliest - warned.latest
    most = np.inf if brake is None else brake.latest - warned.earliest
    open_ended = least < most
    met = least >= required - _FLOAT_NOISE
    short = most < required - _FLOAT_NOISE or (open_ended and most <= required + _FLOAT_NOISE)
    outcome_of_timing: CheckResult = "met" if met else "not_met" if short else "missing"
    measured = "no braking followed" if lead is None else f"{lead:.3f} s before braking"
    timing = Check(
        part="warning",
        name="warning",
        result=outcome_of_timing,
        measured=measured + (f" (between {least:.3f} and {most:.3f} s)" if lead is not None and open_ended else ""),
        required=rule,
        clause=clause,
        proxy=f"start of braking from the {proxy}" if proxy else "",
        note="; ".join(
            part
            for part in (
                context.basis if criteria.warning_rule == "lead_time" else "",
                OPEN if outcome_of_timing == "missing" else "",
            )
            if part
        ),
    )
    return (timing, *_modes(scenario, log, at)), lead


def _required_lead(scenario: Scenario, result: Outcome, context: WarningContext) -> tuple[float, str]:
    """The lead that is asked for in s, and the rule in words. The lead time holds above the relative speed up to which the vehicle
    avoids the collision; below it, or with a stated justification, the warning may come as late as braking."""
    lead = scenario.criteria.min_warning_lead_time
    late = "no later than the start of braking"
    if scenario.criteria.warning_rule != "lead_time" or lead is None:
        return 0.0, late
    if context.justification:
        return 0.0, f"{late} (justification: {context.justification})"
    speed = kmh(result.lookup_speed) if result.lookup_speed is not None else None
    if speed is not None and context.avoids_up_to is not None and speed <= context.avoids_up_to:
        return 0.0, f"{late} (collision avoided up to {context.avoids_up_to} km/h)"
    return float(si(lead)), f">= {lead.value} {lead.unit} before braking"


def _modes(scenario: Scenario, log: RunLog, at: Window) -> Iterator[Check]:
    required = scenario.criteria.min_warning_modes
    if required is None:
        return
    clause = place(required, scenario.clause)
    wanted = f">= {required.value} modes"
    named = [mode for mode, flags in log.warnings.items() if mode != "unspecified" and _first(flags, at) is not None]
    known = [mode for mode in log.warnings if mode != "unspecified"]
    if not known:
        yield Check(
            part="warning",
            name="warning modes",
            result="not_applicable" if log.info.simulated else "missing",
            measured="not observed",
            required=wanted,
            clause=clause,
            note="the log has one warning channel that names no mode",
        )
        return
    met: CheckResult = "met" if len(named) >= required.value else "not_met"
    if met == "not_met" and not all(log.observed(_channel(mode))[at.functional : at.last + 1].all() for mode in known):
        met = "missing"
    yield Check(
        part="warning",
        name="warning modes",
        result=met,
        measured=f"{len(named)} ({', '.join(named) or 'none'})",
        required=wanted,
        clause=clause,
    )


def impact_check(scenario: Scenario, log: RunLog, result: Outcome, tables: LimitTables) -> tuple[Check | None, tuple[LimitRow, ...]]:
    """Impact speed against the lower of the nominal row's limit and the limit of the row of the measured speed."""
    limit = scenario.criteria.max_impact_speed
    if limit is None:
        return None, ()
    clause = place(limit, scenario.clause)
    speed = scenario.relative_speed
    nominal = LimitRow(quantity_kmh(speed) if speed else Decimal(0), limit, scenario.id)
    measured: LimitRow | None = None
    unknown = ""
    if result.lookup_speed is not None:
        measured, unknown = tables.row_at(scenario, kmh(result.lookup_speed))
    same = measured is None or nominal.speed == measured.speed
    rows = (nominal,) if measured is None or same else (nominal, measured)
    lower = min(rows, key=lambda row: quantity_kmh(row.limit))
    notes: list[str] = []
    if len(rows) > 1:
        shown = ", ".join(f"row {row.label}: {row.limit.value} {row.limit.unit}" for row in rows)
        notes.append(f"nominal and measured row differ ({shown}); judged by the lower limit")
    if result.contacts > 1:
        notes.append(f"{result.contacts} contacts; the first one counts")
    if result.impact_speed is None:
        note = "; ".join([result.unknown, *notes])
        return Check(part="impact", name="impact speed", result="missing", clause=clause, note=note), rows
    bound = float(si(lower.limit)) + _FLOAT_NOISE
    met: CheckResult = "met" if result.most_impact_speed <= bound else "not_met" if result.least_impact_speed > bound else "missing"
    if met == "missing":
        notes.append(OPEN)
    if unknown and result.collided:
        notes.append(unknown)
        if met == "met":
            # A row that nobody knows may ask for less than the one that is known; without contact, every row is met.
            met = "missing"
            notes.append("give the scenarios.json and coverage.json of a build without a filter (--scenarios)")
    least, most = result.least_impact_speed * 3.6, result.most_impact_speed * 3.6
    shown = apart(result.impact_speed * 3.6, float(si(lower.limit)) * 3.6, 2)
    between = f" (between {least:.2f} and {most:.2f} km/h)" if most - least >= 0.005 else ""
    check = Check(
        part="impact",
        name="impact speed",
        result=met,
        measured=f"{apart(result.impact_speed * 3.6, float(si(lower.limit)) * 3.6, 2)} km/h{between}"
        if result.collided
        else "no contact",
        required=f"<= {lower.limit.value} {lower.limit.unit} (row {lower.label})",
        clause=place(lower.limit, scenario.clause),
        note="; ".join(notes),
    )
    return check, rows
