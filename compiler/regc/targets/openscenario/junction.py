"""Two straight roads that cross, as OpenDRIVE: the library lays out the connecting roads, lanes and friction are the stage's."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET
from decimal import Decimal

from scenariogeneration import xodr

from regc.model.units import plain
from regc.targets.openscenario.roads import REVISION, SURFACE, Plan
from regc.targets.openscenario.xml import serialized

#: attributes that look like numbers and are names
_NAMES = frozenset({"id", "name", "date", "revMajor", "revMinor", "predecessor", "successor"})


def junction(plan: Plan, date: str, title: str) -> bytes:
    """Arms to the west (it begins at x = 0 and ends `size` before the middle), south, east and north; a road for each way through."""
    road = plan.road
    side = 1.0 if plan.right_hand else -1.0
    lengths = (road.centre - road.size, road.arm, road.arm, road.arm)
    arms = []
    for number, (length, name) in enumerate(zip(lengths, ("west", "south", "east", "north"), strict=True), 1):
        view = xodr.PlanView()
        if number == 1:
            view.set_start_point(0, side * plan.edge, 0)
        view.add_geometry(xodr.Line(length))
        arms.append(xodr.Road(number, view, _lanes(plan), name=name, rule=_rule(plan)))
    made = xodr.CommonJunctionCreator(100, "intersection", startnum=101)
    ends = ("successor", "predecessor", "predecessor", "predecessor")
    for arm, angle, end in zip(arms, (math.pi, 1.5 * math.pi, 0.0, 0.5 * math.pi), ends, strict=True):
        made.add_incoming_road_circular_geometry(arm, road.size, angle, end)
    # one road a way through; the first arm runs towards the middle, the others away from it
    towards = -1 if plan.right_hand else 1
    into, out_of = [towards, -towards, -towards, -towards], [-towards, towards, towards, towards]
    for one, other in itertools.permutations(range(4), 2):
        made.add_connection(one + 1, other + 1, into[one], out_of[other])
    connecting = made.get_connecting_roads()
    for each in (*arms, *connecting):
        each.add_elevation(0, 0, 0, 0, 0)
    for each in connecting:
        each.rule = _rule(plan)
        section = each.lanes.lanesections[0]
        for lane in (*section.leftlanes, *section.rightlanes):
            lane.add_lane_material(road.friction, surface=SURFACE)
    drive = xodr.OpenDrive(title, *REVISION)
    for arm in arms:
        drive.add_road(arm)
    drive.add_junction_creator(made)
    drive.adjust_roads_and_lanes()
    root: ET.Element = drive.get_element()
    _fix(root, date)
    return serialized(root)


def _rule(plan: Plan) -> xodr.TrafficRule:
    return xodr.TrafficRule.RHT if plan.right_hand else xodr.TrafficRule.LHT


def _lanes(plan: Plan) -> xodr.Lanes:
    """One driving lane on either hand."""
    section = xodr.LaneSection(0, xodr.standard_lane(0))
    for add in (section.add_left_lane, section.add_right_lane):
        lane = xodr.Lane(xodr.LaneType.driving, a=plan.road.lane_width)
        lane.add_lane_material(plan.road.friction, surface=SURFACE)
        lane.add_roadmark(xodr.RoadMark(xodr.RoadMarkType.solid, 0.12))
        add(lane)
    found = xodr.Lanes()
    found.add_lanesection(section)
    return found


def _fix(root: ET.Element, date: str) -> None:
    """The date of the edition, plain decimals, and an arc or a line wherever the library wrote a spiral of one curvature, which
    OpenDRIVE does not allow."""
    head = root.find("header")
    if head is not None:
        head.set("date", date)
    for key in [key for key in root.attrib if "schemaLocation" in key or key.startswith("xmlns")]:
        del root.attrib[key]
    for geometry in root.iter("geometry"):
        spiral = geometry.find("spiral")
        if spiral is None:
            continue
        start, end = float(spiral.get("curvStart", "0")), float(spiral.get("curvEnd", "0"))
        if abs(start - end) > 1e-9:
            continue
        geometry.remove(spiral)
        if abs(start) < 1e-12:
            ET.SubElement(geometry, "line")
        else:
            ET.SubElement(geometry, "arc", {"curvature": repr(start)})
    for element in root.iter():
        for key, value in element.attrib.items():
            if key not in _NAMES:
                element.set(key, _plain(value))


def _plain(value: str) -> str:
    try:
        number = float(value)
    except ValueError:
        return value
    return plain(Decimal(repr(number)), 12) if math.isfinite(number) else value
