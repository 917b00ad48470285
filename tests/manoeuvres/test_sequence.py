"""Phases in a row, and the manoeuvres that are one part of a course, against what can be calculated by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.manoeuvres.factory import SOURCE, made, number

from regc.engines.kinematic import drive
from regc.errors import StagingError
from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.model.scenario import Actor, Phase, Scenario
from regc.model.stage import Stage

DATA = load()
SPEED = 60 / 3.6


def phase(name: str, manoeuvre: str, *actors: str, **bind: Any) -> Phase:
    return Phase(
        name=name, manoeuvre=manoeuvre, bind=bind, actors=tuple(Actor(role="target", kind=kind, sources=(SOURCE,)) for kind in actors)
    )


def sequence(*phases: Phase) -> Scenario:
    test = made("sequence", {"subject": "60 km/h"})
    return test.model_copy(update={"phases": phases})


def staged(*phases: Phase) -> Stage:
    return stage(sequence(*phases), DATA)


def test_three_times_out_of_the_lane_and_back() -> None:
    made_of = staged(*(phase(name, "leave_lane") for name in ("first", "second", "third")))
    run = drive(made_of)
    begins = [run.events[f"phase_{name}"] for name in ("first", "second", "third")]
    assert begins[0] == pytest.approx(2.5, abs=0.02)
    assert begins[1] - begins[0] == pytest.approx(begins[2] - begins[1], abs=0.02)
    track = run.tracks["subject"]
    for name in ("first", "second", "third"):
        start, line = run.at(f"phase_{name}"), run.at(f"line_{name}")
        assert track.y[start] == pytest.approx(0, abs=0.01)
        assert track.heading[start] == pytest.approx(0, abs=0.001)
        # lateral speed on the way: 0.4 m/s; the outside of the front tyre is at the marking's outer edge
        assert (track.y[line] - track.y[line - 10]) / 0.1 == pytest.approx(0.4, abs=0.01)
        chassis = made_of.subject.chassis
        assert chassis is not None
        outside = track.y[line] + chassis.wheelbase * 0.4 / SPEED + (chassis.track_width + chassis.tyre_width) / 2
        assert outside == pytest.approx(made_of.road.lane_width / 2 + made_of.road.markings[0].width / 2, abs=0.02)
    assert run.contact is None
    assert track.y[-1] == pytest.approx(0, abs=0.01)


def test_another_passes_and_then_the_lane_is_changed_behind_it() -> None:
    actor = "vehicle"
    made_of = staged(phase("enable", "approach_from_rear", actor), phase("change", "lane_change", actor))
    assert [mover.role for mover in made_of.others] == ["target"]
    run = drive(made_of)
    subject, target = run.tracks["subject"], run.tracks["target"]
    first, second = run.at("phase_enable"), run.at("phase_change")
    rear = subject.x[first] - (made_of.subject.box.length - made_of.subject.box.front)
    assert rear - (target.x[first] + made_of.mover("target").box.front) == pytest.approx(50, abs=0.1)
    behind = target.x[second] - (made_of.mover("target").box.length - made_of.mover("target").box.front)
    assert behind - (subject.x[second] + made_of.subject.box.front) == pytest.approx(20, abs=0.1)
    assert (subject.y[second], subject.y[-1]) == (pytest.approx(0, abs=0.01), pytest.approx(3.5, abs=0.02))
    assert run.contact is None


def test_a_slower_one_ahead_where_the_change_brings_it() -> None:
    run = drive(staged(phase("follow", "follow_lane"), phase("change", "lane_change", "car", relative=number("20 km/h"))))
    begin = run.at("phase_change")
    seen = run.seen("subject", "target", begin)
    assert (seen.gap, seen.closing) == (pytest.approx(2.0 * SPEED, abs=0.1), pytest.approx(20 / 3.6))
    assert run.events["phase_change"] - run.events["phase_follow"] == pytest.approx(20.0, abs=0.02)


def test_a_vehicle_at_rest_is_passed() -> None:
    test = made("approach_from_rear", {"subject": "0 km/h", "target": "36 km/h", "distance": "30 m"}, {"target": "motorcycle"})
    made_of = stage(test, DATA)
    run = drive(made_of)
    assert made_of.subject.path == ()
    subject, target = run.tracks["subject"], run.tracks["target"]
    assert subject.x[-1] == subject.x[0]
    assert target.x[-1] > subject.x[0] + made_of.subject.box.front
    assert run.contact is None


@pytest.mark.parametrize("manoeuvre", ["follow_lane", "leave_lane"])
def test_a_part_alone_is_a_test(manoeuvre: str) -> None:
    run = drive(stage(made(manoeuvre, {"subject": "60 km/h"}), DATA))
    assert run.tracks["subject"].y[-1] == pytest.approx(0, abs=0.01)
    assert set(run.events) >= {"functional_part", f"phase_{manoeuvre}"}


@pytest.mark.parametrize(
    ("phases", "says"),
    [
        ((phase("near", "in_lane", "car"),), "in_lane .* is no part of a sequence"),
        ((phase("one", "approach_from_rear", "car"), phase("two", "lane_change", "motorcycle")), "two targets"),
        ((phase("one", "approach_from_rear", "car", target=number("50 km/h")),), "does not come up"),
        ((phase("one", "drift", rate=number("20 m/s")),), "does not drift"),
    ],
)
def test_what_cannot_follow_is_told(phases: tuple[Phase, ...], says: str) -> None:
    with pytest.raises(StagingError, match=says):
        staged(*phases)
