"""What a question names: regulations, paragraphs, categories, quantities; and by which names a document goes."""

from __future__ import annotations

import pytest

from regc.model.document import Clause, Document
from regc.retrieve.mentions import Identity, named_in
from tests.retrieve.deck import clause


@pytest.mark.parametrize(
    ("question", "regulations"),
    [
        ("R152: how bright must it be", [("un", "152")]),
        ("what does UN R 79 say", [("un", "79")]),
        ("ECE-R130 and un171", [("un", "130"), ("un", "171")]),
        ("UN Regulation No. 131, impact speed", [("un", "131")]),
        ("regulation 79 steering", [("un", "79")]),
        ("UN R.079", [("un", "79")]),
        ("FMVSS 127 and FMVSS No. 135", [("fmvss", "127"), ("fmvss", "135")]),
        ("49 CFR 571.127", [("fmvss", "127")]),
        ("radius of R1.5 m", []),
        ("at 60 km/h in 3 runs", []),
    ],
)
def test_regulations(question: str, regulations: list[tuple[str, str]]) -> None:
    assert list(named_in(question).regulations) == regulations


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("paragraph 6.6.1 of R152", ["6.6.1"]),
        ("what does 6.4 of UN R131 ask", ["6.4"]),
        ("para. 5.2 and § 6.1", ["5.2", "6.1"]),
        ("S7.3.1 of FMVSS 127", ["S7.3.1"]),
        ("5.2.1.4 table", ["5.2.1.4"]),
        ("Annex 8, 3.2.1.1 of R79", ["Annex 8, 3.2.1.1"]),
        ("paragraph 1.1 of Annex 3, Appendix 2", ["Annex 3 - Appendix 2, 1.1"]),
        ("Appendix 2 to Annex 3", ["Annex 3 - Appendix 2"]),
        ("at least 5.2 m/s2 and 0.2 m", []),
    ],
)
def test_paragraphs(question: str, places: list[str]) -> None:
    assert list(named_in(question).places) == places


def test_names_are_no_words_to_look_for() -> None:
    assert named_in("paragraph 6.6.1 of UN R152: target speed").text.split() == ["of", ":", "target", "speed"]


def test_categories_by_letter_and_by_word() -> None:
    assert named_in("an N2 lorry").categories == {"N2"}
    assert named_in("may a touring coach drift").categories == {"M2", "M3"}
    assert named_in("a semi-trailer").categories == {"O"}
    assert named_in("a bicycle").categories == frozenset()


def test_the_quantity_asked_for() -> None:
    assert named_in("how fast").quantities == ("speed",)
    assert named_in("after how many seconds").quantities == ("time",)
    assert named_in("how bright").quantities == ("light",)
    assert named_in("which dummy").quantities == ()


def test_who_issued_a_rule() -> None:
    assert named_in("the American rule").issuers == {"fmvss"}
    assert named_in("does the US allow it").issuers == {"fmvss"}
    assert named_in("tell us").issuers == frozenset()


def made(id: str, *clauses: Clause, heads: tuple[str, ...] = ()) -> Document:
    return Document(id=id, title="", edition="1", wording="embedded", sha256="0" * 64, reader="test", heads=heads, clauses=clauses)


def test_the_names_of_a_document() -> None:
    document = made(
        "file",
        clause("1", "Scope", "This Regulation applies to vehicles of categories M2, M3 and N."),
        heads=("UN R.079 - Supplement 5",),
    )
    identity = Identity.of(document)
    assert identity == Identity("un", frozenset({"79"}), frozenset({"M2", "M3", "N"}))
    assert identity.is_named(named_in("R79"))
    assert not identity.is_named(named_in("FMVSS 79"))
    assert identity.fits(frozenset({"M2"}))
    assert identity.fits(frozenset({"N3"}))
    assert identity.fits(frozenset({"M1"})) is False
    assert identity.fits(frozenset()) is None


def test_a_section_of_the_us_code() -> None:
    document = made("x", clause(None, None, "§ 571.999 Standard No. 999; Lamps."), clause("S1", "Scope", "For passenger cars."))
    identity = Identity.of(document)
    assert (identity.issuer, identity.numbers, identity.categories) == ("fmvss", {"999"}, frozenset())
    assert identity.fits(frozenset({"M1"})) is None
