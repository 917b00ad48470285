"""Units, plausible sizes, tolerance signs, and test speeds within the range in which the system must be active."""

from __future__ import annotations

from decimal import Decimal

from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.source import Quantity
from regc.model.units import known_units
from regc.validate._candidate import Candidate

#: Counts that are not physical units.
_COUNTS = ("times", "modes", "years")
#: What a vehicle test can mean, by unit: outside it a reading error is likelier than a test.
_PLAUSIBLE: dict[str, tuple[Decimal, Decimal]] = {
    "km/h": (Decimal(0), Decimal(300)),
    "mph": (Decimal(0), Decimal(200)),
    "m/s": (Decimal(0), Decimal(90)),
    "m/s2": (Decimal("0.1"), Decimal(20)),
    "s": (Decimal(0), Decimal(600)),
    "m": (Decimal(0), Decimal(2000)),
    "degC": (Decimal(-60), Decimal(200)),
    "lux": (Decimal(0), Decimal(200000)),
    "per cent": (Decimal(-100), Decimal(100)),
    "kg": (Decimal(0), Decimal(60000)),
    "times": (Decimal(1), Decimal(20)),
    "modes": (Decimal(1), Decimal(5)),
}


#: The same for fields whose size any test of this kind bounds more narrowly.
_PLAUSIBLE_FIELDS: dict[str, tuple[Decimal, Decimal]] = {
    "trigger.min_ttc": (Decimal("0.5"), Decimal(15)),
    "approach.min_straight_time": (Decimal("0.5"), Decimal(30)),
    "approach.max_lateral_offset": (Decimal(0), Decimal(2)),
    "approach.impact_point_tolerance": (Decimal(0), Decimal(1)),
    "criteria.min_warning_lead_time": (Decimal("0.1"), Decimal(5)),
    "criteria.min_braking_demand": (Decimal("0.5"), Decimal(12)),
}


def check(candidate: Candidate) -> tuple[Finding, ...]:
    """V511 unit, V512 size, V513 tolerance, V514 test speed outside the speed range, V515 a lower bound above its upper one."""
    findings: list[Finding] = []
    for owner, field, quantity in candidate.quantities():
        findings.extend(_quantity(owner, field, quantity))
    for scenario in candidate.scenarios:
        findings.extend(_speed_range(scenario))
        findings.extend(_bounds(scenario))
    return tuple(findings)


def _quantity(owner: str, field: str, quantity: Quantity) -> list[Finding]:
    findings: list[Finding] = []
    place = quantity.sources[0].label() if quantity.sources else "assumed"
    said = f"{place}: {field} = {quantity.value} {quantity.unit}"
    source = quantity.sources[0] if quantity.sources else None

    def add(code: str, message: str, hint: str) -> None:
        findings.append(
            Finding(code=code, severity="error", scenario=owner, field=field, source=source, message=f"{said}: {message}", hint=hint)
        )

    if quantity.unit not in known_units() and quantity.unit not in _COUNTS:
        add("V511", "unknown unit", f"known units: {', '.join(known_units())}")
    narrow = _PLAUSIBLE_FIELDS.get(field) if quantity.unit in ("s", "m", "m/s2") else None
    bounds = narrow or _PLAUSIBLE.get(quantity.unit)
    if bounds and not bounds[0] <= quantity.value <= bounds[1]:
        add("V512", f"outside what a test can mean ({bounds[0]} to {bounds[1]})", "compare the source with the official text")
    tolerance = quantity.tolerance
    if tolerance and quantity.value and max(tolerance.plus, tolerance.minus) >= abs(quantity.value):
        add("V513", f"tolerance +{tolerance.plus}/-{tolerance.minus} is as large as the value", "compare the tolerance with its source")
    return findings


def _bounds(scenario: Scenario) -> list[Finding]:
    """A field "min_x" is not above its "max_x"."""
    values = dict(scenario.quantities())
    findings: list[Finding] = []
    for field, low in values.items():
        part, _, name = field.rpartition(".")
        high = values.get(f"{part}.max_{name.removeprefix('min_')}") if name.startswith("min_") else None
        if high is None or high.unit != low.unit or low.value <= high.value:
            continue
        place = low.sources[0].label() if low.sources else scenario.clause
        findings.append(
            Finding(
                code="V515",
                severity="error",
                scenario=scenario.id,
                field=field,
                source=low.sources[0] if low.sources else None,
                message=f"{place}: {field} = {low.value} {low.unit} is above the upper bound, {high.value} {high.unit}",
                hint="the two bounds may have changed places; compare the sentence with the official text",
            )
        )
    return findings


def _speed_range(scenario: Scenario) -> list[Finding]:
    """The prescribed speed must lie in the range in which the system has to be active (the tolerance may leave it)."""
    named = {item.name: item.quantity for item in scenario.envelope}
    low, high = named.get("min_speed"), named.get("max_speed")
    speed = scenario.subject.test_speed
    if low is None or high is None or low.value <= speed.value <= high.value:
        return []
    return [
        Finding(
            code="V514",
            severity="error",
            scenario=scenario.id,
            field="subject.test_speed",
            source=speed.sources[0] if speed.sources else None,
            message=f"{speed.sources[0].label()}: test speed {speed.value} {speed.unit} is outside the speed range "
            f"{low.value} to {high.value} {low.unit} ({low.sources[0].clause})",
            hint="compare the speed and the range with the official text",
        )
    ]
