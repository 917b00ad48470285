"""Ruled tables of a PDF page: rulings that touch make a grid, missing rulings between cells make spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from regc.model.source import Bbox
from regc.readers.assemble.header_grids import is_value
from regc.readers.pdf.lines import PrintedLine, joined, lines
from regc.readers.pdf.page import Page, PageWord, Ruling

#: Rulings closer than this (points) touch; a table's double and thick lines are a few points apart.
_TOUCH = 3.0
#: Fewer filled cells than this, a smaller share of them, or as many curves as cells that are not mostly filled, is a drawing.
_MIN_FILLED = 3
_MIN_SHARE, _MOST = 0.25, 0.75


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
    rules = page.rules
    boxes = {rule.box for rule in rules if rule.box is not None}
    if boxes:
        frames = [_grid(group) for group in _touching(_merged([rule for rule in rules if rule.box is None]))]
        cells = [(frame[0][0], frame[1][0], frame[0][-1], frame[1][-1]) for frame in frames if frame and len(frame[1]) > 2]
        drawn = {box for box in boxes if any(_within(box, cell) for cell in cells) and not any(contains(box, w) for w in page.words)}
        rules = tuple(rule for rule in rules if rule.box not in drawn)
    found = (_table(page, group) for group in _touching(_merged(rules)))
    return tuple(sorted((table for table in found if table), key=lambda table: (table.bbox[1], table.bbox[0])))


def horizontal_rules(rules: Sequence[Ruling]) -> list[Ruling]:
    """The horizontal rulings, pieces that touch as one."""
    return [rule for rule in _merged(rules) if rule.horizontal]


def _merged(rules: Sequence[Ruling]) -> list[Ruling]:
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


def _grid(group: Sequence[Ruling]) -> tuple[list[float], list[float], list[Ruling], list[Ruling]] | None:
    """The x and y of touching rulings, and the horizontal and vertical ones; None where they make no grid."""
    across = [line for line in group if line.horizontal and line.x1 - line.x0 > _TOUCH]
    down = [line for line in group if not line.horizontal and line.bottom - line.top > _TOUCH]
    if len(across) < 2 or len(down) < 1:
        return None
    xs = _positions([line.x0 for line in down] + [min(line.x0 for line in across), max(line.x1 for line in across)])
    ys = _positions([line.top for line in across] + [min(line.top for line in down), max(line.bottom for line in down)])
    if (len(xs) < 3 and not _is_list(xs, ys, across, down)) or len(ys) < 2:
        return None
    return xs, ys, across, down


def _table(page: Page, group: Sequence[Ruling]) -> RawTable | None:
    grid = _grid(group)
    if grid is None:
        return None
    xs, ys, across, down = grid
    box = (xs[0], ys[0], xs[-1], ys[-1])
    words = _inside(page.words, box)
    cells = _cells(xs, ys, across, down, words)
    if told := _unruled_columns(cells, xs, ys, page.number):
        xs, down = sorted([*xs, *{rule.x0 for rule in told}]), [*down, *told]
        cells = _cells(xs, ys, across, down, words)
    cells = tuple(replace(part, turned=_joined(_inside(page.turned, part.bbox))) for cell in cells for part in _parted(cell, xs, page))
    filled = sum(1 for cell in cells if cell.words)
    drawn = sum(1 for drawing in page.drawings if _within(drawing, box))
    few = filled < min(_MIN_FILLED, len(xs) - 1) or filled < _MIN_SHARE * len(cells)
    if few or (drawn >= len(cells) and sum(1 for cell in cells if cell.words or cell.turned) < _MOST * len(cells)):
        return None
    return RawTable(page.number, tuple(xs), len(ys) - 1, cells, box)


def _is_list(xs: Sequence[float], ys: Sequence[float], across: Sequence[Ruling], down: Sequence[Ruling]) -> bool:
    """Whether rulings make a table of one column: rows that go from one side to the other, and no mere frame round a text."""
    if len(xs) < 2 or len(ys) <= _MIN_ENTRIES:
        return False
    sides = all(any(_covered(down, x, (top + bottom) / 2) for x in xs) for top, bottom in pairwise(ys))
    whole = all(abs(line.x0 - xs[0]) <= _TOUCH and abs(line.x1 - xs[-1]) <= _TOUCH for line in across)
    return sides and whole


def _unruled_columns(cells: Sequence[RawCell], xs: Sequence[float], ys: Sequence[float], page: int) -> list[Ruling]:
    """Rulings that are missing between columns of figures in one ruled column, where nothing crosses them: two lines or more hold as
    many values side by side, or three lines a name and values."""
    made: list[Ruling] = []
    for column in range(len(xs) - 1):
        own = [cell for cell in cells if cell.column == column and cell.colspan == 1 and cell.words]
        printed = {id(cell): lines(cell.words, page) for cell in own}
        body = [cell for cell in own if any(_are_values(line) for line in printed[id(cell)])]
        values = [line for cell in body for line in printed[id(cell)]]
        spans = columns_of(values)
        whole = [line for line in values if _are_values(line) and len(line.groups) == len(spans)]
        if len(spans) < 2 or len(whole) < (2 if any(is_value(joined(line.groups[0])) for line in whole) else _MIN_ENTRIES):
            continue
        with_head = columns_of([line for cell in own for line in printed[id(cell)]])
        spans = with_head if len(with_head) == len(spans) else spans
        for x in ((left[1] + right[0]) / 2 for left, right in pairwise(spans)):
            for cell in own:
                if not any(group[0].x0 < x < group[-1].x1 for line in printed[id(cell)] for group in line.groups):
                    made.append(Ruling(x, ys[cell.row], x, ys[cell.row + cell.rowspan], horizontal=False))
    return made


def _are_values(line: PrintedLine) -> bool:
    return len(line.groups) > 1 and all(is_value(joined(group)) for group in line.groups[1:])


def columns_of(printed: Sequence[PrintedLine]) -> list[tuple[float, float]]:
    """The columns of lines: stretches of x over which some words stand."""
    spans: list[tuple[float, float]] = []
    for x0, x1 in sorted((group[0].x0, group[-1].x1) for line in printed for group in line.groups):
        if spans and x0 <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], x1))
        else:
            spans.append((x0, x1))
    return spans


def _parted(cell: RawCell, xs: Sequence[float], page: Page) -> list[RawCell]:
    """A cell over columns that rulings part elsewhere as one cell a column, where its words stand apart in two of them or more and
    none crosses a border; never a drawing's words."""
    whole = [cell]
    if cell.colspan == 1 or any(_within(drawing, cell.bbox) for drawing in page.drawings):
        return whole
    columns = list(pairwise(xs[cell.column : cell.column + cell.colspan + 1]))
    groups = [group for line in lines(cell.words, page.number) for group in line.groups]
    groups += [(word,) for word in _inside(page.turned, cell.bbox)]
    at = [[index for index, (left, right) in enumerate(columns) if left <= g[0].x0 and g[-1].x1 <= right] for g in groups]
    if any(len(own) != 1 for own in at) or len({index for own in at for index in own}) < 2:
        return whole
    made = []
    for index, (left, right) in enumerate(columns):
        box = (left, cell.bbox[1], right, cell.bbox[3])
        words = tuple(_inside(cell.words, box))
        made.append(replace(cell, column=cell.column + index, colspan=1, bbox=box, words=words))
    return made


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
#: A place to be filled in.
_BLANK = re.compile(r"^[.\u2026_\s]{2,}$")
#: Fewer lines of a first column are no entries; a word that had room is narrower than what is left by this many font sizes.
_MIN_ENTRIES, _SPARE = 3, 1.0
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
    head = next((row for row in range(1, head) if _joins(table, row)), head)
    return min([head, *(cell.row for cell in table.cells if cell.row < head < cell.row + cell.rowspan)])


def _joins(table: RawTable, row: int) -> bool:
    """Whether a row joins columns that the row above parts, beside words in a column of their own: a head parts them further."""
    own = [cell for cell in table.cells if cell.row == row and cell.words]
    above = {cell.column for cell in table.cells if cell.row + cell.rowspan == row and cell.words}
    joins = [any(cell.column < column < cell.column + cell.colspan for column in above) for cell in own]
    return any(joins) and not all(joins)


def _type_size(table: RawTable, row: int) -> float | None:
    sizes = [word.size for cell in table.cells if cell.row == row for word in cell.words]
    return median(sizes) if sizes else None


def split_rows(table: RawTable) -> tuple[RawTable, int]:
    """A row whose cells hold several lines side by side is as many rows, where rulings stand only between groups or below the head.

    Also how many rulings' rows were split. Only where each line is a figure or a blank to be filled in (empty cells and names before
    figures aside), where the first column counts the rows, or where each line of the first column is an entry (`_entries`) in all
    ruled rows below the first.
    """
    plain: list[tuple[list[RawCell], list[_Row] | None, list[_Row] | None]] = []
    for row in range(table.row_count):
        own = [cell for cell in table.cells if cell.row == row]
        whole = any(cell.row < row < cell.row + cell.rowspan for cell in table.cells) or any(cell.rowspan > 1 for cell in own)
        columns = [lines(cell.words, table.page) for cell in own]
        plain.append((own, None, None) if whole else (own, _side_by_side(columns), _entries(own, columns)))
    grouped = all(figures or entries for _, figures, entries in plain[1:])
    cells: list[RawCell] = []
    offset = split = 0
    for row, (own, figures, entries) in enumerate(plain):
        rows = figures or (entries if grouped and row else None)
        if rows is None:
            cells.extend(replace(cell, row=cell.row + offset) for cell in own)
            continue
        split += 1
        for step, printed in enumerate(rows):
            for cell, part in zip(own, printed, strict=True):
                words = tuple(word for line in part for word in line.words)
                box = (cell.bbox[0], part[0].bbox[1], cell.bbox[2], part[-1].bbox[3]) if part else cell.bbox
                cells.append(replace(cell, row=row + offset + step, bbox=box, words=words))
        offset += len(rows) - 1
    return replace(table, row_count=table.row_count + offset, cells=tuple(sorted(cells, key=lambda c: (c.row, c.column)))), split


#: The lines of a row, cell by cell.
_Row = list[list[PrintedLine]]


def _side_by_side(columns: Sequence[list[PrintedLine]]) -> list[_Row] | None:
    """One row a line, when the lines of all cells stand side by side and are figures or blanks, behind names or not, or the first cell
    counts them."""
    filled = [column for column in columns if column]
    if not filled or len(filled[0]) < 2 or any(len(column) != len(filled[0]) for column in filled):
        return None
    sides = list(zip(*filled, strict=True))
    if any(max(line.base for line in side) - min(line.base for line in side) > _SAME_ROW for side in sides):
        return None
    figures = all(is_value(line.text) or _BLANK.match(line.text) for side in sides for line in side)
    named = len(sides[0]) > 1 and all(_is_entry(side[0]) and all(is_value(line.text) for line in side[1:]) for side in sides)
    if not figures and not named and not (filled[0] is columns[0] and _count_up([line.text for line in columns[0]])):
        return None
    return [[[column[step]] if column else [] for column in columns] for step in range(len(filled[0]))]


def _entries(cells: Sequence[RawCell], columns: Sequence[list[PrintedLine]]) -> list[_Row] | None:
    """One row an entry of the first cell: each of its lines ends before the next word had to go down, and begins with no small letter.

    A line beside none of them goes on with the row above where its cell has a line just above it; else it is a row of its own.
    """
    first = columns[0] if columns else []
    if len(first) < _MIN_ENTRIES or len(cells) < 2 or not all(_is_entry(line) for line in first):
        return None
    if not all(_has_room(above, below, cells[0].bbox[2]) for above, below in pairwise(first)):
        return None
    levels: list[list[list[PrintedLine]]] = []
    bases: list[float] = []
    for base, index, line in sorted((line.base, index, line) for index, column in enumerate(columns) for line in column):
        if not bases or base - bases[-1] > _SAME_ROW:
            levels.append([[] for _ in columns])
            bases.append(base)
        levels[-1][index].append(line)
    if 2 * sum(bool(level[0]) and any(level[1:]) for level in levels) <= len(first):
        return None
    rows: list[_Row] = []
    above: list[list[PrintedLine]] | None = None
    for level in levels:
        if above is None or level[0] or any(printed and not above[index] for index, printed in enumerate(level)):
            rows.append(level)
        else:
            rows[-1] = [[*held, *printed] for held, printed in zip(rows[-1], level, strict=True)]
        above = level
    return rows


def _is_entry(line: PrintedLine) -> bool:
    return not line.text[:1].islower() and not _BLANK.match(line.text)


def _has_room(above: PrintedLine, below: PrintedLine, right: float) -> bool:
    """Whether the first word of the line below had room behind the line above, with an em to spare."""
    word = below.words[0]
    return above.bbox[2] + _SPARE * above.size + (word.x1 - word.x0) < right


def _count_up(texts: Sequence[str]) -> bool:
    """Whether texts count rows without a gap: "1", "2-6", "7"."""
    last = 0
    for text in texts:
        found = _COUNTED.match(text.strip())
        if not found or int(found[1]) != last + 1:
            return False
        last = int(found[2] or found[1])
    return True
