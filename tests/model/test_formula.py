"""The formula language of a stage's sheet."""

from __future__ import annotations

import pytest

from regc.model.formula import FormulaError, evaluate, names, plain


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


@pytest.mark.parametrize(("formula", "expected"), [("a * min(b, sqrt(c))", True), ("a * sin(b)", False)])
def test_angles_are_not_plain(formula: str, expected: bool) -> None:
    assert plain(formula) is expected
