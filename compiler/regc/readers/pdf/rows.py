"""Rows and columns of a ruled table beyond its rulings: rows that lines of figures tell, parts on two pages with unlike columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from regc.readers.assemble.tables import is_number
from regc.readers.pdf.lines import PrintedLine, lines
from regc.readers.pdf.tables import RawCell, RawTable

#: Lines of two cells whose baselines differ by less than this (points) stand in one row.
_SAME_ROW = 2.0
#: Columns of two parts are the same when their rulings are not farther apart than this (points).
_SAME_COLUMN = 4.0


def fits(one: RawTable, other: RawTable) -> bool:
    """Whether two grids have the same outer edges and the columns of one are those of the other, some of them parted."""
    few, many = sorted((one.columns, other.columns), key=len)
    if len(few) < 3 or abs(few[0] - many[0]) > _SAME_COLUMN or abs(few[-1] - many[-1]) > _SAME_COLUMN:
        return False
    return all(_index(many, x) is not None for x in few)


def _index(columns: Sequence[float], x: float) -> int | None:
    near = [index for index, column in enumerate(columns) if abs(column - x) <= _SAME_COLUMN]
    return min(near, key=lambda index: abs(columns[index] - x)) if near else None


def on_one_grid(parts: Sequence[RawTable]) -> list[RawTable]:
    """The parts of a table that a page break cuts, all with the columns of the one that has most: wider cells span."""
    columns = max((part.columns for part in parts), key=len)
    made = []
    for part in parts:
        places = [_index(columns, x) for x in part.columns]
        if len(part.columns) == len(columns) or None in places:
            made.append(part)
            continue
        at = [place for place in places if place is not None]
        cells = tuple(replace(c, column=at[c.column], colspan=at[c.column + c.colspan] - at[c.column]) for c in part.cells)
        made.append(replace(part, columns=columns, cells=cells))
    return made


def split_rows(table: RawTable) -> tuple[RawTable, int]:
    """A row whose cells hold several lines of figures side by side is as many rows, where rulings stand only between groups.

    Also how many rulings' rows were split. Only where each line is a figure, an empty cell or a mere unit of lines aside.
    """
    cells: list[RawCell] = []
    offset = split = 0
    for row in range(table.row_count):
        own = [cell for cell in table.cells if cell.row == row]
        covered = any(cell.row < row < cell.row + cell.rowspan for cell in table.cells)
        groups = None if covered or any(cell.rowspan > 1 for cell in own) else _groups(own, table.page)
        if groups is None:
            cells.extend(replace(cell, row=cell.row + offset) for cell in own)
            continue
        split += 1
        count = max(len(group) for group in groups)
        for cell, group in zip(own, groups, strict=True):
            for step in range(count):
                line = group[step] if group else None
                box = (cell.bbox[0], line.bbox[1], cell.bbox[2], line.bbox[3]) if line else cell.bbox
                cells.append(replace(cell, row=row + offset + step, bbox=box, words=line.words if line else ()))
        offset += count - 1
    return replace(table, row_count=table.row_count + offset, cells=tuple(sorted(cells, key=lambda c: (c.row, c.column)))), split


def _groups(cells: Sequence[RawCell], page: int) -> list[list[PrintedLine]] | None:
    """The lines of each cell of a row, when they stand side by side and are figures; None for any other row."""
    groups = [lines(cell.words, page) for cell in cells]
    filled = [group for group in groups if group]
    if not filled or len(filled[0]) < 2 or any(len(group) != len(filled[0]) for group in filled):
        return None
    for side in zip(*filled, strict=True):
        if max(line.base for line in side) - min(line.base for line in side) > _SAME_ROW:
            return None
        if not all(is_number(line.text) for line in side):
            return None
    return groups
