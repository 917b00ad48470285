"""`regc regulations`: the regulations and editions that there are."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from regc.commands._console import console, print_json
from regc.profiles import load_profile, regulation_names


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("regulations")(regulations)


def regulations(as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False) -> None:
    """List regulations, editions and families."""
    profiles = [load_profile(name) for name in regulation_names()]
    if as_json:
        print_json(
            [
                {"id": profile.id, "title": profile.title, "default_edition": profile.default_edition,
                 "editions": [{"id": item.id, "title": item.title, "wording": item.wording} for item in profile.editions],
                 "families": [item.name for item in profile.families], "categories": [item.id for item in profile.categories]}
                for profile in profiles
            ]
        )  # fmt: skip
        return
    out = console()
    for profile in profiles:
        out.print(f"[bold]{profile.id}[/] {escape(profile.title)}")
        for edition in profile.editions:
            default = " (default)" if edition.id == profile.default_edition else ""
            out.print(f"  edition {edition.id}{default}: {escape(edition.title)}, {edition.wording} wording")
        out.print(f"  families: {', '.join(family.name for family in profile.families)}")
        out.print(f"  categories: {', '.join(category.id for category in profile.categories)}")
        out.print(f"  official texts: {escape(profile.official_texts)}")
