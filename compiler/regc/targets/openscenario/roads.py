"""OpenDRIVE roads: lines and arcs only, markings and friction where the stage has them, plates as objects of the road.

The centre of the subject vehicle's lane lies on y = 0 of the stage, so the reference line lies at the left edge of the lanes of its
direction.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from regc.model.stage import Marking, Mover, Road
from regc.model.units import plain
from regc.targets.openscenario.numbers import Numbers
from regc.targets.openscenario.xml import Attribute, Xml, serialized

#: the lowest OpenDRIVE version whose features the files use
REVISION = ("1", "7")
SURFACE = "asphalt"
#: a marking belongs to a lane's edge within this distance, m
_NEAR = 0.3
_EDGE = Marking(y=0.0, width=0.12, pattern="solid")
_MIDDLE = Marking(y=0.0, width=0.12, pattern="broken")


@dataclass(frozen=True)
class Plan:
    """A road as it is written: `rule` RHT or LHT; `plates`: things on it that can be driven over."""

    road: Road
    right_hand: bool
    plates: tuple[Mover, ...] = ()

    @property
    def edge(self) -> float:
        """Lateral position of the reference line in right-hand traffic: the left edge of the lanes of the subject vehicle's
        direction."""
        return self.road.lane_width * (0.5 + self.road.lanes_left)


def written(plan: Plan, date: str, title: str) -> bytes:
    """The road of a plan as OpenDRIVE."""
    if plan.road.kind == "junction":
        from regc.targets.openscenario.junction import junction  # it builds on this module

        return junction(plan, date, title)
    xml = Xml(Numbers.fixed())
    root = header(xml, date, title)
    pieces = _curve(plan) if plan.road.kind == "curve" else [(plan.road.length, 0.0)]
    _road(xml, root, plan, pieces)
    return serialized(root)


def header(xml: Xml, date: str, title: str) -> ET.Element:
    """The root with its header; the bounds are left at nil."""
    root = xml.node(None, "OpenDRIVE")
    major, minor = REVISION
    nil = dict.fromkeys(("north", "south", "east", "west"), 0.0)
    xml.node(root, "header", name=title, revMajor=major, revMinor=minor, date=date, **nil)
    return root


def _curve(plan: Plan) -> list[tuple[float, float]]:
    """(length, curvature) of the reference line: its radius is that of the lane's centre less the way to the left."""
    road = plan.road
    turn = math.copysign(1.0, road.radius)
    radius = abs(road.radius) - turn * plan.edge
    angle = road.arc / abs(road.radius)
    after = road.length - road.entry - road.arc
    return [(road.entry, 0.0), (radius * angle, turn / radius), (max(after, 1.0), 0.0)]


def _road(xml: Xml, root: ET.Element, plan: Plan, pieces: Sequence[tuple[float, float]]) -> None:
    side = 1.0 if plan.right_hand else -1.0
    length = sum(piece for piece, _ in pieces)
    rule = "RHT" if plan.right_hand else "LHT"
    road = xml.node(root, "road", name=plan.road.kind, rule=rule, id_="1", junction="-1", length=length)
    xml.node(road, "link")
    view = xml.nest(road, "planView")
    s, x, y, heading = 0.0, 0.0, side * plan.edge, 0.0
    for piece, bend in pieces:
        turn = side * bend
        geometry = xml.node(view, "geometry", s=s, x=x, y=y, hdg=heading, length=piece)
        if turn:
            xml.node(geometry, "arc", curvature=curvature(turn))
            after = heading + piece * turn
            x, y = x + (math.sin(after) - math.sin(heading)) / turn, y - (math.cos(after) - math.cos(heading)) / turn
            heading = after
        else:
            xml.node(geometry, "line")
            x, y = x + piece * math.cos(heading), y + piece * math.sin(heading)
        s += piece
    xml.node(xml.nest(road, "elevationProfile"), "elevation", s=0.0, a=0.0, b=plan.road.slope, c=0.0, d=0.0)
    xml.node(road, "lateralProfile")
    lanes(xml, road, plan)
    if plan.plates:
        _objects(xml, road, plan, side)


def lanes(xml: Xml, road: ET.Element, plan: Plan) -> None:
    """Lanes of the subject vehicle's direction on its side of the reference line, the others across it, a paved side on either hand."""
    section = xml.node(xml.nest(road, "lanes"), "laneSection", s=0.0)
    own = 1 + plan.road.lanes_left + plan.road.lanes_right
    near, far = ("right", "left") if plan.right_hand else ("left", "right")
    counts = {near: own, far: plan.road.oncoming}
    for hand in ("left", "center", "right"):
        holder = xml.nest(section, hand)
        if hand == "center":
            lane = xml.node(holder, "lane", id_="0", type="none", level=False)
            default = _MIDDLE if plan.road.oncoming else _EDGE
            _mark(xml, lane, _marking(plan, plan.edge) or default)
            continue
        sign = 1 if hand == "left" else -1
        kinds = [("driving", plan.road.lane_width)] * counts[hand]
        if plan.road.paved_side > 0:
            kinds.append(("shoulder", plan.road.paved_side))
        numbered = list(enumerate(kinds, 1))
        for number, (kind, width) in reversed(numbered) if sign > 0 else numbered:
            lane = xml.node(holder, "lane", id_=str(sign * number), type=kind, level=False)
            xml.node(lane, "link")
            xml.node(lane, "width", sOffset=0.0, a=width, b=0.0, c=0.0, d=0.0)
            _mark(xml, lane, _border(plan, hand == near, number, kind, counts[hand]))
            xml.node(lane, "material", sOffset=0.0, surface=SURFACE, friction=plan.road.friction)


def _border(plan: Plan, own_side: bool, number: int, kind: str, count: int) -> Marking:
    """The marking at the outer edge of a lane: the stage's, else broken between lanes and solid at the edge."""
    distance = plan.road.lane_width * number
    y = plan.edge - distance if own_side else plan.edge + distance
    found = _marking(plan, y) if kind == "driving" else None
    return found or (_MIDDLE if kind == "driving" and number < count else _EDGE)


def _marking(plan: Plan, y: float) -> Marking | None:
    return next((marking for marking in plan.road.markings if abs(marking.y - y) < _NEAR), None)


def _mark(xml: Xml, lane: ET.Element, marking: Marking) -> None:
    xml.node(lane, "roadMark", sOffset=0.0, type=marking.pattern, weight="standard", color="standard", width=marking.width)


def _objects(xml: Xml, road: ET.Element, plan: Plan, side: float) -> None:
    """Plates on a straight road; their place is that of their centre."""
    holder = xml.nest(road, "objects")
    for number, plate in enumerate(plan.plates, 1):
        centre = plate.start.x + plate.box.middle
        attributes: dict[str, Attribute] = {
            "id": str(number),
            "name": plate.model,
            "type": "obstacle",
            "s": centre,
            "t": plate.start.y - side * plan.edge,
            "zOffset": 0.0,
            "hdg": plate.start.heading,
            "pitch": 0.0,
            "roll": 0.0,
            "orientation": "none",
            "length": plate.box.length,
            "width": plate.box.width,
            "height": plate.box.height,
        }
        xml.node(holder, "object", **attributes)


def curvature(value: float) -> str:
    """Curvatures need more digits than lengths."""
    return plain(Decimal(repr(value)), 12)
