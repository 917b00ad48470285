"""The passages that a model chooses from: verbatim, with a number of the unit, and among them every number that the rules find."""

from __future__ import annotations

import pytest

from regc.cache import Cache
from regc.extract._llm_ask import UnusableError, enum, fit, form
from regc.extract._llm_passages import passages
from regc.language import measurements
from regc.model.document import Clause, Document
from regc.places import AT_REST, find
from regc.profiles import load_profile, profile_folder
from regc.source import load_document


def said(text: str, unit: str) -> list[str]:
    return [passage.text for passage in passages([Clause(region="body", number="1", text=text)], unit)]


def test_a_sentence_with_one_number_is_a_passage() -> None:
    text = "The surface shall be dry. It drives in a straight line for at least two seconds, with an offset of 0.2 m."
    assert said(text, "s") == ["It drives in a straight line for at least two seconds, with an offset of 0.2 m."]
    assert said(text, "m") == said(text, "s")
    assert said(text, "lux") == []


def test_several_statements_in_one_sentence_are_cut_apart() -> None:
    text = "It exceeds 1000 lux for cars (paragraph 5.2.1.), 2000 lux for pedestrians, by day or at dusk, and 2500 lux for bicycles."
    assert said(text, "lux") == [
        "It exceeds 1000 lux for cars (paragraph 5.2.1.)",
        "2000 lux for pedestrians, by day or at dusk",
        "2500 lux for bicycles.",
    ]


def test_where_no_comma_stands_a_joining_word_is_where_it_is_cut() -> None:
    assert said("It is 2 m for a car and it is 3 m for a van.", "m") == ["It is 2 m for a car", "it is 3 m for a van."]


def test_ranges_and_lists_stay_whole() -> None:
    for text in ("It lies between 0 °C and 45 °C.", "It lies between -5 and 45 °C.", "It is 0, 20 or 45 °C."):
        assert said(text, "degC") == [text]


def test_lettered_items_are_passages_of_their_own() -> None:
    text = "At most:\n(a) 10.0 per cent of the car runs;\n(b) 20.0 per cent of the bicycle runs."
    assert said(text, "per cent") == ["(a) 10.0 per cent of the car runs", "(b) 20.0 per cent of the bicycle runs."]


def test_every_sentence_may_tell_that_something_stands_still() -> None:
    assert said("It drives at 20 km/h. The target is stationary.", AT_REST) == ["It drives at 20 km/h.", "The target is stationary."]


@pytest.fixture(scope="module", params=["02", "eu2020-1597"])
def edition(request: pytest.FixtureRequest) -> tuple[Document, str]:
    document, _ = load_document(load_profile("un152"), profile_folder("un152"), request.param, None, Cache())
    return document, request.param


def test_passages_are_verbatim_and_hold_every_number_that_the_rules_find(edition: tuple[Document, str]) -> None:
    document, name = edition
    profile = load_profile("un152")
    seen = 0
    for family in profile.families_of(name):
        for variant in family.variants or (None,):
            for rule in profile.field_rules(family, name, variant):
                for clause in (found for id in rule.clauses if (found := document.clause(id))):
                    own = passages([clause], rule.unit)
                    assert all(passage.clause == clause.id and passage.text in clause.text for passage in own)
                    for place in find(rule, clause):
                        words = clause.text[place.start : place.end].strip()
                        holding = [p.text for p in own if words in p.text]
                        assert holding, (rule.field, place)
                        seen += 1
                        if rule.unit != AT_REST:
                            assert any((i.value, i.unit) == (place.value, rule.unit) for text in holding for i in measurements(text))
    assert seen > 20


FORM = form(
    {
        "quote": enum(["at least 4 seconds", "for at least two seconds, in its lane"]),
        "load": enum(["maximum mass", "mass in running order"]),
    }
)


@pytest.mark.parametrize(
    ("quote", "load", "fits"),
    [
        ("at least 4 seconds", "maximum mass", ("at least 4 seconds", "maximum mass")),
        ("At  least 4\nSeconds", "Maximum Mass", ("at least 4 seconds", "maximum mass")),
        ("two seconds", "running order", ("for at least two seconds, in its lane", "mass in running order")),
    ],
)
def test_a_choice_may_be_written_in_part_where_no_other_has_it(quote: str, load: str, fits: tuple[str, str]) -> None:
    found = fit({"quote": quote, "load": load}, FORM, "")
    assert (found["quote"], found["load"]) == fits


@pytest.mark.parametrize(
    ("quote", "load"), [("at least", "maximum mass"), ("4 seconds", "mass"), ("", "maximum mass"), ("9.9", "none")]
)
def test_what_is_no_choice_or_fits_several_cannot_be_used(quote: str, load: str) -> None:
    with pytest.raises(UnusableError, match="choose one of: "):
        fit({"quote": quote, "load": load}, FORM, "")


@pytest.mark.parametrize("value", [None, 4, ["maximum mass"], {"load": "maximum mass"}])
def test_a_choice_is_text(value: object) -> None:
    with pytest.raises(UnusableError):
        fit(value, enum(["maximum mass"]), "load")
