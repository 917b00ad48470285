"""The command line: `regc <command>`. Commands are modules of regc/commands, imported only when they are asked for."""

from __future__ import annotations

import gc
import io
import logging
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import typer

from regc import __version__, plugins
from regc.cli import usage
from regc.errors import RegcError
from regc.plugins import COMMANDS

#: A command makes millions of small objects and few circles of them; looking for circles as often as Python does by default takes a
#: tenth of a build.
_COLLECT = (500_000, 20, 50)
#: What typer exits with where Ctrl-C falls into a running command.
_INTERRUPTED = 130


def main(argv: list[str] | None = None) -> None:
    """Entry point. Exit codes: 0 clean, 1 error findings, 2 the run failed, 130 stopped by Ctrl-C."""
    if argv is not None:
        sys.argv = ["regc", *argv]
    gc.set_threshold(*_COLLECT)
    arguments = sys.argv[1:]
    _prepare_streams()
    try:
        try:
            code = typer.main.get_command(_application(arguments))(args=arguments, prog_name="regc", standalone_mode=False)
        finally:
            sys.stdout.flush()
    except RegcError as error:
        _tell(error)
        sys.exit(2)
    except (KeyboardInterrupt, typer.Abort):
        _stopped()
    except usage.UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()  # type: ignore[attr-defined]
            sys.exit(2)
        command = usage.command_of(error)
        _refuse(f"regc {command}: {usage.wrong(error)}".replace(" :", ":"), usage.step(command))
    except BrokenPipeError:
        _drop_output()
        sys.exit(1)
    except OSError as error:
        _drop_output()
        _refuse(f"{error.filename or 'output'}: {error.strerror or error}", "check the path, the permission and the space on the disk")
    except RecursionError:
        _refuse("the input is nested too deep to be read", "give the file as its publisher or converter wrote it")
    except MemoryError:
        _refuse("not enough memory for this input", "give a smaller part of the file")
    except Exception as error:
        logging.getLogger("regc").info("internal error", exc_info=True)
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        _refuse(f"internal error: {type(error).__name__}: {error} ({where})", "report it with the command and the input; -v shows more")

    if code == _INTERRUPTED:
        _stopped()
    sys.exit(code if isinstance(code, int) else 0)


def _stopped() -> NoReturn:
    typer.echo("stopped", err=True)
    sys.exit(_INTERRUPTED)


def _tell(error: RegcError) -> None:
    """An error with its next step; a fault of a profile as findings are told, with code and place."""
    from regc.lang.faults import ProfileError

    if isinstance(error, ProfileError):
        from regc.cli.console import console, print_findings

        print_findings(console(stderr=True), error.findings())
        return
    typer.echo(f"error: {error}", err=True)
    if error.hint:
        typer.echo(f"  next: {error.hint}", err=True)


def _refuse(message: str, hint: str) -> NoReturn:
    typer.echo(f"error: {message}", err=True)
    typer.echo(f"  next: {hint}", err=True)
    sys.exit(2)


def _prepare_streams() -> None:
    """A closed stream takes nothing; signs that a terminal's encoding does not have are written as escapes ("\\xb0")."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Nobody reads standard output, or it is full: what is still to be written goes nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _application(arguments: list[str]) -> typer.Typer:
    """The application with the one command that is asked for; for a listing, all of them by name and first docstring line."""
    app = typer.Typer(
        callback=_root,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    asked = next((argument for argument in arguments if not argument.startswith("-")), None)
    typed = _typed()
    if asked is None and typed is not None:
        # a shell asks what may come next: the options of the command that stands there, else the commands
        asked = next((word for word in typed if COMMANDS.has(word)), None)
    if asked is not None:
        if not COMMANDS.has(asked):
            plugins.check(asked, COMMANDS.names(), what="regc")
        COMMANDS.load(asked).register(app)
        for command in app.registered_commands:
            if example := usage.EXAMPLES.get(command.name or ""):
                command.epilog = f"Example: {example}"
        return app
    for name in COMMANDS.names():
        app.command(name, help=_summary(name))(_placeholder)
    return app


def _typed() -> list[str] | None:
    """The words of a command line that a shell asks to complete, without the one being typed; None where no shell asks."""
    if not os.environ.get("_REGC_COMPLETE", "").startswith("complete"):
        return None
    words = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS") or ""
    return words.split()[1:-1] if not words[-1:].isspace() else words.split()[1:]


def _root(
    verbose: bool = typer.Option(False, "-v", "--verbose", help="log to stderr"),
    version: bool = typer.Option(
        False, "-V", "--version", help="print the version and stop", is_eager=True, callback=lambda v: _version(v)
    ),
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
    return COMMANDS.summary(name).removeprefix(f"`regc {name}`: ").rstrip(".")


if __name__ == "__main__":
    main()
