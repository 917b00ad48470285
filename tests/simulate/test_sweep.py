"""Sweeps: the same results on every backend, nothing lost and nothing done twice when a run is killed or the disk is full."""

from __future__ import annotations

import csv
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.factories import false_reaction, family_sweep

from regc import assumed, files
from regc.errors import DataFileError, OutputError
from regc.simulate import sweep as sweeps
from regc.simulate._limits import LimitTables
from regc.simulate.kinematic import Assumptions

joblib = pytest.importorskip("joblib", reason="joblib is not installed: pip install 'regc[sweep]'")

DATA = Assumptions(assumed.vehicles(), assumed.targets())
SUITE = (
    *family_sweep("car_to_stationary_car", "M1", "MassRun")[6:12],
    *family_sweep("car_to_moving_car", "N1", "MaxMass")[-4:],
    false_reaction(),
)
#: All scenarios whose limit rows stand in the columns of these.
EDITION = (*family_sweep("car_to_stationary_car", "M1", "MassRun"), *family_sweep("car_to_stationary_car", "N1", "MaxMass"), *SUITE)
GRID = sweeps.Grid(friction=(0.9, 0.4), aeb=sweeps.AebGrid(braking_ttc=(0.8, 1.2), demand=(5.0, 8.0)))
ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import sys
from pathlib import Path
from tests.simulate import test_sweep as t
t.sweeps.CHUNK = 10
if __name__ == "__main__":
    t.sweeps.sweep(t.SUITE, t.DATA, t.GRID, Path(sys.argv[1]), jobs=1, suite=t.EDITION)
"""


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    return sweeps.sweep(SUITE, DATA, GRID, tmp_path_factory.mktemp("whole"), jobs=1, suite=EDITION).read_text(encoding="utf-8")


def test_grid_is_every_combination_within_the_tolerances() -> None:
    found = list(sweeps.points(SUITE, DATA, GRID))
    # 6 stationary scenarios: nominal and one end of a one-sided tolerance; 4 moving ones times the target's two ends
    assert len(found) == (6 * 2 + 4 * 2 * 2) * 2 * 2 * 2
    assert all(SUITE[point.scenario].approach_type != "manoeuvre" for point in found)
    assert {round(point.parameters.subject_offset, 6) for point in found} == {0.0, -2.0}


def test_results_are_in_order_and_friction_lengthens_the_stop(expected: str) -> None:
    rows = list(csv.DictReader(io.StringIO(expected)))
    assert [row["scenario"] for row in rows] == [SUITE[point.scenario].id for point in sweeps.points(SUITE, DATA, GRID)]
    impact = {friction: sum(float(row["impact_speed"]) for row in rows if row["friction"] == friction) for friction in ("0.4", "0.9")}
    assert impact["0.4"] > impact["0.9"] > 0
    assert {row["verdict"] for row in rows} == {"pass", "fail"}


def test_contact_between_two_scenarios_of_a_part_of_the_edition_is_open(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(sweeps.sweep(SUITE, DATA, GRID, tmp_path, jobs=1).read_text(encoding="utf-8"))))
    assert {row["subject_offset"] for row in rows if row["verdict"] == "incomplete"} == {"0.0", "-2.0"}
    assert all(float(row["impact_speed"]) > 0 for row in rows if row["verdict"] == "incomplete")


def test_lost_chunk_alone_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: str) -> None:
    monkeypatch.setattr(sweeps, "CHUNK", 60)
    sweeps.sweep(SUITE, DATA, GRID, tmp_path, jobs=1, suite=EDITION)
    chunks = sorted((tmp_path / "chunks").iterdir())
    before = {path.name: path.stat().st_mtime_ns for path in chunks}
    chunks[1].unlink()
    assert sweeps.sweep(SUITE, DATA, GRID, tmp_path, jobs=1, suite=EDITION).read_text(encoding="utf-8") == expected
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "chunks").iterdir()}
    assert [name for name in before if after[name] != before[name]] == [chunks[1].name]


def test_full_disk_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: str) -> None:
    monkeypatch.setattr(sweeps, "CHUNK", 60)
    whole = files.write

    def full_after_one(path: Path, content: bytes) -> None:
        if list((tmp_path / "chunks").glob("*.jsonl")):
            raise OutputError(f"{path}: no space left on device")
        whole(path, content)

    monkeypatch.setattr(files, "write", full_after_one)
    with pytest.raises(OutputError, match="no space"):
        sweeps.sweep(SUITE, DATA, GRID, tmp_path, jobs=1, suite=EDITION)
    assert len(list((tmp_path / "chunks").iterdir())) == 1
    monkeypatch.setattr(files, "write", whole)
    assert sweeps.sweep(SUITE, DATA, GRID, tmp_path, jobs=1, suite=EDITION).read_text(encoding="utf-8") == expected


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process group")
def test_killed_in_mid_run_and_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: str) -> None:
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], cwd=ROOT, start_new_session=True)
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None and not list(tmp_path.glob("chunks/*.jsonl")):
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    left = list(tmp_path.glob("chunks/*.jsonl"))
    assert left
    monkeypatch.setattr(sweeps, "CHUNK", 10)
    assert sweeps.sweep(SUITE, DATA, GRID, tmp_path, jobs=1, suite=EDITION).read_text(encoding="utf-8") == expected


def test_dead_workers_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: str) -> None:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    class DiesOnce:
        died = False

        def __init__(self, n_jobs: int) -> None:
            self.real = joblib.Parallel(n_jobs=n_jobs)

        def __call__(self, tasks: object) -> object:
            if not DiesOnce.died:
                DiesOnce.died = True
                raise TerminatedWorkerError("a worker was killed")
            return self.real(tasks)

    fake = type("FakeJoblib", (), {"Parallel": DiesOnce, "delayed": staticmethod(joblib.delayed)})
    monkeypatch.setattr(sweeps, "_start", lambda *_: fake)
    assert sweeps.sweep(SUITE, DATA, GRID, tmp_path, jobs=1, suite=EDITION).read_text(encoding="utf-8") == expected
    assert DiesOnce.died


@pytest.mark.parametrize("backend", ["loky", "dask", "ray"])
def test_backends_give_the_same_results_on_a_local_cluster(tmp_path: Path, backend: str, expected: str) -> None:
    if backend != "loky":
        pytest.importorskip("distributed" if backend == "dask" else "ray", reason=f"pip install 'regc[{backend}]'")
    result = sweeps.sweep(SUITE, DATA, GRID, tmp_path, backend=backend, jobs=2, suite=EDITION)  # type: ignore[arg-type]
    assert result.read_text(encoding="utf-8") == expected


def test_ten_thousand_runs_take_less_than_a_minute_of_one_core() -> None:
    chunk = list(sweeps.points(SUITE, DATA, GRID))[:200]
    tables = LimitTables(SUITE)
    sweeps.run_chunk(SUITE, tables, DATA, chunk[:5])
    start = time.process_time()
    sweeps.run_chunk(SUITE, tables, DATA, chunk)
    assert (time.process_time() - start) / len(chunk) * 10_000 < 60


def test_wrong_grid_names_file_and_key(tmp_path: Path) -> None:
    path = tmp_path / "grid.toml"
    path.write_text("friction = [0.9]\ncorner = true\n", encoding="utf-8")
    with pytest.raises(DataFileError, match="corner"):
        sweeps.read_grid(path)
