"""A word of an open condition changed or taken out in each kind of file of a build: it is named, with what the test has."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from regc.pipeline.build import build
from regc.pipeline.request import Built, Request
from regc.verify import verify
from regc.verify.open_conditions import Open, opened, said
from tests.conftest import Outcome, all_targets

TEXT = """# Rules of the Southern Harbour on tow tractors

# 1. Scope

These rules hold for tow tractors.

# 2. What is asked

2.1. The tractor shall not hit the trailer. On a quay with rails, it shall brake. It shall warn before it brakes, unless the trailer
cannot be seen.

# 3. How it is tried

3.1. The tractor shall roll towards a stationary trailer at 40 km/h or its highest speed, whichever is lower, and at
25 km/h where it is as fast as that.
"""
PROFILE = """id = "southern"
edition = "1st"
stem = "S1"
title = "Southern Harbour Rules"
text = "rules.md"
covers = ["tractor [1: tow tractors]"]
scope = ["2", "3"]

[declare]
v_top = "speed [3.1: its highest speed]"
rails = "yes_no [2.1: quay with rails]"

[words]
rails = "quay with rails"
v_top = "top speed"
warning = "cannot be seen"

[[test]]
name = "trailer"
at = "3.1"
req = "2.1"
manoeuvre = "in_lane"
bind.subject = ["min([at: trailer at], v_top)", "[at: and at]"]
bind.target = "[at: _ trailer]"
when = "subject <= v_top"
actors.target = "object [at: trailer]"
require.contact = { is = "no contact", said = "[req: not hit]" }
require.braking = { is = "braking", if = "rails", said = "[req: shall brake]" }
require.warning = { is = "warning before braking", else = "no contact", said = "[req: cannot be seen]" }
"""
TEST, SLOW = "S1_p3.1_trailer_040", "S1_p3.1_trailer_025"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, cli_of_module: Callable[..., Outcome]) -> Built:
    """Two tests of an invented regulation, with every target and a report."""
    folder = tmp_path_factory.mktemp("southern")
    (folder / "rules.md").write_text(TEXT, "utf-8")
    (folder / "profile.toml").write_text(PROFILE, "utf-8")
    made = build(Request(str(folder), targets=all_targets()), folder / "out")
    assert cli_of_module("report", str(folder), "--out", folder / "out").code == 0
    return made


def differences(built: Built, name: str) -> list[str]:
    return [
        f"{item.code} {item.path}: {item.said}; {item.held}"
        for item in verify(built.folder, built.compiled.document).differences
        if item.file == name
    ]


def test_the_folder_is_clean(built: Built) -> None:
    assert verify(built.folder, built.compiled.document).differences == ()


#: The folder of a kind of file, what stands in it, what is put there, and what is named.
CHANGED = (
    (f"text/{TEST}.md", "subject vehicle: 40 km/h (where the declared top speed is", "top -> low", "low speed is at least 40"),
    (f"text/{TEST}.md", "subject | 40 km/h (where the declared top speed is at least", "at least -> less than", "is less than 40 km/h"),
    (f"text/{TEST}.md", "tried, 40 km/h (where the declared top speed is at least 40", "least 40 -> least 30", "speed is at least 30"),
    (f"text/{TEST}.md", "(where quay with rails)", "with rails -> without rails", "where quay without rails"),
    (f"text/{TEST}.md", "happens (where quay with rails)", " (where quay with rails) -> ", "rails of scenarios.json is missing"),
    (f"text/{TEST}.md", "where cannot be seen", "cannot -> can", "where can be seen"),
    (f"text/{SLOW}.md", "Only where 25 km/h is not more than the declared top speed", "25 -> 26", "where 26 km/h is not more than"),
    (f"text/{SLOW}.md", "> Only where 25 km/h is not more than the declared top speed.", "Only -> .", "top speed of scenarios.json"),
    ("csv/test_cases.csv", "40 km/h only where the declared top speed is at least", "at least -> at most", "top speed is at most 40"),
    ("csv/test_cases.csv", "asked only where 25 km/h is not more than the", "only where -> if", "of scenarios.json"),
    (f"openscenario/concrete/{TEST}.json", '"v_top >= 40 km/h"', ">= -> <", "v_top is less than 40 km/h"),
    (f"openscenario/concrete/{SLOW}.json", '"25 km/h <= v_top"', "v_top -> v_low", "25 km/h is not more than v_low"),
    (f"openscenario/concrete/{TEST}.xosc", "only where the declared top speed is at least", "at least -> at most", "is at most 40"),
    (f"openscenario/concrete/{SLOW}.xosc", "asked only where 25 km/h is not more than the", "only where -> if", "of scenarios.json"),
    (f"neutral/{TEST}.json", "where cannot be seen", "cannot -> must", "where must be seen"),
    (f"carla/configs/{TEST}.json", "(where the declared top speed is at least 40 km/h)", "40 -> 41", "top speed is at least 41"),
    (f"carla/configs/{TEST}.json", "(where quay with rails)", "rails -> nails", "where quay with nails"),
    (f"carla/scenario_runner/{TEST}.xosc", "only where the declared top speed is at least", "top -> low", "low speed is at least"),
    (f"carmaker/Data/TestRun/regc/{TEST}", "only where the declared top speed is at least", "top -> low", "low speed is at least"),
    (f"carmaker/Data/TestRun/regc/{SLOW}", "asked only where 25 km/h is not more than the", "only where -> if", "of scenarios.json"),
    ("report/traceability_by_scenario.csv", "(where quay with rails)", "rails -> nails", "where quay with nails"),
    ("report/traceability_by_paragraph.csv", "(where quay with rails)", "rails -> nails", "where quay with nails"),
    ("report/traceability.reqif", "(where quay with rails)", "rails -> nails", "where quay with nails"),
    ("report/traceability.reqif", "top speed is at least 40", "least 40 -> least 50", "top speed is at least 50"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "old", "change", "named"), CHANGED, ids=[f"{row[0].rpartition('/')[2]} {row[3]}" for row in CHANGED])
def test_a_changed_condition_is_named(name: str, old: str, change: str, named: str, built: Built) -> None:
    file = built.folder / name
    before = file.read_text("utf-8")
    assert old in before
    word, _, other = change.partition(" -> ")
    file.write_text(before.replace(old, old.replace(word, other), 1), "utf-8", newline="")
    try:
        found = differences(built, name)
    finally:
        file.write_text(before, "utf-8", newline="")
    assert any(item.startswith("V563") and named in item for item in found), found


def test_another_name_for_what_is_declared_is_named(built: Built) -> None:
    file = built.folder / "scenarios.json"
    before = file.read_text("utf-8")
    data = json.loads(before)
    data["quantities"]["v_top"] = "low speed"
    file.write_text(json.dumps(data), "utf-8")
    try:
        found = differences(built, "scenarios.json")
    finally:
        file.write_text(before, "utf-8", newline="")
    assert any(".called.v_top: top speed; low speed" in item for item in found), found


def test_a_calculation_with_a_declared_quantity_is_read_in_words() -> None:
    names = (("v_design", "maximum design speed of the vehicle"),)
    text = "Only where the declared maximum design speed of the vehicle minus 20 km/h is at least 78 km/h."
    assert said(text, [Open("v_design - 20 km/h >= 78 km/h", names)])[0] == []
    assert said(text, [Open("v_design - 20 km/h > 78 km/h", names)])[0] != []
    assert said("Only where v_design - 20 km/h is at least 78 km/h", [Open("v_design - 20 km/h >= 78 km/h", names)])[0] != []


def test_a_changed_condition_of_a_workbook_is_named(built: Built) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    file = built.folder / "report" / "traceability.xlsx"
    before = file.read_bytes()
    book = openpyxl.load_workbook(file)
    cells = [cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)]
    next(
        cell for cell in cells if cell.value == "25 km/h is not more than the declared top speed"
    ).value = "25 km/h is not more than the declared low speed"
    asked = next(cell for cell in cells if "(where quay with rails)" in cell.value)
    asked.value = asked.value.replace("with rails", "without rails")
    book.save(file)
    try:
        found = differences(built, "report/traceability.xlsx")
    finally:
        file.write_bytes(before)
    assert any("than the declared low speed; 25 km/h is not more than the declared top speed" in item for item in found), found
    assert any("where quay without rails" in item for item in found), found


@pytest.mark.parametrize(
    ("text", "strange"),
    [
        ("20 km/h (where v is at least 78 km/h)", []),
        ("20 km/h (±2 km/h, where v is at least 78.0 km/h, where the road is wet)", []),
        ("no braking (where the road is wet and v is at least 78 km/h)", []),
        ("warning; where the road is wet: no warning", []),
        ("v is 3 only where v is at least 78 km/h and where the road is wet", []),
        ("Repeats where a run fails: 1", []),
        ("20 km/h (where v is at least 79 km/h)", ["v is at least 79 km/h"]),
        ("20 km/h (where w is at least 78 km/h)", ["w is at least 78 km/h"]),
        ("20 km/h (where v is more than 78 km/h)", ["v is more than 78 km/h"]),
        ("no braking (where the road is wet and v is at least 7 km/h)", ["v is at least 7 km/h"]),
        ("warning; where the road is dry: no warning", ["the road is dry"]),
    ],
)
def test_what_a_text_says_behind_where(text: str, strange: list[str]) -> None:
    own = (Open("v >= 78 km/h"), Open("the road is wet"))
    assert said(text, own)[0] == strange


def test_a_condition_is_the_same_in_parts_and_in_words() -> None:
    left, right = {"lo": None, "hi": None, "symbol": "v_design - 20 km/h"}, {"lo": "78.0", "hi": "78.0", "unit": "km/h"}
    assert opened({"left": left, "sign": ">=", "right": right}) == opened("v_design - 20 km/h >= 78 km/h")
    assert opened({"name": "urban", "reason": "in towns"}) == opened("in towns")
