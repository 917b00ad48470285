"""CSV and XLSX: the same pairs both ways, typed numbers, open items first, no formula, the same bytes."""

from __future__ import annotations

import csv as reading
import io
from typing import Any

import pytest

from regc.model.report_input import ReportInput
from regc.pipeline.request import Compiled
from regc.plugins import REPORTS
from regc.report import csv, xlsx
from regc.report.csv import plain_text
from regc.report.xhtml import printable
from tests import suites
from tests.report.inputs import judgement, real


def rows(content: bytes) -> list[list[str]]:
    return list(reading.reader(io.StringIO(content.decode("utf-8-sig"))))


def book(found: ReportInput) -> Any:
    openpyxl = pytest.importorskip("openpyxl", reason="needs regc[report]")
    return openpyxl.load_workbook(io.BytesIO(xlsx.emit(found, xlsx.Options())[0].content))


def table(sheet: Any) -> list[dict[str, Any]]:
    head, *lines = sheet.iter_rows(values_only=True)
    return [dict(zip(head, line, strict=True)) for line in lines]


def test_both_directions_hold_the_same_pairs(embedded: Compiled) -> None:
    forth, back = (rows(artifact.content) for artifact in csv.emit(real(embedded, tests=("bicycle",)), csv.Options()))
    assert {(row[0], row[3], row[4], row[5]) for row in forth[1:]} == {(row[2], row[0], row[4], row[5]) for row in back[1:]}
    chosen = {item.id for item in embedded.suite.scenarios if item.test == "bicycle"}
    assert {row[3] for row in forth[1:] if row[2] == "scenario"} == chosen


def test_every_number_is_in_the_matrix() -> None:
    found = {(row[0], row[3], row[4]) for row in rows(csv.emit(suites.report(), csv.Options())[0].content)[1:]}
    for item in suites.suite().scenarios:
        for field, value in item.values():
            for source in value.sources:
                assert (source.clause, item.id, field) in found


def test_a_paragraph_that_a_test_only_accounts_for_is_in_the_matrix() -> None:
    """Coverage says that the tests use "5.2#1 row 20" and the rule below the table, also where no number comes from there."""
    made = suites.suite(suites.child())
    entry = made.coverage.entries[0].model_copy(update={"clause": "5.3", "used_by": (suites.child().id,)})
    made = made.model_copy(update={"coverage": made.coverage.model_copy(update={"entries": (entry,)})})
    found = {(row[0], row[3]) for row in rows(csv.emit(suites.report(made=made), csv.Options())[0].content)[1:]}
    assert ("5.3", suites.child().id) in found


def test_scenarios_with_numbers_and_units() -> None:
    lines = table(book(suites.report(judgement=judgement([suites.stationary().id], "pass")))["Scenarios"])
    assert len(lines) == 5
    first, second = lines[:2]
    assert (first["Load state"], first["status"], first["entry"]) == ("maximum mass", "mandatory", "prescribed")
    assert (first["subject vehicle [km/h]"], first["subject vehicle tolerance [km/h]"], first["target [km/h]"]) == (20, "+0/-2", 0)
    assert isinstance(second["Relative impact speed [km/h]"], (int, float))
    assert second["Relative impact speed [km/h]"] == 10
    assert (first["assumed"], second["assumed"], first["verdict"], second["verdict"]) == (None, "A861", "pass", "not driven")
    assert lines[4]["only where"] == "v_design is at least 25 km/h"
    assert lines[4]["Relative impact speed [km/h]"] is None


def test_coverage_with_open_items_first() -> None:
    found = book(suites.report())
    lines = table(found["Coverage"])
    assert [line["fate"] for line in lines[:4]] == ["open", "open", "open", "waived"]
    assert len(lines) == 14
    assert lines[3]["reason"] == "a heading in the form of a sentence"
    counts = {line["of the document"]: (line["all"], line["tested"], line["open"]) for line in table(found["Counts"])}
    assert counts["sentences that prescribe"] == (7, 2, 1)


def test_matrix_of_tests_and_paragraphs() -> None:
    lines = {line["paragraph"]: line for line in table(book(suites.report())["Matrix"])}
    assert (lines["6.4"]["Standing car"], lines["6.4"]["Crossing child"]) == (4, None)
    assert (lines["6.6"]["Crossing child"], lines["5.3"]["cards"]) == (1, 2)


def test_steps_of_the_cards() -> None:
    lines = table(book(suites.report())["Cards"])
    assert [(line["title"], line["how"], line["step"]) for line in lines] == [
        ("Fault, and its signal", "by driving", 1),
        ("Papers", "review of documents", 1),
    ]


@pytest.mark.parametrize("text", [suites.FORMULA, "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_formula_is_shown_and_not_run(text: str) -> None:
    assert plain_text(text).startswith("'")


@pytest.mark.parametrize("text", ["-3.5", "12", "5.2.1.4", "plain", ""])
def test_numbers_and_words_stay(text: str) -> None:
    assert plain_text(text) == text


def test_control_characters_go() -> None:
    assert printable("a\x00b\x0bc\n") == "abc\n"


def injected() -> ReportInput:
    """A paragraph whose title is a formula, an axis and a test named by one."""
    made = suites.suite(suites.stationary(title=suites.FORMULA))
    return suites.report(made=made, document=suites.document(title=suites.FORMULA))


def test_formula_in_the_csv() -> None:
    titles = {row[1] for row in rows(csv.emit(injected(), csv.Options())[0].content)[1:]}
    assert f"'{suites.FORMULA}" in titles
    assert suites.FORMULA not in titles


def test_formula_in_the_workbook() -> None:
    found = book(injected())
    cells = [cell for sheet in found for row in sheet.iter_rows() for cell in row if cell.value == suites.FORMULA]
    assert len(cells) >= 3
    assert all(cell.data_type == "s" for cell in cells)
    assert not [cell for sheet in found for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]


@pytest.mark.parametrize("name", ["csv", "xlsx", "reqif"])
def test_same_input_same_bytes(name: str) -> None:
    module = REPORTS.load(name)
    if name != "csv":
        pytest.importorskip({"xlsx": "openpyxl", "reqif": "reqif"}[name], reason="needs regc[report]")
    first, second = (module.emit(suites.report(), module.Options()) for _ in range(2))
    assert [item.content for item in first] == [item.content for item in second]


@pytest.mark.parametrize("name", ["html", "csv", "xlsx", "reqif"])
def test_a_document_without_a_test(name: str) -> None:
    if name in ("xlsx", "reqif"):
        pytest.importorskip({"xlsx": "openpyxl", "reqif": "reqif"}[name], reason="needs regc[report]")
    empty = suites.suite().model_copy(update={"scenarios": (), "cards": (), "coverage": suites.Coverage(), "tables": ()})
    module = REPORTS.load(name)
    assert all(artifact.content for artifact in module.emit(suites.report(made=empty), module.Options()))


def test_a_count_has_no_unit_in_its_head(embedded: Compiled) -> None:
    head, _ = xlsx.scenarios(real(embedded, tests=["bicycle"]))
    assert "Modes of the warning" in head
    assert "Braking demand [m/s2]" in head
    assert not [name for name in head if "[]" in name]
