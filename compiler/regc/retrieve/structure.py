"""What the numbering and the references of a document tell of how its clauses belong together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from regc.model.chunk import clause_markdown, footnote_markdown, table_markdown
from regc.model.document import Clause
from regc.retrieve.context import Shelf, estimate
from regc.retrieve.lexical import words

#: Headings of chapters that prescribe tests; the common provisions beside a test belong to it.
TEST_TITLE = re.compile(r"\b(?:tests?|testing|trials?|verification)\b", re.IGNORECASE)
#: Headings under which a regulation puts what holds for all tests of a chapter.
COMMON_TITLE = re.compile(
    r"\b(?:conditions?|general(?: provisions| requirements)?|preparation|test (?:targets?|mass|equipment|track|road|weight)"
    r"|environment(?:al)?|robustness|repetitions?|tolerances?|instrumentation|measurements?)\b",
    re.IGNORECASE,
)
#: Wording by which a paragraph speaks of all tests around it.
COMMON_TEXT = re.compile(
    r"\b(?:any|all|each|every) (?:of )?(?:the )?(?:above|following|described|preceding)?\s*tests?(?: scenarios?| runs?)?\b",
    re.IGNORECASE,
)
#: Wording of what is done only when somebody asks for it.
ON_REQUEST = re.compile(r"\b(?:at the request of|(?:if|where|when) (?:so )?requested|requested by|asks? for)\b", re.IGNORECASE)
#: Words of a paragraph's text that stand for a heading to what is below it.
HEADING_WORDS = 25
#: A line to fill in.
BLANK = re.compile(r"(?:\.|…|_){5,}|:\s*$")
#: Headings of forms that are exchanged, whether or not the lines to fill in were printed as such.
FORM_TITLE = re.compile(r"^\W*(?:communication|information document|(?:model )?(?:assessment )?form|model of )\b", re.IGNORECASE)
#: A definition: a quoted term at the start, then "means" or a colon.
DEFINED = re.compile(
    r"^\s*[\"“„«']\s*([^\"”“»]{2,90}?)\s*[\"”»']\s*(?:\([^)]*\)\s*)?(?:means?|is|are|refers?|defines?|:)", re.IGNORECASE
)


@dataclass(frozen=True)
class Structure:
    """Of one document: who stands below whom, who cites whom, what each clause costs with its tables and footnotes."""

    shelf: Shelf
    children: dict[str, tuple[str, ...]] = field(default_factory=dict)
    parent: dict[str, str] = field(default_factory=dict)
    cites: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cited_by: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bundle: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cost: dict[str, int] = field(default_factory=dict)
    subtree: dict[str, tuple[str, ...]] = field(default_factory=dict)
    weight: dict[str, int] = field(default_factory=dict)
    title_words: dict[str, frozenset[str]] = field(default_factory=dict)
    clause_words: dict[str, tuple[str, ...]] = field(default_factory=dict)
    forms: frozenset[str] = frozenset()
    defines: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    @cached_property
    def alternatives(self) -> tuple[tuple[str, ...], ...]:
        """The groups of two or more clauses below one heading that are alternatives to one another."""
        return tuple(tuple(group) for below in self.children.values() for group in self._groups(below) if len(group) > 1)

    def _groups(self, below: Sequence[str]) -> list[list[str]]:
        groups: list[list[str]] = []
        for id in below:
            group = next((group for group in groups if any(self.rivals(id, other) for other in group)), None)
            if group is None:
                groups.append([id])
            else:
                group.append(id)
        return groups

    @classmethod
    def of(cls, shelf: Shelf) -> Structure:
        """The structure of a document."""
        order = shelf.order
        clauses = sorted(shelf.clauses, key=order.__getitem__)
        parent = {id: p for id in clauses if (p := _parent(shelf, shelf.clauses[id]))}
        children: dict[str, list[str]] = {}
        for id in clauses:
            if id in parent:
                children.setdefault(parent[id], []).append(id)
        bundle = _bundles(shelf, clauses)
        cost = {id: sum(piece_cost(shelf, piece) for piece in bundle[id]) for id in clauses}
        subtree: dict[str, tuple[str, ...]] = {}
        for id in reversed(clauses):
            below = (piece for child in children.get(id, ()) for piece in subtree.get(child, (child,)))
            subtree[id] = (id, *below)
        cites, cited_by = _citations(shelf)
        form_regions = _form_regions(shelf)
        return cls(
            shelf=shelf,
            children={id: tuple(ids) for id, ids in children.items()},
            parent=parent,
            cites=cites,
            cited_by=cited_by,
            bundle=bundle,
            cost=cost,
            subtree=subtree,
            weight={id: sum(cost[piece] for piece in subtree[id]) for id in clauses},
            title_words={id: frozenset(words(shelf.clauses[id].title or "")) for id in clauses},
            clause_words={id: tuple(words(f"{shelf.clauses[id].title or ''} {shelf.clauses[id].text}")) for id in clauses},
            forms=frozenset(id for id in clauses if shelf.clauses[id].region in form_regions),
            defines={
                id: tuple(tuple(stemmed) for term in terms if (stemmed := words(term)))
                for id in clauses
                if (terms := defined_terms(shelf.clauses[id]))
            },
        )

    def ancestors(self, id: str) -> tuple[str, ...]:
        """The clauses above, nearest first."""
        above: list[str] = []
        while (id := self.parent.get(id, "")) and id not in above:
            above.append(id)
        return tuple(above)

    def heading(self, id: str) -> str:
        """The heading of a clause; of one without, that others stand below, its first words."""
        clause = self.shelf.clauses[id]
        return clause.title or (" ".join(clause.text.split()[:HEADING_WORDS]) if self.children.get(id) else "")

    def on_request(self, id: str) -> bool:
        """Whether a paragraph, or the one above it, applies only when somebody asks for it."""
        return any(
            ON_REQUEST.search(f"{self.shelf.clauses[one].title or ''} {self.shelf.clauses[one].text[:120]}")
            for one in (id, *self.ancestors(id)[:1])
        )

    def rivals(self, one: str, other: str) -> bool:
        """Whether two clauses are alternatives: below one heading, with headings of which at least half of the words agree."""
        if one == other or self.parent.get(one) != self.parent.get(other):
            return False
        first, second = self.title_words[one], self.title_words[other]
        return bool(first and second) and len(first & second) >= 0.5 * len(first | second)

    def is_common(self, id: str) -> bool:
        """Whether a section holds for the tests beside it: by its heading or by how its paragraphs speak."""
        clause = self.shelf.clauses[id]
        if clause.title and COMMON_TITLE.search(clause.title):
            return True
        return any(COMMON_TEXT.search(self.shelf.clauses[piece].text) for piece in self.subtree[id])


def unit_words(structure: Structure, id: str, taught: Sequence[str] = ()) -> list[str]:
    """The words by which a clause is found: its text, tables and footnotes, its heading twice, the headings above it once, and what
    is `taught` of the terms that it uses."""
    shelf = structure.shelf
    clause = shelf.clauses[id]
    own = [*words(clause.text), *taught]
    own += 2 * words(clause.title or "")
    for above in structure.ancestors(id):
        own += words(structure.heading(above))
    for piece in structure.bundle[id]:
        if table := shelf.tables.get(piece):
            own += 2 * words(table.caption or "")
            own += [word for label in dict.fromkeys(label for path in table.columns for label in path) for word in words(label)]
    return own


def defined_terms(clause: Clause) -> tuple[str, ...]:
    """The term that a clause defines, and its abbreviation: '"Time To Collision (TTC)" means' gives both, in lower case."""
    match = DEFINED.match(clause.text) or DEFINED.match(f"{clause.title or ''} {clause.text}")
    if match is None:
        return ()
    term = match.group(1).strip()
    short = re.search(r"\(([^)]+)\)", match.group(0))
    full = re.sub(r"\s*\([^)]*\)", "", term).strip()
    return tuple(dict.fromkeys(part.lower() for part in (full, short.group(1) if short else "") if part))


def uses(text: Sequence[str], term: Sequence[str]) -> bool:
    """Whether a term stands in a sequence of words: its words near one another in any order ("the road is flat and dry" for "dry
    road"), of a long term three quarters ("mass in running order" for "mass of a vehicle in running order")."""
    wanted = set(term)
    needed = -(-3 * len(wanted) // 4)
    last = dict.fromkeys(wanted, -1000)
    for at, word in enumerate(text):
        if word in last:
            last[word] = at
            if sum(at - seen <= len(wanted) + 1 for seen in last.values()) >= needed:
                return True
    return False


def piece_cost(shelf: Shelf, piece: str) -> int:
    """The tokens of a piece in a context."""
    if piece in shelf.clauses:
        return estimate(clause_markdown(shelf.clauses[piece]))
    if piece in shelf.tables:
        return estimate(table_markdown(shelf.tables[piece]))
    return estimate(footnote_markdown(shelf.footnotes[piece]))


def _form_regions(shelf: Shelf) -> frozenset[str]:
    """Annexes that are called a form, or of which at least a third of the paragraphs are lines to fill in."""
    called = {id for id, clause in shelf.clauses.items() if clause.region == id and FORM_TITLE.search(clause.title or "")}
    blank: dict[str, list[bool]] = {}
    for clause in shelf.clauses.values():
        if clause.region != "body":
            blank.setdefault(clause.region, []).append(bool(BLANK.search(clause.text or clause.title or "")))
    return frozenset(region for region, blanks in blank.items() if region in called or 3 * sum(blanks) >= len(blanks))


def _parent(shelf: Shelf, clause: Clause) -> str | None:
    if clause.parent and clause.parent in shelf.clauses:
        return clause.parent
    return clause.region if clause.number and clause.region != "body" and clause.region in shelf.clauses else None


def _bundles(shelf: Shelf, clauses: list[str]) -> dict[str, tuple[str, ...]]:
    owned: dict[str, list[str]] = {id: [id] for id in clauses}
    for table in shelf.tables.values():
        if table.clause in owned:
            owned[table.clause].append(table.id)
    for footnote in shelf.footnotes.values():
        for anchor in footnote.anchors:
            clause = shelf.tables[anchor].clause if anchor in shelf.tables else anchor
            if clause in owned and footnote.id not in owned[clause]:
                owned[clause].append(footnote.id)
    return {id: tuple(pieces) for id, pieces in owned.items()}


def _citations(shelf: Shelf) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Who cites whom among clauses; a table or footnote counts as its clause, both ways."""

    def clause_of(node: str) -> str | None:
        if node in shelf.clauses:
            return node
        if node in shelf.tables:
            return shelf.tables[node].clause
        if node in shelf.footnotes and shelf.footnotes[node].anchors:
            anchor = shelf.footnotes[node].anchors[0]
            return shelf.tables[anchor].clause if anchor in shelf.tables else anchor
        return None

    out: dict[str, dict[str, None]] = {}
    into: dict[str, dict[str, None]] = {}
    for reference in shelf.corpus.graph.references:
        if reference.target is None or reference.kind in ("external", "footnote"):
            continue
        source, target = clause_of(reference.source), clause_of(reference.target)
        if source and target and source != target:
            out.setdefault(source, {})[target] = None
            into.setdefault(target, {})[source] = None
    return {id: tuple(ids) for id, ids in out.items()}, {id: tuple(ids) for id, ids in into.items()}
