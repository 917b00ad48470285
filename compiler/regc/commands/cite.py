"""`regc cite`: what a place of a profile reads: its value, the sentence, the page, and what else stands there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from regc.cache import Cache
from regc.cli.console import console, print_json
from regc.cli.flags import Reader, open_document, request_of
from regc.lang.citation import citation
from regc.lang.load import load_frame
from regc.model.document import Document
from regc.pipeline.documents import load_document
from regc.pipeline.profiles import check_text, profile_folder


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("cite")(cite_command)


def cite_command(
    regulation: Annotated[str, typer.Argument(help="regulation id, a folder with a profile.toml, or a document alone")],
    place: Annotated[str, typer.Argument(help="'[address: words]', as a profile writes it, for example '[6.4: at least _ seconds]'")],
    source: Annotated[Path | None, typer.Option(help="the document; the embedded text without it")] = None,
    reader: Reader = None,
    edition: Annotated[str | None, typer.Option(help="edition id")] = None,
    kind: Annotated[
        str, typer.Option("--type", help="the type that is wanted: speed, time, 'tolerance of speed', ...; any without it")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="print it as JSON")] = False,
) -> None:
    """Show what a place reads."""
    document, names = _opened(regulation, source, edition, reader)
    cited = citation(document, place, kind, names)
    if as_json:
        print_json(cited.model_dump(mode="json", exclude_none=True))
        return
    out = console()
    out.print(f"{place} reads {cited.reads}", markup=False)
    for source_ref in cited.sources:
        out.print(f"  at {source_ref.label()}: {source_ref.quote}", markup=False)
    out.print(f"  sentence: {cited.sentence}", markup=False)
    for rival in cited.rivals:
        out.print(f"  also there: {rival}", markup=False)


def _opened(regulation: str, source: Path | None, edition: str | None, reader: str | None) -> tuple[Document, dict[str, str]]:
    """The document and the profile's short names of places; of a profile only what says which document it is of, since places are
    looked up while its tests are still being written."""
    if Path(regulation).is_file():
        return open_document(regulation, source, edition, Cache(), reader=reader), {}
    request = request_of(regulation, edition=edition, source=source)
    folder = profile_folder(request.regulation)
    frame = load_frame(folder, request.edition)
    check_text(frame, folder)
    document = load_document(frame, folder, source, Cache(), reader=reader)
    return document, {str(name): str(address) for name, address in frame.place.items()}
