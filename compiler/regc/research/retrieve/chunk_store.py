"""What the systems over chunks share: the chunks of all corpora in one list, and how hits become a context."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from regc.model.chunk import Chunk, Context, Corpus, Query, ScoredChunk
from regc.model.result import Finding
from regc.retrieve.context import Part, Shelf, assemble


class ChunkStore:
    """All chunks of all corpora; a hit's id is the position here."""

    def __init__(self, corpora: Sequence[Corpus]) -> None:
        self.shelves = tuple(Shelf.of(corpus) for corpus in corpora)
        self.chunks: list[tuple[int, Chunk]] = [(at, chunk) for at, corpus in enumerate(corpora) for chunk in corpus.chunks]

    @property
    def texts(self) -> list[str]:
        """The base text of every chunk."""
        return [chunk.base for _, chunk in self.chunks]

    def node(self, corpus: int, position: int) -> str:
        """The id of a node of a corpus."""
        return self.shelves[corpus].corpus.graph.nodes[position]

    def parts(self, id: int) -> list[Part]:
        """What a chunk's base text holds: of clauses the characters in it, tables and footnotes whole."""
        corpus, chunk = self.chunks[id]
        pieces: list[Part] = []
        for position in chunk.nodes:
            node = self.node(corpus, position)
            if node in self.shelves[corpus].clauses:
                ranges = tuple((span.start, span.end) for span in chunk.spans if span.node == position)
                pieces.append(Part(corpus, node, ranges))
            else:
                pieces.append(Part(corpus, node))
        return pieces

    def closure(self, id: int, cap: int) -> list[Part]:
        """The whole pieces that a chunk's closure reaches, at most `cap`."""
        corpus, chunk = self.chunks[id]
        return [Part(corpus, self.node(corpus, position)) for position in chunk.closure[:cap]]

    def context(self, query: Query, hits: Iterable[ScoredChunk], *, findings: Iterable[Finding] = ()) -> Context:
        """The bases of the hits, de-duplicated and in canonical order."""
        return assemble(query, self.shelves, (part for hit in hits for part in self.parts(hit.id)), html=True, findings=findings)


class RankedChunks(ABC):
    """A system whose context is the `top_k` chunks of one ranking."""

    def __init__(self, store: ChunkStore, top_k: int) -> None:
        self._store, self._top_k = store, top_k

    @abstractmethod
    def hits(self, query: Query, limit: int) -> list[ScoredChunk]:
        """The ranking, best first."""

    def retrieve(self, query: Query) -> Context:
        """The `top_k` best chunks of the ranking."""
        if findings := empty_query(query):
            return self._store.context(query, (), findings=findings)
        return self._store.context(query, self.hits(query, self._top_k))

    def passages(self, query: Query, limit: int) -> list[str]:
        """The texts of the ranking, best first."""
        return [self._store.chunks[hit.id][1].base for hit in self.hits(query, limit)]

    def texts(self) -> list[str]:
        """Every chunk's text."""
        return self._store.texts


def empty_query(query: Query) -> tuple[Finding, ...]:
    """C301 when a query has no word."""
    if any(char.isalnum() for char in query.text):
        return ()
    return (
        Finding(
            code="M301",
            severity="warning",
            message=f"query {query.text!r} has no word to look for: the context is empty",
            hint="ask in words, for example of the test, the target and the quantity",
        ),
    )
