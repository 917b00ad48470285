"""Recursive character splitting and dense retrieval: the k chunks whose vectors are nearest to the query's."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from regc.model.chunk import Corpus, Query, ScoredChunk
from regc.model.protocols import LLM, Embedder, Retriever
from regc.research.retrieve.chunk_store import ChunkStore, RankedChunks
from regc.retrieve.vectors import EXACT_UP_TO, Dense, needed


class Options(BaseModel):
    """`top_k` chunks; exact search up to `exact_up_to` chunks."""

    top_k: int = Field(default=30, ge=1)
    exact_up_to: int = Field(default=EXACT_UP_TO, ge=0)


class Rcs(RankedChunks):
    """Plain chunks by cosine."""

    def __init__(self, corpora: Sequence[Corpus], embedder: Embedder, options: Options) -> None:
        super().__init__(ChunkStore(corpora), options.top_k)
        self._dense = Dense(embedder, embedder.embed(self._store.texts), exact_up_to=options.exact_up_to)

    def hits(self, query: Query, limit: int) -> list[ScoredChunk]:
        """The nearest chunks, best first."""
        return [ScoredChunk(id=id, score=score) for id, score in self._dense.nearest(query.text, limit)]


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
    """The retriever over the chunks of all corpora. Raises RegcError without an embedder."""
    return Rcs(corpora, needed(embedder, "rcs"), options if isinstance(options, Options) else Options())
