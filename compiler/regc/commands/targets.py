"""`regc targets`: the targets, their options, and what a simulation tool takes."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.markup import escape
from rich.table import Table

from regc import plugins
from regc.cli.console import console, print_json
from regc.pipeline.request import Staging
from regc.plugins import TARGETS
from regc.resources import package_data
from regc.targets.openscenario import tools

#: Data files that a user may replace.
_EXAMPLES = ("layouts", "road_users", "test_track")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("targets")(targets_command)


def targets_command(
    target: Annotated[str | None, typer.Argument(help="a target (openscenario, carla, ...)")] = None,
    profile: Annotated[str | None, typer.Option(help="a tool: esmini-3, carla-0.9.16, carmaker-14, dyna4")] = None,
    example: Annotated[str | None, typer.Option(help="print a built-in data file: road_users, test_track, layouts")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """List targets, the options of one, or what a tool takes of it."""
    if example:
        example = example.replace("-", "_")
        files = {path.stem: path for path in package_data("data").glob("*.toml")}
        plugins.check(example, _EXAMPLES, what="data file")
        typer.echo(files[example].read_text("utf-8"), nl=False)
        return
    known = TARGETS.names()
    names = (plugins.check(target.replace("-", "_"), known, what="target"),) if target else known
    settings: dict[str, Any] = ({} if target else {"staging": _options_of(Staging)}) | {name: _options(name) for name in names}
    taken = tools.load(profile) if profile else None
    if as_json:
        print_json({"targets": settings, "profile": None if taken is None else taken.model_dump(mode="json")})
        return
    out = console()
    for name, options in settings.items():
        table = Table("flag", "default", "what", title=name, title_justify="left", box=None, pad_edge=False)
        for flag, option in options.items():
            table.add_row(f"--{flag}", escape(str(option["default"])), escape(option["description"]))
        out.print(table)
        if name in known:
            out.print(f"  {escape(TARGETS.summary(name))}")
    if taken is not None:
        out.print(f"{profile}: {taken.title}; OpenSCENARIO {', '.join(taken.openscenario)}; OpenDRIVE {', '.join(taken.opendrive)}")
        out.print(f"  known from: {escape(taken.source)}; version {escape(taken.version)}, as of {taken.date}")
        for rule in taken.refused:
            out.print(f"  [red]refused[/] {escape(rule.name)}: {escape(rule.reason)}")
        for rule in taken.ignored:
            out.print(f"  [yellow]ignored[/] {escape(rule.name)}: {escape(rule.reason)}")
        for without in taken.left_out:
            out.print(f"  [cyan]left out[/] {escape(without.title)}: {escape(without.reason)}")
    elif target == "openscenario":
        out.print(f"profiles: {', '.join(tools.names())} (--profile NAME says what the tool takes)")


def _options(name: str) -> dict[str, dict[str, Any]]:
    return _options_of(TARGETS.load(name).Options)


def _options_of(model: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """Flags of a target or of staging: default and description."""
    return {
        flag.replace("_", "-"): {
            "default": None if field.default is None else str(field.default),
            "description": field.description or "",
        }
        for flag, field in model.model_fields.items()
    }
