"""Report inputs of real suites, as the command makes them, and the JSON of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regc.link import link
from regc.model.report_input import ReportInput
from regc.pipeline.profiles import profile_folder
from regc.pipeline.request import Compiled, Staging
from regc.pipeline.staging import stage_suite
from regc.plugins import TARGETS
from regc.report import record


def real(compiled: Compiled, *, tests: Sequence[str] = (), **changes: Any) -> ReportInput:
    """A report on a compiled edition, or on some of its tests, with drawings."""
    chosen = tuple(item.id for item in compiled.suite.scenarios if item.test in tests) if tests else None
    suite = compiled.suite.model_copy(update={"chosen": chosen})
    text = TARGETS.load("text")
    staged = stage_suite(suite, Staging(step=0.05))
    folder = profile_folder(suite.regulation)
    made = ReportInput(
        document=compiled.document,
        graph=link(compiled.document)[0],
        suite=suite,
        staged=staged,
        reference=stage_suite(suite, Staging(step=0.05, ego="reference")),
        texts={item.scenario: item.content.decode() for item in text.emit(suite, staged, text.Options()) if item.scenario},
        record=record.sheet(folder, suite, compiled.document),
        official_texts=record.official_texts(folder),
    )
    return made.model_copy(update=changes)


def judgement(ids: Sequence[str], verdict: str = "fail") -> dict[str, Any]:
    """The JSON of a judge for some scenarios, one run each."""
    return {
        "scenarios": [
            {"scenario": id, "verdict": verdict, "reason": "hit at 12 km/h", "clause": "5.2", "vehicle_type": "A"} for id in ids
        ],
        "runs": [
            {
                "scenario": id,
                "run": "1",
                "verdict": verdict,
                "reason": "hit at 12 km/h",
                "clause": "5.2",
                "engine": "kinematic",
                "simulated": True,
                "checks": [
                    {
                        "part": "impact",
                        "name": "impact speed",
                        "result": "not_met",
                        "measured": "12 km/h",
                        "required": "<= 0.00 km/h",
                        "clause": "5.2",
                    }
                ],
            }
            for id in ids
        ],
        "groups": [
            {
                "vehicle_type": "A",
                "group": "car to car",
                "verdict": verdict,
                "scenarios": len(ids),
                "share": "1 of 2",
                "limit": "<= 10.0 per cent",
                "reason": "too many failed",
            }
        ],
        "not_driven": [],
    }
