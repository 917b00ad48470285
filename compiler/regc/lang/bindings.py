"""The bindings of a test and of its phases: given, or following from an equation; typed, with their tolerances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from regc.lang.circumstances import actors_of
from regc.lang.criterion_reader import CriterionReader
from regc.lang.expressions import Scope
from regc.lang.faults import ProfileError, known
from regc.lang.located_toml import Text, where
from regc.lang.profile import FurtherSpec, PhaseSpec
from regc.lang.values import compare, is_symbol, say, to
from regc.lang.vocabulary import BindingKind, vocabulary
from regc.model.scenario import Phase
from regc.model.source import Tolerance
from regc.model.value import Value, Word

#: What the borrowed tolerance of a speed that the text names none for is: that of the next higher prescribed one.
BORROWED = "A861"


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
    """Every binding of the manoeuvre that is given or follows, typed, with tolerances; what staging needs only where it is `staged`.
    Raises P110, E408."""
    bind: dict[str, Value | Word] = {}
    for name, kind in scope.manoeuvre.bind.items():
        if kind.words:
            if name in scope.own:
                bind[name] = scope.word(kind, scope.own[name], name)
            continue
        value = scope.find(name)
        if value is not None:
            bind[name] = _typed(scope, kind, value, name)
        elif kind.needed and staged:
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
    found: dict[str, tuple[Scope, Phase]] = {}
    for spec in scope.test.phases:
        try:
            found[str(spec.name)] = _phase(scope, spec, tolerances)
        except ProfileError as error:
            error.place = error.place or where(spec.name)
            raise
    return found


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
