"""The whole pipeline on real input: counts, the same numbers whatever the file was, and a regulation that no code knows."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from regc.build import build, compile_regulation
from regc.job import Compiled, Request
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.output import summary
from tests.conftest import INVENTED, all_targets

FAMILIES = {"car_to_stationary_car": 52, "car_to_moving_car": 44, "car_to_pedestrian": 42, "car_to_bicycle": 42, "false_reaction": 4}


def errors(findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.severity == "error"]


def numbers(scenarios: tuple[Scenario, ...], *prefixes: str) -> dict[tuple[str, str], tuple[Any, ...]]:
    """(scenario, field) -> value with its digits, unit, bound, tolerance, basis of every quantity."""
    return {
        (scenario.id, field): (
            str(quantity.value),
            quantity.unit,
            quantity.bound,
            quantity.tolerance and (quantity.tolerance.plus, quantity.tolerance.minus, quantity.tolerance.assumption),
            quantity.basis,
        )
        for scenario in scenarios
        for field, quantity in scenario.quantities()
        if not prefixes or field.startswith(prefixes)
    }


def frame(scenarios: tuple[Scenario, ...]) -> dict[str, tuple[Any, ...]]:
    """What a scenario is beside its numbers."""
    return {
        item.id: (item.family, item.category, item.group, item.status, item.clause, item.load_state and item.load_state.kind)
        for item in scenarios
    }


def card_numbers(compiled: Compiled) -> list[tuple[str, str, str, str]]:
    return [
        (card.id, named.name, str(named.quantity.value), named.quantity.unit)
        for card in compiled.checked.cards
        for named in card.quantities
    ]


def test_edition_02_has_every_test(embedded: Compiled) -> None:
    scenarios = embedded.checked.scenarios
    assert Counter(item.family for item in scenarios) == FAMILIES
    assert Counter(item.status for item in scenarios) == {"mandatory": 44, "ts_option": 136, "guidance": 4}
    by_category = Counter((item.family, item.category) for item in scenarios if item.category)
    assert by_category == {
        ("car_to_stationary_car", "M1"): 24,
        ("car_to_stationary_car", "N1"): 28,
        ("car_to_moving_car", "M1"): 20,
        ("car_to_moving_car", "N1"): 24,
        ("car_to_pedestrian", "M1"): 20,
        ("car_to_pedestrian", "N1"): 22,
        ("car_to_bicycle", "M1"): 20,
        ("car_to_bicycle", "N1"): 22,
    }
    assert len({item.id.lower() for item in scenarios}) == len(scenarios)
    assert not errors(embedded.checked.findings)


def test_edition_02_accounts_for_every_cell_and_clause(embedded: Compiled) -> None:
    counts = summary(embedded.checked)
    assert (counts["limit_cells"], counts["test_speed_cells"]) == (136, 44)
    assert counts["cells_used"] + counts["cells_with_reason"] == 180
    assert counts["cells_unaccounted"] == 0
    assert counts["clauses_covered"] + counts["clauses_with_reason"] == counts["clauses_testable"]
    assert counts["numbers_accurate"] == counts["numbers_traced"] == counts["numbers_cited"] + counts["numbers_derived"]


def test_rows_that_no_moving_target_can_give_are_listed_with_the_reason(embedded: Compiled) -> None:
    cells = [cell for cell in embedded.checked.coverage.cells if cell.clause == "5.2.1.4" and cell.notes]
    assert {cell.row for cell in cells} == {"55", "60"}
    assert len(cells) == 8  # two rows, two columns, two categories
    assert all("car_to_moving_car: relative speed" in cell.notes[0] for cell in cells)


def test_moving_targets_keep_their_speed_where_the_range_allows_it(embedded: Compiled) -> None:
    pairs = {
        (str(item.relative_speed.value), str(item.subject.test_speed.value), str(item.target.speed.value))
        for item in embedded.checked.scenarios
        if item.family == "car_to_moving_car" and item.category == "M1" and item.relative_speed
    }
    assert {pair for pair in pairs if pair[2] != "20"} == {("42", "60", "18"), ("45", "60", "15"), ("50", "60", "10")}
    assert all(int(subject) - int(target) == int(relative) for relative, subject, target in pairs)


def test_literature_edition_has_the_59_tests_of_m1(literature: Compiled) -> None:
    own = [item for item in literature.checked.scenarios if item.category == "M1"]
    assert len(own) == 59
    assert Counter((item.family, item.load_state.token) for item in own if item.load_state) == {
        ("car_to_stationary_car", "unladen"): 12,
        ("car_to_stationary_car", "laden"): 12,
        ("car_to_moving_car", "unladen"): 8,
        ("car_to_moving_car", "laden"): 7,
        ("car_to_pedestrian", "MassRun"): 10,
        ("car_to_pedestrian", "MaxMass"): 10,
    }
    assert {item.family for item in literature.checked.scenarios if item.category == "N1" and item.group} == {
        "car_to_stationary_car",
        "car_to_moving_car",
    }
    assert summary(literature.checked)["cells_unaccounted"] == 0
    assert not errors(literature.checked.findings)


def test_official_pdf_and_embedded_edition_say_the_same_numbers(embedded: Compiled, official: Compiled) -> None:
    assert not errors(official.checked.findings)
    assert frame(official.checked.scenarios) == frame(embedded.checked.scenarios)
    assert numbers(official.checked.scenarios) == numbers(embedded.checked.scenarios)
    assert card_numbers(official) == card_numbers(embedded)
    assert summary(official.checked) == summary(embedded.checked)


@pytest.mark.parametrize("alone", [False, True], ids=["md+json", "md-alone"])
def test_mineru_says_the_same_limits_and_speeds(alone: bool, shared: Path, tmp_path: Path, embedded: Compiled) -> None:
    folder = shared / "regulations" / "un152-r2"
    source = folder / "un152-r2.mineru.md"
    if alone:
        source = Path(shutil.copy(source, tmp_path))
    compiled = compile_regulation(Request("un152", source=source))
    prefixes = ("relative_speed", "subject.", "target.", "criteria.max_impact_speed", "envelope.min_speed", "envelope.max_speed")
    driven = tuple(item for item in compiled.checked.scenarios if item.category)
    wanted = tuple(item for item in embedded.checked.scenarios if item.category)
    assert frame(driven) == frame(wanted)
    assert numbers(driven, *prefixes) == numbers(wanted, *prefixes)
    counts = summary(compiled.checked)
    assert (counts["limit_cells"], counts["test_speed_cells"], counts["cells_unaccounted"]) == (136, 44, 0)
    assert any("footnote" in finding.message.lower() for finding in compiled.document.findings) == alone


def test_invented_regulation_compiles_by_its_folder_alone(invented: Compiled, tmp_path: Path) -> None:
    checked = invented.checked
    assert not errors(checked.findings)
    assert Counter((item.family, item.status) for item in checked.scenarios) == {
        ("shuttle_to_standing_cart", "mandatory"): 8,
        ("shuttle_to_standing_cart", "ts_option"): 7,
        ("shuttle_to_rolling_cart", "mandatory"): 4,
        ("shuttle_to_rolling_cart", "ts_option"): 10,
    }
    by_id = {item.id: item for item in checked.scenarios}
    one = by_id["LR7-2nd_p4.3_ShToRoll_LS_crowded_018-006"]
    assert one.criteria.max_impact_speed is not None
    assert (str(one.criteria.max_impact_speed.value), one.criteria.max_impact_speed.unit) == ("1.5", "mph")
    assert one.relative_speed is not None
    assert (one.relative_speed.value, one.relative_speed.basis) == (12, "derived")
    assert one.load_state is not None
    assert (one.load_state.term, one.load_state.kind) == ("Crowded", "maximum_mass")
    assert one.subject.test_speed.tolerance is not None
    assert one.subject.test_speed.tolerance.assumption is None
    made = build(Request(str(INVENTED), targets=all_targets()), tmp_path)
    scenario = made.folder / "openscenario" / "concrete" / f"{one.id}.xosc"
    text = scenario.read_text("utf-8")
    assert 'value="8.04672"' in text  # 18 mph in m/s
    assert 'value="2.68224"' in text  # 6 mph
    assert not [finding for finding in made.findings if finding.severity == "error"]
