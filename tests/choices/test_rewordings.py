"""UN R152 in other words: without a model each loss is named with the nearest sentence, with one no scenario and no number is lost."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from regc.cache import Cache
from regc.choices.mend import ModelMender
from regc.choices.question import Questioner
from regc.lang.evaluate import make_program, run
from regc.lang.places import flat
from regc.lang.words import sentences
from regc.model.protocols import LLM
from regc.model.suite import Suite
from regc.pipeline.documents import read
from regc.pipeline.profiles import load_profile
from tests.conftest import ROOT
from tests.edits import TEXT, compile_text, edited, numbers
from tests.llm.fakes import FakeModel, choices_of, holding

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = tomllib.loads((ROOT / "tests" / "fixtures" / "rewordings.toml").read_text("utf-8"))["case"]
TESTS = {
    "6.4": {"stationary"}, "6.5": {"moving"}, "6.6.1": {"pedestrian"}, "6.7.1": {"bicycle"},
    "5.2.1.1": {"stationary", "moving"}, "5.2.1.2": {"stationary", "moving", "pedestrian", "bicycle"},
}  # fmt: skip


def name(case: dict[str, Any]) -> str:
    return f"{case['clause']} {case['kind']}: {case['new'][:30]}"


def compiled(case: dict[str, Any], folder: Path, model: FakeModel | None = None) -> Suite:
    return evaluated(edited(TEXT, case["behind"], case["old"], case["new"]), folder, model)


def evaluated(text: str, folder: Path, model: LLM | None) -> Suite:
    """The tests of a text and what was found on the way, without the lint, which takes most of the time."""
    path = folder / "copy.md"
    path.write_text(text, "utf-8")
    profile = load_profile("un152", None)
    program = make_program(profile, read(path, Cache(), id="un152", edition="02", title=""))
    program.reader.mender = ModelMender(profile, Questioner(model)) if model is not None else None
    suite = run(program, partial=True)
    chosen = program.reader.mender.findings(program.reader) if isinstance(program.reader.mender, ModelMender) else ()
    return suite.model_copy(update={"findings": (*suite.findings, *chosen)})


@pytest.fixture(scope="module")
def whole(embedded: Any) -> Suite:
    suite: Suite = embedded.suite
    return suite


@pytest.mark.parametrize("case", CASES, ids=name)
def test_with_a_model_nothing_is_lost(case: dict[str, Any], tmp_path: Path, whole: Suite) -> None:
    model = holding(*case["means"])
    suite = compiled(case, tmp_path, model)
    assert len(suite.scenarios) == 184
    assert numbers(suite.scenarios) == numbers(whole.scenarios)
    assert [finding for finding in suite.findings if finding.severity == "error"] == []
    assert len(model.asked) == 0 if case.get("reads") else 1 <= len(model.asked) <= 3
    assert [finding.code for finding in suite.findings if finding.code.startswith("M39")] == ["M391"] * len(model.asked)
    assert all("fake:model chose" in finding.message for finding in suite.findings if finding.code == "M391")


@pytest.mark.parametrize("case", [case for case in CASES if not case.get("reads")], ids=name)
def test_no_wrong_answer_passes(case: dict[str, Any], tmp_path: Path) -> None:
    """Each question is answered by each other label, everything else right: what the compiler does not refuse is an error."""
    model = holding(*case["means"])
    compiled(case, tmp_path, model)
    for question, answer in dict(zip(model.questions, model.answers, strict=True)).items():
        for label in choices_of(question):
            if label not in (answer, "none"):
                wrong = FakeModel(lambda said, choices, q=question, w=label: w if said == q else model.pick(said, choices))  # type: ignore[misc]
                suite = compiled(case, tmp_path, wrong)
                assert [finding for finding in suite.findings if finding.severity == "error"], choices_of(question)[label]


@pytest.mark.parametrize("case", CASES, ids=name)
def test_without_a_model_each_loss_is_named_with_the_nearest_sentence(case: dict[str, Any], tmp_path: Path, whole: Suite) -> None:
    suite = compiled(case, tmp_path)
    made = {scenario.test for scenario in suite.scenarios}
    lost = {scenario.test for scenario in whole.scenarios} - made
    findings = [finding for finding in suite.findings if finding.code in ("L203", "L205", "L206", "T301", "T302")]
    assert bool(findings) is not bool(case.get("reads"))
    assert all(any(finding.place and test in finding.place for finding in findings) or finding_of_all(findings) for test in lost)
    assert all(finding.hint for finding in findings)
    if lost:
        assert beginning(case, tmp_path) in flat(" ".join(finding.hint for finding in findings))


def beginning(case: dict[str, Any], folder: Path) -> str:
    """The first words of the reworded sentence; what a caption or header says now."""
    if case["new"].startswith(("*", "<")) or "|" in case["new"]:
        return flat(re.sub(r"[*]|</?th>", "", case["new"]))[:30]
    document = read(folder / "copy.md", Cache(), id="un152", edition="02", title="")
    text = next(clause.text for clause in document.clauses if clause.id == case["clause"])
    at = text.index(case["new"].split("@")[0])
    return flat(next(text[start:end] for start, end in sentences(text) if start <= at < end))[:30]


def finding_of_all(findings: list[Any]) -> bool:
    """Whether one place that several tests share is what was lost: it is told once."""
    return len({finding.message for finding in findings}) == len(findings)


# ---------------------------------------------------------------- as strict as the rules

SECOND = "For vehicles of category N1 it shall be driven in that way for at least three seconds. "


def test_a_second_number_in_the_clause_is_an_error_with_a_model_too(tmp_path: Path) -> None:
    """6.6.1 gains a sentence for N1 with 3 s, and the words for 2 s are gone: neither may be taken unseen."""
    text = edited(TEXT, "6.6.1.", "in a straight line for at least two seconds", "along a straight path for at least two seconds")
    text = edited(text, "6.6.1.", "At the start of the functional part", SECOND + "At the start of the functional part")
    for means in (">>two seconds<<", ">>three seconds<<"):
        suite = evaluated(text, tmp_path, holding(means))
        (rival,) = [finding for finding in suite.findings if finding.code == "M393"]
        assert rival.severity == "error"
        assert "3 s" in rival.message
        assert "2 s" in rival.message


def test_a_number_that_stood_elsewhere_is_never_offered_for_one_that_is_gone(tmp_path: Path) -> None:
    """6.6.1 without its straight drive: the 4 s of the TTC, which the TTC's words read, are all the seconds that are left."""
    text = edited(TEXT, "6.6.1.", " in a straight line for at least two seconds", "")
    model = holding("4 seconds")
    suite = evaluated(text, tmp_path, model)
    assert model.asked == []
    assert "pedestrian" not in {scenario.test for scenario in suite.scenarios}


def test_of_a_sentence_with_two_requirements_the_lost_one_can_be_chosen(tmp_path: Path) -> None:
    """6.6.1: "shall move at 5 km/h and shall not start before": the first is read, and the second is what is asked after."""
    case = next(case for case in CASES if "set off" in case["new"])
    model = holding("shall set off only once")
    compiled(case, tmp_path, model)
    assert [len(choices_of(question)) for question in model.questions] == [2]


def test_what_may_be_done_is_nothing_that_shall_be_done(tmp_path: Path) -> None:
    """6.10.2: "service may test" was said; "shall be analysed with the Technical Service" is no other way to say it."""
    case = next(case for case in CASES if case["clause"] == "6.10.2")
    model = holding("may be chosen")
    compiled(case, tmp_path, model)
    assert ["root cause" in question for question in model.questions] == [False]


@pytest.mark.parametrize(
    ("clause", "new", "offered"),
    [
        ("6.10.1", "Two runs shall be made of each", ["2"]),  # not the "one" of "one load condition", nor "one of the two test runs"
        ("6.10.1", "The test may be run again once if", ["1"]),
        ("6.1.1.1", "highest braking coefficient, which is 0.9", ["0.9"]),  # not the "one of two ways" of measuring it
    ],
)
def test_counts_that_can_be_meant(clause: str, new: str, offered: list[str], tmp_path: Path) -> None:
    case = next(case for case in CASES if case["clause"] == clause and case["new"].startswith(new))
    model = holding(*case["means"])
    compiled(case, tmp_path, model)
    (question,) = model.questions
    assert [said.partition(",")[0] for label, said in choices_of(question).items() if label != "none"] == offered


def test_two_lost_places_are_not_given_to_one_number(tmp_path: Path) -> None:
    """6.4 in other words for both of its times, and a model that takes 2 s for each: 4 s are read by nothing."""
    text = edited(TEXT, "## 6.4.", "in a straight line for at least two seconds", "along a straight path for at least two seconds")
    text = edited(text, "## 6.4.", "shall correspond to a Time To Collision (TTC) of at least 4 seconds", "shall be at least 4 seconds")
    suite = evaluated(text, tmp_path, holding(">>two seconds<<"))
    messages = [finding.message for finding in suite.findings if finding.code == "M393"]
    assert any("both given to 2 s" in message for message in messages)
    assert any("nothing reads 4 s" in message for message in messages)


def test_rivals_that_the_words_name_alike_are_never_asked(tmp_path: Path) -> None:
    text = edited(
        TEXT, "6.6.1.", "At the start of the functional part", SECOND.replace("in that way", "in a straight line") + "At the start"
    )
    model = holding(">>three seconds<<")
    suite = evaluated(text, tmp_path, model)
    assert model.asked == []
    assert any(finding.code == "L204" for finding in suite.findings)


def test_a_number_that_another_word_of_the_test_reads_is_no_choice(tmp_path: Path) -> None:
    """6.6.1 has 2 s and the 4 s of the TTC: the words of the TTC stand, so 4 s cannot be the straight drive."""
    case = next(case for case in CASES if case["clause"] == "6.6.1")
    seen: list[dict[str, str]] = []

    def pick(_: str, choices: dict[str, str]) -> str:
        seen.append(choices)
        return "A"

    compiled(case, tmp_path, FakeModel(pick))
    assert [sorted(choices) for choices in seen] == [["A", "none"]]


def test_a_choice_that_no_words_allow_goes_back_with_the_reason_at_most_twice(tmp_path: Path) -> None:
    """A lower bound is wanted; "at most 2 s" is refused each time, and the rules' error stands beside what the model said."""
    text = edited(TEXT, "## 6.4.", "in a straight line for at least two seconds", "along a straight path for at most two seconds")
    told: list[str] = []

    def pick(said: str, choices: dict[str, str]) -> str:
        told.append(said)
        return "A"

    suite = evaluated(text, tmp_path, FakeModel(pick))
    assert len(told) == 3
    assert "bind.straight_time is a lower bound" in told[1]
    assert {"L203", "M392"} <= {finding.code for finding in suite.findings}
    assert "stationary" not in {scenario.test for scenario in suite.scenarios}


def test_none_leaves_the_error_of_the_rules(tmp_path: Path) -> None:
    suite = compiled(CASES[0], tmp_path, holding("not there"))
    assert len(suite.scenarios) == 132
    assert {"L203", "M392"} <= {finding.code for finding in suite.findings}


def test_an_answer_that_is_no_choice_is_asked_again(tmp_path: Path) -> None:
    answers = iter(["3 s", "Z", "A"])
    suite = compiled(CASES[0], tmp_path, FakeModel(lambda *_: next(answers)))
    assert len(suite.scenarios) == 184


def test_a_document_that_reads_asks_nothing(tmp_path: Path) -> None:
    model = holding("anything")
    assert len(compile_text(TEXT, tmp_path, llm=model).suite.scenarios) == 184
    assert model.asked == []
