"""The reference graph as a drawing: chapters and annexes in columns, paragraphs in reading order, references as curves."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import networkx as nx

from regc.model.document import RefGraph, natural

_COLUMN, _ROW, _TOP, _BOX = 290, 26, 40, 170
#: Letters that a box has room for.
_LETTERS = 24
#: A column takes chapters until it has this many rows.
_ROWS = 38


@dataclass(frozen=True)
class Node:
    """A box: `id` of the clause, table, footnote or other document, its short label, kind, and corner."""

    id: str
    label: str
    kind: str
    x: int
    y: int


@dataclass(frozen=True)
class DrawnEdge:
    """A curve from one box to another as an SVG path."""

    source: str
    target: str
    kind: str
    quote: str
    path: str


@dataclass(frozen=True)
class GraphDrawing:
    """Nodes and edges with the size of the whole; `heads` are (heading, x, y)."""

    nodes: tuple[Node, ...]
    edges: tuple[DrawnEdge, ...]
    heads: tuple[tuple[str, int, int], ...]
    width: int
    height: int
    box: int = _BOX


def draw(references: RefGraph) -> GraphDrawing:
    """The drawing of every node that refers or is referred to; parallel references are one curve with all their words."""
    graph = references.to_networkx()
    graph.remove_nodes_from(list(nx.isolates(graph)))
    order = {node: rank for rank, node in enumerate(references.nodes)}
    sizes = Counter(_chapter(node) for node in graph.nodes)
    columns: dict[str, list[str]] = {}
    for node in sorted(graph.nodes, key=lambda name: (order.get(name, len(order)), name)):
        columns.setdefault(_column(node, graph.nodes[node]["kind"], sizes), []).append(node)
    names = sorted(columns, key=_rank)
    places: dict[str, tuple[int, int]] = {}
    heads: list[tuple[str, int, int]] = []
    column, row = 0, 0
    for name in names:
        if row and row + len(columns[name]) + 1 > _ROWS:
            column, row = column + 1, 0
        x = 20 + column * _COLUMN
        heads.append((name, x, _TOP + row * _ROW - 12))
        for node in columns[name]:
            places[node] = (x, _TOP + row * _ROW)
            row += 1
        row += 2
    nodes = tuple(Node(node, _label(node), graph.nodes[node]["kind"], *places[node]) for node in places)
    words: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for source, target, data in graph.edges(data=True):
        words.setdefault((source, target), []).append((data["kind"], data["quote"]))
    edges = tuple(
        DrawnEdge(
            source, target, found[0][0], "; ".join(dict.fromkeys(quote for _, quote in found)), _path(places[source], places[target])
        )
        for (source, target), found in sorted(words.items(), key=lambda item: tuple(order.get(end, len(order)) for end in item[0]))
    )
    return GraphDrawing(
        nodes=nodes,
        edges=edges,
        heads=tuple(heads),
        width=(column + 1) * _COLUMN,
        height=max((y for _, y in places.values()), default=0) + 2 * _ROW,
    )


def _column(node: str, kind: str, sizes: Counter[str]) -> str:
    """The heading that a node stands under; a chapter too long for a column is told by its sections."""
    if kind == "external":
        return "Other documents"
    if kind == "footnote":
        return "Footnotes"
    chapter = _chapter(node)
    if not chapter.isdigit():
        return chapter
    return "Paragraph " + (chapter if sizes[chapter] <= _ROWS else ".".join(node.split("#")[0].split(".")[:2]))


def _chapter(node: str) -> str:
    region = node.split("#")[0]
    return region.split(".")[0] if region[:1].isdigit() else region.split(",")[0]


def _rank(name: str) -> tuple[int, tuple[tuple[int, str], ...]]:
    kinds = ("Paragraph", "Annex", "Footnotes", "Other documents")
    return next((rank for rank, kind in enumerate(kinds) if name.startswith(kind)), 1), natural(name)


def _label(node: str) -> str:
    """Short enough for its box."""
    text = node.replace("Appendix", "App.").replace("#", " table ")
    if len(text) <= _LETTERS:
        return text
    head = text[:_LETTERS].rpartition(" ")[0]
    return f"{head or text[: _LETTERS - 1]}…"


def _path(start: tuple[int, int], end: tuple[int, int]) -> str:
    half = _ROW // 2 - 2
    (x0, y0), (x1, y1) = start, end
    y0, y1 = y0 + half, y1 + half
    if x0 == x1:
        bulge = x0 + _BOX + min(20 + abs(y1 - y0) // 5, _COLUMN - _BOX - 10)
        return f"M{x0 + _BOX} {y0}C{bulge} {y0} {bulge} {y1} {x1 + _BOX} {y1}"
    if x0 < x1:
        x0 += _BOX
    else:
        x1 += _BOX
    middle = (x0 + x1) // 2
    return f"M{x0} {y0}C{middle} {y0} {middle} {y1} {x1} {y1}"
