"""Ruled tables of a PDF page: rulings that touch make a grid, missing rulings between cells make spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from regc.model.source import Bbox
from regc.readers.assemble.header_grids import is_number
from regc.readers.pdf.lines import PrintedLine, lines
from regc.readers.pdf.page import Page, PageWord, Ruling

#: Rulings closer than this (points) touch; a table's double and thick lines are a few points apart.
_TOUCH = 3.0
#: Fewer filled cells than this, a smaller share of them, or as many curves as cells, is a drawing and no table.
_MIN_FILLED = 3
_MIN_SHARE = 0.25


@dataclass(frozen=True)
class RawCell:
    """A cell of the grid with its spans and the words that stand in it; `turned` is what runs upwards or downwards in it."""

    row: int
    column: int
    rowspan: int
    colspan: int
    bbox: Bbox
    words: tuple[PageWord, ...]
    turned: str = ""


@dataclass(frozen=True)
class RawTable:
    """A grid as drawn on one page: cells in reading order, the x of its vertical rulings, its box. `open`: it has horizontal rulings
    alone, `columns` are the middles between what stands in line."""

    page: int
    columns: tuple[float, ...]
    row_count: int
    cells: tuple[RawCell, ...]
    bbox: Bbox
    open: bool = False


def tables(page: Page) -> tuple[RawTable, ...]:
    """Every ruled grid of a page from top to bottom. One with a single row is a table only where it goes on from or on the page
    beside (`RawTable.row_count` is 1)."""
    if len(page.rules) < 4:
        return ()
    lines = _merged(page.rules)
    found = []
    for group in _touching(lines):
        table = _table(page, group)
        if table:
            found.append(table)
    return tuple(sorted(found, key=lambda table: (table.bbox[1], table.bbox[0])))


def horizontal_rules(rules: Iterable[Ruling]) -> list[Ruling]:
    """The horizontal rulings, pieces that touch as one."""
    return [rule for rule in _merged(rules) if rule.horizontal]


def _merged(rules: Iterable[Ruling]) -> list[Ruling]:
    """Collinear pieces that touch, as one line each."""
    merged: list[Ruling] = []
    for horizontal in (True, False):
        pieces = [_along(rule) for rule in rules if rule.horizontal == horizontal]
        pieces.sort(key=lambda piece: (round(piece[2], 1), piece[0]))
        open_lines: list[list[float]] = []
        for start, end, at in pieces:
            line = next((line for line in reversed(open_lines[-40:]) if _continues(line, start, end, at)), None)
            if line is None:
                open_lines.append([start, end, at])
            else:
                line[0], line[1] = min(line[0], start), max(line[1], end)
        for start, end, at in open_lines:
            merged.append(Ruling(start, at, end, at, True) if horizontal else Ruling(at, start, at, end, False))
    return merged


def _continues(line: Sequence[float], start: float, end: float, at: float) -> bool:
    return abs(at - line[2]) <= 1.0 and start <= line[1] + _TOUCH and end >= line[0] - _TOUCH


def _along(rule: Ruling) -> tuple[float, float, float]:
    """(start, end, position across) of a ruling."""
    if rule.horizontal:
        return rule.x0, rule.x1, (rule.top + rule.bottom) / 2
    return rule.top, rule.bottom, (rule.x0 + rule.x1) / 2


def _touching(lines: Sequence[Ruling]) -> list[list[Ruling]]:
    parent = list(range(len(lines)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    order = sorted(range(len(lines)), key=lambda index: lines[index].top)
    active: list[int] = []
    for index in order:
        line = lines[index]
        active = [other for other in active if lines[other].bottom >= line.top - _TOUCH]
        for other in active:
            if lines[other].x1 >= line.x0 - _TOUCH and lines[other].x0 <= line.x1 + _TOUCH:
                parent[root(other)] = root(index)
        active.append(index)
    groups: dict[int, list[Ruling]] = {}
    for index, line in enumerate(lines):
        groups.setdefault(root(index), []).append(line)
    return [group for group in groups.values() if len(group) >= 4]


def _positions(values: Iterable[float]) -> list[float]:
    """Sorted positions; those of one double or thick line become one."""
    clusters: list[list[float]] = []
    for value in sorted(values):
        if clusters and value - clusters[-1][0] <= _TOUCH:
            clusters[-1].append(value)
        else:
            clusters.append([value])
    return [sum(cluster) / len(cluster) for cluster in clusters]


def _table(page: Page, group: Sequence[Ruling]) -> RawTable | None:
    across = [line for line in group if line.horizontal and line.x1 - line.x0 > _TOUCH]
    down = [line for line in group if not line.horizontal and line.bottom - line.top > _TOUCH]
    if len(across) < 2 or len(down) < 1:
        return None
    xs = _positions([line.x0 for line in down] + [min(line.x0 for line in across), max(line.x1 for line in across)])
    ys = _positions([line.top for line in across] + [min(line.top for line in down), max(line.bottom for line in down)])
    if len(xs) < 3 or len(ys) < 2:
        return None
    cells = _cells(xs, ys, across, down, _inside(page.words, (xs[0], ys[0], xs[-1], ys[-1])))
    filled = sum(1 for cell in cells if cell.words)
    cells = tuple(replace(cell, turned=_joined(_inside(page.turned, cell.bbox))) for cell in cells)
    box = (xs[0], ys[0], xs[-1], ys[-1])
    drawn = sum(1 for drawing in page.drawings if _within(drawing, box))
    if filled < min(_MIN_FILLED, len(xs) - 1) or filled < _MIN_SHARE * len(cells) or drawn >= len(cells):
        return None
    return RawTable(page.number, tuple(xs), len(ys) - 1, cells, box)


def _joined(words: Sequence[PageWord]) -> str:
    return "".join(f" {word.text}" if word.space else word.text for word in words).strip()


def _within(inner: Bbox, outer: Bbox) -> bool:
    near = _TOUCH
    return inner[0] >= outer[0] - near and inner[1] >= outer[1] - near and inner[2] <= outer[2] + near and inner[3] <= outer[3] + near


def _inside(words: Iterable[PageWord], box: Bbox) -> list[PageWord]:
    return [word for word in words if contains(box, word)]


def contains(box: Bbox, word: PageWord) -> bool:
    """True when the middle of a word lies in a box."""
    return box[0] <= (word.x0 + word.x1) / 2 <= box[2] and box[1] <= (word.top + word.bottom) / 2 <= box[3]


def _cells(
    xs: Sequence[float], ys: Sequence[float], across: Sequence[Ruling], down: Sequence[Ruling], words: Sequence[PageWord]
) -> tuple[RawCell, ...]:
    rows, columns = len(ys) - 1, len(xs) - 1
    owner = {(row, column): (row, column) for row in range(rows) for column in range(columns)}

    def root(cell: tuple[int, int]) -> tuple[int, int]:
        while owner[cell] != cell:
            cell = owner[cell]
        return cell

    for row in range(rows):
        for column in range(columns):
            middle_x, middle_y = (xs[column] + xs[column + 1]) / 2, (ys[row] + ys[row + 1]) / 2
            if column + 1 < columns and not _covered(down, xs[column + 1], middle_y):
                owner[root((row, column + 1))] = root((row, column))
            if row + 1 < rows and not _covered(across, ys[row + 1], middle_x):
                owner[root((row + 1, column))] = root((row, column))
    areas: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for cell in owner:
        areas.setdefault(root(cell), []).append(cell)
    found = []
    for area in areas.values():
        top, left = min(cell[0] for cell in area), min(cell[1] for cell in area)
        bottom, right = max(cell[0] for cell in area), max(cell[1] for cell in area)
        if len(area) == (bottom - top + 1) * (right - left + 1):
            boxes = [(top, left, bottom, right)]
        else:  # not a rectangle: no span can be told, each cell stays its own
            boxes = [(row, column, row, column) for row, column in area]
        for top, left, bottom, right in boxes:
            box = (xs[left], ys[top], xs[right + 1], ys[bottom + 1])
            found.append(RawCell(top, left, bottom - top + 1, right - left + 1, box, tuple(_inside(words, box))))
    return tuple(sorted(found, key=lambda cell: (cell.row, cell.column)))


def _covered(lines: Sequence[Ruling], at: float, middle: float) -> bool:
    """True when a ruling at position `at` passes the point `middle` along it."""
    for line in lines:
        start, end, across = _along(line)
        if abs(across - at) <= _TOUCH and start - 0.5 <= middle <= end + 0.5:
            return True
    return False


# ---- beyond the rulings: the head that its type tells, rows that lines tell, parts on two pages with unlike columns.


#: Lines of two cells whose baselines differ by less than this (points) stand in one row.
_SAME_ROW = 2.0
#: The type of a head is smaller than that of the body by at least this (points), that of a form's than the running text by the second.
_SMALLER, _SMALLER_THAN_TEXT = 0.5, 1.0
#: What counts the rows of a table in its first column: "3", "2-6", "11 to 13".
_COUNTED = re.compile(r"^(\d{1,3})(?:\s*(?:[-\u2010-\u2015]|to)\s*(\d{1,3}))?$")
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


def head_rows(table: RawTable, text_size: float) -> int | None:
    """How many of its first rows are a table's head, where their type is smaller than the body's; a form's, where no word stands below.

    None where all rows are set alike. No cell stands in the head and in the body.
    """
    sizes = [_type_size(table, row) for row in range(table.row_count)]
    printed = [size for size in sizes if size is not None]
    if not printed:
        return None
    small = max(printed) - _SMALLER
    head = next((row for row, size in enumerate(sizes) if size is None or size > small), len(sizes))
    if head == 0:
        if len(printed) == len(sizes) or any(sizes[len(printed) :]) or max(printed) > text_size - _SMALLER_THAN_TEXT:
            return None
        head = len(printed)
    return min([head, *(cell.row for cell in table.cells if cell.row < head < cell.row + cell.rowspan)])


def _type_size(table: RawTable, row: int) -> float | None:
    sizes = [word.size for cell in table.cells if cell.row == row for word in cell.words]
    return median(sizes) if sizes else None


def split_rows(table: RawTable) -> tuple[RawTable, int]:
    """A row whose cells hold several lines side by side is as many rows, where rulings stand only between groups or below the head.

    Also how many rulings' rows were split. Only where each line is a figure, an empty cell or a mere unit of lines aside, or where the
    first column counts the rows.
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
    """The lines of each cell of a row, when they stand side by side and are figures, or the first counts them; None for any other."""
    groups = [lines(cell.words, page) for cell in cells]
    filled = [group for group in groups if group]
    if not filled or len(filled[0]) < 2 or any(len(group) != len(filled[0]) for group in filled):
        return None
    sides = list(zip(*filled, strict=True))
    if any(max(line.base for line in side) - min(line.base for line in side) > _SAME_ROW for side in sides):
        return None
    figures = all(is_number(line.text) for side in sides for line in side)
    return groups if figures or (filled[0] is groups[0] and _count_up([line.text for line in groups[0]])) else None


def _count_up(texts: Sequence[str]) -> bool:
    """Whether texts count rows without a gap: "1", "2-6", "7"."""
    last = 0
    for text in texts:
        found = _COUNTED.match(text.strip())
        if not found or int(found[1]) != last + 1:
            return False
        last = int(found[2] or found[1])
    return True
