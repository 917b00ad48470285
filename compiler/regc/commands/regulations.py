"""`regc regulations`: the regulations and editions that there are."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape

from regc.cli.console import console, print_json
from regc.lang import Profile
from regc.lang import load_profile as load_file
from regc.pipeline.profiles import edition_files, profile_folder, regulation_names


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("regulations")(regulations)


def regulations(as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False) -> None:
    """List regulations, editions, tests and axes."""
    profiles = {name: [load_file(path) for path in edition_files(profile_folder(name)).values()] for name in regulation_names()}
    if as_json:
        print_json([_row(name, editions) for name, editions in profiles.items()])
        return
    out = console()
    for name, editions in profiles.items():
        first = editions[0]
        out.print(f"[bold]{name}[/] {escape(str(first.title))}")
        for profile in editions:
            default = " (default)" if profile is first else ""
            out.print(f"  edition {profile.edition}{default}: {escape(str(profile.title))}")
        out.print(f"  tests: {', '.join(str(test.name) for test in first.tests)}")
        for axis, spec in first.axis.items():
            out.print(f"  axis {axis}: {escape(', '.join(map(str, spec.values)))}")
        if first.declare:
            out.print(f"  declared by the applicant: {', '.join(map(str, first.declare))}")


def _row(name: str, editions: list[Profile]) -> dict[str, Any]:
    first = editions[0]
    return {
        "id": name,
        "title": str(first.title),
        "default_edition": str(first.edition),
        "editions": [{"id": str(profile.edition), "title": str(profile.title)} for profile in editions],
        "tests": [str(test.name) for test in first.tests],
        "axes": {str(axis): [str(value) for value in spec.values] for axis, spec in first.axis.items()},
        "declared": [str(name) for name in first.declare],
    }
