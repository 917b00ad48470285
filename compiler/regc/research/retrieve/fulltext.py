"""The whole corpus as context: the long-context baseline."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from regc.model.chunk import Context, Corpus, Query
from regc.model.protocols import LLM, Embedder, Retriever
from regc.retrieve.context import Part, Shelf, assemble


class Options(BaseModel):
    """None."""


class FullText:
    """Answers every query with everything."""

    def __init__(self, corpora: Sequence[Corpus]) -> None:
        self._shelves = tuple(Shelf.of(corpus) for corpus in corpora)

    def retrieve(self, query: Query) -> Context:
        """All clauses, tables and footnotes in canonical order."""
        parts = (Part(at, node) for at, shelf in enumerate(self._shelves) for node in shelf.order)
        return assemble(query, self._shelves, parts)


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
    """A retriever that gives everything."""
    return FullText(corpora)
