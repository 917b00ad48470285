"""`regc simulate`: run the tests of a regulation in esmini or in the built-in kinematic engine."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from regc import files, plugins
from regc.catalogue import code
from regc.cli.console import console, print_findings, print_json, progress
from regc.cli.flags import (
    Category,
    Declare,
    Edition,
    Family,
    Reader,
    Regulation,
    Source,
    Sweep,
    Where,
    finite,
    options,
    request_of,
    unused,
    with_flags,
)
from regc.engines.sweep import at_speed, speed_offsets
from regc.judge.campaign import CHOSEN, chosen_bytes, scenario_key
from regc.judge.quota import whole
from regc.model import machine_files
from regc.model.protocols import Progress
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.stage import Stage, Staged
from regc.model.suite import Suite
from regc.pipeline.build import compile_regulation
from regc.pipeline.build_folder import folder_name
from regc.pipeline.request import Staging
from regc.pipeline.staging import stage_suite
from regc.plugins import TARGETS
from regc.tomlfiles import read_model

#: Who drives where nothing is said, beside the baseline without a system.
_EGO = "reference"
_EGOS = ("none", "reference", "late")


def register(app: typer.Typer) -> None:
    """Add the command, with the flags of staging."""
    app.command("simulate")(with_flags(simulate_command, [Staging]))


@dataclass(frozen=True)
class SimulationPlan:
    """What is run: who drives, how often, from which seed, laid out how."""

    egos: tuple[str, ...]
    runs: int | None
    seed: int
    staging: Staging
    vehicle_type: str


@dataclass(frozen=True)
class PlannedRun:
    """One run: a stage, who drives it, its number, and what its test speed differs by (in its own unit)."""

    scenario: Scenario
    stage: Stage
    ego: str
    number: int
    offset: Decimal

    @property
    def run(self) -> str:
        """The label of the run: its number, behind the variant of the test where there are several."""
        return f"{self.stage.variant}-{self.number}" if self.stage.variant else str(self.number)


def simulate_command(
    regulation: Regulation,
    engine: Annotated[Literal["esmini", "kinematic"], typer.Option(help="esmini (a player), or the built-in engine")] = "kinematic",
    out: Annotated[Path, typer.Option(help="output folder; runs go to <out>/<regulation>-<edition>/runs/<engine>")] = Path("out"),
    ego: Annotated[list[str] | None, typer.Option(help="reference, late or none; the baseline none is always run [reference]")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="runs of each test [what the document says]")] = None,
    seed: Annotated[int, typer.Option(help="seed of the speeds of repeats")] = 1,
    source: Source = None,
    reader: Reader = None,
    edition: Edition = None,
    family: Family = None,
    category: Category = None,
    where: Where = None,
    sweep: Sweep = "full",
    declare: Declare = None,
    osc_version: Annotated[Literal["1.3", "1.2", "1.1", "1.0"], typer.Option(help="OpenSCENARIO version for esmini")] = "1.3",
    esmini: Annotated[Path | None, typer.Option(help="the esmini executable, when it is not on PATH")] = None,
    wall: Annotated[float, typer.Option(min=0.1, callback=finite, help="seconds of wall clock that a run may take")] = 60.0,
    jobs: Annotated[int, typer.Option(min=1, help="runs at a time in esmini or in a sweep")] = 2,
    aeb: Annotated[Path | None, typer.Option(help="TOML of an AEB model for the kinematic engine, in place of reference")] = None,
    grid: Annotated[Path | None, typer.Option(help="TOML of a sweep: corners, friction, [aeb]; kinematic engine")] = None,
    backend: Annotated[Literal["loky", "dask", "ray"], typer.Option(help="who runs a sweep")] = "loky",
    cluster: Annotated[str, typer.Option(help="address of a Dask or Ray cluster [a local one]")] = "",
    vehicle_type: Annotated[str, typer.Option(help="name of the vehicle type, for the share of failed runs")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    *,
    given: dict[str, Any],
) -> None:
    """Run the tests of a regulation, with the baseline that has no system, and keep the logs for regc judge.

    With a filter fewer tests are driven, but scenarios.json beside the logs holds all of the edition's, since the judge reads the limit
    of a measured speed from the whole table.
    """
    staging = options(Staging, given)
    assert isinstance(staging, Staging)
    useless = unused(given, [Staging])
    plan = SimulationPlan(_egos(ego), runs, seed, staging, vehicle_type)
    request = request_of(
        regulation,
        edition=edition,
        source=source,
        reader=reader,
        family=family,
        category=category,
        where=where,
        sweep=sweep,
        declare=declare,
        staging=staging,
    )
    with progress() as watch:
        compiled = compile_regulation(request, watch)
        suite = compiled.suite
        folder = out / folder_name(compiled, source) / "runs" / engine
        if grid is not None:
            _sweep(suite, plan, grid, folder.with_name("sweep"), backend, cluster, jobs, watch, as_json=as_json)
            return
        todo, findings = _jobs(suite, plan)
        if engine == "kinematic":
            done = _kinematic(todo, plan, folder, _model(aeb), watch)
        else:
            done, more = _esmini(suite, todo, plan, folder, osc_version, esmini, wall, jobs, watch)
            findings += more
    findings += [_unused_flag(flag) for flag in useless]
    _write_suite(suite, folder)
    _report(suite, folder, engine, done, findings, as_json=as_json)


def _egos(asked: list[str] | None) -> tuple[str, ...]:
    chosen = [plugins.check(item, _EGOS, what="ego") for item in asked or [_EGO]]
    return tuple(dict.fromkeys(["none", *chosen]))


def _write_suite(suite: Suite, folder: Path) -> None:
    """All tests of the edition for the judge, and which of them were chosen."""
    whole_suite = suite.model_copy(update={"chosen": None})
    files.write(folder / "scenarios.json", files.json_bytes(machine_files.packed(whole_suite)))
    files.write(folder / CHOSEN, chosen_bytes(folder, suite.scenarios, (scenario.id for scenario in suite.selected)))


def _report(suite: Suite, folder: Path, engine: str, done: Counter[str], findings: Sequence[Finding], *, as_json: bool) -> None:
    if as_json:
        summary = {
            "engine": engine,
            "folder": folder.as_posix(),
            "runs": sum(done.values()),
            "egos": dict(done),
            "scenarios": len(suite.selected),
            "findings": [finding.model_dump(mode="json", exclude_none=True) for finding in findings],
        }
        print_json(summary)
    else:
        out = console()
        print_findings(out, findings, rest="--json lists all")
        parts = ", ".join(f"{count} {'without a system' if ego == 'none' else ego}" for ego, count in done.items())
        out.print(f"{sum(done.values())} runs ({parts or 'none'}) in {folder.as_posix()}; next: regc judge {folder.as_posix()}")
    raise typer.Exit(1 if any(finding.severity == "error" for finding in findings) else 0)


def _sweep(
    suite: Suite,
    plan: SimulationPlan,
    grid: Path,
    folder: Path,
    backend: Literal["loky", "dask", "ray"],
    cluster: str,
    jobs: int,
    watch: Progress,
    *,
    as_json: bool,
) -> None:
    """Many kinematic runs of the reference, or of the models of the grid; one table."""
    from regc.engines.sweep import Corner, offsets, read_grid, sweep
    from regc.judge.campaign import bench_of

    varied = read_grid(grid)
    staging = plan.staging.model_copy(update={"ego": _EGO, "step": varied.step})
    ends = {scenario.id: tuple(offsets(scenario, varied)) for scenario in suite.selected}
    corners: list[Corner] = []
    for index in range(max(map(len, ends.values()), default=0)):
        own = {id: pairs[index] for id, pairs in ends.items() if len(pairs) > index}
        changed = tuple(at_speed(item, *own[item.id]) if item.id in own else item for item in suite.scenarios)
        staged = stage_suite(suite.model_copy(update={"scenarios": changed, "chosen": tuple(own)}), staging)
        corners += [Corner(stage, *own[stage.scenario]) for stage in staged.stages]
    table = sweep(
        corners, suite.scenarios, bench_of(suite), varied, folder, backend=backend, jobs=jobs, cluster=cluster, progress=watch
    )
    with table.open(encoding="utf-8", newline="") as stream:
        counts = dict(sorted(Counter(row["verdict"] for row in csv.DictReader(stream)).items()))
    print_json({"table": table.as_posix(), "runs": counts}) if as_json else console().print(f"{counts} in {table.as_posix()}")


# ------------------------------------------------------------ what is driven


def _jobs(suite: Suite, plan: SimulationPlan) -> tuple[list[PlannedRun], list[Finding]]:
    """Every run of every chosen test: each stage as often as the document says, at different speeds within the tolerance."""
    jobs: list[PlannedRun] = []
    findings: list[Finding] = []
    chosen = {scenario.id: scenario for scenario in suite.selected}
    for ego in plan.egos:
        staging = plan.staging.model_copy(update={"ego": ego})
        repeats = {id: _offsets(scenario, ego, plan) for id, scenario in chosen.items()}
        for number in range(1, max((len(offsets) for offsets in repeats.values()), default=0) + 1):
            own = {id: offsets[number - 1] for id, offsets in repeats.items() if len(offsets) >= number}
            changed = {id: at_speed(chosen[id], offset) for id, offset in own.items()}
            scenarios = tuple(changed.get(scenario.id, scenario) for scenario in suite.scenarios)
            staged = stage_suite(suite.model_copy(update={"scenarios": scenarios, "chosen": tuple(own)}), staging)
            jobs += [PlannedRun(chosen[stage.scenario], stage, ego, number, own[stage.scenario]) for stage in staged.stages]
            if number == 1 and ego == plan.egos[-1]:
                findings += _not_driven(staged, own)
    return jobs, [*findings, *_fewer(chosen.values(), plan)]


def _offsets(scenario: Scenario, ego: str, plan: SimulationPlan) -> tuple[Decimal, ...]:
    """What each run adds to the test speed; the baseline is driven once."""
    wanted = 1 if ego == "none" else plan.runs or whole(scenario.runs.get("count"), 1)
    return speed_offsets(scenario, wanted, plan.seed)


def _fewer(scenarios: Iterable[Scenario], plan: SimulationPlan) -> Iterator[Finding]:
    """What to say where the tolerance of the test speed has no room for as many different runs as were asked for."""
    driving = [ego for ego in plan.egos if ego != "none"]
    if plan.runs is None or not driving:
        return
    most = max((len(_offsets(scenario, driving[0], plan)) for scenario in scenarios), default=0)
    if most < plan.runs:
        message = f"{plan.runs} runs of each test were asked for; at most {most} have different speeds within the tolerance"
        yield Finding(code="S716", severity="info", message=message, hint=f"--runs {most}")


def _not_driven(staged: Staged, asked: Iterable[str]) -> Iterator[Finding]:
    for id in asked:
        if id in staged.left_out:
            yield _info("S715", f"{id}: {staged.left_out[id]}", id, "give what is missing in a data file (regc targets --example)")
        elif not any(stage.scenario == id for stage in staged.stages):
            yield _info("S715", f"{id}: hangs on what is declared, so no run can be laid out", id, "--declare NAME=VALUE")


def _info(code: str, message: str, scenario: str, hint: str) -> Finding:
    return Finding(code=code, severity="info", message=message, scenario=scenario, hint=hint)


def _unused_flag(flag: str) -> Finding:
    return code("O691").at(f"{flag} does nothing here", hint="regc simulate --help")


# ------------------------------------------------------------ engines


def _model(path: Path | None) -> Any:
    from regc.engines.kinematic import AebModel

    return None if path is None else read_model(path, AebModel, hint=f"keys: {', '.join(AebModel.model_fields)}")


def _kinematic(todo: Sequence[PlannedRun], plan: SimulationPlan, folder: Path, model: Any, watch: Progress) -> Counter[str]:
    from regc.engines.kinematic import RunParameters, drive
    from regc.runs.log import csv_text, sidecar_text, stem
    from regc.runs.playback import info_of, log_of

    for done, planned in enumerate(todo, 1):
        loaded = getattr(planned.scenario.conditions.get("mass"), "word", "") == "max"
        parameters = RunParameters(step=plan.staging.step, aeb=model if planned.ego == _EGO else None, loaded=loaded)
        info = info_of(planned.stage, engine="kinematic", **_about(planned, plan))
        key = hashlib.sha256(
            f"{planned.stage.model_dump_json()} {parameters.model_dump_json()} {info.model_dump_json()}".encode()
        ).hexdigest()
        target = folder / f"{stem(info)}.csv"
        if _input(target) != key:
            log = log_of(planned.stage, drive(planned.stage, parameters), info)
            files.write(target, csv_text(log).encode())
            files.write(target.with_suffix(".json"), files.json_bytes({**json.loads(sidecar_text(log.info)), "input": key}))
        watch("kinematic", done, len(todo))
    return Counter(planned.ego for planned in todo)


def _about(planned: PlannedRun, plan: SimulationPlan) -> dict[str, Any]:
    """What the sidecar of a run says beside its stage."""
    return {
        "scenario_key": scenario_key(planned.scenario),
        "run": planned.run,
        "ego": planned.ego,
        "vehicle_type": plan.vehicle_type,
        "seed": plan.seed,
        "parameters": {"subject_offset": float(planned.offset)},
    }


def _input(target: Path) -> str:
    """The key of a run that is done; "" for one that is not, or was cut short before its sidecar."""
    try:
        data = json.loads(target.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return str(data.get("input", "")) if target.exists() else ""


def _esmini(
    suite: Suite,
    todo: Sequence[PlannedRun],
    plan: SimulationPlan,
    folder: Path,
    version: str,
    player: Path | None,
    wall: float,
    jobs: int,
    watch: Progress,
) -> tuple[Counter[str], list[Finding]]:
    from regc.engines import esmini
    from regc.runs.playback import info_of

    playing = esmini.Options(player=esmini.find_player(player), step=plan.staging.step, wall=wall, jobs=jobs)
    module = TARGETS.load("openscenario")
    made: list[esmini.ScenarioFile] = []
    for ego, number in dict.fromkeys((planned.ego, planned.number) for planned in todo):
        own = {planned.stage.stem: planned for planned in todo if (planned.ego, planned.number) == (ego, number)}
        place = folder / "files" / f"{ego}-r{number}"
        staged = Staged(stages=tuple(planned.stage for planned in own.values()))
        for artifact in module.emit(suite, staged, module.Options(osc_version=version)):
            files.write(place / artifact.path, artifact.content)
            stage_stem = Path(artifact.path).stem
            if artifact.path.endswith(".xosc") and stage_stem in own:
                info = info_of(own[stage_stem].stage, **_about(own[stage_stem], plan))
                made.append(esmini.ScenarioFile(place / artifact.path, info))
    infos, findings = esmini.run_files(made, folder, playing, watch)
    if len({getattr(planned.scenario.conditions.get("mass"), "word", "") for planned in todo} - {""}) > 1:
        message = "esmini ignores mass and friction: both load states give the same motion, only their limits differ"
        findings.append(Finding(code="S714", severity="info", message=message, hint="run the CARLA or CarMaker target for load states"))
    return Counter(info.ego for info in infos), findings
