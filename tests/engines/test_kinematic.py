"""Runs of stages with a model of a braking system, against closed forms."""

from __future__ import annotations

import math

import pytest
from pydantic import ValidationError
from tests.manoeuvres.examples import EXAMPLES
from tests.manoeuvres.factory import made

from regc.engines.kinematic import GRAVITY, AebModel, RunParameters, drive
from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.manoeuvres.plan import Options
from regc.motion import Playback

DATA = load()
STANDING = {"subject": "60 km/h", "target": "0 km/h", "straight_time": ">=2 s", "ttc": ">=4 s"}
TEST = stage(made("in_lane", STANDING, {"target": "car"}), DATA)
V = 60 / 3.6


def impact(aeb: AebModel, **more: float | bool) -> float:
    """Impact speed in m/s, 0 without one."""
    run = drive(TEST, RunParameters(aeb=aeb, **more))  # type: ignore[arg-type]
    return run.contact.speed if run.contact else 0.0


@pytest.mark.parametrize(
    ("model", "deceleration", "way"),
    [
        ({"braking_ttc": 1.2, "demand": 5.0}, 5.0, 1.2 * V),
        ({"braking_ttc": 1.2, "demand": 5.0, "delay": 0.2}, 5.0, (1.2 - 0.2) * V),
        ({"braking_ttc": 0.6, "demand": 20.0}, 0.9 * GRAVITY, 0.6 * V),
    ],
)
def test_what_is_left_of_the_speed(model: dict[str, float], deceleration: float, way: float) -> None:
    """v**2 - 2 * a * s; the friction of the road is the most that the tyres give. A trigger may come a step late."""
    found = impact(AebModel(warning_ttc=2, **model))
    expected = math.sqrt(V * V - 2 * deceleration * way)
    late = math.sqrt(V * V - 2 * deceleration * (way - 0.011 * V))
    assert expected - 0.02 <= found <= late + 0.02


def test_a_load_and_a_slow_rise_brake_less() -> None:
    full = AebModel(warning_ttc=2, braking_ttc=1.2, demand=5.0, load_factor=0.8)
    assert impact(full, loaded=True) == pytest.approx(math.sqrt(V * V - 2 * 4.0 * 1.2 * V), abs=0.12)
    assert impact(full) == pytest.approx(math.sqrt(V * V - 2 * 5.0 * 1.2 * V), abs=0.12)
    assert impact(full.model_copy(update={"jerk": 10.0})) > impact(full) + 1.0
    assert impact(full, friction=0.3) > impact(full) + 1.0


def test_speeds_differ_by_their_offsets() -> None:
    bicycle = stage(EXAMPLES["bicycle"], DATA)
    run = drive(bicycle, RunParameters(subject_offset=-2, target_offset=-1))
    assert run.tracks["subject"].speed[0] * 3.6 == pytest.approx(58)
    assert run.tracks["target"].speed.max() * 3.6 == pytest.approx(14)
    assert run.contact is not None
    assert run.contact.speed * 3.6 == pytest.approx(58)


def test_the_demand_of_the_system_is_logged_and_what_the_vehicle_does() -> None:
    run = drive(TEST, RunParameters(aeb=AebModel(warning_ttc=2.0, braking_ttc=1.2, demand=6.0, delay=0.1)))
    begin = run.at("braking")
    assert set(run.demand[:begin]) == {0.0}
    assert set(run.demand[begin:]) == {6.0}
    assert run.tracks["subject"].speed[begin + 10] == pytest.approx(V)
    assert run.tracks["subject"].speed[begin + 12] < V - 0.05
    assert run.warning[run.at("warning")]
    assert run.events["braking"] - run.events["warning"] == pytest.approx(0.8, abs=0.011)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_any_stage_is_driven_without_a_system_and_with_one(name: str) -> None:
    for ego in ("none", "reference"):
        run = drive(stage(EXAMPLES[name], DATA, Options(ego=ego)))  # type: ignore[arg-type]
        assert run.end is not None
        assert run.end.kind != "time"


def driven_by_model(name: str, braking_ttc: float = 1.2) -> tuple[Playback, Playback]:
    """An example without a system and with a model of one."""
    laid_out = stage(EXAMPLES[name], DATA)
    return drive(laid_out), drive(laid_out, RunParameters(aeb=AebModel(warning_ttc=2.0, braking_ttc=braking_ttc, demand=6.0)))


@pytest.mark.parametrize("name", ["braking lead", "standing car", "slower car", "crossing car"])
def test_a_model_brakes_for_what_is_ahead(name: str) -> None:
    without, run = driven_by_model(name)
    assert without.contact is not None
    begin = run.at("braking")
    assert run.tracks["subject"].speed[begin + 50] < run.tracks["subject"].speed[begin] - 0.4 * 6.0
    assert run.contact is None or run.contact.speed < without.contact.speed - 2.0


@pytest.mark.parametrize("name", ["oncoming car", "pedestrian after a turn", "bicycle after a turn"])
def test_in_a_turn_a_model_brakes_as_long_before_the_contact(name: str) -> None:
    """Its heading points elsewhere, so the time is that of the run without it."""
    without, run = driven_by_model(name)
    assert without.contact is not None
    assert run.events["braking"] == pytest.approx(without.contact.time - 1.2, abs=0.011)
    assert run.events["warning"] == pytest.approx(without.contact.time - 2.0, abs=0.011)


@pytest.mark.parametrize("name", ["turn before an oncoming vehicle", "lead turns off", "pass between", "steel plate"])
def test_a_model_does_nothing_where_nothing_is_met(name: str) -> None:
    without, run = driven_by_model(name)
    assert without.contact is None
    assert not {"warning", "braking"} & set(run.events)


@pytest.mark.parametrize("wrong", [{"braking_ttc": -1}, {"demand": 0}, {"load_factor": 2}, {"brake_ttc": 1}])
def test_a_model_that_cannot_be_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        AebModel.model_validate({"warning_ttc": 2, "braking_ttc": 1, "demand": 5} | wrong)
