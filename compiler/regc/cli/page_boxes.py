"""Pictures of a PDF's pages with what was recognised drawn on them: clauses, tables, cells, marks, figures, formulas, notes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regc.errors import MissingExtraError, SourceError
from regc.model.document import Document
from regc.model.source import Bbox

_DPI = 110
_COLOURS = {
    "clause": (120, 120, 120),
    "table": (0, 70, 200),
    "cell": (120, 170, 255),
    "mark": (220, 0, 0),
    "figure": (0, 140, 60),
    "formula": (140, 0, 160),
    "footnote": (220, 120, 0),
}


@dataclass(frozen=True)
class PageBox:
    """Something recognised on a page: a kind of `_COLOURS`, where it stands, and what is written beside it."""

    kind: str
    bbox: Bbox
    label: str = ""


def boxes(document: Document) -> dict[int, list[PageBox]]:
    """What is drawn on each page (1-based), in PDF points from the top left of the page as it is read."""
    found: dict[int, list[PageBox]] = defaultdict(list)
    for page, box in _boxes(document):
        found[page].append(box)
    return dict(found)


def _boxes(document: Document) -> Iterator[tuple[int, PageBox]]:
    for clause in document.clauses:
        for index, line in enumerate(clause.lines):
            yield line.page, PageBox("clause", line.bbox, clause.id if index == 0 else "")
    for table in document.tables:
        areas: dict[int, list[Bbox]] = defaultdict(list)
        for row in table.rows:
            for cell in row:
                if cell.page is None or cell.bbox is None:
                    continue
                areas[cell.page].append(cell.bbox)
                yield cell.page, PageBox("cell", cell.bbox)
                if cell.marks:
                    yield cell.page, PageBox("mark", cell.bbox, " ".join(cell.marks))
        for page, cells in areas.items():
            yield page, PageBox("table", _around(cells), f"{table.id}: {len(table.rows)} x {len(table.columns)}")
    for figure in document.figures:
        if figure.page is not None and figure.bbox is not None:
            yield figure.page, PageBox("figure", figure.bbox, figure.caption or f"figure in {figure.clause}")
    for formula in document.formulas:
        if formula.page is not None and formula.bbox is not None:
            yield formula.page, PageBox("formula", formula.bbox, "formula")
    for note in document.footnotes:
        if note.page is not None and note.bbox is not None:
            yield note.page, PageBox("footnote", note.bbox, note.id)


def _around(cells: list[Bbox]) -> Bbox:
    return min(c[0] for c in cells), min(c[1] for c in cells), max(c[2] for c in cells), max(c[3] for c in cells)


def draw(document: Document, source: Path, folder: Path) -> list[Path]:
    """One PNG a page into `folder`. Raises SourceError for what is no PDF, MissingExtraError without Pillow."""
    content = source.read_bytes()
    if not content.lstrip().startswith(b"%PDF"):
        raise SourceError(f"{source.name}: pictures can be made of a PDF only", hint="give the PDF, or leave --pictures out")
    try:
        import pypdfium2
        from PIL import ImageDraw, ImageFont
    except ImportError as error:
        raise MissingExtraError("pictures of pages need Pillow", extra="report") from error
    from regc.readers.pdf import page_turns

    turns = page_turns(content, source.name)
    drawn = boxes(document)
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    scale = _DPI / 72
    font = ImageFont.load_default(size=11)
    pdf = pypdfium2.PdfDocument(content)
    try:
        for index, turn in enumerate(turns):
            page = pdf[index]
            page.set_rotation(0)
            image = page.render(scale=scale).to_pil().convert("RGB").rotate(-90 * turn, expand=True)
            pen = ImageDraw.Draw(image)
            for box in sorted(drawn.get(index + 1, ()), key=lambda box: list(_COLOURS).index(box.kind)):
                _draw(pen, box, scale, font)
            path = folder / f"page-{index + 1:03d}.png"
            image.save(path)
            made.append(path)
    finally:
        pdf.close()
    return made


def _draw(pen: Any, box: PageBox, scale: float, font: Any) -> None:
    colour = _COLOURS[box.kind]
    x0, top, x1, bottom = (value * scale for value in box.bbox)
    if box.kind == "clause":
        pen.line((x0, bottom, x1, bottom), fill=colour)
    else:
        pen.rectangle((x0, top, x1, bottom), outline=colour, width=2 if box.kind in ("table", "figure") else 1)
    if box.label:
        place = (x1 + 2, top) if box.kind == "mark" else (max(x0 - 45, 0), top) if box.kind == "clause" else (x0, top - 13)
        pen.text(place, box.label, fill=colour, font=font)
