"""Footnotes: marks glued to words, notes that stand between paragraphs, and which clause or table each belongs to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from regc.model.document import Repair
from regc.readers.assemble.paragraphs import PrintedUnit, goes_on

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_GLUED = re.compile(r"\b[A-Za-z][A-Za-z0-9]*\d(?![\w.,-]*\w)")
#: Words that a number follows without being a mark ("Figure1").
_LABELS = frozenset(
    ("annex", "appendix", "category", "class", "figure", "formula", "group", "level", "note", "paragraph", "part", "table", "type")
)
_WHOLE_WORD = re.compile(r"[A-Za-z]{3,}[a-z]")
#: "M17" is "M1" with a mark; "O4" is a category and never "O" with one.
_CATEGORY = re.compile(r"[A-Z]\d")
_TRAILING = re.compile(r"(?:(?<=[;:,.)”\"])\s+|(?<=[a-z]:))(?P<mark>[1-9]\d?)$")
_LEADING = re.compile(r"(?P<mark>[1-9])(?=[A-Z][a-z]{3,})")
_NOTE = re.compile(r"^(?P<mark>[1-9]\d?)\s+(?=[A-Z\"“])")


def vocabulary(units: Iterable[PrintedUnit]) -> Counter[str]:
    """How often each word stands in the document, its tables' words included."""
    words: Counter[str] = Counter()
    for unit in units:
        words.update(_WORD.findall(unit.whole))
        for row in unit.grid:
            for cell in row:
                words.update(_WORD.findall(cell.text))
    return words


def take_marks(units: Sequence[PrintedUnit], words: Counter[str], region: str) -> list[Repair]:
    """Take glued marks out of the text. Marks count up: "vehicle7" bears mark 7 only when 6 came before and "vehicle" is a word.

    A mark that the format set apart (`unit.marks`) moves the count on.
    """
    repairs: list[Repair] = []
    expected = 1
    for unit in units:
        if unit.kind == "footnote":
            continue
        for mark in unit.marks:
            if mark.isdigit() and int(mark) >= expected:
                expected = int(mark) + 1
        if unit.kind != "text":
            continue
        while (span := _find(unit, words, expected)) is not None:
            start, end, glued = span
            before = unit.whole[max(0, start - 24) : end]
            _cut(unit, start, end)
            unit.marks = (*unit.marks, str(glued))
            repairs.append(_repair(unit, region, before, unit.whole[max(0, start - 24) : start], glued))
            expected = max(expected, glued + 1)
    return repairs


def _find(unit: PrintedUnit, words: Counter[str], expected: int) -> tuple[int, int, int] | None:
    """(start, end, mark) of a glued mark: the next one, or one that came before behind a whole word ("Authority1")."""
    for match in _GLUED.finditer(unit.whole, unit.cut):
        token = match[0]
        for mark in range(expected, 0, -1):
            base = token.removesuffix(str(mark))
            if base == token or base.lower() in _LABELS or words[token] > 1:
                continue
            if _WHOLE_WORD.fullmatch(base) or (mark == expected and words[base] and _CATEGORY.fullmatch(base)):
                return match.end() - len(str(mark)), match.end(), mark
    leading = _LEADING.match(unit.whole, unit.cut)
    if leading and int(leading["mark"]) == expected:
        return leading.start(), leading.end(), expected
    trailing = _TRAILING.search(unit.whole, unit.cut)
    if trailing and (
        int(trailing["mark"]) == expected or (unit.whole[trailing.start() - 1] == ":" and int(trailing["mark"]) < expected)
    ):
        return trailing.start(), trailing.end(), int(trailing["mark"])
    return None


def _repair(unit: PrintedUnit, region: str, before: str, after: str, mark: int) -> Repair:
    return Repair(
        place=region,
        before=before.strip(),
        after=f"{after.strip()} with footnote mark {mark}",
        reason=f"footnote mark {mark} is the next in {region} and was glued to the text",
        page=unit.page,
    )


def _cut(unit: PrintedUnit, start: int, end: int) -> None:
    """Take [start, end) out of the text and move the lines behind it."""
    gone = end - start
    unit.whole = unit.whole[:start] + unit.whole[end:]
    unit.lines = tuple(
        replace(
            line,
            start=line.start if line.start <= start else max(start, line.start - gone),
            end=line.end if line.end <= start else max(start, line.end - gone),
        )
        for line in unit.lines
    )


def inline_notes(units: Sequence[PrintedUnit]) -> list[PrintedUnit]:
    """Notes that stand between paragraphs ("3 As defined in ...") become footnotes; the rest of a cut sentence goes with them.

    Only a mark that already stands in the text before makes a note of it, and only once.
    """
    kept: list[PrintedUnit] = []
    seen: set[str] = set()
    noted: set[str] = {unit.mark for unit in units if unit.kind == "footnote" and unit.mark}
    last: PrintedUnit | None = None
    between: list[PrintedUnit] = []
    for unit in units:
        match = _NOTE.match(unit.whole) if unit.kind == "text" and not unit.printed and not unit.slot else None
        if match and match["mark"] in seen and match["mark"] not in noted:
            last = PrintedUnit(kind="footnote", whole=unit.whole[match.end() :], mark=match["mark"], page=unit.page, bbox=unit.bbox)
            noted.add(match["mark"])
            between.append(last)
            kept.append(last)
            continue
        if last is not None and unit.kind == "text" and not unit.printed and not unit.heading and goes_on(last.whole, unit.whole):
            last.whole = f"{last.whole.rstrip()} {unit.whole.strip()}"
            continue
        last = None
        seen.update(unit.marks)
        kept.append(unit)
    for note in between:
        kept.extend(_glued_notes(note, seen - noted))
    return kept


def _glued_notes(note: PrintedUnit, lacking: set[str]) -> list[PrintedUnit]:
    """The notes that stand behind a note on its line ("... in the rule. 2 Strike out ..."), taken out of it: the next marks, which have
    no note elsewhere."""
    cuts = [note]
    while cuts[-1].mark and (following := str(int(cuts[-1].mark) + 1)) in lacking:
        match = re.search(rf"(?<=[.!?)])\s+{following}\s+(?=[A-Z\"“])", cuts[-1].whole)
        if match is None:
            break
        cuts.append(replace(cuts[-1], whole=cuts[-1].whole[match.end() :], mark=following))
        cuts[-2].whole = cuts[-2].whole[: match.start()]
    return cuts[1:]


# ---- footnote marks at the end of a cell, a header or a caption, and rules that begin with one ("*** Only for ...").
#
# A reader that sees glyph sizes takes raised marks out itself; what is left in any format are signs that can be nothing else
# (asterisks, daggers) and superscript figures.


_SUPERSCRIPTS = str.maketrans("0123456789-+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
_FIGURES = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SIGNS = r"\*{1,6}|†{1,3}|‡{1,3}"
_TRAILING_MARK = re.compile(rf"\s*(?:(?P<sign>{_SIGNS})|\((?P<bracketed>{_SIGNS})\)|(?<![⁻⁺])(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,2}}))$")
#: Behind these a raised figure is a power: a unit, a variable of one small letter ("M" and "N" are categories).
_POWER_BEFORE = re.compile(r"(?:^|[\s/(\[\d·])(?:[mckd]?m|s|ft|in|kg)$|(?:^|[\s(=+×·*/−-])(?![h%])[a-zα-ω]$")
_WORD_BEFORE = re.compile(r"([A-Za-z]+)[)\]\"”’']*\s*$")
#: Units and functions of two letters or more that may bear a power.
_POWERED = re.compile(
    r"bar|cd|[cdkmn]m|da?n|db|deg|ft|hz|in|kgm?|k?n|[km]?pa|kw|lbs?|lm|lu?x|n?m|min|rad|rpm|sec"
    r"|cos|cot|exp|lg|ln|log|max|sin|tan|f(?:oo|ee)t|inch(?:es)?|(?:kilo)?met(?:re|er)s?|seconds?",
    re.IGNORECASE,
)
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")
_RULE = re.compile(rf"^(?:(?P<sign>{_SIGNS})|\((?P<bracketed>{_SIGNS})\))\s*(?=[^\s*†‡=/])")


def is_sign(mark: str) -> bool:
    """Whether a mark is a sign ("**") and no figure or letter."""
    return bool(re.fullmatch(_SIGNS, mark))


def takes_power(before: str) -> bool:
    """Whether a raised figure behind this text is a power ("m/s", a variable) and no footnote mark."""
    return bool(_POWER_BEFORE.search(before)) or (bool(before) and 0x1D400 <= ord(before[-1]) <= 0x1D7FF)


def as_power(text: str) -> str:
    """A raised text that is no mark, as it is written behind what it stands on: "²", "⁻¹", "^-kt"; letters stay as they are ("1st").

    Without its sign raised, "0.5 m" with a "-1" above would be a length less one.
    """
    plain = _DASHES.sub("-", text)
    if re.fullmatch(r"[-+]?\d+", plain):
        return plain.translate(_SUPERSCRIPTS)
    return f"^{plain}" if re.match(r"[-+]\w", plain) else text


def behind_word(before: str, least: int = 4) -> bool:
    """Whether a raised figure behind this text can only be a mark: behind a word of at least so many letters that is no unit and no
    function, or behind the end of a sentence or of its part."""
    if re.search(r"[.,;:][)\]\"”’']*$", before):
        return True
    match = _WORD_BEFORE.search(before)
    return match is not None and len(match[1]) >= least and not _POWERED.fullmatch(match[1])


def ends_in_category(text: str) -> bool:
    """Whether a text ends in the letter of a vehicle category, whose figure stands below it ("O" before a lowered 4)."""
    return bool(re.search(r"(?:^|[\s,/(])[LMNOT]$", text))


def split_marks(text: str) -> tuple[str, tuple[str, ...]]:
    """A text and the footnote marks behind it: "54***" to "54" and "***", "10.00⁹" to "10.00" and "9"; "m/s²" stays whole."""
    marks: list[str] = []
    rest = text.rstrip()
    while match := _TRAILING_MARK.search(rest):
        before = rest[: match.start()]
        if not before.strip() or (match["raised"] and takes_power(before)):
            break
        marks.insert(0, match["sign"] or match["bracketed"] or match["raised"].translate(_FIGURES))
        rest = before
    return (rest, tuple(marks)) if marks else (text, ())


def rule(text: str) -> tuple[str, str] | None:
    """(mark, text) of a rule that begins with its mark: "** The maker shall show ..."; None for any other text."""
    match = _RULE.match(text)
    return ((match["sign"] or match["bracketed"]), text[match.end() :]) if match else None
