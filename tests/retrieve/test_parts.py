"""Words, order, assembly, fusion, smoothing, expansion: each on a case worked by hand."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from regc.embed.hash import HashEmbedder
from regc.model.chunk import LeftOut, Query
from regc.model.document import canonical_order, natural
from regc.research.retrieve.hipporag import phrases, triples_of
from regc.research.retrieve.structural import expanded, smoothed, units_of
from regc.retrieve.context import ENCODING_FILE, ESTIMATE, Part, Shelf, assemble, counter, estimate, excerpt
from regc.retrieve.lexical import Lexical, stem, words
from regc.retrieve.structure import Structure, defined_terms
from regc.retrieve.vectors import Dense, best, fused, normalised
from tests.retrieve.deck import CLAUSES, clause, corpus, document


def test_words_are_stemmed_alike_and_stop_words_go() -> None:
    assert words("The braking of brakes; it brakes, tested tests 5.0 km/h") == [
        "brak",
        "brak",
        "brak",
        "test",
        "test",
        "5.0",
        "km",
        "h",
    ]
    assert stem("moving") == stem("moves") == "mov"
    assert stem("speed") == stem("speeds")
    assert stem("bus") == "bus"


def test_tokens_count_pieces() -> None:
    assert estimate("") == 0
    assert estimate("braking 20.00 km/h") == 1 + (1 + 1 + 1) + (1 + 1 + 1)


def test_tiktoken_counts_only_where_its_file_is_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = SimpleNamespace(encode_ordinary=lambda text: list(text.encode()))
    monkeypatch.setitem(sys.modules, "tiktoken", SimpleNamespace(get_encoding=lambda name: encoding))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert counter()[0] == ESTIMATE
    (tmp_path / ENCODING_FILE).touch()
    name, count = counter()
    assert (name, count("brake")) == ("cl100k_base", 5)


def test_natural_order() -> None:
    ids = ["5.10", "5.2.2", "5.2.1.1", "5.2.1", "5.2"]
    assert sorted(ids, key=natural) == ["5.2", "5.2.1", "5.2.1.1", "5.2.2", "5.10"]
    regions = ["Annex 10", "Annex 3 - Appendix 1", "Annex 3"]
    assert sorted(regions, key=natural) == ["Annex 3", "Annex 3 - Appendix 1", "Annex 10"]


def test_canonical_order_puts_tables_and_footnotes_at_their_clause() -> None:
    order = canonical_order(document())
    ranked = sorted(order, key=order.__getitem__)
    at = ranked.index("3.2.2")
    assert ranked[at : at + 5] == ["3.2.2", "3.2.2#1", "3.2.2#2", "footnote 1", "3.3"]
    assert ranked.index("4.3") < ranked.index("4.10") < ranked.index("Annex 1") < ranked.index("Annex 1, 1")


def test_assembly_orders_and_joins_parts_of_one_clause() -> None:
    shelves = (Shelf.of(corpus()),)
    text = CLAUSES[9].text
    cut = text.index("The driver")
    parts = [
        Part(0, "4.2"),
        Part(0, "3.2.1", ((0, cut - 1),)),
        Part(0, "3.2.1", ((cut, len(text)),)),
        Part(0, "4.2"),
        Part(0, "no such id"),
    ]
    context = assemble(Query(text="q"), shelves, parts, left_out=(LeftOut(id="x", reason="y"),))
    assert [item.id for item in context.items] == ["3.2.1", "4.2"]
    assert context.clause("3.2.1") == document().clause("3.2.1")
    assert context.tokens == sum(estimate(item.text) for item in context.items)
    assert context.left_out[0].id == "x"


def test_assembly_switches() -> None:
    shelves = (Shelf.of(corpus()),)
    parts = [Part(0, "4.2"), Part(0, "3.1"), Part(0, "4.2")]
    doubled = assemble(Query(text="q"), shelves, parts, deduplicate=False, ordered=False)
    assert [item.id for item in doubled.items] == ["4.2", "3.1", "4.2"]


def test_regulations_stand_after_each_other_whatever_their_place_in_the_index() -> None:
    shelves = (Shelf.of(corpus(id="zebra")), Shelf.of(corpus(id="ant")))
    context = assemble(Query(text="q"), shelves, [Part(0, "3.1"), Part(1, "4.2"), Part(1, "3.1")])
    assert [(item.regulation, item.id) for item in context.items] == [("ant", "3.1"), ("ant", "4.2"), ("zebra", "3.1")]


def test_an_excerpt_keeps_only_its_text() -> None:
    part = excerpt(clause("1", None, "First sentence. Second sentence."), [(16, 32)])
    assert part.text == "Second sentence."
    assert part.id == "1"


def test_reciprocal_rank_fusion_by_hand() -> None:
    merged = fused([[7, 8], [8, 9]], k=60)
    assert [id for id, _ in merged] == [8, 7, 9]
    assert merged[0][1] == pytest.approx(1 / 62 + 1 / 61)
    assert merged[1][1] == pytest.approx(1 / 61)


def test_best_takes_the_earlier_when_level() -> None:
    assert best(np.array([0.5, 0.9, 0.5]), 5) == [(1, 0.9), (0, 0.5), (2, 0.5)]


def test_dense_clamps_k_and_takes_an_empty_index() -> None:
    embedder = HashEmbedder(32)
    index = Dense(embedder, embedder.embed(["barrel", "crate"]))
    assert [id for id, _ in index.nearest("crate", 99)] == [1, 0]
    assert Dense(embedder, embedder.embed([])).nearest("crate", 3) == []


def test_approximate_index_finds_what_exact_search_finds() -> None:
    pytest.importorskip("hnswlib", reason="extra ann is not installed")
    embedder = HashEmbedder(64)
    vectors = embedder.embed([f"deck {n} holds barrel {n % 37} and crate {n % 11} at speed {n % 5}" for n in range(600)])
    exact, near = Dense(embedder, vectors), Dense(embedder, vectors, exact_up_to=0)
    queries = [f"barrel {n} and crate {n % 7}" for n in range(30)]
    hits = [len({id for id, _ in exact.nearest(q, 10)} & {id for id, _ in near.nearest(q, 10)}) for q in queries]
    assert sum(hits) / (10 * len(queries)) >= 0.99
    assert [near.nearest(q, 10) for q in queries] == [near.nearest(q, 10) for q in queries]


def test_smoothing_by_hand() -> None:
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], dtype=np.float32)
    mixed = smoothed(vectors, [(1,), (0, 2), ()], 0.5)
    assert mixed[0] == pytest.approx([0.7071, 0.7071], abs=1e-4)
    assert mixed[1] == pytest.approx([0.7071, 0.7071], abs=1e-4)
    assert mixed[2] == pytest.approx([1.0, 0.0])
    assert smoothed(vectors, [(1,), (0,), ()], 1.0) is vectors


def test_graph_re_ranking_by_hand() -> None:
    cosine = np.array([0.9, 0.2, 0.5, 0.1])
    neighbours = [(1,), (0, 2, 3), (1,), (1,)]
    # seeds 0, 2: their neighbour 1 has 0.5 * (0.9 + 0.5) + 0.2 - 0.1 * log(4) = 0.761; seed 0 0.9 - 0.1 * log(2) = 0.831, seed 2 0.431
    assert expanded([0, 2, 3], cosine, neighbours, 2, (0.5, 1.0, 0.1)) == [0, 1, 2, 3]


def test_normalised_leaves_a_zero_row() -> None:
    assert normalised(np.zeros((1, 3), dtype=np.float32)).tolist() == [[0.0, 0.0, 0.0]]


def test_units_are_split_only_above_the_limit() -> None:
    shelf = Shelf.of(corpus())
    whole = units_of((shelf,))
    assert [unit.root for unit in whole.units] == ["1", "2", "3", "4", "Annex 1"]
    split = units_of((shelf,), max_words=8)
    roots = [unit.root for unit in split.units]
    assert "3.2.1" in roots
    assert "3.2.2" in roots
    around = {roots[other] for other in split.neighbours[roots.index("4.2")]}
    assert around == {"4", "4.1", "4.3", "4.10", "3.2.2", "3.2.1"}


def test_an_empty_index_scores_nothing() -> None:
    assert Lexical([]).scores({"word": 1.0}).tolist() == []
    assert Lexical([[], ["word"]]).scores({"word": 1.0})[0] == 0.0


def test_defined_terms() -> None:
    assert defined_terms(clause("2.4", None, '"Winch (WX)" means a device.')) == ("winch", "wx")
    assert defined_terms(clause("2.4", None, "A winch means a device.")) == ()


def test_structure_of_the_deck() -> None:
    structure = Structure.of(Shelf.of(corpus()))
    assert structure.ancestors("3.2.2") == ("3.2", "3")
    assert structure.rivals("3.2", "3.3")
    assert structure.rivals("4.2", "4.3")
    assert not structure.rivals("3.2", "3.1")
    assert structure.is_common("4.1")
    assert structure.is_common("4.10")
    assert not structure.is_common("4.2")
    assert structure.on_request("4.1.2")
    assert structure.bundle["3.2.2"] == ("3.2.2", "3.2.2#1", "3.2.2#2", "footnote 1")
    assert {"Annex 1", "Annex 1, 1", "Annex 1, 2"} == structure.forms
    assert structure.alternatives == (("3.2", "3.3"), ("4.2", "4.3"))


def test_noun_phrases_and_triples() -> None:
    assert phrases("The barrel dummy shall roll at 20 km/h on the dry deck.")[:2] == ["barrel dummy", "roll"]
    found = triples_of("The barrel dummy is pulled by the winch.", None)
    assert found[0][0].startswith("barrel dummy")
    assert found[-1][2] == "winch"
