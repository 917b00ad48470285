"""Tests, coverage, traceability and findings as an Excel workbook. The same input gives the same bytes."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from regc import wording
from regc.errors import MissingExtraError
from regc.model.report_input import ReportInput
from regc.model.result import Artifact
from regc.model.scenario import Scenario
from regc.model.value import Value
from regc.report.csv import BY_CLAUSE, BY_SCENARIO, by_clause, by_scenario
from regc.report.outcomes import judged, verdicts_of
from regc.report.overview import FATES, Link, assumed, axes_of, axis_heads, bindings_of, coverage_of, entries_of, links, titles_of
from regc.report.xhtml import printable

if TYPE_CHECKING:
    from openpyxl import Workbook

#: Words, or a number that the sheet can calculate with.
Entry = str | Decimal | int
#: A date that the file format needs where nobody gave one.
_UNKNOWN = "1980-01-01"


class Options(BaseModel):
    """Nothing to choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def emit(report: ReportInput, options: Options) -> tuple[Artifact, ...]:
    """traceability.xlsx: the tests, the coverage with open items first, the matrix, both directions of the traces, the findings."""
    del options
    try:
        from openpyxl import Workbook
    except ImportError as error:
        raise MissingExtraError("the workbook needs openpyxl", extra="report") from error
    workbook = Workbook(write_only=True)
    made, suite = links(report), report.suite
    _sheet(workbook, "Scenarios", *scenarios(report))
    _sheet(
        workbook,
        "Coverage",
        ("fate", "kind", "paragraph", "place", "words", "used by", "tests or cards", "reason"),
        [
            (
                wording.term("fate", entry.fate),
                entry.kind,
                entry.clause,
                entry.place,
                entry.text,
                len(entry.used_by),
                ", ".join(entry.used_by),
                entry.reason,
            )
            for entry in entries_of(suite)
        ],
    )
    _sheet(
        workbook,
        "Counts",
        ("of the document", "all", *(wording.term("fate", fate) for fate in FATES)),
        [(wording.term("accounted", one.kind), one.total, *(one.counts[fate] for fate in FATES)) for one in coverage_of(suite)],
    )
    _sheet(workbook, "Matrix", *matrix(made, report))
    _sheet(workbook, "Paragraph to scenario", BY_CLAUSE, by_clause(made))
    _sheet(workbook, "Scenario to paragraph", BY_SCENARIO, by_scenario(made, report))
    _sheet(
        workbook,
        "Cards",
        ("id", "title", "how", "paragraphs", "step", "paragraph of the step", "words"),
        [
            (
                card.id,
                card.title,
                wording.term("card", card.kind),
                ", ".join(card.clauses),
                number,
                step.sources[0].clause if step.sources else "",
                step.text,
            )
            for card in suite.cards
            for number, step in enumerate(card.steps, 1)
        ],
    )
    _sheet(
        workbook,
        "Findings",
        ("code", "severity", "message", "scenario", "next step"),
        [(item.code, item.severity, item.message, item.scenario or "", item.hint) for item in suite.findings],
    )
    date = report.date or suite.edition_date or _UNKNOWN
    return (Artifact(path="report/traceability.xlsx", content=_bytes(workbook, date), target="report"),)


def scenarios(report: ReportInput) -> tuple[tuple[str, ...], list[tuple[Entry, ...]]]:
    """A row for each test: numbers as numbers, their units in the heads."""
    suite, titles = report.suite, titles_of(report.suite)
    axes, verdicts = axes_of(suite), verdicts_of(judged(report.judgement))
    columns = [(name, unit) for name in bindings_of(suite) for unit in _units(suite.selected, name)]
    limits = list(dict.fromkeys(key for scenario in suite.selected for key in _limits(scenario)))
    head = (
        "id", "test", "paragraph", *axis_heads(suite).values(), "status", "entry",
        *(_head(f"{wording.short(name)}{more}", unit) for name, unit in columns for more in ("", " tolerance")),
        *(_head(label, unit) for label, unit in limits), "requires", "only where", "assumed", "verdict",
    )  # fmt: skip
    rows: list[tuple[Entry, ...]] = []
    for scenario in suite.selected:
        own = _limits(scenario)
        rows.append(
            (
                scenario.id, titles[scenario.test], scenario.clause,
                *(wording.axis_cell(scenario.axes[name]) if name in scenario.axes else "" for name in axes),
                wording.term("status_short", scenario.status), scenario.entry,
                *(part for name, unit in columns for part in _cells(scenario.number(name), unit)),
                *(own[key].number if key in own else "" for key in limits),
                "; ".join(wording.criteria(scenario)),
                " and ".join(wording.condition(one) for one in scenario.applies_if),
                ", ".join(dict.fromkeys(code for _, _, code in assumed(scenario))),
                verdicts[scenario.id]["verdict"] if scenario.id in verdicts else "not driven",
            )
        )  # fmt: skip
    return head, rows


def _head(name: str, unit: str) -> str:
    """The head of a column with its unit; a count has none."""
    return f"{name} [{unit}]" if unit else name


def _units(tests: Sequence[Scenario], name: str) -> list[str]:
    """Units in which tests state a binding, each a column."""
    return list(dict.fromkeys(wording.unit(value.unit) for test in tests if (value := test.number(name)) is not None))


def _cells(value: Value | None, unit: str) -> tuple[Entry, Entry]:
    """A number, or the words of a range, a side or a symbol; and its tolerance."""
    if value is None or wording.unit(value.unit) != unit:
        return "", ""
    exact = value.is_number and value.bound == "eq" and value.lo is not None
    stated = wording.tolerance(value.tolerance) if value.tolerance else ""
    return (value.number if exact else wording.compact(value)), stated


def _limits(scenario: Scenario) -> dict[tuple[str, str], Value]:
    """Limits of a test by (signal, unit)."""
    return {
        (wording.signal(one.signal or one.label), wording.unit(one.limit.value.unit)): one.limit.value
        for one in scenario.require
        if one.limit is not None and one.limit.value.is_number
    }


def matrix(made: Sequence[Link], report: ReportInput) -> tuple[tuple[str, ...], list[tuple[Entry, ...]]]:
    """How many scenarios of a test rest on a paragraph."""
    titles = titles_of(report.suite)
    test_of = {scenario.id: scenario.test for scenario in report.suite.selected}
    tests = list(dict.fromkeys(test_of.values()))
    counts = Counter((link.clause, test_of.get(link.id, "card")) for link in made)
    clauses = {link.clause: link.title for link in made}
    rows: list[tuple[Entry, ...]] = [
        (clause, title, *(counts[clause, test] or "" for test in tests), counts[clause, "card"] or "")
        for clause, title in clauses.items()
    ]
    return ("paragraph", "title", *(titles[test] for test in tests), "cards"), rows


def _sheet(workbook: Workbook, title: str, head: Sequence[str], rows: Sequence[Sequence[Entry]]) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    sheet = workbook.create_sheet(title)
    sheet.freeze_panes = "B2"
    for column, name in enumerate(head):
        width = max([min(len(name), 24), *(min(len(str(row[column])), 60) for row in rows)])
        sheet.column_dimensions[get_column_letter(column + 1)].width = width + 2
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(head))}{len(rows) + 1}"

    def cell(value: Entry) -> object:
        if isinstance(value, Decimal):
            # as many decimals as the document writes
            number = WriteOnlyCell(sheet, value)
            decimals = max(0, -int(value.as_tuple().exponent))
            number.number_format = f"0.{'0' * decimals}" if decimals else "0"
            return number
        if isinstance(value, int):
            return value
        plain = printable(value)
        if not plain.startswith("="):
            return plain or None
        # what a document says is text, even where it looks like a formula
        made = WriteOnlyCell(sheet, plain)
        made.data_type = "s"
        return made

    heads = [WriteOnlyCell(sheet, printable(name)) for name in head]
    for one in heads:
        one.data_type, one.font, one.alignment = "s", Font(bold=True), Alignment(wrap_text=True, vertical="top")
    sheet.append(heads)
    for row in rows:
        sheet.append([cell(value) for value in row])


def _bytes(workbook: Workbook, date: str) -> bytes:
    """The workbook without the clock: the date of the report or edition inside, the ZIP format's first one outside."""
    raw, clean = io.BytesIO(), io.BytesIO()
    workbook.save(raw)
    with zipfile.ZipFile(raw) as before, zipfile.ZipFile(clean, "w", zipfile.ZIP_DEFLATED) as after:
        for name in sorted(before.namelist()):
            content = before.read(name)
            if name == "docProps/core.xml":
                content = re.sub(rb"\d{4}-\d\d-\d\dT[\d:.]+Z", f"{date}T00:00:00Z".encode(), content)
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            after.writestr(entry, content)
    return clean.getvalue()
