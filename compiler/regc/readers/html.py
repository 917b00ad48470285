"""HTML pages of an official journal: numbered paragraphs in <p> and <div> or in the cells of layout tables, data tables with
spans, footnotes as links.

Mark-up is dropped and what it says is kept as plain text: "<" in a text is a character like any other.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from regc.errors import SourceError
from regc.model.document import Document
from regc.model.result import Finding
from regc.readers.assemble.assembly import assemble
from regc.readers.assemble.blocks import Block, GridCell
from regc.readers.assemble.notes import as_power, takes_power

suffixes: tuple[str, ...] = (".html", ".htm", ".xhtml")

_SKIPPED = frozenset({"script", "style", "head", "nav", "noscript", "template", "iframe", "svg", "button", "select", "input"})
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt", "fieldset"}
    | {"figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main", "ol"}
    | {"p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"}
)
_HEADING_CLASS = re.compile(r"(?:^|[\s_-])(?:ti|tit|title|heading|hd)(?:$|[\s_-])", re.IGNORECASE)
_TAG = re.compile(rb"<(?:!doctype|\?xml|!--|[a-z][a-z0-9]*[\s/>])", re.IGNORECASE)
_NUMBER = re.compile(r"^(?:([1-9]\d?(?:\.\d{1,3})+)\.?|([1-9]\d?)\.)$")
_LABEL = re.compile(r"^(?:\(?(?:[a-z]{1,3}|[A-Z]|\d{1,2})\)|[a-z]\.|[-–—•·])$")
#: Stand in gathered text for a footnote call and for <br>; both are in no file (private use, and dropped on reading).
_CALL, _BREAK = "\ue000", "\ue001"
_PARAGRAPH = re.compile(rf"{_BREAK}\s*(?={_BREAK})|{_BREAK}(?=\s*(?:\([a-z]{{1,3}}\)|\d+(?:\.\d+)+\.?|[-–—•])\s)")


def read(path: Path, content: bytes, *, regulation: str, edition: str, title: str, wording: str) -> Document:
    """One Document from a page. Raises SourceError for an empty file, for what is no HTML, and for a page without text."""
    root = _parsed(content, path.name)
    walk = _Walk(find_notes(root))
    walk.flow(root)
    blocks = walk.with_notes()
    if not any(block.text or block.grid for block in blocks):
        raise SourceError(
            f"{path.name}: an HTML page without text",
            hint="save the page from the browser after it has loaded, or take the publisher's PDF",
        )
    findings = []
    if b"</html" not in content.lower() and b"</body" not in content.lower():
        findings.append(
            Finding(
                code="R161",
                severity="warning",
                message=f"{path.name}: the page ends without </body> or </html> after {len(content)} bytes, so it may be cut off",
                place=path.name,
                excerpt=content[-120:].decode("utf-8", "replace"),
                hint="save the page again and compare the last paragraph with the publisher's",
            )
        )
    return assemble(
        blocks,
        regulation=regulation,
        edition=edition,
        title=title,
        wording=wording,
        sha256=hashlib.sha256(content).hexdigest(),
        reader="html",
        source_name=path.name,
        findings=findings,
    )


def _parsed(content: bytes, name: str) -> Any:
    from lxml import etree, html

    if not content.strip():
        raise SourceError(f"{name}: the file is empty ({len(content)} bytes)", hint="save the page again")
    if not _TAG.search(content[:8192].replace(b"\0", b"")) or content.lstrip().startswith((b"%PDF", b"{", b"PK")):
        raise SourceError(
            f"{name}: not an HTML page: it begins with {content[:12]!r}",
            hint="the suffix must match what the file is: .pdf, .md, .json or .html",
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        parsed = _from(content, name, html, etree)
    else:
        parsed = _from(re.sub(r"^\s*<\?xml[^>]*\?>", "", text), name, html, etree)
    return parsed


def _from(source: str | bytes, name: str, html: Any, etree: Any) -> Any:
    try:
        return html.document_fromstring(source)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise SourceError(f"{name}: no HTML that can be read: {error}", hint="save the page again") from error


class _Walk:
    """Goes through the page once and writes blocks. `number` and `label` wait for the text that a layout table holds beside
    them."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.blocks: list[Block] = []
        self.called: list[tuple[int, Any]] = []
        self.footnotes: dict[Any, Block] = {}
        self.number: str | None = None
        self.label: str | None = None

    def flow(self, node: Any, *, heading: bool = False) -> None:
        """The content of a block element: runs of inline text become blocks, block children are gone into."""
        heading = heading or _is_heading(node)
        run = _Run()
        run.add(node.text)
        for child in node:
            if not is_element(child) or child.tag in _SKIPPED:
                run.add(child.tail)
                continue
            if child in self.notes.bodies:
                self._flush(run, heading)
                run = _Run()
                self._footnote(child)
            elif _holds_blocks(child):
                self._flush(run, heading)
                run = _Run()
                self._block(child, heading)
            else:
                self._inline(child, run)
            run.add(child.tail)
        self._flush(run, heading)

    def _block(self, node: Any, heading: bool) -> None:
        if node.tag == "table":
            rows = table_rows(node)
            if _is_layout(node, rows):
                self._layout(rows)
            else:
                self._table(node, rows)
        elif node.tag == "li":
            label = _list_label(node)
            if label and self.label is None:
                self.label = label
            self.flow(node, heading=heading)
            self.label = None if label else self.label
        else:
            self.flow(node, heading=heading)

    def _inline(self, node: Any, run: _Run) -> None:
        if node in self.notes.calls:
            run.mark(*self.notes.calls[node])
            return
        if node in self.notes.backs:
            return
        if node.tag == "br":
            run.line_break()
            return
        raised = node.tag == "sup" or "super" in (node.get("class") or "").split()
        if raised and not len(node):
            text = (node.text or "").strip()
            body = self.notes.by_marker(text.strip("()[]"))
            if body is not None and not takes_power("".join(run.pieces)[-6:]):
                run.mark(body, text.strip("()[]"))
            else:
                run.add(as_power(text))
            return
        run.add(node.text)
        for child in node:
            if is_element(child) and child.tag not in _SKIPPED:
                self._inline(child, run)
            run.add(child.tail)

    def _flush(self, run: _Run, heading: bool) -> None:
        for part in run.parts():
            self._write(part, heading)

    def _write(self, run: _Run, heading: bool) -> None:
        text = run.whole()
        if not text and not run.marks:
            return
        if not text and self.number is None and self.label is None:
            if self.blocks and self.blocks[-1].kind == "text":  # a mark in a line of its own
                self._called(run, back=1)
                self.blocks[-1] = replace(self.blocks[-1], marks=(*self.blocks[-1].marks, *run.marks))
            return
        if self.label is None and not run.marks and (_NUMBER.match(text) or _LABEL.match(text)):
            self._wait(text)
            return
        if self.label:
            text = f"{self.label} {text}"
        self._called(run)
        self.blocks.append(Block("text", text=text, number=self.number, heading=heading, marks=tuple(run.marks)))
        self.number = self.label = None

    def _wait(self, text: str) -> None:
        """A number or label by itself belongs to the text that comes next."""
        match = _NUMBER.match(text)
        if not match:
            self.label = text
            return
        self._end_pending()
        self.number = match[1] or match[2]

    def _footnote(self, node: Any) -> None:
        marker = self.notes.bodies[node]
        run = _Run()
        self._all_text(node, run)
        text = re.sub(rf"^[\[(]?\s*{re.escape(marker)}\s*[\])]?[.:]?\s*", "", run.whole())
        self.footnotes[node] = Block("footnote", text=re.sub(r"^[(\[]\s*[)\]]\s*", "", text), mark=marker)

    def _called(self, run: _Run, *, back: int = 0) -> None:
        self.called.extend((len(self.blocks) - back, body) for body in run.notes)

    def with_notes(self) -> list[Block]:
        """All blocks, each footnote behind the block that calls it first (a page holds them all at its end)."""
        self._end_pending()
        first: dict[Any, int] = {}
        for index, body in self.called:
            first.setdefault(body, index)
        blocks_read: list[Block] = []
        for index, block in enumerate(self.blocks):
            blocks_read.append(block)
            blocks_read.extend(self.footnotes[body] for body, at in first.items() if at == index and body in self.footnotes)
        return [*blocks_read, *(block for body, block in self.footnotes.items() if body not in first)]

    def _all_text(self, node: Any, run: _Run) -> None:
        run.add(node.text)
        for child in node:
            if is_element(child) and child.tag not in _SKIPPED:
                if _holds_blocks(child):
                    run.add(" ")
                    self._all_text(child, run)
                    run.add(" ")
                else:
                    self._inline(child, run)
            run.add(child.tail)

    def _layout(self, rows: list[list[Any]]) -> None:
        for row in rows:
            cells = [cell for cell in row if _text(cell)]
            if len(cells) > 1 or (cells and _NUMBER.match(_text(cells[0]))):
                self._wait(_text(cells[0]))
                cells = cells[1:]
            for cell in cells:
                self.flow(cell)
            self._end_pending()

    def _end_pending(self) -> None:
        if self.number is not None:
            self.blocks.append(Block("text", number=self.number))
        self.number = self.label = None

    def _table(self, node: Any, rows: list[list[Any]]) -> None:
        self._end_pending()
        for caption in node.findall("caption"):
            self.flow(caption, heading=True)
        self.blocks.append(Block("table", grid=tuple(tuple(self._cell(cell) for cell in row) for row in rows)))

    def _cell(self, node: Any) -> GridCell:
        run = _Run()
        self._all_text(node, run)
        self._called(run)
        return grid_cell(node, run.whole(), tuple(run.marks))


class _Run:
    """Inline text as it is gathered, the footnote marks taken out of it, and the footnotes that they call."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.marks: list[str] = []
        self.notes: list[Any] = []

    def add(self, text: str | None) -> None:
        """Text as it stands in the file; white space is settled at the end."""
        if text:
            self.pieces.append(text.replace(_CALL, "").replace(_BREAK, ""))

    def line_break(self) -> None:
        """A <br>."""
        self.pieces.append(_BREAK)

    def mark(self, body: Any, marker: str) -> None:
        """A footnote call; it leaves a gap that closes before punctuation."""
        self.marks.append(marker)
        self.notes.append(body)
        self.pieces.append(_CALL)

    def parts(self) -> list[_Run]:
        """Cut at empty lines, and at line breaks before a number or label: there a new paragraph begins."""
        runs: list[_Run] = []
        used = 0
        for piece in _PARAGRAPH.split("".join(self.pieces)):
            run = _Run()
            run.pieces = [piece]
            count = piece.count(_CALL)
            run.marks, run.notes = self.marks[used : used + count], self.notes[used : used + count]
            used += count
            runs.append(run)
        return runs

    def whole(self) -> str:
        """The text with single spaces; brackets that held nothing but a mark are gone."""
        text = "".join(self.pieces).replace(_BREAK, " ")
        text = re.sub(rf"\s*(?:\(\s*{_CALL}\s*\)|\[\s*{_CALL}\s*\]|{_CALL})", _CALL, text)
        text = re.sub(rf"{_CALL}+\s*(?=[.,;:)]|$)", "", text).replace(_CALL, " ")
        return re.sub(r"[\s\u00a0\u200b]+", " ", text).strip()


def _is_heading(node: Any) -> bool:
    if re.fullmatch(r"h[1-6]|caption", node.tag) or _HEADING_CLASS.search(node.get("class") or ""):
        return True
    bold = [child for child in node if is_element(child)]
    return (
        node.tag in ("p", "div")
        and not (node.text or "").strip()
        and len(bold) == 1
        and bold[0].tag in ("b", "strong")
        and not (bold[0].tail or "").strip()
    )


def _holds_blocks(node: Any) -> bool:
    return node.tag in _BLOCKS or any(is_element(inner) and inner.tag in _BLOCKS for inner in node.iterdescendants())


def grid_cell(node: Any, text: str, marks: tuple[str, ...]) -> GridCell:
    """A cell of a table with its spans, a header as <th> or in <thead>."""
    header = node.tag == "th" or any(parent.tag == "thead" for parent in node.iterancestors("thead", "table"))
    return GridCell(text, _span(node, "rowspan"), _span(node, "colspan"), header, marks=marks)


def table_rows(table: Any) -> list[list[Any]]:
    """Cells of the table's own rows, not those of tables inside it."""
    rows = []
    for row in table.iterdescendants("tr"):
        if next(row.iterancestors("table")) is table:
            rows.append([cell for cell in row if is_element(cell) and cell.tag in ("td", "th")])
    return rows


def _is_layout(table: Any, rows: list[list[Any]]) -> bool:
    """True for a table that only puts a number or a label beside its text."""
    if table.find("caption") is not None or any(cell.tag == "th" for row in rows for cell in row):
        return False
    filled = [[cell for cell in row if _text(cell)] for row in rows]
    if any(len(row) > 2 or any(_span(cell, "rowspan") > 1 for cell in row) for row in filled):
        return False
    for row in filled:
        if len(row) == 2 and not (_NUMBER.match(_text(row[0])) or _LABEL.match(_text(row[0]))):
            return False
        if len(row) == 2 and not re.search(r"[A-Za-z]{2}", _text(row[1])):
            return False
    return any(len(row) == 2 for row in filled) or all(len(row) <= 1 for row in rows)


def _text(node: Any) -> str:
    return re.sub(r"[\s\u00a0]+", " ", node.text_content()).strip()


def _span(cell: Any, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    # HTML's own limit keeps a damaged one from filling the memory
    return min(max(1, int(value)), 1000) if value.isdecimal() and len(value) < 10 else 1


def _list_label(item: Any) -> str | None:
    """What a browser prints before an item of <ol type="a">; none for lists whose items carry their label in the text."""
    parent = item.getparent()
    if parent is None or parent.tag != "ol" or parent.get("type") != "a" or re.match(r"^\(?\w{1,3}[).]\s", _text(item)):
        return None
    index = [child for child in parent if is_element(child) and child.tag == "li"].index(item)
    return f"({chr(ord('a') + index)})" if index < 26 else None


# ---- footnotes of an HTML page: a link with a mark ("(1)", "*") leads to the note, and the note mostly links back.


_MARK = re.compile(r"^[\[(]?\s*(\*{1,3}\d{0,2}|†|‡|\d{1,3}|[a-z])\s*[\])]?$")
_BACK = re.compile(r"^[\[(]?\s*(?:\*{1,3}\d{0,2}|†|‡|\d{1,3}|[a-z]|[↩↑^⏎]\W*)\s*[\])]?$")
_INLINE = frozenset({"a", "span", "sup", "b", "i", "em", "strong", "small", "font"})


@dataclass(frozen=True)
class Notes:
    """`calls`: links in the text, the footnote that each leads to, and its mark. `bodies`: block elements that are a footnote,
    and its mark. `backs`: links from a footnote to its call."""

    calls: dict[Any, tuple[Any, str]]
    bodies: dict[Any, str]
    backs: frozenset[Any]

    def by_marker(self, marker: str) -> Any:
        """The only footnote with that mark; None where there is none, or more than one."""
        bodies = [body for body, mark in self.bodies.items() if mark == marker]
        return bodies[0] if len(bodies) == 1 else None


def is_element(node: Any) -> bool:
    """False for comments and processing instructions."""
    return isinstance(node.tag, str)


def find_notes(root: Any) -> Notes:
    """Which links are footnote calls and which elements are footnotes."""
    order = {node: index for index, node in enumerate(root.iter()) if is_element(node)}
    targets: dict[str, Any] = {}
    for node in order:
        for name in (node.get("id"), node.get("name") if node.tag == "a" else None):
            if name:
                targets.setdefault(name, node)
    calls: dict[Any, tuple[Any, str]] = {}
    bodies: dict[Any, str] = {}
    for link in root.iter("a"):
        mark = _MARK.match(_note_text(link))
        target = targets.get((link.get("href") or "").partition("#")[2])
        if not mark or target is None or order[target] <= order[link]:
            continue
        body = _block_of(target)
        marked = _note_text(link) != mark[1] or _is_raised(link) or mark[1].startswith("*")
        if body is None or link in body.iterdescendants() or not (marked or _begins(body, mark[1])):
            continue
        calls[link] = (body, mark[1])
        bodies.setdefault(body, mark[1])
    backs = frozenset(
        link for body in bodies for link in body.iter("a") if link.get("href") and link not in calls and _BACK.match(_note_text(link))
    )
    return Notes(calls, bodies, backs)


def _note_text(node: Any) -> str:
    return re.sub(r"[\s\u00a0]+", " ", node.text_content()).strip()


def _block_of(node: Any) -> Any:
    while node is not None and node.tag in _INLINE:
        node = node.getparent()
    return None if node is None or node.tag in ("body", "html") else node


def _is_raised(link: Any) -> bool:
    around = [link, *link.iterancestors("sup", "span"), *link.iterdescendants("sup", "span")]
    return any(node.tag == "sup" or "super" in (node.get("class") or "") for node in around)


def _begins(body: Any, mark: str) -> bool:
    return bool(re.match(rf"^[\[(]?\s*{re.escape(mark)}\b", _note_text(body)))
