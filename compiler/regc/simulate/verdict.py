"""What the judge says: one check, one run, one scenario, one category."""

from __future__ import annotations

from typing import Literal

from regc.model.result import Finding
from regc.model.source import Frozen

#: How measured speeds are read, in words for a reader of verdicts.
SPEED_NOTE = "driven speeds are read to 0.1 km/h (0.05 upwards), times to collision to 1 ms; all else is compared as measured"

Verdict = Literal["pass", "fail", "invalid", "incomplete", "evidence"]
CheckResult = Literal["met", "not_met", "missing", "not_applicable"]
Part = Literal["log", "validity", "warning", "demand", "impact", "outcome", "false_reaction"]


class Check(Frozen):
    """One question put to a run. `measured` and `required` are numbers as text with their unit; `clause` the place that asks.
    `proxy` names what stood in for a channel that the log does not have."""

    part: Part
    name: str
    result: CheckResult
    measured: str = ""
    required: str = ""
    clause: str = ""
    note: str = ""
    proxy: str = ""


class RunVerdict(Frozen):
    """One run. `counts`: whether it enters the aggregate; `reason` says why not, or what decided. Speeds in km/h.

    `limit_rows`: (row, limit) of the nominal row and of the row of the measured speed. `baseline`: a run without a system.
    `simulated`: a model was driven and not a vehicle.
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
    warning_lead: float | None = None
    max_demand: float | None = None
    fingerprint: str = ""
    counts: bool = True


class ScenarioVerdict(Frozen):
    """All runs of one scenario by one vehicle type: two passes are wanted, one repeat only if exactly one of two failed."""

    scenario: str
    vehicle_type: str
    group: str
    mandatory: bool
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
    counts: tuple[RunCount, ...] = ()
    not_driven: tuple[str, ...] = ()


class Judgement(Frozen):
    """Everything that a folder of logs shows. `not_driven`: scenarios without a log, but for those that were not chosen to be driven
    (`not_chosen`). `proposed`: further speeds that may be tested after a failed run. `speed_resolution`: how measured speeds are read
    before they are compared."""

    regulation: str
    edition: str
    runs: tuple[RunVerdict, ...]
    scenarios: tuple[ScenarioVerdict, ...]
    groups: tuple[GroupVerdict, ...]
    not_driven: tuple[str, ...] = ()
    not_chosen: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()
    speed_resolution: str = SPEED_NOTE
    findings: tuple[Finding, ...] = ()
