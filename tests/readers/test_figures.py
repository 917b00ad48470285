"""Figures and formulas stand apart from the text; an unnumbered heading belongs to the paragraph below it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.pdf_maker import Sheet
from tests.readers.pdf_maker import pdf as made

from regc.model.document import Document
from regc.readers import markdown, pdf

NAMES = {"regulation": "carts", "edition": "1", "title": "Carts", "wording": "official"}


def read_pdf(*sheets: Sheet) -> Document:
    """Pages as a document."""
    return pdf.read(Path("carts.pdf"), made(*sheets), **NAMES)


def read_md(source: str) -> Document:
    """Markdown as a document."""
    return markdown.read(Path("nowhere/carts.md"), source.encode(), **NAMES)


def _figure_page() -> Document:
    sheet = Sheet().words(113, 70, "1.").words(170, 70, "The cart turns at the gate, as the figure below shows for both sides.")
    sheet.words(170, 100, "Figure 3").words(170, 112, "Turn at the gate", bold=True).words(170, 130, "(A) Driving on the right")
    sheet.box(200, 140, 200, 120).words(240, 200, "not more than", size=7.7).words(240, 209, "25 m", size=7.7)
    sheet.words(240, 268, "4.2 s", size=7.7, bold=True)
    sheet.words(113, 300, "2.").words(170, 300, "The cart stops before the gate whenever the bell rings on the tower.")
    return read_pdf(sheet)


def test_a_figure_holds_its_caption_and_its_words() -> None:
    (figure,) = _figure_page().figures
    assert (figure.clause, figure.page) == ("1", 1)
    assert figure.caption == "Figure 3 Turn at the gate (A) Driving on the right"
    assert figure.words == "not more than\n25 m\n4.2 s"
    assert figure.bbox is not None


def test_nothing_of_a_figure_is_clause_text() -> None:
    texts = {clause.id: clause.text for clause in _figure_page().clauses}
    assert texts["1"] == "The cart turns at the gate, as the figure below shows for both sides."
    assert texts["2"] == "The cart stops before the gate whenever the bell rings on the tower."


def test_a_figure_of_markdown() -> None:
    document = read_md("# 1. Turns\n\nThe cart turns.\n\n![a gate](gate.jpg)\n\nFigure 3 Turn at the gate\n\n# 2. Stops\n\nIt stops.\n")
    (figure,) = document.figures
    assert (figure.clause, figure.caption, figure.words) == ("1", "Figure 3 Turn at the gate", "a gate")
    assert [clause.text for clause in document.clauses if clause.number] == ["The cart turns.", "It stops."]


def test_a_sentence_about_a_figure_is_text() -> None:
    document = read_md("# 1. Turns\n\nThe cart turns.\n\nFigure 1 of the original shows this turn for both sides.\n")
    one = document.clause("1")
    assert one is not None
    assert one.text == "The cart turns.\nFigure 1 of the original shows this turn for both sides."
    assert not document.figures


def test_a_formula_of_lines_is_one_object() -> None:
    sheet = Sheet().words(113, 70, "1.").words(170, 70, "The deceleration is calculated by the following formula.")
    sheet.words(260, 90, "v^2^ - u^2^").words(230, 98, "d =").words(260, 106, "2 * (s - r)")
    sheet.words(170, 130, "Where:").words(170, 148, "v = first speed in km/h,").words(
        170, 166, "(a) 0.5 * w < y < 3.5 m is no formula here."
    )
    sheet.words(113, 190, "2.").words(170, 190, "The limit is v = 50 km/h for all carts that have a bell on the roof.")
    document = read_pdf(sheet)
    (formula,) = document.formulas
    assert (formula.clause, formula.page) == ("1", 1)
    assert formula.text == "v² - u²\nd =\n2 * (s - r)"
    one = document.clause("1")
    assert one is not None
    assert one.text[: formula.offset] == "The deceleration is calculated by the following formula."
    assert one.text[formula.offset :].split("\n")[1:] == [
        "Where:",
        "v = first speed in km/h,",
        "(a) 0.5 * w < y < 3.5 m is no formula here.",
    ]


@pytest.mark.parametrize("line", ["a = 8 mm min", "V = 50 km/h", "x = 5", "20 + 70 = 90 km/h), or"])
def test_what_states_a_value_is_text(line: str) -> None:
    sheet = Sheet().words(113, 70, "1.").words(170, 70, "The letters on the cart are as large as this line says:")
    document = read_pdf(sheet.words(200, 90, line))
    assert not document.formulas
    one = document.clause("1")
    assert one is not None
    assert line in one.text


def test_a_formula_of_markdown_is_kept_as_latex() -> None:
    speed = "$$\n2 0 \\mathrm { k m / h }\n$$\n"
    document = read_md(f"# 1. Ways\n\nThe way is:\n\n$$\ns = v ^ {{ 2 }} / 2 a\n$$\n\nThe speed is:\n\n{speed}")
    (formula,) = document.formulas
    assert formula.text == "s = v ^ { 2 } / 2 a"
    one = document.clause("1")
    assert one is not None
    assert one.text == "The way is:\nThe speed is:\n20 km/h"


def test_a_heading_belongs_to_the_paragraph_below() -> None:
    sheet = Sheet().words(113, 70, "1.").words(170, 70, "The cart turns at the gate.")
    sheet.words(113, 100, "Scenario 2", size=12, bold=True).words(113, 125, "Turn of a forward cart^2^", size=12, bold=True)
    sheet.words(113, 150, "2.").words(170, 150, "The cart in front turns and the second one goes straight on.")
    sheet.line(90, 700, 164, 700).words(113, 715, "^2^ Or sledge.", size=8)
    document = read_pdf(sheet)
    assert [(clause.number, clause.text) for clause in document.clauses if clause.number] == [
        ("1", "The cart turns at the gate."),
        ("2", "The cart in front turns and the second one goes straight on."),
    ]
    two = document.clause("2")
    assert two is not None
    assert two.headings == ("Scenario 2", "Turn of a forward cart")
    assert [note.anchors for note in document.footnotes] == [("2",)]


@pytest.mark.parametrize(("drawn", "told"), [("30 km/h", False), ("31 km/h", True)])
def test_a_number_of_a_figure_that_its_text_does_not_say(drawn: str, told: bool) -> None:
    sheet = Sheet().words(113, 70, "1.").words(170, 70, "The cart drives at 22 to 30 km/h and stops 4.2 s before it, 25 m away.")
    sheet.words(170, 100, "Figure 3").words(170, 112, "Turn at the gate", bold=True)
    sheet.box(200, 140, 200, 120).words(240, 200, "not more than 25 m", size=7.7).words(240, 209, "4.2 sec", size=7.7)
    sheet.words(240, 268, drawn, size=7.7, bold=True)
    sheet.words(113, 300, "2.").words(170, 300, "The cart stops before the gate whenever the bell rings on the tower.")
    found = [finding for finding in read_pdf(sheet).findings if finding.code == "R117"]
    assert [finding.message for finding in found] == (
        ["1: Figure 3 Turn at the gate says 31 km/h, which its text does not"] if told else []
    )
