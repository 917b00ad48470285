"""Whatever a log holds, it gets a verdict, and a damaged one never passes for a whole one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.factories import false_reactions, family_sweep, scenario
from tests.simulate.loglines import HEADER, car_log, csv_text

from regc.errors import DataFileError
from regc.simulate.judge import judge
from regc.simulate.readlog import read_logs, read_mapping

SUITE = (
    *family_sweep("car_to_stationary_car", "M1", "MassRun"),
    scenario("car_to_pedestrian", speed="40"),
    scenario("car_to_bicycle", speed="40"),
    scenario("car_to_moving_car", speed="60"),
    *false_reactions(),
)
WHOLE = car_log(seconds=7.0)
LENGTH = len(WHOLE["time_s"])
VALUES = st.one_of(st.just(float("nan")), st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, -1.0, 42.0]))
DAMAGE = st.lists(
    st.tuples(st.sampled_from(HEADER), st.integers(0, LENGTH - 1), st.integers(1, LENGTH), VALUES), min_size=1, max_size=4
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    damage=DAMAGE,
    dropped=st.sets(st.sampled_from(HEADER), max_size=3),
    cut=st.integers(0, LENGTH),
    which=st.integers(0, len(SUITE) - 1),
)
def test_every_log_gets_a_verdict(
    tmp_path: Path, damage: list[tuple[str, int, int, float]], dropped: set[str], cut: int, which: int
) -> None:
    columns = {name: list(values) for name, values in WHOLE.items()}
    for name, start, length, value in damage:
        columns[name][start : start + length] = [value] * len(columns[name][start : start + length])
    kept = {name: values[:cut] for name, values in columns.items() if name not in dropped}
    (tmp_path / f"{SUITE[which].id}__r1.csv").write_text(csv_text(kept), encoding="utf-8")
    logs, findings = read_logs([tmp_path / f"{SUITE[which].id}__r1.csv"])
    judgement = judge(SUITE, logs, findings=findings)
    assert len(judgement.runs) == 1
    run = judgement.runs[0]
    assert run.verdict in ("pass", "fail", "invalid", "incomplete", "evidence")
    assert run.reason
    if {"warning_acoustic", "warning_optical"} <= dropped or "braking_demand_m_s2" in dropped:
        assert run.verdict != "pass"


def test_contact_before_the_functional_part_is_invalid(tmp_path: Path) -> None:
    columns = {name: list(values) for name, values in WHOLE.items()}
    columns["contact"] = [1.0] * LENGTH
    (tmp_path / f"{SUITE[7].id}__r1.csv").write_text(csv_text(columns), encoding="utf-8")
    run = judge(SUITE, read_logs([tmp_path])[0]).runs[0]
    assert run.verdict == "invalid"
    assert "contact flag is set there" in run.reason


@pytest.mark.parametrize("text", ["time_s,contact\n" + "0,0\n" * 5, "time_s\n0\n1\n2\n", "\n\n\n"])
def test_odd_files(tmp_path: Path, text: str) -> None:
    (tmp_path / f"{SUITE[7].id}__r1.csv").write_text(text, encoding="utf-8")
    logs, _ = read_logs([tmp_path / f"{SUITE[7].id}__r1.csv"])
    assert judge(SUITE, logs).runs[0].verdict in ("invalid", "incomplete")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = 1\n", "no key x (value 1)"),
        ("[columns]\ntime = { column = 3 }\n", "columns.time.column = 3: "),
        ("[columns]\ntime = { column = 't', units = 's' }\n", "no key columns.time.units (value 's')"),
        ("[columns]\n[[bodies]]\n", "bodies.0.scenarios is missing"),
    ],
)
def test_wrong_mapping_names_file_key_and_value(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataFileError) as raised:
        read_mapping(tmp_path / "own.toml")
    assert str(raised.value).startswith("own.toml: ")
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "[columns] time" in raised.value.hint
