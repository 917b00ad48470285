"""Every truth.csv is well-formed, and that of UN R131 agrees with the limit tables and examples of the embedded text."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from regc.model.document import Document
from regc.readers import markdown
from regc.resources import package_data

Record = dict[str, str]

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
FILES = sorted(GOLDEN.glob("*/*/truth/truth.csv"))
GROUPS = ("axis.", "actors.", "bind.", "tol.", "require.", "conditions.", "runs.")
COLUMNS = ("id", "test", "covers", "applies_if", "status")
STATUS = {"mandatory", "option", "guidance", "evidence"}
CARD_KINDS = {"inspection", "standing", "driving", "review"}

CLASSES = {"derived": 1, "not_hydraulic": 2, "hydraulic": 3, "over_8t": 4}
LIMIT_TABLES = {"stationary": "5.2.1.4#1", "moving": "5.2.1.4#1", "pedestrian": "5.2.2.4#1"}


def table(path: Path) -> list[Record]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def of(path: Path) -> str:
    return "/".join(path.parts[-4:-2])


R131 = table(GOLDEN / "un131" / "02" / "truth" / "truth.csv")
DRIVEN = [row for row in R131 if row["axis.class"]]


def text_131() -> Document:
    path = package_data("regulations", "un131") / "02.md"
    return markdown.read(path, path.read_bytes(), regulation="un131", edition="02", title="", wording="embedded")


def number(cell: str) -> int:
    """The number of "78 km/h" or "min(78 km/h, v_design - 20 km/h)"."""
    found = re.search(r"\d+", cell)
    assert found
    return int(found[0])


@pytest.mark.parametrize("path", FILES, ids=of)
def test_form(path: Path) -> None:
    rows = table(path)
    assert [column for column in rows[0] if column not in COLUMNS and not column.startswith(GROUPS)] == []
    assert [id_ for id_, count in Counter(row["id"] for row in rows).items() if count > 1] == []
    assert [row["id"] for row in rows if not re.fullmatch(r"[A-Za-z0-9.+_-]+", row["id"])] == []
    assert {row["status"] for row in rows} <= STATUS
    assert [row["id"] for row in rows if not any(row[column] for column in row if column.startswith("require."))] == []
    assert [column for column in rows[0] if not any(row[column] for row in rows)] == []


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*/*/truth/cards.csv")), ids=of)
def test_cards(path: Path) -> None:
    rows = table(path)
    assert {row["kind"] for row in rows} <= CARD_KINDS
    assert [clause for clause, count in Counter(row["clause"] for row in rows).items() if count > 1] == []
    regulation, edition = path.parts[-4:-2]
    text = package_data("regulations", regulation) / f"{edition}.md"
    document = markdown.read(text, text.read_bytes(), regulation=regulation, edition=edition, title="", wording="embedded")
    assert [row["clause"] for row in rows if row["clause"] not in {clause.id for clause in document.clauses}] == []


def test_un_r131_has_its_248_driven_tests() -> None:
    assert Counter((row["test"], row["status"]) for row in R131) == Counter(
        {
            ("stationary", "mandatory"): 12,
            ("stationary", "option"): 84,
            ("moving", "mandatory"): 12,
            ("moving", "option"): 84,
            ("pedestrian", "mandatory"): 9,
            ("pedestrian", "option"): 47,
            ("false_reaction", "mandatory"): 1,
            ("turn_before_oncoming", "guidance"): 1,
            ("lead_turns_off", "guidance"): 1,
            ("curve_past_object", "guidance"): 1,
            ("lane_change_before_sign", "guidance"): 1,
        }
    )
    assert len(DRIVEN) == 248


def test_limits_of_un_r131_are_those_of_the_next_higher_row() -> None:
    tables = {found.id: found for found in text_131().tables}
    wrong = []
    for row in DRIVEN:
        limits = {int(cells[0].text): int(cells[CLASSES[row["axis.class"]]].text) for cells in tables[LIMIT_TABLES[row["test"]]].rows}
        key = min(speed for speed in limits if speed >= number(row["bind.relative"]))
        if row["require.impact"] != f"impact_speed <= {limits[key]} km/h":
            wrong.append(row["id"])
    assert wrong == []


def test_mandatory_speeds_of_un_r131_are_20_the_avoided_one_and_8_more() -> None:
    tables = {found.id: found for found in text_131().tables}
    for test, table_id in LIMIT_TABLES.items():
        for name, column in CLASSES.items():
            avoided = max(int(cells[0].text) for cells in tables[table_id].rows if cells[column].text == "0")
            found = [row for row in DRIVEN if (row["test"], row["axis.class"], row["status"]) == (test, name, "mandatory")]
            assert {number(row["bind.relative"]) for row in found} == {20, avoided, avoided + 8}
            assert {number(row["bind.relative"]) for row in found if "v_design" in row["bind.relative"]} == {avoided + 8}


def test_worked_examples_of_un_r131() -> None:
    """6.4(c)(i), 6.5(b) and (c)(i), 6.6.1(c)(i)."""
    ids = {row["id"]: row for row in DRIVEN if row["status"] == "mandatory"}
    assert ids["UNR131-02_p6.4_VtoStV_DerM1N1_MaxMass_058"]["bind.subject"] == "min(58 km/h, v_design)"
    assert ids["UNR131-02_p6.5_VtoMoV_Over8t_MaxMass_090-020"]["bind.relative"] == "70 km/h"
    assert ids["UNR131-02_p6.5_VtoMoV_Over8t_MaxMass_098-020"]["bind.relative"] == "min(78 km/h, v_design - 20 km/h)"
    assert ids["UNR131-02_p6.6.1_VtoP_DerM1N1_MaxMass_034"]["require.impact"] == "impact_speed <= 24 km/h"
