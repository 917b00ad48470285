"""`regc show`: one clause with its tables drawn, its footnotes, and its references in and out."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from regc.cache import Cache
from regc.cli.console import console, draw_table, print_json
from regc.cli.flags import Reader, open_document
from regc.errors import UnknownNameError
from regc.link import link
from regc.model.document import Clause, Document, RefGraph


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("show")(show)


def show(
    what: Annotated[str, typer.Argument(metavar="REG|FILE", help="a regulation id, or a file")],
    clause: Annotated[str, typer.Argument(help="number or id of a clause, in quotes where it has spaces")],
    source: Annotated[Path | None, typer.Option(help="your official file, with a regulation id")] = None,
    reader: Reader = None,
    edition: Annotated[str | None, typer.Option(help="edition id")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Show one clause."""
    document = open_document(what, source, edition, Cache(), reader=reader)
    graph, _ = link(document)
    shown = _find(document, clause)
    if as_json:
        incoming = [item.model_dump(mode="json") for item in graph.references if item.target == shown.id]
        outgoing = [item.model_dump(mode="json") for item in graph.references if item.source == shown.id]
        tables = [table.model_dump(mode="json") for table in document.tables if table.clause == shown.id]
        print_json({"clause": shown.model_dump(mode="json"), "tables": tables, "references": {"in": incoming, "out": outgoing}})
    else:
        _print(console(), document, graph, shown)


def _find(document: Document, asked: str) -> Clause:
    wanted = asked.rstrip(".")
    exact = document.clause(wanted)
    if exact is None:
        ids = [clause.id for clause in document.clauses]
        near = difflib.get_close_matches(wanted, ids, n=3)
        inside = [id for id in ids if id.startswith(f"{wanted}.")][:5]
        hint = f"near it: {', '.join(dict.fromkeys(near + inside))}" if near or inside else "regc inspect lists all"
        raise UnknownNameError(f"{document.id}: no clause {asked!r}", hint=hint)
    return exact


def _print(out: Console, document: Document, graph: RefGraph, clause: Clause) -> None:
    pages = f" (page {', '.join(str(page) for page in clause.pages)})" if clause.pages else ""
    out.print(f"[bold]{escape(clause.id)}[/] {escape(clause.title or '')}{pages}")
    children = [item for item in document.clauses if item.parent == clause.id]
    tables = [table for table in document.tables if table.clause == clause.id]
    start = 0
    for table in sorted(tables, key=lambda table: table.offset):
        _text(out, clause.text[start : table.offset])
        start = table.offset
        draw_table(out, table, [note for note in document.footnotes if table.id in note.anchors])
    _text(out, clause.text[start:])
    for child in children:
        out.print(f"  {escape(child.id)} {escape(child.title or child.text[:70])}")
    for reference in graph.references:
        if reference.source == clause.id:
            out.print(f"[cyan]->[/] {escape(reference.target or 'unresolved')} [dim]({reference.kind}: {escape(reference.quote)})[/]")
    for reference in graph.references:
        if reference.target == clause.id:
            out.print(f"[cyan]<-[/] {escape(reference.source)} [dim]({escape(reference.quote)})[/]")


def _text(out: Console, text: str) -> None:
    if text.strip():
        out.print(escape(text.strip()))
