"""Rows of a table that a page's end cuts, and the head that the next page prints again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from regc.readers.assemble.blocks import GridCell
from regc.readers.assemble.header_grids import is_number


def without_repeated_head(grid: Sequence[tuple[GridCell, ...]], rows: list[tuple[GridCell, ...]]) -> list[tuple[GridCell, ...]]:
    """Rows of a table's next page without the heading rows that are printed there again."""
    same = 0
    while same < min(len(grid), len(rows)) and [cell.text for cell in grid[same]] == [cell.text for cell in rows[same]]:
        same += 1
    texts = [cell.text for row in rows[:same] for cell in row]
    return rows[same:] if any(re.search(r"[A-Za-z]{3}", text) for text in texts) else rows


def with_cut_row(
    grid: Sequence[tuple[GridCell, ...]], rows: Sequence[tuple[GridCell, ...]]
) -> tuple[list[tuple[GridCell, ...]], list[tuple[GridCell, ...]], int]:
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
    return len(above) == len(below) > len(words) > 0 and all(
        upper and upper[-1] not in ".;:" and re.match(r"[^\W\d_]{2}", lower) and lower[0].islower() for upper, lower in words
    )


def _is_rest(grid: Sequence[tuple[GridCell, ...]], rows: Sequence[tuple[GridCell, ...]]) -> bool:
    """Whether the first row of the next page holds the last lines of the row above: it has no first cell, which no other row of the
    table lacks, and words (no figure of its own) only below words, not in each of the other cells."""
    above, below = grid[-1], rows[0]
    others = (*grid[1:], *rows[1:])
    if below[0].text or any(len(row) != len(below) or not row[0].text for row in others):
        return False
    words = [(upper.text, lower.text) for upper, lower in zip(above, below, strict=True) if lower.text]
    return 0 < len(words) < len(below) - 1 and all(upper and not is_number(upper) and not is_number(lower) for upper, lower in words)
