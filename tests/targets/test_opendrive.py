"""Roads in OpenDRIVE, against values worked by hand."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET

import pytest

from regc.model.stage import Road
from regc.targets.opendrive import RoadPlan, written

#: Lane of 4 m: the reference line lies 2 m to its left. An eighth of a circle of 100 m to the left, 20 m of straight, one of 60 m back.
S_BEND = Road(
    kind="curve", length=400, lane_width=4, entry=50, radius=100, arc=25 * math.pi, between=20, counter_radius=-60, counter=15 * math.pi
)


def pieces(road: Road, *, right_hand: bool = True) -> list[tuple[float, float, float, float, float]]:
    """(x, y, heading, length, curvature) of each piece of the reference line."""
    root = ET.fromstring(written(RoadPlan(road, right_hand), "1970-01-01T00:00:00", "made"))
    made = []
    for piece in root.iter("geometry"):
        arc = piece.find("arc")
        bend = float(arc.attrib["curvature"]) if arc is not None else 0.0
        made.append((*(float(piece.attrib[name]) for name in ("x", "y", "hdg", "length")), bend))
    return made


@pytest.mark.parametrize("right_hand", [True, False])
def test_an_s_bend_has_both_turns_around_the_lane(right_hand: bool) -> None:
    side = 1 if right_hand else -1
    made = pieces(S_BEND, right_hand=right_hand)
    assert [length for *_, length, _ in made[:-1]] == pytest.approx([50, 98 * math.pi / 4, 20, 62 * math.pi / 4], abs=1e-5)
    assert [bend for *_, bend in made] == pytest.approx([0, side / 98, 0, -side / 62, 0], abs=1e-9)
    assert [heading for _, _, heading, *_ in made] == pytest.approx([0, 0, side * math.pi / 4, side * math.pi / 4, 0], abs=1e-5)
    corner = 50 + 98 * math.sqrt(0.5), side * (2 + 98 * (1 - math.sqrt(0.5)))
    assert made[2][:2] == pytest.approx(corner, abs=1e-5)
    last = corner[0] + (20 + 62) * math.sqrt(0.5), corner[1] + side * (20 * math.sqrt(0.5) + 62 * (1 - math.sqrt(0.5)))
    assert made[4][:2] == pytest.approx(last, abs=1e-5)


def test_a_curve_without_a_second_radius_has_one_turn() -> None:
    assert [bend for *_, bend in pieces(S_BEND.model_copy(update={"counter_radius": 0.0}))] == pytest.approx([0, 1 / 98, 0], abs=1e-9)
