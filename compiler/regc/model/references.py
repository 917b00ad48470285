"""Cross-references of a document as a directed graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from regc.model.source import Frozen

if TYPE_CHECKING:
    import networkx as nx

ReferenceKind = Literal["paragraph", "table", "footnote", "annex", "external"]


class Reference(Frozen):
    """One reference as written. `source` is a clause, table or footnote id of the document.

    `target` is an id of the same document, or the name of the other document ("UN Regulation No. 13-H") for `external`,
    or None where it points at nothing that the document has (an R2xx finding goes with it). `quote` is the wording.
    """

    source: str
    target: str | None
    kind: ReferenceKind
    quote: str


class RefGraph(Frozen):
    """Every reference of a document, in reading order. `nodes` are all clause, table and footnote ids in reading order."""

    document: str
    nodes: tuple[str, ...]
    references: tuple[Reference, ...]

    def to_networkx(self) -> nx.MultiDiGraph:
        """Nodes with kind, edges with kind and quote; external documents are nodes, unresolved references are left out."""
        import networkx as nx  # slow to import, and a build walks the references without it

        graph = nx.MultiDiGraph()
        for node in self.nodes:
            graph.add_node(node, kind="footnote" if "footnote" in node else "table" if "#" in node else "clause")
        for reference in self.references:
            if reference.target is None:
                continue
            if reference.target not in graph:
                graph.add_node(reference.target, kind="external")
            graph.add_edge(reference.source, reference.target, kind=reference.kind, quote=reference.quote)
        return graph
