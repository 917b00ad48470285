"""Footnote marks at the end of a cell, a header or a caption, and rules that begin with one ("*** Only for ...").

A reader that sees glyph sizes takes raised marks out itself; what is left in any format are signs that can be nothing else (asterisks,
daggers) and superscript figures.
"""

from __future__ import annotations

import re

SUPERSCRIPTS = str.maketrans("0123456789-+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
_FIGURES = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SIGNS = r"\*{1,4}|†{1,3}|‡{1,3}"
_TRAILING = re.compile(rf"\s*(?:(?P<sign>{_SIGNS})|\((?P<bracketed>{_SIGNS})\)|(?<![⁻⁺])(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,2}}))$")
#: Behind these a raised figure is a power: a unit, a variable of one small letter ("M" and "N" are categories).
_POWER_BEFORE = re.compile(r"(?:^|[\s/(\d·])(?:[mckd]?m|s|ft|in|kg)$|(?:^|[\s(=+×·*/−-])(?![h%])[a-zα-ω]$")
_RULE = re.compile(rf"^(?:(?P<sign>{_SIGNS})|\((?P<bracketed>{_SIGNS})\))\s*(?=[^\s*†‡=/])")


def is_sign(mark: str) -> bool:
    """Whether a mark is a sign ("**") and no figure or letter."""
    return bool(re.fullmatch(_SIGNS, mark))


def takes_power(before: str) -> bool:
    """Whether a raised figure behind this text is a power ("m/s", a variable) and no footnote mark."""
    return bool(_POWER_BEFORE.search(before)) or (bool(before) and 0x1D400 <= ord(before[-1]) <= 0x1D7FF)


def split_marks(text: str) -> tuple[str, tuple[str, ...]]:
    """A text and the footnote marks behind it: "54***" to "54" and "***", "10.00⁹" to "10.00" and "9"; "m/s²" stays whole."""
    marks: list[str] = []
    rest = text.rstrip()
    while found := _TRAILING.search(rest):
        before = rest[: found.start()]
        if not before.strip() or (found["raised"] and takes_power(before)):
            break
        marks.insert(0, found["sign"] or found["bracketed"] or found["raised"].translate(_FIGURES))
        rest = before
    return (rest, tuple(marks)) if marks else (text, ())


def rule(text: str) -> tuple[str, str] | None:
    """(mark, text) of a rule that begins with its mark: "** The maker shall show ..."; None for any other text."""
    found = _RULE.match(text)
    return ((found["sign"] or found["bracketed"]), text[found.end() :]) if found else None
