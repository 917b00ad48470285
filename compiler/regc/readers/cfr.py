"""XML of the Code of Federal Regulations and the Federal Register: one SECTION with paragraphs numbered S1., S1.1. and so on.

What the publisher adds to the regulation (citations of the Federal Register, authority, editorial notes) is left out. Pages are the
printed pages of the volume. Document types and entities of the file are never followed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regc.errors import SourceError
from regc.model.document import Document
from regc.model.result import Finding
from regc.readers.assemble.assembly import assemble
from regc.readers.assemble.blocks import Block, GridCell
from regc.readers.assemble.notes import as_power

suffixes: tuple[str, ...] = (".xml",)

#: Paragraphs of a safety standard are numbered S1, S1.1, ...
_LETTER = "S"
_NUMBER = re.compile(rf"(?P<number>{_LETTER}[1-9]\d{{0,2}}(?:\.\d{{1,3}})*)\.?(?=\s|$|\()\s*")
#: An equation in a line of its own: a relation, and no word.
_EQUATION = re.compile(r"(?=.*[=<>≤≥])(?!.*[a-z]{4})")
_OF_THE_PUBLISHER = frozenset(
    {"CITA", "SOURCE", "AUTH", "EDNOTE", "EFFDNOT", "APPRO", "SECAUTH", "CROSSREF", "PARAUTH", "SECTNO", "SUBJECT"}
)
_PARAGRAPHS = frozenset({"P", "FP", "HD", "HD1", "HD2", "HD3", "LDRWK", "FRP", "PSPACE"})
_CONTAINERS = frozenset({"EXTRACT", "NOTE", "SUBSECT", "DIV", "SECTION"})


def read(path: Path, content: bytes, *, regulation: str, edition: str, title: str, wording: str) -> Document:
    """One Document from a section. Raises SourceError for what is no XML, declares entities, or holds no such section."""
    section = _section(_parsed(content, path.name), path.name, regulation)
    walk = _Walk(section, path.name)
    walk.flow(section)
    return assemble(
        [*walk.opening(), *walk.blocks],
        regulation=regulation,
        edition=edition,
        title=title,
        wording=wording,
        sha256=hashlib.sha256(content).hexdigest(),
        reader="cfr",
        source_name=path.name,
        findings=walk.findings,
        letter=_LETTER,
    )


def _parsed(content: bytes, name: str) -> Any:
    from lxml import etree

    if not content.strip():
        raise SourceError(f"{name}: the file is empty ({len(content)} bytes)", hint="download the section again")
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, dtd_validation=False, remove_comments=True)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise SourceError(
            f"{name}: no XML that can be read: {error.msg} (line {error.lineno})",
            hint="download the section again; a page saved from the browser is HTML and needs the suffix .html",
        ) from error
    internal = root.getroottree().docinfo.internalDTD
    if internal is not None and any(True for _ in internal.iterentities()):
        raise SourceError(
            f"{name}: the file declares entities of its own, which no publisher of regulations does; it was not read",
            hint="take the XML from the publisher (govinfo.gov, federalregister.gov)",
        )
    return root


def _section(root: Any, name: str, regulation: str) -> Any:
    """The SECTION whose paragraphs bear numbers of a safety standard: of several the one numbered as the regulation, "571.127"
    for "fmvss127"."""
    sections = list(root.iter("SECTION"))
    numbered = [node for node in sections if any(_NUMBER.match(text_of(item).text) for item in node.iter("P"))]
    wanted = re.search(r"\d+[a-z]?$", regulation)
    named = [node for node in numbered if wanted and _section_number(node).endswith(f".{wanted[0]}")]
    if len(numbered) == 1 or len(named) == 1:
        return (named if len(named) == 1 else numbered)[0]
    if numbered:
        numbers = ", ".join(_section_number(node) for node in numbered[:6]) + (", ..." if len(numbered) > 6 else "")
        raise SourceError(
            f"{name}: {len(numbered)} sections with paragraphs S1., S2. and so on ({numbers}), and no telling which one is meant",
            hint="give the regulation and the file (regc inspect REGULATION --source FILE), or cut its <SECTION>...</SECTION> out",
        )
    held = f"{len(sections)} SECTION elements, none with paragraphs S1., S2. and so on" if sections else "no SECTION"
    raise SourceError(
        f"{name}: not a safety standard in the CFR's XML: the root is <{_local(root.tag)}>, it holds {held}",
        hint="take the CFR's XML of the section (bulk data of govinfo.gov), or the Federal Register's",
    )


def _section_number(section: Any) -> str:
    """The number of a section, "§ 571.127"."""
    return next((text_of(node).text for node in section.iter("SECTNO")), "without a number")


def _names(node: Any, tag: str) -> str:
    """What the publisher calls a picture."""
    return " ".join((part.text or "").strip() for part in node.iter(tag)) or "without a name"


def _local(tag: str) -> str:
    return tag.rsplit("}", 1)[-1]


class _Walk:
    """Goes through the section once and writes blocks; `page` is the printed page that was turned to last."""

    def __init__(self, section: Any, name: str) -> None:
        self.name = name
        self.blocks: list[Block] = []
        self.figures: list[Block] = []
        self.findings: list[Finding] = []
        self.page: int | None = None
        self.clause = "the section"
        self.numbers: set[str] = set()
        self.heading = " ".join(text_of(node).text for tag in ("SECTNO", "SUBJECT") for node in section.iter(tag))
        self.first_page: int | None = None
        self.notes = {
            mark for note in section.iter("FTNT", "TNOTE") for raised in note.iter("SU") if (mark := text_of(raised).text.strip("()[]"))
        }

    def opening(self) -> list[Block]:
        """The section's number and subject, and the figures that are the section's ("Figure 1 to § 571.127"), wherever they stand."""
        return [Block("text", text=self.heading, heading=True, page=self.first_page), *self.figures]

    def flow(self, node: Any, *, within: bool = False) -> None:
        """The children of an element in order; `within` a paragraph only those that are no part of its text."""
        for child in node:
            if not is_element(child) or (within and child.tag not in SET_APART):
                continue
            tag = child.tag
            if tag == "PRTPAGE":
                self._turn(child)
            elif tag in _PARAGRAPHS:
                self._paragraph(child)
            elif tag == "GPOTABLE":
                self._table(child)
            elif tag == "MATH":
                self._formula(child)
            elif tag == "GPH":
                self._figure(child)
            elif tag == "FTNT":
                self._footnote(child)
            elif tag in _CONTAINERS:
                self.flow(child)
            elif tag not in _OF_THE_PUBLISHER:
                self._unknown(child)

    def _turn(self, node: Any) -> None:
        page = node.get("P") or ""
        if page.isdecimal() and len(page) < 6:
            self.page = int(page)
            self.first_page = self.first_page or self.page

    def _paragraph(self, node: Any) -> None:
        read = text_of(node, self.notes)
        if node.tag == "FP" and _EQUATION.match(read.text):
            self.blocks.append(Block("formula", text=read.text, page=self.page))
            return
        match = _NUMBER.match(read.text) if node.tag in ("P", "FP") else None
        rest = read.text[match.end() :] if match else ""
        if match and match["number"] == self.clause and rest.startswith("("):
            self.blocks.append(Block("text", text=rest, marks=read.marks, page=self.page))
        elif match and self._is_new(match["number"]):
            self._numbered(node, read, match["number"], rest)
        elif read.text:
            self.blocks.append(Block("text", text=read.text, marks=read.marks, page=self.page))
        self.flow(node, within=True)

    def _is_new(self, number: str) -> bool:
        if number not in self.numbers:
            self.numbers.add(number)
            return True
        self._find("R172", f"a second paragraph begins with {number}; it was read as text of {self.clause}", number)
        return False

    def _numbered(self, node: Any, read: CfrText, number: str, text: str) -> None:
        """A paragraph with a number, and its title where it has one: emphasised words right behind the number, with a stop."""
        self.clause = number
        title = ""
        emphasised = next((child for child in node if child.tag == "E"), None)
        if emphasised is not None and emphasised.get("T") == "03" and _NUMBER.fullmatch(plain(node.text or "") or " "):
            title = text_of(emphasised).text
        stop = "" if title.endswith(".") else "."
        if title and (text == title or text.startswith(f"{title}{stop}")):
            rest = text[len(title) :].removeprefix(stop).strip()
            self.blocks.append(Block("text", text=title.rstrip("."), number=number, heading=True, marks=read.marks, page=self.page))
            if rest:
                self.blocks.append(Block("text", text=rest, page=self.page))
        else:
            self.blocks.append(Block("text", text=text, number=number, marks=read.marks, page=self.page))

    def _table(self, node: Any) -> None:
        grid = grid_of(node, self.notes)
        titles = [text_of(part, self.notes) for tag in ("TTITLE", "TDESC") for part in node.iter(tag)]
        caption = " ".join(title.text.replace("\n", " ") for title in titles if title.text)
        if caption:
            self.blocks.append(
                Block("text", text=caption.rstrip("."), marks=tuple(m for title in titles for m in title.marks), page=self.page)
            )
        if grid:
            self.blocks.append(Block("table", grid=grid, page=self.page))
        for note in node.iter("TNOTE"):
            self._footnote(note)

    def _footnote(self, node: Any) -> None:
        """A note with its mark in front; a note without one ("Note: ...") is text."""
        read = text_of(node, self.notes)
        parts = [read] if node.tag == "TNOTE" else [text_of(part, self.notes) for part in node if is_element(part)] or [read]
        text = " ".join(part.text for part in parts if part.text)
        if parts[0].marks:
            self.blocks.append(Block("footnote", text=text, mark=parts[0].marks[0], page=self.page))
        elif text:
            self.blocks.append(Block("text", text=text, page=self.page))

    def _formula(self, node: Any) -> None:
        """A formula that the publisher holds as a picture only: its name, and a finding."""
        name = _names(node, "MID")
        self.blocks.append(Block("formula", text=f"[picture {name}]", page=self.page))
        self._find("R171", f"a formula of {self.clause} is a picture ({name}), so nothing of it could be read", self.clause)

    def _figure(self, node: Any) -> None:
        """A picture with its caption; one without a caption may be a formula."""
        for page in node.iter("PRTPAGE"):
            self._turn(page)
        caption = " ".join(text_of(part).text for part in node.iter("TCAP"))
        into = self.figures if "§" in caption else self.blocks
        if caption:
            into.append(Block("text", text=caption, page=self.page))
        else:
            name = _names(node, "GID")
            self._find("R171", f"a picture of {self.clause} has no caption ({name}); it may be a formula or a table", self.clause)
        into.append(Block("figure", page=self.page))

    def _unknown(self, node: Any) -> None:
        read = text_of(node, self.notes)
        if read.text:
            self._find("R173", f"<{_local(node.tag)}> is not known; its text was read as a paragraph of {self.clause}", self.clause)
            self.blocks.append(Block("text", text=read.text, marks=read.marks, page=self.page))

    def _find(self, code: str, message: str, place: str) -> None:
        self.findings.append(
            Finding(
                code=code,
                severity="warning",
                message=message,
                place=place,
                hint="compare the place with the official PDF of the section",
            )
        )


# ---- tables of the Government Publishing Office's XML (GPOTABLE) to a grid: levels of the box head, straddles, stub rows.
#
# `CHED H="2"` stands under the `H="1"` before it. `ENT A="L02"` goes over two more columns, `I="21"` and `I="28"` over all of them,
# `EXPSTB` widens the first column; `I="22"` is a stub left blank, which means the one above.


#: A heading in the middle of a table, over all columns.
_ACROSS = frozenset({"21", "28"})
#: No table of a regulation is wider; a damaged attribute must not fill the memory.
_WIDEST = 100


def grid_of(table: Any, notes: Container[str]) -> tuple[tuple[GridCell, ...], ...]:
    """The rows of a table, header rows first and all of one width."""
    head = [(_count(cell.get("H"), 1), text_of(cell, notes)) for cell in table.iter("CHED")]
    body: list[list[GridCell]] = []
    stub = 1
    width = max(_count(table.get("COLS"), 0), _columns(head))
    for row in table.iter("ROW"):
        stub = _count(row.get("EXPSTB"), stub - 1) + 1
        cells = []
        for position, entry in enumerate(row.iter("ENT")):
            across = width if entry.get("I") in _ACROSS and len(row) == 1 else _straddle(entry) + (stub - 1 if position == 0 else 0)
            read = text_of(entry, notes)
            cells.append(GridCell(read.text, colspan=min(max(across, 1), _WIDEST), marks=read.marks))
        body.append(cells)
    width = max([width, *(sum(cell.colspan for cell in row) for row in body)])
    filled = (tuple(row) + (GridCell(""),) * (width - sum(cell.colspan for cell in row)) for row in body)
    return (*_head_rows(head), *filled)


def _count(value: str | None, otherwise: int) -> int:
    """A number in an attribute ("02", "L02", "R2"), or what holds without it."""
    match = re.search(r"\d{1,2}", value or "")
    return int(match[0]) if match else otherwise


def _straddle(entry: Any) -> int:
    return 1 + _count(entry.get("A"), 0)


def _columns(head: Sequence[tuple[int, CfrText]]) -> int:
    """How many columns a box head has: a header with a deeper one right behind it is none of its own."""
    return sum(not _has_deeper(head, index) for index in range(len(head)))


def _has_deeper(head: Sequence[tuple[int, CfrText]], index: int) -> bool:
    return index + 1 < len(head) and head[index + 1][0] > head[index][0]


def _head_rows(head: Sequence[tuple[int, CfrText]]) -> list[tuple[GridCell, ...]]:
    """Header cells by level; one without deeper ones reaches down to the body."""
    depth = max((level for level, _ in head), default=0)
    rows: list[list[GridCell]] = [[] for _ in range(depth)]
    for index, (level, read) in enumerate(head):
        end = next((later for later in range(index + 1, len(head)) if head[later][0] <= level), len(head))
        columns = _columns(head[index:end])
        below = head[index + 1][0] if _has_deeper(head, index) else depth + 1
        rows[level - 1].append(GridCell(read.text, rowspan=below - level, colspan=columns, header=True, marks=read.marks))
    return [tuple(row) for row in rows]


# ---- running text of the Government Publishing Office's XML: emphasis dropped, subscripts joined to their letter, notes' marks out.


#: Typefaces of <E T="..."> that are set lower or higher than the line; every other one is emphasis.
_LOWERED = frozenset({"52", "54", "0732", "0742", "8052", "8152"})
_RAISED = frozenset({"51", "53", "8051", "8151"})
#: What stands within a paragraph of the file and is no part of its text.
SET_APART = frozenset({"PRTPAGE", "GPOTABLE", "MATH", "GPH", "FTNT"})
_SILENT = SET_APART | {"GID", "MID", "AC"}
#: Around what is gathered until the whole text is known; private use, in no document.
_JOIN, _MARK, _END, _LINE = "\ue000", "\ue001", "\ue002", "\ue003"
_SUPERSCRIPT = str.maketrans("0123456789-+n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ")


@dataclass(frozen=True)
class CfrText:
    """A paragraph or cell as printed, and the footnote marks that stood in it."""

    text: str
    marks: tuple[str, ...] = ()


def is_element(node: Any) -> bool:
    """False for comments and processing instructions."""
    return isinstance(node.tag, str)


def text_of(node: Any, notes: Container[str] = ()) -> CfrText:
    """The printed text of an element. `notes` are the marks of the footnotes there: any other raised figure is an exponent.

    Spaces of the file's own layout are undone; a line break (<LI>) is a newline.
    """
    raw = re.sub(rf"\s*{_JOIN}", "", _gather(node, notes))
    marks = tuple(re.findall(f"{_MARK}(.*?){_END}", raw))
    raw = re.sub(rf"\s*{_MARK}.*?{_END}", "", raw)
    lines = (plain(line) for line in raw.split(_LINE))
    return CfrText("\n".join(line for line in lines if line), marks)


def plain(text: str) -> str:
    """One space between words, none before a stop or within brackets."""
    text = " ".join(text.split())
    text = re.sub(r"\s+([,;:)\]]|\.(?!\d))", r"\1", text)
    return re.sub(r"([(\[])\s+", r"\1", text)


def _gather(node: Any, notes: Container[str]) -> str:
    out = node.text or ""
    for child in node:
        if is_element(child) and child.tag not in _SILENT:
            out += _inline(child, notes)
        out += child.tail or ""
    return out


def _inline(node: Any, notes: Container[str]) -> str:
    inner = _gather(node, notes)
    bare = inner.strip()
    face = node.get("T") if node.tag == "E" else None
    if node.tag == "SU" and bare.strip("()[]") in notes:
        return f"{_MARK}{bare.strip('()[]')}{_END}"
    if node.tag == "SU" or face in _RAISED:
        return f"{_JOIN}{bare.translate(_SUPERSCRIPT) if re.fullmatch('[-+0-9n]+', bare) else as_power(bare)}"
    if face in _LOWERED:
        return f"{_JOIN}{bare}"
    if node.tag == "LI":
        return f"{_LINE}{inner}"
    if node.tag == "FR" and re.search(r"\d\s*$", _before(node)):
        return f" {bare}"
    return inner


def _before(node: Any) -> str:
    """The text right before an element."""
    previous = node.getprevious()
    return (previous.tail if previous is not None else node.getparent().text) or ""
