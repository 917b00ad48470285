"""Stage 2: what a document refers to, as a graph. Internal references resolved, external ones named, the rest reported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from regc.link.grammar import Mention, MentionPart, mentions
from regc.model.document import Clause, Document, Footnote, Reference, ReferenceKind, RefGraph, Table, clause_id
from regc.model.result import Finding

_BODY = "body"
#: How a section of the Code of Federal Regulations calls itself in its first line.
_SECTION = re.compile(r"§\s*(\d{3,4}\.\d{1,4}[a-z]?)\s")


@dataclass(frozen=True)
class _Places:
    """What of the document can be pointed at. `order` holds the numbers of a region in reading order, `prefix` is the letter
    before all of them ("S" of "S7.1")."""

    document: Document
    clauses: dict[str, Clause]
    order: dict[str, tuple[str, ...]]
    own_numbers: frozenset[str]
    prefix: str


@dataclass
class _Links:
    """References and findings as they are found, each reference once."""

    references: dict[Reference, None] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def add(self, source: str, target: str | None, kind: ReferenceKind, quote: str) -> None:
        """One reference; one from a place to itself says nothing."""
        if source != target:
            self.references.setdefault(Reference(source=source, target=target, kind=kind, quote=quote))


def link(document: Document) -> tuple[RefGraph, tuple[Finding, ...]]:
    """The references of a document in reading order, and an R2xx finding for each that points at nothing.

    Besides what the text says, every clause points at its tables and footnotes, and every table at its footnotes.
    """
    places = _places(document)
    tables = {table.id: table for table in document.tables}
    links = _Links()
    for clause in document.clauses:
        text = f"{clause.title}\n{clause.text}" if clause.title else clause.text
        _read(links, places, clause.id, clause, text)
        for name in clause.tables:
            if name in tables:
                table = tables[name]
                links.add(clause.id, name, "table", table.caption or name)
                _read(links, places, name, clause, " ".join(filter(None, (table.caption, table.unit_note))))
                _marks(links, document, name, clause.region, table.footnotes)
        _marks(links, document, clause.id, clause.region, clause.footnotes)
    for note in document.footnotes:
        for anchor in note.anchors:
            if anchor in places.clauses or anchor in tables:
                links.add(anchor, note.id, "footnote", note.marker)
        _read(links, places, note.id, _clause_of(places, tables, note), note.text)
    graph = RefGraph(document=document.id, nodes=_nodes(document), references=tuple(links.references))
    return graph, tuple(links.findings)


def _places(document: Document) -> _Places:
    order: dict[str, list[str]] = {}
    for clause in document.clauses:
        numbers = order.setdefault(clause.region, [])
        if clause.number is not None:
            numbers.append(clause.number)
    titled = re.findall(r"Regulation\s+No\.?\s*(\d+(?:-[A-Z])?)", document.title)
    own = titled or re.findall(r"^(?:un|r|unr|ece)_?0*(\d+)$", document.id.lower())
    sections = [
        heading[1] for clause in document.clauses if clause.number is None for heading in [_SECTION.match(clause.text)] if heading
    ]
    return _Places(
        document,
        {clause.id: clause for clause in document.clauses},
        {region: tuple(numbers) for region, numbers in order.items()},
        frozenset([*(f"UN Regulation No. {number}" for number in own), *(f"49 CFR {number}" for number in sections)]),
        _letter(numbers for region in order.values() for numbers in region),
    )


def _letter(numbers: Iterable[str]) -> str:
    """The letter that all numbers begin with; "" where they do not."""
    first = {number[:1] for number in numbers}
    letter = first.pop() if len(first) == 1 else ""
    return letter if letter.isalpha() else ""


def _nodes(document: Document) -> tuple[str, ...]:
    """Clauses, each followed by its tables; then footnotes."""
    known = {table.id for table in document.tables}
    nodes = [name for clause in document.clauses for name in (clause.id, *(table for table in clause.tables if table in known))]
    nodes += [table.id for table in document.tables]
    nodes += [note.id for note in document.footnotes]
    return tuple(dict.fromkeys(nodes))


def _clause_of(places: _Places, tables: dict[str, Table], note: Footnote) -> Clause:
    """The clause in whose light a footnote's text is read: that of its first anchor."""
    for anchor in note.anchors:
        name = tables[anchor].clause if anchor in tables else anchor
        if name in places.clauses:
            return places.clauses[name]
    return Clause(region=note.region, number=None)


def _marks(links: _Links, document: Document, source: str, region: str, marks: Sequence[str]) -> None:
    for mark in marks:
        alike = [note for note in document.footnotes if note.marker == mark]
        note = next((note for note in alike if source in note.anchors), None)
        note = note or next((note for note in alike if note.region == region and note.table is None), None)
        if note:
            links.add(source, note.id, "footnote", mark)
        else:
            links.add(source, None, "footnote", mark)
            links.findings.append(_finding("R204", document, source, f"footnote mark {mark!r}", "no such footnote was read", ""))


def _finding(code: str, document: Document, source: str, quote: str, why: str, excerpt: str) -> Finding:
    return Finding(
        code=code,
        severity="info" if code == "R205" else "warning",
        message=f"{document.id} {source}: {quote!r}: {why}",
        place=source,
        excerpt=excerpt or None,
        hint="compare the place with the official text; correct a converter's Markdown, report a misread PDF",
    )


def _read(links: _Links, places: _Places, source: str, clause: Clause, text: str) -> None:
    for mention in mentions(text, places.prefix):
        document = mention.part("document")
        if document and document.values != ("this",) and not set(document.values) <= places.own_numbers:
            for name in document.values:
                links.add(source, name, "external", mention.quote)
        else:
            _internal(links, places, source, clause, mention, text)


def _internal(links: _Links, places: _Places, source: str, clause: Clause, mention: Mention, text: str) -> None:
    excerpt = text[max(0, mention.start - 60) : mention.start + len(mention.quote) + 60].replace("\n", " ")
    region, stated = _region(places, clause.region, mention)
    if region is None:
        links.add(source, None, "annex", mention.quote)
        why = "the document has no such annex or appendix"
        links.findings.append(_finding("R202", places.document, source, mention.quote, why, excerpt))
        return
    paragraph, table = mention.part("paragraph"), mention.part("table")
    if paragraph:
        for number, target in _paragraphs(places, region, stated, clause, paragraph):
            _point(links, places, source, mention, number, target, excerpt, table=table is not None)
            if target and not stated and clause.region != _BODY and places.clauses[target].region == _BODY:
                why = f"the {clause.region} has no paragraph {number}, so it is taken as one of the Regulation"
                links.findings.append(_finding("R205", places.document, source, mention.quote, why, excerpt))
    elif table:
        _table(links, places, source, clause, mention, table, excerpt)
    else:
        for target in _annexes(places, clause.region, mention):
            links.add(source, target, "annex", mention.quote)
            if target is None:
                why = "the document has no such annex or appendix"
                links.findings.append(_finding("R202", places.document, source, mention.quote, why, excerpt))


def _point(
    links: _Links, places: _Places, source: str, mention: Mention, number: str, target: str | None, excerpt: str, *, table: bool
) -> None:
    links.add(source, target, "paragraph", mention.quote)
    if target is None:
        why = f"the document has no paragraph {number} there"
        links.findings.append(_finding("R201", places.document, source, mention.quote, why, excerpt))
    elif table:
        for name in places.clauses[target].tables:
            links.add(source, name, "table", mention.quote)
        if not places.clauses[target].tables:
            links.add(source, None, "table", mention.quote)
            why = f"paragraph {number} has no table"
            links.findings.append(_finding("R203", places.document, source, mention.quote, why, excerpt))


def _region(places: _Places, at: str, mention: Mention) -> tuple[str | None, bool]:
    """The region that a mention names and whether it names one; else that in which it stands."""
    annex, appendix = mention.part("annex"), mention.part("appendix")
    if annex or appendix:
        annexes = _annexes(places, at, mention)
        regions = [places.clauses[target].region for target in annexes if target]
        return (regions[0] if regions else None), True
    if mention.part("document"):
        return _BODY, True
    return at, False


def _annexes(places: _Places, at: str, mention: Mention) -> list[str | None]:
    """Ids of the clauses that stand for the annexes or appendices of a mention; None where there is none."""
    annex, appendix = mention.part("annex"), mention.part("appendix")
    outer = [_outer(at)] if annex is None or annex.values == ("this",) else [f"Annex {name}" for name in _expanded(annex.values)]
    if appendix is None:
        return [_region_id(places, name) for name in outer] if annex else []
    if appendix.values == ("this",):
        return [_region_id(places, at)]
    annexes: list[str | None] = []
    for number in _expanded(appendix.values):
        name = f"{outer[0]} - Appendix {number}"
        if annex is None and outer[0] == _BODY:
            ends = [region for region in places.order if re.search(rf"\bAppendix {re.escape(number)}$", region)]
            name = ends[0] if len(ends) == 1 else f"Appendix {number}"
        annexes.append(_region_id(places, name))
    return annexes


def _outer(region: str) -> str:
    """What "this annex" is: the annex of an appendix, but a part that numbers its own paragraphs is one of its own."""
    return region.split(" - Appendix")[0]


def _region_id(places: _Places, region: str) -> str | None:
    """The clause that stands for a region: its unnumbered text, else its first paragraph, else its first appendix."""
    if region in places.clauses:
        return region
    numbers = places.order.get(region)
    if numbers:
        return clause_id(region, numbers[0])
    within = (clause.id for clause in places.document.clauses if clause.region.startswith(f"{region} - "))
    return next(within, None)


def _expanded(values: Sequence[str]) -> list[str]:
    """ "1", "to", "3" as 1, 2, 3; only whole numbers count up."""
    ids: list[str] = []
    for index, value in enumerate(values):
        if value == "to":
            continue
        if index and values[index - 1] == "to" and ids and ids[-1].isdigit() and value.isdigit():
            ids.extend(str(number) for number in range(int(ids[-1]) + 1, int(value)))
        ids.append(value)
    return ids


def _paragraphs(places: _Places, region: str, stated: bool, clause: Clause, part: MentionPart) -> Iterator[tuple[str, str | None]]:
    """(number, clause id or None) of each paragraph that is meant, ranges filled with what the document has between."""
    previous: str | None = None
    ranged = False
    for value in part.values:
        if value == "to":
            ranged = True
            continue
        target = _lookup(places, region, stated, value)
        if ranged and previous and target:
            yield from _between(places, previous, target)
        ranged = False
        yield value, target
        previous = target


def _lookup(places: _Places, region: str, stated: bool, number: str) -> str | None:
    """A paragraph of the region; where no region is named, else of the annex above, else of the body."""
    candidates = [region] if stated else list(dict.fromkeys([region, _outer(region), _BODY]))
    for candidate in candidates:
        name = clause_id(candidate, number)
        if name in places.clauses:
            return name
    return None


def _between(places: _Places, first: str, last: str) -> Iterator[tuple[str, str]]:
    """Paragraphs between two: of their level when it is the same one, else all in reading order."""
    one, other = places.clauses[first], places.clauses[last]
    numbers = places.order[one.region]
    if one.region != other.region or one.number is None or other.number is None:
        return
    start, end = numbers.index(one.number), numbers.index(other.number)
    level = one.number.count(".") if one.number.count(".") == other.number.count(".") else None
    for number in numbers[start + 1 : end]:
        if level is None or number.count(".") == level:
            yield number, clause_id(one.region, number)


def _table(links: _Links, places: _Places, source: str, clause: Clause, mention: Mention, table: MentionPart, excerpt: str) -> None:
    where = table.values[0]
    if where[0].isdigit():
        tables = [name for name in (_numbered(places, clause.region, where),) if name]
    else:
        tables = list(_near(places, clause, where))
    for name in tables:
        links.add(source, name, "table", mention.quote)
    if not tables:
        links.add(source, None, "table", mention.quote)
        why = "no table was found there"
        links.findings.append(_finding("R203", places.document, source, mention.quote, why, excerpt))


def _numbered(places: _Places, region: str, number: str) -> str | None:
    """The table whose caption, or a line of whose clause, begins with that number; of the same region first."""
    begins = re.compile(rf"^Table\s+{re.escape(number)}(?![\d.]*\d)", re.IGNORECASE | re.MULTILINE)
    captioned = [table for table in places.document.tables if begins.match(table.caption or "")]
    if not captioned:
        captioned = [
            table
            for table in places.document.tables
            if table.clause in places.clauses and begins.search(places.clauses[table.clause].text)
        ]
    captioned.sort(key=lambda table: table.clause not in places.clauses or places.clauses[table.clause].region != region)
    return captioned[0].id if captioned else None


def _near(places: _Places, clause: Clause, where: str) -> tuple[str, ...]:
    """The tables of the clause itself; else, in its region, of the nearest clause after it ("following", "below") or before."""
    if clause.tables:
        return clause.tables
    same = [other for other in places.document.clauses if other.region == clause.region]
    at = next((index for index, other in enumerate(same) if other.id == clause.id), None)
    if at is None:
        return ()
    rest = same[at + 1 :] if where in ("following", "below") else same[:at][::-1]
    return next((other.tables for other in rest if other.tables), ())
