"""Templates of the report's pages; unlike those of plain text they escape what they print."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from regc.report._words import amount, bounded, load, sentence, tolerance, words
from regc.resources import resource


def environment(own: Path | None) -> Environment:
    """The user's `own`/report first, then the built-in templates."""
    made = Environment(
        loader=FileSystemLoader([*([str(own / "report")] if own else []), str(resource("templates", "report"))]),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "amount": amount,
        "bounded": bounded,
        "tolerance": tolerance,
        "words": words,
        "sentence": sentence,
        "load": load,
        "percent": _percent,
        "breakable": _breakable,
    }
    return made


def raw(own: Path | None, name: str) -> str:
    """A script or style sheet as it is."""
    mine = own / "report" / name if own else None
    return (mine if mine and mine.is_file() else resource("templates", "report", name)).read_text("utf-8")


def _breakable(id: str) -> Markup:
    """An id that a narrow column may break after an underscore."""
    return Markup("_<wbr>").join(id.split("_"))


def _percent(part: int, whole: int) -> str:
    """A share as per cent; never rounded up to 100."""
    if not whole:
        return "–"
    return "100 %" if part == whole else f"{int(1000 * part / whole) / 10} %"
