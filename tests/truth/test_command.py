"""`regc eval` as a user runs it, with the hash embedder."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from regc.commands import eval as command
from regc.errors import DataFileError, MissingExtraError, RegcError
from regc.files import json_bytes
from regc.model.machine_files import packed
from regc.pipeline.request import Compiled
from tests.truth import test_fields

HASH = ["--embedder", "hash", "--no-cache"]
ROWS = [
    (
        f"Test_{family}_{load}_{speed}",
        "t",
        f"{family}: the {load} car does {speed} km/h when the test begins and may hit at {limit} km/h.",
    )
    for family in ("CtoStC", "CtoP")
    for load in ("laden", "unladen")
    for speed, limit in ((20, 1), (40, 9), (60, 25))
]


def call(*arguments: str | Path) -> Any:
    app = typer.Typer()
    app.callback()(lambda: None)
    command.register(app)
    return CliRunner().invoke(app, ["eval", *map(str, arguments)])


def write(path: Path, rows: Iterable[tuple[str, str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("Unique_ID", "Test_title", "test_scenario"))
        writer.writerows(rows)
    return path


def changed(place: int, old: str, new: str) -> list[tuple[str, str, str]]:
    id, title, text = ROWS[place]
    assert old in text
    return [*ROWS[:place], (id, title, text.replace(old, new)), *ROWS[place + 1 :]]


def scored(*arguments: str | Path) -> dict[str, Any]:
    result = call(*arguments, "--json", *HASH)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_json_has_exactly_the_promised_keys(tmp_path: Path) -> None:
    truth, generated = write(tmp_path / "t.csv", ROWS), write(tmp_path / "g.csv", changed(0, "20 km/h", "55 km/h"))
    found = scored("--truth", truth, "--generated", generated)
    assert set(found) == {"overall", "families", "meta_score", "misses", "exact"}
    assert set(found["exact"]) == {"overall", "families", "meta_score", "misses"}
    assert set(found["overall"]) == {"precision", "recall", "f1", "tp", "fp", "fn"}
    assert (found["overall"]["tp"], found["overall"]["fp"], found["overall"]["fn"]) == (11, 1, 1)
    assert set(found["families"]) == {"CtoStC", "CtoP"}
    assert found["families"]["CtoStC"]["f1"] == pytest.approx(5 / 6)
    # 83.33 and 100: mean 91.67, deviation 8.33.
    assert found["meta_score"] == pytest.approx(250 / 3)
    (miss,) = found["misses"]
    assert (miss["id"], miss["nearest"]) == (ROWS[0][0], ROWS[0][0])
    assert (miss["numbers"], miss["terms"]) == ({"missing": [20], "extra": [55]}, {"missing": [], "extra": []})


def test_the_profile_knows_load_states(tmp_path: Path) -> None:
    truth, generated = write(tmp_path / "t.csv", ROWS), write(tmp_path / "g.csv", changed(1, "laden", "unladen")[1:])
    found = scored("--truth", truth, "--generated", generated, "--profile", "un152")
    assert {miss["kind"] for miss in found["misses"]} >= {"load-state confusion"}


def test_output_is_the_same_on_every_run_and_order_of_rows(tmp_path: Path) -> None:
    truth = write(tmp_path / "t.csv", ROWS)
    generated = write(tmp_path / "g.csv", changed(0, "20 km/h", "55 km/h"))
    first, second = (call("--truth", truth, "--generated", generated, "--json", *HASH).stdout for _ in range(2))
    assert first == second
    backwards = scored("--truth", truth, "--generated", write(tmp_path / "b.csv", changed(0, "20 km/h", "55 km/h")[::-1]))
    assert backwards == json.loads(first)


@pytest.mark.parametrize("match", ["one-to-one", "paper"])
@pytest.mark.parametrize("delta", ["count", "f1"])
def test_truth_against_itself_is_100_in_every_mode(tmp_path: Path, match: str, delta: str) -> None:
    truth = write(tmp_path / "t.csv", ROWS)
    found = scored("--truth", truth, "--generated", truth, "--match", match, "--delta", delta)
    assert found["overall"]["f1"] == found["exact"]["overall"]["f1"] == 1
    assert found["meta_score"] == 100


def test_table_for_people_shows_exact_misses(tmp_path: Path) -> None:
    truth, generated = write(tmp_path / "t.csv", ROWS), write(tmp_path / "g.csv", changed(1, "40 km/h", "42 km/h"))
    result = call("--truth", truth, "--generated", generated, *HASH)
    assert result.exit_code == 0
    assert "100.00" in result.stdout
    assert "numbers only in the truth 40; numbers only in the generated 42" in result.stdout


def test_runs_by_name_and_by_number(tmp_path: Path) -> None:
    truth = write(tmp_path / "t.csv", ROWS)
    write(tmp_path / "g-1.csv", ROWS)
    write(tmp_path / "g-2.csv", ROWS[:-3])
    by_name = scored("--truth", truth, "--runs", tmp_path / "g-1.csv", tmp_path / "g-2.csv")
    by_number = scored("--truth", truth, "--generated", tmp_path / "g-{run}.csv", "--runs", "2")
    assert by_name == by_number
    assert [run["generated"] for run in by_name["runs"]] == ["g-1.csv", "g-2.csv"]
    assert by_name["spread"]["recall"] == {"mean": 0.875, "stdev": 0.125, "min": 0.75, "max": 1}
    assert set(by_name["spread"]["unsteady"]) == {row[0] for row in ROWS[-3:]}
    assert "mean 87.50, stdev 12.50" in call("--truth", truth, "--runs", tmp_path / "g-1.csv", tmp_path / "g-2.csv", *HASH).stdout


def test_several_truths_are_scored_each_with_the_lowest_cosines(tmp_path: Path) -> None:
    truth = write(tmp_path / "a.csv", ROWS)
    # another author's words for one scenario, and a wrong number in the build for another
    other = write(tmp_path / "b.csv", changed(0, "and may hit at", "and is allowed an impact at"))
    generated = write(tmp_path / "g.csv", changed(1, "40 km/h", "55 km/h"))
    found = scored("--truth", truth, "--truth", other, "--generated", generated)
    assert [(item["truth"], item["overall"]["tp"], item["lowest_cosine"]["id"]) for item in found["truths"]] == [
        ("a.csv", 11, ROWS[1][0]),
        ("b.csv", 10, ROWS[0][0]),
    ]
    between = found["lowest_between"]
    assert (between["sets"], between["id"]) == (["a.csv", "b.csv"], ROWS[0][0])
    assert 0.5 < between["cosine"] < 0.9
    assert found["truths"][1]["lowest_cosine"]["cosine"] == pytest.approx(between["cosine"])
    said = call("--truth", truth, "--truth", other, "--generated", generated, *HASH).stdout
    assert f"lowest cosine between the sets {between['cosine']:.4f} (a.csv and b.csv, {ROWS[0][0]})" in said
    assert isinstance(call("--truth", truth, "--truth", other, "--runs", generated, *HASH).exception, RegcError)


def test_a_scenario_without_truth_is_a_false_positive_of_its_family(tmp_path: Path) -> None:
    truth = write(tmp_path / "t.csv", ROWS)
    generated = write(tmp_path / "g.csv", [*ROWS, ("Test_CtoB_laden_77", "t", "CtoB: the laden car does 77 km/h.")])
    found = scored("--truth", truth, "--generated", generated)
    assert found["families"]["CtoB"] == {"precision": 0, "recall": 0, "f1": 0, "tp": 0, "fp": 1, "fn": 0}
    assert found["overall"]["fp"] == 1


def test_vocabulary_by_argument_needs_no_profile(tmp_path: Path) -> None:
    rows = [("1", "t", "the heavy load at 5"), ("2", "t", "the light load at 5")]
    truth, generated = write(tmp_path / "t.csv", rows), write(tmp_path / "g.csv", [rows[0], ("2", "t", "the heavy load at 5")])
    found = scored("--truth", truth, "--generated", generated, "--vocabulary", "heavy,light")
    assert list(found["families"]) == ["all"]
    assert found["overall"]["tp"] == 1
    with pytest.raises(DataFileError, match="whose terms"):
        raise call("--truth", truth, "--generated", generated, *HASH).exception


def test_findings_go_to_stderr_and_leave_the_json_alone(tmp_path: Path) -> None:
    truth = write(tmp_path / "t.csv", ROWS)
    result = call("--truth", truth, "--generated", write(tmp_path / "g.csv", [*ROWS, ROWS[0]]), "--json", *HASH)
    assert json.loads(result.stdout)["overall"]["fp"] == 1
    assert "R192" in result.stderr


def test_without_minilm_the_exact_command_is_named_and_nothing_replaces_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    truth = write(tmp_path / "t.csv", ROWS)
    error = call("--truth", truth, "--generated", truth, "--no-cache").exception
    assert isinstance(error, MissingExtraError)
    assert error.hint == 'pip install "regc[minilm]" (in a checkout: pip install ".[minilm]")'


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--truth", "t.csv"],
        ["--truth", "t.csv", "--generated", "g.csv", "--runs", "3"],
        ["--truth", "t.csv", "--generated", "g-{run}.csv", "--runs", "0"],
        ["--truth", "t.csv", "--generated", "g.csv", "more.csv"],
        ["--fields", "f.csv"],
    ],
)
def test_incomplete_calls_say_what_is_missing(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "t.csv", ROWS)
    error = call(*arguments).exception
    assert isinstance(error, RegcError)
    assert "--" in error.hint or "number of runs" in error.hint


def test_fields_need_no_model_and_fail_on_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedded: Compiled) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    one = tuple(item for item in embedded.suite.scenarios if item.id == test_fields.ID)
    built = tmp_path / "scenarios.json"
    built.write_bytes(json_bytes(packed(embedded.suite.model_copy(update={"scenarios": one}))))
    fields = test_fields.truth_file(tmp_path, {**test_fields.TRUTH, "require.impact": "impact_speed <= 10 km/h"})
    result = call("--fields", fields, "--scenarios", built)
    assert result.exit_code == 1
    assert "require.impact: truth impact_speed <= 10 km/h, built impact_speed <= 0.00 km/h" in result.stdout
    assert f"of {len(test_fields.TRUTH) - 1} fields equal in 1 scenarios" in result.stdout
    as_json = json.loads(call("--fields", fields, "--scenarios", built, "--json").stdout)
    assert as_json["missing"] == as_json["extra"] == []
