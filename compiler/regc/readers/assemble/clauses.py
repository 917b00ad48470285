"""Units of one region with their numbers to clauses, tables and footnotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from regc.model.document import Clause, Figure, Footnote, Formula, LineBox, Repair, Table, clause_id
from regc.model.result import Finding
from regc.readers.assemble.figures import Drawn, figures
from regc.readers.assemble.header_grids import Resolved, continues, joined, resolve, unitless
from regc.readers.assemble.items import items
from regc.readers.assemble.notes import is_sign, rule, split_marks
from regc.readers.assemble.numbering import Number, show
from regc.readers.assemble.paragraphs import ITEM, PrintedUnit, goes_on, shifted, title_like
from regc.readers.assemble.regions import Region

#: Mark -> where it stands: a clause, table or region, and the page.
Anchors = dict[str, list[tuple[str, int | None]]]
UNIT_NOTE = re.compile(
    r"^\(?(?:all\s+)?(?:values|speeds|figures|dimensions|data)(?:\s+(?:are|given|expressed))*\s+in\s+[^\s.;,()]+(?:\s+per\s+\w+)?[.)]*(?=\s+[A-Z]|\s*$)",
    re.IGNORECASE,
)


_CONTINUED = re.compile(r"\s*[-–—,]?\s*[\[(]?\b(?:concluded|cont(?:'?d|inued)?\.?)[\])]?\s*[.:]?\s*$", re.IGNORECASE)
_LABEL = re.compile(r"^table\s+[a-z]?\d{1,3}[a-z]?[.:]?$", re.IGNORECASE)
#: A longer title among siblings without titles is the first line of a paragraph.
_LONG_TITLE = 60


@dataclass
class Draft:
    """A clause while it is filled."""

    number: Number | None
    title: str | None = None
    text: str = ""
    lines: list[LineBox] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    open: bool = False
    heading: bool = False
    exact: bool = False
    cut: bool = False
    again: bool = False

    def see(self, page: int | None) -> None:
        """Remember a page, each once."""
        if page is not None and page not in self.pages:
            self.pages.append(page)


class RegionPart:
    """One region on its way: its units sorted into paragraphs, captions, unit notes and tables, then what is built of them."""

    def __init__(self, region: Region, words: Counter[str]) -> None:
        self.region = region
        self.words = words
        self.captions: dict[int, PrintedUnit] = {}
        self.above_captions: dict[int, list[PrintedUnit]] = {}
        self.unit_notes: dict[int, str] = {}
        self.rules: dict[int, list[PrintedUnit]] = {}
        self.grids: dict[int, Resolved] = {}
        self.used: set[int] = set()
        self.clauses: list[Clause] = []
        self.tables: list[Table] = []
        self.footnotes: list[Footnote] = []
        self.figures: list[Figure] = []
        self.formulas: list[Formula] = []
        self.drawn: dict[int, Drawn] = {}
        self.repairs: list[Repair] = []
        self.findings: list[Finding] = []
        self.table_pages: dict[int, list[int]] = {}
        self._sort()

    def paragraphs(self) -> list[PrintedUnit]:
        """The units that may bear or lose a number."""
        return [unit for unit in self.region.units if id(unit) not in self.used and unit.kind == "text"]

    def _sort(self) -> None:
        units = self._split_notes(self.region.units)
        self.region.units = units
        for figure in figures(units):
            parts = (*figure.captions, *figure.drawings)
            self.drawn[id(parts[0])] = figure
            self.used.update(id(unit) for unit in parts)
        tables: list[PrintedUnit] = []
        last_table: PrintedUnit | None = None
        texts: list[PrintedUnit] = []  # since the last table
        for unit in units:
            if id(unit) in self.used or unit.kind == "formula":
                continue
            if unit.below and (owner := self._owner(unit, tables, directly=not texts)) is not None:
                self.rules.setdefault(id(owner), []).append(unit)
                self.used.add(id(unit))
            elif last_table is not None and not texts and (below := self._rule(unit, last_table)):
                self.rules.setdefault(id(last_table), []).append(below)
                self.used.add(id(unit))
            elif unit.kind == "footnote":
                pass
            elif unit.kind == "table":
                grid = resolve(unit.grid, unit.page, exact=unit.exact, head=unit.head)
                caption = texts[-1] if texts and self._is_caption(texts[-1]) else None
                if last_table is not None and self._goes_on(last_table, texts, grid):
                    self.grids[id(last_table)] = joined(self.grids[id(last_table)], grid)
                    if unit.page is not None:
                        self.table_pages[id(last_table)].append(unit.page)
                    self.used.update(id(used) for used in (unit, *texts))
                    texts = []
                    continue
                self.grids[id(unit)] = grid
                pages = (unit.page, *(line.page for line in unit.lines))
                self.table_pages[id(unit)] = [page for page in pages if page is not None]
                if caption is not None:
                    self.captions[id(unit)] = caption
                    self.used.add(id(caption))
                    self.above_captions[id(unit)] = self._above_caption(texts[:-1])
                    self.used.update(id(line) for line in self.above_captions[id(unit)])
                last_table, texts = unit, []
                tables.append(unit)
            elif last_table is not None and UNIT_NOTE.match(unit.whole.strip()) and id(last_table) not in self.unit_notes:
                self.unit_notes[id(last_table)] = unit.whole.strip()
                self.used.add(id(unit))
            else:
                texts.append(unit)

    def _goes_on(self, table: PrintedUnit, texts: Sequence[PrintedUnit], grid: Resolved) -> bool:
        """Whether a grid is the rest of a table: nothing stands between them, or only its caption with "(continued)"."""
        first = self.grids[id(table)]
        if not texts:
            return continues(first, grid)
        own = self.captions.get(id(table))
        plain = [_CONTINUED.sub("", text.whole).strip().lower() for text in texts]
        again = own is not None and plain[-1] == split_marks(own.whole.strip())[0].lower()
        labels = [not words or (again and index == len(plain) - 1) or bool(_LABEL.match(words)) for index, words in enumerate(plain)]
        if not any(_CONTINUED.search(text.whole) for text in texts) or not all(labels):
            return False
        return len(first.columns) == len(grid.columns) and (not grid.has_header or grid.columns == first.columns)

    def _rule(self, unit: PrintedUnit, table: PrintedUnit) -> PrintedUnit | None:
        """A rule under a table as a footnote of it: text that begins with a sign, or a note with a sign that the table bears.

        Where the format says that a note stands there, its mark may be a figure: each table begins at 1 again.
        """
        if unit.kind == "footnote":
            return unit if unit.mark and (unit.exact or is_sign(unit.mark)) and unit.mark in self._marks(table) else None
        marked = rule(unit.whole.strip()) if unit.kind == "text" and not unit.printed and not unit.slot else None
        return replace(unit, kind="footnote", mark=marked[0], whole=marked[1]) if marked else None

    def _owner(self, note: PrintedUnit, tables: Sequence[PrintedUnit], *, directly: bool) -> PrintedUnit | None:
        """The table of a note that stands below tables: the last that bears its mark and has no such note, on this page or the one
        before; else, `directly` below it, the last one."""
        for table in reversed(tables):
            known = {rule.mark for rule in self.rules.get(id(table), ())}
            near = note.page is None or note.page - max(self.table_pages[id(table)], default=note.page) <= 1
            if near and note.mark in self._marks(table) and note.mark not in known:
                return table
        return tables[-1] if tables and directly else None

    def _marks(self, table: PrintedUnit) -> tuple[str, ...]:
        """Every mark of a table: of its caption, headers and cells."""
        caption = self.captions.get(id(table))
        above = (*caption.marks, *split_marks(caption.whole.strip())[1]) if caption else ()
        above += tuple(mark for line in self.above_captions.get(id(table), ()) for mark in line.marks)
        return tuple(dict.fromkeys((*above, *table.marks, *self.grids[id(table)].marks())))

    @staticmethod
    def _split_notes(units: Sequence[PrintedUnit]) -> list[PrintedUnit]:
        """A unit note to which the next paragraph was glued becomes a unit of its own."""
        made: list[PrintedUnit] = []
        for unit in units:
            match = UNIT_NOTE.match(unit.whole) if unit.kind == "text" and not unit.printed else None
            if match and match.end() < len(unit.whole.rstrip()):
                made.append(replace(unit, whole=match[0], marks=(), lines=shifted(unit.lines, 0, match.end())))
                rest = unit.whole[match.end() :]
                start = match.end() + len(rest) - len(rest.lstrip())
                made.append(replace(unit, whole=unit.whole[start:], lines=shifted(unit.lines, start, len(unit.whole))))
            else:
                made.append(unit)
        return made

    def _above_caption(self, texts: Sequence[PrintedUnit]) -> list[PrintedUnit]:
        """The lines from "Table 1" to the last line of a caption, which are no sentences of the paragraph."""
        for count, unit in enumerate(reversed(texts[-2:]), 1):
            if _LABEL.match(unit.whole.strip()):
                return list(texts[-count:])
            if not self._is_caption(unit):
                break
        return []

    @staticmethod
    def _is_caption(unit: PrintedUnit) -> bool:
        text = unit.whole.strip()
        return (
            not unit.printed and not unit.slot and bool(text) and len(text) <= 250 and text[-1] not in ".;:," and not ITEM.match(text)
        )


def build(part: RegionPart, known: set[str]) -> None:
    """Fill `part.clauses`, `tables` and `footnotes`; `known` are the ids of clauses built so far (parents)."""
    region = part.region
    current = Draft(None, title=region.title)
    current.see(region.page)
    drafts = [current]
    notes: list[PrintedUnit] = []
    anchors: Anchors = {mark: [(region.name, region.page)] for mark in region.marks}
    above = _headings(part)
    headings: list[PrintedUnit] = []
    for unit in region.units:
        if (figure := part.drawn.get(id(unit))) is not None:
            part.figures.append(_figure(part, figure, current))
            for mark in (mark for drawing in (*figure.drawings, *figure.captions) for mark in drawing.marks):
                anchors.setdefault(mark, []).append((_id(part, current), figure.page))
            current.see(figure.page)
        if id(unit) in part.used:
            continue
        if unit.kind == "formula":
            part.formulas.append(_formula(part, unit, current))
            for mark in unit.marks:
                anchors.setdefault(mark, []).append((_id(part, current), unit.page))
            current.open = True
            continue
        if unit.kind == "footnote":
            notes.append(unit)
            continue
        if unit.kind == "table":
            table = _table(part, unit, current)
            current.tables.append(table.id)
            below = part.rules.get(id(unit), [])
            _rules(part, table, below)
            for mark in table.footnotes:
                if all(mark != note.mark for note in below):
                    anchors.setdefault(mark, []).append((table.id, _page_of_mark(table, mark)))
            for page in table.pages:
                current.see(page)
            part.tables.append(table)
            continue
        if id(unit) in above:
            headings.append(unit)
            continue
        if unit.number is not None:
            current = Draft(unit.number, heading=unit.heading, exact=unit.exact, again=unit.again)
            current.see(unit.page)
            drafts.append(current)
            opening = len(drafts) == 2
            for heading in headings:
                current.headings.append(" ".join(heading.whole.split()))
                for mark in heading.marks:
                    places = [*([region.name] if opening else []), _id(part, current)]
                    anchors.setdefault(mark, []).extend((place, heading.page) for place in places)
            headings.clear()
        current.see(unit.page)
        for mark, printed_on in unit.placed_marks():
            anchors.setdefault(mark, []).append((_id(part, current), printed_on))
            current.marks.append(mark)
        _append(current, unit, drafts[-2].text if len(drafts) > 1 else "")
    _finish(part, drafts, known)
    _footnotes(part, notes, anchors)


def _headings(part: RegionPart) -> set[int]:
    """The unnumbered headings that stand directly above a numbered paragraph: they belong to it and not to the one before."""
    indices: set[int] = set()
    waiting: list[PrintedUnit] = []
    bare = False  # a number that waits for its title
    for unit in part.region.units:
        if unit.kind in ("footnote", "figure") or id(unit) in part.used:
            continue
        if unit.number is not None:
            indices.update(id(heading) for heading in waiting)
            waiting, bare = [], not unit.text.strip()
        elif unit.heading and not bare and not unit.exact and title_like(unit.whole) and not unit.whole.rstrip().endswith("."):
            waiting.append(unit)
        else:
            waiting, bare = [], False
    return indices


def _figure(part: RegionPart, figure: Drawn, draft: Draft) -> Figure:
    clause = _id(part, draft)
    return Figure(clause=clause, caption=figure.caption, words=figure.words, page=figure.page, bbox=figure.bbox)


def _formula(part: RegionPart, unit: PrintedUnit, draft: Draft) -> Formula:
    clause = _id(part, draft)
    return Formula(clause=clause, text=unit.whole.strip(), page=unit.page, bbox=unit.bbox, offset=len(draft.text))


def _number(part: RegionPart, draft: Draft) -> str | None:
    return show(draft.number, part.region.prefix) if draft.number else None


def _id(part: RegionPart, draft: Draft) -> str:
    return clause_id(part.region.name, _number(part, draft), draft.pages[0] if draft.again else None)


def _append(draft: Draft, unit: PrintedUnit, before: str) -> None:
    """Add a unit's text: on the same line when it goes on with a cut sentence, else as a paragraph of its own."""
    raw = unit.text
    text = raw.strip()
    if not text:
        return
    is_title = unit.heading if unit.exact else title_like(text)
    if draft.number and draft.text == "" and draft.title is None and not draft.open and is_title:
        draft.title = text
        draft.open = True
        return
    cut = not unit.exact and goes_on(draft.text or draft.title or "", text)
    if draft.open and draft.text == "" and draft.title is not None and cut and draft.number:
        draft.text = draft.title
        draft.title = None
    if not unit.exact and not draft.open and text[0].islower() and before and goes_on(before, text):
        draft.cut = True
    draft.open = True
    torn = unit.split_off and unit.number is None
    joint = "" if not draft.text else " " if torn or (not unit.exact and goes_on(draft.text, text)) else "\n"
    start = len(draft.text) + len(joint)
    draft.text += joint + text
    skipped = len(unit.whole) - len(raw) + len(raw) - len(raw.lstrip())
    for line in shifted(unit.lines, skipped, skipped + len(text), start):
        draft.lines.append(LineBox(start=line.start, end=line.end, page=line.page, bbox=line.bbox))
        draft.see(line.page)


def _table(part: RegionPart, unit: PrintedUnit, draft: Draft) -> Table:
    clause = _id(part, draft)
    name = f"{clause}#{len(draft.tables) + 1}"
    grid = part.grids[id(unit)]
    caption, above = part.captions.get(id(unit)), part.above_captions.get(id(unit), [])
    pages = list(dict.fromkeys([*([caption.page] if caption and caption.page else []), *part.table_pages[id(unit)]]))
    for place, before, reason in grid.repairs:
        part.repairs.append(
            Repair(
                place=f"{name} {place}",
                before=before,
                after="-" if "dash" in reason else before.replace(",", "."),
                reason=reason,
                page=unit.page,
            )
        )
    for problem in grid.problems:
        part.findings.append(
            Finding(
                code="R107",
                severity="warning",
                message=f"{name} {problem}",
                place=name,
                hint="compare the table with the official PDF; correct a converter's Markdown, report a misread PDF",
            )
        )
    for code, words in unit.told:
        part.findings.append(
            Finding(
                code=code,
                severity="info",
                message=f"{name}: {words}",
                place=name,
                hint="look at the page (regc inspect --pictures), and compare rows and columns",
            )
        )
    if unitless(grid, (caption.whole if caption else "", part.unit_notes.get(id(unit), ""))):
        part.findings.append(
            Finding(
                code="R116",
                severity="info",
                message=f"{name}: no unit stands in its caption, headers or cells, or below it, so its figures have none",
                place=name,
                hint="a profile names the place that says the unit; none is guessed",
            )
        )
    if not grid.has_header:
        part.findings.append(
            Finding(
                code="R110",
                severity="warning",
                message=f"{name} has no header row, so its columns have no names",
                place=name,
                hint="compare with the official PDF: it may go on from the table before; in a converter's text, give the header back",
            )
        )
    return Table(
        id=name,
        clause=clause,
        caption=" ".join([line.whole.strip() for line in above] + [split_marks(caption.whole.strip())[0]]) if caption else None,
        unit_note=part.unit_notes.get(id(unit)),
        columns=tuple(grid.columns),
        rows=tuple(grid.rows),
        footnotes=part._marks(unit),
        column_marks=tuple(grid.column_marks),
        pages=tuple(pages),
        offset=len(draft.text),
    )


def _page_of_mark(table: Table, mark: str) -> int | None:
    """The page that a table bears a mark on: of the first cell with it, else its own first."""
    pages = (cell.page for row in table.rows for cell in row if mark in cell.marks and cell.page is not None)
    return next(pages, table.pages[0] if table.pages else None)


def _rules(part: RegionPart, table: Table, below: Sequence[PrintedUnit]) -> None:
    """The rules under a table as footnotes of it and of its clause."""
    for note in below:
        mark = note.mark or ""
        if mark not in table.footnotes:
            part.findings.append(
                Finding(
                    code="R104",
                    severity="warning",
                    message=f"{table.id}: the rule {mark} stands under the table, but no cell, header or caption bears {mark}",
                    place=table.id,
                    hint="look for the mark in the official PDF",
                )
            )
        part.footnotes.append(
            Footnote(
                marker=mark,
                region=part.region.name,
                table=table.id,
                text=" ".join(note.whole.split()),
                anchors=(table.id, table.clause),
                page=note.page,
                bbox=note.bbox,
            )
        )


def _finish(part: RegionPart, drafts: Sequence[Draft], known: set[str]) -> None:
    region = part.region.name
    numbers = {draft.number for draft in drafts}
    parents = {number[:-1] for number in numbers if number}
    titled = Counter(draft.number[:-1] for draft in drafts if draft.number and draft.title and len(draft.title) <= _LONG_TITLE)
    siblings = Counter(draft.number[:-1] for draft in drafts if draft.number)
    parted = Counter(draft.number[:-1] for draft in drafts if draft.number and (draft.title or draft.text)[:1].islower())
    for draft in drafts:
        if draft.number and draft.title and len(draft.title) > _LONG_TITLE and draft.number not in parents and not draft.exact:
            above = draft.number[:-1]
            if above and siblings[above] >= 3 and not titled[above]:
                _title_to_text(draft)
        if draft.title and draft.number and not draft.text and not draft.heading and draft.number not in parents:
            draft.text, draft.title = draft.title, None
        if draft.number is None and region == "body" and not draft.text and not draft.tables:
            continue
        number = _number(part, draft)
        name = _id(part, draft)
        if draft.number and draft.cut and parted[draft.number[:-1]] < 2:  # two of them are the numbered parts of one sentence
            part.findings.append(
                Finding(
                    code="R106",
                    severity="warning",
                    message=f"{name} begins in the middle of a sentence: {draft.text[:40]!r}; lines are out of order there",
                    place=name,
                    hint="the beginning stands with the clause before it; compare with the official PDF",
                )
            )
        if draft.number and not draft.text and draft.title is None and not draft.tables:
            part.findings.append(
                Finding(
                    code="R105",
                    severity="warning",
                    message=f"{name} has no text: its lines stand elsewhere or are lost",
                    place=name,
                    hint="compare with the official PDF; the text of the clauses around it may hold its words",
                )
            )
        part.clauses.append(
            Clause(
                region=region,
                number=number,
                title=draft.title,
                text=draft.text,
                items=items(draft.text),
                headings=tuple(draft.headings),
                parent=_parent(part.region, draft.number, numbers, known),
                tables=tuple(draft.tables),
                footnotes=tuple(dict.fromkeys(draft.marks)),
                pages=tuple(sorted(draft.pages)),
                lines=tuple(draft.lines),
                by_page=draft.again,
            )
        )


def _title_to_text(draft: Draft) -> None:
    """A "heading" that is the first line of a paragraph: a converter cut it off."""
    gone = len(draft.title or "") + (1 if draft.text else 0)
    draft.text = f"{draft.title} {draft.text}".rstrip()
    draft.lines = [line.model_copy(update={"start": line.start + gone, "end": line.end + gone}) for line in draft.lines]
    draft.title = None


def _parent(region: Region, number: Number | None, numbers: set[Number | None], known: set[str]) -> str | None:
    if number is None:
        above = region.name.split(" - ")[0]
        return above if above != region.name and above in known else None
    for depth in range(len(number) - 1, 0, -1):
        if number[:depth] in numbers:
            return clause_id(region.name, show(number[:depth], region.prefix))
    return None if region.name == "body" else region.name


def _bound(note: PrintedUnit, notes: Sequence[PrintedUnit], anchors: Anchors) -> tuple[str, ...]:
    """Where the mark of a note stands."""
    marked = anchors.get(note.mark or "", ())
    return tuple(dict.fromkeys(place for place, page in marked if _page_of_note(note.mark or "", page, notes) in (note.page, None)))


def _page_of_note(mark: str, page: int | None, notes: Sequence[PrintedUnit]) -> int | None:
    """The page of the note that a mark on a page is of; None where pages tell nothing, -1 where there is none.

    It is of the note on its page or the next. Else a note that has its mark alone may stand pages before (a form names it again and
    again), or behind where all notes of the region stand together.
    """
    alike = sorted({note.page for note in notes if note.mark == mark and note.page is not None})
    if page is None or not alike:
        return None
    near = next((own for own in alike if page <= own <= page + 1), None)
    if near is not None:
        return near
    before = [own for own in alike if own < page]
    if before and (len(alike) == 1 or page - before[-1] <= 1):
        return before[-1]
    together = len({note.page for note in notes if note.page is not None}) == 1
    return alike[0] if together else -1


def _footnotes(part: RegionPart, notes: Sequence[PrintedUnit], anchors: Anchors) -> None:
    region = part.region.name
    marks = Counter(note.mark for note in notes)
    for note in notes:
        mark = note.mark or ""
        bound = _bound(note, notes, anchors)
        if not bound and mark.isdigit():
            part.findings.append(
                Finding(
                    code="R104",
                    severity="warning",
                    message=f"footnote {mark} of {region}: no mark {mark} found in the text, so it is bound to nothing",
                    place=f"footnote {mark}",
                    hint="look for the mark in the official PDF",
                )
            )
        part.footnotes.append(
            Footnote(
                marker=mark,
                region=region,
                text=" ".join(note.whole.split()),
                anchors=bound,
                page=note.page,
                bbox=note.bbox,
                by_page=marks[note.mark] > 1 and note.page is not None,
            )
        )
    known = {note.mark for note in notes}
    for index, below in enumerate(part.footnotes):
        marked = [place for place, _ in anchors.get(below.marker, [])] if below.table else []
        shared = [table for table in marked if table.rpartition("#")[0] == below.anchors[-1]]
        if shared:  # one rule under the last of a clause's tables serves them all
            known.add(below.marker)
            part.footnotes[index] = below.model_copy(update={"anchors": (*shared, *below.anchors)})
    told = [(mark, marked) for mark, marked in anchors.items() if mark.isdigit() or is_sign(mark)]
    lost = [mark for mark, _ in told if mark not in known]
    lost += [
        f"{mark} in {place}"
        for mark, marked in told
        for place in dict.fromkeys(place for place, page in marked if mark in known and _page_of_note(mark, page, notes) == -1)
    ]
    if lost:
        part.findings.append(
            Finding(
                code="R103",
                severity="warning",
                message=f"footnotes missing: {region} bears the marks {', '.join(lost)}, their notes are not in the file",
                place=region,
                hint="read the PDF, or give the *_middle.json beside the Markdown: it holds the notes that the Markdown lost",
            )
        )
