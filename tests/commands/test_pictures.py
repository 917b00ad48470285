"""`regc inspect --pictures`: a picture a page, with a box for everything that was recognised."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.readers.pdf_maker import Sheet
from tests.readers.pdf_maker import pdf as made

from regc.commands.inspect import boxes, draw
from regc.errors import SourceError
from regc.readers import pdf

NAMES = {"regulation": "carts", "edition": "1", "title": "Carts", "wording": "official"}


def _sheets() -> bytes:
    one = Sheet().words(113, 70, "1.").words(170, 70, "The cart^1^ stops at the speeds of the table that stands below this text.")
    one.words(170, 90, "s = v^2^ / (2 * a)").words(113, 110, "Speeds", bold=True)
    one.grid([113, 213, 313], [120, 135, 150, 165], [["v (mph)", "Gap (m)"], ["10", "1"], ["20", "2***"]])
    one.words(113, 180, "*** Only on Sundays.", size=9).box(200, 300, 200, 120).words(240, 360, "25 m", size=7.7)
    one.line(90, 700, 164, 700).words(113, 715, "^1^ Or the sledge.", size=8)
    two = Sheet(turned=True).words(113, 70, "2.").words(170, 70, "The other cart stops as well, whenever the bell rings.")
    return made(one, two)


def test_everything_recognised_has_its_box() -> None:
    document = pdf.read(Path("carts.pdf"), _sheets(), **NAMES)
    first = boxes(document)[1]
    assert Counter(box.kind for box in first) == {
        "clause": 1,
        "cell": 4,
        "mark": 1,
        "table": 1,
        "figure": 1,
        "formula": 1,
        "footnote": 2,
    }
    assert {box.label for box in first if box.kind in ("table", "mark", "footnote")} == {
        "1#1: 2 x 2",
        "***",
        "1#1, footnote ***",
        "footnote 1",
    }
    (table,) = (box for box in first if box.kind == "table")
    assert table.bbox == pytest.approx((113, 135, 313, 165), abs=2)


def test_a_picture_a_page_as_it_is_read(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="extra report is not installed")
    source = tmp_path / "carts.pdf"
    source.write_bytes(_sheets())
    document = pdf.read(source, source.read_bytes(), **NAMES)
    drawn = draw(document, source, tmp_path / "pictures")
    assert [path.name for path in drawn] == ["page-001.png", "page-002.png"]
    upright, turned = (image.open(path) for path in drawn)
    assert upright.height > upright.width
    assert turned.width > turned.height
    colours = {colour for _, colour in upright.getcolors(1 << 20)}
    assert {(0, 70, 200), (220, 0, 0), (0, 140, 60), (140, 0, 160)} <= colours


def test_only_a_pdf_has_pictures(tmp_path: Path) -> None:
    source = tmp_path / "carts.md"
    source.write_text("# 1. Carts\n")
    with pytest.raises(SourceError, match="of a PDF only"):
        draw(pdf.read(Path("carts.pdf"), _sheets(), **NAMES), source, tmp_path / "pictures")
