"""Words to printed lines; superscripts told from the text that they stand on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from regc.model.source import Bbox
from regc.readers.pdf.page import PageWord

#: Smaller than this share of its line's size, a word may be a superscript or subscript.
_SMALL = 0.85
_MARK = re.compile(r"^[*†‡]{1,6}$|^[a-z](?:,[a-z])*,?$|^\(?\d{1,2}[a-z]?(?:[,;/]\d{1,2})*[,)]?$")
#: How a footnote may begin on the line itself, not raised; under a table also a letter in brackets.
_OPENING = re.compile(r"^(?:\((\d{1,2}|[*†‡]{1,6})\)|([*†‡]{1,6}))$")
_LETTER_OPENING = re.compile(r"^\(([a-z])\)$")
#: What stands between the marks of one note ("1 and 2").
_BETWEEN_MARKS = frozenset(("and", "&", ","))
#: A gap of this many font sizes parts two cells; justified text has smaller ones.
_CELL_GAP = 1.2
#: The text of a note is not set in farther from its mark than this (font sizes).
_NOTE_TAB = 7.0
#: So many words printed over others are two lines.
_OVERPRINTED = 3
_SIGNS = re.compile(r"^[*†‡]+$")
_MINUS = re.compile(r"^[-\u2010-\u2015\u2212]$")
_PARAGRAPH = re.compile(r"^\d{1,2}(?:\.\d{1,3})+\.?$")
_BRACKETED = re.compile(r"^\(\d{1,2}\)$")
_LEADER = re.compile(r"\.{4,}|…{2,}")


@dataclass(frozen=True)
class PrintedLine:
    """Words on one baseline from left to right."""

    page: int
    words: tuple[PageWord, ...]
    base: float
    size: float

    @cached_property
    def bbox(self) -> Bbox:
        """The box round all words."""
        return box_of(self.words)

    @cached_property
    def bold(self) -> bool:
        """True when most characters are bold."""
        heavy = sum(len(word.text) for word in self.words if word.bold)
        return 2 * heavy > sum(len(word.text) for word in self.words)

    @cached_property
    def text(self) -> str:
        """All words, marks included."""
        return joined(self.words)

    @cached_property
    def groups(self) -> tuple[tuple[PageWord, ...], ...]:
        """The words in groups that wide gaps part."""
        groups: list[list[PageWord]] = []
        for word in self.words:
            if groups and word.x0 - groups[-1][-1].x1 < _CELL_GAP * self.size:
                groups[-1].append(word)
            else:
                groups.append([word])
        return tuple(map(tuple, groups))

    def raised(self, word: PageWord) -> bool:
        """True for a superscript of this line."""
        return word.size <= _SMALL * self.size and word.base <= self.base - 0.15 * self.size

    def lowered(self, word: PageWord) -> bool:
        """True for a subscript of this line."""
        return word.size <= _SMALL * self.size and word.base > self.base + 0.02 * self.size

    def marks_at(self, index: int) -> tuple[str, ...]:
        """The footnote marks that the word at `index` may be: a raised number or asterisk."""
        word = self.words[index]
        if not self.raised(word) or not _MARK.match(word.text):
            return ()
        return tuple(part for part in re.split(r"[,;/()]", word.text) if part)

    def bracketed(self, index: int) -> bool:
        """True for a raised word between brackets of the line's own size: "(" raised 1 ")"."""
        around = 0 < index < len(self.words) - 1 and self.raised(self.words[index])
        return around and self.words[index - 1].text.endswith("(") and self.words[index + 1].text.startswith(")")

    def opening(self) -> tuple[tuple[str, ...], int]:
        """The marks that this line of the footnote area begins with, and how many words they take: raised (also between brackets, or
        several: "1 and 2"), or "(1)" and "*" on the line; none and 0 for any other line."""
        raised = self.marks_at(0)
        if raised:
            count = 1
            while count < len(self.words) - 1 and self.raised(self.words[count]) and self.words[count].text in _BETWEEN_MARKS:
                if not (further := self.marks_at(count + 1)):
                    break
                raised, count = (*raised, *further), count + 2
            return raised, count
        if len(self.words) > 2 and self.words[0].text == "(" and self.words[2].text == ")" and self.bracketed(1) and self.marks_at(1):
            return self.marks_at(1), 3
        match = _OPENING.match(self.words[0].text)
        return (((match[1] or match[2]),), 1) if match else ((), 0)

    def opening_mark(self) -> str | None:
        """The first mark of `opening` alone."""
        return next(iter(self.opening()[0]), None)

    def opening_letter(self) -> str | None:
        """The letter in brackets that a note under a table may begin with, in the size of the line or raised."""
        match = _LETTER_OPENING.match(self.words[0].text)
        return match[1] if match else None


def box_of(words: Sequence[PageWord]) -> Bbox:
    """The box round words."""
    return (
        min(word.x0 for word in words),
        min(word.top for word in words),
        max(word.x1 for word in words),
        max(word.bottom for word in words),
    )


def joined(words: Sequence[PageWord]) -> str:
    """Words as text, with a space where the page has one."""
    text = ""
    for index, word in enumerate(words):
        if index and (word.space or word.x0 - words[index - 1].x1 > 0.2 * word.size):
            text += " "
        text += word.text
    return text


def without_leaders(text: str) -> str:
    """Dot leaders of forms: gone at the end, "..." inside."""
    if not _LEADER.search(text):
        return re.sub(r"(?<=:)\s*\.{1,3}$", "", text)
    return re.sub(r"[\s.]*\.{3}\s*$", "", re.sub(r"(?:\.\s)+(?=\.{3})", "", _LEADER.sub("...", text)))


def lines(words: Iterable[PageWord], page: int) -> list[PrintedLine]:
    """Printed lines from top to bottom. Large words first: a line is where the large ones stand, small ones join it."""
    groups: list[list[PageWord]] = []
    at: dict[int, list[int]] = {}
    for word in sorted(words, key=lambda word: (-round(word.size * 2), word.base, word.x0)):
        best = _nearest(word, groups, at)
        if best is None:
            at.setdefault(int(word.base), []).append(len(groups))
            groups.append([word])
        else:
            groups[best].append(word)
    groups = _with_numbers(_with_high_brackets([part for group in groups for part in _printed_over(group)]))
    return sorted((one_line(group, page) for group in groups), key=lambda line: (line.base, line.words[0].x0))


def _printed_over(words: list[PageWord]) -> list[list[PageWord]]:
    """Two lines that are printed over each other, on almost one baseline in unlike type, as two."""
    ordered = sorted(words, key=lambda word: word.x0)
    over = [(a, b) for a, b in pairwise(ordered) if b.x0 < a.x1 - 0.5 * min(a.size, b.size) and abs(a.size - b.size) > 0.5]
    sizes = {round(word.size, 1) for pair in over for word in pair if word.size > _SMALL * max(other.size for other in words)}
    if len(over) < _OVERPRINTED or len(sizes) != 2:
        return [words]
    middle = sum(sizes) / 2
    return [[word for word in words if word.size > middle], [word for word in words if word.size <= middle]]


def _with_numbers(groups: Sequence[list[PageWord]]) -> list[list[PageWord]]:
    """A paragraph number on the line of its text where the text's first words are set a little higher ("1.1." and "Part" above it)."""
    made = list(groups)
    for own in groups:
        number = min(own, key=lambda word: word.x0)
        if len(own) < 2 or not _PARAGRAPH.match(number.text):
            continue
        after = min((word for word in own if word is not number), key=lambda word: word.x0)
        above = next((group for group in made if group is not own and _stands_between(group, number, after)), None)
        if above is not None and not any(_overlap(one, other) for one in own for other in above):
            made = [group for group in made if group is not own and group is not above]
            made.append([*own, *above])
    return made


def _stands_between(words: Sequence[PageWord], number: PageWord, after: PageWord) -> bool:
    """Whether words a little above a number go on between it and what stands on its line."""
    first = min(words, key=lambda word: word.x0)
    raised = 1.3 < number.base - first.base <= 0.5 * number.size and abs(number.size - first.size) <= 0.5
    return raised and number.x1 <= first.x0 < after.x0


def _overlap(one: PageWord, other: PageWord) -> bool:
    return one.x0 < other.x1 - 0.5 and other.x0 < one.x1 - 0.5


def _with_high_brackets(groups: Sequence[list[PageWord]]) -> list[list[PageWord]]:
    """A mark in brackets that is raised in the size of the text ("approval" and "(1)" above it) on the line before which it stands."""
    marks = {id(group): group[0] for group in groups if len(group) == 1 and _BRACKETED.match(group[0].text)}
    for key, mark in tuple(marks.items()):
        own = next((group for group in groups if id(group) not in marks and _stands_below(group, mark)), None)
        if own is None:
            del marks[key]
        else:
            own.append(replace(mark, space=True))
    return [group for group in groups if id(group) not in marks]


def _stands_below(words: Sequence[PageWord], mark: PageWord) -> bool:
    """Whether a line stands a little below a mark: with a word before it, or beginning behind it."""
    near = [word for word in words if 0 < word.base - mark.base <= 0.55 * mark.size]
    first = min(words, key=lambda word: word.x0)
    return any(-1 <= mark.x0 - word.x1 <= 2 * mark.size for word in near) or (
        first in near and -1 <= first.x0 - mark.x1 <= _NOTE_TAB * mark.size
    )


def one_line(words: Iterable[PageWord], page: int) -> PrintedLine:
    """Words that stand on one line, from left to right."""
    ordered = sorted(words, key=lambda word: word.x0)
    base, size = _dominant(ordered)
    small = [word for word in ordered if word.size <= _SMALL * size and word.base <= base - 0.15 * size]
    return PrintedLine(page, tuple(_whole_signs(ordered, {id(word) for word in small})), base, size)


def _whole_signs(words: Iterable[PageWord], raised: Collection[int]) -> Iterator[PageWord]:
    """A mark of several signs that the file writes in pieces ("*" and "**") as one word, and so a raised minus with its figure."""
    last: PageWord | None = None
    for word in words:
        if last is not None and _is_torn(last, word, raised) and abs(word.base - last.base) < 1:
            last = replace(last, text=last.text + word.text, x1=word.x1)
            continue
        if last is not None:
            yield last
        last = word
    if last is not None:
        yield last


def _is_torn(last: PageWord, word: PageWord, raised: Collection[int]) -> bool:
    if not word.space and _SIGNS.match(word.text) and _SIGNS.match(last.text):
        return True
    minus = id(word) in raised and id(last) in raised and bool(_MINUS.match(last.text))
    return minus and word.text.isdigit() and word.x0 - last.x1 < 0.6 * word.size


def _nearest(word: PageWord, groups: Sequence[Sequence[PageWord]], at: dict[int, list[int]]) -> int | None:
    best, best_distance = None, 0.0
    for bucket in range(int(word.base) - 7, int(word.base) + 8):
        for index in at.get(bucket, ()):
            first = groups[index][0]
            distance = abs(word.base - first.base)
            if word.size <= _SMALL * first.size:
                near = distance <= 0.5 * first.size and (
                    any(other.x0 - 3.5 * first.size <= word.x1 and word.x0 <= other.x1 + 1.5 * other.size for other in groups[index])
                    or _opens(word, groups[index])
                )
            else:
                near = distance <= 1.3
            if near and (best is None or distance < best_distance):
                best, best_distance = index, distance
    return best


def _opens(mark: PageWord, words: Sequence[PageWord]) -> bool:
    """Whether a raised mark stands before a line, as far as the text of a note is set in from its mark."""
    first = min(words, key=lambda word: word.x0)
    raised = first.base - mark.base >= 0.15 * first.size
    return raised and bool(_MARK.match(mark.text)) and 0 <= first.x0 - mark.x1 <= _NOTE_TAB * first.size


def _dominant(words: Sequence[PageWord]) -> tuple[float, float]:
    """(baseline, size) of the largest share of characters; small ones do not count where a fifth of the line is larger."""
    weight: dict[tuple[float, float], int] = {}
    for word in words:
        key = (round(word.base, 1), round(word.size, 1))
        weight[key] = weight.get(key, 0) + len(word.text)
    whole = sum(weight.values())
    large = max(size for _, size in weight if sum(count for (_, other), count in weight.items() if other >= size) >= 0.2 * whole)
    weight = {key: count for key, count in weight.items() if key[1] > _SMALL * large}
    return max(weight.items(), key=lambda item: (item[1], item[0][1]))[0]
