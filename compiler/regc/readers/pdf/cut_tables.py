"""Rows and groups of rows that a page's end cuts, and the head that the next page prints again."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from regc.readers.assemble.blocks import GridCell
from regc.readers.assemble.header_grids import is_number
from regc.readers.pdf.ruled_tables import RawTable

_Rows = list[tuple[GridCell, ...]]


def whole_grid(pieces: Sequence[tuple[RawTable, _Rows]]) -> tuple[tuple[tuple[GridCell, ...], ...], int]:
    """The rows of a table's parts (each with its own, on the same columns) as one grid, and how many rows and groups were cut."""
    columns = _group_columns([table for table, _ in pieces])
    grid: _Rows = []
    held: dict[int, _Held] = {}
    cut = 0
    for index, (table, printed) in enumerate(pieces):
        rows = printed
        if index:
            rows = _without_repeated_head(grid, printed)
            grid, own, whole = _with_cut_row(grid, rows)
            if not whole:
                grid, own, whole = _with_groups(grid, rows, table, len(printed) - len(rows), held)
            rows = own
            cut += whole
        gone = len(printed) - len(rows)
        held = _groups_at_end(table, [*printed[:gone], *rows], columns, gone, len(grid))
        grid.extend(rows)
    return tuple(grid), cut


def _without_repeated_head(grid: Sequence[tuple[GridCell, ...]], rows: _Rows) -> _Rows:
    """Rows of a table's next page without the heading rows that are printed there again."""
    same = 0
    while same < min(len(grid), len(rows)) and [cell.text for cell in grid[same]] == [cell.text for cell in rows[same]]:
        same += 1
    texts = [cell.text for row in rows[:same] for cell in row]
    return rows[same:] if any(re.search(r"[A-Za-z]{3}", text) for text in texts) else rows


def _with_cut_row(grid: Sequence[tuple[GridCell, ...]], rows: Sequence[tuple[GridCell, ...]]) -> tuple[_Rows, _Rows, int]:
    """Both parts of a table, with the row that the page's end cut made whole in the upper one, and how many it cut (0 or 1)."""
    if not grid or not rows or not (_is_cut(grid[-1], rows[0]) or _is_rest(grid, rows)):
        return [*grid], [*rows], 0
    whole = (
        replace(upper, text=f"{upper.text} {lower.text}".strip(), marks=(*upper.marks, *lower.marks))
        for upper, lower in zip(grid[-1], rows[0], strict=True)
    )
    return [*grid[:-1], tuple(whole)], [*rows[1:]], 1


def _is_cut(above: Sequence[GridCell], below: Sequence[GridCell]) -> bool:
    """Whether a row goes on in the first one of the next page: it holds words that begin small, behind words that end no sentence, and
    leaves other cells empty."""
    words = [(upper.text, lower.text) for upper, lower in zip(above, below, strict=False) if lower.text]
    return len(above) == len(below) > len(words) > 0 and all(_goes_on(upper, lower) for upper, lower in words)


def _goes_on(upper: str, lower: str) -> bool:
    return bool(upper) and upper[-1] not in ".;:" and bool(re.match(r"[^\W\d_]{2}", lower)) and lower[0].islower()


def _is_rest(grid: Sequence[tuple[GridCell, ...]], rows: Sequence[tuple[GridCell, ...]]) -> bool:
    """Whether the first row of the next page holds the last lines of the row above: it has no first cell, which no other row of the
    table lacks, and words (no figure of its own) only below words, not in each of the other cells."""
    above, below = grid[-1], rows[0]
    others = (*grid[1:], *rows[1:])
    if below[0].text or any(len(row) != len(below) or not row[0].text for row in others):
        return False
    words = [(upper.text, lower.text) for upper, lower in zip(above, below, strict=True) if lower.text]
    return 0 < len(words) < len(below) - 1 and all(upper and not is_number(upper) and not is_number(lower) for upper, lower in words)


class _Held(NamedTuple):
    """A cell beside several rows: its row in the whole grid, its place in that row, its text."""

    row: int
    place: int
    text: str


def _group_columns(parts: Sequence[RawTable]) -> set[int]:
    """The columns in which a cell below the first row stands beside several rows."""
    return {cell.column for part in parts for cell in part.cells if cell.row and cell.rowspan > 1 and cell.words}


def _groups_at_end(
    table: RawTable, rows: Sequence[Sequence[GridCell]], columns: Collection[int], gone: int, length: int
) -> dict[int, _Held]:
    """The cells of such columns that reach a page's end, by column. `rows` are the table's, the first `gone` of them in no grid; the
    others begin at its `length`."""
    start = length - gone
    held: dict[int, _Held] = {}
    for cell in table.cells:
        body = cell.row >= gone and start + cell.row > 0  # no head
        if body and cell.column in columns and cell.colspan == 1 and cell.row + cell.rowspan == table.row_count:
            place = sum(other.row == cell.row and other.column < cell.column for other in table.cells)
            held[cell.column] = _Held(start + cell.row, place, rows[cell.row][place].text)
    return held


def _with_groups(
    grid: Sequence[tuple[GridCell, ...]],
    rows: Sequence[tuple[GridCell, ...]],
    table: RawTable,
    gone: int,
    held: Mapping[int, _Held],
) -> tuple[_Rows, _Rows, int]:
    """Both parts of a table, where the first row of the next page (`gone` rows of which were a head) goes on with the groups that reach
    the end of the page before: its cell says nothing, or the rest of the group's words. Also whether it does (0 or 1)."""
    if not rows:
        return [*grid], [], 0
    whole, first = [*grid], [*rows[0]]
    columns = [cell.column for cell in table.cells if cell.row == gone]
    for place, column in enumerate(columns):
        above, below = held.get(column), first[place]
        if above is None or not above.text or (below.text and not _goes_on(above.text, below.text)):
            continue
        text = f"{above.text} {below.text}".strip()
        first[place] = replace(below, text=text)
        if below.text:
            row = [*whole[above.row]]
            row[above.place] = replace(row[above.place], text=text)
            whole[above.row] = tuple(row)
    return whole, [tuple(first), *rows[1:]], int(tuple(first) != rows[0])
