"""Blocks of any format to a Document: one set of rules for numbers, regions, captions, footnotes and repairs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import cast

from regc.errors import SourceError
from regc.model.document import Clause, Document, Figure, Footnote, Formula, Repair, Table
from regc.model.result import Finding
from regc.model.source import Wording
from regc.readers.assemble.blocks import Block
from regc.readers.assemble.clauses import RegionPart, build
from regc.readers.assemble.figures import contradictions
from regc.readers.assemble.notes import inline_notes, take_marks, vocabulary
from regc.readers.assemble.numbering import letter_of
from regc.readers.assemble.paragraphs import units
from regc.readers.assemble.regions import regions, without_contents
from regc.readers.assemble.repair import Numbering


def assemble(
    blocks: Sequence[Block],
    *,
    regulation: str,
    edition: str,
    title: str,
    wording: str,
    sha256: str,
    reader: str,
    source_name: str,
    findings: Sequence[Finding] = (),
    repairs: Sequence[Repair] = (),
    letter: str | None = None,
    glued_marks: bool = False,
) -> Document:
    """One Document from blocks in reading order. Raises SourceError when no numbered paragraph is among them.

    `glued_marks`: the format cannot raise a footnote mark, so that one may be glued to the word before it. `letter` stands before the
    numbers of a format that says itself which paragraph bears which number and where it ends; nothing is guessed or repaired there.
    """
    exact = letter is not None
    prefix = letter if letter is not None else letter_of(block.number or block.text for block in blocks if block.kind == "text")
    stream, contents = without_contents(units(blocks, prefix, exact=exact))
    words = vocabulary(stream)
    parts, region_repairs = regions(stream, contents, prefix)
    all_repairs = [*repairs, *region_repairs]
    all_findings = list(findings)
    clauses: list[Clause] = []
    tables: list[Table] = []
    footnotes: list[Footnote] = []
    figures: list[Figure] = []
    formulas: list[Formula] = []
    known: set[str] = set()
    damaged = False
    for region in parts:
        if glued_marks:
            all_repairs.extend(take_marks(region.units, words, region.name))
        if not exact:
            region.units = inline_notes(region.units)
        part = RegionPart(region, words)
        if not exact:
            numbered = Numbering(region.name, part.paragraphs(), damaged=damaged, prefix=prefix).run()
            damaged = damaged or bool(numbered.repairs)
            all_repairs.extend(numbered.repairs)
            all_findings.extend(numbered.findings)
        known.add(region.name)
        build(part, known)
        clauses.extend(part.clauses)
        tables.extend(part.tables)
        footnotes.extend(part.footnotes)
        figures.extend(part.figures)
        formulas.extend(part.formulas)
        all_repairs.extend(part.repairs)
        all_findings.extend(part.findings)
    if not any(clause.number for clause in clauses):
        raise SourceError(
            f"{source_name}: no numbered paragraph found, so this is no regulation that regc can read",
            hint="give the file of the regulation itself (PDF with text, MinerU output, HTML, XML, Markdown), not a cover page",
        )
    tables = _same_headers(tables, all_repairs)
    all_findings.extend(contradictions(figures, clauses))
    return Document(
        id=regulation,
        title=title,
        edition=edition,
        wording=cast(Wording, wording),
        sha256=sha256,
        reader=reader,
        source_name=source_name,
        clauses=tuple(clauses),
        tables=tuple(tables),
        footnotes=tuple(footnotes),
        figures=tuple(figures),
        formulas=tuple(formulas),
        repairs=tuple(all_repairs),
        findings=tuple(all_findings),
    )


def _same_headers(tables: Sequence[Table], repairs: list[Repair]) -> list[Table]:
    """A header that lost a space ("runningorder") becomes what other tables of the document call the same column."""
    seen: Counter[str] = Counter(header for table in tables for path in table.columns for header in path)
    best = {_unspaced(header): header for header in sorted(seen, key=lambda header: (seen[header], header.count(" ")))}
    made = []
    for table in tables:
        columns = tuple(tuple(best[_unspaced(header)] for header in path) for path in table.columns)
        for before, after in zip(table.columns, columns, strict=True):
            if before != after:
                repairs.append(
                    Repair(
                        place=table.id,
                        before=" > ".join(before),
                        after=" > ".join(after),
                        reason="a space was lost in a header; other tables of the document name the same column",
                        page=table.pages[0] if table.pages else None,
                    )
                )
        made.append(table.model_copy(update={"columns": columns}))
    return made


def _unspaced(header: str) -> str:
    """A header without the spaces between words."""
    return re.sub(r"(?<=[A-Za-z]) (?=[A-Za-z])", "", header)
