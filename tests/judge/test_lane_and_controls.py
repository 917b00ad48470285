"""Place and speed in the lane, yaw rate, jerk, steering control, engine, hands and the number of warnings, on logs made by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.judge.suites import event, value
from tests.judge.test_criteria import asked, criterion, log, series

from regc.model.criterion import Criterion, Limit


def measure(signal: str, sign: str, limit: str, unit: str) -> Criterion:
    return criterion("measure", signal=signal, sign=sign, limit=Limit(value=value(limit, unit)))


STANDS = [0.0] * 40


@pytest.mark.parametrize(
    ("signal", "column", "values", "unit", "met", "not_met"),
    [
        ("lane_offset", "lane_offset_m", [0.1, -0.42, 0.2], "m", "0.5", "0.4"),
        ("lateral_speed", "lateral_speed_m_s", [0.1, -0.31, 0.2], "m/s", "0.4", "0.3"),
        ("yaw_rate", "yaw_rate_deg_s", [0.5, -1.2, 0.0], "deg/s", "1.5", "1"),
        ("longitudinal_jerk", "longitudinal_jerk_m_s3", [0.0, -4.5, 1.0], "m/s3", "5", "4"),
        ("steering_torque", "steering_torque_nm", [1.0, -2.6, 0.0], "Nm", "3", "2.5"),
        ("steering_angle", "steering_angle_deg", [10.0, -45.5, 0.0], "deg", "50", "45"),
    ],
)  # fmt: skip
def test_the_largest_of_a_channel_to_either_side(
    signal: str, column: str, values: list[float], unit: str, met: str, not_met: str, tmp_path: Path
) -> None:
    series(tmp_path, subject_speed_kmh=STANDS, **{column: values + [0.0] * 37})
    assert asked(tmp_path, measure(signal, "<=", met, unit)).result == "met"
    check = asked(tmp_path, measure(signal, "<=", not_met, unit))
    assert (check.result, check.value) == ("not_met", pytest.approx(max(map(abs, values))))
    series(tmp_path, subject_speed_kmh=STANDS)
    assert asked(tmp_path, measure(signal, "<=", met, unit)).result == "missing"


@pytest.mark.parametrize(
    ("signal", "unit", "result"),
    [
        ("steering_torque", "Nm", "not_applicable"), ("steering_angle", "deg", "not_applicable"),
        ("longitudinal_jerk", "m/s3", "not_applicable"), ("lane_offset", "m", "missing"), ("yaw_rate", "deg/s", "missing"),
    ],
)  # fmt: skip
def test_what_no_simulator_logs_is_not_asked_of_a_model(signal: str, unit: str, result: str, tmp_path: Path) -> None:
    series(tmp_path, subject_speed_kmh=STANDS)
    (tmp_path / "T__r1.json").write_text(json.dumps({"scenario": "T", "simulated": True}), encoding="utf-8")
    assert asked(tmp_path, measure(signal, "<=", "1", unit)).result == result


def test_the_least_distance_to_the_marking(tmp_path: Path) -> None:
    series(tmp_path, subject_speed_kmh=STANDS, line_distance_m=[0.9, 0.35, -0.1, 0.5] + [0.9] * 36)
    assert asked(tmp_path, measure("line_distance", ">=", "-0.2", "m")).result == "met"
    check = asked(tmp_path, measure("line_distance", ">=", "0", "m"))
    assert (check.result, check.value) == ("not_met", pytest.approx(-0.1))


def test_the_lateral_speed_from_the_distance_to_the_line(tmp_path: Path) -> None:
    # 0.05 m in 0.1 s: 0.5 m/s towards the line, then straight on
    series(tmp_path, subject_speed_kmh=STANDS, line_distance_m=[1.0 - 0.05 * step for step in range(11)] + [0.5] * 29)
    check = asked(tmp_path, measure("lateral_speed", "<=", "0.4", "m/s"))
    assert (check.result, check.value) == ("not_met", pytest.approx(0.5))


def posed(folder: Path, *, simulated: bool) -> None:
    """10 m/s, turning left at 2 deg/s for a second after half a second straight on; then it brakes to a standstill."""
    lines = ["time_s,subject_speed_kmh,subject_x_m,subject_y_m,subject_heading_deg,target_speed_kmh,contact"]
    x = y = heading = 0.0
    for step in range(100):
        speed = max(0.0, 10.0 - 0.4 * max(0, step - 40))
        lines.append(f"{step / 10},{speed * 3.6},{x:.6f},{y:.6f},{heading:.6f},0,0")
        heading += 0.2 if 5 <= step < 15 else 0.0
        x, y = x + speed / 10 * math.cos(math.radians(heading)), y + speed / 10 * math.sin(math.radians(heading))
    (folder / "T__r1.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    chassis = {"marking": 1.8, "front_axle": 2.7, "track_width": 1.6, "tyre_width": 0.2}
    (folder / "T__r1.json").write_text(
        json.dumps({"scenario": "T", "simulated": simulated, "subject_box": {"length": 4.5, "width": 1.8, "forward": 1.3}, **chassis}),
        encoding="utf-8",
    )


def test_yaw_rate_and_lane_offset_from_poses(tmp_path: Path) -> None:
    posed(tmp_path, simulated=True)
    assert asked(tmp_path, measure("yaw_rate", "<=", "2.1", "deg/s")).result == "met"
    assert asked(tmp_path, measure("yaw_rate", "<=", "1.9", "deg/s")).result == "not_met"
    # after the turn the heading is 2 degrees: 10 m/s * sin 2 deg = 0.349 m/s to the side
    assert asked(tmp_path, measure("lateral_speed", "<=", "0.36", "m/s")).result == "met"
    assert asked(tmp_path, measure("lateral_speed", "<=", "0.34", "m/s")).result == "not_met"
    check = asked(tmp_path, measure("lane_offset", "<=", "0.5", "m"))
    assert check.result == "not_met"
    assert "poses" in check.proxy


def test_poses_of_a_driven_run_do_not_say_where_in_its_lane_the_vehicle_began(tmp_path: Path) -> None:
    posed(tmp_path, simulated=False)
    assert asked(tmp_path, measure("lane_offset", "<=", "0.5", "m")).result == "missing"
    check = asked(tmp_path, measure("lateral_speed", "<=", "0.34", "m/s"))
    assert (check.result, check.proxy) == ("not_met", "from the change of line_distance")


@pytest.mark.parametrize(
    ("runs", "stops", "starts"),
    [
        ((0.0, 4.0), "at 4.000 s", "not_met"),
        ((4.0, 20.0), "not_met", "at 4.000 s"),
        ((0.0, 20.0), "not_met", "not_met"),
    ],
)  # fmt: skip
def test_the_engine_stops_or_starts(runs: tuple[float, float], stops: str, starts: str, tmp_path: Path) -> None:
    log(tmp_path, engine_running=runs)
    for name, wanted in (("engine_stop", stops), ("engine_start", starts)):
        check = asked(tmp_path, criterion("happens", a=event(name)))
        assert wanted in (check.result, check.measured), name


def test_the_engine_in_a_log_that_says_nothing_of_it(tmp_path: Path) -> None:
    log(tmp_path)
    assert asked(tmp_path, criterion("never", a=event("engine_stop"))).result == "missing"
    log(tmp_path, {"events": {"engine_stop": 3.2}})
    assert asked(tmp_path, criterion("happens", a=event("engine_stop"))).measured == "at 3.200 s"


def test_hands_come_back(tmp_path: Path) -> None:
    soon = criterion("within", a=event("hands_on"), b=event("warning"), by=value("2", "s", "le"))
    log(tmp_path, warning=(2.0, 6.0), hands_off=(1.0, 3.0))
    assert asked(tmp_path, soon).result == "met"
    log(tmp_path, warning=(2.0, 6.0), hands_off=(1.0, 5.0))
    assert asked(tmp_path, soon).result == "not_met"
    log(tmp_path, warning=(2.0, 6.0), hands_off=None, hands_on=(3.0, 9.0))
    assert asked(tmp_path, soon).result == "met"
    log(tmp_path, warning=(2.0, 6.0), hands_off=None)
    assert asked(tmp_path, soon).result == "missing"


def test_how_many_warnings(tmp_path: Path) -> None:
    series(tmp_path, subject_speed_kmh=STANDS, warning=[0, 1, 1, 0, 1, 0] + [0] * 34)
    assert asked(tmp_path, measure("warning_count", ">=", "2", "")).result == "met"
    assert asked(tmp_path, measure("warning_count", "<=", "1", "")).result == "not_met"
    series(tmp_path, subject_speed_kmh=STANDS, warning=[0] * 40)
    check = asked(tmp_path, measure("warning_count", ">=", "1", ""))
    assert (check.result, check.value) == ("not_met", 0)
    series(tmp_path, subject_speed_kmh=STANDS)
    assert asked(tmp_path, measure("warning_count", "<=", "1", "")).result == "missing"
