"""A number that a formula gives a symbol against the sentences of its clause."""

from __future__ import annotations

import pytest

from regc.lang.twice import formula_differs

HEADWAY = "The headways are those of 4.0 s and 1.5 s time to collision (TTC)."


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("TTC_0 = 4.0", None),
        ("TTC_0 = 4", None),
        ("$TTC_{1.5} = 1.5$", None),
        (r"\text{TTC} = 4.0", None),
        ("TTC_0 = 5.0", "its clause says 4.0 s, 1.5 s"),
        (r"\mathrm{TTC}_0 = 5.0", "its clause says 4.0 s, 1.5 s"),
        ("TTC_{1.5} = 4.0", "the index says 1.5"),
        ("TTC_0 = 4.0\nTTC_1 = 2.5", "its clause says 4.0 s, 1.5 s"),
        ("THW = 5.0", None),  # no sentence names it
        (r"L_0 = TTC_0 \times 5.0", None),  # no number alone
    ],
)
def test_what_a_formula_gives_stands_in_a_sentence(formula: str, told: str | None) -> None:
    assert formula_differs(formula, ["Speeds are 30 km/h.", HEADWAY]) == told
