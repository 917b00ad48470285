"""`regc draft --llm`: what rules leave open is chosen by a model among what the compiler lists, compiled at once, and marked."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from regc.cache import Cache
from regc.choices.question import Questioner
from regc.draft import Drafted, draft
from regc.lang.lint import lint
from regc.lang.load import load_profile
from regc.model.document import Document
from regc.pipeline.documents import read
from tests.llm.fakes import FakeModel

TEXT = """# Regulation No. 999 on keeping clear

## 5. Requirements

5.1. In the trial of paragraph 6.1. the automated function shall keep clear of the hindrance. The function is described in a manual.

## 6. Trials

## 6.1. Hindrance trial

The tests shall be performed on a dry road. A hindrance at rest, 0 km/h, waits on the path. Carts come nearer with 40 km/h +-2 km/h.

The end is in sight for no less than 3 s beforehand.
"""


@pytest.fixture
def document(tmp_path: Path) -> Document:
    path = tmp_path / "keeping.md"
    path.write_text(TEXT, "utf-8")
    return read(path, Cache(), id="keeping", edition="", title="")


def expert(question: str, choices: dict[str, str]) -> str:
    """Answers as a person who knows the text."""
    answers = {
        "Which drive": "comes up behind",
        "Who is the target": "object",
        "names the target": "A hindrance at rest",
        "What is 40 km/h": "the speed of the tested vehicle",
        "What is 0 km/h": "the speed of the target",
        "What is 3 s": "the time to collision (TTC)",
        "says what the system": "shall keep clear",
        "What does it ask": "the collision shall be avoided",
    }
    wanted = next((said for asked, said in answers.items() if asked in question), "")
    if "Which words" in question:
        return next(iter(choices))
    return next((label for label, said in choices.items() if wanted and wanted in said), "none")


def drafted(document: Document, pick: Callable[[str, dict[str, str]], str]) -> tuple[Drafted, FakeModel]:
    model = FakeModel(pick)
    return draft(document, "keeping", Questioner(model)), model


def test_rules_alone_find_no_drive(document: Document) -> None:
    assert draft(document, "keeping").suite is None


def test_a_model_that_knows_gives_the_test(document: Document, tmp_path: Path) -> None:
    found, model = drafted(document, expert)
    assert found.suite is not None, found.reason
    (test,) = found.suite.scenarios
    subject, target, ttc = test.number("subject"), test.number("target"), test.number("ttc")
    assert subject is not None
    assert target is not None
    assert ttc is not None
    assert (str(subject.lo), subject.unit, str(target.lo), str(ttc.lo), ttc.bound) == ("40", "km/h", "0", "3", "ge")
    assert (test.manoeuvre, test.require[0].form) == ("in_lane", "never")
    assert "6.1 manoeuvre" in model.asked
    path = tmp_path / "profile.toml"
    path.write_text(found.profile, "utf-8")
    assert [finding for finding in lint(load_profile(path), document) if finding.severity == "error"] == []


def test_what_a_model_chose_is_marked_in_the_profile(document: Document) -> None:
    found, _ = drafted(document, expert)
    for key in ("bind.subject", "bind.target", "bind.ttc", "actors.target", "require.asked", "manoeuvre"):
        assert f"# {key}: chosen by fake:model" in found.profile
        assert re.search(rf"^{key} = ", found.profile, re.M)


def test_a_model_writes_no_number(document: Document) -> None:
    """Whatever it answers, numbers of the tests are places; an answer that is no label is refused."""
    found, model = drafted(document, lambda question, choices: "55 km/h" if "km/h" in question else expert(question, choices))
    assert all(set(schema["properties"]["choice"]["enum"]) for schema in model.schemas)
    assert "55" not in found.profile


def test_an_answer_that_the_compiler_refuses_goes_back_with_its_words(document: Document) -> None:
    """3 s as an upper bound: "no less than" is a lower one, and the compiler says so."""
    told: list[str] = []

    def pick(question: str, choices: dict[str, str]) -> str:
        if "refused" in question:
            told.append(question)
            return next((label for label, said in choices.items() if said.startswith("the time to collision (TTC)")), "none")
        if "What is 3 s" in question:
            return next(label for label, said in choices.items() if "reaches its deceleration" in said)
        return expert(question, choices)

    found, _ = drafted(document, pick)
    assert found.suite is not None
    assert "E406" in told[0]
    assert "bind.ttc: chosen by fake:model" in found.profile


def test_none_everywhere_gives_no_test(document: Document) -> None:
    found, model = drafted(document, lambda *_: "none")
    assert found.suite is None
    assert model.asked == ["6.1 manoeuvre"]


def test_a_model_that_always_takes_the_first_gives_nothing_uncited(document: Document, tmp_path: Path) -> None:
    found, _ = drafted(document, lambda _, choices: next(iter(choices)))
    path = tmp_path / "profile.toml"
    path.write_text(found.profile, "utf-8")
    if found.suite is not None:
        assert [finding for finding in lint(load_profile(path), document) if finding.severity == "error"] == []
