"""Geometry and timing of every driven scenario, from the written XML alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regc.model.scenario import Scenario
from tests import factories
from tests.targets import check_geometry, check_road
from tests.targets.check_geometry import Measured
from tests.targets.files import write

KMH = 1 / 3.6
SWEEP = factories.sweep()

#: impact speed in km/h (hand-computed: v * sqrt(1 - 2 * 5.0 * 0.6 / v), v in m/s, 0 below 6 m/s) of a system that brakes with 5.0 m/s2
#: at a time to collision of 0.6 s
LATE = {
    "10": 0.0,
    "15": 0.0,
    "20": 0.0,
    "25": 9.22,
    "30": 15.87,
    "32": 18.24,
    "35": 21.66,
    "36": 22.77,
    "38": 24.96,
    "40": 27.13,
    "42": 29.27,
    "45": 32.45,
    "50": 37.68,
    "55": 42.86,
    "60": 48.00,
}


def _measure(folder: Path, **options: str) -> list[tuple[Scenario, Measured]]:
    files = write(folder, factories.checked(*SWEEP), **options)
    assert len(files) == len(SWEEP) == 180
    return [(scenario, check_geometry.measure(files[scenario.id])) for scenario in SWEEP]


def _relative(scenario: Scenario) -> float:
    """Closing speed along the subject vehicle's heading in m/s, from the scenario's own digits."""
    speed = float(scenario.subject.test_speed.value)
    return (speed - (float(scenario.target.speed.value) if scenario.approach_type == "in_lane" else 0.0)) * KMH


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3"])
def test_no_system_collides_as_prescribed(tmp_path: Path, version: str) -> None:
    for scenario, run in _measure(tmp_path, osc_version=version):
        name = scenario.id
        assert run.subject_speed == pytest.approx(float(scenario.subject.test_speed.value) * KMH, abs=1e-6), name
        assert run.target_speed == pytest.approx(float(scenario.target.speed.value) * KMH, abs=1e-5), name
        assert run.straight_time >= 2.0, name
        assert run.ttc_at_functional_part is not None, name
        assert 4.0 <= run.ttc_at_functional_part <= 4.0201, name
        assert run.contact_time is not None, f"{name}: no contact, the scenario would prove nothing"
        assert run.time_to_contact == pytest.approx(4.02, abs=0.0101), name
        assert run.impact_speed == pytest.approx(_relative(scenario), abs=0.1 * KMH), name
        assert run.stop_time == pytest.approx(run.contact_time + 1, abs=0.0201), name
        if scenario.approach_type == "crossing":
            assert abs(run.contact_offset or 0.0) <= 0.1, name
            begins = run.events.get("CrossingBegins", run.straight_time)
            assert begins >= run.straight_time, name
        else:
            assert run.offset_at_start == run.contact_offset == 0.0, name
            assert run.gap == pytest.approx(_relative(scenario) * (2 + 4.02), abs=1e-3), name
        if scenario.family == "car_to_bicycle":
            assert run.events["RunUpBegins"] < run.straight_time, name
            assert run.hidden_in_run_up is True, name
            assert run.seen_after is True, name
        else:
            assert run.hidden_in_run_up is None, name
        assert (run.mass is None) == (version == "1.0"), name


def test_reference_system_meets_every_limit(tmp_path: Path) -> None:
    for scenario, run in _measure(tmp_path, ego="reference"):
        limit = scenario.criteria.max_impact_speed
        assert limit is not None
        assert run.impact_speed <= float(limit.value) * KMH + 1e-9, scenario.id
        assert run.events["EmergencyBraking"] - run.events["CollisionWarning"] >= 0.8 - 1e-9, scenario.id
        assert run.events["FunctionalPart"] < run.events["CollisionWarning"], scenario.id
        assert "Bound" not in run.stop_reason, scenario.id


def test_late_system_misses_the_limits_of_the_hand_computed_column(tmp_path: Path) -> None:
    for scenario, run in _measure(tmp_path, ego="late"):
        limit = scenario.criteria.max_impact_speed
        assert limit is not None
        assert scenario.relative_speed is not None
        expected = LATE[format(scenario.relative_speed.value, "f")]
        over = expected > float(limit.value)
        assert (run.impact_speed / KMH > float(limit.value)) == over, scenario.id
        assert run.impact_speed / KMH == pytest.approx(expected, abs=0.6), scenario.id


@pytest.mark.parametrize(("crossing_from", "traffic"), [("farside", "rht"), ("nearside", "lht"), ("farside", "lht")])
def test_other_sides(tmp_path: Path, crossing_from: str, traffic: str) -> None:
    picked = [factories.scenario("car_to_pedestrian", speed="42"), factories.scenario("car_to_bicycle", speed="60", category="N1")]
    files = write(tmp_path, factories.checked(*picked), crossing_from=crossing_from, traffic=traffic)
    from_right = (crossing_from == "nearside") == (traffic == "rht")
    for scenario in picked:
        run = check_geometry.measure(files[scenario.id])
        assert abs(run.contact_offset or 1) <= 0.1
        assert run.impact_speed == pytest.approx(_relative(scenario), abs=1e-5)
        assert (run.offset_at_start > 0) == from_right
        road = check_road.road(files[scenario.id])
        assert road.rule == traffic.upper()
        player = check_geometry.Player(files[scenario.id])
        assert player.entities["Ego"].y == road.centres[-1 if traffic == "rht" else 1]
        if scenario.family == "car_to_bicycle":
            assert (run.hidden_in_run_up, run.seen_after) == (True, True)


@pytest.mark.parametrize("ego", ["none", "external"])
def test_road_holds_the_whole_run(tmp_path: Path, ego: str) -> None:
    files = write(tmp_path, factories.checked(*SWEEP), ego=ego)
    for scenario in SWEEP:
        road = check_road.road(files[scenario.id])
        player = check_geometry.Player(files[scenario.id])
        assert min(road.left, road.right) >= 30
        assert road.frictions == {0.9}
        assert 0 <= road.slope <= 0.01
        for entity in player.entities.values():
            least, greatest, right, left = entity.extent()
            assert least >= 0
            assert greatest <= road.length
            assert -road.right <= right
            assert left <= road.left


def test_external_approach_leaves_time_to_initialise(tmp_path: Path) -> None:
    scenario = factories.scenario("car_to_stationary_car", speed="60")
    files = write(tmp_path, factories.checked(scenario), ego="external")
    assert check_geometry.measure(files[scenario.id]).straight_time >= 15


@pytest.mark.parametrize("excess", [-2, 2])
def test_crossing_targets_meet_a_subject_vehicle_within_its_tolerance(tmp_path: Path, excess: int) -> None:
    """The trigger looks at the time to the impact position, so a speed off the nominal one moves the start with it."""
    for family in ("car_to_pedestrian", "car_to_bicycle"):
        for speed in ("20", "60"):
            scenario = factories.scenario(family, speed=speed)
            path = write(tmp_path, factories.checked(scenario), approach=4)[scenario.id]
            nominal, driven = (format(round(float(value) * KMH, 6), "f").rstrip("0") for value in (speed, int(speed) + excess))
            text = path.read_text(encoding="utf-8")
            assert text.count(f'value="{nominal}"') == 1
            path.write_text(text.replace(f'value="{nominal}"', f'value="{driven}"'), encoding="utf-8")
            run = check_geometry.measure(path)
            assert abs(run.contact_offset or 1) <= 0.1, scenario.id
            assert run.ttc_at_functional_part is not None
            if family == "car_to_bicycle":
                assert (run.hidden_in_run_up, run.seen_after) == (True, True)


def test_masses_differ_by_load_state(tmp_path: Path) -> None:
    picked = [factories.scenario(load=load) for load in factories.LOADS]
    files = write(tmp_path, factories.checked(*picked))
    masses = [check_geometry.measure(files[item.id]).mass for item in picked]
    assert masses == [1950.0, 1450.0]
    sidecar = json.loads(files[picked[0].id].with_suffix(".json").read_text(encoding="utf-8"))
    assert sidecar["parameters"]["subject_mass"] == {"value": "1950", "unit": "kg", "basis": "assumed", "assumption": "A812"}
