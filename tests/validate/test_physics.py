"""Derived numbers follow from their parts, and limits can be limits."""

from __future__ import annotations

import pytest

from regc.job import Compiled
from regc.validate import physics
from tests.validate.candidates import ROLLING, candidate, changed, scenario, valued


def codes(compiled: Compiled, item: object) -> list[str]:
    found = physics.check(candidate(compiled, item))  # type: ignore[arg-type]
    assert all(finding.severity == "error" and finding.hint for finding in found)
    return [finding.code for finding in found]


def test_true_builds_are_possible(invented: Compiled, embedded: Compiled) -> None:
    assert physics.check(candidate(invented)) == ()
    assert not any(finding.code.startswith("V53") for finding in embedded.checked.findings)


def test_the_relative_speed_is_the_difference_of_the_speeds(invented: Compiled) -> None:
    rolling = scenario(invented, ROLLING)
    assert codes(invented, changed(rolling, "target.speed", valued("7"))) == ["V531"]
    assert codes(invented, changed(rolling, "relative_speed", valued("13"))) == ["V531"]
    assert codes(invented, rolling) == []


@pytest.mark.parametrize(("limit", "wrong"), [("17.9", False), ("18", True), ("18.1", True), ("0.0", False)])
def test_a_limit_is_below_the_closing_speed(limit: str, wrong: bool, invented: Compiled) -> None:
    item = changed(scenario(invented), "criteria.max_impact_speed", valued(limit))
    assert codes(invented, item) == (["V532"] if wrong else [])


def test_a_limit_that_no_braking_on_that_road_can_reach(invented: Compiled) -> None:
    """18 mph to 6.5 mph: 8.05 m/s to 2.91 m/s; within 0.5 s at that speed 6.99 m/s2 are needed, and 0.7 g are 6.87 m/s2."""
    late = changed(scenario(invented), "trigger.min_ttc", valued("0.5"))
    assert codes(invented, late) == ["V533"]
    (finding,) = physics.check(candidate(invented, late))
    assert "7.0 m/s2 from the start of the functional part are needed, the road gives 6.9 m/s2" in finding.message
    assert codes(invented, changed(late, "environment.peak_braking_coefficient", valued("0.75"))) == []
