"""A text that the language was not made for: UN R79's tests of assistance functions, against a person's reading of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from regc.lang import ProfileError, evaluate, lint, load_profile
from regc.model.value import Value
from regc.truth import compare_fields, read_truth
from tests.lang.documents import ROOT, official

PROFILE = Path(ROOT) / "tests" / "fixtures" / "regulations" / "un79"
#: Ranges of a small vehicle: speed from, speed to, lateral acceleration.
RANGES = {"l1": (10, 60, "2.5"), "l2": (60, 100, "2.5"), "l3": (100, 130, "2"), "l4": (130, 150, "3.5")}
DECLARED = {
    f"{name}.{value}": text
    for value, (low, high, most) in RANGES.items()
    for name, text in (("v_from", f"{low} km/h"), ("v_to", f"{high} km/h"), ("ay_smax", f"{most} m/s2"))
}


def test_it_says_what_a_person_read() -> None:
    suite = evaluate(load_profile(PROFILE), official("distractors/un79.pdf"), strict=True)
    assert len(suite.scenarios) == 30
    truth = read_truth(ROOT / "golden" / "un79" / "04" / "truth" / "truth.csv")
    result = compare_fields(truth, suite.scenarios)
    assert (result.differences, result.missing, result.extra) == ((), (), ())
    sequences = [test for test in suite.scenarios if test.phases]
    phases = {test.test: "; ".join(f"{phase.name} {phase.manoeuvre}" for phase in test.phases) for test in sequences}
    overtaken = "enable approach_from_rear; change lane_change"
    assert phases == {
        "three_interventions": "first leave_lane; second leave_lane; third leave_lane",
        "lane_change_function": overtaken,
        "minimum_speed": overtaken,
        "override_change": overtaken,
    }


def test_nothing_of_its_scope_is_left_over() -> None:
    assert [finding.message for finding in lint(load_profile(PROFILE), official("distractors/un79.pdf"))] == []


def test_contiguous_ranges_of_one_declared_acceleration_are_one_test() -> None:
    suite = evaluate(load_profile(PROFILE), official("distractors/un79.pdf"), DECLARED, strict=True)
    speeds = {test.axes["range"].value: test.bind["subject"] for test in suite.scenarios if test.test == "lane_keeping"}
    told = {name: (str(value.lo), str(value.hi)) for name, value in speeds.items() if isinstance(value, Value) and value.lo is not None}
    assert told == {"l1+l2": ("10", "100"), "l3": ("100", "130"), "l4": ("130", "150")}


def test_a_declared_acceleration_above_the_table_is_an_error() -> None:
    found = lint(load_profile(PROFILE), official("distractors/un79.pdf"), DECLARED)
    assert [finding.code for finding in found if finding.severity == "error"] == ["X502"]
    assert "ay_smax = 3.5 m/s2" in next(finding.message for finding in found if finding.code == "X502")


def test_a_cap_cuts_the_upper_end_of_a_range() -> None:
    suite = evaluate(load_profile(PROFILE), official("distractors/un79.pdf"), {"v_smax": "145 km/h"}, strict=True)
    (speed,) = [test.bind["subject"] for test in suite.scenarios if test.id == "UNR79_A8-3.2.4_HandsOn_high"]
    assert isinstance(speed, Value)
    assert (str(speed.lo), str(speed.hi), speed.unit) == ("125", "130", "km/h")


def test_a_cap_below_the_lower_end_is_an_error_with_its_place() -> None:
    with pytest.raises(ProfileError) as refused:
        evaluate(load_profile(PROFILE), official("distractors/un79.pdf"), {"v_smax": "180 km/h"}, strict=True)
    assert refused.value.code == "E415"
    assert "begins at 160 km/h and ends at 130 km/h" in refused.value.message
    assert refused.value.place.endswith("profile.toml:100")
    assert refused.value.hint


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "lateral_acceleration <= ay_smax + [5.6.2.1.1: aysmax by not more than _ , while]",
            "lateral_acceleration >= ay_smax + [5.6.2.1.1: aysmax by not more than _ , while]",
            "the criterion asks >=; the words say <=ay_smax + 0.3 m/s2: un79 5.6.2.1.1",
        ),
        ("detection_distance >= at_least([at: no later than])", "detection_distance >= [at: no later than]", "may mean at most"),
        ("detection_distance >= at_least([at: no later than])", "detection_distance <= [at: no later than]", "may mean at least"),
    ],
    ids=["the place of the number, not of what is declared", "a distance in time: at least", "a distance in time: at most"],
)
def test_a_bound_that_the_words_do_not_say_is_refused_with_its_own_place(old: str, new: str, says: str, tmp_path: Path) -> None:
    folder = tmp_path / "un79"
    shutil.copytree(PROFILE, folder)
    text = (folder / "profile.toml").read_text("utf-8")
    assert old in text
    (folder / "profile.toml").write_text(text.replace(old, new), "utf-8")
    with pytest.raises(ProfileError) as told:
        evaluate(load_profile(folder), official("distractors/un79.pdf"), strict=True)
    assert told.value.code == "E406"
    assert says in told.value.message
