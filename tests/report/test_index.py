"""Places of the report: the cell, the footnote, the words."""

from __future__ import annotations

from decimal import Decimal

from regc.model.document import Cell, Clause, Document, Footnote, Table
from regc.model.source import Quantity, SourceRef, Tolerance
from regc.report._index import Index

SPEEDS = Table(
    id="6.4#1",
    clause="6.4",
    columns=(("Maximum mass",), ("Tolerance",)),
    rows=((Cell(text="20"), Cell(text="+2/-0")), (Cell(text="40"), Cell(text="+0/-2"))),
)
DOCUMENT = Document(
    id="d",
    title="D",
    edition="1",
    wording="embedded",
    sha256="0" * 64,
    reader="markdown",
    clauses=(Clause(region="body", number="6.4", text="It waits two seconds, then 2 km/h hold.", tables=("6.4#1",)),),
    tables=(SPEEDS,),
    footnotes=(Footnote(marker="3", text="The next higher row holds.", anchors=("6.4#1",)),),
)


def place(quote: str, **parts: str) -> SourceRef:
    return SourceRef(regulation="d", edition="1", wording="embedded", clause="6.4", quote=quote, **parts)  # type: ignore[arg-type]


def quantity(value: str, unit: str, source: SourceRef) -> Quantity:
    return Quantity(value=Decimal(value), unit=unit, basis="cited", sources=(source,))


def test_a_row_by_its_number_and_a_column_by_its_header() -> None:
    index = Index(DOCUMENT)
    index.source(place("40", table="6.4#1", row="#2", column="Maximum mass"))
    assert {key: index.sources[0][key] for key in "ctrk"} == {"c": 0, "t": 0, "r": 1, "k": 0}


def test_a_place_that_the_document_does_not_have_is_left_blank() -> None:
    index = Index(DOCUMENT)
    index.source(place("7", table="6.4#1", row="99", column="None"))
    assert index.sources[0]["t"] == 0
    assert "r" not in index.sources[0]
    assert "k" not in index.sources[0]


def test_a_footnote_by_its_mark() -> None:
    index = Index(DOCUMENT)
    index.source(place("The next higher row holds.", footnote="3"))
    assert index.sources[0]["f"] == 0


def test_a_number_in_words_is_marked_by_its_unit() -> None:
    index = Index(DOCUMENT)
    words = place("It waits two seconds, then 2 km/h hold.")
    seconds, speed = (index.quantities[index.quantity(quantity("2", unit, words))] for unit in ("s", "km/h"))
    assert [words.quote[slice(*entry["h"][0])] for entry in (seconds, speed)] == ["two seconds", "2 km/h"]


def test_places_and_quantities_are_kept_once() -> None:
    index = Index(DOCUMENT)
    one = quantity("40", "km/h", place("40", table="6.4#1", row="#2", column="Maximum mass"))
    beside = place("+0/-2", table="6.4#1", row="#2", column="Tolerance")
    with_tolerance = one.model_copy(
        update={"tolerance": Tolerance(plus=Decimal(0), minus=Decimal(2), sources=(beside,), assumption="A861")}
    )
    numbers = [index.quantity(one), index.quantity(with_tolerance), index.quantity(one)]
    assert numbers == [0, 1, 0]
    assert len(index.sources) == 2
    assert index.quantities[1]["ts"] == [1]
    assert index.quantities[1]["ta"] == "A861"
