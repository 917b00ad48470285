"""Paragraphs and test cases as the XHTML that ReqIF asks for: headings, lists, tables; never the document's own markup."""

from __future__ import annotations

import re
from html import escape

from regc.model.document import Clause, Document, Footnote, Table

#: Control characters, which neither XML nor a spreadsheet allows.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_ITEM = re.compile(r"(-|\d+\.) (.*)")
_RESULT = "## Result"


def of_clause(clause: Clause, document: Document) -> str:
    """The paragraph's text with its items as lists, its tables with their rules, and the footnotes whose marks stand in it."""
    parts = [_running(clause)]
    tables = [table for id in clause.tables if (table := document.table(id)) is not None]
    parts += [of_table(table, _rules(table, document)) for table in tables]
    in_tables = {note.id for table in tables for note in _rules(table, document)}
    notes = [note for note in document.footnotes if clause.id in note.anchors and note.id not in in_tables]
    parts += [_note(note) for note in notes]
    return "".join(parts)


def of_table(table: Table, notes: list[Footnote]) -> str:
    """A table with caption, header paths, marks, and the footnotes and rules that belong to it."""
    heads = "".join(_tag("th", _text(table.column_label(column))) for column in range(len(table.columns)))
    rows = "".join(
        _tag("tr", "".join(_tag("td", _text(cell.text) + _mark(" ".join(cell.marks))) for cell in row)) for row in table.rows
    )
    caption = _tag("caption", _text(" ".join(part for part in (table.caption, table.unit_note) if part))) if table.caption else ""
    body = _tag("table", f"{caption}{_tag('thead', _tag('tr', heads))}{_tag('tbody', rows)}")
    return body + "".join(_note(note) for note in notes)


def of_markdown(text: str) -> str:
    """A test case: its headings, lists, numbered steps and paragraphs. The first heading is the object's name; the table of results and
    what follows it (figures, assumptions, sources) stay with the text file."""
    out: list[str] = []
    items: list[str] = []
    kind, heading = "ul", ""
    lines = text.split("\n")
    for line in [*lines[: lines.index(_RESULT) if _RESULT in lines else None], ""]:
        item = _ITEM.match(line)
        # a blank line between two steps is no end of their list
        if item is not None or (not line and items and kind == "ol"):
            if item is not None:
                kind = "ul" if item[1] == "-" else "ol"
                items.append(_tag("li", _text(item[2])))
            continue
        if items:
            out += [heading, _tag(kind, "".join(items))]
            items, heading = [], ""
        if line.startswith("## "):
            heading = _tag("h3", _text(line[3:]))
        elif line.strip() and not line.startswith(("# ", "|")):
            out += [heading, _tag("p", _text(line.removeprefix("> ")))]
            heading = ""
    if items:
        out += [heading, _tag(kind, "".join(items))]
    return "".join(out)


def of_lines(heading: str, lines: list[str]) -> str:
    """A heading and a list."""
    return _tag("h3", _text(heading)) + _tag("ul", "".join(_tag("li", _text(line)) for line in lines)) if lines else ""


def whole(inner: str) -> str:
    """The one element that a value of an XHTML attribute is."""
    return _tag("div", inner)


def _rules(table: Table, document: Document) -> list[Footnote]:
    return [note for note in document.footnotes if note.table == table.id or table.id in note.anchors]


def _running(clause: Clause) -> str:
    """The text with its items in nested lists, in reading order."""
    out: list[str] = []
    depth, at = 0, 0

    def close(to: int) -> None:
        nonlocal depth
        while depth > to:
            out.append("</xhtml:li></xhtml:ul>")
            depth -= 1

    for item in sorted(clause.items, key=lambda one: one.start):
        between = clause.text[at : item.start]
        if between.strip():
            close(0)
            out.extend(_tag("p", _text(line)) for line in between.split("\n") if line.strip())
        level = len(item.path)
        close(level)
        if depth == level:
            out.append("</xhtml:li>")
        while depth < level:
            out.append("<xhtml:ul>" if depth == level - 1 else "<xhtml:ul><xhtml:li>")
            depth += 1
        out.append(f"<xhtml:li>{_text(clause.text[item.start : item.end].strip())}")
        at = max(at, item.end)
    close(0)
    out.extend(_tag("p", _text(line)) for line in clause.text[at:].split("\n") if line.strip())
    return "".join(out)


def _note(note: Footnote) -> str:
    text = note.text.removeprefix(note.marker).strip()
    return _tag("p", f"{_mark(note.marker)} {_text(text)}")


def _mark(text: str) -> str:
    return _tag("sup", _text(text)) if text else ""


def _tag(name: str, inner: str) -> str:
    return f"<xhtml:{name}>{inner}</xhtml:{name}>"


def _text(text: str) -> str:
    return escape(printable(text), quote=False)


def printable(value: str) -> str:
    """`value` without the control characters that XML does not allow."""
    return CONTROL.sub("", value)
