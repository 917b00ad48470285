"""Retrieval metrics worked by hand."""

from __future__ import annotations

import pytest

from regc.research.question_bench import (
    average_precision_at,
    holds_witness,
    reciprocal_rank_at,
)

RANKING = (False, True, False, True, True)


def test_metrics_of_a_ranking() -> None:
    # Precision 1/2 at rank 2, 2/4 at rank 4, 3/5 at rank 5.
    assert average_precision_at(RANKING, 4) == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert average_precision_at(RANKING, 5) == pytest.approx((1 / 2 + 2 / 4 + 3 / 5) / 3)
    assert average_precision_at(RANKING, 1) == 0
    assert reciprocal_rank_at(RANKING, 5) == 0.5
    assert reciprocal_rank_at(RANKING, 1) == 0


def test_a_witness_counts_from_three_quarters_in_one_piece() -> None:
    assert holds_witness("xx ABCD efgh  zz", "abcd efgh ij")  # 9 of 12 characters: "abcd efgh"
    assert not holds_witness("abcd efg", "abcd efgh ij")  # 8 of 12
    assert not holds_witness("abcd x efgh ij", "abcd efgh ij")  # all of it, but in pieces of 4 and 7
    assert holds_witness("the car\nbrakes", "The  car brakes")
    assert not holds_witness("anything", " ")
