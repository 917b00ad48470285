"""Lines that are a formula set apart from the text: mathematical letters, or a relation between signs without a word."""

from __future__ import annotations

import re
from collections.abc import Sequence

from regc.readers.pdf.fractions import FUNCTIONS
from regc.readers.pdf.lines import PrintedLine, joined

_SHORT_WORDS = frozenset({"at", "or", "of", "is", "to", "in", "by", "be", "as", "on", "if", "an", "no"})
_RELATION = re.compile(r"[=≤≥≈]")
_LABEL = re.compile(r"^(?:\(?\w{1,3}\)|[-–•]|\d{1,2}(?:\.\d{1,3})*\.)\s")
_UNIT = re.compile(r"(?<=\d)\s?[A-Za-z°%]+(?:/[A-Za-z]+[²³]?)?")
_OPERATION = re.compile(r"[-+*/×·−∗√∑∫(]")
#: Lines of a fraction stand closer than the lines of a text (font sizes); those of mathematical letters are spread wider.
_CLOSE, _SPREAD = 1.05, 1.7


def formulas(lines: Sequence[PrintedLine]) -> dict[int, int]:
    """Which lines of a page (by id) are a formula, and which one: parts of a fraction are one formula."""
    found: dict[int, int] = {}
    run: list[PrintedLine] = []
    for line in (*lines, None):
        if line is not None and run and _is_part(line) and _follows(line, run):
            run.append(line)
            continue
        if run and _is_formula(run):
            found.update({id(part): len(found) for part in run})
        run = [line] if line is not None and _is_part(line) else []
    return found


def _is_part(line: PrintedLine) -> bool:
    """Signs, figures and variables, and no word."""
    return not _words(line) and not _LABEL.match(line.text) and bool(re.search(r"[^\W_]", line.text))


def _follows(line: PrintedLine, run: Sequence[PrintedLine]) -> bool:
    spread = _SPREAD if _mathematical(line) or any(_mathematical(part) for part in run) else _CLOSE
    return line.page == run[-1].page and line.base - run[-1].base <= spread * max(line.size, run[-1].size)


def _is_formula(run: Sequence[PrintedLine]) -> bool:
    """Mathematical letters, a relation with an operation ("a = 8 mm" states a value), or a relation beside a fraction."""
    if any(_mathematical(line) or _alone(line) or any(word.fraction for word in line.words) for line in run):
        return True
    signs = [bool(_RELATION.search(line.text)) for line in run]
    return len(run) > 1 and any(signs) and any(_OPERATION.search(line.text) for line, sign in zip(run, signs, strict=True) if not sign)


def _mathematical(line: PrintedLine) -> bool:
    letters = [character for character in line.text if character.isalpha()]
    mathematical = sum(0x1D400 <= ord(character) <= 0x1D7FF for character in letters)
    return bool(mathematical) and 3 * mathematical >= len(letters)


def _alone(line: PrintedLine) -> bool:
    relation = _RELATION.search(line.text)
    if not relation or "..." in line.text or line.text.count("(") != line.text.count(")"):
        return False
    behind = _UNIT.sub("", line.text[relation.end() :])
    return bool(re.search(r"[^\W\d_]", line.text)) and bool(_OPERATION.search(behind))


def _words(line: PrintedLine) -> bool:
    """Whether the line holds a word of a language; names below a variable ("overlap") are none."""
    plain = joined([word for word in line.words if not word.fraction and not line.lowered(word)])
    words = [word.lower() for word in re.findall(r"[A-Za-z]{2,}", plain)]
    return any(word in _SHORT_WORDS or (len(word) > 2 and word not in FUNCTIONS) for word in words)
