"""From paragraphs that answer to evidence: what they cite, what cites them, what holds for them, within a budget of tokens.

Each paragraph passes a share of its score along the edges of its document's structure; a paragraph counts by the best that reaches it.
The budget is then spent from the highest score down.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from regc.retrieve.structure import TEST_TITLE, Structure, uses


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
    found: dict[str, list[Edge]] = {id: [] for id in structure.bundle}

    def add(source: str, others: Iterable[str], share: float, why: str) -> None:
        targets = [other for other in others if other in found and other != source]
        each = share * min(1.0, (shares.few / len(targets)) ** 0.5) if targets else 0.0
        found[source].extend(Edge(other, each, why) for other in targets)

    definitions = _definitions(structure)
    for id in found:
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
    return {id: tuple(edges) for id, edges in found.items()}


def _common(structure: Structure, id: str) -> list[str]:
    """The paragraphs of sections beside a test, or beside a heading above it, that hold for all tests there."""
    found: dict[str, None] = {}
    path = (id, *structure.ancestors(id))
    for at, above in pairwise(path):
        if not TEST_TITLE.search(structure.shelf.clauses[above].title or ""):
            continue
        for sibling in structure.children.get(above, ()):
            if sibling != at and structure.is_common(sibling) and not structure.rivals(at, sibling):
                found.update(dict.fromkeys(structure.subtree[sibling]))
    return list(found)


def _definitions(structure: Structure) -> dict[str, tuple[str, ...]]:
    """By paragraph the definitions of the terms that it uses, of its own region or of the body."""
    clauses = structure.shelf.clauses
    found: dict[str, tuple[str, ...]] = {}
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
            found[id] = tuple(used)
    return found


def reached(
    edges: Mapping[str, Sequence[Edge]], scores: Mapping[str, float], damped: Mapping[str, float], least: float
) -> dict[str, Reached]:
    """The paragraphs of a document by the best score that reaches each, from scores of their own; `damped` are the shares that some
    keep. What is reached with less than `least` is left out."""
    found: dict[str, Reached] = {}
    queue = [(-own, id, "answers", "") for id, score in scores.items() if (own := score * damped.get(id, 1.0)) >= least]
    heapq.heapify(queue)
    while queue:
        negative, id, why, by = heapq.heappop(queue)
        if id in found:
            continue
        found[id] = Reached(-negative, why, by)
        for edge in edges[id]:
            passed = negative * edge.share * damped.get(edge.to, 1.0)
            if edge.to not in found and -passed >= least:
                heapq.heappush(queue, (passed, edge.to, edge.why, id))
    return found


def damped(structure: Structure, worth: Mapping[str, float], share: float, special: float) -> dict[str, float]:
    """What paragraphs keep that stand in an alternative to what the question means: of sections below one heading whose headings
    largely agree, those whose own words it does not have while it has another's (`share`), and those that have words of their own
    where one has none, and it has none of them (`special`: "car to car" was meant rather than "car to bicycle")."""
    found: dict[str, float] = {}
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
            found.update((id, found.get(id, 1.0) * kept) for id in structure.subtree[root])
    return found
