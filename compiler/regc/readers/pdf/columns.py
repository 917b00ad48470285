"""Pages in two columns, laid out as one: each column below the one before, so that everything behind reads a single column.

`Page.columns` remembers how far each piece was moved; `real` takes a box back to where it is printed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from regc.model.source import Bbox
from regc.readers.pdf.page import Page, PageWord, Ruling
from regc.readers.pdf.ruled_tables import tables

#: Share of the page height that running heads and feet leave to the text.
_BODY = (0.09, 0.94)
#: The empty strip between two columns lies in the middle of the page and is at least so wide (points).
_MIDDLE = (0.38, 0.62)
_STRIP = 10.0
#: A column has at least so many lines of at least so many characters; fewer are a table or a form.
_MIN_LINES, _MIN_LENGTH = 8, 20


def as_one_column(page: Page) -> Page:
    """The page as it is, or with its two columns one below the other."""
    lines = _baselines([word for word in page.words if _BODY[0] * page.height <= word.base <= _BODY[1] * page.height])
    strip = _strip(page, lines)
    if strip is None or any(table.bbox[0] < strip < table.bbox[2] for table in tables(page)):
        return page  # columns of a ruled table are none of the page
    groups: list[tuple[float, float, str]] = []  # from, to (baselines), side
    for line in lines:
        side = "both" if _crosses(line, strip) else "columns"
        top, bottom = min(word.top for word in line), max(word.bottom for word in line)
        if groups and groups[-1][2] == side:
            groups[-1] = (groups[-1][0], bottom, side)
        else:
            groups.append((top, bottom, side))
    pieces = [(top, bottom, part) for top, bottom, side in groups for part in (("left", "right") if side == "columns" else ("both",))]
    parted = [word for line in lines if not _crosses(line, strip) for word in line]
    lefts, rights = [word.x0 for word in parted if word.x1 <= strip], [word.x0 for word in parted if word.x0 >= strip]
    dx = min(rights) - min(lefts)
    moves = tuple(dx if part == "right" else 0.0 for _, _, part in pieces)

    def piece(x: float, y: float) -> int | None:
        for index, (top, bottom, part) in enumerate(pieces):
            if top - 2 <= y <= bottom + 2 and (part == "both" or (part == "left") == (x < strip)):
                return index
        return None

    words = tuple(_word(word, piece((word.x0 + word.x1) / 2, word.base), moves, page.height) for word in page.words)
    rules = tuple(_rule(rule, piece((rule.x0 + rule.x1) / 2, (rule.top + rule.bottom) / 2), moves, page.height) for rule in page.rules)
    drawings = tuple(_box(box, piece((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), moves, page.height) for box in page.drawings)
    return replace(page, words=words, rules=rules, drawings=drawings, columns=moves)


def real(page: Page, box: Bbox) -> Bbox:
    """Where a box of such a page is printed."""
    if not page.columns:
        return box
    index = min(max(int((box[1] + box[3]) / 2 // page.height), 0), len(page.columns) - 1)
    dx, dy = page.columns[index], index * page.height
    return box[0] + dx, box[1] - dy, box[2] + dx, box[3] - dy


def _baselines(words: Sequence[PageWord]) -> list[list[PageWord]]:
    """Words by printed line, from top to bottom."""
    lines: list[list[PageWord]] = []
    for word in sorted(words, key=lambda word: word.base):
        if lines and word.base - lines[-1][0].base <= 0.4 * word.size:
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda word: word.x0) for line in lines]


def _strip(page: Page, lines: Sequence[Sequence[PageWord]]) -> float | None:
    """The middle of the empty strip between two columns of prose; None for a page in one column."""
    best: tuple[int, float] | None = None
    x = _MIDDLE[0] * page.width
    while x <= _MIDDLE[1] * page.width:
        crossed = sum(_crosses(line, x) for line in lines)
        if best is None or crossed < best[0]:
            best = crossed, x
        x += _STRIP / 2
    if best is None or best[0] > 0.5 * len(lines):
        return None
    parted = [line for line in lines if not _crosses(line, best[1])]
    for side in (
        [[word for word in line if word.x1 <= best[1]] for line in parted],
        [[word for word in line if word.x0 >= best[1]] for line in parted],
    ):
        lengths = [sum(len(word.text) + word.space for word in own) for own in side if own]
        if len(lengths) < _MIN_LINES or median(lengths) < _MIN_LENGTH:
            return None
    return best[1]


def _crosses(line: Sequence[PageWord], x: float) -> bool:
    """Whether a line, its words from left to right, has no empty strip at x."""
    first = bisect_left(line, x, key=lambda word: word.x0)
    left = max([word.x1 for word in line[:first]], default=None)
    right = line[first].x0 if first < len(line) else None
    if left is None or right is None:
        return (left is not None and left > x - _STRIP / 2 + 1) if right is None else False
    return left > x or right - left < _STRIP


def _word(word: PageWord, index: int | None, moves: Sequence[float], height: float) -> PageWord:
    if not index:
        return word
    dx, dy = moves[index], index * height
    return replace(word, x0=word.x0 - dx, x1=word.x1 - dx, top=word.top + dy, bottom=word.bottom + dy, base=word.base + dy)


def _rule(rule: Ruling, index: int | None, moves: Sequence[float], height: float) -> Ruling:
    if not index:
        return rule
    dx, dy = moves[index], index * height
    return replace(rule, x0=rule.x0 - dx, x1=rule.x1 - dx, top=rule.top + dy, bottom=rule.bottom + dy)


def _box(box: Bbox, index: int | None, moves: Sequence[float], height: float) -> Bbox:
    if not index:
        return box
    dx, dy = moves[index], index * height
    return box[0] - dx, box[1] + dy, box[2] - dx, box[3] + dy
