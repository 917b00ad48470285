"""Tables of the report: numbers of the tests, heat maps of limits, coverage, and which paragraph which test rests on."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import get_args

from regc import wording
from regc.model.criterion import Criterion
from regc.model.document import canonical_order
from regc.model.report_input import ReportInput
from regc.model.scenario import Card, Scenario
from regc.model.source import SourceRef
from regc.model.suite import Accounted, Fate, Suite
from regc.model.value import Value, Word

#: Steps of colour of a heat map, 0 for a limit of zero.
_STEPS = 8
FATES: tuple[Fate, ...] = get_args(Fate)
KINDS = ("sentence", "cell", "rule")
#: Bindings that a list of tests shows, where any of its tests has them.
_LISTED = ("subject", "relative", "target", "lead")


@dataclass(frozen=True)
class HeatCell:
    """A limit: its digits, colour step (0 to 8), and the scenarios that have it."""

    text: str
    step: int
    scenarios: tuple[Scenario, ...]


@dataclass(frozen=True)
class HeatMap:
    """Limits of one criterion of a test: rows by axis values, columns by the key of the limit table; None where no scenario is."""

    title: str
    criterion: str
    unit: str
    key: str
    keys: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell | None, ...]], ...]


@dataclass(frozen=True)
class Link:
    """One scenario or card rests on one paragraph, with what it takes from it: (field, value)."""

    clause: str
    title: str
    id: str
    kind: str
    takes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Covered:
    """Entries of a kind by fate; `written`: tested ones whose tests were chosen."""

    kind: str
    counts: dict[Fate, int]
    written: int

    @property
    def total(self) -> int:
        """All entries of the kind."""
        return sum(self.counts.values())


def axes_of(suite: Suite) -> tuple[str, ...]:
    """Names of the axes of all tests, in the order in which tests name them."""
    return tuple(dict.fromkeys(name for scenario in suite.scenarios for name in scenario.axes))


def axis_heads(suite: Suite) -> dict[str, str]:
    """Axis -> how a column of its values is headed."""
    firsts = {name: value for scenario in reversed(suite.scenarios) for name, value in scenario.axes.items()}
    return {name: wording.axis(name, firsts[name]) for name in axes_of(suite)}


def bindings_of(suite: Suite) -> tuple[str, ...]:
    """Bindings that stand in the list of tests: speeds, and what the limit tables are looked up by."""
    keys = [limited.limit.key for scenario in suite.selected for limited in scenario.require if limited.limit and limited.limit.key]
    wanted = tuple(dict.fromkeys((*_LISTED, *keys)))
    return tuple(name for name in wanted if any(scenario.number(name) is not None for scenario in suite.selected))


def titles_of(suite: Suite) -> dict[str, str]:
    """Test -> what it is called; the name where two tests share a title."""
    titles = {scenario.test: scenario.title for scenario in suite.scenarios}
    shared = Counter(titles.values())
    return {test: title if shared[title] == 1 else f"{title} ({test.replace('_', ' ')})" for test, title in titles.items()}


def name_of(test: str) -> str:
    """The short name of a test for lists: "car_to_bicycle" -> "Car to bicycle"."""
    return wording.large(test.replace("_", " "))


def assumed(scenario: Scenario) -> tuple[tuple[str, str, str], ...]:
    """(field, number, code) of every number of a test that the document does not say: assumed ones and borrowed tolerances."""
    rows = []
    for name, value in scenario.values():
        label = ": ".join(wording.field(name))
        if value.basis == "assumed" and value.assumption:
            rows.append((label, wording.compact(value), value.assumption))
        if value.tolerance is not None and value.tolerance.assumption:
            rows.append((f"{label}, tolerance", wording.tolerance(value.tolerance, value.unit), value.tolerance.assumption))
    return tuple(rows)


def coverage_of(suite: Suite) -> tuple[Covered, ...]:
    """The coverage by kind; kinds that the document does not have are left out."""
    chosen = {scenario.id for scenario in suite.selected} | {card.id for card in suite.cards}
    made = []
    for kind in KINDS:
        own = [entry for entry in suite.coverage.entries if entry.kind == kind]
        if own:
            counts: dict[Fate, int] = {fate: sum(entry.fate == fate for entry in own) for fate in FATES}
            written = sum(entry.fate == "test" and bool(chosen & set(entry.used_by)) for entry in own)
            made.append(Covered(kind, counts, written))
    return tuple(made)


def entries_of(suite: Suite) -> tuple[Accounted, ...]:
    """All entries of the coverage, the open ones first."""
    order: tuple[Fate, ...] = ("open", "waived", "external", "told", "card", "test")
    return tuple(sorted(suite.coverage.entries, key=lambda entry: order.index(entry.fate)))


def heat_maps(suite: Suite) -> tuple[HeatMap, ...]:
    """A map for every criterion of a test whose limits come from a table."""
    groups: dict[tuple[str, str, str], list[tuple[Scenario, Criterion]]] = defaultdict(list)
    for scenario in suite.selected:
        for criterion in scenario.require:
            if criterion.limit and criterion.limit.key and criterion.limit.value.is_number and _key_of(scenario, criterion) is not None:
                groups[scenario.test, criterion.label, criterion.limit.key].append((scenario, criterion))
    titles = titles_of(suite)
    return tuple(_heat_map(titles[test], key, own) for (test, _, key), own in groups.items())


def _heat_map(title: str, key: str, own: list[tuple[Scenario, Criterion]]) -> HeatMap:
    keys = sorted({number for scenario, criterion in own if (number := _key_of(scenario, criterion)) is not None})
    top = max(_limit(criterion).number for _, criterion in own)
    rows: dict[str, dict[Decimal, list[tuple[Scenario, Criterion]]]] = defaultdict(lambda: defaultdict(list))
    for scenario, criterion in own:
        number = _key_of(scenario, criterion)
        if number is not None:
            rows[_row_name(scenario)][number].append((scenario, criterion))
    bound = own[0][0].number(key)
    return HeatMap(
        title=title,
        criterion=wording.signal(own[0][1].signal or ""),
        unit=wording.unit(_limit(own[0][1]).unit),
        key=f"{wording.short(key)} in {wording.unit(bound.unit)}" if bound else wording.short(key),
        keys=tuple(f"{number:f}" for number in keys),
        rows=tuple((name, tuple(_cell(cells.get(number), top) for number in keys)) for name, cells in rows.items()),
    )


def _row_name(scenario: Scenario) -> str:
    return ", ".join(wording.axis_cell(value) for value in scenario.axes.values()) or "all"


def _cell(own: list[tuple[Scenario, Criterion]] | None, top: Decimal) -> HeatCell | None:
    if not own:
        return None
    limit = max(_limit(criterion).number for _, criterion in own)
    step = 0 if not top or not limit else max(1, round(limit / top * _STEPS))
    return HeatCell(f"{limit:f}", step, tuple(scenario for scenario, _ in own))


def _key_of(scenario: Scenario, criterion: Criterion) -> Decimal | None:
    bound = scenario.number(criterion.limit.key) if criterion.limit and criterion.limit.key else None
    return bound.number if bound is not None and bound.is_number else None


def _limit(criterion: Criterion) -> Value:
    assert criterion.limit is not None
    return criterion.limit.value


def links(report: ReportInput) -> tuple[Link, ...]:
    """Every pair of paragraph and scenario or card, in the order of the paragraphs, then of the scenarios."""
    order = canonical_order(report.document)
    titles = {clause.id: clause.title or "" for clause in report.document.clauses}
    made = [
        Link(clause, titles.get(clause, ""), item.id, "card" if isinstance(item, Card) else "scenario", takes)
        for item in tests_of(report.suite)
        for clause, takes in _takes(item).items()
    ]
    known = {(link.clause, link.id) for link in made}
    kinds = {item.id: "card" if isinstance(item, Card) else "scenario" for item in tests_of(report.suite)}
    further = dict.fromkeys(
        (entry.clause, id)
        for entry in report.suite.coverage.entries
        for id in entry.used_by
        if id in kinds and (entry.clause, id) not in known
    )
    made += [Link(clause, titles.get(clause, ""), id, kinds[id], ()) for clause, id in further]
    return tuple(sorted(made, key=lambda link: order.get(link.clause, len(order))))


def tests_of(suite: Suite) -> tuple[Scenario | Card, ...]:
    """The chosen scenarios, then the cards."""
    return (*suite.selected, *suite.cards)


def _takes(item: Scenario | Card) -> dict[str, tuple[tuple[str, str], ...]]:
    taken: dict[str, list[tuple[str, str]]] = defaultdict(list)
    if isinstance(item, Card):
        for clause in item.clauses:
            taken[clause] = []
        parts: Iterator[tuple[tuple[SourceRef, ...], str, str]] = (
            (step.sources, f"step {number}", "") for number, step in enumerate(item.steps, 1)
        )
    else:
        taken[item.clause] = []
        parts = _parts(item)
    for sources, field, value in parts:
        for clause in dict.fromkeys(source.clause for source in sources):
            taken[clause].append((field, value))
    return {clause: tuple(dict.fromkeys(pairs)) for clause, pairs in taken.items()}


def _parts(item: Scenario) -> Iterator[tuple[tuple[SourceRef, ...], str, str]]:
    """(places, field, value) of all that a test takes from the document."""
    for name, axis in item.axes.items():
        yield axis.sources, f"axes.{name}", axis.words or axis.value
    for actor in item.actors:
        yield actor.sources, f"actors.{actor.role}", wording.actor(actor.kind)
    for name, value in item.values():
        yield value.sources, name, wording.compact(value)
        if value.tolerance:
            yield value.tolerance.sources, f"{name} tolerance", wording.tolerance(value.tolerance, value.unit)
    for place, words in (("bind", item.bind), ("conditions", item.conditions)):
        for name, bound in words.items():
            if isinstance(bound, Word):
                yield bound.sources, f"{place}.{name}", wording.word(name, bound.word)
    for criterion in item.require:
        yield criterion.sources, f"require.{criterion.label}", wording.criterion(criterion, item.require)
    for only in item.only:
        yield only.sources, "only", only.word
    for place, statements in (("said", item.said), ("told", item.told)):
        for statement in statements:
            if not statement.numbers:
                yield statement.sources, place, ""
