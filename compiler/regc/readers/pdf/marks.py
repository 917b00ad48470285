"""Footnote marks in the printed lines of a PDF: told from powers and from labels, and taken out of the text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from regc.readers.assemble.notes import behind_word, ends_in_category, is_sign, takes_power
from regc.readers.pdf.formulas import power
from regc.readers.pdf.layout import Layout, PageParts
from regc.readers.pdf.lines import PrintedLine, joined
from regc.readers.pdf.page import PageWord

#: A raised text that can only be a power: "-1", "-kt".
_SIGNED = re.compile(r"^[-+\u2010-\u2015\u2212]\w+$")
#: A mark in brackets on the line, with what may follow it.
_BRACKETED = re.compile(r"^\(([*†‡]{1,6}|\d{1,2}|[a-z])\)([.,;:]?)$")


@dataclass(frozen=True)
class NoteMarks:
    """The marks of a document's notes: of those at the foot of each page, and which of them stand in brackets on the line there;
    `under` are those in brackets of the notes under the table in hand."""

    by_page: Mapping[int, frozenset[str]] = field(default_factory=dict)
    bracketed: Mapping[int, frozenset[str]] = field(default_factory=dict)
    everywhere: frozenset[str] = frozenset()
    under: frozenset[str] = frozenset()

    def near(self, page: int) -> frozenset[str]:
        """The marks of the notes on a page and on the next one, where the rest of a long page's notes stands."""
        return self.by_page.get(page, frozenset()) | self.by_page.get(page + 1, frozenset())

    def bracketed_near(self, page: int) -> frozenset[str]:
        """Those of them that stand in brackets."""
        return self.bracketed.get(page, frozenset()) | self.bracketed.get(page + 1, frozenset())


def note_marks(parts: Sequence[PageParts]) -> NoteMarks:
    """The marks of the notes at the foot of all pages. Letters in brackets label the items of a note there."""
    by_page = {part.page.number: frozenset(mark for line in part.footnotes for mark in line.opening()[0]) for part in parts}
    bracketed = {
        part.page.number: frozenset(mark for line in part.footnotes if (mark := mark_in_brackets(line.words[0])) and not mark.isalpha())
        for part in parts
    }
    return NoteMarks(by_page, bracketed, frozenset(mark for own in by_page.values() for mark in own))


def mark_in_brackets(word: PageWord) -> str | None:
    """What stands in the brackets of "(1)", "(*)" or "(a)"; None for any other word."""
    match = _BRACKETED.match(word.text)
    return match[1] if match else None


def line_text(notes: NoteMarks, layout: Layout, line: PrintedLine, skip: int = 0, *, cell: bool = False) -> tuple[str, list[str]]:
    """A line's text behind its first `skip` words, and the marks in it (see `_is_mark`)."""
    kept: list[PageWord] = []
    marks: list[str] = []
    in_brackets = notes.bracketed_near(line.page) | (notes.under if cell else frozenset())
    closing, behind = -1, False
    for index in range(skip, len(line.words)):
        word = line.words[index]
        if index == closing:
            word = replace(word, text=word.text[1:], space=False)
        if behind and not word.space:  # what follows a mark stands at the word before it
            before_it = next((other for other in reversed(kept) if other.text), word)
            word = replace(word, x0=before_it.x1)
        own = line.marks_at(index)
        bracketed = line.bracketed(index)  # never a power
        if own and (bracketed or _is_mark(notes, line, skip, index, cell)):
            marks.extend(own)
            if bracketed and kept:  # the brackets go with it
                kept[-1] = replace(kept[-1], text=kept[-1].text[:-1])
                closing = index + 1
            behind = True
            continue
        behind = behind and not word.text
        if (own and own[0].isdigit()) or (line.raised(word) and _SIGNED.match(word.text)):
            at = kept[-1].x1 if kept and takes_power(joined(kept)) else word.x0
            kept.append(replace(word, text=power(word.text), x0=at, space=word.space and at == word.x0))
        elif (flat := _BRACKETED.match(word.text)) and flat[1] in in_brackets and (index > skip or _no_label(layout, line)):
            marks.append(flat[1])
            behind = True
            if flat[2]:  # what follows the brackets stands at the word before them
                kept.append(replace(word, text=flat[2], x0=kept[-1].x1 if kept else word.x0, space=False))
        elif word.text.endswith("*") and "*" in notes.near(line.page):
            marks.append("*")
            kept.append(replace(word, text=word.text[:-1]))
        else:
            kept.append(word)
    return joined([word for word in kept if word.text]).strip(), marks


def _is_mark(notes: NoteMarks, line: PrintedLine, skip: int, index: int, cell: bool) -> bool:
    """Whether a raised figure, letter or sign is a footnote mark and no power.

    It is a power behind a unit or a variable, unless it is one of several ("1, 2"). It is a mark in a cell, since "10.00" with a 9
    above is no 10.009; where a note of this page or the next has it; and behind a word that nobody raises to a power: of the
    document's notes one has it, which may stand some pages away (a form), or it is a figure behind a long word.
    """
    word, own = line.words[index], line.marks_at(index)
    before = joined([other for other in line.words[skip:index] if not line.lowered(other)])
    several = len(own) > 1 or (word.text.endswith(",") and index + 1 < len(line.words) and bool(line.marks_at(index + 1)))
    if takes_power(before) and not several and not is_sign(word.text):
        return False
    if cell or notes.near(line.page).issuperset(own):
        return True
    if notes.everywhere.issuperset(own):
        return behind_word(before, 2) or (index > skip and line.lowered(line.words[index - 1]) and ends_in_category(before))
    return word.text.isdigit() and behind_word(before)


def _no_label(layout: Layout, line: PrintedLine) -> bool:
    """Whether a mark in brackets that a line begins with labels no item: raised, or alone and not where numbers and text begin."""
    raised = line.base - line.words[0].base >= 0.15 * line.size
    return raised or (len(line.words) == 1 and all(abs(line.bbox[0] - x) > 3 for x in (layout.text_x, layout.number_x)))


def borne(printed: Sequence[PrintedLine]) -> set[str]:
    """The marks that lines may bear: raised, or in brackets."""
    raised = {mark for line in printed for index in range(len(line.words)) for mark in line.marks_at(index)}
    return raised | {mark for line in printed for word in line.words if (mark := mark_in_brackets(word))}
