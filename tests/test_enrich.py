"""Chunks and closures of a hand-made regulation, worked out by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regc.research.chunks import adjacency, closure, enrich, split
from tests.retrieve.deck import document, graph


def names(positions: tuple[int, ...]) -> list[str]:
    nodes = graph(document()).nodes
    return [nodes[position] for position in positions]


def closed(start: str, *, depth: int | None = None, cap: int = 50, join_tables: bool = True) -> list[str]:
    links = graph(document())
    edges = adjacency(document(), links, join_tables=join_tables)
    return names(closure(edges, (links.nodes.index(start),), depth=depth, cap=cap))


def test_closure_is_breadth_first_with_tables_and_their_footnotes() -> None:
    assert closed("4.2") == ["3.2.2", "3.2.1", "3.2.2#1", "3.2.2#2", "3.4", "footnote 1"]


def test_closure_depth_and_cap() -> None:
    assert closed("4.2", depth=0) == []
    assert closed("4.2", depth=1) == ["3.2.2", "3.2.1"]
    assert closed("4.2", depth=2) == ["3.2.2", "3.2.1", "3.2.2#1", "3.2.2#2", "3.4"]
    assert closed("4.2", cap=3) == ["3.2.2", "3.2.1", "3.2.2#1"]
    assert closed("4.2", cap=0) == []


def test_a_heading_without_text_leads_to_what_stands_below_it() -> None:
    assert closed("3.2", depth=1) == ["3.2.1", "3.2.2"]


def test_external_and_open_references_lead_nowhere() -> None:
    assert closed("4.1.1") == []
    assert closed("4.1.2") == []


def test_cycles_end() -> None:
    edges = ((1,), (2,), (0,))
    assert closure(edges, (0,), depth=None, cap=50) == (1, 2)


def test_every_character_of_every_clause_is_in_a_chunk_once() -> None:
    made = document()
    links = graph(made)
    chunks = enrich(made, links, chunk_size=60)
    for one in made.clauses:
        spans = sorted((span.start, span.end) for chunk in chunks for span in chunk.spans if links.nodes[span.node] == one.id)
        covered = "".join(one.text[start:end] for start, end in spans)
        assert covered.replace(" ", "") == one.text.replace(" ", "").replace("\n", "")


def test_a_table_is_never_split_and_stands_in_one_chunk() -> None:
    chunks = enrich(document(), graph(document()), chunk_size=40)
    for id in ("3.2.2#1", "3.2.2#2", "3.3.2#1"):
        holding = [chunk for chunk in chunks if f'<table id="{id}">' in chunk.base]
        assert len(holding) == 1
        assert holding[0].base.count("<table") == holding[0].base.count("</table>")


def test_chunks_hold_no_node_of_their_own_in_their_closure() -> None:
    for chunk in enrich(document(), graph(document()), chunk_size=200):
        assert not set(chunk.nodes) & set(chunk.closure)


def test_chunks_are_in_canonical_order_and_a_header_is_never_last_of_a_full_chunk() -> None:
    chunks = enrich(document(), graph(document()), chunk_size=200)
    bases = [chunk.base for chunk in chunks]
    text = "\n\n".join(bases)
    assert text.index("## 4.3 ") < text.index("## 4.10 ")
    assert not bases[0].splitlines()[-1].startswith("## ")
    assert [chunk.id for chunk in chunks] == list(range(len(chunks)))


@given(st.text(alphabet="ab.;, \n", max_size=300), st.integers(min_value=1, max_value=60))
def test_split_keeps_every_character_and_the_size(text: str, size: int) -> None:
    parts = split(text, size)
    assert all(0 < end - start <= size for start, end in parts)
    assert all(first[1] <= second[0] for first, second in pairwise(parts))
    kept = "".join(text[start:end] for start, end in parts)
    assert "".join(kept.split()) == "".join(text.split())


def test_split_prefers_the_coarsest_separator() -> None:
    text = "One one one.\n\nTwo two two. Three three."
    assert [text[start:end] for start, end in split(text, 26)] == ["One one one.", "Two two two. Three three."]
    assert [text[start:end] for start, end in split(text, 14)] == ["One one one.", "Two two two.", "Three three."]


def test_split_agrees_with_the_splitter_of_the_literature() -> None:
    splitters = pytest.importorskip("langchain_text_splitters", reason="extra splitters is not installed")
    text = "\n\n".join(f"Paragraph {n} says that the deck shall hold {n} crates and no more than that." for n in range(12))
    theirs = splitters.RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=0, separators=["\n\n", "\n", ". ", " "])
    assert [text[start:end] for start, end in split(text, 200)] == theirs.split_text(text)
