"""The embedded edition of FMVSS No. 127: complete, in our own words, and with the original's figures."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from regc.link import link
from regc.model.document import Document, Table
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Request
from regc.readers import cfr, markdown
from regc.readers.markup.printed_text import formula
from regc.resources import package_data

EMBEDDED = package_data("regulations", "fmvss127") / "2024.md"
OFFICIAL = Path(__file__).resolve().parents[3] / "shared" / "regulations" / "fmvss127" / "fmvss127.xml"

needs_official = pytest.mark.skipif(
    not OFFICIAL.is_file(), reason="the official XML is not beside the checkout (../shared/regulations)"
)

_FIGURE = re.compile(r"(?<![A-Za-z\d.])\d+(?:[.,]\d+)*")
_ITEM = re.compile(r"(?m)^\((\w+)\)")


@cache
def ours() -> Document:
    return markdown.read(
        EMBEDDED, EMBEDDED.read_bytes(), regulation="fmvss127", edition="2024", title="FMVSS No. 127", wording="embedded"
    )


@cache
def official() -> Document:
    return cfr.read(OFFICIAL, OFFICIAL.read_bytes(), regulation="fmvss127", edition="2024", title="FMVSS No. 127", wording="official")


def references(document: Document) -> Counter[tuple[str, str | None]]:
    graph, findings = link(document)
    assert findings == ()
    return Counter((found.source, found.target) for found in graph.references)


def rows(table: Table) -> list[tuple[str, ...]]:
    """Rows with the light of each in a row of its own, ranges as "10-80", first cells without the paragraph behind them."""
    made: list[tuple[str, ...]] = []
    for row in table.rows:
        texts = [re.sub(r"(?<=\d) to (?=\d)", "-", cell.text).removesuffix(".") for cell in row]
        first, *further = texts[-1].split("\n")
        made.append((re.sub(r" \(S\d.*\)$", "", texts[0]), *texts[1:-1], first))
        made.extend((*("" for _ in texts[1:]), light) for light in further)
    return made


def test_it_is_read_without_repair_or_finding() -> None:
    assert (ours().repairs, ours().findings) == ((), ())
    assert EMBEDDED.read_bytes().startswith(b"<!-- regc's own rewording of FMVSS No. 127")


@needs_official
def test_paragraphs_items_and_figures_are_those_of_the_original() -> None:
    assert [clause.id for clause in ours().clauses] == [clause.id for clause in official().clauses]
    differences = {}
    for clause, original in zip(ours().clauses, official().clauses, strict=True):
        if clause.number is None:
            continue
        assert _ITEM.findall(clause.text) == _ITEM.findall(original.text), clause.id
        mine, theirs = Counter(_FIGURE.findall(clause.text)), Counter(_FIGURE.findall(original.text))
        if mine != theirs:
            differences[clause.id] = (mine - theirs, theirs - mine)
    assert differences == {}


@needs_official
def test_references_are_those_of_the_original() -> None:
    assert references(ours()) == references(official())


@needs_official
def test_tables_are_those_of_the_original() -> None:
    for table, original in zip(ours().tables, official().tables, strict=True):
        assert (table.id, table.columns) == (original.id, original.columns)
        assert rows(table) == rows(original)


@needs_official
def test_equations_are_those_of_the_original() -> None:
    """Ours are LaTeX, the original's are text."""
    mine = [(item.clause, formula(item.text).replace(" ", "").replace("-", "−")) for item in ours().formulas]
    theirs = [(item.clause, item.text.replace(" ", "").replace("-", "−")) for item in official().formulas]
    assert mine == theirs
    assert len(mine) == 8


@needs_official
def test_figures_are_named_as_in_the_original() -> None:
    numbers = [[(figure.caption or "")[:8] for figure in document.figures] for document in (ours(), official())]
    assert numbers[0] == numbers[1] == [f"Figure {number}" for number in range(1, 10)]


@needs_official
def test_each_clause_that_prescribes_says_must() -> None:
    must = re.compile(r"\bmust\b")
    own = {clause.id for clause in ours().clauses if must.search(clause.text)}
    assert {clause.id for clause in official().clauses if must.search(clause.text)} - own == set()


def test_each_sentence_that_prescribes_has_its_fate() -> None:
    entries = compile_regulation(Request("fmvss127")).suite.coverage.entries
    counted = {entry.clause for entry in entries if entry.kind == "sentence"}
    assert {"S5.1.1", "S5.1.2", "S5.1.3", "S5.2.1", "S5.2.2", "S5.2.3", "S5.3", "S5.4.1", "S5.4.2", "S5.4.3"} <= counted
    assert [entry.clause for entry in entries if entry.fate == "open"] == []
