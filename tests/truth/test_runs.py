"""Spread over runs, by hand."""

from __future__ import annotations

import pytest

from regc.research.penalized_f1 import Evaluation, counted, spread, summarise


def run(tp: int, matched: tuple[str, ...], families: dict[str, int]) -> Evaluation:
    return Evaluation(
        overall=counted(tp=tp, fp=0, fn=2 - tp),
        families={name: counted(tp=hits, fp=0, fn=1 - hits) for name, hits in families.items()},
        meta_score=50.0 * tp,
        misses=(),
        matched=tuple((id, "x") for id in matched),
    )


def test_spread_is_the_populations() -> None:
    found = spread([1, 3])
    assert (found.mean, found.stdev, found.min, found.max) == (2, 1, 1, 3)


def test_summary_names_what_some_runs_miss() -> None:
    found = summarise([run(2, ("a", "b"), {"F": 1}), run(1, ("a",), {"F": 0, "G": 1})], ["a", "b", "c"])
    assert found.runs == 2
    assert (found.recall.mean, found.recall.stdev) == (0.75, 0.25)
    assert found.f1.min == pytest.approx(2 / 3)
    assert (found.families["F"].mean, found.families["G"].mean) == (0.5, 0.5)
    assert found.meta_score.mean == 75
    assert found.unsteady == {"b": 1}
