"""Forms as a document prints them: what is a heading, a field, a choice, words, a note."""

from __future__ import annotations

from pathlib import Path

import pytest

from regc.lang.forms import _of_line
from regc.model.source import SourceRef
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Compiled, Request

SHARED = Path(__file__).resolve().parents[3] / "shared" / "regulations"
OFFICIAL = SHARED / "un152-r2" / "un152-r2.pdf"


def lines(text: str, number: str = "1.1") -> list[tuple[str, str, str, tuple[str, ...]]]:
    source = SourceRef(regulation="x1", edition="01", wording="official", clause="Annex 1", quote=text)
    return [(line.kind, line.number, line.text, line.choices) for line in _of_line(number, text, source)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Make of the vehicle:", [("field", "1.1", "Make of the vehicle", ())]),
        ("Software: architecture and tools of its design:", [("field", "1.1", "Software: architecture and tools of its design", ())]),
        ("Signed: ... Date:", [("field", "1.1", "Signed", ()), ("field", "", "Date", ())]),
        ("Signed: …… Date: ……", [("field", "1.1", "Signed", ()), ("field", "", "Date", ())]),
        ("Approval granted/refused/extended:", [("choice", "1.1", "Approval", ("granted", "refused", "extended"))]),
        ("For car to car: granted/refused/withdrawn", [("choice", "1.1", "For car to car", ("granted", "refused", "withdrawn"))]),
        ("Concerning: approval granted", [("words", "1.1", "Concerning: approval granted", ())]),
        ("The maker ... affirms that it is safe.", [("words", "1.1", "The maker ... affirms that it is safe.", ())]),
    ],
)
def test_a_line_of_a_form(text: str, wanted: list[tuple[str, str, str, tuple[str, ...]]]) -> None:
    assert lines(text) == wanted


def test_forms_of_an_embedded_text(embedded: Compiled) -> None:
    communication, assessment = embedded.suite.forms
    assert (communication.id, communication.clause) == ("UNR152-02_form_Communication", "Annex 1")
    assert (assessment.token, assessment.clause) == ("Assessment", "Annex 3 - Appendix 1")
    fields = [line.number for line in communication.lines if line.kind in ("field", "choice") and line.number]
    assert fields == ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10.1", "10.2", "10.3", "11", "12", "13", "14", "15"]
    assert [line.text for line in assessment.lines if line.kind == "heading"] == [
        "Identification", "Description of the test vehicle(s) or system(s)", "Safety concept of the manufacturer",
    ]  # fmt: skip
    assert communication.lines[-1].kind == "note"


@pytest.mark.skipif(not OFFICIAL.is_file(), reason="the official text is not beside the checkout (../shared/regulations)")
def test_forms_of_the_official_pdf_stand_on_their_pages() -> None:
    communication, assessment = compile_regulation(Request("un152", source=OFFICIAL)).suite.forms
    assert {line.sources[0].page for line in communication.lines if line.kind == "field"} == {23}
    assert {line.sources[0].page for line in assessment.lines if line.kind == "field"} == {30, 31}
    assert sum(line.kind in ("field", "choice") for line in communication.lines) == 18
    assert sum(line.kind == "field" for line in assessment.lines) == 29
