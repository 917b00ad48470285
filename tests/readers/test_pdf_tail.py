"""What follows the end of a PDF is none of it; what is cut off is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.pdf_maker import Sheet
from tests.readers.pdf_maker import pdf as made

from regc.errors import SourceError
from regc.model.document import Document
from regc.readers import pdf


def content() -> bytes:
    sheet = Sheet().words(60, 100, "1.", bold=True).words(120, 100, "Carts", bold=True)
    return made(sheet.words(60, 130, "1.1.").words(120, 130, "A cart drives at 20 km/h at most.").words(120, 160, "It is red."))


def read(given: bytes) -> Document:
    return pdf.read(Path("x.pdf"), given, regulation="x", edition="1", title="x", wording="official")


@pytest.mark.parametrize("tail", [b"", b"\n", b"\r\n\0\0", b" " * 5000])
def test_blanks_behind_the_end_are_nothing(tail: bytes) -> None:
    assert "R155" not in [finding.code for finding in read(content() + tail).findings]


@pytest.mark.parametrize("tail", [b"-- \nsent by mail\n", b"<html>logged in</html>" * 500, bytes(range(128, 256)) * 100])
def test_bytes_behind_the_end_are_told_and_the_rest_is_read(tail: bytes) -> None:
    found, whole = read(content() + tail), read(content())
    (told,) = [finding for finding in found.findings if finding.code == "R155"]
    assert told.message == f"x.pdf: {len(tail.strip())} bytes behind the end of the PDF are none of it and were not read"
    assert found.clauses == whole.clauses
    assert found.sha256 != whole.sha256


def test_a_file_cut_off_behind_an_earlier_end_mark_is_not_called_whole() -> None:
    """A revised PDF has an end mark in the middle; what follows it are objects."""
    with pytest.raises(SourceError, match="PDF"):
        read(b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n" + content()[9:-60])
