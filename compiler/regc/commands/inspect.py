"""`regc inspect`: what was read from a regulation: clauses, tables, footnotes, references, repairs, findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from regc.cache import Cache
from regc.cli.console import console, print_findings, print_json
from regc.cli.flags import Reader, open_document
from regc.errors import MissingExtraError, SourceError
from regc.link import link
from regc.model.document import Document, RefGraph, Table
from regc.model.source import Bbox


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("inspect")(inspect)


def inspect(
    what: Annotated[str, typer.Argument(metavar="REG|FILE", help="a regulation id, or a file")],
    source: Annotated[Path | None, typer.Option(help="your official file, with a regulation id")] = None,
    reader: Reader = None,
    edition: Annotated[str | None, typer.Option(help="edition id")] = None,
    pictures: Annotated[
        Path | None, typer.Option(metavar="DIR", help="of a PDF: a picture of each page with what was recognised drawn on it")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print everything as JSON")] = False,
) -> None:
    """Show what was read."""
    document = open_document(what, source, edition, Cache(), reader=reader)
    graph, findings = link(document)
    document = document.model_copy(update={"findings": document.findings + findings})
    if pictures is not None:
        drawn = draw(document, source or Path(what), pictures)
        if not as_json:
            console().print(f"wrote {len(drawn)} pictures to {escape(str(pictures))}")
    if as_json:
        print_json(as_data(document, graph))
    else:
        _print(document, graph)
    raise typer.Exit(1 if any(finding.severity == "error" for finding in document.findings) else 0)


def as_data(document: Document, graph: RefGraph) -> dict[str, Any]:
    """Everything for scripts. `clauses` are the numbered paragraphs; unnumbered text stands in `sections`."""
    clauses = [
        {"id": clause.id, "region": clause.region, "number": clause.number, "title": clause.title, "text": clause.text,
         "items": [item.model_dump(mode="json") | {"label": item.label} for item in clause.items], "headings": clause.headings,
         "parent": clause.parent,
         "tables": clause.tables, "footnotes": clause.footnotes, "pages": clause.pages}
        for clause in document.clauses
    ]  # fmt: skip
    return {
        "id": document.id,
        "title": document.title,
        "edition": document.edition,
        "wording": document.wording,
        "reader": document.reader,
        "sha256": document.sha256,
        "clauses": [clause for clause in clauses if clause["number"] is not None],
        "sections": [clause for clause in clauses if clause["number"] is None],
        "tables": [_table(table) for table in document.tables],
        "footnotes": [note.model_dump(mode="json") for note in document.footnotes],
        "figures": [figure.model_dump(mode="json") for figure in document.figures],
        "formulas": [formula.model_dump(mode="json") for formula in document.formulas],
        "references": [reference.model_dump(mode="json") for reference in graph.references],
        "repairs": [repair.model_dump(mode="json") for repair in document.repairs],
        "findings": [finding.model_dump(mode="json", exclude_none=True) for finding in document.findings],
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "id": table.id,
        "clause": table.clause,
        "caption": table.caption,
        "unit_note": table.unit_note,
        "columns": table.columns,
        "rows": [[cell.text for cell in row] for row in table.rows],
        "marks": [
            {"row": number, "column": column, "marks": cell.marks}
            for number, row in enumerate(table.rows)
            for column, cell in enumerate(row)
            if cell.marks
        ],
        "column_marks": table.column_marks,
        "footnotes": table.footnotes,
        "pages": table.pages,
    }


def _print(document: Document, graph: RefGraph) -> None:
    out = console()
    regions: dict[str, int] = {}
    for clause in document.clauses:
        if clause.number is not None:
            regions[clause.region] = regions.get(clause.region, 0) + 1
    counts = ", ".join(f"{count} in {region}" for region, count in regions.items())
    out.print(f"{escape(document.title)}  ({document.source_name}, read by {document.reader}, sha256 {document.sha256[:8]})")
    out.print(f"paragraphs: {counts}")
    out.print(f"tables: {len(document.tables)}")
    for table in document.tables:
        marks = f", footnote {', '.join(table.footnotes)}" if table.footnotes else ""
        pages = f", page {'-'.join(str(page) for page in table.pages)}" if table.pages else ""
        out.print(f"  {table.id}: {escape(table.caption or 'no caption')} ({len(table.rows)} x {len(table.columns)}{marks}{pages})")
    anchored = sum(bool(note.anchors) for note in document.footnotes)
    out.print(f"footnotes: {len(document.footnotes)}, {anchored} bound to their place")
    if document.figures or document.formulas:
        out.print(f"apart from the text: {len(document.figures)} figures, {len(document.formulas)} formulas")
    kinds: dict[str, int] = {}
    for reference in graph.references:
        kind = "unresolved" if reference.target is None else reference.kind
        kinds[kind] = kinds.get(kind, 0) + 1
    out.print("references: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    out.print(f"repairs: {len(document.repairs)}")
    for repair in document.repairs:
        out.print(f"  {escape(repair.place)}: {escape(repair.before)!r} -> {escape(repair.after)!r}: {escape(repair.reason)}")
    print_findings(out, document.findings, every=True)
    out.print(f"[dim]a clause with its tables and references: regc show {document.id} NUMBER[/]")


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
    by_page: dict[int, list[PageBox]] = defaultdict(list)
    for page, box in _boxes(document):
        by_page[page].append(box)
    return dict(by_page)


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
