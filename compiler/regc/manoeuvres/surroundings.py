"""Surroundings and the straight road of a stage, from the test's conditions: a number of the document where it gives one, else one of
the data file that lies inside what the document allows."""

from __future__ import annotations

from typing import Literal

from regc.errors import DataFileError
from regc.manoeuvres.data import TEST_TRACK
from regc.manoeuvres.plan import Plan
from regc.model.stage import Marking, Road
from regc.model.value import Value, Word

_UNITS = {"temperature": "degC", "illumination": "lux", "wind": "m/s", "sun_azimuth": "rad", "sun_elevation": "rad"}


def allows(bound: Value, number: float) -> bool:
    """Whether a number (in the unit of the condition) is inside what a condition allows."""
    if bound.lo is None or bound.hi is None:
        return True
    lo, hi = float(bound.lo), float(bound.hi)
    if bound.is_range:
        return lo <= number <= hi
    sides = {"ge": number >= lo, "gt": number > lo, "le": number <= hi, "lt": number < hi, "ne": number != lo}
    return sides.get(bound.bound, number == lo)


def surroundings(plan: Plan) -> tuple[dict[str, float], str]:
    """Environment by name, and the date and time of the sun. Raises DataFileError for an assumed value that the document excludes."""
    data, conditions = plan.data.track, plan.scenario.conditions
    day, date_time = data.surroundings, data.surroundings.date_time
    numbers = {"illumination": day.illumination, "sun_elevation": day.sun_elevation}
    key, code, reason = "surroundings", "A832", day.reason
    if _dark(conditions.get("illumination"), data.night.below):
        numbers = {"illumination": data.night.illumination, "sun_elevation": data.night.sun_elevation}
        key, code, reason, date_time = "night", "A833", data.night.reason, data.night.date_time
    values: dict[str, float] = {}
    for name, unit in (*_UNITS.items(), ("visual_range", "m"), ("pressure", "Pa")):
        own = name in numbers
        value = numbers[name] if own else getattr(day, name)
        bound = conditions.get(name)
        if isinstance(bound, Value) and bound.is_number and bound.bound == "eq" and bound.unit == unit:
            plan.sheet.given(f"environment.{name}", bound.number, bound)
            values[name] = float(bound.number)
            continue
        if isinstance(bound, Value):
            _check(plan, name, bound, value, f"{key if own else 'surroundings'}.{name}")
        plan.sheet.assumed(
            f"environment.{name}",
            value,
            unit,
            code if own else "A832",
            reason if own else day.reason,
            f"{TEST_TRACK}: {key if own else 'surroundings'}.{name}",
        )
        values[name] = value
    return values, date_time


def _dark(light: Value | Word | None, below: float) -> bool:
    """Whether a condition allows less light than `below` lux only."""
    return isinstance(light, Value) and light.hi is not None and light.bound in ("le", "lt", "eq") and float(light.hi) <= below


def _check(plan: Plan, name: str, bound: Value, value: float, key: str) -> None:
    if bound.unit not in ("", _UNITS[name]):
        raise DataFileError(f"{TEST_TRACK}: {key}: the document gives {name} in {bound.unit}, the file in {_UNITS[name]}", hint="")
    if not allows(bound, value):
        said = f"{bound.bound} {bound.lo}" if bound.is_number else f"{bound.lo} to {bound.hi}"
        place = bound.sources[0].label() if bound.sources else plan.scenario.id
        raise DataFileError(
            f"{TEST_TRACK}: {key}: {value:g} {_UNITS[name]} is not what {plan.scenario.id} allows ({said} {bound.unit}; {place})",
            hint="give a value inside it in the file for --test-track",
        )


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
