"""Running text of the Government Publishing Office's XML: emphasis dropped, subscripts joined to their letter, notes' marks out."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

#: Typefaces of <E T="..."> that are set lower or higher than the line; every other one is emphasis.
_LOWERED = frozenset({"52", "54", "0732", "0742", "8052", "8152"})
_RAISED = frozenset({"51", "53", "8051", "8151"})
#: What stands within a paragraph of the file and is no part of its text.
SET_APART = frozenset({"PRTPAGE", "GPOTABLE", "MATH", "GPH", "FTNT"})
_SILENT = SET_APART | {"GID", "MID", "AC"}
#: Around what is gathered until the whole text is known; private use, in no document.
_JOIN, _MARK, _END, _LINE = "\ue000", "\ue001", "\ue002", "\ue003"
_SUPERSCRIPT = str.maketrans("0123456789-+n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ")


@dataclass(frozen=True)
class Text:
    """A paragraph or cell as printed, and the footnote marks that stood in it."""

    text: str
    marks: tuple[str, ...] = ()


def is_element(node: Any) -> bool:
    """False for comments and processing instructions."""
    return isinstance(node.tag, str)


def text_of(node: Any, notes: Container[str] = ()) -> Text:
    """The printed text of an element. `notes` are the marks of the footnotes there: any other raised figure is an exponent.

    Spaces of the file's own layout are undone; a line break (<LI>) is a newline.
    """
    raw = re.sub(rf"\s*{_JOIN}", "", _gather(node, notes))
    marks = tuple(re.findall(f"{_MARK}(.*?){_END}", raw))
    raw = re.sub(rf"\s*{_MARK}.*?{_END}", "", raw)
    lines = (plain(line) for line in raw.split(_LINE))
    return Text("\n".join(line for line in lines if line), marks)


def plain(text: str) -> str:
    """One space between words, none before a stop or within brackets."""
    text = " ".join(text.split())
    text = re.sub(r"\s+([,;:)\]]|\.(?!\d))", r"\1", text)
    return re.sub(r"([(\[])\s+", r"\1", text)


def _gather(node: Any, notes: Container[str]) -> str:
    out = node.text or ""
    for child in node:
        if is_element(child) and child.tag not in _SILENT:
            out += _inline(child, notes)
        out += child.tail or ""
    return out


def _inline(node: Any, notes: Container[str]) -> str:
    inner = _gather(node, notes)
    bare = inner.strip()
    face = node.get("T") if node.tag == "E" else None
    if node.tag == "SU" and bare.strip("()[]") in notes:
        return f"{_MARK}{bare.strip('()[]')}{_END}"
    if node.tag == "SU" or face in _RAISED:
        return f"{_JOIN}{bare.translate(_SUPERSCRIPT) if re.fullmatch('[-+0-9n]+', bare) else bare}"
    if face in _LOWERED:
        return f"{_JOIN}{bare}"
    if node.tag == "LI":
        return f"{_LINE}{inner}"
    if node.tag == "FR" and re.search(r"\d\s*$", _before(node)):
        return f" {bare}"
    return inner


def _before(node: Any) -> str:
    """The text right before an element."""
    previous = node.getprevious()
    return (previous.tail if previous is not None else node.getparent().text) or ""
