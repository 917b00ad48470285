"""One build of the CARLA target: configurations in CARLA's left-handed frame, from the same numbers as the OpenSCENARIO files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from regc.assumed import Pedestrian
from regc.model.scenario import Scenario
from regc.targets import _osc_sidecar as sidecar
from regc.targets._carla_config import (
    Actor,
    Aeb,
    Box,
    CarlaConfig,
    Location,
    Map,
    Motion,
    Physics,
    Rotation,
    Timing,
    Transform,
    Weather,
    World,
)
from regc.targets._osc_formula import Value
from regc.targets._osc_values import Setup, Values, values

#: Height above the road at which bodies are spawned, so that they do not start inside it; they settle before the run (m).
_SPAWN_LIFT = 0.3


@dataclass(frozen=True)
class Anchor:
    """Where in a named town the run's origin lies (CARLA's frame, m and degrees): the origin of the built-in road, +x ahead."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw: float = 0.0

    def place(self, x: float, y: float, z: float, heading: float) -> Transform:
        """A point of the right-handed road frame (m, rad) as a transform of CARLA's."""
        turn = math.radians(self.yaw)
        mirrored = -y
        return Transform(
            location=Location(
                x=_rounded(self.x + x * math.cos(turn) - mirrored * math.sin(turn)),
                y=_rounded(self.y + x * math.sin(turn) + mirrored * math.cos(turn)),
                z=_rounded(self.z + z),
            ),
            rotation=Rotation(yaw=_rounded(self.yaw - math.degrees(heading))),
        )


def _rounded(value: float) -> float:
    return round(value, 6) + 0.0


def config(
    scenario: Scenario, setup: Setup, blueprints: Mapping[str, str], place: Map, anchor: Anchor, losses: tuple[str, ...]
) -> tuple[CarlaConfig, Values, dict[str, Value]]:
    """The configuration of a driven scenario, and the numbers behind it."""
    numbers = values(scenario, setup)
    known = numbers.resolve()

    def number(name: str) -> float:
        return float(Decimal(str(known[name])))

    subject, target = numbers.subject, numbers.target
    ahead = float(subject.front - subject.length / 2)
    behind = 0.0 if isinstance(target, Pedestrian) else float(target.length / 2 - target.rear_overhang)
    direction = number("direction") if numbers.crossing else 0.0
    heading = direction * math.pi / 2
    friction = float(Decimal(str(known["peak_braking_coefficient"]))) if "peak_braking_coefficient" in known else None
    actors = [
        Actor(
            role="hero",
            blueprint=blueprints.get(scenario.category or "default", blueprints["default"]),
            transform=anchor.place(number("subject_x") + ahead, number("subject_y"), _SPAWN_LIFT, 0.0),
            box=Box(length=float(subject.length), width=float(subject.width), height=float(subject.height)),
            speed=_rounded(number("subject_test_speed")),
            physics=Physics(mass=number("subject_mass"), tire_friction=friction),
        ),
        Actor(
            role="target",
            blueprint=blueprints[scenario.target.type],
            transform=anchor.place(
                number("target_x") + behind * math.cos(heading), number("target_y") + behind * math.sin(heading), _SPAWN_LIFT, heading
            ),
            box=Box(length=float(target.length), width=float(target.width), height=float(target.height)),
            speed=0.0 if numbers.crossing else _rounded(number("prescribed_target_speed")),
            physics=None if isinstance(target, Pedestrian) else Physics(mass=float(target.mass)),
        ),
    ]
    run_up = target.run_up if numbers.crossing else None
    if run_up is not None:
        box = Box(length=float(run_up.obstacle_length), width=float(run_up.obstacle_width), height=float(run_up.obstacle_height))
        at = anchor.place(number("obstacle_x"), number("obstacle_y"), _SPAWN_LIFT, heading)
        actors.append(Actor(role="obstacle", blueprint=blueprints["obstacle"], transform=at, box=box))
    surroundings, timing, aeb = setup.track.environment, setup.track.timing, setup.vehicles.aeb
    weather = Weather(
        sun_azimuth_angle=_rounded(math.degrees(float(surroundings.sun_azimuth)) % 360),
        sun_altitude_angle=_rounded(math.degrees(float(surroundings.sun_elevation))),
    )
    lead = float(aeb.warning_ttc - aeb.braking_ttc)
    if "min_warning_lead_time" in known:
        lead = number("min_warning_lead_time") + float(aeb.warning_margin)
    demand = number("min_braking_demand") if "min_braking_demand" in known else float(aeb.braking_demand)
    about = sidecar.head(scenario, (), "", setup.ego)
    made = CarlaConfig(
        id=scenario.id,
        title=scenario.title,
        regulation=scenario.regulation,
        edition=scenario.edition,
        wording=scenario.wording,
        clause=f"{scenario.regulation} {scenario.clause}",
        status=scenario.status,
        family=scenario.family,
        category=scenario.category,
        load_state=scenario.load_state.kind if scenario.load_state else None,
        map=place,
        world=World(fixed_delta_seconds=float(setup.step)),
        weather=weather,
        approach_type="crossing" if numbers.crossing else "in_lane",
        actors=tuple(actors),
        target_motion=_motion(numbers, number),
        start_gap=_rounded(number("start_gap")),
        timing=Timing(
            approach_time=_rounded(number("approach_time")),
            min_straight_time=number("min_straight_time"),
            functional_ttc=number("functional_ttc"),
            after_contact=float(timing.after_contact),
            standstill=float(timing.standstill),
            end_time=_rounded(number("end_time")),
        ),
        aeb=Aeb(
            warning_ttc=_rounded(float(aeb.braking_ttc) + lead),
            braking_ttc=float(aeb.braking_ttc),
            late_braking_ttc=float(aeb.late_braking_ttc),
            demand=demand,
        ),
        criteria=about["criteria"],
        parameters=sidecar.parameters(numbers, known),
        assumptions=tuple(sidecar.assumptions(numbers, setup)) + _blueprint_notes(actors),
        sources=tuple(about["sources"]),
        losses=losses,
    )
    return made, numbers, known


def _motion(numbers: Values, number: Any) -> Motion:
    speed = _rounded(number("prescribed_target_speed"))
    if not numbers.crossing:
        return Motion(kind="constant" if speed else "stationary", speed=speed)
    target = numbers.target
    side: Literal["left", "right"] = "right" if number("direction") > 0 else "left"
    centre = 0.0 if isinstance(target, Pedestrian) else float(target.length / 2 - target.rear_overhang)
    return Motion(
        kind="crossing",
        speed=speed,
        start_ttc=_rounded(number("start_ttc")),
        acceleration=float(target.run_up.acceleration) if target.run_up else None,
        reference_from_centre=_rounded(float(target.reference_offset) - centre),
        side=side,
    )


def _blueprint_notes(actors: list[Actor]) -> tuple[dict[str, Any], ...]:
    return (
        {
            "code": "A851",
            "reason": "CARLA's own models stand in for the vehicles and targets; their size is read at run time and the gap kept",
            "replace_with": "--blueprints",
            "numbers": {actor.role: actor.blueprint for actor in actors},
        },
    )
