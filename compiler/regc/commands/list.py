"""`regc list`: what can be chosen at each stage: readers, manoeuvres, targets, engines, retrievers, embedders."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from regc import registry
from regc.commands._console import console, print_json
from regc.commands._docstring import summary
from regc.engines import ENGINES
from regc.lang.vocabulary import vocabulary

STAGES = ("readers", "manoeuvres", "targets", "engines", "retrieve", "embed")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("list")(list_stage)


def list_stage(
    stage: Annotated[str | None, typer.Argument(help=f"one of {', '.join(STAGES)}; all without it")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """List what there is, by file name, without importing it."""
    stages = (registry.check(stage, STAGES, what="stage"),) if stage else STAGES
    found = {name: {item: summary(name, item) for item in _names(name)} for name in stages}
    if as_json:
        print_json(found)
        return
    out = console()
    for name, items in found.items():
        out.print(f"[bold]{name}[/]")
        for item, said in items.items():
            out.print(f"  {item:<22} {escape(said)}")


def _names(stage: str) -> tuple[str, ...]:
    """What there is of a stage; of the modules of manoeuvres and engines those that help others are left out."""
    if stage == "manoeuvres":
        return tuple(sorted(vocabulary().manoeuvres))
    return ENGINES if stage == "engines" else registry.names(stage)
