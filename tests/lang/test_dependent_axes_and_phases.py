"""Axes that depend on each other, declarations per axis value and in words, groups, phases, tests in columns: the lane guides."""

from __future__ import annotations

from pathlib import Path

import pytest

from regc.lang import ProfileError, evaluate, lint, load_profile
from regc.manoeuvres import data, stage
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.suite import Suite
from regc.model.value import Value
from regc.truth import cells as columns
from tests.lang.test_faults import replaced, rules

CASES = Path(__file__).parent / "cases" / "guides"
PROFILE = (CASES / "profile.toml").read_text("utf-8")
RULES = (CASES / "rules.md").read_text("utf-8")
#: A small shuttle whose two ranges have the same lateral acceleration, and a large one.
DECLARED = {
    "v_least.small_low": "10 km/h",
    "v_most.small_low": "40 km/h",
    "a_max.small_low": "2 m/s2",
    "v_least.small_high": "40 km/h",
    "v_most.small_high": "70 km/h",
    "a_max.small_high": "2 m/s2",
    "v_least.large": "10 km/h",
    "v_most.large": "25 km/h",
    "a_max.large": "1 m/s2",
}


def suite(declared: dict[str, str] | None = None) -> Suite:
    return evaluate(load_profile(CASES), rules(RULES), declared, strict=True)


def cells(made: Suite, *names: str) -> dict[str, tuple[str, ...]]:
    return {test.id.removeprefix("GUIDES-1_"): tuple(columns(test).get(name, "") for name in names) for test in made.scenarios}


def faults(folder: Path, old: str, new: str, declared: dict[str, str] | None = None) -> tuple[Finding, ...]:
    file = folder / "profile.toml"
    file.write_text(replaced(PROFILE, old, new), "utf-8")
    try:
        return lint(load_profile(file), rules(RULES), declared)
    except ProfileError as error:
        return (error.finding(),)


def test_the_profile_is_without_fault() -> None:
    assert [finding.message for finding in lint(load_profile(CASES), rules(RULES))] == []


def test_an_axis_value_goes_only_with_the_values_that_it_names() -> None:
    assert list(cells(suite(), "axis.class"))[:3] == [
        "p6.1_Bend_small_low_span-v-least-v-most",
        "p6.1_Bend_small_high_span-v-least-v-most",
        "p6.1_Bend_large_large_span-v-least-v-most",
    ]


def test_each_range_has_its_own_declared_speeds() -> None:
    declared = DECLARED | {"a_max.small_high": "2.5 m/s2"}
    assert cells(suite(declared), "bind.subject", "bind.lateral_acceleration") == {
        "p6.1_Bend_small_low_010to040": ("10..40 km/h", "1.6..1.8 m/s2"),
        "p6.1_Bend_small_high_040to070": ("40..70 km/h", "2..2.25 m/s2"),
        "p6.1_Bend_large_large_010to025": ("10..25 km/h", "0.8..0.9 m/s2"),
        "p6.2_Overtaken_small_030": ("30 km/h", ""),
        "p6.2_Overtaken_large_030": ("30 km/h", ""),
        "p6.3_Bollard_020": ("20 km/h", ""),
        "p6.3_Bollard_040": ("40 km/h", ""),
    }


def test_contiguous_ranges_with_the_same_declared_value_are_one_test() -> None:
    made = suite(DECLARED)
    assert cells(made, "axis.range", "bind.subject", "bind.lateral_acceleration")["p6.1_Bend_small_low+high_010to070"] == (
        "small_low+small_high",
        "10..70 km/h",
        "1.6..1.8 m/s2",
    )
    assert "p6.1_Bend_small_high_040to070" not in cells(made)


def test_ranges_that_do_not_adjoin_and_values_that_are_not_declared_stay_apart() -> None:
    assert "p6.1_Bend_small_high_045to070" in cells(suite(DECLARED | {"v_least.small_high": "45 km/h"}))
    assert "p6.1_Bend_small_high_span-v-least-v-most" in cells(suite())


def test_a_declared_value_outside_the_table_is_an_error() -> None:
    found = lint(load_profile(CASES), rules(RULES), DECLARED | {"a_max.large": "2.5 m/s2"})
    assert [(finding.code, finding.severity) for finding in found] == [("X502", "error")]
    assert "declared a_max = 2.5 m/s2" in found[0].message
    assert "class large" in found[0].message
    assert found[0].place == "profile.toml:50"


def test_a_quantity_per_axis_value_is_declared_for_each_of_them() -> None:
    with pytest.raises(ProfileError, match="no declared quantity 'a_max'") as raised:
        suite({"a_max": "1 m/s2"})
    assert raised.value.hint == "--declare a_max.VALUE, one for each value of axis range"
    with pytest.raises(ProfileError, match="no value of axis range 'larg'"):
        suite({"a_max.larg": "1 m/s2"})


def test_a_quantity_per_axis_value_needs_a_test_of_that_axis(tmp_path: Path) -> None:
    found = faults(
        tmp_path,
        'bind.displacement = "[at: changes lanes by]"',
        'bind.displacement = "[at: changes lanes by]"\nbind.relative = "v_least"',
    )
    assert [(finding.code, finding.hint) for finding in found] == [("E413", "vary or fix range")]


def test_one_of_several_declared_words_decides_what_is_asked() -> None:
    open_ = cells(suite(), "require.automatic.if", "require.driver.if")["p6.2_Overtaken_small_030"]
    assert open_ == ("start = automatic", "start = second_action")
    given = cells(suite({"start": "second_action"}), "require.automatic", "require.driver", "require.driver.if")
    assert given["p6.2_Overtaken_small_030"] == ("", "lane_change within 5.0 s after warning", "")
    with pytest.raises(ProfileError, match="no word of start 'manual'"):
        suite({"start": "manual"})


def test_a_declared_word_is_compared_with_one_of_its_words(tmp_path: Path) -> None:
    assert faults(tmp_path, "start == automatic", "start == automatc")[0].hint == "did you mean 'automatic'?"
    assert faults(tmp_path, "start == automatic", "start <= automatic")[0].code == "E405"
    assert faults(tmp_path, "automatic|second_action [", "automatic|second-action [")[0].code == "P103"


def phases(test: Scenario) -> list[tuple[str, str, str, str]]:
    return [
        (
            phase.name,
            phase.manoeuvre,
            ", ".join(f"{name} {value.lo} {value.unit}" for name, value in phase.bind.items() if isinstance(value, Value)),
            phase.until.a.name if phase.until and phase.until.a else "",
        )
        for phase in test.phases
    ]


def test_a_sequence_is_a_list_of_manoeuvres_with_their_own_ends() -> None:
    small, large = (test for test in suite().scenarios if test.test == "overtaken")
    assert phases(small) == [
        ("pass", "approach_from_rear", "subject 30 km/h, target 50 km/h, relative 20 km/h", ""),
        ("change", "lane_change", "subject 30 km/h, displacement 3.5 m", "lane_change_end"),
    ]
    assert phases(large)[0][2] == "subject 30 km/h, target 40 km/h, relative 10 km/h"
    assert [(criterion.label, criterion.phase) for criterion in small.require] == [("automatic", "change"), ("driver", "change")]
    assert "phases.0.bind.target" in dict(small.values())
    subject, target = (small.phases[0].bind[name] for name in ("subject", "target"))
    assert isinstance(subject, Value)
    assert subject.tolerance
    assert subject.tolerance.plus == 2
    assert isinstance(target, Value)
    assert target.tolerance
    assert target.tolerance.plus == 2


def test_a_sequence_is_laid_out_phase_by_phase() -> None:
    test = next(test for test in suite().scenarios if test.phases)
    laid_out = stage(test, data.load())
    assert [name for name in laid_out.events if name.startswith("phase_")] == ["phase_pass", "phase_change"]
    assert laid_out.mover("target").speed == pytest.approx(50 / 3.6)


def test_a_phase_is_checked_as_a_test_is(tmp_path: Path) -> None:
    assert (
        faults(tmp_path, 'phase = "change" }\nrequire.driver', 'phase = "chnge" }\nrequire.driver')[0].hint == "did you mean 'change'?"
    )
    assert faults(tmp_path, 'name = "change"', 'name = "pass"')[0].message == "two phases are named 'pass'"
    assert faults(tmp_path, "bind.displacement", "bind.displacment")[0].hint == "did you mean 'displacement'?"
    assert faults(tmp_path, 'at = "6.2"', 'at = "6.2"\nmanoeuvre = "drift"')[0].code == "P119"
    assert faults(tmp_path, 'manoeuvre = "lane_change"', 'manoeuvre = "sequence"')[0].code == "P119"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            'manoeuvre = "approach_from_rear"',
            'manoeuvre = "in_lane"',
            "phase pass: in_lane ends where its target is met, and phase change is to follow",
        ),
        (
            'manoeuvre = "approach_from_rear"',
            'manoeuvre = "turn_across"',
            "phase pass: turn_across has a junction or an end of its own, so it is no phase of a run with others",
        ),
    ],
)
def test_phases_that_cannot_follow_one_another_are_named(tmp_path: Path, old: str, new: str, says: str) -> None:
    found = faults(tmp_path, old, new)[0]
    assert (found.code, found.message) == ("P120", says)
    assert "profile.toml:" in str(found.place)


def test_the_columns_of_a_transposed_table_are_the_tests() -> None:
    made = cells(suite(), "bind.subject", "bind.target", "require.line")
    assert made["p6.3_Bollard_040"] == ("40 km/h", "0 km/h", "no line_crossed(0.3 m)")
    bound = suite().scenarios[-1].bind["subject"]
    assert (bound.sources[0].row, bound.sources[0].column) == ("Shuttle (km/h)", "Test B")


def test_a_group_gives_its_tests_what_they_share(tmp_path: Path) -> None:
    assert cells(suite(), "require.line")["p6.1_Bend_small_low_span-v-least-v-most"] == ("no line_crossed",)
    assert faults(tmp_path, 'in = "line"\nat = "6.1"', 'in = "lines"\nat = "6.1"')[0].hint == "did you mean 'line'?"
    assert faults(tmp_path, "[group.line]\n", '[group.line]\nname = "x"\n')[0].code == "P103"


def test_two_axes_do_not_give_one_name(tmp_path: Path) -> None:
    found = faults(tmp_path, 'small = "Small shuttles"', 'small = { words = "Small shuttles", let = { a_top = "[5.1.1]" } }')
    assert found[0].message == "axis class and axis range both give 'a_top'"
