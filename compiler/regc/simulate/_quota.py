"""Runs into scenarios, scenarios into categories: how often a test is driven, when it may be repeated, how many may fail."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.units import si
from regc.simulate._validity import place
from regc.simulate.verdict import GroupVerdict, RunCount, RunVerdict, ScenarioVerdict, Verdict


def run_order(label: str) -> tuple[int, str]:
    """Runs in the order in which they were driven: by the number in their label, then by the label."""
    number = re.search(r"\d+", label)
    return (int(number.group()) if number else 0, label)


def group_name(scenario: Scenario, groups: Mapping[str, str] | None) -> str:
    """The category in which failed runs are counted: the profile's, else the clause of the limits."""
    named = (groups or {}).get(scenario.family, "")
    limit = scenario.criteria.max_impact_speed
    return named or (limit.sources[0].clause if limit and limit.sources else scenario.family)


def judge_scenarios(
    runs: Sequence[RunVerdict], suite: Mapping[str, Scenario], groups: Mapping[str, str] | None, findings: list[Finding]
) -> tuple[list[RunVerdict], list[ScenarioVerdict]]:
    """Scenario verdicts in suite order, and the runs again with those that no repeat was due for marked as not counted."""
    marked: dict[int, RunVerdict] = {}
    verdicts: list[ScenarioVerdict] = []
    for scenario in suite.values():
        own = [(index, run) for index, run in enumerate(runs) if run.scenario == scenario.id]
        baseline = next((run for _, run in own if run.baseline and run.collided is not None), None)
        if scenario.approach_type == "manoeuvre":
            baseline = None  # nothing may be hit there
        if baseline is not None and not baseline.collided:
            message = f"{scenario.id}: without a system nothing is hit, so the test shows nothing"
            hint = "check start positions, trigger and speeds"
            findings.append(Finding(code="S706", severity="error", message=message, scenario=scenario.id, hint=hint))
        judged = [(index, run) for index, run in own if not run.baseline or scenario.approach_type == "manoeuvre"]
        for vehicle_type in sorted({run.vehicle_type for _, run in judged}):
            driven = [(index, run) for index, run in judged if run.vehicle_type == vehicle_type]
            due, beyond = _due(scenario, driven)
            for index, run in beyond:
                message = f"run {run.run} of {scenario.id} is beyond the runs that are due"
                hint = "a repeat is due only if exactly one of the runs failed"
                findings.append(Finding(code="S705", severity="warning", message=message, scenario=scenario.id, hint=hint))
                marked[index] = run.model_copy(update={"counts": False, "reason": f"not counted: {message} ({run.verdict})"})
            vacuous = None if baseline is None else not baseline.collided
            verdicts.append(_scenario_verdict(scenario, vehicle_type, [run for _, run in driven], due, vacuous, groups))
    return [marked.get(index, run) for index, run in enumerate(runs)], verdicts


_Numbered = tuple[int, RunVerdict]


def _due(scenario: Scenario, driven: Sequence[_Numbered]) -> tuple[list[RunVerdict], list[_Numbered]]:
    """The runs that count, in order, and those beyond what was due."""
    valid = [(index, run) for index, run in driven if run.counts]
    count = int(scenario.runs.count.value) if scenario.runs.count else len(valid)
    repeats = int(scenario.runs.max_repeats.value) if scenario.runs.max_repeats else 0
    first = valid[:count]
    failed = sum(run.verdict == "fail" for _, run in first)
    allowed = count + (repeats if 0 < failed <= repeats else 0)
    return [run for _, run in valid[:allowed]], valid[allowed:]


def _scenario_verdict(
    scenario: Scenario,
    vehicle_type: str,
    driven: Sequence[RunVerdict],
    due: Sequence[RunVerdict],
    vacuous: bool | None,
    groups: Mapping[str, str] | None,
) -> ScenarioVerdict:
    passed = sum(run.verdict == "pass" for run in due)
    failed = sum(run.verdict == "fail" for run in due)
    open_runs = sum(run.verdict == "incomplete" for run in due)
    verdict: Verdict
    if scenario.approach_type == "manoeuvre":
        verdict, reason = "evidence", "; ".join(f"run {run.run}: {_evidence(run)}" for run in driven)
    else:
        wanted = int(scenario.runs.count.value) if scenario.runs.count else max(len(due), 1)
        repeats = int(scenario.runs.max_repeats.value) if scenario.runs.max_repeats else 0
        if failed > repeats:
            verdict = "fail"
        elif passed >= wanted:
            verdict = "pass"
        else:
            verdict = "incomplete"
        reason = f"{passed} of {wanted} wanted passes, {failed} failed"
        if open_runs:
            reason += f", {open_runs} incomplete"
        if verdict == "incomplete":
            reason += f": {_next(wanted - len(due), open_runs)}"
        if not due and driven and all(run.verdict == "invalid" for run in driven):
            verdict = "invalid"
    return ScenarioVerdict(
        scenario=scenario.id,
        vehicle_type=vehicle_type,
        group=group_name(scenario, groups),
        mandatory=scenario.status == "mandatory",
        verdict=verdict,
        performed=passed + failed,
        failed=failed,
        invalid=sum(run.verdict == "invalid" for run in driven),
        reason=reason,
        clause=place(scenario.runs.count, f"{scenario.regulation} {scenario.clause}"),
        vacuous=vacuous,
    )


def _next(undriven: int, open_runs: int) -> str:
    """What an incomplete scenario waits for."""
    if undriven > 0:
        return f"drive {undriven} more {'run' if undriven == 1 else 'runs'}"
    return "complete the logs of its runs" if open_runs else "drive the repeat run"


def _count(number: int, state: str) -> str:
    return f"{number} {'scenario' if number == 1 else 'scenarios'} {state}"


def _evidence(run: RunVerdict) -> str:
    parts = [
        f"{check.name} {check.measured or check.result}" + (f" (not {check.required})" if check.result == "not_met" else "")
        for check in run.checks
        if check.part == "false_reaction"
    ]
    return ", ".join(parts) if parts else run.reason


_Pool = tuple[object, ...]


def pool_of(scenario: Scenario, groups: Mapping[str, str] | None) -> _Pool:
    """What makes runs count together: the place that states their share of failed runs, else the category."""
    limit = scenario.runs.max_failed_share
    if limit is None or not limit.sources:
        return (group_name(scenario, groups),)
    return (limit.value, limit.unit, *limit.sources)


def judge_groups(
    verdicts: Sequence[ScenarioVerdict],
    suite: Mapping[str, Scenario],
    groups: Mapping[str, str] | None,
    chosen: Collection[str] | None,
    *,
    partial: bool,
) -> Iterator[GroupVerdict]:
    """Failed over performed runs by vehicle type and pool. A scenario that is due and not driven leaves its pool incomplete, unless
    the campaign is `partial`: every one that was chosen, or without a choice the prescribed ones of what the vehicle type drove."""
    judged = [item for item in verdicts if item.verdict != "evidence"]
    due = _undriven(judged, suite, chosen)
    keys = {(item.vehicle_type, pool_of(suite[item.scenario], groups)): None for item in judged}
    keys.update({(vehicle_type, pool_of(suite[id], groups)): None for vehicle_type, id in due if not partial})
    order = list(dict.fromkeys(pool_of(item, groups) for item in suite.values()))
    for vehicle_type, pool in sorted(keys, key=lambda key: (key[0], order.index(key[1]))):
        own = [item for item in judged if (item.vehicle_type, pool_of(suite[item.scenario], groups)) == (vehicle_type, pool)]
        missing = [suite[id] for type_, id in due if (type_, pool_of(suite[id], groups)) == (vehicle_type, pool)]
        yield _pool_verdict(vehicle_type, own, missing, suite, groups, partial=partial)


def _undriven(
    judged: Sequence[ScenarioVerdict], suite: Mapping[str, Scenario], chosen: Collection[str] | None
) -> list[tuple[str, str]]:
    """(vehicle type, scenario) of those that are due and have no run. A vehicle type owes the tests of the categories that it drove
    in; a category that was chosen and in which nobody drove is owed under its own name."""
    driven: dict[str, set[tuple[str | None, str | None]]] = {}
    for item in judged:
        scenario = suite[item.scenario]
        driven.setdefault(item.vehicle_type, set()).add((scenario.category, scenario.group))
    done = {(item.vehicle_type, item.scenario) for item in judged}
    anyone = set().union(*driven.values())
    found: list[tuple[str, str]] = []
    for scenario in suite.values():
        asked = scenario.status == "mandatory" if chosen is None else scenario.id in chosen
        if not asked or scenario.approach_type == "manoeuvre":
            continue
        kind = (scenario.category, scenario.group)
        owners = [vehicle_type for vehicle_type, kinds in driven.items() if kind in kinds]
        if chosen is not None and kind not in anyone:
            owners = [scenario.category or ""]
        found.extend((owner, scenario.id) for owner in owners if (owner, scenario.id) not in done)
    return found


def _pool_verdict(
    vehicle_type: str,
    own: Sequence[ScenarioVerdict],
    missing: Sequence[Scenario],
    suite: Mapping[str, Scenario],
    groups: Mapping[str, str] | None,
    *,
    partial: bool,
) -> GroupVerdict:
    scenarios = [*(suite[item.scenario] for item in own), *missing]
    limit = scenarios[0].runs.max_failed_share
    performed, failed = sum(item.performed for item in own), sum(item.failed for item in own)
    share = Fraction(failed, performed) if performed else Fraction(0)
    states = [item.verdict for item in own]
    # Runs that are still to be driven can bring the share down, so until then it decides only what they cannot mend.
    waiting = sum(_wanted(suite[item.scenario]) for item in own if item.verdict in ("incomplete", "invalid"))
    waiting += sum(_wanted(scenario) for scenario in missing)
    allowed = Fraction(si(limit)) if limit is not None else None
    over = allowed is not None and share > allowed
    lost = allowed is not None and failed > allowed * (performed + waiting)
    verdict: Verdict
    if lost or "fail" in states:
        verdict = "fail"
    elif over or "incomplete" in states or "invalid" in states or not performed or (missing and not partial):
        verdict = "incomplete"
    else:
        verdict = "pass"
    percent = f"{failed} of {performed} = {float(share) * 100:.1f} per cent"
    stated = f"<= {limit.value} {limit.unit}" if limit else "no share stated in the document"
    reasons = [f"{percent} failed, {stated}"] if over else []
    reasons.extend(_count(states.count(state), state) for state in ("fail", "incomplete", "invalid") if state in states)
    if missing:
        reasons.append(_count(len(missing), "not driven"))
    if "incomplete" in states:
        reasons.append("; ".join(dict.fromkeys(item.reason.split(": ", 1)[1] for item in own if item.verdict == "incomplete")))
    kinds: tuple[tuple[Literal["prescribed", "further"], bool], ...] = (("prescribed", True), ("further", False))
    counts = []
    for name, mandatory in kinds:
        part = [item for item in own if item.mandatory == mandatory]
        if part:
            runs, lost_runs = sum(item.performed for item in part), sum(item.failed for item in part)
            counts.append(RunCount(tests=name, scenarios=len(part), performed=runs, failed=lost_runs))
    return GroupVerdict(
        vehicle_type=vehicle_type,
        group=group_name(scenarios[0], groups),
        verdict=verdict,
        scenarios=len(own),
        performed=performed,
        failed=failed,
        share=percent,
        limit=stated,
        clause=place(limit, scenarios[0].clause),
        reason="; ".join(reasons) or "every scenario passed",
        counts=tuple(counts),
        not_driven=tuple(scenario.id for scenario in missing),
    )


def _wanted(scenario: Scenario) -> int:
    return int(scenario.runs.count.value) if scenario.runs.count else 1


def proposed(verdicts: Sequence[ScenarioVerdict], suite: Mapping[str, Scenario]) -> Iterator[str]:
    """Further speeds that may be tested after a failed run, not driven yet: those of the failed scenario's test and load state."""
    kinds = {_test(suite[item.scenario]) for item in verdicts if item.failed}
    driven = {item.scenario for item in verdicts}
    for scenario in suite.values():
        if scenario.status == "ts_option" and scenario.id not in driven and _test(scenario) in kinds:
            yield scenario.id


def _test(scenario: Scenario) -> tuple[object, ...]:
    return (scenario.family, scenario.category, scenario.group, scenario.load_state.kind if scenario.load_state else None)
