"""The default: every paragraph of every document by its words and its meaning, then what belongs to it by the document's structure.

No document is chosen beforehand. A regulation, a paragraph or a category that the question names counts; all else weighs. Works with
no model; meaning weighs in where an embedder is given.

The weights of `ranking.Signals` and `closure.Shares` were chosen on the questions of bench/questions.jsonl marked "dev" and on
golden/un152/02/truth/queries.csv, the misses of those marked "held" were looked at; those marked "new" were asked once, afterwards.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from regc.model.chunk import Context, Corpus, LeftOut, Query
from regc.model.protocols import LLM, Embedder
from regc.model.result import Finding, Severity
from regc.retrieve.context import Part, Shelf, assemble, estimate
from regc.retrieve.lexical import words
from regc.retrieve.mentions import Named, named_in
from regc.retrieve.ranking import Ranking, Signals
from regc.retrieve.structure import TEST_TITLE, Structure, uses
from regc.retrieve.vectors import best

SENTENCE = re.compile(r"\S[^\n]*?(?:[.;:](?=\s)|$)", re.MULTILINE)
#: The score of a paragraph that a question names, beside 1 for the one that answers best.
NAMED_PLACE = 2.0
#: Tokens from which a paragraph counts less, and the power with which it does.
SHORT, LONG = 100, 0.05
#: Score of a document's best paragraph from which it answers as well as the best one.
SEVERAL = 0.85


@dataclass(frozen=True)
class Shares:
    """What a paragraph passes on of its score: to those below it, to those above it, to what it cites and what cites it, to what
    holds for all tests beside it, and to the definitions of its terms. A share to many is divided: each gets it by the root of their
    number over `few`; to a section that is cited by the root of its tokens over `short`. An alternative to a section that the question
    means keeps `rival`, one that is more special than the question `special`."""

    below: float = 0.9
    above: float = 0.35
    cites: float = 0.9
    cited_by: float = 0.5
    common: float = 0.7
    on_request: float = 0.3
    defines: float = 0.88
    rival: float = 0.2
    special: float = 0.5
    few: int = 30
    short: int = 1200


@dataclass(frozen=True)
class Edge:
    """From one paragraph to another: the share that passes, and why, said of the other ("cited by")."""

    to: str
    share: float
    why: str


@dataclass(frozen=True)
class Reached:
    """How a paragraph was reached: by a score of its own (`by` is empty), or along an edge from another."""

    score: float
    why: str
    by: str = ""


def edges_of(structure: Structure, shares: Shares) -> dict[str, tuple[Edge, ...]]:
    """The edges of a document, from each paragraph."""
    leads: dict[str, list[Edge]] = {id: [] for id in structure.bundle}

    def add(source: str, others: Iterable[str], share: float, why: str) -> None:
        targets = [other for other in others if other in leads and other != source]
        each = share * min(1.0, (shares.few / len(targets)) ** 0.5) if targets else 0.0
        leads[source].extend(Edge(other, each, why) for other in targets)

    definitions = _definitions(structure)
    for id in leads:
        bare = not structure.shelf.clauses[id].text.strip()
        add(id, structure.children.get(id, ()), shares.below if bare else shares.below * 0.8, "below")
        add(id, structure.ancestors(id)[:1], shares.above, "above")
        cited = structure.cites.get(id, ())
        for other in cited:
            length = min(1.0, (shares.short / max(1, structure.weight.get(other, 0))) ** 0.5)
            add(id, (other,), shares.cites * length * min(1.0, (shares.few / len(cited)) ** 0.5), "cited by")
        add(id, structure.cited_by.get(id, ()), shares.cited_by, "cites")
        common = _common(structure, id)
        add(id, (other for other in common if not structure.on_request(other)), shares.common, "holds for")
        add(id, (other for other in common if structure.on_request(other)), shares.on_request, "holds on request for")
        add(id, definitions.get(id, ()), shares.defines, "defines a term of")
    return {id: tuple(edges) for id, edges in leads.items()}


def _common(structure: Structure, id: str) -> list[str]:
    """The paragraphs of sections beside a test, or beside a heading above it, that hold for all tests there."""
    shared: dict[str, None] = {}
    path = (id, *structure.ancestors(id))
    for at, above in pairwise(path):
        if not TEST_TITLE.search(structure.shelf.clauses[above].title or ""):
            continue
        for sibling in structure.children.get(above, ()):
            if sibling != at and structure.is_common(sibling) and not structure.rivals(at, sibling):
                shared.update(dict.fromkeys(structure.subtree[sibling]))
    return list(shared)


def _definitions(structure: Structure) -> dict[str, tuple[str, ...]]:
    """By paragraph the definitions of the terms that it uses, of its own region or of the body."""
    clauses = structure.shelf.clauses
    defined_at: dict[str, tuple[str, ...]] = {}
    for id, text in structure.clause_words.items():
        held = set(text)
        used = [
            other
            for other, terms in structure.defines.items()
            if other != id
            and clauses[other].region in (clauses[id].region, "body")
            and any(4 * len(held & set(term)) >= 3 * len(set(term)) and uses(text, term) for term in terms)
        ]
        if used:
            defined_at[id] = tuple(used)
    return defined_at


def reached(
    edges: Mapping[str, Sequence[Edge]], scores: Mapping[str, float], damped: Mapping[str, float], least: float
) -> dict[str, Reached]:
    """The paragraphs of a document by the best score that reaches each, from scores of their own; `damped` are the shares that some
    keep. What is reached with less than `least` is left out."""
    best: dict[str, Reached] = {}
    queue = [(-own, id, "answers", "") for id, score in scores.items() if (own := score * damped.get(id, 1.0)) >= least]
    heapq.heapify(queue)
    while queue:
        negative, id, why, by = heapq.heappop(queue)
        if id in best:
            continue
        best[id] = Reached(-negative, why, by)
        for edge in edges[id]:
            passed = negative * edge.share * damped.get(edge.to, 1.0)
            if edge.to not in best and -passed >= least:
                heapq.heappush(queue, (passed, edge.to, edge.why, id))
    return best


def damped(structure: Structure, worth: Mapping[str, float], share: float, special: float) -> dict[str, float]:
    """What paragraphs keep that stand in an alternative to what the question means: of sections below one heading whose headings
    largely agree, those whose own words it does not have while it has another's (`share`), and those that have words of their own
    where one has none, and it has none of them (`special`: "car to car" was meant rather than "car to bicycle")."""
    scores: dict[str, float] = {}
    for group in structure.alternatives:
        shared = frozenset.intersection(*(structure.title_words[root] for root in group))
        own = {root: sum(worth.get(word, 0.0) for word in structure.title_words[root] - shared) for root in group}
        best = max(own.values())
        plain = any(not structure.title_words[root] - shared for root in group)
        for root in group:
            if own[root] < 0.85 * best:
                kept = share
            elif not best and plain and structure.title_words[root] - shared:
                kept = special
            else:
                continue
            scores.update((id, scores.get(id, 1.0) * kept) for id in structure.subtree[root])
    return scores


class Options(BaseModel):
    """What a user can choose."""

    budget: int = Field(default=4000, ge=200, description="retrieval: tokens that a context may have")
    floor: float = Field(default=0.2, ge=0, le=1, description="retrieval: score of the last paragraph, as a share of the best one's")
    dense: float = Field(default=0.4, ge=0, le=1, description="retrieval: share of meaning beside words, with an embedder")


class RegcRetriever:
    """The paragraphs of all corpora in one ranking, and the structure of each document."""

    def __init__(self, corpora: Sequence[Corpus], embedder: Embedder | None, options: Options) -> None:
        self._options = options
        self._shares = Shares()
        self._structures = tuple(Structure.of(Shelf.of(corpus)) for corpus in corpora)
        self._shelves = tuple(structure.shelf for structure in self._structures)
        self._edges = tuple(edges_of(structure, self._shares) for structure in self._structures)
        self._ranking = Ranking(self._structures, embedder if options.dense else None, Signals(dense=options.dense))

    def retrieve(self, query: Query) -> Context:
        """The evidence of every document that answers, within the budget."""
        named = named_in(query.text)
        findings = self._unknown(named)
        if not self._ranking.units or not (self._ranking.looked_for(named) or named.places):
            return assemble(query, self._shelves, (), findings=(_nothing("M301", query),))
        ranked = self._ranking.ranked(named)
        scores, other = self._one_edition(ranked.scores)
        by_document = self._by_document(scores)
        findings += other + self._place(named, by_document)
        if not any(by_document):
            return assemble(query, self._shelves, (), findings=(*findings, _nothing("M302", query)))
        least = self._options.floor * max(score for own in by_document for score in own.values())
        reached_in = [
            reached(edges, own, damped(structure, ranked.worth, self._shares.rival, self._shares.special), least) if own else {}
            for structure, edges, own in zip(self._structures, self._edges, by_document, strict=True)
        ]
        taken, left = self._within(reached_in)
        parts = [Part(at, piece) for at, id in taken for piece in self._structures[at].bundle[id]]
        if not parts:
            parts, left = self._excerpt(reached_in, ranked.worth)
        findings += self._several(reached_in)
        why = self._why(named, taken, reached_in)
        return assemble(query, self._shelves, parts, left_out=left, findings=findings, why=why)

    def _why(
        self, named: Named, taken: Sequence[tuple[int, str]], reached_in: Sequence[Mapping[str, Reached]]
    ) -> dict[tuple[int, str], tuple[int, str]]:
        """Rank and reason of every piece: a table or footnote has those of its paragraph."""
        told: dict[tuple[int, str], tuple[int, str]] = {}
        common = self._ranking.in_common(named, (unit for unit in taken if not reached_in[unit[0]][unit[1]].by))
        for rank, (at, id) in enumerate(taken, start=1):
            reason = _reason(reached_in[at][id], common.get((at, id), []))
            for piece in self._structures[at].bundle[id]:
                told.setdefault((at, piece), (rank, reason))
        return told

    def passages(self, query: Query, limit: int) -> list[str]:
        """The texts of the best single paragraphs of all documents, best first, with their tables and footnotes."""
        scores = self._ranking.ranked(named_in(query.text)).scores
        return [self._passage(*self._ranking.units[index]) for index, score in best(scores, limit) if score > 0]

    def embedded(self) -> tuple[str, ...]:
        """What an embedder reads of every paragraph."""
        return self._ranking.passages

    def texts(self) -> list[str]:
        """Every paragraph with its tables and footnotes."""
        return [self._passage(at, id) for at, id in self._ranking.units]

    def _passage(self, at: int, id: str) -> str:
        return "\n\n".join(self._shelves[at].item(Part(at, piece)).text for piece in self._structures[at].bundle[id])

    def _by_document(self, scores: NDArray[np.float64]) -> list[dict[str, float]]:
        by_document: list[dict[str, float]] = [{} for _ in self._structures]
        for (at, id), score in zip(self._ranking.units, scores, strict=True):
            if score > 0:
                by_document[at][id] = float(score)
        return by_document

    def _within(self, reached_in: Sequence[Mapping[str, Reached]]) -> tuple[list[tuple[int, str]], tuple[LeftOut, ...]]:
        """Paragraphs from the best score down to the floor, as far as the budget goes; a long one counts a little less."""
        order = sorted(
            ((one.score / self._length(at, id), at, id) for at, of in enumerate(reached_in) for id, one in of.items()),
            key=lambda one: (-one[0], one[1], self._shelves[one[1]].order[one[2]]),
        )
        taken: list[tuple[int, str]] = []
        left: list[LeftOut] = []
        spent = 0
        for _, at, id in order:
            cost = self._structures[at].cost[id]
            if spent + cost <= self._options.budget:
                spent += cost
                taken.append((at, id))
            elif len(left) < len(taken) + 1:
                reason = f"budget: {cost} tokens, {self._options.budget - spent} of {self._options.budget} left"
                left.append(LeftOut(id=id, reason=reason))
        return taken, tuple(left)

    def _length(self, at: int, id: str) -> float:
        """What divides the score of a paragraph for its tokens, 1 up to `SHORT`."""
        return float(max(1.0, self._structures[at].cost[id] / SHORT) ** LONG)

    def _excerpt(
        self, reached_in: Sequence[Mapping[str, Reached]], worth: Mapping[str, float]
    ) -> tuple[list[Part], tuple[LeftOut, ...]]:
        """Where even the best clause is longer than the budget: as many of its sentences as fit, by the worth of their words."""
        _, at, id = max((one.score, at, id) for at, of in enumerate(reached_in) for id, one in of.items())
        clause = self._shelves[at].clauses[id]
        sentences = [match.span() for match in SENTENCE.finditer(clause.text)]
        value = {span: sum(worth.get(word, 0.0) for word in set(words(clause.text[slice(*span)]))) for span in sentences}
        left = self._options.budget - estimate(clause.title or "") - 8
        ranges: list[tuple[int, int]] = []
        for span in sorted(sentences, key=lambda one: (-value[one], one)):
            cost = estimate(clause.text[slice(*span)])
            if value[span] > 0 and cost <= left:
                ranges.append(span)
                left -= cost
        reason = f"longer than the budget of {self._options.budget} tokens: only the sentences that answer"
        return [Part(at, id, tuple(ranges))] if ranges else [], (LeftOut(id=id, reason=reason),)

    def _one_edition(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], tuple[Finding, ...]]:
        """The scores with one edition of each regulation left: the one with the best paragraph; of editions that are level the last by
        name."""
        documents = [shelf.corpus.document for shelf in self._shelves]
        holders = np.array([at for at, _ in self._ranking.units])
        findings: list[Finding] = []
        for regulation in dict.fromkeys(document.id for document in documents):
            own = [at for at, document in enumerate(documents) if document.id == regulation]
            tops = {at: round(float(scores[holders == at].max(initial=0.0)), 6) for at in own}
            chosen = max(own, key=lambda at: (tops[at], documents[at].edition))
            others = sorted({documents[at].edition for at in own} - {documents[chosen].edition})
            if others and tops[chosen] > 0:
                scores = np.where(np.isin(holders, [at for at in own if at != chosen]), 0.0, scores)
                message = f"{regulation}: edition {documents[chosen].edition} answers; the index also holds {', '.join(others)}"
                findings.append(_finding("M303", message, "index one edition a regulation", severity="info", place=regulation))
        return scores, tuple(findings)

    def _unknown(self, named: Named) -> tuple[Finding, ...]:
        """M304 for each regulation that the question names and the index does not hold."""
        known = {(identity.issuer, number) for identity in self._ranking.identities for number in identity.numbers}
        titles = ", ".join(dict.fromkeys(shelf.corpus.document.id for shelf in self._shelves))
        return tuple(
            _finding("M304", f"{_called(issuer, number)} is not in the index: all others were asked", f"the index holds {titles}")
            for issuer, number in named.regulations
            if (issuer, number) not in known
        )

    def _place(self, named: Named, by_document: Sequence[dict[str, float]]) -> tuple[Finding, ...]:
        """Gives the paragraphs that a question names the best scores, in the documents that it names or else in all; M305 for a
        paragraph that none of them has."""
        identities = self._ranking.identities
        asked = [at for at, identity in enumerate(identities) if identity.is_named(named)] or list(range(len(identities)))
        findings: list[Finding] = []
        for place in named.places:
            holders = [(at, id) for at in asked for id in self._shelves[at].clauses if id.casefold() == place.casefold()]
            for at, id in holders:
                by_document[at][id] = NAMED_PLACE + by_document[at].get(id, 0.0)
            if not holders:
                where = ", ".join(dict.fromkeys(self._shelves[at].corpus.document.id for at in asked))
                message = f"no paragraph {place} in {where}: the question was asked without it"
                findings.append(_finding("M305", message, "`regc inspect REG` shows the paragraphs of a document"))
        return tuple(findings)

    def _several(self, reached_in: Sequence[Mapping[str, Reached]]) -> tuple[Finding, ...]:
        """M306 where more than one document answers about equally well."""
        tops = {at: max((one.score for one in of.values()), default=0.0) for at, of in enumerate(reached_in)}
        best_score = max(tops.values(), default=0.0)
        fitting = [self._shelves[at].corpus.document.id for at in tops if best_score > 0 and tops[at] >= SEVERAL * best_score]
        if len(fitting) < 2:
            return ()
        message = f"{' and '.join(fitting)} answer about equally well: the evidence of each is given"
        return (_finding("M306", message, "name the regulation or the vehicle category that you mean", severity="info"),)


def _reason(one: Reached, held: Sequence[str]) -> str:
    """Why a paragraph was chosen; `held` are the words of the question that it has."""
    if one.by:
        return f"{one.why} {one.by}"
    if one.score >= NAMED_PLACE:
        return "named in the question"
    return f"answers: {', '.join(held)}" if held else "answers in meaning"


def _called(issuer: str, number: str) -> str:
    return f"{'UN R' if issuer == 'un' else 'FMVSS '}{number}"


def _finding(code: str, message: str, hint: str, *, severity: Severity = "warning", place: str = "") -> Finding:
    return Finding(code=code, severity=severity, message=message, hint=hint, place=place)


def _nothing(code: str, query: Query) -> Finding:
    if code == "M301":
        message = f"query {query.text!r} has no word to look for: the context is empty"
        return _finding(code, message, "ask in words, for example of the test, the target and the quantity")
    message = f"query {query.text!r}: none of its words stands in the index: the context is empty"
    return _finding(code, message, "ask in the language of the documents, in their own terms; `regc inspect REG` shows their headings")


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> RegcRetriever:
    """The retriever over all corpora; needs neither `embedder` nor `llm`."""
    return RegcRetriever(corpora, embedder, options if isinstance(options, Options) else Options())
