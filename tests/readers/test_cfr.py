"""The reader of the Code of Federal Regulations' XML: a small invented standard, files that are none, and a real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from regc.errors import SourceError
from regc.link import link
from regc.model.document import Document, Table
from regc.readers import cfr

_FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "cfr" / "drawbridge.xml"
_REAL = Path(__file__).resolve().parents[3] / "shared" / "regulations" / "fmvss127" / "fmvss127.xml"
_official = pytest.mark.skipif(not _REAL.is_file(), reason="the official XML is not beside the checkout (shared/regulations)")


def _read(content: bytes, name: str = "made.xml") -> Document:
    return cfr.read(Path(name), content, regulation="drawbridge", edition="1904", title="Drawbridge gates", wording="official")


def _text(document: Document, id: str) -> str:
    clause = document.clause(id)
    assert clause is not None
    return clause.text


def _rows(table: Table | None) -> list[list[str]]:
    assert table is not None
    return [[cell.text for cell in row] for row in table.rows]


@pytest.fixture(scope="module")
def gates() -> Document:
    return _read(_FIXTURE.read_bytes(), _FIXTURE.name)


def test_clauses_are_numbered_as_the_standard_cites_itself(gates: Document) -> None:
    assert [(clause.id, clause.title, clause.parent, clause.pages) for clause in gates.clauses] == [
        ("body", None, None, (12, 14)),
        ("S1", "Scope", None, (12,)),
        ("S2", "Definitions", None, (12,)),
        ("S3", "Requirements", None, (12,)),
        ("S3.1", None, "S3", (12,)),
        ("S4", "Tests", None, (12,)),
        ("S4.1", "Runs", "S4", (13,)),
        ("S4.2", "Distance", "S4", (13,)),
    ]


def test_text_is_as_printed(gates: Document) -> None:
    assert _text(gates, "S2") == "Gate speed (VG) is the speed of the gate's tip."
    assert _text(gates, "S3.1") == "A gate must stop within 2 1/2 m when it decelerates at 4 m/s², as S4.1(b)(2) measures."
    assert _text(gates, "S4.1").split("\n")[1:] == [
        "(a) Runs at any hour;",
        "(b) Runs by night, of which there are",
        "(1) Runs with a lamp, and",
        "(2) Runs without a lamp.",
        "Note: a closed gate is opened afterwards.",
    ]


def test_formulas_stay_as_written_and_one_that_is_a_picture_is_told(gates: Document) -> None:
    assert _text(gates, "S4.2").split("\n") == ["The distance (L0) follows from", "Equation 1 to S4.2"]
    assert [(formula.clause, formula.text, formula.page) for formula in gates.formulas] == [
        ("S4.2", "L0 = TTC0 × (VG − 1.5)", 13),
        ("S4.2", "[picture XX00.001]", 13),
    ]
    assert [(finding.code, finding.place) for finding in gates.findings] == [("R171", "S4.2")]


def test_figures_of_the_section_stand_with_it_and_not_with_the_last_paragraph(gates: Document) -> None:
    assert _text(gates, "body") == "§ 999.9 Standard No. 9; Drawbridge gates."
    assert [(figure.clause, figure.caption, figure.page) for figure in gates.figures] == [
        ("body", "Figure 1 to § 999.9—The Gate from Above", 14)
    ]


def test_a_picture_without_a_caption_is_told() -> None:
    document = _read(b"<SECTION><P>S1. One.</P><GPH><GID>XX1</GID></GPH><P>S2. Two.</P></SECTION>")
    assert [(figure.clause, figure.caption) for figure in document.figures] == [("S1", None)]
    assert [(finding.code, finding.place) for finding in document.findings] == [("R171", "S1")]


def test_table_with_header_levels_straddles_and_stubs(gates: Document) -> None:
    table = gates.table("S4.1#1")
    assert table is not None
    assert table.caption == "Table 1 to S4.1—Speeds of the Gate [Gaps in m]"
    assert table.columns == ((), ("Speed (km/h)", "VG"), ("Speed (km/h)", "Barge"), ("Gap",), ("Light",))
    assert _rows(table) == [
        ["Gates of Steel"] * 5,
        ["Open gate", "Any 10-80", "0", "-", "Daylight\nLamp"],
        ["", "20", "20", "Any 0.3-0.5", "Lamp"],
        ["Closed gate", "Closed gate", "5", "12", ""],
        ["Half open", "40", "", "", ""],
    ]


def test_footnotes_are_bound_to_their_marks(gates: Document) -> None:
    """The marks of a table begin at 1 again, so they are bound to its own notes."""
    assert [(note.id, note.text, note.anchors) for note in gates.footnotes] == [
        ("S4.1#1, footnote 1", "Of the barge with its load.", ("S4.1#1", "S4.1")),
        ("footnote 1", "A gate of wood stops later.", ("S3.1",)),
    ]
    table = gates.table("S4.1#1")
    assert table is not None
    assert table.column_marks == ((), (), ("1",), (), ())


def test_references_without_the_word_paragraph(gates: Document) -> None:
    graph, findings = link(gates)
    assert findings == ()
    assert [(item.source, item.target, item.kind) for item in graph.references if item.kind != "footnote"] == [
        ("S3.1", "S4.1", "paragraph"),
        ("S4.1", "S4.1#1", "table"),
        ("S4.1", "49 CFR 999.8", "external"),
        ("S4.1", "S4.1#1", "table"),
        ("S4.1#1", "S4.1", "paragraph"),
    ]


def test_holes_in_the_numbers_are_the_standard_s_own() -> None:
    """Nothing is repaired: the XML says which paragraph bears a number, and standards leave numbers out."""
    document = _read(b"<SECTION><P>S1. One.</P><P>Unnumbered words.</P><P>S5. Five.</P><P>S5.3. Three.</P></SECTION>")
    assert [clause.id for clause in document.clauses] == ["S1", "S5", "S5.3"]
    assert _text(document, "S1") == "One.\nUnnumbered words."
    assert (document.repairs, document.findings) == ((), ())


def test_a_number_that_is_there_twice_is_told() -> None:
    document = _read(b"<SECTION><P>S1. One.</P><P>S2. Two.</P><P>S2. Again.</P><P>S3. Three.</P></SECTION>")
    assert _text(document, "S2") == "Two.\nS2. Again."
    assert [finding.code for finding in document.findings] == ["R172"]


def test_an_unknown_element_is_told_and_its_text_kept() -> None:
    document = _read(b"<SECTION><P>S1. One.</P><P>S2. Two.</P><LISTING>A list.</LISTING><P>S3. Three.</P></SECTION>")
    assert _text(document, "S2") == "Two.\nA list."
    assert [(finding.code, finding.place) for finding in document.findings] == [("R173", "S2")]


_BOMB = b'<!DOCTYPE S [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><SECTION><P>S1. &b;</P></SECTION>'
_OUTSIDE = b'<!DOCTYPE S [<!ENTITY a SYSTEM "file:///etc/hostname">]><SECTION><P>S1. &a;</P></SECTION>'


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file is empty"),
        (b"<SECTION><P>S1. One.</P>", "no XML that can be read"),
        (b"S1. One.", "no XML that can be read"),
        (b"<svg><path/></svg>", "the root is <svg>, it holds no SECTION"),
        (b"<SECTION><P>(a) One.</P></SECTION>", "1 SECTION elements, none with paragraphs S1."),
        (
            b"<PART><SECTION><SECTNO>1.1</SECTNO><P>S1. A.</P></SECTION><SECTION><SECTNO>1.2</SECTNO><P>S1. B.</P></SECTION></PART>",
            r"2 sections with paragraphs S1., S2. and so on \(1.1, 1.2\), and no telling",
        ),
        (_BOMB, "declares entities of its own"),
        (_OUTSIDE, "declares entities of its own"),
    ],
    ids=["empty", "cut short", "no XML", "other XML", "other section", "a whole part", "entity bomb", "outside entity"],
)
def test_what_is_no_standard_is_refused_with_the_reason(content: bytes, says: str) -> None:
    with pytest.raises(SourceError, match=says) as caught:
        _read(content)
    assert caught.value.hint


def test_of_several_sections_the_one_that_is_numbered_as_the_regulation() -> None:
    parts = (f"<SECTION><SECTNO>§ 999.{number}</SECTNO><P>S1. Of {number}.</P></SECTION>" for number in ("9", "19", "127", "127a"))
    content = f"<PART>{''.join(parts)}</PART>".encode()
    for regulation, says in (("gates127", "Of 127."), ("gates9", "Of 9."), ("gates127a", "Of 127a.")):
        document = cfr.read(Path("made.xml"), content, regulation=regulation, edition="1904", title="Gates", wording="official")
        assert _text(document, "S1") == says


def test_items_behind_the_number_of_their_clause_are_its_items() -> None:
    document = _read(b"<SECTION><P>S1(a) One.</P><P>S1(b) Two.</P><P>S1.1 <E T='03'>Title</E>. Words.</P></SECTION>")
    assert _text(document, "S1") == "(a) One.\n(b) Two."
    assert [(clause.id, clause.title, clause.text) for clause in document.clauses][1:] == [("S1.1", "Title", "Words.")]
    assert document.findings == ()


def test_a_table_within_a_paragraph_is_no_part_of_its_text() -> None:
    table = "<GPOTABLE COLS='2'><BOXHD><CHED H='1'>A</CHED><CHED H='1'>B</CHED></BOXHD><ROW><ENT>1</ENT><ENT>2</ENT></ROW></GPOTABLE>"
    document = _read(f"<SECTION><P>S1. Before.{table}</P><P>S2. After.</P></SECTION>".encode())
    assert _text(document, "S1") == "Before."
    assert _rows(document.table("S1#1")) == [["1", "2"]]


def test_a_section_within_a_larger_file() -> None:
    inner = _FIXTURE.read_bytes().split(b"?>", 1)[1]
    document = _read(b"<CFRDOC><PART><SECTION><P>Nothing numbered.</P></SECTION>" + inner + b"</PART></CFRDOC>")
    assert [clause.id for clause in document.clauses][:3] == ["body", "S1", "S2"]


@_official
def test_the_real_standard_is_read_whole() -> None:
    """Counted by hand in the file: 109 numbered paragraphs, two tables of 8 and 11 rows, nine figures."""
    document = _read(_REAL.read_bytes(), _REAL.name)
    graph, findings = link(document)
    assert (document.findings, document.repairs, findings) == ((), (), ())
    assert len([clause for clause in document.clauses if clause.number]) == 109
    assert [(table.id, len(table.rows)) for table in document.tables] == [("S7.1#1", 8), ("S8.1.1#1", 11)]
    assert [figure.caption.split(" to")[0] for figure in document.figures if figure.caption] == [f"Figure {n}" for n in range(1, 10)]
    assert [formula.text for formula in document.formulas if formula.clause == "S7.2"] == ["L0 = TTC0 × (VSV − VLV)", "TTC0 = 5.0"]
    lead = document.table("S7.1#1")
    assert lead is not None
    assert lead.columns[1] == ("Speed (km/h)", "VSV")
    assert _rows(lead)[1] == ["", "Any 70-100", "0", "-", "-", "Yes."]
    assert all(reference.target for reference in graph.references)
