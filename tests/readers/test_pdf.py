"""The PDF reader: invented pages whose right result is worked out by hand, broken files, and the real documents."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from subprocess import PIPE

import pytest
from tests.readers.pdf_maker import Sheet
from tests.readers.pdf_maker import pdf as made

from regc.errors import SourceError
from regc.model.document import Document
from regc.readers import pdf

_SHARED = Path(__file__).resolve().parents[3] / "shared" / "regulations"
_REAL = _SHARED / "un152-r2" / "un152-r2.pdf"
_OTHERS = sorted((_SHARED / "distractors").glob("*.pdf"))

needs_real = pytest.mark.skipif(not _REAL.is_file(), reason="the official PDF is not beside the checkout (shared/regulations)")


def _read(content: bytes, name: str = "made.pdf") -> Document:
    return pdf.read(Path(name), content, regulation="drawbridge", edition="01", title="Drawbridges", wording="official")


def _page(number: int) -> Sheet:
    return Sheet().words(380, 50, "D/BRIDGE/7/Rev.1", size=9, bold=True).words(535, 812, str(number), size=9, bold=True)


def _paragraphs(sheet: Sheet, y: float, *lines: tuple[str, str]) -> float:
    """Lines of a two-column page: a number (or nothing) at 113, text at 170; a new number leaves more space above."""
    for number, text in lines:
        y += 18 if number else 12
        if number:
            sheet.words(113, y, number)
        sheet.words(170, y, text)
    return y


def _two_pages() -> bytes:
    contents = _page(1).words(57, 100, "Contents", size=14)
    for index, title in enumerate(["Scope", "Terms", "Limits", "Tests"], 1):
        contents.words(92, 120 + 18 * index, f"{index}. {title}{'.' * 60} {index + 4}")
    one = _page(2)
    one.words(113, 90, "1.", size=14, bold=True).words(170, 90, "Scope", size=14, bold=True)
    one.words(170, 112, "This text covers lifting bridges of class B^1^ and the signals that stand before")
    one.words(170, 124, "them on the road, whoever set them up, and it holds for re-")
    one.words(170, 136, "opened bridges with a deck deceleration of 2.5 m/s^2^.")
    one.words(113, 170, "2.", size=14, bold=True).words(170, 170, "Limits", size=14, bold=True)
    y = _paragraphs(
        one,
        180,
        ("2.1.", "A reopened bridge shall show its signal at the speeds of the tables below and"),
        ("", "2.1.9. is no number here, since it stands in the column of the text alone."),
        ("2.1.1.", "Nobody shall pass a red signal."),
        ("2.2.", "Speeds"),
    )
    one.words(113, y + 20, "Highest speed for trucks^2^", bold=True)
    top = y + 26
    one.grid([113, 213, 313, 413], [top, top + 15, top + 30], [["Approach (km/h)", "Loaded", "Empty"], ["20", "0.00", "0.00"]])
    one.line(90, 700, 164, 700)
    one.words(113, 712, "1", size=6).words(120, 715, "Class B bridges swing or lift.", size=8)
    one.words(113, 724, "2", size=6).words(120, 727, "Between two rows the row of the higher", size=8)
    one.words(113, 738, "speed applies.", size=8)
    two = _page(3)
    two.grid([113, 213, 313, 413], [80, 95, 110], [["30", "5.00", "0.00"], ["40", "10.00", "-"]])
    two.words(113, 124, "All values in km/h", size=9)
    _paragraphs(
        two,
        130,
        ("2.3.", "The keeper shall test the signal of each bridge on every day on which ships"),
        ("", "may pass it, as the harbour master says."),
    )
    return made(contents, one, two)


@cache
def _made() -> Document:
    return _read(_two_pages())


def test_numbers_come_from_their_column_alone() -> None:
    assert [clause.number for clause in _made().clauses if clause.number] == ["1", "2", "2.1", "2.1.1", "2.2", "2.3"]


@pytest.mark.parametrize(
    ("margin", "printed", "number", "text"),
    [
        ("E", "3.4", "3.4", "E Cold start system of the bridge"),
        ("", "3.4,", "3.4", "Cold start system of the bridge"),
        ("", "3,", None, "3, Cold start system of the bridge"),
    ],
)
def test_a_letter_left_of_a_number_and_a_comma_behind_it_hide_no_paragraph(
    margin: str, printed: str, number: str | None, text: str
) -> None:
    sheet = Sheet()
    y = _paragraphs(sheet, 80, ("1.", "Scope"), ("2.", "Terms"), ("3.", "Limits"), *((f"3.{n}.", f"Limit {n}") for n in (1, 2, 3)))
    sheet.words(100, y + 30, margin or " ").words(113, y + 30, printed).words(170, y + 30, "Cold start system of the bridge")
    last = _read(made(sheet)).clauses[-1]
    assert last.number == (number or "3.3")
    assert (last.text or last.title or "").endswith(text)


def test_text_is_whole_without_heads_marks_and_line_ends() -> None:
    scope = _made().clause("1")
    assert scope is not None
    assert scope.title == "Scope"
    assert scope.text == (
        "This text covers lifting bridges of class B and the signals that stand before them on the road, whoever set them up, "
        "and it holds for reopened bridges with a deck deceleration of 2.5 m/s²."
    )
    assert scope.footnotes == ("1",)
    assert all("D/BRIDGE" not in clause.text and "Contents" not in clause.text for clause in _made().clauses)


def test_line_boxes_give_back_the_printed_lines() -> None:
    clause = _made().clause("2.3")
    assert clause is not None
    assert [clause.text[line.start : line.end] for line in clause.lines] == [
        "The keeper shall test the signal of each bridge on every day on which ships",
        "may pass it, as the harbour master says.",
    ]
    first = clause.lines[0]
    assert first.page == 3
    assert first.bbox[0] == pytest.approx(170, abs=2)
    assert first.bbox[1] < 148 < first.bbox[3]


def test_table_cut_by_the_page_break_is_one() -> None:
    (table,) = _made().tables
    assert table.id == "2.2#1"
    assert table.caption == "Highest speed for trucks"
    assert table.unit_note == "All values in km/h"
    assert table.columns == (("Approach (km/h)",), ("Loaded",), ("Empty",))
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["20", "0.00", "0.00"],
        ["30", "5.00", "0.00"],
        ["40", "10.00", "-"],
    ]
    assert table.pages == (2, 3)
    assert [row[0].page for row in table.rows] == [2, 3, 3]
    assert table.rows[1][1].bbox is not None
    assert table.rows[1][1].bbox[0] == pytest.approx(213, abs=2)


def test_footnotes_are_bound_to_where_their_mark_stands() -> None:
    notes = {note.marker: note for note in _made().footnotes}
    assert notes["1"].anchors == ("1",)
    assert notes["2"].anchors == ("2.2#1",)
    assert notes["2"].text == "Between two rows the row of the higher speed applies."
    assert notes["2"].page == 2


def test_nothing_of_a_drawing_becomes_text() -> None:
    sheet = _page(1)
    y = _paragraphs(sheet, 70, ("1.", "The figure shows a bridge and a ship below it."), ("2.", "The ship waits."))
    sheet.box(113, y + 20, 250, 150).words(200, y + 90, "17 m", size=7)
    document = _read(made(sheet, _page(2).words(113, 90, "3.").words(170, 90, "Nothing else is needed of the ship.")))
    assert all("17 m" not in clause.text for clause in document.clauses)
    (finding,) = (finding for finding in document.findings if finding.code == "R153")
    assert finding.place == "page 1"
    assert finding.excerpt == "17 m"


def test_a_footnote_goes_on_below_the_next_page() -> None:
    one = _page(1)
    y = _paragraphs(one, 70, ("1.", "The bridge^1^ stands over the river and never sleeps, as its keeper says."), ("2.", "It is red."))
    one.line(90, 700, 164, 700).words(113, 715, "^1^ A bridge in the sense of this text is one that", size=8)
    two = _page(2)
    _paragraphs(two, 70, ("3.", "The keeper^2^ sleeps by day and may be woken by the bell of a ship."))
    two.line(90, 700, 164, 700).words(113, 715, "lifts.", size=8).words(113, 727, "^2^ Or the deputy.", size=8)
    assert y < 690
    assert [(note.marker, note.text, note.anchors) for note in _read(made(one, two)).footnotes] == [
        ("1", "A bridge in the sense of this text is one that lifts.", ("1",)),
        ("2", "Or the deputy.", ("3",)),
    ]


def test_marks_that_begin_anew_on_each_page_are_of_the_note_below_them() -> None:
    one, two = _page(1), _page(2)
    _paragraphs(one, 70, ("1.", "A bridge^1^ is looked at every hour."))
    one.line(90, 700, 164, 700).words(113, 715, "^1^ Of wood.", size=8)
    _paragraphs(two, 70, ("2.", "The keeper^1^ opens the bridge at night."))
    two.line(90, 700, 164, 700).words(113, 715, "^1^ Or the deputy.", size=8)
    assert [(note.id, note.text, note.anchors) for note in _read(made(one, two)).footnotes] == [
        ("footnote 1 on page 1", "Of wood.", ("1",)),
        ("footnote 1 on page 2", "Or the deputy.", ("2",)),
    ]


def test_a_table_along_the_long_side_is_read_as_it_is_meant() -> None:
    one = _page(1)
    _paragraphs(one, 70, ("1.", "The speeds at the bridge are those of the table on the next page."))
    two = Sheet(turned=True).words(113, 140, "Speeds for trucks", bold=True)
    two.grid([113, 213, 313], [150, 165, 180, 195], [["Gap (m)", "Speed (km/h)"], ["1", "20"], ["2", "0"]])
    (table,) = _read(made(one, two)).tables
    assert table.caption == "Speeds for trucks"
    assert [[cell.text for cell in row] for row in table.rows] == [["1", "20"], ["2", "0"]]


def _ok() -> bytes:
    sheet = _page(1)
    _paragraphs(sheet, 70, ("1.", "The bridge keeper shall look at the river every hour."))
    return made(sheet)


@pytest.mark.parametrize(
    ("content", "says", "hint"),
    [
        (b"", "empty (0 bytes)", "download"),
        (b"# Not a PDF at all", "not a PDF", "suffix"),
        (_ok()[:-60], "truncated PDF", "download"),
        (b"%PDF-1.4\nrubbish\n%%EOF\n", "damaged PDF", "download"),
        (made(Sheet().words(100, 100, "1. Secret"), encrypted=True), "encrypted PDF", "password"),
        (made(Sheet().box(0, 0, 500, 700), Sheet().box(0, 0, 500, 700)), "no text layer: 0 characters on 2 page(s)", "MinerU"),
    ],
    ids=["empty", "no PDF", "truncated", "damaged", "encrypted", "scanned"],
)
def test_unreadable_files_say_what_is_wrong_and_what_to_do(content: bytes, says: str, hint: str) -> None:
    with pytest.raises(SourceError) as raised:
        _read(content, "bad.pdf")
    assert str(raised.value).startswith("bad.pdf: ")
    assert says in str(raised.value)
    assert hint in raised.value.hint


def test_running_heads_stand_in_the_order_of_the_page() -> None:
    """However many there are: a document is the same, byte for byte, in every run."""
    heads = ("Harbour Office", "Drawbridges", "Bells and lamps", "Third printing", "Not for the open sea")
    sheets = []
    for number in (1, 2, 3):
        sheet = Sheet()
        for line, head in enumerate(heads):
            sheet.words(113, 20 + 9 * line, head, size=8)
        _paragraphs(sheet, 90, (f"{number}.", "The bridge keeper shall look at the river every hour, and write it down."))
        sheets.append(sheet)
    assert _read(made(*sheets)).heads == heads


_DIGESTS = """
import hashlib, sys
from pathlib import Path
from regc.readers import pdf
for name in sys.argv[1:]:
    made = pdf.read(Path(name), Path(name).read_bytes(), regulation="x", edition="0", title="", wording="official")
    print(hashlib.sha256(made.model_dump_json().encode()).hexdigest(), name)
"""


@pytest.mark.slow
@needs_real
def test_real_documents_are_read_alike_under_two_hash_seeds() -> None:
    names = [str(path) for path in (_REAL, *_OTHERS)]
    told = [
        subprocess.run(
            [sys.executable, "-c", _DIGESTS, *names], env=os.environ | {"PYTHONHASHSEED": seed}, stdout=PIPE, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert told[0].count(b"\n") == len(names)
    assert told[0] == told[1]


def test_a_pdf_that_is_no_regulation_is_refused() -> None:
    letter = Sheet().words(100, 100, "Dear harbour master,").words(100, 124, "the bridge is open again since Monday.")
    with pytest.raises(SourceError, match="no numbered paragraph"):
        _read(made(letter))


def test_five_hundred_pages() -> None:
    sheets = []
    for chapter in range(1, 51):
        for page in range(10):
            sheet = _page(10 * (chapter - 1) + page + 1)
            y = 80.0
            if page == 0:
                sheet.words(113, y, f"{chapter}.", size=14, bold=True).words(170, y, "Bells", size=14, bold=True)
            for index in range(1, 9):
                y = _paragraphs(
                    sheet,
                    y,
                    (f"{chapter}.{8 * page + index}.", "The keeper of the bridge shall ring the bell before each ship that"),
                    ("", "comes by day and twice by night."),
                )
            sheets.append(sheet)
    document = _read(made(*sheets))
    assert [clause.number for clause in document.clauses if clause.number] == [
        number for chapter in range(1, 51) for number in (str(chapter), *(f"{chapter}.{index}" for index in range(1, 81)))
    ]


def test_a_page_that_is_an_image_is_reported() -> None:
    sheet = _page(1)
    _paragraphs(sheet, 70, ("1.", "The bridge keeper shall look at the river every hour, and write it down."))
    document = _read(made(sheet, Sheet().box(0, 0, 500, 700)))
    assert [finding.place for finding in document.findings if finding.code == "R151"] == ["page 2"]


@cache
def _real() -> Document:
    return pdf.read(_REAL, _REAL.read_bytes(), regulation="un152", edition="02", title="UN Regulation No. 152", wording="official")


@needs_real
def test_real_pdf_has_every_paragraph_once() -> None:
    ids = [clause.id for clause in _real().clauses]
    assert len(ids) == len(set(ids))
    assert Counter(clause.region for clause in _real().clauses if clause.number) == {
        "body": 165,
        "Annex 1": 18,
        "Annex 3": 42,
        "Annex 3 - Appendix 1": 26,
        "Annex 3 - Appendix 2": 8,
    }
    assert _real().repairs == ()


@needs_real
def test_real_pdf_has_every_table_whole() -> None:
    tables = _real().tables
    limits = [table for table in tables if table.clause.startswith("5.2.")]
    speeds = [table for table in tables if table.clause.startswith("6.")]
    assert (len(limits), len(speeds), len(tables)) == (6, 8, 14)
    assert [len(table.rows) for table in limits] == [12, 14, 10, 11, 10, 11]
    assert sum(len(table.rows) * 2 for table in limits) == 136
    assert sum(len(table.rows) * 2 for table in speeds) == 44
    assert all(table.caption and table.unit_note for table in tables)
    split = _real().table("5.2.1.4#2")
    assert split is not None
    assert split.pages == (9, 10)
    assert [row[0].text for row in split.rows][:3] == ["10", "15", "20"]
    assert [table.footnotes for table in limits] == [("3",), ("4",), ("5",), ("6",), ("7",), ("8",)]


@needs_real
def test_real_pdf_binds_every_footnote() -> None:
    notes = {note.marker: note.anchors for note in _real().footnotes if note.region == "body"}
    assert list(notes) == [str(number) for number in range(1, 11)]
    assert [notes[str(number)] for number in range(3, 9)] == [
        ("5.2.1.4#1",),
        ("5.2.1.4#2",),
        ("5.2.2.4#1",),
        ("5.2.2.4#2",),
        ("5.2.3.4#1",),
        ("5.2.3.4#2",),
    ]


@needs_real
def test_real_pdf_keeps_a_box_for_every_line() -> None:
    for clause in _real().clauses:
        covered = sum(line.end - line.start for line in clause.lines)
        assert covered >= 0.8 * len(clause.text), clause.id


@pytest.mark.skipif(not _OTHERS, reason="the other regulations are not beside the checkout (shared/regulations/distractors)")
@pytest.mark.parametrize("path", _OTHERS, ids=lambda path: path.stem)
def test_other_regulations_give_plausible_trees(path: Path) -> None:
    document = pdf.read(path, path.read_bytes(), regulation=path.stem, edition="x", title=path.stem, wording="official")
    body = [clause for clause in document.clauses if clause.region == "body" and clause.number]
    assert len(body) >= 80
    assert len({clause.id for clause in document.clauses}) == len(document.clauses)
    known = {clause.id for clause in document.clauses}
    assert all(clause.parent in known for clause in body if clause.number and "." in clause.number)
    assert not any("Download from" in clause.text for clause in document.clauses)


def test_numbers_without_a_dot_are_numbers_where_the_layout_sets_them_apart() -> None:
    sheet = (
        Sheet()
        .words(113, 70, "0.")
        .words(170, 70, "Kind of cart: ......................................................................")
    )
    sheet.words(113, 100, "1").words(170, 100, "Name and address of the maker of the cart, and of the one who sells it:")
    sheet.words(113, 130, "1 1").words(170, 130, "Town in which the cart was made, with the name of the works in that town")
    sheet.words(113, 160, "1 2").words(170, 160, "Name of the works, if it is not the name of the maker of the cart")
    sheet.words(113, 190, "2").words(170, 190, "Mass of the cart, as it stands on the scales, with its wheels and its bell")
    sheet.words(98, 220, "E").words(113, 220, "2.1").words(170, 220, "Mass of the bell alone, in kilograms, as it hangs on the cart")
    sheet.words(170, 250, "The cart has").words(170, 262, "2").words(
        180, 262, "wheels of wood and no brake at all, so that it stops late."
    )
    document = pdf.read(Path("carts.pdf"), made(sheet), regulation="carts", edition="1", title="Carts", wording="official")
    texts = {clause.number: clause.title or clause.text for clause in document.clauses if clause.number}
    assert list(texts) == ["0", "1", "1.1", "1.2", "2", "2.1"]
    assert texts["2.1"].startswith("E Mass of the bell alone")
    assert texts["0"] == "Kind of cart:"
    assert "2 wheels of wood" in " ".join(clause.text for clause in document.clauses)


def test_a_bracketed_mark_is_one_wherever_its_note_stands() -> None:
    notes = Sheet().words(170, 70, "The cart has two wheels and one bell, and it is painted red on all its sides.")
    notes.words(113, 750, "(^2^) Strike out what does not apply.")
    first = (
        Sheet()
        .words(113, 70, "1.")
        .words(170, 70, "Kind of bell (^2^): of brass, of iron. For notes, see the end of this list of kinds.")
    )
    between = (
        Sheet().words(113, 70, "2.").words(170, 70, "The bell rings whenever the cart moves faster than a man who walks beside it.")
    )
    document = pdf.read(Path("c.pdf"), made(first, between, notes), regulation="carts", edition="1", title="Carts", wording="official")
    (note,) = document.footnotes
    assert (note.marker, note.anchors) == ("2", ("1",))
    one = document.clause("1")
    assert one is not None
    assert one.text.startswith("Kind of bell: of brass")


def test_letters_set_apart_are_whole_words() -> None:
    sheet = Sheet().words(113, 70, "1.")
    x = 170.0
    for word in ("Road", "of", "the", "cart"):
        for letter in word:
            sheet.words(round(x, 2), 70, letter)
            x += {"R": 7.2, "o": 5.6, "a": 5.6, "d": 5.6, "f": 2.8, "t": 2.8, "h": 5.6, "e": 5.6, "c": 5.0, "r": 3.3}[letter] + 1.1
        x += 3.0
    sheet.words(170, 90, "The road of the cart is level and dry, and no other cart is on it.")
    document = pdf.read(Path("c.pdf"), made(sheet), regulation="carts", edition="1", title="Carts", wording="official")
    one = document.clause("1")
    assert one is not None
    assert "Road of the cart" in f"{one.title} {one.text}"


def test_numbered_parts_of_a_sentence_are_in_order() -> None:
    sheet = Sheet().words(113, 70, "1.").words(170, 70, "The office that approved the cart may then:")
    sheet.words(113, 90, "1.1").words(170, 90, "find that the change has no bad effect on the cart, or").words(113, 110, "1.2")
    sheet.words(170, 110, "ask the works for a further report on the cart.")
    document = pdf.read(Path("c.pdf"), made(sheet), regulation="carts", edition="1", title="Carts", wording="official")
    assert not [finding for finding in document.findings if finding.code == "R106"]


@pytest.mark.parametrize(
    ("printed", "note"), [("signal (1);", "(1)"), ("signal (*);", "(*)")], ids=["a figure in brackets", "an asterisk in brackets"]
)
def test_marks_in_brackets_are_bound_to_notes_that_begin_with_them(printed: str, note: str) -> None:
    sheet = Sheet()
    _paragraphs(sheet, 80, ("1.", "Scope"), ("2.", f"The bridge has one {printed}"), ("3.", "Limits (1) are none."))
    sheet.line(113, 730, 200, 730).words(113, 750, f"{note} On the road side.", size=8)
    document = _read(made(sheet))
    (found,) = document.footnotes
    assert (found.marker, found.text) == (note.strip("()"), "On the road side.")
    assert found.anchors[0] == "2"
    assert [clause.text for clause in document.clauses if clause.number == "2"] == ["The bridge has one signal;"]


def test_a_mark_in_brackets_above_its_line_is_of_the_word_before_it() -> None:
    sheet = Sheet()
    _paragraphs(sheet, 80, ("1.", "Scope"), ("2.", "The bridge has one signal."), ("3.", "Limits"))
    sheet.words(294, 112, "(1)").line(113, 730, 200, 730).words(113, 750, "(1) On the road side.")
    (note,) = _read(made(sheet)).footnotes
    assert (note.anchors, note.text) == (("2",), "On the road side.")


def test_a_mark_on_a_paragraphs_second_page_is_of_that_pages_note() -> None:
    first = (
        Sheet().words(113, 680, "1.").words(170, 680, "The cart^1^ goes straight on along the road and does not stop at the gate or")
    )
    first.line(113, 735, 257, 735).words(113, 750, "^1^ Of wood.", size=8)
    second = Sheet().words(170, 70, "at the bell, nor at the house^1^ of the man who made it, whatever he calls to it.")
    second.words(113, 100, "2.").words(170, 100, "The sledge stops at the gate.")
    second.line(113, 735, 257, 735).words(113, 750, "^1^ Of stone.", size=8)
    document = pdf.read(Path("c.pdf"), made(first, second), regulation="carts", edition="1", title="Carts", wording="official")
    assert [(note.text, note.anchors, note.page) for note in document.footnotes] == [("Of wood.", ("1",), 1), ("Of stone.", ("1",), 2)]
