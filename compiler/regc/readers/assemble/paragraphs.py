"""Blocks cut into units: at most one paragraph number each, with the number apart from the text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from regc.model.source import Bbox
from regc.readers.assemble.blocks import Block, GridCell, Line
from regc.readers.assemble.numbering import Number, parse, printed, successors

_REFERENCE_BEFORE = re.compile(
    r"(?:\b(?:paragraphs?|paras?\.?|points?|sections?|items?|clauses?|and|or|to|of|in|with|from|by|per|under|see|than|at|until|both|through)|[,(–-])\s*$",
    re.IGNORECASE,
)
_FUNCTION_WORD = re.compile(
    r"\b(?:of|the|a|an|and|or|to|in|by|with|for|at|on|from|that|which|shall|be|is|are|as|no|not|this|its|any|set|their)$",
    re.IGNORECASE,
)
#: A function word at the end of a text lies within so many characters.
_LONGEST_WORD = 24
_DEFINITION = re.compile(r"^[\"“”]?[^\"“”]{1,90}[\"“”][^\"“”]{0,60}?\b(?:means?|is|are|refers?|defines?|denotes?)\b")
_ENDS_IN_NUMBER = re.compile(r"\b(?:paragraph|section|point)s?\s\d+(?:\.\d+)*\.$")
ITEM = re.compile(r"^\((?:[a-z]|[ivx]{1,4})\)\s")


@dataclass
class PrintedUnit:
    """A piece of the document. `whole` is its text as read, `cut` where the text after the printed number begins.

    `printed` is a number as printed (it may turn out to be prose); `slot` says that a number stood there and cannot be read.
    `number` is set when the sequence accepts or repairs it; `again`: another one of the region bears it, too. `exact`: the format
    says where the paragraph begins and ends, which number it bears and whether it is a title, so nothing of that is guessed.
    """

    kind: Literal["text", "table", "footnote", "figure", "formula"]
    whole: str = ""
    cut: int = 0
    printed: str | None = None
    slot: bool = False
    size: float | None = None
    apart: bool = False
    heading: bool = False
    marks: tuple[str, ...] = ()
    mark: str | None = None
    grid: tuple[tuple[GridCell, ...], ...] = ()
    page: int | None = None
    bbox: Bbox | None = None
    lines: tuple[Line, ...] = ()
    number: Number | None = None
    split_off: bool = False
    again: bool = False
    exact: bool = False
    remains: str | None = None
    told: tuple[tuple[str, str], ...] = ()
    head: int | None = None
    below: bool = False
    mark_pages: tuple[int, ...] = ()
    mark_ends: tuple[int, ...] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text without the number."""
        return self.whole[self.cut :]

    def placed_marks(self) -> list[tuple[str, int | None]]:
        """Each footnote mark with the page that it stands on."""
        pages = (*self.mark_pages, *[self.page] * (len(self.marks) - len(self.mark_pages)))
        return list(zip(self.marks, pages, strict=False))

    def add_marks(self, marks: tuple[str, ...], page: int | None) -> None:
        """Further marks of the text, which stand on a page."""
        placed = [*self.placed_marks(), *((mark, page) for mark in marks)]
        self.marks = tuple(mark for mark, _ in placed)
        self.mark_pages = tuple(page for _, page in placed if page is not None)

    @property
    def alone(self) -> bool:
        """A number with no text of its own: the next text is its text."""
        return self.kind == "text" and (self.printed is not None or self.slot) and not self.text.strip()

    def weight(self) -> int:
        """How much its number is trusted: set apart by the layout, then alone or in a heading, then at the start of a text."""
        if self.split_off:
            return 1
        return 4 if self.apart else 3 if self.alone or self.heading else 2

    def forget(self) -> None:
        """What is left of the number tells nothing; but a clipped one (".1.") is no text either, should the number be found."""
        self.slot = False
        if self.printed and self.printed.startswith("."):
            self.remains, self.printed = self.printed, None
        else:
            self.as_prose()

    def as_prose(self) -> None:
        """The printed number was none: it is text again."""
        if self.apart and self.printed:
            gone = len(self.printed) + 1
            self.whole = f"{self.printed} {self.whole}"
            self.lines = tuple(replace(line, start=line.start + gone, end=line.end + gone) for line in self.lines)
            self.apart = False
        self.printed = None
        self.cut = 0

    def as_number(self, printed: str) -> None:
        """What `as_prose` made text is a number after all, whose paragraph bears it as printed."""
        gone = len(printed) + 1
        self.whole, self.printed, self.apart = self.whole[gone:], printed, True
        self.lines = tuple(replace(line, start=line.start - gone, end=line.end - gone) for line in self.lines)
        self.number = parse(printed)


@cache
def _inner(prefix: str) -> re.Pattern[str]:
    """A number within a text, behind the letter that the document sets before its numbers; one of three levels or more may be glued
    to the sentence before it ("shall stop.5.3.2.  Identical")."""
    apart, glued = r"\d{1,3}(?:\.\d{1,3})+\.", r"\d{1,3}(?:\.\d{1,3}){2,}\."
    place = rf"(?<=\s){prefix}(?={apart})|(?:(?<=[a-z])|(?<=[A-Za-z][.;])){prefix}(?={glued})"
    return re.compile(rf"(?:{place})(?P<number>{apart})\s+(?=[\"“A-Z(a-z])")


def units(blocks: Iterable[Block], prefix: str = "", *, exact: bool = False) -> list[PrintedUnit]:
    """Units of blocks in the same order. Blocks without content are dropped; one with an empty `number` stays as a slot. A mark that
    stands alone (in a box, in a drawing) is of the text before it.

    `prefix` is the letter that the document sets before its numbers. `exact` blocks are one unit each, with the number they name.
    """
    made: list[PrintedUnit] = []
    last: Number = ()
    for block in blocks:
        if block.kind == "text" and block.marks and block.number is None and not block.text.strip() and made:
            made[-1].add_marks(block.marks, block.page)
        for unit in _unit(block, last, prefix, exact=exact):
            number = parse(unit.printed) if unit.printed else None
            if number:
                last = number
            made.append(unit)
    return made


def _unit(block: Block, last: Number, prefix: str, *, exact: bool) -> Iterable[PrintedUnit]:
    unit = PrintedUnit(
        kind=block.kind,
        whole=block.text,
        heading=block.heading,
        marks=block.marks,
        mark_pages=block.mark_pages,
        mark_ends=block.mark_ends,
        mark=block.mark,
        grid=block.grid,
        page=block.page,
        bbox=block.bbox,
        lines=block.lines,
        told=block.told,
        head=block.head,
        below=block.below,
        size=block.number_size,
        exact=exact,
    )
    if block.kind != "text":
        return [unit] if block.grid or block.text.strip() or block.kind == "figure" else []
    if block.number is not None:
        unit.apart = bool(block.number)
        unit.slot = not block.number
        unit.printed = block.number.removeprefix(prefix) or None
        number = parse(unit.printed or "")
        if exact:
            unit.number = number
        return _split(unit, number, prefix) if number and not exact else [unit]
    if not block.text.strip():
        return []
    if exact:
        return [unit]
    match = printed(prefix).match(block.text)
    if match:
        unit.printed, unit.cut = match["number"], match.end()
        last = parse(unit.printed) or last
    return _split(unit, last, prefix)


def _split(unit: PrintedUnit, last: Number, prefix: str) -> list[PrintedUnit]:
    """Cut a text in which the next numbers of the sequence stand one after another; each must be the only next step."""
    pieces: list[PrintedUnit] = []
    start, search = 0, unit.cut
    while last:
        head = printed(prefix).match(unit.whole, search) if search == unit.cut and unit.printed else None
        match = head if head and parse(head["number"]) else _inner(prefix).search(unit.whole, search)
        if not match:
            break
        number = parse(match["number"])
        search = match.end()
        if number not in successors(last) or (
            match is not head and _REFERENCE_BEFORE.search(unit.whole[max(0, match.start() - 20) : match.start()])
        ):
            continue
        if match.start() > start or not unit.apart:
            pieces.append(_piece(unit, start, match.start(), prefix, first=not pieces))
        else:
            pieces.append(replace(unit, whole="", lines=(), marks=() if unit.mark_ends else unit.marks))
        start = match.start()
        last = number
    if not pieces:
        return [unit]
    pieces.append(_piece(unit, start, len(unit.whole), prefix, first=False))
    return pieces


def _piece(unit: PrintedUnit, start: int, end: int, prefix: str, *, first: bool) -> PrintedUnit:
    text = unit.whole[start:end].rstrip()
    own = tuple(mark for mark, at in zip(unit.marks, unit.mark_ends, strict=False) if start < at <= end)
    marks = own if unit.mark_ends else unit.marks if first else ()
    if first and unit.apart:
        return replace(unit, whole=text, lines=shifted(unit.lines, start, start + len(text)), marks=marks)
    match = printed(prefix).match(text)
    return PrintedUnit(
        kind="text",
        whole=text,
        cut=match.end() if match else 0,
        printed=match["number"] if match else None,
        heading=unit.heading and first,
        marks=marks,
        mark_pages=unit.mark_pages if first else (),
        page=unit.page,
        bbox=unit.bbox,
        lines=shifted(unit.lines, start, start + len(text)),
        split_off=not first,
    )


def shifted(lines: tuple[Line, ...], start: int, end: int, to: int = 0) -> tuple[Line, ...]:
    """The lines inside [start, end) of a text, with positions counted from `to`."""
    return tuple(
        Line(max(line.start, start) - start + to, min(line.end, end) - start + to, line.page, line.bbox)
        for line in lines
        if line.start < end and line.end > start
    )


def title_like(text: str) -> bool:
    """Reads as a heading: short, begins with a capital or a digit, no sentence."""
    text = text.strip()
    return (
        0 < len(text) <= 150
        and (text[0].isupper() or text[0].isdigit())
        and (text[-1] not in ".;:," or bool(_ENDS_IN_NUMBER.search(text)))
        and " shall " not in text
        and not _FUNCTION_WORD.search(text)
        and not ITEM.match(text)
    )


def definition_like(text: str) -> bool:
    """Reads as the definition of a quoted term (whose opening quote an OCR may have lost)."""
    return bool(_DEFINITION.match(text.strip()))


def goes_on(before: str, text: str) -> bool:
    """Whether `text` is the rest of an unfinished sentence `before` (cut by a page, a footnote or a wrong heading)."""
    before, text = before.rstrip(), text.lstrip()
    if not before or not text or before[-1] in ".;:!?" or ITEM.match(text):
        return False
    last_words = before[-_LONGEST_WORD:]  # a search through a clause that grows would be quadratic
    return text[0].islower() or text[0].isdigit() or text[0] in "(),.;" or bool(_FUNCTION_WORD.search(last_words)) or before[-1] == ","
