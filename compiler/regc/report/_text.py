"""Sentences and written numbers of the document's text, for marking what is quoted; what a number means was decided before."""

from __future__ import annotations

import re
from decimal import Decimal

_SENTENCE = re.compile(r"[^.;\n]+(?:\.(?=\d)[^.;\n]*|\.(?![\s\n]|$)[^.;\n]*)*[.;]?")
_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[.,]\d+)?(?![\d]|[.,]\d)")
#: Letters of a unit behind a number.
_UNIT = re.compile(r"\s*(km\s*/\s*h|m\s*/\s*s²?2?|mph|°\s*C|per cent|%|[a-zA-Z]+)?")


def sentences(text: str) -> list[str]:
    """The sentences of a text, as written."""
    return [match.group().strip() for match in _SENTENCE.finditer(text) if match.group().strip()]


def number_in(text: str, number: Decimal, unit: str) -> list[int]:
    """[start, end) of a number in a text, with its unit behind it where it is written there; empty where it is not in digits."""
    found: list[list[int]] = []
    for match in _NUMBER.finditer(text):
        if Decimal(match.group().replace(",", ".")) != number:
            continue
        behind = _UNIT.match(text, match.end())
        written = re.sub(r"\s", "", behind.group(1) or "") if behind else ""
        if written and written == unit:
            return [match.start(), behind.end() if behind else match.end()]
        found.append([match.start(), match.end()])
    return found[0] if found else []
