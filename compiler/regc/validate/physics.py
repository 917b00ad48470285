"""Derived numbers follow from their parts, limits are lower than the closing speed, and braking can reach them."""

from __future__ import annotations

from decimal import Decimal

from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.units import si
from regc.validate._candidate import Candidate

#: m/s2; with the peak braking coefficient it bounds the deceleration that a road can give.
_GRAVITY = Decimal("9.81")


def check(candidate: Candidate) -> tuple[Finding, ...]:
    """V531 relative speed, V532 limit not below the closing speed, V533 a limit that no braking on that road can reach."""
    findings: list[Finding] = []
    for scenario in candidate.scenarios:
        findings.extend(_speeds(scenario))
        findings.extend(_reachable(scenario))
    return tuple(findings)


def _speeds(scenario: Scenario) -> list[Finding]:
    relative, limit = scenario.relative_speed, scenario.criteria.max_impact_speed
    findings: list[Finding] = []
    if relative is not None:
        target = scenario.target.speed.value if scenario.approach_type == "in_lane" else Decimal(0)
        if relative.value != scenario.subject.test_speed.value - target:
            message = f"relative speed {relative.value} is not {scenario.subject.test_speed.value} - {target} {relative.unit}"
            findings.append(_finding("V531", scenario, "relative_speed", message))
    if relative is not None and limit is not None and limit.value >= relative.value:
        message = f"limit {limit.value} {limit.unit} is not below the relative speed {relative.value} {relative.unit}"
        findings.append(_finding("V532", scenario, "criteria.max_impact_speed", message))
    return findings


def _reachable(scenario: Scenario) -> list[Finding]:
    """Braking from the start of the functional part at the road's friction must be able to come down to the limit."""
    relative, limit = scenario.relative_speed, scenario.criteria.max_impact_speed
    ttc, friction = scenario.trigger.min_ttc, scenario.environment.peak_braking_coefficient
    if relative is None or limit is None or ttc is None or friction is None or limit.unit != relative.unit:
        return []
    closing, left = si(relative), si(limit)
    if closing <= 0 or ttc.value <= 0:
        return []  # V532 and V512 tell it
    needed = (closing**2 - left**2) / (2 * closing * si(ttc))
    if needed <= friction.value * _GRAVITY:
        return []
    message = f"{needed:.1f} m/s2 from the start of the functional part are needed, the road gives {friction.value * _GRAVITY:.1f} m/s2"
    return [_finding("V533", scenario, "criteria.max_impact_speed", message)]


def _finding(code: str, scenario: Scenario, field: str, message: str) -> Finding:
    limit = scenario.criteria.max_impact_speed
    source = limit.sources[0] if limit and limit.sources else None
    place = source.label() if source else scenario.clause
    hint = "compare the speeds and the limit with the official text"
    return Finding(
        code=code, severity="error", scenario=scenario.id, field=field, source=source, message=f"{place}: {message}", hint=hint
    )
