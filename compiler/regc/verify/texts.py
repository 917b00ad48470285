"""Texts for people: the CSV of test texts, a Markdown file a test, a Markdown file a card. Every number in them is one of the test's,
at the place that the line names."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from regc.verify.cited_places import Place, flat
from regc.verify.folder import Folder
from regc.verify.numbers import WrittenNumber
from regc.verify.open_conditions import Open, asked
from regc.verify.recalculation import FormulaFault, SheetLines
from regc.verify.scenarios_file import Test, limit_tables
from regc.verify.sentences import BY_ROW, conditions, labels, left_out, noted, says, states, strange, without

_CSV = "csv/test_cases.csv"
#: Figures are shown with three places.
_SHOWN = 0.00051
_ASSUMED = re.compile(r"(\S+) (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) (\S.*|)")

#: The lines of a stage's sheet by name.
Lines = Mapping[str, Any]


def check_rows(folder: Folder, tests: Mapping[str, Test]) -> None:
    """The CSV of test texts."""
    if (content := folder.bytes(_CSV)) is not None:
        with folder.form_of(_CSV):
            _rows(folder, content.decode("utf-8-sig"), tests)


@dataclass(frozen=True)
class Figures:
    """What a text works out. `roots`: the test's own single numbers; `worked`: name -> (figure, formula); `assumed`: name -> number."""

    file: str
    test: str
    roots: dict[str, Any]
    worked: dict[str, tuple[str, str]] = field(default_factory=dict)
    assumed: dict[str, str] = field(default_factory=dict)


def check(folder: Folder, tests: Mapping[str, Test]) -> list[Figures]:
    """Every Markdown file of the folder but for the figures that its texts work out, which are returned."""
    data = folder.scenarios or {}
    figures: list[Figures] = []
    for name in folder.under("text", ".md"):
        id = name.rpartition("/")[2].removesuffix(".md")
        content = folder.bytes(name)
        if content is None:
            continue
        with folder.form_of(name):
            text = content.decode("utf-8")
            if name.startswith("text/forms/"):
                _form(folder, name, text, next((form for form in data.get("forms", ()) if form["id"] == id), None))
            elif id in tests:
                case = _Case(folder, name, tests[id], data)
                figures.append(case.figures)
                case.check(text)
            else:
                _card(folder, name, text, next((card for card in data.get("cards", ()) if card["id"] == id), None))
    return figures


def check_figures(folder: Folder, figures: Iterable[Figures], sheets: Mapping[str, list[Lines]]) -> None:
    """The working figures of texts and what they assume: as the sheet of one of the test's stages has them; without a sidecar each from
    its formula, as far as the text names what it needs. `sheets`: scenario id -> the lines of its stages, where sidecars have them."""
    for own in figures:
        with folder.form_of(own.file):
            folder.calculated += len(own.worked)
            told = [_as_staged(own, lines) for lines in sheets.get(own.test, [])] or [_from_formulas(folder, own)]
            for path, said, held in min(told, key=len):
                folder.differ("V563", own.file, path, said, held, own.test)


def _rows(folder: Folder, text: str, tests: Mapping[str, Test]) -> None:
    """The CSV by its ids; the literature's short form has ids of its own and is held by its hash."""
    for row in csv.DictReader(io.StringIO(text)):
        test = tests.get(str(row.get("Unique_ID")))
        if test is None:
            if "notes" in row:
                folder.differ("V563", _CSV, "Unique_ID", str(row.get("Unique_ID")), "scenarios.json has no such test")
            continue
        names, there = test.names, set[Open]()
        for column in ("Test_title", "test_scenario", "notes"):
            told = without(row.get(column) or "", names)
            _told(folder, _CSV, f"{test.id}.{column}", told, test, test.numbers.values(), bare=column == "test_scenario")
            there = conditions(folder, _CSV, test, f"{test.id}.{column}", told)
        if "notes" in row:
            left_out(folder, _CSV, test, noted(test), there)


def _told(
    folder: Folder,
    file: str,
    path: str,
    text: str,
    test: Test,
    numbers: Iterable[WrittenNumber],
    *,
    bare: bool = False,
    where: str = "",
) -> None:
    """Note every quantity of a text that is none of the numbers."""
    folder.with_numbers.add(file)
    folder.read += _count(text)
    if not states(text):
        return
    numbers = tuple(numbers)
    for quantity in strange(text, numbers, bare=bare):
        unit = quantity.partition(" ")[2]
        own = dict.fromkeys(number.words for number in numbers if number.unit == unit and number.lo is not None)
        held = f"{where or 'the test'} has {', '.join(own) or f'no number in {unit}'}"
        folder.differ("V563", file, path, quantity, held, test.id)


@lru_cache(maxsize=65536)
def _count(text: str) -> int:
    return len(re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?= ?[A-Za-z°%])", text))


class _Case:
    """The Markdown of one test."""

    def __init__(self, folder: Folder, name: str, test: Test, suite: Mapping[str, Any]) -> None:
        self.folder, self.name, self.test = folder, name, test
        tables = limit_tables(test.data, suite)
        self.labels, self.tables = labels(test, test.procedure), tables
        self.names, self.statements = test.names, test.statements
        #: Names of the numbers that stand at a place.
        self.stands: dict[tuple[str, ...], list[str]] = {}
        for key, number in test.numbers.items():
            for place in _places(number):
                self.stands.setdefault(_bare(place), []).append(key)
        #: How each place of the test begins where a line names it.
        self.mark = f" ({test.regulation} "
        self.section = ""
        single = {key: number.lo for key, number in test.numbers.items() if number.lo is not None and number.lo == number.hi}
        self.figures = Figures(name, test.id, {key: {"value": str(float(lo))} for key, lo in single.items()})
        self.seen: set[str] = set()
        self.said: set[Open] = set()

    def check(self, text: str) -> None:
        """Note everything that differs but for the figures."""
        for line in text.splitlines():
            if line.startswith("## "):
                self.section = line[3:]
            elif line.startswith("| "):
                self._row([cell.strip() for cell in line.strip("| ").split(" | ")])
            elif line.startswith("- ") or re.match(r"\d+\. ", line):
                self._line(re.sub(r"^(?:-|\d+\.) ", "", line))
            elif line.startswith("# ") or not line.startswith(("#", "|--")):
                there = conditions(self.folder, self.name, self.test, self.section or "title", line)
                self.said |= there if line.startswith(">") else set()
                _told(self.folder, self.name, self.section, without(line, self.names), self.test, self.test.numbers.values())
        left_out(self.folder, self.name, self.test, asked(self.test.data), self.said)
        if self.seen and (missing := self.test.numbers.keys() & _listed(self.test) - self.seen):
            for key in sorted(missing):
                self._differ(key, "", f"{self.test.numbers[key].words} of scenarios.json is missing")

    def _differ(self, path: str, said: str, held: str) -> None:
        self.folder.differ("V563", self.name, path, said, held, self.test.id)

    def _line(self, line: str) -> None:
        """A thing to do or to show; the places in brackets at its end hold its numbers."""
        by_row = line.startswith(BY_ROW)
        known = self.labels | labels(self.test, self.tables) if by_row else self.labels
        start = self._start(line, tuple(known))
        head, tail = (line[:start], line[start + 2 : -1]) if start >= 0 else (line, "")
        if flat(head) in self.statements:
            return
        self.said |= conditions(self.folder, self.name, self.test, head.partition(":")[0], head)
        cited = set(tail.split("; ")) & known.keys()
        if start >= 0 and "; ".join(label for label in tail.split("; ") if label in cited) != tail:
            self._differ(self.section, tail, "no such place in scenarios.json")
        places = {known[label] for label in cited}
        there = {key for place in places for key in self.stands.get(_bare(place), ())}
        # looked for where the line states any
        numbers: Iterable[WrittenNumber] = (
            number for key, number in self.test.numbers.items() if not places or key in there or self._is_criterion(key)
        )
        bare = bool(places) and ":" in head
        if by_row:
            numbers = self.test.limits
        _told(
            self.folder, self.name, head.partition(":")[0], without(head, self.names), self.test, numbers, bare=bare, where=tail
        )  # fmt: skip

    def _start(self, line: str, known: tuple[str, ...]) -> int:
        """Where the first known place begins that a line names in brackets; -1 for none."""
        at = line.find(self.mark)
        while at >= 0 and not line.startswith(known, at + 2):
            at = line.find(self.mark, at + 1)
        return at

    def _is_criterion(self, key: str) -> bool:
        """Whether a line of what is assessed may name a number wherever it stands: the conditions of a criterion stand elsewhere."""
        return self.section == "Assess" and key.startswith("require.")

    # ------------------------------------------------------------ tables

    def _row(self, cells: list[str]) -> None:
        if self.section == "Working figures" and len(cells) == 5 and cells[0] != "figure":
            self.figures.worked[cells[3]] = (cells[1], cells[4])
        if len(cells) != 4 or cells[0] in ("code", "number"):
            return
        if self.section == "Sources":
            self._source(*cells)
        elif self.section == "Assumed":
            for entry in cells[1].split(", "):
                if match := _ASSUMED.fullmatch(entry):
                    self.figures.assumed[match[1]] = match[2]

    def _source(self, key: str, text: str, basis: str, places: str) -> None:
        number = self.test.numbers.get(key)
        if number is None:
            self._differ(key, text, "scenarios.json has no such number")
            return
        self.seen.add(key)
        self.folder.with_numbers.add(self.name)
        if number.basis == "derived":
            self.folder.calculated += 1
        else:
            self.folder.read += 1
        if not says(text, number):
            self._differ(key, text, f"{number.words} of scenarios.json")
        if basis != (f"derived: {number.formula}" if number.basis == "derived" else number.basis):
            self._differ(f"{key}.basis", basis, number.formula or number.basis)
        wanted = "; ".join(dict.fromkeys(place.label(self.test.regulation) for place in _places(number)))
        if places.strip() != wanted:
            self._differ(f"{key}.stands at", places, wanted)


def _as_staged(own: Figures, lines: Lines) -> list[tuple[str, str, str]]:
    differing = []
    for key, value in own.assumed.items():
        line = lines.get(key)
        if line is None or abs(abs(float(value)) - abs(float(line["value"]))) > 1e-5 * max(1.0, abs(float(line["value"]))):
            differing.append((f"Assumed.{key}", value, f"the sheet takes {line['value'] if line else 'no such line'}"))
    for key, (text, formula) in own.worked.items():
        line = lines.get(key)
        if line is None or line.get("formula", "") != formula or _off(text, float(line["value"])):
            held = f"{line.get('formula', '')} is {line['value']}" if line else "the sheet has no such line"
            differing.append((f"Working figures.{key}", f"{text} = {formula}", held))
    return differing


def _from_formulas(folder: Folder, own: Figures) -> list[tuple[str, str, str]]:
    lines = {**own.roots, **{key: {"value": value} for key, value in own.assumed.items()}}
    sheet = SheetLines({**lines, **{key: {"value": "0", "formula": formula} for key, (_, formula) in own.worked.items()}})
    differing = []
    for key, (text, formula) in own.worked.items():
        try:
            number = sheet.line(key)
        except FormulaFault:
            folder.calculated -= 1
            continue
        if _off(text, number):
            differing.append((f"Working figures.{key}", text, f"{formula} is {number:.3f}"))
    return differing


def _off(text: str, number: float) -> bool:
    """Whether a figure is not that number to three places."""
    stated = re.match(r"-?\d+(?:\.\d+)?", text)
    return stated is None or abs(float(stated[0]) - number) > _SHOWN


def _places(number: WrittenNumber) -> tuple[Place, ...]:
    return (*number.places, *(number.tolerance.places if number.tolerance else ()))


def _bare(place: Place) -> tuple[str, ...]:
    return (place.clause, place.item, place.table, place.row, place.column, place.footnote)


def _listed(test: Test) -> set[str]:
    """The numbers that the table of sources lists: all but those of open conditions."""
    return {key for key in test.numbers if not re.search(r"(?:^|\.)(?:applies_if|only_if|unless|holds_if)\b", key)}


def _card(folder: Folder, name: str, text: str, card: Mapping[str, Any] | None) -> None:
    """A card's steps are those of scenarios.json, which were held against the document."""
    if card is None:
        folder.differ("V563", name, held="scenarios.json has no such test or card")
        return
    steps = {flat(step.get("text", "")) for step in card["steps"]}
    for line in text.splitlines():
        step = re.match(r"(?:\d+\. \[ \] |\*\*)(.*)", line)
        words = step[1] if step else ""
        if not step or words.startswith("As paragraph"):
            continue
        folder.with_numbers.add(name)
        if not any(flat(words).startswith(own) for own in steps if own):
            folder.differ("V563", name, "step", words[:80], "no step of the card in scenarios.json")


def _form(folder: Folder, name: str, text: str, form: Mapping[str, Any] | None) -> None:
    """A form's lines are those of scenarios.json, in their order, which were held against the document."""
    if form is None:
        folder.differ("V563", name, held="scenarios.json has no such form")
        return
    folder.with_numbers.add(name)
    held = flat(text)
    at = 0
    for index, line in enumerate(form["lines"]):
        start = held.find(flat(line["text"]), at)
        if start < 0:
            folder.differ("V563", name, f"lines.{index}", "", f"{line['text'][:80]} of scenarios.json is missing")
        at = max(at, start)
