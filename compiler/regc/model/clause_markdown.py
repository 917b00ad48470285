"""The normalised Markdown form of a clause, a table and a footnote: what is embedded, and what a language model reads."""

from __future__ import annotations

from html import escape

from regc.model.document import Clause, Footnote, Table


def heading(clause: Clause) -> str:
    """The header line of a clause: its id as the document numbers it, and its title."""
    return f"## {clause.id}" + (f" {clause.title}" if clause.title else "")


def clause_markdown(clause: Clause) -> str:
    """Header line and text of a clause, without its tables (they are pieces of their own)."""
    return heading(clause) + (f"\n\n{clause.text}" if clause.text else "")


def table_markdown(table: Table) -> str:
    """A table as a pipe table with its caption and footnote marks; a column's header path is joined with " > "."""
    marks = "".join(f"[{mark}]" for mark in table.footnotes)
    lines = [f"{table.caption or 'Table'}{marks} ({table.id})"]
    lines.append("|" + "|".join(" > ".join(dict.fromkeys(path)) for path in table.columns) + "|")
    lines.append("|" + "-|" * len(table.columns))
    lines.extend("|" + "|".join(cell.text.replace("|", "/").replace("\n", " ") for cell in row) + "|" for row in table.rows)
    if table.unit_note:
        lines.append(table.unit_note)
    return "\n".join(lines)


def table_html(table: Table) -> str:
    """A table as compact HTML with its id, caption, header rows (equal neighbours spanned) and the line under it."""
    marks = "".join(f"[{mark}]" for mark in table.footnotes)
    lines = [f'<table id="{escape(table.id)}">']
    if table.caption or marks:
        lines.append(f"<caption>{escape(table.caption or '')}{marks}</caption>")
    depth = max((len(path) for path in table.columns), default=0)
    for level in range(depth):
        lines.append(f"<tr>{_header_row([path[level] if level < len(path) else '' for path in table.columns])}</tr>")
    for row in table.rows:
        lines.append("<tr>" + "".join(f"<td>{escape(cell.text)}</td>" for cell in row) + "</tr>")
    lines.append("</table>")
    if table.unit_note:
        lines.append(escape(table.unit_note))
    return "\n".join(lines)


def footnote_markdown(footnote: Footnote) -> str:
    """A footnote with its mark: "[3] For speeds between ..."."""
    return f"[{footnote.marker}] {footnote.text}"


def _header_row(labels: list[str]) -> str:
    cells: list[str] = []
    index = 0
    while index < len(labels):
        span = 1
        while labels[index] and index + span < len(labels) and labels[index + span] == labels[index]:
            span += 1
        attribute = f' colspan="{span}"' if span > 1 else ""
        cells.append(f"<th{attribute}>{escape(labels[index])}</th>")
        index += span
    return "".join(cells)
