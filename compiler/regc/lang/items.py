"""The lettered items of a clause, as a tree: (c), and (i) below it; also where items stand inside a line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from regc.lang.words import ITEM_INSIDE, pieces


@dataclass(frozen=True)
class ItemSpan:
    """One item: `path` ("c", "i") of the `number`-th list of its clause; it begins at `start`, `lead` is the line above the list."""

    number: int
    path: tuple[str, ...]
    text: str
    start: int
    lead: str

    @property
    def label(self) -> str:
        """The path as it is cited: "(c)(i)"."""
        return "".join(f"({label})" for label in self.path)


@lru_cache(maxsize=4096)
def items_of(text: str) -> tuple[ItemSpan, ...]:
    """The items of a clause's text in reading order. A line without a letter ends a flat list; "(i)" after "(h)" is a letter."""
    stack: list[tuple[str, str]] = []
    lists, lead = 0, ""
    found: list[ItemSpan] = []
    for start, end in pieces(text, rf"\n|{ITEM_INSIDE}"):
        line = text[start:end].rstrip("\n")
        match = re.match(r"\((\w{1,4})\)\s", line)
        if match is None:
            lead, stack = line, stack if len(stack) > 1 else []
            continue
        kind = _kind(match[1], stack)
        kinds = [above for above, _ in stack]
        if kind in kinds:
            stack = stack[: kinds.index(kind)]
        if not stack and match[1] in ("a", "1", "i"):
            lists += 1
        stack = [*stack, (kind, match[1])]
        found.append(ItemSpan(lists, tuple(label for _, label in stack), line, start, lead))
    return tuple(found)


def _kind(label: str, stack: list[tuple[str, str]]) -> str:
    """Whether a label counts in digits, letters or roman numbers; "(i)" follows "(h)" as a letter."""
    if label.isdigit():
        return "digit"
    after_letter = any(len(above) == 1 and chr(ord(above) + 1) == label for _, above in stack)
    return "roman" if re.fullmatch("[ivx]+", label) and not after_letter else "letter"
