"""A fraction is one expression on the line that it stands on, whatever its lines; other rulings between words are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.pdf_maker import Sheet
from tests.readers.pdf_maker import pdf as made

from regc.model.document import Document
from regc.readers import pdf

NAMES = {"regulation": "carts", "edition": "1", "title": "Carts", "wording": "official"}


def _read(sheet: Sheet) -> Document:
    sheet.words(113, 300, "2.").words(170, 300, "The cart stops before the gate whenever the bell rings on the tower.")
    return pdf.read(Path("carts.pdf"), made(sheet), **NAMES)


def _start() -> Sheet:
    return Sheet().words(113, 70, "1.").words(170, 70, "The way of the cart on the level road follows from its speed at the gate:")


def test_a_formula_with_a_fraction() -> None:
    sheet = _start().words(200, 100, "s =").words(222, 93, "v^2^ - u^2^").line(220, 97, 258, 97).words(232, 107, "2 a")
    (formula,) = _read(sheet).formulas
    assert formula.text == "s = (v² - u²)/(2 a)"
    assert (formula.clause, formula.page) == ("1", 1)
    assert formula.bbox is not None
    assert formula.bbox[1] < 93 < 107 < formula.bbox[3]


def test_a_fraction_of_fractions_and_its_power() -> None:
    sheet = _start().words(200, 100, "k =").line(220, 97, 250, 97)  # (1 + m/n)/w, to the power of 1.5
    sheet.words(221, 88, "1 +").words(241, 83, "m", size=6).line(240, 85, 248, 85).words(242, 91, "n", size=6)
    sheet.words(231, 107, "w").words(253, 82, "1.5", size=6)
    (formula,) = _read(sheet).formulas
    assert formula.text == "k = ((1 + m/n)/w)^1.5"


def test_a_fraction_in_a_sentence_is_part_of_it() -> None:
    sheet = _start().words(170, 100, "The second cart keeps a distance of").words(330, 95, "v^2^").line(328, 98, 344, 98)
    sheet.words(331, 108, "2 a").words(350, 100, "or more to the first one, while both")
    sheet.words(170, 121, "of them go straight on along the road.")
    document = _read(sheet)
    one = document.clause("1")
    assert one is not None
    assert one.text.split("\n")[-1].startswith("The second cart keeps a distance of v²/(2 a) or more to the first one")
    assert not document.formulas


def test_a_fraction_of_words_beside_a_sign() -> None:
    sheet = _start().words(200, 100, "mean speed =").words(270, 93, "length of the way").line(268, 97, 352, 97)
    sheet.words(288, 107, "time used")
    one = _read(sheet).clause("1")
    assert one is not None
    assert "mean speed = (length of the way)/(time used)" in one.text


@pytest.mark.parametrize(
    "draw",
    [
        lambda sheet: sheet.words(170, 100, "Speed").line(170, 101.2, 199, 101.2).words(172, 112, "Brake"),  # an underlined word
        lambda sheet: sheet.words(170, 100, "Smith").line(168, 103, 199, 103).words(173, 113, "name"),  # a form
        lambda sheet: sheet.words(170, 100, "The cart is on").line(170, 103, 196, 103).words(170, 113, "the road and stops"),
        lambda sheet: sheet.grid([170, 200, 230], [95, 110, 125], [["5", "6"], ["7", "8"]]),  # cells of a table
        lambda sheet: sheet.words(113, 700, "40").line(113, 703, 257, 703).words(113, 715, "^1^ Or sledge.", size=8),  # a footnote
    ],
)
def test_other_rulings_between_words(draw: object) -> None:
    sheet = _start()
    draw(sheet)  # type: ignore[operator]
    document = _read(sheet)
    assert not any("/" in clause.text for clause in document.clauses)
    assert not document.formulas
