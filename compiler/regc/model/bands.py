"""Where a limit changes inside the tolerance of a test: the row of the measured value counts, not that of the test speed."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from regc.model.criterion import Criterion, LimitRow
from regc.model.scenario import Scenario
from regc.model.source import SourceRef
from regc.model.suite import Suite
from regc.model.value import Value


@dataclass(frozen=True)
class Step:
    """A limit and the measured values of the key that it holds for: above `low` (None: from the band's lower end) up to `high`."""

    low: Decimal | None
    high: Decimal
    limit: Value


@dataclass(frozen=True)
class Steps:
    """The limits inside a tolerance band, in the unit of the key, by rising key."""

    key: str
    unit: str
    steps: tuple[Step, ...]
    sources: tuple[SourceRef, ...]


def steps_of(suite: Suite, scenario: Scenario, asked: Criterion) -> Steps | None:
    """The limits that a run inside the tolerance can meet; None where it is one limit, or where nothing but the row itself counts."""
    if asked.limit is None or not asked.limit.table or not asked.limit.key:
        return None
    table, band = suite.table(asked.limit.table), band_of(scenario, asked.limit.key)
    if table is None or band is None or table.between != "next_higher":
        return None
    low, high, unit = band
    rows = [row for row in table.rows if row.limit is not None and row.key.lo is not None and row.key.unit == unit]
    found = _within(rows, low, high)
    if len({step.limit.lo for step in found}) < 2:
        return None
    return Steps(asked.limit.key, unit, found, table.between_sources)


def band_of(scenario: Scenario, key: str) -> tuple[Decimal, Decimal, str] | None:
    """The least and the greatest measured value of a binding that its tolerance, or those of the speeds that make it up, allow."""
    value = scenario.number(key)
    if value is None or not value.is_number:
        return None
    plus = minus = Decimal(0)
    subject, target = scenario.number("subject"), scenario.number("target")
    if value.tolerance is not None:
        plus, minus = value.tolerance.plus, value.tolerance.minus
    elif key == "relative" and subject is not None and subject.unit == value.unit and subject.is_number:
        if subject.tolerance is not None:
            plus, minus = subject.tolerance.plus, subject.tolerance.minus
        # a target that drives ahead is closed in on with the difference of both speeds; one that crosses is not
        ahead = target is not None and target.is_number and target.unit == value.unit and value.number != subject.number
        if ahead and target is not None and target.tolerance is not None:
            plus, minus = plus + target.tolerance.minus, minus + target.tolerance.plus
    return value.number - minus, value.number + plus, value.unit


def _within(rows: list[LimitRow], low: Decimal, high: Decimal) -> tuple[Step, ...]:
    found: list[Step] = []
    before: Decimal | None = None
    for row in rows:
        assert row.limit is not None
        key = row.key.number
        if key >= low and (before is None or before < high):
            below = before if before is not None and before >= low else None
            if found and found[-1].limit.lo == row.limit.lo:
                found[-1] = Step(found[-1].low, min(key, high), found[-1].limit)
            else:
                found.append(Step(below, min(key, high), row.limit))
        before = key
    return tuple(found)
