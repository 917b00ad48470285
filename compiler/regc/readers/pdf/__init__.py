"""PDF files with a text layer, by where each word stands on its page."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from regc.errors import SourceError
from regc.model.document import Document, Table
from regc.model.result import Finding
from regc.readers.assemble.assembly import assemble
from regc.readers.pdf.aligned_tables import in_columns
from regc.readers.pdf.layout import PageParts, sort_pages
from regc.readers.pdf.lines import lines
from regc.readers.pdf.page import Page, pages
from regc.readers.pdf.reading_order import blocks

suffixes: tuple[str, ...] = (".pdf",)

#: Fewer characters a page than this, over the whole file, is a scan with a stray text layer.
_MIN_CHARACTERS = 20
_END, _BLANKS = b"%%EOF", b"\r\n\t \0"
#: Where one PDF ends and another one begins.
_SECOND = re.compile(_END + b"[\r\n\t \0]*(?=%PDF-\\d)")
#: Running heads and feet stand on most of the first pages, outside of these shares of their height.
_HEAD_PAGES, _HEAD, _FOOT = 12, 0.12, 0.88


def read(path: Path, content: bytes, *, regulation: str, edition: str, title: str, wording: str) -> Document:
    """One Document from a PDF. Raises SourceError for a file that is empty, truncated, encrypted, damaged, no PDF, or
    without a text layer (a scan)."""
    whole, tail = parted(content)
    pages_read = pages(whole, path.name)
    _check_text_layer(pages_read, path.name)
    layout, parts = sort_pages(pages_read)
    document = assemble(
        blocks(layout, parts),
        regulation=regulation,
        edition=edition,
        title=title,
        wording=wording,
        sha256=hashlib.sha256(content).hexdigest(),
        reader="pdf",
        source_name=path.name,
        findings=(*_tail_finding(path.name, tail), *_findings(pages_read, parts, path.name)),
    )
    return _with_all_pages(document.model_copy(update={"heads": running_heads(pages_read)}))


def parted(content: bytes) -> tuple[bytes, int]:
    """A PDF up to its end, and how many bytes that are none of it follow (a mail's foot, a server's page).

    A file with further objects behind its last end mark is cut off, not followed by something else: it is given back whole. Of two
    PDFs one behind the other the first is read.
    """
    second = _SECOND.search(content)
    if second is not None:
        return content[: second.end()], len(content) - second.end()
    at = content.rfind(_END)
    rest = content[at + len(_END) :]
    if at < 0 or b"endobj" in rest or b" obj" in rest:
        return content, 0
    return content[: at + len(_END)] + b"\n", len(rest.strip(_BLANKS))


def _tail_finding(name: str, tail: int) -> Iterator[Finding]:
    if tail:
        yield Finding(
            code="R155",
            severity="warning",
            message=f"{name}: {tail} bytes behind the end of the PDF are none of it and were not read",
            place=name,
            hint="download the file again, and compare its size with the publisher's",
        )


def page_turns(content: bytes, name: str) -> tuple[int, ...]:
    """By how many degrees each page is turned before it is read."""
    return tuple(page.turn for page in pages(content, name))


def running_heads(pages_read: Sequence[Page]) -> tuple[str, ...]:
    """Lines near the top and the foot that the first pages share, page numbers left out."""
    first = pages_read[:_HEAD_PAGES]
    seen: Counter[str] = Counter()
    for page in first:
        margin = [word for word in page.words if not _HEAD * page.height < word.base < _FOOT * page.height]
        texts = (re.sub(r"^\d+\s+|\s+\d+$", "", line.text).strip() for line in lines(margin, page.number))
        seen.update(list(dict.fromkeys(texts)))  # in the order of the page: a set has another in each run
    return tuple(text for text, pages in seen.items() if len(text) > 3 and pages >= max(2, len(first) / 2 - 1))


def _with_all_pages(document: Document) -> Document:
    """Tables (and their clauses) name every page on which one of their cells stands."""
    tables = tuple(table.model_copy(update={"pages": _pages_of(table)}) for table in document.tables)
    of_clause = {clause.id: [table for table in tables if table.clause == clause.id] for clause in document.clauses}
    clauses = tuple(
        clause.model_copy(update={"pages": tuple(sorted({*clause.pages, *(page for table in own for page in table.pages)}))})
        if (own := of_clause[clause.id])
        else clause
        for clause in document.clauses
    )
    return document.model_copy(update={"tables": tables, "clauses": clauses})


def _pages_of(table: Table) -> tuple[int, ...]:
    return tuple(sorted({*table.pages, *(cell.page for row in table.rows for cell in row if cell.page is not None)}))


def _check_text_layer(pages_read: Sequence[Page], name: str) -> None:
    if not pages_read:
        raise SourceError(f"{name}: a PDF without a page", hint="download the file again")
    characters = sum(len(word.text) for page in pages_read for word in page.words)
    if characters < _MIN_CHARACTERS * len(pages_read):
        raise SourceError(
            f"{name}: no text layer: {characters} characters on {len(pages_read)} page(s), so the pages are scanned images",
            hint="recognise the text first (MinerU, OCRmyPDF) and give the result, or take the publisher's PDF",
        )


def _findings(pages_read: Sequence[Page], parts: Sequence[PageParts], name: str) -> Iterator[Finding]:
    read = {part.page.number: sum(len(cell.turned.replace(" ", "")) for t in part.tables for cell in t.cells) for part in parts}
    for page in pages_read:
        if not page.words and page.drawings:
            yield Finding(
                code="R151",
                severity="warning",
                message=f"{name} page {page.number}: an image and no text, so nothing of this page was read",
                place=f"page {page.number}",
                hint="recognise the text of this page, or check that it holds none",
            )
        turned = page.rotated - read.get(page.number, 0)
        if turned > 0:
            yield Finding(
                code="R152",
                severity="info",
                message=f"{name} page {page.number}: {turned} characters that do not run from left to right were not read",
                place=f"page {page.number}",
                hint="check that they are part of a drawing or of a turned table that no test needs",
            )
        if page.unseen:
            yield Finding(
                code="R154",
                severity="info",
                message=f"{name} page {page.number}: {len(page.unseen)} characters too small to see were not read",
                place=f"page {page.number}",
                excerpt=page.unseen[:80],
                hint="nothing to do: a program that wrote the file left them there",
            )
    for part in parts:
        for run in in_columns(part.body):
            yield Finding(
                code="R118",
                severity="warning",
                message=f"{name} page {part.page.number}: {len(run)} lines stand in columns without rulings and were read as text",
                place=f"page {part.page.number}",
                excerpt=" / ".join(line.text for line in run)[:200],
                hint="if they are a table that a test needs, take a file with rulings, or a converter's Markdown with the table in it",
            )
        labels = [line for drawing in part.drawings for line in drawing.words]
        if labels:
            words = " / ".join(line.text for line in labels)
            yield Finding(
                code="R153",
                severity="info",
                message=f"{name} page {part.page.number}: {len(labels)} lines inside a drawing were not read as text",
                place=f"page {part.page.number}",
                excerpt=words[:200],
                hint="check that they only label the drawing",
            )
