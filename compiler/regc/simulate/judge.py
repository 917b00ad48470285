"""The regulation's verdict on runs. Every number that it judges by is a quantity of the scenario, read from the document."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

import numpy as np

from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.simulate._contact import Contact, contact
from regc.simulate._criteria import Outcome, WarningContext, demand_check, impact_check, outcome, warning_checks
from regc.simulate._limits import LimitTables, kmh
from regc.simulate._manoeuvre import manoeuvre_checks
from regc.simulate._quota import group_name, judge_groups, judge_scenarios, proposed, run_order
from regc.simulate._validity import log_checks, not_finite, place, validity_checks, window
from regc.simulate.runlog import RunLog
from regc.simulate.suite import scenario_key
from regc.simulate.verdict import Check, Judgement, RunVerdict, Verdict


@dataclass(frozen=True)
class Declarations:
    """What a manufacturer states beside the logs. `avoids_up_to`: relative speed in km/h up to which the vehicle avoids the
    collision, by load kind ("" for both). `late_warning`: justification by scenario id ("" for all)."""

    avoids_up_to: Mapping[str, Decimal] = field(default_factory=dict)
    late_warning: Mapping[str, str] = field(default_factory=dict)


def judge(
    scenarios: Sequence[Scenario],
    logs: Iterable[RunLog],
    *,
    complete: bool = False,
    chosen: Collection[str] | None = None,
    declarations: Declarations | None = None,
    groups: Mapping[str, str] | None = None,
    findings: Iterable[Finding] = (),
    partial: bool = False,
) -> Judgement:
    """Verdicts on every log, every scenario and every category.

    `complete`: whether the scenarios are all of the edition, so that the row of a speed between two scenarios is known; else a
    contact at such a speed is never a pass. `chosen`: ids that were asked to be driven (None: the prescribed ones of what was
    driven); those without a run leave their pool incomplete, unless the campaign is `partial`. Failed runs are counted over the tests
    whose share the same item of the document states; `groups` maps a family to the name of its category. Logs of unknown scenarios
    become findings (S702), logs of another build's too (S707), repeated ones are judged once (S703).
    """
    declarations = declarations or Declarations()
    suite = {scenario.id: scenario for scenario in scenarios}
    tables = LimitTables(scenarios, complete=complete)
    keys = {scenario.id: scenario_key(scenario) for scenario in scenarios}
    found = list(findings)
    kept: list[RunLog] = []
    seen: set[tuple[str, str, str, str]] = set()
    for log in sorted(logs, key=lambda item: (item.info.scenario, item.info.vehicle_type, run_order(item.info.run), item.info.log)):
        info = log.info
        if info.scenario not in suite:
            hint = "--scenarios FILE: the scenarios.json of the build that made the test; a log of an older build can be removed"
            found.append(_finding("S702", f"{info.log or 'a log'}: no scenario {info.scenario!r} in the suite", info.log, hint))
            continue
        if info.scenario_key and info.scenario_key != keys[info.scenario]:
            hint = "simulate it again, remove it, or give the scenarios.json of its own build (--scenarios FILE)"
            message = f"{info.log}: driven from another build or source of {info.scenario}; left out"
            found.append(_finding("S707", message, info.log, hint))
            continue
        key = (info.scenario, info.vehicle_type, info.run, info.ego)
        if key in seen:
            hint = "number the runs, or remove the copy"
            found.append(_finding("S703", f"{info.log}: run {info.run} of {info.scenario} was judged already", info.log, hint))
            continue
        seen.add(key)
        kept.append(_completed(suite[info.scenario], log))
    avoided = _avoided_speeds(kept, suite, groups, tables)
    runs = [
        judge_run(
            suite[log.info.scenario],
            log,
            tables,
            _warning_context(suite[log.info.scenario], log, declarations, avoided, groups),
        )
        for log in kept
    ]
    runs = _mark_identical(runs, kept, found)
    runs, per_scenario = judge_scenarios(runs, suite, groups, found)
    driven = {item.scenario for item in per_scenario}
    missing = tuple(scenario.id for scenario in scenarios if scenario.id not in driven)
    asked = {scenario.id for scenario in scenarios} if chosen is None else set(chosen)
    return Judgement(
        regulation=scenarios[0].regulation if scenarios else "",
        edition=scenarios[0].edition if scenarios else "",
        runs=tuple(runs),
        scenarios=tuple(per_scenario),
        groups=tuple(judge_groups(per_scenario, suite, groups, chosen, partial=partial)),
        not_driven=tuple(id for id in missing if id in asked),
        not_chosen=tuple(id for id in missing if id not in asked),
        proposed=tuple(proposed(per_scenario, suite)),
        findings=tuple(found),
    )


def _completed(scenario: Scenario, log: RunLog) -> RunLog:
    """The log with the closing speed that follows from its channels."""
    closing = log.closing_speed
    if closing is None and log.subject_speed is not None and scenario.approach_type == "crossing":
        closing = log.subject_speed
    elif closing is None and log.subject_speed is not None and log.target_speed is not None and scenario.approach_type == "in_lane":
        closing = log.subject_speed - log.target_speed
    return replace(log, closing_speed=closing)


def _contact(scenario: Scenario, log: RunLog) -> Contact:
    """The contact of a driven run; a log that is broken, or of a manoeuvre, tells of none."""
    if scenario.approach_type == "manoeuvre" or log.time.size < 3 or not_finite(log) or (np.diff(log.time) <= 0).any():
        return Contact()
    return contact(scenario, log)


def judge_run(scenario: Scenario, log: RunLog, tables: LimitTables, context: WarningContext | None = None) -> RunVerdict:
    """One run: the log, its validity, then warning, braking demand and impact speed, in this order."""
    log = _completed(scenario, log)
    touch = _contact(scenario, log)
    checks: list[Check] = list(log_checks(scenario, log, touch))
    result = Outcome(None)
    lead: float | None = None
    demand: float | None = None
    rows: tuple[tuple[str, str], ...] = ()
    broken = any(check.result == "not_met" for check in checks)
    if not broken and scenario.approach_type == "manoeuvre":
        checks.extend(manoeuvre_checks(scenario, log))
        result = Outcome(bool(log.contact.any()) if log.contact is not None else None)
    elif not broken:
        at = window(scenario, log, touch.first)
        if at is None:
            checks.append(_no_functional_part(scenario, log))
        elif at.contact is not None and at.contact <= at.functional:
            early = f"{log.time[at.contact]:.3f} s"
            checks.append(Check(part="validity", name="contact before the functional part", result="not_met", measured=early))
        else:
            result = outcome(scenario, log, at, touch)
            checks.extend(validity_checks(scenario, log, at, tables.additional_mass(scenario)))
            if log.info.ego != "none":
                warning, lead = warning_checks(scenario, log, at, result, context or WarningContext())
                check, demand = demand_check(scenario, log, at, result)
                impact, limit_rows = impact_check(scenario, log, result, tables)
                checks.extend((*warning, *(item for item in (check, impact) if item)))
                rows = tuple((row.label, format(row.limit.value, "f")) for row in limit_rows)
    verdict, decisive = _verdict(scenario, log, checks)
    if verdict == "pass" and not any(check.part in ("warning", "demand", "impact") and check.result == "met" for check in checks):
        note = "the scenario states no criterion that the log could meet, so nothing was passed"
        decisive = Check(
            part="outcome", name="criterion", result="missing", clause=f"{scenario.regulation} {scenario.clause}", note=note
        )
        checks.append(decisive)
        verdict = "incomplete"
    return RunVerdict(
        scenario=scenario.id,
        run=log.info.run,
        vehicle_type=_system(scenario, log),
        engine=log.info.engine,
        verdict=verdict,
        clause=decisive.clause if decisive else f"{scenario.regulation} {scenario.clause}",
        reason=_reason(decisive, verdict, log, result),
        checks=tuple(checks),
        log=log.info.log,
        baseline=log.info.ego == "none",
        simulated=log.info.simulated,
        collided=result.collided,
        impact_speed=None if result.impact_speed is None else float(kmh(result.impact_speed)),
        contact_time=None if result.contact_time is None else round(result.contact_time, 4),
        lookup_speed=None if result.lookup_speed is None else float(kmh(result.lookup_speed)),
        limit_rows=rows,
        warning_lead=None if lead is None else round(lead, 4),
        max_demand=None if demand is None else round(demand, 3),
        fingerprint=_fingerprint(log),
        counts=verdict in ("pass", "fail", "incomplete") and log.info.ego != "none",
    )


def _verdict(scenario: Scenario, log: RunLog, checks: Sequence[Check]) -> tuple[Verdict, Check | None]:
    """Invalid before failed, failed before incomplete; pass only when nothing is missing."""
    for parts, result, verdict in (
        (("log", "validity"), "not_met", "invalid"),
        (("warning", "demand", "impact"), "not_met", "fail"),
        (("log", "validity", "warning", "demand", "impact"), "missing", "incomplete"),
    ):
        decisive = next((check for check in checks if check.part in parts and check.result == result), None)
        if decisive is not None:
            if log.info.ego == "none" and verdict == "incomplete":
                continue
            return verdict, decisive  # type: ignore[return-value]
    if scenario.approach_type == "manoeuvre" or log.info.ego == "none":
        return "evidence", None
    return "pass", None


def _reason(decisive: Check | None, verdict: Verdict, log: RunLog, result: Outcome) -> str:
    if decisive is not None:
        parts = [decisive.name, decisive.measured, f"required {decisive.required}" if decisive.required else "", decisive.note]
        return ": ".join((parts[0], ", ".join(part for part in parts[1:] if part)))
    if log.info.ego == "none":
        return "baseline without a system: " + ("collides" if result.collided else "does not collide")
    return "evidence for the assessment" if verdict == "evidence" else "every requirement met"


def _no_functional_part(scenario: Scenario, log: RunLog) -> Check:
    missing = log.functional_part is None and (log.gap is None or log.closing_speed is None)
    return Check(
        part="validity",
        name="functional part",
        result="missing" if missing else "not_met",
        clause=place(scenario.trigger.min_ttc, f"{scenario.regulation} {scenario.clause}"),
        note="the log marks no start of the functional part, and none can be found from the time to collision",
    )


def _avoided_speeds(
    logs: Sequence[RunLog], suite: Mapping[str, Scenario], groups: Mapping[str, str] | None, tables: LimitTables
) -> dict[tuple[str, str, str], Decimal]:
    """By vehicle type, category of runs and load kind: the highest relative speed (km/h) below which every run avoided contact."""
    outcomes: dict[tuple[str, str, str], list[tuple[Decimal, bool]]] = {}
    for log in logs:
        scenario = suite[log.info.scenario]
        if log.info.ego == "none" or scenario.criteria.warning_rule != "lead_time":
            continue
        touch = _contact(scenario, log)
        if any(check.result == "not_met" for check in log_checks(scenario, log, touch)):
            continue
        at = window(scenario, log, touch.first)
        if at is None or (at.contact is not None and at.contact <= at.functional):
            continue
        if any(check.result == "not_met" for check in validity_checks(scenario, log, at, tables.additional_mass(scenario))):
            continue
        result = outcome(scenario, log, at, touch)
        if result.collided is not None and result.lookup_speed is not None:
            outcomes.setdefault(_pool(scenario, log, groups), []).append((kmh(result.lookup_speed), result.collided))
    found: dict[tuple[str, str, str], Decimal] = {}
    for pool, results in outcomes.items():
        hit = min((speed for speed, collided in results if collided), default=None)
        avoided = [speed for speed, collided in results if not collided and (hit is None or speed < hit)]
        if avoided:
            found[pool] = max(avoided)
    return found


def _system(scenario: Scenario, log: RunLog) -> str:
    """The vehicle type as it is counted: its name or category, and which built-in model of a system drove, if one did."""
    name = log.info.vehicle_type or scenario.category or ""
    return f"{name} ({log.info.ego})".strip() if log.info.ego in ("reference", "late") else name


def _pool(scenario: Scenario, log: RunLog, groups: Mapping[str, str] | None) -> tuple[str, str, str]:
    load = scenario.load_state.kind if scenario.load_state else ""
    return (_system(scenario, log), group_name(scenario, groups), load)


def _warning_context(
    scenario: Scenario,
    log: RunLog,
    declarations: Declarations,
    avoided: Mapping[tuple[str, str, str], Decimal],
    groups: Mapping[str, str] | None,
) -> WarningContext:
    load = scenario.load_state.kind if scenario.load_state else ""
    declared = declarations.avoids_up_to.get(load, declarations.avoids_up_to.get(""))
    justification = log.info.late_warning_justification or declarations.late_warning.get(
        scenario.id, declarations.late_warning.get("", "")
    )
    if declared is not None:
        return WarningContext(declared, f"declared: avoids up to {declared} km/h", justification)
    found = avoided.get(_pool(scenario, log, groups))
    basis = f"found in the runs: avoids up to {found} km/h" if found is not None else "no run avoided the collision"
    return WarningContext(found, basis, justification)


def _mark_identical(runs: list[RunVerdict], logs: Sequence[RunLog], findings: list[Finding]) -> list[RunVerdict]:
    """A simulated repeat that is the same run again shows nothing new, so it does not count."""
    first: dict[tuple[str, str, str], str] = {}
    marked: list[RunVerdict] = []
    for run, log in zip(runs, logs, strict=True):
        key = (run.scenario, run.vehicle_type, run.fingerprint)
        if run.counts and log.info.simulated and key in first:
            message = f"run {run.run} of {run.scenario} is run {first[key]} again, sample for sample"
            findings.append(_finding("S704", message, run.log, "vary the seed or the speeds within their tolerance"))
            run = run.model_copy(update={"counts": False, "reason": f"not counted: {message}"})
        elif run.counts:
            first.setdefault(key, run.run)
        marked.append(run)
    return marked


def _fingerprint(log: RunLog) -> str:
    digest = hashlib.sha256()
    for channel in (log.time, log.subject_speed, log.gap, log.lateral_offset, log.demand, log.deceleration):
        digest.update(b"-" if channel is None else channel.round(9).tobytes())
    return digest.hexdigest()[:16]


def _finding(code: str, message: str, place: str, hint: str) -> Finding:
    return Finding(code=code, severity="warning", message=message, place=place or None, hint=hint)
