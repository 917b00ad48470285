"""The HTML reader: two pages that say the same in paragraphs and in layout tables, and pages that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from regc.errors import SourceError
from regc.model.document import Document
from regc.readers import html

_FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "html"


def _read(content: bytes, name: str = "made.html") -> Document:
    return html.read(Path(name), content, regulation="drawbridge", edition="01", title="Drawbridges", wording="official")


def _fixture(name: str) -> Document:
    return _read((_FIXTURES / name).read_bytes(), name)


def _page(body: str) -> Document:
    return _read(f"<html><body>{body}</body></html>".encode())


@pytest.mark.parametrize("name", ["paragraphs.html", "layout_tables.html"])
def test_paragraphs_and_layout_tables_give_the_same_tree(name: str) -> None:
    document = _fixture(name)
    assert [(clause.id, clause.title, clause.parent) for clause in document.clauses if clause.number] == [
        ("1", "Scope", None),
        ("2", "Requirements", None),
        ("2.1", None, "2"),
        ("2.2", "Limits", "2"),
        ("3", "Test", None),
        ("3.1", None, "3"),
        ("Annex 1, 1", None, "Annex 1"),
        ("Annex 1, 2", None, "Annex 1"),
    ]
    assert document.findings == ()


@pytest.mark.parametrize("name", ["paragraphs.html", "layout_tables.html"])
def test_text_is_plain_and_whole(name: str) -> None:
    document = _fixture(name)
    texts = {clause.id: clause.text for clause in document.clauses}
    assert texts["1"] == "This text covers devices that warn of an open drawbridge."
    assert texts["2.1"] == 'The device shall react when a gap < 3 m is "open", and only then; it shall print <b>STOP</b>.'
    assert texts["2.2"] == (
        "The speed at the barrier shall not be above that of the following table:\n"
        "(a) On a dry road;\n(b) With a deceleration of at least 4.0 m/s²."
    )
    limits = document.clause("2.2")
    assert limits is not None
    assert [item.label for item in limits.items] == ["(a)", "(b)"]


@pytest.mark.parametrize("name", ["paragraphs.html", "layout_tables.html"])
def test_data_table_with_spans(name: str) -> None:
    (table,) = _fixture(name).tables
    assert table.id == "2.2#1"
    assert table.caption == "Highest speed at the barrier for trucks"
    assert table.unit_note == "All values in km/h"
    assert table.columns == (("Approach speed (km/h)",), ("Wet or dry", "Loaded"), ("Wet or dry", "Empty"))
    assert [[cell.text for cell in row] for row in table.rows] == [["20", "0.00", "0.00"], ["30", "5.00", "-"]]


def test_footnotes_are_bound_where_they_are_called() -> None:
    notes = {note.marker: (note.region, note.anchors, note.text) for note in _fixture("paragraphs.html").footnotes}
    assert notes == {
        "1": ("body", ("1",), "Bridges that swing sideways count as drawbridges."),
        "2": ("body", ("2.2#1",), "Between two rows the row of the higher speed applies."),
    }
    (star,) = _fixture("layout_tables.html").footnotes
    assert (star.marker, star.anchors) == ("*", ("1",))


def test_a_raised_minus_is_of_a_power() -> None:
    document = _page("<h2>1. Smoke</h2><p>1.1. It is 0.5 m<sup>−1</sup> or 30 min<sup>-1</sup> on the 1<sup>st</sup> day.</p>")
    assert document.clauses[-1].text == "It is 0.5 m⁻¹ or 30 min⁻¹ on the 1st day."


def test_note_list_with_arrows_back() -> None:
    document = _page(
        '<h2>1. Bells</h2><p>1.1. A bell<sup id="r1"><a href="#f1">1</a></sup> shall ring for 3 s.</p>'
        '<ol><li id="f1">Of bronze. <a href="#r1">↩</a></li></ol>'
    )
    clause = document.clause("1.1")
    assert clause is not None
    assert clause.text == "A bell shall ring for 3 s."
    (note,) = document.footnotes
    assert (note.marker, note.text, note.anchors) == ("1", "Of bronze.", ("1.1",))


def test_two_columns_of_numbers_are_data_and_no_layout() -> None:
    document = _page(
        "<p>1. Speeds</p><p>The speeds are those of the table.</p><p>Speeds by load</p>"
        "<table><tr><td>Load (t)</td><td>Speed (km/h)</td></tr><tr><td>1</td><td>20</td></tr><tr><td>2</td><td>10</td></tr></table>"
    )
    (table,) = document.tables
    assert [[cell.text for cell in row] for row in table.rows] == [["1", "20"], ["2", "10"]]
    assert [clause.number for clause in document.clauses if clause.number] == ["1"]


def test_lettered_list_keeps_its_letters() -> None:
    clause = _page('<p>1. The bell shall be:</p><ol type="a"><li>Loud;</li><li>Clean.</li></ol>').clause("1")
    assert clause is not None
    assert clause.text.endswith("(a) Loud;\n(b) Clean.")


def test_numbers_and_labels_in_boxes_of_their_own() -> None:
    document = _page(
        "<div><div>1.</div><div><p>Bells</p></div></div>"
        "<div class='grid'><div><span>1.1.</span></div><div>A bell shall be:"
        "<div><div>(a)</div><div>Loud;</div></div><div><div>(b)</div><div>Clean.</div></div></div></div>"
        "<div><div>1.2.</div><div>No bell shall be silent.</div></div>"
    )
    assert {clause.id: clause.text for clause in document.clauses if clause.number} == {
        "1": "",
        "1.1": "A bell shall be:\n(a) Loud;\n(b) Clean.",
        "1.2": "No bell shall be silent.",
    }


def test_line_breaks_part_paragraphs_only_before_an_empty_line_or_a_label() -> None:
    document = _page(
        "<p>1. Bells</p><p>1.1. A bell of<br>bronze shall be:<br>(a) Loud;<br>(b) Clean.<br><br>It shall ring.<br>"
        "1.2. It shall<br>hang.</p>"
    )
    assert {clause.id: clause.text for clause in document.clauses if clause.number} == {
        "1": "",
        "1.1": "A bell of bronze shall be:\n(a) Loud;\n(b) Clean.\nIt shall ring.",
        "1.2": "It shall hang.",
    }


def test_page_without_its_end_is_reported() -> None:
    document = _read(b"<html><body><p>1. Bells</p><p>1.1. A bell shall ring.</p><p>1.2. A be")
    assert [finding.code for finding in document.findings] == ["R161"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty (0 bytes)"),
        (b"  \n", "empty (3 bytes)"),
        (b"%PDF-1.7\n1 0 obj\n<<>>", "not an HTML page"),
        (b"plain words", "not an HTML page"),
        (b"<html><head><script>var x = '<p>1. A</p>'</script></head><body></body></html>", "without text"),
        (b"<html><body><p>Welcome to the harbour office</p></body></html>", "no numbered paragraph"),
    ],
    ids=["empty", "blank", "PDF", "no mark-up", "script only", "no regulation"],
)
def test_unreadable_pages_say_what_is_wrong(content: bytes, says: str) -> None:
    with pytest.raises(SourceError) as raised:
        _read(content, "bad.html")
    assert str(raised.value).startswith("bad.html: ")
    assert says in str(raised.value)
    assert raised.value.hint
