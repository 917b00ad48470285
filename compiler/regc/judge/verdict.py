"""What the judge says: one check, one run, one scenario, one pool of runs. verdict.json is a Judgement."""

from __future__ import annotations

from typing import Final, Literal

from regc.model.result import Finding
from regc.model.source import Frozen

VERSION: Final = "2.0"
#: How measured speeds are read, in words for a reader of verdicts.
SPEED_NOTE = "driven speeds are read to 0.1 km/h (0.05 upwards), times to collision to 1 ms; all else is compared as measured"

Verdict = Literal["pass", "fail", "invalid", "incomplete", "evidence"]
#: missing: neither met nor not met is shown. not_applicable: nothing is asked, or a log cannot show it.
CheckResult = Literal["met", "not_met", "missing", "not_applicable"]
#: log: the log itself. validity: a prescribed condition of the test. criterion: a requirement on the run. outcome: whether anything
#: was passed at all.
Part = Literal["log", "validity", "criterion", "outcome"]


class Check(Frozen):
    """One question put to a run. `measured`, `bracket` and `required` are text with units: what was measured, between which numbers
    the true one lies as far as the samples tell, and the bound. `value`: what was measured as a number in the unit of `required`.
    `label`: of the criterion. `clause`: the place that asks. `proxy` names what stood in for a channel that the log does not have."""

    part: Part
    name: str
    result: CheckResult
    label: str = ""
    measured: str = ""
    bracket: str = ""
    required: str = ""
    value: float | None = None
    clause: str = ""
    note: str = ""
    proxy: str = ""


class RunVerdict(Frozen):
    """One run. `counts`: whether it enters the aggregate; `reason` says why not, or what decided. Speeds in km/h, times in s.

    `limit_rows`: (row, limit) of the nominal row and of the row of the measured speed, `lookup_speed`. `baseline`: a run without a
    system. `simulated`: a model was driven and not a vehicle. `set_up`: the deviation of the test set-up that explains a failed run, as
    the record states it.
    """

    scenario: str
    run: str
    vehicle_type: str
    engine: str
    verdict: Verdict
    clause: str
    reason: str
    checks: tuple[Check, ...]
    log: str = ""
    baseline: bool = False
    simulated: bool = False
    collided: bool | None = None
    impact_speed: float | None = None
    contact_time: float | None = None
    lookup_speed: float | None = None
    limit_rows: tuple[tuple[str, str], ...] = ()
    fingerprint: str = ""
    counts: bool = True
    set_up: str = ""

    def criterion(self, label: str) -> Check | None:
        """The check of a criterion."""
        return next((check for check in self.checks if check.part == "criterion" and check.label == label), None)


class ScenarioVerdict(Frozen):
    """All runs of one scenario by one vehicle type. `vacuous`: without a system nothing was hit."""

    scenario: str
    vehicle_type: str
    group: str
    prescribed: bool
    verdict: Verdict
    performed: int
    failed: int
    invalid: int
    reason: str
    clause: str
    vacuous: bool | None = None


class RunCount(Frozen):
    """Scenarios and runs of a pool that are prescribed, or further ones: information, no verdict."""

    tests: Literal["prescribed", "further"]
    scenarios: int
    performed: int
    failed: int


class GroupVerdict(Frozen):
    """The share of failed runs of one vehicle type in one pool: all performed runs, prescribed and further ones, of the tests for
    which one item of the document states the share. `not_driven`: scenarios of the pool that are due and have no run."""

    vehicle_type: str
    group: str
    verdict: Verdict
    scenarios: int
    performed: int
    failed: int
    share: str
    limit: str
    clause: str
    reason: str
    tests: tuple[str, ...] = ()
    counts: tuple[RunCount, ...] = ()
    not_driven: tuple[str, ...] = ()


class Avoided(Frozen):
    """Information, no verdict: the highest measured speed below which every run of a vehicle type avoided the contact, by the test's
    name and axis values."""

    vehicle_type: str
    test: str
    axes: dict[str, str]
    speed: float


class Judgement(Frozen):
    """Everything that a folder of logs shows. `not_driven`: scenarios without a log, but for those that were not chosen to be driven
    (`not_chosen`). `proposed`: further tests that `proposed_by`, a clause, lets be driven after a failed run whose cause is not the
    set-up. `speed_resolution`: how measured speeds are read
    before they are compared."""

    schema_version: Literal["2.0"] = VERSION
    regulation: str
    edition: str
    runs: tuple[RunVerdict, ...]
    scenarios: tuple[ScenarioVerdict, ...]
    groups: tuple[GroupVerdict, ...]
    not_driven: tuple[str, ...] = ()
    not_chosen: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    proposed_by: str = ""
    avoided: tuple[Avoided, ...] = ()
    speed_resolution: str = SPEED_NOTE
    findings: tuple[Finding, ...] = ()


def is_clean(judgement: Judgement) -> bool:
    """Whether every scenario and pool passed or is evidence, and nothing is vacuous."""
    states = {item.verdict for item in judgement.scenarios} | {group.verdict for group in judgement.groups}
    return bool(states) and states <= {"pass", "evidence"} and not any(item.severity == "error" for item in judgement.findings)
