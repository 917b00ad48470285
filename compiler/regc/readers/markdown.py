"""Markdown: our embedded editions, and what MinerU or magic-pdf wrote (with its *_middle.json, when that lies beside it)."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from regc.errors import SourceError
from regc.model.document import Document
from regc.model.result import Finding
from regc.readers.assemble.assembly import assemble
from regc.readers.markup.markdown_blocks import parse_markdown
from regc.readers.markup.printed_text import decode
from regc.readers.mineru import layout_beside, read_pair

suffixes = (".md", ".markdown")


def read(path: Path, content: bytes, *, regulation: str, edition: str, title: str, wording: str) -> Document:
    """One Document from Markdown. Raises SourceError when the file is empty or no regulation."""
    text, assumed = decode(content)
    if not text.strip():
        raise SourceError(f"{path.name} is empty", hint="give a file with the text of the regulation")
    parsed = parse_markdown(text)
    findings = [*([encoding_finding(path.name, assumed)] if assumed else []), *parsed.findings]
    beside = layout_beside(path, parsed.pieces)
    findings += beside.findings
    names = {"regulation": regulation, "edition": edition, "title": title, "wording": wording, "source_name": path.name}
    if beside.path is not None and beside.found is not None:
        sha256 = hashlib.sha256(content + beside.content).hexdigest()
        return read_pair(replace(parsed, findings=findings), path.name, beside.found, beside.path.name, sha256, **names)
    return assemble(
        [piece.block for piece in parsed.pieces],
        sha256=hashlib.sha256(content).hexdigest(),
        reader="markdown",
        findings=findings,
        repairs=parsed.repairs,
        glued_marks=True,
        **names,
    )


def encoding_finding(name: str, assumed: str) -> Finding:
    """A file that is not UTF-8 was read as something else."""
    return Finding(
        code="R109",
        severity="warning",
        message=f"{name} is not UTF-8; it was read as {assumed}",
        place=name,
        hint="save the file as UTF-8, then compare signs such as dashes and degrees",
    )
