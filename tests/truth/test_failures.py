"""What a miss tells: the attempt that failed, what differs, and the kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from regc.research.penalized_f1 import Miss, ScoreSettings, by_kind, evaluate
from regc.research.scored_texts import Texts, TextScore

VOCABULARY = ("laden", "unladen", "stationary", "moving")
SETTINGS = ScoreSettings(vocabulary=VOCABULARY, load_terms=("laden", "unladen"))


def texts(items: Sequence[str], angles: Sequence[float] | None = None) -> Texts:
    degrees = np.radians(angles if angles is not None else [0.0] * len(items))
    vectors = np.stack([np.cos(degrees), np.sin(degrees)], axis=1).astype(np.float32)
    return Texts([TextScore(id=f"g{place}", title="t", text=item) for place, item in enumerate(items)], vectors, VOCABULARY)


def miss(truth: str, generated: Sequence[str], angles: Sequence[float] | None = None) -> Miss:
    found = evaluate(texts([truth]), texts(generated, angles), SETTINGS).misses
    assert len(found) == 1
    return found[0]


def test_a_wrong_number_in_a_text_that_reads_alike() -> None:
    found = miss("laden at 20", ["laden at 25", "laden at 25 to 30"])
    assert (found.kind, found.nearest) == ("high cosine with wrong numbers", "g0")
    assert (found.numbers.missing, found.numbers.extra) == ((20,), (25,))
    assert (found.cosine, found.score) == (pytest.approx(1), pytest.approx(0.8))


def test_a_wrong_number_in_a_text_that_reads_otherwise() -> None:
    assert miss("laden at 20", ["laden at 25"], [40]).kind == "wrong number"


def test_a_swapped_load_state_is_named_before_the_numbers_that_follow_from_it() -> None:
    found = miss("laden at 20", ["unladen at 25"])
    assert found.kind == "load-state confusion"
    assert (found.terms.missing, found.terms.extra) == (("laden",), ("unladen",))
    assert found.score == pytest.approx(1 - 0.2 * 2)


def test_another_term_and_a_low_cosine() -> None:
    assert miss("stationary at 20", ["moving at 20"]).kind == "other term"
    assert miss("laden at 20", ["laden at 20"], [40]).kind == "low cosine"
    assert miss("laden at 20", []).kind == "nothing generated"
    assert miss("laden at 20", []).nearest is None


def test_a_match_that_another_scenario_took() -> None:
    found = evaluate(texts(["laden at 20", "laden at 20"]), texts(["laden at 20"]), SETTINGS).misses
    assert [item.kind for item in found] == ["taken by another scenario"]


def test_the_row_without_a_partner_is_the_attempt() -> None:
    # g0 serves truth row 1, although it is as near to row 0 as g1.
    found = evaluate(texts(["laden at 20", "laden at 30"]), texts(["laden at 30", "laden at 99 and 98"]), SETTINGS).misses
    assert [item.nearest for item in found] == ["g1"]


def test_kinds_are_counted_most_frequent_first() -> None:
    assert list(by_kind(["b", "a", "c", "c"]).items()) == [("c", 2), ("a", 1), ("b", 1)]
