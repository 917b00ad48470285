"""One CSV of test texts, `Unique_ID,Test_title,test_scenario`: the full form, or the short form of the literature's data set."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from regc.model.result import Artifact, Checked
from regc.model.scenario import Scenario
from regc.model.units import plain
from regc.templating import has, render

COLUMNS = ("Unique_ID", "Test_title", "test_scenario")
PATH = "csv/test_cases.csv"


class Options(BaseModel):
    """What a user can choose."""

    csv_form: Literal["auto", "full", "literature"] = Field(
        "auto", description="full, the literature's short form, or what the edition is known for"
    )
    templates: Path | None = Field(None, description="folder of your own templates, laid out like the built-in ones")


def emit(checked: Checked, options: Options) -> tuple[Artifact, ...]:
    """csv/test_cases.csv with one row a scenario."""
    form = checked.csv_form if options.csv_form == "auto" else options.csv_form
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for scenario in checked.scenarios:
        writer.writerow(safe(cell) for cell in _row(checked, scenario, form, options.templates))
    return (Artifact(path=PATH, content=stream.getvalue().encode(), target="csv"),)


def _row(checked: Checked, scenario: Scenario, form: str, templates: Path | None) -> tuple[str, str, str]:
    """The short form is known for some categories of an edition only; all others take the full one."""
    known = scenario.category in checked.csv_categories and scenario.load_state and scenario.relative_speed
    if form == "literature" and known:
        template = f"csv/literature/{scenario.family}.txt.j2"
        identifier = _short_id(scenario)
    else:
        own = f"csv/full/{scenario.family}.txt.j2"
        template = own if has(checked.regulation, own, templates) else f"csv/full/{scenario.approach_type}.txt.j2"
        identifier = scenario.id
    text = " ".join(render(checked.regulation, template, templates, s=scenario).split())
    parts = [scenario.title, scenario.category, scenario.group, scenario.load_state.term.lower() if scenario.load_state else None]
    speeds = [f"{plain(scenario.subject.test_speed.value)} {scenario.subject.test_speed.unit}"]
    if scenario.target.speed.value and scenario.approach_type == "in_lane":
        speeds.append(f"target {plain(scenario.target.speed.value)} {scenario.target.speed.unit}")
    return identifier, ", ".join([part for part in parts if part] + speeds), text


def _short_id(scenario: Scenario) -> str:
    """`Test_CtoMoC_laden_35`: family, load, and the speed by which the limit is looked up."""
    assert scenario.load_state
    assert scenario.relative_speed
    return f"Test_{scenario.id.split('_')[2]}_{scenario.load_state.token}_{plain(scenario.relative_speed.value)}"


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
