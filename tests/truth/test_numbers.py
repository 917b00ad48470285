"""Numbers, terms and their matching, against brute force."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from regc.research.scored_texts import (
    EXACT,
    NumberTable,
    ScoreTolerance,
    extract_numbers,
    extract_terms,
    match_numbers,
    normalise,
)

VALUES = st.one_of(
    st.sampled_from([0.0, -2.0, 2.0, 0.05, 0.1, 1.0, 1.05, 4.0, 20.0, 38.0, 40.0, 42.0, 44.0, 46.2, -40.0, -42.0]),
    st.floats(min_value=-100, max_value=100, allow_nan=False),
)
LISTS = st.lists(VALUES, max_size=7)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("M1 and N1 vehicles", ()),
        ("a tolerance of +0/-2 km/h", (0, -2)),
        ("offset 0,2 m", (0.2,)),
        ("after 2s at 10km/h", (2, 10)),
        ("0-45 degrees", (0, 45)),
        ("20, 42 and 60 km/h", (20, 42, 60)),
        ("42 km/h and 42 km/h", (42, 42)),
        ("below -3.5 or +7", (-3.5, 7)),
        ("UNR152 says no", ()),
        ("", ()),
    ],
)
def test_numbers_in_order_with_repeats(text: str, numbers: tuple[float, ...]) -> None:
    assert extract_numbers(text) == numbers


def test_normalise_splits_fused_units_and_decimal_commas() -> None:
    assert normalise("0,2m at 10km/h after 2s with M1") == "0.2 m at 10 km/h after 2 s with M1"


def test_terms_stand_at_the_start_of_a_word_whatever_the_case() -> None:
    vocabulary = ("laden", "unladen", "mass in running order", "moving")
    assert extract_terms("An UNLADEN car, removing nothing", vocabulary) == {"unladen"}
    assert extract_terms("the mass in\n  running order, laden, Laden", vocabulary) == {"laden", "mass in running order"}


def test_tolerance_is_the_larger_of_both_and_its_edge_counts() -> None:
    tolerance = ScoreTolerance()
    assert match_numbers([1.0], [1.05], tolerance) == ((), ())
    assert match_numbers([40.0], [42.0], tolerance) == ((), ())
    assert match_numbers([40.0], [42.1], tolerance) == ((40.0,), (42.1,))
    assert match_numbers([40.0], [42.0], EXACT) == ((40.0,), (42.0,))
    assert match_numbers([2.0], [-2.0], tolerance) == ((2.0,), (-2.0,))


def test_matching_is_maximal_where_greedy_by_order_is_not() -> None:
    # In order, 42 would take 40.5 and leave 39 without a partner (39 reaches 37.05 to 40.95; 44 is out of its reach).
    assert match_numbers([42.0, 39.0], [40.5, 44.0], ScoreTolerance()) == ((), ())


@given(truth=LISTS, generated=LISTS, tolerance=st.sampled_from([ScoreTolerance(), EXACT, ScoreTolerance(absolute=1, relative=0.2)]))
def test_matching_equals_maximum_bipartite_matching(truth: list[float], generated: list[float], tolerance: ScoreTolerance) -> None:
    graph = nx.Graph()
    low, high = tolerance.bounds(truth)
    for i in range(len(truth)):
        graph.add_edges_from((("t", i), ("g", j)) for j, value in enumerate(generated) if low[i] <= value <= high[i])
    best = len(nx.max_weight_matching(graph, maxcardinality=True))
    missing, extra = match_numbers(truth, generated, tolerance)
    assert (len(truth) - len(missing), len(generated) - len(extra)) == (best, best)
    assert NumberTable([generated, []]).matched(truth, tolerance).tolist() == [best, 0]
