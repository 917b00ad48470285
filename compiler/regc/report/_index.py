"""Every place, number and text of a report once, by number: hundreds of scenarios share some 300 places and 900 lines of text."""

from __future__ import annotations

from typing import Any

from regc import wording
from regc.model.document import Document
from regc.model.source import SourceRef
from regc.model.value import Value
from regc.report._text import number_in


class Index:
    """Interns what scenarios refer to, for the JSON inside the page. Filled while the scenarios are described."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.clauses = {clause.id: number for number, clause in enumerate(document.clauses)}
        self.tables = {table.id: number for number, table in enumerate(document.tables)}
        self.notes = {note.id: number for number, note in enumerate(document.footnotes)}
        self.sources: list[dict[str, Any]] = []
        self.values: list[dict[str, Any]] = []
        self.lines: list[str] = []
        self._source_numbers: dict[SourceRef, int] = {}
        self._value_numbers: dict[Value, int] = {}
        self._line_numbers: dict[str, int] = {}

    def line(self, text: str) -> int:
        """The number of a line of text."""
        if text not in self._line_numbers:
            self._line_numbers[text] = len(self.lines)
            self.lines.append(text)
        return self._line_numbers[text]

    def source(self, source: SourceRef) -> int:
        """The number of a place."""
        if source not in self._source_numbers:
            self._source_numbers[source] = len(self.sources)
            self.sources.append(self._described(source))
        return self._source_numbers[source]

    def all(self, sources: tuple[SourceRef, ...]) -> list[int]:
        """The numbers of several places."""
        return [self.source(source) for source in sources]

    def value(self, value: Value) -> int:
        """The number of a value with all its places."""
        if value not in self._value_numbers:
            stated = value.tolerance
            entry = {
                "v": wording.amount(value),
                "w": wording.compact(value),
                "b": value.basis,
                "s": self.all(value.sources),
                "h": [_position(value, source) for source in value.sources],
                "f": value.formula,
                "a": value.assumption,
                "if": [wording.condition(one) for one in value.holds_if],
                "t": wording.tolerance(stated, value.unit) if stated else None,
                "ts": self.all(stated.sources) if stated else None,
                "ta": stated.assumption if stated else None,
            }
            self._value_numbers[value] = len(self.values)
            self.values.append({key: part for key, part in entry.items() if part not in (None, [], "")})
        return self._value_numbers[value]

    def pages(self) -> tuple[int, ...]:
        """Every page that a place refers to."""
        return tuple(sorted({entry["p"] for entry in self.sources if "p" in entry}))

    def _described(self, source: SourceRef) -> dict[str, Any]:
        entry: dict[str, Any] = {"l": short(source), "q": source.quote, "c": self.clauses.get(source.clause)}
        if source.table in self.tables:
            table = self.document.tables[self.tables[source.table]]
            labels = [table.column_label(column) for column in range(len(table.columns))]
            column = labels.index(source.column) if source.column in labels else None
            entry["t"] = self.tables[source.table]
            entry["k"] = column
            entry["r"] = _row([[cell.text for cell in row] for row in table.rows], source, column)
        elif source.footnote:
            entry["f"] = self._note(source)
        if source.page:
            entry["p"] = source.page
        if source.page and source.bbox:
            entry["x"] = [round(edge, 1) for edge in source.bbox]
        return {key: value for key, value in entry.items() if value is not None}

    def _note(self, source: SourceRef) -> int | None:
        named = source.footnote or ""
        if named in self.notes:
            return self.notes[named]
        found = [
            number
            for number, note in enumerate(self.document.footnotes)
            if note.marker == named and (source.clause in note.anchors or source.quote in note.text)
        ]
        return found[0] if found else None


def short(source: SourceRef) -> str:
    """The place without the regulation's name, which is the same for all; no word is cut."""
    innermost = source.column.split(" > ")[-1] if source.column and source.quote != source.row else ""
    parts = [f"{source.clause}{source.item or ''}", f"row {source.row}" if source.row else "", innermost]
    parts += [f"footnote {source.footnote}" if source.footnote else "", f"page {source.page}" if source.page else ""]
    return ", ".join(part for part in parts if part)


def _row(rows: list[list[str]], source: SourceRef, column: int | None) -> int | None:
    """The row with a header, or "#n" counted from 1; where rows share a header, the one whose cell is what is quoted."""
    label = source.row
    if label and label.startswith("#") and label[1:].isdigit():
        return int(label[1:]) - 1
    named = [number for number, row in enumerate(rows) if row and row[0] == label]
    quoted = [number for number in named if column is not None and rows[number][column] == source.quote]
    return next(iter(quoted or named), None)


def _position(value: Value, source: SourceRef) -> list[int]:
    """Where the number itself stands in the quoted words: [start, end), empty when it is not written there as such."""
    if source.table or value.lo is None:
        return []
    return number_in(source.quote, value.lo, value.unit)
