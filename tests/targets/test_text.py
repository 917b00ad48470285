"""Text cases from which a test is run alone, and procedure cards."""

from __future__ import annotations

import csv
import io
import re
from functools import cache

import pytest

from regc import wording
from regc.pipeline.build import compile_regulation
from regc.pipeline.profiles import regulation_names
from regc.pipeline.request import Compiled, Request, Staging
from regc.pipeline.staging import stage_suite
from regc.plugins import TARGETS
from regc.targets import text

PARTS = ["Prepare", "Approach", "Functional part", "End", "Assess"]


@cache
def made(name: str) -> tuple[Compiled, dict[str, str]]:
    compiled = compile_regulation(Request(name))
    files = text.emit(compiled.suite, stage_suite(compiled.suite, Staging()), text.Options())
    return compiled, {item.path.rpartition("/")[2].removesuffix(".md"): item.content.decode() for item in files}


def case(ending: str, name: str = "un152") -> str:
    return next(content for id, content in made(name)[1].items() if id.endswith(ending))


def section(content: str, name: str) -> str:
    found = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", content, re.MULTILINE | re.DOTALL)
    assert found, name
    return found[1]


@pytest.mark.parametrize("name", regulation_names())
def test_every_case_has_the_parts_in_order_and_numbered_steps(name: str) -> None:
    compiled, files = made(name)
    for scenario in compiled.suite.scenarios:
        content = files[scenario.id]
        heads = re.findall(r"^## (.*)", content, re.MULTILINE)
        assert heads[:5] == PARTS
        steps = [int(number) for number in re.findall(r"^(\d+)\. ", content, re.MULTILINE)]
        assert steps == list(range(1, len(steps) + 1)), scenario.id
        assert section(content, "Result").count("\n| ") >= 2


def test_targets_are_those_of_the_test() -> None:
    """The definition of a target stands in the tests that have it, and in no other."""
    assert "(un152 6.3.1)" in section(case("p6.4_CtoStC_M1_MaxMass_020"), "Prepare")
    bicycle = case("p6.7.1_CtoB_M1_MaxMass_020")
    assert "(un152 6.3.3)" in section(bicycle, "Prepare")
    assert not re.search(r"un152 6\.3\.[12]\)|un152 6\.6\.2", bicycle)
    assert "reference point" in section(case("p6.4_CtoStC_M1_MaxMass_020"), "Prepare")
    walker = case("p6.6.1_VtoP_DerM1N1_MaxMass_020", "un131")
    assert "un131 6.3.2" in walker
    assert "un131 6.3.1" not in walker


def test_conditioning_friction_and_when_a_test_is_passed() -> None:
    content = case("p6.4_CtoStC_M1_MaxMass_020")
    prepare = section(content, "Prepare")
    for clause in ("6.1.1.2", "6.1.1.3", "6.2.2.1", "6.2.3"):
        assert f"(un152 {clause})" in prepare, clause
    assert "(un152 6.10.1)" in section(content, "Assess")


def test_the_procedure_stands_there_in_the_documents_words() -> None:
    words = section(case("p6.7.1_CtoB_M1_MaxMass_020"), "The procedure in the document's words")
    assert "crankshaft" in words
    assert "constant speed" in words


def test_a_contradiction_is_named_as_a_choice() -> None:
    content = case("p6.7.1_CtoB_M1_MaxMass_020")
    head = content.partition("## Prepare")[0]
    assert "The document says two things that do not go together." in head
    assert "- The target accelerates before the functional part" in head
    assert "do not go together" not in case("p6.6.1_CtoP_M1_MaxMass_020")


def test_a_limit_that_changes_inside_the_tolerance() -> None:
    told = "By the measured relative speed: up to 38 km/h: not more than 0.00 km/h; above 38 km/h: not more than 10.00 km/h"
    assert told in section(case("p6.7.1_CtoB_M1_MaxMass_040"), "Assess")
    assert "changes inside" not in case("p6.7.1_CtoB_M1_MaxMass_020")


def test_a_row_for_every_run_and_repeat() -> None:
    rows = re.findall(r"^\| ([^|]+) \|", section(case("p6.7.1_CtoB_M1_MaxMass_020"), "Result"), re.MULTILINE)
    assert rows == ["run", "1", "2", "repeat 1"]
    assert "| Measured speed |" in section(case("p6.7.1_CtoB_M1_MaxMass_020"), "Result")


def test_a_working_figure_says_what_it_rests_on() -> None:
    rows = {
        cells[3]: cells[2]
        for line in section(case("p6.7.1_CtoB_M1_MaxMass_020"), "Working figures").splitlines()
        if len(cells := line.strip("| ").split(" | ")) == 5
    }
    assert rows["closing_speed"] == "derived"
    assert rows["run_up_distance"] == "assumed: A844"
    assert rows["functional_distance"] == "assumed: A835"


def test_false_reactions_have_their_own_description() -> None:
    for ending, clause in (("S1-IntersectionTurn", "1.1"), ("S3-CurveGuardPipe", "3.1")):
        assert f"(un152 Annex 3 - Appendix 2, {clause})" in section(case(ending), "Prepare")


def test_leads_of_a_card_have_no_box() -> None:
    card = case("card_Deactivation")
    boxes = re.findall(r"^\d+\. \[ \] .*\(un152 ([\d.]+)\)$", card, re.MULTILINE)
    assert "5.4.1.4" in boxes
    assert not {"5.4.1", "5.4.2"} & set(boxes)
    assert re.search(r"^\*\*.*\*\* \(un152 5\.4\.1\)$", card, re.MULTILINE)
    assert "| un152 5.4.1 |" not in card


@pytest.mark.parametrize("target", ["text", "csv", "carla", "carmaker", "neutral"])
def test_a_borrowed_tolerance_is_marked_in_every_target_that_people_read(target: str) -> None:
    compiled, _ = made("un152")
    borrowed = {item.id for item in compiled.suite.scenarios if any("A861" in note for note in wording.assumed_notes(item))}
    assert len(borrowed) > 100
    module = TARGETS.load(target)
    staged = stage_suite(compiled.suite, Staging())
    unmarked = [
        item.path
        for item in module.emit(compiled.suite, staged, module.Options())
        if item.scenario in borrowed and not item.path.endswith((".csv", ".txt")) and b"A861" not in item.content
    ]
    assert unmarked == []
    if target == "csv":
        rows = list(csv.DictReader(io.StringIO(module.emit(compiled.suite, staged, module.Options())[0].content.decode())))
        assert {row["Unique_ID"] for row in rows if "A861" in row["notes"]} == borrowed


#: The third point of UN R131 6.5, "or the maximum design speed, whichever is lower", while that is not declared.
CAPPED = "UNR131-02_p6.5_VtoMoV_Over8t_MaxMass_098-020"
CONDITION = "where v_design - 20 km/h is at least 78 km/h"


@pytest.mark.parametrize("target", ["text", "csv", "carla", "carmaker", "openscenario", "neutral"])
def test_a_number_that_something_declared_may_undercut_says_so(target: str) -> None:
    compiled, _ = made("un131")
    suite = compiled.suite.model_copy(update={"scenarios": tuple(item for item in compiled.suite.scenarios if item.id == CAPPED)})
    module = TARGETS.load(target)
    files = {item.path: item.content.decode() for item in module.emit(suite, stage_suite(suite, Staging()), module.Options())}
    told = [path for path, content in files.items() if CONDITION in content or "v_design - 20 km/h >= 78 km/h" in content]
    own = [path for path in files if CAPPED in path and not path.endswith((".csv", ".txt"))] or ["csv/test_cases.csv"]
    assert told
    assert set(own) - set(told) == set()


def test_a_capped_number_stands_with_its_condition_where_it_is_driven() -> None:
    content = case("VtoMoV_Over8t_MaxMass_098-020", "un131")
    assert f"98 km/h (+0/-2 km/h, {CONDITION})" in section(content, "Approach") + section(content, "Functional part")
