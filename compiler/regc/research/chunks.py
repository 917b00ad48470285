"""Document and reference graph -> chunks, each with the closure of what it refers to.

Base chunks are what a recursive character splitter makes of the normalised Markdown view: paragraphs are merged up to
`chunk_size`, longer ones are split at the coarsest separator that helps; a table is never split. Closures are integer ids only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from regc.model.chunk import Chunk, ChunkSpan, footnote_markdown, heading, table_html
from regc.model.document import Clause, Document, RefGraph, Table, canonical_order

#: Coarsest first, as the recursive character splitter tries them.
SEPARATORS = ("\n\n", "\n", ". ", "; ", ", ", " ")


@dataclass(frozen=True)
class _Piece:
    """Text of one node; for a clause's running text, the characters [start, end) of it (a header or a table has none)."""

    node: str
    text: str
    start: int = 0
    end: int = 0


def enrich(
    document: Document,
    graph: RefGraph,
    *,
    chunk_size: int = 2000,
    depth: int | None = None,
    cap: int = 50,
    join_tables: bool = True,
) -> tuple[Chunk, ...]:
    """Chunks of at most `chunk_size` characters (a table may be longer), in canonical order.

    `depth` limits how many references are followed in a row (0: none, None: all), `cap` the nodes of one closure.
    `join_tables`: a referenced table brings the tables of the same clause that follow it, as one logical table.
    """
    position = {node: index for index, node in enumerate(graph.nodes)}
    edges = adjacency(document, graph, join_tables=join_tables)
    chunks: list[Chunk] = []
    for group in _grouped(_pieces(document, chunk_size), chunk_size):
        nodes = tuple(dict.fromkeys(position[piece.node] for piece in group if piece.node in position))
        chunks.append(
            Chunk(
                id=len(chunks),
                regulation=document.id,
                edition=document.edition,
                base="\n\n".join(piece.text for piece in group),
                nodes=nodes,
                closure=closure(edges, nodes, depth=depth, cap=cap),
                spans=tuple(
                    ChunkSpan(node=position[piece.node], start=piece.start, end=piece.end)
                    for piece in group
                    if piece.end > piece.start and piece.node in position
                ),
            )
        )
    return tuple(chunks)


def adjacency(document: Document, graph: RefGraph, *, join_tables: bool = True) -> tuple[tuple[int, ...], ...]:
    """For each node, the nodes that it leads to, in the order of the document.

    Besides the references: a clause leads to its tables and footnotes, a table to its footnotes, and a clause that is only a
    heading to the paragraphs below it (who cites the heading means them).
    """
    position = {node: index for index, node in enumerate(graph.nodes)}
    leads: list[dict[int, None]] = [{} for _ in graph.nodes]

    def lead(source: str, target: str) -> None:
        if source in position and target in position and source != target:
            leads[position[source]].setdefault(position[target])

    together: dict[str, list[str]] = {}
    for table in document.tables:
        together.setdefault(table.clause, []).append(table.id)
    owner = {table.id: table.clause for table in document.tables}
    for reference in graph.references:
        if reference.target is None:
            continue
        lead(reference.source, reference.target)
        if join_tables and reference.target in owner:
            alike = together[owner[reference.target]]
            for following in alike[alike.index(reference.target) + 1 :]:
                lead(reference.source, following)
    bare = {clause.id for clause in document.clauses if clause.number is not None and not clause.text}
    for clause in document.clauses:
        for table_id in together.get(clause.id, ()):
            lead(clause.id, table_id)
        if clause.parent in bare:
            lead(str(clause.parent), clause.id)
    for footnote in document.footnotes:
        for anchor in footnote.anchors:
            lead(anchor, footnote.id)
    return tuple(tuple(targets) for targets in leads)


def closure(edges: tuple[tuple[int, ...], ...], start: tuple[int, ...], *, depth: int | None, cap: int) -> tuple[int, ...]:
    """Nodes reached from `start` breadth first, each once, without `start`, at most `cap`."""
    seen = set(start)
    order: list[int] = []
    queue = deque((node, 0) for node in start)
    while queue and len(order) < cap:
        node, distance = queue.popleft()
        if depth is not None and distance >= depth:
            continue
        for target in edges[node]:
            if target not in seen and len(order) < cap:
                seen.add(target)
                order.append(target)
                queue.append((target, distance + 1))
    return tuple(order)


def _pieces(document: Document, size: int) -> Iterator[_Piece]:
    order = canonical_order(document)
    tables = {table.id: table for table in document.tables}
    of_clause: dict[str, list[str]] = {}
    for table in document.tables:
        of_clause.setdefault(table.clause, []).append(table.id)
    notes = {footnote.id: footnote for footnote in document.footnotes}
    clauses = {clause.id: clause for clause in document.clauses}
    for node in sorted(order, key=order.__getitem__):
        if node in clauses:
            yield from _clause_pieces(clauses[node], [tables[id] for id in of_clause.get(node, ())], size)
        elif node in notes:
            yield _Piece(node, footnote_markdown(notes[node]))


def _clause_pieces(clause: Clause, tables: list[Table], size: int) -> Iterator[_Piece]:
    yield _Piece(clause.id, heading(clause))
    done = 0
    for table in sorted(tables, key=lambda one: one.offset):
        yield from _text_pieces(clause, done, max(done, table.offset), size)
        done = max(done, table.offset)
        yield _Piece(table.id, table_html(table))
    yield from _text_pieces(clause, done, len(clause.text), size)


def _text_pieces(clause: Clause, start: int, end: int, size: int) -> Iterator[_Piece]:
    for first, last in split(clause.text[start:end], size):
        yield _Piece(clause.id, clause.text[start + first : start + last], start + first, start + last)


def split(text: str, size: int, separators: tuple[str, ...] = SEPARATORS) -> list[tuple[int, int]]:
    """[start, end) of the parts of a text, each at most `size` characters: split at the first separator that occurs, the parts
    merged again as far as they fit, those still too long split at the next one."""
    if len(text) <= size:
        return _trimmed(text, 0, len(text))
    chosen = next((index for index, separator in enumerate(separators) if separator in text), None)
    if chosen is None:
        return [(start, min(start + size, len(text))) for start in range(0, len(text), size)]
    separator = separators[chosen]
    merged: list[tuple[int, int]] = []
    start = 0
    for part in text.split(separator):
        end = min(start + len(part) + len(separator), len(text))
        if merged and end - merged[-1][0] <= size + len(separator) and merged[-1][1] - merged[-1][0] <= size:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
        start = end
    parts: list[tuple[int, int]] = []
    for first, last in merged:
        span = _trimmed(text, first, last)
        for inner_first, inner_last in span:
            if inner_last - inner_first <= size:
                parts.append((inner_first, inner_last))
            else:
                below = split(text[inner_first:inner_last], size, separators[chosen + 1 :])
                parts.extend((inner_first + a, inner_first + b) for a, b in below)
    return parts


def _trimmed(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """[start, end) without white space at its ends; empty when nothing is left."""
    inner = text[start:end]
    first, last = start + len(inner) - len(inner.lstrip()), start + len(inner.rstrip())
    return [(first, last)] if last > first else []


def _grouped(pieces: Iterator[_Piece], size: int) -> Iterator[list[_Piece]]:
    """Consecutive pieces that fit together; a header goes with what follows it."""
    group: list[_Piece] = []
    length = 0
    for piece in pieces:
        if group and length + len(piece.text) + 2 > size:
            carried = group.pop() if group[-1].text.startswith("## ") and len(group) > 1 else None
            yield group
            group = [carried] if carried else []
            length = len(carried.text) if carried else 0
        group.append(piece)
        length += len(piece.text) + 2
    if group:
        yield group
