"""What paths are made of: a quarter turn, and changes of lane as two equal arcs with how they are measured."""

from __future__ import annotations

from regc.errors import StagingError
from regc.manoeuvres.plan import Plan

#: rad, in a formula of the sheet
QUARTER_TURN = "1.5707963267948966"


def lane_change_radius(plan: Plan, table: str, speed: str) -> None:
    """The line `radius`: of the test, or from its length or its lateral acceleration, else from the layout's."""
    if plan.has("radius"):
        plan.derive("radius", plan.si("radius"), "m")
    elif plan.has("lateral_acceleration"):
        plan.derive("radius", f"{speed} * {speed} / {plan.si('lateral_acceleration')}", "m")
    elif plan.has("change_length"):
        length = plan.si("change_length")
        plan.derive("radius", f"({length} * {length} + displacement * displacement) / (4 * displacement)", "m")
    else:
        if "lateral_acceleration" not in plan.sheet:
            plan.layout(table, "lateral_acceleration", "m/s2", "lateral_acceleration")
        plan.derive("radius", f"{speed} * {speed} / lateral_acceleration", "m")


def displaced(plan: Plan) -> None:
    """The line `displacement`: of the test, else the width of the lane."""
    plan.derive("displacement", plan.si("displacement") if plan.has("displacement") else "road.lane_width", "m")


def lane_change(plan: Plan, table: str, speed: str) -> None:
    """The lines of a change of lane over `displacement` at the line `speed`: `turn` (angle of each arc), `arc` (its length),
    `change_reach` (along the road), `change_time`. Raises StagingError for a displacement that two arcs of the radius do not reach."""
    displaced(plan)
    lane_change_radius(plan, table, speed)
    if plan["displacement"] >= 2 * plan["radius"]:
        raise StagingError(
            f"{plan.scenario.id}: two arcs of {plan['radius']:g} m do not change lanes by {plan['displacement']:g} m",
            hint="see radius, lateral_acceleration and displacement of the test",
        )
    plan.derive("turn", "acos(1 - displacement / (2 * radius))", "rad")
    plan.derive("arc", "radius * turn", "m")
    plan.derive("change_reach", "2 * radius * sin(turn)", "m")
    plan.derive("change_time", f"2 * arc / {speed}", "s")
