"""The JSON inside the page: the document, places, numbers and scenarios, each once, by short keys that app.js knows."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from regc.assumed import Targets, Track, Vehicles
from regc.model.report import ReportInput
from regc.model.scenario import Scenario
from regc.model.units import si_of
from regc.report._index import Index
from regc.report._motion import view
from regc.report._pages import pictures
from regc.report._tables import links
from regc.report._words import STATUS, load, sentence, words


def data(found: ReportInput, vehicles: Vehicles, targets: Targets, track: Track) -> dict[str, Any]:
    """Everything that the page shows on demand."""
    index = Index(found.document)
    scenarios = [_scenario(item, found, index, vehicles, targets, track) for item in found.checked.scenarios]
    return {
        "clauses": [
            _without_blanks(
                {
                    "i": clause.id,
                    "h": clause.title,
                    "x": clause.text,
                    "tb": [index.tables[id] for id in clause.tables if id in index.tables],
                    "f": [number for number, note in enumerate(found.document.footnotes) if clause.id in note.anchors],
                }
            )
            for clause in found.document.clauses
        ],
        "tables": [
            _without_blanks(
                {
                    "i": table.id,
                    "h": table.caption,
                    "u": table.unit_note,
                    "k": table.columns,
                    "r": [[cell.text for cell in row] for row in table.rows],
                    "f": [number for number, note in enumerate(found.document.footnotes) if table.id in note.anchors],
                }
            )
            for table in found.document.tables
        ],
        "notes": [{"m": note.marker, "x": note.text} for note in found.document.footnotes],
        "scenarios": scenarios,
        "sources": index.sources,
        "quantities": index.quantities,
        "lines": index.lines,
        "trace": _trace(found),
        "fields": {name: _group(name) for item in found.checked.scenarios for name, _ in item.quantities()},
        "unit": [found.profile.speed_unit, round(float(1 / si_of(Decimal(1), found.profile.speed_unit)), 6)],
        "pages": pictures(found.pdf, index.pages()) if found.pdf else {},
    }


def _trace(found: ReportInput) -> dict[str, list[int]]:
    """Paragraph -> numbers of the scenarios that rest on it."""
    numbers = {item.id: number for number, item in enumerate(found.checked.scenarios)}
    trace: dict[str, list[int]] = {}
    for link in links(found):
        if link.id in numbers:
            trace.setdefault(link.clause, []).append(numbers[link.id])
    return {clause: sorted(own) for clause, own in trace.items()}


def embedded(value: dict[str, Any]) -> str:
    """JSON that can stand inside a script element: no text of a regulation can end it."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _scenario(item: Scenario, found: ReportInput, index: Index, vehicles: Vehicles, targets: Targets, track: Track) -> dict[str, Any]:
    text = found.texts.get(item.id, "")
    family = found.profile.family(item.family)
    return _without_blanks(
        {
            "i": item.id,
            "h": item.title,
            "fam": family.title if family else item.family,
            "cat": item.category,
            "load": load(item),
            "grp": item.group,
            "st": STATUS[item.status],
            "c": index.clauses.get(item.clause),
            "tgt": item.target.description or words(item.target.type),
            "warn": words(item.criteria.warning_rule) if item.criteria.warning_rule != "none" else None,
            "q": [[index.line(name), index.quantity(quantity)] for name, quantity in item.quantities()],
            "say": [
                [index.line(sentence(one.topic)), index.line(one.text), [index.source(source) for source in one.sources]]
                for one in item.statements
            ],
            "src": {
                "status": [index.source(source) for source in item.status_sources],
                "load": [index.source(source) for source in item.load_state.sources] if item.load_state else [],
                "target": [index.source(source) for source in item.target.sources],
            },
            "txt": [index.line(line) for line in text.split("\n")] if text else None,
            "v": view(item, vehicles, targets, track),
            "def": _definitions(item, found, index),
        }
    )


def _definitions(item: Scenario, found: ReportInput, index: Index) -> list[list[Any]]:
    """What the unnumbered text above a manoeuvre's paragraph says of its numbers by name: [label, paragraph, its words from a lettered
    item that names the number up to the next item]."""
    clause = found.document.clause(item.clause)
    above = found.document.clause(clause.region) if clause else None
    if above is None or above.number is not None:
        return []
    labels = [sentence(named.name) for named in item.manoeuvre]
    ends = [*(one.start for one in above.items[1:]), len(above.text)]
    return [
        [label, index.clauses[above.id], index.line(above.text[one.start : end].strip())]
        for label in labels
        for one, end in zip(above.items, ends, strict=True)
        if label.lower() in one.text.lower()
    ]


def _group(name: str) -> tuple[str, str]:
    """Heading and label of a field: ("Criteria", "Max impact speed")."""
    head, _, field = name.partition(".")
    return (sentence(head), sentence(field)) if field else ("Scenario", sentence(head))


def _without_blanks(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value not in (None, "", [], ())}
