"""The traceability matrix, the coverage and the findings as an Excel workbook. The same input gives the same bytes."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from regc.errors import MissingExtraError
from regc.model.report import ReportInput
from regc.model.result import Artifact
from regc.report._cells import printable
from regc.report._tables import links, tests_of
from regc.report.csv import BY_CLAUSE, BY_SCENARIO, by_clause, by_scenario

if TYPE_CHECKING:
    from openpyxl import Workbook


class Options(BaseModel):
    """Nothing to choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def emit(found: ReportInput, options: Options) -> tuple[Artifact, ...]:
    """traceability.xlsx: both directions, the matrix, the coverage with reasons, and the findings."""
    del options
    try:
        from openpyxl import Workbook
    except ImportError as error:
        raise MissingExtraError("the workbook needs openpyxl", extra="report") from error
    workbook = Workbook(write_only=True)
    made, checked = links(found), found.checked
    _sheet(workbook, "Paragraph to scenario", BY_CLAUSE, by_clause(made))
    _sheet(workbook, "Scenario to paragraph", BY_SCENARIO, by_scenario(made, found))
    ids = [item.id for item in tests_of(found)]
    pairs = {(link.clause, link.id) for link in made}
    clauses = {link.clause: link.title for link in made}
    matrix = [(clause, title, *("x" if (clause, id) in pairs else "" for id in ids)) for clause, title in clauses.items()]
    _sheet(workbook, "Matrix", ("paragraph", "title", *ids), matrix)
    _sheet(
        workbook,
        "Coverage paragraphs",
        ("paragraph", "title", "scenarios", "cards", "reason"),
        [(use.clause, use.title, str(len(use.scenarios)), ", ".join(use.cards), use.reason or "") for use in checked.coverage.clauses],
    )
    _sheet(
        workbook,
        "Coverage cells",
        ("table", "role", "row", "column", "value", "scenarios", "reason"),
        [
            (cell.table, cell.role, cell.row, cell.column, cell.value, ", ".join(cell.scenarios), cell.reason or "")
            for cell in checked.coverage.cells
        ],
    )
    _sheet(
        workbook,
        "Findings",
        ("code", "severity", "message", "scenario", "next step"),
        [(item.code, item.severity, item.message, item.scenario or "", item.hint) for item in checked.findings],
    )
    return (Artifact(path="report/traceability.xlsx", content=_bytes(workbook, checked.edition_date), target="report"),)


def _sheet(workbook: Workbook, title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    sheet = workbook.create_sheet(title)
    sheet.freeze_panes = "B2"
    for column, name in enumerate(head):
        width = max([len(name), *(min(len(row[column]), 60) for row in rows)])
        sheet.column_dimensions[get_column_letter(column + 1)].width = width + 2
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(head))}{len(rows) + 1}"

    def text(value: str) -> object:
        plain = printable(value)
        if not plain.startswith("="):
            return plain or None
        # what a document says is text, even where it looks like a formula
        cell = WriteOnlyCell(sheet, plain)
        cell.data_type = "s"
        return cell

    bold = [WriteOnlyCell(sheet, name) for name in head]
    for cell in bold:
        cell.font = Font(bold=True)
    sheet.append(bold)
    for row in rows:
        sheet.append([text(value) for value in row])


def _bytes(workbook: Workbook, date: str) -> bytes:
    """The workbook without the clock: the edition's date inside, the ZIP format's first one outside."""
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
