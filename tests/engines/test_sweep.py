"""Sweeps of kinematic runs: every point once, done chunks are kept, the table is the grid's order."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.judge.suites import un152

from regc.engines import sweep as sweeping
from regc.engines.sweep import AebGrid, Corner, Grid, at_speed, offsets, points, read_grid, sweep
from regc.errors import DataFileError
from regc.judge.campaign import bench_of
from regc.manoeuvres import data, stage
from regc.manoeuvres.plan import Options
from regc.model.scenario import Scenario

SOME = ("UNR152-02_p6.4_CtoStC_M1_MassRun_020", "UNR152-02_p6.4_CtoStC_M1_MassRun_042", "UNR152-02_p6.7.1_CtoB_M1_MaxMass_040")


def given(grid: Grid) -> tuple[list[Corner], list[Scenario]]:
    chosen = [item for item in un152().scenarios if item.id in SOME]
    laid_out = data.load(None, None, None)
    corners = [
        Corner(stage(at_speed(item, subject, target), laid_out, Options("reference")), subject, target)
        for item in chosen
        for subject, target in offsets(item, grid)
    ]
    return corners, chosen


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_points_are_corners_times_friction_times_models() -> None:
    grid = Grid(friction=(0.9, 0.5), aeb=AebGrid(braking_ttc=(0.8, 1.2, 1.6)))
    corners, chosen = given(grid)
    # nominal and one end (+2/-0 or +0/-2) for cars; for the bicycle test the end of its target's tolerance (+0/-1) too
    assert [sum(corner.stage.scenario == id for corner in corners) for id in SOME] == [2, 2, 4]
    found = list(points(corners, {item.id: item for item in chosen}, grid))
    assert len({point.model_dump_json() for point in found}) == len(found) == 8 * 6


def test_every_corner_of_a_tolerance_is_a_valid_run(tmp_path: Path) -> None:
    pytest.importorskip("joblib", reason="pip install 'regc[sweep]'")
    corners, chosen = given(Grid())
    found = rows(sweep(corners, chosen, bench_of(un152()), Grid(), tmp_path, jobs=1))
    assert [row["verdict"] for row in found] == ["pass"] * 8, [row["reason"] for row in found]


def test_sweep_judges_each_run_and_does_only_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("joblib", reason="pip install 'regc[sweep]'")
    monkeypatch.setattr(sweeping, "CHUNK", 5)
    grid = Grid(corners=False, friction=(0.9, 0.2), aeb=AebGrid(braking_ttc=(1.2, 0.5), warning_ttc=(2.2,)))
    corners, chosen = given(grid)
    table = sweep(corners, chosen, bench_of(un152()), grid, tmp_path, jobs=1)
    found = rows(table)
    assert len(found) == 3 * 4
    assert {row["verdict"] for row in found} == {"pass", "fail"}
    assert all(row["verdict"] == "fail" for row in found if row["friction"] == "0.2")  # 2 m/s2 stop nothing in time
    chunks = sorted((tmp_path / "chunks").iterdir())
    before = [path.stat().st_mtime_ns for path in chunks]
    chunks[1].unlink()
    assert rows(sweep(corners, chosen, bench_of(un152()), grid, tmp_path, jobs=1)) == found
    after = [path.stat().st_mtime_ns for path in chunks]
    assert [index for index, (was, now) in enumerate(zip(before, after, strict=True)) if was != now] == [1]


@pytest.mark.parametrize("text", ["frictions = [0.9]\n", "[aeb]\nbrake = [1]\n", "friction = 'wet'\n"])
def test_wrong_grid_names_the_key(tmp_path: Path, text: str) -> None:
    (tmp_path / "grid.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataFileError, match=r"frictions|brake|friction"):
        read_grid(tmp_path / "grid.toml")
