"""One number changed in each kind of file of a build, and files removed, added, renamed and swapped: each is named."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from regc.pipeline.build import build
from regc.pipeline.request import Built, Request
from regc.verify import Verified, verify
from tests.conftest import INVENTED, Outcome, all_targets

TEST = "LR7-2nd_p4.2_ShToStand_LS_crowded_012"


@pytest.fixture(scope="module")
def shuttles(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The invented regulation with every target."""
    return build(Request(str(INVENTED), targets=all_targets()), tmp_path_factory.mktemp("shuttles"))


@pytest.fixture(scope="module")
def whole(shuttles: Built, cli_of_module: Callable[..., Outcome]) -> Path:
    """Its folder, with a report."""
    assert cli_of_module("report", str(INVENTED), "--out", shuttles.folder.parent).code == 0
    return shuttles.folder


def looked(folder: Path, shuttles: Built) -> Verified:
    return verify(folder, shuttles.compiled.document)


def test_the_folder_is_clean(whole: Path, shuttles: Built) -> None:
    assert looked(whole, shuttles).differences == ()


#: File, what stands there, what is put there; the path, the value and what it should be, as far as a file says where its numbers come
#: from. A file that does not is held by its hash: V565.
CHANGED = (
    ("scenarios.json", r'"lo": "12"', '"lo": "13"', "V561", "", "13", "says 12 mph"),
    (
        f"openscenario/concrete/{TEST}.xosc",
        r'Speed value="5.36448"',
        'Speed value="5.4"',
        "V564",
        "@value",
        "5.4",
        "subject.speed is 5.36448",
    ),
    (f"openscenario/concrete/{TEST}.json", r'"value": "5.36448"', '"value": "6"', "V564", "sheet.", "6", "is 5.36448"),
    (f"neutral/{TEST}.csv", r"subject.speed,5.36448", "subject.speed,7", "V563", "subject.speed.value", "7", "the sheet says 5.36448"),
    (f"neutral/{TEST}.json", r'"value": "5.36448"', '"value": "6"', "V564", "sheet.", "6", "is 5.36448"),
    ("csv/test_cases.csv", r"at least 5 s", "at least 7 s", "V563", "", "7 s", "has"),
    (
        f"text/{TEST}.md",
        r"speed of the subject vehicle: 12 mph",
        "speed of the subject vehicle: 13 mph",
        "V563",
        "speed",
        "13 mph",
        "12 mph",
    ),
    (f"carla/configs/{TEST}.json", r'"value": "12 mph', '"value": "13 mph', "V563", ".bind.", "13 mph", "12 mph of scenarios.json"),
    (
        f"carmaker/Data/TestRun/regc/{TEST}",
        r"SubjectSpeed=19.312128",
        "SubjectSpeed=29.3",
        "V564",
        "subject.speed",
        "29.3 km/h",
        "takes 5.36448",
    ),
    (
        f"carmaker/Data/TestRun/regc/{TEST}",
        r"road.lane_width = 3.5 m",
        "road.lane_width = 4 m",
        "V564",
        "road.lane_width",
        "4 m",
        "takes 3.5 m",
    ),
    (
        f"carmaker/Data/TestRun/regc/{TEST}",
        r"source: shuttles 4.1.1",
        "source: shuttles 4.1.9",
        "V570",
        "source",
        "shuttles 4.1.9",
        "no such",
    ),
    (
        "report/traceability_by_scenario.csv",
        r",bind.subject,12 mph",
        ",bind.subject,13 mph",
        "V563",
        "bind.subject",
        "13 mph",
        "12 mph of",
    ),
    ("report/traceability.reqif", r'THE-VALUE="12"', 'THE-VALUE="13"', "V563", "bind.", "13", "12 mph of"),
    ("report/report.html", r"12 mph", "13 mph", "V565", "", "", "not those of the build"),
    ("index.html", r"4\.2", "4.3", "V565", "", "", "not those of the build"),
    ("coverage.json", r'"text": "12"', '"text": "13"', "V565", "", "", "not those of the build"),
    ("findings.json", r"0\.3 m", "0.4 m", "V565", "", "", "not those of the build"),
)


@pytest.mark.parametrize(("name", "old", "new", "code", "path", "said", "held"), CHANGED, ids=[f"{row[0]} {row[2]}" for row in CHANGED])
def test_one_changed_number_is_named(
    name: str, old: str, new: str, code: str, path: str, said: str, held: str, whole: Path, shuttles: Built
) -> None:
    file = whole / name
    before = file.read_text("utf-8")
    assert re.search(old, before), name
    file.write_text(re.sub(old, new, before, count=1), "utf-8", newline="")
    try:
        found = [item for item in looked(whole, shuttles).differences if item.file == name]
    finally:
        file.write_text(before, "utf-8", newline="")
    assert any(item.code == code and path in item.path and said in item.said and held in item.held for item in found), found


def test_a_changed_cell_of_the_workbook_is_named(whole: Path, shuttles: Built) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    file = whole / "report" / "traceability.xlsx"
    before = file.read_bytes()
    book = openpyxl.load_workbook(file)
    cell = next(
        cell
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if isinstance(cell.value, str) and cell.value == "12 mph"
    )
    cell.value = "13 mph"
    book.save(file)
    try:
        found = [item for item in looked(whole, shuttles).differences if item.file == "report/traceability.xlsx"]
    finally:
        file.write_bytes(before)
    assert any((item.code, item.said) == ("V563", "13 mph") and "12 mph" in item.held for item in found), found


def test_files_removed_added_renamed_and_swapped(whole: Path, shuttles: Built, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "copy"))
    text, runs = folder / "text", folder / "carmaker" / "Data" / "TestRun" / "regc"
    other = TEST.replace("012", "018")
    (text / f"{TEST}.md").unlink()
    (text / "own.md").write_text("5 mph", "utf-8")
    (runs / TEST).rename(runs / f"{TEST}b")
    one, two = (folder / "neutral" / f"{id}.json" for id in (TEST, other))
    held = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(held)
    found = {(item.code, item.file) for item in looked(folder, shuttles).differences}
    assert {
        ("V566", f"text/{TEST}.md"),
        ("V567", "text/own.md"),
        ("V566", f"carmaker/Data/TestRun/regc/{TEST}"),
        ("V567", f"carmaker/Data/TestRun/regc/{TEST}b"),
    } <= found
    assert {file for _, file in found} >= {f"neutral/{TEST}.json", f"neutral/{other}.json"}
