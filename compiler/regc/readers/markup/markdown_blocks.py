"""Markdown text to blocks: our embedded editions' form and what converters write, with HTML tables as a converter writes them
(unquoted spans, no tbody; a truncated one as far as it goes)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from regc.model.document import Repair
from regc.model.result import Finding
from regc.readers.assemble.blocks import Block, GridCell
from regc.readers.html import grid_cell, is_element, table_rows
from regc.readers.markup.printed_text import lost_strokes, printed, printed_with_places

_HEADING = re.compile(r"^\s{0,3}#{1,6}(?:\s+(?P<text>.*?))?\s*#*\s*$")
_LIST_MARK = re.compile(r"^\s*[-*+]\s+(?=\S)")
_NOTE = re.compile(r"^\[\^(?P<mark>[^\]\s]+)\]:\s*(?P<text>.*)$")
_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_DETAILS = re.compile(r"<details>.*?(?:</details>|\Z)", re.DOTALL | re.IGNORECASE)
_IMAGE = re.compile(r"^\s*!\[(?:image|figure|img)?(?P<words>[^\]]*)\]\([^)]*\)\s*$", re.IGNORECASE)
#: What makes a display formula of what a converter set as one: a relation.
_RELATION = re.compile(r"=|\\leq?|\\geq?|\\approx|<|>")
_BLANK_LINE = re.compile(r"^(?:\s*(?:!\[[^\]]*\]\([^)]*\)|\\?_|\*\*|-{3,}))*\s*$")


@dataclass(frozen=True)
class Piece:
    """A block and the Markdown that it was made of, for what lies beside the Markdown (page numbers, lost numbers)."""

    block: Block
    source: str


@dataclass(frozen=True)
class ParsedMarkdown:
    """A Markdown file: its blocks in order, what was odd about it, and what was put right in single texts."""

    pieces: list[Piece]
    findings: list[Finding]
    repairs: list[Repair]


def parse_markdown(text: str) -> ParsedMarkdown:
    """All blocks in order. Figures (and the text in them) are left out."""
    findings: list[Finding] = []
    plain = _COMMENT.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    plain = _DETAILS.sub(lambda found: "\n" * found[0].count("\n"), plain)
    made = list(_pieces(plain.split("\n"), findings))
    repairs = [
        Repair(
            place=piece.block.text[:60],
            before="km h",
            after="km/h",
            reason=f"the stroke was lost in a formula ({count} times); there is no unit kmh",
        )
        for piece in made
        if (count := lost_strokes(piece.source))
    ]
    return ParsedMarkdown(made, findings, repairs)


def _pieces(lines: list[str], findings: list[Finding]) -> Iterator[Piece]:
    index = 0
    while index < len(lines):
        line = lines[index]
        lowered = line.lower()
        if "<table" in lowered:
            start = lowered.index("<table")
            if line[:start].strip():
                yield _text(line[:start])
            index, piece = _html_table(lines, index, start, findings)
            yield from piece
            continue
        if line.lstrip().startswith("|") and index + 1 < len(lines) and _RULE.match(lines[index + 1]):
            index, table = _pipe_table(lines, index)
            yield table
            continue
        if line.strip().startswith("$$"):
            index, equation = _equation(lines, index)
            yield equation
            continue
        image = _IMAGE.match(line)
        if image:
            yield Piece(Block("figure", text=image["words"].strip()), "")
            index += 1
            continue
        heading = _HEADING.match(line)
        if heading:
            yield _heading(heading["text"] or "")
            index += 1
            continue
        note = _NOTE.match(line)
        if note:
            index, piece_ = _note(lines, index, note)
            yield piece_
            continue
        if _BLANK_LINE.match(line):
            index += 1
            continue
        index, paragraph = _paragraph(lines, index)
        yield from paragraph


def _text(source: str, *, heading: bool = False) -> Piece:
    text, marks, ends = printed_with_places(source)
    return Piece(Block("text", text=text, heading=heading, marks=marks, mark_ends=ends), source)


def _heading(source: str) -> Piece:
    """A heading; one without any text is a paragraph number that the converter saw and could not read."""
    if not source.strip():
        return Piece(Block("text", number="", heading=True), "")
    return _text(source, heading=True)


def _paragraph(lines: list[str], index: int) -> tuple[int, list[Piece]]:
    """Lines up to a blank one, one block for each hard line break and each list mark."""
    groups: list[list[str]] = [[]]
    while index < len(lines):
        line = lines[index]
        if groups[-1] or len(groups) > 1:
            stop = (
                not line.strip()
                or "<table" in line.lower()
                or _HEADING.match(line)
                or _NOTE.match(line)
                or line.strip().startswith("$$")
                or _IMAGE.match(line)
            )
            if stop or (line.lstrip().startswith("|") and index + 1 < len(lines) and _RULE.match(lines[index + 1])):
                break
        if _LIST_MARK.match(line):
            if groups[-1]:
                groups.append([])
            line = _LIST_MARK.sub("", line)
        hard = line.endswith(("  ", "\\"))
        groups[-1].append(line.rstrip().removesuffix("\\"))
        if hard:
            groups.append([])
        index += 1
    return index, [_text("\n".join(group)) for group in groups if "".join(group).strip()]


def _note(lines: list[str], index: int, note: re.Match[str]) -> tuple[int, Piece]:
    """ "[^3]: text" with its indented lines; of "[^A1-2]" the part after the dash is the mark within its annex."""
    parts = [note["text"]]
    index += 1
    while index < len(lines) and lines[index].startswith(("  ", "\t")) and lines[index].strip():
        parts.append(lines[index].strip())
        index += 1
    source = "\n".join(parts)
    text, _ = printed(source)
    return index, Piece(Block("footnote", text=text, mark=note["mark"].rsplit("-", 1)[-1]), source)


def _equation(lines: list[str], index: int) -> tuple[int, Piece]:
    parts = [lines[index].strip()]
    single = len(parts[0]) > 2 and parts[0].endswith("$$")
    index += 1
    while not single and index < len(lines):
        parts.append(lines[index].strip())
        index += 1
        if parts[-1].endswith("$$"):
            break
    source = "\n".join(parts)
    if _RELATION.search(source):
        return index, Piece(Block("formula", text=source.strip().strip("$").strip()), source)
    return index, _text(source)


def _pipe_table(lines: list[str], index: int) -> tuple[int, Piece]:
    start = index
    rows: list[tuple[GridCell, ...]] = []
    while index < len(lines) and lines[index].lstrip().startswith("|"):
        if index != start + 1:
            cells = re.split(r"(?<!\\)\|", lines[index].strip().removeprefix("|").removesuffix("|"))
            rows.append(tuple(_pipe_cell(cell, header=index == start) for cell in cells))
        index += 1
    if all(not cell.text for cell in rows[0]):
        rows = rows[1:]
    return index, Piece(Block("table", grid=tuple(rows)), "\n".join(lines[start:index]))


def _pipe_cell(source: str, *, header: bool) -> GridCell:
    text, marks = printed(source)
    return GridCell(text, header=header, marks=marks)


def _html_table(lines: list[str], index: int, start: int, findings: list[Finding]) -> tuple[int, list[Piece]]:
    """An HTML table over any number of lines. One that is never closed ends before the next blank line or heading."""
    first = index
    parts: list[str] = []
    rest = ""
    while index < len(lines):
        line = lines[index][start:] if index == first else lines[index]
        end = line.lower().find("</table>")
        if end >= 0:
            parts.append(line[: end + len("</table>")])
            rest = line[end + len("</table>") :]
            index += 1
            break
        if index > first and (not line.strip() or _HEADING.match(line)):
            break
        parts.append(line)
        index += 1
    source = "\n".join(parts)
    grid, caption, closed = html_grid(source)
    if not closed:
        findings.append(
            Finding(
                code="R108",
                severity="error",
                message=f"line {first + 1}: a table begins here and is not closed; {len(grid)} rows were read",
                place=f"line {first + 1}",
                excerpt=parts[0][:120],
                hint="the file is cut short or damaged: convert the PDF again, or read the PDF itself",
            )
        )
    made = [_text(caption)] if caption else []
    if grid:
        made.append(Piece(Block("table", grid=grid), source))
    if rest.strip():
        made.append(_text(rest))
    return index, made


#: Mark-up in a table that says nothing, which a converter may nest without end, and control characters.
_OTHERS = re.compile(
    r"<(?P<end>/)?(?!(?:table|caption|thead|tbody|tfoot|tr|td|th|sup|sub|br)\b)[a-z][^<>]*>|[\x00-\x08\x0b\x0c\x0e-\x1f]", re.IGNORECASE
)


def html_grid(source: str) -> tuple[tuple[tuple[GridCell, ...], ...], str, bool]:
    """(rows, caption, whether the table was closed)."""
    from lxml import html

    plain = _OTHERS.sub(lambda found: "" if found["end"] else " ", source)
    table = html.fragment_fromstring(plain, create_parent="div").find(".//table")
    if table is None:
        return (), "", False
    rows = (tuple(grid_cell(cell, *printed(_source(cell))) for cell in row) for row in table_rows(table))
    caption = " ".join(" ".join(_source(node) for node in table.findall("caption")).split())
    return tuple(row for row in rows if row), caption, bool(re.search(r"</table\s*>", source, re.I))


def _source(node: Any) -> str:
    """What an element holds as the Markdown that `printed` reads: text, what is raised or lowered, line breaks."""
    pieces = [_escaped(node.text)]
    for child in node:
        if child.tag in ("sup", "sub"):
            pieces.append(f"<{child.tag}>{_source(child)}</{child.tag}>")
        elif is_element(child):
            pieces.append("<br>" if child.tag == "br" else f" {_source(child)}")
        pieces.append(_escaped(child.tail))
    return "".join(pieces)


def _escaped(text: str | None) -> str:
    """Text in which nothing is mark-up; "&" is one in front of a name alone (in a formula it parts columns)."""
    return re.sub(r"&(?=#?\w+;)", "&amp;", text or "").replace("<", "&lt;")
