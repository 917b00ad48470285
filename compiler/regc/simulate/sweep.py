"""Many kinematic runs: speeds, loads, tolerance corners, friction and AEB parameters, on one machine or a cluster through joblib.

Runs go out in chunks. A chunk's results are written once, whole, when it comes back; a killed worker costs the chunk that it had in
hand, which is done again. A sweep that is started again does only what is missing.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from regc import files
from regc.errors import DataFileError, MissingExtraError, SimulationError
from regc.model.protocols import Progress
from regc.model.scenario import Scenario
from regc.model.units import si_of
from regc.simulate._criteria import WarningContext
from regc.simulate._limits import LimitTables
from regc.simulate._setup import Assumptions
from regc.simulate.judge import judge_run
from regc.simulate.kinematic import AebModel, RunParameters, default_aeb, simulate

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Backend = Literal["loky", "dask", "ray"]
#: Runs in a chunk: about a second of work, so that a lost chunk costs little and a task's overhead is small against it.
CHUNK = 250
#: Times that a chunk is handed out again after its worker died.
_ATTEMPTS = 3


class AebGrid(BaseModel):
    """Values of the AEB model's parameters; an empty list keeps the reference."""

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


class Point(BaseModel):
    """One run: position of the scenario in the suite, and its parameters."""

    model_config = ConfigDict(frozen=True)

    scenario: int
    parameters: RunParameters


def read_grid(path: Path) -> Grid:
    """A grid from TOML. Raises DataFileError."""
    try:
        return Grid.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError) as problem:
        hint = "corners = true, friction = [0.9, 0.6], [aeb] braking_ttc = [1.0, 1.2]"
        raise DataFileError(f"{path}: {problem}", hint=hint) from problem


def points(scenarios: Sequence[Scenario], data: Assumptions, grid: Grid) -> Iterator[Point]:
    """Every run of the grid in a fixed order; scenarios that the engine does not drive are left out."""
    names = [name for name in AebGrid.model_fields if getattr(grid.aeb, name)]
    for index, scenario in enumerate(scenarios):
        reference = default_aeb(scenario, data, "reference")
        if scenario.approach_type == "manoeuvre" or reference is None:
            continue
        for subject, target in itertools.product(_ends(scenario.subject.test_speed, grid), _ends(scenario.target.speed, grid)):
            for friction in grid.friction or (None,):
                for chosen in itertools.product(*(getattr(grid.aeb, name) for name in names)):
                    model = AebModel.model_validate({**reference.model_dump(), **dict(zip(names, chosen, strict=True))})
                    yield Point(
                        scenario=index,
                        parameters=RunParameters(
                            subject_offset=subject, target_offset=target, friction=friction, step=grid.step, aeb=model
                        ),
                    )


def _ends(quantity: Any, grid: Grid) -> tuple[float, ...]:
    """Offsets in km/h: nominal and the ends of the tolerance."""
    if not grid.corners or quantity.tolerance is None:
        return (0.0,)
    ends = (-quantity.tolerance.minus, quantity.tolerance.plus)
    return (0.0, *(float(si_of(end, quantity.unit)) * 3.6 for end in ends if end))


def run_chunk(scenarios: Sequence[Scenario], tables: LimitTables, data: Assumptions, chunk: Sequence[Point]) -> list[dict[str, Any]]:
    """The results of some runs; what a worker does."""
    results = []
    for point in chunk:
        scenario = scenarios[point.scenario]
        verdict = judge_run(scenario, simulate(scenario, data, point.parameters), tables)
        if verdict.verdict == "fail" and verdict.collided is False:
            # The lead time is asked for above the speed that the vehicle can avoid; this run avoided its own.
            log = simulate(scenario, data, point.parameters)
            verdict = judge_run(scenario, log, tables, WarningContext(avoids_up_to=scenario.subject.test_speed.value, basis="this run"))
        model = point.parameters.aeb
        results.append(
            {
                "scenario": scenario.id,
                "load": scenario.load_state.kind if scenario.load_state else "",
                "subject_offset": round(point.parameters.subject_offset, 6),
                "target_offset": round(point.parameters.target_offset, 6),
                "friction": point.parameters.friction,
                **({f"aeb_{name}": value for name, value in model.model_dump().items()} if model else {}),
                "verdict": verdict.verdict,
                "impact_speed": verdict.impact_speed,
                "contact_time": verdict.contact_time,
                "warning_lead": verdict.warning_lead,
                "max_demand": verdict.max_demand,
                "limit": verdict.limit_rows[-1][1] if verdict.limit_rows else "",
                "reason": "" if verdict.verdict == "pass" else verdict.reason,
            }
        )
    return results


def sweep(
    scenarios: Sequence[Scenario],
    data: Assumptions,
    grid: Grid,
    out: Path,
    *,
    backend: Backend = "loky",
    jobs: int = 2,
    cluster: str = "",
    suite: Sequence[Scenario] = (),
    progress: Progress | None = None,
) -> Path:
    """Every run of the grid; the results as one CSV in the grid's order, beside the chunks. `suite`: all scenarios of the edition,
    whose limit rows are read; without it, contacts at a speed between two of the scenarios are incomplete. Raises MissingExtraError
    for a backend that is not installed, SimulationError when workers keep dying, OutputError when `out` cannot be written."""
    tables = LimitTables(suite or scenarios, complete=bool(suite))
    todo = list(points(scenarios, data, grid))
    chunks = [todo[at : at + CHUNK] for at in range(0, len(todo), CHUNK)]
    base = hashlib.sha256(repr(data).encode() + b"".join(item.model_dump_json().encode() for item in (*scenarios, *suite))).hexdigest()
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
                tasks = [joblib.delayed(run_chunk)(scenarios, tables, data, chunks[number]) for number in batch]
                try:
                    for number, results in zip(batch, joblib.Parallel(n_jobs=jobs)(tasks), strict=True):
                        lines = "".join(json.dumps(result, sort_keys=True) + "\n" for result in results)
                        files.write(names[number], lines.encode())
                except Exception as problem:
                    if not _died(problem):
                        raise
                if progress:
                    progress("sweep", sum(name.exists() for name in names) * CHUNK, len(todo))
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
    """All results in order, one line a run."""
    stream = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for name in names:
        for line in name.read_text(encoding="utf-8").splitlines():
            result = json.loads(line)
            if writer is None:
                writer = csv.DictWriter(stream, list(result), lineterminator="\n")
                writer.writeheader()
            writer.writerow({key: "" if value is None else value for key, value in result.items()})
    return stream.getvalue()
