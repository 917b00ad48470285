"""Blocks to a Document: what no single format shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from regc.errors import SourceError
from regc.model.document import Document
from regc.readers.assemble.assembly import assemble
from regc.readers.assemble.blocks import Block, GridCell, Line


def read(*blocks: Block, glued_marks: bool = False) -> Document:
    """Blocks as a document of an invented regulation."""
    return assemble(
        blocks,
        regulation="cart",
        edition="1",
        title="Carts",
        wording="official",
        sha256="f" * 64,
        reader="test",
        source_name="cart.pdf",
        glued_marks=glued_marks,
    )


def text(words: str, **kind: object) -> Block:
    """A paragraph."""
    return replace(Block("text", text=words), **kind)


def table(*rows: str, page: int = 1) -> Block:
    """A table, rows written "a | b"."""
    return Block("table", grid=tuple(tuple(GridCell(cell.strip()) for cell in row.split("|")) for row in rows), page=page)


def box(top: float) -> tuple[float, float, float, float]:
    """A line's box."""
    return (100.0, top, 300.0, top + 10)


def test_what_stands_in_the_document() -> None:
    document = read(text("1. Carts"), text("1.1. A cart is red."))
    assert (document.id, document.edition, document.title, document.wording) == ("cart", "1", "Carts", "official")
    assert (document.reader, document.source_name, document.sha256) == ("test", "cart.pdf", "f" * 64)


def test_nothing_numbered_is_no_regulation() -> None:
    with pytest.raises(SourceError) as caught:
        read(text("A letter."), text("Yours."))
    assert "cart.pdf" in str(caught.value)
    assert caught.value.hint


def test_numbers_set_apart_and_lines() -> None:
    words = "A cart is red. A bell is small."
    document = read(
        text("Carts", number="1", heading=True, page=1),
        text(words, number="1.1", page=1, lines=(Line(0, 14, 1, box(10)), Line(15, 31, 2, box(20)))),
        text("It rings.", page=2, lines=(Line(0, 9, 2, box(30)),)),
    )
    clause = document.clause("1.1")
    assert clause is not None
    assert clause.text == f"{words}\nIt rings."
    assert clause.pages == (1, 2)
    assert [clause.text[line.start : line.end] for line in clause.lines] == ["A cart is red.", "A bell is small.", "It rings."]


def test_lines_follow_when_a_number_or_a_mark_is_taken_out() -> None:
    words = "1.1. A wide cart1 is red and it has a bell."
    lines = (Line(0, 17, 1, box(10)), Line(18, len(words), 1, box(20)))
    document = read(text("1. A cart"), text(words, lines=lines), glued_marks=True)
    clause = document.clause("1.1")
    assert clause is not None
    assert clause.footnotes == ("1",)
    assert [clause.text[line.start : line.end] for line in clause.lines] == ["A wide cart", "is red and it has a bell."]


def test_a_number_out_of_sequence_stays_as_text_and_is_reported() -> None:
    document = read(
        text("Carts", number="1"),
        text("A cart is red.", number="1.1"),
        text("is a fine number.", number="0.9", page=3),
        text("A bell rings.", number="1.2"),
        text("A brake stops.", number="1.3"),
    )
    assert document.clause("1.1").text == "A cart is red.\n0.9 is a fine number."  # type: ignore[union-attr]
    assert [(finding.code, finding.place) for finding in document.findings] == [("R111", "page 3")]


def misprinted(*numbers: str) -> Document:
    """Paragraphs whose numbers the layout sets apart, one a page."""
    return read(*(text(f"A cart has bell {index}.", number=number, page=index) for index, number in enumerate(numbers, 1)))


@pytest.mark.parametrize(
    ("numbers", "ids"),
    [
        (["1", "9", "3", "10", "11"], ["1", "9", "3", "10", "11"]),
        (["1", "1.1", "1.2", "2", "2.1", "2.2", "1.2"], ["1", "1.1", "1.2", "2", "2.1", "2.2", "1.2 on page 7"]),
    ],
)
def test_a_misprinted_number_is_borne_as_printed_and_reported(numbers: list[str], ids: list[str]) -> None:
    document = misprinted(*numbers)
    assert [clause.id for clause in document.clauses] == ids
    assert [document.clause(name).text for name in ids] == [f"A cart has bell {page}." for page in range(1, len(ids) + 1)]  # type: ignore[union-attr]
    (finding,) = (finding for finding in document.findings if finding.code == "R111")
    assert "were read as printed" in finding.message


@pytest.mark.parametrize(
    "numbers",
    [
        ["1", "1.1", "2", "1.2", "1.3", "2"],  # a number that ends the sequence too early: none of one level among deeper ones
        ["1", "1.1", "7", "8", "1.2", "1.3"],  # two of a list
    ],
)
def test_items_of_a_list_are_no_misprints(numbers: list[str]) -> None:
    assert not [finding for finding in misprinted(*numbers).findings if "as printed" in finding.message]


def test_a_table_of_a_misprinted_paragraph_is_its_own() -> None:
    grid = ((GridCell("v (mph)"), GridCell("s (m)")), (GridCell("10"), GridCell("2")))
    document = read(
        text("Carts", number="1", page=1),
        text("A cart is red.", number="1.1", page=1),
        Block("table", grid=grid, page=1),
        text("A bell rings.", number="1.2", page=1),
        text("Ropes", number="2", page=2),
        text("A rope is long.", number="2.1", page=2),
        text("A lamp burns.", number="1.1", page=3),
        Block("table", grid=grid, page=3),
    )
    assert [(table.id, table.clause) for table in document.tables] == [("1.1#1", "1.1"), ("1.1 on page 3#1", "1.1 on page 3")]


def test_the_rest_of_a_sentence_stays_on_its_line() -> None:
    document = read(text("1. Carts"), text("1.1. The cart shall carry the", heading=True), text("box that it was made for."))
    assert document.clause("1.1").text == "The cart shall carry the box that it was made for."  # type: ignore[union-attr]
    assert document.clause("1.1").title is None  # type: ignore[union-attr]


def test_titles() -> None:
    document = read(
        text("1. Carts"),
        text("1.1. Bells of carts"),
        text("They ring."),
        text("1.2. a bell without a stop"),
        text("1.3. Brakes"),
        text("1.3.1. They stop."),
        text("1.4. Rope"),
    )
    assert [(clause.number, clause.title, clause.text) for clause in document.clauses] == [
        ("1", "Carts", ""),
        ("1.1", "Bells of carts", "They ring."),
        ("1.2", None, "a bell without a stop"),
        ("1.3", "Brakes", ""),
        ("1.3.1", None, "They stop."),
        ("1.4", None, "Rope"),
    ]


def test_the_first_line_of_a_paragraph_is_no_title() -> None:
    first = "At the request of the maker of the cart and with the agreement of the Technical"
    document = read(
        text("1. Carts"),
        text("1.1. A cart is red."),
        text("1.2. A bell rings."),
        text(f"1.3. {first}", heading=True),
        text("Service it may be blue.", lines=(Line(0, 23, 2, box(10)),)),
    )
    clause = document.clause("1.3")
    assert clause is not None
    assert (clause.title, clause.text) == (None, f"{first} Service it may be blue.")
    assert [clause.text[line.start : line.end] for line in clause.lines] == ["Service it may be blue."]


def test_a_table_cut_by_a_page_break_is_one_with_both_pages() -> None:
    document = read(
        text("1. Carts"),
        text("1.1. Limits", page=1),
        text("Limit of C1", page=1),
        table("v | max", "10 | 0.0", "20 | 1.0", page=1),
        Block("footnote", text="A note.", mark="1", page=1),
        table("30 | 2.0", "40 | 3.0", page=2),
        text("All values in mph", page=2),
        text("Limit of C2", page=2),
        table("v | max", "10 | 0.0", page=2),
    )
    assert [(found.caption, len(found.rows), found.pages) for found in document.tables] == [
        ("Limit of C1", 4, (1, 2)),
        ("Limit of C2", 1, (2,)),
    ]
    assert document.tables[0].unit_note == "All values in mph"
    assert document.clause("1.1").pages == (1, 2)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "lines", [("Table 1", "Speeds left"), ("Table A1.", "Speeds left", "(to be agreed)"), ("Table 2",), ("Speeds left",)]
)
def test_the_number_of_a_table_on_a_line_of_its_own_belongs_to_the_caption(lines: tuple[str, ...]) -> None:
    between = [text(line) for line in lines]
    document = read(text("1. Carts"), text("A cart is red."), *between, table("cart | speed", "A | 3"), text("A bell is small."))
    assert document.tables[0].caption == " ".join(lines)
    assert document.clauses[0].text == "A cart is red.\nA bell is small."


def test_a_sentence_before_a_table_is_no_caption() -> None:
    document = read(text("1. Carts"), text("1.1. The limits are:"), table("v | max", "10 | 0.0"), text("They hold."))
    assert document.tables[0].caption is None
    assert document.tables[0].offset == len("The limits are:")
    assert document.clause("1.1").text == "The limits are:\nThey hold."  # type: ignore[union-attr]


def test_a_table_without_a_header_is_reported() -> None:
    document = read(text("1. Carts"), text("1.1. Limits."), table("10 | 0.0", "20 | 1.0"))
    assert [finding.code for finding in document.findings] == ["R116", "R110"]


def test_annexes_and_their_appendices() -> None:
    document = read(
        text("1. Carts"),
        text("Annex 1", heading=True),
        text("Form", heading=True),
        text("1. Maker:"),
        text("Annex 1"),
        text("2. Class:"),
        text("Appendix 1"),
        text("Sketch"),
        text("1. Red."),
        text("Annex II – Appendix 3", heading=True),
        text("Annex 2 to the Resolution on the Make of Carts, and more."),
    )
    assert [(clause.id, clause.title, clause.parent) for clause in document.clauses] == [
        ("1", None, None),
        ("Annex 1", "Form", None),
        ("Annex 1, 1", None, "Annex 1"),
        ("Annex 1, 2", None, "Annex 1"),
        ("Annex 1 - Appendix 1", "Sketch", "Annex 1"),
        ("Annex 1 - Appendix 1, 1", None, "Annex 1 - Appendix 1"),
        ("Annex II - Appendix 3", None, None),
    ]


def test_footnotes_are_bound_within_their_region() -> None:
    document = read(
        text("1. Carts", marks=("1",)),
        Block("footnote", text="One.", mark="1", page=1, bbox=box(700)),
        text("Annex 1", heading=True),
        text("1. Maker:", marks=("1",)),
        Block("footnote", text="Other.", mark="1"),
        Block("footnote", text="Lost.", mark="2"),
    )
    assert [(note.id, note.anchors) for note in document.footnotes] == [
        ("footnote 1", ("1",)),
        ("Annex 1, footnote 1", ("Annex 1, 1",)),
        ("Annex 1, footnote 2", ()),
    ]
    assert document.footnotes[0].bbox == box(700)
    assert [(finding.code, finding.place) for finding in document.findings] == [("R104", "footnote 2")]


def test_numbers_without_text_are_reported() -> None:
    document = read(text("1. Carts"), text("1.1."), text("1.2."), text("A bell rings."))
    assert [(finding.code, finding.place) for finding in document.findings] == [("R105", "1.1")]
    assert document.clause("1.2").text == "A bell rings."  # type: ignore[union-attr]


def test_a_text_that_begins_in_mid_sentence_is_reported() -> None:
    document = read(text("1. Carts"), text('"Cart" means a thing which can'), text("1.1. roll on wheels."), text("1.2. End."))
    assert ("R106", "1.1") in [(finding.code, finding.place) for finding in document.findings]


def test_items_of_one_line_and_of_two_lists() -> None:
    document = read(
        text("1. Carts"),
        text("1.1. A cart has:"),
        text("(a) A box; (b) A bell; and (c) A brake (see (d) of 1.2)."),
        text("It may have:"),
        text("(a) A lamp."),
    )
    clause = document.clause("1.1")
    assert clause is not None
    assert [item.text for item in clause.items] == ["(a) A box;", "(b) A bell; and", "(c) A brake (see (d) of 1.2).", "(a) A lamp."]


def test_same_blocks_same_document() -> None:
    blocks = (text("1. Carts"), text("A cart is red."), text("1.2. A bell."), text("1.3. A brake."))
    assert read(*blocks).model_dump_json() == read(*blocks).model_dump_json()


def test_parts_of_an_annex_that_begin_at_one_are_regions() -> None:
    heads = [text(words, heading=True) for words in ("Annex 1", "Part A: Red carts", "Part B. Blue carts")]
    document = read(
        text("1. Carts"),
        heads[0],
        heads[1],
        text("1. A cart is red."),
        text("1.1. Red is 1."),
        heads[2],
        text("1. A cart is blue."),
        table("a | b", "1 | 2"),
    )
    assert [clause.id for clause in document.clauses if clause.number] == [
        "1",
        *(f"Annex 1 - Part {x}" for x in ("A, 1", "A, 1.1", "B, 1")),
    ]
    assert document.tables[0].id == "Annex 1 - Part B, 1#1"


def test_parts_that_go_on_counting_are_headings() -> None:
    heads = [text(words, heading=True) for words in ("Annex 1", "Part A", "Part B")]
    document = read(text("1. Carts"), heads[0], heads[1], text("1. A cart is red."), heads[2], text("2. A cart is blue."))
    assert {clause.region for clause in document.clauses} == {"body", "Annex 1"}


def test_a_line_of_a_form_opens_no_appendix() -> None:
    heads = [text("Annex 1", heading=True), text("1. Test", page=2), text("2. Appendices", page=2), text("Appendix", page=2)]
    document = read(text("1. Carts"), *heads, text("3. Date", page=2))
    assert [clause.id for clause in document.clauses if clause.number][1:] == ["Annex 1, 1", "Annex 1, 2", "Annex 1, 3"]


def test_a_number_behind_its_place_is_read_where_the_layout_sets_it_apart() -> None:
    numbers = ["1", "1.1", "1.1.1", "1.2", "1.1.2", "1.3"]
    apart = read(*(text(f"Cart {number}.", number=f"{number}.") for number in numbers))
    assert [clause.number for clause in apart.clauses if clause.number] == numbers
    prose = read(*(text(f"{number}. Cart {number}.") for number in numbers))
    assert [clause.number for clause in prose.clauses if clause.number] == ["1", "1.1", "1.1.1", "1.2", "1.3"]


def test_a_number_glued_to_the_sentence_before_it_begins_a_paragraph() -> None:
    document = read(text("1. Carts"), text("1.1. Red"), text("1.1.1. A red cart stops.1.1.2. A blue cart goes."), text("1.2. Blue"))
    assert [clause.number for clause in document.clauses if clause.number] == ["1", "1.1", "1.1.1", "1.1.2", "1.2"]
    assert "the middle of a paragraph" in document.repairs[0].reason


def test_the_text_of_a_title_is_no_paragraph_that_lost_its_number() -> None:
    blocks = [("1.", "Carts"), ("1.1.", "Red carts"), ("1.1.1.", "Bells"), ("1.2.1.", "Wheels")]
    numbered = [text(words, number=number) for number, words in blocks]
    document = read(*numbered[:3], text("The bells shall ring all day."), numbered[3])
    assert [clause.number for clause in document.clauses if clause.number] == ["1", "1.1", "1.1.1", "1.2.1"]
    assert "R101" in {finding.code for finding in document.findings}
