"""What a command line that is not whole or not understood is told: what is wrong, and a line to try."""

from __future__ import annotations

from typing import Any

import typer

#: A line to try, for each command that takes an argument. They end its help, too.
EXAMPLES = {
    "ask": 'regc ask "how fast does the target of the bicycle test travel?"',
    "bench qa": "regc bench qa --regulation un152",
    "bench retrieval": "regc bench retrieval --regulation un152",
    "build": "regc build un152 --target report",
    "check": "regc check un152",
    "cite": 'regc cite un152 "[6.4: TTC]"',
    "diff": "regc diff un152@eu2020-1597 un152@02",
    "draft": "regc draft FILE.pdf --out FOLDER",
    "explain": "regc explain A821",
    "golden": "regc golden check un152",
    "graph": "regc graph un152",
    "inspect": "regc inspect FILE.pdf",
    "judge": "regc judge out/un152-02/runs/kinematic",
    "report": "regc report un152",
    "show": "regc show un152 5.2.1.4",
    "simulate": "regc simulate un152 --family stationary",
    "verify": "regc verify out/un152-02",
}
#: What typer raises for a wrong command line; a click of its own, or the installed one, by its version.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def command_of(error: Any) -> str:
    """The command that was called, "bench retrieval"; "" where none was."""
    return str(error.ctx.command_path).partition(" ")[2] if error.ctx is not None else ""


def wrong(error: Any) -> str:
    """What a usage error says: of an argument or option that is missing its name, what it is, and what it may be."""
    param, said = getattr(error, "param", None), str(error.format_message()).strip().rstrip(".")
    if type(error).__name__ != "MissingParameter" or param is None:
        return said
    name = f"option {param.opts[0]}" if param.param_type_name == "option" else f"argument {param.metavar or param.name}"
    what = f"{name} is missing"
    return f"{what}: {param.help}" if param.help else what


def step(command: str) -> str:
    """The line to try after a usage error of a command."""
    example = EXAMPLES.get(command, "")
    help_line = f"regc {command} -h".replace("  ", " ")
    return f"{example}  ({help_line} tells all that it takes)" if example else help_line
