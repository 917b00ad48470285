"""Runs in esmini: both engines say the same, errors are read, nothing is run twice."""

from __future__ import annotations

import json
import shutil
import stat
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tests.judge.suites import un152
from tests.targets import stages as kinds

from regc.engines import esmini
from regc.engines.kinematic import drive
from regc.errors import SimulationError
from regc.judge.campaign import judge
from regc.manoeuvres import data, stage
from regc.manoeuvres.plan import Options as Layout
from regc.model.stage import Stage, Staged
from regc.runs.playback import info_of, log_of
from regc.runs.read import read_logs
from regc.targets import openscenario

needs_esmini = pytest.mark.skipif(shutil.which("esmini") is None, reason="esmini is not on PATH")
SOME = (
    "UNR152-02_p6.4_CtoStC_M1_MassRun_042", "UNR152-02_p6.5_CtoMoC_M1_MaxMass_060-020", "UNR152-02_p6.6.1_CtoP_M1_MaxMass_040",
    "UNR152-02_p6.7.1_CtoB_N1_MaxMass_060",
)  # fmt: skip


@cache
def stages(ego: str, ids: tuple[str, ...] = SOME) -> tuple[Stage, ...]:
    given = data.load(None, None, None)
    chosen = [item for item in un152().scenarios if item.id in ids]
    assert len(chosen) == len(ids)
    return tuple(stage(item, given, Layout(ego)) for item in chosen)  # type: ignore[arg-type]


def written(folder: Path, ego: str) -> list[esmini.ScenarioFile]:
    laid_out = {item.stem: item for item in stages(ego)}
    files = []
    for artifact in openscenario.emit(un152(), Staged(stages=tuple(laid_out.values())), openscenario.Options()):
        path = folder / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
        if path.suffix == ".xosc" and path.stem in laid_out:
            files.append(esmini.ScenarioFile(path, info_of(laid_out[path.stem], run="1", seed=1)))
    return files


@needs_esmini
@pytest.mark.parametrize("ego", ["none", "reference", "late"])
def test_both_engines_say_the_same(tmp_path: Path, ego: str) -> None:
    infos, findings = esmini.run_files(written(tmp_path / ego, ego), tmp_path / "logs", esmini.Options(player=esmini.find_player()))
    assert (len(infos), findings) == (len(SOME), [])
    theirs = judge(un152(), read_logs([tmp_path / "logs"])[0]).runs
    ours = judge(un152(), [log_of(item, drive(item), info_of(item)) for item in stages(ego)]).runs
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.scenario == other.scenario
        assert mine.verdict == other.verdict, (mine.reason, other.reason)
        assert mine.collided == other.collided
        if mine.collided:
            assert mine.impact_speed == pytest.approx(other.impact_speed, abs=0.2)
            assert mine.contact_time == pytest.approx(other.contact_time, abs=0.0201)


@needs_esmini
@pytest.mark.parametrize("ego", ["none", "reference", "late"])
def test_both_engines_agree_on_every_kind_of_test(tmp_path: Path, ego: str) -> None:
    """Within 0.1 km/h and a step: when something happens and ends, where it meets, and at what speed."""
    laid_out = {item.stem: (item, info_of(item, run=item.variant or "1")) for item in kinds.staged(ego).stages}
    driven = {(info.scenario, info.run): item for item, info in laid_out.values()}
    files = []
    stages_ = tuple(item for item, _ in laid_out.values())
    for artifact in openscenario.emit(kinds.suite(), Staged(stages=stages_), openscenario.Options()):
        path = tmp_path / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
        if path.suffix == ".xosc" and path.stem in laid_out:
            files.append(esmini.ScenarioFile(path, laid_out[path.stem][1]))
    infos, findings = esmini.run_files(files, tmp_path / "logs", esmini.Options(player=esmini.find_player()))
    assert (len(infos), findings) == (len(laid_out), [])
    for theirs in read_logs([tmp_path / "logs"])[0]:
        staged = driven[theirs.info.scenario, theirs.info.run]
        ours = log_of(staged, drive(staged), info_of(staged))
        assert theirs.time[-1] == pytest.approx(ours.time[-1], abs=0.0101), theirs.info.scenario
        for event in {"functional_part", "warning", "braking", "driver_brakes"} & {*ours.info.events, *theirs.info.events}:
            assert theirs.info.events[event] == pytest.approx(ours.info.events[event], abs=0.0101), (theirs.info.scenario, event)
        touched = [np.flatnonzero(log.touching) if log.touching is not None else np.array([]) for log in (ours, theirs)]
        assert bool(touched[0].size) == bool(touched[1].size), theirs.info.scenario
        if touched[0].size:
            speeds = [log.channels["closing_speed"][found[0] - 1] for log, found in zip((ours, theirs), touched, strict=True)]
            assert speeds[1] * 3.6 == pytest.approx(speeds[0] * 3.6, abs=0.1), theirs.info.scenario
            assert touched[1][0] == pytest.approx(touched[0][0], abs=1), theirs.info.scenario


@needs_esmini
def test_done_runs_are_not_run_again(tmp_path: Path) -> None:
    files = written(tmp_path, "none")
    options = esmini.Options(player=esmini.find_player())
    esmini.run_files(files, tmp_path / "logs", options)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "logs").glob("*.csv")}
    infos, _ = esmini.run_files(files, tmp_path / "logs", options)
    assert (len(infos), len(before)) == (4, 4)
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "logs").glob("*.csv")}


def player(folder: Path, script: str) -> Path:
    """A program that stands in for the player."""
    path = folder / "player"
    path.write_text("#!/bin/sh\n" + script, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        ("exit 3\n", "S713", "ended with exit code 3 and wrote no log"),
        ("echo '[0.0] [error] no catalog' > log.txt; touch log.csv\n", "S710", "no catalog"),
        ("sleep 20\n", "S711", "stopped after 0.3 s"),
    ],
)
def test_what_goes_wrong_in_the_player_is_told(tmp_path: Path, script: str, code: str, says: str) -> None:
    (file, *_) = written(tmp_path, "none")
    options = esmini.Options(player=player(tmp_path, script), wall=0.3)
    _, findings = esmini.run_files([file], tmp_path / "logs", options)
    assert code in [finding.code for finding in findings]
    assert any(says in finding.message for finding in findings)


def test_file_against_its_schema_first(tmp_path: Path) -> None:
    (file, *_) = written(tmp_path, "none")
    file.path.write_text("<OpenSCENARIO><FileHeader revMajor='1' revMinor='3'/></OpenSCENARIO>", encoding="utf-8")
    infos, findings = esmini.run_files([file], tmp_path / "logs", esmini.Options(player=player(tmp_path, "exit 0\n")))
    assert (infos, [finding.code for finding in findings]) == ([], ["S712"])


def test_no_player_is_told(tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="no such program"):
        esmini.find_player(tmp_path / "esmini")


def test_sidecar_says_what_was_run(tmp_path: Path) -> None:
    (file, *_) = written(tmp_path, "none")
    script = "echo 'esmini GIT' > log.csv; echo '0, 0.0, ' >> log.csv\n"
    esmini.run_files([file], tmp_path / "logs", esmini.Options(player=player(tmp_path, script)))
    (sidecar,) = (tmp_path / "logs").glob("*.json")
    data_ = json.loads(sidecar.read_text(encoding="utf-8"))
    assert (data_["scenario"], data_["ego"], data_["engine"], data_["simulated"]) == (file.info.scenario, "none", "esmini", True)
