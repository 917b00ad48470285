"""A road user crosses the side road that the subject vehicle turns into: where both meet, and how its run is judged."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.manoeuvres.factory import criterion, made

from regc.engines.kinematic import drive
from regc.judge.comparison import LimitTables
from regc.judge.run import Bench, judge_run, unrolled
from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.manoeuvres.plan import Ego, Options
from regc.model.scenario import Scenario
from regc.motion import play
from regc.runs.log import RunLog
from regc.runs.playback import info_of, log_of

DATA = load()
PEDESTRIAN = {"subject": "20 km/h", "target": "5 km/h", "ttc": ">=4 s", "impact_tolerance": "<=0.2 m", "starts": "functional_part"}
BICYCLE = {"subject": "50 km/h", "target": "15 km/h", "ttc": ">=4 s", "impact_tolerance": "<=0.2 m", "obstructed": "run_up"}
NO_CONTACT = (criterion("contact", "never", a="contact"),)


def pedestrian() -> Scenario:
    return made("cross_after_turn", PEDESTRIAN, {"target": "pedestrian"}, require=NO_CONTACT)


def bicycle() -> Scenario:
    return made("cross_after_turn", BICYCLE, {"target": "bicycle", "obstruction": "object"}, require=NO_CONTACT)


def log(scenario: Scenario, ego: Ego) -> RunLog:
    staged = stage(scenario, DATA, Options(ego=ego))
    return log_of(staged, drive(staged), info_of(staged, run="1", ego=ego))


def test_the_turn_is_as_wide_as_the_speed_asks_and_the_impact_lies_behind_it() -> None:
    """20 km/h at 3 m/s2 is a radius of 10.29 m; 6 m straight on, and the front ahead of the rear axle."""
    staged = stage(pedestrian(), DATA)
    straight, turn, _ = staged.subject.path
    assert 1 / turn.curvature == pytest.approx(-((20 / 3.6) ** 2) / 3)
    assert turn.length * turn.curvature == pytest.approx(-math.pi / 2)
    assert staged.sheet["impact.along"].value == pytest.approx(10.288 + 6 + staged.subject.box.front, abs=0.001)
    assert staged.others[0].start.x < staged.subject.start.x + straight.length + 10.288
    assert staged.others[0].start.heading == 0.0


@pytest.mark.parametrize("make", [pedestrian, bicycle])
@pytest.mark.parametrize(("step", "nearside"), [(0.001, True), (0.01, True), (0.01, False), (0.02, False)])
def test_the_target_meets_the_middle_of_the_front(make: Callable[[], Scenario], step: float, nearside: bool) -> None:
    staged = stage(make(), DATA, Options(step=step, nearside=nearside))
    run = play(staged)
    assert run.contact is not None
    assert abs(run.contact.point) <= 0.02
    assert 4.0 <= run.contact.time - run.events["functional_part"] <= 4.0 + 4 * step


@pytest.mark.parametrize("make", [pedestrian, bicycle])
@pytest.mark.parametrize(("ego", "verdict"), [("reference", "pass"), ("late", "fail"), ("none", "evidence")])
def test_its_run_is_valid_and_judged_by_the_contact(make: Callable[[], Scenario], ego: Ego, verdict: str) -> None:
    scenario = make()
    judged = judge_run(scenario, log(scenario, ego), Bench(LimitTables([])))
    assert judged.verdict == verdict, judged.reason
    shown = {check.name: check.result for check in judged.checks if check.part == "validity"}
    assert shown["time to collision"] == shown["impact point"] == "met"


def test_without_poses_the_run_shows_neither_time_to_collision_nor_impact_point() -> None:
    scenario = pedestrian()
    bare = replace(log(scenario, "reference"), tracks={}, touching=None)
    judged = judge_run(scenario, bare, Bench(LimitTables([])))
    assert judged.verdict == "incomplete"
    missing = {check.name for check in judged.checks if check.result == "missing"}
    assert {"time to collision", "impact point"} <= missing


def test_who_stands_in_the_turn_has_not_shown_where_the_target_would_be_met() -> None:
    """The log is cut where the subject vehicle has turned by an eighth of a circle."""
    whole = log(pedestrian(), "none")
    last = int(np.argmax(whole.tracks["subject"].heading < -math.pi / 4))
    some = np.arange(last)
    cut = replace(
        whole,
        time=whole.time[:last],
        channels={name: values[:last] for name, values in whole.channels.items()},
        flags={name: values[:last] for name, values in whole.flags.items()},
        unseen={},
        tracks={role: track.at(some) for role, track in whole.tracks.items()},
        touching=None,
    )
    assert "gap" not in unrolled(cut).channels


def test_along_the_driven_path_the_gap_closes_by_the_speed() -> None:
    """At 20 km/h the gap falls by 5.556 m in each second, around the bend too, and is gone at the contact."""
    seen = unrolled(log(pedestrian(), "none"))
    gap = seen.channels["gap"]
    assert np.diff(gap) / np.diff(seen.time) == pytest.approx(-20 / 3.6, abs=0.01)
    touched = int(np.argmax(seen.touching))
    assert abs(gap[touched]) <= 0.06
