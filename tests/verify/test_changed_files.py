"""A build with something changed in it: the second reader names file, path, value and what it should be."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regc.model.document import Document
from regc.pipeline.build import build
from regc.pipeline.request import Built, Request
from regc.verify import Verified, verify
from tests.conftest import INVENTED, all_targets

SUITE = "scenarios.json"


@pytest.fixture(scope="session")
def shuttles(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The invented regulation with every target; its folder is not changed."""
    return build(Request(str(INVENTED), targets=all_targets()), tmp_path_factory.mktemp("shuttles"))


@pytest.fixture
def copy(shuttles: Built, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shuttles.folder, tmp_path / "copy"))


def looked(folder: Path, made: Built) -> Verified:
    return verify(folder, made.compiled.document)


def change(folder: Path, name: str, edit: Callable[[Any], object]) -> None:
    """Change a JSON file in place."""
    path = folder / name
    data = json.loads(path.read_text("utf-8"))
    edit(data)
    path.write_text(json.dumps(data), "utf-8")


def told(found: Verified, file: str) -> list[tuple[str, str, str, str]]:
    return [(item.code, item.path, item.said, item.held) for item in found.differences if item.file == file]


def scenario(data: Any, ending: str) -> Any:
    return next(item for item in data["scenarios"] if item["id"].endswith(ending))


def test_a_build_is_read_again_and_nothing_differs(shuttles: Built) -> None:
    found = looked(shuttles.folder, shuttles)
    assert found.differences == ()
    assert found.clean
    assert found.read > 1000
    assert found.calculated > 1000
    assert found.line == (
        f"{found.read} numbers in {found.files} files read again at their places, {found.calculated} recalculated, "
        f"all other bytes of {found.hashed} files by the manifest"
    )
    assert shuttles.verified == found


def test_a_limit_of_another_row_is_named(copy: Path, shuttles: Built) -> None:
    # the document: light shuttle, crowded, 24 mph: 14.0, and 18 mph: 6.5
    def edit(data: Any) -> None:
        asked = scenario(data, "_ShToStand_LS_crowded_024")["require"][0]
        assert asked["limit"]["value"]["lo"] == "14.0"
        asked["limit"]["value"] |= {"lo": "6.5", "hi": "6.5"}

    change(copy, SUITE, edit)
    differences = told(looked(copy, shuttles), SUITE)
    (first,) = [item for item in differences if item[0] == "V561"]
    assert first[1].endswith("_ShToStand_LS_crowded_024.require.impact.limit")
    assert first[2] == "6.5 mph"
    assert "row 24" in first[3]
    assert "says 14 mph" in first[3]


def test_a_row_swapped_with_its_limit_is_named(copy: Path, shuttles: Built) -> None:
    # value and place both of row 18: each stands there, but the test drives at 24
    def edit(data: Any) -> None:
        here, other = (scenario(data, f"_ShToStand_LS_crowded_{key}")["require"][0] for key in ("024", "018"))
        here["limit"]["value"] = other["limit"]["value"]

    change(copy, SUITE, edit)
    differences = told(looked(copy, shuttles), SUITE)
    assert [(item[0], item[2], item[3]) for item in differences] == [("V562", "6.5 mph", "the table says 14 at 24 mph")]


def test_a_column_swapped_is_named(copy: Path, shuttles: Built) -> None:
    # the crowded shuttle given the limits of the empty one: every cell stands where it says
    def edit(data: Any) -> None:
        crowded, empty = (
            next(table for table in data["tables"] if table["axes"] == {"category": "LS", "load": load})
            for load in ("crowded", "empty")
        )
        crowded["rows"] = empty["rows"]

    change(copy, SUITE, edit)
    differences = told(looked(copy, shuttles), SUITE)
    assert any(code == "V561" and 'Empty" is of load empty; load is crowded' in held for code, _, _, held in differences)


def test_a_lost_row_of_a_limit_table_is_named(copy: Path, shuttles: Built) -> None:
    def edit(data: Any) -> None:
        table = next(table for table in data["tables"] if table["axes"] == {"category": "HS", "load": "crowded"})
        del table["rows"][1]

    change(copy, SUITE, edit)
    differences = told(looked(copy, shuttles), SUITE)
    assert any(held == "row 12 of table 3.1.4#2 is missing" for _, _, _, held in differences)


def test_a_derived_number_is_calculated_again(copy: Path, shuttles: Built) -> None:
    def edit(data: Any) -> None:
        gap = scenario(data, "_ShToStand_LS_crowded_012")["bind"]["gap"]
        gap |= {"lo": "999", "hi": "999"}

    change(copy, SUITE, edit)
    (difference,) = told(looked(copy, shuttles), SUITE)
    # 5 s at 12 mph: 5 * 12 * 0.44704 m
    assert difference[0] == "V562"
    assert difference[2:] == ("999 m", "5 s * (12 mph - 0 km/h) is 26.8224 m")


def test_a_formula_whose_numbers_the_document_does_not_say_is_named(copy: Path, shuttles: Built) -> None:
    def edit(data: Any) -> None:
        gap = scenario(data, "_ShToStand_LS_crowded_012")["bind"]["gap"]
        gap |= {"lo": "31.2928", "hi": "31.2928", "formula": "5 s * 14 mph"}

    change(copy, SUITE, edit)
    (difference,) = told(looked(copy, shuttles), SUITE)
    assert "14 mph of the formula 5 s * 14 mph does not stand at" in difference[3]


@pytest.mark.parametrize(
    ("edit", "held"),
    [
        ({"unit": "km/h"}, "says 12 mph"),
        ({"lo": "12", "hi": "18"}, "4.2 says"),
        ({"tolerance": {"plus": "1", "minus": "0"}}, "says +0/-1 mph"),
        ({"unit": "parsec"}, "'parsec' is no unit"),
        ({"basis": "assumed"}, "an assumed number without its code"),
        ({"sources": []}, "no place of the document is named"),
    ],
)
def test_a_cited_number_that_the_place_does_not_say(copy: Path, shuttles: Built, edit: dict[str, Any], held: str) -> None:
    change(copy, SUITE, lambda data: scenario(data, "_ShToStand_LS_crowded_012")["bind"]["subject"].update(edit))
    assert any(held in item[3] and item[1].endswith("bind.subject") for item in told(looked(copy, shuttles), SUITE))


def test_another_number_of_the_same_sentence_is_named(copy: Path, shuttles: Built) -> None:
    # 12 and 18 mph stand in one sentence: the place says which of them it cites
    change(copy, SUITE, lambda data: scenario(data, "_ShToStand_LS_crowded_012")["bind"]["subject"].update(lo="18", hi="18"))
    named = [item for item in told(looked(copy, shuttles), SUITE) if item[0] == "V561" and item[1].endswith("bind.subject")]
    assert [item[2] for item in named] == ["18 mph"]


def test_a_bound_on_the_other_side_is_named(copy: Path, shuttles: Built) -> None:
    change(copy, SUITE, lambda data: data["scenarios"][0]["bind"]["ttc"].update(bound="le"))
    assert any("says at least 5 s" in item[3] for item in told(looked(copy, shuttles), SUITE))


def test_words_that_do_not_stand_there_are_named(copy: Path, shuttles: Built) -> None:
    change(copy, SUITE, lambda data: data["scenarios"][0]["said"][0].update(text="The trial may be driven"))
    assert any(item[0] == "V570" and item[2] == '"The trial may be driven"' for item in told(looked(copy, shuttles), SUITE))


# ---------------------------------------------------------------- sidecars and scenario files


def sidecar(folder: Path, ending: str = "_ShToStand_LS_crowded_012") -> str:
    (path,) = folder.glob(f"openscenario/concrete/*{ending}.json")
    return path.relative_to(folder).as_posix()


def test_a_line_of_the_sheet_is_calculated_again(copy: Path, shuttles: Built) -> None:
    change(copy, sidecar(copy), lambda data: data["sheet"]["subject.speed"].update(value="6"))
    assert ("V564", "sheet.subject.speed", "6", "(bind.subject * 0.44704) is 5.36448") in told(looked(copy, shuttles), sidecar(copy))


def test_an_assumed_line_is_as_it_is_told(copy: Path, shuttles: Built) -> None:
    change(copy, sidecar(copy), lambda data: data["sheet"]["subject.length"].update(value="9"))
    assert any(item[:3] == ("V564", "sheet.subject.length", "9 m") for item in told(looked(copy, shuttles), sidecar(copy)))


def test_a_formula_of_a_place_gives_the_attribute(copy: Path, shuttles: Built) -> None:
    def edit(data: Any) -> None:
        path = next(path for path, formula in data["places"].items() if formula == "subject.speed")
        data["places"][path] = "subject.speed + 1"

    change(copy, sidecar(copy), edit)
    file = sidecar(copy).replace(".json", ".xosc")
    (difference,) = told(looked(copy, shuttles), file)
    assert difference[0] == "V564"
    assert difference[2:] == ("5.36448", "subject.speed + 1 is 6.36448")


def test_an_attribute_is_what_the_sheet_gives(copy: Path, shuttles: Built) -> None:
    file = copy / sidecar(copy).replace(".json", ".xosc")
    file.write_text(file.read_text("utf-8").replace('AbsoluteTargetSpeed value="5.36448"', 'AbsoluteTargetSpeed value="5.4"'), "utf-8")
    differences = told(looked(copy, shuttles), sidecar(copy).replace(".json", ".xosc"))
    assert [item[2:] for item in differences] == [("5.4", "subject.speed is 5.36448")]


def test_a_sidecar_and_the_suite_agree(copy: Path, shuttles: Built) -> None:
    # value and place of another test: the document says both, scenarios.json one of them
    def edit(data: Any) -> None:
        other = json.loads((copy / sidecar(copy, "_ShToStand_LS_crowded_018")).read_text("utf-8"))
        number = other["values"]["bind.subject"]
        data["sources"] += [other["sources"][index] for index in number["sources"]]
        count = len(number["sources"])
        data["values"]["bind.subject"] = number | {"sources": list(range(len(data["sources"]) - count, len(data["sources"])))}

    change(copy, sidecar(copy), edit)
    assert ("V563", "values.bind.subject", "18 mph", "scenarios.json says 12 mph") in told(looked(copy, shuttles), sidecar(copy))


# ---------------------------------------------------------------- texts


def test_a_number_of_the_csv_is_named(copy: Path, shuttles: Built) -> None:
    file = copy / "csv" / "test_cases.csv"
    file.write_text(file.read_text("utf-8").replace("at least 5 s", "at least 7 s", 1), "utf-8")
    (difference,) = told(looked(copy, shuttles), "csv/test_cases.csv")
    assert difference[0] == "V563"
    assert difference[2] == "7 s"


@pytest.mark.parametrize(
    ("old", "new", "path", "said"),
    [
        ("Test speed of the subject vehicle: 12 mph", "Test speed of the subject vehicle: 13 mph", "Test speed", "13 mph"),
        ("| bind.ttc | at least 5 s |", "| bind.ttc | at most 5 s |", "bind.ttc", "at most 5 s"),
        ("| bind.ttc | at least 5 s |", "| bind.ttc | at least 3 s |", "bind.ttc", "at least 3 s"),
        ("derived: 5 s * (12 mph", "derived: 5 s * (13 mph", "bind.gap.basis", "derived: 5 s * (13 mph"),
        ("row 12, column", "row 18, column", "", ""),
    ],
)  # fmt: skip
def test_a_number_of_a_test_case_is_named(copy: Path, shuttles: Built, old: str, new: str, path: str, said: str) -> None:
    (file,) = copy.glob("text/*_ShToStand_LS_crowded_012.md")
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")
    differences = told(looked(copy, shuttles), file.relative_to(copy).as_posix())
    assert any(item[0] == "V563" and path in item[1] and said in item[2] for item in differences)


# ---------------------------------------------------------------- any number of any file


@pytest.mark.slow
def test_every_changed_number_is_named(copy: Path, shuttles: Built) -> None:
    """A seeded sample over all files: the file is named, by number where it says where the number comes from."""
    chance = random.Random(12)
    files = sorted(path for path in copy.rglob("*") if path.is_file())
    named, by_number = 0, 0
    for _ in range(60):
        path = chance.choice(files)
        before = path.read_bytes()
        numbers = list(re.finditer(rb"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)", before))
        if not numbers:
            continue
        number = chance.choice(numbers)
        path.write_bytes(before[: number.start()] + b"9" + before[number.start() :])
        found = looked(copy, shuttles)
        path.write_bytes(before)
        here = [item for item in found.differences if item.file == path.relative_to(copy).as_posix() and item.severity == "error"]
        assert here, f"{path}: {before[number.start() - 60 : number.end() + 20]!r}"
        named += 1
        by_number += any(item.code != "V565" for item in here)
    assert named > 50
    assert by_number > 10


@pytest.mark.parametrize("regulation", ["un152", "un131"])
def test_regulations_are_read_again(regulation: str, tmp_path: Path) -> None:
    made = build(Request(regulation, targets=all_targets()), tmp_path)
    assert made.verified is not None
    assert made.verified.clean, made.verified.differences[:3]
    assert made.verified.read > 20000


def document_with(document: Document, table: str, row: int, column: int, text: str) -> Document:
    """A document with one cell changed."""
    tables = []
    for own in document.tables:
        if own.id == table:
            rows = [list(cells) for cells in own.rows]
            rows[row][column] = rows[row][column].model_copy(update={"text": text})
            own = own.model_copy(update={"rows": tuple(tuple(cells) for cells in rows)})
        tables.append(own)
    return document.model_copy(update={"tables": tuple(tables)})


def test_a_changed_cell_is_named_for_every_test_that_rests_on_it(shuttles: Built) -> None:
    document = shuttles.compiled.document
    table = document.table("3.1.4#1")
    assert table is not None
    assert [cell.text for cell in table.rows[2]] == ["18", "6.5", "4.0"]
    found = verify(shuttles.folder, document_with(document, "3.1.4#1", 2, 1, "7.5"))
    resting = {
        item.id
        for item in shuttles.compiled.suite.scenarios
        if any(place.table == "3.1.4#1" and place.row == "18" and place.column == table.column_label(1)
               for _, value in item.values() for place in value.sources)
    }  # fmt: skip
    assert len(resting) >= 2
    named = {item.scenario for item in found.differences if item.code == "V561" and "says" in item.held}
    assert named >= resting
    assert {item.scenario for item in found.differences if item.file == SUITE and item.scenario} == resting
