"""Tables of a PDF whose rows or columns the rulings alone do not tell: cut by a page, continued, grouped, without rulings."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.pdf_maker import Sheet
from tests.readers.pdf_maker import pdf as made

from regc.model.document import Document, Table
from regc.readers import markdown, pdf

NAMES = {"regulation": "carts", "edition": "1", "title": "Carts", "wording": "official"}
SHARED = Path(__file__).resolve().parents[3] / "shared" / "cases" / "reading"


def read(*sheets: Sheet) -> Document:
    """Pages as a document; the first gets a paragraph so that it is a regulation."""
    sheets[0].words(113, 70, "1.").words(170, 70, "The speeds of the carts are those of the table that stands below this text.")
    return pdf.read(Path("carts.pdf"), made(*sheets), **NAMES)


def rows(table: Table) -> list[list[str]]:
    """The texts of a table's body."""
    return [[cell.text for cell in row] for row in table.rows]


def test_the_last_row_alone_on_the_next_page_is_kept() -> None:
    one = Sheet().grid([113, 213, 313], [700, 715, 730, 745], [["Speed (mph)", "Gap (m)"], ["10", "1"], ["20", "2"]])
    two = Sheet().grid([113, 213, 313], [80, 95], [["30", "3"]]).words(113, 110, "All values in mph", size=9)
    (table,) = read(one, two).tables
    assert rows(table) == [["10", "1"], ["20", "2"], ["30", "3"]]
    assert (table.pages, table.unit_note) == ((1, 2), "All values in mph")


def test_a_header_alone_at_the_foot_of_a_page_is_kept() -> None:
    one = Sheet().grid([113, 213, 313], [730, 745], [["Speed (mph)", "Gap (m)"]])
    two = Sheet().grid([113, 213, 313], [80, 95, 110], [["10", "1"], ["20", "2"]])
    (table,) = read(one, two).tables
    assert table.columns == (("Speed (mph)",), ("Gap (m)",))
    assert rows(table) == [["10", "1"], ["20", "2"]]


def test_a_single_ruled_row_elsewhere_is_text() -> None:
    sheet = Sheet().grid([113, 213, 313], [300, 315], [["Name", "Place"]])
    assert not read(sheet).tables


@pytest.mark.parametrize("caption", ["Speeds of carts (continued)", "Speeds of carts – cont'd", "(continued)", "Table 1 (continued)"])
def test_a_continued_table_is_one(caption: str) -> None:
    one = Sheet().words(113, 680, "Speeds of carts", bold=True)
    one.grid([113, 213, 313], [700, 715, 730, 745], [["Speed (mph)", "Gap (m)"], ["10", "1"], ["20", "2"]])
    two = Sheet().words(113, 75, caption, bold=True)
    two.grid([113, 213, 313], [80, 95, 110], [["Speed (mph)", "Gap (m)"], ["30", "3"]])
    document = read(one, two)
    (table,) = document.tables
    assert table.caption == "Speeds of carts"
    assert rows(table) == [["10", "1"], ["20", "2"], ["30", "3"]]
    assert all("ontinued" not in clause.text for clause in document.clauses)


def test_a_continued_table_of_markdown_is_one() -> None:
    part = "| Speed | Gap |\n|---|---|\n"
    source = f"# 1. Carts\n\n**Speeds**\n\n{part}| 10 | 1 |\n\n**Speeds (continued)**\n\n{part}| 20 | 2 |\n"
    (table,) = markdown.read(Path("nowhere/carts.md"), source.encode(), **NAMES).tables
    assert rows(table) == [["10", "1"], ["20", "2"]]


def test_another_table_with_another_caption_is_another() -> None:
    part = "| Speed | Gap |\n|---|---|\n"
    source = f"# 1. Carts\n\n**Speeds**\n\n{part}| 10 | 1 |\n\n**Sledges (continued)**\n\n{part}| 20 | 2 |\n"
    assert len(markdown.read(Path("nowhere/carts.md"), source.encode(), **NAMES).tables) == 2


def test_the_next_page_may_have_fewer_columns_of_the_same_grid() -> None:
    one = Sheet().grid(
        [113, 163, 213, 313], [700, 715, 730, 745], [["Cart", "Kind", "v (mph)"], ["A", "(i)", "10"], ["A", "(ii)", "20"]]
    )
    two = Sheet().grid([113, 213, 313], [80, 95, 110], [["B", "30"], ["C", "40"]])
    (table,) = read(one, two).tables
    assert rows(table) == [["A", "(i)", "10"], ["A", "(ii)", "20"], ["B", "B", "30"], ["C", "C", "40"]]


def test_rows_that_only_lines_of_figures_tell() -> None:
    sheet = Sheet().grid([113, 213, 313], [120, 140, 190, 230], [["G (l/s)", "k (1/m)"]])
    for x, figures in ((117, ["42", "45", "50", "55", "60"]), (217, ["2,26", "2,19", "2,08", "1,985", "1,90"])):
        for figure, y in zip(figures, (152, 164, 176, 202, 214), strict=True):
            sheet.words(x, y, figure, size=9)
    document = read(sheet)
    (table,) = document.tables
    assert rows(table) == [["42", "2.26"], ["45", "2.19"], ["50", "2.08"], ["55", "1.985"], ["60", "1.90"]]
    assert [finding.place for finding in document.findings if finding.code == "R115"] == ["1#1"]


def test_lines_of_words_are_no_rows() -> None:
    sheet = Sheet().grid([113, 213, 313], [120, 140, 190], [["Name", "Use"]])
    sheet.words(117, 152, "Large", size=9).words(117, 164, "cart", size=9).words(217, 152, "For", size=9).words(217, 164, "hay", size=9)
    (table,) = read(sheet).tables
    assert rows(table) == [["Large cart", "For hay"]]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the faulty inputs are not beside the checkout (shared/cases)")
def test_every_test_speed_table_keeps_its_last_row() -> None:
    path = SHARED / "last-row-next-page.pdf"
    document = pdf.read(path, path.read_bytes(), **NAMES)
    assert [(table.id, len(table.rows)) for table in document.tables if table.clause.startswith("6.")] == [
        ("6.4#1", 3),
        ("6.4#2", 3),
        ("6.5#1", 2),
        ("6.5#2", 2),
        ("6.6.1#1", 3),
        ("6.6.1#2", 3),
        ("6.7.1#1", 3),
        ("6.7.1#2", 3),
    ]


def _columns(sheet: Sheet, y: float, *rows_: str, xs: tuple[int, ...] = (130, 230, 330)) -> Sheet:
    """Rows without rulings, written "a | b | c"."""
    for index, row in enumerate(rows_):
        for x, text in zip(xs, row.split("|"), strict=True):
            if text.strip():
                sheet.words(x, y + 14 * index, text.strip(), size=9)
    return sheet


def test_a_table_without_rulings() -> None:
    sheet = Sheet().words(113, 110, "Speeds of carts", bold=True)
    _columns(sheet, 130, "v (mph) | Empty | Full", "10 | 0.00 | 1.50", "20 | 2.00 | -", "30 | 3.00 | 4.50***")
    document = read(
        sheet.words(113, 190, "All values in mph", size=9).words(113, 210, "2.").words(170, 210, "The driver of the cart pays.")
    )
    (table,) = document.tables
    assert (table.caption, table.unit_note) == ("Speeds of carts", "All values in mph")
    assert table.columns == (("v (mph)",), ("Empty",), ("Full",))
    assert rows(table) == [["10", "0.00", "1.50"], ["20", "2.00", "-"], ["30", "3.00", "4.50"]]
    assert table.rows[2][2].marks == ("***",)
    (finding,) = (finding for finding in document.findings if finding.code == "R114")
    assert "9 of 9 cells stand in line" in finding.message


def test_a_header_over_two_columns_without_rulings() -> None:
    sheet = _columns(Sheet(), 130, "| Cart at rest |", xs=(130, 262, 330))
    _columns(sheet, 144, "v (mph) | Empty | Full", "10 | 0.00 | 1.50", "20 | 2.00 | 3.50", "30 | 3.00 | 4.50")
    (table,) = read(sheet).tables
    assert table.columns == (("v (mph)",), ("Cart at rest", "Empty"), ("Cart at rest", "Full"))


def test_a_word_out_of_line_is_counted() -> None:
    sheet = _columns(Sheet(), 130, "v (mph) | Empty | Full", "10 | 0.00 | 1.50", "20 | 2.00 | 2.50", "30 | 3.00 | 4.50").words(
        245, 186, "5.00", size=9
    )
    document = read(sheet.words(130, 186, "40", size=9).words(330, 186, "6.00", size=9))
    (finding,) = (finding for finding in document.findings if finding.code == "R114")
    assert "11 of 12 cells stand in line" in finding.message


@pytest.mark.parametrize(
    "lines",
    [
        ["See paragraph 5 and 6 of the text.", "The cart has 4 wheels and 2 doors.", "It weighs 80 kg and 3 men."],
        ["10 mph", "20 mph", "30 mph"],
    ],
)
def test_prose_with_figures_is_no_table(lines: list[str]) -> None:
    sheet = Sheet()
    for index, line in enumerate(lines):
        sheet.words(170, 110 + 14 * index, line)
    assert not read(sheet).tables


def test_a_scan_with_its_text_behind_is_read() -> None:
    sheet = Sheet().box(0, 0, 595, 842)
    _columns(sheet, 130, "v (mph) | Empty | Full", "10 | 0.00 | 1.50", "20 | 2.00 | 3.50", "30 | 3.00 | 4.50")
    document = read(sheet.words(113, 210, "2.").words(170, 210, "The driver of the cart pays for all of the damage."))
    assert [clause.number for clause in document.clauses if clause.number] == ["1", "2"]
    assert len(document.tables) == 1
    assert not document.figures
    assert not [finding for finding in document.findings if finding.code == "R153"]


def test_a_scan_that_went_through_ocr_is_read() -> None:
    """A page image with its words behind, each a little out of line and of another size: text is text, the table comes by alignment."""
    sheet = Sheet().scan()
    for index, row in enumerate(("v (mph) | Empty | Full", "10 | 0.00 | 1.50", "20 | 2.00 | 3.50", "30 | 3.00 | 4.50")):
        for column, (x, text) in enumerate(zip((130, 230, 330), row.split("|"), strict=True)):
            sheet.words(x + (index + column) % 2, 130 + 14 * index + 0.4 * (column % 2), text.strip(), size=8.6 + 0.3 * (index % 3))
    sheet.words(113, 210.3, "2.", size=9.7).words(170, 210, "The driver of the cart pays for all of the damage,", size=9.8)
    document = read(sheet.words(170, 222.2, "also when it rains.", size=10.1))
    assert [(clause.number, clause.text) for clause in document.clauses if clause.number][1:] == [
        ("2", "The driver of the cart pays for all of the damage, also when it rains.")
    ]
    (table,) = document.tables
    assert rows(table) == [["10", "0.00", "1.50"], ["20", "2.00", "3.50"], ["30", "3.00", "4.50"]]
    codes = [finding.code for finding in document.findings]
    assert "R114" in codes  # how sure: the cells that stand in line
    assert not {"R151", "R153"} & set(codes)


def test_a_page_that_a_viewer_turns_is_read_as_it_is_seen() -> None:
    sheet = Sheet(rotate=90, turned=True)
    _columns(sheet, 130, "v (mph) | Empty | Full", "10 | 0.00 | 1.50", "20 | 2.00 | 3.50", "30 | 3.00 | 4.50")
    (table,) = read(sheet).tables
    assert rows(table) == [["10", "0.00", "1.50"], ["20", "2.00", "3.50"], ["30", "3.00", "4.50"]]


def test_turned_words_in_a_cell_are_read() -> None:
    sheet = Sheet().grid([113, 213, 313], [120, 140, 200, 260], [["Country", "Width"], ["North", ""], ["South", ""]])
    for y, words in ((190, "15 cm"), (250, "22.5 cm")):
        sheet.commands.append(f"BT /F1 9 Tf 0 1 -1 0 260 {842 - y} Tm ({words}) Tj ET")
    document = read(sheet)
    (table,) = document.tables
    assert rows(table) == [["North", "15 cm"], ["South", "22.5 cm"]]
    assert not [finding for finding in document.findings if finding.code == "R152"]


def ruled(sheet: Sheet, xs: list[float], ys: list[float], rows: list[list[str]], sizes: list[float]) -> Sheet:
    """A ruled table with a size of type for each row."""
    sheet.grid(xs, ys, [])
    for row, y, size in zip(rows, ys, sizes, strict=False):
        for text, x in zip(row, xs, strict=False):
            if text:
                sheet.words(x + 4, y + 11, text, size=size)
    return sheet


@pytest.mark.parametrize("head", [1, 2])
def test_a_head_in_smaller_type_ends_where_the_larger_type_begins(head: int) -> None:
    lines = [["Sled", "Brake"], ["kind", "kind"], ["Red sled", "none"], ["Blue sled", "2"]]
    sheet = ruled(Sheet(), [113, 213, 313], [100, 115, 130, 145, 160], lines, [8] * head + [9] * (4 - head))
    (table,) = read(sheet).tables
    assert rows(table) == lines[head:]


def test_a_cell_that_spans_rows_of_the_body_is_in_no_head() -> None:
    sheet = Sheet().grid([113, 213, 313], [100, 145], [])
    sheet.line(213, 115, 313, 115).line(213, 130, 313, 130)
    sheet.words(117, 111, "Influence", size=7)
    for y, text in ((111, "large"), (126, "small"), (141, "none")):
        sheet.words(217, y, text, size=9)
    (table,) = read(sheet).tables
    assert rows(table) == [["Influence", "large"], ["Influence", "small"], ["Influence", "none"]]


def test_a_form_of_small_type_above_an_empty_row_is_a_head() -> None:
    sheet = ruled(Sheet(), [113, 213, 313], [100, 115, 130, 145], [["Sled", "Sled"], ["Kind", "Maker"]], [8, 8])
    (table,) = read(sheet).tables
    assert (table.columns, rows(table)) == ((("Sled", "Kind"), ("Sled", "Maker")), [["", ""]])


def test_rows_that_the_first_column_counts_need_no_rulings() -> None:
    lines = [["1", "1 x 10", "no"], ["2-6", "open (350)", "no"], ["7", "1 x 10", "yes"]]
    sheet = Sheet().grid([113, 213, 313, 413], [100, 115, 160], [["Cycle", "Use", "Air"]])
    for number, line in enumerate(lines):
        for text, x in zip(line, (117, 217, 317), strict=True):
            sheet.words(x, 126 + 12 * number, text, size=9)
    (table,) = read(sheet).tables
    assert rows(table) == lines


def test_lines_of_words_beside_each_other_stay_one_row() -> None:
    sheet = Sheet().grid([113, 213, 313], [100, 115, 145], [["Cart", "Rule"]])
    for text, x, y in (("Red carts", 117, 126), ("of wood", 117, 138), ("No brake", 217, 126), ("at all", 217, 138)):
        sheet.words(x, y, text, size=9)
    (table,) = read(sheet).tables
    assert rows(table) == [["Red carts of wood", "No brake at all"]]


def test_a_mark_that_the_file_writes_in_pieces_is_one() -> None:
    sheet = Sheet().grid([113, 213, 313], [100, 115, 130], [["Cart", "Speed (mph)"]])
    sheet.words(117, 126, "10", size=9).words(217, 126, "20^*^^**^", size=9).words(113, 142, "*** Red carts only.", size=8)
    document = read(sheet)
    (table,) = document.tables
    assert (table.rows[0][1].text, table.rows[0][1].marks) == ("20", ("***",))
    assert document.footnotes[0].marker == "***"


def spoken(sheet: Sheet, xs: list[float], y: float, *lines: list[str], size: float = 9) -> float:
    """Lines of cells without vertical rulings, 12 points apart."""
    for line in lines:
        for text, x in zip(line, xs, strict=True):
            if text:
                sheet.words(x, y, text, size=size)
        y += 12
    return y


HEAD, BODY = (
    ["Byte", "Bits", "Meaning"],
    [["1", "1 to 2", "Kind of sled"], ["", "", "and its maker"], ["", "3 to 8", "Bells"], ["2", "1", "Brake"]],
)


def test_a_table_with_horizontal_rulings_alone_is_one() -> None:
    sheet, xs = Sheet(), [115.0, 180.0, 250.0]
    for y in (100, 116, 170):
        sheet.line(113, y, 420, y)
    spoken(sheet, xs, 111, HEAD, size=8)
    spoken(sheet, xs, 128, *BODY)
    document = read(sheet)
    (table,) = document.tables
    assert table.columns == (("Byte",), ("Bits",), ("Meaning",))
    assert rows(table) == [["1", "1 to 2", "Kind of sled and its maker"], ["", "3 to 8", "Bells"], ["2", "1", "Brake"]]
    assert "R114" in {finding.code for finding in document.findings}


def test_its_rows_between_rulings_are_rows_and_a_label_ruled_off_is_of_the_next() -> None:
    sheet, xs = Sheet(), [115.0, 220.0, 290.0]
    for y in (100, 130, 146, 162, 190):
        sheet.line(113, y, 420, y)
    spoken(sheet, xs, 110, ["", "Red sled", "Blue sled"], size=8)
    spoken(sheet, xs, 125, ["Width", "0.4 m", "0.5 m"])
    spoken(sheet, xs, 141, ["Height of the", "", ""], ["(empty) sled", "0.6 m", "0.7 m"])
    spoken(sheet, xs, 172, ["Length", "1 m", "2 m"], ["Weight", "9 kg", "8 kg"])
    (table,) = read(sheet).tables
    assert rows(table) == [
        ["Width", "0.4 m", "0.5 m"],
        ["Height of the (empty) sled", "0.6 m", "0.7 m"],
        ["Length", "1 m", "2 m"],
        ["Weight", "9 kg", "8 kg"],
    ]


def test_paragraphs_between_rulings_are_no_table() -> None:
    sheet = Sheet()
    for y in (100, 130, 160):
        sheet.line(113, y, 520, y)
    for number, y in (("2.", 115), ("3.", 145)):
        sheet.words(113, y, number).words(170, y, "Nobody shall stand on a sled that moves, whoever set it up.")
    assert not read(sheet).tables


@pytest.mark.parametrize("first", ["1a.", "3 to 4", "5-6"])
def test_a_first_row_that_is_counted_is_no_header(first: str) -> None:
    sheet = Sheet().grid([113, 213, 313], [100, 115, 130], [[first, "Push"], ["2.", "Pull"]])
    (table,) = read(sheet).tables
    assert rows(table) == [[first, "Push"], ["2.", "Pull"]]


def test_notes_with_figures_under_a_table_are_its_own() -> None:
    sheet = Sheet().grid([113, 213, 313], [100, 115, 130], [["Cart", "Speed (mph)"]])
    sheet.words(117, 126, "10", size=9).words(217, 126, "20^2^", size=9)
    sheet.words(113, 142, "^2^ Red carts alone, whoever", size=8).words(113, 152, "set them up.", size=8)
    sheet.words(170, 180, "A rule of 2 words.")
    document = read(sheet)
    (note,) = document.footnotes
    assert (note.id, note.text) == ("1#1, footnote 2", "Red carts alone, whoever set them up.")
    assert note.anchors == ("1#1", "1")


def test_a_small_figure_that_no_cell_bears_begins_no_note_of_the_table() -> None:
    sheet = Sheet().grid([113, 213, 313], [100, 115, 130], [["Cart", "Speed (mph)"], ["10", "20"]])
    sheet.words(113, 142, "^2^ Red carts alone.", size=8).words(170, 180, "A rule of two words that goes on.")
    assert all(note.table is None for note in read(sheet).footnotes)


def test_a_white_area_has_no_rulings() -> None:
    white = "1 1 1 rg 113 600 200 15 re f 113 615 120 15 re f 0 0 0 rg"
    sheet = Sheet(commands=[white]).words(117, 223, "Red carts").words(117, 238, "Blue carts").words(250, 238, "Tubs")
    assert not read(sheet).tables


def test_letters_are_marks_of_notes_under_a_table_too() -> None:
    sheet = Sheet().grid([113, 213, 313], [100, 115, 130], [["Cart", "Speed (mph)"]])
    sheet.words(117, 126, "Red^a,b^", size=9).words(217, 126, "20", size=9)
    sheet.words(113, 142, "^a^ Of wood.", size=8).words(113, 154, "^b^ With a bell.", size=8)
    sheet.words(170, 190, "A rule of two words that goes on.")
    document = read(sheet)
    assert document.tables[0].rows[0][0].text == "Red"
    assert [note.id for note in document.footnotes] == ["1#1, footnote a", "1#1, footnote b"]


def test_boxes_in_type_much_larger_than_the_text_are_a_drawing() -> None:
    sheet = ruled(Sheet(), [113, 213, 313], [100, 130, 160], [["79", "042439"], ["31", "021628"]], [16, 16])
    document = read(sheet)
    assert not document.tables
    assert "042439" not in "".join(clause.text for clause in document.clauses)
