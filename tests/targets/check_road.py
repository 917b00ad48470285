"""Reads the straight road of a scenario file. Shares nothing with the emitter."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from tests.targets.check_geometry import _child, _number


@dataclass
class RoadMeasured:
    """The straight road of a file: m, friction of all lanes, lane centres by id."""

    length: float
    left: float
    right: float
    frictions: set[float]
    centres: dict[int, float]
    rule: str
    slope: float


def road(path: Path) -> RoadMeasured:
    """Reads the road that a scenario file names."""
    name = _child(ET.parse(path).getroot(), "RoadNetwork/LogicFile").attrib["filepath"]
    element = _child(ET.parse(path.parent / name).getroot(), "road")
    _child(element, "planView/geometry/line")
    centres: dict[int, float] = {}
    reach = {}
    for side, sign in (("left", 1), ("right", -1)):
        edge = 0.0
        for lane in sorted(_child(element, f"lanes/laneSection/{side}"), key=lambda item: abs(int(item.attrib["id"]))):
            width = _number(_child(lane, "width"), "a")
            centres[int(lane.attrib["id"])] = sign * (edge + width / 2)
            edge += width
        reach[side] = edge
    slope = _child(element, "elevationProfile/elevation")
    frictions = {_number(item, "friction") for item in element.iter("material")}
    return RoadMeasured(
        _number(element, "length"), reach["left"], reach["right"], frictions, centres, element.attrib["rule"], _number(slope, "b")
    )
