"""Who is there, on which surroundings, how often, for whom; and the sentences that go into a test's text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from regc.lang.expressions import Scope
from regc.lang.faults import known
from regc.lang.located_toml import Text, after_word, where
from regc.lang.places import Span, under
from regc.lang.profile import FurtherSpec
from regc.lang.program import Program
from regc.lang.vocabulary import vocabulary
from regc.model.criterion import Criterion
from regc.model.scenario import Actor, Choice, Scenario, Statement
from regc.model.value import Value, Word


def restrictions(scope: Scope, only: Mapping[str, Any], require: Sequence[Criterion]) -> tuple[Word, ...]:
    """Restrictions in words: of the profile where the text says them, and of marks in the limit table."""
    words: list[Word] = []
    said = scope.test.only.get(Text("said"))
    if said is not None:
        sources = scope.cite(Text(str(said), where(said)))
        for axis, values in only.items():
            for value in several(values):
                covers = [category.split(" [")[0] for category in scope.program.axis_value(axis, value).covers]
                words += [Word(word=name, sources=sources) for name in covers or [f"{axis} {value}"]]
    words += [word for criterion in require if criterion.limit is not None for word in criterion.limit.only]
    return tuple({word.word: word for word in words}.values())


def surroundings_of(program: Program, scope: Scope, entry: FurtherSpec | None) -> dict[str, Any]:
    """Actors, conditions, runs and statements of a test."""
    test = scope.test
    set_by_axis = {name: text for axis, value in scope.axes.items() for name, text in program.axis_value(axis, value).set.items()}
    conditions: dict[str, Value | Word] = {}
    for name, text in {**test.conditions, **set_by_axis}.items():
        kind = vocabulary().conditions[str(name)]
        conditions[str(name)] = (
            scope.word(kind, text, str(name), by_axis=name in set_by_axis) if kind.words else scope.typed(kind, text, str(name))
        )
    repeated = entry.runs if entry is not None and entry.runs is not None else test.runs
    runs = {str(name): scope.typed(vocabulary().runs[str(name)], text, str(name)) for name, text in repeated.items()}
    said = [
        statement
        for text in (test.said, entry.said if entry else None)
        if text is not None
        for statement in program.statement(scope, text)
    ]
    actors = actors_of(scope, entry)
    defined = [text for actor in actors for text in _definition(scope, actor)]
    told = [statement for text in (*test.tell, *defined) for statement in program.statement(scope, text, told=True)]
    parts = _parts(scope)
    told = [
        statement.model_copy(update={"part": next((name for name, at in parts if under(statement.sources[0].clause, at)), "")})
        for statement in dict.fromkeys(told)
    ]
    choices = [Choice(text=str(one.is_), sources=tuple(s for place in one.said for s in scope.cite(place))) for one in test.choice]
    return {
        "conditions": conditions, "actors": actors, "runs": runs, "said": tuple(said), "told": tuple(told), "choices": tuple(choices),
    }  # fmt: skip


def _definition(scope: Scope, actor: Actor) -> Iterator[Text]:
    """The clause that says what an actor is, where that is another one than the test's own: it is told with the test."""
    own = scope.program.reader.resolve("at", scope.places)
    for source in actor.sources:
        held = scope.program.reader.clauses.get(source.clause)
        if held is not None and held.text and source.item is None and not under(source.clause, own):
            yield Text(source.clause)


def _parts(scope: Scope) -> list[tuple[str, str]]:
    """The parts of a test case with the addresses whose words belong to them when they are told: as the profile says; else those of
    the requirement are assessed."""
    reader = scope.program.reader
    told = [(str(name), str(address)) for name, addresses in scope.program.profile.part.items() for address in addresses]
    told += [("assess", "req")] if scope.test.req else []
    return [(name, reader.resolve(address, scope.places)) for name, address in told]


def procedures_of(program: Program, scenarios: Sequence[Scenario]) -> dict[str, tuple[Statement, ...]]:
    """Clause of a test -> the lines of that clause and of those below it. Nothing of them counts as read or told."""
    reader = program.reader
    found: dict[str, tuple[Statement, ...]] = {}
    for at in dict.fromkeys(scenario.clause for scenario in scenarios):
        lines = []
        for clause in (held for held in reader.document.clauses if under(held.id, at)):
            span, start = Span(clause.id, clause.id, clause.text), 0
            for line in clause.text.splitlines(keepends=True):
                if text := line.strip():
                    source = reader.source(span, start, start + len(line.rstrip()), quote=text)
                    lines.append(Statement(text=text, part="functional", sources=(source,)))
                start += len(line)
        found[at] = tuple(lines)
    return found


def actors_of(scope: Scope, entry: FurtherSpec | None) -> tuple[Actor, ...]:
    """Who plays the roles of a test or a phase."""
    actors: list[Actor] = []
    for role, text in scope.test.actors.items():
        kind_name = known(Text(text.split(" ", 1)[0], text.where), vocabulary().actors, "kind of actor")
        differs = entry is not None and f"actors.{role}" in entry.other
        actors.append(Actor(role=str(role), kind=str(kind_name), differs=differs, sources=scope.cite(after_word(text))))
    return tuple(actors)


def several(values: Any) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else tuple(values)
