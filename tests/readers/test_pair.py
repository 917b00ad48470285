"""A Markdown file with its layout file beside: what is read, what is kept in the cache, and what is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.readers.test_mineru import middle

from regc.cache import Cache
from regc.cli.flags import open_document
from regc.model.document import Document

ROWS = "<tr><td>v</td><td>max</td></tr><tr><td>10</td><td>0.0</td></tr><tr><td>20</td><td>1.0</td></tr>"
TEXT = (
    "# 1. Carts\n\n1.1.\n\nA cart is red and has wheels.\n\nIt may be blue.\n\nA cart has a bell.\n\n1.3.\n\nThe limit is:\n\n"
    f"# Limit of C1 carts1\n\n<table>{ROWS}</table>\n\nAll values in mph\n\n1.4.\n\nA brake stops the cart.\n"
)


def pair(folder: Path, text: str = TEXT, layout: str | None = None) -> tuple[Path, Path]:
    """carts.md and carts_middle.json."""
    markdown, other = folder / "carts.md", folder / "carts_middle.json"
    markdown.write_text(text, "utf-8")
    other.write_text(layout if layout is not None else json.dumps(middle()), "utf-8")
    return markdown, other


def read(path: Path) -> Document:
    return open_document(str(path), None, None, Cache())


def told(document: Document, code: str) -> list[str]:
    return [finding.message for finding in document.findings if finding.code == code]


def limit(document: Document) -> str:
    return document.tables[0].rows[1][1].text


@pytest.mark.parametrize("given", [0, 1], ids=["the Markdown", "the layout file"])
def test_a_correction_by_hand_is_never_answered_from_the_cache(given: int, tmp_path: Path) -> None:
    files = pair(tmp_path)
    assert limit(read(files[given])) == "1.0"
    files[0].write_text(TEXT.replace("<td>1.0</td>", "<td>7.5</td>"), "utf-8")
    assert limit(read(files[given])) == "7.5"
    assert told(read(files[given]), "R113") == [
        "1.3#1 row 20, \"max\": carts.md says '7.5', carts_middle.json says '1.0'; the Markdown was taken"
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<td>v</td><td>max</td>", "<td>v</td><td>min</td>", "1.3#1"),
        ("All values in mph", "All values in km/h", "1.3#1"),
        ("Limit of C1 carts1", "Limit of C2 carts1", "1.3#1"),
        ("1.4.\n\nA brake", "1.5.\n\nA brake", "1.5"),
    ],
    ids=["head", "unit below", "caption", "number of a paragraph"],
)
def test_what_is_corrected_around_a_table_differs_too(old: str, new: str, message: str, tmp_path: Path) -> None:
    markdown, _ = pair(tmp_path, TEXT.replace(old, new))
    assert [said for said in told(read(markdown), "R113") if message in said]


def test_a_changed_layout_file_is_read_again(tmp_path: Path) -> None:
    markdown, layout = pair(tmp_path)
    assert read(markdown).footnotes[0].text == "Carts of the first class are small."
    layout.write_text(layout.read_text("utf-8").replace("first class", "second class"), "utf-8")
    assert read(markdown).footnotes[0].text == "Carts of the second class are small."
    layout.unlink()
    assert not read(markdown).footnotes


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "A cart has a bell.",
            "A cart has 2 bells.",
            "1.2: carts.md says 'cart has 2 bells', carts_middle.json says 'cart has a bell'",
        ),
        ("<tr><td>20</td><td>1.0</td></tr>", "", "1.3#1 row 2: carts.md says 'no such row', carts_middle.json says 'a row'"),
        ("A brake stops", "A  brake stops", None),
    ],
)
def test_where_the_two_differ(old: str, new: str, message: str | None, tmp_path: Path) -> None:
    markdown, _ = pair(tmp_path, TEXT.replace(old, new))
    assert told(read(markdown), "R113") == ([f"{message}; the Markdown was taken"] if message else [])


@pytest.mark.parametrize(
    "layout", ["", "{", "[1, 2]", "null", '{"pdf_info": null}', "\\ufeff{}", '{"pdf_info": [{"para_blocks": 3}]}', "[" * 100_000]
)
def test_an_unreadable_layout_file_is_told(layout: str, tmp_path: Path) -> None:
    document = read(pair(tmp_path, layout=layout)[0])
    assert limit(document) == "1.0"
    (message,) = told(document, "R112")
    assert message.startswith("carts_middle.json, beside carts.md, was not used: ")


def test_a_layout_file_of_another_text_is_told(tmp_path: Path) -> None:
    markdown, _ = pair(
        tmp_path, "# 1. Sledges\n\n1.1. A sledge has runners and no wheels at all.\n\n1.2. It glides over snow and ice.\n"
    )
    (message,) = told(read(markdown), "R112")
    assert "holds only 0% of the same text" in message
