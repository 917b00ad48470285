"""Formulas calculated a second time, worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from regc.verify.recalculation import FormulaFault, SheetLines, leaves, parsed, value
from regc.verify.spoken_numbers import UNITS


@pytest.mark.parametrize(
    ("formula", "low", "high", "unit"),
    [
        ("42 km/h + 18 km/h", "60", "60", "km/h"),
        ("42 km/h + min(20 km/h, 60 km/h - 42 km/h)", "60", "60", "km/h"),
        ("36 km/h - 5 m/s", "18", "18", "km/h"),
        ("3 s * 36 km/h", "30", "30", "m"),
        ("10 to 60 km/h - 10 km/h", "0", "50", "km/h"),
        ("2 s * (10 to 36 km/h - 0 km/h)", "50/9", "20", "m"),
        ("at_most(0.2 m)", "0.2", "0.2", "m"),
        ("max(10 km/h, v_design)", "10", "10", "km/h"),
        ("high(10 to 60 km/h)", "60", "60", "km/h"),
        ("min(span(125 km/h, 135 km/h), 130 km/h)", "125", "130", "km/h"),
        ("max(130 km/h, span(125 km/h, 135 km/h))", "130", "135", "km/h"),
        ("sqrt(9 m * 4 m)", "6", "6", "m"),
    ],
)
def test_a_formula_over_quantities(formula: str, low: str, high: str, unit: str) -> None:
    found = value(parsed(formula))
    assert found is not None
    factor = UNITS[unit].factor
    assert (found[0] / factor, found[1] / factor, found[2]) == (Fraction(low), Fraction(high), UNITS[unit].dimension)


def test_a_symbol_has_no_value_but_its_numbers_are_known() -> None:
    formula = parsed("v_design - (70 km/h + 8 km/h)")
    assert value(formula) is None
    assert [leaf.lo for leaf in leaves(formula)] == [70, 8]


@pytest.mark.parametrize("formula", ["4 s + 20 km/h", "1 m / 0 s", "4 s *", "(4 s", "exec(1)", "4 s; 5 s"])
def test_what_cannot_be_calculated(formula: str) -> None:
    with pytest.raises(FormulaFault):
        value(parsed(formula))


def test_a_sheet_is_calculated_from_its_roots() -> None:
    sheet = SheetLines(
        {
            "bind.subject": {"value": "36"},
            "subject.speed": {"value": "999", "formula": "(bind.subject * 5 / 18)"},
            "way": {"value": "0", "formula": "subject.speed * 3 - sqrt(4)"},
        }
    )
    assert sheet.line("way") == pytest.approx(28)


@pytest.mark.parametrize("formula", ["missing * 2", "loop + 1", "1 / 0", "open('x')", "__import__"])
def test_a_line_that_cannot_be_calculated(formula: str) -> None:
    with pytest.raises(FormulaFault):
        SheetLines({"loop": {"value": "0", "formula": formula}}).line("loop")
