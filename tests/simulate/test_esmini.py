"""Runs in esmini: the baseline collides as designed, the reference passes, errors are read, nothing is run twice."""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.factories import checked, scenario, sweep

from regc import assumed
from regc.errors import SimulationError
from regc.model.scenario import Scenario
from regc.simulate import esmini
from regc.simulate.judge import judge
from regc.simulate.kinematic import Assumptions, RunParameters, simulate
from regc.simulate.readlog import read_logs
from regc.targets import openscenario

DATA = Assumptions(assumed.vehicles(), assumed.targets())
needs_esmini = pytest.mark.skipif(shutil.which("esmini") is None, reason="esmini is not on PATH")
SOME = (
    scenario("car_to_stationary_car", speed="42", load="MassRun"),
    scenario("car_to_moving_car", speed="60"),
    scenario("car_to_pedestrian", speed="40"),
    scenario("car_to_bicycle", speed="60", category="N1"),
)


def written(folder: Path, scenarios: Sequence[Scenario], ego: str) -> list[esmini.ScenarioFile]:
    for artifact in openscenario.emit(checked(*scenarios), openscenario.Options.model_validate({"ego": ego})):
        path = folder / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
    return [esmini.ScenarioFile(path) for path in sorted((folder / "openscenario" / "concrete").glob("*.xosc"))]


@needs_esmini
@pytest.mark.parametrize("ego", ["none", "reference", "late"])
def test_both_engines_agree(tmp_path: Path, ego: str) -> None:
    files = written(tmp_path / ego, SOME, ego)
    infos, findings = esmini.run_files(files, tmp_path / "logs", esmini.Options(player=esmini.find_player()))
    assert len(infos) == len(SOME)
    assert not findings
    logs, _ = read_logs([tmp_path / "logs"])
    theirs = judge(SOME, logs).runs
    ours = judge(SOME, [simulate(item, DATA, RunParameters.model_validate({"ego": ego})) for item in SOME]).runs
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.scenario == other.scenario
        assert mine.verdict == other.verdict, (mine.reason, other.reason)
        assert mine.collided == other.collided
        if mine.collided:
            assert mine.impact_speed == pytest.approx(other.impact_speed, abs=0.1)
            assert mine.contact_time == pytest.approx(other.contact_time, abs=0.0101)


@needs_esmini
def test_all_180_baselines_collide_at_test_speed_when_the_time_is_up(tmp_path: Path) -> None:
    suite = sweep()
    infos, findings = esmini.run_files(written(tmp_path, suite, "none"), tmp_path / "logs", esmini.Options(player=esmini.find_player()))
    assert (len(infos), findings) == (180, [])
    logs, _ = read_logs([tmp_path / "logs"])
    for run in judge(suite, logs).runs:
        item = next(item for item in suite if item.id == run.scenario)
        assert item.relative_speed is not None
        assert run.collided
        assert run.impact_speed == pytest.approx(float(item.relative_speed.value), abs=0.1)
        assert not [check.name for check in run.checks if check.result == "not_met"], run.scenario


@needs_esmini
def test_a_run_that_is_done_is_not_run_again(tmp_path: Path) -> None:
    files = written(tmp_path, SOME[:1], "none")
    options = esmini.Options(player=esmini.find_player())
    esmini.run_files(files, tmp_path / "logs", options)
    log = next((tmp_path / "logs").glob("*.csv"))
    before = log.stat().st_mtime_ns
    esmini.run_files(files, tmp_path / "logs", options)
    assert log.stat().st_mtime_ns == before
    log.with_suffix(".json").unlink()  # killed before the sidecar was written: the run counts as not done
    esmini.run_files(files, tmp_path / "logs", options)
    assert log.stat().st_mtime_ns != before
    assert not [path for path in (tmp_path / "logs").iterdir() if path.name.startswith(".")]


@needs_esmini
def test_invalid_file_is_named_and_not_run(tmp_path: Path) -> None:
    files = written(tmp_path, SOME[:1], "none")
    files[0].path.write_text(files[0].path.read_text(encoding="utf-8").replace("<SpeedAction>", "<SpedAction>"), encoding="utf-8")
    infos, findings = esmini.run_files(files, tmp_path / "logs", esmini.Options(player=esmini.find_player()))
    assert infos == []
    assert [item.code for item in findings] == ["S712"]


def player(folder: Path, body: str) -> Path:
    """A program that stands in for a player, to see what is made of its behaviour."""
    path = folder / "player.sh"
    path.write_text("#!/bin/sh\n" + body, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_player_that_hangs_is_stopped_by_the_clock(tmp_path: Path) -> None:
    files = written(tmp_path, SOME[:1], "none")
    options = esmini.Options(
        player=player(tmp_path, 'printf "esmini GIT REV\\n0, 0.0, Eg" > log.csv\ntouch log.txt\nexec sleep 30\n'), wall=0.3
    )
    infos, findings = esmini.run_files(files, tmp_path / "logs", options)
    assert [item.code for item in findings] == ["S711"]
    assert len(infos) == 1
    log = next((tmp_path / "logs").glob("*.csv"))
    assert log.read_text(encoding="utf-8") == "esmini GIT REV\n"  # the half line is dropped
    verdict = judge(SOME, read_logs([tmp_path / "logs"])[0]).runs[0]
    assert verdict.verdict == "invalid"


def test_error_lines_count_although_the_exit_code_is_0(tmp_path: Path) -> None:
    files = written(tmp_path, SOME[:1], "none")
    line = "[error] No such catalog entry"
    body = f'printf "[] {line}\\n[0.0] {line}\\n" > log.txt\necho "esmini GIT REV" > log.csv\n'
    _, findings = esmini.run_files(files, tmp_path / "logs", esmini.Options(player=player(tmp_path, body)))
    assert [(item.code, item.severity) for item in findings] == [("S710", "error")]
    assert "No such catalog entry" in findings[0].message


def test_player_that_fails_leaves_no_log(tmp_path: Path) -> None:
    files = written(tmp_path, SOME[:1], "none")
    infos, findings = esmini.run_files(files, tmp_path / "logs", esmini.Options(player=player(tmp_path, "exit 3\n")))
    assert infos == []
    assert [item.code for item in findings] == ["S713"]
    assert list((tmp_path / "logs").iterdir()) == []


def test_missing_player_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SimulationError) as raised:
        esmini.find_player()
    assert "--engine kinematic" in raised.value.hint
    with pytest.raises(SimulationError):
        esmini.find_player(tmp_path / "esmini")


def test_sidecar_names_the_run(tmp_path: Path) -> None:
    files = [esmini.ScenarioFile(file.path, "2", 7, {"subject_offset": -0.4}) for file in written(tmp_path, SOME[:1], "reference")]
    line = "[2.010] [info] FunctionalPart standbyState -> startTransition -> runningState"
    body = f'printf "{line}\\n" > log.txt\necho "esmini GIT REV" > log.csv\n'
    esmini.run_files(files, tmp_path / "logs", esmini.Options(player=player(tmp_path, body)))
    data = json.loads(next((tmp_path / "logs").glob("*__reference__r2.json")).read_text(encoding="utf-8"))
    assert data["events"] == {"functional_part": 2.01}
    assert (data["seed"], data["parameters"], data["mass"]) == (7, {"subject_offset": -0.4}, 1450.0)
