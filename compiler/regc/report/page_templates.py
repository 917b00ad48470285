"""Templates of the report's pages; unlike those of plain text they escape what they print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from regc import wording
from regc.resources import resource
from regc.templating import strict

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(own: Path | None) -> Environment:
    """The user's `own`/report first, then the built-in templates."""
    folders = [*([own / "report"] if own else []), resource("templates", "report")]
    made = strict(folders, sandboxed=own is not None, html=True)
    made.filters |= {"sentence": _sentence, "breakable": _breakable, "term": _term, "css": _css}
    return made


def raw(own: Path | None, name: str) -> str:
    """A script or style sheet as it is."""
    mine = own / "report" / name if own else None
    return (mine if mine and mine.is_file() else resource("templates", "report", name)).read_text("utf-8")


def _sentence(name: str) -> str:
    """A name as words with a large first letter: "not_driven" -> "Not driven"."""
    return wording.large(name.replace("_", " "))


def _term(name: str, table: str) -> str:
    return wording.term(table, name)


def _breakable(id: str) -> Markup:
    """An id that a narrow column may break after an underscore."""
    return Markup("_<wbr>").join(id.split("_"))


def _css(text: str) -> Markup:
    """A string of a style sheet: no character of it can end the string or the element."""
    inner = "".join(one if one.isalnum() or one in " .,:/-()" else f"\\{ord(one):x} " for one in text)
    return Markup(f'"{inner}"')
