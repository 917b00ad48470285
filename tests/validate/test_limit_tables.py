"""Limit tables against themselves, their worked examples and the test speeds."""

from __future__ import annotations

import pytest

from regc.job import Compiled
from regc.model.document import Document
from regc.profiles import load_profile
from regc.validate import limit_tables
from tests.conftest import INVENTED
from tests.validate.candidates import candidate, with_cell, without_row

LIGHT, HEAVY = "3.1.4#1", "3.1.4#2"


def codes(compiled: Compiled, document: Document) -> list[tuple[str, str]]:
    """(code, table) of what is found; the two families share their tables, and each table is told once."""
    found = limit_tables.check(candidate(compiled, document=document))
    assert all(finding.hint and finding.place for finding in found)
    return [(finding.code, LIGHT if LIGHT in finding.message else HEAVY) for finding in found]


def test_true_tables_are_silent(invented: Compiled, embedded: Compiled) -> None:
    assert codes(invented, invented.document) == []
    assert not any(finding.code.startswith("V54") for finding in embedded.checked.findings)


def test_a_lost_row_shows_in_the_step_and_in_the_worked_example(invented: Compiled) -> None:
    assert codes(invented, without_row(invented.document, LIGHT, 2)) == [("V542", LIGHT), ("V541", LIGHT)]
    assert codes(invented, without_row(invented.document, LIGHT, 1)) == [("V542", LIGHT)]
    # two rows, one step: nothing to compare with but the test speeds
    assert set(codes(invented, without_row(invented.document, HEAVY, 1))) == {("V544", HEAVY)}


@pytest.mark.parametrize(("column", "text"), [(1, "6.4"), (2, "5.0"), (1, "-")])
def test_a_damaged_limit_shows_in_the_worked_example(column: int, text: str, invented: Compiled) -> None:
    found = codes(invented, with_cell(invented.document, LIGHT, 2, column, text))
    assert ("V541", LIGHT) in found


def test_rows_out_of_order_are_an_error(invented: Compiled) -> None:
    document = with_cell(invented.document, HEAVY, 1, 0, "21")
    found = [item for item in limit_tables.check(candidate(invented, document=document)) if item.code == "V542"]
    assert [item.severity for item in found] == ["error"]
    assert "do not rise" in found[0].message


def test_a_limit_that_falls_is_told_with_both_values(invented: Compiled) -> None:
    document = with_cell(invented.document, LIGHT, 3, 1, "5.0")
    (found,) = (item for item in limit_tables.check(candidate(invented, document=document)) if item.code == "V543")
    assert "row 24 allows 5.0, less than the row before (6.5)" in found.message


def test_swapped_captions_show_in_the_worked_example(invented: Compiled) -> None:
    tables = {table.id: table for table in invented.document.tables}
    swapped = tuple(
        table.model_copy(update={"rows": tables[HEAVY if table.id == LIGHT else LIGHT].rows}) if table.id in (LIGHT, HEAVY) else table
        for table in invented.document.tables
    )
    found = limit_tables.check(candidate(invented, document=invented.document.model_copy(update={"tables": swapped})))
    (error,) = (item for item in found if item.code == "V541")
    assert error.severity == "error"
    assert "the cell says 9.0" in error.message


def test_a_test_speed_without_a_row_of_its_own(invented: Compiled) -> None:
    """Only where the limit is looked up by the speed that is driven."""
    profile = load_profile(str(INVENTED))
    driven = profile.model_copy(update={"families": (profile.families[0].model_copy(update={"lookup": "subject"}),)})
    document = without_row(invented.document, LIGHT, 1)
    found = limit_tables.check(candidate(invented, document=document, profile=driven))
    told = [item for item in found if item.code == "V544"]
    assert len(told) == 2  # both load columns
    assert all("test speed 12 of 4.2" in item.message for item in told)
