"""Text cases from which a test is run alone, and procedure cards."""

from __future__ import annotations

import csv
import io
import itertools
import re
from functools import cache

import pytest

from regc import wording
from regc.model.stage import Staged
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
        parts = [head for head in PARTS if head in heads]
        assert heads[: len(parts)] == parts
        assert all(re.search(r"^\d+\. ", section(content, part), re.MULTILINE) for part in parts), scenario.id
        assert set(PARTS) - set(parts) <= {"Functional part"}, scenario.id  # driven past something, with nothing of its own then
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


@pytest.mark.parametrize(
    ("name", "ending", "clauses"),
    [
        ("un131", "VtoStV_Over8t_MaxMass_080", "6.2.2.1 6.2.2.2 6.2.3"),
        ("fmvss127", "SlowLead_NoBrake_040to080", "S6.1.4 S6.3.1 S6.3.5 S6.3.14"),
        ("fmvss127", "PedHidden_Right_O50_Hidden_Day_010to050", "S6.3.5 S6.4.3"),
        ("fmvss127", "PedStand_Right_O25_InSight_Day_010to055", "S6.3.5 S6.4.2"),
    ],
)
def test_what_a_heading_holds_below_it_is_prepared(name: str, ending: str, clauses: str) -> None:
    """Brakes at 65 to 100 degC, sensors free of dirt, the mannequin: paragraphs below a heading that has no words of its own."""
    prepare = section(case(ending, name), "Prepare")
    assert [clause for clause in clauses.split() if f"({name} {clause})" not in prepare] == []


@pytest.mark.parametrize(
    ("ending", "line"),
    [
        ("CutIn_Type2", "when the target has ended its change of lane: 1.5 s (un171 Annex 4, 4.2.5.2.6.1.3"),
        ("CutOut", "of the lead vehicle to the target when it begins its change of lane: 3 s (un171 Annex 4, 4.2.5.2.5.1.3"),
    ],
)
def test_a_time_to_collision_is_of_the_moment_that_the_document_names(ending: str, line: str) -> None:
    """UN R171: the time to collision of a cut-in and of a cut-out is not that at the start of the functional part."""
    content = section(case(ending, "un171"), "Functional part")
    assert f"Time to collision (TTC) {line}" in content
    assert "The functional part begins at a time to collision" not in content


def test_what_several_tests_share_stands_in_each_of_them_and_in_no_other() -> None:
    """FMVSS 127: S8.3.6 ends the runs with a crossing pedestrian; S10.4 is for who brakes in a run with manual brake application."""
    assert "(fmvss127 S8.3.6)" in case("PedNear_Right_O25_InSight_Day_010to060", "fmvss127")
    assert "(fmvss127 S8.3.6)" not in case("PedStand_Right_O25_InSight_Day_010to055", "fmvss127")
    assert "(fmvss127 S10.4)" in case("StopLead_ManBrake_070to100", "fmvss127")
    assert "(fmvss127 S10.4)" not in case("StopLead_NoBrake_010to080", "fmvss127")


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
    told = (
        "By the measured speed of the subject vehicle: up to 38 km/h: not more than 0.00 km/h; above 38 km/h: not more than 10.00 km/h"
    )
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
CONDITION = "where the declared maximum design speed of the vehicle minus 20 km/h is at least 78 km/h"


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


#: Every edition that ships.
EDITIONS = (*regulation_names(), "un152@eu2020-1597")


@cache
def told(edition: str) -> dict[str, list[str]]:
    """Id -> the lines that a person reads, without the ids, the tables of figures and the places behind the lines."""
    name, _, other = edition.partition("@")
    suite = compile_regulation(Request(name, edition=other or None)).suite
    files = text.emit(suite, stage_suite(suite, Staging()), text.Options())
    lines = {}
    for item in files:
        body = re.split(r"^## (?:Working figures|Sources)$", item.content.decode(), flags=re.MULTILINE)[0]
        lines[item.path] = [re.sub(rf" \({suite.regulation} .*\)$", "", line) for line in body.split("\n") if not line.startswith("# ")]
    return lines


def sentences(edition: str) -> set[str]:
    return {re.sub(r"^(?:\d+\. |- |> )", "", line) for lines in told(edition).values() for line in lines}


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_name_of_a_declared_quantity_is_explained_in_each_text_that_has_it_and_no_other_name_is_raw(edition: str) -> None:
    for path, lines in told(edition).items():
        named = {name for line in lines for name in re.findall(r"\b[a-z]+_[a-z_0-9]+\b", line)}
        explained = {match[1] for line in lines if (match := re.match(r"- ([a-z_0-9]+): \w", line))}
        assert named <= explained, path


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_head_is_said_twice_and_no_reason_is_a_scrap(edition: str) -> None:
    assert [line for line in sentences(edition) if re.search(r"\b([\w ]+): \1\b", line, re.IGNORECASE)] == []
    # "where cannot be anticipated", "Only where Type 1 & not exceeding": what follows is a sentence with a subject
    assert [line for line in sentences(edition) if re.search(r"\bwhere (?:cannot|is|not|of)\b|\bOnly where [^.]*&", line)] == []


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_line_that_leads_in_a_list_is_followed_by_it(edition: str) -> None:
    """The list stands in the line itself, or in the lines after it, from the paragraphs that the document has next."""
    for path, lines in told(edition).items():
        steps = [line for line in lines if re.match(r"\d+\. ", line)]
        for line, after in itertools.pairwise([*steps, ""]):
            if line.endswith(":"):
                assert re.match(r"\d+\. (?:\(|At |By )", after), f"{path}: {line}"


@pytest.mark.parametrize(
    ("name", "ending", "wanted"),
    [
        ("un152", "CtoStC_M1_MaxMass_042", "Relative impact speed: not more than 10.00 km/h"),
        ("un152", "CtoP_M1_MaxMass_042", "Impact speed: not more than 10.00 km/h"),
        ("un152", "CtoB_M1_MassRun_060", "Impact speed: not more than 40.00 km/h"),
        ("un131", "VtoStV_DerM1N1_MaxMass_060", "Relative impact speed: not more than 25 km/h"),
        ("un131", "VtoP_DerM1N1_MaxMass_060", "Impact speed: not more than 46 km/h"),
    ],
)
def test_the_limit_is_of_what_the_document_calls_it(name: str, ending: str, wanted: str) -> None:
    assert f". {wanted}" in section(case(ending, name), "Assess")


@pytest.mark.parametrize(("speed", "asked"), [("035", False), ("040", True), ("050", True), ("100", True)])
def test_vehicles_in_urban_areas_reduce_their_speed_instead_where_they_are_fast_enough(speed: str, asked: bool) -> None:
    """A reduction of 40 km/h cannot be asked for below. A run at 40 km/h may be up to 2 km/h faster, where the table asks for more."""
    line = "at least 40 km/h, in place of the limit of the relative impact speed (where the vehicle is one of those driving in urban"
    assert (line in section(case(f"VtoStV_Over8t_MaxMass_{speed}", "un131"), "Assess")) is asked


def test_a_mark_and_its_rule_stand_with_the_number_in_each_artefact() -> None:
    """UN R131, table 1: the 54 km/h of the heaviest class hold for M3 alone."""
    content = case("VtoStV_Over8t_MaxMass_100", "un131")
    assert "\nOnly for M3>8t (un131 5.2.1.4, footnote ***).\n" in content
    line = next(line for line in section(content, "Assess").split("\n") if "not more than 54 km/h" in line)
    assert "(only for M3>8t, footnote ***)" in line
    assert "un131 5.2.1.4, footnote ***" in line.rpartition("(un131")[2] or "footnote ***)" in line
    suite = made("un131")[0].suite
    rows = csv.DictReader(io.StringIO(TARGETS.load("csv").emit(suite, Staged(), TARGETS.load("csv").Options())[0].content.decode()))
    row = next(row for row in rows if row["Unique_ID"].endswith("VtoStV_Over8t_MaxMass_100"))
    assert "not more than 54 km/h (only for M3>8t, footnote ***)" in " ".join(row.values())
    assert "only for M3>8t (un131 5.2.1.4, footnote ***)" in row["notes"]
    assert "only for M3>8t" not in case("VtoStV_Over8t_MaxMass_090", "un131")


@pytest.mark.parametrize(
    ("name", "ending", "wanted"),
    [
        ("un152", "CtoStC_M1_MaxMass_042", "about to collide"),
        ("un152", "CtoMoC_M1_MaxMass_030-020", "about to collide"),
        ("un152", "CtoP_M1_MaxMass_042", "a collision is possible with a pedestrian"),
        ("un152", "CtoB_M1_MaxMass_040", "a collision is possible with a bicycle"),
        ("un131", "VtoStV_Over8t_MaxMass_050", "about to collide"),
        ("un131", "VtoP_Over8t_MaxMass_020", "a collision is possible with a pedestrian"),
        ("fmvss127", "StopLead_NoBrake_010to080", "must first give a forward collision warning"),
        ("fmvss127", "TrenchPlate_NoBrake_080", "must not exceed what the driver's own braking alone gives"),
        ("un130", "Drift_Left_0.1to0.8", "the LDWS shall warn the driver"),
    ],
)
def test_a_text_tells_under_which_conditions_its_requirement_holds(name: str, ending: str, wanted: str) -> None:
    assert wanted in case(ending, name)


@pytest.mark.parametrize(
    ("name", "ending", "wanted"),
    [
        ("un152", "CtoStC_M1_MassRun_042", "Load state: mass in running order (MassRun in the id)"),
        ("un152", "CtoStC_M1_MaxMass_042", "Load state: maximum mass (MaxMass in the id)"),
        ("un152", "CtoStC_M1_MaxMass_042", "Category: M1"),
        ("fmvss127", "StopLead_NoBrake_010to080", "Manual brake application: no (NoBrake in the id)"),
        ("un171", "CutIn_Type1", "Type 1"),
    ],
)
def test_what_an_id_calls_an_axis_value_is_explained(name: str, ending: str, wanted: str) -> None:
    assert re.search(rf"^1?\d\. {re.escape(wanted)}(?: \({name}|$)", section(case(ending, name), "Prepare"), re.MULTILINE)


def rows_of(name: str) -> dict[str, str]:
    """Id -> the whole line of the CSV."""
    suite = compile_regulation(Request(name)).suite
    content = TARGETS.load("csv").emit(suite, Staged(), TARGETS.load("csv").Options())[0].content.decode()
    return {row["Unique_ID"]: " ".join(row.values()) for row in csv.DictReader(io.StringIO(content))}


def test_csv_says_what_hides_the_bicycle_and_hides_no_pedestrian() -> None:
    # 6.7.1: obstructed during its acceleration, and met at its crankshaft; 6.6.1 has neither
    rows = rows_of("un152")
    bicycle, pedestrian = rows["UNR152-02_p6.7.1_CtoB_M1_MassRun_040"], rows["UNR152-02_p6.6.1_CtoP_M1_MassRun_042"]
    assert "While it accelerates, before the functional part, an obstruction hides it from the subject vehicle." in bicycle
    assert "the anticipated impact point (the crankshaft of the bicycle) is not more than 0.1 m" in bicycle
    assert "obstruction" not in pedestrian
    assert "crankshaft" not in pedestrian


def test_a_test_without_a_title_of_its_own_has_the_heading_above_it() -> None:
    titles = {scenario.test: scenario.title for scenario in made("un152")[0].suite.scenarios}
    assert titles["turn_before_oncoming"] == "False Reaction scenarios, Scenario 1: left turn or right turn at the intersection"
    assert titles["lane_change_before_sign"] == "False Reaction scenarios, Scenario 4: lane change due to road construction"
    assert titles["bicycle"] == "Warning and Activation Test with a Bicycle Target"


def test_what_is_assumed_without_a_unit_is_a_bare_number() -> None:
    assumed = section(case("CtoB_M1_MassRun_040"), "Assumed")
    assert "spare_steps 2, phase 0.1," in assumed
    assert not re.search(r"\d 1[,| ]", assumed)
