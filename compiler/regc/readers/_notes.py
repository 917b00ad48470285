"""Footnotes: marks glued to words, notes that stand between paragraphs, and which clause or table each belongs to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from regc.model.document import Repair
from regc.readers._units import Unit, goes_on

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_GLUED = re.compile(r"\b(?P<base>[A-Za-z][A-Za-z0-9]*?)(?P<mark>[1-9]\d?)(?![\w.,-]*\w)")
_TRAILING = re.compile(r"(?<=[;:,.)”\"])\s+(?P<mark>[1-9]\d?)$")
_NOTE = re.compile(r"^(?P<mark>[1-9]\d?)\s+(?=[A-Z\"“])")


def vocabulary(units: Iterable[Unit]) -> Counter[str]:
    """How often each word stands in the document, its tables' words included."""
    words: Counter[str] = Counter()
    for unit in units:
        words.update(_WORD.findall(unit.whole))
        for row in unit.grid:
            for cell in row:
                words.update(_WORD.findall(cell.text))
    return words


def take_marks(units: Sequence[Unit], words: Counter[str], region: str) -> list[Repair]:
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
        for found in list(_GLUED.finditer(unit.whole, unit.cut)):
            token, base = found[0], found["base"]
            if int(found["mark"]) != expected or words[token] > 1 or not words[base]:
                continue
            _cut(unit, found.start("mark"), found.end("mark"))
            unit.marks = (*unit.marks, str(expected))
            repairs.append(_repair(unit, region, token, base, expected))
            expected += 1
            break
        trailing = _TRAILING.search(unit.whole, unit.cut)
        if trailing and int(trailing["mark"]) == expected:
            before = unit.whole[-30:]
            _cut(unit, trailing.start(), trailing.end())
            unit.marks = (*unit.marks, str(expected))
            repairs.append(_repair(unit, region, before, unit.whole[-28:], expected))
            expected += 1
    return repairs


def _repair(unit: Unit, region: str, before: str, after: str, mark: int) -> Repair:
    return Repair(
        place=region,
        before=before,
        after=f"{after} with footnote mark {mark}",
        reason=f"footnote mark {mark} is the next in {region} and was glued to the text",
        page=unit.page,
    )


def _cut(unit: Unit, start: int, end: int) -> None:
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


def inline_notes(units: Sequence[Unit]) -> list[Unit]:
    """Notes that stand between paragraphs ("3 As defined in ...") become footnotes; the rest of a cut sentence goes with them.

    Only a mark that already stands in the text before makes a note of it, and only once.
    """
    kept: list[Unit] = []
    seen: set[str] = set()
    noted: set[str] = {unit.mark for unit in units if unit.kind == "footnote" and unit.mark}
    last: Unit | None = None
    for unit in units:
        found = _NOTE.match(unit.whole) if unit.kind == "text" and not unit.printed and not unit.slot else None
        if found and found["mark"] in seen and found["mark"] not in noted:
            last = Unit(kind="footnote", whole=unit.whole[found.end() :], mark=found["mark"], page=unit.page, bbox=unit.bbox)
            noted.add(found["mark"])
            kept.append(last)
            continue
        if last is not None and unit.kind == "text" and not unit.printed and not unit.heading and goes_on(last.whole, unit.whole):
            last.whole = f"{last.whole.rstrip()} {unit.whole.strip()}"
            continue
        last = None
        seen.update(unit.marks)
        kept.append(unit)
    return kept
