"""What retrieval works on, and what is shown to whoever asks."""

from __future__ import annotations

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
