"""Tables with horizontal rulings alone: rulings of one width above and below the head and under the last row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from regc.readers.pdf.lines import PrintedLine, lines, segments
from regc.readers.pdf.page import Page, PageWord, Ruling
from regc.readers.pdf.ruled_tables import RawCell, RawTable, contains, horizontal_rules

#: Rulings of one table begin and end within this (points) of each other, and are not shorter than the second.
_SAME_END, _MIN_WIDTH = 3.0, 100.0
#: Two columns are a number and its text.
_MIN_COLUMNS = 3
#: With more bands between rulings than this, the body has rulings of its own.
_HEAD_AND_BODY = 2

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
    found = [_table(page.number, bands) for group in groups for bands in _runs(page, free, group)]
    return tuple(sorted(found, key=lambda table: table.bbox[1]))


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
    return any(len(segments(line)) > 1 for line in band) and len(_spans(band)) >= _MIN_COLUMNS


def _is_label(band: Sequence[PrintedLine], columns: Sequence[tuple[float, float]]) -> bool:
    return len(band) == 1 and len(segments(band[0])) == 1 and band[0].bbox[2] < columns[1][0]


def _spans(printed: Sequence[PrintedLine]) -> list[tuple[float, float]]:
    """The columns of lines: stretches of x over which some words stand."""
    spans: list[tuple[float, float]] = []
    for x0, x1 in sorted((group[0].x0, group[-1].x1) for line in printed for group in segments(line)):
        if spans and x0 <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], x1))
        else:
            spans.append((x0, x1))
    return spans


def _columns(bands: Sequence[_Band]) -> list[tuple[float, float]]:
    return _spans([line for _, _, printed in bands for line in printed])


def _table(page: int, bands: Sequence[_Band]) -> RawTable:
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
        if rows[-1] and len(segments(rows[-1][-1])) >= columns - 1 and len(segments(line)) >= columns - 1:
            rows.append([])
        rows[-1].append(line)
    return rows


def _rows(printed: Sequence[PrintedLine]) -> list[list[PrintedLine]]:
    """The lines of a body without rulings by row: a new one where a line has several cells or begins where the first column does."""
    left = min(line.bbox[0] for line in printed)
    rows: list[list[PrintedLine]] = []
    for line in printed:
        if not rows or len(segments(line)) > 1 or line.bbox[0] <= left + _SAME_END:
            rows.append([line])
        else:
            rows[-1].append(line)
    return rows
