"""Many kinematic runs: corners of tolerances, friction and parameters of an AEB model, on one machine or a cluster through joblib.

Runs go out in chunks. A chunk's results are written once, whole, when it comes back; a killed worker costs the chunk that it had in
hand, which is done again. A sweep that is started again does only what is missing.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from regc import files
from regc.engines.kinematic import AebModel, RunParameters, drive
from regc.errors import MissingExtraError, SimulationError
from regc.judge.run import Bench, judge_run
from regc.model.protocols import Progress
from regc.model.scenario import Scenario
from regc.model.stage import Stage
from regc.model.value import Value, Word
from regc.runs.playback import info_of, log_of
from regc.tomlfiles import read_model

Backend = Literal["loky", "dask", "ray"]
#: Runs in a chunk: some seconds of work, so that a lost chunk costs little and a task's overhead is small against it.
CHUNK = 100
#: Times that a chunk is handed out again after its worker died.
_ATTEMPTS = 3


class AebGrid(BaseModel):
    """Values of the AEB model's parameters; an empty list keeps the stage's own system."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    warning_ttc: tuple[float, ...] = ()
    braking_ttc: tuple[float, ...] = ()
    demand: tuple[float, ...] = ()
    delay: tuple[float, ...] = ()
    jerk: tuple[float, ...] = ()
    load_factor: tuple[float, ...] = ()


class Grid(BaseModel):
    """What is varied. `corners`: the nominal speeds and both ends of their tolerances. `friction` empty: the document's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    corners: bool = True
    friction: tuple[float, ...] = ()
    step: float = Field(default=0.01, gt=0, le=0.1)
    aeb: AebGrid = AebGrid()


@dataclass(frozen=True)
class Corner:
    """A stage, and what the speeds of subject vehicle and target differ by from the nominal ones (in their own units)."""

    stage: Stage
    subject: Decimal = Decimal(0)
    target: Decimal = Decimal(0)


class Point(BaseModel):
    """One run: position of the corner, and its parameters."""

    model_config = ConfigDict(frozen=True)

    corner: int
    parameters: RunParameters


def read_grid(path: Path) -> Grid:
    """A grid from TOML. Raises DataFileError."""
    return read_model(path, Grid, hint="corners = true, friction = [0.9, 0.6], [aeb] braking_ttc = [1.0, 1.2]")


def offsets(scenario: Scenario, grid: Grid) -> Iterator[tuple[Decimal, Decimal]]:
    """Corners of the tolerances of both speeds, the nominal ones first."""
    yield from itertools.product(_ends(scenario, "subject", grid), _ends(scenario, "target", grid))


def points(corners: Sequence[Corner], scenarios: Mapping[str, Scenario], grid: Grid) -> Iterator[Point]:
    """Every run of the grid in a fixed order; a stage whose system is no model of warning and braking times is left out where the grid
    varies one."""
    names = [name for name in AebGrid.model_fields if getattr(grid.aeb, name)]
    for index, corner in enumerate(corners):
        own = _model(corner.stage)
        if names and own is None:
            continue
        loaded = _loaded(scenarios[corner.stage.scenario])
        for friction in grid.friction or (None,):
            for chosen in itertools.product(*(getattr(grid.aeb, name) for name in names)):
                model = None
                if names and own is not None:
                    model = AebModel.model_validate({**own.model_dump(), **dict(zip(names, chosen, strict=True))})
                yield Point(corner=index, parameters=RunParameters(friction=friction, step=grid.step, aeb=model, loaded=loaded))


def _model(stage: Stage) -> AebModel | None:
    """The stage's own system as a model of times to collision; None where it is none."""
    warns, brakes = stage.system.warns, stage.system.brakes
    if warns is None or brakes is None or {warns.kind, brakes.kind} != {"ttc"} or warns.value <= 0 or brakes.value <= 0:
        return None
    return AebModel(warning_ttc=warns.value, braking_ttc=brakes.value, demand=stage.system.demand)


def _loaded(scenario: Scenario) -> bool:
    mass = scenario.conditions.get("mass")
    return isinstance(mass, Word) and mass.word == "max"


def _ends(scenario: Scenario, name: str, grid: Grid) -> tuple[Decimal, ...]:
    """Offsets in the value's own unit: nominal and the ends of the tolerance."""
    value = scenario.number(name)
    if not grid.corners or value is None or value.tolerance is None or not value.is_number or not value.lo:
        return (Decimal(0),)
    return (Decimal(0), *(end for end in (-value.tolerance.minus, value.tolerance.plus) if end))


def run_chunk(
    corners: Sequence[Corner], scenarios: Mapping[str, Scenario], bench: Bench, chunk: Sequence[Point]
) -> list[dict[str, Any]]:
    """The results of some runs; what a worker does."""
    results = []
    for point in chunk:
        corner, parameters = corners[point.corner], point.parameters
        stage = corner.stage
        scenario = scenarios[stage.scenario]
        log = log_of(stage, drive(stage, parameters), info_of(stage, engine="kinematic"))
        verdict = judge_run(scenario, log, bench)
        criteria = {check.label: check for check in verdict.checks if check.part == "criterion"}
        results.append(
            {
                "scenario": scenario.id,
                "variant": stage.variant,
                **{name: axis.value for name, axis in scenario.axes.items()},
                "subject_offset": float(corner.subject),
                "target_offset": float(corner.target),
                "friction": parameters.friction,
                **({f"aeb_{name}": value for name, value in parameters.aeb.model_dump().items()} if parameters.aeb else {}),
                "verdict": verdict.verdict,
                "impact_speed": verdict.impact_speed,
                "contact_time": verdict.contact_time,
                "limit": verdict.limit_rows[-1][1] if verdict.limit_rows else "",
                **{f"{label}_value": check.value for label, check in criteria.items()},
                "reason": "" if verdict.verdict == "pass" else verdict.reason,
            }
        )
    return results


def sweep(
    corners: Sequence[Corner],
    scenarios: Sequence[Scenario],
    bench: Bench,
    grid: Grid,
    out: Path,
    *,
    backend: Backend = "loky",
    jobs: int = 2,
    cluster: str = "",
    progress: Progress | None = None,
) -> Path:
    """Every run of the grid; the results as one CSV in the grid's order, beside the chunks. `scenarios`: those of the corners; `bench`:
    what they are judged by. Raises MissingExtraError for a backend that is not installed, SimulationError when workers keep dying,
    OutputError when `out` cannot be written."""
    known = {scenario.id: scenario for scenario in scenarios}
    todo = list(points(corners, known, grid))
    chunks = [todo[at : at + CHUNK] for at in range(0, len(todo), CHUNK)]
    laid_out = (corner.stage for corner in corners)
    base = hashlib.sha256(b"".join(item.model_dump_json().encode() for item in (*laid_out, *scenarios))).hexdigest()
    names = [out / "chunks" / f"{number:05d}-{_key(base, chunk)}.jsonl" for number, chunk in enumerate(chunks)]
    missing = [number for number, name in enumerate(names) if not name.exists()]
    with ExitStack() as stack:
        if missing:
            joblib = _start(stack, backend, jobs, cluster)
        for attempt in range(_ATTEMPTS + 1):
            if not missing:
                break
            if attempt == _ATTEMPTS:
                raise SimulationError(
                    f"{len(missing)} chunks had their workers die {_ATTEMPTS} times", hint="fewer --jobs; what is done is kept"
                )
            for batch in _batches(missing, jobs * 4):
                tasks = [joblib.delayed(run_chunk)(corners, known, bench, chunks[number]) for number in batch]
                try:
                    for number, results in zip(batch, joblib.Parallel(n_jobs=jobs)(tasks), strict=True):
                        lines = "".join(json.dumps(result) + "\n" for result in results)
                        files.write(names[number], lines.encode())
                except Exception as problem:
                    if not _died(problem):
                        raise
                if progress:
                    progress("sweep", min(sum(name.exists() for name in names) * CHUNK, len(todo)), len(todo))
            missing = [number for number, name in enumerate(names) if not name.exists()]
    target = out / "results.csv"
    files.write(target, _table(names).encode())
    return target


def _key(base: str, chunk: Sequence[Point]) -> str:
    digest = hashlib.sha256(base.encode())
    for point in chunk:
        digest.update(point.model_dump_json().encode())
    return digest.hexdigest()[:16]


def _batches(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for at in range(0, len(numbers), size):
        yield numbers[at : at + size]


def _died(problem: Exception) -> bool:
    """Whether a worker died, by the names that the backends give to it."""
    names = {kind.__name__ for kind in type(problem).__mro__}
    return bool(names & {"TerminatedWorkerError", "BrokenProcessPool", "KilledWorker", "WorkerCrashedError", "RayActorError"})


def _start(stack: ExitStack, backend: Backend, jobs: int, cluster: str) -> Any:
    """joblib with the chosen backend; it is closed with the stack."""
    try:
        import joblib

        if backend == "dask":
            from dask.distributed import Client, LocalCluster

            if cluster:
                client = stack.enter_context(Client(cluster))
            else:
                local = stack.enter_context(LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None))
                client = stack.enter_context(Client(local))
            assert client is not None
        elif backend == "ray":
            import ray
            from ray.util.joblib import register_ray

            ray.init(address=cluster or None, num_cpus=None if cluster else jobs, include_dashboard=False, log_to_driver=False)
            stack.callback(ray.shutdown)
            register_ray()
    except ImportError as problem:
        extra = "sweep" if backend == "loky" else backend
        raise MissingExtraError(f"--backend {backend} needs {problem.name}", extra=extra) from problem
    context: AbstractContextManager[Any] = joblib.parallel_config(backend=backend)
    stack.enter_context(context)
    return joblib


def _table(names: Sequence[Path]) -> str:
    """All results in order, one line a run; columns in the order in which they first appear."""
    rows = [json.loads(line) for name in names for line in name.read_text(encoding="utf-8").splitlines()]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({key: "" if value is None else value for key, value in row.items()} for row in rows)
    return stream.getvalue()


# ---- simulated repeats: the same test at another speed within the tolerance that the document states.


#: Repeats differ by whole steps of this size, in the unit of the test speed.
_STEP = Decimal("0.1")
ASSUMPTION = "A852"


def speed_offsets(scenario: Scenario, runs: int, seed: int) -> tuple[Decimal, ...]:
    """What to add to the test speed in each run (its own unit): nothing in the first, then different values within the tolerance,
    drawn from the seed. Shorter than `runs` when the tolerance has no room, or there is none."""
    speed = scenario.number("subject")
    if speed is None or speed.tolerance is None or not speed.is_number:
        return (Decimal(0),)
    low, high = int(speed.tolerance.minus / _STEP), int(speed.tolerance.plus / _STEP)
    steps = [step for step in range(-low, high + 1) if step]
    draw = random.Random(f"{scenario.id}:{seed}")
    chosen = draw.sample(steps, min(runs - 1, len(steps))) if runs > 1 else []
    return (Decimal(0), *(step * _STEP for step in chosen))


def at_speed(scenario: Scenario, offset: Decimal, target: Decimal = Decimal(0)) -> Scenario:
    """The scenario driven at other speeds of subject vehicle and target (offsets in their own units). The new numbers are marked
    assumed; limits stay those of the nominal ones. What followed from the speeds follows from the new ones."""
    if not offset and not target:
        return scenario
    bind = {name: value for name, value in scenario.bind.items() if name not in ("relative", "gap") or _is_cited(value)}
    subject, other, relative = (scenario.number(name) for name in ("subject", "target", "relative"))
    for name, by in (("subject", offset), ("target", target), ("relative", _closing(subject, other, relative, offset, target))):
        value = bind.get(name)
        if by and isinstance(value, Value) and value.lo is not None and value.hi is not None:
            bind[name] = value.model_copy(
                update={
                    "lo": value.lo + by,
                    "hi": value.hi + by,
                    "basis": "assumed",
                    "assumption": ASSUMPTION,
                    "tolerance": None,
                    "formula": "",
                }
            )
    return scenario.model_copy(update={"bind": bind})


def _is_cited(value: Value | Word) -> bool:
    return isinstance(value, Word) or value.basis != "derived"


def _closing(subject: Value | None, target: Value | None, relative: Value | None, offset: Decimal, by: Decimal) -> Decimal:
    """What a relative speed that the document states changes by; a target that crosses takes nothing of it away."""
    if subject is None or target is None or relative is None or None in (subject.lo, target.lo, relative.lo):
        return offset
    assert subject.lo is not None
    assert target.lo is not None
    return offset - by if relative.lo == subject.lo - target.lo else offset
