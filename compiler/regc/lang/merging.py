"""Equal neighbours on an axis as one test: "separately, or within contiguous ranges where the declared value is the same"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from regc.lang.located_toml import Text
from regc.lang.values import ends_of, is_symbol, of_ends, si_ends, span
from regc.model.criterion import Criterion
from regc.model.value import Value, Word

if TYPE_CHECKING:
    from regc.lang.evaluate import Made
    from regc.lang.program import Program

#: What two values may differ in and still say the same.
_PROVENANCE = ("sources", "formula", "basis")


def merge_neighbours(program: Program, made: Sequence[Made], axis: str, place: Text) -> list[Made]:
    """The tests, with those of neighbours on an axis joined that differ only in ranges that adjoin.

    `place` is where the text allows it. What is not declared yet is not known to be equal, so nothing is joined over a symbol.
    """
    order = [str(value) for value in program.profile.axis[Text(axis)].values]
    groups: dict[tuple[Any, ...], list[Made]] = {}
    for item in made:
        others = tuple((name, value) for name, value in item.axes.items() if name != axis)
        groups.setdefault((id(item.entry), others), []).append(item)
    out: list[Made] = []
    for items in groups.values():
        items.sort(key=lambda item: order.index(item.axes[axis]))
        own: list[Made] = []
        for item in items:
            after = bool(own) and order.index(own[-1].values_of(axis)[-1]) + 1 == order.index(item.axes[axis])
            if after and _join(own[-1], item, axis):
                item.scope.cite(place)
            else:
                own.append(item)
        out += own
    return out


def _join(item: Made, after: Made, axis: str) -> bool:
    """Take a neighbour into a test; False, and nothing done, where they are not equal."""
    if item.bind.keys() != after.bind.keys() or _plain(item.require) != _plain(after.require):
        return False
    if item.rest.get("phases") or after.rest.get("phases") or item.applies_if != after.applies_if:
        return False
    bind: dict[str, Value | Word] = {}
    for name, held in item.bind.items():
        both = _joined(held, after.bind[name], follows=name in item.scope.came_from and name in after.scope.came_from)
        if both is None:
            return False
        bind[name] = both
    item.bind = bind
    item.scope.witnesses |= after.scope.witnesses
    item.joined[axis] = (*item.values_of(axis), after.axes[axis])
    return True


def _joined(held: Value | Word, other: Value | Word, *, follows: bool) -> Value | Word | None:
    """Two bindings as one: equal ones, ranges that adjoin, what follows from them; None where they differ."""
    if _plain(held) == _plain(other) and not (isinstance(held, Value) and is_symbol(held)):
        return held
    if not (isinstance(held, Value) and isinstance(other, Value)) or is_symbol(held) or is_symbol(other):
        return None
    (low, high), (other_low, other_high) = si_ends(held), si_ends(other)
    adjoin = held.is_range and other.is_range and (high == other_low or other_high == low)
    if not (adjoin or follows) or held.tolerance != other.tolerance or held.bound != other.bound:
        return None
    first = held if low <= other_low else other
    last = held if high >= other_high else other
    return of_ends(span(ends_of(first).low, ends_of(last).high)).model_copy(update={"tolerance": held.tolerance, "bound": held.bound})


def _plain(item: Value | Word | Sequence[Criterion]) -> Any:
    """What an item says, without where it says it."""
    if isinstance(item, Value | Word):
        return _stripped(item.model_dump(mode="json"))
    return [_stripped(criterion.model_dump(mode="json")) for criterion in item]


def _stripped(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {key: _stripped(value) for key, value in data.items() if key not in _PROVENANCE}
    return [_stripped(value) for value in data] if isinstance(data, list) else data
