"""What the tables of a document are: limits by key, the speeds of a test, a list of tests; and the axes that their words name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field as made
from typing import Any

from regc.draft.field import field
from regc.draft.outline import Outline
from regc.lang.places import flat
from regc.lang.vocabulary import vocabulary
from regc.lang.words import quantities, units_named
from regc.model.document import Table

#: Names of vehicle categories, with the mass that parts one: "M3 <= 8 t".
_CATEGORY = re.compile(r"\b[LMNO]\d(?:\s*(?:≤|≥|<=|>=|<|>)\s*\d+(?:\.\d+)?\s*t\b)?")


@dataclass
class Axis:
    """An axis on the way: value = its block of the profile."""

    name: str
    at: str = ""
    values: dict[str, dict[str, Any]] = made(default_factory=dict)

    def block(self) -> dict[str, Any]:
        """As it stands in a profile."""
        return {**({"at": self.at} if self.at else {}), **self.values}


@dataclass
class LimitSpec:
    """Limit tables of one requirement: `spec` of the profile, the axes that pick table and column, what the key is."""

    home: str
    spec: dict[str, Any]
    axes: list[Axis]
    relative: bool


@dataclass
class Speeds:
    """A table of one test or of several: `spec` of the profile, its axes, and for a list the words of the rows by stub."""

    spec: dict[str, Any]
    axes: list[Axis]
    stubs: dict[str, list[int]] = made(default_factory=dict)
    table: Table | None = None


def categories(text: str) -> list[str]:
    """The vehicle categories that a text names, as profiles write them: "M3 ≤ 8 t" is "M3<=8t"."""
    return [category.replace(" ", "").replace("≤", "<=").replace("≥", ">=") for category in _CATEGORY.findall(text)]


def token(text: str) -> str:
    """A name for an axis value: its first words, letters and digits alone."""
    words = re.findall(r"[A-Za-z0-9]+", re.sub(r"\(.*?\)", "", text))
    return "_".join(words[:5]).lower() or "value"


def limits(outline: Outline, root: str) -> LimitSpec | None:
    """The limit tables under a requirement: a caption that speaks of the impact speed, a first column of numbers."""
    held = [
        table
        for table in outline.document.tables
        if any(clause.id == table.clause for clause in outline.below(root))
        and field().words("limit", "caption").find(f"{table.caption or ''} {' '.join(table.column_label(0).split())}")
        and len(table.columns) > 1
        and all(re.fullmatch(r"[\d.]+", row[0].text) for row in table.rows)
    ]
    if not held or len({table.clause for table in held}) > 1:
        return None
    first, axes = held[0], []
    spec: dict[str, Any] = {"at": first.clause}
    caption = caption_axis(held)
    if len(held) > 1:
        if caption is None:
            return None
        axes.append(caption)
        spec["caption"] = caption.name
    columns = column_axis(first, range(1, len(first.columns)))
    if columns is not None:
        axes.append(columns)
        spec["columns"] = columns.name
    spec |= _rules(outline, held)
    return LimitSpec(first.clause, spec, axes, bool(field().words("limit", "relative").find(first.column_label(0))))


def _rules(outline: Outline, tables: list[Table]) -> dict[str, Any]:
    """What footnotes and marks say: what holds between rows, and of whom a marked cell is asked."""
    ids = {table.id for table in tables} | {table.clause for table in tables}
    rules: dict[str, Any] = {}
    for note in outline.document.footnotes:
        if not ids & {note.table or "", *note.anchors}:
            continue
        match = field().words("limit", "next_higher").find(note.text)
        if match:
            rules["between"] = {"next_higher": f"[NAME^: {match[0].lower()}]"}
        marked = {c for table in tables for row in table.rows for c, cell in enumerate(row) if note.marker in cell.marks}
        if marked:
            covers = _narrowed(categories(note.text), [tables[0].column_label(column) for column in marked])
            words = " ".join(note.text.split()[:4])
            rules.setdefault("marks", {})[note.marker] = {
                **({"covers": covers} if covers else {}),
                "said": f"[NAME^{note.marker}: {words}]",
            }
    return rules


def _narrowed(named: list[str], heads: list[str]) -> list[str]:
    """The categories of a note as the headers of the marked cells narrow them: "M3" below "M3>8t, N2>8t, N3" is "M3>8t"."""
    below = [category for head in heads for category in categories(head)]
    return list(dict.fromkeys(each for name in named for each in ([c for c in below if c.startswith(name)] or [name])))


def caption_axis(tables: list[Table]) -> Axis | None:
    """The axis whose value captions name: the words by which they differ."""
    captions = [re.findall(r"[\w/≤<>]+", table.caption or "") for table in tables]
    own = [[word for word in words if sum(word in other for other in captions) == 1] for words in captions]
    if len(tables) < 2 or not all(own):
        return None
    name = next((name for words in own if (name := field().named(words[0], "axis"))), "variant")
    return Axis(name, values={words[0]: {"words": words[0]} for words in own})


def column_axis(table: Table, columns: range | list[int]) -> Axis | None:
    """The axis whose values the headers of columns name: the last part of each header path; None for one column."""
    heads = [(column, table.columns[column][-1] if table.columns[column] else "") for column in columns]
    if len(heads) < 2 or not all(head for _, head in heads):
        return None
    name = next((name for _, head in heads if (name := field().named(head, "axis"))), "column")
    axis = Axis(name)
    for column, head in heads:
        words = re.split(r"\s*[(\[*]", head)[0].strip()
        if sum(flat(words) in flat(table.column_label(other)) for other, _ in heads) != 1:
            return None
        value = field().named(head, "load") or token(words)
        path = table.columns[column]
        covers = categories(" > ".join(path[:-1] or path))
        axis.values[value] = {"words": words, **({"covers": covers} if covers else {})}
    return axis


def speeds(outline: Outline, root: str) -> Speeds | None:
    """The speed tables of a test: columns of speeds, one of their tolerances."""
    held = [table for table in outline.document.tables if any(clause.id == table.clause for clause in outline.below(root))]
    tolerance = field().words("column", "tol.subject")
    held = [table for table in held if any(tolerance.find(table.column_label(c)) for c in range(len(table.columns)))]
    if not held:
        return None
    first = held[0]
    values = [c for c in range(len(first.columns)) if not tolerance.find(first.column_label(c))]
    columns, caption = column_axis(first, values), caption_axis(held)
    if columns is None or (len(held) > 1 and caption is None):
        return None
    last = next(first.columns[c][-1] for c in range(len(first.columns)) if c not in values)
    spec: dict[str, Any] = {"at": first.clause}
    if caption is not None:
        spec["caption"] = caption.name
    spec["cells"] = {"subject": columns.name, "tol.subject": last}
    return Speeds(spec, [axis for axis in (caption, columns) if axis is not None])


#: What says the binding of a column that the words of the field do not know: its table, header, cells, and the bindings of its unit.
AskColumn = Callable[[Table, str, list[str], tuple[str, ...]], str]


def listed(outline: Outline, table: Table, asked: AskColumn | None = None) -> Speeds | None:
    """A table whose rows are tests: the first column names them, the others give bindings or axis values."""
    stubs: dict[str, list[int]] = {}
    name = ""
    for index, row in enumerate(table.rows):
        name = row[0].text or name
        stubs.setdefault(name, []).append(index)
    if not all(re.search(r"[A-Za-z]{3}", stub) for stub in stubs) or not table.rows:
        return None
    spec: dict[str, Any] = {"at": table.id, "blank": "above", "cells": {}}
    axes: list[Axis] = []
    dimension = {"subject": "speed", "target": "speed", "lead": "speed"}
    for column in range(len(table.columns)):
        head = table.column_label(column)
        last = table.columns[column][-1] if table.columns[column] else ""
        texts = [row[column].text for row in table.rows if row[column].text]
        binding = next((n for n in field().names("column") if field().words("column", n).find(last or head)), "")
        if asked is not None and column and texts and not binding and units_named(head) and "subject" in spec["cells"]:
            binding = asked(table, head, texts, _bindings_of(units_named(head)))
        numbers = texts and all(re.search(r"\d", text) or text in "-–—" for text in texts)
        if numbers and binding and (column or binding == "ttc"):
            unit = units_named(head) or any(measured.unit for text in texts for measured in quantities(text).measurements)
            if unit or binding == "overlap":
                spec["cells"][binding] = last
            if not unit and binding in dimension:
                return None
        elif column and texts and not numbers:
            axis_name = field().named(last, "axis")
            if not axis_name:
                continue
            lines = dict.fromkeys(line.strip() for text in texts for line in text.split("\n") if line.strip())
            axis = Axis(
                axis_name,
                values={field().named(line, "value", axis_name) or token(line): {"words": line.rstrip(".")} for line in lines},
            )
            axes.append(axis)
            spec["cells"][axis_name] = last
    return Speeds(spec, axes, stubs, table) if "subject" in spec["cells"] else None


def _bindings_of(unit: str) -> tuple[str, ...]:
    """The bindings of all drives that a number of a unit may be."""
    dimension = vocabulary().dimension(unit)
    return tuple(
        dict.fromkeys(
            name for drive in vocabulary().manoeuvres.values() for name, kind in drive.bind.items() if kind.dimension == dimension
        )
    )
