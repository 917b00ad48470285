"""Every word that the vocabulary lacks is named at once, with its line, and counted; edits of UN R130's profile."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from regc.lang.faults import ProfileError, nearest
from regc.lang.load import load_profile
from regc.pipeline.profiles import profile_folder
from tests.conftest import Outcome

#: What stands there, what is put in its place, the fault that is told.
EDITS = (
    ("bind.rate =", "bind.drift_rate =", "no binding of drift 'drift_rate'"),
    ('"warning before line_crossed(', '"warning before lyne_crossed(', "no event 'lyne_crossed'"),
    ('is = "warning_modes >=', 'is = "warning_moods >=', "no signal 'warning_moods'"),
    ("conditions.temperature", "conditions.temprature", "no name of conditions 'temprature'"),
)


def edited(folder: Path, edits: tuple[tuple[str, str, str], ...]) -> Path:
    """UN R130's folder with words changed."""
    own = Path(shutil.copytree(profile_folder("un130"), folder / "own", ignore=shutil.ignore_patterns("__pycache__", "*.py")))
    text = (own / "profile.toml").read_text("utf-8")
    for old, new, _ in edits:
        assert old in text
        text = text.replace(old, new)
    (own / "profile.toml").write_text(text, "utf-8")
    return own


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit[1])
def test_each_word_is_named_where_it_stands(tmp_path: Path, edit: tuple[str, str, str]) -> None:
    """Beside a first fault, so that the others are those that the list is made of."""
    first = ('kind = "standing"', 'kind = "stending"', "no kind of card 'stending'")
    own = edited(tmp_path, (first, edit))
    with pytest.raises(ProfileError) as caught:
        load_profile(own)
    told = {error.message: error.place for error in (caught.value, *caught.value.others)}
    assert edit[2] in told
    number = int(told[edit[2]].rpartition(":")[2])
    assert edit[1].strip('"') in (own / "profile.toml").read_text("utf-8").splitlines()[number - 1]


def test_check_names_all_and_counts_them(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    outcome = cli("check", str(edited(tmp_path, EDITS)))
    assert outcome.code == 1
    for _, _, fault in EDITS:
        assert fault in re.sub(r"\s+", " ", outcome.out)
    assert "4 words that regc does not know" in outcome.out


def test_a_sound_profile_lacks_nothing() -> None:
    assert load_profile(profile_folder("un130")).id == "un130"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("lateral_jrek", "lateral_jerk"),
        ("lanechange", "lane_change"),
        ("tcc", "ttc"),
        ("lateral_offset", None),
        ("target_speed", None),
        ("steering_angle", None),
    ],
)
def test_a_shared_word_is_no_likeness(written: str, meant: str | None) -> None:
    names = ("lateral_jerk", "lateral_acceleration", "lane_change", "ttc", "steer_speed", "turn_speed", "steering_force")
    assert nearest(written, names) == meant


TUGS = """id = "tugs"
title = "Tugs"
scope = ["2"]

[[test]]
name = "overtake"
at = "2"
manoeuvre = "overtake"
bind.subject = "[at: at]"
bind.bend_radius = "[at: radius]"
bind.side = "upper [at: side]"
actors.target = "cyclist [at: cyclist]"
actors.guard = "car [at: car]"
conditions.visibility = "[at: visibility]"
conditions.headlamps = "dimmed [at: lamps]"
runs.laps = "[at: times]"
require.request = "takeover_request before standstill by [at: least]"
require.tone = "warning(musical [at: tone])"
require.pressure = "brake_pressure <= [at: exceed]"
"""


def test_a_test_of_a_manoeuvre_that_nobody_knows_is_read_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "profile.toml").write_text(TUGS, "utf-8")
    with pytest.raises(ProfileError) as caught:
        load_profile(tmp_path)
    told = {error.message for error in (caught.value, *caught.value.others)}
    assert told == {
        "no manoeuvre 'overtake'", "no binding 'bend_radius'", "no value of side 'upper'", "no kind of actor 'cyclist'",
        "no role 'guard'", "no name of conditions 'visibility'", "no value of headlamps 'dimmed'", "no name of runs 'laps'",
        "no event 'takeover_request'", "no event 'standstill'", "no value of warning 'musical'", "no signal 'brake_pressure'",
    }  # fmt: skip


def test_a_unit_that_nothing_calculates_with_is_told(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    text = """# Tugs

# 2. What is asked

2.1. A tug shall drive towards a stationary car at 12 knots and brake with at least 8 bar at a
density of smoke below 0.5 m⁻¹.
"""
    (tmp_path / "rules.md").write_text(text, "utf-8")
    profile = """id = "tugs"
title = "Tugs"
text = "rules.md"
scope = ["2"]

[[test]]
name = "near"
at = "2.1"
manoeuvre = "in_lane"
bind.subject = "[at: car at]"
bind.target = "[at: _ car]"
actors.target = "car [at: car]"
require.contact = { is = "no contact", said = "[at: brake]" }
"""
    (tmp_path / "profile.toml").write_text(profile, "utf-8")
    told = re.sub(r"\s+", " ", cli("check", str(tmp_path)).out)
    assert "error L203" in told
    assert "'12 knots' cannot be read: a unit that regc does not have" in told
    assert "'8 bar' cannot be read: a unit that regc does not have" in told
    assert "'0.5 m⁻¹' cannot be read: a unit that regc does not have" in told
