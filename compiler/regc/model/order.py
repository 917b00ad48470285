"""Canonical regulation order: by region, then by paragraph number as numbers; tables and footnotes at their clause."""

from __future__ import annotations

import re

from regc.model.document import Document

#: Sorts before and after every other key of its kind; compares by natural order of numbers.
Key = tuple[tuple[int, str], ...]

_PART = re.compile(r"(\d+)|([A-Za-z]+)")


def natural(text: str) -> Key:
    """A key by which "5.2.1" < "5.2.1.1" < "5.2.2" < "5.10" and "Annex 3" < "Annex 3 - Appendix 1" < "Annex 10"."""
    return tuple((int(number), "") if number else (-1, word.lower()) for number, word in _PART.findall(text))


def canonical_order(document: Document) -> dict[str, int]:
    """The rank of every clause, table and footnote id of a document. A clause is followed by its tables, they by the footnotes
    that are anchored there first; unnumbered text of a region stands before its numbered paragraphs."""
    regions = {"body": 0}
    for clause in document.clauses:
        regions.setdefault(clause.region, len(regions))
    named = sorted((region for region in regions if region != "body"), key=natural)
    region_rank = {"body": 0} | {region: rank for rank, region in enumerate(named, start=1)}
    clauses = sorted(document.clauses, key=lambda clause: (region_rank[clause.region], natural(clause.number or "")))
    tables: dict[str, list[str]] = {}
    for table in document.tables:
        tables.setdefault(table.clause, []).append(table.id)
    notes: dict[str, list[str]] = {}
    for footnote in document.footnotes:
        notes.setdefault(footnote.anchors[0] if footnote.anchors else "", []).append(footnote.id)
    order: list[str] = []
    for clause in clauses:
        own = sorted(tables.get(clause.id, ()), key=natural)
        order.extend((clause.id, *own))
        for anchor in (clause.id, *own):
            order.extend(sorted(notes.get(anchor, ()), key=natural))
    ranked = {id: rank for rank, id in enumerate(dict.fromkeys(order))}
    for left in (*(table.id for table in document.tables), *(footnote.id for footnote in document.footnotes)):
        ranked.setdefault(left, len(ranked))
    return ranked
