"""What the drawn top view of a scenario needs: speeds, times and boxes in SI, from its numbers and the assumed sizes."""

from __future__ import annotations

from typing import Any

from regc.assumed import Pedestrian, TargetData, Targets, Track, Vehicles
from regc.model.scenario import Scenario
from regc.model.source import Quantity
from regc.model.units import si


def view(scenario: Scenario, vehicles: Vehicles, targets: Targets, track: Track) -> dict[str, Any] | None:
    """Numbers of the drawing; None for a manoeuvre, whose path no document gives, or where a speed is not enough to draw.

    `vs`, `vt` m/s, `ttc` and `lead` s (time to collision at the start of the functional part, straight approach before it),
    `lim` m/s at contact, `acc` m/s2 of the braking demand, `warn` s of lead of the warning, `sub` and `tgt` (length, width) m,
    `ahead` m of a crossing target's box before the point that is to meet the centreline.
    """
    kind = scenario.target.type
    if scenario.approach_type == "manoeuvre" or kind not in targets.types:
        return None
    crossing = scenario.approach_type == "crossing"
    subject_speed, target_speed = _si(scenario.subject.test_speed), _si(scenario.target.speed)
    closing = subject_speed if crossing else subject_speed - target_speed
    if closing <= 0:
        return None
    _, vehicle = vehicles.of(scenario.category)
    target = targets.types[kind]
    criteria, timing = scenario.criteria, track.timing
    demand = criteria.min_braking_demand
    found = {
        "kind": "cross" if crossing else "lane",
        "vs": subject_speed,
        "vt": target_speed,
        "ttc": _si(scenario.trigger.min_ttc) if scenario.trigger.min_ttc else float(timing.fallback_ttc),
        "lead": _si(scenario.approach.min_straight_time) if scenario.approach.min_straight_time else 0.0,
        "lim": _si(criteria.max_impact_speed) if criteria.max_impact_speed else None,
        "acc": _si(demand) if demand else None,
        "warn": _si(criteria.min_warning_lead_time) if criteria.min_warning_lead_time else None,
        "sub": [float(vehicle.length), float(vehicle.width)],
        "tgt": [float(target.length), float(target.width)],
        "shape": "pedestrian" if isinstance(target, Pedestrian) else target.kind,
        "ahead": _ahead(target) if crossing else float(target.length),
        "lane": float(track.road.lane_width),
        "off": _si(scenario.approach.max_lateral_offset) if scenario.approach.max_lateral_offset else None,
    }
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in found.items() if value is not None}


def _ahead(target: TargetData) -> float:
    """From the reference point to the front; the origin is the centre of a pedestrian and the rear axle of all else."""
    front = target.length / 2 if isinstance(target, Pedestrian) else target.length - target.rear_overhang
    return float(front - target.reference_offset)


def _si(quantity: Quantity) -> float:
    return float(si(quantity))
