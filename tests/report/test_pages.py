"""Pictures of PDF pages."""

from __future__ import annotations

import base64
import io

import pytest

from regc.pipeline.request import Compiled
from regc.report.page_data import pictures
from tests.report.inputs import real

pypdfium2 = pytest.importorskip("pypdfium2")
pytest.importorskip("PIL", reason="needs regc[report]")


def blank(count: int) -> bytes:
    document = pypdfium2.PdfDocument.new()
    for _ in range(count):
        document.new_page(200, 300)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def test_only_the_pages_asked_for_that_the_file_has() -> None:
    found = pictures(blank(2), (2, 7))
    assert list(found) == ["2"]
    assert (found["2"]["w"], found["2"]["h"]) == (200, 300)
    head, body = found["2"]["i"].split(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(body).startswith(b"\x89PNG")


def test_no_page_no_work() -> None:
    assert pictures(b"not a PDF", ()) == {}


def test_report_of_the_official_pdf_stays_small(official: Compiled, shared: object) -> None:
    from pathlib import Path

    from regc.report import html
    from tests.report.test_html import data

    assert isinstance(shared, Path)
    content = (shared / "regulations" / "un152-r2" / "un152-r2.pdf").read_bytes()
    page = html.emit(real(official, pdf=content), html.Options())[0].content
    assert len(page) < 5_000_000
    found = data(page.decode())
    boxed = [source for source in found["sources"] if "x" in source]
    assert len(boxed) > 200
    assert all(str(source["p"]) in found["pages"] for source in boxed)
    for source in boxed:
        sheet = found["pages"][str(source["p"])]
        left, top, right, bottom = source["x"]
        assert 0 <= left < right <= sheet["w"]
        assert 0 <= top < bottom <= sheet["h"]
