"""What of the document reached a scenario: every limit and test-speed cell, every testable clause, every number."""

from __future__ import annotations

from collections import defaultdict

from regc.language import decimal
from regc.model.document import Table
from regc.model.regulation import Family
from regc.model.result import ClauseUse, Coverage, Finding, TableUse
from regc.model.scenario import Scenario
from regc.places import (
    DASH,
    category_of,
    find,
    has_row_headers,
    is_number,
    limit_tables,
    load_columns,
    load_of,
    row_label,
    speed_pair,
    speed_tables,
)
from regc.validate._candidate import Candidate
from regc.validate.trace import untraced

_Key = tuple[str, str, str]


def measure(candidate: Candidate) -> Coverage:
    """The coverage of all scenarios of an edition, before any filter by family, category or sweep."""
    used: dict[_Key, list[str]] = defaultdict(list)
    clauses: dict[str, list[str]] = defaultdict(list)
    for scenario in candidate.scenarios:
        for key in _cells_of(scenario):
            used[key].append(scenario.id)
        for clause in _clauses_of(scenario):
            clauses[clause].append(scenario.id)
    cells = (*_limit_cells(candidate, used), *_speed_cells(candidate, used))
    numbers = [quantity for _, _, quantity in candidate.quantities()]
    seen: dict[tuple[object, ...], str | None] = {}
    based = [quantity for quantity in numbers if quantity.basis != "assumed"]
    borrowed = sum(bool(quantity.tolerance and quantity.tolerance.assumption) for quantity in numbers)
    return Coverage(
        cells=cells,
        clauses=_clause_uses(candidate, clauses),
        cited=sum(quantity.basis == "cited" for quantity in numbers),
        derived=sum(quantity.basis == "derived" for quantity in numbers),
        assumed=sum(quantity.basis == "assumed" for quantity in numbers) + borrowed,
        borrowed=borrowed,
        traced=sum(bool(quantity.sources or quantity.assumption) for quantity in numbers),
        accurate=sum(untraced(candidate.document, quantity, seen) is None for quantity in based),
    )


def findings(coverage: Coverage) -> tuple[Finding, ...]:
    """V551: a cell that no scenario uses and no reason explains. V552: the same for a testable clause."""
    lost = [
        Finding(
            code="V551",
            severity="error",
            message=f'{cell.clause} table {cell.table} row {cell.row} column "{cell.column}" ({cell.value}): no scenario uses it',
            place=f"{cell.clause} {cell.table}",
            hint="an extraction finding tells what was missing for it",
        )
        for cell in coverage.cells
        if not cell.scenarios and not cell.reason
    ]
    lost += [
        Finding(
            code="V552",
            severity="warning",
            message=f"{clause.clause} ({clause.title}): testable, but no scenario, no card and no reason",
            place=clause.clause,
            hint="add a family, a card or a reason to the profile, or read the document again",
        )
        for clause in coverage.clauses
        if not clause.scenarios and not clause.cards and not clause.reason
    ]
    return tuple(lost)


def _cells_of(scenario: Scenario) -> set[_Key]:
    keys: set[_Key] = set()
    for _, quantity in scenario.quantities():
        tolerance = quantity.tolerance.sources if quantity.tolerance and not quantity.tolerance.assumption else ()
        for source in (*quantity.sources, *tolerance):
            if source.table and source.row and source.column:
                keys.add((source.table, source.row, source.column))
    return keys


def _clauses_of(scenario: Scenario) -> set[str]:
    sources = [source for _, quantity in scenario.quantities() for source in quantity.sources]
    sources += [source for statement in scenario.statements for source in statement.sources]
    sources += list(scenario.status_sources)
    return {source.clause for source in sources} | {scenario.clause}


def _limit_cells(candidate: Candidate, used: dict[_Key, list[str]]) -> list[TableUse]:
    uses: list[TableUse] = []
    families: dict[str, list[Family]] = defaultdict(list)
    for family in candidate.families():
        families[family.limit_clause or ""].append(family)
    for table in candidate.document.tables:
        own = families.get(table.clause, [])
        if not own or not has_row_headers(table, candidate.profile):
            continue
        for row, cells in enumerate(table.rows):
            for column in range(1, len(table.columns)):
                label = row_label(table, row, candidate.profile)
                key = (table.id, label, table.column_label(column))
                notes = [note for family in own if (note := _unused_by(candidate, table, family, row, column, used[key]))]
                reason = None
                if not used[key]:
                    reason = "no requirement (a dash)" if cells[column].text == DASH else "; ".join(notes) or None
                uses.append(_use(table, "limit", label, key[2], cells[column].text, used[key], reason, tuple(notes)))
    return uses


def _unused_by(candidate: Candidate, table: Table, family: Family, row: int, column: int, users: list[str]) -> str | None:
    """Why a family does not use a limit cell although its tables hold it."""
    category = category_of(table, candidate.profile)
    if category is None or table not in limit_tables(candidate.document.tables, family, candidate.profile, category):
        return None
    if not any(item.index == column for item in load_columns(table, family, candidate.profile)):
        return None
    if any(user.split("_")[2] == family.token for user in users):
        return None
    if not is_number(table.rows[row][column].text) or not is_number(table.rows[row][0].text):
        return None
    speed = decimal(table.rows[row][0].text)
    bounds = {rule.field: rule for rule in candidate.profile.field_rules(family, candidate.edition.id)}
    values = {}
    for field in ("envelope.min_speed", "envelope.max_speed", "target.speed"):
        rule = bounds.get(field)
        clause = candidate.document.clause(rule.clauses[0]) if rule else None
        found = find(rule, clause, candidate.profile.speed_unit) if rule and clause else ()
        if found:
            values[field] = found[0].value
    if len(values) == 3 and family.lookup == "relative":
        low, high, target = (values[field] for field in ("envelope.min_speed", "envelope.max_speed", "target.speed"))
        if speed_pair(speed, target, low, high) is None:
            unit = candidate.profile.speed_unit
            return f"{family.name}: relative speed {speed} {unit} cannot be reached with both vehicles at {low} to {high} {unit}"
    return None


def _speed_cells(candidate: Candidate, used: dict[_Key, list[str]]) -> list[TableUse]:
    uses: list[TableUse] = []
    done: set[str] = set()
    for family in candidate.families():
        for category in family.categories:
            for table in speed_tables(candidate.document.tables, family, candidate.profile, category):
                if table.id in done:
                    continue
                done.add(table.id)
                for row, cells in enumerate(table.rows):
                    for column in range(len(table.columns)):
                        label = table.column_label(column)
                        if load_of(label, candidate.profile) is None or not is_number(cells[column].text):
                            continue
                        key = (table.id, row_label(table, row, candidate.profile), label)
                        uses.append(_use(table, "test_speed", key[1], label, cells[column].text, used[key], None, ()))
    return uses


def _use(
    table: Table, role: str, row: str, column: str, value: str, users: list[str], reason: str | None, notes: tuple[str, ...]
) -> TableUse:
    return TableUse.model_validate(
        {
            "table": table.id,
            "clause": table.clause,
            "caption": table.caption or "",
            "role": role,
            "row": row,
            "column": column,
            "value": value,
            "scenarios": tuple(sorted(set(users))),
            "reason": reason,
            "notes": notes,
        }
    )


def _clause_uses(candidate: Candidate, clauses: dict[str, list[str]]) -> tuple[ClauseUse, ...]:
    """Testable clauses that the document has; a clause counts with its sub-paragraphs."""
    uses: list[ClauseUse] = []
    for clause_id in candidate.profile.testable:
        clause = candidate.document.clause(clause_id)
        if clause is None:
            continue
        inside = [id for id in clauses if id == clause_id or id.startswith(f"{clause_id}.")]
        scenarios = {scenario for id in inside for scenario in clauses[id]}
        scenarios |= _required_by(candidate, clause_id)
        cards = {
            card.id
            for card in candidate.cards
            if any(statement.sources[0].clause == clause_id or statement.sources[0].clause.startswith(f"{clause_id}.")
                   for statement in card.statements)
        }  # fmt: skip
        uses.append(
            ClauseUse(
                clause=clause_id,
                title=clause.title or clause.text[:60],
                scenarios=tuple(sorted(scenarios)),
                cards=tuple(sorted(cards)),
                reason=candidate.profile.not_simulable.get(clause_id),
            )
        )
    return tuple(uses)


def _required_by(candidate: Candidate, clause_id: str) -> set[str]:
    """Scenarios whose family demonstrates the clause as its requirement, without a number of it (a warning rule, no false reaction)."""
    found: set[str] = set()
    for scenario in candidate.scenarios:
        family = candidate.profile.family(scenario.family)
        if family is None:
            continue
        if clause_id == family.requirement or clause_id in family.demonstrates:
            found.add(scenario.id)
    return found
