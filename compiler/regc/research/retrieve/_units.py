"""Sections as information units, with parthood and citation edges between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from regc.retrieve._assemble import Part, Shelf
from regc.retrieve._structure import Structure


@dataclass(frozen=True)
class Unit:
    """A section: what it holds, its text, and how many citations of it leave the document."""

    root: str
    parts: tuple[Part, ...]
    text: str
    external: int = 0


@dataclass(frozen=True)
class Units:
    """Units in canonical order and, for each, the units around it: parent, children, siblings, cited and citing ones."""

    units: tuple[Unit, ...]
    neighbours: tuple[tuple[int, ...], ...]


def units_of(shelves: Sequence[Shelf], *, max_words: int = 300) -> Units:
    """The sections of all documents. A section is one unit with all below it, unless it has sub-paragraphs and more than
    `max_words` words: then its own text is a unit and so is each sub-paragraph, by the same rule."""
    units: list[Unit] = []
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
            units.append(Unit(root, parts, text, _external(shelf, frozenset(ids))))
        found: list[set[int]] = [set() for _ in roots]
        for offset, (root, ids) in enumerate(roots):
            around = _family(structure, root)
            cited = {other for id in ids for other in (*structure.cites.get(id, ()), *structure.cited_by.get(id, ()))}
            for other in (*around, *cited):
                if other in home and home[other] != first + offset:
                    found[offset].add(home[other])
                    found[home[other] - first].add(first + offset)
        neighbours += found
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


def _external(shelf: Shelf, ids: frozenset[str]) -> int:
    return sum(reference.kind == "external" and reference.source in ids for reference in shelf.corpus.graph.references)
