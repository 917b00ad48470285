"""`regc graph`: the cross-reference graph as DOT, GraphML or JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import networkx as nx
import typer

from regc.cache import Cache
from regc.cli.console import print_json
from regc.cli.flags import Reader, open_document
from regc.link import link
from regc.model.document import RefGraph


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("graph")(graph)


def graph(
    what: Annotated[str, typer.Argument(metavar="REG|FILE", help="a regulation id, or a file")],
    form: Annotated[Literal["dot", "graphml", "json"], typer.Option("--format", help="what to print")] = "dot",
    source: Annotated[Path | None, typer.Option(help="your official file, with a regulation id")] = None,
    reader: Reader = None,
    edition: Annotated[str | None, typer.Option(help="edition id")] = None,
) -> None:
    """Print the cross-reference graph."""
    made, _ = link(open_document(what, source, edition, Cache(), reader=reader))
    if form == "json":
        unresolved = [item.model_dump(mode="json") for item in made.references if item.target is None]
        print_json({**nx.node_link_data(made.to_networkx(), edges="edges"), "unresolved": unresolved})
    elif form == "graphml":
        sys.stdout.write("\n".join(nx.generate_graphml(made.to_networkx())) + "\n")
    else:
        sys.stdout.write(dot(made))


def dot(made: RefGraph) -> str:
    """The graph in the DOT language; external documents are boxes."""
    quoted = made.to_networkx()
    lines = [f"digraph {_quote(made.document)} {{", "  rankdir=LR;"]
    for node, data in quoted.nodes(data=True):
        shape = {"external": "box", "table": "note", "footnote": "plain"}.get(data["kind"], "ellipse")
        lines.append(f"  {_quote(node)} [shape={shape}];")
    for start, end, data in quoted.edges(data=True):
        lines.append(f"  {_quote(start)} -> {_quote(end)} [label={_quote(data['kind'])}];")
    return "\n".join([*lines, "}"]) + "\n"


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
