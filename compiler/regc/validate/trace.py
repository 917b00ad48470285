"""Every cited number stands at the place that it names, and every derived one follows from its formula's places.

Reads the document anew, by other means than the extractor and the resolver: the cell's text, or the digits in the quote.
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

from regc.model.document import Document
from regc.model.result import Finding
from regc.model.source import Quantity, SourceRef
from regc.validate._candidate import Candidate

_SPELLED = {
    0: r"stationary|stopp?ed|level|stand\w*|zero|signboard",
    1: "once|one",
    2: "twice|two",
    **dict(enumerate(("three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=3)),
}


def check(candidate: Candidate) -> tuple[Finding, ...]:
    """V501: a number that its place does not say. V502: a place that the document does not have. V503: two tests of one id.
    V504: a comma that may be a decimal one."""
    findings = _twice(candidate)
    seen: dict[tuple[object, ...], str | None] = {}
    for owner, field, quantity in candidate.quantities():
        if quantity.basis == "assumed":
            continue
        problem = untraced(candidate.document, quantity, seen)
        if not problem and quantity.basis == "cited" and _comma_groups(quantity):
            said = f"{quantity.value} {quantity.unit}: is its comma one of thousands?"
            findings.append(
                Finding(
                    code="V504",
                    severity="warning",
                    field=field,
                    source=quantity.sources[0],
                    message=f"{quantity.sources[0].label()}: {field} = {said}",
                    hint="right in an English text; compare with the official one where commas are decimal",
                )
            )
        if problem:
            findings.append(
                Finding(
                    code="V502" if "does not stand" in problem else "V501",
                    severity="error",
                    scenario=owner,
                    field=field,
                    source=quantity.sources[0],
                    message=f"{quantity.sources[0].label()}: {field} = {quantity.value} {quantity.unit}: {problem}",
                    hint="the build must not go out; report it with the source file",
                )
            )
    return tuple(findings)


def untraced(document: Document, quantity: Quantity, seen: dict[tuple[object, ...], str | None]) -> str | None:
    """Why a number is not borne out by its sources; None when it is. `seen` remembers answers within one document."""
    for index, source in enumerate(quantity.sources):
        wanted = quantity.value if index == 0 and quantity.basis == "cited" else None
        key = (source.clause, source.table, source.row, source.column, source.footnote, source.quote, wanted)
        if key not in seen:
            seen[key] = _problem(document, source, wanted)
        if seen[key]:
            return seen[key]
    return None


def _problem(document: Document, source: SourceRef, value: Decimal | None) -> str | None:
    if source.footnote:
        note = next((note for note in document.footnotes if note.marker == source.footnote and source.quote == note.text), None)
        return None if note else "the footnote does not stand in the document"
    if source.table:
        table = document.table(source.table)
        if table is None or not any(cell.text == source.quote for row in table.rows for cell in row):
            return "the cell does not stand in the document"
        return None if value is None or _is(source.quote, value) else f"the cell says {source.quote}"
    clause = document.clause(source.clause)
    if clause is None or (source.quote not in clause.text and source.quote != clause.title):
        return "the wording does not stand in the clause"
    return None if value is None or _says(source.quote, value) else "the words do not say it"


def _twice(candidate: Candidate) -> list[Finding]:
    """Two scenarios with one id would write the same files; one of them would be lost."""
    counts = Counter(scenario.id for scenario in candidate.scenarios)
    return [
        Finding(
            code="V503",
            severity="error",
            scenario=scenario,
            message=f"{scenario}: {count} tests have this id; only one of them is written",
            hint="a row or a table stands there twice, or two captions name the same category; compare with the official text",
        )
        for scenario, count in counts.items()
        if count > 1
    ]


def _comma_groups(quantity: Quantity) -> bool:
    whole = int(quantity.value)
    return whole >= 1000 and re.search(rf"(?<![\d.,]){whole:,}(?!\d)", quantity.sources[0].quote) is not None


def _is(text: str, value: Decimal) -> bool:
    grouped = format(value, ",f")
    return re.fullmatch(r"\d+(?:[.,]\d+)?", text) is not None and (text == grouped or Decimal(text.replace(",", ".")) == value)


def _says(quote: str, value: Decimal) -> bool:
    # digits of thousands may stand in groups ("1 000", "1,000")
    digits = format(value, ",f")
    marks = {".": "[.,]", ",": "[ ,'\u00a0\u2009\u202f]?", "-": r"(?:[-−–]\s?|minus\s+)"}
    pattern = "".join(marks.get(char, char) for char in digits)
    if re.search(rf"(?<![\d.,]){pattern}(?![\d]|[.,]\d)", quote):
        return True
    spelled = _SPELLED.get(int(value)) if value == int(value) else None
    return spelled is not None and re.search(rf"\b(?:{spelled})\b", quote, re.IGNORECASE) is not None
