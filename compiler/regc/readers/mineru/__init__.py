"""Output of MinerU and magic-pdf (the layout file, alone or beside its Markdown), and MinerU itself where it is installed.

The Markdown is what a user reads and corrects, so it wins; the layout file adds pages, boxes, footnotes and the traces of
numbers that could not be read.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sysconfig
import tempfile
from dataclasses import replace
from pathlib import Path

from regc.errors import MissingExtraError, SourceError
from regc.model.document import Document
from regc.model.result import Finding
from regc.readers.assemble.assembly import assemble
from regc.readers.assemble.blocks import Block, Line
from regc.readers.markup.beside import layouts_beside, markdowns_beside
from regc.readers.markup.markdown_blocks import ParsedMarkdown, Piece, parse_markdown
from regc.readers.markup.printed_text import decode
from regc.readers.mineru.middle import LayoutFile, LayoutLine, UnreadNumber, key, layout, load
from regc.readers.mineru.pair import (
    PAIR,
    Beside,
    content_of,
    differences,
    stranger,
    unreadable,
)

suffixes = (".json",)

#: Seconds for one PDF; a 500-page file on two cores stays well below.
_TIMEOUT = 3600


def read(path: Path, content: bytes, *, regulation: str, edition: str, title: str, wording: str) -> Document:
    """One Document from a *_middle.json; an older one is read with the Markdown beside it, when that belongs to it.
    A PDF is given to MinerU itself.

    Raises SourceError when the JSON is no layout file or holds no regulation.
    """
    if content.startswith(b"%PDF"):
        return read_pdf_with_mineru(path, regulation=regulation, edition=edition, title=title, wording=wording)
    layout = read_layout(content, path.name)
    names = {"regulation": regulation, "edition": edition, "title": title, "wording": wording, "source_name": path.name}
    parsed = parse_markdown(layout.markdown)
    # MinerU 4's own file holds more than its Markdown (order, footnotes, headings taken for running heads).
    findings: list[Finding] = []
    if b'"para_blocks"' in content:
        for other in markdowns_beside(path):
            beside = content_of(other)
            own = parse_markdown(decode(beside)[0])
            share = likeness(own.pieces, layout)
            if share >= PAIR:
                return read_pair(own, other.name, layout, path.name, _digest(beside, content), **names)
            findings.append(stranger(path, other, share))
    return _document(parsed, layout, _digest(content), tuple(findings), **names)


def read_pair(parsed: ParsedMarkdown, markdown: str, layout: LayoutFile, layout_name: str, sha256: str, **names: str) -> Document:
    """One Document from a Markdown file and its layout file, with a finding for each place at which they differ."""
    document = _document(parsed, layout, sha256, (), **names)
    try:
        other = _document(parse_markdown(layout.markdown), layout, sha256, (), **names)
    except SourceError:  # the layout file alone is no regulation: nothing in it can contradict
        return document
    return document.model_copy(update={"findings": (*document.findings, *differences(document, other, (markdown, layout_name)))})


def _document(parsed: ParsedMarkdown, layout: LayoutFile, sha256: str, findings: tuple[Finding, ...], **names: str) -> Document:
    made = assemble(
        placed(parsed.pieces, layout),
        sha256=sha256,
        reader="mineru",
        findings=(*findings, *parsed.findings),
        repairs=parsed.repairs,
        glued_marks=True,
        **names,
    )
    return made.model_copy(update={"heads": layout.heads})


def read_layout(content: bytes, name: str) -> LayoutFile:
    """The layout in a file's bytes. Raises SourceError when it is none or damaged."""
    pages = load(content, name)
    try:
        return layout(pages)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise SourceError(
            f"{name} is a damaged layout file: {error}", hint="let MinerU write it again, or read the Markdown or the PDF"
        ) from error


def layout_beside(path: Path, made: list[Piece]) -> Beside:
    """The layout file beside a Markdown file ("x.md", "x.mineru.md": "x_middle.json") when it holds the same text."""
    beside = Beside()
    for candidate in layouts_beside(path):
        try:
            content = content_of(candidate)
            layout = read_layout(content, candidate.name)
        except SourceError as error:
            beside.findings.append(unreadable(path, candidate, error))
            continue
        share = likeness(made, layout)
        if share >= PAIR:
            return Beside(candidate, content, layout, beside.findings)
        beside.findings.append(stranger(path, candidate, share))
    return beside


def _digest(*contents: bytes) -> str:
    digest = hashlib.sha256()
    for content in contents:
        digest.update(content)
    return digest.hexdigest()


def command() -> str | None:
    """The program of the optional MinerU package: what REGC_MINERU names, beside this Python, or on the PATH."""
    if named := os.environ.get("REGC_MINERU"):
        return shutil.which(named)
    scripts = Path(sysconfig.get_path("scripts"))
    for name in ("mineru-kit", "mineru"):
        program = shutil.which(name, path=str(scripts)) or shutil.which(name)
        if program:
            return program
    return None


def read_pdf_with_mineru(
    path: Path, *, regulation: str, edition: str, title: str, wording: str, tier: str = "flash", timeout: float = _TIMEOUT
) -> Document:
    """Run MinerU on a PDF in a process of its own and read what it wrote.

    Raises MissingExtraError without MinerU, SourceError when it fails or writes no Markdown. The Document's sha256 is the PDF's.
    """
    program = command()
    if program is None:
        raise MissingExtraError(
            "reading a PDF with MinerU needs the optional package MinerU",
            hint='pip install "regc[mineru]", or set REGC_MINERU to its program in an environment of its own, or'
            " read the PDF's text layer with the reader pdf",
        )
    with tempfile.TemporaryDirectory(prefix="regc-mineru-") as folder:
        arguments = [program, "parse", str(path), "-o", folder, "--tier", tier, "-f", "middle_json"]
        if Path(program).stem == "mineru":
            arguments = [program, "-p", str(path), "-o", folder, "-b", "pipeline"]
        try:
            done = subprocess.run(arguments, capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired as error:
            raise SourceError(
                f"MinerU was not done with {path.name} after {timeout:g} s", hint="give it more time, or use the reader pdf"
            ) from error
        blocks, parsed = _written(Path(folder), done, path.name)
        return assemble(
            blocks,
            regulation=regulation,
            edition=edition,
            title=title,
            wording=wording,
            sha256=_digest(path.read_bytes()),
            reader="mineru",
            source_name=path.name,
            findings=parsed.findings,
            repairs=parsed.repairs,
            glued_marks=True,
        )


def _written(folder: Path, done: subprocess.CompletedProcess[str], name: str) -> tuple[list[Block], ParsedMarkdown]:
    """What MinerU wrote: its layout file, which holds most, else its Markdown."""
    if done.returncode == 0:
        for file in sorted(folder.rglob("*.json")):
            try:
                layout = read_layout(file.read_bytes(), file.name)
            except SourceError:
                continue
            parsed = parse_markdown(layout.markdown)
            return placed(parsed.pieces, layout), parsed
        for file in sorted(folder.rglob("*.md")):
            parsed = parse_markdown(decode(file.read_bytes())[0])
            return [piece.block for piece in parsed.pieces], parsed
    tail = " ".join((done.stderr or done.stdout).split())[-300:]
    raise SourceError(
        f"MinerU failed on {name}: {tail or 'it wrote neither JSON nor Markdown'}", hint="use the reader pdf, or run MinerU by hand"
    )


# ---- markdown blocks put where the layout file says they stand: pages, boxes, lines, footnotes and numbers that left a trace.


#: How far ahead a block is looked for; more than a page, so that a changed paragraph does not lose the thread.
_WINDOW = 20000
#: A shorter text is only taken where it is expected, or near by when it stands there once: "4." stands everywhere.
_UNMISTAKABLE = 20
_SHORT, _NEAR = 8, 1000
_SAMPLE = 200


def likeness(pieces: list[Piece], layout: LayoutFile) -> float:
    """Share of the Markdown's text that the layout holds in the same writing: near 1 for a pair, a good half for a stranger."""
    texts = [text for piece in pieces if piece.block.kind == "text" and len(text := key(piece.source)) >= _UNMISTAKABLE]
    texts = texts[:: max(len(texts) // _SAMPLE, 1)]
    whole = sum(map(len, texts))
    return sum(len(text) for text in texts if text in layout.keys) / whole if whole else 0.0


def placed(pieces: list[Piece], layout: LayoutFile) -> list[Block]:
    """The Markdown's blocks with the places of the layout. What the Markdown says wins; the layout only adds."""
    made: list[Block] = []
    cursor, line, table, slot, note = 0, 0, 0, 0, 0
    page: int | None = None
    for piece in pieces:
        block = piece.block
        if block.kind == "text" and block.number == "" and layout.slots:
            continue
        start, end = _find(piece, layout, cursor)
        table_here = layout.tables[table] if block.kind == "table" and table < len(layout.tables) else None
        if table_here is not None:
            start = end = max(table_here.at, cursor)
        while slot < len(layout.slots) and layout.slots[slot].at <= start:
            made.append(_slot(layout.slots[slot]))
            slot += 1
        while note < len(layout.notes) and layout.notes[note][0] <= start:
            made.append(layout.notes[note][1])
            note += 1
        if table_here is not None:
            (page, bbox), table = table_here.parts[0], table + 1
            parts = tuple(Line(0, 0, number, box) for number, box in table_here.parts if box is not None)
            made.append(replace(block, page=page, bbox=bbox, lines=parts))
            page = table_here.parts[-1][0]
        elif end > start:
            while line < len(layout.lines) and _end(layout.lines[line]) <= start:
                line += 1
            last = line
            while last < len(layout.lines) and layout.lines[last].at < end:
                last += 1
            own = layout.lines[line:last]
            page = own[0].page if own else page
            made.append(replace(block, page=page, bbox=own[0].bbox if own else None, lines=_lines(block.text, own)))
        else:
            made.append(replace(block, page=page))
        cursor = max(cursor, end)
    made.extend(_slot(here) for here in layout.slots[slot:])
    made.extend(block for _, block in layout.notes[note:])
    return made


def _find(piece: Piece, layout: LayoutFile, cursor: int) -> tuple[int, int]:
    """[start, end) of a text in the layout's keys; (cursor, cursor) when the Markdown differs there."""
    text = key(piece.source) if piece.block.kind == "text" else ""
    if not text:
        return cursor, cursor
    start = cursor if layout.keys.startswith(text, cursor) else -1
    if start < 0 and len(text) >= _UNMISTAKABLE:
        start = layout.keys.find(text, cursor, cursor + _WINDOW + len(text))
    elif start < 0 and len(text) >= _SHORT and layout.keys.count(text, cursor, cursor + _NEAR) == 1:
        start = layout.keys.find(text, cursor, cursor + _NEAR)
    return (start, start + len(text)) if start >= 0 else (cursor, cursor)


def _slot(slot: UnreadNumber) -> Block:
    return Block("text", number="", number_size=slot.size, page=slot.page, bbox=slot.bbox)


def _end(line: LayoutLine) -> int:
    return line.at + len(line.key)


def _lines(text: str, own: list[LayoutLine]) -> tuple[Line, ...]:
    """Printed lines in a block's text, each from where it is found; one that a formula changed ends where the next begins."""
    lines: list[tuple[int, LayoutLine]] = []
    cursor = 0
    for line in own:
        start = text.find(line.text, cursor)
        if start < 0:
            start = cursor
        elif line.text:
            cursor = start + len(line.text)
        lines.append((start, line))
    made = []
    for index, (start, line) in enumerate(lines):
        end = lines[index + 1][0] if index + 1 < len(lines) else len(text)
        if line.bbox is not None and end > start:
            made.append(Line(start, start + len(text[start:end].rstrip()), line.page, line.bbox))
    return tuple(made)
