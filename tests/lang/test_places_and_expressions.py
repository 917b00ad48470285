"""Places and expressions case by case on the rules for shuttles: tests/cases/places."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from regc.lang import ProfileError, load_profile, read
from regc.lang.evaluate import make_program
from regc.lang.expressions import Scope
from regc.model.document import Document
from regc.model.source import Tolerance
from regc.model.value import Value
from regc.readers import markdown
from regc.truth import condition, tolerance, value_text
from tests.casefiles import lines

CASES = Path(__file__).parent / "cases"


@cache
def rules() -> Document:
    path = CASES / "shuttle" / "rules.md"
    return markdown.read(path, path.read_bytes(), regulation="shuttle", edition="1", title="", wording="embedded")


@pytest.mark.parametrize(("asked", "said"), lines("places", "places"))
def test_a_place_reads(asked: str, said: str) -> None:
    place, _, type = asked.partition("] ")
    if said[0] in "LT" and said[1:].isdigit():
        with pytest.raises(ProfileError) as refused:
            read(rules(), f"{place}]", type)
        assert refused.value.code == said
        return
    got = read(rules(), f"{place}]", type)
    if isinstance(got, Tolerance):
        assert said == tolerance(got, said.split(" ")[-1])
    else:
        assert value_text(got) == said
        assert got.sources
        assert all(source.clause in place for source in got.sources)


def scope() -> Scope:
    """The first run of the test "obstacle"."""
    profile = load_profile(CASES / "shuttle" / "profile.toml")
    program = make_program(profile, rules(), strict=True)
    test = profile.test("obstacle")
    bind = {str(name): value for name, value in test.bind.items() if name != "relative"} | {"relative": test.bind["relative"][0]}  # type: ignore[index]
    return Scope(program, test, {"body": "open"}, bind)


@pytest.mark.parametrize(("asked", "said"), lines("places", "expressions"))
def test_an_expression_gives(asked: str, said: str) -> None:
    if said[0] in "PLTE" and said[1:].isdigit():
        with pytest.raises(ProfileError) as refused:
            scope().value(asked)
        assert refused.value.code == said
    else:
        assert told(scope().value(asked)) == said


def told(result: object) -> str:
    if isinstance(result, Value):
        return value_text(result)
    if isinstance(result, list):
        return ", ".join(map(told, result))
    if isinstance(result, tuple):
        return "; ".join(condition(held) for held in result)
    return str(result)


def test_a_number_names_its_sentence_and_item() -> None:
    got = read(rules(), "[6.1(c): + _]", "speed")
    assert isinstance(got, Value)
    source = got.sources[0]
    assert (source.clause, source.item) == ("6.1", "(c)")
    assert "+ 5 km/h" in source.quote
    held = rules().clause("6.1")
    assert held is not None
    assert source.quote in held.text
