"""`regc list`: what can be chosen at each stage: readers, manoeuvres, targets, engines, retrievers, embedders."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

from regc import plugins
from regc.cli.console import console, print_json
from regc.engines import ENGINES
from regc.lang.vocabulary import vocabulary
from regc.plugins import EMBEDDERS, READERS, RETRIEVERS, TARGETS, Kind, summary

_KINDS: dict[str, Kind[Any]] = {kind.folder: kind for kind in (READERS, TARGETS, RETRIEVERS, EMBEDDERS)}
STAGES = ("readers", "manoeuvres", "targets", "engines", "retrieve", "embed")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("list")(list_stage)


def list_stage(
    stage: Annotated[str | None, typer.Argument(help=f"one of {', '.join(STAGES)}; all without it")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """List what there is, by file name, without importing it."""
    stages = (plugins.check(stage, STAGES, what="stage"),) if stage else STAGES
    listed = {name: {item: summary(module) for item, module in _modules(name).items()} for name in stages}
    if as_json:
        print_json(listed)
        return
    out = console()
    for name, items in listed.items():
        out.print(f"[bold]{name}[/]")
        for item, said in items.items():
            out.print(f"  {item:<22} {escape(said)}")


def _modules(stage: str) -> dict[str, str]:
    """What there is of a stage with its module; of the modules of manoeuvres and engines those that help others are left out."""
    if stage in _KINDS:
        return {name: _KINDS[stage].module(name) for name in _KINDS[stage].names()}
    names = sorted(vocabulary().manoeuvres) if stage == "manoeuvres" else ENGINES
    return {name: f"regc.{stage}.{name}" for name in names}
