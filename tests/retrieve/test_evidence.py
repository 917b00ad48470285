"""How a score passes from a paragraph to what belongs to it, on the hand-made regulation."""

from __future__ import annotations

from regc.model.chunk import Corpus
from regc.model.document import RefGraph
from regc.retrieve.context import Shelf
from regc.retrieve.regc import Shares, damped, edges_of, reached
from regc.retrieve.structure import Structure
from tests.retrieve.deck import clause, corpus, document

STRUCTURE = Structure.of(Shelf.of(corpus()))
SHARES = Shares(below=0.8, above=0.4, cites=0.9, cited_by=0.5, common=0.7, on_request=0.3, defines=0.6, rival=0.2, few=100)
EDGES = edges_of(STRUCTURE, SHARES)


def test_edges_of_a_test() -> None:
    found = {(edge.to, edge.why): edge.share for edge in EDGES["4.2"]}
    assert found["3.2.2", "cited by"] == 0.9
    assert found["4", "above"] == 0.4
    assert found["4.1.1", "holds for"] == 0.7
    assert found["4.10", "holds for"] == 0.7
    assert found["4.1.2", "holds on request for"] == 0.3
    assert found["2.1", "defines a term of"] == 0.6
    assert ("4.3", "holds for") not in found


def test_a_share_to_many_is_divided() -> None:
    """Four definitions stand below 2; with `few` 1 each gets half."""
    below = {edge.to: edge.share for edge in edges_of(STRUCTURE, Shares(below=0.8, few=1))["2"] if edge.why == "below"}
    assert below == {"2.1": 0.4, "2.2": 0.4, "2.3": 0.4, "2.4": 0.4}


def test_the_best_that_reaches_a_paragraph_counts_and_says_how() -> None:
    found = reached(EDGES, {"4.2": 1.0, "3.4": 0.1}, {}, 0.05)
    assert (found["4.2"].score, found["4.2"].by) == (1.0, "")
    assert (found["3.2.1"].score, found["3.2.1"].why, found["3.2.1"].by) == (0.9, "cited by", "4.2")
    assert (found["3.4"].score, found["3.4"].by) == (0.9 * 0.9, "3.2.1")
    assert all(one.score >= 0.05 for one in found.values())


def test_an_alternative_is_damped_by_the_words_that_set_its_heading_apart() -> None:
    assert damped(STRUCTURE, {"barrel": 2.0, "stop": 1.0}, 0.2, 0.5)["3.3.2"] == 0.2
    assert "3.2.2" not in damped(STRUCTURE, {"barrel": 2.0}, 0.2, 0.5)
    assert damped(STRUCTURE, {"stop": 1.0}, 0.2, 0.5) == {}


def test_a_plain_heading_is_meant_where_the_question_says_nothing_of_the_special_ones() -> None:
    """'Car to car' beside 'Car to bicycle': a question of cars alone damps the second, one of bicycles the first."""
    made = (clause("1", "Rules"), clause("1.1", "Car to car case"), clause("1.2", "Car to bicycle case"))
    only = document().model_copy(update={"clauses": made, "tables": (), "footnotes": ()})
    graph = RefGraph(document=only.id, nodes=("1", "1.1", "1.2"), references=())
    structure = Structure.of(Shelf.of(Corpus(document=only, graph=graph, chunks=())))
    assert damped(structure, {"car": 1.0}, 0.2, 0.5) == {"1.2": 0.5}
    assert damped(structure, {"bicycl": 1.0}, 0.2, 0.5) == {"1.1": 0.2}
