"""Which clauses of one document answer a query: from scored clauses to blocks, what they cite, and what holds for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from regc.model.chunk import LeftOut
from regc.retrieve._structure import Structure

#: Headings of chapters that prescribe tests; the common provisions beside a test belong to it.
TEST_TITLE = re.compile(r"\b(?:tests?|testing|trials?|verification)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Limits:
    """`seeds` best clauses with at least `seed_ratio` of the best score; a rival block needs `rival_ratio` of its rival's score;
    a block may cost `block` tokens, a paragraph cited by a cited one `remote` tokens, the whole `budget`."""

    budget: int = 4000
    seeds: int = 8
    seed_ratio: float = 0.6
    rival_ratio: float = 0.85
    block: int = 2400
    remote: int = 300


@dataclass
class Selection:
    """Clauses taken so far, in the order of their claim to a place, and what was passed over."""

    taken: dict[str, None] = field(default_factory=dict)
    passed: dict[str, str] = field(default_factory=dict)


def select(
    structure: Structure, scores: Mapping[str, float], query: Iterable[str], limits: Limits
) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Clause ids (tables and footnotes go with them) within the budget, and what was found and left out.

    The order of claims: the blocks of the best clauses; what these cite and what cites them; what holds for all tests of the
    chapter; what the cited requirements cite in turn; the definitions of the terms that all these use.
    """
    words = frozenset(query)
    selection = Selection()
    primary = _primary(structure, scores, words, limits, selection)
    _take(structure, selection, primary)
    specific = [root for root in primary if not structure.is_common(root)] or primary
    linked = _linked(structure, specific, primary, words, limits, selection)
    _take(structure, selection, linked)
    _take(structure, selection, _common(structure, specific, primary, limits))
    _take(structure, selection, _remote(structure, linked, (*primary, *linked), limits, selection))
    _take(structure, selection, _definitions(structure, selection))
    return _within(structure, selection, limits.budget)


def block(structure: Structure, id: str, words: frozenset[str], limit: int) -> str:
    """The root of the section that a clause is read with: the heading above as long as it names what is asked for and the
    section is not longer than `limit` tokens."""
    for above in structure.ancestors(id):
        if structure.weight[above] > limit or not structure.title_words[above] & words:
            break
        id = above
    return id


def _primary(
    structure: Structure, scores: Mapping[str, float], words: frozenset[str], limits: Limits, selection: Selection
) -> list[str]:
    order = structure.shelf.order
    ranked = sorted((id for id in scores if scores[id] > 0), key=lambda id: (-scores[id], order[id]))[: limits.seeds]
    if not ranked:
        return []
    best = scores[ranked[0]]
    roots: dict[str, float] = {}
    for id in ranked:
        if scores[id] >= limits.seed_ratio * best:
            root = block(structure, id, words, limits.block)
            roots[root] = max(roots.get(root, 0.0), scores[id])
    inside = {below for root in roots for below in structure.subtree[root][1:]}
    kept: list[str] = []
    for root in sorted(roots, key=lambda id: (-roots[id], order[id])):
        if root in inside:
            continue
        beaten = [other for other in kept if structure.rivals(root, other) and roots[root] < limits.rival_ratio * roots[other]]
        if beaten:
            selection.passed[root] = f"alternative to {beaten[0]}, which answers the query better"
        else:
            kept.append(root)
    return kept


def _linked(
    structure: Structure, roots: Sequence[str], chosen: Sequence[str], words: frozenset[str], limits: Limits, selection: Selection
) -> list[str]:
    """Blocks that the roots cite, then those that cite them."""
    found: dict[str, None] = {}
    for direction in (structure.cites, structure.cited_by):
        for root in roots:
            for id in structure.subtree[root]:
                for other in direction.get(id, ()):
                    if other in selection.taken or _is_rival(structure, other, chosen):
                        continue
                    target = block(structure, other, words, limits.block)
                    if structure.weight[target] > limits.block:
                        selection.passed.setdefault(target, "cited as a whole and too long: only its heading is given")
                        continue
                    found.setdefault(target)
    inside = {below for root in found for below in structure.subtree[root][1:]}
    return [root for root in found if root not in inside]


def _common(structure: Structure, roots: Sequence[str], chosen: Sequence[str], limits: Limits) -> list[str]:
    """Sections beside a test (or beside a heading above it) that hold for all tests there."""
    found: dict[str, None] = {}
    for root in roots:
        path = (root, *structure.ancestors(root))
        for at, above in pairwise(path):
            if not TEST_TITLE.search(structure.shelf.clauses[above].title or ""):
                continue
            for sibling in structure.children.get(above, ()):
                if sibling == at or structure.weight[sibling] > limits.block or _is_rival(structure, sibling, chosen):
                    continue
                if structure.is_common(sibling):
                    found.setdefault(sibling)
    return list(found)


def _remote(structure: Structure, roots: Sequence[str], chosen: Sequence[str], limits: Limits, selection: Selection) -> list[str]:
    """Short paragraphs that the linked blocks cite in turn."""
    found: dict[str, None] = {}
    for root in roots:
        for id in structure.subtree[root]:
            for other in structure.cites.get(id, ()):
                if other in selection.taken or _is_rival(structure, other, chosen):
                    continue
                if structure.weight[other] > limits.remote:
                    selection.passed.setdefault(other, "cited by a cited paragraph and too long")
                    continue
                found.setdefault(other)
    return list(found)


def _definitions(structure: Structure, selection: Selection) -> list[str]:
    """Definitions of the terms that the taken clauses use, the most used first."""
    clauses = structure.shelf.clauses
    regions = {clauses[id].region for id in selection.taken} | {"body"}
    text = " ".join(f"{clauses[id].title or ''} {clauses[id].text}" for id in selection.taken).lower()
    used: dict[str, int] = {}
    for id, terms in structure.defines.items():
        if id not in selection.taken and clauses[id].region in regions:
            count = max(len(re.findall(rf"\b{re.escape(term)}s?\b", text)) for term in terms)
            if count:
                used[id] = count
    return sorted(used, key=lambda id: (-used[id], structure.shelf.order[id]))


def _is_rival(structure: Structure, id: str, chosen: Sequence[str]) -> bool:
    return id not in chosen and any(structure.rivals(own, root) for own in (id, *structure.ancestors(id)) for root in chosen)


def _take(structure: Structure, selection: Selection, roots: Iterable[str]) -> None:
    for root in roots:
        for id in structure.subtree[root]:
            selection.taken.setdefault(id)


def _within(structure: Structure, selection: Selection, budget: int) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    spent = 0
    kept: list[str] = []
    left: list[LeftOut] = []
    for id in selection.taken:
        cost = structure.cost[id]
        if spent + cost <= budget:
            spent += cost
            kept.append(id)
        else:
            left.append(LeftOut(id=id, reason=f"budget: {cost} tokens more than {budget - spent} left of {budget}"))
    left.extend(LeftOut(id=id, reason=reason) for id, reason in selection.passed.items() if id not in selection.taken)
    return tuple(kept), tuple(left)
