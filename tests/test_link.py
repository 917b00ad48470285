"""References: the grammar on single sentences, resolution on small hand-made documents, and the real regulation."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regc._reference_grammar import mentions
from regc.link import link
from regc.model.document import Clause, Document, Footnote, Table
from regc.model.references import RefGraph

_REAL = Path(__file__).resolve().parents[2] / "shared" / "regulations" / "un152-r2" / "un152-r2.pdf"


def _clause(region: str, number: str | None, text: str = "", **more: tuple[str, ...]) -> Clause:
    return Clause(region=region, number=number, text=text, **more)


def _document(*clauses: Clause, tables: tuple[Table, ...] = (), footnotes: tuple[Footnote, ...] = ()) -> Document:
    return Document(
        id="un900",
        title="UN Regulation No. 900 (drawbridges)",
        edition="01",
        wording="official",
        sha256="0",
        reader="hand",
        clauses=clauses,
        tables=tables,
        footnotes=footnotes,
    )


def _table(clause: str, index: int = 1, caption: str | None = None, footnotes: tuple[str, ...] = ()) -> Table:
    return Table(id=f"{clause}#{index}", clause=clause, caption=caption, columns=(("a",),), rows=(), footnotes=footnotes)


_BODY = tuple(_clause("body", number) for number in ["1", "2", "2.1", "2.2", "2.3", "2.3.1", "2.4", "2.10", "3", "3.1", "3.2", "3.2.1"])
_ANNEXES = (
    _clause("Annex 1", None),
    _clause("Annex 1", "1"),
    _clause("Annex 1", "2"),
    _clause("Annex 1", "2.1"),
    _clause("Annex 1 - Appendix 1", None),
    _clause("Annex 1 - Appendix 1", "1"),
    _clause("Annex 1 - Appendix 2", None),
    _clause("Annex 2", "1"),
)


def _targets(sentence: str, at: Clause | None = None) -> list[str | None]:
    """Targets of one sentence in a small document, as said in clause 9 of the body or in `at`."""
    speaker = (at or _clause("body", "9")).model_copy(update={"text": sentence})
    graph, _ = link(_document(*_BODY, *_ANNEXES, speaker))
    return [reference.target for reference in graph.references if reference.source == speaker.id]


def _codes(*clauses: Clause, **parts: tuple[Table, ...]) -> list[str]:
    _, findings = link(_document(*_BODY, *_ANNEXES, *clauses, **parts))
    return [finding.code for finding in findings]


@pytest.mark.parametrize(
    ("sentence", "targets"),
    [
        ("as in paragraphs 2.1. and 2.2.", ["2.1", "2.2"]),
        ("of paragraphs 1. and paragraphs 2.1. to 2.4. of this Regulation for all bridges", ["1", "2.1", "2.2", "2.3", "2.4"]),
        ("paragraphs 2.1., 2.3.1. or 3.2.1., as the case may be", ["2.1", "2.3.1", "3.2.1"]),
        ("(see paragraphs 2.3. to 2.4.)", ["2.3", "2.4"]),
        ("paragraphs 3.1. to 3.2.1. hold", ["3.1", "3.2", "3.2.1"]),
        ("paragraphs 1 to 3 below", ["1", "2", "3"]),
        ("paragraph 3, above, and paragraph 2.10. below", ["3", "2.10"]),
        ("the bell defined in 3.2.1.", ["3.2.1"]),
        ("as per para. 2.1. of Annex 1 to UN Regulation No. 900", ["Annex 1, 2.1"]),
        ("in Appendix 2 of Annex 1.", ["Annex 1 - Appendix 2"]),
        ("meet Annex 1, paragraph 2.1., and Annex 2.", ["Annex 1, 2.1", "Annex 2, 1"]),
        ("Annexes 1 and 2", ["Annex 1", "Annex 2, 1"]),
        ("paragraph 2.1.(a) of this Regulation", ["2.1"]),
    ],
)
def test_what_a_sentence_points_at(sentence: str, targets: list[str]) -> None:
    assert _targets(sentence) == targets


@pytest.mark.parametrize(
    ("sentence", "targets"),
    [
        ("paragraph 2. of this annex", ["Annex 1, 2"]),
        ("paragraph 2.1. shows it", ["Annex 1, 2.1"]),
        ("paragraph 2. of this Regulation", ["2"]),
        ("is given in Appendix 1 to this Annex.", ["Annex 1 - Appendix 1"]),
        ("see Appendix 2.", ["Annex 1 - Appendix 2"]),
        ("Annex 2 shows it", ["Annex 2, 1"]),
        ("This annex holds for ships.", ["Annex 1"]),
    ],
)
def test_numbers_inside_an_annex_are_its_own(sentence: str, targets: list[str]) -> None:
    assert _targets(sentence, _clause("Annex 1", "9")) == targets


def test_an_appendix_falls_back_to_its_annex_and_then_to_the_body() -> None:
    speaker = _clause("Annex 1 - Appendix 2", "4", "As in paragraphs 2.1. and 3.2.1.")
    graph, findings = link(_document(*_BODY, *_ANNEXES, speaker))
    assert [reference.target for reference in graph.references] == ["Annex 1, 2.1", "3.2.1"]
    assert [(finding.code, finding.severity) for finding in findings] == [("R205", "info")]


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("the rules of UN Regulation No. 13-H in its 01 series", ["UN Regulation No. 13-H"]),
        ("Annex 6 to UN Regulation No.13-H or Annex 13 to UN Regulation No. 13", ["UN Regulation No. 13-H", "UN Regulation No. 13"]),
        ("Appendix 2 to Annex 6 of UN Regulation No. 13-H", ["UN Regulation No. 13-H"]),
        ("Regulation No. 78, paragraph 2.1.", ["UN Regulation No. 78"]),
        ("UN Regulations Nos. 13, 13-H or 140", ["UN Regulation No. 13", "UN Regulation No. 13-H", "UN Regulation No. 140"]),
        ("according to ISO 19206-3:2020.", ["ISO 19206-3:2020"]),
        ("the (ASTM) E1136 tyre by ASTM Method E1337-90", ["ASTM E1136", "ASTM E1337-90"]),
        ("Directive 2007/46/EC and Regulation (EU) 2019/2144", ["Directive 2007/46/EC", "Regulation (EU) 2019/2144"]),
        ("the Consolidated Resolution on Bridges (R.E.3.), para. 2", ["Consolidated Resolution R.E.3"]),
        ("Annex 3 to the Consolidated Resolution on Bridges (R.E.3)", ["Consolidated Resolution R.E.3"]),
    ],
)
def test_other_documents_are_named(sentence: str, names: list[str]) -> None:
    speaker = _clause("body", "9", sentence)
    graph, findings = link(_document(*_BODY, *_ANNEXES, speaker))
    assert [(reference.target, reference.kind) for reference in graph.references] == [(name, "external") for name in names]
    assert findings == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "at a speed of 40 mph",
        "a coefficient of 0.9 and a step of 2.1 m",
        "as from 1 May 2024 and until 1.5.2026",
        "the parameters of subparagraph 2 of each case",
        "this Regulation as amended by the 02 series",
        "UN Regulation No. 900 holds",
        "between 10 km/h and 60 km/h",
        "ratio 2.3.1 of the gears",
    ],
)
def test_a_number_alone_is_no_reference(sentence: str) -> None:
    assert _targets(sentence) == []


def test_a_count_after_a_paragraph_is_no_paragraph() -> None:
    assert _targets("paragraph 2.1. and 2 further runs, paragraph 2.2. to 3 m") == ["2.1", "2.2"]


@pytest.mark.parametrize(
    ("sentence", "code"),
    [
        ("paragraph 7.7. holds", "R201"),
        ("paragraph 2.2. of Annex 1", "R201"),
        ("see Annex 9", "R202"),
        ("paragraph 1. of Annex 9", "R202"),
        ("as the following table shows", "R203"),
        ("the table in paragraph 2.1.", "R203"),
        ("given in Table 7", "R203"),
        ("defined in 8.8.8.", "R201"),
    ],
)
def test_what_points_at_nothing_is_reported(sentence: str, code: str) -> None:
    speaker = _clause("body", "9", sentence)
    graph, findings = link(_document(*_BODY, *_ANNEXES, speaker))
    assert [finding.code for finding in findings] == [code]
    assert findings[0].place == "9"
    assert findings[0].excerpt == sentence
    assert [reference.target for reference in graph.references][-1] is None


def test_tables_by_words_by_clause_and_by_number() -> None:
    clauses = (
        _clause("body", "4", "Speeds as the tables below show; this table is no guide.", tables=("4#1", "4#2")),
        _clause("body", "5", "Any speed of the tables in paragraph 4. may be used."),
        _clause("body", "6", "Before the following table, which stands in the next paragraph."),
        _clause("body", "6.1", "And see Table 2.", tables=("6.1#1",)),
    )
    tables = (_table("4", 1, "Table 1: Trucks"), _table("4", 2, "Table 2: Ships"), _table("6.1", 1))
    graph, findings = link(_document(*clauses, tables=tables))
    assert findings == ()
    found = [(reference.source, reference.target, reference.kind, reference.quote) for reference in graph.references]
    assert ("4", "4#1", "table", "the tables below") in found
    assert ("4", "4#2", "table", "the tables below") in found
    assert ("5", "4", "paragraph", "the tables in paragraph 4.") in found
    assert ("5", "4#2", "table", "the tables in paragraph 4.") in found
    assert ("6", "6.1#1", "table", "the following table") in found
    assert ("6.1", "4#2", "table", "Table 2") in found


def test_clauses_hold_their_tables_and_tables_their_footnotes() -> None:
    clauses = (
        _clause("body", "4", "The speeds.", tables=("4#1",), footnotes=("1",)),
        _clause("Annex 1", None, footnotes=("1",)),
    )
    notes = (
        Footnote(marker="1", text="As in paragraph 4.", anchors=("4",)),
        Footnote(marker="2", text="By weight.", anchors=("4#1",)),
        Footnote(marker="1", region="Annex 1", text="See paragraph 4. of this Regulation.", anchors=("Annex 1",)),
    )
    graph, findings = link(_document(*clauses, tables=(_table("4", 1, "Speeds", ("2",)),), footnotes=notes))
    assert findings == ()
    assert graph.nodes == ("4", "4#1", "Annex 1", "footnote 1", "footnote 2", "Annex 1, footnote 1")
    assert [(reference.source, reference.target, reference.kind) for reference in graph.references] == [
        ("4", "4#1", "table"),
        ("4#1", "footnote 2", "footnote"),
        ("4", "footnote 1", "footnote"),
        ("Annex 1", "Annex 1, footnote 1", "footnote"),
        ("footnote 1", "4", "paragraph"),
        ("Annex 1, footnote 1", "4", "paragraph"),
    ]
    assert nx.has_path(graph.to_networkx(), "4", "footnote 2")


def test_a_mark_without_its_footnote_is_reported() -> None:
    assert _codes(_clause("body", "4", "Speeds.", footnotes=("3",))) == ["R204"]


@given(st.text(alphabet="paragrphs Annex 12.3,()-to/of", max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    for mention in mentions(text):
        assert mention.quote in text
        assert mention.parts
    graph, _ = link(_document(*_BODY, *_ANNEXES, _clause("body", "9", text)))
    known = set(graph.nodes)
    assert all(reference.target is None or reference.kind == "external" or reference.target in known for reference in graph.references)


@cache
def _real() -> tuple[RefGraph, int]:
    from regc.readers import pdf

    document = pdf.read(_REAL, _REAL.read_bytes(), regulation="un152", edition="02", title="UN Regulation No. 152", wording="official")
    graph, findings = link(document)
    return graph, len(findings)


@pytest.mark.skipif(not _REAL.is_file(), reason="the official PDF is not beside the checkout (shared/regulations)")
def test_real_regulation_has_no_open_reference() -> None:
    graph, findings = _real()
    assert findings == 0
    edges = {(reference.source, reference.target) for reference in graph.references}
    assert {
        ("5.1.1.1", "5.4"),
        ("5.1.6", "Annex 3 - Appendix 2"),
        ("5.2.1.4", "5.2.1.4#2"),
        ("5.2.1.4#2", "footnote 4"),
        ("6.4", "5.2.1.4#1"),
        ("6.6.1", "6.3.2"),
        ("6.1.1.3", "UN Regulation No. 13-H"),
        ("Annex 3, 4.1", "Annex 3, 3"),
        ("Annex 3 - Appendix 1, 3.8", "Annex 3, 4.1.1"),
    } <= edges
