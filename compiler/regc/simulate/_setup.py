"""Where a run starts and how its target moves, from the scenario's quantities and the assumed data; SI floats."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from regc.assumed import Pedestrian, Targets, Vehicles
from regc.errors import SimulationError
from regc.model.scenario import Scenario
from regc.model.units import si
from regc.simulate._geometry import Box

#: Steps by which the start of the functional part is earlier than asked, so that a sampled time to collision is never below it.
_SPARE_STEPS = 2


@dataclass(frozen=True)
class Assumptions:
    """The replaceable data that a run rests on."""

    vehicles: Vehicles
    targets: Targets


@dataclass(frozen=True)
class Setup:
    """Start of a run. The subject's front starts at x = 0 on y = 0 and drives along +x; `gap` is the distance to the target's
    nearest face (in lane) or to the crossing plane. A crossing target starts `start_distance` to the right of the centreline
    (its reference point), when the time to the plane falls to `start_ttc`, and needs `run_up_time` to its speed. m, s, m/s, kg."""

    subject_speed: float
    target_speed: float
    subject_box: Box
    target_box: Box
    target_reference: float
    approach: float
    functional_ttc: float
    gap: float
    crossing: bool
    start_ttc: float = 0.0
    start_distance: float = 0.0
    run_up_time: float = 0.0
    mass: float = 0.0
    running_order_mass: float = 0.0
    maximum_mass: float = 0.0


def setup(
    scenario: Scenario,
    data: Assumptions,
    *,
    step: float = 0.01,
    approach: float | None = None,
    subject_offset: float = 0.0,
    target_offset: float = 0.0,
) -> Setup:
    """The start of a driven scenario; offsets (m/s) are what the run's speeds differ from the nominal ones. Raises
    SimulationError for a scenario without the numbers that a start needs."""
    kind = scenario.target.type
    if scenario.approach_type == "manoeuvre" or kind not in data.targets.types:
        raise SimulationError(
            f"{scenario.id}: the kinematic engine drives in-lane and crossing targets, not {scenario.approach_type} of {kind}",
            hint="run its file in a player (--engine esmini)",
        )
    if scenario.trigger.min_ttc is None:
        raise SimulationError(
            f"{scenario.id}: no time to collision to start the functional part at", hint="see the scenario's findings"
        )
    _, vehicle = data.vehicles.of(scenario.category, scenario.group)
    target = data.targets.types[kind]
    front = float(vehicle.front)
    subject_box = Box(float(vehicle.length), float(vehicle.width), front - float(vehicle.length) / 2)
    ahead = 0.0 if isinstance(target, Pedestrian) else float(target.length / 2 - target.rear_overhang)
    target_box = Box(float(target.length), float(target.width), ahead)
    nominal_target = float(si(scenario.target.speed))
    subject_speed = float(si(scenario.subject.test_speed)) + subject_offset
    target_speed = nominal_target + target_offset
    functional_ttc = float(si(scenario.trigger.min_ttc)) + _SPARE_STEPS * step
    straight = float(si(scenario.approach.min_straight_time)) if scenario.approach.min_straight_time else 0.0
    crossing = scenario.approach_type == "crossing"
    run_up = target.run_up if crossing else None
    run_up_time, start_ttc = 0.0, float(si(scenario.trigger.min_ttc))
    start_distance = target_speed * start_ttc
    lead = max(approach or 0.0, straight)
    if run_up is not None:
        run_up_time = target_speed / float(run_up.acceleration)
        emerging = float(run_up.emerging_time)
        lead = max(lead, run_up_time + emerging + float(run_up.spare_time))
        start_ttc = functional_ttc + emerging + run_up_time
        start_distance = target_speed * (functional_ttc + emerging + run_up_time / 2)
    closing = subject_speed if crossing else subject_speed - target_speed
    if closing <= 0:
        raise SimulationError(f"{scenario.id}: the subject vehicle does not close in", hint="check speeds and offsets")
    kinds = {"running_order": vehicle.mass.running_order, "maximum_mass": vehicle.mass.maximum_mass}
    mass = kinds[scenario.load_state.kind] if scenario.load_state else Decimal(0)
    return Setup(
        subject_speed=subject_speed,
        target_speed=target_speed,
        subject_box=subject_box,
        target_box=target_box,
        target_reference=float(target.reference_offset) if crossing else ahead,
        approach=lead,
        functional_ttc=functional_ttc,
        gap=closing * (lead + functional_ttc),
        crossing=crossing,
        start_ttc=start_ttc,
        start_distance=start_distance,
        run_up_time=run_up_time,
        mass=float(mass),
        running_order_mass=float(vehicle.mass.running_order),
        maximum_mass=float(vehicle.mass.maximum_mass),
    )
