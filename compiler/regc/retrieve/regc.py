"""The default: BM25 over clauses with their headings, then structure in place of blind hits.

The corpus is routed to one document first; the best clauses are read with their sections; citations, common provisions of
the chapter and definitions follow as far as the budget goes. Works with no model; a dense ranking is mixed in where an
embedder is given.

The thresholds were chosen on questions to six regulations, not on the one of the gold alone: tests/retrieve/other_regulations.csv
(ten questions to UN R79, R89, R130, R155 and R171 in an index of eight) and golden/un152/02/truth/queries.csv.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from regc.model.chunk import Context, Corpus, LeftOut, Query
from regc.model.protocols import LLM, Embedder, Retriever
from regc.model.result import Finding
from regc.retrieve._assemble import Part, Shelf, assemble
from regc.retrieve._dense import best
from regc.retrieve._lexical import Lexical, weighted
from regc.retrieve._select import Limits, Scored, select
from regc.retrieve._structure import Structure, unit_words
from regc.retrieve._text import words
from regc.retrieve._tokens import estimate

#: The name of a system in capitals, as a regulation introduces it: "(LDWS)".
ABBREVIATION = re.compile(r"\b[A-Z]{3,}\b")

SENTENCE = re.compile(r"\S[^\n]*?(?:[.;:](?=\s)|$)", re.MULTILINE)


class Options(BaseModel):
    """What a user can choose."""

    budget: int = Field(default=4000, ge=200, description="retrieval: tokens that a context may have")
    seeds: int = Field(default=8, ge=1, description="retrieval: clauses from which the reading starts, at most")
    seed_ratio: float = Field(default=0.7, ge=0, le=1, description="retrieval: score of a further seed, as a share of the best one's")
    rival_ratio: float = Field(default=0.85, ge=0, le=1, description="retrieval: score above which a rival section is read too")
    dense_weight: float = Field(default=0.3, ge=0, le=1, description="retrieval: share of the dense score, with --embedder")


class RegcRetriever:
    """Clauses of all corpora in one BM25 index, and the structure of each document."""

    def __init__(self, corpora: Sequence[Corpus], embedder: Embedder | None, options: Options) -> None:
        self._options = options
        self._embedder = embedder if options.dense_weight else None
        self._structures = tuple(Structure.of(Shelf.of(corpus)) for corpus in corpora)
        self._shelves = tuple(structure.shelf for structure in self._structures)
        self._units = [(at, id) for at, structure in enumerate(self._structures) for id in structure.bundle]
        self._sections = [(at, id) for at, id in self._units if self._structures[at].is_section(id)]
        own = {(at, id): unit_words(self._structures[at], id) for at, id in self._units}
        whole = [[word for below in self._structures[at].subtree[id] for word in own[at, below]] for at, id in self._sections]
        self._lexical = Lexical([*own.values(), *whole])
        place = {unit: index for index, unit in enumerate(self._units)}
        self._below = [[place[at, below] for below in self._structures[at].subtree[id]] for at, id in self._sections]
        self._members = [[index for (at, _), index in place.items() if at == corpus] for corpus in range(len(corpora))]
        openings = [_opening(corpus) for corpus in corpora]
        self._titles = Lexical([words(opening) for opening in openings])
        self._abbreviations = [frozenset(ABBREVIATION.findall(opening)) for opening in openings]
        self._vectors = self._embedder.embed([self._text(at, id) for at, id in self._units]) if self._embedder else None

    def retrieve(self, query: Query) -> Context:
        """The evidence of the one document that answers best, within the budget."""
        weights = weighted(query.text, self._lexical)
        if not weights or not self._units:
            return assemble(query, self._shelves, (), findings=(_nothing("M301", query),))
        scores = self._scores(query, weights)
        if not scores.any():
            return assemble(query, self._shelves, (), findings=(_nothing("M302", query),))
        corpus, findings = self._route(query, scores, weights)
        scored = Scored(
            {id: float(score) for (at, id), score in zip(self._units, scores, strict=False) if at == corpus},
            {id: float(score) for (at, id), score in zip(self._sections, scores[len(self._units) :], strict=True) if at == corpus},
            {word: weight * self._lexical.rarity(word) for word, weight in weights.items()},
        )
        chosen, left = select(self._structures[corpus], scored, self._limits())
        bundle = self._structures[corpus].bundle
        parts = [Part(corpus, piece) for id in chosen for piece in bundle[id]]
        if not parts:
            parts, left = self._excerpt(corpus, scored)
        return assemble(query, self._shelves, parts, left_out=left, findings=findings)

    def passages(self, query: Query, limit: int) -> list[str]:
        """The texts of the best single clauses of all documents, best first, with their tables and footnotes."""
        scores = self._scores(query, weighted(query.text, self._lexical))[: len(self._units)]
        return [self._passage(*self._units[index]) for index, score in best(scores, limit) if score > 0]

    def texts(self) -> list[str]:
        """Every clause with its tables and footnotes."""
        return [self._passage(at, id) for at, id in self._units]

    def _passage(self, at: int, id: str) -> str:
        return "\n\n".join(self._shelves[at].item(Part(at, piece)).text for piece in self._structures[at].bundle[id])

    def _excerpt(self, corpus: int, scored: Scored) -> tuple[list[Part], tuple[LeftOut, ...]]:
        """Where even the best clause is longer than the budget: as many of its sentences as fit, by the worth of their words."""
        clauses = self._shelves[corpus].clauses
        id = max(scored.clause, key=lambda one: (scored.clause[one], one))
        sentences = [match.span() for match in SENTENCE.finditer(clauses[id].text)]
        worth = {span: sum(scored.worth.get(word, 0.0) for word in set(words(clauses[id].text[slice(*span)]))) for span in sentences}
        left = self._options.budget - estimate(clauses[id].title or "") - 8
        ranges: list[tuple[int, int]] = []
        for span in sorted(sentences, key=lambda one: (-worth[one], one)):
            cost = estimate(clauses[id].text[slice(*span)])
            if worth[span] > 0 and cost <= left:
                ranges.append(span)
                left -= cost
        reason = f"longer than the budget of {self._options.budget} tokens: only the sentences that answer"
        return [Part(corpus, id, tuple(ranges))] if ranges else [], (LeftOut(id=id, reason=reason),)

    def _scores(self, query: Query, weights: dict[str, float]) -> NDArray[np.float64]:
        lexical = self._lexical.scores(weights)
        if self._embedder is None or self._vectors is None:
            return lexical
        own = (self._vectors @ self._embedder.embed([query.text])[0]).astype(np.float64)
        cosine = np.concatenate([own, [own[below].max() for below in self._below]])
        share = self._options.dense_weight
        return (1 - share) * _scaled(lexical) + share * _scaled(np.maximum(cosine - np.median(cosine), 0.0))

    def _route(self, query: Query, scores: NDArray[np.float64], weights: dict[str, float]) -> tuple[int, tuple[Finding, ...]]:
        """The corpus whose eight best clauses score highest (each counts 0.7 of the one before), its title and scope weighing in, and
        most of all an abbreviation that it introduces there; of editions of one regulation that are level, the last by name."""
        titles = _scaled(self._titles.scores(weights))
        named = frozenset(ABBREVIATION.findall(query.text))
        strength: list[float] = []
        for at, members in enumerate(self._members):
            own = np.sort(scores[members])[::-1][:8]
            strength.append(
                float(own @ 0.7 ** np.arange(len(own))) * (1.0 + 0.5 * float(titles[at]) + bool(named & self._abbreviations[at]))
            )
        documents = [shelf.corpus.document for shelf in self._shelves]
        chosen = max(range(len(documents)), key=lambda at: (strength[at], documents[at].edition, -at))
        regulation, edition = documents[chosen].id, documents[chosen].edition
        others = {other.edition for other in documents if other.id == regulation and other.edition != edition}
        if not others:
            return chosen, ()
        message = f"{regulation}: edition {edition} answers; the index also holds {', '.join(sorted(others))}"
        hint = "index one edition a regulation, or ask in the words of the edition that you mean"
        return chosen, (Finding(code="M303", severity="info", message=message, place=regulation, hint=hint),)

    def _limits(self) -> Limits:
        chosen = self._options
        return Limits(
            budget=chosen.budget,
            seeds=chosen.seeds,
            seed_ratio=chosen.seed_ratio,
            rival_ratio=chosen.rival_ratio,
            block=chosen.budget * 6 // 10,
        )

    def _text(self, at: int, id: str) -> str:
        structure = self._structures[at]
        clauses = structure.shelf.clauses
        path = " > ".join(clauses[above].title or above for above in reversed(structure.ancestors(id)))
        return f"{path}\n{clauses[id].title or ''}\n{clauses[id].text}"


def _opening(corpus: Corpus) -> str:
    """What a regulation says that it is about: its title, the unnumbered text before the first paragraph, and that paragraph."""
    document = corpus.document
    before = [clause for clause in document.clauses if clause.region == "body" and clause.number is None]
    first = [clause for clause in document.clauses if clause.number][:1]
    return " ".join((document.title, *(f"{clause.title or ''} {clause.text}" for clause in (*before, *first))))


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    top = values.max(initial=0.0)
    return values / top if top > 0 else values


def _nothing(code: str, query: Query) -> Finding:
    if code == "M301":
        return Finding(
            code=code,
            severity="warning",
            message=f"query {query.text!r} has no word to look for: the context is empty",
            hint="ask in words, for example of the test, the target and the quantity",
        )
    return Finding(
        code=code,
        severity="warning",
        message=f"query {query.text!r}: none of its words stands in the index: the context is empty",
        hint="ask in the language of the documents, in their own terms; `regc inspect REG` shows their headings",
    )


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
    """The retriever over all corpora; needs neither `embedder` nor `llm`."""
    return RegcRetriever(corpora, embedder, options if isinstance(options, Options) else Options())
