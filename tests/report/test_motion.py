"""Numbers of the drawn top view, against values worked by hand."""

from __future__ import annotations

import pytest

from regc import assumed
from regc.report._motion import view
from tests.factories import false_reaction, scenario


def numbers(**changes: str) -> dict[str, object]:
    family = changes.pop("family", "car_to_stationary_car")
    found = view(scenario(family, **changes), assumed.vehicles(), assumed.targets(), assumed.track())  # type: ignore[arg-type]
    assert found is not None
    return found


def test_in_lane() -> None:
    found = numbers(speed="42")
    assert found["kind"] == "lane"
    assert found["vs"] == pytest.approx(42 / 3.6, abs=1e-4)
    assert found["lim"] == pytest.approx(10 / 3.6, abs=1e-4)
    assert (found["vt"], found["ttc"], found["lead"], found["acc"], found["warn"]) == (0.0, 4.0, 2.0, 5.0, 0.8)


def test_crossing_uses_the_target_box_and_its_reference() -> None:
    found = numbers(family="car_to_bicycle", speed="40")
    bicycle = assumed.targets().types["bicycle_target"]
    assert found["kind"] == "cross"
    assert found["shape"] == "bicycle"
    assert found["tgt"] == [float(bicycle.length), float(bicycle.width)]
    assert found["ahead"] == pytest.approx(0.95)  # 1.89 m long, 0.34 m behind the rear axle, crankshaft 0.60 m before it


def test_nothing_to_draw() -> None:
    arguments = (assumed.vehicles(), assumed.targets(), assumed.track())
    assert view(false_reaction(1), *arguments) is None
    slow = scenario("car_to_moving_car", speed="60", target_speed="18")
    same = slow.model_copy(update={"subject": slow.subject.model_copy(update={"test_speed": slow.target.speed})})
    assert view(same, *arguments) is None
