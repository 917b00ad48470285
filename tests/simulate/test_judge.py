"""Hand-made logs with verdicts worked out by hand from the invented suite of tests/factories.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from decimal import Decimal
from pathlib import Path

import pytest
from tests.factories import cited, family_sweep, scenario
from tests.simulate.loglines import car_log, csv_text

from regc.model.scenario import NamedQuantity, Scenario
from regc.simulate import verdictfiles
from regc.simulate.judge import Declarations, judge
from regc.simulate.readlog import read_logs
from regc.simulate.verdict import Judgement, RunVerdict

SUITE = (
    *family_sweep("car_to_stationary_car", "M1", "MaxMass"),
    *family_sweep("car_to_stationary_car", "M1", "MassRun"),
    *family_sweep("car_to_moving_car", "M1", "MassRun"),
)
S42 = "UNR152-02_p6.4_CtoStC_M1_MassRun_042"
S60 = "UNR152-02_p6.4_CtoStC_M1_MassRun_060"


def judged(
    folder: Path, columns: dict[str, list[float]] | str, name: str = f"{S42}__r1", declarations: Declarations | None = None
) -> RunVerdict:
    (folder / f"{name}.csv").write_text(columns if isinstance(columns, str) else csv_text(columns), encoding="utf-8")
    logs, findings = read_logs([folder])
    return judge(SUITE, logs, complete=True, declarations=declarations, findings=findings).runs[-1]


def check(run: RunVerdict, name: str) -> str:
    return next(item.result for item in run.checks if item.name == name)


def test_right_run_passes_and_names_clause_and_numbers(tmp_path: Path) -> None:
    # 42 km/h = 11.667 m/s; 9 m/s2 from TTC 1 s: 6.81 m of 11.67 m needed. Warning 1 s before braking. Limit row 42 (MassRun): 0.
    run = judged(tmp_path, car_log())
    assert (run.verdict, run.impact_speed, run.limit_rows) == ("pass", 0.0, (("42", "0.00"),))
    assert run.warning_lead == pytest.approx(1.0)
    impact = next(item for item in run.checks if item.part == "impact")
    assert "5.2.1.4" in impact.clause
    assert impact.measured == "no contact"


def test_42_0000012_is_42(tmp_path: Path) -> None:
    assert judged(tmp_path, car_log(speed_kmh=42.0000012)).verdict == "pass"


def test_one_tenth_too_fast_is_invalid(tmp_path: Path) -> None:
    run = judged(tmp_path, car_log(speed_kmh=42.1))
    assert run.verdict == "invalid"
    assert "42.1" in run.reason
    assert "40 to 42 km/h" in run.reason


def test_metres_per_second_with_three_digits(tmp_path: Path) -> None:
    columns = car_log()
    columns = {
        **{name: values for name, values in columns.items() if name != "subject_speed_kmh"},
        "subject_speed_m_s": [round(value / 3.6, 3) for value in columns["subject_speed_kmh"]],
    }
    run = judged(tmp_path, columns)
    assert (run.verdict, run.lookup_speed) == ("pass", 42.0)


def test_late_warning_is_allowed_where_the_collision_is_avoided(tmp_path: Path) -> None:
    assert judged(tmp_path, car_log(warning_at=1.2)).verdict == "pass"


def test_late_warning_fails_where_it_is_not_avoided(tmp_path: Path) -> None:
    # 60 km/h, 7 m/s2 from TTC 1 s: 16.67^2 - 2*7*16.67 = 44.4 -> 6.7 m/s = 24 km/h, limit 35; but the lead is 0.3 s, not 0.8 s.
    run = judged(tmp_path, car_log(speed_kmh=60, warning_at=1.3, demand=7.0), f"{S60}__r1")
    assert (run.verdict, check(run, "impact speed")) == ("fail", "met")
    assert "0.8 s" in run.reason
    assert "5.2.1.1" in run.clause


def test_late_warning_with_a_stated_justification(tmp_path: Path) -> None:
    told = Declarations(late_warning={"": "seen late"})
    assert judged(tmp_path, car_log(speed_kmh=60, warning_at=1.3, demand=7.0), f"{S60}__r1", told).verdict == "pass"


def test_declared_avoidance_speed_decides_the_warning_rule(tmp_path: Path) -> None:
    told = Declarations(avoids_up_to={"": Decimal(30)})
    assert judged(tmp_path, car_log(warning_at=1.2), declarations=told).verdict == "fail"


def test_warning_after_braking_fails_everywhere(tmp_path: Path) -> None:
    assert judged(tmp_path, car_log(warning_at=0.9)).verdict == "fail"


def test_one_mode_of_warning_is_too_few(tmp_path: Path) -> None:
    columns = car_log()
    columns["warning_optical"] = [0.0] * len(columns["time_s"])
    run = judged(tmp_path, columns)
    assert (run.verdict, check(run, "warning modes")) == ("fail", "not_met")


def test_unnamed_mode_is_not_observed(tmp_path: Path) -> None:
    columns = car_log()
    columns["warning"] = columns.pop("warning_optical")
    del columns["warning_acoustic"]
    run = judged(tmp_path, columns)
    assert (run.verdict, check(run, "warning modes")) == ("incomplete", "missing")
    assert next(item.measured for item in run.checks if item.name == "warning modes") == "not observed"


def test_weak_demand_fails_apart_from_the_impact_speed(tmp_path: Path) -> None:
    # 20 km/h, 4.9 m/s2 from TTC 1 s: stops in 3.15 m of 5.56 m: no contact, but less than 5.0 m/s2 was demanded.
    run = judged(tmp_path, car_log(speed_kmh=20.5, demand=4.9), "UNR152-02_p6.4_CtoStC_M1_MassRun_020__r1")
    assert (run.verdict, check(run, "impact speed"), check(run, "braking demand")) == ("fail", "met", "not_met")


def test_impact_above_the_limit_fails(tmp_path: Path) -> None:
    # 42 km/h, 5 m/s2 from TTC 1 s: 136.1 - 116.7 = 19.4 -> 4.41 m/s = 15.9 km/h > 0
    run = judged(tmp_path, car_log(demand=5.0))
    assert run.verdict == "fail"
    assert run.impact_speed == pytest.approx(15.9, abs=0.4)
    assert check(run, "braking demand") == "met"


def test_lower_row_is_judged_when_the_measured_speed_names_another(tmp_path: Path) -> None:
    # nominal 45 (limit 15) driven at 42.0: row 42 has 0; 42 km/h with 5 m/s2 from TTC 1 s hits at 15.9 km/h
    run = judged(tmp_path, car_log(demand=5.5, speed_kmh=43.0), "UNR152-02_p6.4_CtoStC_M1_MassRun_045__r1")
    assert run.limit_rows == (("45", "15.00"),)
    assert run.verdict == "pass"
    other = judged(tmp_path, car_log(demand=5.2, speed_kmh=40.0), "UNR152-02_p6.4_CtoStC_M1_MaxMass_042__r1")
    assert other.limit_rows == (("42", "10.00"), ("40", "0.00"))
    assert other.verdict == "fail"
    assert "lower limit" in next(item.note for item in other.checks if item.name == "impact speed")


def test_moving_target_is_looked_up_by_relative_speed(tmp_path: Path) -> None:
    # 60 behind 20: relative 40, limit 0; 9 m/s2 from TTC 1 s: 6.86 m of 11.1 m
    run = judged(tmp_path, car_log(speed_kmh=60, target_kmh=20), "UNR152-02_p6.5_CtoMoC_M1_MassRun_060-020__r1")
    assert (run.verdict, run.lookup_speed, run.limit_rows) == ("pass", 40.0, (("40", "0.00"),))


@pytest.mark.parametrize(
    ("change", "verdict", "says"),
    [
        (lambda c: c.pop("warning_acoustic") and c.pop("warning_optical") and None, "incomplete", "no warning channel"),
        (lambda c: c.pop("braking_demand_m_s2") and None, "incomplete", "start of braking"),
        (lambda c: c.pop("gap_m") and None, "incomplete", ""),
        (lambda c: c.pop("lateral_offset_m") and None, "incomplete", "lateral offset"),
        (lambda c: c["subject_speed_kmh"].__setitem__(100, float("nan")), "invalid", "not a number"),
        (lambda c: c["time_s"].__setitem__(300, 1.0), "invalid", "time does not run forward"),
        (lambda c: c.__setitem__("subject_speed_m_s", c.pop("subject_speed_kmh")), "invalid", "units"),
        (lambda c: c.__setitem__("subject_speed", c.pop("subject_speed_kmh")), "incomplete", "states no unit"),
        (lambda c: c.__setitem__("driver_input", [1.0] * len(c["time_s"])), "invalid", "driver input"),
        (lambda c: c.__setitem__("lateral_offset_m", [0.21] * len(c["time_s"])), "invalid", "0.210 m"),
    ],
)
def test_defects_of_a_log(tmp_path: Path, change: Callable[[dict[str, list[float]]], None], verdict: str, says: str) -> None:
    columns = car_log()
    change(columns)
    run = judged(tmp_path, columns)
    assert run.verdict == verdict
    assert says in run.reason


def test_short_approach_and_late_start_are_invalid(tmp_path: Path) -> None:
    assert "straight approach" in judged(tmp_path, car_log(approach=1.5)).reason
    run = judged(tmp_path, car_log(ttc_at_start=3.9))
    assert run.verdict == "invalid"
    assert "time to collision" in run.reason


def test_ttc_bound_between_two_samples_is_open(tmp_path: Path) -> None:
    run = judged(tmp_path, car_log(ttc_at_start=3.995))
    assert run.verdict == "incomplete"
    assert "3.995 s (between 3.995 and 4.005 s), required >= 4 s" in run.reason


def test_second_contact_does_not_count(tmp_path: Path) -> None:
    columns = car_log(speed_kmh=60, demand=7.0, warning_at=2.0)
    first = columns["contact"].index(1.0)
    columns["contact"][first + 2] = 0.0
    run = judged(tmp_path, columns, f"{S60}__r1")
    assert (run.verdict, run.contact_time) == ("pass", pytest.approx(first * 0.01))
    assert "2 contacts" in next(item.note for item in run.checks if item.name == "impact speed")


def test_log_that_ends_too_early_is_incomplete(tmp_path: Path) -> None:
    run = judged(tmp_path, car_log(seconds=5.5))
    assert run.verdict == "incomplete"
    assert "before the outcome" in run.reason


def test_deceleration_is_a_marked_proxy(tmp_path: Path) -> None:
    columns = car_log()
    columns["deceleration_m_s2"] = columns.pop("braking_demand_m_s2")
    run = judged(tmp_path, columns)
    assert run.verdict == "pass"
    assert next(item.proxy for item in run.checks if item.name == "braking demand") == "deceleration of the vehicle"


def test_functional_part_is_found_when_it_is_not_marked(tmp_path: Path) -> None:
    columns = car_log(approach=2.5)
    del columns["functional_part"]
    run = judged(tmp_path, columns)
    assert run.verdict == "pass"
    assert any("not marked" in item.note for item in run.checks)


@pytest.mark.parametrize(
    "content",
    ["", "time_s\n", "time_s,gap_m\n0,1\n0.01\n", "time_s,gap_m\n0,1\n0.01,abc\n", "gap_m,contact\n1,0\n", "time_s\x00,gap_m\n1,1\n"],
)
def test_corrupt_logs_are_judged_invalid_and_not_lost(tmp_path: Path, content: str) -> None:
    (tmp_path / f"{S42}__r1.csv").write_text(content, encoding="utf-8")
    logs, findings = read_logs([tmp_path / f"{S42}__r1.csv"])
    judgement = judge(SUITE, logs, findings=findings)
    assert [run.verdict for run in judgement.runs] == ["invalid"]
    assert [item.code for item in judgement.findings] == ["S701"]


def test_same_run_twice_is_judged_once(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{S42}__r1.csv").write_text(csv_text(car_log()), encoding="utf-8")
    judgement = judge(SUITE, read_logs([tmp_path])[0])
    assert len(judgement.runs) == 1
    assert [item.code for item in judgement.findings] == ["S703"]


def suite_run(folder: Path, outcomes: dict[str, str], chosen: Collection[str] | None = None) -> Judgement:
    """`outcomes`: scenario id -> "PP", "FPP", ... in the order of the runs (I: invalid)."""
    suite: list[Scenario] = []
    for speed in ("20", "25", "30", "35", "40", "42", "45", "50", "55", "60"):
        suite.append(scenario(speed=speed, load="MassRun").model_copy(update={"status": "mandatory"}))
    for id, runs in outcomes.items():
        speed = float(id[-3:])
        for number, letter in enumerate(runs, 1):
            log = car_log(
                speed_kmh=speed + (5 if letter == "I" else 0), demand=4.0 if letter == "F" else 9.0, braking_at=2.0, warning_at=3.0
            )
            (folder / f"{id}__r{number}.csv").write_text(csv_text(log), encoding="utf-8")
    return judge(suite, read_logs([folder])[0], complete=True, chosen=None if chosen is None else set(chosen))


IDS = [f"UNR152-02_p6.4_CtoStC_M1_MassRun_{speed:03d}" for speed in (20, 25, 30, 35, 40, 42, 45, 50, 55, 60)]


def test_one_failed_of_nine_is_over_ten_per_cent(tmp_path: Path) -> None:
    judgement = suite_run(tmp_path, {IDS[0]: "PP", IDS[1]: "PP", IDS[2]: "PP", IDS[3]: "FPP"}, chosen=IDS[:4])
    assert [item.verdict for item in judgement.scenarios] == ["pass"] * 4
    group = judgement.groups[0]
    assert (group.verdict, group.failed, group.performed, group.share) == ("fail", 1, 9, "1 of 9 = 11.1 per cent")
    assert "6.10.1" in group.clause


def test_one_failed_of_twenty_one_is_within_ten_per_cent(tmp_path: Path) -> None:
    judgement = suite_run(tmp_path, {**dict.fromkeys(IDS[:9], "PP"), IDS[9]: "PFP"})
    group = judgement.groups[0]
    assert (group.verdict, group.failed, group.performed) == ("pass", 1, 21)


def pools(folder: Path, outcomes: dict[Scenario, str], chosen: Collection[Scenario] | None = None) -> list[tuple[str, str, int, int]]:
    """(vehicle type, verdict, failed, performed) of every pool; `outcomes`: P or F in the order of a scenario's runs, of cars."""
    for item, runs in outcomes.items():
        speed, target = float(item.subject.test_speed.value), float(item.target.speed.value)
        for number, letter in enumerate(runs, 1):
            log = car_log(speed_kmh=speed, target_kmh=target, demand=4.0 if letter == "F" else 9.0, braking_at=2.0, warning_at=3.0)
            (folder / f"{item.id}__r{number}.csv").write_text(csv_text(log), encoding="utf-8")
    suite = [*SUITE, *family_sweep("car_to_stationary_car", "N1", "MassRun"), scenario("car_to_pedestrian", speed="40")]
    ids = {item.id for item in (outcomes if chosen is None else chosen)}
    judgement = judge(suite, read_logs([folder])[0], complete=True, chosen=ids)
    return [(item.vehicle_type, item.verdict, item.failed, item.performed) for item in judgement.groups]


def of(family: str, load: str, *speeds: str, category: str = "M1") -> list[Scenario]:
    return [scenario(family, speed=speed, load=load, category=category) for speed in speeds]


def test_seven_scenarios_with_one_failed_run_of_fifteen_pass(tmp_path: Path) -> None:
    # prescribed and further ones, stationary and moving targets: 1 of 15 is 6.7 per cent; alone, 1 of 3 would be 33 per cent
    stationary = of("car_to_stationary_car", "MassRun", "20", "25", "30", "42", "60")
    moving = of("car_to_moving_car", "MassRun", "40", "60")
    outcomes = {**dict.fromkeys([*stationary, moving[0]], "PP"), moving[1]: "FPP"}
    assert pools(tmp_path, outcomes) == [("M1", "pass", 1, 15)]


def test_vehicle_types_and_categories_have_pools_of_their_own(tmp_path: Path) -> None:
    (first,) = of("car_to_stationary_car", "MassRun", "20", category="N1")
    cars = of("car_to_stationary_car", "MassRun", "20", "25", "30", "35", "42", "60")
    assert pools(tmp_path, {**dict.fromkeys(cars, "PP"), first: "FPP"}) == [("M1", "pass", 0, 12), ("N1", "fail", 1, 3)]


def test_share_that_due_runs_can_mend_is_open(tmp_path: Path) -> None:
    cars = of("car_to_stationary_car", "MassRun", "20", "25", "30", "35", "42", "60")
    assert pools(tmp_path, {cars[0]: "FPP"}, chosen=cars) == [("M1", "incomplete", 1, 3)]  # 1 of 13 at the end is 7.7 per cent


def test_category_that_was_chosen_and_not_driven_is_open(tmp_path: Path) -> None:
    (car,) = of("car_to_stationary_car", "MassRun", "20")
    (walker,) = of("car_to_pedestrian", "MaxMass", "40")
    assert pools(tmp_path, {car: "PP"}, chosen=[car, walker]) == [("M1", "pass", 0, 2), ("M1", "incomplete", 0, 0)]


def test_further_speeds_are_proposed_after_a_failed_run(tmp_path: Path) -> None:
    (car,) = of("car_to_stationary_car", "MassRun", "20")
    log = car_log(speed_kmh=20.0, demand=4.0, braking_at=2.0, warning_at=3.0)
    (tmp_path / f"{car.id}__r1.csv").write_text(csv_text(log), encoding="utf-8")
    proposed = judge(SUITE, read_logs([tmp_path])[0], complete=True).proposed
    assert [id.rsplit("_", 2)[1:] for id in proposed] == [["MassRun", f"{row:03d}"] for row in (10, 15, 25, 30, 35, 40, 45, 50, 55)]
    assert {id.split("_")[2] for id in proposed} == {"CtoStC"}


def test_two_failed_runs_allow_no_repeat(tmp_path: Path) -> None:
    judgement = suite_run(tmp_path, {IDS[0]: "FFP"})
    assert (judgement.scenarios[0].verdict, judgement.scenarios[0].performed) == ("fail", 2)
    assert [item.code for item in judgement.findings] == ["S705"]
    assert [run.counts for run in judgement.runs] == [True, True, False]


def test_invalid_runs_are_not_performed_runs(tmp_path: Path) -> None:
    judgement = suite_run(tmp_path, {IDS[0]: "IPP"})
    assert (judgement.scenarios[0].verdict, judgement.scenarios[0].performed, judgement.scenarios[0].invalid) == ("pass", 2, 1)


def test_one_pass_is_not_enough(tmp_path: Path) -> None:
    judgement = suite_run(tmp_path, {IDS[0]: "P"})
    assert judgement.scenarios[0].verdict == "incomplete"
    assert judgement.groups[0].verdict == "incomplete"
    assert set(judgement.not_driven) == set(IDS[1:])


def in_column(item: Scenario, column: str) -> Scenario:
    limit = item.criteria.max_impact_speed
    assert limit is not None
    moved = limit.model_copy(update={"sources": (limit.sources[0].model_copy(update={"column": column}),)})
    return item.model_copy(update={"criteria": item.criteria.model_copy(update={"max_impact_speed": moved})})


def test_row_of_another_column_is_never_read(tmp_path: Path) -> None:
    # an edition whose table has columns of its own for moving targets, which end at row 40
    stationary = [in_column(item, "Stationary > maximum mass") for item in family_sweep("car_to_stationary_car", "M1", "MaxMass")]
    moving = [in_column(scenario("car_to_moving_car", speed=speed), "Moving > maximum mass") for speed in ("55", "60")]
    log = car_log(speed_kmh=60, target_kmh=18.5)  # relative 41.5: above every row for moving targets
    (tmp_path / f"{moving[1].id}__r1.csv").write_text(csv_text(log), encoding="utf-8")
    run = judge([*stationary, *moving], read_logs([tmp_path])[0], complete=True).runs[0]
    assert run.limit_rows == (("40", "0.00"),)


@pytest.mark.parametrize(
    ("load", "mass", "verdict"),
    [
        ("MassRun", 1450, "pass"),
        ("MassRun", 1575, "pass"),
        ("MassRun", 1576, "invalid"),  # would have been judged by the laxer column of maximum mass
        ("MassRun", 1700, "invalid"),
        ("MassRun", 1.5, "invalid"),  # t
        ("MassRun", 3197, "invalid"),  # lb
        ("MaxMass", 1576, "pass"),
        ("MaxMass", 1575, "invalid"),
        ("MaxMass", 1.95, "invalid"),  # t
        ("MaxMass", 1950000, "invalid"),  # g
    ],
)
def test_mass_outside_the_scenarios_own_load_state_is_invalid(tmp_path: Path, load: str, mass: float, verdict: str) -> None:
    extra = NamedQuantity(name="max_additional_mass", quantity=cited("125", "kg", "6.2.1", bound="le"))
    running_order = [item.model_copy(update={"envelope": (extra,)}) for item in family_sweep("car_to_stationary_car", "M1", "MassRun")]
    suite = [*running_order, *family_sweep("car_to_stationary_car", "M1", "MaxMass")]  # which do not carry the additional mass
    id = f"UNR152-02_p6.4_CtoStC_M1_{load}_042"
    (tmp_path / f"{id}__r1.csv").write_text(csv_text(car_log()), encoding="utf-8")
    (tmp_path / f"{id}__r1.json").write_text(json.dumps({"scenario": id, "mass": mass, "running_order_mass": 1450}), encoding="utf-8")
    run = judge(suite, read_logs([tmp_path])[0]).runs[0]
    assert run.verdict == verdict
    if verdict == "invalid":
        assert "load state" in run.reason


@pytest.mark.parametrize("sidecar", ["{", "[]", '{"scenario": 7}', '{"subject_box": {"length": "long"}}'])
def test_corrupt_sidecar_spoils_its_own_run_only(tmp_path: Path, sidecar: str) -> None:
    (tmp_path / f"{S42}__r1.csv").write_text(csv_text(car_log()), encoding="utf-8")
    (tmp_path / f"{S42}__r1.json").write_text(sidecar, encoding="utf-8")
    (tmp_path / f"{S42}__r2.csv").write_text(csv_text(car_log(speed_kmh=41.5)), encoding="utf-8")
    logs, findings = read_logs([tmp_path])
    assert [run.verdict for run in judge(SUITE, logs).runs] == ["invalid", "pass"]
    assert [item.code for item in findings] == ["S701"]


def test_verdicts_among_the_logs_are_no_logs(tmp_path: Path) -> None:
    (tmp_path / f"{S42}__r1.csv").write_text(csv_text(car_log()), encoding="utf-8")
    judgement = judge(SUITE, read_logs([tmp_path])[0])
    (tmp_path / "verdicts.json").write_text(verdictfiles.json_text(judgement), encoding="utf-8")
    (tmp_path / "verdicts.csv").write_text(verdictfiles.csv_text(judgement), encoding="utf-8")
    assert len(read_logs([tmp_path])[0]) == 1


def test_log_that_was_cut_to_nothing_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("", encoding="utf-8")
    (tmp_path / "run.json").write_text(json.dumps({"scenario": S42}), encoding="utf-8")
    assert [run.verdict for run in judge(SUITE, read_logs([tmp_path])[0]).runs] == ["invalid"]
