"""Moments of a stage as CarMaker's realtime expressions. Fr1 of a body is its rear end on the road."""

from __future__ import annotations

import math

from regc.model.stage import Moment, Mover, Stage

Quantities = dict[str, str]


class NoExpression(Exception):
    """A moment that an expression over CarMaker's quantities cannot hold."""


def body(role: str) -> str:
    """The name of a mover among the traffic: "pair_left" -> "PairLeft"."""
    return "".join(part[:1].upper() + part[1:] for part in role.split("_"))


def number(value: float) -> str:
    """Six digits behind the point, none that says nothing, no negative zero."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def expression(stage: Stage, moment: Moment, quantities: Quantities) -> str:
    """What holds when a moment does, with what it comes after. Raises NoExpression (a delay, a kind that has none)."""
    if moment.delay:
        raise NoExpression(f"a delay of {moment.delay:g} s after a condition")
    made = _one(stage, moment, quantities)
    if moment.after is None:
        return made
    before = expression(stage, moment.after, quantities)
    return made if before == "1" else f"{before} && {made}"


def _one(stage: Stage, moment: Moment, quantities: Quantities) -> str:
    if moment.kind == "start":
        return "1"
    if moment.kind == "time":
        return f"Time > {number(moment.value)}"
    if moment.kind == "event":
        return _event(stage, moment.to, quantities)
    if moment.of not in ("", stage.subject.role):
        raise NoExpression(f"{moment.kind} of {moment.of}")
    if moment.kind == "speed":
        return f"Vhcl.v <= {number(moment.value)}"
    if moment.kind == "standstill":
        return "Vhcl.v < 0.05"
    if moment.kind == "contact":
        return "Sensor.Collision.Vhcl.Fr1.Count > 0"
    if moment.kind == "travelled":
        return f"Vhcl.sRoad >= {number(moment.value)}"
    gap, closing = _between(stage, moment)
    if moment.kind == "ttc":
        return f"{gap} < {number(moment.value)} * {closing}"
    if moment.kind == "headway":
        return f"{gap} < {number(moment.value)} * Vhcl.v"
    if moment.kind == "gap":
        return f"{gap} < {number(moment.value)}"
    if moment.kind == "apart":
        return f"{closing} <= 0"
    raise NoExpression(moment.kind)


def _event(stage: Stage, name: str, quantities: Quantities) -> str:
    if name == "functional_part":
        return expression(stage, stage.functional_part, quantities)
    if name in stage.events:
        return expression(stage, stage.events[name], quantities)
    if name in quantities:
        return f"{quantities[name]} > 0"
    for mover in (stage.subject, *stage.others):
        for change in (*mover.changes, *(stage.driver if mover is stage.subject else ())):
            if change.name == name:
                return expression(stage, change.when, quantities)
    raise NoExpression(f"the event {name}")


def _between(stage: Stage, moment: Moment) -> tuple[str, str]:
    """Gap and closing speed to the impact point or to a body that faces the same or the other way."""
    front = stage.subject.box.length
    if moment.to == "impact":
        if stage.impact is None:
            raise NoExpression("no impact point")
        return f"({number(stage.impact.x - front)} - Vhcl.Fr1.x)", "Vhcl.v"
    other: Mover = stage.mover(moment.to)
    along = math.cos(other.start.heading)
    if abs(along) < 0.99 or any(leg.curvature for leg in other.path):
        raise NoExpression(f"{moment.kind} to {moment.to}, which does not drive along the road")
    rear = front if along > 0 else front + other.box.length
    sign = "-" if along > 0 else "+"
    speed = f"(Vhcl.v {sign} Traffic.{body(moment.to)}.LongVel)" if other not in stage.things else "Vhcl.v"
    return f"(Traffic.{body(moment.to)}.tx - {number(rear)} - Vhcl.Fr1.x)", speed
