"""No number of a regulation stands in the code: one changed in a copy of the document changes the artefacts there and only there."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from regc.build import build, compile_regulation
from regc.job import Built, Compiled, Request
from regc.model.scenario import Scenario
from regc.resources import package_data
from tests.conftest import all_targets
from tests.test_build import numbers

TEXT = package_data("regulations", "un152", "02.md").read_text("utf-8")
Change = dict[tuple[str, str], tuple[Any, ...]]


def is_in(family: str, category: str = "", load: str = "") -> Callable[[Scenario], bool]:
    """Scenarios of a family, category and load token."""

    def chosen(scenario: Scenario) -> bool:
        return (
            scenario.family == family
            and (not category or scenario.category == category)
            and (not load or (scenario.load_state is not None and scenario.load_state.token == load))
        )

    return chosen


@dataclass(frozen=True)
class Mutation:
    """`old` becomes `new` behind `anchor`. `touches`: scenarios whose `field` becomes `value`."""

    name: str
    anchor: str
    old: str
    new: str
    touches: Callable[[Scenario], bool]
    field: str
    value: str

    def text(self) -> str:
        start = TEXT.index(self.anchor)
        place = TEXT.index(self.old, start)
        return TEXT[:place] + self.new + TEXT[place + len(self.old) :]


MUTATIONS = (
    Mutation(
        "limit cell",
        "**M1 vehicles: maximum relative impact speed",
        "<td>42</td><td>10.00</td>",
        "<td>42</td><td>12.50</td>",
        lambda s: s.id.startswith(("UNR152-02_p6.4_CtoStC_M1_MaxMass_042", "UNR152-02_p6.5_CtoMoC_M1_MaxMass_060-018")),
        "criteria.max_impact_speed",
        "12.50",
    ),
    Mutation(
        "time to collision", "## 6.4.", "at least 4 seconds", "at least 5 seconds", is_in("car_to_stationary_car"),
        "trigger.min_ttc", "5",
    ),
    Mutation(
        "braking demand", "#### 5.2.2.2.", "5.0 m/s", "5.50 m/s", is_in("car_to_pedestrian"), "criteria.min_braking_demand", "5.50",
    ),
    Mutation(
        "spelled time", "6.7.1. Before", "at least two seconds", "at least three seconds", is_in("car_to_bicycle"),
        "approach.min_straight_time", "3",
    ),
    Mutation(
        "crossing speed", "6.6.1. Before", "speed of 5 km/h +0/-0.4", "speed of 6.5 km/h +0/-0.4", is_in("car_to_pedestrian"),
        "target.speed", "6.5",
    ),
    Mutation(
        "quota", "6.10.1.", "20.0 per cent", "15.0 per cent", is_in("car_to_bicycle"), "runs.max_failed_share", "15.0",
    ),
)  # fmt: skip


def compile_text(text: str, folder: Path) -> Compiled:
    path = folder / "copy.md"
    path.write_text(text, encoding="utf-8", newline="\n")
    return compile_regulation(Request("un152", source=path))


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    return compile_text(TEXT, tmp_path_factory.mktemp("untouched"))


def changed(before: Change, after: Change) -> set[tuple[str, str]]:
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_changed_number_reaches_its_scenarios_and_no_other(mutation: Mutation, untouched: Compiled, tmp_path: Path) -> None:
    before = numbers(untouched.checked.scenarios)
    compiled = compile_text(mutation.text(), tmp_path)
    after = numbers(compiled.checked.scenarios)
    touched = {scenario.id for scenario in untouched.checked.scenarios if mutation.touches(scenario)}
    assert touched
    assert changed(before, after) == {(id, mutation.field) for id in touched}
    assert {after[id, mutation.field][0] for id in touched} == {mutation.value}


def test_a_changed_test_speed_makes_another_test(untouched: Compiled, tmp_path: Path) -> None:
    """36 becomes 37 in one cell: the new speed takes the next higher row's limit, the old one is a further speed of the table."""
    anchor = TEXT.index("bicycle target, N1 category")
    place = TEXT.index("<td>36</td><td>40</td>", anchor)
    compiled = compile_text(TEXT[:place] + TEXT[place:].replace("<td>36</td>", "<td>37</td>", 1), tmp_path)
    before, after = numbers(untouched.checked.scenarios), numbers(compiled.checked.scenarios)
    old, new = (f"UNR152-02_p6.7.1_CtoB_N1_MaxMass_{speed}" for speed in ("036", "037"))
    assert {id for id, _ in changed(before, after)} == {old, new}
    by_id = {scenario.id: scenario for scenario in compiled.checked.scenarios}
    assert (by_id[new].status, by_id[old].status) == ("mandatory", "ts_option")
    limit = by_id[new].criteria.max_impact_speed
    assert limit is not None
    assert str(limit.value) == "15.00"
    assert [source.row or source.footnote for source in limit.sources] == ["38", "8"]
    assert after[old, "subject.test_speed"][3] == (Decimal(0), Decimal(2), "A861")
    assert any(finding.code == "V544" for finding in compiled.checked.findings)


def test_a_changed_tolerance_is_that_of_the_speeds_that_take_it(untouched: Compiled, tmp_path: Path) -> None:
    anchor = TEXT.index("moving target, M1 category")
    place = TEXT.index("+0/-2", anchor)
    compiled = compile_text(TEXT[:place] + "+0/-1.5" + TEXT[place + 5 :], tmp_path)
    before, after = numbers(untouched.checked.scenarios), numbers(compiled.checked.scenarios)
    touched = {
        (scenario.id, "subject.test_speed")
        for scenario in untouched.checked.scenarios
        if is_in("car_to_moving_car", "M1")(scenario) and scenario.subject.test_speed.value > 30
    }
    assert changed(before, after) == touched
    assert {after[key][3][:2] for key in touched} == {(Decimal(0), Decimal("1.5"))}


def test_a_changed_target_speed_moves_the_whole_family(untouched: Compiled, tmp_path: Path) -> None:
    anchor = TEXT.index("## 6.5.")
    place = TEXT.index("20 km/h (with", anchor)
    compiled = compile_text(TEXT[:place] + "22" + TEXT[place + 2 :], tmp_path)
    moving = is_in("car_to_moving_car")
    before = tuple(scenario for scenario in untouched.checked.scenarios if not moving(scenario))
    after = tuple(scenario for scenario in compiled.checked.scenarios if not moving(scenario))
    assert numbers(before) == numbers(after)
    own = [scenario for scenario in compiled.checked.scenarios if moving(scenario)]
    assert own
    for scenario in own:
        assert str((scenario.target.prescribed_speed or scenario.target.speed).value) == "22"
        assert scenario.relative_speed is not None
        assert scenario.relative_speed.value == scenario.subject.test_speed.value - scenario.target.speed.value
    mandatory = {scenario.id for scenario in own if scenario.status == "mandatory" and scenario.category == "M1"}
    assert mandatory == {f"UNR152-02_p6.5_CtoMoC_M1_{load}_{speed}-022" for load in ("MaxMass", "MassRun") for speed in ("030", "060")}


# ---------------------------------------------------------------- through to the files


def written(text: str, folder: Path) -> Built:
    path = folder / "copy.md"
    path.write_text(text, encoding="utf-8", newline="\n")
    targets = {name: options for name, options in all_targets().items() if name in ("openscenario", "text", "csv")}
    return build(Request("un152", source=path, targets=targets), folder / "out")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return written(TEXT, tmp_path_factory.mktemp("original"))


def differing(one: Path, other: Path, pattern: str) -> set[str]:
    """Stems of the files of a pattern that are not the same in both folders."""
    names = {path.relative_to(folder).as_posix() for folder in (one, other) for path in folder.glob(pattern)}
    assert names
    return {Path(name).stem for name in names if not _same(one / name, other / name)}


def _same(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and one.read_bytes() == other.read_bytes()


def rows(folder: Path) -> dict[str, str]:
    with (folder / "csv" / "test_cases.csv").open(encoding="utf-8", newline="") as stream:
        return {row["Unique_ID"]: row["test_scenario"] for row in csv.DictReader(stream)}


@pytest.mark.parametrize("mutation", MUTATIONS[:2], ids=lambda mutation: mutation.name)
def test_the_files_follow_at_those_places_only(mutation: Mutation, original: Built, untouched: Compiled, tmp_path: Path) -> None:
    made = written(mutation.text(), tmp_path)
    touched = {scenario.id for scenario in untouched.checked.scenarios if mutation.touches(scenario)}
    for pattern in ("text/*.md", "openscenario/concrete/*.json", "openscenario/concrete/*.xosc"):
        assert differing(original.folder, made.folder, pattern) == touched, pattern
    before, after = rows(original.folder), rows(made.folder)
    assert {id for id in before if before[id] != after[id]} == touched
    scenarios = {item["id"]: item for item in json.loads((made.folder / "scenarios.json").read_text("utf-8"))["scenarios"]}
    part, name = mutation.field.split(".")
    for id in touched:
        assert scenarios[id][part][name]["value"] == mutation.value
        sidecar = json.loads((made.folder / "openscenario" / "concrete" / f"{id}.json").read_text("utf-8"))
        assert sidecar["quantities"][mutation.field]["value"] == mutation.value
        assert mutation.value in after[id]


def test_a_changed_time_to_collision_changes_the_trigger_and_the_start(original: Built, tmp_path: Path) -> None:
    made = written(MUTATIONS[1].text(), tmp_path)
    name = "openscenario/concrete/UNR152-02_p6.4_CtoStC_M1_MaxMass_040.xosc"
    before, after = (ElementTree.parse(folder / name) for folder in (original.folder, made.folder))
    ttc = [float(tree.find(".//TimeToCollisionCondition").attrib["value"]) for tree in (before, after)]  # type: ignore[union-attr]
    assert ttc[1] - ttc[0] == pytest.approx(1.0, abs=1e-6)
    start = [
        float(tree.find(".//Private[@entityRef='Target']//WorldPosition").attrib["x"])  # type: ignore[union-attr]
        for tree in (before, after)
    ]
    assert start[1] - start[0] == pytest.approx(40 / 3.6, abs=1e-5)  # one second more at 40 km/h
