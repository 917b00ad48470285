"""The command line: `regc <command>`. Commands are modules of this folder, imported only when they are asked for."""

from __future__ import annotations

import logging
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import typer

from regc import __version__, registry
from regc.commands._docstring import first_line
from regc.errors import RegcError

_OWN = "main"


def main(argv: list[str] | None = None) -> None:
    """Entry point. Exit codes: 0 clean, 1 error findings, 2 the run failed."""
    if argv is not None:
        sys.argv = ["regc", *argv]
    arguments = sys.argv[1:]
    try:
        _application(arguments)(args=arguments, prog_name="regc")
    except RegcError as error:
        typer.echo(f"error: {error}", err=True)
        if error.hint:
            typer.echo(f"  next: {error.hint}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _application(arguments: list[str]) -> typer.Typer:
    """The application with the one command that is asked for; for a listing, all of them by name and first docstring line."""
    app = typer.Typer(callback=_root, no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    known = tuple(name for name in registry.names("commands") if name != _OWN)
    asked = next((argument for argument in arguments if not argument.startswith("-")), None)
    if asked is not None:
        registry.check(asked, known, what="regc")
        registry.load("commands", asked).register(app)
        return app
    for name in known:
        app.command(name, help=_summary(name))(_placeholder)
    return app


def _root(
    verbose: bool = typer.Option(False, "-v", "--verbose", help="log to stderr"),
    version: bool = typer.Option(False, "--version", help="print the version and stop", is_eager=True, callback=lambda v: _version(v)),
) -> None:
    """regc compiles vehicle-safety regulations into test cases and simulation files, each number traced to its place."""
    if verbose:
        logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(name)s: %(message)s")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


def _placeholder() -> None:
    """Stands for a command in a listing."""


def _summary(name: str) -> str:
    """First docstring line of a command module, read as text so that nothing is imported."""
    spec = find_spec(f"regc.commands.{name}")
    if spec is None or spec.origin is None:
        return ""
    return first_line(Path(spec.origin)).removeprefix(f"`regc {name}`: ").rstrip(".")


if __name__ == "__main__":
    main()
