"""What is drawn of a stage, against values worked by hand."""

from __future__ import annotations

import math

import pytest

from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.model.stage import Leg, Pose, Road
from regc.report.drawing import Line, drawing, outline
from tests import suites
from tests.manoeuvres.examples import EXAMPLES


def test_towards_a_standing_car() -> None:
    """40 km/h = 11.111 m/s; the front starts at 3.6 m, the car's rear stands at 83.6 m: contact after 7.2 s, TTC 4 s after 3.2 s."""
    drawn = drawing(suites.stage(suites.stationary("40")))
    subject, target = drawn.movers
    assert (subject.role, subject.box, target.role) == ("subject", (4.5, 1.8, 3.6), "target")
    assert drawn.functional == pytest.approx(3.2, abs=0.051)
    assert drawn.contact is not None
    assert drawn.contact[0] == pytest.approx(7.2, abs=0.051)
    assert drawn.contact[1] == pytest.approx(40 / 3.6)
    assert len(subject.frames) == len(target.frames) == 2  # nothing changes, so two frames say all
    assert subject.at(3.0).x == pytest.approx(3 * 40 / 3.6, abs=0.01)
    time, gap, closing = drawn.seen[0]
    assert (time, gap, closing) == (0.0, pytest.approx(80.0 - 3.6 + 4.5 - 0.9 - 0.0, abs=0.01), pytest.approx(40 / 3.6))


def test_braking_needs_more_frames_and_ends_short() -> None:
    """From 11.111 m/s at 5 m/s2 from TTC 2 s (22.2 m before the car): it stops after 12.3 m."""
    drawn = drawing(suites.stage(suites.stationary("40"), brakes=True))
    assert drawn.contact is None
    assert drawn.movers[0].frames[-1][4] == 0
    assert 4 <= len(drawn.movers[0].frames) < 20
    assert drawn.seen[-1][1] == pytest.approx(22.2 - 12.3, abs=0.7)


def test_a_child_waits_and_crosses() -> None:
    drawn = drawing(suites.stage(suites.child()))
    target = drawn.movers[1]
    assert target.form == "pedestrian"
    assert target.at(0.0).y == pytest.approx(-5 / 3.6 * 4)
    assert target.at(drawn.end).y > -1
    assert "target starts" in [words for _, words in drawn.events]
    assert drawn.impact == (60.0, 0.0)


def test_outline_of_a_turned_box() -> None:
    """4.5 m long, 1.8 m wide, front 3.6 m before the origin, turned to the left by 90 degrees."""
    corners = outline((4.5, 1.8, 3.6), Pose(x=10, y=20, heading=1.5707963267948966))
    assert [(round(x, 6), round(y, 6)) for x, y in corners] == [(9.1, 23.6), (9.1, 19.1), (10.9, 19.1), (10.9, 23.6)]


@pytest.mark.parametrize("name", ["pedestrian after a turn", "oncoming car", "crossing car", "lead turns off"])
def test_where_ways_meet_at_a_junction_is_road(name: str) -> None:
    """Every vehicle drives on the drawn road, and whoever crosses is met on it."""
    drawn = drawing(stage(EXAMPLES[name], load()))
    ways = [(frame[1], frame[2]) for mover in drawn.movers if mover.form in ("car", "van") for frame in mover.frames]
    assert all(any(inside(point, outline) for outline in drawn.surface) for point in ways)
    assert drawn.impact is None or inside((drawn.impact[0], drawn.impact[1] + 0.01), drawn.surface[1])


def inside(point: tuple[float, float], outline: Line) -> bool:
    """Whether a point lies in a polygon: a ray from it crosses the outline an odd number of times."""
    x, y = point
    within = False
    for (ax, ay), (bx, by) in zip(outline, (*outline[1:], outline[0]), strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            within = not within
    return within


def test_lanes_of_the_road() -> None:
    """Own lane and an oncoming one of 3.5 m: edges at -1.75 and 5.25, one line between at 1.75; mirrored for left-hand traffic."""
    stage = suites.stage(suites.stationary())
    drawn = drawing(stage)
    assert {y for _, y in drawn.surface[0]} == {-1.75, 5.25}
    assert [(pattern, {y for _, y in points}) for pattern, points in drawn.lines] == [("broken", {1.75})]
    assert {y for _, y in drawing(stage.mirrored()).surface[0]} == {1.75, -5.25}


def test_a_curve_bends_to_its_side() -> None:
    """A quarter circle of 50 m to the right behind 40 m of straight: the lane's middle ends 50 m beside and 50 m on."""
    road = Road(kind="curve", length=200, lane_width=3.5, oncoming=0, entry=40, radius=-50, arc=78.54)
    stage = suites.stage(suites.stationary()).model_copy(update={"road": road})
    path = (Leg(length=40), Leg(length=78.54, curvature=-1 / 50))
    stage = stage.model_copy(update={"subject": stage.subject.model_copy(update={"path": path}), "others": (), "end": stage.end[1:]})
    stage = stage.model_copy(update={"functional_part": stage.end[-1].model_copy(update={"value": 1.0})})
    drawn = drawing(stage)
    half = drawn.surface[0][: len(drawn.surface[0]) // 2]  # the right edge, 1.75 m from the middle: radius 48.25
    x, y = half[-2]
    assert (x, y) == (pytest.approx(40 + 48.25, abs=0.1), pytest.approx(-50, abs=0.1))
    assert all(abs(y) < 120 for _, y in drawn.surface[0])
    other = drawing(stage.mirrored()).surface[0]
    assert other[len(other) // 2 - 2] == (pytest.approx(40 + 51.75, abs=0.1), pytest.approx(50, abs=0.1))  # its right edge lies outside


def test_an_s_bend_turns_back() -> None:
    """Quarter circles of 50 m to the left and back to the right, 10 m apart: 100 m on and 110 m beside, along x again."""
    quarter = 50 * math.pi / 2
    bends = {"entry": 40, "radius": 50, "arc": quarter, "between": 10, "counter_radius": -50, "counter": quarter}
    road = Road(kind="curve", length=300, lane_width=3.5, oncoming=0, **bends)
    stage = suites.stage(suites.stationary()).model_copy(update={"road": road})
    outline = drawing(stage).surface[0]
    right = outline[: len(outline) // 2]
    assert right[-2] == (pytest.approx(140, abs=0.01), pytest.approx(110 - 1.75, abs=0.01))
    assert right[-1] == (pytest.approx(200, abs=0.01), pytest.approx(110 - 1.75, abs=0.01))
