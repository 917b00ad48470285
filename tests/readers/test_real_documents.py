"""The official documents against lists made by hand: numbered paragraphs, tables with typed cells, footnotes with their places.

The lists were written from pictures of the pages and the text that another program (pdftotext) takes out of the same files, before and
apart from what regc reads. `real/paragraphs/*.txt` hold every number in printed order under its region ("[Annex 3]"; a letter of an
annex as a capital); a number glued to the line before stands where its paragraph begins. `tables.csv` holds every table: body rows and
columns, pages; `cells.csv` some of their cells, row 0 being the column's head; `footnotes.csv` every note and where its mark stands
(cover pages aside): the mark that is printed, also where it is a misprint, so that a note whose mark stands nowhere in its reach has no
place. The documents are not part of the repository; without them the tests are skipped.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
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


def _paragraphs() -> dict[tuple[str, str], list[str]]:
    """(document, region) -> its numbers in printed order."""
    listed: dict[tuple[str, str], list[str]] = {}
    for path in sorted((_LISTS / "paragraphs").glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                region = listed.setdefault((path.stem, line.strip("[]")), [])
            else:
                region.extend(line.split())
    return listed


_PARAGRAPHS = _paragraphs()


def _cases(names: Iterable[tuple[str, str]]) -> list[object]:
    """One test a (document, name): skipped without the document."""
    made: list[object] = []
    for document, name in dict.fromkeys(names):
        there = any(_SHARED.rglob(f"{document}.pdf"))
        marks = [pytest.mark.skipif(not there, reason=f"{document}.pdf is not beside the checkout (shared/regulations)")]
        made.append(pytest.param(document, name, marks=marks, id=f"{document}: {name}"))
    return made


@cache
def _read(name: str) -> Document:
    path = next(_SHARED.rglob(f"{name}.pdf"))
    return pdf.read(path, path.read_bytes(), regulation=name, edition="x", title=name, wording="official")


def _listed(name: str, column: str) -> list[tuple[str, str]]:
    return [(row["document"], row[column]) for row in _rows(name)]


@pytest.mark.parametrize(("document", "region"), _cases(_PARAGRAPHS))
def test_paragraphs(document: str, region: str) -> None:
    read = [clause.number for clause in _read(document).clauses if clause.region == region and clause.number]
    assert read == _PARAGRAPHS[document, region]


@pytest.mark.parametrize(("document", "name"), _cases(_listed("tables.csv", "table")))
def test_table(document: str, name: str) -> None:
    row = next(row for row in _rows("tables.csv") if (row["document"], row["table"]) == (document, name))
    table = _read(document).table(name)
    assert table is not None
    assert (len(table.rows), len(table.columns)) == (int(row["rows"]), int(row["columns"]))
    assert table.pages == tuple(map(int, row["pages"].split()))


@pytest.mark.parametrize(("document", "name"), _cases(_listed("cells.csv", "table")))
def test_cells(document: str, name: str) -> None:
    table = _read(document).table(name)
    assert table is not None
    for cell in (row for row in _rows("cells.csv") if (row["document"], row["table"]) == (document, name)):
        row, column = int(cell["row"]), int(cell["column"]) - 1
        read = table.rows[row - 1][column].text if row else table.column_label(column)
        assert read == cell["text"], (row, column + 1)


@pytest.mark.parametrize(("document", "name"), _cases(_listed("footnotes.csv", "footnote")))
def test_footnote(document: str, name: str) -> None:
    row = next(row for row in _rows("footnotes.csv") if (row["document"], row["footnote"]) == (document, name))
    note = _read(document).footnote(name)
    assert note is not None
    assert note.anchors == tuple(filter(None, row["anchors"].split("; ")))


@pytest.mark.parametrize(
    ("document", "kind"),
    _cases(
        [
            *((document, kind) for document in sorted({document for document, _ in _PARAGRAPHS}) for kind in ("regions", "tables")),
            *((document, "footnotes") for document, _ in _listed("footnotes.csv", "footnote")),
        ]
    ),
)
def test_nothing_more_is_read(document: str, kind: str) -> None:
    """No region with numbers, table or footnote is read that does not stand there."""
    read = _read(document)
    found = {
        "regions": {clause.region for clause in read.clauses if clause.number},
        "tables": {table.id for table in read.tables},
        "footnotes": {note.id for note in read.footnotes},
    }[kind]
    listed = {
        "regions": list(_PARAGRAPHS),
        "tables": _listed("tables.csv", "table"),
        "footnotes": _listed("footnotes.csv", "footnote"),
    }[kind]
    assert found - {name for own, name in listed if own == document} == set()
