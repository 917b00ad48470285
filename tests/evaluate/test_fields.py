"""Field by field against a truth typed by hand."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from regc.errors import DataFileError
from regc.evaluate.fields import COLUMNS, compare_fields, read_fields, read_scenarios
from regc.model.source import Quantity, Tolerance
from tests.factories import cited, scenario

ID = "UNR152-02_p6.4_CtoStC_M1_MaxMass_040"
TRUTH = {
    "id": ID, "family": "car_to_stationary_car", "category": "M1", "load_kind": "maximum_mass", "status": "mandatory",
    "subject_speed": "40", "speed_plus": "0", "speed_minus": "2", "target_speed": "0", "relative_speed": "40", "max_impact_speed": "0",
}  # fmt: skip
BASE = scenario().model_copy(update={"approach": scenario().approach.__class__(), "trigger": scenario().trigger.__class__()})


def truth_file(folder: Path, *rows: dict[str, str]) -> Path:
    path = folder / "fields.csv"
    path.write_text("\n".join([",".join(COLUMNS), *(",".join(row.get(name, "") for name in COLUMNS) for row in rows), ""]))
    return path


def only(**fields: object) -> object:
    """The base scenario with just the fields that TRUTH states, and others changed."""
    criteria = BASE.criteria.model_copy(update={"min_warning_lead_time": None, "min_braking_demand": None})
    runs = BASE.runs.__class__()
    return BASE.model_copy(update={"criteria": criteria, "runs": runs, **fields})


def test_equal_values_in_other_digits_are_equal(tmp_path: Path) -> None:
    result = compare_fields(read_fields(truth_file(tmp_path, TRUTH)), [only()])  # type: ignore[list-item]
    assert result.clean
    assert (result.scenarios, result.equal, result.compared) == (1, len(COLUMNS) - 1, len(COLUMNS) - 1)


def test_each_difference_names_both_values_and_the_place(tmp_path: Path) -> None:
    rows = read_fields(
        truth_file(tmp_path, {**TRUTH, "max_impact_speed": "10.00", "min_ttc": "4", "category": "N1", "speed_minus": "1"})
    )
    result = compare_fields(rows, [only()])  # type: ignore[list-item]
    found = {item.field: (item.truth, item.built, item.place) for item in result.differences}
    assert set(found) == {"max_impact_speed", "min_ttc", "category", "speed_minus"}
    assert found["max_impact_speed"][:2] == ("10.00", "0.00")
    assert "row 40" in found["max_impact_speed"][2]
    assert found["min_ttc"] == ("4", None, "un152 6.4")
    assert result.equal == result.compared - 4


def test_a_number_that_the_truth_does_not_state_differs_unless_it_is_assumed(tmp_path: Path) -> None:
    rows = read_fields(truth_file(tmp_path, TRUTH))
    trigger = BASE.trigger.__class__(min_ttc=cited("4", "s", "6.4"))
    assert [item.field for item in compare_fields(rows, [only(trigger=trigger)]).differences] == ["min_ttc"]  # type: ignore[list-item]
    assumed = Quantity(value=Decimal("4"), unit="s", basis="assumed", assumption="A801")
    trigger = trigger.model_copy(update={"min_ttc": assumed})
    assert compare_fields(rows, [only(trigger=trigger)]).clean  # type: ignore[list-item]


def test_a_borrowed_tolerance_may_be_stated_or_not(tmp_path: Path) -> None:
    silent = read_fields(truth_file(tmp_path, {**TRUTH, "speed_plus": "", "speed_minus": ""}))
    stated = read_fields(truth_file(tmp_path, TRUTH))
    wrong = read_fields(truth_file(tmp_path, {**TRUTH, "speed_minus": "1"}))
    tolerance = Tolerance(plus=Decimal(0), minus=Decimal(2), assumption="A802")
    subject = BASE.subject.model_copy(update={"test_speed": BASE.subject.test_speed.model_copy(update={"tolerance": tolerance})})
    built = [only(subject=subject)]
    assert compare_fields(silent, built).clean  # type: ignore[arg-type]
    assert compare_fields(stated, built).clean  # type: ignore[arg-type]
    assert [item.field for item in compare_fields(wrong, built).differences] == ["speed_minus"]  # type: ignore[arg-type]


def test_missing_and_extra_scenarios(tmp_path: Path) -> None:
    rows = read_fields(truth_file(tmp_path, {**TRUTH, "id": "other"}))
    result = compare_fields(rows, [only()])  # type: ignore[list-item]
    assert (result.missing, result.extra, result.compared, result.clean) == (("other",), (ID,), 0, False)


def test_bad_truth_files(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="line 2 column min_ttc: '4 s' is not a number"):
        read_fields(truth_file(tmp_path, {**TRUTH, "min_ttc": "4 s"}))
    with pytest.raises(DataFileError, match="stands on line 2 too"):
        read_fields(truth_file(tmp_path, TRUTH, TRUTH))
    with pytest.raises(DataFileError, match="no rows"):
        read_fields(truth_file(tmp_path))


def test_scenarios_json(tmp_path: Path) -> None:
    path = tmp_path / "scenarios.json"
    path.write_text(json.dumps({"schema_version": "1", "scenarios": [BASE.model_dump(mode="json")]}))
    assert read_scenarios(path) == (BASE,)
    for content in ("{", "[]", '{"scenarios": [{}]}'):
        path.write_text(content)
        with pytest.raises(DataFileError, match=r"not a build's scenarios\.json"):
            read_scenarios(path)
    with pytest.raises(DataFileError, match="No such file"):
        read_scenarios(tmp_path / "absent.json")
