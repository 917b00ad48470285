"""The kinematic engine on all 180 driven scenarios, and what it does with the AEB model."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from regc.job import Compiled
from tests.factories import false_reaction, scenario, sweep

from regc import assumed
from regc.errors import SimulationError
from regc.simulate._setup import Assumptions
from regc.simulate.judge import judge
from regc.simulate.kinematic import AebModel, RunParameters, simulate
from regc.simulate.readlog import read_logs
from regc.simulate.runlog import RunLog
from regc.simulate.verdict import Judgement
from regc.simulate.writelog import csv_text, sidecar_text, stem

DATA = Assumptions(assumed.vehicles(), assumed.targets())
SUITE = sweep()


def runs(ego: str) -> tuple[list[RunLog], Judgement]:
    logs = [simulate(item, DATA, RunParameters.model_validate({"ego": ego})) for item in SUITE]
    return logs, judge(SUITE, logs)


def test_baseline_collides_at_test_speed_when_the_time_is_up() -> None:
    logs, judgement = runs("none")
    assert len(logs) == 180
    for log, run in zip(sorted(logs, key=lambda item: item.info.scenario), judgement.runs, strict=True):
        item = next(item for item in SUITE if item.id == run.scenario)
        assert item.relative_speed is not None
        assert run.collided
        assert run.impact_speed == pytest.approx(float(item.relative_speed.value), abs=0.1)
        assert run.contact_time is not None
        assert run.contact_time - log.info.events["functional_part"] == pytest.approx(4.02, abs=0.0101)
        assert log.functional_part is not None
        assert log.functional_part >= 2.0 - 1e-9
        if item.approach_type == "crossing":
            assert log.lateral_offset is not None
            assert log.contact is not None
            assert abs(log.lateral_offset[np.flatnonzero(log.contact)[0]]) <= 0.1
        assert not [check for check in run.checks if check.result == "not_met"]


def test_reference_passes_everywhere() -> None:
    _, judgement = runs("reference")
    assert {run.verdict for run in judgement.runs} == {"pass"}


#: Highest row (km/h) at which braking with 5.0 m/s2 from TTC 0.6 s still meets the limit, in every family, category and load state:
#: v^2 - 2*5*0.6*v <= 0 up to 6.0 m/s = 21.6 km/h, so 20 stops in time; above it impact^2 = v^2 - 6.0 v: at 25 km/h 9.2 km/h, limit 0;
#: at 42 29.3 km/h, limit at most 15; at 45 32.5 km/h, limit at most 30; at 60 48.0 km/h, limit at most 45.
LATE_IS_RIGHT_UP_TO = 20.0


def test_late_fails_exactly_where_the_hand_computed_impact_is_over_the_limit() -> None:
    _, judgement = runs("late")
    for run in judgement.runs:
        item = next(item for item in SUITE if item.id == run.scenario)
        assert item.relative_speed is not None
        assert item.criteria.max_impact_speed is not None
        speed = float(item.relative_speed.value) / 3.6
        impact = math.sqrt(max(speed**2 - 2 * 5.0 * 0.6 * speed, 0.0)) * 3.6
        over = impact > float(item.criteria.max_impact_speed.value) + 0.1
        impact_check = next(check.result for check in run.checks if check.part == "impact")
        assert (impact_check == "not_met") == over, run.scenario
        assert over == (float(item.relative_speed.value) > LATE_IS_RIGHT_UP_TO), run.scenario
        assert next(check.result for check in run.checks if check.part == "demand") == "met"


def test_model_delay_jerk_load_and_friction_lengthen_the_stop() -> None:
    item = scenario(speed="60")
    plain = AebModel(warning_ttc=2.5, braking_ttc=1.0, demand=8.0)

    def impact(model: AebModel, friction: float | None = None) -> float:
        log = simulate(item, DATA, RunParameters(aeb=model, friction=friction))
        return judge([item], [log]).runs[0].impact_speed or 0.0

    reference = impact(plain)
    for change in ({"delay": 0.3}, {"jerk": 15.0}, {"load_factor": 0.7}):
        assert impact(plain.model_copy(update=change)) > reference + 1
    assert impact(plain, friction=0.4) > reference + 1


def test_target_reaches_the_centreline_at_every_speed_within_tolerance() -> None:
    for offset in (-2.0, -0.7, 0.0):
        for family in ("car_to_pedestrian", "car_to_bicycle"):
            item = scenario(family, speed="40")
            run = judge([item], [simulate(item, DATA, RunParameters(ego="none", subject_offset=offset))]).runs[0]
            assert not [check for check in run.checks if check.result == "not_met"]


def test_written_log_is_judged_as_the_run_in_memory(tmp_path: Path) -> None:
    for item in (scenario(speed="42", load="MassRun"), scenario("car_to_bicycle", speed="60")):
        log = simulate(item, DATA)
        file = tmp_path / f"{stem(log.info)}.csv"
        file.write_text(csv_text(log), encoding="utf-8")
        file.with_suffix(".json").write_text(sidecar_text(log.info), encoding="utf-8")
        read, findings = read_logs([tmp_path])
        assert not findings
        ours, again = judge([item], [log]).runs[0], judge([item], [one for one in read if one.info.scenario == item.id]).runs[0]
        assert (ours.verdict, ours.impact_speed, ours.contact_time) == (again.verdict, again.impact_speed, again.contact_time)
        file.unlink()
        file.with_suffix(".json").unlink()


def test_same_simulated_run_is_no_repeat() -> None:
    item = scenario(speed="40")
    same = [simulate(item, DATA, RunParameters(run=run)) for run in ("1", "2")]
    judgement = judge([item], same)
    assert [run.counts for run in judgement.runs] == [True, False]
    assert [finding.code for finding in judgement.findings] == ["S704"]
    assert judgement.scenarios[0].verdict == "incomplete"
    differ = [simulate(item, DATA, RunParameters(run="1")), simulate(item, DATA, RunParameters(run="2", subject_offset=-0.5))]
    assert judge([item], differ).scenarios[0].verdict == "pass"


def test_vacuous_baseline_is_reported() -> None:
    item = scenario(speed="40")
    brakes = simulate(item, DATA, RunParameters(run="2"))
    log = replace(brakes, info=brakes.info.model_copy(update={"ego": "none"}))
    judgement = judge([item], [log, simulate(item, DATA)])
    assert judgement.scenarios[0].vacuous
    assert [finding.code for finding in judgement.findings] == ["S706"]


def test_manoeuvres_are_refused_by_name() -> None:
    with pytest.raises(SimulationError, match=r"A3\.2_FR_1"):
        simulate(false_reaction(1), DATA)


def test_a_regulation_in_miles_per_hour_is_judged_at_the_same_resolution(invented: Compiled) -> None:
    driven = [item for item in invented.checked.scenarios if item.approach_type != "manoeuvre"]
    assert {item.subject.test_speed.unit for item in driven} == {"mph"}
    judgement = judge(driven, [simulate(item, DATA, RunParameters()) for item in driven])
    assert {run.verdict for run in judgement.runs} == {"pass"}
    # the rows' headers are the document's own, and the nominal row is the one that was measured
    assert all(len(run.limit_rows) == 1 for run in judgement.runs)
