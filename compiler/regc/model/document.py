"""What a reader makes of a regulation, whatever the file was: clauses, tables, footnotes, repairs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from regc.model.result import Finding
from regc.model.source import Bbox, Frozen, Wording

if TYPE_CHECKING:
    import networkx as nx


class LineBox(Frozen):
    """Where the characters [start, end) of a clause's text stand on a page."""

    start: int
    end: int
    page: int
    bbox: Bbox


class Item(Frozen):
    """An item of a list in a clause: [start, end) of the clause's text, its own label included, items below it not.

    `path` are the labels from the outermost list inwards (("c", "i")), `number` counts the lists of the clause from 1. `lead` is the
    line above the list: the item above where that ends with a colon, else the last line without a label.
    """

    path: tuple[str, ...]
    number: int
    lead: str
    text: str
    start: int
    end: int

    @property
    def label(self) -> str:
        """As it is cited: "(c)(i)"."""
        return "".join(f"({label})" for label in self.path)


class Clause(Frozen):
    """A numbered paragraph, or the unnumbered text of a region (`number` is None).

    `region`: "body", "Annex 1", "Annex 3", "Annex 3 - Appendix 1". `number` has no trailing dot ("5.2.1.4").
    `title` is the heading when the paragraph has one. `text` is all running text in reading order without the number and
    the title, paragraphs separated by a newline, items in place, hyphenation of line ends undone, footnote marks taken out.
    `parent` is the id of the clause above. `pages` are 1-based. `headings` are the unnumbered headings that stand above it.
    `by_page`: a misprint gives its number to another paragraph of the region, too, so that its id names its page.
    """

    region: str
    number: str | None
    title: str | None = None
    text: str = ""
    items: tuple[Item, ...] = ()
    headings: tuple[str, ...] = ()
    parent: str | None = None
    tables: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    lines: tuple[LineBox, ...] = ()
    by_page: bool = False

    @property
    def id(self) -> str:
        """Stable id in its document: "5.2.1.4", "Annex 3, 2.1", "Annex 3 - Appendix 2, 3.2", "Annex 2", "body", "2.2 on page 7"."""
        return clause_id(self.region, self.number, self.pages[0] if self.by_page else None)


def clause_id(region: str, number: str | None, page: int | None = None) -> str:
    """The id of a clause from its region and number; the body's numbers stand alone. `page`: of the second one with its number."""
    if number is None:
        return region
    name = number if region == "body" else f"{region}, {number}"
    return name if page is None else f"{name} on page {page}"


class Cell(Frozen):
    """One cell of a table body after spans are resolved; `text` is normalised ("0.00", "-" for a dash of any kind) and without
    the footnote marks behind it, which are `marks` ("***", "9")."""

    text: str
    marks: tuple[str, ...] = ()
    page: int | None = None
    bbox: Bbox | None = None


class Table(Frozen):
    """A table of a clause with every span resolved.

    `id`: "<clause id>#<n>", n counts the clause's tables from 1. `columns` holds one header path a column, outermost
    header first, e.g. ("Stationary/Moving", "Maximum mass"). Every row has len(columns) cells. `unit_note` is the line
    under it ("All values in km/h"). `offset` is the position in the clause's text after which the table stands.
    `footnotes` are the marks of caption, header and cells as printed ("3", "***"), `column_marks` those of each column's header
    path. A table cut by a page break is one Table with both pages.
    """

    id: str
    clause: str
    caption: str | None = None
    unit_note: str | None = None
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[Cell, ...], ...]
    footnotes: tuple[str, ...] = ()
    column_marks: tuple[tuple[str, ...], ...] = ()
    pages: tuple[int, ...] = ()
    offset: int = 0

    def column_label(self, index: int) -> str:
        """The header path of a column, joined with " > "."""
        return " > ".join(self.columns[index])


class Footnote(Frozen):
    """A footnote and where its mark stands. `anchors` are clause or table ids. `table`: it is a rule under that table
    ("** The maker shall show ...") whose mark counts there alone. `by_page`: its mark stands for several notes, one a page."""

    marker: str
    region: str = "body"
    table: str | None = None
    text: str
    anchors: tuple[str, ...] = ()
    page: int | None = None
    bbox: Bbox | None = None
    by_page: bool = False

    @property
    def id(self) -> str:
        """Stable id in its document: "footnote 3", "Annex 1, footnote 2", "5.2.1.4#1, footnote **", "footnote 1 on page 7"."""
        name = f"footnote {self.marker}" + (f" on page {self.page}" if self.by_page else "")
        home = self.table or ("" if self.region == "body" else self.region)
        return f"{home}, {name}" if home else name


class Figure(Frozen):
    """A drawing, what its caption says ("Figure 3 Left turn") and the words in it, one printed line a line; none is clause text."""

    clause: str
    caption: str | None = None
    words: str = ""
    page: int | None = None
    bbox: Bbox | None = None


class Formula(Frozen):
    """A formula that stands apart from the text, as it is written (a fraction as "(a + b)/c", LaTeX as LaTeX).

    `offset` is the position in the clause's text after which it stands.
    """

    clause: str
    text: str
    page: int | None = None
    bbox: Bbox | None = None
    offset: int = 0


class Repair(Frozen):
    """Something that the reader put right, and why it could be sure."""

    place: str
    before: str
    after: str
    reason: str
    page: int | None = None


class Document(Frozen):
    """A regulation as read. Every stage after the reader works from this alone.

    `id` is the regulation's id ("un152"), `edition` the edition's ("02"), `sha256` of the input bytes, `reader` the name of the
    reader. `source_name` is the file's name without a folder. `heads` are the running heads and feet as printed, each once, their page
    numbers left out.
    """

    id: str
    title: str
    edition: str
    wording: Wording
    sha256: str
    reader: str
    source_name: str = ""
    heads: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()
    tables: tuple[Table, ...] = ()
    footnotes: tuple[Footnote, ...] = ()
    figures: tuple[Figure, ...] = ()
    formulas: tuple[Formula, ...] = ()
    repairs: tuple[Repair, ...] = ()
    findings: tuple[Finding, ...] = Field(default=())

    def clause(self, id: str) -> Clause | None:
        """The clause with that id, or None."""
        return next((clause for clause in self.clauses if clause.id == id), None)

    def table(self, id: str) -> Table | None:
        """The table with that id, or None."""
        return next((table for table in self.tables if table.id == id), None)

    def footnote(self, id: str) -> Footnote | None:
        """The footnote with that id, or None."""
        return next((note for note in self.footnotes if note.id == id), None)


# ---- canonical regulation order: by region, then by paragraph number as numbers; tables and footnotes at their clause.


#: Sorts before and after every other key of its kind; compares by natural order of numbers.
Key = tuple[tuple[int, str], ...]

_PART = re.compile(r"(\d+)|([A-Za-z]+)")


def natural(text: str) -> Key:
    """A key by which "5.2.1" < "5.2.1.1" < "5.2.2" < "5.10" and "Annex 3" < "Annex 3 - Appendix 1" < "Annex 10"."""
    return tuple((int(number), "") if number else (-1, word.lower()) for number, word in _PART.findall(text))


def canonical_order(document: Document) -> dict[str, int]:
    """The rank of every clause, table and footnote id of a document. A clause is followed by its tables, they by the footnotes
    that are anchored there first; unnumbered text of a region stands before its numbered paragraphs."""
    regions = {"body": 0}
    for clause in document.clauses:
        regions.setdefault(clause.region, len(regions))
    named = sorted((region for region in regions if region != "body"), key=natural)
    region_rank = {"body": 0} | {region: rank for rank, region in enumerate(named, start=1)}
    clauses = sorted(document.clauses, key=lambda clause: (region_rank[clause.region], natural(clause.number or "")))
    tables: dict[str, list[str]] = {}
    for table in document.tables:
        tables.setdefault(table.clause, []).append(table.id)
    notes: dict[str, list[str]] = {}
    for footnote in document.footnotes:
        notes.setdefault(footnote.anchors[0] if footnote.anchors else "", []).append(footnote.id)
    order: list[str] = []
    for clause in clauses:
        own = sorted(tables.get(clause.id, ()), key=natural)
        order.extend((clause.id, *own))
        for anchor in (clause.id, *own):
            order.extend(sorted(notes.get(anchor, ()), key=natural))
    ranked = {id: rank for rank, id in enumerate(dict.fromkeys(order))}
    for left in (*(table.id for table in document.tables), *(footnote.id for footnote in document.footnotes)):
        ranked.setdefault(left, len(ranked))
    return ranked


# ---- cross-references of a document as a directed graph.


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
