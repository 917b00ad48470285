"""Headings that are the first level of the numbers without being printed as one: "Case 2" above 2.1 and 2.2."""

from __future__ import annotations

import re
from collections.abc import Sequence

from regc.readers.assemble.paragraphs import Unit, title_like

_HEADING = re.compile(r"^(?P<word>[A-Z][a-z]+)\s+(?P<value>\d{1,2})(?:\s*[:–—-]\s.*)?$")


def branches(units: Sequence[Unit]) -> list[tuple[int, int]]:
    """(position, value) of headings that count up from 1 in the same word and above which stand just the numbers that they say.

    Empty when any number printed in sequence contradicts, or when fewer than two bear it out.
    """
    found: list[tuple[int, int]] = []
    word = ""
    for position, unit in enumerate(units):
        heading = _HEADING.match(unit.text.strip()) if unit.kind == "text" and unit.number is None and not unit.printed else None
        if heading and int(heading["value"]) == len(found) + 1 and heading["word"] in ("", word or heading["word"]):
            word = heading["word"]
            found.append((position, len(found) + 1))
    if len(found) < 2:
        return []
    borne_out = 0
    for position, unit in enumerate(units):
        if unit.number is None:
            continue
        branch = sum(start < position for start, _ in found)
        if len(unit.number) < 2 or unit.number[0] != branch:
            return []
        borne_out += 1
    return found if borne_out >= 2 else []


def after_title(units: Sequence[Unit], position: int) -> int:
    """Where the text of a branch begins: behind the heading and the title that may follow it."""
    start = position + 1
    if start < len(units) and not units[start].printed and not units[start].slot and title_like(units[start].text):
        start += 1
    return start
