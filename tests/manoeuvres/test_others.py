"""Cut-in, cut-out, plate, drift, lane change, curve and junction, against what can be calculated by hand."""

from __future__ import annotations

import math

import pytest
from tests.manoeuvres.examples import EXAMPLES
from tests.manoeuvres.factory import criterion, made

from regc.errors import StagingError
from regc.manoeuvres import stage, variants
from regc.manoeuvres.data import load
from regc.manoeuvres.plan import Ego, Options
from regc.model.stage import Stage
from regc.motion import along, corners, length, play

DATA = load()


def example(name: str, options: Options | None = None) -> Stage:
    """The stage of an example."""
    return stage(EXAMPLES[name], DATA, options or Options())


@pytest.mark.parametrize(("name", "ttc", "reach"), [("cut in 1", 0.0, 14.06), ("cut in 2", 1.5, 59.3)])
def test_a_target_that_cuts_in_is_in_the_lane_at_its_time(name: str, ttc: float, reach: float) -> None:
    """Two arcs of R over 3.5 m reach sqrt(4 * R * 3.5 - 3.5**2): 14.06 m for 15 m, 59.3 m for 70 km/h at 1.5 m/s2."""
    staged = example(name)
    run = play(staged, to_end=False, until=20)
    assert staged.sheet["change_reach"].value == pytest.approx(reach, abs=0.1)
    done = run.at("lane_change_done")
    target = run.tracks["target"]
    assert target.y[0] == pytest.approx(-3.5)
    assert target.y[done] == pytest.approx(0, abs=0.02)
    assert target.heading[done] == pytest.approx(0, abs=0.01)
    seen = run.seen("subject", "target", done)
    assert seen.gap / seen.closing == pytest.approx(ttc, abs=0.011)
    assert run.contact is not None
    assert run.contact.speed * 3.6 == pytest.approx(40 if ttc == 0 else 50, abs=0.5)


def test_a_lead_that_cuts_out_uncovers_the_target_untouched() -> None:
    staged = example("cut out")
    run = play(staged)
    begin = run.at("functional_part")
    assert run.seen("lead", "target", begin).ttc == pytest.approx(3.0, abs=0.011)
    assert run.seen("subject", "lead", begin).gap == pytest.approx(2.0 * 70 / 3.6, abs=0.1)
    assert run.contact is not None
    assert run.contact.role == "target"
    assert run.contact.speed * 3.6 == pytest.approx(70)
    passed = [sample for sample in range(run.time.size) if -8 < run.seen("lead", "target", sample).gap < 0]
    assert passed
    assert not any(run.seen("lead", "target", sample).touching for sample in passed)


def test_a_plate_is_driven_over() -> None:
    staged = example("steel plate")
    plate = staged.mover("object")
    assert (plate.box.length, plate.box.width, plate.box.height) == (3.7, 2.4, pytest.approx(0.025))
    assert plate.passable
    run = play(staged)
    assert run.contact is None
    assert run.end is not None
    assert run.end.kind == "passed"
    assert 5.0 <= run.seen("subject", "object", run.at("functional_part")).ttc <= 5.02
    braking = run.tracks["subject"].speed[run.at("driver_brakes")] - run.tracks["subject"].speed[-1]
    assert braking > 0


@pytest.mark.parametrize(("name", "side", "rate"), [("drift left", 1, 0.1), ("drift right", -1, 0.8)])
def test_a_drift_crosses_the_line_at_its_rate(name: str, side: int, rate: float) -> None:
    """Lane 3.6 m, marking 0.15 m: outer edge at 1.875 m; outside of the front tyre (1.55 + 0.205) / 2 beside the middle."""
    staged = example(name)
    assert staged.road.lane_width == pytest.approx(3.6)
    assert [marking.y for marking in staged.road.markings] == [pytest.approx(1.8), pytest.approx(-1.8)]
    run = play(staged)
    track = run.tracks["subject"]
    late = run.time > run.events["functional_part"] + 2
    speeds = side * track.speed[late] * [math.sin(angle) for angle in track.heading[late]]
    assert speeds.min() == pytest.approx(rate)
    assert speeds.max() == pytest.approx(rate)
    assert abs(track.y[run.at("functional_part")]) < 0.001
    reached = run.at("line_reached")
    tyre = side * track.y[reached] + 2.7 * side * math.sin(track.heading[reached]) + 0.8775 * math.cos(track.heading[reached])
    assert tyre == pytest.approx(1.875, abs=0.01)
    end = side * track.y[-1] + 2.7 * side * math.sin(track.heading[-1]) + 0.8775 * math.cos(track.heading[-1])
    assert end == pytest.approx(1.875 + 0.3 + 0.5, abs=0.02)


def test_the_subject_vehicle_changes_lanes_behind_a_slower_one() -> None:
    staged = example("lane change", Options(ego="reference"))
    assert [(free.name, free.symbol, str(free.value)) for free in staged.free] == [("bind.subject", "v_set", "60.0")]
    assert staged.mover("target").speed * 3.6 == pytest.approx(40)
    run = play(staged)
    assert run.contact is None
    assert run.tracks["subject"].y[run.at("functional_part")] == pytest.approx(0, abs=0.001)
    assert run.tracks["subject"].y[run.at("lane_change_done")] == pytest.approx(3.5, abs=0.01)
    assert staged.road.lanes_left == 1
    assert [(marking.y, marking.width) for marking in staged.road.markings] == [(1.75, 0.15), (-1.75, 0.15)]


@pytest.mark.parametrize("ego", ["none", "external"])
def test_nothing_changes_the_lane_for_a_system_that_should(ego: Ego) -> None:
    staged = example("lane change", Options(ego=ego))
    assert staged.subject.path == ()
    assert play(staged, until=15).tracks["subject"].y.max() == 0


def test_late_changes_lanes_more_abruptly_than_the_limit_of_the_jerk() -> None:
    """Between two arcs at 1.5625 m/s2 the acceleration turns round: 3.125 m/s2 within 0.5 s is 6.25 m/s3, a quarter above 5."""
    jerk = criterion("jerk", "measure", signal="lateral_jerk", sign="<=", limit="5 m/s3", mean_over="0.5 s")
    test = made("lane_change", {"subject": "50 km/h", "displacement": "3.5 m"}, {"target": "car"}, require=[jerk])
    late, right = (stage(test, DATA, Options(ego=ego)) for ego in ("late", "reference"))
    assert (50 / 3.6) ** 2 * late.subject.path[1].curvature == pytest.approx(1.5625)
    assert (50 / 3.6) ** 2 * right.subject.path[1].curvature == pytest.approx(1.0)


def test_a_vehicle_that_turns_across_slows_down_by_itself_where_its_system_drives() -> None:
    assert [change.name for change in example("oncoming car").subject.changes] == ["slows_down"]
    assert example("oncoming car").driver == ()
    turn = example("turn before an oncoming vehicle")
    assert (turn.subject.changes, [change.name for change in turn.driver]) == ((), ["driver_brakes", "driver_slows_in_turn"])


def test_a_car_around_a_curve_touches_the_straight_on_of_the_lane() -> None:
    staged = example("car in a curve")
    target = staged.mover("target")
    assert min(y for _, y in corners(target.box, target.start)) == pytest.approx(3.5 / 2)
    subject = staged.subject
    assert along(subject.start, subject.path, subject.path[0].length).y == pytest.approx(0)
    assert 1 / subject.path[1].curvature == pytest.approx(787)
    assert staged.road.radius == pytest.approx(787)
    run = play(staged)
    assert run.contact is not None
    assert run.contact.time - run.events["functional_part"] == pytest.approx(5.0, abs=0.1)


def test_an_s_bend_turns_back_behind_the_car_that_stands_in_its_first_turn() -> None:
    """Laid out: the first turn ends 15 m behind the target's rear, 20 m of straight lie between both."""
    staged = example("car in an S-bend")
    entry, first, between, second, _ = staged.subject.path
    assert [1 / leg.curvature for leg in (first, second)] == pytest.approx([787, -374])
    assert (entry.curvature, between.curvature, between.length) == (0, 0, 20)
    assert first.length * first.curvature == pytest.approx(-second.length * second.curvature)  # its direction again
    target = staged.mover("target")
    assert min(y for _, y in corners(target.box, target.start)) == pytest.approx(3.5 / 2)
    assert first.length - 787 * target.start.heading == pytest.approx(15)
    road = staged.road
    assert (road.radius, road.counter_radius, road.between) == (pytest.approx(787), pytest.approx(-374), 20)
    assert (road.arc, road.counter) == (first.length, second.length)
    run = play(staged, to_end=False, until=25)
    assert run.contact is not None
    passed = play(staged.model_copy(update={"others": ()}), to_end=False, until=25).tracks["subject"]
    assert float(passed.heading[-1]) == pytest.approx(0, abs=1e-9)


def test_a_crossing_car_is_met_a_quarter_behind_its_front() -> None:
    """4.023 / 4 m behind the front, on the subject vehicle's centre line, when its front is there."""
    run = play(example("crossing car"), to_end=False, until=15)
    assert run.contact is not None
    target = run.tracks["target"]
    front = target.y[run.contact.sample] + target.box.front
    assert front - 4.023 / 4 == pytest.approx(0, abs=0.1)
    assert run.contact.speed * 3.6 == pytest.approx(50)


def test_an_oncoming_car_meets_half_of_the_front_in_the_turn() -> None:
    staged = example("oncoming car")
    run = play(staged)
    assert run.contact is not None
    heading = float(run.tracks["subject"].heading[run.contact.sample])
    middle = float(run.tracks["subject"].y[run.contact.sample]) + staged.subject.box.front * math.sin(heading)
    assert middle == pytest.approx(3.5 - 1.712 / 2, abs=0.35)


@pytest.mark.parametrize(
    ("name", "steer_ttc", "clear_ttc"),
    [
        ("turn before an oncoming vehicle", 2.8, 1.7),
        ("lead turns off", 4.7, 2.5),
        ("curve past an object", 1.6, 1.1),
        ("lane change before a sign", 4.2, 3.3),
    ],
)
def test_bounds_hold_and_nobody_is_touched(name: str, steer_ttc: float, clear_ttc: float) -> None:
    staged = example(name)
    run = play(staged)
    steers = run.at("steering_begins")
    assert run.seen("subject", "target", steers).ttc <= steer_ttc
    assert run.contact is None
    assert run.end is not None
    assert run.end.kind == "travelled"
    last = None
    for sample in range(steers, run.time.size):
        seen = run.seen("subject", "target", sample)
        if seen.overlap > 0:
            last = seen
        elif last:
            break
    assert last is not None
    assert last.ttc <= clear_ttc
    for mover in staged.others:
        assert length(mover.path) == 0 or length(mover.path) >= run.tracks[mover.role].travelled[-1]


def test_a_curve_is_driven_past_each_object() -> None:
    stages = [stage(test, DATA) for test in variants(EXAMPLES["curve past an object"], DATA)]
    assert [staged.stem for staged in stages] == ["made_1_vehicle", "made_1_pedestrian", "made_1_bicycle"]
    assert [play(staged).contact for staged in stages] == [None, None, None]


@pytest.mark.parametrize(
    ("name", "bind", "says"),
    [
        ("cut in 1", {"target": "60 km/h"}, "is not closed in on"),
        ("cut in 1", {"radius": "1 m"}, "do not change lanes by 3.5 m"),
        ("cut out", {"lead": "0 km/h"}, "do not close in"),
        ("drift left", {"rate": "12 m/s"}, "does not drift"),
        ("crossing car", {"target": "0 km/h"}, "does not cross"),
        ("turn before an oncoming vehicle", {"steer_ttc": "<=0.3 s"}, "no turn keeps every bound"),
        ("lead turns off", {"turn_start_ttc": "<=0.3 s"}, "no gap keeps every bound"),
        ("curve past an object", {"steer_ttc": "<=0.5 s"}, "does not keep every bound"),
        ("lane change before a sign", {"steer_ttc": "<=0.4 s"}, "are too short for a change of lane"),
    ],
)
def test_what_no_geometry_keeps_is_refused(name: str, bind: dict[str, str], says: str) -> None:
    test = EXAMPLES[name]
    changed = made(test.manoeuvre, bind, require=(criterion("x", "never", a="warning"),)).bind
    with pytest.raises(StagingError, match=says):
        stage(test.model_copy(update={"bind": {**test.bind, **changed}}), DATA)
