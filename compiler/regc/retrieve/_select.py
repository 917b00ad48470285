"""Which clauses of one document answer a query: from scored sections to what they cite, and what holds for them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from regc.model.chunk import LeftOut
from regc.retrieve._structure import Structure

#: Headings of chapters that prescribe tests; the common provisions beside a test belong to it.
TEST_TITLE = re.compile(r"\b(?:tests?|testing|trials?|verification)\b", re.IGNORECASE)
#: Keeps terms from being found across two clauses.
BREAK = ("",) * 8


@dataclass(frozen=True)
class Limits:
    """`seeds` best sections with at least `seed_ratio` of the best score; a section stands for its paragraphs when it scores at
    least `section_ratio` of the best of them; an alternative needs `rival_ratio` of what its best rival has; the heading above
    a cited paragraph is taken whole from `link_ratio` of the best score. Tokens: a section `block`, what is cited as a whole
    `remote`, all together `budget`. Shares of the budget: the best sections `primary`; up to `short` an answer may take more
    that is cited as a whole."""

    budget: int = 4000
    seeds: int = 8
    seed_ratio: float = 0.6
    section_ratio: float = 0.9
    rival_ratio: float = 0.85
    link_ratio: float = 0.8
    block: int = 2400
    remote: int = 300
    short: float = 0.6
    primary: float = 0.5
    least: float = 0.3


@dataclass(frozen=True)
class Scored:
    """A query's scores: of single clauses, of sections (a heading with all below it), and the worth of its words."""

    clause: Mapping[str, float]
    section: Mapping[str, float]
    worth: Mapping[str, float]

    def of(self, id: str) -> float:
        """The better of the two scores of a clause that is a heading as well."""
        return max(self.clause.get(id, 0.0), self.section.get(id, 0.0))


@dataclass
class _Taken:
    clauses: dict[str, None] = field(default_factory=dict)
    passed: dict[str, str] = field(default_factory=dict)

    def add(self, structure: Structure, roots: Iterable[str]) -> None:
        for root in roots:
            for id in structure.subtree[root]:
                self.clauses.setdefault(id)


def select(structure: Structure, scored: Scored, limits: Limits) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    """Clause ids (tables and footnotes go with them) within the budget, and what was found and left out.

    The order of claims: the best sections; what these cite and what cites them; what the cited paragraphs cite in turn; what
    holds for all tests of the chapter; the definitions of the terms that all these use; what holds for all tests on request
    only; and, for a short answer, what it cites as a whole. An answer shorter than the share `least` of the budget is tried
    again with more sections.
    """
    taken = _claims(structure, scored, limits)
    for ratio in (0.75, 0.5):
        if sum(structure.cost[id] for id in taken.clauses) >= limits.least * limits.budget:
            break
        taken = _claims(structure, scored, replace(limits, seed_ratio=ratio * limits.seed_ratio))
    return _within(structure, taken, limits.budget)


def _claims(structure: Structure, scored: Scored, limits: Limits) -> _Taken:
    taken = _Taken()
    primary = _primary(structure, scored, limits, taken)
    taken.add(structure, primary)
    specific = [root for root in primary if not structure.is_common(root)] or primary
    cited, wholes = _cited(structure, scored, specific, primary, limits, taken)
    taken.add(structure, cited)
    citing = _citing(structure, specific, (*primary, *cited), taken)
    for id in citing:
        taken.clauses.setdefault(id)
    chosen = (*primary, *cited)
    for id in _remote(structure, cited, chosen, limits, taken):
        taken.clauses.setdefault(id)
    common = [id for root in _common(structure, (*specific, *cited, *citing), chosen, limits) for id in structure.subtree[root]]
    on_request = [id for id in common if structure.on_request(id)]
    for id in common:
        if id not in on_request:
            taken.clauses.setdefault(id)
    taken.add(structure, _definitions(structure, taken))
    taken.add(structure, on_request)
    for whole in wholes:
        if structure.weight[whole] + sum(structure.cost[id] for id in taken.clauses) <= limits.short * limits.budget:
            taken.add(structure, [whole])
            taken.add(structure, _definitions(structure, taken))
        else:
            taken.passed.setdefault(whole, "cited as a whole and too long")
    return taken


def _primary(structure: Structure, scored: Scored, limits: Limits, taken: _Taken) -> list[str]:
    order = structure.shelf.order
    fitting = [
        id
        for id in order
        if id in structure.weight
        and structure.weight[id] <= (limits.block if structure.children.get(id) else limits.budget)
        and scored.of(id) > 0
    ]
    contents = [id for id in fitting if id not in structure.forms] or fitting
    ranked = sorted(contents, key=lambda id: (-scored.of(id), order[id]))[: limits.seeds]
    if not ranked:
        return []
    best = max((scored.of(id) for id in ranked if id not in structure.defines), default=scored.of(ranked[0]))
    roots: dict[str, None] = {}
    for id in ranked:
        if scored.of(id) >= limits.seed_ratio * best:
            above = [
                up for up in structure.ancestors(id) if structure.weight[up] <= limits.block and _stands(structure, scored, up, limits)
            ]
            roots.setdefault(above[-1] if above else id)
    for root in list(roots):
        for rival in _rivals(structure, root):
            roots.setdefault(rival)
    decided = _decided(structure, scored, _outermost(structure, roots), limits, taken)
    spent = 0
    kept: list[str] = []
    for root in decided:
        if kept and spent + structure.weight[root] > limits.primary * limits.budget:
            taken.passed.setdefault(root, "long, and answers the query less well")
        else:
            kept.append(root)
            spent += structure.weight[root]
    return kept


def _stands(structure: Structure, scored: Scored, section: str, limits: Limits) -> bool:
    """Whether a section answers nearly as well as the best paragraph in it."""
    return scored.section.get(section, 0.0) >= limits.section_ratio * max(scored.of(id) for id in structure.subtree[section])


def _outermost(structure: Structure, roots: Iterable[str]) -> list[str]:
    """The roots that do not lie below another one."""
    found = dict.fromkeys(roots)
    inside = {below for root in found for below in structure.subtree[root][1:]}
    return [root for root in found if root not in inside]


def _rivals(structure: Structure, root: str) -> list[str]:
    return [id for id in structure.children.get(structure.parent.get(root, ""), ()) if structure.rivals(root, id)]


def _decided(structure: Structure, scored: Scored, roots: Sequence[str], limits: Limits, taken: _Taken) -> list[str]:
    """Of alternatives below one heading, those that the query means: by the words that set their headings apart; where it has
    none of these, by who is tied by a citation to a section that is settled; else by score."""
    groups: list[list[str]] = []
    for root in roots:
        group = next((group for group in groups if any(structure.rivals(root, other) for other in group)), None)
        if group is None:
            groups.append([root])
        else:
            group.append(root)
    settled: list[str] = [group[0] for group in groups if len(group) == 1]
    open_groups: list[list[str]] = []
    for group in (group for group in groups if len(group) > 1):
        shared = frozenset.intersection(*(structure.title_words[root] for root in group))
        worth = {root: sum(scored.worth.get(word, 0.0) for word in structure.title_words[root] - shared) for root in group}
        if max(worth.values()) > 0:
            settled += _best(group, worth, limits.rival_ratio, taken)
        else:
            open_groups.append(group)
    for group in open_groups:
        others = {id for root in settled for id in structure.subtree[root]}
        tied = _best(group, {root: _ties(structure, root, others) for root in group}, limits.rival_ratio, taken)
        settled += _best(tied, {root: scored.of(root) for root in tied}, limits.rival_ratio, taken)
    order = structure.shelf.order
    return sorted(settled, key=lambda root: (-max(scored.of(id) for id in structure.subtree[root]), order[root]))


def _best(group: Sequence[str], worth: Mapping[str, float], ratio: float, taken: _Taken) -> list[str]:
    top = max(worth.values())
    kept = [root for root in group if worth[root] >= ratio * top]
    for root in group:
        if root not in kept:
            taken.passed[root] = f"alternative to {kept[0]}, which the query means"
    return kept


def _ties(structure: Structure, root: str, others: set[str]) -> int:
    """How many citations run between a section and other clauses."""
    return sum(
        other in others for id in structure.subtree[root] for other in (*structure.cites.get(id, ()), *structure.cited_by.get(id, ()))
    )


def _cited(
    structure: Structure, scored: Scored, roots: Sequence[str], chosen: Sequence[str], limits: Limits, taken: _Taken
) -> tuple[list[str], list[str]]:
    """What the roots cite, and the sections of which they cite, or are cited by, at least half. Second, what they cite as a whole
    and is long."""
    best = max((scored.of(root) for root in roots), default=0.0)
    out: dict[str, None] = {}
    wholes: dict[str, None] = {}
    for other in _neighbours(structure.cites, structure, roots, chosen, taken):
        if structure.children.get(other) and structure.weight[other] > limits.remote:
            wholes.setdefault(other)
        else:
            out.setdefault(other)
    meant = {*out, *_neighbours(structure.cited_by, structure, roots, chosen, taken)}
    grown = dict.fromkeys(_grown(structure, scored, id, meant, limits.link_ratio * best, limits.block) for id in out)
    for id in list(wholes):
        if structure.weight[id] <= limits.block and scored.of(id) >= limits.link_ratio * best:
            del wholes[id]
            grown.setdefault(id)
    for id in meant:
        section = _grown(structure, scored, id, meant, math.inf, limits.block)
        if section != id:
            grown.setdefault(section)
    order = structure.shelf.order
    return _decided(structure, scored, _outermost(structure, sorted(grown, key=order.__getitem__)), limits, taken), list(wholes)


def _citing(structure: Structure, roots: Sequence[str], chosen: Sequence[str], taken: _Taken) -> list[str]:
    """Paragraphs that cite the roots, without what stands below them."""
    return list(_neighbours(structure.cited_by, structure, roots, chosen, taken))


def _neighbours(
    edges: Mapping[str, Sequence[str]], structure: Structure, roots: Sequence[str], chosen: Sequence[str], taken: _Taken
) -> dict[str, None]:
    return {
        other: None
        for root in roots
        for id in structure.subtree[root]
        for other in edges.get(id, ())
        if other not in taken.clauses and not _is_rival(structure, other, chosen)
    }


def _grown(structure: Structure, scored: Scored, id: str, meant: Collection[str], score: float, limit: int) -> str:
    """The section that a cited paragraph is read with: the heading above while at least half of what stands below it is meant,
    or while the query is about it too."""
    for above in structure.ancestors(id):
        below = structure.children[above]
        half = len(below) > 1 and 2 * sum(child in meant for child in below) >= len(below)
        if structure.weight[above] > limit or structure.holds_rivals(above) or not (half or scored.section.get(above, 0.0) >= score):
            break
        id = above
    return id


def _common(structure: Structure, roots: Sequence[str], chosen: Sequence[str], limits: Limits) -> list[str]:
    """Sections beside a test (or beside a heading above it) that hold for all tests there."""
    found: dict[str, None] = {}
    for root in roots:
        for at, above in pairwise((root, *structure.ancestors(root))):
            if not TEST_TITLE.search(structure.shelf.clauses[above].title or ""):
                continue
            for sibling in structure.children.get(above, ()):
                if sibling == at or structure.weight[sibling] > limits.block or _is_rival(structure, sibling, chosen):
                    continue
                if structure.is_common(sibling):
                    found.setdefault(sibling)
    return list(found)


def _remote(structure: Structure, roots: Sequence[str], chosen: Sequence[str], limits: Limits, taken: _Taken) -> list[str]:
    """Short paragraphs that the linked sections cite in turn."""
    found: dict[str, None] = {}
    for root in roots:
        for id in structure.subtree[root]:
            for other in structure.cites.get(id, ()):
                if other in taken.clauses or _is_rival(structure, other, chosen):
                    continue
                if structure.children.get(other) or structure.weight[other] > limits.remote:
                    taken.passed.setdefault(other, "cited by a cited paragraph and too long")
                else:
                    found.setdefault(other)
    return list(found)


def _definitions(structure: Structure, taken: _Taken) -> list[str]:
    """Definitions of the terms that the taken clauses use, the most used first."""
    clauses = structure.shelf.clauses
    regions = {clauses[id].region for id in taken.clauses} | {"body"}
    text = [word for id in taken.clauses for word in (*structure.clause_words[id], *BREAK)]
    used: dict[str, int] = {}
    for id, terms in structure.defines.items():
        if id not in taken.clauses and clauses[id].region in regions and (count := max(_uses(text, term) for term in terms)):
            used[id] = count
    return sorted(used, key=lambda id: (-used[id], structure.shelf.order[id]))


def _uses(text: Sequence[str], term: Sequence[str]) -> int:
    """How often a term stands in a sequence of words: its words near one another in any order ("the road is flat and dry" for
    "dry road"), of a long term three quarters ("mass in running order" for "mass of a vehicle in running order")."""
    wanted = set(term)
    needed = -(-3 * len(wanted) // 4)
    if not wanted:
        return 0
    count, last = 0, dict.fromkeys(wanted, -1000)
    for at, word in enumerate(text):
        if word in last:
            last[word] = at
            if sum(at - seen <= len(wanted) + 1 for seen in last.values()) >= needed:
                count += 1
                last = dict.fromkeys(wanted, -1000)
    return count


def _is_rival(structure: Structure, id: str, chosen: Sequence[str]) -> bool:
    return id not in chosen and any(structure.rivals(own, root) for own in (id, *structure.ancestors(id)) for root in chosen)


def _within(structure: Structure, taken: _Taken, budget: int) -> tuple[tuple[str, ...], tuple[LeftOut, ...]]:
    spent = 0
    kept: list[str] = []
    left: list[LeftOut] = []
    for id in taken.clauses:
        cost = structure.cost[id]
        if spent + cost <= budget:
            spent += cost
            kept.append(id)
        else:
            left.append(LeftOut(id=id, reason=f"budget: {cost} tokens, {budget - spent} of {budget} left"))
    left.extend(LeftOut(id=id, reason=reason) for id, reason in taken.passed.items() if id not in taken.clauses)
    return tuple(kept), tuple(left)
