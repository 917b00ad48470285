"""OpenDRIVE roads for the scenarios: one function a road, so that more kinds of road can stand beside the straight one."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET
from decimal import Decimal

from scenariogeneration import xodr

from regc.assumed import Curve, Road
from regc.model.units import plain
from regc.targets._osc_xml import text

#: the lowest OpenDRIVE version whose features the files use
REVISION = ("1", "7")


def straight(
    road: Road, length: Decimal, friction: Decimal | None, slope: Decimal, *, right_hand: bool, date: str, title: str = "straight road"
) -> bytes:
    """A straight road of two lanes with a paved side on either hand, along +x from the origin. `slope` as a ratio."""
    made = xodr.Road(1, _line(length), _lanes(road, friction, road.paved_side), name="straight", rule=_rule(right_hand))
    made.add_elevation(0, 0, float(slope), 0, 0)
    return _written(title, date, made)


def two_lanes(road: Road, length: Decimal, friction: Decimal | None, *, right_hand: bool, date: str, title: str) -> bytes:
    """A straight road with two lanes in each direction."""
    made = xodr.Road(1, _line(length), _lanes(road, friction, road.paved_side, lanes=2), name="two lanes", rule=_rule(right_hand))
    made.add_elevation(0, 0, 0, 0, 0)
    return _written(title, date, made)


def curve(
    road: Road,
    guard: Curve,
    start: Decimal,
    radius: Decimal,
    after: Decimal,
    friction: Decimal | None,
    *,
    right_hand: bool,
    date: str,
    title: str,
) -> bytes:
    """A straight road, a curve (to the left in right-hand traffic) whose reference line has `radius`, and a straight road; guard
    pipes along the outer edge of the curve, so that the subject vehicle's lane is the outer one."""
    side = 1 if right_hand else -1
    arc = guard.curve_angle * radius
    plan = xodr.PlanView()
    plan.set_start_point(0, 0, 0)
    plan.add_geometry(xodr.Line(float(start)))
    plan.add_geometry(xodr.Arc(side / float(radius), length=float(arc)))
    plan.add_geometry(xodr.Line(float(after)))
    made = xodr.Road(1, plan, _lanes(road, friction, Decimal(0)), name="curve", rule=_rule(right_hand))
    made.add_elevation(0, 0, 0, 0, 0)
    edge = -side * float(road.lane_width + guard.guard_offset)
    # along the curve and a stretch of the straight road before it
    begin, length = float(start) - 10, float(arc) + 10
    root = _element(title, date, made)
    # by hand: the library numbers objects through all roads of a process
    height, zero = plain(guard.guard_height), "0"
    rail = ET.SubElement(ET.SubElement(_child(root, "road"), "objects"), "object")
    rail.attrib |= {"id": "1", "name": "guard pipes", "type": "barrier", "s": str(begin), "t": str(edge), "zOffset": zero, "hdg": zero}
    rail.attrib |= {"pitch": zero, "roll": zero, "orientation": "none", "length": str(length), "width": "0.1", "height": height}
    repeat = ET.SubElement(rail, "repeat", {"s": str(begin), "length": str(length), "distance": zero})
    repeat.attrib |= {"tStart": str(edge), "tEnd": str(edge), "heightStart": height, "heightEnd": height}
    repeat.attrib |= {"zOffsetStart": zero, "zOffsetEnd": zero, "widthStart": "0.1", "widthEnd": "0.1"}
    return text(root, places=12).encode()


def intersection(
    road: Road, middle: Decimal, size: Decimal, arm: Decimal, friction: Decimal | None, *, right_hand: bool, date: str, title: str
) -> bytes:
    """Two straight roads that cross at (middle, 0); the first arm begins at the origin and ends `size` before the middle."""
    lengths = (middle - size, arm, arm, arm)
    roads = [
        xodr.Road(number, _line(length, placed=number == 1), _lanes(road, friction, Decimal(0)), name=name, rule=_rule(right_hand))
        for number, (length, name) in enumerate(zip(lengths, ("west", "south", "east", "north"), strict=True), 1)
    ]
    junction = xodr.CommonJunctionCreator(100, "intersection", startnum=101)
    for made, angle, end in zip(roads, (math.pi, 1.5 * math.pi, 0.0, 0.5 * math.pi), ("successor", *["predecessor"] * 3), strict=True):
        junction.add_incoming_road_circular_geometry(made, float(size), angle, end)
    # one road a way through; the first arm runs towards the middle, the others away from it
    side = -1 if right_hand else 1
    into, out_of = [side, -side, -side, -side], [-side, side, side, side]
    for one, other in itertools.permutations(range(4), 2):
        junction.add_connection(one + 1, other + 1, into[one], out_of[other])
    connecting = junction.get_connecting_roads()
    for made in (*roads, *connecting):
        made.add_elevation(0, 0, 0, 0, 0)
    for made in connecting:
        made.rule = _rule(right_hand)
        for lane in (*made.lanes.lanesections[0].leftlanes, *made.lanes.lanesections[0].rightlanes):
            _pave(lane, road, friction)
    return _written(title, date, *roads, junction=junction)


def _line(length: Decimal, *, placed: bool = True) -> xodr.PlanView:
    plan = xodr.PlanView()
    if placed:
        plan.set_start_point(0, 0, 0)
    plan.add_geometry(xodr.Line(float(length)))
    return plan


def _rule(right_hand: bool) -> xodr.TrafficRule:
    return xodr.TrafficRule.RHT if right_hand else xodr.TrafficRule.LHT


def _pave(lane: xodr.Lane, road: Road, friction: Decimal | None) -> None:
    if friction is not None:
        lane.add_lane_material(float(friction), surface=road.surface)


def _lanes(road: Road, friction: Decimal | None, side: Decimal, lanes: int = 1) -> xodr.Lanes:
    """`lanes` driving lanes on either hand and, where `side` is not 0, a paved side."""
    section = xodr.LaneSection(0, xodr.standard_lane(0))
    kinds = [(xodr.LaneType.driving, road.lane_width)] * lanes + [(xodr.LaneType.shoulder, side)] * (side > 0)
    for add in (section.add_left_lane, section.add_right_lane):
        for kind, width in kinds:
            lane = xodr.Lane(kind, a=float(width))
            _pave(lane, road, friction)
            lane.add_roadmark(xodr.RoadMark(xodr.RoadMarkType.solid, 0.12))
            add(lane)
    found = xodr.Lanes()
    found.add_lanesection(section)
    return found


def _element(title: str, date: str, *roads: xodr.Road, junction: xodr.CommonJunctionCreator | None = None) -> ET.Element:
    drive = xodr.OpenDrive(title, *REVISION)
    for made in roads:
        drive.add_road(made)
    if junction:
        drive.add_junction_creator(junction)
    drive.adjust_roads_and_lanes()
    root: ET.Element = drive.get_element()
    _child(root, "header").set("date", date)
    return root


def _child(element: ET.Element, name: str) -> ET.Element:
    found = element.find(name)
    assert found is not None, name
    return found


def _written(title: str, date: str, *roads: xodr.Road, junction: xodr.CommonJunctionCreator | None = None) -> bytes:
    return text(_element(title, date, *roads, junction=junction), places=12).encode()


def needed_length(road: Road, farthest: Decimal) -> Decimal:
    """Length in whole 10 m for a scenario whose farthest x is `farthest`."""
    steps = (farthest + road.lead_out) / 10
    return Decimal(plain(steps.to_integral_value(rounding="ROUND_CEILING") * 10))
