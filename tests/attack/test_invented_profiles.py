"""Small changes to the invented regulation that once gave a wrong value in silence: now refused with the place, or read right."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from regc.errors import RegcError
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Compiled, Request
from tests.edits import RULES, own_regulation

#: Faults made on purpose, many of them: .ci/run has them after the others.
pytestmark = pytest.mark.slow

NOTE = "Between two rows the next higher one holds: at 14 mph the row of 18 mph and so 6.5/4.0 mph."
BETWEEN = ('between.next_higher = "[limit^1: the next higher]"', "")


def compiled(folder: Path, *changes: tuple[str, str], rules: str = RULES) -> Compiled:
    return compile_regulation(Request(str(own_regulation(folder / "own", *changes, rules=rules))))


def errors(made: Compiled) -> list[Finding]:
    return [finding for finding in made.suite.findings if finding.severity == "error"]


def by_speed(made: Compiled, test: str = "standing_cart", load: str = "crowded") -> dict[Decimal, Scenario]:
    return {
        item.number("subject").number: item  # type: ignore[union-attr]
        for item in made.suite.scenarios
        if item.test == test and item.axes["category"].value == "LS" and item.axes["load"].value == load
    }


def limit(scenario: Scenario) -> tuple[Decimal, str]:
    (impact,) = (criterion.limit for criterion in scenario.require if criterion.label == "impact")
    assert impact is not None
    return impact.value.number, impact.value.basis


# ---------------------------------------------------------------- what holds between two rows

#: A test at 14 mph, between the rows of 12 (1.5 mph) and 18 (6.5 mph).
BOTH_TABLES = ("**Heavy shuttle: highest remaining speed (mph)**", "**Heavy shuttle: highest remaining speed (mph)**[^1]")
BETWEEN_ROWS = ("speeds of 12 and 18 mph", "speeds of 14 and 18 mph")


@pytest.mark.parametrize(
    ("note", "rule", "number", "basis"),
    [
        ("the next higher one holds", "next_higher", "6.5", "cited"),
        ("the next lower one holds", "next_lower", "1.5", "cited"),
        ("the limit shall be interpolated linearly", "interpolate", "3.166666667", "derived"),
    ],
)
def test_the_rule_is_the_one_that_the_footnote_says(note: str, rule: str, number: str, basis: str, tmp_path: Path) -> None:
    text = RULES.replace(NOTE, f"Between two rows {note}.").replace(*BETWEEN_ROWS).replace(*BOTH_TABLES)
    profile = (
        ('next_higher = "[limit^1: the next higher]', f'{rule} = "[limit^1: Between two rows]'),
        CHECKS,
        ("[waive]", '[waive]\n"3.1.4#1^1" = "the rule"'),
    )
    made = compiled(tmp_path, *profile, rules=text)
    assert errors(made) == []
    found, held_as = limit(by_speed(made)[Decimal(14)])
    assert (format(round(found, 9), "f").rstrip("0"), held_as) == (number, basis)


#: The worked example goes with its footnote.
CHECKS = (
    """check = [
  { axes = { category = "LS", load = "crowded" }, all = "limit[[limit^1: at]] == [limit^1: and so _ /]" },
  { axes = { category = "LS", load = "empty" }, all = "limit[[limit^1: at]] == [limit^1: and so ... / _]" },
]
""",
    "",
)


@pytest.mark.parametrize("note", ["the next lower one holds", "the limit shall be interpolated linearly"])
def test_a_rule_that_the_footnote_does_not_say_is_refused(note: str, tmp_path: Path) -> None:
    """The profile says next higher; the footnote that it cites says otherwise."""
    text = RULES.replace(NOTE, f"Between two rows {note}.").replace(*BETWEEN_ROWS)
    made = compiled(tmp_path, ("the next higher]", "Between two rows]"), CHECKS, rules=text)
    assert {finding.code for finding in errors(made)} == {"T307"}
    assert all("profile.toml" in (finding.place or "") for finding in errors(made))


def test_without_a_rule_a_speed_between_two_rows_is_refused(tmp_path: Path) -> None:
    made = compiled(tmp_path, BETWEEN, CHECKS, rules=RULES.replace(*BETWEEN_ROWS))
    assert "T305" in {finding.code for finding in errors(made)}
    assert any("14 mph" in finding.message for finding in errors(made))


# ---------------------------------------------------------------- tolerances, bounds, names


@pytest.mark.parametrize("words", ["+/- 1 mph", "±1 mph", "+1/-1 mph", "+-1 mph"])
def test_plus_or_minus_is_a_tolerance_and_no_test_at_minus_one(words: str, tmp_path: Path) -> None:
    text = RULES.replace("12 and 18 mph (with a tolerance of +0/-1 mph)", f"12 and 18 mph (with a tolerance of {words})")
    assert text != RULES
    made = compiled(tmp_path, rules=text)
    assert errors(made) == []
    found = by_speed(made)
    assert min(found) == 6
    subject = found[Decimal(12)].number("subject")
    assert subject is not None
    assert subject.tolerance is not None
    assert (subject.tolerance.plus, subject.tolerance.minus) == (1, 1)


def test_a_number_is_no_upper_bound_that_the_words_do_not_give(tmp_path: Path) -> None:
    """ "between 6 mph and the highest design speed" names one number; the range of the test needs two."""
    text = RULES.replace("between 6 mph and 30 mph", "between 6 mph and the highest design speed")
    made = compiled(tmp_path, rules=text)
    inside = [item for item in made.suite.scenarios if item.entry == "further"]
    assert errors(made) or not any(item.number("subject").number > 6 for item in inside)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('"[at: offset]"', '"[req.1: at least]"', "L203"),  # a time where a length is wanted
        ('"[at: straight line]"', '"[at: offset]"', "L203"),
        ('"braking_demand >= [req.2: at least]"', '"braking_demand <= [req.2: at least]"', "E406"),
        ('"warning before braking by [req.1: at least]"', '"warning within [req.1: at least] after braking"', "E406"),
        ('"impact_speed <= limit[relative]"', '"impact_speed <= limit[relative] + 1"', "E401"),
        ('temperature = "[4.1.2]"', 'temperature = "[4.1.1]"', "L203"),
    ],
)  # fmt: skip
def test_words_that_say_something_else_are_refused(old: str, new: str, code: str, tmp_path: Path) -> None:
    made = compiled(tmp_path, (old, new))
    assert code in {finding.code for finding in errors(made)}, [finding.message for finding in made.suite.findings]


def test_a_mistyped_name_is_refused_with_the_name_meant(tmp_path: Path) -> None:
    with pytest.raises(RegcError) as refused:
        compiled(tmp_path, ("bind.ttc =", "bind.tcc ="))
    assert "'tcc'" in str(refused.value)
    assert "did you mean 'ttc'?" in refused.value.hint


# ---------------------------------------------------------------- marks and damaged cells


def test_a_superscript_behind_a_number_is_a_mark_and_no_digit(tmp_path: Path) -> None:
    """10.00 with the mark 9 is not 10.009."""
    made = compiled(tmp_path, rules=RULES.replace("<td>14.0</td>", "<td>14.0<sup>9</sup></td>"))
    found = by_speed(made)
    told = [finding for finding in made.suite.findings if finding.severity != "info"]
    assert told
    assert all(limit(item)[0] != Decimal("14.09") for item in found.values())


def test_a_lost_row_of_a_regular_table_is_told(tmp_path: Path) -> None:
    lost = "<tr><td>18</td><td>6.5</td><td>4.0</td></tr>\n"
    assert lost in RULES
    made = compiled(tmp_path, rules=RULES.replace(lost, ""))
    assert {finding.code for finding in made.suite.findings if finding.severity != "info"} & {"T313", "X501"}
