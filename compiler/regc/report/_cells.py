"""Text in spreadsheets: what a document says must never run as a formula there."""

from __future__ import annotations

import re

#: First characters by which a spreadsheet takes text for a formula or a command.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def plain_text(value: str) -> str:
    """`value` as a spreadsheet shows it: with a quote before what would be a formula, without control characters."""
    text = _CONTROL.sub("", value)
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def printable(value: str) -> str:
    """`value` without the control characters that XML does not allow."""
    return _CONTROL.sub("", value)
