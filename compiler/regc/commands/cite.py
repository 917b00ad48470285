"""`regc cite`: what a place of a profile reads: its value, the sentence, the page, and what else stands there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from regc.cache import Cache
from regc.commands._console import console, print_json
from regc.commands._requests import Reader, request_of
from regc.lang.reading import citation
from regc.profiles import load_profile, profile_folder
from regc.source import load_document


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("cite")(cite_command)


def cite_command(
    regulation: Annotated[str, typer.Argument(help="regulation id, or a folder with a profile.toml")],
    place: Annotated[str, typer.Argument(help="'[address: words]', as a profile writes it, for example '[6.4: at least _ seconds]'")],
    source: Annotated[Path | None, typer.Option(help="the document; the embedded text without it")] = None,
    reader: Reader = None,
    edition: Annotated[str | None, typer.Option(help="edition id")] = None,
    kind: Annotated[str, typer.Option("--type", help="the type that is wanted: speed, time, length, ...; any without it")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="print it as JSON")] = False,
) -> None:
    """Show what a place reads."""
    request = request_of(regulation, edition=edition, source=source)
    profile = load_profile(request.regulation, request.edition)
    document = load_document(profile, profile_folder(request.regulation), source, Cache(), reader=reader)
    found = citation(document, place, kind, {str(name): str(address) for name, address in profile.place.items()})
    if as_json:
        print_json(found.model_dump(mode="json", exclude_none=True))
        return
    out = console()
    out.print(f"{place} reads {found.reads}", markup=False)
    for source_ref in found.sources:
        out.print(f"  at {source_ref.label()}: {source_ref.quote}", markup=False)
    out.print(f"  sentence: {found.sentence}", markup=False)
    for rival in found.rivals:
        out.print(f"  also there: {rival}", markup=False)
