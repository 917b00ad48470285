"""What of a document's scope reached a test or a card: sentences that prescribe, cells of test tables, rules below them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from regc.lang.lint import Linter, Spot, under
from regc.lang.program import Program
from regc.lang.vocabulary import vocabulary
from regc.model.criterion import Criterion
from regc.model.scenario2 import Scenario
from regc.model.source import SourceRef
from regc.model.suite import Accounted, Coverage, Fate, Suite
from regc.model.value import Value, Word


def coverage(program: Program, suite: Suite) -> Coverage:
    """The coverage of a suite; "open" is what nothing accounts for."""
    account = _Account(program, suite)
    values = [value for scenario in suite.scenarios for _, value in scenario.values()]
    bound = [bind for scenario in suite.scenarios for bind in scenario.bind.values() if isinstance(bind, Value)]
    return Coverage(
        entries=(*account.sentences(), *account.cells()),
        cited=sum(value.basis == "cited" for value in values),
        derived=sum(value.basis == "derived" for value in values),
        assumed=sum(value.basis == "assumed" for value in values),
        borrowed=sum(value.tolerance is not None and value.tolerance.assumption is not None for value in bound),
    )


class _Account:
    """Who uses which words and cells."""

    def __init__(self, program: Program, suite: Suite) -> None:
        self.program, self.suite = program, suite
        self.linter = Linter(program, suite)
        self.words: dict[tuple[str, str], dict[str, None]] = {}
        self.by_cell: dict[tuple[str, str, str], dict[str, None]] = {}
        for scenario in suite.scenarios:
            for source in dict.fromkeys(sources(scenario)):
                self._note(source, scenario.id)
        self.cards = [(under_card, card.id) for card in suite.cards for under_card in card.clauses]
        self.waived = [(self.linter.place(str(place)), str(reason)) for place, reason in program.profile.waive.items()]

    def _note(self, source: SourceRef, id: str) -> None:
        if source.table and source.row is not None and source.column is not None:
            self.by_cell.setdefault((source.table, source.row, source.column), {})[id] = None
        else:
            self.words.setdefault((source.clause, _flat(source.quote)), {})[id] = None

    def sentences(self) -> Iterator[Accounted]:
        """Sentences that prescribe, footnotes and rules below tables."""
        for spot in self.linter.spots:
            is_rule = "^" in spot.id
            if not vocabulary().modal.search(spot.text) and not is_rule:
                continue
            fate, used_by, reason = self._fate(spot)
            yield Accounted(
                kind="rule" if is_rule else "sentence",
                clause=spot.id.split("^")[0].split("#")[0],
                place=spot.at,
                text=spot.text.strip(),
                fate=fate,
                used_by=used_by,
                reason=reason,
            )

    def _fate(self, spot: Spot) -> tuple[Fate, tuple[str, ...], str]:
        clause, text = spot.id.split("^")[0].split("#")[0], _flat(spot.text)
        ids = {
            id: None
            for (held, quote), users in self.words.items()
            if held == clause and (quote in text or text in quote)
            for id in users
        }
        if ids or any(self.linter.is_read(spot, item) for item in self.linter.quantities(spot)):
            return "test", tuple(ids), ""
        cards = tuple(dict.fromkeys(id for address, id in self.cards if any(under(home, address) for home in spot.homes)))
        if cards:
            return "card", cards, ""
        if self.linter.hit(self.linter.ledger.told, spot):
            return "told", (), ""
        reason = next((why for place, why in self.waived if self.linter.hit([place], spot)), None)
        return ("waived", (), reason) if reason is not None else ("open", (), "")

    def cells(self) -> Iterator[Accounted]:
        """Cells with a number of the tables that the lint looks at."""
        for table, row, column in self.linter.number_cells():
            cell, head = table.rows[row][column], table.column_label(column)
            label = table.rows[row][0].text
            users = tuple(self.by_cell.get((table.id, label, head), {}))
            read = bool(users) or (table.id, row, column) in self.linter.ledger.cells
            reason = next((why for (address, words), why in self.waived if not words and under(table.id, address)), "")
            fate: Fate = "test" if read else "waived" if reason else "open"
            yield Accounted(
                kind="cell", clause=table.clause, place=f"{table.id} row {label}, {head}", text=cell.text, fate=fate, used_by=users,
                reason=reason if fate == "waived" else "",
            )  # fmt: skip


def sources(scenario: Scenario) -> Iterator[SourceRef]:
    """Every place that a test rests on, what is only told left out."""
    for name, value in scenario.values():
        if not name.startswith("told."):
            yield from value.sources
            yield from value.tolerance.sources if value.tolerance else ()
    for bound in (*scenario.bind.values(), *scenario.conditions.values(), *scenario.only):
        yield from bound.sources if isinstance(bound, Word) else ()
    for axis in scenario.axes.values():
        yield from axis.sources
    for actor in scenario.actors:
        yield from actor.sources
    for statement in scenario.said:
        yield from statement.sources
    for criterion in scenario.require:
        yield from _of_criterion(criterion)


def _of_criterion(criterion: Criterion) -> Iterator[SourceRef]:
    yield from criterion.sources
    if criterion.otherwise is not None:
        yield from _of_criterion(criterion.otherwise)


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
