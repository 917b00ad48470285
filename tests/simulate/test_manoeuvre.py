"""Evidence of false-reaction runs: a lane change past a signboard, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.factories import false_reaction

from regc.simulate._geometry import Box, Track
from regc.simulate.judge import judge
from regc.simulate.runlog import RunInfo, RunLog, from_tracks
from regc.simulate.verdict import Judgement

SIGN = false_reaction(4)  # steer at a TTC of at most 4.2 s; offset ratio -100 per cent at a TTC of at most 3.3 s
STEP = 0.01


def passing_by(
    *, steer_ttc: float = 4.0, speed: float = 40 / 3.6, sideways: float = 1.2, ego: str = "external", demand: float | None = 0.0
) -> RunLog:
    """Straight at constant speed towards a board in the lane's middle; from `steer_ttc` on the vehicle also moves aside (m/s)."""
    time = np.arange(0.0, 8.0, STEP)
    begins = 6.0 - steer_ttc  # the front meets the board at 6 s
    zeros = np.zeros_like(time)
    aside = np.maximum(time - begins, 0.0) * sideways
    subject = Track(speed * time - 3.6, aside, zeros, zeros + speed, Box(4.5, 1.8, 1.35))
    board = Track(zeros + speed * 6.0 + 0.05, zeros, zeros, zeros, Box(0.1, 0.9))
    info = RunInfo(scenario=SIGN.id, ego=ego, events={"steering": begins})
    warned = {"acoustic": (time > 3.0) & (time < 3.5)}
    return from_tracks(info, time, subject, board, warnings=warned, demand=None if demand is None else zeros + demand)


def judged(log: RunLog) -> Judgement:
    ratio = next(item for item in false_reaction(1).manoeuvre if item.name == "max_ttc_at_steer").quantity
    offset = ratio.model_copy(update={"value": ratio.value * 0 - 100, "unit": "per cent", "bound": "eq"})
    named = (
        SIGN.manoeuvre[0],
        SIGN.manoeuvre[1].model_copy(update={"name": "max_ttc_at_offset"}),
        SIGN.manoeuvre[0].model_copy(update={"name": "offset_ratio", "quantity": offset}),
    )
    return judge([SIGN.model_copy(update={"manoeuvre": named})], [log])


def results(judgement: Judgement) -> dict[str, tuple[str, str]]:
    return {check.name: (check.result, check.measured) for check in judgement.runs[0].checks}


def test_no_demand_is_evidence_with_numbers() -> None:
    judgement = judged(passing_by())
    found = results(judgement)
    assert (judgement.runs[0].verdict, judgement.scenarios[0].verdict) == ("evidence", "evidence")
    assert found["braking demand of the system"] == ("met", "none")
    assert found["warnings"] == ("not_applicable", "1")
    assert found["contact"] == ("met", "none")
    assert found["max ttc at steer"] == ("met", "4.00 s")
    # 0.9 m aside after 0.75 s: TTC 4.00 - 0.75 = 3.25 s
    assert found["max ttc at offset"][0] == "met"
    assert float(found["max ttc at offset"][1].split()[0]) == pytest.approx(3.25, abs=0.011)
    assert not judgement.groups


def test_late_steering_and_a_demand_are_said_and_stay_evidence() -> None:
    judgement = judged(passing_by(steer_ttc=4.5, demand=6.0))
    found = results(judgement)
    assert found["braking demand of the system"] == ("not_met", "6.00 m/s2")
    assert found["max ttc at steer"][0] == "not_met"
    assert judgement.scenarios[0].verdict == "evidence"
    assert "(not none)" in judgement.scenarios[0].reason


def test_deceleration_never_stands_in_for_a_demand_here() -> None:
    assert results(judged(passing_by(demand=None)))["braking demand of the system"][0] == "missing"


def test_contact_is_said() -> None:
    assert results(judged(passing_by(sideways=0.1)))["contact"] == ("not_met", "yes")


def test_run_without_a_system_shows_the_scene_only() -> None:
    judgement = judged(passing_by(ego="none"))
    assert results(judgement)["braking demand of the system"] == ("not_applicable", "no system in this run")
    assert judgement.scenarios[0].verdict == "evidence"
    assert not judgement.findings  # nothing is hit, and nothing may be
