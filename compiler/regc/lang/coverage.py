"""What became of every sentence that prescribes, every cell of a test table, every mark and rule: the document is the denominator.

Counted are the sections that the profile's scope lies in, whole: a scope of "5.2" and "6.4" counts all of 5 and 6, so that what a
profile leaves out stays visible as open.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache

from regc.lang.ledger import Key
from regc.lang.lint import Linter, ScopeSentence, clause_spots
from regc.lang.places import under
from regc.lang.vocabulary import vocabulary
from regc.lang.words import quantities
from regc.model.document import Clause
from regc.model.scenario import Scenario
from regc.model.source import SourceRef
from regc.model.suite import Accounted, Coverage, Fate, Suite

#: How a waiver says that another regulation has the matter.
_EXTERNAL = "external:"


def coverage(linter: Linter) -> Coverage:
    """The fate of each, after the lint has looked."""
    suite = linter.suite
    values = [value for scenario in suite.scenarios for _, value in scenario.values()]
    return Coverage(
        entries=(*_sentences(linter), *_cells(linter)),
        cited=sum(value.basis == "cited" for value in values),
        derived=sum(value.basis == "derived" for value in values),
        assumed=sum(value.basis == "assumed" for value in values),
        borrowed=sum(value.tolerance is not None and value.tolerance.assumption is not None for value in values),
    )


def sections(linter: Linter) -> tuple[Clause, ...]:
    """The clauses of the sections that the scope lies in: "5.2" -> all under 5, "Annex 3 - Appendix 2, 1" -> all of that appendix."""
    roots = set()
    for address in linter.profile.scope:
        id = linter.reader.resolve(str(address), linter.program.places)
        region, _, number = id.rpartition(", ")
        top = re.split(r"[.(#^/]", number)[0]
        roots.add(region if region else top)
    return tuple(clause for clause in linter.reader.document.clauses if any(under(clause.id, root) for root in roots))


def _sentences(linter: Linter) -> Iterator[Accounted]:
    by_sentence = _uses(linter.suite)
    for spot in _spots(linter):
        if not vocabulary().modal.search(spot.text):
            continue
        used_by = _used_by(spot, by_sentence)
        fate, more, reason = _fate(linter, spot, used_by)
        if fate == "test" and not used_by:
            more = _readers(linter, _keys(linter, spot))
        kind = "rule" if "^" in spot.id else "sentence"
        text = " ".join(spot.text.split())
        yield Accounted(
            kind=kind,
            clause=spot.id.split("^")[0].split("#")[0],
            place=spot.at,
            text=text,
            fate=fate,
            used_by=used_by or more,
            reason=reason,
        )


def _spots(linter: Linter) -> Iterator[ScopeSentence]:
    """Sentences of the sections: those of the scope as the lint cut them, the others alike."""
    seen = {(spot.id, spot.start) for spot in linter.spots}
    yield from linter.spots
    for clause in sections(linter):
        yield from (spot for spot in clause_spots(clause) if (spot.id, spot.start) not in seen)


def _fate(linter: Linter, spot: ScopeSentence, used_by: tuple[str, ...]) -> tuple[Fate, tuple[str, ...], str]:
    """(fate, cards that hold it, reason)."""
    if (
        used_by
        or linter.hit(linter.ledger.said, spot)
        or any(linter.is_read(spot, item) for item in quantities(spot.text).measurements)
    ):
        return "test", (), ""
    return _kept(linter, spot)


def _kept(linter: Linter, spot: ScopeSentence) -> tuple[Fate, tuple[str, ...], str]:
    """The fate of what no test reads: waived, on a card, told, or open."""
    for place, reason in linter.profile.waive.items():
        if linter.hit([linter.place(str(place))], spot):
            text = str(reason)
            return ("external", (), text.removeprefix(_EXTERNAL).strip()) if text.startswith(_EXTERNAL) else ("waived", (), text)
    for spec, card in zip(linter.profile.card, linter.suite.cards, strict=True):
        if linter.hit([linter.place(str(clause)) for clause in spec.clauses], spot):
            return "card", (card.id,), ""
    if linter.is_told(spot):
        return "told", (), ""
    return "open", (), ""


def _uses(suite: Suite) -> dict[str, list[tuple[str, str]]]:
    """Clause -> (quote, scenario id) of every place that a scenario cites there."""
    by_place: dict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    for scenario in suite.scenarios:
        for source in _sources(scenario):
            if source.table is None or source.footnote is not None:
                by_place[source.clause][_plain(source.quote), scenario.id] = None
    return {clause: list(uses) for clause, uses in by_place.items()}


def _sources(scenario: Scenario) -> Iterator[SourceRef]:
    for _, value in scenario.values():
        yield from value.sources
        if value.tolerance is not None:
            yield from value.tolerance.sources
    for bound in (*scenario.bind.values(), *scenario.conditions.values()):
        yield from bound.sources
    for places in (
        *(value.sources for value in scenario.axes.values()),
        *(actor.sources for actor in scenario.actors),
        *(asked.sources for asked in scenario.require),
        *(statement.sources for statement in scenario.said),
    ):
        yield from places


def _used_by(spot: ScopeSentence, uses: dict[str, list[tuple[str, str]]]) -> tuple[str, ...]:
    text = _plain(spot.text)
    anchor = spot.id.split("^")[0].split("#")[0]
    return tuple(dict.fromkeys(id for quote, id in uses.get(anchor, ()) if quote and quote in text))


def _keys(linter: Linter, spot: ScopeSentence) -> Iterator[Key]:
    """The numbers of a sentence that were read, and the words of it that were cited."""
    for item in quantities(spot.text).measurements:
        yield from ((home, spot.start + item.start) for home in spot.homes)
    yield from (said for said in linter.ledger.said if linter.hit([said], spot))


def _readers(linter: Linter, keys: Iterable[Key]) -> tuple[str, ...]:
    """The scenarios of the tests that used one of these while they were evaluated: for a guard, a check or a rule of a table, which no
    value of a scenario cites."""
    users = {user for key in keys for user in linter.ledger.users.get(key, ())}
    own = {place: scenario.id for test, axes in users for place, scenario in linter.by_test.get(test, ()) if _is_of(scenario, axes)}
    return tuple(own[place] for place in sorted(own))


def _is_of(scenario: Scenario, axes: tuple[tuple[str, str], ...]) -> bool:
    return all(axis not in scenario.axes or scenario.axes[axis].value == value for axis, value in axes)


@lru_cache(maxsize=16384)
def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _cells(linter: Linter) -> Iterator[Accounted]:
    """Cells with a digit of the tables in the sections."""
    users: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
    for scenario in linter.suite.scenarios:
        for source in _sources(scenario):
            if source.table and source.row is not None and source.column is not None:
                users[source.table, source.row, source.column][scenario.id] = None
    for clause in sections(linter):
        for table_id in clause.tables:
            table = linter.reader.tables[table_id]
            kept = _kept(linter, ScopeSentence(id=table_id, at=table_id, text="", start=0, homes=(table_id, clause.id)))
            for row, cells in enumerate(table.rows):
                for column, cell in enumerate(cells):
                    if not re.search(r"\d", cell.text):
                        continue
                    label = table.column_label(column)
                    read = (table_id, row, column) in linter.ledger.cells
                    used = tuple(users.get((table_id, cells[0].text, label), {}))
                    used = used or _readers(linter, [(table_id, row, column)] if read else ())
                    read = read or bool(used)
                    fate, cards, reason = ("test", used, "") if read else kept
                    yield Accounted(
                        kind="cell",
                        clause=clause.id,
                        place=f"{table_id} row {cells[0].text}, {label}",
                        text=cell.text,
                        fate=fate,
                        used_by=cards,
                        reason=reason,
                    )
