"""`regc simulate`: run the scenarios of a regulation in esmini or in the built-in kinematic engine."""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from pydantic import ValidationError

from regc import assumed, files, output, registry
from regc.build import compile_regulation
from regc.commands._console import console, print_findings, print_json, progress
from regc.commands._flags import finite
from regc.commands._sweep import run_sweep
from regc.errors import DataFileError
from regc.job import Request
from regc.model.protocols import Progress
from regc.model.result import Checked, Finding
from regc.model.scenario import Scenario
from regc.profiles import load_profile
from regc.simulate.repeats import at_speed, speed_offsets
from regc.simulate.suite import CHOSEN, chosen_bytes, scenario_key

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Ego = Literal["reference", "late", "none"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("simulate")(simulate_command)


@dataclass(frozen=True)
class Plan:
    """What is run: who drives, how often, from which seed, with which data files."""

    egos: tuple[str, ...]
    runs: int | None
    seed: int
    step: float
    vehicle: Path | None
    targets: Path | None
    road: Path | None
    vehicle_type: str
    osc_version: str


def simulate_command(
    regulation: Annotated[str, typer.Argument(help="regulation id (regc regulations), or a folder with a profile.toml")],
    engine: Annotated[Literal["esmini", "kinematic"], typer.Option(help="esmini (a player), or the built-in engine")] = "kinematic",
    out: Annotated[Path, typer.Option(help="output folder; runs go to <out>/<regulation>-<edition>/runs/<engine>")] = Path("out"),
    ego: Annotated[list[str] | None, typer.Option(help="reference, late or none; the baseline none is always run [reference]")] = None,
    runs: Annotated[int | None, typer.Option(min=1, help="runs of each scenario [what the document says]")] = None,
    seed: Annotated[int, typer.Option(help="seed of the speeds of repeats")] = 1,
    source: Annotated[Path | None, typer.Option(help="your official file (PDF, MinerU output, HTML, Markdown)")] = None,
    edition: Annotated[str | None, typer.Option(help="edition id")] = None,
    family: Annotated[list[str] | None, typer.Option(help="only this family; may be repeated")] = None,
    category: Annotated[list[str] | None, typer.Option(help="only this vehicle category; may be repeated")] = None,
    sweep: Annotated[Literal["full", "mandatory"], typer.Option(help="every speed of the tables, or the prescribed ones")] = "full",
    osc_version: Annotated[Literal["1.3", "1.2", "1.1", "1.0"], typer.Option(help="OpenSCENARIO version for esmini")] = "1.3",
    esmini: Annotated[Path | None, typer.Option(help="the esmini executable, when it is not on PATH")] = None,
    wall: Annotated[float, typer.Option(min=0.1, callback=finite, help="seconds of wall clock that a run may take")] = 60.0,
    jobs: Annotated[int, typer.Option(min=1, help="runs at a time")] = 2,
    step: Annotated[float, typer.Option(min=0.001, max=0.01, help="time step in s")] = 0.01,
    aeb: Annotated[Path | None, typer.Option(help="TOML of an AEB model for the kinematic engine, in place of reference")] = None,
    grid: Annotated[Path | None, typer.Option(help="TOML of a sweep: corners, friction, [aeb]; kinematic engine")] = None,
    backend: Annotated[Literal["loky", "dask", "ray"], typer.Option(help="who runs a sweep")] = "loky",
    cluster: Annotated[str, typer.Option(help="address of a Dask or Ray cluster [a local one]")] = "",
    vehicle: Annotated[Path | None, typer.Option(help="TOML file of subject vehicles")] = None,
    targets: Annotated[Path | None, typer.Option(help="TOML file of targets")] = None,
    road: Annotated[Path | None, typer.Option(help="TOML file of road, surroundings and times")] = None,
    vehicle_type: Annotated[str, typer.Option(help="name of the vehicle type, for the share of failed runs")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Run the scenarios of a regulation, with the baseline that has no system, and keep the logs for regc judge.

    With a filter fewer scenarios are driven, but scenarios.json beside the logs holds all of the edition's, since the judge reads the
    limit of a measured speed from the whole table. A warning lead that the document asks for above the relative speed up to which the
    vehicle avoids the collision is judged by what the runs show, or by what you declare: regc judge --declare FILE (avoids_up_to).
    """
    egos = tuple(
        dict.fromkeys(["none", *(registry.check(item, ("reference", "late", "none"), what="ego") for item in ego or ["reference"])])
    )
    plan = Plan(egos, runs, seed, step, vehicle, targets, road, vehicle_type, osc_version)
    request = Request(
        regulation=regulation,
        edition=edition,
        source=source,
        families=tuple(family or ()),
        categories=tuple(category or ()),
        sweep=sweep,
    )
    with progress() as watch:
        compiled = compile_regulation(Request(regulation=regulation, edition=edition, source=source), watch)
        chosen = output.filtered(compiled.checked, load_profile(regulation), request)
        folder = out / output.folder_name(compiled, source is not None) / "runs" / engine
        if grid is not None:
            place = folder.with_name("sweep")
            table, counts = run_sweep(
                chosen, compiled.checked.scenarios, grid, place, backend, cluster, jobs, (vehicle, targets), watch
            )
        elif engine == "kinematic":
            done, findings = _kinematic(chosen, plan, folder, _model(aeb), watch)
        else:
            done, findings = _esmini(chosen, plan, folder, esmini, wall, jobs, watch)
    if grid is not None:
        print_json({"table": table.as_posix(), "runs": counts}) if as_json else console().print(f"{counts} in {table.as_posix()}")
        return
    _write_suite(compiled.checked, chosen, folder)
    _report(chosen, folder, engine, done, findings, as_json=as_json)


def _write_suite(whole: Checked, chosen: Checked, folder: Path) -> None:
    """All scenarios of the edition for the judge, its coverage, which shows that they are all, and which of them were chosen."""
    machine = output.machine_files(whole, ())
    for name in ("scenarios.json", "coverage.json"):
        files.write(folder / name, machine[name])
    files.write(folder / CHOSEN, chosen_bytes(folder, whole.scenarios, (scenario.id for scenario in chosen.scenarios)))


def _report(chosen: Checked, folder: Path, engine: str, done: Counter[str], findings: Sequence[Finding], *, as_json: bool) -> None:
    if as_json:
        summary = {
            "engine": engine,
            "folder": folder.as_posix(),
            "runs": sum(done.values()),
            "egos": dict(done),
            "scenarios": len(chosen.scenarios),
            "findings": [finding.model_dump(mode="json", exclude_none=True) for finding in findings],
        }
        print_json(summary)
    else:
        out = console()
        print_findings(out, findings, rest="--json lists all")
        parts = ", ".join(f"{count} {'without a system' if ego == 'none' else ego}" for ego, count in done.items())
        out.print(f"{sum(done.values())} runs ({parts or 'none'}) in {folder.as_posix()}; next: regc judge {folder.as_posix()}")
    raise typer.Exit(1 if any(finding.severity == "error" for finding in findings) else 0)


def _repeats(scenario: Scenario, ego: str, plan: Plan) -> Iterator[tuple[int, Decimal]]:
    """(number, speed offset in the test speed's unit) of every run; the baseline is driven once."""
    if scenario.approach_type == "manoeuvre" and ego != "none":
        return  # the files of manoeuvres have no model of a system
    stated = int(scenario.runs.count.value) if scenario.runs.count else 1
    wanted = 1 if ego == "none" else plan.runs or stated
    yield from enumerate(speed_offsets(scenario, wanted, plan.seed), 1)


def _fewer(checked: Checked, plan: Plan) -> list[Finding]:
    """What to say where the tolerance of the test speed has no room for as many different runs as were asked for."""
    most = {
        ego: max((len(list(_repeats(item, ego, plan))) for item in checked.scenarios), default=0) for ego in plan.egos if ego != "none"
    }
    found = max(most.values(), default=0)
    if plan.runs is None or not most or found >= plan.runs:
        return []
    message = f"{plan.runs} runs of each scenario were asked for; at most {found} have different speeds within the tolerance"
    return [Finding(code="S716", severity="info", message=message, hint=f"--runs {found}, or --grid for other parameters")]


def _model(path: Path | None) -> Any:
    from regc.simulate.kinematic import AebModel

    if path is None:
        return None
    try:
        return AebModel.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as problem:
        raise DataFileError(f"{path}: {problem}", hint=f"keys: {', '.join(AebModel.model_fields)}") from problem


def _kinematic(checked: Checked, plan: Plan, folder: Path, model: Any, watch: Progress) -> tuple[Counter[str], list[Finding]]:
    from regc.simulate.kinematic import Assumptions, RunParameters, simulate
    from regc.simulate.writelog import csv_text, sidecar_text, stem

    data = Assumptions(assumed.vehicles(plan.vehicle), assumed.targets(plan.targets))
    findings = _fewer(checked, plan)
    findings.extend(_not_driven(item) for item in checked.scenarios if item.approach_type == "manoeuvre")
    driven = [item for item in checked.scenarios if item.approach_type != "manoeuvre"]
    todo = [(item, ego, number, offset) for item in driven for ego in plan.egos for number, offset in _repeats(item, ego, plan)]
    for done, (scenario, ego, number, offset) in enumerate(todo, 1):
        parameters = RunParameters.model_validate(
            {
                "ego": ego,
                "run": str(number),
                "seed": plan.seed,
                "step": plan.step,
                "subject_offset": float(offset),
                "vehicle_type": plan.vehicle_type,
                "aeb": model if ego == "reference" else None,
            }
        )
        key = hashlib.sha256((scenario_key(scenario) + parameters.model_dump_json() + repr(data)).encode()).hexdigest()
        target = folder / f"{scenario.id}__{ego}__r{number}.csv"
        if _input(target) != key:
            log = simulate(scenario, data, parameters)
            assert stem(log.info) == target.stem
            files.write(target, csv_text(log).encode())
            about = {**json.loads(sidecar_text(log.info)), "input": key, "scenario_key": scenario_key(scenario)}
            files.write(target.with_suffix(".json"), files.json_bytes(about))
        watch("kinematic", done, len(todo))
    return Counter(ego for _, ego, _, _ in todo), findings


def _input(target: Path) -> str:
    """The key of a run that is done; "" for one that is not, or was cut short before its sidecar."""
    try:
        found = json.loads(target.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return str(found.get("input", "")) if target.exists() else ""


def _esmini(
    checked: Checked, plan: Plan, folder: Path, player: Path | None, wall: float, jobs: int, watch: Progress
) -> tuple[Counter[str], list[Finding]]:
    from regc.simulate import esmini

    options = esmini.Options(player=esmini.find_player(player), step=plan.step, wall=wall, jobs=jobs, vehicle_type=plan.vehicle_type)
    module = registry.load("targets", "openscenario")
    todo: list[esmini.ScenarioFile] = []
    keys = {item.id: scenario_key(item) for item in checked.scenarios}
    for ego in plan.egos:
        runs = {item.id: dict(_repeats(item, ego, plan)) for item in checked.scenarios}
        for number in sorted({number for numbers in runs.values() for number in numbers}):
            own = tuple(at_speed(item, runs[item.id][number]) for item in checked.scenarios if number in runs[item.id])
            chosen = module.Options(
                osc_version=plan.osc_version, ego=ego, step=plan.step, vehicle=plan.vehicle, targets=plan.targets, road=plan.road
            )
            place = folder / "files" / f"{ego}-r{number}"
            for artifact in module.emit(checked.model_copy(update={"scenarios": own}), chosen):
                files.write(place / artifact.path, artifact.content)
                if artifact.path.startswith("openscenario/concrete/") and artifact.path.endswith(".xosc"):
                    offset = float(runs[artifact.scenario or ""].get(number, Decimal(0)))
                    found = esmini.ScenarioFile(
                        place / artifact.path, str(number), plan.seed, {"subject_offset": offset}, keys[artifact.scenario or ""]
                    )
                    todo.append(found)
    infos, findings = esmini.run_files(todo, folder, options, watch)
    findings.extend(_fewer(checked, plan))
    if len({item.load_state.kind for item in checked.scenarios if item.load_state}) > 1:
        message = "esmini ignores mass and friction: both load states give the same motion, only their limits differ"
        findings.append(Finding(code="S714", severity="info", message=message, hint="run the CARLA or CarMaker target for load states"))
    return Counter(info.ego for info in infos), findings


def _not_driven(scenario: Scenario) -> Finding:
    return Finding(
        code="S715",
        severity="info",
        message=f"{scenario.id}: the kinematic engine drives in-lane and crossing targets",
        scenario=scenario.id,
        hint="--engine esmini runs its file",
    )
