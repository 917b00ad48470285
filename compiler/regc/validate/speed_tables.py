"""Tables in the regulation's speed unit, test speeds that are numbers with a tolerance, and a table for every category."""

from __future__ import annotations

from regc.language import tolerance, units_named
from regc.model.document import Table
from regc.model.regulation import Family
from regc.model.result import Finding
from regc.places import (
    DASH,
    category_of,
    has_row_headers,
    is_number,
    limit_tables,
    load_columns,
    load_of,
    speed_tables,
    test_speeds,
)
from regc.validate._candidate import Candidate


def check(candidate: Candidate) -> tuple[Finding, ...]:
    """V545 a table in another unit, V546 a speed that is no number, V547 its tolerance, V548 a category without test speeds."""
    findings: list[Finding] = []
    for family in candidate.families():
        for table in candidate.document.tables:
            if table.clause == family.speed_clause and _lists_loads(candidate, table) and category_of(table, candidate.profile) is None:
                findings.append(_finding("V548", table, "the caption names no single category, so its test speeds are in no test"))
        for category in family.categories:
            limits = limit_tables(candidate.document.tables, family, candidate.profile, category)
            speeds = speed_tables(candidate.document.tables, family, candidate.profile, category)
            findings += [finding for table in (*limits, *speeds) for finding in _units(candidate, table)]
            findings += [finding for table in limits for finding in _headers(table)]
            findings += [finding for table in speeds for finding in _speeds(candidate, table)]
            findings += _prescribed(candidate, family, category, limits)
    return tuple(dict.fromkeys(findings))


def _lists_loads(candidate: Candidate, table: Table) -> bool:
    """Whether a table lists test speeds by load state."""
    labels = [table.column_label(index) for index in range(len(table.columns))]
    return not has_row_headers(table, candidate.profile) and any(load_of(label, candidate.profile) for label in labels)


def _units(candidate: Candidate, table: Table) -> list[Finding]:
    """Caption, headers and the line under the table name the unit that its numbers are read in, where they name one."""
    said = [table.caption or "", table.unit_note or "", *(part for path in table.columns for part in path)]
    unit = candidate.profile.speed_unit
    others = sorted({name for text in said for name in units_named(text)} - {unit})
    if not others:
        return []
    return [_finding("V545", table, f"it names {', '.join(others)}; its numbers were read in {unit}")]


def _headers(table: Table) -> list[Finding]:
    bad = [(index, row[0].text) for index, row in enumerate(table.rows) if not is_number(row[0].text)]
    said = "which is no speed; its limits are left out"
    return [_finding("V546", table, f"row {index + 1} begins with {text!r}, {said}") for index, text in bad]


def _speeds(candidate: Candidate, table: Table) -> list[Finding]:
    """Each speed cell is a number (or a dash), and each row with one has a tolerance where the table has a column for it."""
    labels = [table.column_label(index) for index in range(len(table.columns))]
    loads = [index for index, label in enumerate(labels) if load_of(label, candidate.profile)]
    tolerances = [index for index, label in enumerate(labels) if "tolerance" in label.lower()]
    findings: list[Finding] = []
    if not tolerances:
        findings.append(_finding("V547", table, "no column of tolerances; its speeds have none", "warning"))
    for row, cells in enumerate(table.rows):
        for index in loads:
            text = cells[index].text
            if not is_number(text) and text != DASH:
                where = f'row {row + 1}, "{labels[index]}"'
                findings.append(_finding("V546", table, f"{where}: {text!r} is no speed; its test is left out"))
        for index in tolerances[:1]:
            text = cells[index].text
            if tolerance(text) is None and any(is_number(cells[load].text) for load in loads):
                findings.append(_finding("V547", table, f"row {row + 1}: {text!r} is no tolerance that can be read; none is written"))
    return findings


def _prescribed(candidate: Candidate, family: Family, category: str, limits: tuple[Table, ...]) -> list[Finding]:
    """Where a category has limits, its procedure prescribes speeds for each load state that they distinguish."""
    clause = candidate.document.clause(family.speed_clause or "")
    if clause is None:
        return []  # told by the extractor
    return [
        _finding("V548", table, f'{clause.id} gives no test speed for {category}, "{column.term}"; no test of it is mandatory')
        for table in limits
        for column in load_columns(table, family, candidate.profile)
        if not test_speeds(candidate.document.tables, clause, family, candidate.profile, category, column.load)
    ]


def _finding(code: str, table: Table, message: str, severity: str = "error") -> Finding:
    page = f" page {table.pages[0]}" if table.pages else ""
    place = f"{table.clause} table {table.id}{page}"
    hint = "compare the table and its caption with the official text; regc inspect shows what was read"
    return Finding.model_validate(
        {"code": code, "severity": severity, "message": f"{place} ({table.caption}): {message}", "place": place, "hint": hint}
    )
