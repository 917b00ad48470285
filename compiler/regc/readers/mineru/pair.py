"""A Markdown file and the layout file beside it: which belong together, and where they say different things."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from regc.errors import SourceError
from regc.model.document import Document, Table
from regc.model.result import Finding
from regc.readers.mineru.middle import LayoutFile

#: A Markdown file and a layout file belong together when they share this much of their text.
PAIR = 0.85
#: A word, or a number with its sign and decimals.
_WORD = re.compile(r"[+\-−]?\d+(?:[.,]\d+)*|[^\W\d_]+")


@dataclass
class Beside:
    """What lies beside a file: its other half (`found` from `path` with `content`), and what is to be told of files that are none."""

    path: Path | None = None
    content: bytes = b""
    found: LayoutFile | None = None
    findings: list[Finding] = field(default_factory=list)


def content_of(path: Path) -> bytes:
    """The bytes of a file beside. Raises SourceError when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path.name}: cannot be read: {error.strerror}", hint="check the permission") from error


def unreadable(path: Path, other: Path, error: SourceError) -> Finding:
    """A file beside that looks like the other half and cannot be read: pages, boxes and footnotes are missing."""
    return Finding(
        code="R112",
        severity="warning",
        message=f"{other.name}, beside {path.name}, was not used: {error}",
        place=other.name,
        hint="let the converter write it again, or move it elsewhere when it does not belong to this file",
    )


def stranger(path: Path, other: Path, share: float) -> Finding:
    """A file beside that has the name of the other half and another text."""
    return Finding(
        code="R112",
        severity="info",
        message=f"{other.name}, beside {path.name}, was not used: it holds only {share:.0%} of the same text",
        place=other.name,
        hint="give the two files that the converter wrote together, or move one elsewhere",
    )


def differences(markdown: Document, layout: Document, names: tuple[str, str]) -> Iterator[Finding]:
    """Where a Markdown file and its layout file say different things: cells of tables, words and numbers of clauses."""
    tables = {table.id: table for table in layout.tables}
    for table in markdown.tables:
        other = tables.pop(table.id, None)
        if other is None:
            yield _differs(table.id, "a table", "no such table", names)
        else:
            yield from _around(table, other, names)
            yield from _cells(table, other, names)
    for table in tables.values():
        yield _differs(table.id, "no such table", "a table", names)
    clauses = {clause.id: clause for clause in layout.clauses}
    for clause in markdown.clauses:
        there = clauses.pop(clause.id, None)
        if there is None:
            yield _differs(clause.id, "a clause", "no such clause", names)
            continue
        own, its = (_WORD.findall(f"{item.title or ''} {item.text}") for item in (clause, there))
        if not _same(own, its):
            yield _differs(clause.id, *_first_difference(own, its), names)
    for missing in clauses.values():
        yield _differs(missing.id, "no such clause", "a clause", names)


def _around(one: Table, other: Table, names: tuple[str, str]) -> Iterator[Finding]:
    """What says how the cells are to be taken: caption, heads, unit."""
    said = [(table.caption or "", *(" ".join(head) for head in table.columns), table.unit_note or "") for table in (one, other)]
    for own, its in zip(*said, strict=False):
        if not _same(_WORD.findall(own), _WORD.findall(its)):
            yield _differs(one.id, own or "nothing", its or "nothing", names)


def _cells(one: Table, other: Table, names: tuple[str, str]) -> Iterator[Finding]:
    for row, (here, there) in enumerate(zip_longest(one.rows, other.rows), start=1):
        if here is None or there is None:
            yield _differs(f"{one.id} row {row}", *(("a row", "no such row") if here else ("no such row", "a row")), names)
            continue
        for index, (cell, its) in enumerate(zip_longest(here, there)):
            texts = (cell.text if cell else "no cell", its.text if its else "no cell")
            if texts[0] != texts[1]:
                column = one.column_label(index) if index < len(one.columns) else f"column {index + 1}"
                label = here[0].text if here and index else f"#{row}"
                yield _differs(f'{one.id} row {label}, "{column}"', *texts, names)


def _same(own: list[str], its: list[str]) -> bool:
    """Whether two texts have the same letters and the same numbers; blanks and hyphens of line ends do not matter."""
    numbers = [[word for word in words if any(map(str.isdigit, word))] for words in (own, its)]
    return numbers[0] == numbers[1] and "".join(own) == "".join(its)


def _first_difference(own: list[str], its: list[str]) -> tuple[str, str]:
    """The words around the first place at which two texts part."""
    at = next((index for index, (one, other) in enumerate(zip(own, its, strict=False)) if one != other), min(len(own), len(its)))
    start = max(0, at - 2)
    return " ".join(own[start : at + 4]), " ".join(its[start : at + 4])


def _differs(place: str, own: str, its: str, names: tuple[str, str]) -> Finding:
    return Finding(
        code="R113",
        severity="warning",
        message=f"{place}: {names[0]} says {own!r}, {names[1]} says {its!r}; the Markdown was taken",
        place=place,
        hint="compare with the official PDF; a correction of a converter's mistake is all right, a slip is not",
    )
