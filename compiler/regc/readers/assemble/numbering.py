"""Paragraph numbers: what is printed, what the sequence forces, and what may be put right because of it.

The numbers of a region are a depth-first walk: after 5.1.2 comes 5.1.2.1, 5.1.3, 5.2 or 6 and nothing else. Everything here
is pure: numbers are tuples of ints, nothing knows about text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

Number = tuple[int, ...]

#: A number at the start of a text: "5.2.1.", "5.2.1", "4.", clipped ".1.4.1."; not "15 seconds", "0.9 m" or "1st".
_AT_START = (
    r"(?P<number>\.?\d{1,3}(?:\.\d{1,3})*\.|\d{1,3}(?:\.\d{1,3})+)(?=\s|$|[\"“(]|(?<=\d\.)(?<=\.\d\.)[A-Z]|(?<=\.\d\d\.)[A-Z])\s*"
)
_LETTERED = re.compile(r"(?P<letter>[A-Z])\d{1,3}(?:\.|(?:\.\d{1,3})+\.?)(?=\s|$)")
#: So many paragraphs begin with a letter and a number before the letter counts as a part of the numbers.
_LETTERED_AT_LEAST = 3

#: A region deeper than this many lost numbers in one hole is not repaired: the number after the hole is then suspect itself.
MAX_HOLE = 40
#: More numbers than this at one place of a walk settle nothing and only cost time.
MAX_STATES = 200


def parse(text: str) -> Number | None:
    """The parts of a paragraph number; None for anything else, a clipped number included.

    >>> parse("5.2.1."), parse("5.2.")
    ((5, 2, 1), (5, 2))
    >>> parse("5.2.x") is None
    True
    """
    bare = text.strip().rstrip(".")
    if not re.fullmatch(r"\d{1,3}(\.\d{1,3})*", bare):
        return None
    return tuple(int(part) for part in bare.split("."))


def show(number: Number, prefix: str = "") -> str:
    """(5, 2, 1) as "5.2.1"; with the letter that a document sets before its numbers "S5.2.1"."""
    return prefix + ".".join(map(str, number))


@cache
def printed(prefix: str = "") -> re.Pattern[str]:
    """What matches a number at the start of a text, behind the letter that the document sets before its numbers."""
    return re.compile(re.escape(prefix) + _AT_START)


def letter_of(texts: Iterable[str]) -> str:
    """The letter that a document sets before its paragraph numbers ("S" of "S5.2.1."); "" where the numbers stand alone."""
    letters: Counter[str] = Counter()
    plain = 0
    for text in texts:
        lettered = _LETTERED.match(text)
        if lettered:
            letters[lettered["letter"]] += 1
        elif printed().match(text):
            plain += 1
    letter, count = letters.most_common(1)[0] if letters else ("", 0)
    return letter if count >= _LETTERED_AT_LEAST and count > plain else ""


def size(number: Number) -> float:
    """Printed width of a number in digits; a dot is half as wide as a digit in the typefaces of regulations."""
    return sum(len(str(part)) for part in number) + 0.5 * len(number)


def successors(number: Number) -> tuple[Number, ...]:
    """What may follow: the first child, the next sibling, the next sibling of each ancestor.

    >>> [show(number) for number in successors((5, 2, 1))]
    ['5.2.1.1', '5.2.2', '5.3', '6']
    """
    steps = [(*number, 1)]
    steps.extend((*number[:depth], number[depth] + 1) for depth in range(len(number) - 1, -1, -1))
    return tuple(steps)


def forced(before: Number, after: Number, levels: frozenset[int]) -> tuple[Number, ...]:
    """Numbers that must stand between two others. `levels` are the depths that the region prints at all."""
    shared = 0
    while shared < min(len(before), len(after)) and before[shared] == after[shared]:
        shared += 1
    numbers: list[Number] = []
    for depth in range(shared, len(after)):
        first = before[depth] + 1 if depth == shared and depth < len(before) else 1
        for value in range(first, after[depth] + 1):
            number = (*after[:depth], value)
            if number != after and len(number) in levels:
                numbers.append(number)
                if len(numbers) > MAX_HOLE:
                    return tuple(numbers)
    return tuple(numbers)


def increasing(candidates: Sequence[tuple[Number, int]]) -> list[int]:
    """Indices of the heaviest strictly increasing run of (number, weight): a number in prose falls out of it.

    O(n log n): a Fenwick tree of the best weight over the ranks of the numbers.
    """
    ranks = sorted({number for number, _ in candidates})
    tree: list[tuple[int, int]] = [(0, -1)] * (len(ranks) + 1)
    previous: list[int] = []
    best = (0, -1)
    for index, (number, weight) in enumerate(candidates):
        rank = bisect_left(ranks, number)
        top = (0, -1)
        cursor = rank
        while cursor > 0:
            top = max(top, tree[cursor], key=lambda entry: entry[0])
            cursor -= cursor & -cursor
        previous.append(top[1])
        entry = (top[0] + weight, index)
        cursor = rank + 1
        while cursor < len(tree):
            if entry[0] > tree[cursor][0]:
                tree[cursor] = entry
            cursor += cursor & -cursor
        if entry[0] > best[0]:
            best = entry
    chain: list[int] = []
    cursor = best[1]
    while cursor >= 0:
        chain.append(cursor)
        cursor = previous[cursor]
    return chain[::-1]


def _has_children(numbers: Sequence[Number], index: int) -> bool:
    """Whether the run of "1.", "2.", ... that begins here is one of headings with numbers below."""
    while index + 1 < len(numbers) and numbers[index + 1] == (numbers[index][0] + 1,):
        index += 1
    return index + 1 < len(numbers) and numbers[index + 1][:1] == numbers[index] and len(numbers[index + 1]) > 1


def introduction(numbers: Sequence[Number]) -> int:
    """How many of the first numbers are those of an introduction: they count up from 1, and 1 begins again
    with numbers below; else 0."""
    end = 0
    while end < len(numbers) and numbers[end] == (end + 1,):
        end += 1
    return end if end > 1 and numbers[end : end + 1] == [(1,)] and _has_children(numbers, end) else 0


def lists(numbers: Sequence[Number]) -> set[int]:
    """Indices of "1.", "2.", "3." that are a list inside a clause: begun again at 1, one directly after another, no children."""
    indices: set[int] = set()
    begun = False
    index = 0
    while index < len(numbers):
        end = index
        if numbers[index] == (1,):
            while end + 1 < len(numbers) and numbers[end + 1] == (numbers[end][0] + 1,):
                end += 1
            following = numbers[end + 1] if end + 1 < len(numbers) else ()
            if begun and end > index and following[:1] != numbers[end]:
                indices.update(range(index, end + 1))
            elif end > index and following == (1,) and _has_children(numbers, end + 1):
                indices.update(range(index, end + 1))  # an introduction with numbers of its own
            begun = True
        index = end + 1
    return indices


@dataclass(frozen=True)
class Trace:
    """What is left of a number that certainly stands there: its last digits, or the width of an unreadable one (in digits)."""

    suffix: str | None = None
    size: float | None = None

    def fits(self, number: Number) -> bool:
        """Whether a number may have left this trace; 0.7 of a digit is less than half a level."""
        if self.suffix is not None:
            bare = self.suffix.strip(".")
            whole = show(number)
            clipped = whole.endswith("." + bare)
            if not clipped and (whole != bare or self.suffix.startswith(".")):
                return False
            if bare == "1" and clipped and not self.suffix.startswith("."):
                return False  # "1." alone begins a list more often than it ends a number
        return self.size is None or abs(size(number) - self.size) <= 0.7


def steps(number: Number, levels: frozenset[int]) -> set[Number]:
    """`successors` among the depths that the region prints: where "1." is a mere heading, 1.1 comes first and 2.1 after 1.2."""
    numbers: set[Number] = set()
    deepest = max(levels, default=0)
    for step in successors(number) if number else ((1,),):
        while len(step) not in levels and len(step) < deepest:
            step = (*step, 1)
        numbers.add(step)
    return numbers


def walk(before: Number, after: Number | None, items: Sequence[Trace | None], levels: frozenset[int]) -> list[set[Number | None]]:
    """For each paragraph between two numbers what it may be on any legal walk: a number, or None for a paragraph without one.

    `items` are traces (a number stands there) or None (one may). Sets of one: the sequence leaves exactly one possibility.
    Empty sets: there is no such walk. No sets at all: there are too many to tell.
    """
    layers: list[set[Number]] = [{before}]
    for item in items:
        reached = {step for number in layers[-1] for step in _taken(number, item, after, levels)}
        layers.append(reached | layers[-1] if item is None else reached)
        if len(layers[-1]) > MAX_STATES:
            return []
    ends = {number for number in layers[-1] if after is None or after in steps(number, levels)}
    outcomes: list[set[Number | None]] = []
    for index in range(len(items) - 1, -1, -1):
        reachable: set[Number | None] = set()
        alive: set[Number] = set()
        for number in layers[index]:
            taken = {step for step in _taken(number, items[index], after, levels) if step in ends}
            stays = items[index] is None and number in ends
            reachable |= taken
            if stays:
                reachable.add(None)
            if taken or stays:
                alive.add(number)
        outcomes.append(reachable)
        ends = alive
    return outcomes[::-1]


def _taken(number: Number, item: Trace | None, after: Number | None, levels: frozenset[int]) -> list[Number]:
    return [step for step in steps(number, levels) if (item is None or item.fits(step)) and (after is None or step < after)]
