"""One test as a regulation prescribes it (the test IR): axes, manoeuvre and bindings, actors, criteria, surroundings, runs.

Numbers keep the regulation's unit until a Stage. Nothing here is of one regulation: names are of the vocabulary or of the profile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import Field

from regc.model.criterion import Criterion
from regc.model.source import Frozen, SourceRef, Wording
from regc.model.value import Condition, Value, Word

#: mandatory: prescribed. option: may be chosen by who tests. guidance: an example of an assessment. evidence: run for a person's
#: judgement.
Status = Literal["mandatory", "option", "guidance", "evidence"]


class AxisValue(Frozen):
    """The value of an axis that a test has, the vehicle categories that it covers, and the words that name it in the document. `token`:
    how ids name it. `called`: what the profile calls the axis where its name alone says too little."""

    value: str
    words: str = ""
    token: str = ""
    called: str = ""
    covers: tuple[str, ...] = ()
    sources: tuple[SourceRef, ...] = ()


class Actor(Frozen):
    """Who plays a role of the manoeuvre: `kind` of the vocabulary. `differs`: another one than in the prescribed test."""

    role: str
    kind: str
    differs: bool = False
    sources: tuple[SourceRef, ...] = ()


#: The parts of a test case, in the order in which they are done.
Part = Literal["prepare", "approach", "functional", "end", "assess"]


class Statement(Frozen):
    """Words of the document that belong to a test, with the numbers that they tell. `text` is verbatim at its source. `part`: the part
    of a test case to which they belong; blank where nothing says it."""

    text: str
    part: Part | Literal[""] = ""
    numbers: tuple[Value, ...] = ()
    sources: tuple[SourceRef, ...]


class Choice(Frozen):
    """Where the document says two things that do not go together: what is done, and the sentences that it was chosen between."""

    text: str
    sources: tuple[SourceRef, ...]


class Phase(Frozen):
    """A part of a sequence, in order: its drive, who takes part, and the predicate that ends it (None: the end of its motion)."""

    name: str
    manoeuvre: str
    bind: dict[str, Value | Word]
    actors: tuple[Actor, ...] = ()
    until: Criterion | None = None
    said: tuple[Statement, ...] = ()


def target_roles(phases: Sequence[Phase]) -> dict[str, str]:
    """Phase -> the role of its target in the whole run: "target", "target2". One that the document names at the same place, and of the
    same kind, is met again. A phase without a target is left out."""
    met: list[tuple[str, tuple[SourceRef, ...]]] = []
    roles = {}
    for phase in phases:
        for actor in phase.actors:
            if actor.role == "target":
                who = (actor.kind, actor.sources)
                if who not in met:
                    met.append(who)
                count = met.index(who) + 1
                roles[phase.name] = "target" if count == 1 else f"target{count}"
    return roles


class Scenario(Frozen):
    """One test.

    `test` is its name in the profile, `token` what stands for it in ids. `entry`: prescribed by the clause, or one that it lets be
    added ("further"). `bind`, `conditions`: by vocabulary name. `runs`: count, repeats, failed_share, fill; tests whose `failed_share`
    cites the same item share one pool of failed runs. `applies_if`: open conditions on declared values. `only`: restrictions in words.
    `covers`: the vehicle categories that it is for. `said`: the sentences that prescribe it. `told`: sentences whose numbers
    steer nothing. `choices`: contradictions of the document and what is done. `phases`: the parts of a sequence; `bind` holds
    in all of them.
    """

    id: str = Field(pattern=r"^[A-Za-z0-9._+-]{1,120}$")
    regulation: str
    edition: str
    wording: Wording
    test: str
    token: str
    title: str
    clause: str
    status: Status
    entry: Literal["prescribed", "further"] = "prescribed"
    axes: dict[str, AxisValue] = {}
    manoeuvre: str
    bind: dict[str, Value | Word]
    phases: tuple[Phase, ...] = ()
    actors: tuple[Actor, ...] = ()
    require: tuple[Criterion, ...] = ()
    conditions: dict[str, Value | Word] = {}
    runs: dict[str, Value] = {}
    applies_if: tuple[Condition, ...] = ()
    only: tuple[Word, ...] = ()
    covers: tuple[str, ...] = ()
    said: tuple[Statement, ...] = ()
    told: tuple[Statement, ...] = ()
    choices: tuple[Choice, ...] = ()

    def number(self, binding: str) -> Value | None:
        """The value bound to a name, or None where it is not bound or is a word."""
        bound = self.bind.get(binding)
        return bound if isinstance(bound, Value) else None

    def word(self, binding: str) -> str | None:
        """The word bound to a name, or None."""
        bound = self.bind.get(binding)
        return bound.word if isinstance(bound, Word) else None

    def values(self) -> Iterator[tuple[str, Value]]:
        """Every number of the test with its dotted name, in a fixed order: bind.subject, require.impact.limit, conditions.slope,
        runs.count."""
        for name, bound in self.bind.items():
            if isinstance(bound, Value):
                yield f"bind.{name}", bound
        for index, phase in enumerate(self.phases):
            yield from _phase_values(f"phases.{index}", phase)
        for criterion in self.require:
            yield from _criterion_values(f"require.{criterion.label}", criterion)
        for name, bound in self.conditions.items():
            if isinstance(bound, Value):
                yield f"conditions.{name}", bound
        for name, value in self.runs.items():
            yield f"runs.{name}", value
        for place, statements in (("said", self.said), ("told", self.told)):
            for index, statement in enumerate(statements):
                for number, value in enumerate(statement.numbers):
                    yield f"{place}.{index}.{number}", value


def _phase_values(name: str, phase: Phase) -> Iterator[tuple[str, Value]]:
    for binding, bound in phase.bind.items():
        if isinstance(bound, Value):
            yield f"{name}.bind.{binding}", bound
    if phase.until is not None:
        yield from _criterion_values(f"{name}.until", phase.until)
    for index, statement in enumerate(phase.said):
        for number, value in enumerate(statement.numbers):
            yield f"{name}.said.{index}.{number}", value


def _criterion_values(name: str, criterion: Criterion) -> Iterator[tuple[str, Value]]:
    for part in ("a", "b"):
        event = getattr(criterion, part)
        if event is not None and isinstance(event.argument, Value):
            yield f"{name}.{part}", event.argument
    for part in ("by", "mean_over"):
        value = getattr(criterion, part)
        if value is not None:
            yield f"{name}.{part}", value
    if criterion.limit is not None:
        yield f"{name}.limit", criterion.limit.value
    if criterion.otherwise is not None:
        yield from _criterion_values(f"{name}.otherwise", criterion.otherwise)


class Card(Frozen):
    """A requirement that a drive cannot show, or not alone: `kind` says how it is done, `steps` are the places that say what to do.
    `proposes`: the words that let further speeds be driven after a failed run."""

    id: str = Field(pattern=r"^[A-Za-z0-9._+-]{1,120}$")
    regulation: str
    edition: str
    wording: Wording
    title: str
    kind: Literal["inspection", "standing", "driving", "review"]
    clauses: tuple[str, ...]
    steps: tuple[Statement, ...]
    proposes: tuple[Statement, ...] = ()


class FormLine(Frozen):
    """A line of a form. heading, words and note stand as the document has them (a note with its mark as `number`); a field is to be
    filled in; of a choice one of `choices` holds."""

    kind: Literal["heading", "field", "choice", "words", "note"]
    number: str = ""
    text: str
    choices: tuple[str, ...] = ()
    sources: tuple[SourceRef, ...]


class Form(Frozen):
    """A form that the regulation prints (a communication, an assessment form), with its lines in the document's order. `clause`: where
    it stands; `token`: what stands for it in ids and in a file of values."""

    id: str = Field(pattern=r"^[A-Za-z0-9._+-]{1,120}$")
    regulation: str
    edition: str
    wording: Wording
    token: str
    title: str
    clause: str
    lines: tuple[FormLine, ...]
