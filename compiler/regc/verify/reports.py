"""Tables for tools: the report's CSV, workbook and ReqIF, and the configurations of CARLA. Numbers are found by test and name."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from regc.verify.cited_places import flat
from regc.verify.folder import Folder
from regc.verify.numbers import WrittenNumber
from regc.verify.open_conditions import Open, asked, opened, said
from regc.verify.scenarios_file import Test
from regc.verify.sentences import BY_ROW, conditions, labels, left_out, noted, says, strange, without
from regc.verify.spoken_numbers import CALCULATED, unit_named

#: The column of a workbook that says what a whole test hangs on.
_ONLY_WHERE = "only where"
_REQIF = "{http://www.omg.org/spec/ReqIF/20110401/reqif.xsd}"


def check(folder: Folder, tests: Mapping[str, Test]) -> None:
    """Every table of the folder."""
    cards = _cards(folder)
    for name in folder.under("report", ".csv"):
        with folder.form_of(name):
            rows = csv.DictReader(io.StringIO((folder.bytes(name) or b"").decode("utf-8-sig")))
            for row in rows:
                if row.get("id") in tests:
                    _field(folder, name, tests[row["id"]], row)
                elif (row.get("id") or "") not in cards:
                    _unknown(folder, name, str(row["id"]))
    for name in folder.under("report", ".xlsx"):
        with folder.form_of(name):
            _workbook(folder, name, folder.bytes(name) or b"", tests, cards)
    for name in folder.under("report", ".reqif"):
        with folder.form_of(name):
            _reqif(folder, name, folder.bytes(name) or b"", tests)
    for name in folder.under("carla/configs", ".json"):
        data = folder.json(name)
        if data is not None:
            with folder.form_of(name):
                _configuration(folder, name, data, tests)
    for name in folder.under("carla/scenario_runner", ".xosc"):
        test = tests.get(name.rpartition("/")[2].removesuffix(".xosc"))
        header = ET.fromstring(folder.bytes(name) or b"").find("FileHeader") if test is not None else None
        if test is not None and header is not None:
            text = str(header.get("description"))
            left_out(folder, name, test, noted(test), conditions(folder, name, test, "FileHeader", text))


def _cards(folder: Folder) -> frozenset[str]:
    """Ids that name no test: of cards, and none."""
    listed = (folder.scenarios or {}).get("cards", ())
    return frozenset(("", *(str(card.get("id")) for card in listed)))


def _unknown(folder: Folder, file: str, id: str) -> None:
    folder.differ("V563", file, "id", id, "scenarios.json has no such test")


def _stated(folder: Folder, file: str, test: Test, key: str, text: str, unit: str = "") -> None:
    """A number in words by its name."""
    number = test.numbers.get(key)
    if number is None:
        folder.differ("V563", file, f"{test.id}.{key}", text, "scenarios.json has no such number", test.id)
        return
    folder.with_numbers.add(file)
    if number.basis == "derived":
        folder.calculated += 1
    else:
        folder.read += 1
    if not says(text, number, unit, whole=False):
        folder.differ("V563", file, f"{test.id}.{key}", text, f"{number.words} of scenarios.json", test.id)


def _sentence(folder: Folder, file: str, test: Test, path: str, text: str) -> set[Open]:
    """Words of a test: their numbers are numbers of the test, their conditions its own; those that they say."""
    if flat(text) in test.statements:
        return set()
    for quantity in strange(without(text, test.names), test.limits if text.startswith(BY_ROW) else test.numbers.values()):
        folder.differ("V563", file, f"{test.id}.{path}", quantity, "the test has no such number", test.id)
    return conditions(folder, file, test, f"{test.id}.{path}", text)


def _field(folder: Folder, file: str, test: Test, row: Mapping[str, str | None]) -> None:
    """A line of a traceability matrix: the number stands in the paragraph."""
    key, value = row.get("field") or "", row.get("value") or ""
    number = test.numbers.get(key)
    if number is None:
        if value:
            _sentence(folder, file, test, key, value)
        return
    _stated(folder, file, test, key, value.removeprefix("'"))
    around = number.tolerance.places if number.tolerance else ()
    clauses = dict.fromkeys(place.clause for place in (*number.places, *around))
    if row.get("paragraph") not in clauses:
        folder.differ("V563", file, f"{test.id}.{key}.paragraph", str(row.get("paragraph")), ", ".join(clauses), test.id)


# ---------------------------------------------------------------- workbook


def _workbook(folder: Folder, file: str, content: bytes, tests: Mapping[str, Test], cards: frozenset[str]) -> None:
    """Sheets with an id a row. Without openpyxl a workbook cannot be read, and is told."""
    try:
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError:
        folder.unreadable(file, "a workbook cannot be read again without openpyxl (pip install regc[report])")
        return
    from zipfile import BadZipFile

    try:
        book = load_workbook(io.BytesIO(content), read_only=True)
    except (BadZipFile, InvalidFileException, OSError) as error:
        raise ValueError(f"no workbook: {error}") from error
    for sheet in book.worksheets:
        rows = sheet.iter_rows(values_only=True)
        head = [str(cell) for cell in next(rows, ())]
        if "id" not in head:
            continue
        own = [dict(zip(head, row, strict=False)) for row in rows]
        known = [(tests[str(row["id"])], row) for row in own if str(row["id"]) in tests]
        for id in dict.fromkeys(str(row["id"] or "") for row in own):
            if id not in tests and id not in cards:
                _unknown(folder, file, id)
        if "field" in head:
            for test, row in known:
                _field(folder, file, test, {key: None if cell is None else str(cell) for key, cell in row.items()})
        else:
            _columns(folder, file, head, known)


def _columns(folder: Folder, file: str, head: list[str], rows: list[tuple[Test, dict[str, Any]]]) -> None:
    """Columns of numbers, each of one name: the one that most of its cells are."""
    for column in head:
        cells = [(test, row[column]) for test, row in rows if isinstance(row[column], int | float)]
        if not cells:
            for test, row in rows:
                if column not in ("id", "test") and isinstance(row[column], str):
                    _sentence(folder, file, test, column, row[column])
                if column == _ONLY_WHERE:
                    _only_where(folder, file, test, str(row[column] or ""))
            continue
        name = _name(column, cells)
        folder.with_numbers.add(file)
        for test, cell in cells:
            folder.read += 1
            number = test.numbers.get(name)
            if number is None or not _is(number, cell, unit_named(column)):
                held = number.words if number is not None else "no number of the test is called so"
                folder.differ("V563", file, f"{test.id}.{column}", str(cell), held, test.id)


def _only_where(folder: Folder, file: str, test: Test, cell: str) -> None:
    """The column that says what a whole test hangs on."""
    own = {opened(item) for item in test.data.get("applies_if", ())}
    strange, there = said(f"only where {cell}" if cell else "", own)
    if strange or there != own:
        held = " and ".join(item.words for item in own)
        folder.differ("V563", file, f"{test.id}.{_ONLY_WHERE}", cell, f"{held or 'no condition'} of scenarios.json", test.id)


def _name(column: str, cells: list[tuple[Test, Any]]) -> str:
    unit = unit_named(column)
    counts: dict[str, int] = {}
    for test, cell in cells:
        for key, number in test.numbers.items():
            if key.startswith(("bind.", "require.")) and _is(number, cell, unit):
                counts[key] = counts.get(key, 0) + 1
    return max(counts, key=lambda key: counts[key], default="")


def _is(number: WrittenNumber, cell: Any, unit: str) -> bool:
    return number.lo is not None and number.unit == unit and abs(Fraction(str(cell)) - number.lo) <= CALCULATED


# ---------------------------------------------------------------- ReqIF


def _reqif(folder: Folder, file: str, content: bytes, tests: Mapping[str, Test]) -> None:
    """Objects with the id of a test: attributes by the name of their number, texts by their sentences."""
    try:
        root = ET.fromstring(content)
    except (ET.ParseError, LookupError) as error:
        raise ValueError(f"no XML: {error}") from error
    units = {
        str(item.get("IDENTIFIER")): unit_named(str(item.get("LONG-NAME")))
        for item in root.iter()
        if item.tag.removeprefix(_REQIF).startswith("ATTRIBUTE-DEFINITION-") and item.get("IDENTIFIER")
    }
    for item in root.iter():
        if item.tag.removeprefix(_REQIF) != "SPEC-OBJECT":
            continue
        values = dict(_attributes(item))
        test = next((tests[text] for text in values.values() if isinstance(text, str) and text in tests), None)
        if test is None:
            continue
        there: set[Open] = set()
        conditions(folder, file, test, "LONG-NAME", str(item.get("LONG-NAME")))
        for name, value in values.items():
            match = re.fullmatch(r"attribute-(bind)-([a-z_]+)", name)
            if match and isinstance(value, str):
                _stated(folder, file, test, f"{match[1]}.{match[2]}", value, units.get(name, ""))
            elif isinstance(value, str):
                conditions(folder, file, test, name, value)
            else:
                for text in value:
                    there |= _sentence(folder, file, test, name, text.partition(f" ({test.regulation} ")[0])
        left_out(folder, file, test, asked(test.data), there)


def _attributes(item: ET.Element) -> Iterable[tuple[str, str | list[str]]]:
    """Definition -> text, or the paragraphs of a formatted one."""
    for value in item.iter():
        if not value.tag.removeprefix(_REQIF).startswith("ATTRIBUTE-VALUE-"):
            continue
        reference = next((str(part.text) for part in value.iter() if part.tag.endswith("-REF")), "")
        if value.get("THE-VALUE") is not None:
            yield reference, str(value.get("THE-VALUE"))
        elif paragraphs := ["".join(part.itertext()) for part in value.iter() if part.tag.endswith(("}p", "}li", "}td"))]:
            yield reference, paragraphs


# ---------------------------------------------------------------- CARLA


def _configuration(folder: Folder, file: str, data: Mapping[str, Any], tests: Mapping[str, Test]) -> None:
    """The test's numbers in words, with basis and places."""
    test = tests.get(str(data["scenario"]))
    if test is None:
        folder.differ("V563", file, "scenario", str(data["scenario"]), "scenarios.json has no such test")
        return
    for key, item in data["values"].items():
        _stated(folder, file, test, key, str(item["value"]))
        number = test.numbers.get(key)
        if number is None:
            continue
        around = number.tolerance.places if number.tolerance else ()
        wanted = {place.label(test.regulation) for place in (*number.places, *around)}
        if not set(item.get("places", ())) <= wanted or item["basis"] != number.basis:
            folder.differ("V563", file, f"values.{key}.places", "; ".join(item.get("places", ())), "; ".join(sorted(wanted)), test.id)
    for text in data.get("criteria", ()):
        _sentence(folder, file, test, "criteria", str(text))


# ---- TestRuns of CarMaker: the places that they name, what they say is assumed, and the speed of the subject vehicle, against the
# sheet of the test's stage. All else in them is held by their hash.


_RUNS = "carmaker/Data/TestRun"
_ASSUMED = re.compile(r"# assumed A\d+: (\S+) = (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) (\S*) ?\(")
_SPEED = re.compile(r"\$SubjectSpeed=(-?\d+(?:\.\d+)?)")
#: A line of a sheet, and what a km/h of CarMaker is of its m/s.
_SUBJECT, _KMH = "subject.speed", 3.6
_NEAR = 1e-5


def check_testruns(folder: Folder, tests: Mapping[str, Test], sheets: Mapping[str, list[Mapping[str, Any]]]) -> None:
    """Every TestRun that is called as a test; without a sidecar of that test there is no sheet, and its places alone are checked."""
    for name in folder.under(_RUNS, ""):
        test = tests.get(name.rpartition("/")[2])
        if test is not None:
            with folder.form_of(name):
                _run(folder, name, (folder.bytes(name) or b"").decode("utf-8"), test, sheets.get(test.id, ()))


def _run(folder: Folder, name: str, text: str, test: Test, sheets: Sequence[Mapping[str, Any]]) -> None:
    folder.with_numbers.add(name)
    known = labels(test)
    there: set[Open] = set()
    for line in text.splitlines():
        there |= conditions(folder, name, test, "description", line)
        place = line.strip().removeprefix("source: ")
        if place != line.strip() and place not in known:
            folder.differ("V570", name, "source", place, "no such place in scenarios.json", test.id)
        assumed = _ASSUMED.match(line)
        if assumed and sheets:
            _held(folder, name, test, sheets, assumed[1], float(assumed[2]), f"{assumed[2]} {assumed[3]}".strip(), assumed[3])
        for speed in _SPEED.finditer(line) if sheets else ():
            _held(folder, name, test, sheets, _SUBJECT, float(speed[1]) / _KMH, f"{speed[1]} km/h", "m/s")
    left_out(folder, name, test, noted(test), there)


def _held(
    folder: Folder, name: str, test: Test, sheets: Sequence[Mapping[str, Any]], key: str, number: float, said: str, unit: str
) -> None:
    """Note a number that no sheet of the test has by that name."""
    lines = [sheet[key] for sheet in sheets if key in sheet]
    folder.calculated += 1
    near = _NEAR * max(1.0, abs(number))
    if not any(abs(abs(float(line["value"])) - abs(number)) <= near and line["unit"].removeprefix("1") == unit for line in lines):
        held = f"the sheet takes {lines[0]['value']} {lines[0]['unit']}".strip() if lines else "the sheet has no such line"
        folder.differ("V564", name, key, said, held, test.id)
