"""Tables of the Government Publishing Office's XML (GPOTABLE) to a grid: levels of the box head, straddles, stub rows.

`CHED H="2"` stands under the `H="1"` before it. `ENT A="L02"` goes over two more columns, `I="21"` and `I="28"` over all of them,
`EXPSTB` widens the first column; `I="22"` is a stub left blank, which means the one above.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Any

from regc.readers.assemble.blocks import GridCell
from regc.readers.cfr.text import Text, text_of

#: A heading in the middle of a table, over all columns.
_ACROSS = frozenset({"21", "28"})
#: No table of a regulation is wider; a damaged attribute must not fill the memory.
_WIDEST = 100


def grid_of(table: Any, notes: Container[str]) -> tuple[tuple[GridCell, ...], ...]:
    """The rows of a table, header rows first and all of one width."""
    head = [(_count(cell.get("H"), 1), text_of(cell, notes)) for cell in table.iter("CHED")]
    body: list[list[GridCell]] = []
    stub = 1
    width = max(_count(table.get("COLS"), 0), _columns(head))
    for row in table.iter("ROW"):
        stub = _count(row.get("EXPSTB"), stub - 1) + 1
        cells = []
        for position, entry in enumerate(row.iter("ENT")):
            across = width if entry.get("I") in _ACROSS and len(row) == 1 else _straddle(entry) + (stub - 1 if position == 0 else 0)
            read = text_of(entry, notes)
            cells.append(GridCell(read.text, colspan=min(max(across, 1), _WIDEST), marks=read.marks))
        body.append(cells)
    width = max([width, *(sum(cell.colspan for cell in row) for row in body)])
    filled = (tuple(row) + (GridCell(""),) * (width - sum(cell.colspan for cell in row)) for row in body)
    return (*_head_rows(head), *filled)


def _count(value: str | None, otherwise: int) -> int:
    """A number in an attribute ("02", "L02", "R2"), or what holds without it."""
    found = re.search(r"\d{1,2}", value or "")
    return int(found[0]) if found else otherwise


def _straddle(entry: Any) -> int:
    return 1 + _count(entry.get("A"), 0)


def _columns(head: Sequence[tuple[int, Text]]) -> int:
    """How many columns a box head has: a header with a deeper one right behind it is none of its own."""
    return sum(not _has_deeper(head, index) for index in range(len(head)))


def _has_deeper(head: Sequence[tuple[int, Text]], index: int) -> bool:
    return index + 1 < len(head) and head[index + 1][0] > head[index][0]


def _head_rows(head: Sequence[tuple[int, Text]]) -> list[tuple[GridCell, ...]]:
    """Header cells by level; one without deeper ones reaches down to the body."""
    depth = max((level for level, _ in head), default=0)
    rows: list[list[GridCell]] = [[] for _ in range(depth)]
    for index, (level, read) in enumerate(head):
        end = next((later for later in range(index + 1, len(head)) if head[later][0] <= level), len(head))
        columns = _columns(head[index:end])
        below = head[index + 1][0] if _has_deeper(head, index) else depth + 1
        rows[level - 1].append(GridCell(read.text, rowspan=below - level, colspan=columns, header=True, marks=read.marks))
    return [tuple(row) for row in rows]
