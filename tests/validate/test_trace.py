"""Every cited number is read again at its place, by other means than those that found it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from regc.job import Compiled
from regc.model.source import Quantity, Tolerance
from regc.validate import check as check_all
from regc.validate import trace
from tests.validate.candidates import ONE, candidate, changed, scenario, valued, with_cell

Change = Callable[[Quantity], Quantity]


def moved(**place: object) -> Change:
    """Changes the first source of a quantity."""
    return lambda quantity: quantity.model_copy(
        update={"sources": (quantity.sources[0].model_copy(update=place), *quantity.sources[1:])}
    )


def test_a_true_build_has_no_untraced_number(invented: Compiled, embedded: Compiled) -> None:
    assert trace.check(candidate(invented)) == ()
    seen: dict[tuple[object, ...], str | None] = {}
    numbers = [quantity for item in embedded.checked.scenarios for _, quantity in item.quantities() if quantity.basis != "assumed"]
    assert len(numbers) > 4000
    assert [quantity for quantity in numbers if trace.untraced(embedded.document, quantity, seen)] == []


@pytest.mark.parametrize(
    ("field", "change", "code"),
    [
        ("criteria.max_impact_speed", valued("6.4"), "V501"),
        ("criteria.max_impact_speed", valued("65"), "V501"),
        ("criteria.max_impact_speed", moved(quote="6.4"), "V502"),
        ("criteria.max_impact_speed", moved(table="3.1.4#8"), "V502"),
        ("trigger.min_ttc", valued("6"), "V501"),
        ("trigger.min_ttc", valued("0.5"), "V501"),
        ("trigger.min_ttc", moved(quote="at least 6 seconds"), "V502"),
        ("trigger.min_ttc", moved(clause="9.9"), "V502"),
        ("trigger.min_ttc", moved(footnote="9"), "V502"),
        ("criteria.min_braking_demand", valued("40"), "V501"),
        ("envelope.max_speed", valued("3"), "V501"),
        ("envelope.max_speed", valued("0"), "V501"),
    ],
)
def test_a_number_or_place_that_the_document_does_not_have(field: str, change: Change, code: str, invented: Compiled) -> None:
    wrong = changed(scenario(invented), field, change)
    (finding,) = trace.check(candidate(invented, wrong))
    assert (finding.code, finding.severity, finding.scenario, finding.field) == (code, "error", ONE, field)
    assert finding.source is not None
    assert finding.source.label() in finding.message
    assert finding.hint


def test_an_untraced_scenario_does_not_go_out(invented: Compiled) -> None:
    wrong = changed(scenario(invented), "trigger.min_ttc", valued("6"))
    others = tuple(item for item in invented.checked.scenarios if item.id != ONE)
    whole = candidate(invented)
    checked = check_all((wrong, *others), (), invented.document, whole.profile, whole.edition)
    assert checked.scenarios == others
    assert [finding.code for finding in checked.findings if finding.code == "V501"] == ["V501"]


def test_a_document_that_changed_behind_the_numbers_is_noticed(invented: Compiled) -> None:
    document = with_cell(invented.document, "3.1.4#1", 2, 1, "6.6")
    found = {finding.scenario for finding in trace.check(candidate(invented, document=document))}
    assert found == {ONE, "LR7-2nd_p4.3_ShToRoll_LS_crowded_024-006"}


def test_assumed_numbers_have_no_place_to_be_checked(invented: Compiled) -> None:
    assumed = changed(scenario(invented), "trigger.min_ttc", lambda q: q.model_copy(update={"basis": "assumed", "assumption": "A899"}))
    assert trace.check(candidate(invented, assumed)) == ()


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ({}, None),
        ({"row": "24"}, "that row and column say 14.0"),
        ({"column": "Any cart > Empty"}, "that row and column say 4.0"),
        ({"row": "19"}, "no such row and column"),
        ({"column": "Crowded"}, "no such row and column"),
    ],
)
def test_the_cell_is_read_in_the_row_and_column_named(place: dict[str, str], why: str | None, invented: Compiled) -> None:
    """Light shuttle, row 18: 6.5 crowded, 4.0 empty; the row below says 14.0 and 12.5."""
    told = trace.check(candidate(invented, changed(scenario(invented), "criteria.max_impact_speed", moved(**place))))
    assert [finding.code for finding in told] == (["V502"] if why else [])
    assert why is None or why in told[0].message


def test_another_cell_of_the_same_table_lends_its_digits_to_no_row(invented: Compiled) -> None:
    """14.0 does stand in the table, but not at 18 mph."""
    wrong = changed(scenario(invented), "criteria.max_impact_speed", lambda q: moved(quote="14.0")(valued("14.0")(q)))
    (finding,) = trace.check(candidate(invented, wrong))
    assert finding.code == "V502"
    assert "that row and column say 6.5" in finding.message


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({}, None),
        ({"value": "999"}, "its formula gives 24"),
        ({"value": "16", "formula": "relative_speed + target.speed = 10 + 6"}, "no source of it says the 10"),
        ({"value": "6", "formula": "relative_speed - target.speed = 12 - 6"}, "no source of it says the 12"),
        ({"formula": "relative_speed - target.speed = 18 + 6"}, "calculates otherwise than it says"),
        ({"value": "12", "formula": "target.speed - relative_speed = 6 - 18"}, "no source of it says the 18"),
        ({"value": "18", "formula": "as the row"}, None),
        ({"value": "999", "formula": "as the row"}, "no source of it says 999"),
    ],
)
def test_a_derived_number_is_calculated_again(change: dict[str, str], why: str | None, invented: Compiled) -> None:
    """A subject vehicle at 18 + 6 mph: the row of 18 mph first, then the sentence on the cart at 6 mph."""
    rolling = scenario(invented, "LR7-2nd_p4.3_ShToRoll_LS_crowded_024-006")
    subject = rolling.subject.test_speed
    assert (subject.basis, subject.formula) == ("derived", "relative_speed + target.speed = 18 + 6")
    wrong = changed(
        rolling, "subject.test_speed", lambda q: q.model_copy(update=change | {"value": Decimal(change.get("value", "24"))})
    )
    told = trace.check(candidate(invented, wrong))
    assert [finding.code for finding in told] == (["V501"] if why else [])
    assert why is None or why in told[0].message


@pytest.mark.parametrize(
    ("plus", "minus", "right"), [("0", "1", True), ("1", "0", False), ("0", "2", False), ("1", "1", False), ("0", "0", False)]
)
def test_both_sides_of_a_tolerance_stand_in_the_words(plus: str, minus: str, right: bool, invented: Compiled) -> None:
    """The sentence says +0/-1 mph."""
    stated = Tolerance(plus=Decimal(plus), minus=Decimal(minus))
    held = changed(scenario(invented), "subject.test_speed", lambda q: q.model_copy(update={"tolerance": stated}))
    assert [finding.code for finding in trace.check(candidate(invented, held))] == ([] if right else ["V501"])
