"""What a newcomer types first: names as people write them, short flags, help by group, a shell that completes."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

from regc.cli.main import main
from regc.cli.usage import EXAMPLES
from regc.errors import UnknownNameError
from regc.pipeline.build import compile_regulation
from regc.pipeline.build_folder import chosen
from regc.pipeline.profiles import profile_folder, regulation_name
from regc.pipeline.request import Compiled, Request


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    assert stopped.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["un152", "UN152", "R152", "r152", "un-152", "UN R152", "UN-R.152", "152"])
def test_names_of_a_un_regulation(name: str) -> None:
    assert regulation_name(name) == "un152"
    assert profile_folder(name).name == "un152"


@pytest.mark.parametrize("name", ["fmvss127", "FMVSS127", "fmvss-127", "FMVSS 127", "FMVSS No. 127"])
def test_names_of_another_regulation(name: str) -> None:
    assert regulation_name(name) == "fmvss127"


def test_a_name_that_is_none_keeps_its_error() -> None:
    with pytest.raises(UnknownNameError, match="no 'un15x'"):
        profile_folder("UN15x")


def test_categories_tests_and_axes_in_any_capitals(embedded: Compiled) -> None:
    suite = embedded.suite
    small = chosen(suite, Request("un152", tests=("ctob",), categories=("m1",), where={"LOAD": "MAX"}))
    large = chosen(suite, Request("un152", tests=("CtoB",), categories=("M1",), where={"load": "max"}))
    assert small.chosen == large.chosen
    assert small.chosen


def of_un131(*categories: str, tests: tuple[str, ...] = ()) -> dict[str, int]:
    """How many tests of UN R131 a filter leaves, by name."""
    whole = compile_regulation(Request("un131")).suite
    return Counter(scenario.test for scenario in chosen(whole, Request("un131", tests=tests, categories=categories)).selected)


def test_a_vehicle_category_holds_its_parts_by_mass() -> None:
    """UN R131: M3 up to 8 t stands in three classes, M3 above 8 t in the fourth; the false reaction test is for every M3. The turn
    before an oncoming vehicle (Annex 3, Appendix 2) is not for M3 above 8 t."""
    assert of_un131("M3")["stationary"] == of_un131()["stationary"] == 96
    heavy = of_un131("M3>8t")
    assert (heavy["stationary"], heavy["false_reaction"], heavy["turn_before_oncoming"]) == (24, 1, 0)
    light = of_un131("m3<=8t")
    assert (light["stationary"], light["false_reaction"], light["turn_before_oncoming"]) == (72, 1, 1)


def test_an_axis_value_leaves_the_tests_without_that_axis_by_what_it_covers() -> None:
    """UN R131: the class above 8 t covers M3, N2 above 8 t and N3; footnote 10 of Annex 3 - Appendix 2 leaves these out."""
    heavy = of_un131("over_8t")
    assert (heavy["stationary"], heavy["false_reaction"], heavy["lead_turns_off"], heavy["turn_before_oncoming"]) == (24, 1, 1, 0)
    light = of_un131("hydraulic")
    assert (light["stationary"], light["false_reaction"], light["lead_turns_off"], light["turn_before_oncoming"]) == (24, 1, 1, 1)
    loaded = of_un131("max")  # a load state covers no category: what has no load state is of each
    assert (loaded["stationary"], loaded["false_reaction"], loaded["turn_before_oncoming"]) == (48, 1, 1)


@pytest.mark.parametrize(
    ("arguments", "says", "step"),
    [
        (("cite", "un131"), "regc cite: argument place is missing: '[address: words]'", "regc cite un152 "),
        (("cite",), "regc cite: argument regulation is missing: regulation id", "regc cite un152 "),
        (("golden", "check"), "regc golden: argument regulation is missing", "regc golden check un152"),
        (("golden",), "regc golden: argument action is missing: check or update", "regc golden check un152"),
        (("build",), "regc build: argument REG is missing: un152, R152", "regc build un152"),
        (("bench", "retrieval"), "regc bench retrieval: option --regulation is missing: ", "regc bench retrieval --regulation un152"),
        (("bench", "llm"), "regc bench: No such command 'llm'", "regc bench -h"),
        (("list", "--category", "M1"), "regc list: No such option: --category", "regc list -h"),
        (("build", "un152", "--targt", "text"), "No such option: --targt", "regc build un152"),
    ],
    ids=" ".join,
)
def test_a_wrong_command_line_names_what_is_wrong_and_a_line_to_try(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], says: str, step: str
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    told = capsys.readouterr()
    first, second = told.err.splitlines()
    assert (stopped.value.code, told.out) == (2, "")
    assert first.startswith("error: ")
    assert says in first
    assert second.startswith(f"  next: {step}")


@pytest.mark.parametrize("line", EXAMPLES.values())
def test_the_lines_to_try_are_understood(line: str) -> None:
    """They name a command, options of it, and as many arguments as it takes."""
    _, *arguments = shlex.split(line)
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "--help"])
    assert stopped.value.code == 0


def test_filters_that_leave_no_test_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no test is all of: turn_before_oncoming, N3"):
        of_un131("N3", tests=("turn_before_oncoming",))


def test_a_build_is_no_regulation(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}", "utf-8")
    with pytest.raises(UnknownNameError, match="is a build, not a regulation"):
        profile_folder(str(tmp_path))


def test_short_flags(capsys: pytest.CaptureFixture[str]) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", told(capsys, "-V"))
    assert told(capsys, "-h") == told(capsys, "--help")
    assert told(capsys, "show", "-h") == told(capsys, "show", "--help")


def test_help_of_build_shows_ten_options_first_and_the_others_by_group(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "build", "-h")
    groups = {
        head: re.findall(r"^  (?:-\w, )?(--[a-z-]+)", body, re.MULTILINE)
        for head, body in re.findall(r"^([A-Z][^\n]*):\n(.*?)(?=\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    }
    first = ["--target", "--source", "--reader", "--edition", "--family", "--category", "--sweep", "--declare", "--out", "--help"]
    assert groups["Options"] == first
    assert "--ego" in groups["How tests are laid out"]
    assert "--anchor" in groups["Target carla"]
    assert "--osc-version" in groups["Target openscenario"]
    assert groups["Targets csv, text"] == ["--templates"]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("regc bui", "build"),
        ("regc build un15", "un152"),
        ("regc build un152 -t carm", "carmaker"),
        ("regc build un152 --swe", "--sweep"),
        ("regc judge --part", "--partial"),
    ],
)
def test_a_shell_completes(line: str, wanted: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("_REGC_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    assert wanted in told(capsys).split()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("report", "regc report"),
        ("html", "regc report un152 --format html"),
        ("xlsx", "regc report un152 --format xlsx"),
        ("pdf", "regc report un152 --pdf"),
        ("judge", "regc judge"),
        ("verify", "regc verify"),
        ("xosc", "--target openscenario"),
        ("carlaa", "did you mean 'carla'"),
    ],
)
def test_a_target_that_is_none_points_to_what_is_meant(name: str, wanted: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["build", "un152", "--target", name])
    assert stopped.value.code == 2
    assert wanted in capsys.readouterr().err


def test_a_manifest_names_a_selection_as_the_suite_spells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "build", "un152", "--category", "m1", "--family", "ctob", "--where", "LOAD=MAX", "-t", "csv", "--out", str(tmp_path))
    manifest = json.loads((tmp_path / "un152-02" / "manifest.json").read_text("utf-8"))
    assert manifest["filters"]["csv"] == {"categories": ["M1"], "tests": ["CtoB"], "where": {"load": "max"}}
