"""No context at all: what a model answers from memory alone."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from regc.model.chunk import Context, Corpus, Query
from regc.model.protocols import LLM, Embedder, Retriever
from regc.retrieve.context import assemble


class Options(BaseModel):
    """None."""


class NoRag:
    """Answers every query with nothing."""

    def retrieve(self, query: Query) -> Context:
        """An empty context."""
        return assemble(query, (), ())


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
    """A retriever that gives nothing."""
    return NoRag()
