"""Tables of a PDF whose rulings tell too little or too much: rows and columns without them, drawings with them, no head at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.pdf_maker import Sheet
from tests.readers.pdf_maker import pdf as made

from regc.model.document import Document, Table
from regc.readers import pdf

NAMES = {"regulation": "carts", "edition": "1", "title": "Carts", "wording": "official"}


def read(*sheets: Sheet) -> Document:
    """Pages as a document; the first gets a paragraph so that it is a regulation."""
    sheets[0].words(113, 70, "1.").words(170, 70, "The speeds of the carts are those of the table that stands below this text.")
    return pdf.read(Path("carts.pdf"), made(*sheets), **NAMES)


def rows(table: Table) -> list[list[str]]:
    """The texts of a table's body."""
    return [[cell.text for cell in row] for row in table.rows]


def told(document: Document, code: str) -> list[str]:
    """Where findings of a code stand."""
    return [finding.place for finding in document.findings if finding.code == code]


def grouped(lines: list[list[str]], *, xs: tuple[int, ...] = (113, 263, 363, 463), pitch: int = 12) -> Sheet:
    """A table with rulings between its columns, round its head and below its last line alone."""
    height = 125 + pitch * (len(lines) - 1)
    sheet = Sheet().grid([float(x) for x in xs], [100, 115, height], [lines[0]])
    for index, line in enumerate(lines[1:]):
        for x, text in zip(xs, line, strict=False):
            if text:
                sheet.words(x + 4, 127 + pitch * index, text, size=9)
    return sheet


# ---------------------------------------------------------------- rows that lines tell


def test_entries_of_the_first_column_are_rows() -> None:
    lines = [
        ["Property", "Limit", "Rule"],
        ["Weight when dry", "min. 50 kg", "B 12"],
        ["", "max. 60 kg", ""],
        ["Width", "max. 1,2 m", "B 13"],
        ["", "", "B 14"],
        ["Length", "", ""],
        ["Height", "max. 2 m", "B 15 or B 16"],
    ]
    document = read(grouped(lines))
    (table,) = document.tables
    assert rows(table) == [
        ["Weight when dry", "min. 50 kg max. 60 kg", "B 12"],
        ["Width", "max. 1,2 m", "B 13 B 14"],
        ["Length", "", ""],
        ["Height", "max. 2 m", "B 15 or B 16"],
    ]
    assert told(document, "R115") == ["1#1"]


def test_a_line_beside_no_entry_and_below_nothing_is_a_row() -> None:
    lines = [
        ["Name", "Kind", "Rule"],
        ["Bell", "brass", "B 1"],
        ["", "steel", ""],
        ["", "", "B 2"],
        ["Lamp", "oil", ""],
        ["Rope", "hemp", "B 3"],
    ]
    (table,) = read(grouped(lines)).tables
    assert rows(table) == [["Bell", "brass steel", "B 1"], ["", "", "B 2"], ["Lamp", "oil", ""], ["Rope", "hemp", "B 3"]]


@pytest.mark.parametrize(
    "first",
    [
        ["The weight of the red cart on", "Snow that fell in the night or", "Ice"],  # no room for the next word
        ["The weight", "of the cart", "on snow"],  # small letters
        ["Weight", "Dry"],  # two lines
    ],
)
def test_lines_of_one_entry_are_one_row(first: list[str]) -> None:
    (table,) = read(
        grouped([["Property", "Limit"], *([text, f"max. {step} kg"] for step, text in enumerate(first, 1))], xs=(113, 263, 363))
    ).tables
    assert len(table.rows) == 1


def test_a_row_with_entries_among_plain_rows_is_one() -> None:
    """Where most rows are ruled off, one is not parted without a ruling."""
    sheet = grouped([["Torque", "Unit"], ["At the brake", "lever"], ["First:", "Nm"], ["Second:", "Nm"]], xs=(113, 263, 363))
    sheet.grid([113, 263, 363], [161, 176, 191], [["Mass", "kg"], ["Length", "m"]])
    (table,) = read(sheet).tables
    assert len(table.rows) == 3


def test_blanks_to_be_filled_in_are_rows() -> None:
    (table,) = read(grouped([["Point", "Speed"], *([". . . . .", ". . ."] for _ in range(4))], xs=(113, 263, 363))).tables
    assert rows(table) == [[". . . . .", ". . ."]] * 4


# ---------------------------------------------------------------- a row that a page cuts


def cut(*below: list[str]) -> Document:
    xs = [113.0, 263.0, 363.0, 463.0]
    head = ["Aspect", "Test", "Rule"]
    one = Sheet().grid(xs, [700, 715, 730, 745], [head, ["Bell", "Annex 2 4.1.", "Rule 5"], ["Lamp", "Annex 2", "Rule 6"]])
    two = Sheet().grid(xs, [80 + 15 * step for step in range(len(below) + 2)], [head, *below])
    return read(one, two)


def test_a_row_that_a_page_cuts_is_one() -> None:
    document = cut(["", "4.2.", ""], ["Rope", "Annex 3 1.1.", "Rule 7"])
    (table,) = document.tables
    assert rows(table)[1:] == [["Lamp", "Annex 2 4.2.", "Rule 6"], ["Rope", "Annex 3 1.1.", "Rule 7"]]
    assert told(document, "R115") == ["1#1"]


@pytest.mark.parametrize(
    "below",
    [
        [["", "4.2.", "Rule 8"], ["Rope", "Annex 3", "Rule 7"]],  # a row of a group: all other cells are filled
        [["", "4.2.", ""], ["", "Annex 3", "Rule 7"]],  # other rows have no first cell either
        [["", "12", ""], ["Rope", "Annex 3", "Rule 7"]],  # a figure of its own
    ],
)
def test_a_row_without_a_first_cell_may_be_one_of_its_own(below: list[list[str]]) -> None:
    (table,) = cut(*below).tables
    assert rows(table)[2:] == below


def in_groups(*below: list[str], first: str = "Class B carts that") -> list[list[str]]:
    """A table whose second group of rows goes on with these on the next page."""
    xs = [113.0, 263.0, 363.0]
    one = Sheet().grid([113, 363], [700, 715, 760], []).line(263, 700, 263, 760).line(263, 730, 363, 730).line(113, 730, 263, 730)
    one.line(263, 745, 363, 745)
    for x, y, text in ((117, 711, "Class"), (267, 711, "Load (kg)"), (117, 726, "Class A"), (267, 726, "10")):
        one.words(x, y, text, size=9)
    one.words(117, 741, first, size=9).words(267, 741, "20", size=9).words(267, 756, "30", size=9)
    two = Sheet().grid(xs, [80.0 + 15 * step for step in range(len(below) + 1)], list(below))
    (table,) = read(one, two).tables
    return rows(table)


@pytest.mark.parametrize(("first", "rest"), [("Class B", ""), ("Class B carts that", "carry hay")])
def test_a_group_of_rows_that_a_page_cuts_is_one(first: str, rest: str) -> None:
    group = f"{first} {rest}".strip()
    assert in_groups([rest, "40"], ["Class C", "50"], first=first) == [
        ["Class A", "10"],
        [group, "20"],
        [group, "30"],
        [group, "40"],
        ["Class C", "50"],
    ]


def test_a_group_of_its_own_on_the_next_page_is_another() -> None:
    assert in_groups(["Class C", "50"], ["", "60"])[3:] == [["Class C", "50"], ["", "60"]]


def test_a_range_broken_over_two_lines_has_no_space() -> None:
    sheet = Sheet().grid([113, 213, 263], [120, 140, 170], [["Steel", "Carbon"]])
    sheet.words(117, 155, "Norm 6508-", size=9).words(117, 166, "1:2005", size=9)
    sheet.words(217, 155, "10.00-", size=9).words(217, 166, "14.50", size=9)
    (table,) = read(sheet).tables
    assert rows(table) == [["Norm 6508-1:2005", "10.00-14.50"]]


# ---------------------------------------------------------------- heads


@pytest.mark.parametrize(
    "first",
    [
        "Speed before: 30 mph Speed after: 10 mph",
        "Push the cart ten times. The last push is the hardest.",
    ],
)
def test_a_first_row_that_states_values_or_speaks_is_no_head(first: str) -> None:
    lines = [["Before", first], ["1. Push", "See stage 1"], ["2. Pull", "10"]]
    document = read(Sheet().grid([113, 213, 513], [100, 115, 130, 145], lines))
    (table,) = document.tables
    assert rows(table) == lines
    assert told(document, "R110") == ["1#1"]


@pytest.mark.parametrize("first", ["Speed before: (km/h)", "Rule No. 3 on carts", "Speed > 60 - 100 km/h"])
def test_a_first_row_of_names_is_a_head(first: str) -> None:
    (table,) = read(Sheet().grid([113, 213, 513], [100, 115, 130, 145], [["Stage", first], ["Push", "slow"], ["Pull", "fast"]])).tables
    assert table.columns == (("Stage",), (first,))


def test_a_head_does_not_join_what_it_parts() -> None:
    """The row below the head joins its columns and is set as the head is: it belongs to the body."""
    sheet = Sheet().grid([113, 313, 413], [100, 130, 145, 160], [])
    sheet.line(213, 115, 213, 130).line(113, 115, 313, 115).line(213, 145, 213, 160)
    for x, y, text, size in (
        (117, 111, "Pattern", 8),
        (317, 111, "Land", 8),
        (117, 126, "Left", 8),
        (217, 126, "Right", 8),
        (117, 141, "How it is measured", 8),
        (317, 141, "All", 8),
        (117, 156, "wide", 9),
        (217, 156, "narrow", 9),
        (317, 156, "North", 9),
    ):
        sheet.words(x, y, text, size=size)
    (table,) = read(sheet).tables
    assert table.columns == (("Pattern", "Left"), ("Pattern", "Right"), ("Land",))
    assert rows(table) == [["How it is measured", "How it is measured", "All"], ["wide", "narrow", "North"]]


# ---------------------------------------------------------------- columns


def test_a_table_of_one_column() -> None:
    lines = [["How often a cart stops"], ["1. At a gate"], ["2. At a bridge"], ["3. Elsewhere"]]
    (table,) = read(Sheet().grid([113, 313], [100, 115, 130, 145, 160], lines)).tables
    assert (table.columns, rows(table)) == ((("How often a cart stops",),), lines[1:])


def test_a_frame_round_a_text_is_no_table() -> None:
    assert not read(Sheet().grid([113, 313], [100, 130], [["Take care."]])).tables


def framed(*rulings: float) -> Table:
    """A table in a frame with a line below its head, and with rulings between some of its columns."""
    lines = [["Land", "Speed (mph)", "Load (kg)"], ["North", "10", "80"], ["South", "20 ± 1", "90"], ["West", "30", "95"]]
    sheet = Sheet().grid([113, 413], [100, 115, 165], [])
    for x in rulings:
        sheet.line(x, 100, x, 165)
    for index, line in enumerate(lines):
        for x, text in zip((117, 217, 317), line, strict=True):
            sheet.words(x, 111 + 16 * index, text, size=9)
    (table,) = read(sheet).tables
    assert table.columns == tuple((head,) for head in lines[0])
    assert rows(table) == lines[1:]
    return table


@pytest.mark.parametrize("rulings", [(), (213,), (313,), (213, 313)])
def test_columns_of_figures_in_a_frame(rulings: tuple[float, ...]) -> None:
    assert framed(*rulings).pages == (1,)


def test_words_in_a_ruled_cell_are_no_columns() -> None:
    lines = [["Name", "Note"], ["Cart", "10 wheels and 20 doors"], ["Sled", "2 runners"]]
    (table,) = read(Sheet().grid([113, 213, 413], [100, 115, 130, 145], lines)).tables
    assert rows(table) == lines[1:]


def rectangle(sheet: Sheet, x0: float, y0: float, x1: float, y1: float) -> None:
    """A white box with an outline, as programs that draw make one."""
    sheet.commands.append(f"1 1 1 rg 0 0 0 RG {x0} {842 - y1} {x1 - x0} {y1 - y0} re B 0 0 0 rg")


def test_boxes_drawn_in_cells_are_no_rulings() -> None:
    sheet = Sheet().grid([113, 213, 313, 413], [100, 115, 175, 235], [["Pattern", "Land", "Width"]])
    for y in (115, 175):
        rectangle(sheet, 130, y, 142, y + 60)  # from ruling to ruling
        rectangle(sheet, 160, y + 10, 172, y + 50)
        sheet.words(217, y + 30, "North" if y == 115 else "South", size=9).words(317, y + 30, "15 cm", size=9)
    (table,) = read(sheet).tables
    assert table.columns == (("Pattern",), ("Land",), ("Width",))
    assert rows(table) == [["", "North", "15 cm"], ["", "South", "15 cm"]]


def test_cells_that_are_boxes_are_a_table() -> None:
    sheet = Sheet()
    for row, line in enumerate([["Cart", "Speed (mph)"], ["Red", "10"], ["Blue", "20"]]):
        for column, text in enumerate(line):
            rectangle(sheet, 113 + 100 * column, 100 + 15 * row, 213 + 100 * column, 115 + 15 * row)
            sheet.words(117 + 100 * column, 111 + 15 * row, text, size=9)
    (table,) = read(sheet).tables
    assert rows(table) == [["Red", "10"], ["Blue", "20"]]


def joined(*words: tuple[float, str]) -> Table:
    """A table whose last row has no rulings between the second column and the third, with these words in it."""
    sheet = Sheet().grid([113, 213, 413], [100, 115, 130, 145], [["Land", "Left"], ["North", "1 m"], ["South"]])
    sheet.line(313, 100, 313, 130).words(317, 111, "Right", size=9).words(317, 126, "2 m", size=9)
    for x, text in words:
        sheet.words(x, 141, text, size=9)
    (table,) = read(sheet).tables
    return table


def test_words_apart_in_a_joined_cell_are_of_their_columns() -> None:
    assert rows(joined((250, "3 m"), (350, "4 m")))[-1] == ["South", "3 m", "4 m"]


@pytest.mark.parametrize("words", [[(300.0, "none at all")], [(250.0, "none")], [(296.0, "not"), (314.0, "set")]])
def test_other_words_in_a_joined_cell_are_of_all_its_columns(words: list[tuple[float, str]]) -> None:
    last = rows(joined(*words))[-1]
    assert last[1] == last[2] == " ".join(text for _, text in words)
