"""The structural family after the literature on retrieval from standards: parts that can be combined.

Passages are plain chunks, sections, or both. They are ranked by cosine, or by BM25 as a prefilter and a dense re-ranking of what it
leaves, fused by reciprocal rank. Vectors may be smoothed over neighbouring sections; the best may be expanded along the graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from regc.model.chunk import Context, Corpus, Query
from regc.model.protocols import LLM, Embedder, Retriever, Vectors
from regc.research.retrieve.chunk_store import ChunkStore, empty_query
from regc.retrieve.context import Part, Shelf, assemble
from regc.retrieve.lexical import Lexical, words
from regc.retrieve.structure import Structure
from regc.retrieve.vectors import best, fused, needed, normalised


class Options(BaseModel):
    """`passages`: what is ranked. `lexical`: BM25 leaves `prefilter` passages, which are ranked again by cosine, both rankings fused.
    `smoothing`: own share of a smoothed vector (1: none). `expansion`: expand `seeds` and rank by the graph's score with
    `alpha` (cosines of neighbouring seeds), `beta` (own cosine), `gamma` (penalty of well-connected passages)."""

    passages: Literal["chunks", "units", "both"] = "units"
    lexical: bool = True
    smoothing: float = Field(default=1.0, ge=0, le=1)
    expansion: bool = False
    top_k: int = Field(default=30, ge=1)
    prefilter: int = Field(default=200, ge=1)
    rrf_k: int = Field(default=60, ge=1)
    seeds: int = Field(default=10, ge=1)
    alpha: float = 0.3
    beta: float = 1.0
    gamma: float = 0.05
    max_words: int = Field(default=300, ge=1)


#: The eight configurations of the literature by name.
CONFIGURATIONS: dict[str, Options] = {
    "chunks-dense": Options(passages="chunks", lexical=False),
    "chunks-rrf": Options(passages="chunks"),
    "units-dense": Options(lexical=False),
    "units-rrf": Options(),
    "both-dense": Options(passages="both", lexical=False),
    "both-rrf": Options(passages="both"),
    "units-rrf-smoothing": Options(smoothing=0.7),
    "units-rrf-expansion": Options(expansion=True),
}


class Structural:
    """Passages with their neighbours, a BM25 index and vectors."""

    def __init__(self, corpora: Sequence[Corpus], embedder: Embedder, options: Options) -> None:
        self._options = options
        self._embedder = embedder
        store = ChunkStore(corpora)
        self._shelves = store.shelves
        self._parts: list[tuple[Part, ...]] = []
        self._texts: list[str] = []
        self._neighbours: list[tuple[int, ...]] = []
        if options.passages != "chunks":
            units = units_of(self._shelves, max_words=options.max_words)
            self._parts += [unit.parts for unit in units.units]
            self._texts += [unit.text for unit in units.units]
            self._neighbours += units.neighbours
        if options.passages != "units":
            self._parts += [tuple(store.parts(id)) for id in range(len(store.chunks))]
            self._texts += store.texts
            self._neighbours += [() for _ in store.chunks]
        self._vectors = smoothed(embedder.embed(self._texts), self._neighbours, options.smoothing)
        self._lexical = Lexical([words(text) for text in self._texts]) if options.lexical else None

    def ranking(self, query: Query) -> list[int]:
        """All ranked passages, best first."""
        cosine = np.asarray(self._vectors @ self._embedder.embed([query.text])[0], dtype=np.float64)
        dense = [id for id, _ in best(cosine, len(cosine))]
        ranked = dense
        if self._lexical is not None:
            scores = self._lexical.scores(dict.fromkeys(words(query.text), 1.0))
            left = [id for id, score in best(scores, self._options.prefilter) if score > 0]
            if left:
                kept = set(left)
                ranked = [id for id, _ in fused([left, [id for id in dense if id in kept]], self._options.rrf_k)]
        if self._options.expansion:
            chosen = self._options
            ranked = expanded(ranked, cosine, self._neighbours, chosen.seeds, (chosen.alpha, chosen.beta, chosen.gamma))
        return ranked

    def retrieve(self, query: Query) -> Context:
        """The `top_k` best passages."""
        if findings := empty_query(query):
            return assemble(query, self._shelves, (), findings=findings)
        return assemble(query, self._shelves, (part for id in self.ranking(query)[: self._options.top_k] for part in self._parts[id]))

    def passages(self, query: Query, limit: int) -> list[str]:
        """The texts of the best passages, best first."""
        return [self._texts[id] for id in self.ranking(query)[:limit]]

    def texts(self) -> list[str]:
        """Every passage."""
        return self._texts


def smoothed(vectors: Vectors, neighbours: Sequence[Sequence[int]], own: float) -> Vectors:
    """own * vector + (1 - own) * mean of the neighbours' vectors, of unit length; a vector without neighbours stays."""
    if own >= 1.0:
        return vectors
    mixed = vectors.copy()
    for row, around in enumerate(neighbours):
        if around:
            mixed[row] = own * vectors[row] + (1.0 - own) * vectors[list(around)].mean(axis=0)
    return normalised(mixed)


def expanded(
    ranked: Sequence[int],
    cosine: NDArray[np.float64],
    neighbours: Sequence[Sequence[int]],
    seeds: int,
    weights: tuple[float, float, float],
) -> list[int]:
    """The seeds (the first of `ranked`) and their neighbours by alpha * sum of cosines of neighbouring seeds + beta * own cosine
    - gamma * log(1 + degree), then the rest of the ranking."""
    alpha, beta, gamma = weights
    chosen = list(ranked[:seeds])
    candidates = sorted({*chosen, *(other for seed in chosen for other in neighbours[seed])})
    score = {
        id: alpha * sum(float(cosine[seed]) for seed in chosen if seed in neighbours[id])
        + beta * float(cosine[id])
        - gamma * float(np.log1p(len(neighbours[id])))
        for id in candidates
    }
    first = sorted(candidates, key=lambda id: (-score[id], id))
    return first + [id for id in ranked if id not in score]


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
    """The retriever over sections, chunks or both. Raises RegcError without an embedder."""
    return Structural(corpora, needed(embedder, "structural"), options if isinstance(options, Options) else Options())


@dataclass(frozen=True)
class RetrievalUnit:
    """A section: what it holds, and its text."""

    root: str
    parts: tuple[Part, ...]
    text: str


@dataclass(frozen=True)
class Units:
    """Units in canonical order and, for each, the units around it: parent, children, siblings, cited and citing ones."""

    units: tuple[RetrievalUnit, ...]
    neighbours: tuple[tuple[int, ...], ...]


def units_of(shelves: Sequence[Shelf], *, max_words: int = 300) -> Units:
    """The sections of all documents. A section is one unit with all below it, unless it has sub-paragraphs and more than
    `max_words` words: then its own text is a unit and so is each sub-paragraph, by the same rule."""
    units: list[RetrievalUnit] = []
    neighbours: list[set[int]] = []
    for corpus, shelf in enumerate(shelves):
        structure = Structure.of(shelf)
        roots = _roots(structure, max_words)
        first = len(units)
        home: dict[str, int] = {}
        for root, ids in roots:
            home.update(dict.fromkeys(ids, len(units)))
            parts = tuple(dict.fromkeys(Part(corpus, piece) for id in ids for piece in structure.bundle[id]))
            text = "\n\n".join(shelf.item(part).text for part in parts)
            units.append(RetrievalUnit(root, parts, text))
        members: list[set[int]] = [set() for _ in roots]
        for offset, (root, ids) in enumerate(roots):
            around = _family(structure, root)
            cited = {other for id in ids for other in (*structure.cites.get(id, ()), *structure.cited_by.get(id, ()))}
            for other in (*around, *cited):
                if other in home and home[other] != first + offset:
                    members[offset].add(home[other])
                    members[home[other] - first].add(first + offset)
        neighbours += members
    return Units(tuple(units), tuple(tuple(sorted(around)) for around in neighbours))


def _roots(structure: Structure, max_words: int) -> list[tuple[str, tuple[str, ...]]]:
    order = structure.shelf.order
    length = {id: len(structure.clause_words[id]) for id in structure.bundle}
    total = {id: sum(length[below] for below in structure.subtree[id]) for id in structure.bundle}
    roots: list[tuple[str, tuple[str, ...]]] = []
    covered: set[str] = set()
    for id in sorted(structure.bundle, key=order.__getitem__):
        if id in covered:
            continue
        whole = total[id] <= max_words or not structure.children.get(id)
        ids = structure.subtree[id] if whole else (id,)
        covered.update(ids)
        roots.append((id, ids))
    return roots


def _family(structure: Structure, root: str) -> tuple[str, ...]:
    parent = structure.parent.get(root)
    siblings = structure.children.get(parent, ()) if parent else ()
    return tuple(id for id in (parent or "", *structure.children.get(root, ()), *siblings) if id and id != root)
