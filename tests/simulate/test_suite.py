"""Limits are read from the whole edition: what a part of it, or another build's log, may not prove."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from tests.factories import family_sweep, scenario
from tests.simulate.loglines import car_log, csv_text

from regc.model.scenario import Scenario
from regc.simulate._limits import LimitTables, kmh
from regc.simulate.judge import judge
from regc.simulate.readlog import read_logs
from regc.simulate.suite import CHOSEN, Suite, chosen_bytes, read_suite, scenario_key
from regc.simulate.verdict import Check, RunVerdict

EDITION = [item for load in ("MaxMass", "MassRun") for item in family_sweep("car_to_stationary_car", "M1", load)]
S42 = "UNR152-02_p6.4_CtoStC_M1_MaxMass_042"


def part(*speeds: str) -> list[Scenario]:
    """What a filter leaves: all of running order, and of maximum mass the driven scenario and these speeds."""
    return [item for item in EDITION if item.id.rsplit("_", 2)[-2] == "MassRun" or item.id == S42 or item.id[-3:] in speeds]


def driven(folder: Path, suite: list[Scenario], *, complete: bool, **log: float) -> RunVerdict:
    """Nominal 42 km/h at maximum mass (limit 10), driven at 40.0 (limit 0). With 5.5 m/s2 from TTC 1 s it hits at 4 km/h."""
    (folder / f"{S42}__r1.csv").write_text(csv_text(car_log(**{"speed_kmh": 40.0, **log})), encoding="utf-8")
    return judge(suite, read_logs([folder])[0], complete=complete).runs[0]


def impact(run: RunVerdict) -> Check:
    return next(check for check in run.checks if check.part == "impact")


def test_milder_row_of_a_filtered_suite_is_never_a_pass(tmp_path: Path) -> None:
    whole = driven(tmp_path, EDITION, complete=True, demand=5.5)
    assert (whole.verdict, whole.limit_rows) == ("fail", (("42", "10.00"), ("40", "0.00")))
    filtered = driven(tmp_path, part("020", "060"), complete=False, demand=5.5)
    assert (filtered.verdict, filtered.limit_rows) == ("incomplete", (("42", "10.00"),))
    assert "has no row 40 in this suite" in filtered.reason
    assert "without a filter" in filtered.reason


def test_exact_row_of_a_filtered_suite_counts(tmp_path: Path) -> None:
    assert driven(tmp_path, part("040"), complete=False, demand=5.5).verdict == "fail"


def test_no_contact_meets_a_row_that_nobody_knows(tmp_path: Path) -> None:
    run = driven(tmp_path, part("020", "060"), complete=False)
    assert (run.verdict, impact(run).measured) == ("pass", "no contact")


def test_known_row_that_is_exceeded_fails_whatever_the_other_says(tmp_path: Path) -> None:
    # 41.3 km/h is between two rows; 5 m/s2 from TTC 1 s hits at 14.8 km/h
    run = driven(tmp_path, part("060"), complete=False, demand=5.0, speed_kmh=41.3)
    assert (run.verdict, impact(run).result) == ("fail", "not_met")


def test_speed_between_rows_takes_the_next_higher_one_of_the_whole_edition() -> None:
    item = next(item for item in EDITION if item.id == S42)
    rows = LimitTables(EDITION, complete=True)
    row, unknown = rows.row_at(item, Decimal("42.1"))
    assert row is not None
    assert (row.label, unknown) == ("45", "")
    assert LimitTables(EDITION).row_at(item, Decimal("42.1"))[0] is None
    assert rows.row_at(item, Decimal("60.1")) == (None, "")


@pytest.mark.parametrize(("speed", "read"), [("42.04", "42.0"), ("42.05", "42.1"), ("41.95", "42.0"), ("42.0000012", "42.0")])
def test_speeds_are_read_to_a_tenth_half_upwards(speed: str, read: str) -> None:
    assert kmh(float(Decimal(speed) / Decimal("3.6"))) == Decimal(read)


def test_log_of_another_build_is_left_out_by_name(tmp_path: Path) -> None:
    item = next(item for item in EDITION if item.id == S42)
    for number, key in ((1, scenario_key(item)), (2, "0123456789abcdef"), (3, "")):
        log = tmp_path / f"{S42}__r{number}.csv"
        log.write_text(csv_text(car_log(speed_kmh=42 - number / 10)), encoding="utf-8")
        log.with_suffix(".json").write_text(json.dumps({"scenario": S42, "run": str(number), "scenario_key": key}), encoding="utf-8")
    judgement = judge(EDITION, read_logs([tmp_path])[0], complete=True)
    assert [run.run for run in judgement.runs] == ["1", "3"]  # a log that does not tell is taken by its name
    assert [(finding.code, finding.place) for finding in judgement.findings] == [("S707", f"{S42}__r2.csv")]


def write(folder: Path, scenarios: list[Scenario], cells: list[dict[str, object]], edition: str = "02") -> Suite:
    head = {"regulation": "un152", "edition": edition, "wording": "embedded"}
    data = {**head, "edition": "02", "scenarios": [item.model_dump(mode="json") for item in scenarios]}
    (folder / "scenarios.json").write_text(json.dumps(data), encoding="utf-8")
    (folder / "coverage.json").write_text(json.dumps({**head, "coverage": {"cells": cells}}), encoding="utf-8")
    return read_suite(folder / "scenarios.json")


def test_suite_is_whole_when_no_limit_cell_is_without_its_scenarios(tmp_path: Path) -> None:
    cells: list[dict[str, object]] = [{"role": "limit", "scenarios": [item.id]} for item in EDITION]
    cells += [{"role": "limit", "reason": "no requirement"}, {"role": "test_speed"}]
    assert write(tmp_path, EDITION, cells).complete
    assert not write(tmp_path, EDITION[1:], cells).complete
    assert not write(tmp_path, EDITION, [*cells, {"role": "limit"}]).complete
    assert not write(tmp_path, EDITION, cells, edition="01").complete
    assert not write(tmp_path, EDITION, []).complete
    (tmp_path / "coverage.json").unlink()
    assert not read_suite(tmp_path / "scenarios.json").complete


def test_chosen_scenarios_add_up_until_they_change(tmp_path: Path) -> None:
    first, second, third = EDITION[:3]
    (tmp_path / CHOSEN).write_bytes(chosen_bytes(tmp_path, EDITION, [first.id, second.id]))
    changed = [first.model_copy(update={"title": "another"}), *EDITION[1:]]
    (tmp_path / CHOSEN).write_bytes(chosen_bytes(tmp_path, changed, [third.id]))
    assert list(json.loads((tmp_path / CHOSEN).read_text("utf-8"))["scenarios"]) == sorted([second.id, third.id])
    judgement = judge([scenario(speed="42"), scenario(speed="60")], [], chosen=[scenario(speed="42").id])
    assert (judgement.not_driven, judgement.not_chosen) == ((scenario(speed="42").id,), (scenario(speed="60").id,))
