"""The formula language of a stage's sheet."""

from __future__ import annotations

import pytest

from regc.model.formula import FormulaError, evaluate, folded, names, of_functions, rewritten


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("bind.subject * 5 / 18", 16.6666667),
        ("(bind.subject - 20) / 2", 20.0),
        ("-target.start.x + 1.5", -8.5),
        ("min(bind.subject, target.start.x)", 10.0),
        ("sqrt(target.start.x * 10) - max(1, 2)", 8.0),
        ("acos(0)", 1.5707963),
    ],
)
def test_a_formula_is_calculated(formula: str, expected: float) -> None:
    assert evaluate(formula, {"bind.subject": 60.0, "target.start.x": 10.0}) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        ("subject +", "is no formula"),
        ("speed * 2", "'speed' has no value"),
        ("__import__('os')", "is not of the formula language"),
        ("a.b()", "is not of the formula language"),
        ("2 ** 8", "is not of the formula language"),
        ("'text'", "is not of the formula language"),
        ("True", "is not of the formula language"),
        ("1 / (2 - 2)", "cannot be calculated"),
        ("sqrt(0 - 1)", "cannot be calculated"),
    ],
)
def test_what_is_no_formula_says_why(formula: str, says: str) -> None:
    with pytest.raises(FormulaError, match=says.replace("(", r"\(").replace("*", r"\*")):
        evaluate(formula, {"a.b": 1.0})


def test_names_stand_once_and_in_order() -> None:
    assert names("max(b.c, a) * (a - b.c) / sqrt(d)") == ("b.c", "a", "d")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("speed * sin(angle) + 2 * x", "speed * 0.5 + 2 * x"),
        ("speed - max(0, 0 - x)", "speed - 0.0"),
        ("cos(speed) * x", "cos(speed) * x"),  # what stays open keeps its function
        ("max(speed, sqrt(x))", "max(speed, 2.0)"),
        ("speed + x", "speed + x"),
    ],
)
def test_functions_of_what_is_known_are_their_values(formula: str, expected: str) -> None:
    assert folded(formula, {"angle": 0.5235987755982989, "x": 4.0}).replace("0.49999999999999994", "0.5") == expected


def test_names_of_functions_are_those_in_their_brackets() -> None:
    assert set(of_functions("a * sin(b.c - 2) + max(d, 1 / b.c)")) == {"b.c", "d"}


def test_a_number_is_written_without_an_exponent() -> None:
    assert rewritten("a * 0.00001 - 5", lambda name: "$a") == "(($a * 0.00001) - 5)"
