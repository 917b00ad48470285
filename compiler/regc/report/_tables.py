"""Tables of the report: heat maps of limits, and which paragraph which scenario rests on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal

from regc.model.order import canonical_order
from regc.model.report import ReportInput
from regc.model.scenario import ProcedureCard, Scenario
from regc.model.source import Quantity, SourceRef
from regc.report._words import load

#: Steps of colour of a heat map, 0 for a limit of zero.
_STEPS = 8


@dataclass(frozen=True)
class HeatCell:
    """A limit: its digits, colour step (0 to 8), and the scenarios that have it."""

    text: str
    step: int
    scenarios: tuple[Scenario, ...]


@dataclass(frozen=True)
class HeatMap:
    """Limits of one family: rows by category, load and group, columns by speed; None where no scenario is."""

    family: str
    title: str
    unit: str
    speeds: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell | None, ...]], ...]


@dataclass(frozen=True)
class Link:
    """One scenario or card rests on one paragraph, with what it takes from it: (field, value)."""

    clause: str
    title: str
    id: str
    kind: str
    takes: tuple[tuple[str, str], ...]


def heat_maps(found: ReportInput) -> tuple[HeatMap, ...]:
    """A map of limits for every family whose scenarios have one."""
    made = []
    for family in found.profile.families:
        own = [item for item in found.checked.scenarios if item.family == family.name and item.criteria.max_impact_speed]
        if not own:
            continue
        speeds = sorted({_speed(item).value for item in own})
        top = max((_limit(item).value for item in own), default=Decimal(0))
        rows: dict[str, dict[Decimal, list[Scenario]]] = defaultdict(lambda: defaultdict(list))
        for item in sorted(own, key=lambda one: (one.category or "", load(one), one.group or "")):
            rows[", ".join(part for part in (item.category, load(item), item.group) if part)][_speed(item).value].append(item)
        made.append(
            HeatMap(
                family=family.name,
                title=family.title,
                unit=_limit(own[0]).unit,
                speeds=tuple(f"{speed:f}" for speed in speeds),
                rows=tuple((name, tuple(_cell(cells.get(speed), top) for speed in speeds)) for name, cells in rows.items()),
            )
        )
    return tuple(made)


def _cell(scenarios: list[Scenario] | None, top: Decimal) -> HeatCell | None:
    if not scenarios:
        return None
    limit = max(_limit(item).value for item in scenarios)
    step = 0 if not top or not limit else max(1, round(limit / top * _STEPS))
    return HeatCell(f"{limit:f}", step, tuple(scenarios))


def _speed(scenario: Scenario) -> Quantity:
    return scenario.relative_speed or scenario.subject.test_speed


def _limit(scenario: Scenario) -> Quantity:
    limit = scenario.criteria.max_impact_speed
    assert limit is not None
    return limit


def links(found: ReportInput) -> tuple[Link, ...]:
    """Every pair of paragraph and scenario or card, in the order of the paragraphs, then of the scenarios."""
    order = canonical_order(found.document)
    titles = {clause.id: clause.title or "" for clause in found.document.clauses}
    shown = {item.id for item in found.checked.scenarios}
    tests: tuple[tuple[Scenario | ProcedureCard, str], ...] = (
        *((item, "scenario") for item in found.checked.scenarios),
        *((card, "card") for card in found.checked.cards),
    )
    made = [
        Link(clause, titles.get(clause, ""), item.id, kind, takes) for item, kind in tests for clause, takes in _takes(item).items()
    ]
    for use in found.checked.coverage.clauses:
        told = {link.id for link in made if link.clause == use.clause}
        made += [Link(use.clause, use.title, id, "scenario", ()) for id in use.scenarios if id in shown and id not in told]
    return tuple(sorted(made, key=lambda link: order.get(link.clause, len(order))))


def tests_of(found: ReportInput) -> tuple[Scenario | ProcedureCard, ...]:
    """Scenarios, then cards."""
    tests: tuple[Scenario | ProcedureCard, ...] = found.checked.scenarios
    return (*tests, *found.checked.cards)


def _takes(item: Scenario | ProcedureCard) -> dict[str, tuple[tuple[str, str], ...]]:
    taken: dict[str, list[tuple[str, str]]] = defaultdict(list)

    def take(sources: tuple[SourceRef, ...], field: str, value: str) -> None:
        for clause in dict.fromkeys(source.clause for source in sources):
            taken[clause].append((field, value))

    if isinstance(item, ProcedureCard):
        for clause in item.clauses:
            taken[clause] = []
        quantities = tuple((named.name, named.quantity) for named in item.quantities)
    else:
        taken[item.clause] = []
        quantities = item.quantities()
        take(item.status_sources, "status", item.status)
        take(item.target.sources, "target", item.target.description)
    for name, quantity in quantities:
        take(quantity.sources, name, f"{quantity.value:f} {quantity.unit}")
        if quantity.tolerance:
            take(quantity.tolerance.sources, f"{name} tolerance", f"+{quantity.tolerance.plus:f}/-{quantity.tolerance.minus:f}")
    for statement in item.statements:
        take(statement.sources, statement.topic, "")
    return {clause: tuple(dict.fromkeys(pairs)) for clause, pairs in taken.items()}
