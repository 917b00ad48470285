"""The reference-aware system as published: chunks enriched with the closure of what they refer to.

A chunk is represented by its base text and the text of its closure; the hits' closures are expanded, de-duplicated by stable id and
put in canonical regulation order. Every step can be switched off for an ablation; depth, cap and table joining are options of
`enrich`, which makes the closures (`cap` here cuts them further).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel, Field

from regc.model.chunk import Context, Corpus, Query, ScoredChunk
from regc.model.protocols import LLM, Embedder, Retriever, Vectors
from regc.research.retrieve.chunk_store import ChunkStore, empty_query
from regc.retrieve.context import Part, assemble
from regc.retrieve.vectors import EXACT_UP_TO, Dense, needed, normalised


class Options(BaseModel):
    """`enrichment`: embed closures with the base texts; `expansion`: give the closures of the hits; `deduplicate`: each piece once;
    `ordered`: canonical order, else the order of the ranking; `cap`: pieces of one closure."""

    top_k: int = Field(default=30, ge=1)
    enrichment: bool = True
    expansion: bool = True
    deduplicate: bool = True
    ordered: bool = True
    cap: int = Field(default=50, ge=0)
    exact_up_to: int = Field(default=EXACT_UP_TO, ge=0)


class RegulaRag:
    """Enriched chunks by cosine."""

    def __init__(self, corpora: Sequence[Corpus], embedder: Embedder, options: Options) -> None:
        self._options = options
        self._store = ChunkStore(corpora)
        vectors = self._enriched(embedder) if options.enrichment else embedder.embed(self._store.texts)
        self._dense = Dense(embedder, vectors, exact_up_to=options.exact_up_to)

    def hits(self, query: Query, limit: int) -> list[ScoredChunk]:
        """The nearest enriched chunks, best first."""
        return [ScoredChunk(id=id, score=score) for id, score in self._dense.nearest(query.text, limit)]

    def retrieve(self, query: Query) -> Context:
        """The `top_k` nearest chunks with their closures."""
        if findings := empty_query(query):
            return self._store.context(query, (), findings=findings)
        parts: list[Part] = []
        for hit in self.hits(query, self._options.top_k):
            parts += self._store.parts(hit.id)
            if self._options.expansion:
                parts += self._store.closure(hit.id, self._options.cap)
        return assemble(
            query,
            self._store.shelves,
            parts,
            deduplicate=self._options.deduplicate,
            ordered=self._options.ordered,
            html=True,
        )

    def passages(self, query: Query, limit: int) -> list[str]:
        """The texts of the nearest enriched chunks with their closures, best first."""
        return [self._passage(hit.id) for hit in self.hits(query, limit)]

    def texts(self) -> list[str]:
        """Every enriched chunk's text."""
        return [self._passage(id) for id in range(len(self._store.chunks))]

    def _passage(self, id: int) -> str:
        if not self._options.expansion:
            return self._store.chunks[id][1].base
        closure = self._store.closure(id, self._options.cap)
        added = (self._store.shelves[part.corpus].item(part, html=True).text for part in closure)
        return "\n\n".join((self._store.chunks[id][1].base, *added))

    def _enriched(self, embedder: Embedder) -> Vectors:
        """Vectors of base text and closure together: the mean of the pieces' vectors by their lengths, since a model's window is
        far shorter than an enriched text and a piece that many closures share is embedded once."""
        closures = [self._store.closure(id, self._options.cap) for id in range(len(self._store.chunks))]
        pieces = {part: None for closure in closures for part in closure if self._store.shelves[part.corpus].has(part.node)}
        texts = {part: self._store.shelves[part.corpus].item(part, html=True).text for part in pieces}
        vectors = dict(zip(texts, embedder.embed(list(texts.values())), strict=True))
        bases = self._store.texts
        weighted = embedder.embed(bases) * np.array([[len(base)] for base in bases], dtype=np.float32).reshape(len(bases), 1)
        for row, closure in enumerate(closures):
            for part in closure:
                if part in texts:
                    weighted[row] += vectors[part] * len(texts[part])
        return normalised(weighted)


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
    """The retriever over the enriched chunks of all corpora. Raises RegcError without an embedder."""
    return RegulaRag(corpora, needed(embedder, "regularag"), options if isinstance(options, Options) else Options())
