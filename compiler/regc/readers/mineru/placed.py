"""Markdown blocks put where the layout file says they stand: pages, boxes, lines, footnotes and numbers that left a trace."""

from __future__ import annotations

from dataclasses import replace

from regc.readers.assemble.blocks import Block, Line
from regc.readers.markup.markdown import Piece
from regc.readers.mineru.middle import Layout, PrintedLine, Slot, key

#: How far ahead a block is looked for; more than a page, so that a changed paragraph does not lose the thread.
_WINDOW = 20000
#: A shorter text is only taken where it is expected, or near by when it stands there once: "4." stands everywhere.
_UNMISTAKABLE = 20
_SHORT, _NEAR = 8, 1000
_SAMPLE = 200


def likeness(pieces: list[Piece], layout: Layout) -> float:
    """Share of the Markdown's text that the layout holds in the same writing: near 1 for a pair, a good half for a stranger."""
    texts = [text for piece in pieces if piece.block.kind == "text" and len(text := key(piece.source)) >= _UNMISTAKABLE]
    texts = texts[:: max(len(texts) // _SAMPLE, 1)]
    whole = sum(map(len, texts))
    return sum(len(text) for text in texts if text in layout.keys) / whole if whole else 0.0


def placed(pieces: list[Piece], layout: Layout) -> list[Block]:
    """The Markdown's blocks with the places of the layout. What the Markdown says wins; the layout only adds."""
    made: list[Block] = []
    cursor, line, table, slot, note = 0, 0, 0, 0, 0
    page: int | None = None
    for piece in pieces:
        block = piece.block
        if block.kind == "text" and block.number == "" and layout.slots:
            continue
        start, end = _find(piece, layout, cursor)
        table_here = layout.tables[table] if block.kind == "table" and table < len(layout.tables) else None
        if table_here is not None:
            start = end = max(table_here.at, cursor)
        while slot < len(layout.slots) and layout.slots[slot].at <= start:
            made.append(_slot(layout.slots[slot]))
            slot += 1
        while note < len(layout.notes) and layout.notes[note][0] <= start:
            made.append(layout.notes[note][1])
            note += 1
        if table_here is not None:
            (page, bbox), table = table_here.parts[0], table + 1
            parts = tuple(Line(0, 0, number, box) for number, box in table_here.parts if box is not None)
            made.append(replace(block, page=page, bbox=bbox, lines=parts))
            page = table_here.parts[-1][0]
        elif end > start:
            while line < len(layout.lines) and _end(layout.lines[line]) <= start:
                line += 1
            last = line
            while last < len(layout.lines) and layout.lines[last].at < end:
                last += 1
            own = layout.lines[line:last]
            page = own[0].page if own else page
            made.append(replace(block, page=page, bbox=own[0].bbox if own else None, lines=_lines(block.text, own)))
        else:
            made.append(replace(block, page=page))
        cursor = max(cursor, end)
    made.extend(_slot(here) for here in layout.slots[slot:])
    made.extend(block for _, block in layout.notes[note:])
    return made


def _find(piece: Piece, layout: Layout, cursor: int) -> tuple[int, int]:
    """[start, end) of a text in the layout's keys; (cursor, cursor) when the Markdown differs there."""
    text = key(piece.source) if piece.block.kind == "text" else ""
    if not text:
        return cursor, cursor
    found = cursor if layout.keys.startswith(text, cursor) else -1
    if found < 0 and len(text) >= _UNMISTAKABLE:
        found = layout.keys.find(text, cursor, cursor + _WINDOW + len(text))
    elif found < 0 and len(text) >= _SHORT and layout.keys.count(text, cursor, cursor + _NEAR) == 1:
        found = layout.keys.find(text, cursor, cursor + _NEAR)
    return (found, found + len(text)) if found >= 0 else (cursor, cursor)


def _slot(slot: Slot) -> Block:
    return Block("text", number="", number_size=slot.size, page=slot.page, bbox=slot.bbox)


def _end(line: PrintedLine) -> int:
    return line.at + len(line.key)


def _lines(text: str, own: list[PrintedLine]) -> tuple[Line, ...]:
    """Printed lines in a block's text, each from where it is found; one that a formula changed ends where the next begins."""
    found: list[tuple[int, PrintedLine]] = []
    cursor = 0
    for line in own:
        start = text.find(line.text, cursor)
        if start < 0:
            start = cursor
        elif line.text:
            cursor = start + len(line.text)
        found.append((start, line))
    made = []
    for index, (start, line) in enumerate(found):
        end = found[index + 1][0] if index + 1 < len(found) else len(text)
        if line.bbox is not None and end > start:
            made.append(Line(start, start + len(text[start:end].rstrip()), line.page, line.bbox))
    return tuple(made)
