"""The words that are looked for: of the field, and learnt from a document's own definitions and abbreviations."""

from __future__ import annotations

from regc.model.chunk import Corpus
from regc.model.document import Clause, Document, RefGraph
from regc.retrieve.context import Shelf
from regc.retrieve.lexical import Lexical
from regc.retrieve.ranking import Taught, Thesaurus, abbreviations, long_forms
from regc.retrieve.structure import Structure
from tests.retrieve.deck import clause

CLAUSES = (
    clause("2", "Definitions"),
    clause("2.1", None, '"Barrel Stop System (BSS)" means a system that holds a barrel.'),
    clause("2.2", None, '"BSS of Type A" means one that works while the deck is parked at a quay.'),
    clause("5", "Requirements"),
    clause("5.1", "BSS of Type A"),
    clause("5.1.1", None, "It shall work up to 10 km/h."),
    clause("5.2", None, "The BSS shall be active. A Rope Strain Gauge (RSG) measures."),
)


def structure(*clauses: Clause) -> Structure:
    made = Document(id="d", title="t", edition="1", wording="embedded", sha256="0" * 64, reader="test", clauses=clauses)
    graph = RefGraph(document="d", nodes=tuple(one.id for one in clauses), references=())
    return Structure.of(Shelf.of(Corpus(document=made, graph=graph, chunks=())))


def test_an_abbreviation_is_learnt_where_its_letters_begin_the_words_before_it() -> None:
    assert abbreviations("The Time To Collision (TTC) of a car") == (("Time To Collision", "TTC"),)
    assert abbreviations("the Mass in Running Order (MRO)") == (("Mass in Running Order", "MRO"),)
    assert abbreviations("the vehicle (AEBS)") == ()
    assert abbreviations("a speed (in km/h)") == ()


def test_long_forms_of_a_document() -> None:
    assert long_forms(structure(*CLAUSES)) == {"BSS": "Barrel Stop System", "RSG": "Rope Strain Gauge"}


def test_abbreviations_are_spelt_out_once() -> None:
    taught = Taught(structure(*CLAUSES))
    assert taught.spelt_out("The BSS and the BSS") == "The BSS (Barrel Stop System) and the BSS"
    assert taught.spelt_out("Barrel Stop System: BSS") == "Barrel Stop System: BSS"


def test_a_paragraph_is_found_by_the_definition_of_the_term_in_the_heading_above_it() -> None:
    """5.1.1 says neither what a BSS is nor that type A is for a parked deck."""
    taught = Taught(structure(*CLAUSES)).words("5.1.1")
    assert {"barrel", "park", "quay"} <= set(taught)
    assert "park" not in Taught(structure(*CLAUSES)).words("5.2")


def test_words_of_the_field_weigh_half_unless_no_document_has_the_word_itself() -> None:
    vocabulary = Thesaurus((), Lexical([["stationary", "car"], ["pedestrian"]]))
    stopped = vocabulary.concepts("stopped stationary")
    assert {"stop": 1.0, "stationary": 1.0} not in stopped  # the question's own word is a concept of its own
    assert {"park": 1.0, "stationary": 1.0} in vocabulary.concepts("parked")
    assert {"car": 1.0} in vocabulary.concepts("a car")


def test_a_learnt_abbreviation_finds_its_long_form_and_back() -> None:
    built = structure(*CLAUSES)
    vocabulary = Thesaurus((built,), Lexical([list(words) for words in built.clause_words.values()]))
    assert any("bss" in concept for concept in vocabulary.concepts("barrel stop system"))
    assert any({"barrel", "system"} <= set(concept) for concept in vocabulary.concepts("BSS"))


def test_of_a_concept_the_best_word_counts_and_words_that_say_nothing_go() -> None:
    index = Lexical([["halt", "stop", "standstill"], ["stop"]])
    assert index.concepts([{"halt": 1.0, "stop": 1.0}])[0] < index.scores({"halt": 1.0, "stop": 1.0})[0]
    assert Thesaurus((), index).concepts("please tell me about it") == []
