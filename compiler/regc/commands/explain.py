"""`regc explain`: what a finding's code means, why it matters, and an example."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from regc import plugins
from regc.catalogue import codes, moved
from regc.cli.console import console, print_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain)


def explain(
    code: Annotated[str | None, typer.Argument(help="a code such as L204; all codes without it")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Explain a finding's code."""
    known = codes()
    if code is not None and code.upper() in moved():
        went = moved()[code.upper()]
        if as_json:
            print_json({code.upper(): {"moved": went}})
        else:
            console().print(f"{code.upper()} is a code of an earlier version: {escape(went)}")
        return
    if code is not None:
        plugins.check(code.upper(), tuple(known), what="code")
        known = {code.upper(): known[code.upper()]}
    if as_json:
        print_json({name: entry.model_dump(mode="json", exclude={"code"}) for name, entry in known.items()})
        return
    out = console()
    if code is None:
        for name, entry in known.items():
            out.print(f"{name}  {escape(entry.title)}")
        return
    for name, entry in known.items():
        out.print(f"[bold]{name}[/] {escape(entry.title)} ({' or '.join(entry.severity)})\n")
        out.print(f"What it means: {escape(entry.means)}\n")
        out.print(f"Why it matters: {escape(entry.matters)}\n")
        out.print(f"Example: {escape(entry.example)}")
        if entry.hint:
            out.print(f"\nNext: {escape(entry.hint)}")
