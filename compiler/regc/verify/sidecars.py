"""Sidecars of scenario files: the test's values against the document, each line of the sheet calculated again, and each attribute of
the scenario file that the sheet gives."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from regc.verify.folder import Folder
from regc.verify.numbers import WrittenNumber, number_of, shown
from regc.verify.open_conditions import Open, asked, opened
from regc.verify.recalculation import FormulaFault, SheetLines
from regc.verify.scenarios_file import Test
from regc.verify.sentences import conditions, left_out, noted

#: Lines are written with nine places, attributes of files with six.
_LINE, _ATTRIBUTE = 2e-9, 5.1e-7
_NEAR = Fraction(1, 10**8)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
#: Endings of parameter names, by unit.
_ENDINGS = {
    "km/h": "kph", "mph": "mph", "m/s": "mps", "m/s2": "mps2", "s": "s", "ms": "ms", "m": "m", "cm": "cm", "mm": "mm",
    "per cent": "percent", "deg": "deg", "deg/s": "degps", "lux": "lux", "kg": "kg", "": "",
}  # fmt: skip


#: Id of a test -> the lines of the sheets of its stages.
Sheets = dict[str, list[Mapping[str, Any]]]


def check(folder: Folder, tests: Mapping[str, Test]) -> Sheets:
    """Every sidecar of the folder with its file, then the logical files of groups and their variations; scenario id -> the lines of
    the sheets of its stages."""
    beside: dict[str, _Sidecar] = {}
    for kind in ("openscenario/concrete", "openscenario/logical", "neutral"):
        for name in folder.under(kind, ".json"):
            data = folder.json(name)
            if data is None:
                continue
            with folder.form_of(name):
                made = _Sidecar(folder, name, data, tests.get(_id(data)))
                made.check()
                if kind == "neutral":
                    made.table(name.removesuffix(".json") + ".csv")
                beside[name.removesuffix(".json")] = made
    groups: dict[str, list[str]] = {}
    for name in folder.under("openscenario/variations", ".xosc"):
        with folder.form_of(name):
            _variation(folder, name, tests, groups)
    for name in folder.under("openscenario/logical", ".xosc"):
        if name.removesuffix(".xosc") not in beside:
            with folder.form_of(name):
                _group(folder, name, tests, groups, beside)
    sheets: Sheets = {}
    for made in beside.values():
        if made.lines:
            sheets.setdefault(made.id, []).append(made.lines)
    return sheets


class _Sidecar:
    """One sidecar."""

    def __init__(self, folder: Folder, name: str, data: Mapping[str, Any], test: Test | None) -> None:
        self.folder, self.name, self.data, self.test = folder, name, data, test
        self.id = _id(data)
        self.places = [folder.places.place(item) for item in data.get("sources", ())]
        self.values = {key: number_of(value, self.places) for key, value in data.get("values", {}).items()}
        self.lines: Mapping[str, Any] = data.get("sheet", {})
        self.sheet = SheetLines(self.lines)
        self.attributes: Mapping[str, str] = data.get("places", {})

    def check(self) -> None:
        """Note everything that differs."""
        for key, value in self.values.items():
            if self.folder.number(value, self.name, f"values.{key}", self.id):
                self._as_in_suite(key, value)
        if self.test is None:
            self._differ("V563", "id", self.id, "scenarios.json has no such test")
        else:
            for name in ("title", "regulation", "edition", "wording", "test", "status", "clause", "manoeuvre"):
                if self.data.get(name) != self.test.data.get(name):
                    self._differ("V563", name, str(self.data.get(name)), f"scenarios.json says {self.test.data.get(name)}")
            axes = {axis: value["value"] for axis, value in self.test.data.get("axes", {}).items()}
            if self.data.get("axes", {}) != axes:
                self._differ("V563", "axes", str(self.data.get("axes")), f"scenarios.json says {axes}")
            held, own = [opened(item) for item in self.data.get("applies_if", ())], asked(self.test.data)
            if set(held) != set(own):
                self._differ("V563", "applies_if", "; ".join(item.words for item in held), _conditions(own))
            for text in self.data.get("criteria", ()) if isinstance(self.data.get("criteria"), list) else ():
                conditions(self.folder, self.name, self.test, "criteria", text)
            for key in self.test.numbers.keys() - self.values.keys():
                if not _of_condition(key):
                    self._differ("V563", f"values.{key}", "", f"{self.test.numbers[key].words} of scenarios.json is missing")
        for place, item in zip(self.places, self.data.get("sources", ()), strict=True):
            label = place.label(str(self.data["regulation"]))
            if item.get("label", label) != label:
                self._differ("V570", "sources", str(item.get("label")), label)
        for key in self.lines:
            self._line(key)
        for item in self.data.get("assumptions", ()):
            self._assumption(item)
        files = self.data.get("files")
        if files:
            self._file(f"openscenario/{files['scenario']}")

    def _differ(self, code: str, path: str, said: str, held: str) -> None:
        self.folder.differ(code, self.name, path, said, held, self.id)

    def _as_in_suite(self, key: str, value: WrittenNumber) -> None:
        own = self.test.numbers.get(key) if self.test is not None else None
        if self.test is None or own == value:
            return
        if own is None:
            self._differ("V563", f"values.{key}", value.words, "scenarios.json has no such number")
        elif (own.lo, own.hi, own.unit, own.symbol) != (value.lo, value.hi, value.unit, value.symbol):
            self._differ("V563", f"values.{key}", value.words, f"scenarios.json says {own.words}")
        elif own.conditions != value.conditions:
            self._differ(
                "V563", f"values.{key}.holds_if", "; ".join(held.words for held in value.conditions), _conditions(own.conditions)
            )
        elif own.tolerance != value.tolerance:
            self._differ("V563", f"values.{key}.tolerance", _around(value), f"scenarios.json says {_around(own)}")
        else:
            self._differ("V563", f"values.{key}", value.words, "bound, formula or places are not those of scenarios.json")

    # ------------------------------------------------------------ the sheet

    def _line(self, key: str) -> None:
        line = self.lines[key]
        stated, formula = float(line["value"]), line.get("formula", "")
        self.folder.calculated += 1
        if formula:
            self._calculated(f"sheet.{key}", line["value"], stated, formula, _LINE)
            return
        if line["basis"] == "assumed":
            if not line.get("assumption"):
                self._differ("V564", f"sheet.{key}", line["value"], "an assumed line without its code")
            return
        value = self.values.get(_of_phase(key))
        if value is None:
            if line["basis"] == "derived":
                self._differ("V564", f"sheet.{key}", line["value"], "a derived line without a formula")
        elif value.lo is None or value.hi is None:
            return
        elif line["unit"] != value.unit or not value.lo - _NEAR <= Fraction(line["value"]) <= value.hi + _NEAR:
            self._differ("V564", f"sheet.{key}", f"{line['value']} {line['unit']}".strip(), f"the test has {value.words}")

    def _calculated(self, path: str, text: str, stated: float, formula: str, near: float, file: str = "") -> None:
        try:
            calculated = self.sheet.calculate(formula)
        except FormulaFault as error:
            self.folder.differ("V564", file or self.name, path, text, str(error), self.id)
            return
        if not abs(calculated - stated) <= near + _LINE * abs(calculated):
            held = f"{formula} is {_digits(calculated)}"
            self.folder.differ("V564", file or self.name, path, text, held, self.id)

    def _assumption(self, item: Mapping[str, Any]) -> None:
        """What is told to be assumed is what the sheet takes."""
        line = self.lines.get(item["what"])
        number = _NUMBER.match(str(item["value"]))
        if line is None or number is None:
            return
        unit = str(item["value"])[number.end() :].strip()
        near = 1e-5 * max(1.0, abs(float(line["value"])))
        if not abs(abs(float(number[0])) - abs(float(line["value"]))) <= near or unit != line["unit"].removeprefix("1"):
            self._differ(
                "V564",
                f"sheet.{item['what']}",
                f"{line['value']} {line['unit']}".strip(),
                f"assumed is {item['value']} ({item['code']})",
            )

    def table(self, name: str) -> None:
        """The sheet once more as CSV."""
        content = self.folder.bytes(name)
        if content is None:
            return
        with self.folder.form_of(name):
            for row in csv.DictReader(io.StringIO(content.decode("utf-8-sig"))):
                line = self.lines.get(row["name"])
                if line is None:
                    self.folder.differ("V563", name, row["name"], row["value"], "the sheet has no such line", self.id)
                    continue
                self.folder.calculated += 1
                self.folder.with_numbers.add(name)
                for key in ("value", "unit", "basis", "formula"):
                    if (row[key] or "").lstrip("'") != str(line.get(key, "")):
                        self.folder.differ(
                            "V563", name, f"{row['name']}.{key}", row[key], f"the sheet says {line.get(key, '')}", self.id
                        )

    # ------------------------------------------------------------ the scenario file

    def _file(self, name: str) -> None:
        content = self.folder.bytes(name)
        if content is None:
            self._differ("V566", "files.scenario", name, "there is no such file")
            return
        with self.folder.form_of(name):
            root = _parsed(content)
            parameters = _parameters(root)
            self._parameters(name, parameters)
            self.attributes_of(name, root, parameters)
            header = root.find("FileHeader")
            if header is not None and self.test is not None:
                there = conditions(self.folder, name, self.test, "FileHeader", str(header.get("description")))
                left_out(self.folder, name, self.test, noted(self.test), there)
            for item in root.iter("Property"):
                if item.get("name") == "criterion" and item.get("value") != self.data["criteria"]:
                    self.folder.differ("V563", name, "criterion", str(item.get("value")), str(self.data["criteria"]), self.id)

    def _parameters(self, name: str, parameters: Mapping[str, str]) -> None:
        """What a logical file takes for an open number is what its sheet takes."""
        for key, line in self.lines.items():
            own = parameters.get(parameter_name(key.removeprefix("bind."), str(line["unit"])))
            if key.startswith("bind.") and own is not None and abs(Fraction(own) - Fraction(line["value"])) > _written(line["value"]):
                self.folder.differ("V564", name, key, own, f"the sheet says {line['value']}", self.id)

    def attributes_of(self, name: str, root: ET.Element, parameters: Mapping[str, str]) -> None:
        """Every attribute that the sheet gives, against its formula."""
        elements = dict(_paths(root))
        self.folder.with_numbers.add(name)
        for path, formula in self.attributes.items():
            self.folder.calculated += 1
            place, _, attribute = path.partition("@")
            element = elements.get(place)
            text = element.get(attribute) if element is not None else None
            if text is None:
                self.folder.differ("V564", name, path, "", f"it is not there; {formula} gives it", self.id)
                continue
            try:
                stated = _evaluated(text, parameters)
            except (FormulaFault, ValueError) as error:
                self.folder.differ("V564", name, path, text, f"no number: {error}", self.id)
                continue
            self._calculated(path, text, stated, formula, _ATTRIBUTE, name)


def _id(data: Mapping[str, Any]) -> str:
    """The test of a sidecar: a stage's own id may hold its variant."""
    return str(data["scenario"] if "scenario" in data else data["id"])


def _of_condition(key: str) -> bool:
    """Numbers of open conditions stand in the words of a sidecar, not in its values."""
    return bool(re.search(r"(?:^|\.)(?:applies_if|only_if|unless|holds_if|reason)\b", key))


def _written(digits: str) -> Fraction:
    """How far a number may lie from one that is written with these places: half of the last, nothing where the nine of a sheet are not
    used up."""
    places = len(digits.partition(".")[2])
    return Fraction(1, 2 * 10**places) if places >= 9 else Fraction(0)


def _conditions(own: Sequence[Open]) -> str:
    return f"scenarios.json says {'; '.join(item.words for item in own) or 'no condition'}"


def _around(number: WrittenNumber) -> str:
    around = number.tolerance
    return "none" if around is None else f"+{shown(around.plus)}/-{shown(around.minus)} {number.unit}".strip()


def _digits(number: float) -> str:
    return f"{Decimal(repr(number)):.9f}".rstrip("0").rstrip(".")


# ---------------------------------------------------------------- OpenSCENARIO


def _parsed(content: bytes) -> ET.Element:
    try:
        return ET.fromstring(content)
    except (ET.ParseError, LookupError) as error:
        raise ValueError(f"no XML: {error}") from error


def _paths(root: ET.Element) -> Iterator[tuple[str, ET.Element]]:
    """Every element by its path; children of one tag are counted from 1 where there are several."""
    open_ = [("", root)]
    while open_:
        path, element = open_.pop()
        yield path, element
        by_tag: dict[str, list[ET.Element]] = {}
        for child in element:
            by_tag.setdefault(child.tag, []).append(child)
        above = f"{path}/" if path else ""
        for tag, children in by_tag.items():
            several = len(children) > 1
            open_ += [(f"{above}{tag}[{number}]" if several else above + tag, child) for number, child in enumerate(children, 1)]


def _parameters(root: ET.Element) -> dict[str, str]:
    """Declared parameters with their numbers."""
    parameters = {str(item.get("name")): str(item.get("value")) for item in root.iter("ParameterDeclaration")}
    return {name: value for name, value in parameters.items() if _NUMBER.fullmatch(value)}


def _evaluated(text: str, parameters: Mapping[str, str]) -> float:
    """A number, or an expression over parameters: "${$subject_kph * 5 / 18}"."""
    if _NUMBER.fullmatch(text):
        return float(text)
    inner = text[2:-1] if text.startswith("${") and text.endswith("}") else text
    return SheetLines({name: {"value": value} for name, value in parameters.items()}).calculate(inner)


def parameter_name(binding: str, unit: str) -> str:
    """A parameter as logical files call it: subject in km/h is subject_kph."""
    ending = _ENDINGS[unit] if unit in _ENDINGS else re.sub(r"\W+", "_", unit)
    return f"{binding}_{ending}" if ending else binding


def _named(test: Test) -> dict[str, WrittenNumber]:
    """The single numbers of a test by parameter."""
    return {parameter_name(part, number.unit): number for part, number in test.single.items()}


def _assigned(folder: Folder, file: str, test: Test, name: str, text: str) -> None:
    """A parameter's number against the test's."""
    number = _named(test).get(name)
    if number is None or not _NUMBER.fullmatch(text):
        folder.differ("V563", file, f"{test.id}.{name}", text, "the test has no such number", test.id)
        return
    folder.with_numbers.add(file)
    folder.read += 1
    if number.lo is None or abs(Fraction(text) - number.lo) > Fraction(1, 10**6):
        folder.differ("V563", file, f"{test.id}.{name}", text, f"the test has {number.words}", test.id)


def _variation(folder: Folder, name: str, tests: Mapping[str, Test], groups: dict[str, list[str]]) -> None:
    """Each value set of a test; what a logical file is run with, by its path."""
    root = _parsed(folder.bytes(name) or b"")
    target = root.find(".//ScenarioFile")
    logical = str(target.get("filepath")).replace("../", "openscenario/") if target is not None else ""
    for one in root.iter("ParameterValueSet"):
        values = {str(item.get("parameterRef")): str(item.get("value")) for item in one.iter("ParameterAssignment")}
        test = tests.get(values.get("scenario_id", ""))
        if test is None:
            folder.differ("V563", name, "scenario_id", values.get("scenario_id", ""), "scenarios.json has no such test")
            continue
        groups.setdefault(logical, []).append(test.id)
        for key, text in values.items():
            if key == "status":
                if text != test.data["status"]:
                    folder.differ("V563", name, f"{test.id}.status", text, str(test.data["status"]), test.id)
            elif key != "scenario_id":
                _assigned(folder, name, test, key, text)
    for one in root.iter("StochasticDistribution"):
        _range(folder, name, one, tests)


def _range(folder: Folder, name: str, one: ET.Element, tests: Mapping[str, Test]) -> None:
    """The range of an open number."""
    test = tests.get(name.rpartition("/")[2].removesuffix(".xosc"))
    limits = one.find(".//Range")
    if test is None or limits is None:
        return
    ends = (Fraction(str(limits.get("lowerLimit"))), Fraction(str(limits.get("upperLimit"))))
    key = str(one.get("parameterName"))
    own = [
        number
        for path, number in test.numbers.items()
        if path.startswith("bind.") and parameter_name(path.removeprefix("bind."), number.unit) == key
    ]
    folder.with_numbers.add(name)
    folder.read += 1
    if own and own[0].lo is not None and (own[0].lo, own[0].hi) != ends:
        said = f"{shown(ends[0])} to {shown(ends[1])}"
        folder.differ("V563", name, f"{test.id}.{key}", said, f"the test has {own[0].words}", test.id)


def _group(
    folder: Folder, name: str, tests: Mapping[str, Test], groups: Mapping[str, list[str]], beside: Mapping[str, _Sidecar]
) -> None:
    """A logical file of several tests: declared numbers are those of the test that it names, ranges those of all, attributes those of
    that test's own file."""
    root = _parsed(folder.bytes(name) or b"")
    declared = {str(item.get("name")): item for item in root.iter("ParameterDeclaration")}
    id = declared["scenario_id"].get("value") if "scenario_id" in declared else None
    test = tests.get(str(id))
    if test is None:
        folder.differ("V563", name, "scenario_id", str(id), "scenarios.json has no such test")
        return
    members = [tests[member] for member in dict.fromkeys(groups.get(name, ()))]
    for key, item in declared.items():
        if key in ("scenario_id", "status"):
            continue
        _assigned(folder, name, test, key, str(item.get("value")))
        ends = [number.lo for member in members if (number := _named(member).get(key)) is not None and number.lo is not None]
        for limit in item.iter("ValueConstraint"):
            wanted = min(ends, default=None) if limit.get("rule") == "greaterOrEqual" else max(ends, default=None)
            folder.read += 1
            if wanted is not None and abs(Fraction(str(limit.get("value"))) - wanted) > Fraction(1, 10**6):
                held = f"the tests have {shown(wanted)}"
                folder.differ("V563", name, f"{key} {limit.get('rule')}", str(limit.get("value")), held, test.id)
    own = beside.get(f"openscenario/concrete/{test.id}")
    if own is not None:
        own.attributes_of(name, root, _parameters(root))


def _of_phase(key: str) -> str:
    """The name in scenarios.json of a number that a line gives: "phase2.bind.target" is the target of the second phase there."""
    phase = re.fullmatch(r"phase(\d+)\.(bind\..+)", key)
    return key if phase is None else f"phases.{int(phase[1]) - 1}.{phase[2]}"
