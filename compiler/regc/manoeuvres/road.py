"""The road of a stage: the width and the markings of its lanes, and how far it reaches straight, in a curve or over a junction."""

from __future__ import annotations

from typing import Literal

from regc.manoeuvres.plan import Plan
from regc.model.stage import Marking, Road
from regc.model.value import Value


def lane(plan: Plan, start: str = "subject.start.x") -> None:
    """The lines that a layout needs of the road: width of the lane, where the subject vehicle starts (`start`: the line that the
    road's lead-in gives)."""
    if plan.has("lane_width"):
        plan.derive("road.lane_width", plan.si("lane_width"), "m")
    else:
        plan.track("road", "lane_width", "m", "A831", "road.lane_width")
    plan.track("road", "lead_in", "m", "A831", start)
    plan.track("road", "lead_out", "m", "A831", "lead_out")
    plan.track("road", "paved_side", "m", "A831", "road.paved_side")
    friction = plan.scenario.conditions.get("friction")
    if isinstance(friction, Value) and friction.is_number:
        plan.sheet.given("conditions.friction", friction.number, friction)
        plan.derive("road.friction", "conditions.friction", "1")
    else:
        plan.track("road", "friction", "1", "A831", "road.friction")


def marking_width(plan: Plan) -> None:
    """The line `marking_width`."""
    plan.track("road", "marking_width", "m", "A831", "marking_width")


def lane_markings(plan: Plan) -> tuple[Marking, ...]:
    """The markings on either side of the subject vehicle's lane, whose middles lie at its edges."""
    return tuple(
        Marking(
            y=plan[plan.derive(f"road.marking{count}.y", f"{sign}road.lane_width / 2", "m")],
            width=plan[plan.derive(f"road.marking{count}.width", "marking_width", "m")],
            pattern=plan.data.track.road.marking_pattern,
        )
        for count, sign in ((1, ""), (2, "0 - "))
    )


def straight_road(plan: Plan, reach: str, **more: int) -> Road:
    """A straight road as far as `reach` (a formula: the farthest x that anything gets to) and a lead-out more."""
    plan.derive("road.length", f"{reach} + lead_out", "m")
    return Road(
        kind="straight",
        length=plan["road.length"],
        lane_width=plan["road.lane_width"],
        paved_side=plan["road.paved_side"],
        friction=plan["road.friction"],
        **more,
    )


def shaped_road(plan: Plan, straight: Road, kind: Literal["curve", "junction"], **measures: str) -> Road:
    """A straight road with a curve or a junction; `measures` of it in m as formulas: radius="side * radius"."""
    for name, formula in measures.items():
        plan.derive(f"road.{name}", formula, "m")
    return straight.model_copy(update={"kind": kind, **{name: plan[f"road.{name}"] for name in measures}})
