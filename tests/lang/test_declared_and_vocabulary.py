"""What the applicant declares makes numbers of symbols; the vocabulary and the manoeuvres say the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from regc.lang import ProfileError, evaluate, load_profile
from regc.lang.values import say
from regc.lang.vocabulary import vocabulary
from regc.model.suite import Suite
from regc.signals import EVENTS, SIGNALS
from tests.lang.documents import REGULATIONS, ROOT, embedded

MANOEUVRES = ROOT / "compiler" / "regc" / "manoeuvres"


def suite(regulation: str, file: str, **declared: str) -> Suite:
    return evaluate(load_profile(REGULATIONS / regulation / "profile.toml"), embedded(regulation, file), declared)


def test_a_declared_speed_decides_which_tests_there_are() -> None:
    """UN R131 at a maximum design speed of 90 km/h: no test beyond it, and the higher prescribed speed is what it leaves."""
    tests = suite("un131", "02.md", v_design="90 km/h").scenarios
    assert max(test.bind["subject"].lo for test in tests) == 90
    assert not any(test.applies_if for test in tests)
    heavy = [test for test in tests if test.test == "moving" and test.id.startswith("UNR131-02_p6.5_VtoMoV_Over8t_MaxMass_")]
    assert [say(test.bind["subject"]) for test in heavy if test.status == "mandatory"] == ["40 km/h +0/-2", "90 km/h +0/-2"]


def test_a_statement_decides_what_is_asked() -> None:
    asked = {test.id: {c.label: c for c in test.require} for test in suite("un131", "02.md", urban="yes").scenarios}
    one = asked["UNR131-02_p6.4_VtoStV_DerM1N1_MaxMass_050"]
    assert one["reduction"].only_if == ()
    assert one["reduction"].instead == "impact"
    asked = {test.id: {c.label for c in test.require} for test in suite("un131", "02.md", urban="no").scenarios}
    assert "reduction" not in asked["UNR131-02_p6.4_VtoStV_DerM1N1_MaxMass_050"]


def test_what_is_not_declared_stays_open() -> None:
    tests = {test.id: test for test in suite("un171", "00.md").scenarios}
    slower = tests["UNR171-00_A4-4.2.5.2.3_Slower"]
    assert say(slower.bind["target"]) == "v_slower - 50 km/h"
    assert not slower.bind["target"].is_number
    tests = {test.id: test for test in suite("un171", "00.md", v_slower="110 km/h", cut_in_type2="no").scenarios}
    slower = tests["UNR171-00_A4-4.2.5.2.3_Slower"]
    assert (say(slower.bind["target"]), slower.bind["target"].is_number) == ("60 km/h", True)
    assert not any("CutIn_Type2" in id for id in tests)
    assert any("CutIn_Type1" in id for id in tests)


@pytest.mark.parametrize(
    ("declared", "code"),
    [
        ({"v_desing": "90 km/h"}, "P101"),
        ({"v_design": "90 kg"}, "E402"),
        ({"v_design": "fast"}, "E402"),
        ({"urban": "maybe"}, "E402"),
        ({"urban": ""}, "E402"),
        ({"v_design": "-5 km/h"}, "E414"),
        ({"v_design": "not more than 90 km/h"}, "E414"),
        ({"v_design": "90 km/h +/- 5 km/h"}, "E414"),
        ({"v_design": "90 km/h or 100 km/h"}, "E414"),
    ],
)
def test_what_cannot_be_declared_is_refused(declared: dict[str, str], code: str) -> None:
    with pytest.raises(ProfileError) as refused:
        suite("un131", "02.md", **declared)
    assert refused.value.code == code


def test_every_manoeuvre_of_the_vocabulary_is_laid_out_by_its_file() -> None:
    for name in vocabulary().manoeuvres:
        tree = ast.parse((MANOEUVRES / f"{name}.py").read_text("utf-8"))
        assert any(isinstance(node, ast.FunctionDef) and node.name == "stage" for node in tree.body), name


@pytest.mark.parametrize("file", sorted(MANOEUVRES.glob("*.py")), ids=lambda file: file.stem)
def test_a_manoeuvre_asks_for_bindings_of_the_vocabulary_only(file: Path) -> None:
    """plan.si("ttc"), plan.has("run_up"): names of the manoeuvre, in shared files and in that of phases of any of them."""
    every = {name for manoeuvre in vocabulary().manoeuvres.values() for name in (*manoeuvre.bind, *manoeuvre.roles)}
    held = vocabulary().manoeuvres.get(file.stem) if file.stem != "sequence" else None
    names = {*held.bind, *held.roles} if held else every | set(vocabulary().conditions)
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("si", "has"):
            asked = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
            if isinstance(asked, str):
                assert asked in names, f"{file.name}:{node.lineno} asks for {asked}"


def test_every_signal_and_event_of_the_vocabulary_is_read_from_runs() -> None:
    named = {*vocabulary().signals, *vocabulary().events}
    assert named == {*SIGNALS, *EVENTS}
    assert vocabulary().on_record <= named
