"""Pages as other offices set them: turned, in columns, continued otherwise, without rulings, with something behind the file's end."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.pdf_maker import Sheet
from tests.readers.pdf_maker import pdf as made

from regc.model.document import Document, Table
from regc.readers import pdf

NAMES = {"regulation": "sleds", "edition": "1", "title": "Sleds", "wording": "official"}
HEAD = ["Speed (km/h)", "Distance (m)"]
BODY = [["15", "4.5"], ["25", "9.0"], ["35", "16.5"]]
XS = [113.0, 233.0, 353.0]


def read(*sheets: Sheet) -> Document:
    sheets[0].words(113, 70, "1.").words(170, 70, "A sled stops within the distances that are given in the table below here.")
    return pdf.read(Path("sleds.pdf"), made(*sheets), **NAMES)


def rows(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def ruled(sheet: Sheet, y: float, *lines: list[str]) -> Sheet:
    return sheet.grid(XS, [y + 16 * index for index in range(len(lines) + 1)], list(lines))


# ---------------------------------------------------------------- turned pages


def test_a_ruled_table_on_a_turned_page() -> None:
    (table,) = read(ruled(Sheet(rotate=90, turned=True), 150, HEAD, *BODY)).tables
    assert (table.columns, rows(table)) == (tuple((head,) for head in HEAD), BODY)


def test_a_table_goes_on_on_a_turned_page() -> None:
    one = ruled(Sheet(), 700, HEAD, *BODY[:2])
    two = ruled(Sheet(rotate=90, turned=True), 80, HEAD, *BODY[2:])
    document = read(one, two)
    assert [row for table in document.tables for row in rows(table)] == BODY


def test_paragraphs_on_a_turned_page_keep_their_order() -> None:
    two = Sheet(rotate=90, turned=True).words(113, 100, "2.").words(170, 100, "A sled has a bell.")
    two.words(113, 130, "3.").words(170, 130, "A bell is heard over 20 m.")
    clauses = {clause.number: clause.text for clause in read(Sheet(), two).clauses if clause.number}
    assert (clauses["2"], clauses["3"]) == ("A sled has a bell.", "A bell is heard over 20 m.")


# ---------------------------------------------------------------- continued tables


@pytest.mark.parametrize(
    "caption", ["Distances of sleds (cont.)", "Distances of sleds (concluded)", "Distances of sleds, continued", "Table 1 - continued"]
)
def test_other_words_for_continued(caption: str) -> None:
    one = ruled(Sheet().words(113, 680, "Distances of sleds", bold=True), 700, HEAD, *BODY[:2])
    two = ruled(Sheet().words(113, 75, caption, bold=True), 90, HEAD, *BODY[2:])
    (table,) = read(one, two).tables
    assert rows(table) == BODY


@pytest.mark.parametrize("foot", ["3", "- 3 -", "3/12"])
def test_the_last_row_alone_below_a_running_head(foot: str) -> None:
    def framed(sheet: Sheet) -> Sheet:
        return sheet.words(113, 40, "Rules on sleds, 4 May", size=8).words(300, 815, foot, size=8)

    one = ruled(framed(Sheet()), 700, HEAD, *BODY[:2])
    two = ruled(framed(Sheet()), 80, *BODY[2:]).words(113, 130, "2.").words(170, 130, "A sled has a bell.")
    (table,) = read(one, two).tables
    assert rows(table) == BODY


def test_the_last_row_alone_with_its_head_again() -> None:
    one = ruled(Sheet(), 700, HEAD, *BODY[:2])
    two = ruled(Sheet(), 80, HEAD, *BODY[2:])
    (table,) = read(one, two).tables
    assert rows(table) == BODY


def test_a_row_that_a_page_cuts_between_its_lines() -> None:
    """The first cell's words go on in a row of the next page whose other cells are empty."""
    one = ruled(Sheet(), 700, ["Sled", "Distance (m)"], ["Small sled", "4.5"], ["Large sled with a", "9.0"])
    two = ruled(Sheet(), 80, ["bell and a lamp", ""], ["Ice boat", "16.5"])
    (table,) = read(one, two).tables
    assert rows(table) == [["Small sled", "4.5"], ["Large sled with a bell and a lamp", "9.0"], ["Ice boat", "16.5"]]


# ---------------------------------------------------------------- two columns


def column(sheet: Sheet, x: float, first: int, count: int, y: float = 120) -> None:
    for index in range(count):
        at = y + 36 * index
        sheet.words(x, at, f"{first + index}.", size=9).words(x + 30, at, "A sled is kept in a shed that is", size=9)
        sheet.words(x + 30, at + 11, f"{first + index} m wide, or in the open.", size=9)


def test_a_right_column_that_ends_early() -> None:
    sheet = Sheet()
    column(sheet, 60, 1, 14)
    column(sheet, 320, 15, 4)
    numbers = [clause.number for clause in pdf.read(Path("s.pdf"), made(sheet), **NAMES).clauses if clause.number]
    assert numbers == [str(number) for number in range(1, 19)]


def test_a_heading_over_both_columns() -> None:
    sheet = Sheet().words(60, 70, "Rules of the lake on sleds, ice boats and everything else that slides on it", size=12, bold=True)
    column(sheet, 60, 1, 12)
    column(sheet, 320, 13, 12)
    clause = pdf.read(Path("s.pdf"), made(sheet), **NAMES).clause("12")
    assert clause is not None
    assert clause.text == "A sled is kept in a shed that is 12 m wide, or in the open."


def test_columns_over_two_pages() -> None:
    one, two = Sheet(), Sheet()
    for index, sheet in enumerate((one, two)):
        column(sheet, 60, 1 + 30 * index, 15)
        column(sheet, 320, 16 + 30 * index, 15)
    numbers = [clause.number for clause in pdf.read(Path("s.pdf"), made(one, two), **NAMES).clauses if clause.number]
    assert numbers == [str(number) for number in range(1, 61)]


# ---------------------------------------------------------------- without rulings


@pytest.mark.parametrize(
    "body",
    [
        [["15", "-4.5"], ["25", "0"], ["35", "+16.5"]],
        [["10 to 20", "4.5"], ["20 to 30", "9.0"], ["30 to 40", "16.5"]],
        [["15.0 ± 0.5", "4.5"], ["25.0 ± 0.5", "9.0"], ["35.0 ± 0.5", "16.5"]],
        [["15 +2/-0", "4.5 m"], ["25 +2/-0", "> 9.0 m"], ["35 +2/-0", "16.5 m"]],
        [["5 - 10", "0.02-0.10"], ["10 - 20", "1.5 or 2.5"], ["20 - 40", "16.5"]],
    ],
)
def test_a_table_without_rulings(body: list[list[str]]) -> None:
    sheet = Sheet().words(113, 110, "Distances of sleds", bold=True)
    for index, row in enumerate([HEAD, *body]):
        for x, text in zip(XS, row, strict=False):
            sheet.words(x + 20, 130 + 14 * index, text, size=9)
    document = read(sheet.words(113, 230, "2.").words(170, 230, "A sled has a bell."))
    (table,) = document.tables
    assert rows(table) == body
    assert "R114" in {finding.code for finding in document.findings}
    assert table.caption == "Distances of sleds"


def spread(*lines: list[str]) -> Document:
    """Lines in three columns without rulings."""
    sheet = Sheet()
    for index, line in enumerate(lines):
        for x, text in zip((133, 233, 333), line, strict=False):
            sheet.words(x, 130 + 14 * index, text, size=9)
    return read(sheet)


def test_lines_of_words_in_columns_are_told() -> None:
    document = spread(
        ["Sled", "Use", "Brake"],
        ["Red sled", "in snow", "a rope"],
        ["with a bell", "and on ice", ""],
        ["Ice boat", "on a lake", "none"],
    )
    assert not document.tables
    (finding,) = (finding for finding in document.findings if finding.code == "R118")
    assert (finding.place, "4 lines stand in columns" in finding.message) == ("page 1", True)


def test_words_in_every_column_of_every_line_are_a_table() -> None:
    document = spread(["Sled", "Use", "Brake"], ["Red sled", "in snow", "a rope"], ["Ice boat", "on a lake", "none"])
    (table,) = document.tables
    assert table.columns == (("Sled",), ("Use",), ("Brake",))
    assert rows(table) == [["Red sled", "in snow", "a rope"], ["Ice boat", "on a lake", "none"]]
    assert "9 of 9 cells stand in line" in "".join(finding.message for finding in document.findings if finding.code == "R114")


def test_a_shade_behind_rows_is_no_ruling() -> None:
    sheet = Sheet()
    for y in (134, 162):
        sheet.commands.append(f"0.9 g 113 {842 - y - 4} 360 14 re f 0 g")
    for index, row in enumerate([HEAD, *BODY]):
        for x, text in zip(XS, row, strict=False):
            sheet.words(x + 20, 130 + 14 * index, text, size=9)
    (table,) = read(sheet).tables
    assert (table.columns, rows(table)) == (tuple((head,) for head in HEAD), BODY)


def test_a_paragraph_above_a_table_without_rulings_is_no_header() -> None:
    sheet = Sheet().words(113, 116, "2.").words(170, 116, "A sled stops within these distances.")
    for index, row in enumerate([HEAD, *BODY]):
        for x, text in zip(XS, row, strict=False):
            sheet.words(x + 20, 130 + 14 * index, text, size=9)
    document = read(sheet)
    (table,) = document.tables
    assert (table.id, table.columns) == ("2#1", tuple((head,) for head in HEAD))


def between_rulings(*ys: float) -> Table:
    """A head and three rows 16 points apart from 120 on, with horizontal rulings alone."""
    sheet = Sheet()
    lines = [["Sled", "Distance", "Road"], ["Red sled", "4.5 m", "any"], ["Ice boat", "9 m", "a lake"], ["Cart", "16 m", "any"]]
    for index, line in enumerate(lines):
        for x, text in zip((115, 233, 333), line, strict=False):
            sheet.words(x, 131 + 16 * index, text, size=9)
    for y in ys:
        sheet.line(113, y, 420, y)
    (table,) = read(sheet).tables
    assert table.columns == (("Sled",), ("Distance",), ("Road",))
    assert rows(table) == lines[1:]
    return table


@pytest.mark.parametrize("ys", [(120, 136, 152, 168, 184), (136, 152, 168, 184), (120, 136, 152, 168), (136, 152, 168)])
def test_a_head_or_a_last_row_without_an_outer_ruling(ys: tuple[float, ...]) -> None:
    assert between_rulings(*ys).pages == (1,)


def test_a_first_cell_that_goes_on_with_a_small_letter() -> None:
    sheet = Sheet()
    for y in (120, 136, 190):
        sheet.line(113, y, 420, y)
    for y, line in (
        (131, ["Snow", "Way", "Remark"]),
        (150, ["Fresh snow that fell", "9 m", "none"]),
        (162, ["before dawn", "", ""]),
        (174, ["Old snow", "4 m", "none"]),
    ):
        for x, text in zip((115, 233, 333), line, strict=False):
            if text:
                sheet.words(x, y, text, size=9)
    (table,) = read(sheet).tables
    assert rows(table) == [["Fresh snow that fell before dawn", "9 m", "none"], ["Old snow", "4 m", "none"]]


def test_values_beside_words_are_told() -> None:
    document = spread(["Red sled", "15 ± 2 km/h"], ["Blue sled", "10 to 20 km/h"], ["Ice boat", "9 km/h"])
    assert not document.tables
    assert [finding.place for finding in document.findings if finding.code == "R118"] == ["page 1"]


def test_what_signs_mean_is_no_table() -> None:
    document = spread(["v", "= speed", "of a sled"], ["m", "= mass", "of a sled"], ["s", "= way", "of a sled"])
    assert not [finding for finding in document.findings if finding.code == "R118"]


# ---------------------------------------------------------------- behind the end


def content() -> bytes:
    return made(Sheet().words(60, 130, "1.1.").words(120, 130, "A sled slides at 20 km/h at most.").words(120, 160, "It is green."))


@pytest.mark.parametrize("tail", [b"\x1a", b"\0" * 700 + b"signed", b"\r\n--boundary--\r\n"], ids=["DOS end", "padding", "mail"])
def test_bytes_behind_the_end(tail: bytes) -> None:
    document = pdf.read(Path("s.pdf"), content() + tail, **NAMES)
    assert [finding.code for finding in document.findings].count("R155") == 1
    assert "20 km/h" in document.clauses[-1].text


def test_another_document_behind_the_end_is_never_taken_for_the_first_without_a_word() -> None:
    other = made(Sheet().words(60, 130, "1.1.").words(120, 130, "A sled slides at 90 km/h at most."))
    document = pdf.read(Path("s.pdf"), content() + other, **NAMES)
    assert {finding.severity for finding in document.findings if finding.code == "R155"} == {"warning"}
