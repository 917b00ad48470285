"""Runs into scenarios, scenarios into pools: how often a test is driven, when it may be repeated, how many may fail.

Tests whose share of failed runs the same item of the document states are one pool; repeats and the runs that it lets be added act
in it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal

from regc.judge.comparison import place
from regc.judge.run import SHOWN_ONLY
from regc.judge.verdict import GroupVerdict, RunCount, RunVerdict, ScenarioVerdict, Verdict
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.suite import Suite
from regc.model.units import in_si
from regc.model.value import Value
from regc.wording import amount

#: A vehicle category of the UN (M1, N2, L3e), perhaps with a bound of its mass.
_CATEGORY = re.compile(r"[LMNORST]\d[a-eG]?(?:-[A-Z]\d?)?(?:\s*[<>≤≥=]+\s*[\d.,]+\s*\w*)?")
#: Signals and events that a run without a system must violate, or it shows nothing.
_CONTACT = frozenset({"contact", "impact_speed", "speed_reduction"})

Pool = tuple[object, ...]
_Numbered = tuple[int, RunVerdict]


def run_order(label: str) -> tuple[int, str]:
    """Runs in the order in which they were driven: by the number in their label, then by the label."""
    number = re.search(r"\d+", label)
    return (int(number.group()) if number else 0, label)


def vehicle_kind(scenario: Scenario) -> tuple[tuple[str, str], ...]:
    """The axis values that say which vehicles a test is for, e.g. (("category", "M1"),); the others are variants of the test."""
    return tuple(
        (name, axis.value)
        for name, axis in scenario.axes.items()
        if any(_CATEGORY.fullmatch(text.strip()) for text in (axis.value, *axis.covers))
    )


def whole(value: Value | None, otherwise: int) -> int:
    """A count of the document as a whole number."""
    return int(value.number) if value is not None and value.is_number else otherwise


def pool_of(scenario: Scenario) -> Pool:
    """What makes runs count together: the item that states their share of failed runs, else the test's own clause."""
    limit = scenario.runs.get("failed_share")
    if limit is None or not limit.sources:
        return (scenario.clause,)
    source = limit.sources[0]
    return (limit.lo, limit.unit, source.clause, source.item, source.footnote, source.table, source.row, source.column)


def pool_name(scenario: Scenario) -> str:
    """The item that states the share, e.g. "6.10.1(a)"; else the test's clause."""
    limit = scenario.runs.get("failed_share")
    source = limit.sources[0] if limit is not None and limit.sources else None
    return f"{source.clause}{source.item or ''}" if source is not None else scenario.clause


def judge_scenarios(
    runs: Sequence[RunVerdict], suite: Mapping[str, Scenario], findings: list[Finding]
) -> tuple[list[RunVerdict], list[ScenarioVerdict]]:
    """Scenario verdicts in suite order, and the runs again with those that no repeat was due for marked as not counted."""
    marked: dict[int, RunVerdict] = {}
    verdicts: list[ScenarioVerdict] = []
    spare = _Spare(runs, suite)
    for scenario in suite.values():
        own = [(index, run) for index, run in enumerate(runs) if run.scenario == scenario.id]
        vacuous = _vacuous(scenario, own, findings)
        judged = [(index, run) for index, run in own if not run.baseline or scenario.status in SHOWN_ONLY]
        for vehicle_type in sorted({run.vehicle_type for _, run in judged}):
            driven = [(index, run) for index, run in judged if run.vehicle_type == vehicle_type]
            due, beyond = _due(scenario, driven)
            added = [run for _, run in spare.taken(scenario, vehicle_type, beyond)]
            for index, run in beyond[len(added) :]:
                message = f"run {run.run} of {scenario.id} is beyond the runs that are due"
                hint = "a repeat is due only if as many runs failed as may be repeated"
                findings.append(Finding(code="S705", severity="warning", message=message, scenario=scenario.id, hint=hint))
                marked[index] = run.model_copy(update={"counts": False, "reason": f"not counted: {message} ({run.verdict})"})
            verdicts.append(_scenario_verdict(scenario, vehicle_type, [run for _, run in driven], due, added, vacuous))
    return [marked.get(index, run) for index, run in enumerate(runs)], verdicts


def _vacuous(scenario: Scenario, own: Sequence[_Numbered], findings: list[Finding]) -> bool | None:
    """Whether a run without a system hits nothing where a criterion is about contact; None without such a run or criterion."""
    named = {item.signal or "" for item in scenario.require} | {item.a.name for item in scenario.require if item.a is not None}
    baseline = next((run for _, run in own if run.baseline and run.collided is not None), None)
    if baseline is None or scenario.status in SHOWN_ONLY or not named & _CONTACT:
        return None
    if not baseline.collided:
        message = f"{scenario.id}: without a system nothing is hit, so the test shows nothing"
        hint = "check start positions, trigger and speeds"
        findings.append(Finding(code="S706", severity="error", message=message, scenario=scenario.id, hint=hint))
    return not baseline.collided


def _due(scenario: Scenario, driven: Sequence[_Numbered]) -> tuple[list[RunVerdict], list[_Numbered]]:
    """The runs that count, in order, and those beyond what was due."""
    valid = [(index, run) for index, run in driven if run.counts]
    count = whole(scenario.runs.get("count"), len(valid))
    repeats = whole(scenario.runs.get("repeats"), 0)
    failed = sum(run.verdict == "fail" for _, run in valid[:count])
    due = count + (repeats if 0 < failed <= repeats else 0)
    return [run for _, run in valid[:due]], valid[due:]


class _Spare:
    """Runs that a document lets be added in a pool until it has `fill` performed ones."""

    def __init__(self, runs: Sequence[RunVerdict], suite: Mapping[str, Scenario]) -> None:
        self._left: dict[tuple[str, Pool], int] = {}
        for scenario in suite.values():
            fill = scenario.runs.get("fill")
            if fill is None:
                continue
            own = [(index, run) for index, run in enumerate(runs) if run.scenario == scenario.id and not run.baseline]
            for vehicle_type in {run.vehicle_type for _, run in own}:
                key = (vehicle_type, pool_of(scenario))
                due, _ = _due(scenario, [(index, run) for index, run in own if run.vehicle_type == vehicle_type])
                performed = sum(run.verdict in ("pass", "fail") for run in due)
                self._left[key] = self._left.get(key, whole(fill, 0)) - performed

    def taken(self, scenario: Scenario, vehicle_type: str, beyond: Sequence[_Numbered]) -> list[_Numbered]:
        """Those of the runs beyond that still fit in, in their order."""
        key = (vehicle_type, pool_of(scenario))
        count = max(min(self._left.get(key, 0), len(beyond)), 0)
        if count:
            self._left[key] -= count
        return list(beyond[:count])


def _scenario_verdict(
    scenario: Scenario,
    vehicle_type: str,
    driven: Sequence[RunVerdict],
    due: Sequence[RunVerdict],
    added: Sequence[RunVerdict],
    vacuous: bool | None,
) -> ScenarioVerdict:
    passed = sum(run.verdict == "pass" for run in due)
    failed = sum(run.verdict == "fail" for run in due)
    open_runs = sum(run.verdict == "incomplete" for run in due)
    assessed = any(run.verdict == "evidence" for run in driven)
    verdict: Verdict
    if scenario.status in SHOWN_ONLY or (assessed and not failed and not open_runs):
        verdict, reason = "evidence", "; ".join(f"run {run.run}: {_evidence(run)}" for run in driven)
    else:
        wanted = whole(scenario.runs.get("count"), max(len(due), 1))
        if failed > whole(scenario.runs.get("repeats"), 0):
            verdict = "fail"
        elif passed >= wanted:
            verdict = "pass"
        else:
            verdict = "incomplete"
        reason = f"{passed} of {wanted} wanted passes, {failed} failed"
        reason += f", {open_runs} incomplete" if open_runs else ""
        if verdict == "incomplete":
            reason += f": {_next(wanted - len(due), open_runs)}"
        if not due and driven and all(run.verdict == "invalid" for run in driven):
            verdict = "invalid"
    more = [run for run in added if run.verdict in ("pass", "fail")]
    count = scenario.runs.get("count")
    return ScenarioVerdict(
        scenario=scenario.id,
        vehicle_type=vehicle_type,
        group=pool_name(scenario),
        prescribed=scenario.status == "mandatory",
        verdict=verdict,
        performed=passed + failed + len(more),
        failed=failed + sum(run.verdict == "fail" for run in more),
        invalid=sum(run.verdict == "invalid" for run in driven),
        reason=reason + (f"; {len(more)} more added to fill the pool" if more else ""),
        clause=place(count.sources if count is not None else (), f"{scenario.regulation} {scenario.clause}"),
        vacuous=vacuous,
    )


def _next(undriven: int, open_runs: int) -> str:
    """What an incomplete scenario waits for."""
    if undriven > 0:
        return f"drive {undriven} more {'run' if undriven == 1 else 'runs'}"
    return "complete the logs of its runs" if open_runs else "drive the repeat run"


def _evidence(run: RunVerdict) -> str:
    parts = [
        f"{check.name}: {check.result.replace('_', ' ')}" + (f" ({check.measured})" if check.measured else "")
        for check in run.checks
        if check.part == "criterion"
    ]
    return ", ".join(parts) if parts else run.reason


def judge_groups(
    verdicts: Sequence[ScenarioVerdict], suite: Mapping[str, Scenario], chosen: Collection[str] | None, *, partial: bool
) -> Iterator[GroupVerdict]:
    """Failed over performed runs by vehicle type and pool. A scenario that is due and not driven leaves its pool incomplete, unless
    the campaign is `partial`: every one that was chosen, or without a choice the prescribed ones of what the vehicle type drove."""
    judged = [item for item in verdicts if item.verdict != "evidence"]
    due = _undriven(verdicts, suite, chosen)
    keys = {(item.vehicle_type, pool_of(suite[item.scenario])): None for item in judged}
    keys.update({(vehicle_type, pool_of(suite[id])): None for vehicle_type, id in due if not partial})
    order = list(dict.fromkeys(pool_of(item) for item in suite.values()))
    for vehicle_type, pool in sorted(keys, key=lambda key: (key[0], order.index(key[1]))):
        own = [item for item in judged if (item.vehicle_type, pool_of(suite[item.scenario])) == (vehicle_type, pool)]
        missing = [suite[id] for type_, id in due if (type_, pool_of(suite[id])) == (vehicle_type, pool)]
        yield _pool_verdict(vehicle_type, own, missing, suite, partial=partial)


def _undriven(
    verdicts: Sequence[ScenarioVerdict], suite: Mapping[str, Scenario], chosen: Collection[str] | None
) -> list[tuple[str, str]]:
    """(vehicle type, scenario) of those that are due and have no run. A vehicle type owes the tests of the kinds of vehicles that it
    drove in; a kind that was chosen and in which nobody drove is owed under its own name."""
    driven: dict[str, set[tuple[tuple[str, str], ...]]] = {}
    for item in verdicts:
        driven.setdefault(item.vehicle_type, set()).add(vehicle_kind(suite[item.scenario]))
    done = {(item.vehicle_type, item.scenario) for item in verdicts}
    anyone = set().union(*driven.values())
    undriven: list[tuple[str, str]] = []
    for scenario in suite.values():
        asked = scenario.status == "mandatory" if chosen is None else scenario.id in chosen
        if not asked or scenario.status in SHOWN_ONLY:
            continue
        kind = vehicle_kind(scenario)
        # A test that names no vehicles is owed once by somebody, and by everybody while nobody drove it.
        owners = [vehicle_type for vehicle_type, kinds in driven.items() if kind in kinds or (not kind and kind not in anyone)]
        if chosen is not None and kind not in anyone and not owners:
            owners = [type_of(scenario)]
        undriven.extend((owner, scenario.id) for owner in owners if (owner, scenario.id) not in done)
    return undriven


def type_of(scenario: Scenario) -> str:
    """What a vehicle type is called that has no name: the kind of vehicles that the test is for."""
    return " ".join(value for _, value in vehicle_kind(scenario))


def _pool_verdict(
    vehicle_type: str,
    own: Sequence[ScenarioVerdict],
    missing: Sequence[Scenario],
    suite: Mapping[str, Scenario],
    *,
    partial: bool,
) -> GroupVerdict:
    scenarios = [*(suite[item.scenario] for item in own), *missing]
    limit = scenarios[0].runs.get("failed_share")
    performed, failed = sum(item.performed for item in own), sum(item.failed for item in own)
    share = Fraction(failed, performed) if performed else Fraction(0)
    states = [item.verdict for item in own]
    # Runs that are still to be driven can bring the share down, so until then it decides only what they cannot mend.
    waiting = sum(_wanted(suite[item.scenario]) for item in own if item.verdict in ("incomplete", "invalid"))
    waiting += sum(_wanted(scenario) for scenario in missing)
    fill = max((whole(scenario.runs.get("fill"), 0) for scenario in scenarios), default=0)
    addable = max(fill - performed - waiting, 0)
    allowed = Fraction(in_si(limit.number, limit.unit)) if limit is not None and limit.is_number else None
    over = allowed is not None and share > allowed
    lost = allowed is not None and failed > allowed * (performed + waiting + addable)
    verdict: Verdict
    if lost or "fail" in states:
        verdict = "fail"
    elif over or "incomplete" in states or "invalid" in states or not performed or (missing and not partial):
        verdict = "incomplete"
    else:
        verdict = "pass"
    percent = f"{failed} of {performed} = {float(share) * 100:.1f} per cent"
    stated = f"<= {amount(limit)}" if limit is not None else "no share stated in the document"
    reasons = [f"{percent} failed, {stated}"] if over else []
    if over and not lost and addable:
        reasons.append(f"runs may be added until the pool has {fill}")
    reasons.extend(_count(states.count(state), state) for state in ("fail", "incomplete", "invalid") if state in states)
    if missing:
        reasons.append(_count(len(missing), "not driven"))
    if "incomplete" in states:
        reasons.append("; ".join(dict.fromkeys(item.reason.split(": ", 1)[-1] for item in own if item.verdict == "incomplete")))
    return GroupVerdict(
        vehicle_type=vehicle_type,
        group=pool_name(scenarios[0]),
        verdict=verdict,
        scenarios=len(own),
        performed=performed,
        failed=failed,
        share=percent,
        limit=stated,
        clause=place(limit.sources if limit is not None else (), f"{scenarios[0].regulation} {scenarios[0].clause}"),
        reason="; ".join(reasons) or "every scenario passed",
        tests=tuple(dict.fromkeys(scenario.test for scenario in scenarios)),
        counts=tuple(_counts(own)),
        not_driven=tuple(scenario.id for scenario in missing),
    )


def _counts(own: Sequence[ScenarioVerdict]) -> Iterator[RunCount]:
    kinds: tuple[tuple[Literal["prescribed", "further"], bool], ...] = (("prescribed", True), ("further", False))
    for name, prescribed in kinds:
        part = [item for item in own if item.prescribed == prescribed]
        if part:
            performed, failed = sum(item.performed for item in part), sum(item.failed for item in part)
            yield RunCount(tests=name, scenarios=len(part), performed=performed, failed=failed)


def _count(number: int, state: str) -> str:
    return f"{number} {'scenario' if number == 1 else 'scenarios'} {state}"


def _wanted(scenario: Scenario) -> int:
    return whole(scenario.runs.get("count"), 1)


def proposed(runs: Sequence[RunVerdict], suite: Suite) -> tuple[tuple[str, ...], str]:
    """The tests that the document lets a technical service drive after a failed run, and the clause that does: those of the failed
    scenario's test and axis values that are not prescribed and have no valid run yet. A failed run that the record explains by a
    deviation of the set-up asks for none. Nothing where no clause says so."""
    clause = next((place(card.proposes[0].sources, "") for card in suite.cards if card.proposes), "")
    scenarios = {scenario.id: scenario for scenario in suite.scenarios}
    kinds = {_test(scenarios[run.scenario]) for run in runs if run.verdict == "fail" and run.counts and not run.set_up}
    driven = {run.scenario for run in runs if run.counts}
    ids = tuple(
        scenario.id
        for scenario in suite.scenarios
        if scenario.status == "option" and scenario.id not in driven and _test(scenario) in kinds
    )
    return (ids, clause) if clause and ids else ((), "")


def _test(scenario: Scenario) -> tuple[object, ...]:
    return (scenario.test, *((name, axis.value) for name, axis in scenario.axes.items()))
