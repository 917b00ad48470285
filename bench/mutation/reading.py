"""A changed document, what a build of it holds, and how it came out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from regc.model.scenario import Scenario
from regc.model.suite import Suite
from regc.model.value import Value, Word
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Request

OUTCOMES = ("equal", "told", "refused", "silent", "traceback", "hang")
FAULTS = ("silent", "traceback", "hang")


@dataclass(frozen=True)
class Mutant:
    """One changed document. `files`: name -> bytes, the first is the source. `old` and `new`: what stood and stands at the place.

    `must_tell`: nothing but a finding will do. `bound`: what the new words say, where they say a bound. `tail`: the
    text behind the place.
    """

    kind: str
    place: str
    old: str
    new: str
    files: Mapping[str, bytes]
    must_tell: bool = False
    bound: str = ""
    matters: bool = True
    tail: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a mutant came out, and what shows it."""

    mutant: str
    kind: str
    outcome: str
    why: str = ""


@dataclass
class Reading:
    """What a build holds: values by test and name, words by test and name, findings of severity warning or error."""

    values: dict[str, Value] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    told: set[tuple[str, str]] = field(default_factory=set)
    errors: bool = False


def reading_of(suite: Suite) -> Reading:
    """Every number and word of every test, table and card."""
    found = Reading()
    for scenario in suite.scenarios:
        found.values |= {f"{scenario.id}|{_name(name, value)}": value for name, value in scenario.values()}
        found.words |= {f"{scenario.id}|{name}": word for name, word in _words(scenario)}
    for table in suite.tables:
        for row in table.rows:
            found.values[f"{table.id}|{row.key.lo}"] = row.key
            if row.limit is not None:
                found.values[f"{table.id}|{row.key.lo}|limit"] = row.limit
        found.words[f"{table.id}|between"] = f"{table.between} {sorted(table.beyond.items())}"
    for card in suite.cards:
        for index, step in enumerate(card.steps):
            found.words[f"{card.id}|{index}"] = step.text
    found.told = {(finding.code, finding.message) for finding in suite.findings if finding.severity in ("warning", "error")}
    found.errors = any(finding.severity == "error" for finding in suite.findings)
    return found


def _name(name: str, value: Value) -> str:
    """The name of a number; one that is told in words by what it says, since it moves where its sentence says another one before it."""
    if not name.startswith(("told.", "said.")):
        return name
    return f"{name.rpartition('.')[0]}: {value.bound} {value.lo}..{value.hi} {value.unit}"


def _words(scenario: Scenario) -> Iterator[tuple[str, str]]:
    yield "status", f"{scenario.status} {scenario.entry} {' '.join(scenario.covers)} {' '.join(word.word for word in scenario.only)}"
    for name, bound in {**scenario.bind, **scenario.conditions}.items():
        if isinstance(bound, Word):
            yield name, bound.word
    for criterion in scenario.require:
        yield f"require.{criterion.label}", f"{criterion.form} {criterion.sign} {criterion.signal} {criterion.instead}"
    yield "applies_if", str(len(scenario.applies_if))
    for name, statements in (("said", scenario.said), ("told", scenario.told)):
        for index, statement in enumerate(statements):
            yield f"{name}.{index}", statement.text


def shape(value: Value) -> tuple[Any, ...]:
    """What of a number is compared."""
    tolerance = (value.tolerance.plus, value.tolerance.minus) if value.tolerance else None
    return (value.lo, value.hi, value.unit, value.bound, tolerance, value.symbol, value.differs)


def compiled(regulation: str, source: Path | None) -> Reading:
    """The build of one document, without a cache."""
    return reading_of(compile_regulation(Request(regulation, source=source)).suite)
