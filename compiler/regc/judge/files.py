"""A judgement as files: JSON for programs, CSV for tables, JUnit XML for continuous integration."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from lxml import etree

from regc.judge.verdict import Judgement, RunVerdict

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
        found = [run.criterion(label) for label in labels]
        cells = [getattr(check, name) if check is not None else "" for check in found for name in ("measured", *_CRITERION_COLUMNS)]
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
