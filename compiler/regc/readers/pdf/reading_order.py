"""Sorted lines of a PDF to blocks in reading order: paragraphs with their number, tables, footnotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from regc.model.source import Bbox
from regc.readers.assemble.blocks import Block, GridCell, Line
from regc.readers.assemble.notes import is_sign
from regc.readers.pdf.columns import real
from regc.readers.pdf.cut_tables import whole_grid
from regc.readers.pdf.formulas import formulas, linear
from regc.readers.pdf.layout import Layout, PageDrawing, PageParts
from regc.readers.pdf.lines import PrintedLine, box_of, lines, without_leaders
from regc.readers.pdf.marks import NoteMarks, borne, line_text, mark_in_brackets, note_marks
from regc.readers.pdf.page import Page, PageWord, Ruling
from regc.readers.pdf.ruled_tables import RawCell, RawTable, fits, head_rows, on_one_grid, split_rows

_NUMBER = re.compile(r"^(\d{1,2}(?:\.\d{1,3})*)([.,]?)$")
#: A part of a number whose parts stand apart without dots ("1 2").
_PART = re.compile(r"^\d{1,2}$")
_LABEL = re.compile(r"^(?:\(?(?:[a-z]{1,2}|[ivx]{1,5}|[A-Z]|\d{1,2})\)|[-–•‒])$")
_RANGE_BEGUN = re.compile(r"\d[-\u2010-\u2013]$")
#: A paragraph's next line is not farther below than this many font sizes.
_PITCH = 1.5
#: The first note under a table stands no farther below it than this many font sizes, nor the next note below it; the second where
#: nothing else stands on the page. A table's lowest ruling is not thicker than this (points).
_NOTE_PITCH, _FOOT_PITCH, _RULED = 2.4, 6.0, 3.0
#: A line farther below than this (points) stands in the next column, or behind a drawing.
_NEXT_COLUMN = 200.0
#: The least gap (in font sizes) between a paragraph number and its text.
_TAB = 0.45


@dataclass
class _Paragraph:
    """Lines of one paragraph as they are found. `skip`: words of the first line that are its number."""

    lines: list[PrintedLine]
    number: str | None = None
    skip: int = 0
    labelled: bool = False

    @property
    def last(self) -> PrintedLine:
        return self.lines[-1]

    @property
    def text_x(self) -> float:
        """Where its next line should begin."""
        if len(self.lines) > 1:
            return self.last.bbox[0]
        words = self.lines[0].words
        return words[self.skip].x0 if self.skip < len(words) else words[0].x0


@dataclass
class _Flow:
    """What is being written: finished blocks, and the page's footnotes that wait for the paragraph in hand to end.

    `owed` are the signs of tables without a note yet, with the page; `rules` are the page's rulings.
    """

    layout: Layout
    notes: NoteMarks
    vocabulary: frozenset[str]
    owed: dict[str, int] = field(default_factory=dict)
    rules: tuple[Ruling, ...] = ()
    blocks: list[Block] = field(default_factory=list)
    waiting: list[Block] = field(default_factory=list)
    paragraph: _Paragraph | None = None
    table: list[RawTable] = field(default_factory=list)
    formulas: dict[int, int] = field(default_factory=dict)
    aligned: dict[int, tuple[int, int]] = field(default_factory=dict)
    formula: list[PrintedLine] = field(default_factory=list)
    below: list[PrintedLine] = field(default_factory=list)


def blocks(layout: Layout, parts: Sequence[PageParts]) -> tuple[Block, ...]:
    """Blocks of the whole document in reading order; a paragraph or table that a page break cuts is one block."""
    flow = _Flow(layout, note_marks(parts), _vocabulary(parts))
    for part in parts:
        _end_formula(flow)
        flow.formulas = formulas(part.body)
        flow.aligned.update(part.aligned)
        flow.rules = part.page.rules
        for index, element in enumerate(_ordered(part, layout.size)):
            if isinstance(element, PrintedLine) and _is_below_table(flow, element):
                flow.below.append(element)
                continue
            _end_notes_below(flow)
            if isinstance(element, RawTable):
                _add_table(flow, element, first=index == 0)
            elif isinstance(element, PageDrawing):
                _add_drawing(flow, element, part.page.number)
            else:
                _add_line(flow, element)
        _end_notes_below(flow)
        for note in _footnotes(flow, _without_notes_below(flow, part.footnotes)):
            if note.mark is None and _continue_footnote(flow, note):
                continue
            flow.waiting.append(note)
        if flow.paragraph is None and not flow.table:
            _release(flow)
    _end_paragraph(flow)
    _end_table(flow)
    _release(flow)
    folded = {part.page.number: part.page for part in parts if part.page.columns}
    return tuple(_unfolded(block, folded) for block in flow.blocks) if folded else tuple(flow.blocks)


def _without_notes_below(flow: _Flow, foot: Sequence[PrintedLine]) -> Sequence[PrintedLine]:
    """The lines at the foot of a page without those that are notes of the table above them, and small text behind those."""
    count = 0
    while count < len(foot) and _is_below_table(flow, foot[count], _FOOT_PITCH, _NOTE_PITCH):
        flow.below.append(foot[count])
        count += 1
    if not count:
        return foot
    _end_notes_below(flow)
    while count < len(foot) and foot[count].opening_mark() is None:
        _add_line(flow, foot[count])
        count += 1
    return foot[count:]


def _unfolded(block: Block, folded: Mapping[int, Page]) -> Block:
    """A block with its boxes where they are printed on pages of two columns."""

    def place(page: int | None, box: Bbox | None) -> Bbox | None:
        return real(folded[page], box) if box is not None and page is not None and page in folded else box

    return replace(
        block,
        bbox=place(block.page, block.lines[0].bbox if block.lines and block.page in folded else block.bbox),
        lines=tuple(replace(line, bbox=place(line.page, line.bbox) or line.bbox) for line in block.lines),
        grid=tuple(tuple(replace(cell, bbox=place(cell.page, cell.bbox)) for cell in row) for row in block.grid),
    )


def _vocabulary(parts: Sequence[PageParts]) -> frozenset[str]:
    return frozenset(
        word.strip(".,;:()\"'“”").lower() for part in parts for line in (*part.body, *part.footnotes) for word in line.text.split()
    )


def _ordered(part: PageParts, size: float) -> list[PrintedLine | RawTable | PageDrawing]:
    """Lines, tables and drawings from top to bottom; a line beside a table comes after it, one left of it before."""
    keyed: list[tuple[float, int, PrintedLine | RawTable | PageDrawing]] = [(table.bbox[1], 1, table) for table in part.tables]
    keyed.extend((drawing.bbox[1], 2, drawing) for drawing in part.drawings)
    for line in part.body:
        middle = (line.bbox[1] + line.bbox[3]) / 2
        key = (line.base - size, 0)  # of two lines printed over each other the type's height says nothing
        for table in part.tables:
            if table.bbox[1] <= middle <= table.bbox[3]:
                key = (table.bbox[1], 0) if line.bbox[2] <= table.bbox[0] + 2 else (table.bbox[3], 0)
        keyed.append((*key, line))
    return [element for _, _, element in sorted(keyed, key=lambda item: item[:2])]


def _add_table(flow: _Flow, table: RawTable, *, first: bool) -> None:
    if first and flow.table and fits(flow.table[-1], table) and table.page == flow.table[-1].page + 1:
        flow.table.append(table)
        return
    _end_paragraph(flow)
    _end_table(flow)
    flow.table = [table]


def _add_drawing(flow: _Flow, drawing: PageDrawing, page: int) -> None:
    """A drawing stands where its paragraph ends: a sentence may go on below it."""
    known = flow.notes.by_page.get(page, frozenset())
    small = [line.text for line in drawing.words if line.text in known and line.size <= 0.75 * flow.layout.size]
    pieces = [line_text(flow.notes, flow.layout, line) for line in drawing.words if line.text not in small]
    marks = (*small, *(mark for _, own in pieces for mark in own))
    words = "\n".join(text for text, _ in pieces if text)
    block = Block("figure", text=words, page=page, bbox=drawing.bbox, marks=marks)
    if flow.paragraph is None and not flow.table:
        flow.blocks.append(block)
    else:
        flow.waiting.append(block)


def _add_line(flow: _Flow, line: PrintedLine) -> None:
    _end_table(flow)
    number, skip = _number(line, flow.layout)
    labelled = number is None and bool(_LABEL.match(_first_token(line.words)[0]))
    formula = flow.formulas.get(id(line)) if number is None and not labelled else None
    if formula is not None:
        if flow.paragraph or (flow.formula and flow.formulas[id(flow.formula[-1])] != formula):
            _end_paragraph(flow)
        flow.formula.append(line)
        return
    _end_formula(flow)
    paragraph = flow.paragraph
    if paragraph and number is None and _continues(paragraph, line, labelled, flow.layout):
        paragraph.lines.append(line)
        return
    _end_paragraph(flow)
    flow.paragraph = _Paragraph([line], number, skip, labelled)


def _first_token(words: Sequence[PageWord]) -> tuple[str, int]:
    """The words up to the first white space, and how many they are."""
    count = 1
    while count < len(words) and not words[count].space and words[count].x0 - words[count - 1].x1 < 0.2 * words[count].size:
        count += 1
    return "".join(word.text for word in words[:count]), count


def _number(line: PrintedLine, layout: Layout) -> tuple[str | None, int]:
    """The paragraph number that a line begins with, where the layout sets it apart from the text, and how many words it takes.

    A number without a dot, or of parts that stand apart ("1 2"), needs text that begins in the column of the text. A single letter
    before a number ("E 3.4" says for whom the paragraph is) stays in the text (`_text_block`).
    """
    letter = _letter_before(line)
    words = line.words[letter:]
    token, count = _first_token(words)
    found = _NUMBER.match(token)
    if not found or (found[2] == "," and "." not in found[1]):
        return None, 0
    start, end = words[0].x0, words[count - 1].x1
    if start > layout.text_x - 12 and start > layout.number_x + 8:
        return None, 0
    number = found[1]
    if not found[2] and "." not in number:
        number, count = _dotless(words, layout)
        return number, count + letter if number else 0
    if count == len(words):
        return number, count + letter
    text = words[count].x0
    set_apart = text - end >= _TAB * line.size or abs(text - layout.text_x) <= 3 or text > layout.text_x
    return (number, count + letter) if set_apart else (None, 0)


def _letter_before(line: PrintedLine) -> int:
    """1 where a single capital stands before a number of several parts, else 0."""
    if len(line.words) < 3 or not re.fullmatch(r"[A-Z]", line.words[0].text):
        return 0
    token, _ = _first_token(line.words[1:])
    return int(line.words[1].space and bool(re.fullmatch(r"\d{1,2}(?:\.\d{1,3})+\.?", token)))


def _dotless(words: Sequence[PageWord], layout: Layout) -> tuple[str | None, int]:
    """A number without dots at the left edge of the numbers, with text at the left edge of the text."""
    count = 0
    while count < len(words) and _PART.match(words[count].text):
        count += 1
    first = words[0]
    if not 0 < count < len(words) or first.size < layout.size - 0.3 or abs(first.x0 - layout.number_x) > 3:
        return None, 0
    text = words[count]
    if abs(text.x0 - layout.text_x) > 3 or not (text.text[0].isalpha() or text.text[0] in "\"'“‘("):
        return None, 0
    return ".".join(word.text for word in words[:count]), count


def _continues(paragraph: _Paragraph, line: PrintedLine, labelled: bool, layout: Layout) -> bool:
    last = paragraph.last
    if abs(last.size - line.size) > 0.8 or last.bold != line.bold:
        return False
    moved = abs(line.bbox[0] - paragraph.text_x) > 3
    heading = line.bold and line.size > layout.size + 0.5
    open_end = not re.search(r"[.:;]['\"”)]?$", last.text)
    lower = line.text[:1].islower()
    full = heading or _is_full(last, line, layout) or (lower and open_end)
    if last.page != line.page or line.base - last.base > _NEXT_COLUMN:
        return not labelled and full and open_end and (not moved or lower) and not heading
    gap = line.base - last.base
    if not 0 < gap <= _PITCH * max(last.size, line.size) + _overhang(last, line):
        return False
    if labelled and (moved or not full):
        return False
    return full


def _overhang(last: PrintedLine, line: PrintedLine) -> float:
    """By how much (points) fractions on two lines part them."""
    lowest = max((word.bottom - word.base for word in last.words if word.fraction), default=0.0)
    highest = max((word.base - word.top for word in line.words if word.fraction), default=0.0)
    return lowest + highest


def _is_full(last: PrintedLine, line: PrintedLine, layout: Layout) -> bool:
    """True when the next line's first word had no room on the line before: so the break is no end of a paragraph."""
    first = line.words[0]
    return last.bbox[2] + 0.25 * last.size + (first.x1 - first.x0) > layout.right_x - 1.5 * last.size


def _end_formula(flow: _Flow) -> None:
    printed, flow.formula = flow.formula, []
    if printed:
        pieces = [_without_bracketed_marks(flow, line) for line in printed]
        text = "\n".join(linear(line) for line, _ in pieces)
        box = _union([line.bbox for line in printed])
        marks = tuple(mark for _, own in pieces for mark in own)
        flow.blocks.append(Block("formula", text=text, marks=marks, page=printed[0].page, bbox=box))


def _without_bracketed_marks(flow: _Flow, line: PrintedLine) -> tuple[PrintedLine, tuple[str, ...]]:
    """A formula's line without "(" raised 2 ")" where a note has that mark: any other raised figure is a power."""
    for index in range(len(line.words)):
        marks = line.marks_at(index)
        if marks and line.bracketed(index) and flow.notes.by_page.get(line.page, frozenset()).issuperset(marks):
            rest = line.words[: index - 1] + line.words[index + 2 :]
            return (replace(line, words=rest) if rest else line), marks
    return line, ()


def _end_paragraph(flow: _Flow) -> None:
    _end_formula(flow)
    paragraph, flow.paragraph = flow.paragraph, None
    if paragraph is None:
        return
    letter = _letter_before(paragraph.lines[0]) if paragraph.number else 0
    block = _text_block(flow, paragraph.lines, paragraph.skip, paragraph.number)
    if letter:
        block = _with_letter(block, paragraph.lines[0].words[0].text)
    if block.text or block.number or block.marks:
        flow.blocks.append(block)
    _release(flow)


def _release(flow: _Flow) -> None:
    flow.blocks.extend(flow.waiting)
    flow.waiting.clear()


def _text_block(flow: _Flow, printed: Sequence[PrintedLine], skip: int, number: str | None) -> Block:
    text, placed, boxes = _flowing(flow, printed, skip)
    first = printed[0]
    marks, pages = tuple(mark for mark, _ in placed), tuple(page for _, page in placed)
    heading = first.bold or first.size > flow.layout.size + 0.5
    return Block(
        "text",
        text=text,
        number=number,
        heading=heading,
        marks=marks,
        mark_pages=pages if any(page != first.page for page in pages) else (),
        page=first.page,
        bbox=_union([line.bbox for line in printed if line.page == first.page]),
        lines=boxes,
    )


def _with_letter(block: Block, letter: str) -> Block:
    """A block whose text begins with the letter that stands before its number."""
    gone = len(letter) + 1
    lines = tuple(replace(line, start=line.start + gone, end=line.end + gone) for line in block.lines)
    return replace(block, text=f"{letter} {block.text}", lines=lines)


def _flowing(
    flow: _Flow, printed: Sequence[PrintedLine], skip: int, *, cell: bool = False
) -> tuple[str, tuple[tuple[str, int], ...], tuple[Line, ...]]:
    """Lines as one text: marks taken out (each with its page), hyphens of line ends undone, leaders gone."""
    text = ""
    marks: list[tuple[str, int]] = []
    boxes: list[Line] = []
    for index, line in enumerate(printed):
        piece, found = line_text(flow.notes, flow.layout, line, skip if index == 0 else 0, cell=cell)
        marks.extend((mark, line.page) for mark in found)
        piece = without_leaders(piece)
        if not piece:
            continue
        if text.endswith("-") and piece[0].isalpha() and len(text) > 1 and text[-2].isalpha():
            head, tail = re.split(r"[\s(/\"“]", text[:-1])[-1].lower(), re.split(r"[\s.,;:)/\"”]", piece)[0].lower()
            if head + tail in flow.vocabulary and f"{head}-{tail}" not in flow.vocabulary:
                text = text[:-1]
                boxes[-1] = Line(boxes[-1].start, len(text), boxes[-1].page, boxes[-1].bbox)
        elif text and not _is_torn_range(text, piece):
            text += " "
        box = box_of(line.words[skip:]) if index == 0 and skip else line.bbox
        boxes.append(Line(len(text), len(text) + len(piece), line.page, box))
        text += piece
    return text, tuple(marks), tuple(boxes)


def _is_torn_range(before: str, after: str) -> bool:
    """Whether a dash between two figures stands at the end of a line: "10.00-" above "14.50"."""
    return bool(_RANGE_BEGUN.search(before)) and after[0].isdigit()


def _is_below_table(flow: _Flow, line: PrintedLine, pitch: float = _NOTE_PITCH, further: float = _PITCH) -> bool:
    """Whether a line is of the notes under the table in hand: in smaller type, the first with a mark that a cell bears, not farther
    below than `pitch`, its further lines than `further`, and no ruling between.

    A note may also stand further down, or on the next page: its raised sign is then one that a table bears which has no note of it.
    """
    if line.size > flow.layout.size - 0.4:
        return False
    mark = line.opening_mark()
    if flow.below:
        last = flow.below[-1]
        opens = mark is not None or line.opening_letter() is not None
        return line.page == last.page and _is_near(flow, last.base, line.base, (_NOTE_PITCH if opens else further) * line.size)
    if flow.table:
        above = flow.table[-1]
        near = line.page == above.page and _is_near(flow, above.bbox[3] + _RULED, line.base, (pitch + 1) * line.size)
        cells = [printed for part in flow.table for cell in part.cells for printed in lines(cell.words, part.page)]
        return near and (mark or line.opening_letter()) in borne(cells)
    return mark is not None and line.raised(line.words[0]) and line.page - flow.owed.get(mark, line.page - 2) <= 1


def _is_near(flow: _Flow, above: float, base: float, pitch: float) -> bool:
    """Whether a line follows on what ends above it, with no ruling between."""
    return base - above <= pitch and not any(rule.horizontal and above < rule.top < base for rule in flow.rules)


def _end_notes_below(flow: _Flow) -> None:
    """The notes under a table end it, with the paragraph above them."""
    printed, flow.below = flow.below, []
    if not printed:
        return
    _end_paragraph(flow)
    flow.notes = replace(flow.notes, under=frozenset(mark for line in printed if (mark := mark_in_brackets(line.words[0]))))
    _end_table(flow)
    flow.notes = replace(flow.notes, under=frozenset())
    for note in _footnotes(flow, printed, letters=printed[0].opening_letter() is not None):
        flow.blocks.append(replace(note, below=True))
        flow.owed.pop(note.mark or "", None)


def _footnotes(flow: _Flow, printed: Sequence[PrintedLine], *, letters: bool = False) -> Iterator[Block]:
    """The notes that lines are; `letters`: those in brackets begin one too."""
    group: list[PrintedLine] = []
    for line in printed:
        if group and (line.opening_mark() or (letters and line.opening_letter())):
            yield from _footnote(flow, group, letters=letters)
            group = []
        group.append(line)
    if group:
        yield from _footnote(flow, group, letters=letters)


def _continue_footnote(flow: _Flow, rest: Block) -> bool:
    """Adds the rest of a footnote to its beginning on the page before; False when there is none."""
    for blocks in (flow.waiting, flow.blocks):
        for index in range(len(blocks) - 1, -1, -1):
            first = blocks[index]
            if first.kind != "footnote":
                continue
            if first.page is None or rest.page is None or rest.page - first.page > 1:
                return False
            start = len(first.text) + 1
            moved = tuple(Line(line.start + start, line.end + start, line.page, line.bbox) for line in rest.lines)
            for alike in range(index, -1, -1):  # a note of several marks
                if (blocks[alike].kind, blocks[alike].page, blocks[alike].bbox) != (first.kind, first.page, first.bbox):
                    break
                blocks[alike] = replace(blocks[alike], text=f"{first.text} {rest.text}", lines=(*first.lines, *moved))
            return True
    return False


def _footnote(flow: _Flow, printed: Sequence[PrintedLine], *, letters: bool) -> Iterator[Block]:
    """A footnote as a block for each of its marks; `mark` is None for the rest of one that began on the page before."""
    marks, skip = printed[0].opening()
    if not marks and letters and (letter := printed[0].opening_letter()):
        marks, skip = (letter,), 1
    text, _, boxes = _flowing(_Flow(flow.layout, NoteMarks(), flow.vocabulary), printed, skip)
    box = _union([line.bbox for line in printed])
    for mark in marks or (None,):
        yield Block("footnote", text=text, mark=mark, page=printed[0].page, bbox=box, lines=boxes)


def _end_table(flow: _Flow) -> None:
    parts, flow.table = flow.table, []
    if not parts:
        return
    split = 0
    pieces: list[tuple[RawTable, list[tuple[GridCell, ...]]]] = []
    for part in on_one_grid(parts):
        table, count = split_rows(part)
        split += count
        pieces.append((table, _rows(flow, table)))
    head = head_rows(pieces[0][0], flow.layout.size)
    grid, cut = whole_grid(pieces)
    told = []
    if split:
        told.append(("R115", f"{split} of its ruled rows hold several lines that were read as rows of their own"))
    if cut:
        told.append(("R115", f"where a page's end cuts a row or a group of rows, what follows was read as the rest of it ({cut})"))
    if any(part.open for part in parts):
        told.append(("R114", "no rulings between its columns, which are told by alignment alone"))
    shares = [flow.aligned[id(part)] for part in parts if id(part) in flow.aligned]
    if shares:
        in_line, cells = sum(share[0] for share in shares), sum(share[1] for share in shares)
        words = f"no rulings; rows and columns are told by alignment alone ({in_line} of {cells} cells stand in line)"
        told.append(("R114", words))
    flow.owed.update({mark: parts[-1].page for row in grid for cell in row for mark in cell.marks if is_sign(mark)})
    flow.blocks.append(Block("table", grid=grid, page=parts[0].page, bbox=parts[0].bbox, told=tuple(told), head=head))
    _release(flow)


def _rows(flow: _Flow, table: RawTable) -> list[tuple[GridCell, ...]]:
    rows: list[list[GridCell]] = [[] for _ in range(table.row_count)]
    for cell in table.cells:
        text, marks = _cell_text(flow, cell, table.page)
        rows[cell.row].append(GridCell(text, cell.rowspan, cell.colspan, page=table.page, bbox=cell.bbox, marks=marks))
    return [tuple(row) for row in rows]


def _cell_text(flow: _Flow, cell: RawCell, page: int) -> tuple[str, tuple[str, ...]]:
    text, marks, _ = _flowing(flow, lines(cell.words, page), 0, cell=True)
    return f"{text} {cell.turned}".strip(), tuple(mark for mark, _ in marks)


def _union(boxes: Sequence[Bbox]) -> Bbox:
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
