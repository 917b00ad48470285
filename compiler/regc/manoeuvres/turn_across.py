"""The subject vehicle turns across the way of an oncoming vehicle.

With bounds (a speed and a time to collision when it begins to steer, a speed in the turn, a time when the overlap ends) the oncoming
vehicle stands, nobody is touched, and the radius is the least at which the last bound holds. Without them the target meets the subject
vehicle's front in the turn, where the middle of that front comes to the side of the target's way.
"""

from __future__ import annotations

import math

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.paths import QUARTER_TURN
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.road import lane, shaped_road, straight_road
from regc.manoeuvres.search import least, overlap_ends, trial
from regc.manoeuvres.system import approach_system, yielding_system
from regc.model.stage import Change, Road, Stage

_HALF = "3.141592653589793"
_BOUNDS = ("steer_speed", "steer_ttc", "turn_speed", "clear_ttc")


def stage(plan: Plan) -> Stage:
    """Raises StagingError where no radius keeps every bound without a contact, or a bound is missing."""
    if not any(plan.has(bound) for bound in _BOUNDS):
        return _meeting(plan)
    numbers = plan.data.layouts.tables["turn_across"].numbers

    def fits(made: Stage) -> bool:
        leaves = overlap_ends(trial(made).since(_steers(made)))
        return leaves is not None and leaves.ttc <= made.sheet["clear_ttc"].value

    radius = least(
        numbers["least_radius"], numbers["greatest_radius"], numbers["radius_step"], lambda radius: fits(_bounded(plan.fresh(), radius))
    )
    made = _bounded(plan, radius)
    if not fits(made) or trial(made).touches():
        raise StagingError(
            f"{plan.scenario.id}: no turn keeps every bound without a contact", hint="change turn_across in a file for --layouts"
        )
    return made


def _steers(stage: Stage) -> float:
    """A time not after the steering begins."""
    return stage.subject.path[0].length / stage.subject.speed


def _bounded(plan: Plan, radius: float) -> Stage:
    """The layout for a radius: the target stands in the lane beside, as near as the first bound says."""
    kind = _measured(plan)
    _speeds(plan, f"{plan.si('steer_speed')} + speed_margin", f"{plan.si('turn_speed')} + speed_margin")
    plan.common("time_margin")
    plan.derive("steer_ttc", f"{plan.si('steer_ttc')} - time_margin", "s")
    plan.derive("clear_ttc", f"{plan.si('clear_ttc')} - time_margin", "s")
    reason = plan.data.layouts.tables["turn_across"].reason
    plan.sheet.assumed("radius", radius, "m", "A844", reason, "layouts.toml: turn_across.least_radius")
    _subject(plan)
    plan.derive("target.start.heading", _HALF, "rad")
    x = "subject.start.x + straight + subject.front + steer_speed * steer_ttc + target.front"
    plan.add(TARGET, kind, x=x, y="road.lane_width", heading="target.start.heading")
    return _finish(plan, x)


def _meeting(plan: Plan) -> Stage:
    """The target drives towards the subject vehicle and meets its front in the turn."""
    kind = _measured(plan)
    plan.layout("turn_across", "turn_speed", "m/s", "layout_turn_speed")
    # players know no minimum, so a logical file has the speed that is lower at its default
    _speeds(plan, "layout_turn_speed" if plan["layout_turn_speed"] < plan["subject.speed"] else "subject.speed", "steer_speed")
    plan.layout("turn_across", "radius", "m", "radius")
    _subject(plan, driver=False)
    plan.derive("target_speed", plan.si("target"), "m/s")
    overlap = plan.si("overlap") if plan.has("overlap") else "0.5"
    # the part of the subject vehicle's front, from its left end, that is in the target's way
    plan.derive("side_y", "road.lane_width - target.width / 2", "m")
    plan.derive("from_middle", f"(0.5 - {overlap}) * subject.width", "m")
    plan.sheet.assumed(
        "meeting_turn",
        _turned(plan["radius"], plan["subject.front"], plan["from_middle"], plan["side_y"]),
        "rad",
        "A844",
        "the turn after which that part of the front has come to the side of the target's way",
        "layouts.toml: turn_across.radius",
    )
    braking = "(subject.speed - steer_speed) / deceleration"
    plan.derive("meeting_time", f"straight_time + {braking} + radius * meeting_turn / turn_speed", "s")
    plan.derive(
        "meeting_x",
        "subject.start.x + straight + radius * sin(meeting_turn) + subject.front * cos(meeting_turn) - from_middle * sin(meeting_turn)",
        "m",
    )
    plan.derive("target.start.heading", _HALF, "rad")
    x = "meeting_x + target_speed * meeting_time + target.front"
    plan.add(
        TARGET,
        kind,
        x=x,
        y="road.lane_width",
        heading="target.start.heading",
        legs=[("target_speed * (meeting_time + after_time)", "")] if plan["target_speed"] > 0 else (),
        speed="target_speed" if plan["target_speed"] > 0 else "",
    )
    return _finish(plan, x, "meeting_time")


def _turned(radius: float, front: float, from_middle: float, y: float) -> float:
    """The angle of the turn at which a point of the front lies on a line beside the start; from_middle: left positive."""
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        reached = radius * (1 - math.cos(middle)) + front * math.sin(middle) + from_middle * math.cos(middle)
        low, high = (middle, high) if reached < y else (low, middle)
    return round(high, 9)


def _measured(plan: Plan) -> str:
    plan.measure_subject()
    kind = plan.kind(TARGET)
    plan.measure(TARGET, kind)
    lane(plan)
    return kind


def _speeds(plan: Plan, steer_speed: str, turn_speed: str) -> None:
    """The lines of the speeds before and in the turn, and of the way to it."""
    plan.common("speed_margin", "deceleration", "straight_time", "after_time")
    plan.derive("steer_speed", steer_speed, "m/s")
    plan.derive("turn_speed", turn_speed, "m/s")
    plan.derive("braking_way", "(subject.speed * subject.speed - steer_speed * steer_speed) / (2 * deceleration)", "m")
    plan.derive("straight", "subject.speed * straight_time + braking_way", "m")


def _subject(plan: Plan, *, driver: bool = True) -> None:
    """The subject vehicle's way. Its driver slows it down for the turn, or where the test has the system drive, the vehicle itself."""
    plan.layout("turn_across", "arm", "m", "arm")
    who, name = ("driver", "driver_brakes") if driver else (SUBJECT, "slows_down")
    brakes = approach.gone(plan, f"{who}.{name}.when", SUBJECT, "straight - braking_way", "subject.speed")
    changes: list[Change] = [plan.change(who, name, brakes, "steer_speed", "deceleration")]
    if plan["turn_speed"] != plan["steer_speed"]:
        steers = plan.moment("driver.driver_slows_in_turn.when", "travelled", of=SUBJECT, value="straight", unit="m")
        changes.append(plan.change("driver", "driver_slows_in_turn", steers, "turn_speed", "deceleration"))
    legs = [("straight", ""), (f"radius * {QUARTER_TURN}", "1 / radius"), ("arm - radius", "")]
    own = () if driver else tuple(changes)
    plan.driver.extend(changes if driver else ())
    plan.add(SUBJECT, "subject", x="subject.start.x", legs=legs, speed="subject.speed", changes=own)


def _finish(plan: Plan, reach: str, time: str = "") -> Stage:
    functional = approach.gone(plan, "functional_part", SUBJECT, "straight - braking_way", "subject.speed")
    plan.events["steering_begins"] = plan.moment("events.steering_begins", "travelled", of=SUBJECT, value="straight", unit="m")
    plan.derive("end_way", f"straight + radius * {QUARTER_TURN} + turn_speed * after_time * 0.8", "m")
    way_time = "straight / steer_speed + (end_way - straight) / turn_speed"
    # players know no maximum, so a logical file has the time that is later at its default
    later = time if time and plan[time] > plan.sheet.calculate(way_time) else way_time
    approach.ends(plan, time=later, travelled="end_way")
    plan.derive("closing_speed", "turn_speed", "m/s")
    if time:
        system = yielding_system(plan, "straight + radius * meeting_turn", "turn_speed", "subject.width")
    else:
        system = approach_system(plan, TARGET)
    straight = straight_road(plan, reach)
    return plan.finish(_junction(plan, straight), functional, system=system)


def _junction(plan: Plan, straight: Road) -> Road:
    return shaped_road(
        plan,
        straight,
        "junction",
        centre="subject.start.x + straight + radius - road.lane_width / 2",
        size="radius + road.lane_width",
        arm="max(arm, target.start.x - road.centre + arm / 2)",
    )
