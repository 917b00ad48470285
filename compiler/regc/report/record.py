"""The record sheet: what an engineer notes at the tests, blank where nobody has said it yet.

Its lines follow from the tests (surroundings, load, targets) and from the document (every sentence that asks for a record). A
regulation's `record_sheet.toml` adds what follows from neither, and may say a line in an engineer's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regc import wording
from regc.errors import DataFileError
from regc.model.document import Document
from regc.model.report_input import RecordField
from regc.model.scenario import Form, FormLine
from regc.model.suite import Suite
from regc.model.value import Word
from regc.tomlfiles import fitted, read_toml

_HINT = 'lines are key = "value"'
#: Filled forms: token -> key of a line -> what is written there.
Filled = dict[str, dict[str, str]]
_SENTENCE = re.compile(r"[^.;\n]+(?:\.(?=\d)[^.;\n]*|\.(?![\s\n]|$)[^.;\n]*)*[.;]?")


@dataclass(frozen=True)
class RecordLine:
    """A line of the sheet; `asked` are the document's own words for it, empty where the edition does not have the paragraph."""

    field: RecordField
    asked: str


def sheet(folder: Path, suite: Suite, document: Document) -> tuple[RecordField, ...]:
    """The lines for a suite: those of the regulation's own file, then those that follow from tests and document. Raises
    DataFileError."""
    own = _own(folder)
    said = {sentence for field in own if field.clause for sentence in _sentences(field, document)}
    known = {field.key for field in own}
    made = [field for field in own if not field.clause or document.clause(field.clause) is not None]
    for field in (*_of_tests(suite), *_of_document(suite, document)):
        if field.key not in known and not any(field.asked in one or one in field.asked for one in said if field.asked):
            known.add(field.key)
            made.append(field)
    return tuple(made)


def filled(fields: tuple[RecordField, ...], forms: tuple[Form, ...], own: Path | None) -> tuple[tuple[RecordField, ...], Filled]:
    """The lines and forms with the values of the user's file: key = "value", and a table by token for each form. Raises
    DataFileError for a key that neither has."""
    if own is None:
        return fields, {}
    values = read_toml(own, hint=_HINT)
    keys = {form.token: {key for key, line in keyed(form) if line.kind in ("field", "choice")} for form in forms}
    of_forms: Filled = {}
    for token in sorted(set(values) & set(keys)):
        table = values.pop(token)
        if not isinstance(table, dict):
            raise DataFileError(f"{own}: {token} is a form", hint=f'[{token}], then lines such as "{min(keys[token])}" = "value"')
        _no_other(own, table, keys[token], f"the form {token}")
        of_forms[token] = {key: str(value) for key, value in table.items()}
    _no_other(own, values, {field.key for field in fields}, "the record sheet")
    return tuple(field.model_copy(update={"value": str(values.get(field.key, ""))}) for field in fields), of_forms


def form_lines(form: Form, values: Filled) -> list[tuple[str, FormLine, str]]:
    """The lines of a form with their keys and what is filled in."""
    own = values.get(form.token, {})
    return [(key, line, own.get(key, "")) for key, line in keyed(form)]


def keyed(form: Form) -> list[tuple[str, FormLine]]:
    """Lines with the keys that a file of values names them by: "1.7", and "1.7/2" for the second one under 1.7."""
    lines: list[tuple[str, FormLine]] = []
    number, count = "", 0
    for line in form.lines:
        if line.number and line.kind != "note":
            number, count = line.number, 0
        if line.kind in ("field", "choice"):
            count += 1
        key = number or "0"
        lines.append((f"{key}/{count}" if count > 1 else key, line))
    return lines


def official_texts(folder: Path) -> str:
    """Where a regulation's own text is published, as its `record_sheet.toml` says; blank where it does not."""
    path = folder / "record_sheet.toml"
    return str(read_toml(path, hint=_HINT).get("official_texts", "")) if path.is_file() else ""


def lines(asked: tuple[RecordField, ...], document: Document) -> tuple[RecordLine, ...]:
    """Each line with the sentence of the document that asks for it."""
    return tuple(RecordLine(field, field.asked or " ".join(_sentences(field, document))) for field in asked)


def _own(folder: Path) -> tuple[RecordField, ...]:
    path = folder / "record_sheet.toml"
    if not path.is_file():
        return (RecordField(key="vehicle", label=wording.term("record", "vehicle"), clause=""),)
    items = read_toml(path, hint=_HINT).get("field", [])
    return tuple(fitted(RecordField, item, name=f"{path.name}: field {place}", hint=_HINT) for place, item in enumerate(items, 1))


def _of_tests(suite: Suite) -> Iterator[RecordField]:
    """Surroundings and load as they were, and the identity of whoever plays a role."""
    for scenario in suite.selected:
        for name, bound in scenario.conditions.items():
            label = wording.said("conditions", name, Word(word="")).partition(":")[0].strip()
            for source in bound.sources[:1]:
                yield RecordField(key=name, label=f"{label}, as measured", clause=source.clause, asked=_plain(source.quote))
        for actor in scenario.actors:
            for source in actor.sources[:1]:
                label = f"{wording.role(actor.role)}: {wording.term('record', 'identity')} ({wording.actor(actor.kind)})"
                yield RecordField(key=f"{actor.role}_{actor.kind}", label=label, clause=source.clause, asked=_plain(source.quote))


def _of_document(suite: Suite, document: Document) -> Iterator[RecordField]:
    """Every prescriptive sentence that asks for a record or an annex of the test report."""
    asks = re.compile(wording.term("record", "asks"), re.IGNORECASE)
    counts: dict[str, int] = {}
    for entry in suite.coverage.entries:
        if entry.kind == "cell" or not asks.search(entry.text):
            continue
        counts[entry.place] = counts.get(entry.place, 0) + 1
        key = entry.place if counts[entry.place] == 1 else f"{entry.place}/{counts[entry.place]}"
        title = _title(entry.clause, document)
        label = f"{title}: {wording.term('record', 'as_asked')}" if title else wording.term("record", "as_asked").capitalize()
        yield RecordField(key=key, label=label, clause=entry.clause, asked=entry.text)


def _title(clause: str, document: Document) -> str:
    """The heading that a paragraph stands under."""
    at = clause
    while at:
        held = document.clause(at)
        if held is not None and held.title:
            return held.title
        at = at.rpartition(".")[0]
    return ""


def _plain(text: str) -> str:
    return " ".join(text.split())


def _sentences(field: RecordField, document: Document) -> list[str]:
    clause = document.clause(field.clause)
    if clause is None:
        return []
    return [_plain(sentence) for sentence in sentences(clause.text) if re.search(field.anchor, sentence, re.IGNORECASE)]


def _no_other(own: Path, values: Mapping[str, Any], known: set[str], what: str) -> None:
    unknown = sorted(set(values) - known)
    if unknown:
        raise DataFileError(f"{own}: no line {', '.join(unknown)} in {what}", hint=f"lines: {', '.join(sorted(known))}")


def sentences(text: str) -> list[str]:
    """The sentences of a text, as written."""
    return [match.group().strip() for match in _SENTENCE.finditer(text) if match.group().strip()]
