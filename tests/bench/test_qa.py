"""Questions and witnesses from an invented document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from regc.model.chunk import Query
from regc.model.protocols import Reply
from regc.research.question_bench import (
    CLOZE,
    Pair,
    ask,
    cloze,
    in_every_index,
    judge,
    pairs,
    spread,
    windows_of,
)
from tests.retrieve.deck import corpus

SENTENCE = "The winch shall pull the barrel at 20 km/h for at least 3 seconds before the alarm stops"
PAIR = Pair(regulation="deck", question="how fast?", answer="20 km/h", witness=SENTENCE)


class Model:
    """Answers with a fixed text."""

    name = "fixed"

    def __init__(self, **answer: str) -> None:
        self._answer = json.dumps(answer)

    def complete(self, messages: Sequence[dict[str, str]], *, schema: dict[str, Any] | None = None, label: str = "") -> Reply:
        return Reply(text=self._answer, model="fixed")


class Shelf:
    """Ranks its passages as they stand."""

    def __init__(self, *texts: str) -> None:
        self._texts = texts

    def passages(self, query: Query, limit: int) -> Sequence[str]:
        return self._texts[:limit]

    def texts(self) -> Sequence[str]:
        return self._texts


def test_cloze_leaves_the_figures_out_and_keeps_the_witness_verbatim() -> None:
    (pair,) = cloze("deck", f"A sentence without figures shall not ask.\n{SENTENCE}.\nIt is 5 km long.")
    assert pair.question == "The winch shall pull the barrel at which value for at least which value before the alarm stops?"
    assert pair.answer == "20 km/h, 3 seconds"
    assert pair.witness == f"{SENTENCE}."


def test_windows_cover_the_document_and_overlap_by_whole_sentences() -> None:
    windows = windows_of(corpus().document)
    text = "\n".join(windows)
    sentences = [sentence.strip(". ") for clause in corpus().document.clauses for sentence in clause.text.split(". ")]
    assert [sentence for sentence in sentences if sentence not in text] == []
    assert any(set(first.split("\n")) & set(second.split("\n")) for first, second in pairwise(windows))


def test_a_model_whose_witness_is_not_verbatim_is_not_believed() -> None:
    good = Model(question="How fast?", answer="20 km/h", witness="barrel at 20 km/h")
    assert ask("deck", SENTENCE, good) == Pair(regulation="deck", question="How fast?", answer="20 km/h", witness="barrel at 20 km/h")
    assert ask("deck", SENTENCE, Model(question="How fast?", answer="20", witness="a barrel at 20")) is None
    assert ask("deck", SENTENCE, Model(question="How fast?")) is None


def test_pairs_name_their_method() -> None:
    found, method = pairs([corpus().document], None)
    assert method == CLOZE
    assert found == ()
    made, method = pairs([corpus().document], Model(question="q?", answer="a", witness="deck"), per_document=1)
    assert method == "language model fixed"
    assert len(made) == 1


def test_only_witnesses_of_every_index_are_asked() -> None:
    assert in_every_index([PAIR], [[SENTENCE], ["other", SENTENCE]]) == (PAIR,)
    assert in_every_index([PAIR], [[SENTENCE], ["other"]]) == ()


def test_ranks_by_hand() -> None:
    row = judge("shelf", Shelf("other", SENTENCE, "other"), [PAIR, PAIR], at=(1, 2))
    assert row.recall == {1: 0.0, 2: 1.0}
    assert row.precision == {1: 0.0, 2: 0.5}
    assert row.reciprocal == {1: 0.0, 2: 0.5}
    assert row.by_name()["MRR@2"] == 0.5
    assert judge("shelf", Shelf(), []).recall == {5: 0.0, 10: 0.0, 20: 0.0}


def test_spread_takes_even_distances() -> None:
    assert spread(range(10), 3) == [0, 3, 6]
    assert spread(range(2), 3) == [0, 1]
