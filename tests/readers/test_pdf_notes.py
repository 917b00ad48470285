"""Footnotes of a PDF: what is a mark and what a power, and which place each note belongs to, by type, height, place and page."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.pdf_maker import Sheet
from tests.readers.pdf_maker import pdf as made

from regc.model.document import Document
from regc.readers import pdf

NAMES = {"regulation": "sleds", "edition": "1", "title": "Sleds", "wording": "official"}
#: The columns of numbers and of text, and the foot of a page.
NUMBER, TEXT, FOOT = 113.0, 170.0, 720.0


def page(*paragraphs: tuple[str, str], notes: tuple[str, ...] = (), indent: float = 0) -> Sheet:
    """A page with paragraphs, and notes below the short ruling at its foot; `indent`: how far their text is set in from the mark."""
    sheet = Sheet()
    for index, (number, text) in enumerate(paragraphs):
        sheet.words(NUMBER, 70 + 30 * index, number).words(TEXT, 70 + 30 * index, text)
    if notes:
        sheet.line(90, FOOT - 12, 164, FOOT - 12)
    for index, note in enumerate(notes):
        y = FOOT + 11 * index
        _, mark, text = note.split("^", 2)
        if indent:
            sheet.words(60, y, f"^{mark}^", size=9).words(60 + indent, y, text.strip(), size=9)
        else:
            sheet.words(NUMBER, y, note, size=8)
    return sheet


def read(*sheets: Sheet) -> Document:
    """The pages as a document."""
    return pdf.read(Path("sleds.pdf"), made(*sheets), **NAMES)


def notes(document: Document) -> dict[str, tuple[str, ...]]:
    """Each note with the places of its mark."""
    return {note.id: note.anchors for note in document.footnotes}


def text(document: Document, clause: str) -> str:
    """The text of a clause."""
    return next(found.text for found in document.clauses if found.id == clause)


def codes(document: Document) -> set[str]:
    """The codes of what the reader tells."""
    return {finding.code for finding in document.findings}


def test_a_raised_letter_is_a_mark_and_its_note_may_be_set_in_far() -> None:
    one = page(("1.", "Each sled has a bell [loud]^y^ for the road."), notes=("^y^Not in the mountains.",), indent=54)
    document = read(one, page(("2.", "A horn is not needed.")), page(("3.", "Nor is a lamp [bright].^y^")))
    assert notes(document) == {"footnote y": ("1", "3")}
    assert text(document, "1") == "Each sled has a bell [loud] for the road."


def test_a_note_with_two_marks_is_of_both() -> None:
    sheet = page(
        ("1.", "Sleds are red^1^ by day."), ("2.", "They are blue^2^ by night."), notes=("^1^ ^and^ ^2^ To be looked at again.",)
    )
    found = read(sheet).footnotes
    assert [(note.id, note.anchors) for note in found] == [("footnote 1", ("1",)), ("footnote 2", ("2",))]
    assert {note.text for note in found} == {"To be looked at again."}


def test_marks_of_a_form_are_bound_to_the_note_of_its_first_page() -> None:
    one = page(("1.", "Kind of sled^1^ or cart:"), notes=("^1^ Strike out what does not apply.",))
    three = page(("2.", "Brake: yes / no^1^"), ("3.", "Bell (loud)^1^:"), ("4.", "Mass granted/refused^1^"))
    document = read(one, page(("1.1.", "Its maker and its owner:")), three)
    assert notes(document) == {"footnote 1": ("1", "2", "3", "4")}
    assert [text(document, clause) for clause in "234"] == ["Brake: yes / no", "Bell (loud):", "Mass granted/refused"]


@pytest.mark.parametrize("power", ["9 N/cm^2^", "the root of cos^2^", "a span of x^2^", "10^2^ sleds", "twice (a + b)^2^", "7 kgm^2^"])
def test_a_power_stays_one_where_a_note_has_its_figure(power: str) -> None:
    one = page(("1.", "A sled^2^ is pulled."), notes=("^2^ Or a cart.",))
    document = read(one, page(("2.", "It may be of wood.")), page(("3.", f"It bears {power} at the most.")))
    assert notes(document) == {"footnote 2": ("1",)}
    assert text(document, "3") == f"It bears {power.replace('^2^', '²')} at the most."


@pytest.mark.parametrize(("raised", "read_as"), [("m^-1^", "m⁻¹"), ("m^-^^1^", "m⁻¹"), ("e^-kL^", "e^-kL"), ("1^st^", "1st")])
def test_a_raised_minus_is_of_a_power_and_never_subtracts(raised: str, read_as: str) -> None:
    document = read(page(("1.", f"The smoke of a sled is {raised} at the most."), notes=("^1^ Of any sled.",)))
    assert text(document, "1") == f"The smoke of a sled is {read_as} at the most."


def test_a_mark_of_a_page_with_other_notes_is_of_no_note_further_on() -> None:
    one = page(("1.", "A sled is of wood^2^ or iron."), notes=("^1^ Of any colour.",))
    three = page(("3.", "A cart^2^ has wheels."), notes=("^2^ Two or four.",))
    document = read(one, page(("2.", "It has a bell.")), three)
    assert notes(document) == {"footnote 1": (), "footnote 2": ("3",)}
    assert codes(document) >= {"R103", "R104"}
    assert "2 in 1" in next(finding.message for finding in document.findings if finding.code == "R103")


def test_marks_before_notes_that_stand_together_at_the_end_are_theirs() -> None:
    last = page(("3.", "And no more."), notes=("^1^ Of wood.", "^2^ Of iron."))
    document = read(
        page(("1.", "A sled^1^ is pulled.")), page(("2.", "A cart rolls on wheels.")), page(("2.1.", "Both are slow^2^ ones.")), last
    )
    assert notes(document) == {"footnote 1": ("1",), "footnote 2": ("2.1",)}


def test_what_follows_a_mark_stands_at_the_word_before_it() -> None:
    sheet = page(("1.", "A sled ^1^."), ("2.", "A cart^1^: two wheels."), notes=("^1^ Of wood.",))
    document = read(sheet)
    assert [text(document, clause) for clause in "12"] == ["A sled.", "A cart: two wheels."]


def test_a_mark_in_brackets_above_the_beginning_of_its_line() -> None:
    sheet = page(("1.", "The brake of a sled shall hold it on every slope that it may meet, in snow and ice,"))
    sheet.words(TEXT, 78, "(1)").words(TEXT + 17, 82, "and on the ways through the woods where nobody is.")
    sheet.line(90, 708, 164, 708).words(NUMBER, 716, "(1)", size=8).words(NUMBER + 16, 720, "Up to ten per cent.", size=8)
    document = read(sheet)
    assert notes(document) == {"footnote 1": ("1",)}
    assert document.footnotes[0].text == "Up to ten per cent."
    assert "ice, and on" in text(document, "1")


def test_a_mark_alone_in_a_box_is_of_the_text_before_it() -> None:
    sheet = page(("1.", "The sign of a sled looks so:")).box(200, 100, 40, 30).words(212, 120, "(1)")
    sheet.words(NUMBER, 160, "2.").words(TEXT, 160, "It is red.")
    sheet.line(90, 708, 164, 708).words(NUMBER, 720, "(1)", size=8).words(NUMBER + 16, 720, "The number of the country.", size=8)
    document = read(sheet)
    assert notes(document) == {"footnote 1": ("1",)}
    assert text(document, "1") == "The sign of a sled looks so:"


def test_a_paragraph_number_lower_than_the_first_words_of_its_text() -> None:
    sheet = page(("1.", "This text is for these."))
    sheet.words(NUMBER, 105, "1.1.").words(TEXT, 100, "Part I: kinds of sleds").words(280, 105, "A, B and C with a bell")
    assert text(read(sheet), "1.1") == "Part I: kinds of sleds A, B and C with a bell"


def test_lines_printed_over_each_other_are_two() -> None:
    sheet = page(("1.", "The speed is that of the table."))
    sheet.words(NUMBER, 100, "the keeper and the owner of the sled agree.", size=9)
    sheet.words(NUMBER, 101, "1.1.").words(TEXT, 101, "Result of the test with the red sled")
    document = read(sheet)
    assert text(document, "1.1") == "Result of the test with the red sled"


def table(sheet: Sheet, y: float = 100, speed: str = "20", gap: str = "Gap (m)") -> Sheet:
    """A small ruled table, 30 points high."""
    grid = sheet.grid([113, 213, 313], [y, y + 15, y + 30], [["", ""]])
    grid.words(117, y + 11, "Sled", size=9).words(217, y + 11, gap, size=9)
    return grid.words(117, y + 26, "red", size=9).words(217, y + 26, speed, size=9)


def test_letters_in_brackets_are_marks_of_a_table() -> None:
    sheet = table(page(("1.", "The gaps of sleds:")), speed="20 (a)")
    sheet.words(113, 142, "(a) By day.", size=8).words(113, 152, "(b) The sled may be", size=8).words(113, 162, "pushed.", size=8)
    sheet.words(NUMBER, 190, "2.").words(TEXT, 190, "The rest:").words(TEXT, 205, "(a) is free.")
    document = read(sheet)
    assert [cell.text for cell in document.tables[0].rows[0]] == ["red", "20"]
    assert notes(document) == {"1#1, footnote a": ("1#1", "1"), "1#1, footnote b": ("1#1", "1")}
    assert [note.text for note in document.footnotes] == ["By day.", "The sled may be pushed."]
    assert "(a) is free." in text(document, "2")


def test_letters_that_label_the_items_of_a_note_are_no_marks() -> None:
    said = ("2.", "Nobody needs a horn on it where it is seen from all sides.")
    sheet = page(("1.", "A sled^1^ of case (a) is red."), said, notes=("^1^ A sled is one of these:",))
    sheet.words(NUMBER, FOOT + 11, "(a) of wood;", size=8).words(NUMBER, FOOT + 22, "(b) of iron.", size=8)
    document = read(sheet)
    assert text(document, "1") == "A sled of case (a) is red."
    assert document.footnotes[0].text == "A sled is one of these: (a) of wood; (b) of iron."


def test_letters_in_brackets_that_no_note_has_stay_in_their_cells() -> None:
    document = read(table(page(("1.", "The gaps of sleds:")), speed="case (a)"))
    assert (document.tables[0].rows[0][1].text, document.tables[0].footnotes) == ("case (a)", ())


def test_two_marks_behind_a_variable_are_no_power() -> None:
    sheet = table(page(("1.", "The gaps of sleds:")), gap="v ^1,^ ^2^")
    sheet.words(113, 142, "^1^ By day.", size=8).words(113, 152, "^2^ By night.", size=8).words(TEXT, 180, "A rule.")
    document = read(sheet)
    assert document.tables[0].columns[1] == ("v",)
    assert notes(document) == {"1#1, footnote 1": ("1#1", "1"), "1#1, footnote 2": ("1#1", "1")}


@pytest.mark.parametrize(("ruled", "place"), [(False, "1#1, footnote 1"), (True, "footnote 1")])
def test_a_note_below_the_last_table_of_a_page_is_the_tables_unless_a_ruling_parts_them(ruled: bool, place: str) -> None:
    sheet = table(page(("1.", "The gaps of sleds:")), speed="20^1^")
    if ruled:
        sheet.line(90, 145, 164, 145)
    sheet.words(113, 158, "^1^ By day.", size=8)
    document = read(sheet, page(("2.", "No more.")))
    assert list(notes(document)) == [place]
    assert notes(document)[place][0] == "1#1"


def test_a_note_on_the_page_behind_its_table_below_another_one() -> None:
    one = table(page(("1.", "The gaps of sleds:")), speed="20^*^")
    one.words(NUMBER, 160, "2.").words(TEXT, 160, "The gaps of carts:")
    two = table(Sheet(), 70).words(113, 125, "A cart is no sled.", size=9).words(113, 150, "^*^ To be agreed.", size=9)
    two.words(NUMBER, 180, "3.").words(TEXT, 180, "No more.")
    assert notes(read(one, two)) == {"1#1, footnote *": ("1#1", "1")}
