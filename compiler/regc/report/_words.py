"""How the report writes numbers, bounds, families and fields."""

from __future__ import annotations

from regc.model.scenario import Scenario
from regc.model.source import Quantity, Tolerance

_BOUNDS = {"eq": "", "ge": "≥ ", "le": "≤ ", "gt": "> ", "lt": "< "}
_UNITS = {"degC": "°C", "1": "", "m/s2": "m/s²", "per cent": "%"}

STATUS = {
    "mandatory": "mandatory",
    "ts_option": "option of the technical service",
    "envelope": "envelope",
    "guidance": "guidance",
}


def amount(quantity: Quantity) -> str:
    """Number with its source's digits, and unit: "0.2 m"."""
    return f"{quantity.value:f} {_UNITS.get(quantity.unit, quantity.unit)}".strip()


def bounded(quantity: Quantity) -> str:
    """Number and unit with the sign of its bound: "≥ 4 s"."""
    return _BOUNDS[quantity.bound] + amount(quantity)


def tolerance(stated: Tolerance) -> str:
    """ "+0/−2"."""
    return f"+{stated.plus:f}/−{stated.minus:f}"


def words(name: str) -> str:
    """A name of the model as words: "max_impact_speed" -> "max impact speed"."""
    return name.replace("_", " ").replace("ttc", "TTC")


def sentence(name: str) -> str:
    """The same with a large first letter."""
    text = words(name)
    return text[:1].upper() + text[1:]


def load(scenario: Scenario) -> str:
    """The load state in the edition's own words, empty for a scenario without one."""
    return scenario.load_state.term if scenario.load_state else ""
