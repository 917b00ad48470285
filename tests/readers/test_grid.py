"""Spans, header rows, cells and tables cut by a page break."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regc.readers.assemble.blocks import GridCell
from regc.readers.assemble.header_grids import Grid, continues, is_number, joined, normalised, resolve, unitless


def grid(*rows: str, header: int = 0) -> Grid:
    """Rows written "a | b"."""
    return tuple(tuple(GridCell(cell.strip(), header=index < header) for cell in row.split("|")) for index, row in enumerate(rows))


def texts(*rows: str, header: int = 0) -> list[list[str]]:
    """The body of such a table."""
    return [[cell.text for cell in row] for row in resolve(grid(*rows, header=header), 1).rows]


def test_spans_become_header_paths() -> None:
    table = resolve(
        (
            (GridCell("Speed(mph)", rowspan=2), GridCell("Cart / Sledge", colspan=2)),
            (GridCell("Empty"), GridCell("Full")),
            (GridCell("10"), GridCell("0,50"), GridCell("–")),
        ),
        4,
    )
    assert table.columns == [("Speed (mph)",), ("Cart/Sledge", "Empty"), ("Cart/Sledge", "Full")]
    assert [cell.text for cell in table.rows[0]] == ["10", "0.50", "-"]
    assert table.rows[0][0].page == 4
    assert [(place, before) for place, before, _ in table.repairs] == [('row 1 column "Cart/Sledge > Empty"', "0,50")]


@pytest.mark.parametrize("dash", ["-", "‐", "–", "—", "―", "−", "- -", "－"])
def test_every_dash_is_one_dash_without_a_word(dash: str) -> None:
    assert normalised(dash) == ("-", None)


@pytest.mark.parametrize("sign", ["_", "~", "=", "·", "•", "一", "ー", "¯", "..", "─"])
def test_what_an_ocr_makes_of_a_dash_is_a_recorded_repair(sign: str) -> None:
    text, reason = normalised(sign)
    assert text == "-"
    assert "dash" in (reason or "")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("12,50", "12.50"),
        ("0.00", "0.00"),
        ("+2 / -0", "+2/-0"),
        ("+0/−2", "+0/-2"),
        ("１０", "10"),
        (" 10 ", "10"),
        ("a, b", "a, b"),
        ("0,123", "0.123"),
    ],
)
def test_cells(written: str, text: str) -> None:
    assert normalised(written)[0] == text


@given(st.text(max_size=12))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalised(text)[0]
    assert normalised(once)[0] == once


@pytest.mark.parametrize(("text", "figure"), [("10", True), ("0,5", True), ("+2/-0", True), ("–", True), ("M1", False), ("", False)])
def test_what_is_a_figure(text: str, figure: bool) -> None:
    assert is_number(text) is figure


def test_a_table_of_words_has_one_header_row() -> None:
    assert texts("Name | Use", "Box | Load", "Bell | Noise") == [["Box", "Load"], ["Bell", "Noise"]]


def test_a_first_column_of_words_before_figures() -> None:
    assert texts("Cart | Empty | Full", "small | 10 | 20", "large | 30 | 40") == [["small", "10", "20"], ["large", "30", "40"]]


def test_the_lower_part_of_a_cut_table_is_joined() -> None:
    upper = resolve(grid("v | max", "10 | 0.0", "20 | 1.0"), 1)
    lower = resolve(grid("30 | 2.0", "40 | 3.0"), 2)
    assert not lower.has_header
    assert continues(upper, lower)
    whole = joined(upper, lower)
    assert [row[0].text for row in whole.rows] == ["10", "20", "30", "40"]
    assert [row[0].page for row in whole.rows] == [1, 1, 2, 2]


@pytest.mark.parametrize(
    "rows",
    [("10 | 2.0", "20 | 3.0"), ("30 | 2.0 | 1",), ("speed | load", "30 | 2.0")],
    ids=["begins again", "other width", "other header"],
)
def test_another_table_is_not_joined(rows: tuple[str, ...]) -> None:
    upper = resolve(grid("v | max", "10 | 0.0", "20 | 1.0"), 1)
    assert not continues(upper, resolve(grid(*rows), 2))


def test_a_repeated_header_does_not_stop_the_joining() -> None:
    upper = resolve(grid("v | max", "10 | 0.0", "20 | 1.0"), 1)
    assert continues(upper, resolve(grid("v | max", "30 | 2.0"), 2))


def test_missing_cells_and_misread_figures_are_named() -> None:
    table = resolve(
        grid(
            "v | max", "10 | 0.0", "20 | 1O.0", "30 | 2.0", "40 | 3.0", "50 | 4.0", "60 | 5.0", "70 | 6.0", "80 | 7.0", "90 | 8.0", "95"
        ),
        1,
    )
    assert any("row 11 has 1 of 2 cells" in problem for problem in table.problems)
    assert any("'1O.0' is no figure" in problem for problem in table.problems)


def test_a_comma_that_may_be_thousands_is_left_and_named() -> None:
    table = resolve(grid("v | max", "10 | 3,100", "20 | 4,500", "30 | 5"), 1)
    assert [row[1].text for row in table.rows] == ["3,100", "4,500", "5"]
    assert len([problem for problem in table.problems if "thousands" in problem]) == 2


def test_a_comma_in_a_column_of_decimal_commas_is_one() -> None:
    table = resolve(grid("v | max", "10 | 3,100", "20 | 4,5", "30 | 5,25"), 1)
    assert [row[1].text for row in table.rows] == ["3.100", "4.5", "5.25"]
    assert not table.problems
    assert ('row 1 column "max"', "3,100", "decimal comma") in table.repairs


def test_an_absurd_span_fills_no_memory() -> None:
    table = resolve(((GridCell("a", rowspan=10**9), GridCell("b")), (GridCell("1"),)), 1)
    assert len(table.columns) == 2


@pytest.mark.parametrize(
    ("rows", "around", "none"),
    [
        (("v | max", "10 | 0.0", "20 | 1.0"), "", True),
        (("v (km/h) | max", "10 | 0.0", "20 | 1.0"), "", False),
        (("v | max", "10 | 0.0", "20 | 1.0"), "Speeds in mph", False),
        (("v | max", "10 m | 0.0", "20 m | 1.0"), "", False),
        (("Cart | Colour", "Box | red", "Sledge | blue"), "", False),
        (("v | max", "10 | -", "20 | -"), "", False),
    ],
)
def test_a_table_of_figures_without_a_unit(rows: tuple[str, ...], around: str, none: bool) -> None:
    assert unitless(resolve(grid(*rows), 1), (around,)) is none


def test_rows_of_words_above_the_first_figure_are_no_header() -> None:
    table = resolve(grid("Item | Sleds", "Runner | steel", "Brake | wood", "Bells | 4"), 1)
    assert table.columns == [("Item",), ("Sleds",)]
    assert [row[1].text for row in table.rows] == ["steel", "wood", "4"]


@pytest.mark.parametrize("second", [" | Empty | Full", "Load | Empty | Full"])
def test_header_rows_are_tied_by_an_empty_or_a_spanning_cell(second: str) -> None:
    rows = (
        (GridCell("Speed"), GridCell("Cart", colspan=2)),
        tuple(GridCell(cell.strip()) for cell in second.split("|")),
        (GridCell("10"), GridCell("1"), GridCell("2")),
    )
    table = resolve(rows, 1)
    assert table.columns[1:] == [("Cart", "Empty"), ("Cart", "Full")]
    assert len(table.rows) == 1


def test_a_form_with_room_to_write_in_has_no_header() -> None:
    assert texts("Red carts | | ", "Blue carts | | ") == [["Red carts", "", ""], ["Blue carts", "", ""]]


@pytest.mark.parametrize(("head", "rows"), [(0, 3), (1, 2), (2, 1)])
def test_the_head_that_the_type_tells_is_the_header(head: int, rows: int) -> None:
    assert len(resolve(grid("Cart | 1", "Sled | 2", "Tub | 3"), 1, head=head).rows) == rows
