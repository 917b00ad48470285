"""The JSON inside the page: the document, places, numbers and scenarios, each once, by short keys that the page's scripts know."""

from __future__ import annotations

import base64
import io
import json
import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from regc import wording
from regc.errors import MissingExtraError
from regc.model.criterion import Criterion
from regc.model.document import Document
from regc.model.report_input import ReportInput
from regc.model.scenario import Scenario, Statement
from regc.model.source import SourceRef
from regc.model.stage import Stage, Staged
from regc.model.units import known_units, si_of
from regc.model.value import Value, Word
from regc.report.drawing import drawing
from regc.report.overview import Link, assumed, name_of

#: Dots an inch: small print stays readable, a page of text takes about 40 kB.
_DPI = 110
#: Grey levels of a page; text needs few.
_LEVELS = 8
#: Grey (0 to 255) -> level; a palette of levels packs into four bits a pixel.
_STEP_OF = [grey * (_LEVELS - 1) // 255 for grey in range(256)]
#: A written number.
_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[.,]\d+)?(?![\d]|[.,]\d)")
#: Letters of a unit behind a number.
_UNIT = re.compile(r"\s*(km\s*/\s*h|m\s*/\s*s²?2?|mph|°\s*C|per cent|%|[a-zA-Z]+)?")


def data(report: ReportInput, all_links: tuple[Link, ...]) -> dict[str, Any]:
    """Everything that the page shows on demand."""
    index = Index(report.document)
    drawings = _Drawings(report.staged, report.reference)
    scenarios = [_scenario(item, report, index, drawings) for item in report.suite.selected]
    return {
        "clauses": [
            _without_blanks(
                {
                    "i": clause.id,
                    "h": clause.title,
                    "x": clause.text,
                    "tb": [index.tables[id] for id in clause.tables if id in index.tables],
                    "f": [number for number, note in enumerate(report.document.footnotes) if clause.id in note.anchors],
                }
            )
            for clause in report.document.clauses
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
                        for number, note in enumerate(report.document.footnotes)
                        if table.id in note.anchors or note.table == table.id
                    ],
                }
            )
            for table in report.document.tables
        ],
        "notes": [{"m": note.marker, "x": note.text} for note in report.document.footnotes],
        "scenarios": scenarios,
        "drawings": drawings.made,
        "sources": index.sources,
        "values": index.values,
        "lines": index.lines,
        "trace": _trace(report, all_links),
        "fields": {name: wording.field(name) for item in report.suite.selected for name, _ in item.values()},
        "unit": _speed_unit(report),
        "pages": pictures(report.pdf, index.pages()) if report.pdf else {},
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
        rows, stages = [], self._stages.get(scenario, [])
        for stage in stages:
            reference = self._reference.get(stage.stem)
            one = {"n": _variant(stage, stages), "d": self._number(stage), "p": _open_values(stage)}
            rows.append(_without_blanks(one | ({"r": self._number(reference)} if reference is not None else {})))
        return rows

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


def _variant(stage: Stage, others: Sequence[Stage]) -> str:
    """What tells a stage of a test from its others: the numbers at its corner ("subject vehicle 10 km/h"), else its name."""
    corner = [
        f"{wording.field(name)[1].lower()} {line.value:g} {wording.unit(line.unit)}".strip()
        for name, line in stage.sheet.items()
        if name.startswith("bind.") and any(name in one.sheet and one.sheet[name].value != line.value for one in others)
    ]
    return ", ".join(corner) if stage.variant[:1].isdigit() and corner else stage.variant.replace("_", " ")


def _open_values(stage: Stage) -> str:
    """What a logical stage takes for the numbers that its test leaves open."""
    return ", ".join(f"{wording.field(one.name)[1].lower()} {one.value:f} {wording.unit(one.unit)}".strip() for one in stage.free)


def _trace(report: ReportInput, all_links: tuple[Link, ...]) -> dict[str, list[int]]:
    """Paragraph -> numbers of the scenarios that rest on it."""
    numbers = {item.id: number for number, item in enumerate(report.suite.selected)}
    trace: dict[str, list[int]] = {}
    for link in all_links:
        if link.id in numbers:
            trace.setdefault(link.clause, []).append(numbers[link.id])
    return {clause: sorted(own) for clause, own in trace.items()}


def _scenario(item: Scenario, report: ReportInput, index: Index, drawings: _Drawings) -> dict[str, Any]:
    text = report.texts.get(item.id, "")
    return _without_blanks(
        {
            "i": item.id,
            "h": wording.title(item),
            "t": name_of(item.test),
            "mv": wording.term("manoeuvre", item.manoeuvre),
            "ax": [
                [index.line(wording.axis(name, value)), index.line(wording.axis_cell(value)), index.all(value.sources)]
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
            "req": [[index.line(wording.criterion(one, item.require)), index.all(_places_of(one))] for one in item.require],
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


def _speed_unit(report: ReportInput) -> list[Any]:
    """The unit of speeds that most tests are stated in, and how many of it are 1 m/s."""
    units = Counter(value.unit for item in report.suite.selected if (value := item.number("subject")) is not None)
    unit = next((name for name, _ in units.most_common() if name in known_units()), "m/s")
    return [wording.unit(unit), round(float(1 / si_of(Decimal(1), unit)), 6)]


def _without_blanks(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value not in (None, "", [], ())}


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
        numbers = [
            number
            for number, note in enumerate(self.document.footnotes)
            if note.marker == named and (source.clause in note.anchors or source.quote in note.text)
        ]
        return numbers[0] if numbers else None


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


def pictures(pdf: bytes, wanted: Sequence[int]) -> dict[str, dict[str, Any]]:
    """Page number -> width and height in PDF points and a data URI. Pages that the file does not have are left out."""
    if not wanted:
        return {}
    try:
        import pypdfium2
        from PIL import Image
    except ImportError as error:
        raise MissingExtraError("page pictures need Pillow", extra="report") from error
    drawn: dict[str, dict[str, Any]] = {}
    document = pypdfium2.PdfDocument(pdf)
    try:
        for number in wanted:
            if not 1 <= number <= len(document):
                continue
            page = document[number - 1]
            width, height = page.get_size()
            grey = page.render(scale=_DPI / 72, grayscale=True).to_pil().convert("L").point(_STEP_OF)
            picture = Image.frombytes("P", grey.size, grey.tobytes())
            picture.putpalette([step * 255 // (_LEVELS - 1) for step in range(_LEVELS) for _ in range(3)])
            stream = io.BytesIO()
            picture.save(stream, "PNG", bits=4)
            data = base64.b64encode(stream.getvalue()).decode()
            drawn[str(number)] = {"w": round(width, 1), "h": round(height, 1), "i": f"data:image/png;base64,{data}"}
    finally:
        document.close()
    return drawn


def number_in(text: str, number: Decimal, unit: str) -> list[int]:
    """[start, end) of a number in a text, with its unit behind it where it is written there; empty where it is not in digits."""
    matches: list[list[int]] = []
    for match in _NUMBER.finditer(text):
        if Decimal(match.group().replace(",", ".")) != number:
            continue
        behind = _UNIT.match(text, match.end())
        written = re.sub(r"\s", "", behind.group(1) or "") if behind else ""
        if written and written == unit:
            return [match.start(), behind.end() if behind else match.end()]
        matches.append([match.start(), match.end()])
    return matches[0] if matches else []
