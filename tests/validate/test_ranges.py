"""Units, sizes that a test can mean, tolerances, and the speed range."""

from __future__ import annotations

from decimal import Decimal

import pytest

from regc.job import Compiled
from regc.model.source import Tolerance
from regc.validate import ranges
from tests.validate.candidates import ONE, candidate, changed, scenario, valued


def test_true_builds_have_plausible_numbers(invented: Compiled) -> None:
    assert ranges.check(candidate(invented)) == ()


@pytest.mark.parametrize(
    ("field", "value", "unit", "code"),
    [
        ("trigger.min_ttc", "5", "fortnight", "V511"),
        ("subject.test_speed", "12000", "mph", "V512"),
        ("criteria.min_braking_demand", "40", "m/s2", "V512"),
        ("criteria.min_braking_demand", "0", "m/s2", "V512"),
        ("trigger.min_ttc", "5000", "s", "V512"),
        ("environment.max_temperature", "300", "degC", "V512"),
        ("approach.max_lateral_offset", "-1", "m", "V512"),
    ],
)
def test_units_and_sizes_that_no_test_means(field: str, value: str, unit: str, code: str, invented: Compiled) -> None:
    wrong = changed(scenario(invented), field, valued(value, unit=unit))
    found = [finding for finding in ranges.check(candidate(invented, wrong)) if finding.code == code]
    assert [(finding.field, finding.severity, finding.scenario) for finding in found] == [(field, "error", ONE)]
    assert f"{value} {unit}" in found[0].message
    assert found[0].hint


@pytest.mark.parametrize(("plus", "minus", "wrong"), [("0", "1", False), ("18", "0", True), ("0", "18", True), ("17.9", "0", False)])
def test_a_tolerance_is_smaller_than_its_value(plus: str, minus: str, wrong: bool, invented: Compiled) -> None:
    held = Tolerance(plus=Decimal(plus), minus=Decimal(minus))
    item = changed(scenario(invented), "subject.test_speed", valued("18", tolerance=held))
    codes = [finding.code for finding in ranges.check(candidate(invented, item))]
    assert codes == (["V513"] if wrong else [])


@pytest.mark.parametrize(("speed", "outside"), [("5.9", True), ("6", False), ("30", False), ("30.1", True)])
def test_the_speed_range_holds_its_ends(speed: str, outside: bool, invented: Compiled) -> None:
    item = changed(scenario(invented), "subject.test_speed", valued(speed))
    found = ranges.check(candidate(invented, item))
    assert [finding.code for finding in found] == (["V514"] if outside else [])
    if outside:
        assert "6 to 30 mph (3.1.3)" in found[0].message


def test_no_range_no_finding(invented: Compiled) -> None:
    item = changed(scenario(invented), "subject.test_speed", valued("99")).model_copy(update={"envelope": ()})
    assert ranges.check(candidate(invented, item)) == ()
