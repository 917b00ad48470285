"""Whatever a log holds, it gets a verdict, and a damaged one never passes for a whole one; and which suite a folder belongs to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.judge.loglines import HEADER, car_log, csv_text
from tests.judge.suites import un152

from regc.errors import DataFileError
from regc.judge.campaign import CHOSEN, chosen_bytes, find_suite, judge, read_suite, scenario_key
from regc.judge.verdict import Judgement, json_text, junit_text
from regc.judge.verdict import csv_text as verdicts_csv
from regc.model.machine_files import packed
from regc.runs.read import read_logs

SOME = (
    "UNR152-02_p6.4_CtoStC_M1_MassRun_042", "UNR152-02_p6.5_CtoMoC_M1_MaxMass_060-020", "UNR152-02_p6.6.1_CtoP_M1_MaxMass_040",
    "UNR152-02_p6.7.1_CtoB_N1_MaxMass_060", "UNR152-02_A3App2-2.2_FR_S2-ForwardVehicleTurn",
    "UNR152-02_A3App2-3.2_FR_S3-CurveGuardPipe",
)  # fmt: skip
WHOLE = car_log(seconds=7.0)
LENGTH = len(WHOLE["time_s"])
VALUES = st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, -1.0, 42.0]))
DAMAGE = st.lists(
    st.tuples(st.sampled_from(HEADER), st.integers(0, LENGTH - 1), st.integers(1, LENGTH), VALUES), min_size=1, max_size=4
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damage=DAMAGE, dropped=st.sets(st.sampled_from(HEADER), max_size=3), cut=st.integers(0, LENGTH), id=st.sampled_from(SOME))
def test_every_log_gets_a_verdict(
    tmp_path: Path, damage: list[tuple[str, int, int, float]], dropped: set[str], cut: int, id: str
) -> None:
    columns = {name: list(values) for name, values in WHOLE.items()}
    for name, start, length, value in damage:
        columns[name][start : start + length] = [value] * len(columns[name][start : start + length])
    kept = {name: values[:cut] for name, values in columns.items() if name not in dropped}
    (tmp_path / f"{id}__r1.csv").write_text(csv_text(kept) if kept else "", encoding="utf-8")
    logs, findings = read_logs([tmp_path / f"{id}__r1.csv"])
    judgement = judge(un152(), logs, findings=findings)
    (run,) = judgement.runs
    assert run.verdict in ("pass", "fail", "invalid", "incomplete", "evidence")
    assert run.reason
    if {"warning_acoustic", "warning_optical"} <= dropped or "braking_demand_m_s2" in dropped:
        assert run.verdict != "pass"
    assert Judgement.model_validate_json(json_text(judgement)) == judgement
    assert junit_text(judgement)
    assert verdicts_csv(judgement).count("\n") == 2


@pytest.mark.parametrize("text", ["time_s,contact\n" + "0,0\n" * 5, "time_s\n0\n1\n2\n", "\n\n\n"])
def test_odd_files(tmp_path: Path, text: str) -> None:
    (tmp_path / f"{SOME[0]}__r1.csv").write_text(text, encoding="utf-8")
    logs, _ = read_logs([tmp_path / f"{SOME[0]}__r1.csv"])
    assert judge(un152(), logs).runs[0].verdict in ("invalid", "incomplete")


def test_a_suite_is_found_above_the_logs_and_is_what_was_built(tmp_path: Path) -> None:
    (tmp_path / "scenarios.json").write_text(json.dumps(packed(un152())), encoding="utf-8")
    logs = tmp_path / "runs" / "kinematic"
    logs.mkdir(parents=True)
    assert find_suite([logs]) == tmp_path / "scenarios.json"
    suite, chosen = read_suite(find_suite([logs]))
    assert ([item.id for item in suite.scenarios], chosen) == ([item.id for item in un152().scenarios], None)
    # what a file says in another order of names is the same scenario
    assert [scenario_key(item) for item in suite.scenarios] == [scenario_key(item) for item in un152().scenarios]


@pytest.mark.parametrize("text", ["", "[]", '{"schema_version": "1.0"}', '{"schema_version": "2.0", "sources": []}'])
def test_what_is_no_suite_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "scenarios.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataFileError, match=r"scenarios\.json: not the scenarios of a build"):
        read_suite(tmp_path / "scenarios.json")
    with pytest.raises(DataFileError, match=r"no scenarios\.json in or above"):
        find_suite([Path("/nowhere")])


def test_chosen_scenarios_add_up_until_they_change(tmp_path: Path) -> None:
    scenarios = un152().scenarios[:3]
    first, second, third = (item.id for item in scenarios)
    (tmp_path / CHOSEN).write_bytes(chosen_bytes(tmp_path, scenarios, [first, second]))
    changed = (scenarios[0].model_copy(update={"title": "another"}), *scenarios[1:])
    (tmp_path / CHOSEN).write_bytes(chosen_bytes(tmp_path, changed, [third]))
    assert list(json.loads((tmp_path / CHOSEN).read_text("utf-8"))["scenarios"]) == sorted([second, third])
    judgement = judge(un152(), [], chosen=[first])
    assert (judgement.not_driven, len(judgement.not_chosen)) == ((first,), 183)
