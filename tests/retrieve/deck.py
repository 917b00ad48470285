"""An invented regulation of a few clauses, small enough to work out closures, orders and rankings by hand."""

from __future__ import annotations

from regc.model.chunk import Corpus
from regc.model.document import Cell, Clause, Document, Footnote, Reference, ReferenceKind, RefGraph, Table
from regc.research.chunks import enrich


def clause(number: str | None, title: str | None = None, text: str = "", *, region: str = "body") -> Clause:
    """A clause whose parent follows from its number."""
    parent = number.rpartition(".")[0] if number and "." in number else None
    if region != "body" and number:
        parent = f"{region}, {parent}" if parent else region
    return Clause(region=region, number=number, title=title, text=text, parent=parent)


def table(id: str, caption: str, rows: list[list[str]], *, offset: int = 0) -> Table:
    """A table of speeds with a limit column."""
    return Table(
        id=id,
        clause=id.partition("#")[0],
        caption=caption,
        columns=(("Rolling speed",), ("Limit",)),
        rows=tuple(tuple(Cell(text=text) for text in row) for row in rows),
        offset=offset,
    )


CLAUSES = (
    clause("1", "Scope", "This Regulation applies to decks that stop barrels and crates."),
    clause("2", "Definitions"),
    clause("2.1", None, '"Barrel dummy" means a soft object that stands for a barrel.'),
    clause("2.2", None, '"Crate dummy" means a soft object that stands for a crate.'),
    clause("2.3", None, '"Dry deck" means a deck without water.'),
    clause("2.4", None, '"Winch (WX)" means a device that pulls.'),
    clause("3", "Specifications"),
    clause("3.1", "Marking", "The deck shall bear a plate."),
    clause("3.2", "Barrel stop scenario"),
    clause("3.2.1", "Alarm", "An alarm shall sound before the stop. The driver may interrupt it according to paragraph 3.4."),
    clause("3.2.2", "Speed at the stop", "The barrel shall be slower than the following table says."),
    clause("3.3", "Crate stop scenario"),
    clause("3.3.1", "Alarm", "An alarm shall sound before the stop of a crate."),
    clause("3.3.2", "Speed at the stop", "The crate shall be slower than the following table says."),
    clause("3.4", None, "The driver may interrupt the stop by a lever."),
    clause("4", "Test procedure"),
    clause("4.1", "Test conditions"),
    clause("4.1.1", None, "The deck is flat and dry."),
    clause("4.1.2", None, "At the request of the manufacturer the deck may be wet."),
    clause(
        "4.2",
        "Alarm and stop test with a barrel dummy",
        "The barrel rolls at 20 km/h. Limits: paragraph 3.2.2. Alarm: paragraph 3.2.1.",
    ),
    clause(
        "4.3", "Alarm and stop test with a crate dummy", "The crate slides at 10 km/h. Limits: paragraph 3.3.2. Alarm: paragraph 3.3.1."
    ),
    clause("4.10", "Robustness", "Any of the above tests is run twice."),
    clause(None, "Form", "Name:", region="Annex 1"),
    clause("1", None, "Barrel test passed:", region="Annex 1"),
    clause("2", None, "Place:", region="Annex 1"),
)
TABLES = (
    table("3.2.2#1", "Limits for wooden barrels", [["10", "0.00"], ["20", "5.00"]], offset=57),
    table("3.2.2#2", "Limits for steel barrels", [["10", "1.00"], ["20", "6.00"]], offset=57),
    table("3.3.2#1", "Limits for crates", [["10", "2.00"]], offset=56),
)
NOTES = (Footnote(marker="1", text="Between rows the next row holds.", anchors=("3.2.2#1",)),)


def reference(source: str, target: str | None, kind: ReferenceKind = "paragraph") -> Reference:
    """A reference as link.py would make it."""
    return Reference(source=source, target=target, kind=kind, quote=f"see {target}")


REFERENCES = (
    reference("3.2.1", "3.4"),
    reference("3.2.2", "3.2.2#1", "table"),
    reference("3.3.2", "3.3.2#1", "table"),
    reference("3.2.2#1", "footnote 1", "footnote"),
    reference("4.2", "3.2.2"),
    reference("4.2", "3.2.1"),
    reference("4.3", "3.3.2"),
    reference("4.3", "3.3.1"),
    reference("4.1.1", "UN Regulation No. 999", "external"),
    reference("4.1.2", None),
)


def document(edition: str = "01", id: str = "deck") -> Document:
    """The regulation."""
    return Document(
        id=id,
        title="Decks that stop barrels",
        edition=edition,
        wording="embedded",
        sha256="0" * 64,
        reader="test",
        clauses=CLAUSES,
        tables=TABLES,
        footnotes=NOTES,
    )


def graph(document: Document) -> RefGraph:
    """Its references; nodes in reading order."""
    nodes: list[str] = []
    for one in document.clauses:
        nodes.append(one.id)
        for found in document.tables:
            if found.clause == one.id:
                nodes.append(found.id)
                nodes.extend(note.id for note in document.footnotes if found.id in note.anchors)
    return RefGraph(document=document.id, nodes=tuple(nodes), references=REFERENCES)


def corpus(edition: str = "01", id: str = "deck", *, chunk_size: int = 300) -> Corpus:
    """The regulation, ready for a retriever."""
    made = document(edition, id)
    return Corpus(document=made, graph=graph(made), chunks=enrich(made, graph(made), chunk_size=chunk_size))


def small() -> Corpus:
    """A document of five clauses without any reference."""
    clauses = tuple(clause(str(number), None, f"Lamps of kind {number} shall glow {number} hours.") for number in range(1, 6))
    made = Document(id="lamps", title="Lamps", edition="1", wording="embedded", sha256="1" * 64, reader="test", clauses=clauses)
    links = RefGraph(document="lamps", nodes=tuple(one.id for one in clauses), references=())
    return Corpus(document=made, graph=links, chunks=enrich(made, links))
