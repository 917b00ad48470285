"""Finding places in a document: columns of load states, rows of speeds, numbers that a rule describes."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regc import places
from regc.job import Compiled
from regc.model.document import Cell, Clause, Table
from regc.model.regulation import FieldRule, Profile
from regc.profiles import load_profile
from tests.conftest import INVENTED


@pytest.fixture(scope="module")
def profile() -> Profile:
    return load_profile(str(INVENTED))


@pytest.fixture(scope="module")
def light(invented: Compiled) -> Table:
    table = invented.document.table("3.1.4#1")
    assert table is not None
    return table


def table(columns: list[tuple[str, ...]], *rows: str, caption: str = "Light shuttle") -> Table:
    """A table from header paths and rows of cells parted by blanks."""
    cells = tuple(tuple(Cell(text=text) for text in row.split()) for row in rows)
    return Table(id="3.1.4#9", clause="3.1.4", caption=caption, columns=tuple(columns), rows=cells)


def test_a_category_comes_from_the_caption_and_only_one(profile: Profile) -> None:
    columns = [("Speed",), ("Empty",)]
    assert places.category_of(table(columns, "1 2", caption="Light shuttle: speeds"), profile) == "LS"
    assert places.category_of(table(columns, "1 2", caption="LIGHT  SHUTTLE"), profile) == "LS"
    assert places.category_of(table(columns, "1 2", caption="Light shuttle and heavy shuttle"), profile) is None
    assert places.category_of(table(columns, "1 2", caption="All of them"), profile) is None
    assert places.category_of(table(columns, "1 2").model_copy(update={"caption": None}), profile) is None


def test_row_headers_are_speeds_and_no_data(profile: Profile) -> None:
    assert places.has_row_headers(table([("Closing speed",), ("Empty",)], "6 0.0"), profile)
    assert not places.has_row_headers(table([("Empty",), ("Tolerance",)], "6 +0/-1"), profile)
    assert not places.has_row_headers(table([("Speed when empty",), ("Speed when crowded",)], "6 6"), profile)
    assert not places.has_row_headers(table([("Speed",)], "6"), profile)


def test_columns_are_named_by_any_part_of_their_path_that_is_theirs_alone(light: Table) -> None:
    assert places.column_index(light, "Any cart > Crowded") == 1
    assert places.column_index(light, "any cart>crowded") == 1
    assert places.column_index(light, "Empty") == 2
    assert places.column_index(light, "Any cart") is None
    assert places.column_index(light, "Full") is None


def test_rows_are_named_by_their_number_whatever_its_digits(light: Table, profile: Profile) -> None:
    assert places.row_index(light, "12", profile) == 1
    assert places.row_index(light, "12.0", profile) == 1
    assert places.row_index(light, "13", profile) is None
    assert places.row_label(light, 1, profile) == "12"
    speeds = table([("Empty",), ("Tolerance",)], "6 +0/-1", "9 +0/-1")
    assert places.row_label(speeds, 1, profile) == "#2"
    assert places.row_index(speeds, "#2", profile) == 1


def test_load_columns_have_their_load_state_and_what_parts_them_further(light: Table, profile: Profile) -> None:
    family = profile.families[0]
    found = [(item.index, item.load.kind, item.term, item.group) for item in places.load_columns(light, family, profile)]
    assert found == [(1, "maximum_mass", "Crowded", ""), (2, "running_order", "Empty", "")]
    split = table([("Speed",), ("Tall", "Empty"), ("Tall", "Crowded"), ("Low", "Empty")], "6 1 2 3")
    groups = [(item.index, item.group) for item in places.load_columns(split, family, profile)]
    assert groups == [(1, "Tall"), (2, "Tall"), (3, "Low")]


def test_columns_of_other_targets_are_left_out(profile: Profile) -> None:
    standing, rolling = (
        family.model_copy(update={"limit_column": word}) for family, word in zip(profile.families, ("stands", "rolls"), strict=True)
    )
    both = profile.model_copy(update={"families": (standing, rolling)})
    split = table([("Speed",), ("Cart stands", "Empty"), ("Cart rolls", "Empty"), ("Cart stands or rolls", "Crowded")], "6 1 2 3")
    assert [item.index for item in places.load_columns(split, standing, both)] == [1, 3]
    assert [item.index for item in places.load_columns(split, rolling, both)] == [2, 3]
    neither = table([("Speed",), ("Empty",)], "6 1")
    assert [item.index for item in places.load_columns(neither, standing, both)] == [1]


@pytest.mark.parametrize(("speed", "row"), [("1", 0), ("6", 0), ("6.1", 1), ("12", 1), ("18.01", 3), ("30", 4), ("30.5", None)])
def test_between_rows_the_next_higher_one_holds(speed: str, row: int | None, light: Table, profile: Profile) -> None:
    assert places.limit_row(light, Decimal(speed), profile) == row


def test_limit_tables_are_those_of_the_clause_and_category(invented: Compiled, profile: Profile) -> None:
    family = profile.families[0]
    found = {
        name: [item.id for item in places.limit_tables(invented.document.tables, family, profile, name)] for name in ("LS", "HS", "XX")
    }
    assert found == {"LS": ["3.1.4#1"], "HS": ["3.1.4#2"], "XX": []}


@given(*(st.integers(min_value=0, max_value=120) for _ in range(4)))
def test_a_speed_pair_gives_the_relative_speed_within_the_range(relative: int, prescribed: int, low: int, high: int) -> None:
    pair = places.speed_pair(Decimal(relative), Decimal(prescribed), Decimal(low), Decimal(high))
    if pair is None:
        within = low <= prescribed + relative <= high
        assert not within
        return
    subject, target = pair
    assert subject - target == relative
    assert low <= subject <= high
    assert target <= prescribed
    assert target == prescribed or (subject == high and target >= low)


# ---------------------------------------------------------------- numbers in sentences

CLAUSE = Clause(
    region="body",
    number="4.9",
    text="The cart rolls at 6 mph (with a tolerance of +1/-0 mph) over a path of 40 m. "
    "It waits for at least 3 s, or 5 s when it rains.\nThe stationary pole stands 2 m away.",
)


def rule(**changes: object) -> FieldRule:
    return FieldRule.model_validate({"field": "f", "clauses": ("4.9",), "unit": "m"} | changes)


def test_a_rule_finds_numbers_of_its_unit_near_its_words() -> None:
    assert [item.value for item in places.find(rule(), CLAUSE)] == [40, 2]
    assert [item.value for item in places.find(rule(anchor="pole"), CLAUSE)] == [2]
    assert [item.value for item in places.find(rule(before=r"path\s+of"), CLAUSE)] == [40]
    assert [item.value for item in places.find(rule(after="away"), CLAUSE)] == [2]
    assert places.find(rule(anchor="tree"), CLAUSE) == ()
    assert places.find(rule(unit="kg"), CLAUSE) == ()


def test_a_found_number_is_a_slice_of_the_clause_with_its_sentence() -> None:
    (found,) = places.find(rule(unit="mph"), CLAUSE)
    assert CLAUSE.text[found.start : found.end].startswith("6 mph")
    assert found.quote in CLAUSE.text
    assert found.tolerance is not None
    assert (found.tolerance.plus, found.tolerance.minus) == (1, 0)


def test_worded_bounds_win_over_numbers_without_one() -> None:
    assert [(item.value, item.bound) for item in places.find(rule(unit="s", bound="ge"), CLAUSE)] == [(3, "ge")]
    assert [item.value for item in places.find(rule(unit="s"), CLAUSE)] == [3, 5]
    assert places.find(rule(unit="s", bound="le"), CLAUSE)[0].value == 5  # not the lower bound


def test_a_word_for_standing_still_is_a_speed_of_nothing() -> None:
    (found,) = places.find(rule(unit=places.AT_REST, anchor=r"\bstationary\b"), CLAUSE, "mph")
    assert (found.value, found.unit, found.quote) == (0, "mph", "The stationary pole stands 2 m away.")


def test_numbers_that_differ_agree_on_nothing() -> None:
    several = places.find(rule(unit="s"), CLAUSE)
    assert places.agreed(several) is None
    assert places.agreed(several[:1]) == several[0]
    assert places.agreed(()) is None


def test_sources_name_page_and_box_where_they_are_known(light: Table, invented: Compiled, profile: Profile) -> None:
    source = places.cell_source(invented.document, light, 1, 1, profile)
    assert source.label() == 'shuttles 3.1.4, table 3.1.4#1, row 12, column "Any cart > Crowded"'
    assert source.quote == "1.5"
    clause = invented.document.clause("4.2")
    assert clause is not None
    assert places.quote_source(invented.document, clause, clause.text[:20]).quote == clause.text[:20]
