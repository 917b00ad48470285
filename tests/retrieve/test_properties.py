"""Whatever the document and the query: the budget holds, the order is canonical, and nothing breaks."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regc.model.chunk import Corpus, Query
from regc.model.document import Clause, Document, Reference, RefGraph, canonical_order
from regc.research.chunks import enrich
from regc.retrieve import regc

WORDS = st.sampled_from(["test", "deck", "barrel", "crate", "speed", "limit", "shall", "stop", "conditions", "general", "20", "means"])
TEXT = st.lists(WORDS, max_size=25).map(" ".join)
NUMBER = st.lists(st.integers(min_value=1, max_value=4), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    numbers = sorted(draw(st.sets(NUMBER, max_size=14)))
    clauses = []
    for number in numbers:
        above = number.rpartition(".")[0]
        parent = above if above in numbers else None
        clauses.append(Clause(region="body", number=number, title=draw(TEXT) or None, text=draw(TEXT), parent=parent))
    if draw(st.booleans()):
        clauses.append(Clause(region="Annex 1", number=None, text=draw(TEXT)))
    ids = [clause.id for clause in clauses]
    ends = st.tuples(st.sampled_from(ids), st.sampled_from([*ids, None])) if ids else st.nothing()
    pairs = draw(st.lists(ends, max_size=12)) if ids else []
    made = Document(id="d", title="t", edition="1", wording="embedded", sha256="0" * 64, reader="test", clauses=tuple(clauses))
    links = tuple(Reference(source=a, target=b, kind="paragraph", quote="q") for a, b in pairs if a != b)
    graph = RefGraph(document="d", nodes=tuple(ids), references=links)
    return Corpus(document=made, graph=graph, chunks=enrich(made, graph, chunk_size=120))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(corpora(), TEXT, st.integers(min_value=200, max_value=500))
def test_budget_order_and_repeatability(corpus: Corpus, query: str, budget: int) -> None:
    def ask() -> object:
        retriever = regc.build((corpus,), embedder=None, llm=None, options=regc.Options(budget=budget))
        return retriever.retrieve(Query(text=query))

    context = regc.build((corpus,), embedder=None, llm=None, options=regc.Options(budget=budget)).retrieve(Query(text=query))
    assert context == ask()
    assert context.tokens <= budget
    order = canonical_order(corpus.document)
    ids = [item.id for item in context.items]
    assert ids == sorted(set(ids), key=order.__getitem__)
    assert not {left.id for left in context.left_out} & set(ids)
    assert context.items or context.findings or context.left_out
