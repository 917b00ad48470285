"""A Markdown or XML text cut into clauses and tables by its marks alone, as an outside reading of it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml import html

NUMBER = re.compile(r"(?<![\w.,^])\d+(?:\.\d+)?(?![\w,]|\.\d)")

Edit = tuple[int, int, str, bool, str]
"""Start, end, the new text, whether only a finding will do, and the bound that the new words say."""


@dataclass(frozen=True)
class Part:
    """A line or paragraph of a text: its clause, and where it stands."""

    clause: str
    start: int
    end: int


class Outside:
    """A Markdown or XML text cut into clauses and tables by its marks alone."""

    def __init__(self, text: str, scope: Sequence[str]) -> None:
        self.text = text
        self.parts = [part for part in (self._xml() if text.lstrip().startswith("<?xml") else self._lines()) if part.end > part.start]
        self.scope = scope

    def _lines(self) -> Iterator[Part]:
        clause, region, at = "", "", 0
        for line in self.text.splitlines(keepends=True):
            head = re.match(r"#*\s*(?:\*\*)?(S\d+(?:\.\d+)*|\d+(?:\.\d+)*)\.?\s", line)
            annex = re.match(r"#+\s*((?:Annex \d+)(?:\s*-\s*Appendix \d+)?)", line)
            note = re.match(r"\[\^([^\]]+)\]:", line)
            if annex:
                region = clause = annex.group(1)
            elif head:
                clause = f"{region}, {head.group(1)}" if region else head.group(1)
            yield Part("footnote" if note else clause, at, at + len(line))
            at += len(line)

    def _xml(self) -> Iterator[Part]:
        clause = ""
        for hit in re.finditer(r"<(P|HD|FP|ENT|TTITLE|BOXHD|CHED)\b[^>]*>(.*?)</\1>|<ENT[^>]*>([^<]*)", self.text, re.DOTALL):
            head = re.match(r"\s*(?:<[^>]+>)*\s*(S\d+(?:\.\d+)*)\.?\s", hit.group(2) or "")
            clause = head.group(1) if head else clause
            group = 2 if hit.group(2) is not None else 3
            yield Part(clause, hit.start(group), hit.end(group))

    def in_scope(self) -> list[Part]:
        """Lines of clauses that the profile answers for, and footnotes."""

        def held(clause: str) -> bool:
            return clause == "footnote" or any(clause == item or clause.startswith((f"{item}.", f"{item},")) for item in self.scope)

        return [part for part in self.parts if held(part.clause)]

    def tables(self) -> list[tuple[int, int]]:
        """Where the tables of clauses in scope stand."""
        spans = [hit.span() for hit in re.finditer(r"<table>.*?</table>|<GPOTABLE.*?</GPOTABLE>", self.text, re.DOTALL)]
        held = self.in_scope()
        return [(a, b) for a, b in spans if any(a <= part.start < b for part in held)]

    def rows(self) -> list[list[str]]:
        """The rows of every table in scope."""
        clauses = dict.fromkeys(part.clause for part in self.in_scope())
        return [row for clause in clauses for grid in self.grids(clause) for row in grid]

    def grids(self, clause: str) -> list[list[list[str]]]:
        """The cells of the tables of a clause, spans filled; [] where the text has no HTML tables."""
        found: list[list[list[str]]] = []
        for start, end in ((hit.start(), hit.end()) for hit in re.finditer(r"<table>.*?</table>", self.text, re.DOTALL)):
            at = next((part.clause for part in self.parts if part.start <= start < part.end), "")
            if at == clause:
                found.append(grid_of(self.text[start:end]))
        return found


def grid_of(text: str) -> list[list[str]]:
    """The cells of an HTML table, spans filled."""
    cells: dict[tuple[int, int], str] = {}
    rows = html.fragment_fromstring(text).findall(".//tr")
    for y, row in enumerate(rows):
        x = 0
        for cell in row:
            while (y, x) in cells:
                x += 1
            for down in range(int(cell.get("rowspan", "1"))):
                for right in range(int(cell.get("colspan", "1"))):
                    cells[y + down, x + right] = " ".join(cell.text_content().split())
            x += int(cell.get("colspan", "1"))
    width = max((x for _, x in cells), default=-1) + 1
    return [[cells.get((y, x), "") for x in range(width)] for y in range(len(rows))]


def digit(number: str, rng: random.Random) -> str:
    """A number with one digit changed."""
    at = rng.choice([index for index, sign in enumerate(number) if sign.isdigit()])
    return number[:at] + rng.choice([sign for sign in "0123456789" if sign != number[at]]) + number[at + 1 :]


def sentence_parts(outside: Outside) -> list[Part]:
    """Lines in scope outside tables."""
    tables = outside.tables()
    return [part for part in outside.in_scope() if not any(a <= part.start < b for a, b in tables)]


def hits_of(outside: Outside, pattern: re.Pattern[str], parts: list[Part]) -> list[re.Match[str]]:
    """Where a pattern stands in some lines; not as a number of a paragraph, an annex or a list."""
    skip = re.compile(r"(?:paragraphs?|Annex|Appendix|Regulation No\.|Category|Table|Figure|Method|ISO|§|Part|part|CFR|SAE|ASTM) *$")
    found = []
    for part in parts:
        for hit in pattern.finditer(outside.text, part.start, part.end):
            line = outside.text[part.start : hit.start()]
            own = re.fullmatch(r"[#\s*]*", line) or skip.search(line) or re.search(r"<[^>]*$|<sub>[^<]*$|\[\^$|series of *$", line)
            if not own and not re.match(r"\. |\.\d|-\d", outside.text[hit.end() : hit.end() + 2]):
                found.append(hit)
    return found
