"""The official documents against lists made by hand: paragraph numbers, tables with rows and columns, footnotes with their places.

The numbers were counted in the text that another program (pdftotext) takes out of the same files, and on the pages. The documents
are not part of the repository; without them the tests are skipped.
"""

from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from regc.model.document import Document
from regc.readers import pdf

_SHARED = Path(__file__).resolve().parents[3] / "shared" / "regulations"
_LISTS = Path(__file__).parent / "real"


def _rows(name: str) -> list[dict[str, str]]:
    with (_LISTS / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _documents(name: str) -> list[object]:
    """Each document of a list once; skipped where it is not beside the checkout."""
    found: list[object] = []
    for document in dict.fromkeys(row["document"] for row in _rows(name)):
        there = any(_SHARED.rglob(f"{document}.pdf"))
        skip = pytest.mark.skipif(not there, reason=f"{document}.pdf is not beside the checkout (shared/regulations)")
        found.append(pytest.param(document, marks=skip))
    return found


@cache
def _read(name: str) -> Document:
    path = next(_SHARED.rglob(f"{name}.pdf"))
    return pdf.read(path, path.read_bytes(), regulation=name, edition="x", title=name, wording="official")


@pytest.mark.parametrize("document", _documents("paragraphs.csv"))
def test_paragraphs(document: str) -> None:
    listed = {
        row["region"]: row["paragraphs below each first number"] for row in _rows("paragraphs.csv") if row["document"] == document
    }
    found: dict[str, Counter[str]] = {}
    for clause in _read(document).clauses:
        if clause.number:
            found.setdefault(clause.region, Counter())[clause.number.split(".")[0]] += 1
    assert {region: " ".join(f"{number}:{count}" for number, count in found[region].items()) for region in listed} == listed


@pytest.mark.parametrize("document", _documents("tables.csv"))
def test_tables(document: str) -> None:
    for row in (row for row in _rows("tables.csv") if row["document"] == document):
        table = _read(document).table(row["table"])
        assert table is not None, row["table"]
        assert (len(table.rows), len(table.columns)) == (int(row["rows"]), int(row["columns"])), row["table"]
        assert table.pages == tuple(map(int, row["pages"].split())), row["table"]


@pytest.mark.parametrize("document", _documents("footnotes.csv"))
def test_footnotes(document: str) -> None:
    notes = {note.id: note.anchors for note in _read(document).footnotes}
    for row in (row for row in _rows("footnotes.csv") if row["document"] == document):
        assert notes.get(row["footnote"]) == tuple(row["anchors"].split("; ")), row["footnote"]
