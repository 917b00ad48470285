"""The JSON inside the page: the document, places, numbers and scenarios, each once, by short keys that the page's scripts know."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from typing import Any

from regc import wording
from regc.model.criterion import Criterion
from regc.model.report import ReportInput
from regc.model.scenario import Scenario, Statement
from regc.model.source import SourceRef
from regc.model.stage import Stage, Staged
from regc.model.units import known_units, si_of
from regc.model.value import Word
from regc.report._drawing import drawing
from regc.report._index import Index
from regc.report._pages import pictures
from regc.report._tables import Link, assumed, name_of


def data(found: ReportInput, all_links: tuple[Link, ...]) -> dict[str, Any]:
    """Everything that the page shows on demand."""
    index = Index(found.document)
    drawings = _Drawings(found.staged, found.reference)
    scenarios = [_scenario(item, found, index, drawings) for item in found.suite.selected]
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
                    "r": [[" ".join((cell.text, *cell.marks)) if cell.marks else cell.text for cell in row] for row in table.rows],
                    "f": [
                        number
                        for number, note in enumerate(found.document.footnotes)
                        if table.id in note.anchors or note.table == table.id
                    ],
                }
            )
            for table in found.document.tables
        ],
        "notes": [{"m": note.marker, "x": note.text} for note in found.document.footnotes],
        "scenarios": scenarios,
        "drawings": drawings.made,
        "sources": index.sources,
        "values": index.values,
        "lines": index.lines,
        "trace": _trace(found, all_links),
        "fields": {name: wording.field(name) for item in found.suite.selected for name, _ in item.values()},
        "unit": _speed_unit(found),
        "pages": pictures(found.pdf, index.pages()) if found.pdf else {},
    }


def embedded(value: dict[str, Any]) -> str:
    """JSON that can stand inside a script element: no text of a regulation can end it."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


#: What of a stage its drawing shows.
_SHAPE = {"road", "subject", "others", "things", "driver", "system", "impact", "functional_part", "end", "events", "traffic"}


class _Drawings:
    """Drawings of all stages, alike ones once. `made`: their data."""

    def __init__(self, staged: Staged, reference: Staged) -> None:
        self.made: list[dict[str, Any]] = []
        self.left_out = staged.left_out
        self._stages: dict[str, list[Stage]] = {}
        self._reference = {stage.stem: stage for stage in reference.stages}
        self._numbers: dict[str, int] = {}
        self._played: dict[str, int] = {}
        for stage in (*staged.stages, *staged.logical):
            self._stages.setdefault(stage.scenario, []).append(stage)

    def of(self, scenario: str) -> list[dict[str, Any]]:
        """Every variant of a test: {"n": its name, "d": the drawing, "r": with the reference model}."""
        found = []
        for stage in self._stages.get(scenario, ()):
            reference = self._reference.get(stage.stem)
            one = {"n": stage.variant.replace("_", " "), "d": self._number(stage), "p": _open_values(stage)}
            found.append(_without_blanks(one | ({"r": self._number(reference)} if reference is not None else {})))
        return found

    def _number(self, stage: Stage) -> int:
        # mass moves nothing here, so load states share a drawing
        shape = stage.model_dump_json(include=_SHAPE, exclude={"subject": {"mass", "chassis", "model", "kind"}})
        if shape not in self._played:
            made = drawing(stage).data()
            text = json.dumps(made, sort_keys=True)
            if text not in self._numbers:
                self._numbers[text] = len(self.made)
                self.made.append(made)
            self._played[shape] = self._numbers[text]
        return self._played[shape]


def _open_values(stage: Stage) -> str:
    """What a logical stage takes for the numbers that its test leaves open."""
    return ", ".join(f"{wording.field(one.name)[1].lower()} {one.value:f} {wording.unit(one.unit)}".strip() for one in stage.free)


def _trace(found: ReportInput, all_links: tuple[Link, ...]) -> dict[str, list[int]]:
    """Paragraph -> numbers of the scenarios that rest on it."""
    numbers = {item.id: number for number, item in enumerate(found.suite.selected)}
    trace: dict[str, list[int]] = {}
    for link in all_links:
        if link.id in numbers:
            trace.setdefault(link.clause, []).append(numbers[link.id])
    return {clause: sorted(own) for clause, own in trace.items()}


def _scenario(item: Scenario, found: ReportInput, index: Index, drawings: _Drawings) -> dict[str, Any]:
    text = found.texts.get(item.id, "")
    return _without_blanks(
        {
            "i": item.id,
            "h": wording.title(item),
            "t": name_of(item.test),
            "mv": wording.term("manoeuvre", item.manoeuvre),
            "ax": [
                [index.line(wording.axis(name)), index.line(wording.axis_cell(value)), index.all(value.sources)]
                for name, value in item.axes.items()
            ],
            "st": index.line(wording.term("status", item.status)),
            "c": index.clauses.get(item.clause),
            "act": [
                [index.line(wording.role(one.role)), index.line(wording.actor(one.kind)), index.all(one.sources)] for one in item.actors
            ],
            "q": [[index.line(name), index.value(value)] for name, value in item.values()],
            "w": [
                [index.line(wording.said(place, name, bound)), index.all(bound.sources)]
                for place, bounds in (("bind", item.bind), ("conditions", item.conditions))
                for name, bound in bounds.items()
                if isinstance(bound, Word)
            ],
            "req": [[index.line(wording.criterion(one)), index.all(_places_of(one))] for one in item.require],
            "say": [_said("said", one, index) for one in item.said] + [_said("told", one, index) for one in item.told],
            "if": [index.line(wording.condition(one)) for one in item.applies_if],
            "only": [[index.line(one.word), index.all(one.sources)] for one in item.only],
            "as": [[index.line(field), text, code] for field, text, code in assumed(item)],
            "txt": [index.line(line) for line in text.split("\n")] if text else None,
            "v": drawings.of(item.id),
            "no": drawings.left_out.get(item.id),
            "lim": _impact_limit(item),
        }
    )


def _places_of(one: Criterion) -> tuple[SourceRef, ...]:
    """Where a criterion stands: its own places, else those of its numbers."""
    values = (one.limit.value if one.limit else None, one.by)
    return one.sources or tuple(dict.fromkeys(place for value in values if value is not None for place in value.sources))


def _said(kind: str, one: Statement, index: Index) -> list[Any]:
    return [index.line(wording.term("part", kind)), index.line(one.text), index.all(one.sources)]


def _impact_limit(item: Scenario) -> float | None:
    """The speed at contact that the test allows, m/s."""
    for one in item.require:
        if one.signal == "impact_speed" and one.limit and one.limit.value.is_number and one.limit.value.unit in known_units():
            return round(float(si_of(one.limit.value.number, one.limit.value.unit)), 3)
    return None


def _speed_unit(found: ReportInput) -> list[Any]:
    """The unit of speeds that most tests are stated in, and how many of it are 1 m/s."""
    units = Counter(value.unit for item in found.suite.selected if (value := item.number("subject")) is not None)
    unit = next((name for name, _ in units.most_common() if name in known_units()), "m/s")
    return [wording.unit(unit), round(float(1 / si_of(Decimal(1), unit)), 6)]


def _without_blanks(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value not in (None, "", [], ())}
