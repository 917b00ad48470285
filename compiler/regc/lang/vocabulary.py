"""The closed vocabulary: words for numbers, units, bounds, manoeuvres, signals, events, kinds. Data in vocabulary.toml; units
in data/units.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import Any

from regc.lang.faults import known
from regc.model.units import Unit, units
from regc.model.value import Bound
from regc.tomlfiles import packaged

#: Exponents of length, time and mass: a speed is (1, -1, 0).
Exponents = tuple[int, int, int]


@dataclass(frozen=True)
class BindingKind:
    """The type of what is bound: a dimension with, where the words must show it, a side ("<" at most, ">" at least); or words.

    `loose`: the words may show no side, but not the other one.
    Kind.parse("time>!") is a time, bounded from below, without which the manoeuvre cannot be staged.
    """

    dimension: str = ""
    side: str = ""
    loose: bool = False
    needed: bool = False
    words: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str | list[str]) -> BindingKind:
        """A type as the vocabulary writes it."""
        if not isinstance(text, str):
            return cls(words=tuple(text))
        name = text.rstrip("<>?!")
        side = "".join(sign for sign in text[len(name) :] if sign in "<>")
        return cls(name, side, "?" in text, "!" in text)


@dataclass(frozen=True)
class Equation:
    """What a binding follows from: "gap = ttc * relative"."""

    name: str
    right: str
    needs: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Equation:
        """An equation as the vocabulary writes it."""
        left, right = (side.strip() for side in text.split("=", 1))
        return cls(left, right, tuple(dict.fromkeys(re.findall(r"[a-z_]+", right))))

    def __str__(self) -> str:
        return f"{self.name} = {self.right}"


@dataclass(frozen=True)
class PhaseRule:
    """What holds of a manoeuvre that is a phase of a sequence. `last`: with a target nothing follows; `once`: one such phase alone;
    `before`: manoeuvres of which none may come first; `needs`: bindings; `without`: roles that it may leave out."""

    last: bool = False
    once: bool = False
    before: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Manoeuvre:
    """What a kind of drive binds, who takes part (True: needed), how its bindings follow from each other; `phase`: None where it is no
    phase of a sequence."""

    name: str
    bind: Mapping[str, BindingKind]
    roles: Mapping[str, bool]
    equations: tuple[Equation, ...]
    phase: PhaseRule | None = None


@dataclass(frozen=True)
class BoundWords:
    """Compiled words that bound a number, as (bound, pattern); all but those behind it stand in the group "words".

    `turn`: the words that turn a comparative; `comparatives`: what they turn, anywhere in a text.
    """

    before: tuple[tuple[Bound, re.Pattern[str]], ...]
    touching: tuple[tuple[Bound, re.Pattern[str]], ...]
    in_time: tuple[tuple[Bound, re.Pattern[str]], ...]
    turned: tuple[tuple[Bound, re.Pattern[str]], ...]
    behind: tuple[tuple[Bound, re.Pattern[str]], ...]
    lead: re.Pattern[str]
    turn: re.Pattern[str]
    comparatives: tuple[re.Pattern[str], ...]


@dataclass(frozen=True)
class Vocabulary:
    """All closed lists. `numbers`: word -> (value, dimension or "" for a bare number). `largest`: in SI, by dimension.
    `on_record`: signals and events that the record of a test shows and no log of a simulator."""

    numbers: Mapping[str, tuple[str, str]]
    tens: Mapping[str, str]
    units: Mapping[str, Unit]
    largest: Mapping[str, Fraction]
    bounds: BoundWords
    between: Mapping[str, re.Pattern[str]]
    must: re.Pattern[str]
    modal: re.Pattern[str]
    dimensions: Mapping[str, Exponents]
    manoeuvres: Mapping[str, Manoeuvre]
    signals: Mapping[str, BindingKind]
    events: Mapping[str, BindingKind]
    on_record: frozenset[str]
    ordinals: Mapping[str, int]
    conditions: Mapping[str, BindingKind]
    runs: Mapping[str, BindingKind]
    actors: tuple[str, ...]
    statuses: tuple[str, ...]
    card_kinds: tuple[str, ...]
    declared: tuple[str, ...]
    base_units: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def types(self) -> tuple[str, ...]:
        """What a place can be read as: the dimensions of units, and a bare number."""
        return (*dict.fromkeys(unit.dimension for unit in self.units.values()), "count")

    def dimension(self, unit: str) -> str:
        """The dimension of a unit; "count" for a bare number ("")."""
        return self.units[unit].dimension if unit else "count"

    def factor(self, unit: str) -> Fraction:
        """How many SI units one of `unit` is; 1 for a bare number."""
        return self.units[unit].factor if unit else Fraction(1)

    def si(self, value: Decimal, unit: str) -> Fraction:
        """A value in SI, exactly: si(Decimal(0), "degC") is 273.15."""
        return _si(value, self.units[unit]) if unit else Fraction(value)

    def manoeuvre(self, name: str) -> Manoeuvre:
        """A manoeuvre by its name; raises P101."""
        return self.manoeuvres[known(name, self.manoeuvres, "manoeuvre")]


@lru_cache(maxsize=8192)
def _si(value: Decimal, unit: Unit) -> Fraction:
    return Fraction(value) * unit.factor + unit.offset


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary, read once."""
    data = packaged("lang", "vocabulary.toml")
    shared = {name: BindingKind.parse(text) for name, text in data["bind"].items()}
    words = {word: (value, "") for word, value in data["word"]["any"].items()}
    for dimension in ("speed", "ratio"):
        words |= {word: (value, dimension) for word, value in data["word"][dimension].items()}
    bases: dict[str, str] = {}
    for unit in units().values():
        if unit.factor == 1 or unit.dimension not in bases:
            bases[unit.dimension] = unit.name
    bases["ratio"] = "per cent"
    return Vocabulary(
        numbers=words,
        tens=data["word"]["tens"],
        units=units(),
        largest={name: Fraction(value) for name, value in data["largest"].items()},
        bounds=_bounds(data["bound"]),
        between={rule: re.compile("|".join(patterns), re.I) for rule, patterns in data["between"].items()},
        must=re.compile(rf"\b(?:{'|'.join(data['modal']['must'])})\b"),
        modal=re.compile(rf"\b(?:{'|'.join(data['modal']['must'] + data['modal']['may'])})\b"),
        dimensions={name: (a, b, c) for name, (a, b, c) in data["dimension"].items()},
        manoeuvres={name: _manoeuvre(name, entry, shared) for name, entry in data["manoeuvre"].items()},
        signals=_kinds(data["signal"]),
        events=_kinds(data["event"]),
        on_record=frozenset(data["evidence"]["record"]),
        ordinals=data["ordinal"],
        conditions=_kinds(data["conditions"]),
        runs=_kinds(data["runs"]),
        actors=tuple(data["kinds"]["actor"]),
        statuses=tuple(data["kinds"]["status"]),
        card_kinds=tuple(data["kinds"]["card"]),
        declared=tuple(data["kinds"]["declared"]),
        base_units=bases,
    )


def _kinds(data: Mapping[str, Any]) -> dict[str, BindingKind]:
    return {name: BindingKind.parse(text) for name, text in data.items()}


def _manoeuvre(name: str, data: Mapping[str, Any], shared: Mapping[str, BindingKind]) -> Manoeuvre:
    return Manoeuvre(
        name,
        {**shared, **_kinds(data.get("bind", {}))},
        {role.rstrip("!"): role.endswith("!") for role in data["roles"]},
        tuple(Equation.parse(text) for text in data.get("equations", ())),
        _phase_rule(data["phase"]) if "phase" in data else None,
    )


def _phase_rule(data: Mapping[str, Any]) -> PhaseRule:
    before, needs, without = (tuple(data.get(name, ())) for name in ("before", "needs", "without"))
    return PhaseRule(data.get("last", False), data.get("once", False), before, needs, without)


def _bounds(data: Mapping[str, Mapping[str, list[str]]]) -> BoundWords:
    """Words that bound. Between a `near` word and its number stand at most 28 characters, none of them a digit or a stop."""

    def compiled(group: str, form: str) -> tuple[tuple[Bound, re.Pattern[str]], ...]:
        return tuple((side, re.compile(form.format("|".join(words)), re.I)) for side, words in data[group].items())  # type: ignore[misc]

    return BoundWords(
        before=compiled("near", r"\b(?P<words>{0})\b[^.;:\d]{{0,28}}$"),
        touching=compiled("touching", r"(?P<words>{0})\s*$"),
        in_time=compiled("in_time", r"\b(?P<words>{0})\b[^.;:\d]{{0,28}}$"),
        turned=compiled("turned", r"\b(?P<words>{0})\s*$"),
        behind=compiled("behind", r"\s*,?\s*(?:{0})\b"),
        lead=re.compile(rf"\s*(?:{'|'.join(data['lead']['words'])})\b", re.I),
        turn=re.compile(rf"(?<!whether or )\b(?:{'|'.join(data['turn']['words'])})\b(?! only\b)", re.I),
        comparatives=tuple(
            re.compile(rf"\b(?:{'|'.join(data[group][side])})\b", re.I) for group in ("near", "in_time") for side in ("gt", "lt")
        ),
    )
