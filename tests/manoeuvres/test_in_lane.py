"""A target in the lane: standing, slower, braking, walking along; against what can be calculated by hand."""

from __future__ import annotations

import math

import pytest
from tests.manoeuvres.factory import made

from regc.errors import DataFileError, StagingError
from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.manoeuvres.plan import Ego, Options
from regc.motion import play

DATA = load()
STANDING = {"subject": "60 km/h", "target": "0 km/h", "straight_time": ">=2 s", "ttc": ">=4 s", "offset": "<=0.2 m"}


@pytest.mark.parametrize(
    ("bind", "least_ttc", "contact_speed"),
    [
        (STANDING, 4.0, 60.0),
        (STANDING | {"subject": "10 km/h"}, 4.0, 10.0),
        (STANDING | {"subject": "50 km/h", "target": "20 km/h"}, 4.0, 30.0),
        ({"subject": "80 km/h", "target": "0 km/h", "ttc": "5 s"}, 5.0, 80.0),
        ({"subject": "80 km/h", "target": "0 km/h", "reaction_time": ">=4 s"}, 8.0, 80.0),
        ({"subject": "80 km/h", "target": "0 km/h", "gap": "100 m"}, 4.5, 80.0),
        ({"subject": "80 km/h", "target": "0 km/h"}, 5.0, 80.0),
    ],
)
@pytest.mark.parametrize("step", [0.001, 0.005, 0.01, 0.02, 0.03])
def test_the_functional_part_begins_at_its_time_and_the_contact_follows(
    bind: dict[str, str], least_ttc: float, contact_speed: float, step: float
) -> None:
    run = play(stage(made("in_lane", bind, {"target": "car"}), DATA, Options(step=step)))
    begin = run.at("functional_part")
    ttc = run.seen("subject", "target", begin).ttc
    assert least_ttc <= ttc <= least_ttc + 2.01 * step
    assert run.events["functional_part"] >= 2.0
    assert run.contact is not None
    assert run.contact.speed * 3.6 == pytest.approx(contact_speed, abs=0.01)
    assert run.contact.time - run.events["functional_part"] == pytest.approx(ttc, abs=1.01 * step)
    assert run.end is not None
    assert run.end.kind == "contact"
    assert run.time[-1] == pytest.approx(run.contact.time + 1, abs=1.01 * step)


def test_a_target_may_stand_beside_the_middle_of_the_lane() -> None:
    """25 per cent from the right of a width of 1.8 m is 0.45 m right of the middle; an offset says it itself."""
    bind = {"subject": "40 km/h", "target": "0 km/h", "ttc": "4 s", "overlap": "25 per cent"}
    person = stage(made("in_lane", bind, {"target": "adult"}, axes={"side": "right"}), DATA)
    assert person.mover("target").start.y == pytest.approx(-0.45)
    left = stage(made("in_lane", bind | {"side": "left"}, {"target": "adult"}), DATA)
    assert left.mover("target").start.y == pytest.approx(0.45)
    contact = play(person).contact
    assert contact is not None
    assert contact.point == pytest.approx(-0.45)
    # a car covers the share of the width: (0.5 - 0.25) * 1.8 + 1.712 / 2
    assert stage(made("in_lane", bind | {"side": "left"}, {"target": "car"}), DATA).mover("target").start.y == pytest.approx(1.306)
    offset = stage(made("in_lane", STANDING | {"offset": ">0.5 m"}, {"target": "car"}), DATA)
    assert offset.mover("target").start.y == pytest.approx(0.6)
    assert [(free.name, str(free.value), str(free.lo), free.lo_open) for free in offset.free] == [("bind.offset", "0.6", "0.5", True)]


@pytest.mark.parametrize("speed", [50, 80])
@pytest.mark.parametrize("gap", [12, 40])
@pytest.mark.parametrize("deceleration", [0.3, 0.5])
def test_a_lead_that_brakes_is_met_when_the_gap_is_used_up(speed: int, gap: int, deceleration: float) -> None:
    """The gap is used up at rate / 2 * t**2 while the lead moves; after its rest at v * t - v**2 / (2 * rate)."""
    bind = {
        "subject": f"{speed} km/h",
        "target": f"{speed} km/h",
        "gap": f"{gap} m",
        "target_deceleration": f"{deceleration} g",
        "straight_time": "3 s",
    }
    run = play(stage(made("in_lane", bind, {"target": "car"}), DATA))
    v, rate = speed / 3.6, deceleration * 9.80665
    expected = math.sqrt(2 * gap / rate)
    if expected > v / rate:
        expected = (gap + v * v / (2 * rate)) / v
    assert run.contact is not None
    assert run.seen("subject", "target", run.at("functional_part")).gap == pytest.approx(gap, abs=1e-6)
    assert run.contact.time - run.events["functional_part"] == pytest.approx(expected, abs=0.02)
    assert 2.2 <= expected <= 5.25
    assert run.contact.speed == pytest.approx(min(rate * expected, v), abs=0.11)


def test_a_walker_starts_when_the_functional_part_begins() -> None:
    """L0 = 4 s * (50 - 5) km/h = 50 m; a run-up of 0.75 m takes 1.08 s in which half the way is lost."""
    bind = {"subject": "50 km/h", "target": "5 km/h", "ttc": "4 s", "overlap": "25 per cent", "run_up": "<=1.5 m"}
    staged = stage(made("in_lane", bind, {"target": "adult"}), DATA)
    run = play(staged)
    begin = run.at("functional_part")
    assert 50.0 <= run.seen("subject", "target", begin).gap <= 50.0 + 0.02 * 50 / 3.6
    assert run.tracks["target"].speed[begin] == 0
    assert run.contact is not None
    assert run.contact.speed * 3.6 == pytest.approx(45.0, abs=0.01)
    assert run.contact.time - run.events["functional_part"] == pytest.approx((50.14 - 0.75) / 12.5, abs=0.03)
    reached = float(run.tracks["target"].travelled[run.tracks["target"].speed >= 5 / 3.6 - 1e-9][0])
    assert reached <= 1.5


@pytest.mark.parametrize("ego", ["late", "external", "reference"])
def test_a_driver_brakes_a_while_after_the_warning(ego: Ego) -> None:
    """The driver brakes at 0.4 g whatever the system does; the reference brakes harder already, which goes on."""
    bind = STANDING | {"subject": "80 km/h", "ttc": "5 s", "brake_delay": "1.0 s", "brake_deceleration": "0.4 g"}
    staged = stage(made("in_lane", bind, {"target": "car"}), DATA, Options(ego=ego))
    assert [change.rate for change in staged.driver] == [pytest.approx(0.4 * 9.80665)]
    run = play(staged)
    if ego == "external":
        assert "driver_brakes" not in run.events
    else:
        assert run.events["driver_brakes"] - run.events["warning"] == pytest.approx(1.01, abs=1e-6)  # seen a step later
        speed = run.tracks["subject"].speed
        begun = run.at("driver_brakes") + 1
        assert (speed[begun] - speed[begun + 10]) / 0.1 == pytest.approx(5.0)
        assert (run.contact is None) == (ego == "reference")


def test_the_first_covered_category_gives_the_vehicle() -> None:
    bus = stage(made("in_lane", STANDING, {"target": "car"}, covers=["M3>8t", "N3"], conditions={"mass": "max"}), DATA)
    assert (bus.subject.model, bus.subject.form, bus.subject.box.length, bus.subject.mass) == ("M3", "bus", 12.2, 19000)
    light = stage(made("in_lane", STANDING, {"target": "car"}, covers=["N2<=8t"], conditions={"mass": "run"}), DATA)
    assert (light.subject.model, light.subject.form, light.subject.mass) == ("N2<=8t", "truck", 4300)
    other = stage(made("in_lane", STANDING, {"target": "car"}), DATA)
    assert other.subject.model == "default"
    assert "A814" in {assumption.code for assumption in other.assumed}
    assert "A814" not in {assumption.code for assumption in bus.assumed}


def test_what_cannot_be_driven_says_why() -> None:
    with pytest.raises(StagingError, match="does not close in on a target"):
        stage(made("in_lane", STANDING | {"target": "70 km/h"}, {"target": "car"}), DATA)
    with pytest.raises(StagingError, match="needs target, and nothing is bound"):
        stage(made("in_lane", {"subject": "60 km/h"}, {"target": "car"}), DATA)
    with pytest.raises(StagingError, match="nobody plays the role target"):
        stage(made("in_lane", STANDING), DATA)
    with pytest.raises(StagingError, match="no size is known for a elephant"):
        stage(made("in_lane", STANDING, {"target": "elephant"}), DATA)
    with pytest.raises(StagingError, match="no way is known to drive flying"):
        stage(made("flying", STANDING), DATA)
    with pytest.raises(StagingError, match="'furlong'"):
        stage(made("in_lane", STANDING | {"ttc": "4 furlong"}, {"target": "car"}), DATA)
    with pytest.raises(DataFileError, match=r"max_speed: 36 m/s is below the test speed"):
        stage(made("in_lane", STANDING | {"subject": "140 km/h"}, {"target": "car"}, covers=["N3"]), DATA)
    with pytest.raises(StagingError, match="--approach 1: made_1 needs at least 2 s"):
        stage(made("in_lane", STANDING, {"target": "car"}), DATA, Options(approach=1))
    with pytest.raises(DataFileError, match=r"surroundings.temperature: 20 degC is not what made_1 allows"):
        stage(made("in_lane", STANDING, {"target": "car"}, conditions={"temperature": ">=25 degC"}), DATA)
