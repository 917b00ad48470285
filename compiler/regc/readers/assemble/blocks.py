"""What a reader sees on the page before it knows the clause tree: blocks in reading order.

Each format module turns its input into blocks; `assemble/assembly.py` turns blocks into a Document, with one set of rules for
numbers, regions, captions, footnotes and repairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from regc.model.source import Bbox


@dataclass(frozen=True)
class Line:
    """A printed line of a block: [start, end) of the block's text, and its box."""

    start: int
    end: int
    page: int
    bbox: Bbox


@dataclass(frozen=True)
class Block:
    """A paragraph, heading, table or footnote in reading order.

    `number` is a paragraph number that the layout set apart ("5.2.1.4"), when the format knows; else None and `text` may begin
    with one; "" says that a number stands there and cannot be read, `number_size` is then its width in digits (a dot is half a
    digit). `heading` is True when the format marks it as a heading (a hint, often wrong). `marks` are footnote marks found
    in the text (taken out of it), `mark_pages` the page of each where the block runs over several, `mark_ends` where in the text each
    stood, where the format knows.
    For "table": `grid` is the raw grid with spans, `text` is empty.
    For "footnote": `mark` is its own mark, `below` says that it stands under a table that bears the mark. For "figure": `text` are the
    words in a drawing; for "formula": it is as written.
    `told` are (code, words) of how a table was recognised, for the findings; `head` is how many of its first rows are its head, where
    the format or the type says so.
    """

    kind: Literal["text", "table", "footnote", "figure", "formula"]
    text: str = ""
    number: str | None = None
    number_size: float | None = None
    heading: bool = False
    marks: tuple[str, ...] = ()
    mark: str | None = None
    grid: tuple[tuple[GridCell, ...], ...] = ()
    page: int | None = None
    bbox: Bbox | None = None
    lines: tuple[Line, ...] = field(default=())
    told: tuple[tuple[str, str], ...] = ()
    mark_pages: tuple[int, ...] = ()
    mark_ends: tuple[int, ...] = ()
    head: int | None = None
    below: bool = False


@dataclass(frozen=True)
class GridCell:
    """A cell as written, before spans are resolved. `marks` are footnote marks that the format set apart (not in `text`)."""

    text: str
    rowspan: int = 1
    colspan: int = 1
    header: bool = False
    page: int | None = None
    bbox: Bbox | None = None
    marks: tuple[str, ...] = ()
