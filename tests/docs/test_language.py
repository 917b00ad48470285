"""docs/language.md: its tables list what the compiler knows, its places and expressions read what it says, its profile is UN R131's."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from regc.catalogue import codes
from regc.lang import evaluate, load_profile
from regc.lang.citation import citation
from regc.lang.evaluate import make_program
from regc.lang.expressions import FUNCTIONS, Scope
from regc.lang.values import Ends, of_ends, say
from regc.lang.vocabulary import vocabulary
from regc.model.scenario import Scenario
from regc.model.value import Value, Word
from tests.docs.reference import comments, held, shared_bindings, tables
from tests.docs.shown import ROOT, added, steps
from tests.docs.test_documents import prepared
from tests.lang.documents import embedded

TEXT = (ROOT / "docs" / "language.md").read_text("utf-8")
REFERENCE = held(TEXT)


def rows(head: str) -> list[list[str]]:
    """The cells of the table that begins with a head, without the signs of code."""
    body = TEXT[TEXT.index(head) :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in body]


@cache
def scope() -> Scope:
    """The test of UN R131 in which the expressions of the page are worked out."""
    program = make_program(load_profile(ROOT / "compiler/regc/regulations/un131"), embedded("un131", "02.md"))
    test = program.profile.test("stationary")
    return Scope(program, test, {"class": "derived", "load": "max"}, {"target": "[at: _ target]"})


@pytest.mark.parametrize(("place", "wanted", "reads"), rows("| place | wanted | reads |"))
def test_a_place_reads_what_the_page_says(place: str, wanted: str, reads: str) -> None:
    assert citation(embedded("un131", "02.md"), place, wanted).reads == reads


@pytest.mark.parametrize(("expression", "worth"), rows("| expression | worth |"))
def test_an_expression_is_worth_what_the_page_says(expression: str, worth: str) -> None:
    result = scope().value(expression, "" if "6.1.1.2" in expression else "speed")
    value = of_ends(result) if isinstance(result, Ends) else result
    assert isinstance(value, Value)
    assert say(value) == worth


@pytest.mark.parametrize("name", tables())
def test_a_table_lists_what_the_compiler_knows(name: str) -> None:
    """A key, word or code that is new, changed or gone shows here; python -m tests.docs.refresh docs/language.md writes the table."""
    assert REFERENCE[name] == tables()[name]


def test_every_table_of_the_page_is_known() -> None:
    assert set(REFERENCE) == set(tables())


def test_every_word_has_a_meaning() -> None:
    assert [row[0] for name in ("bindings", "conditions", "runs") for row in _cells(REFERENCE[name]) if not row[2]] == []
    assert [name for name in vocabulary().manoeuvres if not comments()[f"manoeuvre {name}"]] == []
    assert len(shared_bindings()) == 13  # as the page says


def _cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in table.splitlines()[2:]]


def test_every_function_is_listed() -> None:
    listed = {name for row in rows("| function | meaning |") for name in re.findall(r"(\w+)\(", row[0])}
    types = listed & set(vocabulary().types)
    assert types
    assert listed - types == set(FUNCTIONS)


def test_every_letter_of_a_code_is_told() -> None:
    assert {code[0] for code in codes()} == {row[0] for row in rows("| letter | what it is about | what to do |")}


def test_the_profile_of_the_page_makes_the_tests_of_un131(tmp_path: Path) -> None:
    """Step by step or as regc brings it: the same tests, number by number."""
    prepared(tmp_path)
    profile = ""
    for step in steps(TEXT):
        if step.name == "r131/profile.toml":
            profile = added(profile, step.text)
    (tmp_path / "r131" / "profile.toml").write_text(profile, "utf-8")
    document = embedded("un131", "02.md")
    mine, shipped = (
        evaluate(load_profile(folder), document) for folder in (tmp_path / "r131", ROOT / "compiler/regc/regulations/un131")
    )
    assert len(mine.scenarios) == len(shipped.scenarios)
    for own, other in zip(mine.scenarios, shipped.scenarios, strict=True):
        assert (own.test, own.status, own.manoeuvre, own.axes.keys()) == (other.test, other.status, other.manoeuvre, other.axes.keys())
        assert [_said(value) for value in own.bind.values()] == [_said(value) for value in other.bind.values()]
        assert _asked(own) == _asked(other)
        assert [_said(value) for value in own.runs.values()] == [_said(value) for value in other.runs.values()]
        assert [_said(value) for value in own.conditions.values()] == [_said(value) for value in other.conditions.values()]


def _asked(scenario: Scenario) -> set[tuple[str, ...]]:
    """Label, form and numbers of every criterion."""
    return {
        (item.label, item.form, item.signal or "", *(say(value) for value in (item.by, item.limit and item.limit.value) if value))
        for item in scenario.require
    }


def _said(value: Value | Word) -> str:
    return value.word if isinstance(value, Word) else say(value)
