"""OpenDRIVE roads for the scenarios: one function a road, so that more kinds of road can stand beside the straight one."""

from __future__ import annotations

from decimal import Decimal

from scenariogeneration import xodr

from regc.assumed import Road
from regc.model.units import plain
from regc.targets._osc_xml import text

#: the lowest OpenDRIVE version whose features the files use
REVISION = ("1", "7")


def straight(
    road: Road, length: Decimal, friction: Decimal | None, slope: Decimal, *, right_hand: bool, date: str, title: str
) -> bytes:
    """A straight road of two lanes with a paved side on either hand, along +x from the origin. `slope` as a ratio."""
    line = xodr.PlanView()
    line.set_start_point(0, 0, 0)
    line.add_geometry(xodr.Line(float(length)))
    section = xodr.LaneSection(0, xodr.standard_lane(0))
    mark = xodr.RoadMark(xodr.RoadMarkType.solid, 0.12)
    for add in (section.add_left_lane, section.add_right_lane):
        for kind, width in ((xodr.LaneType.driving, road.lane_width), (xodr.LaneType.shoulder, road.paved_side)):
            lane = xodr.Lane(kind, a=float(width))
            if friction is not None:
                lane.add_lane_material(float(friction), surface=road.surface)
            lane.add_roadmark(mark)
            add(lane)
    lanes = xodr.Lanes()
    lanes.add_lanesection(section)
    rule = xodr.TrafficRule.RHT if right_hand else xodr.TrafficRule.LHT
    made = xodr.Road(1, line, lanes, name="straight", rule=rule)
    made.add_elevation(0, 0, float(slope), 0, 0)
    drive = xodr.OpenDrive(title, *REVISION)
    drive.add_road(made)
    drive.adjust_roads_and_lanes()
    root = drive.get_element()
    header = root.find("header")
    if header is not None:
        header.set("date", date)
    return text(root).encode()


def needed_length(road: Road, farthest: Decimal) -> Decimal:
    """Length in whole 10 m for a scenario whose farthest x is `farthest`."""
    steps = (farthest + road.lead_out) / 10
    return Decimal(plain(steps.to_integral_value(rounding="ROUND_CEILING") * 10))
