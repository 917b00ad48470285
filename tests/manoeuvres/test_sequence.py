"""Phases in a row, and the manoeuvres that are one part of a course, against what can be calculated by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.manoeuvres.factory import NO_CONTACT, SOURCE, criterion, made, number, value

from regc.engines.kinematic import drive
from regc.errors import StagingError
from regc.judge.campaign import judge
from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.manoeuvres.plan import Options
from regc.model.criterion import Criterion
from regc.model.scenario import Actor, Phase, Scenario
from regc.model.stage import Stage
from regc.model.suite import Suite
from regc.runs.playback import info_of, log_of

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


FROM_THE_LEFT = phase("near", "crossing", "child", target=number("5 km/h"), side=value("left"))


@pytest.mark.parametrize(
    ("phases", "says"),
    [
        ((phase("near", "turn_across", "car"),), "turn_across .* is no part of a sequence"),
        ((phase("near", "crossing", "child", target=number("0 km/h")),), "does not cross"),
        ((phase("one", "curve"), phase("two", "curve")), "bends once"),
        ((phase("one", "approach_from_rear", "motorcycle"), FROM_THE_LEFT), "target would drive into target2 at 20.7 s"),
        ((phase("near", "in_lane", "car"), phase("then", "follow_lane")), "nothing follows phase near"),
        ((phase("near", "in_lane", "car", target=number("70 km/h")),), "does not come up|nobody comes up"),
        ((phase("one", "approach_from_rear", "car", target=number("50 km/h")),), "does not come up|nobody comes up"),
        ((phase("one", "drift", rate=number("20 m/s")),), "does not drift"),
    ],
)
def test_what_cannot_follow_is_told(phases: tuple[Phase, ...], says: str) -> None:
    with pytest.raises(StagingError, match=says):
        staged(*phases)


# ---------------------------------------------------------------- the model of a system


def verdicts(require: list[Criterion], *phases: Phase) -> dict[str, dict[str, str]]:
    """The model -> what the judge says of each criterion."""
    test = sequence(*phases).model_copy(update={"require": tuple(require)})
    suite = Suite(regulation="made", edition="1", wording="official", title="made", stem="made", document_sha256="", scenarios=(test,))
    told = {}
    for ego in ("none", "reference", "late"):
        made_of = stage(test, DATA, Options(ego=ego))
        run = judge(suite, [log_of(made_of, drive(made_of), info_of(made_of, ego="external" if ego == "none" else ego))]).runs[0]
        told[ego] = {check.label: check.result for check in run.checks if check.part == "criterion"}
    return told


def of(label: str, form: str, phase: str = "", first: int = 0, second: int = 0, **parts: str) -> Criterion:
    asked = criterion(label, form, **parts)
    events = {
        name: event.model_copy(update={"occurrence": count})
        for name, event, count in (("a", asked.a, first), ("b", asked.b, second))
        if event is not None and count
    }
    return asked.model_copy(update={"phase": phase, **events})


LEAVES = (phase("first", "leave_lane"), phase("second", "leave_lane"))


def test_the_reference_keeps_its_lane_where_no_line_may_be_crossed() -> None:
    told = verdicts([of("line", "never", a="line_crossed")], *LEAVES)
    assert told == {"none": {"line": "not_met"}, "reference": {"line": "met"}, "late": {"line": "not_met"}}
    told = verdicts([of("line", "never", "second", a="line_crossed"), of("other", "happens", "first", a="line_crossed")], *LEAVES)
    assert told["reference"] == {"line": "met", "other": "met"}
    assert told["none"] == {"line": "not_met", "other": "met"}


def test_it_warns_in_each_phase_that_asks() -> None:
    asked = [of(name, "happens", name, a="warning") for name in ("first", "second")]
    told = verdicts(asked, *LEAVES)
    assert told["reference"] == {"first": "met", "second": "met"}
    assert told["none"] == {"first": "not_met", "second": "not_met"}


def test_it_warns_where_one_phase_asks_and_the_other_forbids() -> None:
    told = verdicts([of("quiet", "never", "first", a="warning"), of("warns", "happens", "second", a="warning")], *LEAVES)
    assert told["reference"] == {"quiet": "met", "warns": "met"}
    assert told["none"] == {"quiet": "met", "warns": "not_met"}


def test_the_second_of_two_warnings_lasts_longer_and_comes_later() -> None:
    asked = [
        of("longer", "longer", first=2, second=1, a="warning", b="warning", by="2 s"),
        of("apart", "after", first=2, second=1, a="warning", b="warning", by="30 s"),
    ]
    told = verdicts(asked, *LEAVES, phase("third", "leave_lane"))
    assert told["reference"] == {"longer": "met", "apart": "met"}
    assert told["none"] == {"longer": "not_met", "apart": "not_met"}


@pytest.mark.parametrize(
    ("form", "a", "b", "by"),
    [
        ("before", "warning", "line_crossed", "0.5 s"),
        ("after", "lane_change", "warning", "3 s"),
        ("within", "lane_change", "warning", "4 s"),
    ],
)
def test_it_warns_in_good_time_to_what_a_criterion_orders_it_by(form: str, a: str, b: str, by: str) -> None:
    part = phase("leave", "leave_lane") if "line" in b else phase("change", "lane_change")
    told = verdicts([of("order", form, a=a, b=b, by=by)], phase("follow", "follow_lane"), part)
    assert told["reference"] == {"order": "met"}
    assert told["none"]["order"] != "met"


def test_it_brakes_before_what_is_ahead_in_the_last_phase() -> None:
    parts = (phase("pass", "approach_from_rear", "motorcycle"), phase("meet", "in_lane", "car", target=number("20 km/h")))
    test = sequence(*parts).model_copy(update={"require": (NO_CONTACT, of("warns", "happens", "meet", a="warning"))})
    made_of = stage(test, DATA, Options(ego="none"))
    assert [mover.role for mover in made_of.others] == ["target", "target2"]
    contact = drive(made_of).contact
    assert contact is not None
    assert (contact.role, contact.speed) == ("target2", pytest.approx(40 / 3.6, abs=0.01))
    told = verdicts([*test.require], *parts)
    assert told["none"] == {"contact": "not_met", "warns": "not_met"}
    assert told["reference"] == {"contact": "met", "warns": "met"}
    assert told["late"]["contact"] == "not_met"
