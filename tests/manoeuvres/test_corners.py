"""Ranges become concrete tests at their ends; what follows is calculated, what is open has no corner."""

from __future__ import annotations

import pytest
from tests.manoeuvres.factory import made

from regc.errors import StagingError
from regc.manoeuvres.corners import corners, independent
from regc.manoeuvres.data import load
from regc.model.scenario import Scenario
from regc.model.value import Value
from regc.motion import play
from regc.pipeline.staging import staged

DATA = load()


def numbers(scenario: Scenario, *bindings: str) -> list[str]:
    """What is bound, as text."""
    found = [scenario.number(name) for name in bindings]
    return [f"{value.number:f} {value.unit}" for value in found if value]


def test_a_range_has_two_corners_and_what_follows_is_calculated() -> None:
    """5 s * (10 - 0) km/h = 13.888889 m and 5 s * 80 km/h = 111.111111 m."""
    test = made("in_lane", {"subject": "10..80 km/h", "target": "0 km/h", "relative": "10..80 km/h", "ttc": "5 s", "gap": "13..112 m"})
    assert independent(test) == ("subject",)
    found = corners(test)
    assert [corner.id for corner in found] == ["made_1_010", "made_1_080"]
    assert [numbers(corner, "subject", "relative", "gap") for corner in found] == [
        ["10 km/h", "10 km/h", "13.888889 m"],
        ["80 km/h", "80 km/h", "111.111111 m"],
    ]
    assert all(bound.is_number for corner in found for bound in corner.bind.values() if isinstance(bound, Value))
    gap = found[1].number("gap")
    assert gap is not None
    assert (gap.basis, gap.formula) == ("derived", "ttc * relative")


def test_independent_ranges_are_combined() -> None:
    bind = {"subject": "50 km/h", "target": "50 km/h", "gap": "12..40 m", "target_deceleration": "0.3..0.5 g"}
    found = corners(made("in_lane", bind, {"target": "car"}))
    assert [corner.id.removeprefix("made_1_") for corner in found] == ["012-000.3", "012-000.5", "040-000.3", "040-000.5"]
    contacts = []
    for stage in staged([made("in_lane", bind, {"target": "car"})], DATA).stages:
        run = play(stage)
        assert run.contact is not None
        contacts.append(round(run.contact.time - run.events["functional_part"], 1))
    # sqrt(2 * gap / rate); at 40 m and 0.5 g after the lead has come to rest: (40 + 19.7) / 13.9
    assert contacts == [2.9, 2.2, 5.2, 4.3]


def test_points_lie_evenly_between() -> None:
    found = corners(made("in_lane", {"subject": "10..80 km/h", "target": "0 km/h"}), points=1)
    assert [corner.id for corner in found] == ["made_1_010", "made_1_045", "made_1_080"]
    middle = found[1].number("subject")
    assert middle is not None
    assert (middle.basis, middle.formula) == ("derived", "10 + (80 - 10) * 1 / 2")
    with pytest.raises(StagingError, match="--points -1"):
        corners(made("in_lane", {"subject": "10..80 km/h", "target": "0 km/h"}), points=-1)


def test_another_run_takes_the_other_end() -> None:
    first = made("drift", {"subject": "65 km/h", "rate": "0.1..0.8 m/s"})
    other = made("drift", {"subject": "65 km/h", "rate": "!0.1..0.8 m/s"})
    pairs = zip(corners(first), corners(other), strict=True)
    assert [numbers(one, "rate") + numbers(two, "rate") for one, two in pairs] == [["0.1 m/s", "0.8 m/s"], ["0.8 m/s", "0.1 m/s"]]


@pytest.mark.parametrize(
    "bind",
    [
        {"subject": "?v_stationary", "target": "0 km/h"},
        {"subject": "60 km/h", "target": "0 km/h", "offset": ">0.5 m"},
        {"subject": "!70 km/h", "target": "0 km/h"},
        {"subject": "10..80 km/h", "target": "0 km/h", "offset": ">0.5 m"},
    ],
)
def test_a_symbol_and_an_open_side_have_no_corner(bind: dict[str, str]) -> None:
    test = made("in_lane", bind, {"target": "car"})
    assert corners(test) == []
    result = staged([test], DATA)
    assert (len(result.stages), len(result.logical)) == (0, 1)
    assert result.logical[0].free


def test_what_is_concrete_is_its_own_corner() -> None:
    test = made("in_lane", {"subject": "60 km/h", "target": "0 km/h", "offset": "<=0.2 m", "ttc": ">=4 s", "lane_width": ">3.5 m"})
    assert corners(test) == [test]


def test_a_suite_has_concrete_and_logical_stages_and_says_what_is_left_out() -> None:
    tests = [
        made("in_lane", {"subject": "10..80 km/h", "target": "0 km/h", "ttc": "5 s"}, {"target": "car"}, id="ranges"),
        made("in_lane", {"subject": "10 km/h", "target": "20 km/h"}, {"target": "car"}, id="never"),
        made("hover", {"subject": "10 km/h"}, id="hover"),
    ]
    result = staged(tests, DATA)
    assert [(stage.scenario, stage.stem) for stage in result.stages] == [("ranges", "ranges_010"), ("ranges", "ranges_080")]
    assert [(stage.stem, [(free.name, str(free.lo), str(free.hi)) for free in stage.free]) for stage in result.logical] == [
        ("ranges", [("bind.subject", "10", "80")])
    ]
    assert list(result.left_out) == ["never", "hover"]
    assert "does not close in" in result.left_out["never"]


def test_a_symbol_that_follows_stays_a_formula() -> None:
    """A target 50 km/h slower than a declared speed is slower whatever is declared."""
    test = made("in_lane", {"subject": "?v_slower", "relative": "50 km/h", "target": "?v_slower - 50"}, {"target": "car"})
    (logical,) = staged([test], DATA).logical
    assert [free.name for free in logical.free] == ["bind.subject"]
    assert logical.sheet["target_speed"].formula == "((bind.subject * 5 / 18) - (bind.relative * 5 / 18))"
    assert logical.mover("target").speed * 3.6 == pytest.approx(10)
