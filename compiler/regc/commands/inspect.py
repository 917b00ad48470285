"""`regc inspect`: what was read from a regulation: clauses, tables, footnotes, references, repairs, findings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from regc.cache import Cache
from regc.cli.console import console, print_findings, print_json
from regc.cli.page_boxes import draw
from regc.cli.requests import Reader, open_document
from regc.link import link
from regc.model.document import Document, RefGraph, Table


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
