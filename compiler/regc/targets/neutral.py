"""Neutral files for benches that have no target of their own: a JSON file a stage with all that it holds, a CSV file a stage with its
numbers and where each comes from, and one table of all stages."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from regc import wording
from regc.files import json_bytes
from regc.model.origins import Described, described
from regc.model.result import Artifact, Finding
from regc.model.scenario import Scenario
from regc.model.source import Frozen
from regc.model.stage import Change, Entry, Moment, Mover, Parameter, Pose, Road, Stage, Staged, System
from regc.model.suite import Suite
from regc.model.units import plain
from regc.targets.csv import safe

NAME = "neutral"
_LINES = ("name", "value", "unit", "basis", "formula", "assumption", "replace_with", "sources")
_STAGES = (
    "id", "scenario", "variant", "title", "test", "axes", "status", "clause", "manoeuvre", "traffic", "system", "open", "criteria",
    "not_driven",
)  # fmt: skip


class Options(BaseModel):
    """Nothing to choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NeutralLayout(Frozen):
    """What is driven, as in the stage: SI units, x along the road in the driving direction, y to the left, headings counter-clockwise,
    the subject vehicle's lane centre on y = 0. Origins: the rear axle of what has wheels, the middle of people and things, on the
    ground."""

    road: Road
    traffic: Literal["rht", "lht"]
    subject: Mover
    others: tuple[Mover, ...]
    things: tuple[Mover, ...]
    driver: tuple[Change, ...]
    system: System
    impact: Pose | None
    functional_part: Moment
    events: dict[str, Moment]
    end: tuple[Moment, ...]
    environment: dict[str, float]
    date_time: str
    headlamps: str
    step: float
    free: tuple[Parameter, ...]


class Neutral(Described):
    """One file. `values`: the test's numbers by dotted name in the regulation's unit; `sheet`: every number of the layout with its
    formula over values and assumptions; without a `layout` the test cannot be driven, and `not_driven` says why."""

    id: str
    scenario: str
    criteria: tuple[str, ...]
    layout: NeutralLayout | None = None
    not_driven: str = ""


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Neutral.model_json_schema()}


#: JSON Schemas of files that other programs read
SCHEMAS = {"neutral": json_schema}


def emit(suite: Suite, staged: Staged, options: Options) -> tuple[Artifact, ...]:
    """All files under neutral/."""
    tests = {test.id: test for test in suite.selected}
    logical = [stage for stage in staged.logical if stage.stem not in {other.stem for other in staged.stages}]
    made: list[Artifact] = []
    rows: list[list[str]] = []
    for stage in (*staged.stages, *logical):
        test = tests[stage.scenario]
        made.append(_artifact(f"{stage.stem}.json", json_bytes(_neutral(test, stage).packed()), test.id))
        made.append(_artifact(f"{stage.stem}.csv", _table(_LINES, _lines(stage)), test.id))
        rows.append(_row(test, stage, ""))
    for id, reason in staged.left_out.items():
        if id in tests:
            finding = Finding(
                code="O610", severity="info", scenario=id, message=f"{id}: {reason}", hint="its test case stands in the text target"
            )
            made.append(_artifact(f"{id}.json", json_bytes(_neutral(tests[id], None, reason).packed()), id, (finding,)))
            rows.append(_row(tests[id], None, reason))
    if rows:
        made.append(_artifact("stages.csv", _table(_STAGES, rows)))
    return tuple(sorted(made, key=lambda item: item.path))


def _artifact(name: str, content: bytes, scenario: str | None = None, lost: tuple[Finding, ...] = ()) -> Artifact:
    return Artifact(path=f"{NAME}/{name}", content=content, target=NAME, scenario=scenario, losses=lost)


def _neutral(test: Scenario, stage: Stage | None, reason: str = "") -> Neutral:
    return Neutral(
        **dict(described(test, stage)),
        id=stage.stem if stage else test.id,
        scenario=test.id,
        criteria=tuple(wording.criteria(test)),
        layout=NeutralLayout(**{name: getattr(stage, name) for name in NeutralLayout.model_fields}) if stage else None,
        not_driven=reason,
    )


def _lines(stage: Stage) -> Iterable[list[str]]:
    """Every line of the sheet; a line of the test names the places of the document."""
    for name, entry in stage.sheet.items():
        yield [
            name,
            plain(Decimal(repr(entry.value)), 9),
            entry.unit,
            entry.basis,
            entry.formula,
            entry.assumption or "",
            entry.key,
            _places(entry),
        ]


def _places(entry: Entry) -> str:
    return "; ".join(dict.fromkeys(source.label() for source in entry.sources))


def _row(test: Scenario, stage: Stage | None, reason: str) -> list[str]:
    return [
        stage.stem if stage else test.id,
        test.id,
        stage.variant if stage else "",
        test.title,
        test.test,
        "; ".join(f"{name}={value.value}" for name, value in test.axes.items()),
        test.status,
        f"{test.regulation} {test.clause}",
        test.manoeuvre,
        stage.traffic if stage else "",
        stage.system.kind if stage else "",
        "; ".join(item.name for item in stage.free) if stage else "",
        "; ".join(wording.criteria(test)),
        reason,
    ]


def _table(head: tuple[str, ...], rows: Iterable[list[str]]) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([cell if _is_number(cell) else safe(cell) for cell in row] for row in rows)
    return stream.getvalue().encode()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
