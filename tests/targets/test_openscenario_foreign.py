"""Scenarios of other regulations, other vehicles and other speeds: nothing in the target may rest on one regulation."""

from __future__ import annotations

import json
import tempfile
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regc.model.scenario import Approach, Criteria, Environment, LoadState, Scenario, Subject, Target, Trigger
from regc.resources import package_data
from tests import factories
from tests.factories import cited
from tests.targets import check_geometry, check_road
from tests.targets.files import write

MPH = 0.44704


def _foreign(**changes: object) -> Scenario:
    """A test in miles per hour of a regulation that says little."""
    base = Scenario(
        id="XR9_p4_Lead_T7_full_025",
        regulation="xr9",
        edition="1",
        wording="official",
        title="lead vehicle, 25 mph",
        family="lead_vehicle",
        approach_type="in_lane",
        category="T7",
        load_state=LoadState(term="fully loaded", kind="maximum_mass", token="full"),
        status="mandatory",
        clause="4",
        subject=Subject(test_speed=cited("25", "mph", "4")),
        target=Target(type="vehicle_target", speed=cited("10", "mph", "4")),
        criteria=Criteria(max_impact_speed=cited("5", "mph", "4", bound="le")),
    )
    return base.model_copy(update=changes)


def test_another_unit_and_nothing_said_of_times(tmp_path: Path) -> None:
    scenario = _foreign()
    path = write(tmp_path, factories.checked(scenario))[scenario.id]
    run = check_geometry.measure(path)
    assert run.subject_speed == pytest.approx(25 * MPH, abs=1e-6)
    assert run.impact_speed == pytest.approx(15 * MPH, abs=1e-5)
    assert run.time_to_contact == pytest.approx(5.02, abs=0.0101)
    assert run.straight_time >= 2
    sidecar = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert sidecar["parameters"]["min_ttc"]["assumption"] == "A836"
    assert sidecar["parameters"]["subject_test_speed"]["value"] == "11.176"
    logical = (tmp_path / "openscenario/logical/lead_vehicle_T7_full.xosc").read_text(encoding="utf-8")
    assert "$subject_test_speed * 0.44704" in logical
    assert not check_road.road(path).frictions


def test_times_in_other_numbers(tmp_path: Path) -> None:
    scenario = _foreign(
        trigger=Trigger(min_ttc=cited("3.5", "s", "4")),
        approach=Approach(min_straight_time=cited("1.5", "s", "4")),
        environment=Environment(peak_braking_coefficient=cited("0.75", "1", "4")),
    )
    path = write(tmp_path, factories.checked(scenario))[scenario.id]
    run = check_geometry.measure(path)
    assert run.time_to_contact == pytest.approx(3.52, abs=0.0101)
    assert 1.5 <= run.straight_time < 1.52
    assert check_road.road(path).frictions == {0.75}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    family=st.sampled_from(["car_to_stationary_car", "car_to_pedestrian", "car_to_bicycle"]),
    speed=st.integers(20, 60),
    length=st.decimals("3", "9", places=2),
    overhang=st.decimals("0.5", "2", places=2),
    width=st.decimals("1.5", "2.6", places=2),
    farside=st.booleans(),
    left=st.booleans(),
)
def test_any_vehicle_at_any_speed_meets_the_target_in_the_middle(
    family: str, speed: int, length: Decimal, overhang: Decimal, width: Decimal, farside: bool, left: bool
) -> None:
    scenario = factories.scenario(family, speed="40")
    quantity = scenario.subject.test_speed.model_copy(update={"value": Decimal(speed)})
    scenario = scenario.model_copy(update={"subject": Subject(test_speed=quantity)})
    text = package_data("data", "vehicles.toml").read_text(encoding="utf-8")
    for old, new in (("length = 4.50", f"length = {length}"), ("rear_overhang = 0.90", f"rear_overhang = {overhang}")):
        text = text.replace(old, new)
    text = text.replace("width = 1.80\nheight = 1.45", f"width = {width}\nheight = 1.45")
    with tempfile.TemporaryDirectory() as folder:
        vehicle = Path(folder, "vehicle.toml")
        vehicle.write_text(text, encoding="utf-8")
        options = {"crossing_from": "farside" if farside else "nearside", "traffic": "lht" if left else "rht"}
        path = write(Path(folder), factories.checked(scenario), vehicle=vehicle, **options)[scenario.id]
        run = check_geometry.measure(path)
    assert run.impact_speed == pytest.approx(speed / 3.6, abs=1e-5)
    assert run.time_to_contact == pytest.approx(4.02, abs=0.0101)
    assert abs(run.contact_offset or 0.0) <= 0.1
    assert run.straight_time >= 2
    if family == "car_to_bicycle":
        assert (run.hidden_in_run_up, run.seen_after) == (True, True)
