"""Footnote marks: apart from the figure or word that they stand at, in every format; a rule under a table is a footnote of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.pdf_maker import Sheet
from tests.readers.pdf_maker import pdf as made

from regc.model.document import Document
from regc.readers import html, markdown, pdf
from regc.readers.assemble.notes import rule, split_marks

NAMES = {"regulation": "carts", "edition": "1", "title": "Carts", "wording": "official"}
SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "reading"
needs_cases = pytest.mark.skipif(not SHARED.is_dir(), reason="the faulty inputs are not beside the checkout (shared/cases)")


@pytest.mark.parametrize(
    ("written", "text", "marks"),
    [
        ("54***", "54", ("***",)),
        ("54 ***", "54", ("***",)),
        ("54 (**)", "54", ("**",)),
        ("10.00⁹", "10.00", ("9",)),
        ("45¹²", "45", ("12",)),
        ("Drawn by horses **", "Drawn by horses", ("**",)),
        ("Power (kW)²", "Power (kW)", ("2",)),
        ("Area (m²)", "Area (m²)", ()),
        ("m/s²", "m/s²", ()),
        ("= a²", "= a²", ()),
        ("*", "*", ()),
        ("2 * 3", "2 * 3", ()),
        ("10⁻¹", "10⁻¹", ()),
    ],
)
def test_marks_behind_a_text(written: str, text: str, marks: tuple[str, ...]) -> None:
    assert split_marks(written) == (text, marks)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("* Only on Sundays.", ("*", "Only on Sundays.")),
        ("***Only on Sundays.", ("***", "Only on Sundays.")),
        ("(**) Only on Sundays.", ("**", "Only on Sundays.")),
        ("** = 4", None),
        ("Only on Sundays *", None),
    ],
)
def test_rules_begin_with_their_mark(line: str, found: tuple[str, str] | None) -> None:
    assert rule(line) == found


def _sheet() -> Sheet:
    sheet = Sheet()
    sheet.words(113, 70, "1.").words(170, 70, "Carts of class O3 or O4 shall stop before the wall, whatever their load is.")
    sheet.words(113, 88, "2.").words(170, 88, "Highest speeds are those of the table, for a deck deceleration of 2.5 m/s^2^.")
    return sheet


def _rules_pdf() -> bytes:
    sheet = _sheet().words(113, 110, "Highest speed left (mph)*", bold=True)
    sheet.grid([113, 213, 363], [120, 135, 150, 165], [["Speed (mph)", "Drawn by horses **"], ["10", "4^9^"], ["20", "12.50***"]])
    sheet.words(113, 176, "All values in mph", size=9)
    sheet.words(113, 190, "* Between two rows the row of the higher", size=9).words(113, 201, "speed applies.", size=9)
    sheet.words(113, 213, "** The maker shall show the horses.", size=9).words(113, 225, "*** Only on Sundays.", size=9)
    sheet.words(113, 250, "3.").words(170, 250, "The maker^4^ pays.").words(113, 270, "4.").words(170, 270, "Nobody else pays.")
    return made(sheet.line(90, 700, 164, 700).words(113, 715, "^4^ Or the keeper.", size=8))


_RULES_MD = """# 1. Carts

Carts of class O3 or O4 shall stop before the wall, whatever their load is.

# 2. Speeds

**Highest speed left (mph)\\***

| Speed (mph) | Drawn by horses \\*\\* |
|---|---|
| 10 | 4<sup>9</sup> |
| 20 | 12.50\\*\\*\\* |

All values in mph

\\* Between two rows the row of the higher speed applies.

\\*\\* The maker shall show the horses.

\\*\\*\\* Only on Sundays.

# 3. The maker[^4] pays.

[^4]: Or the keeper.
"""

_RULES_HTML = """<html><body><p>1. Carts</p><p>Carts of class O3 or O4 shall stop before the wall, whatever their load is.</p>
<p>2. Speeds</p><p>Highest speed left (mph)*</p>
<table><tr><th>Speed (mph)</th><th>Drawn by horses **</th></tr><tr><td>10</td><td>4<sup>9</sup></td></tr>
<tr><td>20</td><td>12.50<sup>***</sup></td></tr></table><p>All values in mph</p>
<p>* Between two rows the row of the higher speed applies.</p><p>** The maker shall show the horses.</p><p>*** Only on Sundays.</p>
<p>3. The maker <a href="#n4">(4)</a> pays.</p><p id="n4">(4) Or the keeper.</p></body></html>"""


def _document(form: str) -> Document:
    if form == "pdf":
        return pdf.read(Path("carts.pdf"), _rules_pdf(), **NAMES)
    if form == "md":
        return markdown.read(Path("nowhere/carts.md"), _RULES_MD.encode(), **NAMES)
    return html.read(Path("carts.html"), _RULES_HTML.encode(), **NAMES)


@pytest.mark.parametrize("form", ["pdf", "md", "html"])
def test_marks_and_rules_of_a_table(form: str) -> None:
    document = _document(form)
    (table,) = document.tables
    assert table.caption == "Highest speed left (mph)"
    assert table.columns == (("Speed (mph)",), ("Drawn by horses",))
    assert table.column_marks == ((), ("**",))
    assert [[(cell.text, cell.marks) for cell in row] for row in table.rows] == [
        [("10", ()), ("4", ("9",))],
        [("20", ()), ("12.50", ("***",))],
    ]
    assert table.footnotes == ("*", "**", "9", "***")
    rules = [(note.id, note.text, note.anchors) for note in document.footnotes if note.table]
    assert rules == [
        ("2#1, footnote *", "Between two rows the row of the higher speed applies.", ("2#1", "2")),
        ("2#1, footnote **", "The maker shall show the horses.", ("2#1", "2")),
        ("2#1, footnote ***", "Only on Sundays.", ("2#1", "2")),
    ]
    assert [(note.marker, note.anchors) for note in document.footnotes if not note.table] == [("4", ("3",))]
    two = document.clause("2")
    assert two is not None
    assert "Sundays" not in two.text


@pytest.mark.parametrize("form", ["pdf", "md", "html"])
def test_a_mark_without_its_note_is_told(form: str) -> None:
    (finding,) = (finding for finding in _document(form).findings if finding.code == "R103")
    assert "bears the marks 9" in finding.message


@pytest.mark.parametrize("form", ["pdf", "md", "html"])
def test_a_letter_and_the_next_number_are_a_category(form: str) -> None:
    one = _document(form).clause("1")
    assert one is not None
    assert "class O3 or O4 shall stop" in one.text
    assert not one.footnotes


def test_a_rule_whose_mark_nothing_bears_is_told() -> None:
    source = "# 1. Carts\n\n| v | max |\n|---|---|\n| 10 | 4 |\n| 20 | 5 |\n\n\\*\\* Only on Sundays.\n"
    document = markdown.read(Path("nowhere/carts.md"), source.encode(), **NAMES)
    assert [(note.marker, note.anchors) for note in document.footnotes] == [("**", ("1#1", "1"))]
    assert any(finding.code == "R104" and "bears **" in finding.message for finding in document.findings)


def test_glyphs_too_small_to_see_are_no_text() -> None:
    sheet = _sheet().words(113, 120, "3.").words(170, 120, "A speed of 40 mph").words(254, 120, "3F", size=0.96)
    document = pdf.read(Path("carts.pdf"), made(sheet.words(254.5, 120, ".")), **NAMES)
    three = document.clause("3")
    assert three is not None
    assert three.text == "A speed of 40 mph."
    (finding,) = (finding for finding in document.findings if finding.code == "R154")
    assert finding.excerpt == "3F"


def test_squares_of_a_formula_are_no_marks() -> None:
    sheet = _sheet().words(113, 120, "3.").words(170, 120, "The way is s = v^2^ / 2a, measured^2^ on the road that is dry.")
    sheet.line(90, 700, 164, 700).words(113, 715, "^2^ Or calculated.", size=8)
    document = pdf.read(Path("carts.pdf"), made(sheet), **NAMES)
    three = document.clause("3")
    assert three is not None
    assert three.text == "The way is s = v² / 2a, measured on the road that is dry."
    assert [note.anchors for note in document.footnotes] == [("3",)]


@needs_cases
@pytest.mark.parametrize("name", ["superscript-in-cell.pdf", "superscript-in-cell.md"])
def test_a_raised_figure_in_a_cell_is_a_mark(name: str) -> None:
    content = (SHARED / name).read_bytes()
    document = (pdf if name.endswith("pdf") else markdown).read(Path("nowhere") / name, content, **NAMES)
    table = document.table("5.2.1.4#1")
    assert table is not None
    (cell,) = (row[1] for row in table.rows if row[0].text == "42")
    assert (cell.text, cell.marks) == ("10.00", ("9",))


def test_notes_in_brackets() -> None:
    """The Official Journal: "(" raised 1 ")", in the size of the text and without a ruling above."""
    sheet = Sheet().words(113, 70, "1.").words(170, 70, "The country that has granted the approval (^1^); shall tell the others of it.")
    sheet.words(113, 90, "2.").words(170, 90, "The lamps (1) and (2) of the cart are lit before the bell is rung by night.")
    sheet.words(124, 700, "(^1^) 1 for the north, 2 for the south, 3 for the east and the west, where carts are known,")
    sheet.words(124, 712, "46 for the islands.")
    document = pdf.read(Path("carts.pdf"), made(sheet), **NAMES)
    assert [(note.marker, note.anchors, note.text[:22]) for note in document.footnotes] == [("1", ("1",), "1 for the north, 2 for")]
    texts = {clause.number: clause.text for clause in document.clauses}
    assert texts["1"] == "The country that has granted the approval; shall tell the others of it."
    assert texts["2"] == "The lamps (1) and (2) of the cart are lit before the bell is rung by night."


def test_a_mark_in_a_drawing_is_bound_to_its_place() -> None:
    sheet = _sheet().words(113, 120, "3.").words(170, 120, "The sign is painted on the cart as it is shown here.")
    sheet.box(200, 140, 200, 120).words(240, 200, "1", size=6)
    document = pdf.read(Path("carts.pdf"), made(sheet.line(90, 700, 164, 700).words(113, 715, "^1^ Of the country.", size=8)), **NAMES)
    assert [(note.marker, note.anchors) for note in document.footnotes] == [("1", ("3",))]


def test_an_appendix_without_a_number_is_a_region() -> None:
    source = "# 1. Carts\n\nRed.\n\n# Annex 2\n\n1. Forms.\n\n2. Marks.\n\n# Appendix\n\n1. Sketch.\n\n2. Size.\n"
    document = markdown.read(Path("nowhere/carts.md"), source.encode(), **NAMES)
    assert [clause.id for clause in document.clauses if clause.number] == [
        "1",
        "Annex 2, 1",
        "Annex 2, 2",
        "Annex 2 - Appendix, 1",
        "Annex 2 - Appendix, 2",
    ]
