"""Every place, number and text of a report once, by number: 184 scenarios share some 300 places and 900 lines of text."""

from __future__ import annotations

from typing import Any

from regc.language import measurements
from regc.model.document import Document
from regc.model.source import Quantity, SourceRef
from regc.report._words import amount, bounded, tolerance


class Index:
    """Interns what scenarios refer to, for the JSON inside the page. Filled while the scenarios are described."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.clauses = {clause.id: number for number, clause in enumerate(document.clauses)}
        self.tables = {table.id: number for number, table in enumerate(document.tables)}
        self.notes = {note.id: number for number, note in enumerate(document.footnotes)}
        self.sources: list[dict[str, Any]] = []
        self.quantities: list[dict[str, Any]] = []
        self.lines: list[str] = []
        self._source_numbers: dict[SourceRef, int] = {}
        self._quantity_numbers: dict[Quantity, int] = {}
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

    def quantity(self, quantity: Quantity) -> int:
        """The number of a quantity with all its places."""
        if quantity not in self._quantity_numbers:
            stated = quantity.tolerance
            entry = {
                "v": amount(quantity),
                "w": bounded(quantity),
                "n": format(quantity.value, "f"),
                "b": quantity.basis,
                "s": [self.source(source) for source in quantity.sources],
                "h": [_position(quantity, source) for source in quantity.sources],
                "f": quantity.formula,
                "a": quantity.assumption,
                "t": tolerance(stated) if stated else None,
                "ts": [self.source(source) for source in stated.sources] if stated else None,
                "ta": stated.assumption if stated else None,
            }
            self._quantity_numbers[quantity] = len(self.quantities)
            self.quantities.append({key: value for key, value in entry.items() if value not in (None, [])})
        return self._quantity_numbers[quantity]

    def pages(self) -> tuple[int, ...]:
        """Every page that a place refers to."""
        return tuple(sorted({entry["p"] for entry in self.sources if "p" in entry}))

    def _described(self, source: SourceRef) -> dict[str, Any]:
        entry: dict[str, Any] = {"l": _short(source), "q": source.quote, "c": self.clauses.get(source.clause)}
        if source.table in self.tables:
            table = self.document.tables[self.tables[source.table]]
            labels = [table.column_label(column) for column in range(len(table.columns))]
            entry["t"] = self.tables[source.table]
            entry["k"] = labels.index(source.column) if source.column in labels else None
            entry["r"] = _row([row[0].text for row in table.rows], source.row)
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


def _row(headers: list[str], label: str | None) -> int | None:
    """The row with a header, or "#n" counted from 1."""
    if label in headers:
        return headers.index(label)
    if label and label.startswith("#") and label[1:].isdigit():
        return int(label[1:]) - 1
    return None


def _position(quantity: Quantity, source: SourceRef) -> list[int]:
    """Where the number itself stands in the quoted words: [start, end), empty when it is not written there as such."""
    if source.table:
        return []
    found = [item for item in measurements(source.quote) if item.value == quantity.value]
    same = [item for item in found if item.unit == quantity.unit] or found
    return [same[0].start, same[0].end] if same else []


def _short(source: SourceRef) -> str:
    """The place without the regulation's name, which is the same for all."""
    parts = [
        source.clause,
        f"row {source.row}" if source.row else "",
        _last(source.column) if source.column and source.quote != source.row else "",
    ]
    parts += [f"footnote {source.footnote}" if source.footnote else "", f"page {source.page}" if source.page else ""]
    return ", ".join(part for part in parts if part)


def _last(column: str) -> str:
    """The innermost header of a column, cut where it is long."""
    text = column.split(" > ")[-1]
    return text if len(text) <= 24 else f"{text[:23]}…"
