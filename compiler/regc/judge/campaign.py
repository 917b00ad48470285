"""All logs of a campaign: the suite that they belong to, run by run, then scenario by scenario, then the pools of failed runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from regc.errors import DataFileError
from regc.files import json_bytes
from regc.judge.comparison import LimitTables, kmh
from regc.judge.declarations import Declarations
from regc.judge.quota import judge_groups, judge_scenarios, proposed, run_order, type_of, vehicle_kind
from regc.judge.run import SHOWN_ONLY, Bench, judge_run
from regc.judge.verdict import Avoided, Judgement, RunVerdict
from regc.model.machine_files import unpacked
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.suite import Suite
from regc.model.units import metres_per_second
from regc.model.value import Value
from regc.runs.log import RunLog

_NAME = "scenarios.json"
#: Beside the logs of regc simulate: which scenarios of the suite were asked for.
CHOSEN = "chosen.json"


def find_suite(paths: Sequence[Path]) -> Path:
    """The scenarios.json in one of the folders, or in the nearest folder above. Raises DataFileError."""
    for path in paths:
        start = path.resolve() if path.is_dir() else path.resolve().parent
        for folder in (start, *start.parents[:4]):
            if (folder / _NAME).is_file():
                return folder / _NAME
    raise DataFileError(
        f"no {_NAME} in or above {', '.join(str(path) for path in paths)}", hint=f"--scenarios FILE: the {_NAME} of the build"
    )


def read_suite(path: Path) -> tuple[Suite, frozenset[str] | None]:
    """The suite of a build, and the ids that were asked to be driven (None: not told). Raises DataFileError."""
    try:
        suite = unpacked(json.loads(path.read_text(encoding="utf-8")))
    except OSError as problem:
        raise DataFileError(
            f"{path}: {problem.strerror or problem}", hint="--scenarios FILE: the scenarios.json of a build"
        ) from problem
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as problem:
        raise DataFileError(
            f"{path}: not the scenarios of a build: {problem}", hint="build again with this version of regc"
        ) from problem
    told = _json(path.with_name(CHOSEN)).get("scenarios")
    keys = {scenario.id: scenario_key(scenario) for scenario in suite.scenarios} if isinstance(told, dict) else {}
    chosen = frozenset(id for id, key in told.items() if keys.get(id) == key) if isinstance(told, dict) else None
    return suite, chosen if chosen is not None else (frozenset(suite.chosen) if suite.chosen is not None else None)


def scenario_key(scenario: Scenario) -> str:
    """What a log is a log of: a hash of the scenario, so that runs of an older build or another source are told apart."""
    data = json.dumps(scenario.model_dump(mode="json"), sort_keys=True)
    return hashlib.sha256(data.encode()).hexdigest()[:16]


def chosen_bytes(folder: Path, scenarios: Sequence[Scenario], chosen: Iterable[str]) -> bytes:
    """chosen.json for a folder of logs: these scenarios, and those that were chosen there before and have not changed."""
    keys = {scenario.id: scenario_key(scenario) for scenario in scenarios}
    before = _json(folder / CHOSEN).get("scenarios")
    kept = {id for id, key in before.items() if keys.get(id) == key} if isinstance(before, dict) else set()
    wanted = kept | set(chosen)
    return json_bytes({"scenarios": {id: key for id, key in keys.items() if id in wanted}})


def _json(path: Path) -> dict[str, Any]:
    """A JSON object; empty when there is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


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
    notes = list(findings)
    every = sorted(
        logs, key=lambda item: (item.info.scenario, item.info.vehicle_type, run_order(item.info.run), item.info.ego, item.info.log)
    )
    kept = list(_kept(every, scenarios, notes))
    bench = bench_of(suite, declarations, kept)
    runs = [judge_run(scenarios[log.info.scenario], log, bench, vehicle_type(scenarios[log.info.scenario], log)) for log in kept]
    runs = _mark_identical(runs, notes)
    runs, per_scenario = judge_scenarios(runs, scenarios, notes)
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
        findings=tuple(notes),
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
