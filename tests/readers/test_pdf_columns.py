"""Pages in two columns: the left one first, then the right one, each place where it is printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.pdf_maker import Sheet
from tests.readers.pdf_maker import pdf as made

from regc.model.document import Document
from regc.readers import pdf

NAMES = {"regulation": "carts", "edition": "1", "title": "Carts", "wording": "official"}


def _column(sheet: Sheet, x: float, first: int, count: int) -> None:
    for index in range(count):
        y = 120 + 40 * index
        sheet.words(x, y, f"{first + index}.", size=9).words(x + 30, y, "The cart stops before the wall and then", size=9)
        sheet.words(x + 30, y + 11, f"waits for {first + index} minutes, whoever drives.", size=9)


def _document() -> Document:
    sheet = Sheet().words(60, 80, "This text holds for all carts that are driven on roads of the country, by day and also by night.")
    _column(sheet, 60, 1, 12)
    _column(sheet, 315, 13, 12)
    return pdf.read(Path("carts.pdf"), made(sheet), **NAMES)


def test_left_then_right() -> None:
    clauses = [clause for clause in _document().clauses if clause.number]
    assert [clause.number for clause in clauses] == [str(number) for number in range(1, 25)]
    assert clauses[12].text == "The cart stops before the wall and then waits for 13 minutes, whoever drives."


def test_each_line_keeps_its_place() -> None:
    clause = _document().clause("13")
    assert clause is not None
    assert [line.page for line in clause.lines] == [1, 1]
    assert clause.lines[0].bbox[0] == pytest.approx(345, abs=2)
    assert clause.lines[0].bbox[1] < 120 < clause.lines[0].bbox[3] + 1


def test_a_sentence_goes_on_in_the_next_column() -> None:
    sheet = Sheet()
    _column(sheet, 60, 1, 12)
    sheet.words(60, 610, "13.", size=9).words(90, 610, "The cart stops before the wall and then", size=9)
    sheet.words(345, 120, "goes on to the gate of the next garden.", size=9)
    for index in range(11):
        y = 160 + 40 * index
        sheet.words(315, y, f"{14 + index}.", size=9).words(345, y, "The cart stops before the gate and it", size=9)
        sheet.words(345, y + 11, "waits for the driver, whoever that is.", size=9)
    clause = pdf.read(Path("carts.pdf"), made(sheet), **NAMES).clause("13")
    assert clause is not None
    assert clause.text == "The cart stops before the wall and then goes on to the gate of the next garden."


def test_a_table_in_the_right_column() -> None:
    sheet = Sheet()
    _column(sheet, 60, 1, 12)
    _column(sheet, 315, 13, 10)
    sheet.grid([345, 415, 500], [540, 555, 570, 585], [["v (mph)", "Gap (m)"], ["10", "1"], ["20", "2"]])
    (table,) = pdf.read(Path("carts.pdf"), made(sheet), **NAMES).tables
    assert [[cell.text for cell in row] for row in table.rows] == [["10", "1"], ["20", "2"]]
    assert table.clause == "22"
    assert table.rows[0][0].bbox == pytest.approx((345, 555, 415, 570), abs=2)


def test_a_form_is_no_page_of_columns() -> None:
    sheet = Sheet().words(113, 70, "1.").words(170, 70, "The form of the keeper has these fields, which he fills in by hand.")
    for index in range(20):
        sheet.words(113, 100 + 20 * index, f"Field {index}").words(330, 100 + 20 * index, f"Value {index}")
    document = pdf.read(Path("carts.pdf"), made(sheet), **NAMES)
    one = document.clause("1")
    assert one is not None
    assert "Field 3 Value 3" in one.text
