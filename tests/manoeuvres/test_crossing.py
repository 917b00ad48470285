"""A target that crosses meets the impact point at every step and speed; what hides it hides it."""

from __future__ import annotations

import math

import pytest
from tests.manoeuvres.factory import made

from regc.errors import StagingError
from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.manoeuvres.plan import Options
from regc.model.stage import Stage
from regc.motion import Playback, corners, play

DATA = load()
CHILD = {"subject": "30 km/h", "target": "5 km/h", "ttc": ">=4 s", "straight_time": ">=2 s"}
BICYCLE = {"subject": "30 km/h", "target": "15 km/h", "ttc": ">=4 s", "straight_time": ">=2 s", "obstructed": "run_up"}
ADULT = {"target": "5 km/h", "ttc": "4 s", "set_up": "4.0 m", "run_up": "<=1.5 m"}
HIDDEN = ADULT | {"obstructed": "yes", "spacing": "1.0 m", "clearance": "1.0 m", "obstruction_ahead": "1.0 m"}

TESTS = [
    pytest.param(CHILD, {"target": "child"}, 0.0, 0.1, id="child"),
    pytest.param(BICYCLE, {"target": "bicycle", "obstruction": "object"}, 0.0, 0.1, id="bicycle"),
    pytest.param(ADULT | {"subject": "60 km/h", "overlap": "25 per cent"}, {"target": "adult"}, -0.45, 0.15, id="adult 25"),
    pytest.param(ADULT | {"subject": "10 km/h", "overlap": "50 per cent"}, {"target": "adult"}, 0.0, 0.15, id="adult 50"),
    pytest.param(
        HIDDEN | {"subject": "50 km/h", "overlap": "50 per cent"}, {"target": "child", "obstruction": "car"}, 0.0, 0.15, id="hidden"
    ),
]


def meeting(staged: Stage) -> tuple[float, float]:
    """Lateral place of the target's reference point, and s from the functional part, when the subject's front reaches the plane."""
    run = play(staged, to_end=False, until=60)
    assert staged.impact is not None
    front = run.tracks["subject"].x + staged.subject.box.front
    sample = int((front >= staged.impact.x).argmax())
    share = float((staged.impact.x - front[sample - 1]) / (front[sample] - front[sample - 1]))
    target, reference = run.tracks["target"], staged.mover("target").box.reference
    y = target.y + reference * math.copysign(1, target.heading[0])
    point = float(y[sample - 1] + share * (y[sample] - y[sample - 1]))
    return point, float(run.time[sample - 1]) + share * staged.step - run.events["functional_part"]


@pytest.mark.parametrize(("bind", "actors", "point", "tolerance"), TESTS)
@pytest.mark.parametrize(("step", "nearside"), [(0.001, True), (0.005, False), (0.01, True), (0.02, True), (0.02, False)])
def test_the_target_meets_the_impact_point(
    bind: dict[str, str], actors: dict[str, str], point: float, tolerance: float, step: float, nearside: bool
) -> None:
    staged = stage(made("crossing", bind, actors), DATA, Options(step=step, nearside=nearside))
    met, ttc = meeting(staged)
    expected = point if nearside else -point
    assert abs(met - expected) <= 0.2 * tolerance
    assert 4.0 <= ttc <= 4.0 + 3 * step
    contact = play(staged).contact
    assert contact is not None
    assert abs(contact.point - expected) <= 0.2 * tolerance


@pytest.mark.parametrize(("bind", "actors", "point", "tolerance"), TESTS)
def test_a_subject_vehicle_that_is_a_little_faster_is_met_as_well(
    bind: dict[str, str], actors: dict[str, str], point: float, tolerance: float
) -> None:
    """What starts the target is a time, so a speed 1.6 km/h off moves nothing."""
    staged = stage(made("crossing", bind, actors), DATA)
    faster = staged.model_copy(update={"subject": staged.subject.model_copy(update={"speed": staged.subject.speed + 1.6 / 3.6})})
    # the start no longer lies half a step beside the trigger
    assert abs(meeting(faster)[0] - point) <= 0.2 * tolerance + staged.step * 4.2


def test_it_is_hit_at_the_test_speed() -> None:
    run = play(stage(made("crossing", CHILD, {"target": "child"}), DATA))
    assert run.contact is not None
    assert run.contact.speed * 3.6 == pytest.approx(30)
    assert abs(run.contact.point) < 0.02
    assert run.events["target_begins"] >= run.events["functional_part"]


def test_a_set_up_distance_is_kept_and_the_side_said_wins() -> None:
    left = ADULT | {"subject": "40 km/h", "overlap": "50 per cent", "set_up": "6.0 m", "target": "8 km/h", "side": "left"}
    staged = stage(made("crossing", left, {"target": "adult"}), DATA, Options(nearside=True))
    assert staged.mover("target").start.y == pytest.approx(6.0)
    # in left-hand traffic it is still the left
    mirrored = stage(made("crossing", left, {"target": "adult"}), DATA, Options(right_hand=False)).mirrored()
    assert (mirrored.traffic, mirrored.mover("target").start.y) == ("lht", pytest.approx(6.0))
    # the near side is the other one there
    near = stage(made("crossing", CHILD, {"target": "child"}), DATA, Options(right_hand=False)).mirrored()
    assert near.mover("target").start.y > 0
    run = play(staged)
    track = run.tracks["target"]
    assert float(track.travelled[track.speed >= 8 / 3.6 - 1e-9][0]) <= 1.5


def _hidden(run: Playback, staged: Stage, sample: int) -> bool:
    """Whether the line from the middle of the subject's front to every corner of the target meets an obstruction."""
    subject = run.tracks["subject"].pose(sample)
    eye = (subject.x + staged.subject.box.front, subject.y)
    walls = [corners(thing.box, thing.start) for thing in staged.things]
    target = corners(staged.mover("target").box, run.tracks["target"].pose(sample))
    return all(any(_cuts(eye, corner, wall) for wall in walls) for corner in target)


def _cuts(a: tuple[float, float], b: tuple[float, float], wall: list[tuple[float, float]]) -> bool:
    def turn(p: tuple[float, float], q: tuple[float, float], r: tuple[float, float]) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    edges = zip(wall, wall[1:] + wall[:1], strict=True)
    return any(turn(a, b, p) * turn(a, b, q) < 0 and turn(p, q, a) * turn(p, q, b) < 0 for p, q in edges)


def test_the_run_up_is_hidden_and_the_target_free_in_the_functional_part() -> None:
    staged = stage(made("crossing", BICYCLE, {"target": "bicycle", "obstruction": "object"}), DATA)
    run = play(staged)
    begin = run.at("functional_part")
    starts = run.at("target_begins")
    full = int((run.tracks["target"].speed >= 15 / 3.6 - 1e-6).argmax())
    assert starts < full < begin
    assert all(_hidden(run, staged, sample) for sample in range(starts, full))
    assert not any(_hidden(run, staged, sample) for sample in range(begin, run.contact.sample if run.contact else begin))


def test_parked_cars_stand_where_the_test_says() -> None:
    """Left sides 1 m right of a subject vehicle 1.8 m wide; fronts 1 m before the plane; 1 m between them."""
    bind = HIDDEN | {"subject": "50 km/h", "overlap": "50 per cent"}
    staged = stage(made("crossing", bind, {"target": "child", "obstruction": "car"}), DATA)
    assert staged.impact is not None
    first, second = staged.things
    assert max(y for _, y in corners(first.box, first.start)) == pytest.approx(-1.9)
    assert max(x for x, _ in corners(first.box, first.start)) == pytest.approx(staged.impact.x - 1.0)
    assert min(x for x, _ in corners(first.box, first.start)) - max(x for x, _ in corners(second.box, second.start)) == pytest.approx(1)
    run = play(staged)
    behind = int((run.tracks["target"].y > -3.2).argmax())
    assert _hidden(run, staged, behind)


def test_what_cannot_cross_says_why() -> None:
    with pytest.raises(StagingError, match="does not cross"):
        stage(made("crossing", CHILD | {"target": "0 km/h"}, {"target": "child"}), DATA)
    with pytest.raises(StagingError, match="nobody plays the role obstruction"):
        stage(made("crossing", BICYCLE, {"target": "bicycle"}), DATA)
    with pytest.raises(StagingError, match=r"needs 9\.19 s from where it is set up"):
        stage(made("crossing", ADULT | {"subject": "40 km/h", "set_up": "12 m"}, {"target": "adult"}), DATA)
    with pytest.raises(StagingError, match="does not hide a run-up"):
        stage(made("crossing", BICYCLE, {"target": "bicycle", "obstruction": "car"}), DATA)
