"""Faults in a PDF: its bytes, the digits of its streams, and cells, rows, captions and marks as PDFium's text objects."""

from __future__ import annotations

import ctypes
import io
import random
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bench.mutation.outside import digit
from bench.mutation.reading import Mutant, Reading

#: Points that objects of one line may lie apart; how far above a table its caption may stand.
_LINE, _ABOVE = 4.0, 90.0


def pdf_bytes(name: str, content: bytes, rng: random.Random) -> Mutant:
    """Bytes turned, cut off, or a run lost."""
    data = bytearray(content)
    what = rng.choice(("turned", "turned", "cut", "lost", "doubled"))
    at = rng.randrange(len(data))
    if what == "turned":
        for _ in range(rng.choice((1, 4, 32))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif what == "cut":
        del data[at:]
    elif what == "lost":
        del data[at : at + rng.choice((1, 20, 2000))]
    else:
        data[at:at] = data[at : at + 500]
    return Mutant("pdf: bytes", f"byte {at}", what, "", {name: bytes(data)}, matters=False)


def pdf_character(name: str, content: bytes, rng: random.Random) -> Mutant | None:
    """One digit of a text stream, seen by PDFium's own text of the page; streams keep their length, so that nothing else moves."""
    streams = [hit for hit in re.finditer(rb"stream\r?\n", content) if content[hit.start() - 3 : hit.start()] != b"end"]
    for _ in range(200):
        start = rng.choice(streams).end()
        end = content.find(b"endstream", start)
        try:
            plain = zlib.decompress(content[start:end].rstrip(b"\r\n"))
        except zlib.error:
            continue
        shown = [hit.start() for hit in re.finditer(rb"(?<=\()\d|(?<=\d)\d(?=\))|(?<=\d)\d(?=[.\d])", plain)]
        if (b"TJ" not in plain and b"Tj" not in plain) or not shown:
            continue
        at = rng.choice(shown)
        other = rng.choice([sign for sign in b"0123456789" if sign != plain[at]])
        made = plain[:at] + bytes([other]) + plain[at + 1 :]
        packed = next((data for level in (9, 8, 7) if len(data := zlib.compress(made, level)) <= end - start), None)
        if packed is None:
            continue
        changed = content[:start] + packed + b"\n" * (end - start - len(packed)) + content[end:]
        before, after = _words(content), _words(changed)
        places = [index for index, (old, new) in enumerate(zip(before, after, strict=False)) if old != new]
        if len(before) == len(after) and len(places) == 1:
            index = places[0]
            around = " ".join(before[max(0, index - 5) : index])
            return Mutant("pdf: digit", around, before[index], after[index], {name: changed})
    return None


@lru_cache(maxsize=4)
def _words(content: bytes) -> list[str]:
    import pypdfium2

    with pypdfium2.PdfDocument(content) as document:
        return " ".join(page.get_textpage().get_text_bounded() for page in document).split()


# ---------------------------------------------------------------- text objects


@dataclass(frozen=True)
class Cell:
    """Where a build read a cell: page from 1, and its box from the top of the page."""

    page: int
    row: str
    top: float
    bottom: float
    left: float
    right: float


def cells_of(reading: Reading) -> list[Cell]:
    """The cells that tests and tables rest on."""
    found = {}
    for value in reading.values.values():
        for source in value.sources:
            if source.table and source.row and source.page and source.bbox:
                left, top, right, bottom = source.bbox
                found[source.page, source.bbox] = Cell(source.page, source.row, top, bottom, left, right)
    return [found[key] for key in sorted(found)]


def object_mutant(name: str, content: bytes, kind: str, cells: list[Cell], rng: random.Random) -> Mutant | None:
    """One change of a text object on the page of a cell; None where the page has none of the kind or PDFium cannot say it."""
    import pypdfium2
    import pypdfium2.raw as raw

    if not cells:
        return None
    cell = rng.choice(cells)
    with pypdfium2.PdfDocument(content) as document:
        page = document[cell.page - 1]
        chosen, new = _OBJECTS[kind](_objects(page), page.get_height(), cell, rng)
        if not chosen:
            return None
        old = " ".join(text.strip() for _, text in chosen)
        where = f"page {cell.page}, row {cell.row}"
        for item, _ in chosen:
            if new:
                raw.FPDFText_SetText(item.raw, (ctypes.c_ushort * (len(new) + 1))(*map(ord, new), 0))
            else:
                page.remove_obj(item)
        raw.FPDFPage_GenerateContent(page)
        out = io.BytesIO()
        document.save(out)
    made = out.getvalue()
    if len(_words(made)) != len(_words(content)) and new:
        return None
    lost = kind in ("pdf: row lost", "pdf: cell lost")
    return Mutant(kind, where, old, new, {name: made}, must_tell=lost, matters=kind == "pdf: cell digit")


def resaved(content: bytes) -> bytes:
    """A PDF whose every page was written anew by PDFium, so that nothing but the fault differs."""
    import pypdfium2
    import pypdfium2.raw as raw

    with pypdfium2.PdfDocument(content) as document:
        for page in document:
            raw.FPDFPage_GenerateContent(page)
        out = io.BytesIO()
        document.save(out)
    return out.getvalue()


Objects = list[tuple[Any, str]]
"""Text objects of a page with their texts."""


def _objects(page: Any) -> Objects:
    import pypdfium2.raw as raw

    text = page.get_textpage()
    buffer = (ctypes.c_ushort * 2048)()
    found = []
    for item in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT]):
        size = raw.FPDFTextObj_GetText(item.raw, text.raw, buffer, 2048) // 2
        words = "".join(map(chr, buffer[: max(0, size - 1)]))
        if words.strip():
            found.append((item, words))
    return found


def _middle(item: Any, height: float) -> tuple[float, float]:
    left, bottom, right, top = item.get_bounds()
    return (left + right) / 2, height - (bottom + top) / 2


def _at(objects: Objects, height: float, cell: Cell) -> Objects:
    """The objects of a cell."""
    return [
        (item, text)
        for item, text in objects
        if cell.left <= _middle(item, height)[0] <= cell.right and cell.top <= _middle(item, height)[1] <= cell.bottom
    ]


def _cell_digit(objects: Objects, height: float, cell: Cell, rng: random.Random) -> tuple[Objects, str]:
    there = [(item, text) for item, text in _at(objects, height, cell) if any(sign.isdigit() for sign in text)]
    return (there, digit(there[0][1].rstrip(), rng)) if len(there) == 1 else ([], "")


def _cell_lost(objects: Objects, height: float, cell: Cell, rng: random.Random) -> tuple[Objects, str]:
    return _at(objects, height, cell), ""


def _row_lost(objects: Objects, height: float, cell: Cell, rng: random.Random) -> tuple[Objects, str]:
    middle = (cell.top + cell.bottom) / 2
    return [(item, text) for item, text in objects if abs(_middle(item, height)[1] - middle) < _LINE], ""


def _caption(objects: Objects, height: float, cell: Cell, rng: random.Random) -> tuple[Objects, str]:
    """A line of words above the table is lost."""
    lines: dict[int, Objects] = {}
    for item, text in objects:
        y = _middle(item, height)[1]
        if cell.top - _ABOVE < y < cell.top:
            lines.setdefault(round(y / _LINE), []).append((item, text))
    worded = [line for line in lines.values() if re.search(r"[A-Za-z]{3}", " ".join(text for _, text in line))]
    return (rng.choice(worded), "") if worded else ([], "")


def _mark(objects: Objects, height: float, cell: Cell, rng: random.Random) -> tuple[Objects, str]:
    """A small sign of the page is lost: the mark of a footnote."""
    small = [
        (item, text)
        for item, text in objects
        if re.fullmatch(r"\s*(?:\d{1,2}|\*{1,3})\s*", text) and item.get_bounds()[3] - item.get_bounds()[1] < 5.0
    ]
    return ([rng.choice(small)], "") if small else ([], "")


_OBJECTS: dict[str, Callable[[Objects, float, Cell, random.Random], tuple[Objects, str]]] = {
    "pdf: cell digit": _cell_digit, "pdf: cell lost": _cell_lost, "pdf: row lost": _row_lost, "pdf: caption": _caption,
    "pdf: mark": _mark,
}  # fmt: skip
OBJECT_KINDS = tuple(_OBJECTS)
