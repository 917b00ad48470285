"""The metric's self-tests, worked by hand: five speeds in two load states, all texts with the same vector (cosine 1).

A text holds three numbers: speed, limit and the 4 of its TTC. So with one wrong number delta is 1 (count) or 1 - 2/3 (f1), with a
swapped load state 1 (count) or the Jaccard distance 1 (f1); the score is 1 - 0.2 delta and a match from 0.9.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regc.errors import DataFileError
from regc.research import penalized_f1
from regc.research.penalized_f1 import Evaluation, ScoreSettings, evaluate, evaluate_exact
from regc.research.scored_texts import Texts, TextScore, embed_texts

VOCABULARY = ("laden", "unladen", "stationary", "moving")
CASES = [(speed, limit, load) for load in ("laden", "unladen") for speed, limit in ((20, 1), (30, 5), (40, 9), (50, 15), (60, 25))]
MODES = [("one-to-one", "count"), ("one-to-one", "f1"), ("paper", "count"), ("paper", "f1")]
STRICT, BOTH_COUNT = {"count"}, {"count", "f1"}


def text(speed: float, limit: float, load: str) -> str:
    return f"The {load} car does {speed} km/h from a TTC of 4 s and may hit at {limit} km/h."


TRUTH = [text(*case) for case in CASES]


def rows(texts: Sequence[str], family: str = "all") -> list[TextScore]:
    return [TextScore(id=f"row-{place}", title="", text=item, family=family) for place, item in enumerate(texts)]


def texts(items: Sequence[str], vectors: Sequence[Sequence[float]] | None = None) -> Texts:
    given_vectors = np.array(vectors if vectors is not None else [[1.0, 0.0]] * len(items), dtype=np.float32)
    return Texts(rows(items), given_vectors, VOCABULARY)


def counts(found: Evaluation) -> tuple[int, int, int]:
    return found.overall.tp, found.overall.fp, found.overall.fn


def changed(place: int, item: str) -> list[str]:
    return [*TRUTH[:place], item, *TRUTH[place + 1 :]]


def swapped(a: int, b: int) -> list[str]:
    result = list(TRUTH)
    result[a], result[b] = result[b], result[a]
    return result


#: name -> generated texts, (tp, fp, fn) with delta count, the same with delta f1
SELF_TESTS: dict[str, tuple[list[str], tuple[int, int, int], tuple[int, int, int]]] = {
    "itself": (TRUTH, (10, 0, 0), (10, 0, 0)),
    "one number changed": (changed(3, text(50, 80, "laden")), (9, 1, 1), (10, 0, 0)),
    "two numbers of a row changed": (changed(3, text(70, 80, "laden")), (9, 1, 1), (9, 1, 1)),
    "one load state swapped": (changed(3, text(50, 15, "unladen")), (9, 1, 1), (9, 1, 1)),
    "one missing": (TRUTH[:3] + TRUTH[4:], (9, 0, 1), (9, 0, 1)),
    "one extra": ([*TRUTH, text(90, 70, "laden")], (10, 1, 0), (10, 1, 0)),
    "one doubled": ([*TRUTH, TRUTH[3]], (10, 1, 0), (10, 1, 0)),
    "two rows swapped": (swapped(2, 7), (10, 0, 0), (10, 0, 0)),
    "nothing": ([], (0, 0, 10), (0, 0, 10)),
}


@pytest.mark.parametrize(("match", "delta"), MODES)
@pytest.mark.parametrize("name", SELF_TESTS)
def test_each_change_lowers_exactly_what_it_should(name: str, match: str, delta: str) -> None:
    generated, by_count, by_f1 = SELF_TESTS[name]
    chosen = ScoreSettings(match=match, delta=delta, vocabulary=VOCABULARY)  # type: ignore[arg-type]
    found = evaluate(texts(TRUTH), texts(generated), chosen)
    tp, fp, fn = expected = by_count if delta == "count" else by_f1
    assert counts(found) == expected
    assert found.overall.precision == (tp / (tp + fp) if tp + fp else 0)
    assert found.overall.recall == tp / (tp + fn)
    assert found.overall.f1 == pytest.approx(2 * tp / (2 * tp + fp + fn) if tp else 0)
    assert len(found.misses) == fn
    assert found.meta_score == pytest.approx(100 * found.overall.f1)


def test_limits_of_two_rows_swapped() -> None:
    generated = changed(0, text(20, 5, "laden"))
    generated[1] = text(30, 1, "laden")
    one_to_one, paper = (ScoreSettings(match=match, vocabulary=VOCABULARY) for match in ("one-to-one", "paper"))
    assert counts(evaluate(texts(TRUTH), texts(generated), one_to_one)) == (8, 2, 2)
    assert counts(evaluate(texts(TRUTH), texts(generated), paper)) == (8, 2, 2)
    # f1: each attempt shares two of three numbers with either truth row (s = 0.933), so both find a partner;
    # in the paper's mode both truth rows take the first one, and the other is left.
    lenient = one_to_one.model_copy(update={"delta": "f1"})
    assert counts(evaluate(texts(TRUTH), texts(generated), lenient)) == (10, 0, 0)
    assert counts(evaluate(texts(TRUTH), texts(generated), lenient.model_copy(update={"match": "paper"}))) == (10, 1, 0)


def test_one_generated_row_serves_several_truth_rows_only_in_the_papers_mode() -> None:
    truth, generated = texts([TRUTH[0], TRUTH[0]]), texts([TRUTH[0]])
    assert counts(evaluate(truth, generated, ScoreSettings(vocabulary=VOCABULARY))) == (1, 0, 1)
    assert counts(evaluate(truth, generated, ScoreSettings(match="paper", vocabulary=VOCABULARY))) == (2, 0, 0)


def test_the_tolerance_hides_40_against_42_and_the_exact_score_shows_it() -> None:
    generated = texts(changed(2, text(42, 9, "laden")))
    chosen = ScoreSettings(vocabulary=VOCABULARY)
    assert counts(evaluate(texts(TRUTH), generated, chosen)) == (10, 0, 0)
    exact = evaluate_exact(texts(TRUTH), generated, chosen)
    assert counts(exact) == (9, 1, 1)
    assert exact.misses[0].numbers.missing == (40,)
    assert exact.misses[0].numbers.extra == (42,)


def test_assignment_is_the_best_of_all_and_not_first_come() -> None:
    def at(*degrees: float) -> list[list[float]]:
        return [[float(np.cos(np.radians(angle))), float(np.sin(np.radians(angle)))] for angle in degrees]

    # Row 0 is nearest to generated 0, but only it can serve row 1 (15 degrees, cosine 0.966; 35 degrees are 0.819).
    truth, generated = texts(["a", "b"], at(0, 20)), texts(["c", "d"], at(5, -15))
    found = evaluate(truth, generated, ScoreSettings())
    assert found.matched == (("row-0", "row-1"), ("row-1", "row-0"))
    assert counts(evaluate(truth, generated, ScoreSettings(match="paper"))) == (2, 1, 0)


def test_threshold_is_reached_at_its_edge() -> None:
    # Two numbers of four agree: 1 - F1 = 0.5, s = 1 - 0.2 * 0.5 = 0.9.
    found = evaluate(texts(["1 2 30 40"]), texts(["1 2 300 400"]), ScoreSettings(delta="f1"))
    assert counts(found) == (1, 0, 0)


def test_families_sum_to_the_whole_and_give_the_meta_score() -> None:
    truth = Texts([*rows(TRUTH[:2], "A"), *rows(TRUTH[2:4], "B")], np.ones((4, 1), dtype=np.float32), VOCABULARY)
    generated = Texts(
        [*rows(TRUTH[:2], "A"), *rows(TRUTH[2:3], "B"), *rows([text(90, 70, "laden")], "C")],
        np.ones((4, 1), dtype=np.float32),
        VOCABULARY,
    )
    found = evaluate(truth, generated, ScoreSettings(vocabulary=VOCABULARY))
    assert {name: (score.tp, score.fp, score.fn) for name, score in found.families.items()} == {
        "A": (2, 0, 0),
        "B": (1, 0, 1),
        "C": (0, 1, 0),
    }
    assert found.families["B"].f1 == pytest.approx(2 / 3)
    # Over the truth's families 100 and 66.67: mean 83.33, population deviation 16.67. C, without truth, lowers the overall precision.
    assert found.meta_score == pytest.approx(200 / 3)
    assert found.overall.precision == pytest.approx(3 / 4)


def test_too_many_pairs_are_refused_with_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(penalized_f1, "MAX_PAIRS", 99)
    with pytest.raises(DataFileError, match="more than 99 pairs"):
        evaluate(texts(TRUTH), texts(TRUTH), ScoreSettings())


def test_each_distinct_text_is_embedded_once() -> None:
    class Counting:
        name, dimension = "counting", 2
        seen: list[str] = []

        def embed(self, items: Sequence[str]) -> np.ndarray:
            self.seen.extend(items)
            return np.array([[1, len(item)] for item in items], dtype=np.float32)

    found = embed_texts(rows(["a", "bb", "a"]), Counting(), ())
    assert Counting.seen == ["a", "bb"]
    assert np.allclose(found.vectors[0], found.vectors[2])


def test_a_thousand_by_a_thousand_is_quick() -> None:
    many = [text(10 + 0.01 * place, place % 7, CASES[place % 10][2]) for place in range(1000)]
    start = time.perf_counter()
    found = evaluate(texts(many), texts(many[::-1]), ScoreSettings(vocabulary=VOCABULARY))
    assert time.perf_counter() - start < 20
    assert found.overall.tp == 1000


SOME_TEXTS = st.lists(
    st.builds(text, st.sampled_from([20, 21, 30]), st.sampled_from([0, 5]), st.sampled_from(["laden", "unladen"])), max_size=6
)


@given(truth=SOME_TEXTS, generated=SOME_TEXTS, match=st.sampled_from(["one-to-one", "paper"]), delta=st.sampled_from(["count", "f1"]))
@settings(max_examples=60, deadline=None)
def test_counts_add_up_and_order_does_not_matter(truth: list[str], generated: list[str], match: str, delta: str) -> None:
    chosen = ScoreSettings(match=match, delta=delta, vocabulary=VOCABULARY)  # type: ignore[arg-type]
    found = evaluate(texts(truth), texts(generated), chosen)
    assert found.overall.tp + found.overall.fn == len(truth)
    if match == "one-to-one":
        assert found.overall.tp + found.overall.fp == len(generated)
        assert counts(evaluate(texts(truth[::-1]), texts(generated[::-1]), chosen)) == counts(found)
    assert counts(evaluate(texts(truth), texts(truth), chosen))[0] == len(truth)
