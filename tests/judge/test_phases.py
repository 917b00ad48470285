"""A regulation of phases in a row, driven and judged: who is met in which phase, what each phase binds, and what its criteria ask."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.lang.documents import ROOT

from regc.engines.kinematic import drive
from regc.judge.campaign import judge
from regc.judge.verdict import RunVerdict
from regc.lang import evaluate, lint, load_profile
from regc.manoeuvres import data, stage
from regc.manoeuvres.plan import Ego, Options
from regc.model.document import Document
from regc.model.scenario import Scenario, target_roles
from regc.model.suite import Suite
from regc.motion import Playback
from regc.readers import markdown
from regc.runs.playback import info_of, log_of
from regc.truth import compare_fields, read_truth

FOLDER = Path(ROOT) / "tests" / "fixtures" / "regulations" / "relays"


@cache
def rules() -> Document:
    text = (FOLDER / "rules.md").read_bytes()
    return markdown.read(FOLDER / "rules.md", text, regulation="relays", edition="1st", title="", wording="embedded")


@cache
def suite() -> Suite:
    return evaluate(load_profile(FOLDER), rules(), strict=True)


def scenario(token: str) -> Scenario:
    return next(test for test in suite().scenarios if test.token == token)


@cache
def driven(token: str, ego: Ego) -> tuple[Playback, RunVerdict]:
    test = scenario(token)
    laid_out = stage(test, data.load(), Options(ego=ego))
    run = drive(laid_out)
    info = info_of(laid_out, ego="external" if ego == "none" else ego)
    return run, judge(suite(), [log_of(laid_out, run, info)]).runs[0]


def told(token: str, ego: Ego, part: str = "criterion") -> dict[str, str]:
    """What the judge says of each criterion, or of each condition of a valid run."""
    checks = (check for check in driven(token, ego)[1].checks if check.part == part)
    return {check.label or check.name: check.result for check in checks}


def test_the_profile_is_without_fault() -> None:
    assert [finding.message for finding in lint(load_profile(FOLDER), rules())] == []
    assert target_roles(scenario("Child").phases) == {"passed": "target", "child": "target2"}


def test_every_field_of_the_phases_is_as_a_person_read_it() -> None:
    result = compare_fields(read_truth(FOLDER / "truth.csv"), suite().scenarios)
    assert (result.differences, result.missing, result.extra) == ((), (), ())
    assert result.compared == result.equal > 60


@pytest.mark.parametrize("token", ["Child", "CutIn", "Plate", "CutOut", "Bicycle"])
def test_the_reference_passes_and_late_fails(token: str) -> None:
    assert driven(token, "reference")[1].verdict == "pass"
    assert driven(token, "late")[1].verdict == "fail"
    assert set(told(token, "reference").values()) == {"met"}


def test_without_a_system_each_phase_is_judged_by_itself() -> None:
    quiet = {"quiet": "met", "silent": "met"}
    assert told("Child", "none") == {**quiet, "contact": "not_met", "horn": "not_met"}
    assert told("CutIn", "none") == {"contact": "not_met", "quiet": "met", "line": "met"}
    assert told("Plate", "none") == {"braking": "met", "between": "met", "plate": "met"}
    assert told("CutOut", "none") == {"line": "not_met", "contact": "not_met"}


@pytest.mark.parametrize(
    ("token", "role", "closing"),
    [("Child", "target2", 45), ("CutIn", "target", 20), ("CutOut", "target", 50), ("Bicycle", "target", 40)],
)
def test_who_is_met_in_the_last_phase_is_met_at_the_test_speed(token: str, role: str, closing: float) -> None:
    run, _ = driven(token, "none")
    assert run.contact is not None
    assert (run.contact.role, run.contact.speed * 3.6) == (role, pytest.approx(closing, abs=0.1))


@pytest.mark.parametrize(("token", "phase", "ttc"), [("Child", "child", 4.0), ("Bicycle", "bicycle", 4.0)])
def test_a_phase_begins_at_its_time_to_collision(token: str, phase: str, ttc: float) -> None:
    run, _ = driven(token, "none")
    assert run.contact is not None
    assert run.contact.time - run.events[f"phase_{phase}"] == pytest.approx(ttc, abs=0.05)


def test_a_cut_in_leaves_its_time_to_collision_when_it_is_over() -> None:
    run, _ = driven("CutIn", "none")
    assert run.contact is not None
    target = run.tracks["target"]
    subject = run.tracks["subject"]
    # both drive along the lane behind the bend from here on: 20 km/h apart, 2.5 s before they meet
    over = int((run.contact.time - 2.5) * 100)
    assert target.heading[over] == pytest.approx(subject.heading[over], abs=0.01)
    assert target.heading[over - 60] != pytest.approx(subject.heading[over - 60], abs=0.01)
    assert run.seen("subject", "target", over).gap == pytest.approx(20 / 3.6 * 2.5, abs=0.1)


def test_the_bend_has_its_radius() -> None:
    run, _ = driven("CutOut", "none")
    subject, first, last = run.tracks["subject"], run.at("phase_bend"), run.at("phase_cut_out")
    turned = abs(subject.heading[last] - subject.heading[first])
    assert turned == pytest.approx(60 / 200, abs=0.001)  # 60 m of the arc are assumed
    middle = first + 100
    rate = (subject.heading[middle + 1] - subject.heading[middle]) / 0.01
    assert subject.speed[middle] / rate == pytest.approx(200, abs=0.5)


def test_what_a_phase_binds_is_a_condition_of_a_valid_run() -> None:
    valid = told("Child", "reference", "validity")
    assert valid["target speed (phase child)"] == valid["time to collision (phase child)"] == "met"


def test_a_child_that_walks_faster_makes_the_run_invalid() -> None:
    laid_out = stage(scenario("Child"), data.load(), Options(ego="reference"))
    faster = tuple(item.model_copy(update={"speed": 8 / 3.6}) if item.role == "target2" else item for item in laid_out.others)
    changed = laid_out.model_copy(update={"others": faster})
    verdict = judge(suite(), [log_of(changed, drive(changed), info_of(changed))]).runs[0]
    assert verdict.verdict == "invalid"
    assert "target speed (phase child): 8.0 to 8.0 km/h, required 4.6 to 5 km/h" in verdict.reason
