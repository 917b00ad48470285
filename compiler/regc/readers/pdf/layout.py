"""What each printed line of a PDF is, from where it stands: running head, page number, contents, footnote, figure, body."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from regc.model.source import Bbox
from regc.readers.pdf.aligned_tables import aligned_tables, continued, open_tables
from regc.readers.pdf.columns import as_one_column, real
from regc.readers.pdf.formulas import with_fractions
from regc.readers.pdf.lines import PrintedLine, lines
from regc.readers.pdf.page import Page
from regc.readers.pdf.ruled_tables import RawTable, contains, fits, tables

#: Shares of the page height in which running heads and feet stand.
_HEAD, _FOOT = 0.09, 0.94
#: A line even higher above the foot is a running foot when it stands on this share of the pages.
_HIGH_FOOT, _MOST = 0.85, 0.6
_PAGE_NUMBER = re.compile(r"^[-–\s]*(?:page\s*)?(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:/|of)\s*\d+)?[-–\s]*$", re.IGNORECASE)
_CONTENTS_LINE = re.compile(r"(?:\.{4,}|…{2,}|(?:\. ){4,})\s*\d{1,4}$")
_CONTENTS_HEAD = re.compile(r"^(?:table of )?contents\b", re.IGNORECASE)
#: Fewer such lines on a page are a form with dots, not a table of contents.
_MIN_CONTENTS = 3
#: Shares of the page height above and below which a row may belong to a table of the page beside.
_TOP, _BOTTOM = 0.25, 0.7
#: Parts of one drawing are not farther from each other than this (points), nor its words in another size than the text's.
_NEAR = 25.0
_BESIDE = 14.0
#: Type larger than the text's by this (points) is no table's.
_LARGER = 3.0
#: Of so many pieces a drawing may be low.
_MANY = 20
#: An image that covers this share of the page's width and height is the page itself (a scan), no figure on it.
_WHOLE_PAGE = 0.8


@dataclass(frozen=True)
class Layout:
    """Measures of the whole document in points: the font size of body text, the left edge of its text column, the left
    edge of the column of paragraph numbers, the right margin."""

    size: float
    text_x: float
    number_x: float
    right_x: float


@dataclass(frozen=True)
class PageDrawing:
    """A drawing on a page and the lines of words in it."""

    bbox: Bbox
    words: tuple[PrintedLine, ...] = ()


@dataclass(frozen=True)
class PageParts:
    """A page sorted: body lines and tables, footnote lines, and drawings with their words. `aligned`: how many cells of a table
    without rulings (by its id) stand in line, of how many."""

    page: Page
    body: tuple[PrintedLine, ...]
    tables: tuple[RawTable, ...]
    footnotes: tuple[PrintedLine, ...] = ()
    drawings: tuple[PageDrawing, ...] = ()
    aligned: Mapping[int, tuple[int, int]] = field(default_factory=dict)


def sort_pages(pages: Sequence[Page]) -> tuple[Layout, tuple[PageParts, ...]]:
    """Each page's lines by kind, and the measures of the document."""
    pages = [as_one_column(page) for page in pages]
    parts = []
    for printed, grids in zip(pages, _whole_tables(pages), strict=True):
        ruled = tuple(sorted((*grids, *open_tables(printed, grids)), key=lambda table: (table.bbox[1], table.bbox[0])))
        page = with_fractions(printed, ruled)
        free = [word for word in page.words if not any(contains(table.bbox, word) for table in ruled)]
        parts.append(PageParts(page, tuple(lines(free, page.number)), ruled))
    parts = _without_furniture(parts)
    parts = [replace(part, body=_without_contents(part.body)) for part in parts]
    layout = _measure(parts)
    parts = _aligned_over_pages([_with_aligned(part) for part in parts])
    return layout, tuple(_with_footnotes(_without_marks(_without_labels(part, layout), layout), layout) for part in parts)


def _with_aligned(part: PageParts) -> PageParts:
    """Tables without rulings, taken out of the lines."""
    found = aligned_tables(part.body, part.page.number)
    taken = {id(line) for aligned in found for line in aligned.lines}
    free = [line for line in part.body if id(line) not in taken]
    rests = [aligned.rest for aligned in found if aligned.rest is not None]
    told = {id(aligned.table): (aligned.in_line, aligned.cells) for aligned in found}
    return replace(
        part,
        body=tuple(sorted((*free, *rests), key=lambda line: (line.base, line.bbox[0]))),
        tables=tuple(sorted((*part.tables, *(aligned.table for aligned in found)), key=lambda table: (table.bbox[1], table.bbox[0]))),
        aligned=told,
    )


def _aligned_over_pages(parts: Sequence[PageParts]) -> list[PageParts]:
    """A table without rulings at the top of a page on the columns of the one at the end of the page before."""
    made: list[PageParts] = []
    for part in parts:
        above = made[-1].tables[-1] if made and made[-1].tables else None
        first = part.tables[0] if part.tables else None
        if above is not None and first is not None and id(above) in made[-1].aligned and id(first) in part.aligned:
            moved = continued(above, first)
            told = {id(moved): part.aligned[id(first)], **{key: value for key, value in part.aligned.items() if key != id(first)}}
            part = replace(part, tables=(moved, *part.tables[1:]), aligned=told)
        made.append(part)
    return made


def _whole_tables(pages: Sequence[Page]) -> list[tuple[RawTable, ...]]:
    """The tables of each page. A single row is one where the table of the page before ends with it, or the next one's begins."""
    grids = [tables(page) for page in pages]
    found = []
    for index, own in enumerate(grids):
        above, below = grids[index - 1] if index else (), grids[index + 1] if index + 1 < len(grids) else ()
        kept = [
            table
            for place, table in enumerate(own)
            if table.row_count > 1
            or (place == 0 and above and table.bbox[1] < _TOP * pages[index].height and fits(above[-1], table))
            or (place == len(own) - 1 and below and table.bbox[3] > _BOTTOM * pages[index].height and fits(below[0], table))
        ]
        found.append(tuple(kept))
    return found


def _without_furniture(parts: Sequence[PageParts]) -> list[PageParts]:
    """Running heads and feet: lines in the margins whose words come again, digits aside, at the same height."""
    seen: Counter[tuple[int, str]] = Counter()
    for part in parts:
        seen.update({_place_and_words(line) for line in part.body})
    many = max(3, _MOST * len(parts))
    return [
        replace(part, body=tuple(line for line in part.body if not _is_furniture(line, part.page, _again(seen, line), many)))
        for part in parts
    ]


def _is_furniture(line: PrintedLine, page: Page, times: int, many: float) -> bool:
    base = real(page, (line.bbox[0], line.base, line.bbox[2], line.base))[1]
    if base < _HEAD * page.height or base > _FOOT * page.height:
        return times >= 2 or bool(_PAGE_NUMBER.match(line.text))
    return base > _HIGH_FOOT * page.height and times >= many


def _place_and_words(line: PrintedLine) -> tuple[int, str]:
    return round(line.base), re.sub(r"\d+", "#", line.text).strip(" #")


def _again(seen: Counter[tuple[int, str]], line: PrintedLine) -> int:
    """On how many pages these words stand at this height."""
    at, words = _place_and_words(line)
    return sum(seen[(near, words)] for near in (at - 1, at, at + 1))


def _without_contents(body: tuple[PrintedLine, ...]) -> tuple[PrintedLine, ...]:
    entries = [index for index, line in enumerate(body) if _CONTENTS_LINE.search(line.text)]
    if len(entries) < _MIN_CONTENTS:
        return body
    start = entries[0]
    for index in range(start - 1, -1, -1):
        if _CONTENTS_HEAD.match(body[index].text):
            start = index
            break
    else:
        start = 0 if all(len(line.text) < 90 for line in body[:start]) and start <= 3 else start
    return body[:start] + body[entries[-1] + 1 :]


def _measure(parts: Iterable[PageParts]) -> Layout:
    body = [line for part in parts for line in part.body]
    sizes: Counter[float] = Counter()
    for line in body:
        sizes[line.size] += len(line.text)
    size = sizes.most_common(1)[0][0] if sizes else 10.0
    normal = [line for line in body if abs(line.size - size) <= 0.6]
    rights = Counter(round(line.bbox[2]) for line in normal if len(line.text) > 40)
    right = max((x for x, count in rights.items() if count >= 0.2 * max(rights.values())), default=0)
    numbered = [line for line in normal if re.match(r"^\d{1,2}\.(?:\d{1,3}\.?)*(?:\s|$)", line.text)]
    numbers = Counter(round(line.bbox[0]) for line in numbered)
    number_x = float(numbers.most_common(1)[0][0]) if numbers else 0.0
    starts = Counter(round(line.bbox[0]) for line in normal if len(line.text) > 25 and line.bbox[0] > number_x + 12)
    fallback = Counter(round(line.bbox[0]) for line in normal)
    text_x = float((starts or fallback or Counter({0: 1})).most_common(1)[0][0])
    return Layout(size, text_x, number_x, float(right))


def _with_footnotes(part: PageParts, layout: Layout) -> PageParts:
    """Small lines at the foot of the page, below a short ruling or from the first that begins with a raised mark."""
    body = part.body
    start = len(body)
    while start > 0 and body[start - 1].size <= layout.size - 0.4:
        start -= 1
    lowest_table = max((table.bbox[3] for table in part.tables), default=0.0)
    while start < len(body) and body[start].bbox[1] < lowest_table:
        start += 1
    if not any(line.opening_mark() for line in body[start:]):
        start = _bracketed_notes(part, layout)
        return replace(part, body=body[:start], footnotes=body[start:])
    rule = _separator(part, body[start:])
    if rule is not None:
        start = next(index for index in range(start, len(body)) if body[index].base > rule)
    else:
        while start < len(body) and body[start].opening_mark() is None:
            start += 1
    return replace(part, body=body[:start], footnotes=body[start:])


def _bracketed_notes(part: PageParts, layout: Layout) -> int:
    """Where notes in the size of the text begin at the foot of a page: "(" raised 1 ")", "(*)", or "(1)" below the short ruling above
    footnotes; and no numbered paragraph behind."""
    body = part.body
    start = len(body)
    rule = _separator(part, body) if body else None
    lowest = 0.5 * part.page.height if rule is None else min(rule, 0.5 * part.page.height)
    for index in range(len(body) - 1, -1, -1):
        line = body[index]
        numbered = abs(line.bbox[0] - layout.number_x) <= 3 and re.match(r"^\d{1,2}(?:\.\d{1,3})*\.?\s", line.text)
        if line.base < lowest or numbered:
            break
        flat = rule is not None and line.base > rule and re.match(r"\(\d{1,2}\)$", line.words[0].text)
        if line.opening_mark() and (line.words[0].text == "(" or line.words[0].text.startswith("(*") or flat):
            start = index
    return start


def _separator(part: PageParts, small: Sequence[PrintedLine]) -> float | None:
    """The y of the short ruling above footnotes, when it stands among or just above these lines."""
    first, last = small[0].bbox[1], small[-1].base
    inside = [
        rule.top
        for rule in part.page.rules
        if rule.horizontal
        and 40 <= rule.x1 - rule.x0 <= 220
        and rule.x0 < 0.35 * part.page.width
        and first - 60 <= rule.top < last
        and not any(table.bbox[1] - 3 <= rule.top <= table.bbox[3] + 3 for table in part.tables)
    ]
    return min(inside) if inside else None


def _without_labels(part: PageParts, layout: Layout) -> PageParts:
    """Words inside drawings are no running text: what lies in one, and lines of another size than the text's right beside it."""
    page = part.page
    drawn = [box for box in page.drawings if not _is_whole_page(box, page)]
    areas = _areas((*drawn, *_loose_rules(part)))
    words: list[list[PrintedLine]] = [[] for _ in areas]
    free = list(part.body)
    grown = bool(areas)
    while grown:
        grown = False
        for line in tuple(free):
            index = next((index for index, area in enumerate(areas) if _is_label(line, area, layout)), None)
            if index is not None:
                words[index].append(line)
                areas[index] = _around(areas[index], line.bbox)
                free.remove(line)
                grown = True
    drawings = tuple(
        PageDrawing(area, tuple(sorted(own, key=lambda line: (line.base, line.bbox[0]))))
        for area, own in zip(areas, words, strict=True)
    )
    return replace(part, body=tuple(free), drawings=drawings)


def _without_marks(part: PageParts, layout: Layout) -> PageParts:
    """A grid in type much larger than the text is part of a drawing: the boxes of an approval mark."""
    large = [table for table in part.tables if min((w.size for c in table.cells for w in c.words), default=0) >= layout.size + _LARGER]
    drawn = (PageDrawing(table.bbox, tuple(lines([w for c in table.cells for w in c.words], part.page.number))) for table in large)
    return replace(part, tables=tuple(table for table in part.tables if table not in large), drawings=(*part.drawings, *drawn))


def _is_whole_page(box: Bbox, page: Page) -> bool:
    return box[2] - box[0] >= _WHOLE_PAGE * page.width and box[3] - box[1] >= _WHOLE_PAGE * page.height


def _around(one: Bbox, other: Bbox) -> Bbox:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _is_label(line: PrintedLine, area: Bbox, layout: Layout) -> bool:
    x0, top, x1, bottom = line.bbox
    if line.size >= layout.size - 0.3 and min(abs(x0 - layout.text_x), abs(x0 - layout.number_x)) <= 3:
        return False
    near = 4.0 if abs(line.size - layout.size) <= 0.05 else _BESIDE
    return area[0] - near <= (x0 + x1) / 2 <= area[2] + near and area[1] - near <= (top + bottom) / 2 <= area[3] + near


def _loose_rules(part: PageParts) -> list[Bbox]:
    """Rulings that belong to no table and are no line across the page."""
    return [
        (rule.x0, rule.top, rule.x1, rule.bottom)
        for rule in part.page.rules
        if rule.x1 - rule.x0 < 0.5 * part.page.width
        and not any(_touches(table.bbox, (rule.x0, rule.top, rule.x1, rule.bottom), 3) for table in part.tables)
    ]


def _touches(one: Bbox, other: Bbox, near: float) -> bool:
    return one[0] - near <= other[2] and other[0] <= one[2] + near and one[1] - near <= other[3] and other[1] <= one[3] + near


def _areas(drawings: Iterable[Bbox]) -> list[Bbox]:
    """Boxes of drawings that are near each other as one; small ones of few pieces (logos, bullets, underlines) are none."""
    areas: list[tuple[Bbox, int]] = []
    for box in sorted(drawings, key=lambda box: box[1]):
        merged, pieces = box, 1
        while True:
            near = [area for area in areas if _touches(area[0], merged, _NEAR)]
            if not near:
                break
            areas = [area for area in areas if area not in near]
            for area, count in near:
                merged, pieces = _around(merged, area), pieces + count
        areas.append((merged, pieces))
    return [area for area, pieces in areas if area[2] - area[0] >= 80 and area[3] - area[1] >= (30 if pieces >= _MANY else 60)]
