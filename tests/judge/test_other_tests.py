"""Tests without a limit table: false reactions, steel plates with a braking driver, line departures, braking leads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.judge.suites import check, event, example, judged, source, span, suite_of, value

from regc.judge.verdict import RunVerdict
from regc.model.criterion import Criterion, Limit
from regc.model.scenario import Scenario
from regc.model.value import Value, Word

Columns = dict[str, np.ndarray]  # type: ignore[type-arg]


def run_of(folder: Path, test: Scenario, columns: Columns, sidecar: dict[str, object] | None = None, run: str = "1") -> RunVerdict:
    lines = [",".join(columns), *(",".join(f"{float(cell):.9g}" for cell in row) for row in zip(*columns.values(), strict=True))]
    (folder / f"T__r{run}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / f"T__r{run}.json").write_text(json.dumps({"scenario": "T", "run": run, **(sidecar or {})}), encoding="utf-8")
    return next(item for item in judged(folder, suite_of(test)).runs if item.run == run)


def criterion(label: str, form: str, **parts: object) -> Criterion:
    return Criterion.model_validate({"label": label, "form": form, "sources": (source("3"),), **parts})


# ---- a false reaction: 50 km/h between two standing vehicles, over 60 m

SILENT = (criterion("warning", "never", a=event("warning")), criterion("braking", "never", a=event("braking")))
BETWEEN = example(
    *SILENT,
    bind={
        "subject": value("50", "km/h", plus="2", minus="2"),
        "approach_distance": value("60", "m", "ge"),
        "gap_between": value("4.5", "m"),
    },
    manoeuvre="pass_between",
)
TIME = np.arange(0.0, 8.0, 0.02)


def passing(*, start: float = 70.0, demand: float = 0.0, warned: bool = False, seconds: float = 8.0) -> Columns:
    """The gap to the pair is gone `start` m after the beginning; demand from 20 m before it on for 0.3 s."""
    time = TIME[seconds > TIME]
    speed = 50 / 3.6
    gap = start - speed * time
    braking = (gap < 20) & (gap > 20 - 0.3 * speed)
    slower = np.cumsum(braking) * 0.02 * demand
    return {
        "time_s": time, "subject_speed_m_s": speed - slower, "gap_m": start - np.cumsum(speed - slower) * 0.02,
        "warning": warned * braking, "braking_demand_m_s2": demand * braking, "contact": 0.0 * time,
    }  # fmt: skip


def test_no_reaction_passes(tmp_path: Path) -> None:
    run = run_of(tmp_path, BETWEEN, passing())
    assert run.verdict == "pass", run.reason
    assert check(run, "approach distance").measured.startswith("70")
    assert check(run, "gap between").result == "not_applicable"  # how the vehicles stood is the record's matter


def test_a_reaction_fails_and_does_not_make_the_run_invalid(tmp_path: Path) -> None:
    run = run_of(tmp_path, BETWEEN, passing(demand=5.0))  # loses 5.4 km/h, which is more than the tolerance of the speed
    assert (run.verdict, check(run, "braking").result, check(run, "subject speed").result) == ("fail", "not_met", "met")
    assert run_of(tmp_path, BETWEEN, passing(warned=True)).verdict == "fail"


def test_short_approach_is_invalid_and_a_run_that_ends_early_open(tmp_path: Path) -> None:
    assert run_of(tmp_path, BETWEEN, passing(start=55.0)).verdict == "invalid"
    run = run_of(tmp_path, BETWEEN, passing(seconds=4.5))  # 62.5 m: the pair is not passed
    assert (run.verdict, check(run, "warning").result) == ("incomplete", "missing")


@pytest.mark.parametrize("channel", ["warning", "braking_demand_m_s2"])
def test_what_is_not_logged_did_not_stay_away(tmp_path: Path, channel: str) -> None:
    columns = passing()
    del columns[channel]
    assert run_of(tmp_path, BETWEEN, columns).verdict == "incomplete"


def test_deceleration_without_a_driver_shows_a_reaction(tmp_path: Path) -> None:
    columns = passing(demand=5.0)
    columns["deceleration_m_s2"] = columns.pop("braking_demand_m_s2")
    assert check(run_of(tmp_path, BETWEEN, columns), "braking").result == "missing"  # the driver may have braked
    columns["driver_input"] = 0.0 * columns["time_s"]
    assert run_of(tmp_path, BETWEEN, columns).verdict == "fail"


def test_guidance_is_shown_and_never_judged(tmp_path: Path) -> None:
    guidance = BETWEEN.model_copy(update={"status": "guidance"})
    run = run_of(tmp_path, guidance, passing(demand=5.0))
    assert (run.verdict, check(run, "braking").result) == ("evidence", "not_met")


# ---- a steel plate: less than 0.25 g beyond the driver's own braking

ADDED = criterion("added", "measure", signal="added_deceleration", sign="<", limit=Limit(value=value("0.25", "g", "lt")))
PLATE = {"subject": value("80", "km/h", plus="2", minus="2"), "ttc": value("5", "s", "ge")}
MANUAL = {**PLATE, "driver_brake": Word(word="manual", sources=(source(),)), "brake_deceleration": value("0.4", "g")}


def over_plate(*, driver: float = 0.0, system: float = 0.0) -> Columns:
    """80 km/h towards a plate 120 m ahead; both brake from 1.1 s before it for 0.5 s (m/s2)."""
    speed, step = 80 / 3.6, 0.01
    time = np.arange(0.0, 7.0, step)
    braking = (time > 120 / speed - 1.1) & (time < 120 / speed - 0.6)
    speeds = speed - np.cumsum(braking) * step * (driver + system)
    return {
        "time_s": time, "subject_speed_m_s": speeds, "gap_m": 120 - np.cumsum(speeds) * step,
        "deceleration_m_s2": braking * (driver + system), "driver_deceleration_m_s2": braking * driver, "contact": 0.0 * time,
    }  # fmt: skip


@pytest.mark.parametrize(("system", "verdict"), [(0.0, "pass"), (2.4, "pass"), (2.5, "fail"), (5.0, "fail")])  # 0.25 g is 2.452 m/s2
def test_without_a_braking_driver_all_deceleration_is_added(tmp_path: Path, system: float, verdict: str) -> None:
    columns = over_plate(system=system)
    del columns["driver_deceleration_m_s2"]
    columns["driver_input"] = 0.0 * columns["time_s"]
    assert run_of(tmp_path, example(ADDED, bind=dict(PLATE), manoeuvre="pass_over"), columns).verdict == verdict


@pytest.mark.parametrize(("system", "result"), [(0.0, "met"), (2.0, "met"), (3.0, "not_met")])
def test_deceleration_beyond_the_drivers_own_channel(tmp_path: Path, system: float, result: str) -> None:
    test = example(ADDED, bind=dict(MANUAL), manoeuvre="pass_over")
    assert check(run_of(tmp_path, test, over_plate(driver=4.0, system=system)), "added").result == result


@pytest.mark.parametrize(("system", "result"), [(0.0, "met"), (2.0, "met"), (3.0, "not_met")])
def test_deceleration_beyond_the_same_run_without_the_system(tmp_path: Path, system: float, result: str) -> None:
    test = example(ADDED, bind=dict(MANUAL), manoeuvre="pass_over")
    paired = over_plate(driver=4.0)
    del paired["driver_deceleration_m_s2"]
    run_of(tmp_path, test, paired, {"ego": "none"}, run="0")
    columns = over_plate(driver=4.0, system=system)
    del columns["driver_deceleration_m_s2"]
    assert check(run_of(tmp_path, test, columns), "added").result == "missing"
    found = check(run_of(tmp_path, test, columns, {"without_system": "T__r0.csv"}), "added")
    assert (found.result, found.proxy) == (result, "the run without the system")


def test_plate_is_no_contact(tmp_path: Path) -> None:
    columns = over_plate()
    del columns["contact"]
    assert run_of(tmp_path, example(ADDED, bind=dict(PLATE), manoeuvre="pass_over"), columns).verdict == "pass"


# ---- a line departure: a warning before the tyre is 0.3 m past the line, at 0.1 to 0.8 m/s

LINE = criterion("warning", "before", a=event("warning"), b=event("line_crossed", value("0.3", "m")))
DRIFT: dict[str, Value | Word] = {"subject": value("65", "km/h", plus="3", minus="3"), "rate": span("0.1", "0.8", "m/s")}


def drifting(*, rate: float = 0.5, warned_at: float | None = 0.1, step: float = 0.02) -> Columns:
    """1 m before the line at the beginning; the warning comes when the tyre is `warned_at` m past it."""
    time = np.arange(0.0, 1.5 / rate, step)
    distance = 1.0 - rate * time
    warned = np.zeros_like(time) if warned_at is None else distance <= -warned_at + 1e-9
    return {"time_s": time, "subject_speed_kmh": 65.0 + 0.0 * time, "line_distance_m": distance, "warning": warned}


@pytest.mark.parametrize(("warned_at", "verdict"), [(-0.2, "pass"), (0.0, "pass"), (0.25, "pass"), (0.35, "fail"), (None, "fail")])
def test_warning_before_the_line_is_crossed(tmp_path: Path, warned_at: float | None, verdict: str) -> None:
    run = run_of(tmp_path, example(LINE, bind=dict(DRIFT), manoeuvre="drift"), drifting(warned_at=warned_at))
    assert run.verdict == verdict, run.reason


def test_line_departure_from_poses_and_measures_of_the_vehicle(tmp_path: Path) -> None:
    # tyres 1.8 m apart on the outside, the marking's outer edge 1.9 m left of the lane's centre: 1.0 m are left at y = 0
    columns = drifting(warned_at=0.25)
    columns["subject_y_m"] = 1.0 - columns.pop("line_distance_m")
    columns |= {"subject_x_m": 65 / 3.6 * columns["time_s"], "subject_heading_rad": 0.0 * columns["time_s"]}
    measures = {
        "subject_box": {"length": 4.5, "width": 1.9}, "marking": 1.9, "front_axle": 2.7, "track_width": 1.6, "tyre_width": 0.2,
    }  # fmt: skip
    test = example(LINE, bind=dict(DRIFT), manoeuvre="drift")
    assert run_of(tmp_path, test, columns, measures).verdict == "pass"
    run = run_of(tmp_path, test, columns, {**measures, "marking": 1.8})  # 0.35 m past that line
    assert (run.verdict, check(run, "warning").result) == ("fail", "not_met")
    del measures["track_width"]
    run = run_of(tmp_path, test, columns, measures)
    assert (run.verdict, "track_width" in check(run, "warning").note) == ("incomplete", True)


@pytest.mark.parametrize(("rate", "verdict"), [(0.05, "invalid"), (0.1, "pass"), (0.8, "pass"), (0.9, "invalid")])
def test_rate_of_departure(tmp_path: Path, rate: float, verdict: str) -> None:
    run = run_of(tmp_path, example(LINE, bind=dict(DRIFT), manoeuvre="drift"), drifting(rate=rate))
    assert run.verdict == verdict, run.reason


# ---- a lead that brakes: functional part from its brake onset

LEAD: dict[str, Value | Word] = {
    "subject": value("50", "km/h", plus="1.6", minus="1.6"), "target": value("50", "km/h", plus="1.6", minus="1.6"),
    "gap": span("12", "40", "m"), "target_deceleration": span("0.3", "0.5", "g"), "deceleration_rise": value("1.5", "s", "le"),
}  # fmt: skip
NO_CONTACT = (criterion("contact", "never", a=event("contact")),)


def braking_lead(*, gap: float = 25.0, lead: float = 4.0, own: float = 7.0, reaction: float = 1.0) -> Columns:
    """Both drive 50 km/h; the lead brakes from 3 s on, the subject vehicle `reaction` s later."""
    step, speed = 0.01, 50 / 3.6
    time = np.arange(0.0, 12.0, step)
    target = np.maximum(speed - lead * np.maximum(time - 3.0, 0.0), 0.0)
    subject = np.maximum(speed - own * np.maximum(time - 3.0 - reaction, 0.0), 0.0)
    gaps = gap + np.cumsum(target - subject) * step
    return {
        "time_s": time, "subject_speed_m_s": subject, "target_speed_m_s": target, "gap_m": gaps, "contact": gaps <= 0,
        "driver_input": 0.0 * time,
    }  # fmt: skip


def test_braking_lead(tmp_path: Path) -> None:
    test = example(*NO_CONTACT, bind=LEAD)
    run = run_of(tmp_path, test, braking_lead())
    assert run.verdict == "pass", run.reason
    assert check(run, "functional part").measured in ("2.990 s", "3.000 s")
    assert check(run, "target deceleration").measured == "0.408 g"
    assert run_of(tmp_path, test, braking_lead(reaction=3.0)).verdict == "fail"
    assert run_of(tmp_path, test, braking_lead(lead=6.0)).verdict == "invalid"  # 0.61 g
    assert run_of(tmp_path, test, braking_lead(gap=45.0)).verdict == "invalid"


# ---- where on the width the impact would be

SIDE: dict[str, Value | Word] = {
    "subject": value("40", "km/h", plus="1.6", minus="1.6"), "target": value("5", "km/h", plus="0.4", minus="0.4"),
    "ttc": value("4", "s", "ge"), "overlap": value("25", "per cent"), "overlap_tolerance": value("0.15", "m", "le"),
}  # fmt: skip


@pytest.mark.parametrize(("late", "result"), [(0.45, "met"), (0.55, "met"), (0.0, "not_met"), (0.65, "not_met"), (-0.45, "not_met")])
def test_overlap_from_the_side_of_a_crossing_target(tmp_path: Path, late: float, result: str) -> None:
    # 1.8 m wide: 25 per cent from the right edge is 0.45 m right of the centre; the target is `late` m short of the centre there
    step, speed = 0.02, 40 / 3.6
    time = np.arange(0.0, 9.0, step)
    subject = np.maximum(speed - 7.0 * np.maximum(time - 5.0, 0.0), 0.0)
    columns = {
        "time_s": time, "subject_speed_m_s": subject, "target_speed_kmh": 5.0 + 0 * time,
        "gap_m": speed * 6.5 - np.cumsum(subject) * step, "lateral_offset_m": 5 / 3.6 * (time - 6.5) - late, "contact": 0 * time,
    }  # fmt: skip
    sidecar = {"subject_box": {"length": 4.5, "width": 1.8}, "target_box": {"length": 0.5, "width": 0.5}}
    run = run_of(tmp_path, example(*NO_CONTACT, bind=SIDE, manoeuvre="crossing"), columns, sidecar)
    assert check(run, "overlap").result == result, check(run, "overlap")


def test_unshown_binding_of_the_approach_leaves_a_record_open_and_a_model_not(tmp_path: Path) -> None:
    test = example(*NO_CONTACT, bind={**LEAD, "release_time": value("0.5", "s", "le"), "lane_width": value("3.5", "m")})
    run = run_of(tmp_path, test, braking_lead())
    assert (run.verdict, check(run, "release time").result, check(run, "lane width").result) == (
        "incomplete", "missing", "not_applicable",
    )  # fmt: skip
    assert run_of(tmp_path, test, braking_lead(), {"simulated": True}).verdict == "pass"
    record = {"conditions": {"release_time": "0.4 s", "lane_width": "3.5 m"}}
    assert run_of(tmp_path, test, braking_lead(), record).verdict == "pass"
    assert run_of(tmp_path, test, braking_lead(), {"conditions": {"release_time": "0.6"}}).verdict == "invalid"


@pytest.mark.parametrize(("starts", "bound", "verdict"), [(2.4, True, "invalid"), (2.5, True, "pass"), (2.4, False, "pass")])
def test_start_of_a_crossing_target(tmp_path: Path, starts: float, bound: bool, verdict: str) -> None:
    """Where the document has the target start not before the functional part, at 2.5 s here."""
    time = np.arange(0.0, 9.0, 0.02)
    speed = 40 / 3.6
    subject = np.maximum(speed - 7.0 * np.maximum(time - 5.0, 0.0), 0.0)
    columns = {
        "time_s": time, "subject_speed_m_s": subject, "target_speed_kmh": 5.0 * (time >= starts - 1e-9),
        "gap_m": speed * 6.5 - np.cumsum(subject) * 0.02, "functional_part": time >= 2.5 - 1e-9, "contact": 0 * time,
        "lateral_offset_m": 5 / 3.6 * (np.maximum(time, starts) - 6.5), "driver_input": 0 * time,
    }  # fmt: skip
    bind: dict[str, Value | Word] = {
        "subject": value("40", "km/h", plus="1.6", minus="1.6"), "target": value("5", "km/h", plus="0.4", minus="0.4"),
        **({"starts": Word(word="functional_part", sources=(source(),))} if bound else {}),
    }  # fmt: skip
    assert run_of(tmp_path, example(*NO_CONTACT, bind=bind, manoeuvre="crossing"), columns).verdict == verdict


@pytest.mark.parametrize(("delay", "result"), [(1.0, "met"), (1.15, "not_met"), (0.85, "not_met")])
def test_braking_of_the_driver_after_the_warning(tmp_path: Path, delay: float, result: str) -> None:
    columns = over_plate(driver=4.0)
    braking = columns["driver_deceleration_m_s2"] > 0
    columns["warning"] = columns["time_s"] >= float(columns["time_s"][braking][0]) - delay - 1e-9
    bind = {**MANUAL, "brake_delay": value("1", "s", plus="0.1", minus="0.1"), "brake_ttc": value("1.1", "s", plus="0.1", minus="0.1")}
    run = run_of(tmp_path, example(ADDED, bind=bind, manoeuvre="pass_over"), columns)
    assert (check(run, "driver's brake delay").result, check(run, "TTC of the driver's braking").result) == (result, "met")
    del columns["driver_deceleration_m_s2"]
    run = run_of(tmp_path, example(ADDED, bind=bind, manoeuvre="pass_over"), columns)
    assert check(run, "driver's brake delay").result == "missing"
