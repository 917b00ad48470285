"""The subject vehicle follows a curve; a road user may stand in it, so far around that its rear corner touches the straight on of the
lane's edge. A second radius makes it an S-bend: the second turn is as far round to the other side, so that the road has its direction
again."""

from __future__ import annotations

from regc.manoeuvres import approach
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.road import lane, shaped_road, straight_road
from regc.manoeuvres.system import approach_system
from regc.model.stage import Stage, System


def stage(plan: Plan) -> Stage:
    """With a target the functional part begins at the test's time before its rear, else where the curve begins. Its curve begins after
    the straight approach."""
    plan.measure_subject()
    stands = any(actor.role == TARGET for actor in plan.scenario.actors)
    lane(plan)
    approach.side(plan, "curve")
    approach.straight_time(plan)
    radius_of(plan)
    bends_back = plan.has("counter_radius")
    behind = "turn_behind" if bends_back else "arc_behind"
    plan.layout("curve", behind, "m", behind)
    plan.derive("closing_speed", "subject.speed", "m/s")
    approach.time_to_collision(plan)
    if plan.has("entry_length"):
        plan.derive("entry", f"max({plan.si('entry_length')}, subject.speed * (approach_time + functional_ttc))", "m")
    else:
        plan.derive("entry", "subject.speed * (approach_time + functional_ttc)", "m")
    if stands:
        kind = plan.kind(TARGET)
        plan.measure(TARGET, kind)
        target_around(plan)
        x, y, heading = pose_around(plan, "subject.start.x + entry")
        plan.add(TARGET, kind, x=x, y=y, heading=heading)
    else:
        plan.derive("target_way", "0", "m")
    arc = plan.si("arc_length") if plan.has("arc_length") else "0"
    plan.derive("arc", f"max({arc}, target_way + {behind})", "m")
    legs, bend, second = [("entry", ""), ("arc", "side / radius")], "arc", dict[str, str]()
    if bends_back:
        legs += _second_turn(plan)
        bend = "arc + between + counter"
        second = {"between": "between", "counter_radius": "0 - side * counter_radius", "counter": "counter"}
    plan.derive("end_way", f"entry + {bend} + subject.speed", "m")
    plan.add(SUBJECT, "subject", x="subject.start.x", legs=[*legs, ("subject.speed * 3", "")], speed="subject.speed")
    way = "entry + target_way - subject.front - functional_ttc * subject.speed" if stands else "entry"
    functional = approach.gone(plan, "functional_part", SUBJECT, way, "subject.speed")
    approach.ends(plan, time="end_way / subject.speed", contact=(TARGET,) if stands else (), travelled="end_way")
    system = approach_system(plan, TARGET) if stands else System(kind=plan.options.ego)
    straight = straight_road(plan, "subject.start.x + end_way + subject.speed * 3")
    road = shaped_road(plan, straight, "curve", entry="subject.start.x + entry", radius="side * radius", arc="arc", **second)
    return plan.finish(road, functional, system=system)


def radius_of(plan: Plan) -> None:
    """The line `radius`: of the test, or from its lateral acceleration, else from the layout's."""
    if plan.has("radius"):
        plan.derive("radius", plan.si("radius"), "m")
    elif plan.has("lateral_acceleration"):
        plan.derive("radius", f"subject.speed * subject.speed / {plan.si('lateral_acceleration')}", "m")
    else:
        plan.layout("curve", "radius", "m", "radius")


def _second_turn(plan: Plan) -> list[tuple[str, str]]:
    """The legs between both turns and around the second one."""
    plan.derive("counter_radius", plan.si("counter_radius"), "m")
    plan.layout("curve", "between", "m", "between")
    plan.derive("counter", "arc * counter_radius / radius", "m")
    return [("between", ""), ("counter", "0 - side / counter_radius")]


def target_around(plan: Plan) -> None:
    """The lines `around` (angle, rad) and `target_way`: the target's rear stands that far along the arc, where its outer rear corner is
    as far beside as the inner edge of the straight. Its size is known."""
    plan.derive("around", f"acos((radius - road.lane_width / 2) / (radius + {_beside(plan)} + target.width / 2))", "rad")
    plan.derive("target_way", "radius * around", "m")


def pose_around(plan: Plan, entry: str, middle: str = "0") -> tuple[str, str, str]:
    """x, y and heading of the target, in a curve that begins at x = `entry` of a straight at y = `middle`, as formulas."""
    outside, before = f"(radius + {_beside(plan)})", "" if middle == "0" else f"{middle} + "
    return (
        f"{entry} + {outside} * sin(around) + target.rear * cos(around)",
        f"{before}side * (radius - {outside} * cos(around) + target.rear * sin(around))",
        "side * around",
    )


def _beside(plan: Plan) -> str:
    offset = plan.scenario.number("offset")
    return plan.si("offset") if offset is not None and offset.bound not in ("le", "lt") else "0"
