"""Lettered items of a text."""

from __future__ import annotations

import re

from regc.model.document import Item

_LABEL = re.compile(r"(?:(?<=^)|(?<=\n)|(?<=[;:.,]\s)|(?<=\sand\s)|(?<=\sor\s))\((?P<letter>[a-z])\)\s")


def items(text: str) -> tuple[Item, ...]:
    """Items "(a)", "(b)", ... in order: the first of a list begins a line, the next follow on a line or after a stop."""
    starts: list[tuple[int, str]] = []
    expected = ""
    for found in _LABEL.finditer(text):
        letter = found["letter"]
        first = letter == "a" and (text[: found.start()].endswith("\n") or text[: found.start()].rstrip()[-1:] in ("", ":"))
        if not first and letter != expected:
            continue
        starts.append((found.start(), letter))
        expected = chr(ord(letter) + 1)
    made = []
    for position, (start, letter) in enumerate(starts):
        line_end = text.find("\n", start)
        ends = [len(text) if line_end < 0 else line_end]
        if position + 1 < len(starts):
            ends.append(starts[position + 1][0])
        end = start + len(text[start : min(ends)].rstrip())
        made.append(Item(label=f"({letter})", text=text[start:end], start=start, end=end))
    return tuple(made)
