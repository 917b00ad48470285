"""A table of a document, drawn for a terminal with its footnotes."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table as Drawn

from regc.model.document import Footnote, Table


def draw(out: Console, table: Table, footnotes: Iterable[Footnote]) -> None:
    """The table, and each of the footnotes in a box."""
    drawn = Drawn(title=table.caption, caption=table.unit_note)
    for index in range(len(table.columns)):
        drawn.add_column(escape("\n".join(table.columns[index])), justify="right" if index else "left")
    for row in table.rows:
        drawn.add_row(*(escape(cell.text) for cell in row))
    out.print(drawn, soft_wrap=False)
    for note in footnotes:
        out.print(Panel(escape(note.text), title=f"footnote {note.marker}", title_align="left", width=100), soft_wrap=False)
