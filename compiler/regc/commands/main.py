"""The command line: `regc <command>`. Commands are modules of this folder, imported only when they are asked for."""

from __future__ import annotations

import difflib
import os
import sys
from typing import Any

import click
import typer
from typer.core import TyperGroup

from regc import __version__, registry
from regc.errors import RegcError

#: One line a command, so that `regc --help` imports none of them: the first line of the module's docstring.
_OWN = "main"


class LazyGroup(TyperGroup):
    """Lists commands by file name and imports only the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Public modules of the folder, without this one."""
        return [name for name in registry.names("commands") if name != _OWN]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported; for a listing only its first docstring line is read."""
        if cmd_name not in self.list_commands(ctx):
            near = difflib.get_close_matches(cmd_name, self.list_commands(ctx), n=1)
            raise click.UsageError(f"no command {cmd_name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        if _listing(ctx):
            return click.Command(cmd_name, help=_summary(cmd_name))
        module = registry.load("commands", cmd_name)
        app = typer.Typer()
        module.register(app)
        command = typer.main.get_command(app)
        if isinstance(command, click.Group) and list(command.commands) == [cmd_name]:
            command = command.commands[cmd_name]
        command.name = cmd_name
        return command


def _listing(ctx: click.Context) -> bool:
    """Whether only names and summaries are wanted (`regc`, `regc --help`)."""
    return ctx.invoked_subcommand is None and not ctx.args and not getattr(ctx, "_protected_args", None)


def _summary(name: str) -> str:
    """First docstring line of a command module, read as text."""
    import ast
    from importlib.util import find_spec

    spec = find_spec(f"regc.commands.{name}")
    if spec is None or spec.origin is None:
        return ""
    with open(spec.origin, encoding="utf-8") as stream:  # noqa: PTH123 - a plain read, no pathlib import needed
        return (ast.get_docstring(ast.parse(stream.read())) or "").split("\n")[0]


app = typer.Typer(cls=LazyGroup, no_args_is_help=True, add_completion=False, rich_markup_mode=None)


@app.callback()
def _root(
    verbose: bool = typer.Option(False, "-v", "--verbose", help="log to stderr"),
    version: bool = typer.Option(False, "--version", help="print the version and stop"),
) -> None:
    """regc compiles vehicle-safety regulations into test cases and simulation files, each number traced to its place."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
    if verbose:
        import logging

        logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(name)s: %(message)s")


def main(argv: list[str] | None = None) -> Any:
    """Entry point. Exit codes: 0 clean, 1 error findings, 2 the run failed."""
    command = typer.main.get_command(app)
    try:
        code = command.main(args=argv, prog_name="regc", standalone_mode=False)
    except RegcError as error:
        typer.echo(f"error: {error}", err=True)
        if error.hint:
            typer.echo(f"  next: {error.hint}", err=True)
        sys.exit(2)
    except click.exceptions.Abort:
        typer.echo("stopped", err=True)
        sys.exit(2)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)


if __name__ == "__main__":
    main()
