"""All logs of a campaign: run by run, then scenario by scenario, then the pools of failed runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from regc.judge.comparison import kmh
from regc.judge.declarations import Declarations
from regc.judge.limits import LimitTables
from regc.judge.log_folder import scenario_key
from regc.judge.quota import judge_groups, judge_scenarios, proposed, run_order, type_of, vehicle_kind
from regc.judge.run import SHOWN_ONLY, Bench, judge_run
from regc.judge.verdict import Avoided, Judgement, RunVerdict
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.suite import Suite
from regc.model.units import metres_per_second
from regc.model.value import Value
from regc.runs.log import RunLog

#: Which built-in model of a system drove, where one did.
_MODELS = ("reference", "late")


def judge(
    suite: Suite,
    logs: Iterable[RunLog],
    *,
    chosen: Collection[str] | None = None,
    declarations: Declarations | None = None,
    findings: Iterable[Finding] = (),
    partial: bool = False,
) -> Judgement:
    """Verdicts on every log, every scenario and every pool.

    `suite`: the whole edition. `chosen`: ids that were asked to be driven (None: the prescribed ones of what was driven); those
    without a run leave their pool incomplete, unless the campaign is `partial`. Logs of unknown scenarios become findings (S702), logs
    of another build's too (S707), repeated ones are judged once (S703).
    """
    scenarios = {scenario.id: scenario for scenario in suite.scenarios}
    found = list(findings)
    every = sorted(
        logs, key=lambda item: (item.info.scenario, item.info.vehicle_type, run_order(item.info.run), item.info.ego, item.info.log)
    )
    kept = list(_kept(every, scenarios, found))
    bench = bench_of(suite, declarations, kept)
    runs = [judge_run(scenarios[log.info.scenario], log, bench, vehicle_type(scenarios[log.info.scenario], log)) for log in kept]
    runs = _mark_identical(runs, found)
    runs, per_scenario = judge_scenarios(runs, scenarios, found)
    driven = {item.scenario for item in per_scenario}
    missing = tuple(id for id in scenarios if id not in driven)
    asked = set(scenarios) if chosen is None else set(chosen)
    further, clause = proposed(runs, suite)
    return Judgement(
        regulation=suite.regulation,
        edition=suite.edition,
        runs=tuple(runs),
        scenarios=tuple(per_scenario),
        groups=tuple(judge_groups(per_scenario, scenarios, chosen, partial=partial)),
        not_driven=tuple(id for id in missing if id in asked),
        not_chosen=tuple(id for id in missing if id not in asked),
        proposed=further,
        proposed_by=clause,
        avoided=tuple(_avoided(runs, scenarios)),
        findings=tuple(found),
    )


def bench_of(suite: Suite, declarations: Declarations | None = None, logs: Sequence[RunLog] = ()) -> Bench:
    """What single runs of a suite are judged by; `logs` hold the runs without a system that others name."""
    return Bench(
        tables=LimitTables(suite.tables),
        declarations=declarations or Declarations(),
        bases={log.info.log: log for log in logs},
        extra_mass=_extra_masses(suite.scenarios),
    )


def _kept(logs: Sequence[RunLog], scenarios: Mapping[str, Scenario], findings: list[Finding]) -> Iterable[RunLog]:
    seen: set[tuple[str, str, str, str]] = set()
    for log in logs:
        info = log.info
        if info.scenario not in scenarios:
            hint = "--scenarios FILE: the scenarios.json of the build that made the test; a log of an older build can be removed"
            findings.append(_finding("S702", f"{info.log or 'a log'}: no scenario {info.scenario!r} in the suite", info.log, hint))
            continue
        if info.scenario_key and info.scenario_key != scenario_key(scenarios[info.scenario]):
            hint = "simulate it again, remove it, or give the scenarios.json of its own build (--scenarios FILE)"
            message = f"{info.log}: driven from another build or source of {info.scenario}; left out"
            findings.append(_finding("S707", message, info.log, hint))
            continue
        key = (info.scenario, info.vehicle_type, info.run, info.ego)
        if key in seen:
            hint = "number the runs, or remove the copy"
            findings.append(_finding("S703", f"{info.log}: run {info.run} of {info.scenario} was judged already", info.log, hint))
            continue
        seen.add(key)
        yield log


def vehicle_type(scenario: Scenario, log: RunLog) -> str:
    """The vehicle type as it is counted: its name or kind, and which built-in model of a system drove, if one did."""
    name = log.info.vehicle_type or type_of(scenario)
    return f"{name} ({log.info.ego})".strip() if log.info.ego in _MODELS else name


def _extra_masses(scenarios: Sequence[Scenario]) -> dict[str, Value]:
    """By scenario: the additional mass that the document allows in running order, which tests in another load state do not carry."""
    kinds: dict[tuple[object, ...], Value] = {}
    for scenario in scenarios:
        value = scenario.conditions.get("extra_mass")
        if isinstance(value, Value):
            kinds.setdefault(vehicle_kind(scenario), value)
    return {scenario.id: kinds[vehicle_kind(scenario)] for scenario in scenarios if vehicle_kind(scenario) in kinds}


def _avoided(runs: Sequence[RunVerdict], scenarios: Mapping[str, Scenario]) -> Iterable[Avoided]:
    """By vehicle type, test and axis values: the highest measured speed below which every run avoided contact."""
    outcomes: dict[tuple[str, str, tuple[tuple[str, str], ...]], list[tuple[float, bool]]] = {}
    for run in runs:
        scenario = scenarios[run.scenario]
        if (
            run.baseline
            or run.verdict == "invalid"
            or scenario.status in SHOWN_ONLY
            or run.collided is None
            or run.lookup_speed is None
        ):
            continue
        axes = tuple((name, axis.value) for name, axis in scenario.axes.items())
        outcomes.setdefault((run.vehicle_type, scenario.test, axes), []).append((run.lookup_speed, run.collided))
    for (vehicle, test, axes), results in sorted(outcomes.items()):
        hit = min((speed for speed, collided in results if collided), default=None)
        free = [speed for speed, collided in results if not collided and (hit is None or speed < hit)]
        if free:
            yield Avoided(vehicle_type=vehicle, test=test, axes=dict(axes), speed=float(kmh(metres_per_second(max(free)))))


def _mark_identical(runs: list[RunVerdict], findings: list[Finding]) -> list[RunVerdict]:
    """A simulated repeat that is the same run again shows nothing new, so it does not count."""
    first: dict[tuple[str, str, str], str] = {}
    marked: list[RunVerdict] = []
    for run in runs:
        key = (run.scenario, run.vehicle_type, run.fingerprint)
        if run.counts and run.simulated and key in first:
            message = f"run {run.run} of {run.scenario} is run {first[key]} again, sample for sample"
            findings.append(_finding("S704", message, run.log, "vary the seed or the speeds within their tolerance"))
            run = run.model_copy(update={"counts": False, "reason": f"not counted: {message}"})
        elif run.counts:
            first.setdefault(key, run.run)
        marked.append(run)
    return marked


def _finding(code: str, message: str, place: str, hint: str) -> Finding:
    return Finding(code=code, severity="warning", message=message, place=place or None, hint=hint)
