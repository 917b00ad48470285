"""Embedded excerpts of UN R131 and UN R130: read whole, with the numbers, items, tables, marks and footnotes of the original."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from regc.model.document import Document
from regc.readers import markdown, pdf
from regc.resources import package_data

OFFICIAL = Path(__file__).resolve().parents[3] / "shared" / "regulations"


@dataclass(frozen=True)
class Excerpt:
    """An embedded edition, the file of the original, and what the excerpt leaves out of it."""

    regulation: str
    edition: str
    official: str
    paragraphs: int
    left_out: str
    notes_left_out: frozenset[tuple[str, str]]


R131 = Excerpt(
    regulation="un131",
    edition="02",
    official="un131/un131.pdf",
    paragraphs=191,
    left_out=r"(?:3|4|7|8|9|1[0-2])(?:\.\d+)*|Annex 1, .*",
    notes_left_out=frozenset({("body", "3"), ("body", "6"), ("Annex 1", "1"), ("Annex 1", "2")}),
)
R130 = Excerpt(
    regulation="un130",
    edition="00",
    official="distractors/un130.pdf",
    paragraphs=60,
    left_out=r"(?:3|4|7|8|9|1[0-2])(?:\.\d+)*|Annex 1, .*",
    notes_left_out=frozenset({("body", "1"), ("body", "3"), ("Annex 1", "1"), ("Annex 1", "2")}),
)
both = pytest.mark.parametrize("excerpt", [R131, R130], ids=lambda excerpt: excerpt.regulation)
needs_official = pytest.mark.skipif(
    not OFFICIAL.is_dir(), reason="the official texts are not beside the checkout (../shared/regulations)"
)


@cache
def ours(excerpt: Excerpt) -> Document:
    path = package_data("regulations", excerpt.regulation) / f"{excerpt.edition}.md"
    return markdown.read(path, path.read_bytes(), regulation=excerpt.regulation, edition=excerpt.edition, title="", wording="embedded")


@cache
def original(excerpt: Excerpt) -> Document:
    path = OFFICIAL / excerpt.official
    return pdf.read(path, path.read_bytes(), regulation=excerpt.regulation, edition="official", title="", wording="official")


def clauses(document: Document, excerpt: Excerpt) -> dict[str, str]:
    """Title, text and formulas of each numbered paragraph that the excerpt holds. The captions and labels of a figure are cut off."""
    formulas: dict[str, str] = {}
    for formula in document.formulas:
        formulas[formula.clause] = f"{formulas.get(formula.clause, '')}\n{formula.text}"
    captions = re.compile(r"(?m)^Figure \d+(?:$| )|^Scenario \d")
    return {
        clause.id: captions.split(f"{clause.title or ''}\n{clause.text}")[0] + formulas.get(clause.id, "")
        for clause in document.clauses
        if clause.number and not re.fullmatch(excerpt.left_out, clause.id)
    }


def figures(text: str) -> Counter[str]:
    """The numbers of a text, of which the labels of tables ("Table 1") and squares ("m²", "v²") are none."""
    plain = unicodedata.normalize("NFKC", re.sub(r"Table \d+|[²³]", " ", text))
    return Counter(re.findall(r"\d+(?:\.\d+)*", plain))


@both
def test_it_is_read_whole_and_nothing_is_mended(excerpt: Excerpt) -> None:
    document = ours(excerpt)
    assert (document.findings, document.repairs) == ((), ())
    assert sum(bool(clause.number) for clause in document.clauses) == excerpt.paragraphs
    assert all(note.anchors for note in document.footnotes)


@both
def test_it_says_what_it_is_not(excerpt: Excerpt) -> None:
    path = package_data("regulations", excerpt.regulation) / f"{excerpt.edition}.md"
    first, _, rest = path.read_text("utf-8").partition("\n")
    assert "not the legal text" in first
    assert "excerpt" in rest.strip().splitlines()[0]


@needs_official
@both
def test_every_paragraph_has_the_figures_and_items_of_the_original(excerpt: Excerpt) -> None:
    mine, theirs = clauses(ours(excerpt), excerpt), clauses(original(excerpt), excerpt)
    assert list(mine) == list(theirs)
    differences = {id_: (figures(mine[id_]) - figures(text), figures(text) - figures(mine[id_])) for id_, text in theirs.items()}
    assert {id_: both_ways for id_, both_ways in differences.items() if any(both_ways)} == {}
    items = {
        document.edition: {c.id: [item.label for item in c.items] for c in document.clauses}
        for document in (ours(excerpt), original(excerpt))
    }
    assert {id_ for id_ in mine if items[excerpt.edition][id_] != items["official"][id_]} == set()


@needs_official
@both
def test_footnotes_stand_at_the_places_of_the_original(excerpt: Excerpt) -> None:
    places = [
        {(note.region, note.marker, note.anchors) for note in document.footnotes if note.region != "Annex 3"}
        for document in (ours(excerpt), original(excerpt))
    ]
    left_out = {place for place in places[1] if place[:2] in excerpt.notes_left_out}
    assert len(left_out) == len(excerpt.notes_left_out)
    assert places[0] == places[1] - left_out


@needs_official
def test_the_limit_tables_are_those_of_the_original() -> None:
    mine, theirs = ours(R131).tables, original(R131).tables
    assert [table.id for table in mine] == ["5.2.1.4#1", "5.2.2.4#1"]
    for table, other in zip(mine, theirs, strict=True):
        assert (table.columns, table.column_marks, table.footnotes) == (other.columns, other.column_marks, other.footnotes)
        assert [[(cell.text, cell.marks) for cell in row] for row in table.rows] == [
            [(cell.text, cell.marks) for cell in row] for row in other.rows
        ]
