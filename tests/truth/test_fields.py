"""Field by field against a truth typed by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from regc.errors import DataFileError
from regc.files import json_bytes
from regc.model.machine_files import packed
from regc.model.scenario import Scenario
from regc.pipeline.request import Compiled
from regc.truth import compare_fields, read_suite, read_truth, same

ID = "UNR152-02_p6.4_CtoStC_M1_MaxMass_040"
#: The whole test, as the document says it.
TRUTH = {
    "id": ID,
    "test": "stationary",
    "status": "mandatory",
    "axis.category": "M1",
    "axis.load": "max",
    "actors.target": "car",
    "bind.subject": "40 km/h",
    "tol.subject": "+0/-2 km/h",
    "bind.target": "0 km/h",
    "bind.relative": "40 km/h",
    "bind.ttc": ">=4 s",
    "bind.offset": "<=0.2 m",
    "require.impact": "impact_speed <= 0 km/h",
    "require.warning": "warning before braking by 0.8 s",
    "require.warning.else": "warning before braking",
    "conditions.illumination": ">1000 lux",
    "runs.count": "2",
    "applies_if": "",
}


@pytest.fixture(scope="session")
def built_test(embedded: Compiled) -> Scenario:
    return next(item for item in embedded.suite.scenarios if item.id == ID)


def truth_file(folder: Path, *rows: dict[str, str]) -> Path:
    path = folder / "truth.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(TRUTH))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_equal_values_in_other_digits_are_equal(tmp_path: Path, built_test: Scenario) -> None:
    """0 km/h in the truth, 0.00 km/h in the document."""
    result = compare_fields(read_truth(truth_file(tmp_path, TRUTH)), [built_test])
    assert result.clean, result.differences
    assert (result.scenarios, result.equal, result.compared) == (1, len(TRUTH) - 1, len(TRUTH) - 1)


@pytest.mark.parametrize(
    ("field", "truth", "built"),
    [
        ("require.impact", "impact_speed <= 10 km/h", "impact_speed <= 0.00 km/h"),
        ("require.impact", "impact_speed < 0 km/h", "impact_speed <= 0.00 km/h"),
        ("require.warning", "warning before braking", "warning before braking by 0.8 s"),
        ("bind.ttc", "4 s", ">=4 s"),
        ("bind.ttc", ">=4.5 s", ">=4 s"),
        ("bind.ttc", "", ">=4 s"),
        ("bind.subject", "40 mph", "40 km/h"),
        ("tol.subject", "+2/-0 km/h", "+0/-2 km/h"),
        ("tol.subject", "", "+0/-2 km/h"),
        ("axis.category", "N1", "M1"),
        ("status", "option", "mandatory"),
        ("conditions.illumination", ">2000 lux", ">1000 lux"),
        ("actors.target", "bicycle", "car"),
    ],
)
def test_a_difference_names_both_cells(field: str, truth: str, built: str, tmp_path: Path, built_test: Scenario) -> None:
    result = compare_fields(read_truth(truth_file(tmp_path, {**TRUTH, field: truth})), [built_test])
    assert [(item.scenario, item.field, item.truth, item.built) for item in result.differences] == [(ID, field, truth, built)]
    assert result.equal == result.compared - 1


def test_what_an_equation_gives_need_not_be_said_but_is_held_where_it_is(tmp_path: Path, built_test: Scenario) -> None:
    """relative = subject - target."""
    silent = compare_fields(read_truth(truth_file(tmp_path, {**TRUTH, "bind.relative": ""})), [built_test])
    assert silent.clean
    wrong = compare_fields(read_truth(truth_file(tmp_path, {**TRUTH, "bind.relative": "30 km/h"})), [built_test])
    assert [item.field for item in wrong.differences] == ["bind.relative"]


@pytest.mark.parametrize(
    ("truth", "built", "equal"),
    [
        ("±2 km/h", "+-2 km/h", True),
        ("+2/-2 km/h", "+-2 km/h", True),
        ("+2.0/-2 km/h", "± 2 km/h", True),
        ("+2/-0 km/h", "+-2 km/h", False),
        ("+2/-2.5 km/h", "+-2 km/h", False),
        ("+2/-25 km/h", "+-25 km/h", False),
    ],
)
def test_a_tolerance_of_equal_sides_has_three_forms(truth: str, built: str, equal: bool) -> None:
    assert same(truth, built) is equal


def test_a_borrowed_tolerance_may_be_stated_or_not(tmp_path: Path, embedded: Compiled) -> None:
    """25 km/h is no prescribed speed; it borrows the tolerance of 40 km/h."""
    option = next(item for item in embedded.suite.scenarios if item.id == ID.replace("_040", "_025"))
    row = {**TRUTH, "id": option.id, "status": "option", "bind.subject": "25 km/h", "bind.relative": "25 km/h"}
    for tolerance, differing in (("", []), ("+0/-2 km/h", []), ("+0/-1 km/h", ["tol.subject"])):
        result = compare_fields(read_truth(truth_file(tmp_path, {**row, "tol.subject": tolerance})), [option])
        assert [item.field for item in result.differences] == differing


def test_missing_and_extra_scenarios(tmp_path: Path, built_test: Scenario) -> None:
    result = compare_fields(read_truth(truth_file(tmp_path, {**TRUTH, "id": "other"})), [built_test])
    assert (result.missing, result.extra, result.compared, result.clean) == (("other",), (ID,), 0, False)


def test_bad_truth_files(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="stands on line 2 too"):
        read_truth(truth_file(tmp_path, TRUTH, TRUTH))
    with pytest.raises(DataFileError, match="no rows"):
        read_truth(truth_file(tmp_path))
    path = tmp_path / "truth.csv"
    for content, says in (
        (b"id,test\na,b,c\n", "line 2: not as many cells"),
        (b"id,test\na\n", "line 2: not as many cells"),
        (b"name,test\na,b\n", "no truth table|not a truth table"),
        (b"\xff\xfe\x00", "not a truth table"),
    ):
        path.write_bytes(content)
        with pytest.raises(DataFileError, match=says):
            read_truth(path)
    with pytest.raises(DataFileError, match="not a truth table"):
        read_truth(tmp_path / "absent.csv")


def test_scenarios_json(tmp_path: Path, embedded: Compiled) -> None:
    path = tmp_path / "scenarios.json"
    path.write_bytes(json_bytes(packed(embedded.suite)))
    assert read_suite(path).scenarios == embedded.suite.scenarios
    older = json.dumps({**json.loads(path.read_text("utf-8")), "schema_version": "1.0"})
    for content in ("{", "[]", '{"scenarios": [{}]}', older):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(DataFileError, match=r"not a build's scenarios\.json"):
            read_suite(path)
    with pytest.raises(DataFileError, match="No such file"):
        read_suite(tmp_path / "absent.json")
