"""What stands on a PDF page: words with their boxes, and the straight rulings. The only module that talks to PDFium.

Coordinates are PDF points with the origin at the top left of the page.
"""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from regc.errors import SourceError
from regc.model.source import Bbox

#: A gap wider than this share of the font size parts two words even where the file has no space character.
_GAP = 0.22
#: A smaller gap is enough where PDFium supposes white space.
_SUPPOSED_GAP = 0.1
#: Letters that are set apart from each other have gaps up to this (font sizes); such a line has so many of them.
_LETTER_GAP, _MIN_LETTER_GAPS, _LETTER_SHARE = 0.14, 4, 0.5
#: Smaller than this (points) nobody can read a glyph: rests of fields that a converter left in the file.
_MIN_SIZE = 2.0
#: Areas without an outline whose red, green and blue are no less than this are shades.
_LIGHT = 190
#: Thinner than this (points), a filled rectangle is a ruling.
_THIN = 3.0


@dataclass(slots=True)
class PageWord:
    """Characters without a gap in one font size on one baseline. `space`: white space stands before it. `size` is the
    font size in points after the text matrix. `fraction`: it stands for a fraction's two lines (formulas.py)."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float
    base: float
    size: float
    bold: bool
    space: bool
    fraction: bool = False


@dataclass(frozen=True, slots=True)
class Ruling:
    """A straight ruling: horizontal when `horizontal`, else vertical. `box`: it is a side of this box, drawn by one stroke."""

    x0: float
    top: float
    x1: float
    bottom: float
    horizontal: bool
    box: Bbox | None = None


@dataclass(frozen=True)
class Page:
    """One page as PDFium gives it. `number` is 1-based. `drawings` are boxes of curves and of images (not rulings);
    `rotated` counts the characters that do not run from left to right, `unseen` holds those too small to see (both not
    read), `turn` by how many quarter turns to the left the page is printed, `columns`
    how two columns were laid below each other (columns.py), `turned` the words that run upwards or downwards (in reading order,
    with their boxes)."""

    number: int
    width: float
    height: float
    words: tuple[PageWord, ...]
    rules: tuple[Ruling, ...]
    drawings: tuple[Bbox, ...]
    rotated: int = 0
    unseen: str = ""
    turn: int = 0
    columns: tuple[float, ...] = ()
    turned: tuple[PageWord, ...] = ()


def pages(content: bytes, name: str) -> tuple[Page, ...]:
    """All pages of a PDF file. Raises SourceError for what is no readable PDF: empty, truncated, encrypted, damaged."""
    _check_bytes(content, name)
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise _open_error(name, content, str(error)) from error
    with closing(document):
        try:
            return tuple(_page(document[index], index + 1) for index in range(len(document)))
        except pypdfium2.PdfiumError as error:
            raise SourceError(f"{name}: damaged PDF: {error}", hint="download the file again, or print it to a new PDF") from error


def _check_bytes(content: bytes, name: str) -> None:
    if not content:
        raise SourceError(f"{name}: the file is empty (0 bytes)", hint="download the file again")
    start = content[:1024].find(b"%PDF-")
    if start < 0:
        raise SourceError(
            f"{name}: not a PDF: it begins with {content[:8]!r} and not with '%PDF-'",
            hint="give a PDF, Markdown, MinerU JSON or HTML file; the suffix must match what the file is",
        )
    if b"%%EOF" not in content[-2048:]:
        raise SourceError(
            f"{name}: truncated PDF: {len(content)} bytes and no '%%EOF' at the end",
            hint="download the file again and compare its size with the publisher's",
        )


def _open_error(name: str, content: bytes, message: str) -> SourceError:
    if "password" in message.lower() or "security" in message.lower():
        return SourceError(
            f"{name}: encrypted PDF: it needs a password to be opened",
            hint="save it without a password (qpdf --decrypt), or take the file from the official publisher",
        )
    return SourceError(
        f"{name}: damaged PDF of {len(content)} bytes: {message}", hint="download the file again, or print it to a new PDF"
    )


@dataclass(frozen=True, slots=True)
class _Frame:
    """The page's box in PDF coordinates, and by how many quarter turns its text runs to the left of upright (a table that
    is printed along the long side)."""

    left: float
    bottom: float
    right: float
    top: float
    turn: int = 0

    def point(self, x: float, y: float) -> tuple[float, float]:
        """PDF coordinates to points from the top left of the page as it is read."""
        if self.turn == 0:
            return x - self.left, self.top - y
        if self.turn == 1:
            return y - self.bottom, x - self.left
        if self.turn == 2:
            return self.right - x, y - self.bottom
        return self.top - y, self.right - x

    def box(self, left: float, bottom: float, right: float, top: float) -> Bbox:
        """The same for a box."""
        if self.turn == 0 and left <= right and bottom <= top:
            return left - self.left, self.top - top, right - self.left, self.top - bottom
        ax, ay = self.point(left, bottom)
        bx, by = self.point(right, top)
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)

    def page_point(self, x: float, y: float) -> tuple[float, float]:
        """The inverse of `point`."""
        if self.turn == 0:
            return x + self.left, self.top - y
        if self.turn == 1:
            return y + self.left, x + self.bottom
        if self.turn == 2:
            return self.right - x, y + self.bottom
        return self.right - y, self.top - x

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as the page is read."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.turn % 2 else (width, height)


def _page(page: Any, number: int) -> Page:
    with closing(page):
        left, bottom, right, top = page.get_bbox()
        frame = _Frame(left, bottom, right, top)
        words, others, unseen = _words(page, frame)
        turn, most = max(others.items(), key=lambda item: item[1], default=(0, 0))
        if most > sum(len(word.text) for word in words):
            frame = replace(frame, turn=turn)
            words, others, unseen = _words(page, frame)
        rules, drawings = _paths(page, frame)
        turned = tuple(word for turn in sorted(others) if turn >= 0 and rules for word in _turned(page, frame, turn))
        return Page(number, *frame.size, words, rules, drawings, sum(others.values()), unseen, frame.turn, turned=turned)


def _turned(page: Any, frame: _Frame, turn: int) -> Iterator[PageWord]:
    """The words that run in another direction, with their boxes on the page as it is read."""
    other = replace(frame, turn=turn)
    for word in _words(page, other)[0]:
        ax, ay = other.page_point(word.x0, word.top)
        bx, by = other.page_point(word.x1, word.bottom)
        x0, top, x1, bottom = frame.box(min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
        yield replace(word, x0=x0, top=top, x1=x1, bottom=bottom)


def _direction(matrix: Any) -> int:
    """Quarter turns to the left of a text's direction; -1 for a slant."""
    if abs(matrix.b) < 0.1 * abs(matrix.a):
        return 0 if matrix.a > 0 else 2
    if abs(matrix.a) < 0.1 * abs(matrix.b):
        return 1 if matrix.b > 0 else 3
    return -1


def _words(page: Any, frame: _Frame) -> tuple[tuple[PageWord, ...], Counter[int], str]:
    """Words that run the frame's way, how many characters run which other way, and the characters too small to see."""
    import pypdfium2.raw as raw

    text_page = page.get_textpage()
    handle = text_page.raw
    origin_x, origin_y = ctypes.c_double(), ctypes.c_double()
    box, matrix = raw.FS_RECTF(), raw.FS_MATRIX()
    words: list[PageWord] = []
    word: PageWord | None = None
    last_object, size, direction, bold = None, 0.0, 0, False
    space = True
    supposed = False  # PDFium writes white space of its own wherever the baseline moves; the gap decides
    others: Counter[int] = Counter()
    unseen = ""
    for index in range(text_page.count_chars()):
        code = raw.FPDFText_GetUnicode(handle, index)
        if code in (0, 9, 10, 13, 32, 0xA0, 0x2002, 0x2003, 0x2009, 0x200B, 0x202F, 0xFEFF):
            if raw.FPDFText_IsGenerated(handle, index) == 1:
                supposed = True
            else:
                space = True
            word = None
            continue
        text_object = raw.FPDFText_GetTextObject(handle, index)
        address = ctypes.addressof(text_object.contents) if text_object else None
        if address != last_object:
            last_object = address
            raw.FPDFText_GetMatrix(handle, index, matrix)
            size = raw.FPDFText_GetFontSize(handle, index) * math.hypot(matrix.c, matrix.d)
            direction = _direction(matrix)
            weight = raw.FPDFText_GetFontWeight(handle, index)
            bold = weight >= 600
            word = None if size >= _MIN_SIZE else word
        if size < _MIN_SIZE:
            unseen += _char(code, 0)
            continue
        if direction != frame.turn:
            others[direction] += 1
            continue
        raw.FPDFText_GetLooseCharBox(handle, index, box)  # by the advance: the ink of a "1" leaves gaps
        raw.FPDFText_GetCharOrigin(handle, index, origin_x, origin_y)
        char = _char(code, raw.FPDFText_GetUnicode(handle, index + 1) if 0xD800 <= code < 0xDC00 else 0)
        if not char:
            continue
        _, base = frame.point(origin_x.value, origin_y.value)
        start, upper, end, lower = frame.box(box.left, box.bottom, box.right, box.top)
        back = word is not None and start < word.x0 - 0.1 * size  # set before the letters that come before it in the file
        if word is not None and (back or abs(base - word.base) > 0.5 or not -size < start - word.x1 < _GAP * size):
            space = not -size < start - word.x1 < _GAP * size
            word = None
        if word is None:
            if supposed and words:
                space = space or not -0.5 * size < start - words[-1].x1 < _SUPPOSED_GAP * size or abs(base - words[-1].base) > size
            supposed = False
            word = PageWord(char, start, upper, end, lower, base, size, bold, space)
            words.append(word)
            space = False
            continue
        word.text += char
        # a letter a time: calls of min and max would take a tenth of the page's time
        word.x1 = end if end > word.x1 else word.x1
        word.top = upper if upper < word.top else word.top
        word.bottom = lower if lower > word.bottom else word.bottom
    text_page.close()
    _close_spaced_letters(words)
    return tuple(words), others, unseen


def _close_spaced_letters(words: list[PageWord]) -> None:
    """A line whose letters are set apart ("A tmosph er i c") has whole words again: most of its gaps are too narrow for a space."""
    start = 0
    for index in range(1, len(words) + 1):
        if index < len(words) and abs(words[index].base - words[start].base) <= 0.5:
            continue
        pairs = list(pairwise(words[start:index]))
        gaps = [(word.x0 - before.x1) / word.size for before, word in pairs]
        narrow = [word for (_, word), gap in zip(pairs, gaps, strict=True) if word.space and 0.5 * _SUPPOSED_GAP < gap < _LETTER_GAP]
        if len(narrow) >= _MIN_LETTER_GAPS and len(narrow) >= _LETTER_SHARE * len(gaps):
            for word in narrow:
                word.space = False
        start = index


def _char(code: int, following: int) -> str:
    """A code unit as text: PDFium gives UTF-16 halves, U+0002 for a hyphen at a line's end, U+F0B7 for a Symbol bullet."""
    if 0xD800 <= code < 0xDC00:
        paired = 0xDC00 <= following < 0xE000
        return chr(0x10000 + ((code - 0xD800) << 10) + following - 0xDC00) if paired else "\N{REPLACEMENT CHARACTER}"
    if code in (0x02, 0xAD):
        return "-"
    if code == 0xF0B7:
        return "\N{BULLET}"
    return "" if 0xDC00 <= code < 0xE000 or code < 0x20 else chr(code)


def _paths(page: Any, frame: _Frame) -> tuple[tuple[Ruling, ...], tuple[Bbox, ...]]:
    import pypdfium2.raw as raw

    rules: list[Ruling] = []
    drawings: list[Bbox] = []
    for drawn, matrices in _objects(page, None, ()):
        box = _box(drawn, matrices, frame)
        if drawn.type != raw.FPDF_PAGEOBJ_PATH:
            drawings.append(box)
            continue
        rule = _thin(box)
        if rule:
            rules.append(rule)
            continue
        if _is_blank(drawn):
            continue
        straight = list(_segments(drawn, matrices, frame))
        rules.extend([replace(side, box=box) for side in straight] if _is_box(straight) else straight)
        if not straight:
            drawings.append(box)
    return tuple(rules), tuple(drawings)


def _is_box(sides: Sequence[Ruling]) -> bool:
    """Whether the sides of a path are those of one rectangle."""
    across, down = [side for side in sides if side.horizontal], [side for side in sides if not side.horizontal]
    ends = {(round(side.x0), round(side.x1)) for side in across} | {(round(side.top), round(side.bottom)) for side in down}
    return len(across) == len(down) == 2 and len(ends) == 2


def _is_blank(path: Any) -> bool:
    """Whether a path is a white area without an outline, which nobody sees, or a shade behind words, which is no ruling."""
    import pypdfium2.raw as raw

    fill, stroke = ctypes.c_int(), ctypes.c_int()
    colour = [ctypes.c_uint() for _ in range(4)]
    raw.FPDFPath_GetDrawMode(path.raw, fill, stroke)
    raw.FPDFPageObj_GetFillColor(path.raw, *colour)
    return not stroke.value and all(part.value >= _LIGHT for part in colour[:3])


def _objects(page: Any, form: Any, matrices: tuple[Any, ...]) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """Paths, images and shadings with the matrices of the forms that hold them, innermost first."""
    import pypdfium2.raw as raw

    kinds = (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING, raw.FPDF_PAGEOBJ_FORM)
    for drawn in page.get_objects(filter=kinds, max_depth=1, form=form):
        if drawn.type != raw.FPDF_PAGEOBJ_FORM:
            yield drawn, matrices
        elif len(matrices) < 4:
            yield from _objects(page, drawn, (drawn.get_matrix(), *matrices))


def _box(drawn: Any, matrices: tuple[Any, ...], frame: _Frame) -> Bbox:
    left, bottom, right, top = drawn.get_bounds()
    if not matrices:
        return frame.box(left, bottom, right, top)
    corners = [_moved(x, y, matrices) for x in (left, right) for y in (bottom, top)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return frame.box(min(xs), min(ys), max(xs), max(ys))


def _moved(x: float, y: float, matrices: tuple[Any, ...]) -> tuple[float, float]:
    for matrix in matrices:
        x, y = matrix.on_point(x, y)
    return x, y


def _thin(box: Bbox) -> Ruling | None:
    width, height = box[2] - box[0], box[3] - box[1]
    if height <= _THIN and width >= height:
        return Ruling(*box, horizontal=True)
    if width <= _THIN:
        return Ruling(*box, horizontal=False)
    return None


def _segments(drawn: Any, matrices: tuple[Any, ...], frame: _Frame) -> Iterator[Ruling]:
    """The straight sides of a path when it has nothing but horizontal and vertical ones (a box, a grid in one path)."""
    import pypdfium2.raw as raw

    matrices = (drawn.get_matrix(), *matrices)
    points: list[tuple[float, float, int, bool]] = []
    x, y = ctypes.c_float(), ctypes.c_float()
    count = raw.FPDFPath_CountSegments(drawn.raw)
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(drawn.raw, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_BEZIERTO:
            return
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        px, py = _moved(x.value, y.value, matrices)
        points.append((*frame.point(px, py), kind, bool(raw.FPDFPathSegment_GetClose(segment))))
    rules: list[Ruling] = []
    start = at = (0.0, 0.0)
    for px, py, kind, close in points:
        ends = []
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = at = (px, py)
        else:
            ends.append((at, (px, py)))
            at = (px, py)
        if close:
            ends.append((at, start))
            at = start
        for (ax, ay), (bx, by) in ends:
            rule = _thin((min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)))
            if rule is None:
                return
            if max(rule.x1 - rule.x0, rule.bottom - rule.top) > 0.1:
                rules.append(rule)
    yield from rules
