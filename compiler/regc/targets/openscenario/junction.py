"""Two straight roads that cross at right angles, as OpenDRIVE: four arms, and a road for each way through (line or quarter circle)."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace

from regc.targets.openscenario.numbers import Numbers
from regc.targets.openscenario.roads import SURFACE, Plan, curvature, header, lanes
from regc.targets.openscenario.xml import Xml, serialized

_JUNCTION = "100"
_QUARTER = math.pi / 2


@dataclass(frozen=True)
class _Arm:
    """An arm that leaves the middle at `angle`; its road begins there, but for the first, which the subject vehicle comes along."""

    number: int
    name: str
    angle: float
    length: float
    towards: bool = False

    @property
    def contact(self) -> str:
        """The end of its road that lies at the junction."""
        return "end" if self.towards else "start"

    def lane(self, right_hand: bool, *, inwards: bool) -> str:
        """The lane that runs into the junction, or out of it."""
        along = inwards if self.towards else not inwards
        return "-1" if along == right_hand else "1"


def junction(plan: Plan, date: str, title: str) -> bytes:
    """The west arm begins at x = 0 and ends `size` before the middle; the others begin as far behind it."""
    road = plan.road.model_copy(update={"lanes_left": 0, "lanes_right": 0, "oncoming": 1, "paved_side": 0.0})
    middle = (road.centre, (1.0 if plan.right_hand else -1.0) * plan.edge)
    plan = replace(plan, road=road, plates=())
    arms = [_Arm(1, "west", 2 * _QUARTER, road.centre - road.size, towards=True)]
    arms += [_Arm(2 + number, name, angle, road.arm) for number, (name, angle) in enumerate(_OTHERS.items())]
    xml = Xml(Numbers.fixed())
    root = header(xml, date, title)
    for arm in arms:
        _written_arm(xml, root, plan, arm, middle)
    ways = list(enumerate(itertools.permutations(arms, 2), 101))
    for number, (one, other) in ways:
        _way_through(xml, root, plan, str(number), one, other, middle)
    crossing = xml.node(root, "junction", name="intersection", id_=_JUNCTION, type="default")
    for number, (one, _) in ways:
        way = xml.node(
            crossing,
            "connection",
            id_=str(number - 101),
            incomingRoad=str(one.number),
            connectingRoad=str(number),
            contactPoint="start",
        )
        xml.node(way, "laneLink", from_=one.lane(plan.right_hand, inwards=True), to=_own(plan))
    return serialized(root)


_OTHERS = {"south": 3 * _QUARTER, "east": 0.0, "north": _QUARTER}


def _own(plan: Plan) -> str:
    """The lane of a road with one lane."""
    return "-1" if plan.right_hand else "1"


def _at(middle: tuple[float, float], angle: float, distance: float) -> tuple[float, float]:
    return middle[0] + distance * math.cos(angle), middle[1] + distance * math.sin(angle)


def _road(xml: Xml, root: ET.Element, plan: Plan, number: str, name: str, length: float, within: str) -> tuple[ET.Element, ET.Element]:
    """A level road without lanes yet; itself and its link."""
    rule = "RHT" if plan.right_hand else "LHT"
    road = xml.node(root, "road", name=name, rule=rule, id_=number, junction=within, length=length)
    return road, xml.node(road, "link")


def _geometry(xml: Xml, road: ET.Element, start: tuple[float, float], heading: float, length: float, bend: float = 0.0) -> None:
    """One piece, a line or an arc, and a level height."""
    turned = heading % (2 * math.pi)
    piece = xml.node(xml.nest(road, "planView"), "geometry", s=0.0, x=start[0], y=start[1], hdg=turned, length=length)
    if bend:
        xml.node(piece, "arc", curvature=curvature(bend))
    else:
        xml.node(piece, "line")
    xml.node(xml.nest(road, "elevationProfile"), "elevation", s=0.0, a=0.0, b=0.0, c=0.0, d=0.0)
    xml.node(road, "lateralProfile")


def _written_arm(xml: Xml, root: ET.Element, plan: Plan, arm: _Arm, middle: tuple[float, float]) -> None:
    road, link = _road(xml, root, plan, str(arm.number), arm.name, arm.length, "-1")
    xml.node(link, "successor" if arm.towards else "predecessor", elementType="junction", elementId=_JUNCTION)
    begin = plan.road.size + (arm.length if arm.towards else 0.0)
    _geometry(xml, road, _at(middle, arm.angle, begin), arm.angle + (math.pi if arm.towards else 0.0), arm.length)
    lanes(xml, road, plan)


def _way_through(xml: Xml, root: ET.Element, plan: Plan, number: str, one: _Arm, other: _Arm, middle: tuple[float, float]) -> None:
    """From the end of one arm to that of another, with the one lane that runs that way."""
    size, heading = plan.road.size, one.angle + math.pi
    turn = math.remainder(other.angle - heading, 2 * math.pi)
    straight = abs(turn) < _QUARTER / 2
    length = 2 * size if straight else size * _QUARTER
    road, link = _road(xml, root, plan, number, f"{one.name} to {other.name}", length, _JUNCTION)
    for tag, arm in (("predecessor", one), ("successor", other)):
        xml.node(link, tag, elementType="road", elementId=str(arm.number), contactPoint=arm.contact)
    _geometry(xml, road, _at(middle, one.angle, size), heading, length, 0.0 if straight else math.copysign(1 / size, turn))
    section = xml.node(xml.nest(road, "lanes"), "laneSection", s=0.0)
    hands = {"center": "0", "right": "-1"} if plan.right_hand else {"left": "1", "center": "0"}
    for hand, id in hands.items():
        lane = xml.node(xml.nest(section, hand), "lane", id_=id, type="none" if id == "0" else "driving", level=False)
        if id != "0":
            joined = xml.node(lane, "link")
            xml.node(joined, "predecessor", id_=one.lane(plan.right_hand, inwards=True))
            xml.node(joined, "successor", id_=other.lane(plan.right_hand, inwards=False))
            xml.node(lane, "width", sOffset=0.0, a=plan.road.lane_width, b=0.0, c=0.0, d=0.0)
        xml.node(lane, "roadMark", sOffset=0.0, type="none", weight="standard", color="standard", width=0.0)
        if id != "0":
            xml.node(lane, "material", sOffset=0.0, surface=SURFACE, friction=plan.road.friction)
