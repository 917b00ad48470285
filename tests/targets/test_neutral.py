"""The neutral target: everything of a stage is in its JSON file, every number with its basis in its CSV file."""

from __future__ import annotations

import csv

import pytest

from regc.model.formula import evaluate
from regc.model.stage import Staged
from regc.targets import neutral
from tests.manoeuvres.examples import EXAMPLES
from tests.targets.factory import scenario, staged, suite


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_json_holds_the_whole_stage(name: str) -> None:
    tests, stages = staged(name, ego="reference")
    found = {item.path: item.content for item in neutral.emit(tests, stages, neutral.Options())}
    stage = stages.stages[0]
    read = neutral.Neutral.model_validate_json(found[f"neutral/{stage.stem}.json"])
    assert read.layout is not None
    assert {field: getattr(read.layout, field) for field in neutral.NeutralLayout.model_fields} == {
        field: getattr(stage, field) for field in neutral.NeutralLayout.model_fields
    }
    assert set(read.sheet) == set(stage.sheet)
    for value in read.values.values():
        assert [read.sources[place].label for place in value.sources]


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_csv_can_be_calculated_again_line_by_line(name: str) -> None:
    tests, stages = staged(name)
    stage = stages.stages[0]
    found = {item.path: item.content.decode() for item in neutral.emit(tests, stages, neutral.Options())}
    known: dict[str, float] = {}
    for row in csv.DictReader(found[f"neutral/{stage.stem}.csv"].splitlines()):
        if row["formula"]:
            assert float(row["value"]) == pytest.approx(evaluate(row["formula"].removeprefix("'"), known), rel=1e-6, abs=1e-6)
        elif row["basis"] == "assumed":
            assert row["assumption"]
            assert row["replace_with"]
        else:
            assert row["sources"] == "made 1"
        known[row["name"]] = stage.sheet[row["name"]].value


def test_table_of_all_stages_and_what_is_not_driven() -> None:
    tests = suite([scenario("child"), scenario("standing car")])
    stages = Staged(stages=staged("child")[1].stages, left_out={"standing_car": "nobody plays the target"})
    found = {item.path: item for item in neutral.emit(tests, stages, neutral.Options())}
    assert set(found) == {"neutral/child.csv", "neutral/child.json", "neutral/standing_car.json", "neutral/stages.csv"}
    rows = list(csv.DictReader(found["neutral/stages.csv"].content.decode().splitlines()))
    assert [(row["id"], row["not_driven"]) for row in rows] == [("child", ""), ("standing_car", "nobody plays the target")]
    assert rows[0]["manoeuvre"] == "crossing"
    assert "not more than 25 km/h" in rows[0]["criteria"]
    read = neutral.Neutral.model_validate_json(found["neutral/standing_car.json"].content)
    assert (read.layout, read.not_driven) == (None, "nobody plays the target")
    assert read.values["bind.subject"].lo == "60"
    assert [loss.code for loss in found["neutral/standing_car.json"].losses] == ["O610"]


def test_same_bytes_again() -> None:
    tests, stages = staged()
    assert neutral.emit(tests, stages, neutral.Options()) == neutral.emit(tests, stages, neutral.Options())
