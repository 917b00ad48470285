"""Limit tables against themselves, their footnotes' worked examples and the test speeds: finds missing rows and swapped captions."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal
from itertools import pairwise

from regc.language import decimal
from regc.model.document import Footnote, Table
from regc.model.regulation import Family
from regc.model.result import Finding
from regc.places import DASH, is_number, limit_row, limit_tables, load_columns, test_speeds
from regc.validate._candidate import Candidate

#: "e.g. 53 km/h", "(i.e. 55 km/h)", "for 53 km/h, for instance, the row for 55 km/h": two single speeds beside the pair of limits.
_PAIR = re.compile(r"(?P<heavy>\d+(?:[.,]\d+)?)\s*/\s*(?P<light>\d+(?:[.,]\d+)?)\s*(?:km/h|mph)")
_SINGLE = re.compile(r"(?<![\d/.,])(\d+(?:[.,]\d+)?)\s*(?:km/h|mph)")


def check(candidate: Candidate) -> tuple[Finding, ...]:
    """V541 worked example, V542 rows out of order or missing, V543 limits that fall, V544 test speed without a row of its own."""
    findings: list[Finding] = []
    done: set[str] = set()
    for family in candidate.families():
        for category in family.categories:
            for table in limit_tables(candidate.document.tables, family, candidate.profile, category):
                findings.extend(_test_speed_rows(candidate, family.name, category, table))
                if table.id not in done:
                    done.add(table.id)
                    findings.extend(_rows(table))
                    findings.extend(_falling(candidate, table))
                    findings.extend(_examples(candidate, table))
    return tuple(findings)


def _speeds(table: Table) -> list[Decimal]:
    return [decimal(row[0].text) for row in table.rows if is_number(row[0].text)]


def _rows(table: Table) -> list[Finding]:
    """Speeds must rise; a step wider than every regular one hints at a lost row."""
    speeds = _speeds(table)
    findings: list[Finding] = []
    steps = [after - before for before, after in pairwise(speeds)]
    if any(step <= 0 for step in steps):
        findings.append(
            _finding("V542", "error", table, "the speeds of the rows do not rise", "compare the rows with the official text")
        )
        return findings
    usual = max(Counter(steps).items(), key=lambda item: (item[1], item[0]))[0] if steps else Decimal(0)
    for before, step in zip(speeds, steps, strict=False):
        if step > usual:
            message = f"from row {before} to row {before + step}: a wider step than the usual {usual}; a row may be missing"
            findings.append(
                _finding("V542", "warning", table, message, "the next higher row's limit is used; compare with the official text")
            )
    return findings


def _falling(candidate: Candidate, table: Table) -> list[Finding]:
    """A limit does not fall with rising speed, and comes back from no dash."""
    findings: list[Finding] = []
    for column in range(1, len(table.columns)):
        last: Decimal | None = None
        for row in table.rows:
            text = row[column].text
            if text == DASH or not is_number(text):
                continue
            value = decimal(text)
            if last is not None and value < last:
                message = f'column "{table.column_label(column)}": row {row[0].text} allows {text}, less than the row before ({last})'
                findings.append(_finding("V543", "warning", table, message, "compare the column with the official text"))
            last = value
    return findings


def _examples(candidate: Candidate, table: Table) -> list[Finding]:
    """The worked example of a table's footnote: its speed falls between rows, its pair is the next higher row."""
    findings: list[Finding] = []
    for note in candidate.document.footnotes:
        if table.id not in note.anchors:
            continue
        problem = _example_problem(candidate, table, note)
        if problem:
            hint = "caption, footnote mark or row may be wrong; compare with the official text"
            findings.append(_finding("V541", "error", table, f"footnote {note.marker}: {problem}", hint))
    return findings


def _example_problem(candidate: Candidate, table: Table, note: Footnote) -> str | None:
    pair = _PAIR.search(note.text)
    singles = [decimal(text) for text in _SINGLE.findall(_PAIR.sub(" ", note.text))]
    if pair is None or len(singles) < 2:
        return None
    given, assigned = min(singles), max(singles)
    row = limit_row(table, given, candidate.profile)
    if row is None or decimal(table.rows[row][0].text) != assigned:
        found = "no row" if row is None else f"row {table.rows[row][0].text}"
        return f"{given} is said to take row {assigned}, the table gives {found}"
    family = next((f for f in candidate.families() if f.limit_clause == table.clause), None)
    columns = {column.load.kind: column.index for column in load_columns(table, family, candidate.profile)} if family else {}
    for kind, said in (("maximum_mass", pair["heavy"]), ("running_order", pair["light"])):
        index = columns.get(kind)  # type: ignore[call-overload]
        if index is None:
            continue
        text = table.rows[row][index].text
        if not is_number(text) or decimal(text) != decimal(said):
            return f'says {said} for row {assigned}, "{table.column_label(index)}", the cell says {text}'
    return None


def _test_speed_rows(candidate: Candidate, family_name: str, category: str, table: Table) -> list[Finding]:
    """The limit table of the category lists each prescribed speed, or the relative speed that it makes."""
    family = candidate.profile.family(family_name)
    if family is None or (family.lookup == "relative" and _rows(table)):
        return []  # a wide step tells of the lost row already
    listed = set(_speeds(table))
    standing = _target_speed(candidate, family) if family.lookup == "relative" else Decimal(0)
    clause = candidate.document.clause(family.speed_clause or "")
    findings: list[Finding] = []
    for column in load_columns(table, family, candidate.profile):
        for speed in test_speeds(candidate.document.tables, clause, family, candidate.profile, category, column.load):
            if speed.value - standing not in listed:
                message = f'{category}, "{column.term}": test speed {speed.value} of {speed.place.clause} has no row of its own here'
                hint = "captions may be swapped or a row lost; the next higher row's limit is used"
                findings.append(_finding("V544", "warning", table, message, hint))
    return findings


def _target_speed(candidate: Candidate, family: Family) -> Decimal:
    """The speed that the family's tests prescribe for the target; 0 where it stands still."""
    speeds = [
        (scenario.target.prescribed_speed or scenario.target.speed).value
        for scenario in candidate.scenarios
        if scenario.family == family.name
    ]
    return speeds[0] if speeds else Decimal(0)


def _finding(code: str, severity: str, table: Table, message: str, hint: str) -> Finding:
    page = f" page {table.pages[0]}" if table.pages else ""
    place = f"{table.clause} table {table.id}{page}"
    return Finding.model_validate(
        {"code": code, "severity": severity, "message": f"{place} ({table.caption}): {message}", "place": place, "hint": hint}
    )
