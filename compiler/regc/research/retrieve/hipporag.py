"""HippoRAG: open triples to an entity graph with synonym edges, personalised PageRank from the query's entities, passages by score.

After the method's description (the package cannot be installed beside ours). Triples come from the language model, or from noun
phrases where none is configured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import networkx as nx
import numpy as np
from pydantic import BaseModel, Field

from regc.model.chunk import Context, Corpus, Hit, Query
from regc.model.protocols import LLM, Embedder, Retriever
from regc.research.retrieve._chunks import ChunkStore, empty_query
from regc.research.retrieve._triples import phrases, triples_of
from regc.retrieve._dense import Dense, needed

#: Rows of the similarity matrix that are computed at a time (bounds memory).
BLOCK = 1024


class Options(BaseModel):
    """`top_k` passages; `damping` of the PageRank; entities with a cosine of at least `synonym` are joined; `links` nearest
    entities stand for a phrase of the query that the graph does not have."""

    top_k: int = Field(default=30, ge=1)
    damping: float = Field(default=0.5, gt=0, lt=1)
    synonym: float = Field(default=0.8, ge=0, le=1)
    links: int = Field(default=3, ge=1)


class HippoRag:
    """Entities (names) and passages (numbers) in one graph: facts, synonyms, and who mentions whom."""

    def __init__(self, corpora: Sequence[Corpus], embedder: Embedder, llm: LLM | None, options: Options) -> None:
        self._options = options
        self._store = ChunkStore(corpora)
        self._graph: nx.Graph = nx.Graph()
        mentioned_in: Counter[str] = Counter()
        for number, text in enumerate(self._store.texts):
            mentions: Counter[str] = Counter()
            for subject, _, other in triples_of(text, llm):
                mentions.update((subject, other))
                self._link(subject, other, 1.0)
            for entity, count in sorted(mentions.items()):
                self._link(entity, number, float(count))
            mentioned_in.update(mentions.keys())
        self._passages_of = mentioned_in
        self._entities = sorted(mentioned_in)
        self._dense = Dense(embedder, embedder.embed(self._entities))
        self._join_synonyms()

    def hits(self, query: Query, limit: int) -> list[Hit]:
        """Passages by their PageRank, best first."""
        reset = self._query_entities(query)
        if not reset:
            return []
        rank = nx.pagerank(self._graph, alpha=self._options.damping, personalization=reset, weight="weight")
        found = [(number, float(rank[number])) for number in range(len(self._store.chunks)) if number in rank]
        kept = sorted((hit for hit in found if hit[1] > 0), key=lambda hit: (-hit[1], hit[0]))[:limit]
        return [Hit(id=id, score=score) for id, score in kept]

    def retrieve(self, query: Query) -> Context:
        """The `top_k` best passages."""
        if findings := empty_query(query):
            return self._store.context(query, (), findings=findings)
        return self._store.context(query, self.hits(query, self._options.top_k))

    def passages(self, query: Query, limit: int) -> list[str]:
        """The texts of the best passages, best first."""
        return [self._store.chunks[hit.id][1].base for hit in self.hits(query, limit)]

    def texts(self) -> list[str]:
        """Every passage."""
        return self._store.texts

    def _link(self, one: str | int, other: str | int, weight: float) -> None:
        if self._graph.has_edge(one, other):
            self._graph[one][other]["weight"] += weight
        else:
            self._graph.add_edge(one, other, weight=weight)

    def _join_synonyms(self) -> None:
        vectors = self._dense.vectors
        for start in range(0, len(vectors), BLOCK):
            cosine = vectors[start : start + BLOCK] @ vectors.T
            for row, column in zip(*np.nonzero(cosine >= self._options.synonym), strict=True):
                one, other = start + int(row), int(column)
                if one < other:
                    self._link(self._entities[one], self._entities[other], float(cosine[row, column]))

    def _query_entities(self, query: Query) -> dict[str, float]:
        """Entities of the query with their weights: rare ones count more (1 / passages that mention them)."""
        named = phrases(query.text) or [query.text]
        found: dict[str, float] = {}
        for phrase in named:
            matches = [phrase] if phrase in self._graph else [self._entities[id] for id, _ in self._nearest(phrase)]
            for entity in matches:
                found[entity] = found.get(entity, 0.0) + 1.0 / max(1, self._passages_of[entity])
        return found

    def _nearest(self, phrase: str) -> list[tuple[int, float]]:
        return self._dense.nearest(phrase, self._options.links)


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
    """The retriever over the chunks of all corpora. Raises RegcError without an embedder."""
    return HippoRag(corpora, needed(embedder, "hipporag"), llm, options if isinstance(options, Options) else Options())
