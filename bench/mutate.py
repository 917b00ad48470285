"""What a build says of documents with one fault put in: every fault must reach the artefacts as it stands, or be told.

    python bench/mutate.py un152 [--count 600] [--seed 1] [--source FILE ...] [--kind WORDS] [--jobs 2] [--limit 60] [--list]

A mutant is the embedded text, or a copy of a `--source` (Markdown, XML, PDF, or a Markdown with its layout file beside), with one
change at a seeded place. No golden truth is looked at. What the mutated place says is read here by other means than the compiler's:
lines, a table grid of lxml, the text that PDFium gives for a page. A mutant is

    equal       what changed in the tests is what the mutated place says, and what it says has changed in the tests
    told        a new finding of severity warning or error, and the build goes on
    refused     a message with a next step, no tests
    silent      neither: a wrong number, a lost test, or two places that differ without a word
    traceback, hang
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import re
import sys
import tempfile
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from lxml import html

from regc.errors import RegcError
from regc.model.scenario import Scenario
from regc.model.source import SourceRef
from regc.model.suite import Suite
from regc.model.value import Value, Word
from regc.pipeline import compile_regulation
from regc.profiles import load_profile, profile_folder
from regc.request import Request

OUTCOMES = ("equal", "told", "refused", "silent", "traceback", "hang")
_NUMBER = re.compile(r"(?<![\w.,^])\d+(?:\.\d+)?(?![\w,]|\.\d)")
_SPELLED = {"two": 2, "three": 3, "four": 4, "five": 5}
_UNIT = re.compile(r"(?<=\d )(?:km/h|m/s|mph|seconds?|s|m|lux|Lux|per cent|percent|kg|°C|degrees?)(?![\w/])")
#: A bound's words, those of another one in their place, and what the other one says.
_BOUNDS = (
    ("at least", "at most", "le"),
    ("not more than", "not less than", "ge"),
    ("at the latest", "at the earliest", ""),
    ("no greater than", "no less than", "ge"),
    ("less than", "more than", "gt"),
    ("greater than", "less than", "lt"),
    ("in excess of", "below", "lt"),
    ("up to", "from", ""),
    ("higher than", "lower than", ""),
    ("between", "outside", ""),
    ("no later than", "no earlier than", ""),
)
_NEGATIONS = (
    ("shall not", "shall"), ("not more than", "more than"), ("no greater than", "greater than"), (" shall be ", " shall not be "),
    (" shall ", " shall not "), ("does not ", "does "), (" is ", " is not "), (" are ", " are not "), ("not less than", "less than"),
)  # fmt: skip
_TOLERANCE = re.compile(r"\+(\d+(?:\.\d+)?)/[-−](\d+(?:\.\d+)?)|\+/[-−] ?(\d+(?:\.\d+)?)|± ?(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Mutant:
    """One changed document. `files`: name -> bytes, the first is the source. `old` and `new`: what stood and stands at the place.

    `must_tell`: nothing but a finding will do. `bound`: what the new words say, where they say a bound. `tail`: the
    text behind the place.
    """

    kind: str
    place: str
    old: str
    new: str
    files: Mapping[str, bytes]
    must_tell: bool = False
    bound: str = ""
    matters: bool = True
    tail: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a mutant came out, and what shows it."""

    mutant: str
    kind: str
    outcome: str
    why: str = ""


@dataclass
class Reading:
    """What a build holds: values by test and name, words by test and name, findings of severity warning or error."""

    values: dict[str, Value] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    told: set[tuple[str, str]] = field(default_factory=set)
    errors: bool = False


# ---------------------------------------------------------------- what a build says


def reading_of(suite: Suite) -> Reading:
    """Every number and word of every test, table and card."""
    found = Reading()
    for scenario in suite.scenarios:
        found.values |= {f"{scenario.id}|{name}": value for name, value in scenario.values()}
        found.words |= {f"{scenario.id}|{name}": word for name, word in _words(scenario)}
    for table in suite.tables:
        for row in table.rows:
            found.values[f"{table.id}|{row.key.lo}"] = row.key
            if row.limit is not None:
                found.values[f"{table.id}|{row.key.lo}|limit"] = row.limit
        found.words[f"{table.id}|between"] = f"{table.between} {sorted(table.beyond.items())}"
    for card in suite.cards:
        for index, step in enumerate(card.steps):
            found.words[f"{card.id}|{index}"] = step.text
    found.told = {(finding.code, finding.message) for finding in suite.findings if finding.severity in ("warning", "error")}
    found.errors = any(finding.severity == "error" for finding in suite.findings)
    return found


def _words(scenario: Scenario) -> Iterator[tuple[str, str]]:
    yield "status", f"{scenario.status} {scenario.entry} {' '.join(scenario.covers)} {' '.join(word.word for word in scenario.only)}"
    for name, bound in {**scenario.bind, **scenario.conditions}.items():
        if isinstance(bound, Word):
            yield name, bound.word
    for criterion in scenario.require:
        yield f"require.{criterion.label}", f"{criterion.form} {criterion.sign} {criterion.signal} {criterion.instead}"
    yield "applies_if", str(len(scenario.applies_if))
    for name, statements in (("said", scenario.said), ("told", scenario.told)):
        for index, statement in enumerate(statements):
            yield f"{name}.{index}", statement.text


def _shape(value: Value) -> tuple[Any, ...]:
    tolerance = (value.tolerance.plus, value.tolerance.minus) if value.tolerance else None
    return (value.lo, value.hi, value.unit, value.bound, tolerance, value.symbol, value.differs)


def compiled(regulation: str, source: Path | None) -> Reading:
    """The build of one document, without a cache."""
    return reading_of(compile_regulation(Request(regulation, source=source)).suite)


# ---------------------------------------------------------------- a text as lines, clauses and tables


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
                found.append(_grid(self.text[start:end]))
        return found


def _grid(text: str) -> list[list[str]]:
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


# ---------------------------------------------------------------- mutations of a text


Edit = tuple[int, int, str, bool, str]
"""Start, end, the new text, whether only a finding will do, and the bound that the new words say."""


def _digit(number: str, rng: random.Random) -> str:
    at = rng.choice([index for index, sign in enumerate(number) if sign.isdigit()])
    return number[:at] + rng.choice([sign for sign in "0123456789" if sign != number[at]]) + number[at + 1 :]


def _sentence_parts(outside: Outside) -> list[Part]:
    tables = outside.tables()
    return [part for part in outside.in_scope() if not any(a <= part.start < b for a, b in tables)]


def _hits(outside: Outside, pattern: re.Pattern[str], parts: list[Part]) -> list[re.Match[str]]:
    skip = re.compile(r"(?:paragraphs?|Annex|Appendix|Regulation No\.|Category|Table|Figure|Method|ISO|§|Part|part|CFR|SAE|ASTM) *$")
    found = []
    for part in parts:
        for hit in pattern.finditer(outside.text, part.start, part.end):
            line = outside.text[part.start : hit.start()]
            own = re.fullmatch(r"[#\s*]*", line) or skip.search(line) or re.search(r"<[^>]*$|\[\^$|series of *$", line)
            if not own and not re.match(r"\. |\.\d|-\d", outside.text[hit.end() : hit.end() + 2]):
                found.append(hit)
    return found


def sentence_number(outside: Outside, rng: random.Random) -> Edit:
    """One digit of a number in a sentence."""
    hit = rng.choice(_hits(outside, _NUMBER, _sentence_parts(outside)))
    return hit.start(), hit.end(), _digit(hit.group(), rng), False, ""


def example_number(outside: Outside, rng: random.Random) -> Edit:
    """One digit of a worked example: the table says otherwise."""
    spans = [
        Part("", part.start + hit.start(), part.start + hit.end())
        for part in _sentence_parts(outside)
        for hit in re.finditer(r"\((?:e\.g|i\.e)\.[^)]*\)|and so [^,.]*", outside.text[part.start : part.end])
        if re.search(r"\d km/h", hit.group())
    ]
    hit = rng.choice(_hits(outside, _NUMBER, spans))
    new = _digit(hit.group(), rng)
    keys = sorted({Decimal(row[0]) for row in outside.rows() if re.fullmatch(r"[\d.]+", row[0])})
    rows = [next((key for key in keys if key >= Decimal(number)), None) for number in (hit.group(), new)]
    between = Decimal(hit.group()) not in keys and rows[0] == rows[1]  # 53 and 51 both take the row of 55
    return hit.start(), hit.end(), new, not between, ""


def bound_word(outside: Outside, rng: random.Random) -> Edit:
    """Another bound in the place of a bound's words."""
    words = {old: (new, bound) for old, new, bound in _BOUNDS}
    pattern = re.compile(rf"(?<!not )(?<!no )\b(?:{'|'.join(words)})(?= (?:a |an |the )?[\d.]|\b(?= two))")
    hit = rng.choice(_hits(outside, pattern, _sentence_parts(outside)))
    new, bound = words[hit.group()]
    return hit.start(), hit.end(), new, False, bound


def unit_word(outside: Outside, rng: random.Random) -> Edit:
    """Another unit behind a number."""
    hit = rng.choice(_hits(outside, _UNIT, _sentence_parts(outside)))
    others = {"km/h": ["m/s", "mph"], "m": ["cm", "s"], "s": ["m", "ms"], "seconds": ["minutes", "metres"], "m/s": ["km/h"]}
    return hit.start(), hit.end(), rng.choice(others.get(hit.group(), ["km/h", "m"])), False, ""


def tolerance_sign(outside: Outside, rng: random.Random) -> Edit:
    """The signs of a tolerance turned, or one of them lost; in sentences and cells."""
    hit = rng.choice(_hits(outside, _TOLERANCE, outside.in_scope()))
    plus, minus, both, sign = hit.groups()
    if plus is None:
        return hit.start(), hit.end(), rng.choice([f"+{both or sign}", f"-{both or sign}", f"+{both or sign}/-0"]), False, ""
    return hit.start(), hit.end(), rng.choice([f"-{plus}/+{minus}", f"+{minus}/-{plus}", f"+{plus}", f"{plus}/-{minus}"]), False, ""


def second_number(outside: Outside, rng: random.Random) -> Edit:
    """A second number with a unit beside the first one."""
    pattern = re.compile(r"\d+(?:\.\d+)? (?:km/h|m/s|seconds?|s|m|lux|per cent|kg)(?![\w/])")
    hit = rng.choice(_hits(outside, pattern, _sentence_parts(outside)))
    number, unit = hit.group().split(" ", 1)
    other = f"{Decimal(number) + 3}"
    new = rng.choice(
        [f"{hit.group()} or {other} {unit}", f"{hit.group()}, or {other} {unit} on request", f"{other} {unit} or {hit.group()}"]
    )
    return hit.start(), hit.end(), new, True, ""


def negation(outside: Outside, rng: random.Random) -> Edit:
    """A "not" put in or taken out."""
    pattern = re.compile("|".join(re.escape(old) for old, _ in _NEGATIONS))
    hit = rng.choice(_hits(outside, pattern, _sentence_parts(outside)))
    return hit.start(), hit.end(), dict(_NEGATIONS)[hit.group()], False, "negated"


def _rows(outside: Outside, rng: random.Random, least: int = 1) -> tuple[list[re.Match[str]], str]:
    spans = [(a, b) for a, b in outside.tables() if len(_body_rows(outside.text, a, b)) >= least]
    start, end = rng.choice(spans)
    return _body_rows(outside.text, start, end), outside.text[start:end]


def _body_rows(text: str, start: int, end: int) -> list[re.Match[str]]:
    pattern = re.compile(r"<tr>(?:(?!</tr>|<th).)*</tr>\n?|<ROW\b.*?</ROW>\s*", re.DOTALL)
    return [hit for hit in pattern.finditer(text, start, end) if re.search(r"<td>|<ENT", hit.group())]


_CELL = re.compile(r"(?<=<td>)[^<]*(?=</td>)|(?<=>)[^<>]+(?=</ENT>|\n)")


def _cells(outside: Outside, row: re.Match[str]) -> list[re.Match[str]]:
    return list(_CELL.finditer(outside.text, row.start(), row.end()))


def cell_digit(outside: Outside, rng: random.Random) -> Edit:
    """One digit of a cell."""
    row = rng.choice(_rows(outside, rng)[0])
    cell = rng.choice([hit for hit in _cells(outside, row) if re.search(r"\d", hit.group()) and not re.search(r"\(S\d", hit.group())])
    return cell.start(), cell.end(), _digit(cell.group(), rng), False, ""


def glued_digit(outside: Outside, rng: random.Random) -> Edit:
    """A digit more behind the number of a cell, as a mark that became a digit."""
    row = rng.choice(_rows(outside, rng)[0])
    cell = rng.choice([hit for hit in _cells(outside, row) if hit.group()[-1:].isdigit()])
    return cell.start(), cell.end(), cell.group() + rng.choice("123456789"), False, ""


def dash_for_number(outside: Outside, rng: random.Random) -> Edit:
    """A dash, or nothing, where a cell has a number."""
    row = rng.choice(_rows(outside, rng)[0])
    cell = rng.choice([hit for hit in _cells(outside, row) if any(sign.isdigit() for sign in hit.group())])
    return cell.start(), cell.end(), rng.choice(["-", "–", "", "n/a"]), True, ""


def rows_swapped(outside: Outside, rng: random.Random) -> Edit:
    """Two neighbouring rows change places: what a table says has not changed, or its order is told."""
    rows, _ = _rows(outside, rng, 2)
    at = rng.randrange(len(rows) - 1)
    return rows[at].start(), rows[at + 1].end(), rows[at + 1].group() + rows[at].group(), False, ""


def row_removed(outside: Outside, rng: random.Random) -> Edit:
    """A row is lost."""
    row = rng.choice(_rows(outside, rng, 2)[0])
    return row.start(), row.end(), "", True, ""


def row_twice(outside: Outside, rng: random.Random) -> Edit:
    """A row stands twice, the second time with another number."""
    row = rng.choice(_rows(outside, rng, 2)[0])
    cells = [hit for hit in _cells(outside, row) if any(sign.isdigit() for sign in hit.group())]
    cell = rng.choice(cells[1:] or cells)
    other = row.group()[: cell.start() - row.start()] + _digit(cell.group(), rng) + row.group()[cell.end() - row.start() :]
    return row.start(), row.end(), row.group() + other, True, ""


def columns_swapped(outside: Outside, rng: random.Random) -> Edit:
    """The cells of two columns change places below headers that stay: only a finding, or what the cells say."""
    rows, _ = _rows(outside, rng, 2)
    width = min(len(_cells(outside, row)) for row in rows)
    first = rng.randrange(max(1, width - 1))
    second = min(first + 1, width - 1)
    text, at = "", rows[0].start()
    for row in rows:
        cells = _cells(outside, row)
        a, b = cells[first], cells[second]
        text += outside.text[at : a.start()] + b.group() + outside.text[a.end() : b.start()] + a.group()
        at = b.end()
    return rows[0].start(), rows[-1].end(), text + outside.text[at : rows[-1].end()], False, ""


def heads_swapped(outside: Outside, rng: random.Random) -> Edit:
    """Two headers change places above cells that stay."""
    spans = outside.tables()
    start, end = rng.choice(spans)
    heads = [
        hit
        for hit in re.finditer(r"(?<=<th>)[^<]+(?=</th>)|(?<=>)[^<>]+(?=</CHED>)", outside.text)
        if start <= hit.start() < end and hit.group().strip()
    ]
    a, b = sorted(rng.sample(heads, 2), key=lambda hit: hit.start())
    return a.start(), b.end(), b.group() + outside.text[a.end() : b.start()] + a.group(), True, ""


def _captions(outside: Outside) -> list[re.Match[str]]:
    parts = outside.in_scope()
    return [
        hit
        for part in parts
        for hit in [re.search(r"(?<=\*\*)[^*\n]+(?=\*\*)|.+", outside.text[part.start : part.end])]
        if hit and re.match(r"\*\*[^*\n]+\*\*", outside.text[part.start : part.end])
    ]


def caption(outside: Outside, rng: random.Random) -> Edit:
    """A caption names another category, is "(continued)", or is lost."""
    parts = [part for part in outside.in_scope() if re.match(r"\*\*[^*\n]+\*\*", outside.text[part.start : part.end])]
    part = rng.choice(parts)
    line = outside.text[part.start : part.end]
    inner = re.match(r"\*\*([^*\n]+)\*\*", line)
    assert inner
    start, end = part.start + 2, part.start + 2 + len(inner.group(1))
    old = inner.group(1)
    swapped = {"M1": "N1", "N1": "M1", "stationary": "moving", "moving": "stationary", "km/h": "m/s"}
    names = [name for name in swapped if name in old]
    choices = [old.replace(name, swapped[name], 1) for name in names] + [f"{old} (continued)", ""]
    new = rng.choice(choices)
    return start, end, new, False, ""


def footnote(outside: Outside, rng: random.Random) -> Edit:
    """A footnote is lost, or its rule says the opposite."""
    notes = [part for part in outside.in_scope() if re.match(r"\[\^|\\?\*+ ", outside.text[part.start : part.end])]
    ruled = [part for part in notes if re.search(r"next higher|apply only|only applies", outside.text[part.start : part.end])]
    part = rng.choice(ruled or notes)
    line = outside.text[part.start : part.end]
    changed = [line.replace(old, new) for old, new in (("next higher", "next lower"), ("above the", "below the")) if old in line]
    return part.start, part.end, rng.choice([*changed, "\n"]), True, ""


def mark(outside: Outside, rng: random.Random) -> Edit:
    """The mark of a footnote is lost, or is that of another one."""
    hits = [hit for part in outside.in_scope() for hit in re.compile(r"\[\^(\d+)\](?!:)").finditer(outside.text, part.start, part.end)]
    hit = rng.choice(hits)
    return hit.start(), hit.end(), rng.choice(["", f"[^{int(hit.group(1)) % 8 + 1}]"]), False, ""


def characters(outside: Outside, rng: random.Random) -> Edit:
    """One letter of a sentence is lost or another one."""
    part = rng.choice([part for part in _sentence_parts(outside) if part.end - part.start > 20])
    at = rng.choice([index for index in range(part.start, part.end) if outside.text[index].isalpha()])
    return at, at + 1, rng.choice(["", "x", "1", "l", "O"]), False, "letter"


TEXT_KINDS: dict[str, Callable[[Outside, random.Random], Edit]] = {
    "sentence: number": sentence_number, "sentence: worked example": example_number, "sentence: bound word": bound_word,
    "sentence: unit": unit_word, "tolerance sign": tolerance_sign, "sentence: second number": second_number,
    "sentence: negation": negation, "sentence: letter": characters, "cell: digit": cell_digit, "cell: glued digit": glued_digit,
    "cell: dash": dash_for_number, "rows swapped": rows_swapped, "row removed": row_removed, "row twice": row_twice,
    "columns swapped": columns_swapped, "heads swapped": heads_swapped, "caption": caption, "footnote": footnote, "mark": mark,
}  # fmt: skip


def text_mutant(name: str, text: str, scope: Sequence[str], kind: str, rng: random.Random) -> Mutant | None:
    """A text with one change of a kind; None where the text has no place for it."""
    outside = Outside(text, scope)
    try:
        start, end, new, must_tell, bound = TEXT_KINDS[kind](outside, rng)
    except (IndexError, ValueError):
        return None
    old = text[start:end]
    if old == new:
        return None
    place = next((part.clause for part in outside.parts if part.start <= start < part.end), "")
    changed = text[:start] + new + text[end:]
    around = " ".join(text[max(0, start - 40) : start].split())
    return Mutant(kind, f"{place}: ...{around}", old, new, {name: changed.encode()}, must_tell, bound, tail=text[end : end + 60])


# ---------------------------------------------------------------- mutations of a PDF


def pdf_bytes(name: str, content: bytes, rng: random.Random) -> Mutant:
    """Bytes turned, cut off, or a run lost."""
    data = bytearray(content)
    what = rng.choice(("turned", "turned", "cut", "lost", "doubled"))
    at = rng.randrange(len(data))
    if what == "turned":
        for _ in range(rng.choice((1, 4, 32))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif what == "cut":
        del data[at:]
    elif what == "lost":
        del data[at : at + rng.choice((1, 20, 2000))]
    else:
        data[at:at] = data[at : at + 500]
    return Mutant("pdf: bytes", f"byte {at}", what, "", {name: bytes(data)}, matters=False)


def pdf_character(name: str, content: bytes, rng: random.Random) -> Mutant | None:
    """One digit of a text stream, seen by PDFium's own text of the page; streams keep their length, so that nothing else moves."""
    streams = [hit for hit in re.finditer(rb"stream\r?\n", content) if content[hit.start() - 3 : hit.start()] != b"end"]
    for _ in range(200):
        start = rng.choice(streams).end()
        end = content.find(b"endstream", start)
        try:
            plain = zlib.decompress(content[start:end].rstrip(b"\r\n"))
        except zlib.error:
            continue
        shown = [hit.start() for hit in re.finditer(rb"(?<=\()\d|(?<=\d)\d(?=\))|(?<=\d)\d(?=[.\d])", plain)]
        if (b"TJ" not in plain and b"Tj" not in plain) or not shown:
            continue
        at = rng.choice(shown)
        digit = rng.choice([sign for sign in b"0123456789" if sign != plain[at]])
        packed = next(
            (
                data
                for level in (9, 8, 7)
                if len(data := zlib.compress(plain[:at] + bytes([digit]) + plain[at + 1 :], level)) <= end - start
            ),
            None,
        )
        if packed is None:
            continue
        changed = content[:start] + packed + b"\n" * (end - start - len(packed)) + content[end:]
        before, after = _pdf_words(content), _pdf_words(changed)
        pairs = [(old, new) for old, new in zip(before, after, strict=False) if old != new]
        if len(before) == len(after) and len(pairs) == 1:
            return Mutant(
                "pdf: digit", f"{' '.join(before[max(0, (i := before.index(pairs[0][0])) - 5) : i])}", *pairs[0], {name: changed}
            )
    return None


@lru_cache(maxsize=4)
def _pdf_words(content: bytes) -> list[str]:
    import pypdfium2

    with pypdfium2.PdfDocument(content) as document:
        return " ".join(page.get_textpage().get_text_bounded() for page in document).split()


# ---------------------------------------------------------------- a pair of files


def pair_mutant(files: Mapping[str, bytes], scope: Sequence[str], rng: random.Random) -> Mutant | None:
    """One digit of the Markdown or of the layout, which say the same: they differ now."""
    name = rng.choice(list(files))
    text = files[name].decode()
    if name.endswith(".md"):
        outside = Outside(text, scope)
        hits = _hits(outside, _NUMBER, outside.in_scope())
    else:
        hits = [
            hit
            for hit in re.finditer(r"(?<=<td>)\d+(?:\.\d+)?(?=</td>)|(?<= )\d+(?:\.\d+)? (?=km/h|m/s|seconds)", text)
            if text.rfind('"para_blocks"', 0, hit.start()) > text.rfind('"preproc_blocks"', 0, hit.start())
        ]
    hit = rng.choice(hits)
    new = _digit(hit.group(), rng)
    around = " ".join(text[max(0, hit.start() - 60) : hit.start()].split())
    changed = {**files, name: (text[: hit.start()] + new + text[hit.end() :]).encode()}
    return Mutant(f"pair: {'Markdown' if name.endswith('.md') else 'layout'}", around, hit.group(), new, changed, must_tell=True)


# ---------------------------------------------------------------- the oracle


def judged(mutant: Mutant, before: Reading, after: Reading) -> tuple[str, str]:
    """The outcome of a mutant that was built, and why."""
    if after.told - before.told:
        first = sorted(after.told - before.told)[0]
        return ("refused" if after.errors else "told"), f"{first[0]} {first[1][:120]}"
    changed = sorted(
        key for key in before.values.keys() | after.values.keys() if _changed(before.values.get(key), after.values.get(key))
    )
    words = sorted(key for key in before.words.keys() | after.words.keys() if before.words.get(key) != after.words.get(key))
    steering = [key for key in changed if "|told" not in key and "|said" not in key]
    told_only = mutant.kind == "sentence: second number" and not steering and not _taken(mutant, before)
    as_above = mutant.kind == "cell: dash" and not mutant.new and not changed and not words  # a blank says what the row above says
    if mutant.must_tell and not told_only and not as_above and not (mutant.kind == "sentence: worked example" and changed):
        return "silent", f"nothing told; changed: {[*changed, *words][:3]}"
    wrong = [key for key in changed if not _as_it_stands(mutant, before.values.get(key), after.values.get(key))]
    if wrong:
        key = wrong[0]
        return "silent", f"{key}: {_say(before.values.get(key))} -> {_say(after.values.get(key))} (and {len(wrong) - 1} more)"
    lost = _unheard(mutant, before, changed, words)
    if lost:
        return "silent", f"{lost} says {mutant.new!r} now, and nothing changed"
    return "equal", f"{len(changed)} numbers, {len(words)} words changed"


def _changed(before: Value | None, after: Value | None) -> bool:
    if before is None or after is None:
        return before is not after
    return _shape(before) != _shape(after)


def _say(value: Value | None) -> str:
    if value is None:
        return "none"
    around = f" +{value.tolerance.plus}/-{value.tolerance.minus}" if value.tolerance else ""
    return f"{value.bound} {value.lo}..{value.hi} {value.unit}{around}{f' ({value.symbol})' if value.symbol else ''}"


def _numbers(text: str) -> set[Decimal]:
    found = {Decimal(word) for word in re.findall(r"\d+(?:\.\d+)?", text)}
    return found | {Decimal(number) for word, number in _SPELLED.items() if word in text.lower().split()}


def _as_it_stands(mutant: Mutant, before: Value | None, after: Value | None) -> bool:
    """Whether a changed number is what the mutated place says: the new number, unit, bound or tolerance where the old one was; or the
    number of another cell that the table's own rule gives at a changed key."""
    if after is None or before is None:
        held = after or before
        assert held is not None
        near = _numbers(mutant.new if before is None else mutant.old)
        whole = {held.lo, held.hi} - {None}
        return (
            bool(whole & near)
            or held.basis != "cited"
            or mutant.kind.startswith(("cell", "columns", "rows", "pdf"))
            or _stands(mutant, held)
        )
    if mutant.bound == "negated":
        return before.bound != after.bound
    new, old = _numbers(mutant.new), _numbers(mutant.old)
    stood = {before.lo, before.hi, *_around(before)}
    for number in {after.lo, after.hi, *_around(after)} - stood - {None}:
        if number not in new and after.basis == "cited" and not _stands(mutant, after):
            return False
    if before.unit != after.unit and after.unit not in mutant.new and not (old - new):
        return mutant.kind == "sentence: unit"
    if before.bound != after.bound and mutant.bound and mutant.bound != after.bound:
        return False
    return before.bound == after.bound or bool(mutant.bound) or mutant.kind == "sentence: letter"


def _around(value: Value) -> set[Decimal]:
    return {value.tolerance.plus, value.tolerance.minus} if value.tolerance else set()


def _stands(mutant: Mutant, value: Value) -> bool:
    """Whether a cell of the mutated text, read by a grid of its own, says the number at the row and column that the value names."""
    name, content = next(iter(mutant.files.items()))
    if not name.endswith(".md"):
        return True
    outside = Outside(content.decode(), ())
    return all(_cell_says(outside, source, value) for source in value.sources[:1] if source.table)


def _cell_says(outside: Outside, source: SourceRef, value: Value) -> bool:
    for grid in outside.grids(source.clause):
        for row in grid:
            for head, cell in zip(_heads(grid), row, strict=True):
                if row[0] == source.row and head.endswith((source.column or "").split(" > ")[-1]):
                    try:
                        if value.lo in (Decimal(cell), None):
                            return True
                    except InvalidOperation:
                        if value.lo in _numbers(cell):
                            return True
    return False


def _heads(grid: list[list[str]]) -> list[str]:
    first = next((index for index, row in enumerate(grid) if re.fullmatch(r"[\d.]+", row[0])), 1)
    return [grid[first - 1][column] for column in range(len(grid[0]))]


def _unheard(mutant: Mutant, before: Reading, changed: list[str], words: list[str]) -> str:
    """A number of a test that stood at the mutated place, where nothing changed."""
    if mutant.kind == "sentence: negation":
        return "" if any(key for key in changed if "|told" not in key and "|said" not in key) else _negated(mutant, before)
    if changed or words or not mutant.matters or mutant.kind in ("rows swapped", "sentence: letter", "mark", "caption"):
        return ""
    if mutant.kind == "tolerance sign" and (mutant.new == mutant.old.lstrip("+") or mutant.old[0] == "±"):
        return ""
    if mutant.kind.startswith(("cell", "columns", "pdf")):
        return mutant.place if mutant.kind != "pdf: digit" and _numbers(mutant.old) != _numbers(mutant.new) else ""
    clause = mutant.place.partition(":")[0]
    old = _numbers(mutant.old)
    for key, value in before.values.items():
        cited = [source for source in value.sources if source.clause == clause and not source.table]
        around = {value.lo, value.hi, *_around(value)} & old
        if cited and (around or (not old and mutant.old.strip() in cited[0].quote and mutant.bound)):
            return key
    return ""


def _taken(mutant: Mutant, before: Reading) -> bool:
    """Whether a test takes a number of the mutated clause that the old text has."""
    clause = mutant.place.partition(":")[0]
    return any(
        source.clause == clause and {value.lo, value.hi, *_around(value)} & _numbers(mutant.old)
        for key, value in before.values.items()
        if "|told" not in key and "|said" not in key
        for source in value.sources
        if not source.table
    )


def _negated(mutant: Mutant, before: Reading) -> str:
    """A number that a test takes from the part of the sentence that says the opposite now."""
    clause = mutant.place.partition(":")[0]
    text = next(iter(mutant.files.values())).decode()
    at = text.find(mutant.tail)
    sentence = " ".join(re.split(r"(?<=[a-z\d)])[.;](?=\s)", text[at:], maxsplit=1)[0].split())
    for key, value in before.values.items():
        if "|told" in key or "|said" in key or value.lo is None:
            continue
        for source in value.sources:
            if source.clause == clause and not source.table and " ".join(source.quote.split()) in sentence:
                return key
    return ""


# ---------------------------------------------------------------- running


def _child(connection: Connection, regulation: str, mutant: Mutant, before: Reading) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in mutant.files.items():
            (Path(folder) / name).write_bytes(content)
        try:
            after = compiled(regulation, Path(folder) / next(iter(mutant.files)))
            connection.send(judged(mutant, before, after))
        except RegcError as error:
            told = f"{error} | {error.hint}"
            connection.send(("refused" if error.hint else "traceback", told[:200].replace("\n", " ")))
        except BaseException:
            connection.send(("traceback", " | ".join(traceback.format_exc().strip().splitlines()[-3:])))
    os._exit(0)


def run(
    regulation: str, mutants: Sequence[Mutant], before: Sequence[Reading], *, jobs: int = 2, limit: float = 60, seconds: float = 1e9
) -> list[Outcome]:
    """Every mutant in a process of its own, at most `limit` seconds each, none begun after `seconds`.

    `before`: the reading of the text that each was made of.
    """
    context = multiprocessing.get_context("fork")
    waiting = list(range(len(mutants)))[::-1]
    running: dict[int, tuple[Any, Connection, float]] = {}
    results: dict[int, Outcome] = {}
    end = time.monotonic() + seconds
    while waiting or running:
        if time.monotonic() > end:
            waiting = []
        while waiting and len(running) < jobs:
            index = waiting.pop()
            mine, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_child, args=(theirs, regulation, mutants[index], before[index]))
            process.start()
            theirs.close()
            running[index] = (process, mine, time.monotonic())
        for index, (process, connection, began) in list(running.items()):
            mutant = mutants[index]
            label = f"{mutant.place[-90:]} [{mutant.old[:60]!r} -> {mutant.new[:60]!r}]"
            if connection.poll(0.01):
                try:
                    outcome, why = connection.recv()
                except EOFError:
                    outcome, why = "traceback", "the process died"
            elif time.monotonic() - began > limit:
                process.kill()
                outcome, why = "hang", f"not done after {limit:.0f} s"
            else:
                continue
            process.join()
            del running[index]
            results[index] = Outcome(label, mutant.kind, outcome, why)
    return [results[index] for index in sorted(results)]


def mutants_of(regulation: str, sources: Sequence[Path], count: int, seed: int, only: str = "") -> tuple[list[Mutant], list[Reading]]:
    """`count` seeded mutants over the embedded text and the sources, each kind in turn; and the reading that each is held against."""
    rng = random.Random(seed)
    profile = load_profile(regulation, None)
    scope = tuple(map(str, profile.scope))
    embedded = profile_folder(regulation) / str(profile.text)
    makers: list[tuple[str, Callable[[], Mutant | None], Reading]] = []
    for path in (embedded, *sources):
        plain = compiled(regulation, path)
        content = path.read_bytes()
        beside = path.with_name(f"{path.name.split('.')[0]}_middle.json")
        if path.suffix == ".pdf":
            makers += [("pdf: digit", _maker(pdf_character, path.name, content, rng), plain)] * 6
            makers += [("pdf: bytes", _maker(pdf_bytes, path.name, content, rng), plain)] * 3
        elif beside.is_file():
            files = {"pair.md": content, "pair_middle.json": beside.read_bytes()}
            makers += [("pair", _maker(pair_mutant, files, scope, rng), plain)] * 4
        else:
            makers += [(kind, _maker(text_mutant, path.name, content.decode(), scope, kind, rng), plain) for kind in TEXT_KINDS]
    makers = [maker for maker in makers if only in maker[0]]
    made: list[Mutant] = []
    held: list[Reading] = []
    turn = 0
    while len(made) < count and turn < count * 4:
        _, make, plain = makers[turn % len(makers)]
        mutant = make()
        turn += 1
        if mutant is not None:
            made.append(mutant)
            held.append(plain)
    return made, held


def _maker(function: Callable[..., Mutant | None], *arguments: Any) -> Callable[[], Mutant | None]:
    return lambda: function(*arguments)


def table(outcomes: Sequence[Outcome]) -> str:
    """Kind x outcome."""
    kinds = list(dict.fromkeys(outcome.kind for outcome in sorted(outcomes, key=lambda outcome: outcome.kind)))
    counts = Counter((outcome.kind, outcome.outcome) for outcome in outcomes)
    lines = [f"{'':<26}" + "".join(f"{name:>11}" for name in OUTCOMES)]
    for kind in kinds:
        lines.append(f"{kind:<26}" + "".join(f"{counts[kind, name]:>11}" for name in OUTCOMES))
    lines.append(f"{'all':<26}" + "".join(f"{sum(counts[kind, name] for kind in kinds):>11}" for name in OUTCOMES))
    return "\n".join(lines)


def main() -> None:
    """Print the table, and every mutant that came out silent, with a traceback or as a hang."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regulation")
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--source", type=Path, action="append", default=[], help="a document of your own; may be repeated")
    parser.add_argument("--kind", default="", help="only kinds with these words")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60, help="s that one build may take")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no mutant after this time")
    parser.add_argument("--list", action="store_true", help="list every mutant")
    parser.add_argument("--json", type=Path, help="write every outcome to a file")
    arguments = parser.parse_args()
    os.environ["REGC_NO_CACHE"] = "1"
    mutants, before = mutants_of(arguments.regulation, arguments.source, arguments.count, arguments.seed, arguments.kind)
    outcomes = run(arguments.regulation, mutants, before, jobs=arguments.jobs, limit=arguments.limit, seconds=arguments.seconds)
    print(table(outcomes))
    for outcome in outcomes:
        if arguments.list or outcome.outcome in ("silent", "traceback", "hang"):
            print(f"{outcome.outcome:<9} {outcome.kind}: {outcome.mutant}\n          {outcome.why}")
    if arguments.json:
        arguments.json.write_text(json.dumps([vars(outcome) for outcome in outcomes], indent=1), encoding="utf-8")
    sys.exit(any(outcome.outcome in ("silent", "traceback", "hang") for outcome in outcomes))


if __name__ == "__main__":
    main()
