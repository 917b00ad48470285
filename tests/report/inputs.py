"""Report inputs for tests: an invented document that fits the factories' places, with hostile text, and real builds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from regc.job import Compiled

from regc import registry
from regc.model.document import Cell, Clause, Document, Table
from regc.model.references import Reference, RefGraph
from regc.model.report import RecordField, ReportInput
from regc.model.scenario import Scenario
from regc.profiles import load_profile, profile_folder
from regc.report import record
from tests.factories import EDITION, REGULATION, checked, scenario

#: Text as an attacker would put it into a regulation.
HOSTILE = '</script><script>document.title="owned"</script><img src=x onerror=alert(1)> {{ 7 * 7 }} & "quoted"'
FORMULA = '=HYPERLINK("https://example.invalid","click")'


def document(*, title: str = "Limits") -> Document:
    """Three paragraphs and one table; places of `tests.factories.scenario` point into them."""
    rows = tuple((Cell(text=speed), Cell(text=limit)) for speed, limit in (("38", "0.00"), ("40", "0.00"), ("42", "10.00")))
    return Document(
        id=REGULATION,
        title="Invented regulation for tests",
        edition=EDITION,
        wording="embedded",
        sha256="0" * 64,
        reader="markdown",
        source_name="invented.md",
        clauses=(
            Clause(region="body", number="5.2.1.4", title=title, text=f"The limits stand in a table. {HOSTILE}", tables=("5.2.1.4#1",)),
            Clause(
                region="body",
                number="6.4",
                title="Test",
                text="A first sentence. For it, is 2 s and is 4 s hold. See paragraph 5.2.1.4.",
            ),
            Clause(region="Annex 1", number=None, title=FORMULA, text="Nothing."),
        ),
        tables=(Table(id="5.2.1.4#1", clause="5.2.1.4", caption="M1", columns=(("Speed",), ("Car", "maximum mass")), rows=rows),),
    )


def hostile(*scenarios: Scenario, **changes: Any) -> ReportInput:
    """A report on the invented document."""
    found = document()
    graph = RefGraph(
        document=REGULATION,
        nodes=("5.2.1.4", "5.2.1.4#1", "6.4", "Annex 1"),
        references=(Reference(source="6.4", target="5.2.1.4", kind="paragraph", quote="paragraph 5.2.1.4."),),
    )
    made = ReportInput(
        document=found,
        graph=graph,
        checked=checked(*(scenarios or (scenario(),))),
        profile=load_profile("un152"),
        record=(RecordField(key="fuel", label="Fuel level", clause="6.4", anchor="first"),),
    )
    return made.model_copy(update=changes)


def real(compiled: Compiled, **changes: Any) -> ReportInput:
    """A report on a compiled edition, as the command makes it."""
    text = registry.load("targets", "text")
    made = ReportInput(
        document=compiled.document,
        graph=compiled.graph,
        checked=compiled.checked,
        profile=load_profile("un152"),
        texts={item.scenario: item.content.decode() for item in text.emit(compiled.checked, text.Options()) if item.scenario},
        record=record.fields(profile_folder("un152")),
    )
    return made.model_copy(update=changes)


def judgement(ids: Sequence[str], verdict: str = "fail") -> dict[str, Any]:
    """The JSON of a judge for some scenarios, one run each."""
    return {
        "scenarios": [
            {"scenario": id, "verdict": verdict, "reason": "hit at 12 km/h", "clause": "un152 5.2.1.4", "vehicle_type": "A"}
            for id in ids
        ],
        "runs": [
            {
                "scenario": id,
                "run": "1",
                "verdict": verdict,
                "reason": "hit at 12 km/h",
                "clause": "un152 5.2.1.4",
                "engine": "kinematic",
                "simulated": True,
                "checks": [
                    {
                        "part": "impact",
                        "name": "impact speed",
                        "result": "not_met",
                        "measured": "12 km/h",
                        "required": "<= 0.00 km/h",
                        "clause": "un152 5.2.1.4",
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
