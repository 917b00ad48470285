"""BM25 and dense retrieval over plain chunks, merged by reciprocal rank."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from regc.model.chunk import Context, Corpus, Hit, Query
from regc.model.protocols import LLM, Embedder, Retriever
from regc.retrieve._chunks import ChunkStore, empty_query
from regc.retrieve._dense import Dense, best, fused, needed
from regc.retrieve._lexical import Lexical
from regc.retrieve._text import words


class Options(BaseModel):
    """`top_k` chunks of the merged ranking; `depth` chunks of each ranking are merged with the constant `rrf_k`."""

    top_k: int = Field(default=30, ge=1)
    depth: int = Field(default=100, ge=1)
    rrf_k: int = Field(default=60, ge=1)


class Hybrid:
    """Two rankings of the same chunks."""

    def __init__(self, corpora: Sequence[Corpus], embedder: Embedder, options: Options) -> None:
        self._options = options
        self._store = ChunkStore(corpora)
        texts = self._store.texts
        self._dense = Dense(embedder, embedder.embed(texts))
        self._lexical = Lexical([words(text) for text in texts])

    def hits(self, query: Query, limit: int) -> list[Hit]:
        """The merged ranking, best first."""
        lexical = self._lexical.scores(dict.fromkeys(words(query.text), 1.0))
        found = [id for id, score in best(lexical, self._options.depth) if score > 0]
        dense = [id for id, _ in self._dense.nearest(query.text, self._options.depth)]
        return [Hit(id=id, score=score) for id, score in fused([found, dense], self._options.rrf_k)[:limit]]

    def retrieve(self, query: Query) -> Context:
        """The `top_k` best chunks of the merged ranking."""
        if findings := empty_query(query):
            return self._store.context(query, (), findings=findings)
        return self._store.context(query, self.hits(query, self._options.top_k))

    def passages(self, query: Query, limit: int) -> list[str]:
        """The texts of the merged ranking, best first."""
        return [self._store.chunks[hit.id][1].base for hit in self.hits(query, limit)]

    def texts(self) -> list[str]:
        """Every chunk's text."""
        return self._store.texts


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
    """The retriever over the chunks of all corpora. Raises RegcError without an embedder."""
    return Hybrid(corpora, needed(embedder, "hybrid"), options if isinstance(options, Options) else Options())
