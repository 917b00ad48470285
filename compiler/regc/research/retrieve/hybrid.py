"""BM25 and dense retrieval over plain chunks, merged by reciprocal rank."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from regc.model.chunk import Corpus, Query, ScoredChunk
from regc.model.protocols import LLM, Embedder, Retriever
from regc.research.retrieve.chunk_store import ChunkStore, RankedChunks
from regc.retrieve.lexical import Lexical, words
from regc.retrieve.vectors import Dense, best, fused, needed


class Options(BaseModel):
    """`top_k` chunks of the merged ranking; `depth` chunks of each ranking are merged with the constant `rrf_k`."""

    top_k: int = Field(default=30, ge=1)
    depth: int = Field(default=100, ge=1)
    rrf_k: int = Field(default=60, ge=1)


class Hybrid(RankedChunks):
    """Two rankings of the same chunks."""

    def __init__(self, corpora: Sequence[Corpus], embedder: Embedder, options: Options) -> None:
        super().__init__(ChunkStore(corpora), options.top_k)
        self._options = options
        texts = self._store.texts
        self._dense = Dense(embedder, embedder.embed(texts))
        self._lexical = Lexical([words(text) for text in texts])

    def hits(self, query: Query, limit: int) -> list[ScoredChunk]:
        """The merged ranking, best first."""
        lexical = self._lexical.scores(dict.fromkeys(words(query.text), 1.0))
        by_words = [id for id, score in best(lexical, self._options.depth) if score > 0]
        dense = [id for id, _ in self._dense.nearest(query.text, self._options.depth)]
        return [ScoredChunk(id=id, score=score) for id, score in fused([by_words, dense], self._options.rrf_k)[:limit]]


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
    """The retriever over the chunks of all corpora. Raises RegcError without an embedder."""
    return Hybrid(corpora, needed(embedder, "hybrid"), options if isinstance(options, Options) else Options())
