"""The drawn reference graph."""

from __future__ import annotations

from itertools import combinations

from regc.link import link
from regc.model.document import Reference, RefGraph
from regc.pipeline.request import Compiled
from regc.report.html import draw


def test_boxes_do_not_overlap_and_curves_have_both_ends(embedded: Compiled) -> None:
    drawing = draw(link(embedded.document)[0])
    assert len(drawing.nodes) > 50
    places = {(node.x, node.y) for node in drawing.nodes}
    assert len(places) == len(drawing.nodes)
    for one, other in combinations(drawing.nodes, 2):
        assert one.x != other.x or abs(one.y - other.y) >= 21
    ids = {node.id for node in drawing.nodes}
    assert all(edge.source in ids and edge.target in ids for edge in drawing.edges)
    assert max(node.x for node in drawing.nodes) + drawing.box <= drawing.width
    assert max(node.y for node in drawing.nodes) + 21 <= drawing.height


def test_every_resolved_reference_is_drawn(embedded: Compiled) -> None:
    graph = link(embedded.document)[0]
    pairs = {(item.source, item.target) for item in graph.references if item.target}
    assert {(edge.source, edge.target) for edge in draw(graph).edges} == pairs


def test_open_reference_and_lonely_paragraph_are_left_out() -> None:
    graph = RefGraph(
        document="d", nodes=("1", "2", "3"), references=(Reference(source="1", target=None, kind="paragraph", quote="paragraph 9."),)
    )
    assert draw(graph).nodes == ()
    assert draw(graph).edges == ()


def test_parallel_references_are_one_curve_with_all_words() -> None:
    references = tuple(Reference(source="1", target="2.1", kind="paragraph", quote=quote) for quote in ("see 2.1.", "as in 2.1."))
    drawing = draw(RefGraph(document="d", nodes=("1", "2.1"), references=references))
    assert [edge.quote for edge in drawing.edges] == ["see 2.1.; as in 2.1."]
    assert [head[0] for head in drawing.heads] == ["Paragraph 1", "Paragraph 2"]


def test_no_label_is_cut_in_a_word() -> None:
    long = "Council Regulation (EEC) No 3821/85 on recording"
    references = (Reference(source="1", target=long, kind="external", quote="it"),)
    labels = [node.label for node in draw(RefGraph(document="d", nodes=("1",), references=references)).nodes]
    assert labels == ["1", "Council Regulation…"]
