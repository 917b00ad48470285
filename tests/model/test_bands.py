"""Limits inside the tolerance of a test: UN R152's footnotes, the next higher row of the measured relative speed."""

from __future__ import annotations

import pytest

from regc.pipeline.request import Compiled
from regc.targets.text import band_of, steps_of


def steps(compiled: Compiled, ending: str) -> list[str]:
    suite = compiled.suite
    scenario = next(item for item in suite.scenarios if item.id.endswith(ending))
    asked = next(one for one in scenario.require if one.limit is not None and one.limit.key)
    found = steps_of(suite, scenario, asked)
    return [f"{step.low or ''}..{step.high}: {step.limit.lo}" for step in found.steps] if found else []


@pytest.mark.parametrize(
    ("ending", "wanted"),
    [
        ("p6.4_CtoStC_M1_MaxMass_042", ["..40: 0.00", "40..42: 10.00"]),  # 42 +0/-2: 40 to 42
        ("p6.4_CtoStC_M1_MaxMass_040", []),  # 40 +0/-2: 38 to 40, and 0.00 up to 40
        ("p6.7.1_CtoB_M1_MaxMass_040", ["..38: 0.00", "38..40: 10.00"]),
        ("p6.4_CtoStC_M1_MassRun_020", []),
    ],
)
def test_limits_by_the_measured_speed(embedded: Compiled, ending: str, wanted: list[str]) -> None:
    assert steps(embedded, ending) == wanted


def test_twenty_four_tests_have_them_two_of_them_mandatory(embedded: Compiled) -> None:
    suite = embedded.suite
    found = [item for item in suite.scenarios if any(steps_of(suite, item, one) for one in item.require)]
    assert len(found) == 24
    assert sum(item.status == "mandatory" for item in found) == 2


def test_the_band_of_a_target_ahead_has_both_tolerances(embedded: Compiled) -> None:
    ahead = next(item for item in embedded.suite.scenarios if item.id.endswith("CtoMoC_M1_MaxMass_060-020"))
    crossing = next(item for item in embedded.suite.scenarios if item.id.endswith("CtoB_M1_MaxMass_060"))
    subject, target = ahead.number("subject"), ahead.number("target")
    assert subject is not None
    assert subject.tolerance is not None
    assert target is not None
    assert target.tolerance is not None
    low = 40 - subject.tolerance.minus - target.tolerance.plus
    assert band_of(ahead, "relative") == (low, 40 + subject.tolerance.plus + target.tolerance.minus, "km/h")
    assert band_of(crossing, "relative") == (58, 60, "km/h")
