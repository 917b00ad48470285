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
from pathlib import Path

from regc.errors import MissingExtraError, SourceError
from regc.model.document import Document
from regc.readers._assemble import assemble
from regc.readers._blocks import Block
from regc.readers._markdown_blocks import Parsed, Piece, parse_markdown
from regc.readers._middle import Layout, layout, load
from regc.readers._placed import likeness, placed
from regc.readers._text import decode

suffixes = (".json",)

#: A Markdown file and a layout file belong together when they share this much of their text.
_PAIR = 0.85
#: Seconds for one PDF; a 500-page file on two cores stays well below.
_TIMEOUT = 3600


def read(path: Path, content: bytes, *, regulation: str, edition: str, title: str, wording: str) -> Document:
    """One Document from a *_middle.json; an older one is read with the Markdown beside it, when that belongs to it.
    A PDF is given to MinerU itself.

    Raises SourceError when the JSON is no layout file or holds no regulation.
    """
    if content.startswith(b"%PDF"):
        return read_pdf_with_mineru(path, regulation=regulation, edition=edition, title=title, wording=wording)
    found = read_layout(content, path.name)
    # MinerU 4's own file holds more than its Markdown (order, footnotes, headings taken for running heads).
    beside = _markdown_beside(path, found) if b'"para_blocks"' in content else None
    if beside is not None:
        markdown, parsed = beside
        sha256 = _digest(markdown.read_bytes(), content)
    else:
        parsed = parse_markdown(found.markdown)
        sha256 = _digest(content)
    return assemble(
        placed(parsed.pieces, found),
        regulation=regulation,
        edition=edition,
        title=title,
        wording=wording,
        sha256=sha256,
        reader="mineru",
        source_name=path.name,
        findings=parsed.findings,
        repairs=parsed.repairs,
    ).model_copy(update={"heads": found.heads})


def read_layout(content: bytes, name: str) -> Layout:
    """The layout in a file's bytes. Raises SourceError when it is none or damaged."""
    pages = load(content, name)
    try:
        return layout(pages)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise SourceError(
            f"{name} is a damaged layout file: {error}", hint="let MinerU write it again, or read the Markdown or the PDF"
        ) from error


def layout_beside(path: Path, made: list[Piece]) -> tuple[Layout, bytes] | None:
    """The layout file beside a Markdown file ("x.md", "x.mineru.md": "x_middle.json") when it holds the same text."""
    for name in dict.fromkeys((f"{path.stem}_middle.json", f"{path.name.split('.')[0]}_middle.json", "middle.json")):
        candidate = path.with_name(name)
        if not candidate.is_file():
            continue
        content = candidate.read_bytes()
        try:
            found = read_layout(content, name)
        except SourceError:
            continue
        if likeness(made, found) >= _PAIR:
            return found, content
    return None


def _markdown_beside(path: Path, found: Layout) -> tuple[Path, Parsed] | None:
    stem = path.stem.removesuffix("_middle")
    for candidate in (path.with_name(f"{stem}.md"), path.with_name(f"{stem}.mineru.md"), path.with_name("full.md")):
        if candidate.is_file():
            parsed = parse_markdown(decode(candidate.read_bytes())[0])
            if likeness(parsed.pieces, found) >= _PAIR:
                return candidate, parsed
    return None


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
        found = shutil.which(name, path=str(scripts)) or shutil.which(name)
        if found:
            return found
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
        )


def _written(folder: Path, done: subprocess.CompletedProcess[str], name: str) -> tuple[list[Block], Parsed]:
    """What MinerU wrote: its layout file, which holds most, else its Markdown."""
    if done.returncode == 0:
        for file in sorted(folder.rglob("*.json")):
            try:
                found = read_layout(file.read_bytes(), file.name)
            except SourceError:
                continue
            parsed = parse_markdown(found.markdown)
            return placed(parsed.pieces, found), parsed
        for file in sorted(folder.rglob("*.md")):
            parsed = parse_markdown(decode(file.read_bytes())[0])
            return [piece.block for piece in parsed.pieces], parsed
    tail = " ".join((done.stderr or done.stdout).split())[-300:]
    raise SourceError(
        f"MinerU failed on {name}: {tail or 'it wrote neither JSON nor Markdown'}", hint="use the reader pdf, or run MinerU by hand"
    )
