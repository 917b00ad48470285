"""References: the grammar on single sentences, resolution on small hand-made documents, and the real regulation."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regc.link import link
from regc.link.grammar import mentions
from regc.model.document import Clause, Document, Footnote, RefGraph, Table
from tests.casefiles import lines

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


@pytest.mark.parametrize(("sentence", "expected"), lines("references", "body", "none"))
def test_what_a_sentence_points_at(sentence: str, expected: str) -> None:
    assert "; ".join(str(target) for target in _targets(sentence)) == expected.replace("none", "")


@pytest.mark.parametrize(("sentence", "expected"), lines("references", "annex"))
def test_numbers_inside_an_annex_are_its_own(sentence: str, expected: str) -> None:
    assert _targets(sentence, _clause("Annex 1", "9")) == expected.split("; ")


@pytest.mark.parametrize(("sentence", "expected"), lines("references", "documents"))
def test_other_documents_are_named(sentence: str, expected: str) -> None:
    graph, findings = link(_document(*_BODY, *_ANNEXES, _clause("body", "9", sentence)))
    assert [(reference.target, reference.kind) for reference in graph.references] == [
        (name, "external") for name in expected.split("; ")
    ]
    assert findings == ()


@pytest.mark.parametrize(("sentence", "code"), lines("references", "lost"))
def test_what_points_at_nothing_is_reported(sentence: str, code: str) -> None:
    graph, findings = link(_document(*_BODY, *_ANNEXES, _clause("body", "9", sentence)))
    assert [finding.code for finding in findings] == [code]
    assert findings[0].place == "9"
    assert findings[0].excerpt == sentence
    assert [reference.target for reference in graph.references][-1] is None


def test_an_appendix_falls_back_to_its_annex_and_then_to_the_body() -> None:
    speaker = _clause("Annex 1 - Appendix 2", "4", "As in paragraphs 2.1. and 3.2.1.")
    graph, findings = link(_document(*_BODY, *_ANNEXES, speaker))
    assert [reference.target for reference in graph.references] == ["Annex 1, 2.1", "3.2.1"]
    assert [(finding.code, finding.severity) for finding in findings] == [("R205", "info")]


def test_a_count_after_a_paragraph_is_no_paragraph() -> None:
    assert _targets("paragraph 2.1. and 2 further runs, paragraph 2.2. to 3 m") == ["2.1", "2.2"]


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
