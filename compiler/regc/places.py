"""Finds the places of a regulation that a profile's rules describe: numbers in sentences, columns and rows of tables.

The extractor looks with it in what retrieval gave it, the resolver and the checks look again in the whole document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from regc.language import Measurement, Sentence, decimal, lead_in_bound, measurements, sentences, tolerance
from regc.model.document import Clause, Document, Table
from regc.model.regulation import Family, FieldRule, LoadTerm, Profile
from regc.model.source import Bbox, Bound, Place, SourceRef, Tolerance

#: Cells that say "no requirement here".
DASH = "-"
#: Unit of a field whose place is a word for standing still ("stationary", "stopped") and not a number.
AT_REST = "rest"


@dataclass(frozen=True)
class Found:
    """A number that a rule describes, where it stands, and the sentence around it (a verbatim slice of the clause's text)."""

    value: Decimal
    unit: str
    bound: Bound
    tolerance: Tolerance | None
    clause: str
    quote: str
    start: int
    end: int


@dataclass(frozen=True)
class LoadColumn:
    """A limit column: its index, the load state it names, and what distinguishes it further ("" or "alpha > 1.3")."""

    index: int
    load: LoadTerm
    term: str
    group: str


@dataclass(frozen=True)
class TestSpeed:
    """A prescribed test speed with the place of the value and of its tolerance."""

    value: Decimal
    place: Place
    tolerance: Tolerance | None
    tolerance_place: Place | None


def find(rule: FieldRule, clause: Clause, speed_unit: str = "km/h") -> tuple[Found, ...]:
    """Every number of a clause that the rule describes, in reading order.

    Where the rule wants a lower or upper bound and some numbers are worded as one, the others are not meant.
    """
    found: list[Found] = []
    worded: list[Found] = []
    anchor = re.compile(rule.anchor or ".", re.IGNORECASE)
    for sentence in sentences(clause.text):
        if not anchor.search(sentence.text):
            continue
        if rule.unit == AT_REST:
            found.append(_at_rest(clause, sentence, speed_unit))
            continue
        for item in _measured(clause.text, sentence):
            if item.unit != rule.unit or not _surrounded(rule, clause.text, sentence, item):
                continue
            if rule.bound and item.bound[0] not in ("e", rule.bound[0]):
                continue  # an upper bound where the rule wants a lower one
            if item.bound == "eq" and rule.bound and lead_in_bound(clause.text, sentence)[0] not in ("e", rule.bound[0]):
                continue  # "at least:" before a list of items where the rule wants an upper bound
            bound = (rule.bound or "eq") if item.bound == "eq" else item.bound
            place = Found(item.value, item.unit, bound, item.tolerance, clause.id, sentence.text, item.start, item.end)
            found.append(place)
            if item.bound != "eq":
                worded.append(place)
    return tuple(worded if worded and rule.bound not in (None, "eq") else found)


def _at_rest(clause: Clause, sentence: Sentence, speed_unit: str) -> Found:
    return Found(Decimal(0), speed_unit, "eq", None, clause.id, sentence.text, sentence.start, sentence.end)


def _measured(text: str, sentence: Sentence) -> tuple[Measurement, ...]:
    """Measurements of a sentence with positions in the whole text."""
    offset = text.index(sentence.text, sentence.start)
    return tuple(
        Measurement(item.value, item.unit, item.bound, item.tolerance, item.start + offset, item.end + offset)
        for item in measurements(sentence.text)
    )


def _surrounded(rule: FieldRule, text: str, sentence: Sentence, item: Measurement) -> bool:
    before = text[sentence.start : item.start]
    behind = text[item.end : sentence.end]
    if rule.before and not re.search(rf"(?:{rule.before})[^.;]{{0,40}}$", before, re.IGNORECASE):
        return False
    return not rule.after or re.match(rf"[^.;]{{0,48}}?(?:{rule.after})", behind, re.IGNORECASE) is not None


def rivals(rule: FieldRule, clause: Clause, speed_unit: str = "km/h") -> tuple[Found, ...]:
    """Numbers that the rule describes but for a bound, in a clause that words another number as one ("at least 4 s", then "3 s")."""
    chosen = find(rule, clause, speed_unit)
    if not chosen or rule.unit == AT_REST:
        return ()
    every = find(rule.model_copy(update={"bound": None}), clause, speed_unit)
    values = {item.value for item in chosen}
    return tuple(item for item in every if item.bound == "eq" and item.value not in values)


def agreed(found: Sequence[Found]) -> Found | None:
    """The first of several places when all say the same number, None when there is none or they differ."""
    if not found or any((item.value, item.unit) != (found[0].value, found[0].unit) for item in found):
        return None
    if len({(item.tolerance.plus, item.tolerance.minus) for item in found if item.tolerance}) > 1:
        return None
    return next((item for item in found if item.tolerance), found[0])


def matching_sentences(clause: Clause, pattern: str) -> tuple[Sentence, ...]:
    """Sentences and lettered items of a clause that match a pattern."""
    wanted = re.compile(pattern, re.IGNORECASE)
    return tuple(sentence for sentence in sentences(clause.text) if wanted.search(sentence.text))


# ---------------------------------------------------------------- tables


def category_of(table: Table, profile: Profile) -> str | None:
    """The vehicle category that a table's caption names; None when it names none or several."""
    named = [item.id for item in profile.categories if re.search(item.pattern, table.caption or "", re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


def load_of(text: str, profile: Profile) -> tuple[LoadTerm, str] | None:
    """The load state that a header names, and the words with which it does; None when it names none or several."""
    named = [
        (load, match.group(0)) for load in profile.load_states for pattern in load.terms if (match := re.search(pattern, text, re.I))
    ]
    return named[0] if len({load.kind for load, _ in named}) == 1 else None


def has_row_headers(table: Table, profile: Profile) -> bool:
    """Whether the first column is a header of rows (speeds of a limit table) and not data (a test-speed table)."""
    first = table.columns[0]
    return len(table.columns) > 1 and "speed" in " ".join(first).lower() and load_of(" ".join(first), profile) is None


def row_label(table: Table, row: int, profile: Profile) -> str:
    """How a row is cited: its header where the table has row headers, else "#n", counted from 1."""
    return table.rows[row][0].text if has_row_headers(table, profile) else f"#{row + 1}"


def row_index(table: Table, label: str, profile: Profile) -> int | None:
    """The row with that label; a numeric header matches by value ("42" and "42.0")."""
    for index in range(len(table.rows)):
        own = row_label(table, index, profile)
        if own == label or (is_number(own) and is_number(label) and decimal(own) == decimal(label)):
            return index
    return None


def column_index(table: Table, label: str) -> int | None:
    """The column with that header path; case, spaces and the depth of the path given do not matter."""
    wanted = _squash(label)
    labels = [_squash(table.column_label(index)) for index in range(len(table.columns))]
    exact = [index for index, own in enumerate(labels) if own == wanted]
    if exact:
        return exact[0]
    ends = [index for index, own in enumerate(labels) if own.endswith(">" + wanted) or own.split(">")[-1] == wanted]
    return ends[0] if len(ends) == 1 else None


def _squash(text: str) -> str:
    return re.sub(r"\s+", "", text).lower()


def is_number(text: str) -> bool:
    """Whether a cell holds a plain number."""
    return re.fullmatch(r"\d+(?:[.,]\d+)?", text.strip()) is not None


def load_columns(table: Table, family: Family, profile: Profile) -> tuple[LoadColumn, ...]:
    """The columns of a limit table that hold for a family, each with its load state and further distinction.

    A column whose path names other targets than the family's is left out; a table that names no target holds for all.
    """
    wanted = re.compile(family.limit_column, re.IGNORECASE) if family.limit_column else None
    others = [f.limit_column for f in profile.families if f.limit_column and f.name != family.name]
    found: list[LoadColumn] = []
    for index, path in enumerate(table.columns):
        named = (load_of(path[-1], profile) if path else None) or load_of(" ".join(path), profile)
        if named is None or (index == 0 and has_row_headers(table, profile)):
            continue
        words = " ".join((*path, table.caption or ""))
        if wanted and not wanted.search(words) and any(re.search(other, words, re.IGNORECASE) for other in others):
            continue
        rest = [
            part
            for part in path
            if load_of(part, profile) is None
            and not (wanted and wanted.search(part))
            and not any(re.search(other, part, re.IGNORECASE) for other in others)
        ]
        common = {part for part in rest if all(part in other for other in table.columns[1:])}
        found.append(LoadColumn(index, named[0], named[1], " ".join(part for part in rest if part not in common)))
    return tuple(found)


def limit_tables(tables: Iterable[Table], family: Family, profile: Profile, category: str) -> tuple[Table, ...]:
    """The limit tables of a family's clause whose caption names the category."""
    return tuple(
        table
        for table in tables
        if table.clause == family.limit_clause
        and category_of(table, profile) == category
        and has_row_headers(table, profile)
        and load_columns(table, family, profile)
    )


def speed_tables(tables: Iterable[Table], family: Family, profile: Profile, category: str) -> tuple[Table, ...]:
    """The test-speed tables of a family's procedure whose caption names the category."""
    return tuple(
        table
        for table in tables
        if table.clause == family.speed_clause
        and category_of(table, profile) == category
        and not has_row_headers(table, profile)
        and any(load_of(table.column_label(index), profile) for index in range(len(table.columns)))
    )


def test_speeds(
    tables: Iterable[Table], clause: Clause | None, family: Family, profile: Profile, category: str, load: LoadTerm
) -> tuple[TestSpeed, ...]:
    """The speeds that a family's procedure prescribes for a category and load state: from its tables, else from its prose."""
    own = speed_tables(tables, family, profile, category)
    if own:
        return tuple(speed for table in own for speed in _table_speeds(table, profile, load))
    return _prose_speeds(clause, family, profile) if clause else ()


def _table_speeds(table: Table, profile: Profile, load: LoadTerm) -> list[TestSpeed]:
    columns = [
        index
        for index in range(len(table.columns))
        if (named := load_of(table.column_label(index), profile)) and named[0].kind == load.kind
    ]
    tolerances = [index for index in range(len(table.columns)) if "tolerance" in table.column_label(index).lower()]
    found: list[TestSpeed] = []
    for row, cells in enumerate(table.rows):
        label = row_label(table, row, profile)
        for column in columns:
            if not is_number(cells[column].text):
                continue
            stated = tolerance(cells[tolerances[0]].text) if tolerances else None
            place = Place(clause=table.clause, table=table.id, row=label, column=table.column_label(column))
            beside = Place(clause=table.clause, table=table.id, row=label, column=table.column_label(tolerances[0])) if stated else None
            found.append(TestSpeed(decimal(cells[column].text), place, stated, beside))
    return found


#: The sentence that prescribes test speeds, in prose or by pointing to tables.
PRESCRIBED = r"\bshall\b[\s\S]*(?:\bspeeds?\b|\btravell?ing\s+at\b)"


def _prose_speeds(clause: Clause, family: Family, profile: Profile) -> tuple[TestSpeed, ...]:
    target_rules = [rule for rule in profile.field_rules(family, "") if rule.field == "target.speed"]
    for sentence in matching_sentences(clause, PRESCRIBED):
        targets = {item.start for rule in target_rules for item in find(rule, clause)}
        items = [item for item in _measured(clause.text, sentence) if item.unit == profile.speed_unit and item.start not in targets]
        if items:
            place = Place(clause=clause.id, quote=sentence.text)
            return tuple(TestSpeed(item.value, place, item.tolerance, place if item.tolerance else None) for item in items)
    return ()


def limit_row(table: Table, speed: Decimal, profile: Profile) -> int | None:
    """The row whose limit holds at a speed: that of the speed itself, else the next higher listed one (the tables' footnotes)."""
    rows = [(decimal(cells[0].text), index) for index, cells in enumerate(table.rows) if is_number(cells[0].text)]
    higher = [(value, index) for value, index in rows if value >= speed]
    return min(higher)[1] if higher else None


def speed_pair(relative: Decimal, prescribed: Decimal, low: Decimal, high: Decimal) -> tuple[Decimal, Decimal] | None:
    """Subject and target speed that give a relative speed: with the prescribed target speed where the speed range allows it,
    else with the highest target speed that can; None when even the lowest speed of the range cannot."""
    subject = prescribed + relative
    if subject <= high:
        return (subject, prescribed) if subject >= low else None
    target = high - relative
    return (high, target) if low <= target <= prescribed else None


# ---------------------------------------------------------------- sources


def cell_source(document: Document, table: Table, row: int, column: int, profile: Profile) -> SourceRef:
    """The source of a table cell."""
    cell = table.rows[row][column]
    return SourceRef(
        regulation=document.id,
        edition=document.edition,
        wording=document.wording,
        clause=table.clause,
        table=table.id,
        row=row_label(table, row, profile),
        column=table.column_label(column),
        page=cell.page or (table.pages[0] if table.pages else None),
        bbox=cell.bbox,
        quote=cell.text,
    )


def quote_source(document: Document, clause: Clause, quote: str, *, at: tuple[int, int] | None = None) -> SourceRef:
    """The source of words in a clause, with page and box where the reader knows them.

    `at`: where the number stands in the clause's text, for a quote that is the sentence around it; page and box are the number's.
    """
    start = clause.text.find(quote)
    span = at or (start, start + len(quote))
    page, bbox = _box(clause, *span) if span[0] >= 0 else (None, None)
    return SourceRef(
        regulation=document.id,
        edition=document.edition,
        wording=document.wording,
        clause=clause.id,
        page=page or (clause.pages[0] if clause.pages else None),
        bbox=bbox,
        quote=quote,
    )


def _box(clause: Clause, start: int, end: int) -> tuple[int | None, Bbox | None]:
    """The box around the lines of [start, end) on the first page that they touch."""
    touched = [line for line in clause.lines if line.start < end and line.end > start]
    if not touched:
        return None, None
    page = touched[0].page
    boxes = [line.bbox for line in touched if line.page == page]
    return page, (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
