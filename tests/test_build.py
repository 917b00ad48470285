"""The whole pipeline on real input: counts, the same numbers whatever the file was, and a regulation that no code knows."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.pipeline.build import build, compile_regulation
from regc.pipeline.build_folder import summary
from regc.pipeline.request import Compiled, Request
from tests.conftest import INVENTED, all_targets
from tests.edits import numbers

#: name -> (option tests, mandatory tests) of M1, then of N1
TESTS = {
    "stationary": ((18, 6), (22, 6)),
    "moving": ((16, 4), (20, 4)),
    "pedestrian": ((14, 6), (16, 6)),
    "bicycle": ((14, 6), (16, 6)),
}
EXAMPLES = {"turn_before_oncoming", "lead_turns_off", "curve_past_object", "lane_change_before_sign"}


def errors(findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def axis(scenario: Scenario, name: str) -> str:
    value = scenario.axes.get(name)
    return value.value if value else ""


def frame(scenarios: tuple[Scenario, ...]) -> dict[str, tuple[Any, ...]]:
    """What a scenario is beside its numbers."""
    return {
        item.id: (
            item.test,
            item.status,
            item.clause,
            item.manoeuvre,
            {name: value.value for name, value in item.axes.items()},
            [(actor.role, actor.kind) for actor in item.actors],
            [(criterion.label, criterion.form, criterion.signal, criterion.sign) for criterion in item.require],
        )
        for item in scenarios
    }


def card_frame(compiled: Compiled) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(card.id, card.kind, card.clauses) for card in compiled.suite.cards]


def test_edition_02_has_every_test(embedded: Compiled) -> None:
    scenarios = embedded.suite.scenarios
    assert Counter((item.test, axis(item, "category"), item.status) for item in scenarios if item.axes) == {
        (test, category, status): count
        for test, counts in TESTS.items()
        for category, own in zip(("M1", "N1"), counts, strict=True)
        for status, count in zip(("option", "mandatory"), own, strict=True)
    }
    assert {item.test: item.status for item in scenarios if not item.axes} == dict.fromkeys(EXAMPLES, "guidance")
    assert len(scenarios) == 184
    assert len({item.id.lower() for item in scenarios}) == len(scenarios)
    assert not errors(embedded.suite.findings)


def test_edition_02_reads_every_cell(embedded: Compiled) -> None:
    """136 limits and 68 keys of the limit tables; 44 test speeds and their tolerances."""
    cells = [entry for entry in embedded.suite.coverage.entries if entry.kind == "cell"]
    open_cells = [entry.place for entry in cells if entry.fate == "open"]
    assert open_cells == []
    limits = [entry for entry in cells if entry.place.startswith("5.2") and "mass" in entry.place.lower()]
    assert len(limits) == 136
    assert len([entry for entry in cells if entry.place.startswith("6.") and "olerance" not in entry.place]) == 44


def test_every_number_is_cited_or_derived_with_a_place(embedded: Compiled) -> None:
    held = [(scenario, name, value) for scenario in embedded.suite.scenarios for name, value in scenario.values()]
    assert {value.basis for _, _, value in held} == {"cited", "derived"}
    clauses = {clause.id for clause in embedded.document.clauses}
    assert [(item.id, name) for item, name, value in held if not value.sources] == []
    assert {source.clause for _, _, value in held for source in value.sources} <= clauses
    counts = summary(embedded.suite)
    told = [name for _, name, _ in held]
    assert counts["numbers_cited"] + counts["numbers_derived"] == len(told)


def test_moving_targets_keep_their_speed_where_the_range_allows_it(embedded: Compiled) -> None:
    pairs = {
        tuple(str(item.number(name).number) for name in ("relative", "subject", "target"))  # type: ignore[union-attr]
        for item in embedded.suite.scenarios
        if item.test == "moving" and axis(item, "category") == "M1"
    }
    assert {pair for pair in pairs if pair[2] != "20"} == {("42", "60", "18"), ("45", "60", "15"), ("50", "60", "10")}
    assert all(int(subject) - int(target) == int(relative) for relative, subject, target in pairs)


def test_official_pdf_and_embedded_edition_say_the_same_numbers(embedded: Compiled, official: Compiled) -> None:
    assert not errors(official.suite.findings)
    assert frame(official.suite.scenarios) == frame(embedded.suite.scenarios)
    driving = ("bind.", "require.", "conditions.", "runs.")
    assert numbers(official.suite.scenarios, *driving) == numbers(embedded.suite.scenarios, *driving)
    assert card_frame(official) == card_frame(embedded)
    assert [entry.place for entry in official.suite.coverage.entries if entry.kind == "cell" and entry.fate == "open"] == []


@pytest.mark.parametrize("alone", [False, True], ids=["md+json", "md-alone"])
def test_mineru_says_the_same_limits_and_speeds(alone: bool, shared: Path, tmp_path: Path, embedded: Compiled) -> None:
    folder = shared / "regulations" / "un152-r2"
    source = folder / "un152-r2.mineru.md"
    if alone:
        source = Path(shutil.copy(source, tmp_path))
    compiled = compile_regulation(Request("un152", source=source))
    driven = tuple(item for item in compiled.suite.scenarios if item.axes)
    wanted = tuple(item for item in embedded.suite.scenarios if item.axes)
    assert frame(driven) == frame(wanted)
    prefixes = ("bind.", "require.", "runs.")
    assert numbers(driven, *prefixes) == numbers(wanted, *prefixes)
    assert any("footnote" in finding.message.lower() for finding in compiled.document.findings) == alone


def test_invented_regulation_compiles_by_its_folder_alone(invented: Compiled, tmp_path: Path) -> None:
    suite = invented.suite
    assert not errors(suite.findings)
    assert Counter((item.test, item.status) for item in suite.scenarios) == {
        ("standing_cart", "mandatory"): 8,
        ("standing_cart", "option"): 7,
        ("rolling_cart", "mandatory"): 4,
        ("rolling_cart", "option"): 10,
    }
    by_id = {item.id: item for item in suite.scenarios}
    one = by_id["LR7-2nd_p4.3_ShToRoll_LS_crowded_018"]
    held = numbers((one,))
    assert held[one.id, "require.impact.limit"][:4] == ("1.5", "1.5", "", "mph")
    assert held[one.id, "bind.relative"][0] == "12"
    assert held[one.id, "bind.relative"][6] == "derived"
    assert (one.axes["load"].words.casefold(), one.conditions["mass"].word) == ("crowded", "max")  # type: ignore[union-attr]
    assert held[one.id, "bind.subject"][5] == ("0", "1", None)
    made = build(Request(str(INVENTED), targets=all_targets()), tmp_path)
    text = (made.folder / "openscenario" / "concrete" / f"{one.id}.xosc").read_text("utf-8")
    assert 'value="8.04672"' in text  # 18 mph in m/s
    assert 'value="2.68224"' in text  # 6 mph
    assert not errors(made.findings)
