"""What stands at a cited place of the document: a clause, an item, a table's cell by row and column, a footnote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from regc.model.document import Document, Table
from regc.verify.spoken_numbers import spoken, unit_named


@dataclass(frozen=True, eq=False)
class Place:
    """A place as a file cites it; the same place is the same object (`Places.place`)."""

    clause: str
    item: str = ""
    table: str = ""
    row: str = ""
    column: str = ""
    footnote: str = ""
    page: int = 0
    quote: str = ""
    at: int = -1

    @property
    def words(self) -> str:
        """The place for a message."""
        parts = [self.clause + self.item]
        parts += [f"table {self.table}"] if self.table else []
        parts += [f"row {self.row}"] if self.row else []
        parts += [f'column "{self.column}"'] if self.column else []
        parts += [f"footnote {self.footnote}"] if self.footnote else []
        return ", ".join(parts)

    def label(self, regulation: str) -> str:
        """As files label it."""
        return f"{regulation} {self.words}" + (f", page {self.page}" if self.page else "")


@dataclass(frozen=True)
class Spot:
    """Text that stands at a place; `unit`: of bare numbers, `lead`: the line above a list. [start, end): where the quote stands, `at`:
    where in the text the cited number begins, -1 where the place does not say."""

    text: str
    unit: str = ""
    lead: str = ""
    start: int = 0
    end: int = -1
    cell: bool = False
    at: int = -1

    def begins(self, start: int, end: int) -> bool:
        """Whether what stands at [start, end) is the number that was cited, as far as the place says which."""
        return self.holds(start) and (self.at < 0 or start <= self.at < end)

    def holds(self, at: int) -> bool:
        """Whether a position lies in what was quoted."""
        return self.start <= at and (self.end < 0 or at < self.end)


class NothingThere(ValueError):
    """A place that the document does not have, or that does not say what is quoted."""


class Places:
    """A document by place; every place is looked up once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.clauses = {clause.id: clause for clause in document.clauses}
        self.tables = {table.id: table for table in document.tables}
        self._places: dict[tuple[str, int, int, tuple[str, ...]], Place] = {}
        self._rows: dict[str, list[list[str]]] = {}
        self._spots: dict[Place, tuple[Spot, ...] | NothingThere] = {}

    def place(self, data: Mapping[str, Any]) -> Place:
        """A place from a file's data."""
        clause, page = str(data["clause"]), data.get("page") or 0
        words = tuple(data.get(name) or "" for name in ("item", "table", "row", "column", "footnote", "quote"))
        at = -1 if data.get("at") is None else int(data["at"])
        key = (clause, page, at, words)
        if key not in self._places:
            item, table, row, column, footnote, quote = words
            self._places[key] = Place(clause, item, table, row, column, footnote, page, quote, at)
        return self._places[key]

    def spots(self, place: Place) -> tuple[Spot, ...]:
        """What stands at a place, as far as it was quoted; several where two rows or lists are called alike. Raises NothingThere."""
        if place not in self._spots:
            try:
                self._spots[place] = self._quoted(place, self._found(place))
            except NothingThere as error:
                self._spots[place] = error
        known = self._spots[place]
        if isinstance(known, NothingThere):
            raise known
        return known

    def rows(self, table: Table) -> list[list[str]]:
        """The texts of a table; a blank cell stands for the one above it."""
        if table.id not in self._rows:
            filled: list[list[str]] = []
            for row in table.rows:
                above = filled[-1] if filled else [""] * len(row)
                filled.append([cell.text or up for cell, up in zip(row, above, strict=True)])
            self._rows[table.id] = filled
        return self._rows[table.id]

    def key(self, place: Place) -> Fraction | None:
        """The number in the first cell of a place's row, None for a row without one."""
        keys = spoken(place.row, "?")
        return keys[0].value if len(keys) == 1 else None

    def _quoted(self, place: Place, spots: list[Spot]) -> tuple[Spot, ...]:
        if not place.quote:
            return tuple(spots)
        out = []
        for spot in spots:
            if spot.cell:
                if flat(place.quote) in (flat(spot.text), f"{flat(spot.text)} {spot.unit}"):
                    out.append(spot)
                continue
            start = spot.text.find(place.quote)
            if start >= 0:
                at = start + place.at if place.at >= 0 else -1
                out.append(Spot(spot.text, spot.unit, spot.lead, start, start + len(place.quote), at=at))
            elif flat(place.quote) in flat(spot.text):
                out.append(spot)
        if out:
            return tuple(out)
        if spots and spots[0].cell:
            raise NothingThere(f'{place.words}: the document says "{spots[0].text}" there, not "{place.quote}"')
        raise NothingThere(f'{place.words}: the words "{place.quote[:80]}" do not stand there')

    def _found(self, place: Place) -> list[Spot]:
        if place.footnote:
            return self._notes(place)
        if place.table:
            return self._cells(place)
        clause = self.clauses.get(place.clause)
        if clause is None:
            raise NothingThere(f"the document has no clause {place.clause}")
        if place.page and clause.pages and place.page not in clause.pages:
            raise NothingThere(f"{place.words} is not on page {place.page}")
        if not place.item:
            return [Spot(clause.text), Spot(clause.title or "")]
        path = tuple(re.findall(r"\((\w+)\)", place.item))
        items = [Spot(item.text, lead=item.lead) for item in clause.items if item.path == path]
        if not items:
            raise NothingThere(f"{place.clause} has no item {place.item}")
        return items

    def _notes(self, place: Place) -> list[Spot]:
        at = {place.clause, place.table}
        notes = [
            note
            for note in self.document.footnotes
            if note.marker == place.footnote and (at & {note.table, *note.anchors} or self._of_tables(place.clause, note.anchors))
        ]
        if not notes:
            raise NothingThere(f"{place.clause} has no footnote {place.footnote}")
        if place.page and all(note.page not in (None, place.page) for note in notes):
            raise NothingThere(f"{place.words} is not on page {place.page}")
        return [Spot(note.text) for note in notes]

    def _of_tables(self, clause: str, anchors: tuple[str, ...]) -> bool:
        return any(anchor in self.tables and self.tables[anchor].clause == clause for anchor in anchors)

    def _cells(self, place: Place) -> list[Spot]:
        table = self.tables.get(place.table)
        if table is None:
            raise NothingThere(f"the document has no table {place.table}")
        if table.clause != place.clause:
            raise NothingThere(f"table {place.table} stands in {table.clause}, not in {place.clause}")
        heads = [table.column_label(index) for index in range(len(table.columns))]
        columns = [index for index, head in enumerate(heads) if head == place.column] if place.column else list(range(len(heads)))
        if not columns:
            raise NothingThere(f'table {place.table} has no column "{place.column}"')
        if place.column and not place.row:
            return [Spot(heads[index]) for index in columns]
        if not place.row:
            return [Spot("\n".join([table.caption or "", *heads, *(" | ".join(row) for row in self.rows(table))]))]
        rows = [index for index, row in enumerate(self.rows(table)) if row[0] == place.row]
        if not rows:
            raise NothingThere(f"table {place.table} has no row {place.row}")
        pages = {table.rows[row][column].page for row in rows for column in columns}
        if place.page and place.page not in pages and pages != {None}:
            raise NothingThere(f"{place.words} is not on page {place.page}")
        return [Spot(self.rows(table)[row][column], self._unit(table, heads[column]), cell=True) for row in rows for column in columns]

    def _unit(self, table: Table, head: str) -> str:
        """The unit of bare cells: of the head, the caption, the note below, or the words around the table."""
        for text in (head, table.caption or "", table.unit_note or ""):
            if unit := unit_named(text):
                return unit
        return ""


@lru_cache(maxsize=65536)
def flat(text: str) -> str:
    """A text with its blanks made one."""
    return " ".join(text.split())
