"""One CSV of test texts, `Unique_ID,Test_title,test_scenario` and, in the full form, `notes`; or a short form that an edition's own
templates give."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from regc import wording
from regc.model.result import Artifact
from regc.model.scenario import Scenario
from regc.model.stage import Staged
from regc.model.suite import Suite
from regc.model.units import plain
from regc.targets.text import case, only_lines
from regc.templating import has, render

COLUMNS = ("Unique_ID", "Test_title", "test_scenario", "notes")
PATH = "csv/test_cases.csv"


class Options(BaseModel):
    """What a user can choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    csv_form: Literal["auto", "full", "literature"] = Field(
        "auto", description="full, the literature's short form, or what the edition is known for"
    )
    templates: Path | None = Field(None, description="folder of your own templates, laid out like the built-in ones")


def emit(suite: Suite, staged: Staged, options: Options) -> tuple[Artifact, ...]:
    """csv/test_cases.csv with one row a scenario."""
    form = suite.csv_form if options.csv_form == "auto" else options.csv_form
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS if form == "full" else COLUMNS[:3])
    for scenario in suite.selected:
        row = _short(suite, scenario, options.templates) if form == "literature" else None
        writer.writerow(safe(cell) for cell in row or _full(suite, scenario, options.templates, with_notes=form == "full"))
    return (Artifact(path=PATH, content=stream.getvalue().encode(), target="csv"),)


def _full(suite: Suite, scenario: Scenario, templates: Path | None, *, with_notes: bool) -> tuple[str, ...]:
    """The text of a template for the test or its manoeuvre; else sentences made from bindings and criteria."""
    names = (f"csv/full/{scenario.test}.txt.j2", f"csv/full/{scenario.manoeuvre}.txt.j2", "csv/full/any.txt.j2")
    template = next(name for name in names if has(suite.regulation, name, templates))
    text = " ".join(render(suite.regulation, template, templates, **case(suite, scenario, None)).split())
    row = (scenario.id, wording.title(scenario), text)
    return (*row, notes(suite, scenario)) if with_notes else row


def notes(suite: Suite, scenario: Scenario) -> str:
    """What a reader must know of the row: embedded wording, assumed or borrowed numbers, open conditions."""
    lines = [suite.caution] if suite.caution else []
    lines += ["embedded wording"] if suite.wording == "embedded" else []
    lines += wording.assumed_notes(scenario)
    lines += wording.conditional_notes(scenario)
    lines += [f"{line.text[:1].lower()}{line.text[1:]} ({'; '.join(line.places)})" for line in only_lines(scenario)]
    lines += [f"declared by the manufacturer: {line}" for line in wording.declared(suite, scenario)]
    return "; ".join(lines)


def _short(suite: Suite, scenario: Scenario, templates: Path | None) -> tuple[str, ...] | None:
    """The short form is known for some tests and categories of an edition only; None for others."""
    template = f"csv/literature/{scenario.test}.txt.j2"
    if not has(suite.regulation, template, templates) or not _is_chosen(suite, scenario):
        return None
    prescribed = next(other for other in suite.scenarios if other.test == scenario.test)
    text = " ".join(render(suite.regulation, template, templates, **case(suite, scenario, None), prescribed=prescribed.bind).split())
    return _short_id(scenario), wording.title(scenario), text


def _is_chosen(suite: Suite, scenario: Scenario) -> bool:
    values = {value.value for value in scenario.axes.values()}
    return not suite.csv_categories or bool(values & set(suite.csv_categories))


def _short_id(scenario: Scenario) -> str:
    """`Test_CtoMoC_laden_35`: the test's token, the last axis's token, and the value by which the limit is looked up."""
    key = next((c.limit.key for c in scenario.require if c.limit is not None and c.limit.key), "subject")
    value = scenario.number(key)
    number = plain(value.number) if value is not None and value.is_number else ""
    return "_".join(part for part in ("Test", scenario.token, scenario.id.split("_")[-2], number) if part)


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
