"""What the judge says: one check, one run, one scenario, one pool of runs. verdict.json is a Judgement."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Final, Literal

from lxml import etree

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


# ---- a judgement as files: JSON for programs, CSV for tables, JUnit XML for continuous integration.


_RUN_COLUMNS = (
    "scenario", "vehicle_type", "run", "engine", "verdict", "counts", "reason", "clause", "lookup_speed", "impact_speed",
    "contact_time", "log",
)  # fmt: skip
#: What stands beside the measured value of a criterion.
_CRITERION_COLUMNS = ("bracket", "required", "clause", "result")


def json_text(judgement: Judgement) -> str:
    """Everything, keys sorted."""
    return json.dumps(judgement.model_dump(mode="json"), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def csv_text(judgement: Judgement) -> str:
    """One line a run; speeds in km/h, times in s. Behind them for each criterion that a scenario has, by its label: what was
    measured, between what the samples allow, what is required, where that stands, and whether it is met."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    labels = sorted({check.label for run in judgement.runs for check in run.checks if check.part == "criterion"})
    asked = [name for label in labels for name in (label, *(f"{label}_{part}" for part in _CRITERION_COLUMNS))]
    writer.writerow((*_RUN_COLUMNS, "nominal_row", "nominal_limit", "measured_row", "measured_limit", *asked))
    for run in judgement.runs:
        rows = (*run.limit_rows, ("", ""), ("", ""))[:2]
        values = [getattr(run, name) for name in _RUN_COLUMNS]
        of_run = [run.criterion(label) for label in labels]
        cells = [getattr(check, name) if check is not None else "" for check in of_run for name in ("measured", *_CRITERION_COLUMNS)]
        writer.writerow([*("" if value is None else value for value in values), *rows[0], *rows[1], *cells])
    return stream.getvalue()


def junit_text(judgement: Judgement) -> str:
    """A suite for the runs of each pool, one for the scenarios and one for the shares of failed runs. Failed is a failure; invalid and
    incomplete are errors, so that a pipeline never takes them for a pass; evidence is skipped."""
    root = etree.Element("testsuites", name=f"{judgement.regulation} {judgement.edition}".strip())
    groups = {item.scenario: item.group for item in judgement.scenarios}
    for group in sorted(set(groups.values())):
        runs = [run for run in judgement.runs if groups.get(run.scenario) == group and not run.baseline]
        cases = [(f"{run.scenario} run {run.run}", run.verdict, run.reason, run.clause, _lines(run)) for run in runs]
        _suite(root, f"runs: {group}", cases)
    tests = [
        (f"{item.scenario} {item.vehicle_type}".strip(), item.verdict, item.reason, item.clause, "") for item in judgement.scenarios
    ]
    _suite(root, "scenarios", tests)
    pools = [
        (f"{item.group} {item.vehicle_type}".strip(), item.verdict, item.reason, item.clause, f"{item.share}; {item.limit}")
        for item in judgement.groups
    ]
    _suite(root, "pools", pools)
    text: str = etree.tostring(root, encoding="unicode", pretty_print=True)
    return text


def _lines(run: RunVerdict) -> str:
    lines = []
    for check in run.checks:
        parts = [
            check.part,
            check.name,
            check.result,
            f"measured {check.measured}" if check.measured else "",
            check.bracket,
            f"required {check.required}" if check.required else "",
            check.clause,
            check.note,
            check.proxy,
        ]
        lines.append(" | ".join(part for part in parts if part))
    return "\n".join(lines)


def _suite(root: etree._Element, name: str, cases: Sequence[tuple[str, str, str, str, str]]) -> None:
    verdicts = [case[1] for case in cases]
    suite = etree.SubElement(
        root,
        "testsuite",
        name=name,
        tests=str(len(cases)),
        failures=str(verdicts.count("fail")),
        errors=str(sum(verdict in ("invalid", "incomplete") for verdict in verdicts)),
        skipped=str(verdicts.count("evidence")),
    )
    for title, verdict, reason, clause, text in cases:
        case = etree.SubElement(suite, "testcase", name=title, classname=name)
        tag = {"fail": "failure", "invalid": "error", "incomplete": "error", "evidence": "skipped"}.get(verdict)
        if tag:
            etree.SubElement(case, tag, message=f"{verdict}: {reason} [{clause}]").text = text or None
        elif text:
            etree.SubElement(case, "system-out").text = text
