"""`regc verify`: every number of a build folder read again in the document, calculated again, all other bytes by the manifest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from regc.cache import Cache
from regc.cli.console import console, print_findings, print_json
from regc.cli.flags import Reader
from regc.errors import RegcError, SourceError, UnknownNameError
from regc.files import MANIFEST, read_manifest
from regc.model.document import Document
from regc.pipeline import documents
from regc.pipeline.profiles import profile_folder
from regc.pipeline.rebuilt import CannotBuildAgainError, build_again
from regc.verify import Verified, verify


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify")(verify_command)


def verify_command(
    folder: Annotated[Path, typer.Argument(help="folder of a build (the one with manifest.json)")],
    source: Annotated[Path | None, typer.Option(help="the document that it was built from; the embedded text without it")] = None,
    reader: Reader = None,
    profile: Annotated[
        Path | None, typer.Option(help="folder of a regulation of your own; an installed one is found by its name")
    ] = None,
    own: Annotated[
        list[Path] | None,
        typer.Option("--with", help="a file or folder of your own that the build or its report was made with; may be repeated"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print every difference as JSON")] = False,
) -> None:
    """Read every number of a build folder again in the document, and build it a second time; exit code 1 where one differs."""
    verified = _built_again(verify(folder, _document(folder, source, reader, profile)), folder, source, profile, own or ())
    if as_json:
        print_json(summary(verified))
    else:
        out = console()
        print_findings(out, [item.finding() for item in verified.differences], rest="--json lists all")
        out.print(verified.line)
    raise typer.Exit(0 if verified.clean else 1)


def _built_again(verified: Verified, folder: Path, source: Path | None, profile: Path | None, own: Sequence[Path]) -> Verified:
    """With what a second build writes otherwise, and how many files it wrote alike. A file that is named already is not named twice."""
    if any(item.code == "V568" for item in verified.differences):
        return verified  # another document
    manifest = read_manifest(folder)
    try:
        again = build_again(folder, manifest, str(profile or manifest["regulation"]), source, own, Cache())
    except CannotBuildAgainError as error:
        return verified.model_copy(update={"again": f"not built again: {error}"})
    named = {item.file for item in verified.differences}
    more = tuple(item for item in again.differences if item.file not in named)
    return verified.model_copy(update={"differences": (*verified.differences, *more), "again": again.line})


def summary(verified: Verified) -> dict[str, Any]:
    """What was computed and every difference, for `--json`."""
    return {**verified.model_dump(mode="json"), "clean": verified.clean, "line": verified.line}


def _document(folder: Path, source: Path | None, reader: str | None, profile: Path | None) -> Document:
    """The document that a folder was built from. Raises RegcError for a folder without a manifest, SourceError where none is given."""
    manifest = read_manifest(folder)
    try:
        regulation, edition, wording = (str(manifest[key]) for key in ("regulation", "edition", "wording"))
        name, read_by = Path(str(manifest["source"]["name"])).name, str(manifest["source"]["reader"])
    except (KeyError, TypeError) as error:
        raise RegcError(
            f"{folder}: no {MANIFEST} of a build that can be read", hint="give the folder that regc build wrote, out/REGULATION-EDITION"
        ) from error
    path = source
    if path is None:
        if wording != "embedded":
            raise SourceError(f"{folder} was built from a file of its own: {name}", hint="give it with --source FILE")
        try:
            path = profile_folder(str(profile or regulation)) / name
        except UnknownNameError as error:
            told = f"{folder} was built from {name} of a regulation that is not installed"
            raise SourceError(told, hint="give its folder with --profile FOLDER") from error
    if reader is None and path.suffix.lower() == Path(name).suffix.lower():
        reader = read_by
    held = "embedded" if wording == "embedded" else "official"
    return documents.read(path, Cache(), id=regulation, edition=edition, title=regulation, wording=held, reader=reader)  # type: ignore[arg-type]
