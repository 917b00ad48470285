"""Tables whose columns no ruling parts: cells that stand one below the other, with the headers above them.

Alignment proves less than a ruling does, so each table without any ruling says how many of its cells stand in line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from regc.model.source import Bbox
from regc.readers.assemble.header_grids import is_value
from regc.readers.assemble.notes import split_marks
from regc.readers.pdf.lines import PrintedLine, box_of, joined, lines
from regc.readers.pdf.page import Page, PageWord, Ruling
from regc.readers.pdf.ruled_tables import RawCell, RawTable, columns_of, contains, horizontal_rules

#: Rows are not farther apart than this many font sizes, header lines not farther from the first row.
_PITCH = 2.6
#: Cells whose left edge, middle or right edge differs by no more than this (points) stand in line.
_IN_LINE = 3.0
_FIRST_HEADER = 3.6
#: A header farther from the middle of a column (points) may stand over several.
_OFF_CENTRE = 12.0
_MIN_ROWS = 3
#: Two columns are a number and its text.
_MIN_COLUMNS = 3
#: How a paragraph begins, which is no header.
_PARAGRAPH = re.compile(r"^\d{1,2}(?:\.\d{1,3})*\.\s|^\d{1,2}(?:\.\d{1,3})+\s")
_MAX_HEADER_LINES = 10


@dataclass(frozen=True)
class Aligned:
    """A table as found, the lines that it took, what stands behind its last row on the same line ("All values in km/h"), and how many
    of its cells stand in line with their column."""

    table: RawTable
    lines: tuple[PrintedLine, ...]
    rest: PrintedLine | None
    in_line: int
    cells: int


@dataclass
class _Columns:
    """Columns as intervals of x that grow with each row."""

    spans: list[list[float]]
    rows: list[tuple[PrintedLine, dict[int, tuple[PageWord, ...]]]] = field(default_factory=list)
    rest: PrintedLine | None = None

    @property
    def centres(self) -> list[float]:
        """The middle of each column."""
        return [(x0 + x1) / 2 for x0, x1 in self.spans]

    def place(self, segments: Sequence[tuple[PageWord, ...]]) -> dict[int, tuple[PageWord, ...]] | None:
        """The column of each segment; None when one meets no column, two of them, or one that is taken."""
        placed: dict[int, tuple[PageWord, ...]] = {}
        for segment in segments:
            met = [index for index, (x0, x1) in enumerate(self.spans) if segment[0].x0 < x1 and x0 < segment[-1].x1]
            if len(met) != 1 or met[0] in placed:
                return None
            placed[met[0]] = segment
        return placed

    def add(self, line: PrintedLine, placed: dict[int, tuple[PageWord, ...]]) -> None:
        self.rows.append((line, placed))
        for index, segment in placed.items():
            self.spans[index] = [min(self.spans[index][0], segment[0].x0), max(self.spans[index][1], segment[-1].x1)]


def aligned_tables(body: Sequence[PrintedLine], page: int) -> list[Aligned]:
    """The tables without rulings among the lines of a page, from top to bottom."""
    found: list[Aligned] = []
    index, free_from = 0, 0
    while index < len(body):
        columns, end = _rows_from(body, index)
        if columns is None:
            columns, end = _whole_rows_from(body, index)
            if columns is not None:
                found.append(_table(columns, (), page))
                free_from = end
            index = max(end, index + 1)
            continue
        header = _header(body, free_from, index, columns)
        # nothing but footnotes below: the rest may stand on the next page
        cut = bool(header) and all(line.size < body[end - 1].size - 0.4 for line in body[end:])
        if len(columns.rows) < _MIN_ROWS and not (header and len(columns.spans) > 2 and (cut or len(columns.rows) > 1)):
            index += 1
            continue
        found.append(_table(columns, header, page))
        index = free_from = end
    return found


def _whole_rows_from(body: Sequence[PrintedLine], start: int) -> tuple[_Columns | None, int]:
    """Rows of words from a line on, where each of the lines has a cell in each of three columns or more, and where they end."""
    columns = _Columns([[group[0].x0, group[-1].x1] for group in body[start].groups])
    end = start
    while end < len(body) and len(columns.spans) >= _MIN_COLUMNS:
        line = body[end]
        near = end == start or 0 < line.base - body[end - 1].base <= _PITCH * line.size
        placed = columns.place(line.groups) if near and " = " not in line.text and not _figures(line.groups) else None
        if placed is None or len(placed) < len(columns.spans):
            break
        columns.add(line, placed)
        end += 1
    follows = end < len(body) and _figures(body[end].groups)  # then these are its header
    return (None, start) if len(columns.rows) < _MIN_ROWS or follows else (columns, end)


def in_columns(body: Sequence[PrintedLine]) -> list[list[PrintedLine]]:
    """Lines that stand in three columns, or of a word and a value, as those of a table without rulings do; nothing tells its rows.

    A list of what signs mean ("v = speed") is none.
    """
    runs: list[list[PrintedLine]] = []
    columns: _Columns | None = None
    for above, line in zip((None, *body), body, strict=False):
        groups = [] if " = " in line.text else line.groups
        near = above is not None and 0 < line.base - above.base <= _PITCH * line.size
        placed = columns.place(groups) if columns and near else None
        if columns and placed is not None and len(placed) > 1:
            columns.add(line, placed)
            runs[-1].append(line)
            continue
        columns = None
        if _is_columned(groups):
            columns = _Columns([[group[0].x0, group[-1].x1] for group in groups])
            runs.append([line])
    return [run for run in runs if sum(_is_columned(line.groups) for line in run) >= _MIN_ROWS]


def _is_columned(groups: Sequence[tuple[PageWord, ...]]) -> bool:
    return len(groups) >= _MIN_COLUMNS or (len(groups) > 1 and all(is_value(joined(group)) for group in groups[1:]))


def _rows_from(body: Sequence[PrintedLine], start: int) -> tuple[_Columns | None, int]:
    """Rows of figures from a line on, when there are enough of them, and where they end."""
    first = body[start].groups
    if not _figures(first):
        return None, start
    columns = _Columns([[group[0].x0, group[-1].x1] for group in first])
    end = start
    while end < len(body):
        line = body[end]
        near = end == start or 0 < line.base - body[end - 1].base <= _PITCH * line.size
        own = list(line.groups)
        behind = [group for group in own if end > start and group[0].x0 > columns.centres[-1] and not is_value(joined(group))]
        own = [group for group in own if group not in behind]
        placed = columns.place(own) if near and (_figures(own) or (len(own) > 1 and _figures(own, least=1))) else None
        if placed is None:
            break
        columns.add(line, placed)
        end += 1
        if behind:
            columns.rest = replace(line, words=tuple(word for group in behind for word in group))
            break
    return columns, end


def _figures(groups: Sequence[tuple[PageWord, ...]], *, least: int = 2) -> bool:
    """Whether a line is a row: at least two cells, all but the first figures (marks aside), the first short."""
    if len(groups) < 2 or len(joined(groups[0])) > 40:
        return False
    figures = [is_value(split_marks(joined(group))[0]) for group in groups]
    return all(figures[1:]) and (figures[0] or len(groups) > least)


def _header(body: Sequence[PrintedLine], first: int, start: int, columns: _Columns) -> list[PrintedLine]:
    """The lines above the first row that are its header: cells apart from each other, or short ones over the columns."""
    left, right = columns.spans[0][0], columns.spans[-1][1]
    taken: list[PrintedLine] = []
    below = body[start]
    for line in reversed(body[max(first, start - _MAX_HEADER_LINES) : start]):
        groups = line.groups
        inside = line.bbox[2] > left and line.bbox[0] < right
        narrow = line.bbox[2] - line.bbox[0] < 0.6 * (right - left)
        pitch = _PITCH if taken else _FIRST_HEADER
        if below.base - line.base > pitch * below.size or not inside or not (len(groups) > 1 or narrow):
            break
        if line.bbox[0] < left and _PARAGRAPH.match(line.text):
            break
        larger = (line.bold and not below.bold) or line.size > below.size + 0.4
        if len(groups) == 1 and larger and line.bbox[0] <= left:
            break  # a caption
        taken.insert(0, line)
        below = line
    while len(taken) > 1 and len(taken[0].groups) == 1 and not _over_a_column(taken[0], columns):
        taken.pop(0)  # a short caption above the first header line
    return taken if any(len(line.groups) > 1 for line in taken) else []


def _over_a_column(line: PrintedLine, columns: _Columns) -> bool:
    middle = (line.bbox[0] + line.bbox[2]) / 2
    if any(abs(centre - middle) <= _OFF_CENTRE for centre in columns.centres):
        return True
    beside = line.bbox[0] > columns.spans[0][1]
    return beside and any(abs((a + b) / 2 - middle) <= _OFF_CENTRE for a, b in pairwise(columns.centres))


def continued(above: RawTable, below: RawTable) -> RawTable:
    """The lower part of a table without rulings on the columns of the upper one, when their middles agree."""
    if len(above.columns) != len(below.columns):
        return below
    own, other = ([(a + b) / 2 for a, b in pairwise(table.columns)] for table in (above, below))
    near = all(abs(a - b) <= _OFF_CENTRE for a, b in zip(own, other, strict=True))
    return replace(below, columns=above.columns) if near else below


def _table(columns: _Columns, header: Sequence[PrintedLine], page: int) -> Aligned:
    spans = [list(span) for span in columns.spans]
    borders = [spans[0][0] - 2, *((a[1] + b[0]) / 2 for a, b in pairwise(spans)), spans[-1][1] + 2]
    cells: list[RawCell] = []
    row = 0
    merged: dict[int, list[PageWord]] = {}
    for line in header:
        groups = [(group, _covered(group, columns, parted=line is not header[-1])) for group in line.groups]
        if any(len(covered) > 1 for _, covered in groups):
            row = _flush(cells, merged, row, borders, len(spans))
            for group, covered in groups:
                cells.append(RawCell(row, covered[0], 1, len(covered), box_of(group), group))
            bare = set(range(len(spans))) - {index for _, covered in groups for index in covered}
            top, bottom = line.bbox[1], line.bbox[3]
            cells.extend(RawCell(row, index, 1, 1, (borders[index], top, borders[index + 1], bottom), ()) for index in bare)
            row += 1
            continue
        for group, covered in groups:
            merged.setdefault(covered[0], []).extend(group)
    row = _flush(cells, merged, row, borders, len(spans))
    for line, placed in columns.rows:
        for index in range(len(spans)):
            words = placed.get(index, ())
            box = box_of(words) if words else (borders[index], line.bbox[1], borders[index + 1], line.bbox[3])
            cells.append(RawCell(row, index, 1, 1, box, words))
        row += 1
    lines = (*header, *(line for line, _ in columns.rows))
    whole: Bbox = (borders[0], min(line.bbox[1] for line in lines), borders[-1], max(line.bbox[3] for line in lines))
    in_line, count = _usual_width(columns)
    return Aligned(
        RawTable(page, tuple(borders), row, tuple(sorted(cells, key=lambda cell: (cell.row, cell.column))), whole),
        lines,
        columns.rest,
        in_line,
        count,
    )


def _covered(group: Sequence[PageWord], columns: _Columns, *, parted: bool) -> list[int]:
    """The columns over whose middle a header stands: one, or neighbours that another header line below parts (`parted`)."""
    middle = (group[0].x0 + group[-1].x1) / 2
    centres = columns.centres
    nearest = min(range(len(centres)), key=lambda index: abs(centres[index] - middle))
    ranges = [(nearest, nearest)]
    if parted and abs(centres[nearest] - middle) > _OFF_CENTRE:
        ranges += [(first, last) for first in range(len(centres)) for last in range(first + 1, len(centres))]
    first, last = min(ranges, key=lambda ends: (abs((centres[ends[0]] + centres[ends[1]]) / 2 - middle), ends[1] - ends[0]))
    return list(range(first, last + 1))


def _flush(cells: list[RawCell], merged: dict[int, list[PageWord]], row: int, borders: Sequence[float], width: int) -> int:
    """Header lines one below the other as one row of cells."""
    if not merged:
        return row
    top = min(word.top for words in merged.values() for word in words)
    for index in range(width):
        words = tuple(merged.get(index, ()))
        cells.append(RawCell(row, index, 1, 1, box_of(words) if words else (borders[index], top, borders[index + 1], top + 1), words))
    merged.clear()
    return row + 1


def _usual_width(columns: _Columns) -> tuple[int, int]:
    """How many cells stand in line with their column by the edge or middle that fits best, of how many."""
    in_line = count = 0
    for index in range(len(columns.spans)):
        own = [placed[index] for _, placed in columns.rows if index in placed]
        count += len(own)
        best = 0
        for side in range(3):
            values = sorted((w[0].x0, (w[0].x0 + w[-1].x1) / 2, w[-1].x1)[side] for w in own)
            middle = values[len(values) // 2] if values else 0.0
            best = max(best, sum(abs(value - middle) <= _IN_LINE for value in values))
        in_line += best
    return in_line, count


# ---- tables with horizontal rulings alone: above and below the head and under the last row, or between all rows.


#: Rulings of one table begin and end within this (points) of each other, and are not shorter than the second.
_SAME_END, _MIN_WIDTH = 3.0, 100.0
#: With more bands between rulings than this, the body has rulings of its own.
_HEAD_AND_BODY = 2

#: A row without a ruling of its own stands within this (points) of the nearest, its line within so many font sizes.
_BESIDE, _NEXT = 60.0, 2.2

#: What stands between two rulings.
_Band = tuple[float, float, list[PrintedLine]]


def open_tables(page: Page, ruled: Sequence[RawTable]) -> tuple[RawTable, ...]:
    """The tables of a page whose columns no ruling parts, beside the ruled ones, from top to bottom."""
    free = [word for word in page.words if not any(contains(table.bbox, word) for table in ruled)]
    groups: list[list[Ruling]] = []
    for rule in sorted(horizontal_rules(page.rules), key=lambda rule: rule.top):
        if rule.x1 - rule.x0 < _MIN_WIDTH or any(_crosses(table, rule) for table in ruled):
            continue
        own = next((group for group in groups if _same_ends(group[0], rule)), None)
        if own is None:
            groups.append([rule])
        else:
            own.append(rule)
    whole = (_with_open_ends(page, free, group) for group in groups if len(group) > 1)
    found = [_open_table(page.number, bands) for group in whole for bands in _runs(page, free, group)]
    return tuple(sorted(found, key=lambda table: table.bbox[1]))


def _with_open_ends(page: Page, words: Sequence[PageWord], rules: Sequence[Ruling]) -> list[Ruling]:
    """Rulings with one more above a head that has none, and one more below last rows that have none: lines of three cells or more
    right beside the outer rulings."""
    first, last = rules[0], rules[-1]
    above = (first.x0, first.top - _BESIDE, first.x1, first.top)
    below = (last.x0, last.top, last.x1, last.top + _BESIDE)
    head = _cells_beside(lines([word for word in words if contains(above, word)], page.number)[::-1], first.top)
    rest = _cells_beside(lines([word for word in words if contains(below, word)], page.number), last.top)
    top = [replace(first, top=head[-1].bbox[1], bottom=head[-1].bbox[1])] if head else []
    return [*top, *rules, *([replace(last, top=rest[-1].bbox[3], bottom=rest[-1].bbox[3])] if rest else [])]


def _cells_beside(printed: Sequence[PrintedLine], edge: float) -> list[PrintedLine]:
    """The first lines that hold three cells or more, without a gap between them and an edge."""
    found: list[PrintedLine] = []
    for line in printed:
        if len(line.groups) < _MIN_COLUMNS or abs(line.base - edge) > _NEXT * line.size:
            break
        found.append(line)
        edge = line.base
    return found


def _same_ends(one: Ruling, other: Ruling) -> bool:
    return abs(one.x0 - other.x0) <= _SAME_END and abs(one.x1 - other.x1) <= _SAME_END


def _crosses(table: RawTable, rule: Ruling) -> bool:
    return table.bbox[1] - _SAME_END <= rule.top <= table.bbox[3] + _SAME_END


def _runs(page: Page, words: Sequence[PageWord], rules: Sequence[Ruling]) -> Iterator[list[_Band]]:
    """Bands one below the other that hold the cells of a table each: at least a head and a body."""
    run: list[_Band] = []
    label: _Band | None = None  # ruled off from the rest of its row
    for above, below in pairwise(rules):
        box = (above.x0, above.top, above.x1, below.top)
        band = (above.top, below.top, lines([word for word in words if contains(box, word)], page.number))
        if run and label is None and _is_label(band[2], _columns(run)):
            label = band
            continue
        if _is_tabular(band[2]):
            run.append((label[0], band[1], [*label[2], *band[2]]) if label else band)
        else:
            if len(run) >= _HEAD_AND_BODY:
                yield run
            run = []
        label = None
    if len(run) >= _HEAD_AND_BODY:
        yield run


def _is_tabular(band: Sequence[PrintedLine]) -> bool:
    """Whether lines stand in columns that nothing crosses."""
    return any(len(line.groups) > 1 for line in band) and len(columns_of(band)) >= _MIN_COLUMNS


def _is_label(band: Sequence[PrintedLine], columns: Sequence[tuple[float, float]]) -> bool:
    return len(band) == 1 and len(band[0].groups) == 1 and band[0].bbox[2] < columns[1][0]


def _columns(bands: Sequence[_Band]) -> list[tuple[float, float]]:
    return columns_of([line for _, _, printed in bands for line in printed])


def _open_table(page: int, bands: Sequence[_Band]) -> RawTable:
    spans = _columns(bands)
    borders = [spans[0][0] - 2, *((one[1] + other[0]) / 2 for one, other in pairwise(spans)), spans[-1][1] + 2]
    cells: list[RawCell] = []
    of_one_ruling = len(bands) > _HEAD_AND_BODY
    rows = [
        row
        for index, (_, _, printed) in enumerate(bands)
        for row in (_ruled(printed, len(spans)) if index == 0 or of_one_ruling else _rows(printed))
    ]
    for index, row in enumerate(rows):
        top, bottom = min(line.bbox[1] for line in row), max(line.bbox[3] for line in row)
        for column, (left, right) in enumerate(pairwise(borders)):
            words = tuple(word for line in row for word in line.words if left <= (word.x0 + word.x1) / 2 < right)
            cells.append(RawCell(index, column, 1, 1, (left, top, right, bottom), words))
    return RawTable(page, tuple(borders), len(rows), tuple(cells), (borders[0], bands[0][0], borders[-1], bands[-1][1]), open=True)


def _ruled(printed: Sequence[PrintedLine], columns: int) -> list[list[PrintedLine]]:
    """The lines between two rulings by row: one, or as many as lines fill the columns (the first may be empty)."""
    rows: list[list[PrintedLine]] = [[]]
    for line in printed:
        if rows[-1] and len(rows[-1][-1].groups) >= columns - 1 and len(line.groups) >= columns - 1:
            rows.append([])
        rows[-1].append(line)
    return rows


def _rows(printed: Sequence[PrintedLine]) -> list[list[PrintedLine]]:
    """The lines of a body without rulings by row: a new one where a line has several cells or begins where the first column does,
    with no small letter."""
    left = min(line.bbox[0] for line in printed)
    rows: list[list[PrintedLine]] = []
    for line in printed:
        begins = line.bbox[0] <= left + _SAME_END and not line.text[:1].islower()
        if not rows or len(line.groups) > 1 or begins:
            rows.append([line])
        else:
            rows[-1].append(line)
    return rows
