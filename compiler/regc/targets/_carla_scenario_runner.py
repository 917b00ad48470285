"""OpenSCENARIO 1.0 in the subset that CARLA's scenario runner takes: entities in the file, no parameters, criteria as stop conditions.

The scenario runner measures from an actor's centre, so positions and the impact point are given for box centres.
"""

from __future__ import annotations

import functools
import math
from decimal import Decimal
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from regc.assumed import Bicycle, Car, Pedestrian, Wheeled
from regc.model.scenario import Scenario
from regc.model.units import plain, si
from regc.resources import resource
from regc.targets._carla_config import CarlaConfig
from regc.targets._osc_formula import Value
from regc.targets._osc_values import Setup, Values

_LIFT = "0.3"


def scenario_file(
    scenario: Scenario, made: CarlaConfig, numbers: Values, known: dict[str, Value], setup: Setup, *, date: str, road: str
) -> bytes:
    """The file of a driven scenario; right-handed coordinates, which the scenario runner mirrors itself."""
    texts = _texts(scenario, made, numbers, known, setup)
    return _template().render(**texts, date=date, road=road).encode()


@functools.cache
def _template() -> Template:
    loader = FileSystemLoader(resource("templates", "carla"))
    environment = Environment(loader=loader, undefined=StrictUndefined, keep_trailing_newline=True, autoescape=True)
    return environment.get_template("scenario_runner.xosc.j2")


def _texts(scenario: Scenario, made: CarlaConfig, numbers: Values, known: dict[str, Value], setup: Setup) -> dict[str, Any]:
    def number(name: str) -> float:
        return float(Decimal(str(known[name])))

    def written(value: float) -> str:
        return plain(Decimal(repr(value)), 6)

    subject, target = numbers.subject, numbers.target
    direction = number("direction") if numbers.crossing else 0.0
    heading = direction * math.pi / 2
    behind = 0.0 if isinstance(target, Pedestrian) else float(target.length / 2 - target.rear_overhang)
    ahead = float(subject.front - subject.length / 2)
    speed = number("prescribed_target_speed")
    # Without a run-up the target starts at its speed, at the functional part at the latest that the least TTC allows.
    start_ttc = number("functional_ttc") if not numbers.crossing or numbers.target.run_up else number("start_ttc")
    target_y = number("target_y")
    if numbers.crossing:
        target_y = number("subject_y") - direction * (speed * start_ttc + number("reference_offset"))

    def at(x: float, y: float, turn: float) -> dict[str, str]:
        return {"x": written(x), "y": written(y), "z": _LIFT, "h": written(turn)}

    start = at(number("target_x") + behind * math.cos(heading), target_y + behind * math.sin(heading), heading)
    end = at(number("target_x"), number("path_end_y"), heading) if numbers.crossing else None
    impact = at(number("impact_x") + float(subject.length) / 2, number("subject_y"), 0.0) if numbers.crossing else None
    surroundings = setup.track.environment
    top = scenario.subject.test_speed
    fastest = si(top) + (si(top.model_copy(update={"value": top.tolerance.plus})) if top.tolerance else Decimal(0))
    walks = isinstance(target, Pedestrian)
    return {
        "id": scenario.id,
        "title": scenario.title,
        "note": "Wording of an embedded edition, not of the official text."
        if scenario.wording == "embedded"
        else "From the official text.",
        "hero": _vehicle(subject, made.actors[0].blueprint, "car", "ego_vehicle")
        | {"at": at(number("subject_x") + ahead, number("subject_y"), 0.0), "speed": written(number("subject_test_speed"))},
        "target": _target(target, made.actors[1].blueprint)
        | {"at": start, "speed": written(speed), "initial_speed": "0" if numbers.crossing else written(speed)},
        "route": None if walks or end is None else (start, end),
        "impact": impact,
        "event": "TargetStarts" if numbers.crossing else "FunctionalPart",
        "start_ttc": written(start_ttc),
        "end_time": written(number("end_time")),
        "standstill": plain(setup.track.timing.standstill),
        "weather": {
            "date_time": surroundings.date_time,
            "sun_azimuth": plain(surroundings.sun_azimuth),
            "sun_elevation": plain(surroundings.sun_elevation),
            "visual_range": plain(surroundings.visual_range),
            "friction": written(number("peak_braking_coefficient")) if "peak_braking_coefficient" in known else "1",
        },
        "criteria": (("CollisionTest", "", ""), ("KeepLaneTest", "", ""), ("MaxVelocityTest", "max_velocity", plain(fastest))),
    }


def _vehicle(data: Wheeled, blueprint: str, category: str, kind: str) -> dict[str, str]:
    names = ("length", "width", "height", "wheelbase", "track_width", "wheel_diameter", "max_steering", "max_speed")
    found = {name: plain(getattr(data, name)) for name in (*names, "max_acceleration", "max_deceleration")}
    return found | {
        "blueprint": blueprint,
        "category": category,
        "type": kind,
        "half_height": plain(data.height / 2),
        "wheel_radius": plain(data.wheel_diameter / 2),
    }


def _target(data: Car | Bicycle | Pedestrian, blueprint: str) -> dict[str, str]:
    if not isinstance(data, Pedestrian):
        return _vehicle(data, blueprint, "bicycle" if isinstance(data, Bicycle) else "car", "simulation")
    found = {name: plain(getattr(data, name)) for name in ("length", "width", "height", "mass")}
    return found | {"blueprint": blueprint, "category": "pedestrian", "half_height": plain(data.height / 2)}
