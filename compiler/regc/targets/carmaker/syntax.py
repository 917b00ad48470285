"""Moments of a stage as CarMaker's realtime expressions. Fr1 of a body is its rear end on the road."""

from __future__ import annotations

import math
from collections.abc import Iterable

from regc.model.stage import Moment, Mover, Stage

Quantities = dict[str, str]
#: rad in one leg, above which gaps along the road are not those along the way
_TURN = 0.2


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
        return f"Vhcl.Distance >= {number(moment.value)}"
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
    if any(abs(leg.length * leg.curvature) > _TURN for leg in stage.subject.path):
        raise NoExpression(f"{moment.kind} to {moment.to} of a subject vehicle that turns")
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


# ---- CarMaker's infofile: `key = value` lines, and texts as `key:` with tab-indented lines; LF, no byte order mark.


HEADER = "#INFOFILE1.1 (UTF-8) - Do not remove this line!"


class Infofile:
    """Keys in the order in which they were set; a key stands once."""

    def __init__(self, ident: str, creator: str) -> None:
        self._lines: list[str] = [HEADER]
        self._keys: set[str] = set()
        self.set("FileIdent", ident)
        self.set("FileCreator", creator)

    def set(self, key: str, value: str | float = "") -> None:
        """One value; floats as plain digits. Raises ValueError for a second value, or a line break in it."""
        text = value if isinstance(value, str) else f"{value:.6f}".rstrip("0").rstrip(".")
        if "\n" in text:
            raise ValueError(f"{key}: a value is one line")
        self._claim(key)
        self._lines.append(f"{key} = {text}".rstrip() if text else f"{key} =")

    def text(self, key: str, lines: Iterable[str]) -> None:
        """A text of several lines; empty lines are left out, since they would end it."""
        self._claim(key)
        self._lines.append(f"{key}:")
        self._lines.extend(f"\t{line}" for line in lines if line.strip())

    def section(self, title: str) -> None:
        """A comment line."""
        self._lines.append(f"## {title}")

    def comment(self, lines: Iterable[str]) -> None:
        """Comment lines; a line break in one becomes a space."""
        self._lines.extend(f"# {' '.join(line.split())}" for line in lines)

    def content(self) -> bytes:
        """The file's bytes."""
        return ("\n".join(self._lines) + "\n").encode()

    def _claim(self, key: str) -> None:
        if key in self._keys or not key or any(char in key for char in " =:\t\n"):
            raise ValueError(f"{key!r} is no key, or was set already")
        self._keys.add(key)
