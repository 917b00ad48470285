"""Each word of the vocabulary has its wording for test cases, tables and reports, as `data/wording.toml` promises."""

from __future__ import annotations

import pytest

from regc.lang.vocabulary import vocabulary
from regc.wording import wording

KNOWN = vocabulary()
BINDINGS = {name for manoeuvre in KNOWN.manoeuvres.values() for name in manoeuvre.bind}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("manoeuvre", set(KNOWN.manoeuvres)),
        ("actor", set(KNOWN.actors)),
        ("role", {role for manoeuvre in KNOWN.manoeuvres.values() for role in manoeuvre.roles}),
        ("status", set(KNOWN.statuses)),
        ("status_short", set(KNOWN.statuses)),
        ("card", set(KNOWN.card_kinds)),
        ("bind", BINDINGS),
        ("conditions", set(KNOWN.conditions)),
        ("runs", set(KNOWN.runs)),
        ("signal", set(KNOWN.signals)),
        ("event", set(KNOWN.events)),
        ("ordinal", {str(number) for number in KNOWN.ordinals.values()}),
    ],
)
def test_each_word_has_its_wording_and_no_wording_is_of_another(table: str, words: set[str]) -> None:
    said = set(wording()[table])
    assert sorted(words - said) == []
    if table != "role":  # a subject vehicle is in every manoeuvre
        assert sorted(said - words) == []


@pytest.mark.parametrize("name", sorted(BINDINGS))
def test_each_binding_has_its_sentence_its_head_and_its_part_of_a_test_case(name: str) -> None:
    entry = wording()["bind"][name]
    assert set(entry) == {"say", "short", "step"}
    assert "{value}" in entry["say"]
    assert entry["step"] in ("prepare", "approach", "functional")


def test_what_a_binding_says_in_one_manoeuvre_is_of_that_manoeuvre() -> None:
    known = {f"{name}.{binding}" for name, manoeuvre in KNOWN.manoeuvres.items() for binding in manoeuvre.bind}
    assert sorted(set(wording()["bind_in"]) - known) == []


def test_a_word_that_two_bindings_take_or_that_needs_more_than_its_own_letters_is_of_the_vocabulary() -> None:
    kinds = {**KNOWN.conditions, **{name: kind for manoeuvre in KNOWN.manoeuvres.values() for name, kind in manoeuvre.bind.items()}}
    known = {f"{name}.{word}" for name, kind in kinds.items() for word in kind.words}
    assert sorted(set(wording()["word"]) - known) == []
