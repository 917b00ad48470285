"""`regc simulate`, `regc judge` and `regc targets` as a user runs them."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from regc.cli.main import main
from regc.judge.campaign import read_suite


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


@pytest.fixture
def runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    flags = ("--family", "pedestrian", "--category", "M1", "--sweep", "mandatory")
    assert run("simulate", "un152", *flags, "--ego", "reference", "--ego", "late", "--out", str(tmp_path), "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    folder = Path(summary["folder"])
    assert folder == tmp_path / "un152-02" / "runs" / "kinematic"
    # 6 prescribed tests: one baseline, and two runs by each model
    assert summary["runs"] == 6 * (1 + 2 + 2)
    return folder


def test_simulate_then_judge(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("judge", str(runs), "--json", "--out", str(tmp_path / "verdicts")) == 1  # the late model fails
    judgement = json.loads(capsys.readouterr().out)
    groups = {group["vehicle_type"]: group for group in judgement["groups"]}
    assert groups["M1 (reference)"]["verdict"] == "pass"
    assert (groups["M1 (reference)"]["group"], groups["M1 (reference)"]["tests"]) == ("6.10.1(b)", ["pedestrian"])
    assert groups["M1 (reference)"]["limit"] == "<= 10.0 per cent"
    assert groups["M1 (late)"]["verdict"] == "fail"
    assert sum(run["baseline"] for run in judgement["runs"]) == 6
    assert all(item["vacuous"] is False for item in judgement["scenarios"])
    assert json.loads((tmp_path / "verdicts" / "verdicts.json").read_text(encoding="utf-8")) == judgement
    junit = ET.parse(tmp_path / "verdicts" / "junit.xml").getroot()
    failures = {suite.get("name"): suite.get("failures") for suite in junit}
    assert failures["pools"] == "1"
    table = (tmp_path / "verdicts" / "verdicts.csv").read_text(encoding="utf-8").splitlines()
    assert len(table) == 1 + 30
    first = next(row for row in csv.DictReader(table) if "__late__" in row["log"] and row["verdict"] == "fail")
    assert first["impact"].endswith(" km/h")
    assert (first["impact_required"][:3], first["impact_result"]) == ("<= ", "not_met")
    assert first["impact_clause"].startswith("un152 5.2.2.4, table")
    assert {"impact_bracket", "warning_bracket", "demand_clause"} <= set(first)


def test_simulate_says_what_it_drove(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The band of the test speed has room for 21 different speeds of 0.1 km/h, however many runs are asked for."""
    flags = ("--family", "stationary", "--where", "load=run", "--category", "M1", "--sweep", "mandatory", "--runs", "3000")
    run("simulate", "un152", *flags, "--out", str(tmp_path), "--json")
    summary = json.loads(capsys.readouterr().out)
    logs = [path.stem for path in Path(summary["folder"]).glob("*.csv")]
    baselines = [name for name in logs if "__none__" in name]
    tests = summary["scenarios"]
    assert (
        summary["egos"] == {"none": len(baselines), "reference": len(logs) - len(baselines)} == {"none": tests, "reference": 21 * tests}
    )
    assert summary["runs"] == len(logs)
    assert [(item["code"], item["message"]) for item in summary["findings"]] == [
        ("S716", "3000 runs of each test were asked for; at most 21 have different speeds within the tolerance")
    ]
    run("simulate", "un152", *flags, "--out", str(tmp_path))
    printed = " ".join(capsys.readouterr().out.split())
    assert f"{22 * tests} runs ({tests} without a system, {21 * tests} reference) in " in printed


def test_one_of_six_prescribed_tests_driven_is_no_pass(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = "UNR152-02_p6.6.1_CtoP_M1_MassRun_020"
    for path in runs.glob("*__*"):
        if not path.name.startswith(f"{chosen}__reference"):
            path.unlink()
    assert len(list(runs.glob("*__*.csv"))) == 2
    assert run("judge", str(runs), "--json") == 1
    judgement = json.loads(capsys.readouterr().out)
    assert [group["verdict"] for group in judgement["groups"]] == ["incomplete"]
    assert len(judgement["not_driven"]) == 5
    assert {item["verdict"] for item in judgement["runs"]} == {"pass"}
    assert run("judge", str(runs), "--partial") == 0


def test_runs_that_are_done_are_not_done_again(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = sorted(runs.glob("*.csv"))
    before = [path.stat().st_mtime_ns for path in logs]
    logs[0].with_suffix(".json").unlink()
    flags = ("--family", "pedestrian", "--category", "M1", "--sweep", "mandatory")
    assert run("simulate", "un152", *flags, "--ego", "reference", "--ego", "late", "--out", str(tmp_path)) == 0
    after = [path.stat().st_mtime_ns for path in logs]
    assert [number for number, (was, now) in enumerate(zip(before, after, strict=True)) if was != now] == [0]
    capsys.readouterr()


def test_repeats_differ_within_the_tolerance(runs: Path) -> None:
    offsets: dict[str, set[float]] = {}
    for path in runs.glob("*__reference__*.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        offsets.setdefault(data["scenario"], set()).add(data["parameters"]["subject_offset"])
    assert all(len(values) == 2 and 0.0 in values for values in offsets.values())
    assert all(-2.0 <= value <= 2.0 for values in offsets.values() for value in values)


def test_foreign_log_through_a_mapping(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = next(path for path in sorted(runs.glob("*__reference__r1.csv")))
    header, *rows = log.read_text(encoding="utf-8").splitlines()
    names = header.split(",")
    kept = {"time_s": "Zeit", "subject_speed_m_s": "v", "target_speed_m_s": "vz", "gap_m": "d", "lateral_offset_m": "y", "contact": "K"}
    kept |= {"warning": "W", "braking_demand_m_s2": "B"}
    foreign = tmp_path / "foreign.csv"
    lines = [";".join(kept.values())]
    lines += [";".join(row.split(",")[names.index(name)].replace(".", ",") for name in kept) for row in rows]
    foreign.write_text("\n".join(lines) + "\n", encoding="utf-8")
    units = {"time_s": "s", "subject_speed_m_s": "m/s", "target_speed_m_s": "m/s", "gap_m": "m", "lateral_offset_m": "m"}
    units |= {"contact": "", "warning": "", "braking_demand_m_s2": "m/s2"}
    channels = {name: name.replace("_m_s2", "").replace("_m_s", "").removesuffix("_s").removesuffix("_m") for name in kept}
    columns = "\n".join(f'{channels[name]} = {{ column = "{kept[name]}", unit = "{units[name]}" }}' for name in kept)
    scenario = log.name.split("__")[0]
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(
        f'delimiter = ";"\ndecimal = ","\n[columns]\n{columns}\n[run]\nscenario = "{scenario}"\nsimulated = true\n', encoding="utf-8"
    )
    run("judge", str(foreign), "--mapping", str(mapping), "--scenarios", str(runs / "scenarios.json"), "--json")
    verdict = json.loads(capsys.readouterr().out)["runs"][0]
    assert (verdict["scenario"], verdict["verdict"]) == (scenario, "pass")


def test_targets_and_profiles_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("targets", "openscenario", "--profile", "esmini-3", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["targets"]["openscenario"]["osc-version"]["default"] == "1.3"
    assert found["profile"]["openscenario"] == ["1.0", "1.1", "1.2", "1.3"]
    assert run("targets", "carla") == 0
    assert "--town" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("judge", "nowhere"), "no such file"),
        (("simulate", "un152", "--ego", "refrence"), "did you mean 'reference'"),
        (("simulate", "un152", "--engine", "esmini", "--esmini", "nowhere/esmini"), "no such program"),
        (("targets", "openscenario", "--profile", "esmini-4"), "did you mean 'esmini-3'"),
    ],
)
def test_wrong_use_says_what_to_do(
    arguments: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 2
    assert says in capsys.readouterr().err


def test_folder_without_logs_or_scenarios_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("judge", str(tmp_path)) == 2
    assert "scenarios.json" in capsys.readouterr().err


def test_reason_on_record_changes_the_warning_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--family", "stationary", "--category", "M1", "--sweep", "mandatory", "--out", str(tmp_path))
    model = tmp_path / "aeb.toml"
    model.write_text("warning_ttc = 1.5\nbraking_ttc = 1.2\ndemand = 9.0\n", encoding="utf-8")
    assert run("simulate", "un152", *flags, "--aeb", str(model), "--json") == 0
    folder = json.loads(capsys.readouterr().out)["folder"]
    assert run("judge", folder, "--json") == 1  # 0.3 s before braking, and 0.8 s are asked for
    capsys.readouterr()
    told = tmp_path / "declare.toml"
    told.write_text('[reasons]\nwarning = "hidden until 1.5 s before"\n', encoding="utf-8")
    assert run("judge", folder, "--declare", str(told), "--json") == 0
    capsys.readouterr()
    told.write_text('[reasons."UNR152-02_p6.4_CtoStC_M1_MaxMass_040"]\nwarning = "hidden"\n', encoding="utf-8")
    assert run("judge", folder, "--declare", str(told), "--json") == 1
    passed = {item["scenario"] for item in json.loads(capsys.readouterr().out)["scenarios"] if item["verdict"] == "pass"}
    assert passed == {"UNR152-02_p6.4_CtoStC_M1_MaxMass_040"}
    told.write_text('[reasons.UNR152-02_p6.4_CtoStC_M1_MaxMass_040]\nwarning = "hidden"\n', encoding="utf-8")
    assert run("judge", folder, "--declare", str(told)) == 2  # an id has dots
    assert "in quotes" in capsys.readouterr().err
    told.write_text("reasons = 7\n", encoding="utf-8")
    assert run("judge", folder, "--declare", str(told)) == 2
    assert "reasons = 7" in capsys.readouterr().err


def test_filter_does_not_soften_a_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # what is driven is filtered, but the suite beside the logs is the edition's, so that a measured speed finds its own row
    flags = ("--family", "stationary", "--category", "M1", "--sweep", "mandatory", "--out", str(tmp_path))
    assert run("simulate", "un152", *flags, "--ego", "late", "--json") == 0
    suite, chosen = read_suite(Path(json.loads(capsys.readouterr().out)["folder"]) / "scenarios.json")
    assert (len(suite.scenarios), len(suite.tables), len(chosen or ())) == (184, 12, 6)


def test_make_mapping_prints_a_starting_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "bench.csv"
    log.write_text("Time [s],Speed\n0,1\n", encoding="utf-8")
    assert run("judge", str(log), "--make-mapping") == 0
    assert "time = { column = 'Time [s]', unit = 's' }" in capsys.readouterr().out
    assert run("judge", str(tmp_path), "--make-mapping") == 2
    assert "takes one log file" in capsys.readouterr().err


def test_half_driven_folder_is_no_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--family", "pedestrian", "--category", "M1", "--sweep", "mandatory", "--out", str(tmp_path), "--json")
    assert run("simulate", "un152", *flags) == 0
    folder = Path(json.loads(capsys.readouterr().out)["folder"])
    for log in folder.glob("*_060__*"):
        log.unlink()
    assert run("judge", str(folder)) == 1
    assert "2 scenarios not driven" in capsys.readouterr().out.replace("\n", " ")
    assert run("judge", str(folder), "--partial") == 0
    (folder / "chosen.json").unlink()  # without a choice the prescribed scenarios of the category are due
    assert run("judge", str(folder)) == 1


def test_families_one_after_another_share_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for family in ("pedestrian", "bicycle"):
        flags = ("--family", family, "--category", "M1", "--sweep", "mandatory", "--out", str(tmp_path), "--json")
        assert run("simulate", "un152", *flags) == 0
        folder = json.loads(capsys.readouterr().out)["folder"]
    assert run("judge", folder, "--json") == 0
    judgement = json.loads(capsys.readouterr().out)
    assert ([item["code"] for item in judgement["findings"]], judgement["not_driven"]) == ([], [])
    assert (len(judgement["scenarios"]), len(judgement["not_chosen"])) == (12, 184 - 12)
    # logs of another build of the bicycle tests
    for sidecar in Path(folder).glob("*_CtoB_*.json"):
        data = json.loads(sidecar.read_text(encoding="utf-8"))
        sidecar.write_text(json.dumps({**data, "scenario_key": "0" * 16}), encoding="utf-8")
    assert run("judge", folder) == 1  # they were chosen, and no run of them is left
    printed = capsys.readouterr().out
    assert "6 scenarios not driven" in printed.replace("\n", " ")
    assert "15 more S707; --json lists all" in printed
    assert "findings.json" not in printed
    assert "6 not driven; 172 of the edition not chosen" in printed


def test_incomplete_says_what_to_do_and_how_speeds_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ("--family", "pedestrian", "--category", "M1", "--sweep", "mandatory", "--out", str(tmp_path))
    assert run("simulate", "un152", *flags, "--json", "--runs", "1") == 0
    folder = json.loads(capsys.readouterr().out)["folder"]
    assert run("judge", folder) == 1
    printed = capsys.readouterr().out
    assert "0 failed: drive 1 more run" in printed
    assert "... 1 more incomplete; --json lists all" in printed
    assert "read to 0.1 km/h" in printed
    assert run("judge", str(next(Path(folder).glob("*__reference__r1.csv"))), "--scenarios", f"{folder}/scenarios.json") == 1
    assert "1 scenario incomplete" in capsys.readouterr().out


def test_help_tells_what_is_declared(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("judge", "--help") == 0
    assert "avoids_up_to" in capsys.readouterr().out


def test_sweep_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("joblib", reason="pip install 'regc[sweep]'")
    grid = tmp_path / "grid.toml"
    grid.write_text("friction = [0.9, 0.3]\n[aeb]\nbraking_ttc = [1.2]\n", encoding="utf-8")
    flags = ("--family", "stationary", "--category", "M1", "--sweep", "mandatory", "--jobs", "1")
    assert run("simulate", "un152", *flags, "--grid", str(grid), "--out", str(tmp_path), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert sum(found["runs"].values()) == 6 * 2 * 2
    assert found["runs"]["fail"] > 0
    assert "invalid" not in found["runs"]
