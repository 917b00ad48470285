"""Warning, braking demand and impact speed of one run, each against the scenario's own criteria."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from regc.model.scenario import LoadKind, Scenario
from regc.model.units import si
from regc.simulate._geometry import Flags, Series
from regc.simulate._limits import LimitRow, LimitTables, kmh, load_of, quantity_kmh
from regc.simulate._validity import STANDING, Window, place
from regc.simulate.runlog import RunLog
from regc.simulate.verdict import Check, CheckResult

#: What a logged demand or deceleration must exceed (m/s2) to count as braking and not as noise of the channel.
DEMAND_NOISE, DECELERATION_NOISE = 0.05, 0.5
#: Resolution of a deceleration (m/s2).
_DECELERATION_RESOLUTION = Decimal("0.01")


@dataclass(frozen=True)
class Outcome:
    """What became of the run: `collided` None when the log ends before it is decided. Speeds in m/s, times in s."""

    collided: bool | None
    impact_speed: float | None
    contact_time: float | None
    lookup_speed: float | None
    contacts: int


@dataclass(frozen=True)
class WarningContext:
    """What decides which warning rule holds: the relative speed (km/h) up to which the vehicle avoids the collision, and whether
    that was declared or found in the runs; the stated justification of a late warning."""

    avoids_up_to: Decimal | None = None
    basis: str = ""
    justification: str = ""


def outcome(scenario: Scenario, log: RunLog, at: Window) -> Outcome:
    """Contact or not, and the longitudinal speed at the last sample before the first contact."""
    in_lane = scenario.approach_type == "in_lane"
    speed = log.closing_speed if in_lane else log.subject_speed
    lookup = float(speed[at.functional]) if speed is not None else None
    if log.contact is not None and at.contact is not None:
        starts = int((np.diff(log.contact.astype(int)) == 1).sum()) + int(log.contact[0])
        before = max(at.contact - 1, 0)
        impact = float(log.closing_speed[before]) if log.closing_speed is not None else None
        return Outcome(True, impact, float(log.time[at.contact]), lookup, starts)
    decided = _avoided(scenario, log, at)
    return Outcome(False if decided and log.contact is not None else None, 0.0 if decided else None, None, lookup, 0)


def _avoided(scenario: Scenario, log: RunLog, at: Window) -> bool:
    """Whether the log goes on until no contact can follow: relative speed gone, standstill, or the target passed."""
    rest = slice(at.functional, None)
    if log.closing_speed is not None and bool((log.closing_speed[rest] <= STANDING).any()):
        return True
    if log.gap is not None and bool((log.gap[rest] < 0).any()):
        return True
    if (
        scenario.approach_type != "crossing"
        or log.lateral_offset is None
        or log.info.subject_box is None
        or log.info.target_box is None
    ):
        return False
    clear = (log.info.subject_box.width + max(log.info.target_box.length, log.info.target_box.width)) / 2
    start = float(np.sign(log.lateral_offset[at.functional]))
    return bool((-start * log.lateral_offset[rest] > clear).any())


def braking(log: RunLog) -> tuple[Series | None, float, str]:
    """The channel that stands for the braking demand (positive, m/s2), its noise, and what it is a proxy of ("" for the demand)."""
    if log.demand is not None:
        return log.demand, DEMAND_NOISE, ""
    if log.deceleration is not None:
        return log.deceleration, DECELERATION_NOISE, "deceleration of the vehicle"
    return None, 0.0, ""


def _first(flags: Flags, at: Window) -> int | None:
    found = np.flatnonzero(flags[at.functional : at.last + 1])
    return at.functional + int(found[0]) if found.size else None


def demand_check(scenario: Scenario, log: RunLog, at: Window) -> tuple[Check | None, float | None]:
    """The largest demand from the functional part to contact against the required one."""
    required = scenario.criteria.min_braking_demand
    if required is None:
        return None, None
    channel, _, proxy = braking(log)
    clause = place(required, scenario.clause)
    wanted = f">= {required.value} {required.unit}"
    if channel is None:
        note = "the log has neither a braking demand nor a deceleration"
        return Check(part="demand", name="braking demand", result="missing", required=wanted, clause=clause, note=note), None
    top = float(channel[at.functional : at.last + 1].max())
    met = Decimal(repr(top)).quantize(_DECELERATION_RESOLUTION) >= si(required)
    check = Check(
        part="demand",
        name="braking demand",
        result="met" if met else "not_met",
        measured=f"{top:.2f} m/s2",
        required=wanted,
        clause=clause,
        proxy=proxy,
        note="no braking demand was logged; the deceleration stands in for it" if proxy else "",
    )
    return check, top


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
    starts = [start for flags in log.warnings.values() if (start := _first(flags, at)) is not None]
    brake = _first(channel > noise, at)
    if proxy and "braking" in log.info.events:
        # The player says when braking began; its deceleration shows it one step later.
        brake = min(int(np.searchsorted(log.time, log.info.events["braking"] - log.step / 2)), log.time.size - 1)
    required, rule = _required_lead(scenario, result, context)
    if not starts:
        return (
            Check(part="warning", name="warning", result="not_met", measured="none", required=rule, clause=clause, proxy=proxy),
        ), None
    lead = None if brake is None else float(log.time[brake] - log.time[min(starts)])
    met = lead is None or lead + log.step >= required - 1e-9
    timing = Check(
        part="warning",
        name="warning",
        result="met" if met else "not_met",
        measured="no braking followed" if lead is None else f"{lead:.2f} s before braking",
        required=rule,
        clause=clause,
        proxy=f"start of braking from the {proxy}" if proxy else "",
        note=context.basis if criteria.warning_rule == "lead_time" else "",
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
            result="not_applicable",
            measured="not observed",
            required=wanted,
            clause=clause,
            note="the log has one warning channel that names no mode",
        )
        return
    yield Check(
        part="warning",
        name="warning modes",
        result="met" if len(named) >= required.value else "not_met",
        measured=f"{len(named)} ({', '.join(named) or 'none'})",
        required=wanted,
        clause=clause,
    )


def load_kind(scenario: Scenario, log: RunLog) -> tuple[LoadKind | None, str]:
    """The load column that the run's mass falls in: running order up to the additional mass that the document allows."""
    declared = load_of(scenario)
    extra = next((named.quantity for named in (*scenario.envelope, *scenario.manoeuvre) if "additional_mass" in named.name), None)
    mass, empty = log.info.mass, log.info.running_order_mass
    if declared is None or mass is None or empty is None or extra is None:
        return declared, ""
    found: LoadKind = "running_order" if mass <= empty + float(si(extra)) else "maximum_mass"
    note = f"mass {mass:.0f} kg, running order {empty:.0f} kg + at most {extra.value} {extra.unit}: {found.replace('_', ' ')}"
    return found, note


def impact_check(scenario: Scenario, log: RunLog, result: Outcome, tables: LimitTables) -> tuple[Check | None, tuple[LimitRow, ...]]:
    """Impact speed against the lower of the nominal row's limit and the limit of the row of the measured speed."""
    limit = scenario.criteria.max_impact_speed
    if limit is None:
        return None, ()
    clause = place(limit, scenario.clause)
    load, load_note = load_kind(scenario, log)
    speed = scenario.relative_speed
    nominal: LimitRow | None = LimitRow(quantity_kmh(speed) if speed else Decimal(0), limit, scenario.id)
    measured: LimitRow | None = None
    unknown = ["", ""]
    if speed and load != load_of(scenario):
        nominal, unknown[0] = tables.row_at(scenario, quantity_kmh(speed), load)
    if result.lookup_speed is not None:
        measured, unknown[1] = tables.row_at(scenario, kmh(result.lookup_speed), load)
    same = nominal is not None and measured is not None and nominal.speed == measured.speed
    rows = tuple(row for row in (nominal, None if same else measured) if row)
    lower = min(rows, key=lambda row: quantity_kmh(row.limit), default=None)
    notes = [load_note] if load_note else []
    if len(rows) > 1:
        shown = ", ".join(f"row {row.label}: {row.limit.value} {row.limit.unit}" for row in rows)
        notes.append(f"nominal and measured row differ ({shown}); judged by the lower limit")
    if result.contacts > 1:
        notes.append(f"{result.contacts} contacts; the first one counts")
    if result.impact_speed is None:
        what = "no contact channel" if log.contact is None else "the log ends before the outcome is decided"
        return Check(part="impact", name="impact speed", result="missing", clause=clause, note="; ".join([what, *notes])), rows
    impact = kmh(result.impact_speed)
    missing = list(dict.fromkeys(reason for reason in unknown if reason))
    met: CheckResult = "met" if lower is None or impact <= quantity_kmh(lower.limit) else "not_met"
    if missing and result.collided:
        notes.extend(missing)
        if met == "met":
            # A row that nobody knows may ask for less than the one that is known; without contact, every row is met.
            met = "missing"
            notes.append("give the scenarios.json and coverage.json of a build without a filter (--scenarios)")
    check = Check(
        part="impact",
        name="impact speed",
        result=met,
        measured=f"{impact} km/h" if result.collided else "no contact",
        required=f"<= {lower.limit.value} {lower.limit.unit} (row {lower.label})" if lower else "",
        clause=place(lower.limit, scenario.clause) if lower else clause,
        note="; ".join(notes),
    )
    return check, rows
