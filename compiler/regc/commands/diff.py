"""`regc diff`: which tests an amendment adds, drops or changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from regc import files
from regc.cli.console import console
from regc.cli.flags import Reader, request_of
from regc.errors import UnknownNameError
from regc.model.suite import Suite
from regc.pipeline.build import compile_regulation
from regc.report.diff import Diff, diff

#: Added or removed tests that the terminal names; --json and --html have them all.
_SHOWN = 12
#: Characters of a text or of places that the terminal shows.
_LENGTH = 100


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("diff")(compare)


def compare(
    before: Annotated[str, typer.Argument(metavar="REG@EDITION", help="the earlier edition")],
    after: Annotated[str, typer.Argument(metavar="REG@EDITION", help="the later edition")],
    source_a: Annotated[Path | None, typer.Option(help="official file of the earlier edition")] = None,
    source_b: Annotated[Path | None, typer.Option(help="official file of the later edition")] = None,
    reader: Reader = None,
    html: Annotated[Path | None, typer.Option(help="write the diff as one HTML file")] = None,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="exit with 1 where the tests differ")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Compare the tests of two editions: added, removed, changed, with places and numbers before and after."""
    compared = diff(_suite(before, source_a, reader), _suite(after, source_b, reader))
    if html:
        from regc.report.diff import page

        files.write(html, page(compared))
    if as_json:
        typer.echo(files.json_bytes(payload(compared)).decode(), nl=False)
    else:
        show(compared, console())
        if html:
            typer.echo(html.as_posix())
    differ = any(count for kind, count in compared.counts().items() if kind != "same")
    raise typer.Exit(1 if exit_code and differ else 0)


def payload(compared: Diff) -> dict[str, Any]:
    """The JSON of a diff: counts, pairs with changes, added and removed tests."""
    data: dict[str, Any] = json.loads(compared.model_dump_json(exclude_none=True))
    kinds = [pair.kind for pair in compared.pairs]
    data["pairs"] = [pair | {"kind": kind} for pair, kind in zip(data["pairs"], kinds, strict=True) if kind != "same"]
    return data | {"counts": compared.counts()}


def _suite(name: str, source: Path | None, reader: str | None) -> Suite:
    if not name.partition("@")[0]:
        raise UnknownNameError(f"{name!r}: no regulation", hint="write REG@EDITION: a regulation and one of its editions")
    return compile_regulation(request_of(name, source=source, reader=reader if source else None)).suite


def show(compared: Diff, out: Console) -> None:
    """Print counts, then each change with how many tests it touches, then what only one edition has."""
    counts = ", ".join(f"{count} {name}" for name, count in compared.counts().items())
    out.print(f"{escape(compared.before[0])} -> {escape(compared.after[0])}: {counts}")
    if compared.notes:
        out.print(f"[dim]{len(compared.notes)} notes on the editions, such as: {escape(_short(compared.notes[0]))}[/]")
    table = Table()
    for name in ("field", "before", "after", "tests", "for example"):
        table.add_column(name, overflow="fold", justify="right" if name == "tests" else "left")
    for members in compared.by_change():
        change, pair = members[0]
        sides = (change.before, change.after)
        before, after = ("\n".join(_short(part) for part in (side.text, side.where()) if part) for side in sides)
        table.add_row(escape(change.field), escape(before), escape(after), str(len(members)), escape(pair.after))
    if table.row_count:
        out.print(table)
    for name, tests in (("added", compared.added), ("removed", compared.removed)):
        for test in tests[:_SHOWN]:
            limit = next((side for field, side in test.numbers if field.startswith("require.")), None)
            told = f": {limit.text}" if limit else ""
            out.print(f"{name} {escape(test.id)}, paragraph {test.clause}{escape(told)}", soft_wrap=True)
        if len(tests) > _SHOWN:
            out.print(f"... {len(tests) - _SHOWN} more {name}")
    out.print("[dim]--json or --html FILE has everything in full: notes, places, all tests[/]")


def _short(text: str) -> str:
    """One line of a text: what it says first, up to a length that a table bears."""
    first = " ".join(text.split())
    return first if len(first) <= _LENGTH else first[: _LENGTH - 1].rstrip() + "…"
