"""Every cited number stands at the place that it names, and every derived one is calculated again from its formula and places.

Reads the document anew, by other means than the extractor and the resolver: the text in the row and column named, or the digits in the
quote.
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

from regc.model.document import Cell, Document, Table
from regc.model.result import Finding
from regc.model.source import Quantity, SourceRef
from regc.validate._candidate import Candidate

_SPELLED = {
    0: r"stationary|stopp?ed|level|stand\w*|zero|signboard",
    1: "once|one",
    2: "twice|two",
    **dict(enumerate(("three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=3)),
}
#: "#2" names the second row of a table without row headers.
_ROW_COUNT = re.compile(r"#([1-9]\d*)")
#: The calculation at the end of a formula: "... = 15 + 20".
_SUM = re.compile(r" = (\d+(?:\.\d+)?(?: [+-] \d+(?:\.\d+)?)+)$")


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
    """Why a number is not borne out by its sources; None when it is. `seen` remembers answers within one document.

    Each source must stand where it says (a cell in that row and that column), a cited number must be what its first source says, a
    derived one what its formula makes of numbers that its sources say, and both sides of a tolerance what its sources say.
    """
    stated = quantity.tolerance
    for index, source in enumerate((*quantity.sources, *(stated.sources if stated else ()))):
        wanted = quantity.value if index == 0 and quantity.basis == "cited" else None
        key = (source.clause, source.table, source.row, source.column, source.footnote, source.quote, wanted)
        if key not in seen:
            seen[key] = _problem(document, source, wanted)
        if seen[key]:
            return seen[key]
    if quantity.basis == "derived" and (wrong := _miscalculated(quantity)):
        return wrong
    quotes = [source.quote for source in (stated.sources if stated else ()) or quantity.sources]
    if stated and not any(_says_side(quote, r"\+", stated.plus) and _says_side(quote, "[-−–]", stated.minus) for quote in quotes):
        return f"the words do not say its tolerance +{stated.plus}/-{stated.minus}"
    return None


def _problem(document: Document, source: SourceRef, value: Decimal | None) -> str | None:
    if source.footnote:
        note = next((note for note in document.footnotes if note.marker == source.footnote and source.quote == note.text), None)
        return None if note else "the footnote does not stand in the document"
    if source.table:
        table = document.table(source.table)
        texts = {cell.text for cell in _cells(table, source.row or "", source.column or "")} if table else set()
        if not texts:
            return "the cell does not stand in the document: no such row and column"
        if texts != {source.quote}:
            return f"the cell does not stand in the document: that row and column say {' and '.join(sorted(texts))}"
        return None if value is None or _is(source.quote, value) else f"the cell says {source.quote}"
    clause = document.clause(source.clause)
    if clause is None or (source.quote not in clause.text and source.quote != clause.title):
        return "the wording does not stand in the clause"
    return None if value is None or _says(source.quote, value) else "the words do not say it"


def _cells(table: Table, row: str, column: str) -> list[Cell]:
    """Every cell in a row ("42": what stands in its first cell; "#2": the second row) and a column (its header path)."""
    columns = [index for index in range(len(table.columns)) if table.column_label(index) == column]
    counted = _ROW_COUNT.fullmatch(row)
    named = [cells for cells in table.rows if cells and cells[0].text == row]
    rows = table.rows[int(counted[1]) - 1 : int(counted[1])] if counted and not named else named
    return [cells[index] for cells in rows for index in columns]


def _miscalculated(quantity: Quantity) -> str | None:
    """Why a derived number does not follow from its formula ("a - b = 60 - 42") or, where that calculates nothing, from its sources."""
    formula = quantity.formula or ""
    sum_ = _SUM.search(formula)
    if sum_ is None:
        said = any(_says(source.quote, quantity.value) for source in quantity.sources)
        return None if said else f"no source of it says {quantity.value} ({formula})"
    names, numbers = formula[: sum_.start()], sum_[1]
    signs, terms = re.findall(r" ([+-]) ", numbers), [Decimal(term) for term in re.findall(r"\d+(?:\.\d+)?", numbers)]
    if re.findall(r" ([+-]) ", names) != signs:
        return f"its formula calculates otherwise than it says: {formula}"
    # each number of the formula stands in a source of its own, in the formula's order
    rest = iter(quantity.sources)
    for term in terms:
        if not any(_says(source.quote, term) for source in rest):
            return f"no source of it says the {term} of its formula: {formula}"
    result = terms[0] + sum((term if sign == "+" else -term for sign, term in zip(signs, terms[1:], strict=True)), Decimal(0))
    return None if result == quantity.value else f"its formula gives {result}: {formula}"


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


def _says_side(quote: str, sign: str, side: Decimal) -> bool:
    """Whether a tolerance's words name one side of it with its sign ("+2/-0", "± 2", "+/- 2"); a zero may stand without one."""
    signs = rf"(?:{sign}|±|\+\s*/\s*[-−–])\s*" + (r"|(?<![\d.,+\-−–±])(?<![+\-−–±]\s)" if side == 0 else "")
    number = format(side, "f").replace(".", "[.,]")
    return re.search(rf"(?:{signs}){number}(?!\d|[.,]\d)", quote) is not None
