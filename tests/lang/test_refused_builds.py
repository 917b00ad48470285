"""A fault put into the profile of a real regulation: `regc build` names it with its code and its line, and writes nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from regc.resources import package_data
from tests.conftest import Outcome

FOLDER = package_data("regulations")
PROFILE = (FOLDER / "un131" / "profile.toml").read_text("utf-8")
NO_WARNING = 'require.warning = { is = "no warning", said = "[.3: shall not provide]" }\n'
NO_BRAKING = 'require.braking = { is = "no braking", said = "[.3: shall not initiate]" }\n'
MARK = 'marks."***" = { covers = ["M3>8t"], said = "[limit^***: only applies to M3]" }\n'

#: What is wrong; what stands in the profile of UN R131, what is put there; the code and the words that name it.
FAULTS = {
    "a mistyped binding": ("bind.straight_time =", "bind.straight_tme =", "P101", "did you mean 'straight_time'?"),
    "words that name two numbers": ('bind.ttc = "[at: TTC]"', 'bind.ttc = "[at: at least]"', "L204", "names 2 numbers"),
    "a number without a place": (
        "min(avoid + [(c)(i)], v_design - target)",
        "min(avoid + 8, v_design - target)",
        "E401",
        "8 has no place",
    ),
    "a mark without a rule": (MARK, "", "T304", "has no rule"),
    "a lower bound for an upper one": ("approach_distance =", "vehicle_path =", "E406", "the words say >=60 m"),
    "another example than the text's": (
        'avoid = "last(limit, 0)" ',
        'avoid = "last(limit, 0) - [(a)]" ',
        "X501",
        "the text says otherwise",
    ),
    "a test without a criterion": (NO_WARNING + NO_BRAKING, "", "P111", "test false_reaction has no criterion"),
    "an item that is not there": ('bind.relative = ["[(a)]",', 'bind.relative = ["[(e)]",', "L202", "6.4 has no (e)"),
    "an event that is none": ('is = "no braking"', 'is = "no breaking"', "P101", "did you mean 'braking'?"),
    "a speed that is a length": ('bind.offset = "[at: offset]"', 'bind.offset = "v_design"', "E402", "is a length"),
    "words that no number stands by": ("[at: straight line]", "[at: bent line]", "L203", 'no time near "bent line"'),
    "a speed that nothing gives": ('bind.target = "[at: _ target]"\n', "", "E404", "'target' has no value here"),
    "a criterion without a place": (NO_WARNING, 'require.warning = "no warning"\n', "P113", 'the criterion "no warning" has no place'),
}


def changed(folder: Path, old: str, new: str) -> Path:
    """The profile of UN R131 with its text and what it shares with others, and one thing changed."""
    assert PROFILE.count(old) == 1
    shutil.copytree(FOLDER / "parts", folder / "parts")
    own = Path(shutil.copytree(FOLDER / "un131", folder / "un131"))
    (own / "profile.toml").write_text(PROFILE.replace(old, new), "utf-8")
    return own


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_refused_and_nothing_is_written(name: str, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    old, new, code, says = FAULTS[name]
    done = cli("build", changed(tmp_path, old, new), "--out", tmp_path / "out")
    told = " ".join((done.out + done.err).split())
    assert done.code in (1, 2)
    assert f"error {code}: " in told
    assert says in told
    assert "profile.toml:" in told
    assert not (tmp_path / "out").exists()


def test_an_example_that_no_check_holds_any_more_is_told(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    held = 'check = [{ axes = { class = "derived" }, some = "relative == [(c)(i): e.g. ... conducted at]" }]\n'

    def unheld(profile: Path | str) -> set[str]:
        return {item["place"] for item in json.loads(cli("check", profile, "--json").out)["findings"] if item["code"] == "C107"}

    assert unheld(changed(tmp_path, held, "")) - unheld("un131") == {"6.4(c)(i)"}


def test_words_that_do_not_stand_there_and_steer_nothing_are_told(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    own = changed(tmp_path, "[at: any other speeds]", "[at: any faster speeds]")
    told = [item for item in json.loads(cli("check", own, "--json").out)["findings"] if item["code"] == "L205"]
    assert {item["severity"] for item in told} == {"warning"}
    assert all("do not stand there" in item["message"] for item in told)
