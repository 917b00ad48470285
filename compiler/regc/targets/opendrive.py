"""OpenDRIVE roads: lines and arcs only, markings and friction where the stage has them, plates as objects of the road.

The centre of the subject vehicle's lane lies on y = 0 of the stage, so the reference line lies at the left edge of the lanes of its
direction.
"""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from regc.model.stage import Marking, Mover, Road, Stage
from regc.model.units import plain
from regc.targets.xml_writer import Attribute, Numbers, Xml, serialized

#: the lowest OpenDRIVE version whose features the files use
REVISION = ("1", "7")
SURFACE = "asphalt"
#: a marking belongs to a lane's edge within this distance, m
_NEAR = 0.3
_EDGE = Marking(y=0.0, width=0.12, pattern="solid")
_MIDDLE = Marking(y=0.0, width=0.12, pattern="broken")
#: roads are made in whole steps of this length, m
_STEP = 10.0


@dataclass(frozen=True)
class RoadPlan:
    """A road as it is written: `rule` RHT or LHT; `plates`: things on it that can be driven over."""

    road: Road
    right_hand: bool
    plates: tuple[Mover, ...] = ()

    @property
    def edge(self) -> float:
        """Lateral position of the reference line in right-hand traffic: the left edge of the lanes of the subject vehicle's
        direction."""
        return self.road.lane_width * (0.5 + self.road.lanes_left)


class Roads:
    """The roads of a build: stages whose roads differ in length alone share the longest."""

    def __init__(self, stages: list[Stage]) -> None:
        lengths: dict[tuple[Road, tuple[Mover, ...]], float] = {}
        for stage in stages:
            key = self._key(stage)
            steps = -(-stage.road.length // _STEP)
            lengths[key] = max(lengths.get(key, 0.0), steps * _STEP)
        self._lengths = lengths
        self._names: dict[tuple[Road, tuple[Mover, ...]], str] = {}
        for key in lengths:
            kind = key[0].kind
            count = sum(other[0].kind == kind for other in self._names)
            self._names[key] = f"{kind}.xodr" if count == 0 else f"{kind}_{count + 1}.xodr"

    def _key(self, stage: Stage) -> tuple[Road, tuple[Mover, ...]]:
        plates = tuple(thing for thing in stage.things if thing.passable)
        return stage.road.model_copy(update={"length": 0.0}), plates

    def name(self, stage: Stage) -> str:
        """The file of a stage's road."""
        return self._names[self._key(stage)]

    def plans(self, *, right_hand: bool) -> list[tuple[str, RoadPlan]]:
        """(file, plan) of every road."""
        return [
            (name, RoadPlan(key[0].model_copy(update={"length": self._lengths[key]}), right_hand, key[1]))
            for key, name in self._names.items()
        ]


def written(plan: RoadPlan, date: str, title: str) -> bytes:
    """The road of a plan as OpenDRIVE."""
    if plan.road.kind == "junction":
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


def _curve(plan: RoadPlan) -> list[tuple[float, float]]:
    """(length, curvature) of the reference line: its radius is that of the lane's centre less the way to the left."""
    road = plan.road
    bends = [(road.entry, road.radius, road.arc)]
    if road.counter_radius:
        bends.append((road.between, road.counter_radius, road.counter))
    after = road.length - sum(straight + arc for straight, _, arc in bends)
    pieces = []
    for straight, around, arc in bends:
        turn = math.copysign(1.0, around)
        radius = abs(around) - turn * plan.edge
        pieces += [(straight, 0.0), (radius * arc / abs(around), turn / radius)]
    return [*pieces, (max(after, 1.0), 0.0)]


def _road(xml: Xml, root: ET.Element, plan: RoadPlan, pieces: Sequence[tuple[float, float]]) -> None:
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


def lanes(xml: Xml, road: ET.Element, plan: RoadPlan) -> None:
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


def _border(plan: RoadPlan, own_side: bool, number: int, kind: str, count: int) -> Marking:
    """The marking at the outer edge of a lane: the stage's, else broken between lanes and solid at the edge."""
    distance = plan.road.lane_width * number
    y = plan.edge - distance if own_side else plan.edge + distance
    marking = _marking(plan, y) if kind == "driving" else None
    return marking or (_MIDDLE if kind == "driving" and number < count else _EDGE)


def _marking(plan: RoadPlan, y: float) -> Marking | None:
    return next((marking for marking in plan.road.markings if abs(marking.y - y) < _NEAR), None)


def _mark(xml: Xml, lane: ET.Element, marking: Marking) -> None:
    xml.node(lane, "roadMark", sOffset=0.0, type=marking.pattern, weight="standard", color="standard", width=marking.width)


def _objects(xml: Xml, road: ET.Element, plan: RoadPlan, side: float) -> None:
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


# ---- two straight roads that cross at right angles, as OpenDRIVE: four arms, and a road for each way through (line or quarter circle).


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


def junction(plan: RoadPlan, date: str, title: str) -> bytes:
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


def _own(plan: RoadPlan) -> str:
    """The lane of a road with one lane."""
    return "-1" if plan.right_hand else "1"


def _at(middle: tuple[float, float], angle: float, distance: float) -> tuple[float, float]:
    return middle[0] + distance * math.cos(angle), middle[1] + distance * math.sin(angle)


def _junction_road(
    xml: Xml, root: ET.Element, plan: RoadPlan, number: str, name: str, length: float, within: str
) -> tuple[ET.Element, ET.Element]:
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


def _written_arm(xml: Xml, root: ET.Element, plan: RoadPlan, arm: _Arm, middle: tuple[float, float]) -> None:
    road, link = _junction_road(xml, root, plan, str(arm.number), arm.name, arm.length, "-1")
    xml.node(link, "successor" if arm.towards else "predecessor", elementType="junction", elementId=_JUNCTION)
    begin = plan.road.size + (arm.length if arm.towards else 0.0)
    _geometry(xml, road, _at(middle, arm.angle, begin), arm.angle + (math.pi if arm.towards else 0.0), arm.length)
    lanes(xml, road, plan)


def _way_through(xml: Xml, root: ET.Element, plan: RoadPlan, number: str, one: _Arm, other: _Arm, middle: tuple[float, float]) -> None:
    """From the end of one arm to that of another, with the one lane that runs that way."""
    size, heading = plan.road.size, one.angle + math.pi
    turn = math.remainder(other.angle - heading, 2 * math.pi)
    straight = abs(turn) < _QUARTER / 2
    length = 2 * size if straight else size * _QUARTER
    road, link = _junction_road(xml, root, plan, number, f"{one.name} to {other.name}", length, _JUNCTION)
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
