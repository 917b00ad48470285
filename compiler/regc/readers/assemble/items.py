"""The items of a clause's text as a tree: (c), and (i) below it; items that begin inside a line; several lists one after another.

One function for every format: it sees nothing but the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from regc.model.document import Item

_LABEL = r"\((?P<label>[ivx]{1,6}|([a-z])\2?|[A-Z]|\d{1,2})\)(?=\s)"
_AT_START = re.compile(_LABEL)
#: Inside a line an item begins behind a stop: "...: (a) carts; or (b) sledges".
_INSIDE = re.compile(rf"(?<=[:;.,])\s+(?:and\s+|or\s+)?(?={_LABEL})")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii")
_FIRST = {"digit": "1", "roman": "i", "lower": "a", "upper": "A"}


@dataclass(frozen=True)
class _Step:
    """One label of a path and what it counts in."""

    kind: str
    label: str

    def precedes(self, label: str) -> bool:
        """Whether `label` is the next one of the same kind."""
        if self.kind == "digit":
            return label.isdigit() and int(label) == int(self.label) + 1
        if self.kind == "roman":
            return label in _ROMAN and self.label in _ROMAN and _ROMAN.index(label) == _ROMAN.index(self.label) + 1
        if self.label == "z":
            return label == "aa"
        return len(label) == len(self.label) and label[0] == chr(ord(self.label[0]) + 1)


def items(text: str) -> tuple[Item, ...]:
    """The items of a clause in reading order.

    A line without a label ends a flat list, but a nested one goes on behind it. A label that begins again is a new list. "(i)" is
    a letter behind "(h)" and a roman number else. Inside a line only the first label behind a colon and the next of a list count.
    """
    made: list[Item] = []
    stack: list[_Step] = []
    ended: _Step | None = None
    number, lead = 0, ""
    for start, end, inside in _pieces(text):
        piece = text[start:end].rstrip()
        label = _label(piece)
        if label is not None and inside and not _expected(label, stack, text[:start].rstrip()[-1:]):
            label = None
        if label is None:
            if inside and made and made[-1].end == len(text[:start].rstrip()):  # a bracket within the item before it
                made[-1] = made[-1].model_copy(update={"text": text[made[-1].start : start + len(piece)], "end": start + len(piece)})
                continue
            lead = f"{lead} {piece}" if inside else piece
            if len(stack) == 1:
                ended, stack = stack[0], []
            continue
        step = _Step(_kind(label, stack or ([ended] if ended else [])), label)
        kinds = [above.kind for above in stack]
        begins_again = step.kind in kinds and label == _FIRST[step.kind]
        stack = [*(stack[: kinds.index(step.kind)] if step.kind in kinds else stack), step]
        if len(stack) == 1:
            goes_on = ended is not None and ended.kind == step.kind and ended.precedes(label)
            number += begins_again or not (kinds or goes_on)
            if goes_on and not kinds:  # a line "and" between two items is no lead
                lead = next((item.lead for item in reversed(made) if item.number == number and len(item.path) == 1), lead)
            ended = None
        path = tuple(step.label for step in stack)
        above = next((item for item in reversed(made) if item.number == number and item.path == path[:-1]), None)
        made.append(
            Item(
                path=path,
                number=number,
                lead=above.text if above and above.text.endswith(":") else lead,
                text=piece,
                start=start,
                end=start + len(piece),
            )
        )
    return tuple(made)


def _pieces(text: str) -> Iterator[tuple[int, int, bool]]:
    """[start, end) of each line, and of what stands behind a label that may begin inside one (then True)."""
    at = 0
    for line in text.split("\n"):
        cuts = [0, *(match.end() for match in _INSIDE.finditer(line)), len(line)]
        for index, (start, end) in enumerate(pairwise(cuts)):
            if line[start:end].strip():
                yield at + start, at + end, index > 0
        at += len(line) + 1


def _label(piece: str) -> str | None:
    match = _AT_START.match(piece)
    return match["label"] if match else None


def _expected(label: str, stack: list[_Step], before: str) -> bool:
    """Whether a label inside a line is an item: the next of a list that is open, or the first of one behind a colon."""
    return any(step.precedes(label) for step in stack) or (before == ":" and label in _FIRST.values())


def _kind(label: str, stack: list[_Step]) -> str:
    if label.isdigit():
        return "digit"
    if label.isupper():
        return "upper"
    letter = any(step.kind == "lower" and step.precedes(label) for step in stack)
    return "roman" if label in _ROMAN and not letter else "lower"
