"""The gold of the retrieval bench: questions and hand-written evidence, and what of it a context holds."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from regc.errors import DataFileError
from regc.model.chunk import Context
from regc.model.document import Document
from regc.model.source import Frozen

#: Share of a clause's text that must stand in a context for the clause to count as found (as for the witness of a question).
CLAUSE_SHARE = 0.75

#: (family, category, load state) -> ids of clauses, tables and footnotes.
Gold = dict[tuple[str, str, str], frozenset[str]]


class BenchQuestion(Frozen):
    """One wording of what is asked for a family."""

    family: str
    wording: str
    query: str


def read_questions(path: Path) -> tuple[BenchQuestion, ...]:
    """`family,wording,query`. Raises DataFileError."""
    rows = _rows(path, ("family", "wording", "query"))
    return tuple(BenchQuestion(family=row["family"], wording=row["wording"], query=row["query"]) for row in rows)


def read_gold(path: Path) -> Gold:
    """`family,category,load_kind,item,...`: the evidence of every family, category and load state. Raises DataFileError."""
    found: dict[tuple[str, str, str], set[str]] = {}
    for row in _rows(path, ("family", "category", "load_kind", "item")):
        found.setdefault((row["family"], row["category"], row["load_kind"]), set()).add(row["item"])
    return {key: frozenset(items) for key, items in found.items()}


def held(context: Context, document: Document) -> frozenset[str]:
    """Ids of the document's pieces that a context holds: tables and footnotes, and clauses of which it has at least 75 % of the
    text."""
    found: dict[str, int] = {}
    for item in context.items:
        if (item.regulation, item.edition) == (document.id, document.edition):
            length = len(item.clause.text) if item.clause else 0
            found[item.id] = max(found.get(item.id, 0), length)
    full = {clause.id: len(clause.text) for clause in document.clauses}
    return frozenset(id for id, length in found.items() if length >= CLAUSE_SHARE * full.get(id, 0))


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = [{key: value or "" for key, value in row.items() if key} for row in csv.DictReader(stream)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataFileError(f"{path.name}: {error}", hint=f"a CSV with the columns {', '.join(columns)}") from error
    missing = [column for column in columns if not rows or column not in rows[0]]
    if missing:
        raise DataFileError(f"{path.name}: no column {', '.join(missing)}", hint=f"a CSV with the columns {', '.join(columns)}")
    return rows
