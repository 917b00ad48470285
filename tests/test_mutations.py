"""No number of a regulation stands in the code: one changed in a copy of the document changes the tests there and only there."""

from __future__ import annotations

import csv
import html
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from regc.model.document import Document
from regc.model.scenario import Scenario
from regc.model.value import Value
from regc.pipeline import build
from regc.request import Built, Compiled, Request
from tests.conftest import INVENTED, all_targets
from tests.edits import RULES, TEXT, compile_text, edited, numbers

Change = dict[tuple[str, str], tuple[Any, ...]]


def is_in(test: str, category: str = "", load: str = "") -> Callable[[Scenario], bool]:
    """Scenarios of a test, category and load state."""

    def chosen(scenario: Scenario) -> bool:
        return (
            scenario.test == test
            and (not category or scenario.axes["category"].value == category)
            and (not load or scenario.axes["load"].value == load)
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
        return edited(TEXT, self.anchor, self.old, self.new)


MUTATIONS = (
    Mutation(
        "limit cell",
        "**M1 vehicles: maximum relative impact speed",
        "<td>42</td><td>10.00</td>",
        "<td>42</td><td>12.50</td>",
        lambda s: s.id.startswith(("UNR152-02_p6.4_CtoStC_M1_MaxMass_042", "UNR152-02_p6.5_CtoMoC_M1_MaxMass_060-018")),
        "require.impact.limit",
        "12.50",
    ),
    Mutation("time to collision", "## 6.4.", "at least 4 seconds", "at least 5 seconds", is_in("stationary"), "bind.ttc", "5"),
    Mutation("braking demand", "#### 5.2.2.2.", "5.0 m/s", "5.50 m/s", is_in("pedestrian"), "require.demand.limit", "5.50"),
    Mutation(
        "spelled time", "6.7.1. Before", "at least two seconds", "at least three seconds", is_in("bicycle"), "bind.straight_time", "3"
    ),
    Mutation("quota", "6.10.1.", "20.0 per cent", "15.0 per cent", is_in("bicycle"), "runs.failed_share", "15.0"),
)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    return compile_text(TEXT, tmp_path_factory.mktemp("untouched"))


def changed(before: Change, after: Change) -> set[tuple[str, str]]:
    return {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}


#: Fields that follow from the one that was changed: time to collision gives the gap.
FOLLOWS = {"bind.ttc": {"bind.gap"}}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_changed_number_reaches_its_scenarios_and_no_other(mutation: Mutation, untouched: Compiled, tmp_path: Path) -> None:
    before = numbers(untouched.suite.scenarios)
    after = numbers(compile_text(mutation.text(), tmp_path).suite.scenarios)
    touched = {scenario.id for scenario in untouched.suite.scenarios if mutation.touches(scenario)}
    assert touched
    fields = {mutation.field, *FOLLOWS.get(mutation.field, ())}
    found = {(id, field) for id, field in changed(before, after) if not field.startswith(("said.", "told."))}
    assert found == {(id, field) for id in touched for field in fields}
    assert {after[id, mutation.field][0] for id in touched} == {mutation.value}


def test_a_changed_test_speed_makes_another_test(untouched: Compiled, tmp_path: Path) -> None:
    """36 becomes 37 in one cell: the new speed takes the next higher row's limit, the old one is a further speed of the table."""
    anchor = TEXT.index("bicycle target, N1 category")
    place = TEXT.index("<td>36</td><td>40</td>", anchor)
    suite = compile_text(TEXT[:place] + TEXT[place:].replace("<td>36</td>", "<td>37</td>", 1), tmp_path).suite
    before, after = numbers(untouched.suite.scenarios), numbers(suite.scenarios)
    old, new = (f"UNR152-02_p6.7.1_CtoB_N1_MaxMass_{speed}" for speed in ("036", "037"))
    assert {id for id, _ in changed(before, after)} == {old, new}
    by_id = {scenario.id: scenario for scenario in suite.scenarios}
    assert (by_id[new].status, by_id[old].status) == ("mandatory", "option")
    (impact,) = (criterion.limit for criterion in by_id[new].require if criterion.label == "impact")
    assert impact is not None
    assert str(impact.value.number) == "15.00"
    assert [source.row or source.footnote for source in impact.value.sources] == ["38", "8"]
    assert after[old, "bind.subject"][5] == ("0", "2", "A861")
    assert any(finding.code == "T318" and "37 km/h" in finding.message for finding in suite.findings)


def test_a_changed_tolerance_is_that_of_the_speeds_that_take_it(untouched: Compiled, tmp_path: Path) -> None:
    suite = compile_text(edited(TEXT, "moving target, M1 category", "+0/-2", "+0/-1.5"), tmp_path).suite
    before, after = numbers(untouched.suite.scenarios), numbers(suite.scenarios)
    touched = {
        (scenario.id, "bind.subject")
        for scenario in untouched.suite.scenarios
        if is_in("moving", "M1")(scenario) and scenario.number("subject").number > 30  # type: ignore[union-attr]
    }
    assert touched
    assert changed(before, after) == touched
    assert {after[key][5][:2] for key in touched} == {("0", "1.5")}


def test_a_changed_target_speed_moves_the_whole_test(untouched: Compiled, tmp_path: Path) -> None:
    suite = compile_text(edited(TEXT, "## 6.5.", "20 km/h (with", "22 km/h (with"), tmp_path).suite
    moving = is_in("moving")
    others = [tuple(item for item in made.scenarios if not moving(item)) for made in (untouched.suite, suite)]
    assert numbers(others[0], "bind.", "require.") == numbers(others[1], "bind.", "require.")
    own = [scenario for scenario in suite.scenarios if moving(scenario)]
    assert own
    for scenario in own:
        subject, target, relative = (scenario.number(name).number for name in ("subject", "target", "relative"))  # type: ignore[union-attr]
        assert relative == subject - target
        assert scenario.status == "option" or str(target) == "22"
    mandatory = {scenario.id for scenario in own if scenario.status == "mandatory" and scenario.axes["category"].value == "M1"}
    assert mandatory == {f"UNR152-02_p6.5_CtoMoC_M1_{load}_{speed}-022" for load in ("MaxMass", "MassRun") for speed in ("030", "060")}


# ---------------------------------------------------------------- every number, one at a time

_NUMBER = re.compile(r"(?<![\w.,#/^&-])\d+(?:\.\d+)?(?![\w.]*\.\d)(?!\w)")


@dataclass(frozen=True)
class Spot:
    """A number at a position of a text, and what takes its place."""

    at: int
    old: str
    new: str

    def text(self, text: str) -> str:
        return text[: self.at] + self.new + text[self.at + len(self.old) :]


def spots(text: str, start: str, end: str) -> list[Spot]:
    """Numbers of sentences and cells between two marks, but for numbers of paragraphs, marks of footnotes and spans."""
    found = []
    for match in _NUMBER.finditer(text, text.index(start), text.index(end) if end else len(text)):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        around = text[max(0, match.start() - 14) : match.start()]
        if re.search(
            r'="?$|ISO [\d:-]*$|paragraphs? $|Annex $|No\. $|Scenario $|Figure $|Table $|\[\^?$|^#* ?$', around
        ) or not line.strip(" #"):
            continue
        last = int(match[0][-1])
        found.append(Spot(match.start(), match[0], match[0][:-1] + str(last + 1 if last < 8 else last - 1)))
    return found


def said_at(document: Document, value: Value) -> Iterator[str]:
    """What stands at the places that a value names, read from the document by their address alone."""
    for source in value.sources:
        table = document.table(source.table) if source.table else None
        if table is not None:
            yield " ".join(cell.text for row in table.rows if row[0].text == source.row for cell in row)
            yield from (note.text for note in document.footnotes if note.marker == source.footnote)
        clause = document.clause(source.clause)
        yield clause.text if clause is not None else ""
        yield from (note.text for note in document.footnotes if source.footnote and note.marker == source.footnote)


_WORDS = {"0": "stationary|level|rest|stands?", "1": "once|one", "2": "two|twice", "3": "three", "0.5": "half"}


def stands(document: Document, value: Value) -> bool:
    """Whether the digits of a cited value stand at one of its places, as digits or as a word."""
    texts = [html.unescape(text) for text in said_at(document, value)]
    for end in {value.lo, value.hi} - {None}:
        digits = format(end, "f")
        forms = re.escape(digits.lstrip("-")) + (f"|{_WORDS[digits]}" if digits in _WORDS else "")
        if not any(re.search(rf"(?<![\d.])(?:{forms})(?![\d]|\.\d)", text, re.I) for text in texts):
            return False
    return True


def silently_wrong(spot: Spot, before: Compiled, after: Compiled) -> list[str]:
    """Changed fields that are neither told nor an outside reading of the place; a number that nothing reads and no lint tells.

    A bound of a guard ("between 20 and 60 km/h") may change nothing and is accounted for as read."""
    known = {(finding.code, finding.message) for finding in before.suite.findings}
    if any((f.code, f.message) not in known and f.severity != "info" for f in after.suite.findings):
        return []
    first, second = numbers(before.suite.scenarios), numbers(after.suite.scenarios)
    different = changed(first, second)
    values = {(item.id, name): value for item in after.suite.scenarios for name, value in item.values()}
    wrong = [
        f"{key}: {value.lo} {value.unit} stands at none of its places"
        for key in sorted(different)
        if (value := values.get(key)) is not None and value.basis == "cited" and not stands(after.document, value)
    ]
    if not different and before.suite.cards == after.suite.cards and before.suite.tables == after.suite.tables:
        entries = {entry.text: entry.fate for entry in after.suite.coverage.entries}
        new = [fate for text, fate in entries.items() if text not in {entry.text for entry in before.suite.coverage.entries}]
        if not new or "open" in new:
            wrong.append(f"{spot.old} -> {spot.new}: nothing changed and nothing was told ({new})")
    return wrong


def faults(text: str, chosen: list[Spot], folder: Path, regulation: str) -> dict[str, list[str]]:
    before = compile_text(text, folder, regulation)
    found = {}
    for spot in chosen:
        wrong = silently_wrong(spot, before, compile_text(spot.text(text), folder, regulation))
        if wrong:
            near = text[max(0, spot.at - 50) : spot.at + 20].replace("\n", " ")
            found[f"...{near}: {spot.old} -> {spot.new}"] = wrong
    return found


def test_every_changed_number_of_the_invented_regulation(tmp_path: Path) -> None:
    chosen = spots(RULES, "# 3.", "\n[^1]:")
    assert len(chosen) >= 40
    assert faults(RULES, chosen, tmp_path, str(INVENTED)) == {}


def scope_of_un152() -> list[Spot]:
    return spots(TEXT, "\n## 5.2.", "\n# 7.") + spots(TEXT, "\n# Annex 3 - Appendix 2", "")


def test_a_sample_of_changed_numbers_of_un152(tmp_path: Path) -> None:
    every = scope_of_un152()
    assert len(every) >= 300
    assert faults(TEXT, random.Random(152).sample(every, 8), tmp_path, "un152") == {}


@pytest.mark.slow
def test_every_changed_number_of_un152(tmp_path: Path) -> None:
    assert faults(TEXT, scope_of_un152(), tmp_path, "un152") == {}


# ---------------------------------------------------------------- through to the files


def written(text: str, folder: Path) -> Built:
    path = folder / "copy.md"
    path.write_text(text, encoding="utf-8", newline="\n")
    targets = {name: options for name, options in all_targets().items() if name in ("openscenario", "text", "csv")}
    return build(Request("un152", source=path, tests=("stationary", "moving"), categories=("M1",), targets=targets), folder / "out")


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
    built = {scenario.id for scenario in original.compiled.suite.selected}
    touched = {scenario.id for scenario in untouched.suite.scenarios if mutation.touches(scenario)} & built
    for pattern in ("text/*.md", "openscenario/concrete/*.json", "openscenario/concrete/*.xosc"):
        assert differing(original.folder, made.folder, pattern) == touched, pattern
    before, after = rows(original.folder), rows(made.folder)
    assert {id for id in before if before[id] != after[id]} == touched
    scenarios = {item["id"]: item for item in json.loads((made.folder / "scenarios.json").read_text("utf-8"))["scenarios"]}
    for id in touched:
        assert f'"lo": "{mutation.value}"' in json.dumps(scenarios[id])
        assert mutation.value in after[id]
        assert mutation.value in (made.folder / "openscenario" / "concrete" / f"{id}.json").read_text("utf-8")


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
