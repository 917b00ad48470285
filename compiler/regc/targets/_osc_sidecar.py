"""The JSON beside a scenario file: what each of its numbers rests on, what was assumed, what the format could not hold."""

from __future__ import annotations

from typing import Any

from regc.files import json_bytes
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.source import Quantity
from regc.model.units import plain
from regc.targets._osc_formula import Value
from regc.targets._osc_values import Setup, Values

SCHEMA_VERSION = "1"

#: criteria are judged from the run; they steer nothing
CRITERIA = ("max_impact_speed", "min_warning_lead_time", "min_warning_modes", "min_braking_demand")


def quantity(item: Quantity) -> dict[str, Any]:
    """A quantity with the places that it rests on, in one line each."""
    found: dict[str, Any] = {"value": format(item.value, "f"), "unit": item.unit, "bound": item.bound, "basis": item.basis}
    if item.sources:
        found["sources"] = [source.label() for source in item.sources]
    if item.formula:
        found["formula"] = item.formula
    if item.assumption:
        found["assumption"] = item.assumption
    if item.tolerance:
        found["tolerance"] = {"plus": format(item.tolerance.plus, "f"), "minus": format(item.tolerance.minus, "f")}
        if item.tolerance.sources:
            found["tolerance"]["sources"] = [source.label() for source in item.tolerance.sources]
        if item.tolerance.assumption:
            found["tolerance"]["assumption"] = item.tolerance.assumption
    return found


def parameters(values: Values, known: dict[str, Value]) -> dict[str, Any]:
    """Every number of the file: its SI value, and the field, assumption or formula behind it."""
    found: dict[str, Any] = {}
    for name, leaf in values.leaves.items():
        entry: dict[str, Any] = {"value": plain(leaf.value), "unit": _si_unit(leaf.unit)}
        if leaf.field:
            entry["field"] = leaf.field
        if leaf.quantity:
            entry["basis"] = leaf.quantity.basis
            entry["sources"] = [source.label() for source in leaf.quantity.sources]
        if leaf.assumption:
            entry |= {"basis": "assumed", "assumption": leaf.assumption}
        found[name] = entry
    for name, item in values.derived.items():
        origins = values.origins(name)
        found[name] = {
            "value": str(known[name]) if isinstance(known[name], str) else plain(known[name]),  # type: ignore[arg-type]
            "unit": item.unit,
            "basis": "derived",
            "formula": item.formula,
            "fields": sorted({leaf.field for leaf in origins if leaf.field}),
            "assumptions": sorted({leaf.assumption for leaf in origins if leaf.assumption}),
        }
    return found


def _si_unit(unit: str) -> str:
    return {"km/h": "m/s", "mph": "m/s", "per cent": "1", "degC": "K", "cm": "m", "mm": "m", "km": "m", "ft": "m"}.get(unit, unit)


def assumptions(values: Values, setup: Setup, scenario: Scenario | None = None) -> list[dict[str, Any]]:
    """Every assumed number, grouped by its code, with the reason and the option that replaces it; with `scenario`
    also those made while the document was read."""
    reasons = {
        "A811": (values.subject.reason, "--vehicle"),
        "A812": (values.subject.mass_reason, "--vehicle"),
        "A813": (setup.vehicles.aeb.reason, "--vehicle"),
        "A821": (values.target.reason, "--targets"),
        "A831": (setup.track.road.reason, "--road"),
        "A832": (setup.track.environment.reason, "--road"),
        "A834": (setup.track.timing.reason, "--road, --approach"),
        "A835": ("two steps more than the least time to collision, so that a sampled reading is never below it", "--step"),
        "A836": ("the document gives no such time for this test", "--road"),
        "A841": ("the side from which the target comes is left open", "--crossing-from"),
        "A842": ("the side of the road is left open", "--traffic"),
    }
    if run_up := values.target.run_up:
        reasons["A822"] = reasons["A823"] = (run_up.reason, "--targets")
    numbers: dict[str, dict[str, str]] = {"A842": {"right_hand_traffic": "1" if setup.right_hand else "0"}}
    for leaf in values.leaves.values():
        if leaf.assumption:
            numbers.setdefault(leaf.assumption, {})[leaf.name] = f"{plain(leaf.value)} {leaf.unit}"
    for name, item in scenario.quantities() if scenario else ():
        if item.assumption:
            numbers.setdefault(item.assumption, {})[name] = f"{item.value:f} {item.unit}"
        if item.tolerance and item.tolerance.assumption:
            text = f"+{item.tolerance.plus:f}/-{item.tolerance.minus:f} {item.unit}"
            numbers.setdefault(item.tolerance.assumption, {})[f"{name}.tolerance"] = text
    other = ("made while the document was read; see regc explain", "the document")
    return [
        {"code": code, "reason": reasons.get(code, other)[0], "replace_with": reasons.get(code, other)[1], "numbers": numbers[code]}
        for code in sorted(numbers)
    ]


def head(scenario: Scenario, losses: tuple[Finding, ...], osc_version: str, ego: str) -> dict[str, Any]:
    """What a sidecar says of any scenario."""
    found: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "id": scenario.id,
        "title": scenario.title,
        "regulation": scenario.regulation,
        "edition": scenario.edition,
        "wording": scenario.wording,
        "family": scenario.family,
        "category": scenario.category,
        "load_state": scenario.load_state.model_dump(include={"term", "kind"}) if scenario.load_state else None,
        "status": scenario.status,
        "status_sources": [source.label() for source in scenario.status_sources],
        "clause": scenario.clause,
        "openscenario": osc_version,
        "ego": ego,
        "quantities": {name: quantity(item) for name, item in scenario.quantities()},
        "criteria": {name: quantity(item) for name in CRITERIA if (item := getattr(scenario.criteria, name))},
        "sources": sorted({source.label() for _, item in scenario.quantities() for source in item.sources}),
        "losses": [{"code": loss.code, "severity": loss.severity, "message": loss.message} for loss in losses],
    }
    found["criteria"]["warning_rule"] = scenario.criteria.warning_rule
    found["criteria"]["no_braking_demand"] = scenario.criteria.no_braking_demand
    return found


def dump(content: dict[str, Any]) -> bytes:
    """Fixed bytes, written as every JSON file of regc."""
    return json_bytes(content)
