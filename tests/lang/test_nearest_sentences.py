"""A place whose words the document does not have: the error proposes the sentences that are nearest to it."""

from __future__ import annotations

import pytest

from regc.lang.faults import ProfileError
from regc.lang.places import Reader
from regc.model.document import Document
from tests.lang.documents import embedded


def reworded(clause: str, before: str, after: str) -> Document:
    """UN R152 with one wording of a clause changed, its numbers as they were."""
    document = embedded("un152", "02.md")
    assert before in next(each.text for each in document.clauses if each.id == clause)
    changed = [
        each.model_copy(update={"text": each.text.replace(before, after)}) if each.id == clause else each for each in document.clauses
    ]
    return document.model_copy(update={"clauses": tuple(changed)})


def refused(document: Document, place: str, dimension: str) -> ProfileError:
    with pytest.raises(ProfileError) as caught:
        Reader(document, "un152", "02").read(place, {}, dimension)
    return caught.value


def test_a_synonym_is_told_with_the_sentence_that_has_the_number() -> None:
    """ "along a straight path" for "in a straight line": the sentence with 2 s comes first, not the one with the 4 s of the TTC."""
    error = refused(reworded("6.4", "straight line", "straight path"), "[6.4: straight line]", "time")
    assert error.code == "L203"
    assert error.hint.startswith('nearest: [6.4] "')
    first = error.hint.partition("; ")[0]
    assert "straight path" in first
    assert first.endswith("(2 s)")


def test_sentences_without_a_number_of_the_type_are_not_proposed() -> None:
    error = refused(reworded("6.4", "offset", "shift"), "[6.4: offset]", "length")
    assert error.hint.count("[6.4]") == 1
    assert "(0.2 m)" in error.hint


def test_words_that_only_cite_are_told_with_the_nearest_sentence() -> None:
    reader = Reader(embedded("un152", "02.md"), "un152", "02", strict=True)
    with pytest.raises(ProfileError) as caught:
        reader.cite("[6.4: any different speeds]", {})
    assert caught.value.code == "L205"
    assert "any other speeds" in caught.value.hint


def test_at_most_two_sentences_are_proposed() -> None:
    error = refused(embedded("un152", "02.md"), "[6.6.1: walking pace]", "time")
    assert 1 <= error.hint.count("[6.6.1]") <= 2


def test_a_text_without_anything_like_it_is_quoted() -> None:
    error = refused(embedded("un152", "02.md"), "[6.1.3: zebra]", "mass")
    assert error.hint.startswith("it says: ")
