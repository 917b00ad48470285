"""Logical scenarios: the file of a group of tests with the regulation's numbers as parameters in its own units, and the values to run
it with: one to try it, the prescribed ones, the further ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from regc.model.criterion import Criterion
from regc.model.scenario import Scenario
from regc.model.stage import Stage
from regc.model.units import plain
from regc.model.value import Value
from regc.targets.openscenario.storyboard import DeclaredParameter, Header, file_header
from regc.targets.xml_writer import Numbers, Xml, serialized

#: unit of the regulation -> ending of a parameter's name
_ENDINGS = {
    "km/h": "kph",
    "mph": "mph",
    "m/s": "mps",
    "m/s2": "mps2",
    "s": "s",
    "ms": "ms",
    "m": "m",
    "cm": "cm",
    "mm": "mm",
    "per cent": "percent",
    "deg": "deg",
    "deg/s": "degps",
    "lux": "lux",
    "kg": "kg",
    "": "",
}

#: A sheet and the files that take its numbers write at most so many places.
PLACES = 9


@dataclass(frozen=True)
class OpenParameter:
    """A number that the tests of a group give values to. `line`: its name on the sheet ("bind.subject"), "" for a limit, which steers
    nothing."""

    name: str
    line: str
    path: str


def parameter_name(binding: str, unit: str) -> str:
    """`subject` in km/h -> `subject_kph`."""
    ending = _ENDINGS.get(unit)
    if ending is None:
        ending = re.sub(r"\W+", "_", unit)
    return f"{binding}_{ending}" if ending else binding


def opened(scenarios: Sequence[Scenario], stages: Mapping[str, Stage]) -> tuple[OpenParameter, ...]:
    """The numbers of a group: bindings that its sheet knows, and the limits of its criteria."""
    first = scenarios[0]
    sheet = stages[first.id].sheet
    parameters = []
    for binding, bound in first.bind.items():
        line = f"bind.{binding}"
        if isinstance(bound, Value) and bound.is_number and (line in sheet or _is_input(sheet, line)):
            parameters.append(OpenParameter(parameter_name(binding, bound.unit), line, line))
    for criterion in first.require:
        if criterion.limit is not None and criterion.limit.value.is_number:
            name = parameter_name(f"{criterion.label}_limit", criterion.limit.value.unit)
            parameters.append(OpenParameter(name, "", f"require.{criterion.label}.limit"))
    return tuple(parameters)


def _is_input(sheet: Mapping[str, object], line: str) -> bool:
    return any(line in str(getattr(entry, "formula", "")) for entry in sheet.values())


def values_of(scenario: Scenario) -> dict[str, Value]:
    """Every number of a test by its path."""
    return dict(scenario.values())


def varies(parameter: OpenParameter, scenarios: Sequence[Scenario]) -> bool:
    """Whether the tests give it more than one value."""
    return len({value.number for one in scenarios if (value := values_of(one).get(parameter.path)) is not None and value.is_number}) > 1


def symbols(parameters: Sequence[OpenParameter]) -> dict[str, str]:
    """Sheet name -> parameter."""
    return {item.line: f"${item.name}" for item in parameters if item.line}


def declarations(parameters: Sequence[OpenParameter], scenarios: Sequence[Scenario]) -> tuple[DeclaredParameter, ...]:
    """Each parameter with the first test's value and the range of the group's."""
    rows = [values_of(scenario) for scenario in scenarios]
    declared = []
    for item in parameters:
        numbers = [value.number for row in rows if (value := row.get(item.path)) is not None and value.is_number]
        texts = [plain(number, PLACES) for number in (numbers[0], min(numbers), max(numbers))]
        declared.append(DeclaredParameter(item.name, "double", *texts))
    return (
        DeclaredParameter("scenario_id", "string", scenarios[0].id),
        DeclaredParameter("status", "string", scenarios[0].status),
        *declared,
    )


def variation(name: str, parameters: Sequence[OpenParameter], scenarios: Sequence[Scenario], minor: int, header: Header) -> bytes:
    """One value set a test, never a cross product; each carries the test's id and status."""
    xml = Xml(Numbers.fixed())
    root = xml.node(None, "OpenSCENARIO")
    file_header(xml, root, header, minor)
    made = xml.nest(root, "ParameterValueDistribution")
    xml.node(made, "ScenarioFile", filepath=f"../logical/{name}.xosc")
    sets = xml.nest(made, "Deterministic", "DeterministicMultiParameterDistribution", "ValueSetDistribution")
    for scenario in scenarios:
        row = values_of(scenario)
        one = xml.nest(sets, "ParameterValueSet")
        xml.node(one, "ParameterAssignment", parameterRef="scenario_id", value=scenario.id)
        xml.node(one, "ParameterAssignment", parameterRef="status", value=scenario.status)
        for item in parameters:
            value = row.get(item.path)
            if value is not None and value.is_number:
                xml.node(one, "ParameterAssignment", parameterRef=item.name, value=_digits(value.number))
    return serialized(root)


def ranges(stage: Stage, minor: int, header: Header, name: str, names: Mapping[str, str]) -> bytes:
    """The distribution of a test that leaves a range open; one-sided values have no end to sample and are left to who runs it."""
    xml = Xml(Numbers.fixed())
    root = xml.node(None, "OpenSCENARIO")
    file_header(xml, root, header, minor)
    made = xml.nest(root, "ParameterValueDistribution")
    xml.node(made, "ScenarioFile", filepath=f"../logical/{name}.xosc")
    parent = xml.nest(made, "Stochastic")
    parent.set("numberOfTestRuns", "1")
    for item in stage.free:
        if item.lo is None or item.hi is None:
            continue
        one = xml.node(parent, "StochasticDistribution", parameterName=names[item.name])
        shape = xml.nest(one, "UniformDistribution")
        xml.node(shape, "Range", lowerLimit=_digits(item.lo), upperLimit=_digits(item.hi))
    return serialized(root)


def criterion_words(require: Sequence[Criterion]) -> str:
    """The criteria in words for a header: what is measured and its limit, or what must and must not happen."""
    parts = []
    for item in require:
        if item.form == "measure" and item.limit is not None:
            value = item.limit.value
            number = f"{_digits(value.number)} {value.unit}".strip() if value.is_number else value.symbol or "a range"
            parts.append(f"{(item.signal or '').replace('_', ' ')} {item.sign} {number}")
        elif item.form in ("happens", "never") and item.a is not None:
            parts.append(("no " if item.form == "never" else "") + item.a.name.replace("_", " "))
        elif item.a is not None and item.b is not None:
            by = f" by {_digits(item.by.number)} {item.by.unit}" if item.by is not None and item.by.is_number else ""
            parts.append(f"{item.a.name} {item.form} {item.b.name}{by}".replace("_", " "))
    return "; ".join(parts) or "none"


def _digits(number: Decimal) -> str:
    """With at most the places that a sheet has; a number of the document keeps its digits."""
    return plain(number, PLACES) if number != round(number, PLACES) else format(number, "f")
