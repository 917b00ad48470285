"""The record sheet: what an engineer notes at the tests, blank where nobody has said it yet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from regc.errors import DataFileError
from regc.model.document import Document
from regc.model.report import RecordField
from regc.report._text import sentences
from regc.tomlfiles import fitted, read_toml

_HINT = 'lines are key = "value"'


@dataclass(frozen=True)
class Line:
    """A line of the sheet; `asked` are the document's own words for it, empty where the edition does not have the paragraph."""

    field: RecordField
    asked: str


def fields(folder: Path, own: Path | None = None) -> tuple[RecordField, ...]:
    """The lines of a regulation's `record_sheet.toml`, with the values of the user's file (key = "value"). Raises DataFileError."""
    sheet = folder / "record_sheet.toml"
    if not sheet.is_file():
        return ()
    items = read_toml(sheet, hint=_HINT).get("field", [])
    made = tuple(fitted(RecordField, item, name=f"{sheet.name}: field {place}", hint=_HINT) for place, item in enumerate(items, 1))
    if own is None:
        return made
    values = read_toml(own, hint=_HINT)
    unknown = sorted(set(values) - {field.key for field in made})
    if unknown:
        raise DataFileError(
            f"{own}: no line {', '.join(unknown)} in the record sheet", hint=f"lines: {', '.join(field.key for field in made)}"
        )
    return tuple(field.model_copy(update={"value": str(values.get(field.key, ""))}) for field in made)


def official_texts(folder: Path) -> str:
    """Where a regulation's own text is published, as its `record_sheet.toml` says; blank where it does not."""
    sheet = folder / "record_sheet.toml"
    return str(read_toml(sheet, hint=_HINT).get("official_texts", "")) if sheet.is_file() else ""


def lines(asked: tuple[RecordField, ...], document: Document) -> tuple[Line, ...]:
    """Each line with the sentence of the document that asks for it."""
    return tuple(Line(field, _sentence(field, document)) for field in asked)


def _sentence(field: RecordField, document: Document) -> str:
    clause = document.clause(field.clause)
    if clause is None:
        return ""
    found = [sentence for sentence in sentences(clause.text) if re.search(field.anchor, sentence, re.IGNORECASE)]
    return " ".join(found)
