"""MinerU's layout files: pages, footnotes, traces of numbers, and MinerU itself."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from regc.errors import MissingExtraError, SourceError
from regc.model.document import Document
from regc.readers import markdown, mineru

REGULATIONS = Path(__file__).resolve().parents[2].parent / "shared" / "regulations" / "un152-r2"
needs_shared = pytest.mark.skipif(not REGULATIONS.is_dir(), reason="needs ../shared/regulations/un152-r2")
NAMES = {"regulation": "carts", "edition": "1", "title": "Carts", "wording": "official"}


def block(kind: str, top: int, *lines: str, left: int = 168, width: int = 300) -> dict[str, Any]:
    """A block of the old format, one span a line."""
    return {
        "type": kind,
        "bbox": [left, top, left + width, top + 12 * max(len(lines), 1)],
        "lines": [
            {"bbox": [left, top + 12 * place, left + width, top + 12 * place + 12], "spans": [{"type": "text", "content": line}]}
            for place, line in enumerate(lines)
        ],
    }


def number(top: int, written: str, width: int) -> dict[str, Any]:
    """A paragraph number in its column; "" where it could not be read."""
    return block("text", top, *([written] if written else []), left=112, width=width)


def table(top: int, html: str) -> dict[str, Any]:
    body = {"type": "table_body", "bbox": [112, top, 400, top + 60], "lines": [{"spans": [{"type": "table", "html": html}]}]}
    return {"type": "table", "bbox": [112, top, 400, top + 60], "blocks": [body]}


def middle() -> dict[str, Any]:
    """Two pages: a lost number between 1.1 and 1.3, a cut table, a note, running heads."""
    first = {
        "page_idx": 0,
        "page_size": [595, 842],
        "para_blocks": [
            block("title", 70, "1. Carts"),
            number(90, "1.1.", 16),
            block("text", 90, "A cart is red", "and has wheels."),
            block("text", 120, "It may be blue."),
            number(140, "", 16),
            block("text", 140, "A cart has a bell."),
            number(160, "1.3.", 16),
            block("text", 160, "The limit is:"),
            block("title", 180, "Limit of C1 carts1"),
            table(
                200, "<table><tr><td>v</td><td>max</td></tr><tr><td>10</td><td>0.0</td></tr><tr><td>20</td><td>1.0</td></tr></table>"
            ),
        ],
        "discarded_blocks": [
            block("discarded", 40, "RULES/1"),
            block("discarded", 760, "1 Carts of the first class are", "small."),
            block("discarded", 804, "1"),
        ],
    }
    second = {
        "page_idx": 1,
        "page_size": [595, 842],
        "para_blocks": [
            {
                "type": "table",
                "bbox": [112, 70, 400, 90],
                "blocks": [{"type": "table_body", "bbox": [112, 70, 400, 90], "lines": [], "lines_deleted": True}],
            },
            block("text", 100, "All values in mph"),
            number(120, "1.4.", 16),
            block("text", 120, "A brake stops the cart."),
        ],
        "discarded_blocks": [],
    }
    return {"pdf_info": [first, second], "_backend": "pipeline", "_version_name": "2.7.6"}


def read(data: object, path: Path | None = None) -> Document:
    """A layout file's JSON as a document."""
    return mineru.read(path or Path("nowhere/carts_middle.json"), json.dumps(data).encode(), **NAMES)


def test_the_layout_file_alone() -> None:
    document = read(middle())
    assert [clause.number for clause in document.clauses] == ["1", "1.1", "1.2", "1.3", "1.4"]
    assert document.clause("1.1").text == "A cart is red and has wheels.\nIt may be blue."  # type: ignore[union-attr]
    assert document.clause("1.2").text == "A cart has a bell."  # type: ignore[union-attr]
    assert [(repair.place, repair.before) for repair in document.repairs] == [
        ("body", "Limit of C1 carts1"),
        ("1.2", "(unreadable)"),
    ]
    assert not document.findings


def test_pages_and_boxes() -> None:
    clause = read(middle()).clause("1.1")
    assert clause is not None
    assert clause.pages == (1,)
    assert [(clause.text[line.start : line.end], line.bbox[1]) for line in clause.lines] == [
        ("A cart is red", 90.0),
        ("and has wheels.", 102.0),
        ("It may be blue.", 120.0),
    ]
    assert read(middle()).clause("1.4").pages == (2,)  # type: ignore[union-attr]


def test_the_notes_that_the_markdown_lost() -> None:
    document = read(middle())
    assert [(note.marker, note.text, note.anchors, note.page) for note in document.footnotes] == [
        ("1", "Carts of the first class are small.", ("1.3#1",), 1)
    ]
    found = document.tables[0]
    assert (found.footnotes, found.pages, found.unit_note) == (("1",), (1, 2), "All values in mph")


def test_the_markdown_wins_and_the_layout_adds(tmp_path: Path) -> None:
    (tmp_path / "carts_middle.json").write_text(json.dumps(middle()))
    source = tmp_path / "carts.md"
    source.write_text(
        "# 1. Carts\n\n1.1.\n\nA cart is red and has wheels.\n\nIt may be blue.\n\nA cart has a bell.\n\n1.3.\n\nThe limit is:\n\n"
        "# Limit of C1 carts1\n\n<table><tr><td>v</td><td>max</td></tr><tr><td>10</td><td>0.0</td></tr>"
        "<tr><td>20</td><td>7.5</td></tr></table>\n\nAll values in mph\n\n1.4.\n\nA brake stops the cart.\n"
    )
    document = markdown.read(source, source.read_bytes(), **NAMES)
    assert document.reader == "mineru"
    assert document.tables[0].rows[1][1].text == "7.5"
    assert document.footnotes[0].anchors == ("1.3#1",)
    assert document.clause("1.2") is not None
    both = mineru.read(tmp_path / "carts_middle.json", (tmp_path / "carts_middle.json").read_bytes(), **NAMES)
    assert both.clauses == document.clauses
    assert both.tables == document.tables


def test_a_layout_file_of_another_text_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "carts_middle.json").write_text(json.dumps(middle()))
    source = tmp_path / "carts.md"
    source.write_text("# 1. Sledges\n\n1.1. A sledge has runners and no wheels at all.\n\n1.2. It glides over snow and over ice.\n")
    document = markdown.read(source, source.read_bytes(), **NAMES)
    assert document.reader == "markdown"
    assert not document.footnotes


def test_a_changed_paragraph_does_not_lose_the_places_behind_it(tmp_path: Path) -> None:
    (tmp_path / "carts_middle.json").write_text(json.dumps(middle()))
    source = tmp_path / "carts.md"
    source.write_text(
        "# 1. Carts\n\n1.1.\n\nA cart is green and has wheels.\n\nIt may be blue.\n\nA cart has a bell.\n\n1.3.\n\nThe limit is:\n\n"
        "1.4.\n\nA brake stops the cart.\n"
    )
    found = mineru.layout(mineru.load((tmp_path / "carts_middle.json").read_bytes(), "carts_middle.json"))
    parsed = mineru.parse_markdown(source.read_text())
    pages = [block.page for block in mineru.placed(parsed.pieces, found) if block.text == "A brake stops the cart."]
    assert pages == [2]


def modern() -> dict[str, Any]:
    """The layout file of MinerU 4: fractions, blocks out of order, a number and a heading taken for running heads, a split foot."""

    def entry(kind: str, box: list[float], words: object) -> dict[str, Any]:
        return {"type": kind, "bbox": box, "content": [{"type": "text", "content": words}] if isinstance(words, str) else words}

    def head(page: int) -> list[dict[str, Any]]:
        return [entry("header", [0.1, 0.05, 0.3, 0.06], "RULES/1"), entry("page_number", [0.1, 0.96, 0.11, 0.97], str(page))]

    html = "<table><tr><td>v</td><td>max</td></tr><tr><td>10</td><td>0.0</td></tr></table>"
    caption = [{"type": "text", "content": "Limit of C1 carts"}, {"type": "text", "content": "1", "styles": ["superscript"]}]
    first = [
        entry("paragraph_title", [0.19, 0.10, 0.4, 0.11], "1. Carts"),
        entry("text", [0.28, 0.12, 0.8, 0.13], "A cart is a thing that has"),
        entry("text", [0.19, 0.12, 0.8, 0.16], "1.1. a box and wheels."),
        entry("text", [0.19, 0.20, 0.22, 0.21], "1.2."),
        entry("text", [0.19, 0.30, 0.22, 0.31], "1.3."),
        entry("text", [0.28, 0.20, 0.8, 0.22], "A cart has a bell."),
        entry("text", [0.28, 0.30, 0.8, 0.32], "The limit is:"),
        entry("text", [0.19, 0.34, 0.5, 0.35], caption),
        {
            "type": "table",
            "bbox": [0.19, 0.36, 0.5, 0.4],
            "content": [{"type": "table_body", "bbox": [0.19, 0.36, 0.5, 0.4], "content": html}],
        },
        entry("page_number", [0.19, 0.85, 0.195, 0.86], "1"),
        entry("footer", [0.19, 0.85, 0.8, 0.9], "Small ones. 2 Large ones."),
        *head(1),
    ]
    second = [
        entry("text", [0.28, 0.10, 0.8, 0.12], "A brake stops the cart."),
        entry("header", [0.19, 0.10, 0.22, 0.11], "1.4."),
        entry("header", [0.1, 0.3, 0.2, 0.31], "Annex 1"),
        entry("paragraph_title", [0.1, 0.33, 0.3, 0.34], "Form"),
        {"type": "list", "bbox": [0.1, 0.4, 0.3, 0.5], "content": [entry("text", [0.1, 0.4, 0.3, 0.42], "1. Maker:")]},
        *head(2),
    ]
    sizes = [{"page_idx": page, "width_pt": 600.0, "height_pt": 800.0} for page in (0, 1)]
    return {
        "schema": "docvortex.middle",
        "schema_version": "2.0",
        "extensions": {"docvortex_layout": {"pages": sizes}},
        "pages": [{"page_idx": 0, "blocks": first}, {"page_idx": 1, "blocks": second}],
    }


def test_the_layout_file_of_mineru_4() -> None:
    document = read(modern())
    assert [(clause.id, clause.title, clause.text) for clause in document.clauses] == [
        ("1", "Carts", ""),
        ("1.1", None, "A cart is a thing that has a box and wheels."),
        ("1.2", None, "A cart has a bell."),
        ("1.3", None, "The limit is:"),
        ("1.4", None, "A brake stops the cart."),
        ("Annex 1", "Form", ""),
        ("Annex 1, 1", None, "Maker:"),
    ]
    assert [(note.id, note.text, note.anchors, note.page) for note in document.footnotes] == [
        ("footnote 1", "Small ones.", ("1.3#1",), 1),
        ("footnote 2", "Large ones.", (), 1),
    ]
    assert document.tables[0].caption == "Limit of C1 carts"
    assert document.clause("1.2").lines[0].bbox == (168.0, 160.0, 480.0, 176.0)  # type: ignore[union-attr]
    assert not document.repairs


def test_a_layout_file_of_mineru_4_without_page_sizes_has_no_boxes() -> None:
    data = modern()
    del data["extensions"]
    document = read(data)
    assert document.clause("1.2").lines == ()  # type: ignore[union-attr]
    assert document.clause("1.2").pages == (1,)  # type: ignore[union-attr]
    assert len(document.footnotes) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no JSON"),
        (b"{", "no JSON"),
        (b"[]", "no \\*_middle.json"),
        (b'{"pdf_info": []}', "no \\*_middle.json"),
        (b'"x"', "no \\*_middle.json"),
    ],
)
def test_what_is_no_layout_file(content: bytes, words: str) -> None:
    with pytest.raises(SourceError, match=words) as caught:
        mineru.read(Path("x_middle.json"), content, **NAMES)
    assert caught.value.hint


@pytest.mark.parametrize(
    "data",
    [
        {"pdf_info": [{"para_blocks": ["x"]}]},
        {"pdf_info": [{"para_blocks": [{"type": "text", "lines": "x"}]}]},
        {"pages": [{"blocks": ["x"]}]},
    ],
)
def test_a_damaged_layout_file(data: object) -> None:
    with pytest.raises(SourceError, match="damaged"):
        read(data)


def test_a_layout_file_without_a_regulation() -> None:
    page = {"page_idx": 0, "page_size": [595, 842], "para_blocks": [block("text", 10, "A letter.")], "discarded_blocks": []}
    with pytest.raises(SourceError, match="no numbered paragraph"):
        read({"pdf_info": [page]})


def test_without_the_optional_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(mineru.shutil, "which", lambda *_args, **_kinds: None)
    with pytest.raises(MissingExtraError) as caught:
        mineru.read_pdf_with_mineru(tmp_path / "x.pdf", **NAMES)
    assert "regc[mineru]" in caught.value.hint
    with pytest.raises(MissingExtraError):
        mineru.read(tmp_path / "x.pdf", b"%PDF-1.4", **NAMES)


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with a #! line")
def test_the_program_may_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REGC_MINERU", program(tmp_path, ""))
    assert mineru.command() == str(tmp_path / "mineru-kit")
    monkeypatch.setenv("REGC_MINERU", str(tmp_path / "nothing"))
    assert mineru.command() is None


def program(folder: Path, body: str) -> str:
    """A stand-in for MinerU's program."""
    path = folder / "mineru-kit"
    path.write_text(f"#!{sys.executable}\nimport pathlib, sys\nout = pathlib.Path(sys.argv[sys.argv.index('-o') + 1])\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with a #! line")
def test_running_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pdf = tmp_path / "carts.pdf"
    pdf.write_bytes(b"%PDF-1.4")
    found = program(tmp_path, "(out / 'carts.md').write_text('# 1. Carts\\n\\n1.1. A cart is red.\\n')")
    monkeypatch.setattr(mineru, "command", lambda: found)
    document = mineru.read_pdf_with_mineru(pdf, **NAMES)
    assert document.clause("1.1") is not None
    assert document.source_name == "carts.pdf"
    assert document.reader == "mineru"


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with a #! line")
def test_the_layout_file_of_the_package_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pdf = tmp_path / "carts.pdf"
    pdf.write_bytes(b"%PDF-1.4")
    (tmp_path / "ready.json").write_text(json.dumps(modern()))
    found = program(tmp_path, f"(out / 'carts.json').write_text(pathlib.Path({str(tmp_path / 'ready.json')!r}).read_text())")
    monkeypatch.setattr(mineru, "command", lambda: found)
    document = mineru.read_pdf_with_mineru(pdf, **NAMES)
    assert document.clause("1.4") is not None
    assert len(document.footnotes) == 2


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with a #! line")
def test_a_package_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pdf = tmp_path / "carts.pdf"
    pdf.write_bytes(b"%PDF-1.4")
    found = program(tmp_path, "sys.exit('no model here')")
    monkeypatch.setattr(mineru, "command", lambda: found)
    with pytest.raises(SourceError, match="no model here"):
        mineru.read_pdf_with_mineru(pdf, **NAMES)


@needs_shared
def test_the_real_file_with_its_layout() -> None:
    path = REGULATIONS / "un152-r2.mineru.md"
    document = markdown.read(path, path.read_bytes(), regulation="un152", edition="02", title="UN R152", wording="official")
    assert document.reader == "mineru"
    found = {clause.id for clause in document.clauses if clause.number and clause.region in ("body", "Annex 3")}
    assert len(found) == 204
    named = {place for finding in document.findings for place in (finding.place or "").split(", ")}
    assert {"6.7.2", "Annex 3, 3.1.1", "Annex 3, 3.2.1"} <= named | {finding.place for finding in document.findings}
    assert len([clause for clause in document.clauses if clause.number and clause.region == "Annex 3 - Appendix 2"]) == 8
    assert [note.anchors for note in document.footnotes if note.marker in "345678"] == [
        ("5.2.1.4#1",),
        ("5.2.1.4#2",),
        ("5.2.2.4#1",),
        ("5.2.2.4#2",),
        ("5.2.3.4#1",),
        ("5.2.3.4#2",),
    ]
    assert document.table("5.2.1.4#2").pages == (9, 10)  # type: ignore[union-attr]
    assert len(document.tables) == 14
    again = mineru.read(
        REGULATIONS / "un152-r2_middle.json",
        (REGULATIONS / "un152-r2_middle.json").read_bytes(),
        regulation="un152",
        edition="02",
        title="UN R152",
        wording="official",
    )
    assert again.clauses == document.clauses


@needs_shared
def test_no_number_of_the_real_file_is_wrong() -> None:
    pdf = pytest.importorskip("regc.readers.pdf")
    names = {"regulation": "un152", "edition": "02", "title": "UN R152", "wording": "official"}
    truth = pdf.read(REGULATIONS / "un152-r2.pdf", (REGULATIONS / "un152-r2.pdf").read_bytes(), **names)
    path = REGULATIONS / "un152-r2.mineru.md"
    document = markdown.read(path, path.read_bytes(), **names)
    known = {clause.id: clause for clause in truth.clauses}
    for clause in document.clauses:
        assert clause.id in known
        ours, theirs = (f"{found.title or ''}{found.text}"[:40].split("\n")[0] for found in (clause, known[clause.id]))
        if clause.number and clause.region in ("body", "Annex 3"):
            assert _letters(ours)[:15] == _letters(theirs)[:15]


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())
