"""What retrieval works on and what is shown to whoever asks; and the normalised Markdown of a clause, a table and a footnote: what
is embedded, and what a language model reads."""

from __future__ import annotations

from html import escape
from typing import Literal

from regc.model.document import Clause, Document, Footnote, RefGraph, Table
from regc.model.result import Finding
from regc.model.source import Frozen


class ChunkSpan(Frozen):
    """Characters [start, end) of the text of the clause at a position in RefGraph.nodes."""

    node: int
    start: int
    end: int


class Chunk(Frozen):
    """A retrieval unit. `nodes` are positions in RefGraph.nodes of what the base text holds, `closure` those reached from it
    (breadth first, each once, without the chunk's own). Text is materialised only when a context is assembled. `spans` say which
    characters of its clauses' texts the base holds (none for a clause of which it holds only the heading)."""

    id: int
    regulation: str
    edition: str
    base: str
    nodes: tuple[int, ...]
    closure: tuple[int, ...] = ()
    spans: tuple[ChunkSpan, ...] = ()


class Corpus(Frozen):
    """One indexed document: what a retriever is built over. Several make a corpus of regulations."""

    document: Document
    graph: RefGraph
    chunks: tuple[Chunk, ...]


class ScoredChunk(Frozen):
    """A ranked answer: a chunk or node id, its score, and by which system."""

    id: int
    score: float


class Query(Frozen):
    """What is asked of a retriever: words, as a user would type them; they may name a regulation, a paragraph or a category."""

    text: str


class ContextItem(Frozen):
    """One piece of evidence. Exactly one of clause, table, footnote is set; it holds only what was retrieved (the text of a
    clause may be a part of it). `text` is the Markdown that a language model gets, `why` the reason why a piece was chosen ("cited by
    6.4") and `rank` its place among all of the context, from 1, where the system tells."""

    regulation: str
    edition: str
    id: str
    kind: Literal["clause", "table", "footnote"]
    text: str
    clause: Clause | None = None
    table: Table | None = None
    footnote: Footnote | None = None
    why: str = ""
    rank: int | None = None


class LeftOut(Frozen):
    """Evidence that was found and dropped, and why (budget, cap, depth)."""

    id: str
    reason: str


class Context(Frozen):
    """Evidence in canonical regulation order. `tokens` counts `text` of all items by `tokenizer`. `findings` tell of a
    query that could not be answered as asked."""

    query: str
    items: tuple[ContextItem, ...]
    tokens: int
    tokenizer: str
    left_out: tuple[LeftOut, ...] = ()
    findings: tuple[Finding, ...] = ()

    def clause(self, id: str) -> Clause | None:
        """The clause of the context with that id, or None."""
        return next((item.clause for item in self.items if item.clause and item.id == id), None)

    def of(self, regulation: str, edition: str) -> Context:
        """The part of a context over several regulations that comes from one of them."""
        own = tuple(item for item in self.items if item.regulation == regulation and item.edition == edition)
        return self.model_copy(update={"items": own})

    def tables(self) -> tuple[Table, ...]:
        """All tables of the context in order."""
        return tuple(item.table for item in self.items if item.table)

    def footnotes(self) -> tuple[Footnote, ...]:
        """All footnotes of the context in order."""
        return tuple(item.footnote for item in self.items if item.footnote)


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
