"""Markdown: the embedded form, the damage that converters do, and bad input."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from pathlib import Path

import pytest

from regc.errors import SourceError
from regc.model.document import Document
from regc.readers import markdown
from regc.readers.markup.printed_text import formula, printed

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "markdown"
REGULATIONS = Path(__file__).resolve().parents[2].parent / "shared" / "regulations" / "un152-r2"


def read(content: str | bytes, name: str = "carts.md") -> Document:
    """Markdown text as a document of an invented regulation."""
    raw = content.encode() if isinstance(content, str) else content
    return markdown.read(Path("nowhere") / name, raw, regulation="carts", edition="1", title="Carts", wording="embedded")


@pytest.fixture(scope="module")
def carts() -> Document:
    return read((FIXTURES / "carts.md").read_bytes())


def test_regions_and_clauses(carts: Document) -> None:
    assert [clause.id for clause in carts.clauses] == [
        "body",
        "1",
        "2",
        "2.1",
        "2.2",
        "3",
        "3.1",
        "3.2",
        "Annex 1",
        "Annex 1, 1",
        "Annex 1, 2",
        "Annex 1 - Appendix 1",
    ]
    parents = {clause.id: clause.parent for clause in carts.clauses}
    assert parents["2.1"] == "2"
    assert parents["1"] is None
    assert parents["Annex 1, 1"] == "Annex 1"
    assert parents["Annex 1 - Appendix 1"] == "Annex 1"
    assert carts.clause("3.1").title == "Limits"  # type: ignore[union-attr]
    assert carts.clause("Annex 1 - Appendix 1").title == "Sketch"  # type: ignore[union-attr]
    assert not carts.findings


def test_items(carts: Document) -> None:
    clause = carts.clause("1")
    assert clause is not None
    assert [(item.label, item.text) for item in clause.items] == [("(a)", "(a) A box; and"), ("(b)", "(b) Wheels.")]
    assert all(clause.text[item.start : item.end] == item.text for item in clause.items)


def test_tables(carts: Document) -> None:
    first, second = carts.tables
    assert (first.id, first.caption, first.unit_note) == ("3.1#1", "C1 carts: highest speed left (mph)", "All values in mph")
    assert first.columns == (("Speed (mph)",), ("Wall/Fence", "Empty"), ("Wall/Fence", "Full"))
    assert [[cell.text for cell in row] for row in first.rows] == [["5", "0.00", "-"], ["10", "1.50", "2.00"]]
    assert second.id == "3.1#2"
    assert second.columns[0] == ("Speed (mph)",)
    clause = carts.clause("3.1")
    assert clause is not None
    assert clause.tables == ("3.1#1", "3.1#2")
    assert clause.text[: first.offset].endswith("3.0 m/s².")
    assert clause.text[first.offset :].strip().startswith("Both tables")
    assert [(repair.place, repair.before, repair.after) for repair in carts.repairs] == [
        ('3.1#1 row 2 column "Wall/Fence > Empty"', "1,50", "1.50")
    ]


def test_footnotes(carts: Document) -> None:
    assert [(note.id, note.anchors) for note in carts.footnotes] == [
        ("footnote 1", ("1",)),
        ("footnote 2", ("3.1#1",)),
        ("Annex 1, footnote 1", ("Annex 1, 2",)),
    ]
    assert carts.footnotes[1].text == "Between two speeds the limit of the higher one holds."
    assert carts.clause("1").text.startswith("They hold for carts of class C1 and C2 that have:")  # type: ignore[union-attr]
    assert carts.tables[0].footnotes == ("2",)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"1 0 \mathrm { k m / h }", "10 km/h"),
        (r"6 0 \ \mathrm { k m / h }", "60 km/h"),
        (r"2 0 \mathrm { k m } / \mathrm { h }", "20 km/h"),
        (r"\mathbf { M } _ { 1 }", "M1"),
        (r"\Nu _ { 1 }", "N1"),
        (r"{ \bf N } _ { 1 }", "N1"),
        (r"0 ^ { \circ } \mathrm { C }", "0°C"),
        (r"4 5 \mathrm { { ^ \circ C } }", "45°C"),
        (r"0 . 1 \textrm { m }", "0.1 m"),
        (r"2 1 0 \times 2 9 7 ~ \mathrm { m m }", "210×297 mm"),
        (r"+ 0 / { - } 2 \ \mathrm { k m / h }", "+0/-2 km/h"),
        (r"1 5 \mathrm { k m } \mathrm { { h } + 0 / - 1 \mathrm { k m } \mathrm { { h } } }", "15 km/h +0/-1 km/h"),
    ],
)
def test_formulas(source: str, text: str) -> None:
    assert formula(source) == text


@pytest.mark.parametrize(
    ("source", "text", "marks"),
    [
        (r"at least $5 . 0 \mathrm { m } / \mathrm { s } ^ { 2 }$ of it", "at least 5.0 m/s² of it", ()),
        (r"Limit for $\mathbf { C _ { 1 } { } ^ { 8 } }$", "Limit for C1", ("8",)),
        ("carts<sup>3</sup> and", "carts and", ("3",)),
        ("the 1<sup>st</sup> cart", "the 1st cart", ()),
        ("a smoke of 0.5 m<sup>−1</sup>", "a smoke of 0.5 m⁻¹", ()),
        (r"a smoke of $0 . 5 \mathrm { m } ^ { - 1 }$", "a smoke of 0.5 m⁻¹", ()),
        ("9 N/cm<sup>2</sup> and v<sup>2</sup>", "9 N/cm² and v²", ()),
        ("**Limit**<strong><sup>4</sup></strong>", "Limit", ("4",)),
        ("M<sub>1</sub> carts", "M1 carts", ()),
        (r"a\*b \_ c &lt; d", "a*b _ c < d", ()),
        ("costs $5 only", "costs $5 only", ()),
        ("see[^A3A1-2].", "see.", ("2",)),
    ],
)
def test_inline_markup(source: str, text: str, marks: tuple[str, ...]) -> None:
    assert printed(source) == (text, marks)


def test_glued_footnote_marks_count_up() -> None:
    document = read(
        "# 1. Carts\n\n1.1. A C1 cart or a C2 cart is a cart with a nominal1 box.\n\n1.2. Limits:\n\n"
        "Limit for C22\n\n| v | a |\n|---|---|\n| 10 | 1 |\n\nLimit for C1 carts3\n\n| v | a |\n|---|---|\n| 10 | 1 |\n\n"
        "1.3. ISO 19206 and E1136 hold for carts.\n\n[^1]: One.\n\n[^2]: Two.\n\n[^3]: Three.\n"
    )
    assert [(table.caption, table.footnotes) for table in document.tables] == [("Limit for C2", ("2",)), ("Limit for C1 carts", ("3",))]
    assert [note.anchors for note in document.footnotes] == [("1.1",), ("1.2#1",), ("1.2#2",)]
    assert document.clause("1.3").text == "ISO 19206 and E1136 hold for carts."  # type: ignore[union-attr]
    assert len(document.repairs) == 3


def test_missing_footnotes_are_a_finding() -> None:
    document = read("# 1. Carts\n\n1.1. A cart<sup>1</sup> has a bell<sup>2</sup>.\n\n1.2. It rings.\n")
    assert [(finding.code, finding.place) for finding in document.findings] == [("R103", "body")]
    assert "1, 2" in document.findings[0].message


def test_contents_are_skipped_and_name_lost_annexes() -> None:
    document = read(
        "Contents\n\nPage\n\n- 1. Scope....... 2\n- 2. Bells of carts\n- and of sledges .... 3\n"
        "- Annexes\n- 1 Form of a cart...... 4\n"
        "- 2 Marks ....... 5\n- Appendix 1 - Sketch of a mark ..... 6\n\n"
        "## 1. Scope\n\n1.1. Carts.\n\n## 2. Bells of carts and of sledges\n\n"
        "2.1. A bell rings.\n\n## Form of a cart\n\n1. Maker: ....\n\n2. Class: ....\n\n"
        "## Marks\n\nA mark is red.\n\n## Sketch of a mark\n\n1. Red.\n"
    )
    assert [clause.id for clause in document.clauses] == [
        "1",
        "1.1",
        "2",
        "2.1",
        "Annex 1",
        "Annex 1, 1",
        "Annex 1, 2",
        "Annex 2",
        "Annex 2 - Appendix 1",
        "Annex 2 - Appendix 1, 1",
    ]
    assert [repair.place for repair in document.repairs] == ["Annex 1", "Annex 2", "Annex 2 - Appendix 1"]


def test_a_unit_note_out_of_place_goes_to_the_table_before() -> None:
    table = "| v | a |\n|---|---|\n| 10 | 1 |\n"
    document = read(
        f"# 1. Carts\n\n1.1. Limits\n\nLimit of C1\n\n{table}\n\nLimit of C2\n\nAll values in mph\n\n{table}\n\n"
        "1.2. Bells\n\nAll values in mph The bell rings.\n"
    )
    assert [(found.caption, found.unit_note) for found in document.tables] == [
        ("Limit of C1", "All values in mph"),
        ("Limit of C2", "All values in mph"),
    ]
    assert document.clause("1.2").text == "The bell rings."  # type: ignore[union-attr]


def test_a_header_that_lost_a_space_is_called_as_in_other_tables() -> None:
    document = read(
        "# 1. Carts\n\n1.1. Limits\n\nC1\n\n| v | Mass of boxand load |\n|---|---|\n| 10 | 1 |\n\n"
        "C2\n\n| v | Mass of box and load |\n|---|---|\n| 10 | 1 |\n\nC3\n\n| v | Mass of box and load |\n|---|---|\n| 10 | 1 |\n"
    )
    assert {table.columns[1] for table in document.tables} == {("Mass of box and load",)}
    assert any(repair.place == "1.1#1" and "space" in repair.reason for repair in document.repairs)


def test_notes_between_paragraphs_are_no_paragraphs() -> None:
    document = read(
        "# 1. Carts\n\n1.1. A cart<sup>1</sup> has a box.\n\n"
        "## 1 Carts are described in the book of\n\nboxes and wheels.\n\n1.2. It has a bell.\n"
    )
    assert document.clause("1.1").text == "A cart has a box."  # type: ignore[union-attr]
    assert [(note.marker, note.text, note.anchors) for note in document.footnotes] == [
        ("1", "Carts are described in the book of boxes and wheels.", ("1.1",))
    ]


def test_a_note_glued_to_the_one_before_is_one_of_its_own() -> None:
    document = read(
        "# 1. Carts\n\n1.1. A cart<sup>1</sup> has a box<sup>2</sup>.\n\n1 Or a sled (see 2.). 2 Of wood. 3 Of iron.\n\n1.2. Bells.\n"
    )
    assert [(note.marker, note.text) for note in document.footnotes] == [("1", "Or a sled (see 2.)."), ("2", "Of wood. 3 Of iron.")]


def test_marks_of_glued_paragraphs_are_each_of_its_own() -> None:
    document = read(
        "# 1. Carts\n\n1.1. One is red<sup>1</sup> 1.2. One is blue.<sup>2</sup> 1.3. One is no.\n\n[^1]: Or pink.\n\n[^2]: Or grey.\n"
    )
    assert [(clause.number, clause.footnotes) for clause in document.clauses[1:]] == [("1.1", ("1",)), ("1.2", ("2",)), ("1.3", ())]
    assert [note.anchors for note in document.footnotes] == [("1.1",), ("1.2",)]


def test_an_html_table_says_its_caption_and_cells_whatever_decorates_them() -> None:
    table = (
        "<table><caption>Limit<sup>1</sup></caption><thead><tr><td>Speed (mph)</td><td>Gap (m)</td></tr></thead>"
        f"<tbody><tr><td>{'<b><i>' * 400}10{'</i></b>' * 400}</td><td>&lt; 2<br>x</td></tr></tbody></table>"
    )
    document = read(f"# 1. Carts\n\n1.1. The limits:\n\n{table}\n\n[^1]: By day.\n")
    (made,) = document.tables
    assert (made.caption, made.columns, made.footnotes) == ("Limit", (("Speed (mph)",), ("Gap (m)",)), ("1",))
    assert [[cell.text for cell in row] for row in made.rows] == [["10", "< 2 x"]]


@pytest.mark.parametrize("content", [b"", b"  \n\n", b"\xef\xbb\xbf\n"])
def test_empty(content: bytes) -> None:
    with pytest.raises(SourceError, match="empty") as caught:
        read(content)
    assert caught.value.hint


def test_not_a_regulation() -> None:
    with pytest.raises(SourceError, match="no numbered paragraph") as caught:
        read("# Shopping\n\nBread and 2 eggs.\n\n- milk\n")
    assert "regulation itself" in caught.value.hint


def test_not_utf8_is_read_and_reported() -> None:
    document = read("1. Carts\n\n1.1. Not below 0°C – never.\n\n1.2. End.\n".encode("cp1252"))
    assert "0°C – never" in document.clause("1.1").text  # type: ignore[union-attr]
    assert [finding.code for finding in document.findings] == ["R109"]


def test_utf16_with_a_bom() -> None:
    document = read("1. Carts\n\n1.1. Wheels.\n".encode("utf-16"))
    assert document.clause("1.1") is not None


def test_binary_rubbish() -> None:
    with pytest.raises(SourceError):
        read(bytes(range(256)) * 40)


def test_windows_line_ends_change_nothing(carts: Document) -> None:
    again = read((FIXTURES / "carts.md").read_text().replace("\n", "\r\n"))
    assert again.clauses == carts.clauses
    assert again.tables == carts.tables


def test_a_truncated_table_is_an_error_finding_and_keeps_its_rows() -> None:
    document = read(
        "# 1. Carts\n\n1.1. Limits\n\nC1 carts\n\n<table><tr><td>v</td><td>a</td></tr><tr><td>10</td><td>1</td></tr><tr><td>2"
    )
    assert [(finding.code, finding.severity) for finding in document.findings if finding.code == "R108"] == [("R108", "error")]
    assert document.tables[0].rows[0][1].text == "1"


def test_a_truncated_table_does_not_swallow_what_follows() -> None:
    document = read("# 1. Carts\n\n1.1. Limits\n\nC1\n\n<table><tr><td>v</td></tr><tr><td>10</td>\n\n1.2. A bell.\n\n1.3. A brake.\n")
    assert document.clause("1.2") is not None
    assert document.clause("1.3") is not None


def test_a_changed_cell_is_a_changed_document(carts: Document) -> None:
    text = (FIXTURES / "carts.md").read_text()
    changed = read(text.replace("<td>2.00</td>", "<td>7.25</td>"))
    assert changed.tables[0].rows[1][2].text == "7.25"
    assert changed.sha256 != carts.sha256


@pytest.mark.parametrize("seed", range(12))
def test_lost_and_clipped_numbers_of_the_embedded_edition_are_never_guessed(seed: int) -> None:
    path = Path(markdown.__file__).parents[1] / "regulations" / "un152" / "02.md"
    chance = random.Random(seed)
    share = (0.03, 0.1, 0.25, 0.5)[seed % 4]
    lines = path.read_text(encoding="utf-8").split("\n")
    lost = 0
    for place, line in enumerate(lines):
        found = re.match(r"^(#{1,6} )?(\d+(?:\.\d+)*)\. (.*)$", line)
        if not found or chance.random() > share:
            continue
        lost += 1
        parts = found[2].split(".")
        kept = chance.randrange(len(parts)) if chance.random() < 0.4 else 0
        clipped = f".{'.'.join(parts[-kept:])}. " if kept else ""
        lines[place] = f"{found[1] or ''}{clipped}{found[3]}"
    truth = {clause.id: clause for clause in read(path.read_bytes()).clauses}
    document = read("\n".join(lines))
    for clause in document.clauses:
        assert clause.id in truth
        ours, theirs = (known.title or known.text.split("\n")[0] for known in (clause, truth[clause.id]))
        assert theirs.startswith(ours[:60]) or not clause.number
    found_again = len(document.clauses) - (len(truth) - lost)
    assert found_again > 0
    assert all(repair.reason for repair in document.repairs)


def test_five_hundred_pages_are_no_trouble() -> None:
    paragraph = "The cart shall stop before the wall and shall not touch it, whatever the load of its box may be at that time."
    parts = ["# Rules"]
    for chapter in range(1, 101):
        parts.append(f"# {chapter}. Chapter on carts")
        for clause in range(1, 41):
            number = "" if clause == 20 else f"{chapter}.{clause}. "
            parts.append(f"{number}{paragraph} {paragraph}")
    text = "\n\n".join(parts)
    small = text[: text.index("# 26. ")]
    begun = time.perf_counter()
    read(small)
    quarter = time.perf_counter() - begun
    begun = time.perf_counter()
    document = read(text)
    whole = time.perf_counter() - begun
    assert len(document.repairs) == 100
    assert whole < max(12 * quarter, 5.0)


needs_shared = pytest.mark.skipif(not REGULATIONS.is_dir(), reason="needs ../shared/regulations/un152-r2")


def alone(tmp_path: Path, name: str) -> Document:
    """A file of the shared folder, read without the files beside it."""
    copy = tmp_path / name
    copy.write_bytes((REGULATIONS / name).read_bytes())
    return markdown.read(copy, copy.read_bytes(), regulation="un152", edition="02", title="UN R152", wording="official")


def numbered(document: Document) -> Counter[str]:
    return Counter(clause.region for clause in document.clauses if clause.number)


LOST_MD = {"6.7.2", "7.2", "7.3", "Annex 3, 3.1.1", "Annex 3, 3.2.1"}
LOST_FLASH = {"2.15", "4.5", "5.2.3.1", "5.4.1.2", "5.4.1.3"}


@needs_shared
@pytest.mark.parametrize(("name", "lost"), [("un152-r2.mineru.md", LOST_MD), ("un152-r2.mineru4-flash.md", LOST_FLASH)])
def test_the_real_file_alone(tmp_path: Path, name: str, lost: set[str]) -> None:
    document = alone(tmp_path, name)
    counts = numbered(document)
    assert counts["body"] + counts["Annex 3"] == 207 - len(lost)
    named = {place for finding in document.findings if finding.code in ("R101", "R102") for place in (finding.place or "").split(", ")}
    joined = " ".join(finding.place or "" for finding in document.findings)
    assert all(number in named or number in joined for number in lost)
    assert len(document.tables) == 14
    assert sorted(len(table.rows) for table in document.tables) == sorted([12, 14, 10, 11, 10, 11, 3, 3, 2, 2, 3, 3, 3, 3])
    assert [table.footnotes for table in document.tables[:6]] == [("3",), ("4",), ("5",), ("6",), ("7",), ("8",)]
    assert any(finding.code == "R103" for finding in document.findings)
    assert len({table.columns for table in document.tables[:2]}) == 1


@needs_shared
def test_the_embedded_edition_and_the_real_file_have_the_same_figures(tmp_path: Path) -> None:
    folder = Path(markdown.__file__).parents[1] / "regulations" / "un152"
    embedded = markdown.read(
        folder / "02.md", (folder / "02.md").read_bytes(), regulation="un152", edition="02", title="UN R152", wording="embedded"
    )
    real = alone(tmp_path, "un152-r2.mineru.md")
    assert numbered(embedded) == {"body": 165, "Annex 1": 18, "Annex 3": 42, "Annex 3 - Appendix 1": 26, "Annex 3 - Appendix 2": 8}
    for ours, theirs in zip(embedded.tables, real.tables, strict=True):
        assert ours.id == theirs.id
        assert [[cell.text for cell in row] for row in ours.rows] == [[cell.text for cell in row] for row in theirs.rows]
