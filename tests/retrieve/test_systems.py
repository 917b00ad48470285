"""What every retrieval system promises, over the registry; and what each does on the hand-made regulation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from regc.embed.hash import HashEmbedder
from regc.errors import MissingExtraError, RegcError
from regc.model.chunk import Context, Query
from regc.model.document import canonical_order
from regc.model.protocols import Reply, Retriever
from regc.plugins import RETRIEVERS
from regc.research.retrieve import hipporag, hybrid, rcs, regularag, structural
from tests.retrieve.deck import corpus, document, small

NAMES = RETRIEVERS.names()
WITHOUT_EMBEDDER = ("fulltext", "norag", "regc")


def made(name: str, *, options: Any = None, chunk_size: int = 300) -> Retriever:
    module = RETRIEVERS.load(name)
    try:
        retriever: Retriever = module.build(
            (corpus(chunk_size=chunk_size), small()), embedder=HashEmbedder(), llm=None, options=options or module.Options()
        )
    except MissingExtraError as error:
        pytest.skip(str(error))
    return retriever


def ids(context: Context, regulation: str = "deck") -> list[str]:
    return [item.id for item in context.items if item.regulation == regulation]


@pytest.mark.parametrize("name", NAMES)
def test_a_context_is_ordered_whole_and_the_same_twice(name: str) -> None:
    first = made(name).retrieve(Query(text="test with a rolling barrel dummy"))
    assert first == made(name).retrieve(Query(text="test with a rolling barrel dummy"))
    order = canonical_order(document())
    assert ids(first) == sorted(ids(first), key=order.__getitem__)
    assert len(set(ids(first))) == len(ids(first))
    for item in first.items:
        assert [item.kind] == [kind for kind in ("clause", "table", "footnote") if getattr(item, kind)]
    if name != "norag":
        assert "4.2" in ids(first)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("fulltext", "norag")])
def test_an_empty_query_is_said_to_be_empty(name: str) -> None:
    context = made(name).retrieve(Query(text=" "))
    assert context.items == ()
    assert [finding.code for finding in context.findings] == ["M301"]


@pytest.mark.parametrize("name", NAMES)
def test_k_beyond_the_corpus(name: str) -> None:
    module = RETRIEVERS.load(name)
    if "top_k" in module.Options.model_fields:
        context = made(name, options=module.Options(top_k=10_000)).retrieve(Query(text="rolling barrel"))
        assert "4.2" in ids(context)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in WITHOUT_EMBEDDER])
def test_a_system_that_needs_vectors_says_so(name: str) -> None:
    module = RETRIEVERS.load(name)
    with pytest.raises(RegcError, match="embedder"):
        module.build((corpus(),), embedder=None, llm=None, options=module.Options())


def test_fulltext_gives_everything_and_norag_nothing() -> None:
    everything = made("fulltext").retrieve(Query(text="x"))
    assert set(ids(everything)) == set(canonical_order(document()))
    assert made("norag").retrieve(Query(text="x")).items == ()


def test_rcs_gives_the_characters_of_its_chunks_only() -> None:
    context = made("rcs", options=rcs.Options(top_k=1), chunk_size=60).retrieve(Query(text="alarm before the stop of a crate"))
    assert ids(context) == ["3.3.1"]
    assert len(context.items[0].text) < 90


def test_regularag_follows_references_and_each_switch_has_its_effect() -> None:
    query = Query(text="the barrel rolls at 20 km/h, limits, alarm, paragraph")

    def found(**switches: Any) -> Context:
        return made("regularag", options=regularag.Options(top_k=1, **switches), chunk_size=120).retrieve(query)

    full = found()
    assert {"4.2", "3.2.2", "3.2.2#1", "3.2.2#2", "footnote 1", "3.2.1", "3.4"} <= set(ids(full))
    assert "footnote 1" not in ids(found(expansion=False))
    capped = set(ids(found(enrichment=False, cap=2)))
    uncapped = set(ids(found(enrichment=False)))
    assert capped < uncapped
    assert len(uncapped - capped) >= 2
    assert "<table id=" in next(item.text for item in full.items if item.kind == "table")
    many = Query(text="barrel crate alarm stop")
    doubled = made("regularag", options=regularag.Options(deduplicate=False), chunk_size=120).retrieve(many)
    once = made("regularag", chunk_size=120).retrieve(many)
    assert len(doubled.items) > len(once.items)
    assert set(ids(doubled)) == set(ids(once))
    unordered = made("regularag", options=regularag.Options(ordered=False), chunk_size=120).retrieve(many)
    assert ids(unordered) != ids(once)
    assert set(ids(unordered)) == set(ids(once))


def test_hybrid_finds_what_only_the_words_tell() -> None:
    context = made("hybrid", options=hybrid.Options(top_k=1), chunk_size=60).retrieve(Query(text="winch"))
    assert "2.4" in ids(context)


@pytest.mark.parametrize("name", structural.CONFIGURATIONS)
def test_the_configurations_of_the_structural_family(name: str) -> None:
    context = made("structural", options=structural.CONFIGURATIONS[name]).retrieve(Query(text="rolling barrel dummy test"))
    assert "4.2" in ids(context)


def test_expansion_brings_neighbours_forward() -> None:
    query = Query(text="limits for wooden barrels and steel barrels, rolling speed in rows")
    plain = structural.Options(max_words=8, top_k=3)
    wide = plain.model_copy(update={"expansion": True, "alpha": 2.0, "seeds": 1})
    first = made("structural", options=plain)
    second = made("structural", options=wide)
    assert isinstance(first, structural.Structural)
    assert isinstance(second, structural.Structural)
    assert first.passages(query, 1) == [text for text in first.texts() if text.startswith("## 3.2.2 ")]
    assert any(text.startswith("## 4.2 ") for text in second.passages(query, 6))


class Triples:
    """A language model that knows one triple a passage."""

    name = "fixed"

    def complete(self, messages: Sequence[dict[str, str]], *, schema: dict[str, Any] | None = None, label: str = "") -> Reply:
        text = messages[-1]["content"]
        if "rolls at" in text:
            return Reply(text=json.dumps({"triples": [{"subject": "Oak cask", "relation": "rolls", "object": "deck"}]}), model="fixed")
        return Reply(text="no JSON" if "crate" in text else '{"triples": []}', model="fixed")


def test_hipporag_ranks_by_the_entities_of_the_model() -> None:
    retriever = hipporag.build((corpus(chunk_size=60),), embedder=HashEmbedder(), llm=Triples(), options=hipporag.Options(top_k=1))
    assert "4.2" in ids(retriever.retrieve(Query(text="oak casks")))


def test_hipporag_walks_from_one_passage_to_the_next() -> None:
    options = hipporag.Options(top_k=4)
    found = hipporag.build((corpus(chunk_size=60),), embedder=HashEmbedder(), llm=None, options=options)
    assert "3.4" in ids(found.retrieve(Query(text="lever")))
