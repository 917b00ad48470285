"""What a test is driven with: its bindings and those of its phases (given, or following from an equation; typed, with their
tolerances), who is there, on which surroundings, how often, for whom, and the sentences that go into its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from regc.lang.criterion_reader import CriterionReader
from regc.lang.expressions import Scope
from regc.lang.faults import ProfileError, known
from regc.lang.located_toml import Text, after_word, where
from regc.lang.places import Span, under
from regc.lang.profile import FurtherSpec, PhaseSpec
from regc.lang.program import Program
from regc.lang.values import compare, is_symbol, say, to
from regc.lang.vocabulary import BindingKind, PhaseRule, vocabulary
from regc.model.criterion import Criterion
from regc.model.scenario import Actor, Choice, Phase, Scenario, Statement
from regc.model.source import Tolerance
from regc.model.value import Value, Word


def restrictions(scope: Scope, only: Mapping[str, Any], require: Sequence[Criterion]) -> tuple[Word, ...]:
    """Restrictions in words: of the profile where the text says them, and of marks in the limit table. What the axes of a test say by
    themselves is no restriction of it."""
    words: list[Word] = []
    said = scope.test.only.get(Text("said"))
    if said is not None:
        sources = scope.cite(Text(str(said), where(said)))
        for axis, values in only.items():
            for value in several(values):
                covers = [category.split(" [")[0] for category in scope.program.axis_value(axis, value).covers]
                words += [Word(word=name, sources=sources) for name in covers or _unsaid(scope, axis, value)]
    words += [word for criterion in require if criterion.limit is not None for word in criterion.limit.only]
    return tuple({word.word: word for word in words}.values())


def _unsaid(scope: Scope, axis: str, value: str) -> list[str]:
    return [] if axis in scope.axes else [f"{axis} {value}"]


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
        for text in (test.said, _chosen_by(scope), entry.said if entry else None)
        if text is not None
        for statement in program.statement(scope, text)
    ]
    actors = actors_of(scope, entry)
    defined = [text for actor in actors for text in _definition(scope, actor)]
    told = [statement for text in (*test.tell, *defined) for statement in program.statement(scope, text, told=True)]
    parts = _parts(scope)
    told = [
        program.in_part(statement, next((name for name, at in parts if under(statement.sources[0].clause, at)), ""))
        for statement in dict.fromkeys(told)
    ]
    choices = [Choice(text=str(one.is_), sources=tuple(s for place in one.said for s in scope.cite(place))) for one in test.choice]
    return {
        "conditions": conditions, "actors": actors, "runs": runs, "said": tuple(said), "told": tuple(told), "choices": tuple(choices),
    }  # fmt: skip


def _chosen_by(scope: Scope) -> Text | None:
    """The place that says which values of its axes a test is for, where they are told by its axes alone."""
    said = scope.test.only.get(Text("said"))
    only = [(str(axis), str(value)) for axis, values in scope.test.only.items() if axis != "said" for value in several(values)]
    told = all(axis in scope.axes and not scope.program.axis_value(axis, value).covers for axis, value in only)
    return Text(str(said), where(said)) if said is not None and told else None


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
    procedures: dict[str, tuple[Statement, ...]] = {}
    for at in dict.fromkeys(scenario.clause for scenario in scenarios):
        lines = []
        for clause in (held for held in reader.document.clauses if under(held.id, at)):
            span, start = Span(clause.id, clause.id, clause.text), 0
            for line in clause.text.splitlines(keepends=True):
                if text := line.strip():
                    source = reader.source(span, start, start + len(line.rstrip()), quote=text)
                    lines.append(Statement(text=text, part="functional", sources=(source,)))
                start += len(line)
        procedures[at] = tuple(lines)
    return procedures


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


#: What the borrowed tolerance of a speed that the text names none for is: that of the next higher prescribed one.
BORROWED = "A861"
_NO_PHASE = PhaseRule()


def must_differ(scope: Scope, entry: FurtherSpec | None) -> None:
    """ "A different X": not that number; in a range, not the one that was run."""
    for name in entry.other if entry else ():
        if name.startswith("actors."):
            known(Text(name[7:], name.where), scope.manoeuvre.roles, f"role of {scope.manoeuvre.name}")
            continue
        known(name, scope.manoeuvre.bind, "binding")
        value = scope.find(str(name))
        if not isinstance(value, Value):
            raise ProfileError("E404", f"'{name}' has no value here that another run could differ from", "bind it", where(name))
        bound = "ne" if value.bound == "eq" and not value.is_range else value.bound
        kept = value.tolerance if value.is_range else None  # the tolerance goes with the prescribed number
        scope.own[str(name)] = value.model_copy(update={"bound": bound, "differs": True, "tolerance": kept})


def bindings_of(
    scope: Scope, tolerances: Mapping[str, Any], prescribed: Sequence[Mapping[str, Value | Word]], *, staged: bool = True
) -> dict[str, Value | Word]:
    """Every binding of the manoeuvre that is given or follows, typed, with tolerances. What staging needs is asked for, of a test of
    its own (`staged`) or of a phase. Raises P110, E408."""
    bind: dict[str, Value | Word] = {}
    for name, kind in scope.manoeuvre.bind.items():
        if kind.words:
            if name in scope.own:
                bind[name] = scope.word(kind, scope.own[name], name)
            continue
        value = scope.find(name)
        if value is not None:
            bind[name] = _typed(scope, kind, value, name)
        elif kind.needed if staged else name in (scope.manoeuvre.phase or _NO_PHASE).needs:
            rules = "; ".join(str(rule) for rule in scope.manoeuvre.equations)
            raise ProfileError(
                "P110", f"{scope.manoeuvre.name} needs '{name}'", f"bind it{', or what it follows from: ' + rules if rules else ''}"
            )
    _held_twice(scope, bind)
    for name, tolerance in tolerances.items():
        value = bind.get(name)
        if isinstance(value, Value):
            bind[name] = _with_tolerance(scope, name, value, tolerance)
    for name, value in bind.items() if prescribed else ():
        if isinstance(value, Value) and value.tolerance is None:
            bind[name] = _borrowed(name, value, prescribed)
    return bind


def _typed(scope: Scope, kind: BindingKind, value: Any, name: str) -> Value | Word:
    text = scope.test.bind.get(Text(name))
    try:
        return scope.typed(kind, value if isinstance(value, Value) else scope.number(value, kind.dimension), name, said=text)
    except ProfileError as error:
        error.place = error.place or where(text if isinstance(text, str) else None)
        raise


def _held_twice(scope: Scope, bind: Mapping[str, Value | Word]) -> None:
    """What is bound and also follows from an equation must say the same."""
    for rule in scope.manoeuvre.equations:
        value = bind.get(rule.name)
        needed = all(need in bind and rule.name not in scope.came_from.get(need, ()) for need in rule.needs)
        if rule.name not in scope.given or not needed or not isinstance(value, Value) or value.bound != "eq" or is_symbol(value):
            continue
        result = scope.number(rule.right)
        if result.bound == "eq" and not is_symbol(result) and compare("==", value, result) is not True:
            text = scope.test.bind.get(Text(rule.name))
            said = f"{rule.name} is {say(value)}, but {rule.right} gives {say(to(result, value.unit))}"
            raise ProfileError("E408", said, "bind one of them less", line_of(text), names=(rule.name, *rule.needs))


def _with_tolerance(scope: Scope, name: str, value: Value, tolerance: Any) -> Value:
    """A value with the tolerance of a cell, or of the place that states it apart."""
    if isinstance(tolerance, Tolerance):
        held = tolerance
    else:
        try:
            place = scope.address(str(tolerance).strip("[]"))
            held = scope.program.reader.read_tolerance(place, scope.places, scope.kind(name).dimension, value.unit)
        except ProfileError as error:
            error.place = error.place or where(tolerance)
            raise
    return value.model_copy(update={"tolerance": held})


def _borrowed(name: str, value: Value, prescribed: Sequence[Mapping[str, Value | Word]]) -> Value:
    """The tolerance of the next higher prescribed value, else of the highest: an assumption, unless it is that value itself."""
    near = [held for item in prescribed if isinstance(held := item.get(name), Value) and held.tolerance and held.lo is not None]
    if not near or value.lo is None:
        return value
    near.sort(key=lambda held: held.lo or Decimal(0))
    chosen = next((held for held in near if held.lo is not None and held.lo >= value.lo), near[-1])
    assert chosen.tolerance is not None
    sources = chosen.tolerance.sources or chosen.sources
    assumption = None if chosen.lo == value.lo else BORROWED
    return value.model_copy(update={"tolerance": chosen.tolerance.model_copy(update={"sources": sources, "assumption": assumption})})


# ---------------------------------------------------------------- phases


def phases_of(scope: Scope, tolerances: Mapping[str, Any]) -> dict[str, tuple[Scope, Phase]]:
    """The parts of a sequence by name, each with the scope that its criteria are read in. What the test binds holds in every phase."""
    phases: dict[str, tuple[Scope, Phase]] = {}
    for spec in scope.test.phases:
        try:
            phases[str(spec.name)] = _phase(scope, spec, tolerances)
        except ProfileError as error:
            error.place = error.place or where(spec.name)
            raise
    return phases


def _phase(scope: Scope, spec: PhaseSpec, tolerances: Mapping[str, Any]) -> tuple[Scope, Phase]:
    has = vocabulary().manoeuvre(spec.manoeuvre).bind
    handed = {name: value for name, value in scope.own.items() if name in has}
    test = scope.test.model_copy(
        update={
            "manoeuvre": spec.manoeuvre, "let": {**scope.test.let, **spec.let}, "bind": {**scope.test.bind, **spec.bind},
            "actors": spec.actors, "phases": (),
        }
    )  # fmt: skip
    own = Scope(scope.program, test, scope.axes, {**handed, **{str(name): value for name, value in spec.bind.items()}})
    own.witnesses = scope.witnesses
    tol = {name: place for name, place in {**tolerances, **{str(n): p for n, p in spec.tol.items()}}.items() if name in has}
    bind = bindings_of(own, tol, (), staged=False)
    until = CriterionReader(own).read("until", spec.until) if spec.until is not None else None
    said = own.program.statement(own, spec.said) if spec.said is not None else ()
    actors = actors_of(own, None)
    return own, Phase(name=str(spec.name), manoeuvre=str(spec.manoeuvre), bind=bind, actors=actors, until=until, said=said)


def line_of(binding: Any) -> str:
    """The place of a binding, of its first value where it is a list."""
    return where(binding if isinstance(binding, str) else next(iter(binding or ()), None))
