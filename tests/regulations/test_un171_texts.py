"""The embedded excerpt of UN R171 against the official text, and the truth of its tests against the excerpt."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

import pytest
from tests.regulations.test_un152_texts import SHARED, figures

from regc.model.document import Document, Table
from regc.readers import markdown, pdf
from regc.resources import package_data, resource

EMBEDDED = package_data("regulations", "un171", "00.md")
OFFICIAL = SHARED / "regulations" / "distractors" / "un171.pdf"
TRUTH = resource("golden") / "un171" / "00" / "truth"

needs_official = pytest.mark.skipif(
    not OFFICIAL.is_file(), reason="the official text is not beside the checkout (../shared/regulations)"
)


@cache
def ours() -> Document:
    return markdown.read(EMBEDDED, EMBEDDED.read_bytes(), regulation="un171", edition="00", title="", wording="embedded")


@cache
def official() -> Document:
    return pdf.read(OFFICIAL, OFFICIAL.read_bytes(), regulation="un171", edition="00", title="", wording="official")


def truth(name: str) -> list[dict[str, str]]:
    with (TRUTH / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cells(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def text_of(document: Document, clause: str) -> str:
    """Title and text of a clause, the powers of units written as digits."""
    found = document.clause(clause)
    assert found is not None, clause
    return f"{found.title or ''} {found.text}".replace("²", "2").replace("³", "3")


def test_nothing_but_left_out_numbers_is_found() -> None:
    assert {finding.code for finding in ours().findings} == {"R101"}  # a number is left out
    assert [repair.place for repair in ours().repairs] == ["Annex 4, 4.2.5.2.13.1.2"]  # printed inside the paragraph before


@needs_official
def test_tests_and_declaration_are_complete() -> None:
    def inside(document: Document) -> list[str]:
        scope = ("Annex 3 - Appendix 4", "Annex 4, 1", "Annex 4, 2", "Annex 4, 3.1.5", "Annex 4, 3.1.6", "Annex 4, 4.2")
        return [clause.id for clause in document.clauses if clause.id.startswith(scope)]

    assert inside(ours()) == inside(official())


@needs_official
def test_paragraphs_have_the_figures_and_items_of_the_original() -> None:
    differences = {}
    for clause in ours().clauses:
        if clause.number is None or clause.number in ("2.13", "5", "6"):  # the PDF has other text behind these headings
            continue
        same = official().clause(clause.id)
        assert same is not None, clause.id
        found, expected = figures(text_of(ours(), clause.id)), figures(text_of(official(), clause.id))
        labels = [[item.label for item in one.items] for one in (clause, same)]
        if found != expected or labels[0] != labels[1]:
            differences[clause.id] = (found - expected, expected - found, *labels)
    assert differences == {}


@needs_official
def test_tables_are_those_of_the_original() -> None:
    def numbers(rows: Iterable[Iterable[str]]) -> list[list[Counter[str]]]:
        return [[figures(cell.replace("²", "2")) for cell in row] for row in rows]

    theirs = {table.id: table for table in official().tables}
    for table in ours().tables:
        original = theirs[table.id]
        assert numbers(cells(table)) == numbers(cells(original)), table.id
        assert numbers(table.columns) == numbers(original.columns), table.id
        assert table.footnotes == original.footnotes, table.id


def test_truth_has_its_rows() -> None:
    rows = truth("truth.csv")
    assert Counter(row["status"] for row in rows) == {"mandatory": 16, "evidence": 33}
    every = [row["id"] for row in rows]
    assert len(every) == len(set(every))
    assert [name for name in every if not re.fullmatch(r"UNR171-00_A4-[A-Za-z0-9.+_-]+", name)] == []


def test_truth_says_what_the_clauses_say() -> None:
    """A number of a row stands in the clause of its id, with the same unit; the radius of the curve stands in 4.2.4.1."""
    units = re.compile(r"(\d+(?:\.\d+)?) ?(km/h|m/s2|m|s|per cent)(?![a-z/])")
    for row in truth("truth.csv"):
        clause = f"Annex 4, {row['id'].split('_')[1].removeprefix('A4-')}"
        below = [found for found in ours().clauses if found.id.startswith(f"{clause}.")]
        tables = [table for table in ours().tables if table.clause.startswith(f"{clause}.")]
        text = " ".join([*(found.text for found in below), *(cell for table in tables for line in cells(table) for cell in line)])
        text = text.replace("²", "2").replace("%", " per cent").replace("two seconds", "2 s").replace(" seconds", " s")
        stated = {*units.findall(text), ("0", "km/h")} if "tationary" in text else {*units.findall(text)}
        if row["test"] == "stationary_curve":
            [curve] = [table for table in ours().tables if table.clause == "Annex 4, 4.2.4.1"]
            assert curve.columns[2] == ("Radius (m)",)
            stated |= {(line[2], "m") for line in cells(curve)}
        values = " ".join(value for key, value in row.items() if key.startswith("bind."))
        assert set(units.findall(values)) - stated == set(), row["id"]
        assert row["tol.target"] in text, row["id"]


def test_truth_takes_criteria_from_the_declaration() -> None:
    for row in truth("truth.csv"):
        criteria = {key.removeprefix("require."): value for key, value in row.items() if key.startswith("require.") and value}
        if row["status"] == "evidence":
            assert criteria == {"strategy": "assess"}, row["id"]
        elif row["test"].startswith("lane_change"):
            assert sorted(criteria) == ["change", "jerk"], row["id"]
        else:
            assert criteria["contact"] == "no contact", row["id"]
            assert criteria["driver"] == "no driver_brake", row["id"]
    asked = {row["test"] for row in truth("truth.csv") if row["require.demand"]}
    form = next(table for table in ours().tables if table.id == "Annex 3 - Appendix 4, 1#1")
    assert len(asked) == len(set(re.findall(r"4\.2\.5\.2\.\d+", " ".join(row[0] for row in cells(form)))))


def test_truth_asks_fixed_tests_only_where_they_are_declared() -> None:
    """A test without a declared speed, which is what the manufacturer declares otherwise, hangs on a declaration."""
    for row in truth("truth.csv"):
        declared = re.fullmatch(r"(?:!=)?v_\w+", row["bind.subject"]) is not None and row["bind.subject"] != "v_set"
        changes_lane = row["test"].startswith("lane_change")  # which of these there are, the list of features says (9.1.1)
        assert bool(row["applies_if"]) is not (declared or changes_lane), row["id"]
