"""Logical scenarios: the same file with the regulation's numbers as parameters in its own units, and the value sets to run it with."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from scenariogeneration import xosc

from regc.model.scenario import Scenario
from regc.model.source import Quantity
from regc.targets._osc_catalogs import entry_name
from regc.targets._osc_formula import si_expression
from regc.targets._osc_storyboard import AUTHOR
from regc.targets._osc_values import Values
from regc.targets._osc_xml import text

#: leaf -> parameter that the file declares
_DECLARED = {
    "subject_test_speed": "subject_test_speed",
    "prescribed_target_speed": "target_speed",
    "max_impact_speed": "max_impact_speed",
    "min_ttc": "min_ttc",
    "min_straight_time": "min_straight_time",
    "min_braking_demand": "min_braking_demand",
}


def group_name(scenario: Scenario) -> str:
    """<family>_<category>_<load>: the scenarios of a group differ in values alone."""
    load = scenario.load_state.token if scenario.load_state else ""
    parts = [scenario.family, scenario.category or "", scenario.group or "", load]
    return entry_name(*[part for part in parts if part])


def criterion(scenario: Scenario) -> str:
    """The criterion in words for a header."""
    limit = scenario.criteria.max_impact_speed
    return f"impact speed at most {limit.value:f} {limit.unit}" if limit else "none"


def symbols(values: Values) -> dict[str, str]:
    """Leaves as expressions over the declared parameters."""
    found = {}
    for name, parameter in _DECLARED.items():
        leaf = values.leaves.get(name)
        if leaf and leaf.quantity:
            found[name] = si_expression(parameter, leaf.quantity.unit)
    return found


def declarations(scenarios: Sequence[Scenario], values: Mapping[str, Values]) -> xosc.ParameterDeclarations:
    """The parameters, in the regulation's units, each within the range of the group's values (one constraint group a range)."""
    declared = xosc.ParameterDeclarations()
    first = values[scenarios[0].id]
    for name, parameter in _DECLARED.items():
        numbers = [leaf.quantity.value for item in scenarios if (leaf := values[item.id].leaves.get(name)) and leaf.quantity]
        leaf = first.leaves.get(name)
        if not leaf or not leaf.quantity or not numbers:
            continue
        if name == "min_braking_demand" and "braking_ttc" not in first.leaves:  # nothing in the file brakes
            continue
        group = xosc.ValueConstraintGroup()
        group.add_value_constraint(xosc.ValueConstraint(xosc.Rule.greaterOrEqual, f"{min(numbers):f}"))
        group.add_value_constraint(xosc.ValueConstraint(xosc.Rule.lessOrEqual, f"{max(numbers):f}"))
        item = xosc.Parameter(parameter, xosc.ParameterType.double, f"{leaf.quantity.value:f}")
        item.add_value_constraint_group(group)
        declared.add_parameter(item)
    return declared


def variation(name: str, scenarios: Sequence[Scenario], minor: int, date: str, description: str) -> bytes:
    """One value set a scenario: speeds and the limit that belongs to them, never their cross product."""
    xosc.VersionBase().setVersion(minor=minor)
    sets = xosc.DeterministicMultiParameterDistribution()
    for scenario in scenarios:
        chosen: dict[str, Quantity | None] = {
            "subject_test_speed": scenario.subject.test_speed,
            "target_speed": scenario.target.speed,
            "max_impact_speed": scenario.criteria.max_impact_speed,
        }
        values = xosc.ParameterValueSet()
        for parameter, quantity in chosen.items():
            if quantity:
                values.add_parameter(parameter, f"{quantity.value:f}")
        sets.add_value_set(values)
    deterministic = xosc.Deterministic()
    deterministic.add_multi_distribution(sets)
    made = xosc.ParameterValueDistribution(description, AUTHOR, f"../logical/{name}.xosc", deterministic, osc_minor_version=minor)
    made.header.creation_date = dt.datetime.fromisoformat(date)
    return text(made.get_element()).encode()
