"""Natural-language test cases: one Markdown file a scenario, from which a test is run alone, and one a procedure card."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from regc import wording
from regc.model.criterion import Criterion
from regc.model.result import Artifact
from regc.model.scenario import Scenario
from regc.model.source import SourceRef
from regc.model.stage import Assumption, Stage, Staged
from regc.model.suite import Suite
from regc.model.units import plain
from regc.model.value import Value, Word
from regc.templating import render

#: parts of a test case in the order in which they are done
STEPS = ("prepare", "approach", "functional")


class Options(BaseModel):
    """What a user can choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    templates: Path | None = Field(None, description="folder of your own templates, laid out like the built-in ones")


@dataclass(frozen=True)
class Line:
    """One thing to do or to show, and where the document says it."""

    text: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class Number:
    """A row of the table of sources."""

    name: str
    text: str
    basis: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class Figure:
    """A working figure that follows from the test's numbers and the assumed data."""

    name: str
    text: str
    basis: str
    formula: str


def emit(suite: Suite, staged: Staged, options: Options) -> tuple[Artifact, ...]:
    """text/<id>.md and text/cards/<id>.md."""
    stages = {stage.scenario: stage for stage in staged.stages}
    artifacts = [
        Artifact(
            path=f"text/{scenario.id}.md",
            content=_render(suite, "text/test_case.md.j2", options, **case(scenario, stages.get(scenario.id))),
            target="text",
            scenario=scenario.id,
        )
        for scenario in suite.selected
    ]
    artifacts += [
        Artifact(path=f"text/cards/{card.id}.md", content=_render(suite, "text/card.md.j2", options, c=card), target="text")
        for card in suite.cards
    ]
    return tuple(artifacts)


def case(scenario: Scenario, stage: Stage | None) -> dict[str, object]:
    """What the template of a test case may use."""
    return {
        "s": scenario,
        "bind": {name: bound for name, bound in scenario.bind.items() if isinstance(bound, Value)},
        "kind": {actor.role: actor.kind for actor in scenario.actors},
        "axis": {name: wording.axis_words(name, value) for name, value in scenario.axes.items()},
        "run": scenario.runs,
        "limit": {asked.label: asked.limit.value for asked in scenario.require if asked.limit is not None},
        "by": {asked.label: asked.by for asked in scenario.require if asked.by is not None},
        "title": wording.title(scenario),
        "status": wording.wording()["status"].get(scenario.status, scenario.status),
        "manoeuvre": wording.wording()["manoeuvre"].get(scenario.manoeuvre, scenario.manoeuvre),
        "axes": axes(scenario),
        "actors": [
            Line(f"{wording.role(a.role)}: {_other(a.differs)}{wording.actor(a.kind)}", _places(a.sources)) for a in scenario.actors
        ],
        "steps": {step: steps(scenario, step) for step in STEPS},
        "conditions": [Line(wording.said("conditions", n, v), _places(v.sources)) for n, v in scenario.conditions.items()],
        "phases": phases(scenario),
        "criteria": [criterion_line(asked) for asked in scenario.require],
        "runs": [Line(wording.said("runs", name, value), _places(value.sources)) for name, value in scenario.runs.items()],
        "applies": [wording.condition(item) for item in scenario.applies_if],
        "only": [Line(item.word, _places(item.sources)) for item in scenario.only],
        "said": [Line(item.text, _places(item.sources)) for item in scenario.said],
        "told": [Line(item.text, _places(item.sources)) for item in scenario.told if item.text.strip()],
        "numbers": numbers(scenario),
        "figures": figures(stage) if stage else [],
        "assumed": assumed(stage) if stage else [],
    }


def axes(scenario: Scenario) -> list[Line]:
    """The values of the axes with the vehicle categories that they cover."""
    found = []
    for name, value in scenario.axes.items():
        covers = f" ({', '.join(value.covers)})" if value.covers and value.covers != (value.value,) else ""
        found.append(Line(f"{name.replace('_', ' ').capitalize()}: {wording.axis_words(name, value)}{covers}", _places(value.sources)))
    return found


def steps(scenario: Scenario, step: str) -> list[Line]:
    """The bindings of one part of a test case, in the order of the test."""
    return [
        Line(wording.said("bind", name, bound), _places(bound.sources))
        for name, bound in scenario.bind.items()
        if wording.step(name) == step and not _says_nothing(bound)
    ]


def phases(scenario: Scenario) -> list[Line]:
    """The parts of a sequence, in order: what is driven, by whom, with which numbers, and what ends it."""
    found = []
    for phase in scenario.phases:
        own = {name: bound for name, bound in phase.bind.items() if bound != scenario.bind.get(name) and not _says_nothing(bound)}
        said = [wording.said("bind", name, bound) for name, bound in own.items()]
        cast = [f"{wording.role(actor.role)}: {wording.actor(actor.kind)}" for actor in phase.actors]
        end = [f"it ends with: {wording.criterion(phase.until)}"] if phase.until is not None else []
        drive = wording.term("manoeuvre", phase.manoeuvre).rstrip(".")
        sources = [source for bound in own.values() for source in bound.sources]
        sources += [source for actor in phase.actors for source in actor.sources]
        sources += [source for statement in phase.said for source in statement.sources]
        sources += phase.until.sources if phase.until is not None else ()
        places = _places(tuple(dict.fromkeys(sources)))
        found.append(Line(f"Phase {phase.name.replace('_', ' ')}: {'; '.join([drive, *cast, *said, *end])}", places))
    return found


def criterion_line(asked: Criterion) -> Line:
    """A criterion; where its limit comes from a table, that the row of the measured value counts."""
    text = wording.criterion(asked)
    if asked.limit is not None and asked.limit.table and asked.limit.key:
        text += f" (the limit of the row for the measured {asked.limit.key.replace('_', ' ')} holds)"
    sources = asked.sources or (asked.limit.value.sources if asked.limit is not None else ())
    return Line(text, _places(sources))


def numbers(scenario: Scenario) -> list[Number]:
    """Every number with its basis and places, for the table of sources."""
    found = []
    for name, value in scenario.values():
        basis = f"{value.basis}: {value.formula}" if value.basis == "derived" else value.basis
        borrowed = value.tolerance.sources if value.tolerance is not None else ()
        found.append(Number(name, wording.bounded(value), basis, _places((*value.sources, *borrowed))))
    return found


def figures(stage: Stage) -> list[Figure]:
    """Lines of the sheet that are neither the test's own numbers nor fields of a file: distances and times to work with."""
    found = []
    for name, line in stage.sheet.items():
        if "." in name or not line.formula:
            continue
        text = f"{plain(Decimal(repr(line.value)), 3)} {wording.unit(line.unit)}".strip()
        found.append(Figure(name.replace("_", " "), text, line.basis, line.formula))
    return found


def assumed(stage: Stage) -> list[Assumption]:
    """What is assumed, the numbers of one code and reason in one row."""
    rows: dict[tuple[str, str, str], list[Assumption]] = {}
    for item in stage.assumed:
        rows.setdefault((item.code, item.reason, item.key.split(":")[0]), []).append(item)
    return [
        Assumption(code=code, what=", ".join(f"{item.what} {item.value}" for item in items), value="", key=key, reason=reason)
        for (code, reason, key), items in rows.items()
    ]


def _says_nothing(bound: Value | Word) -> bool:
    return isinstance(bound, Word) and bound.word in ("no", "none")


def _other(differs: bool) -> str:
    return "another than in the prescribed test: " if differs else ""


def _places(sources: tuple[SourceRef, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source.label() for source in sources))


def _render(suite: Suite, template: str, options: Options, **values: object) -> bytes:
    embedded = suite.wording == "embedded"
    text = render(
        suite.regulation, template, options.templates, edition=suite.title, embedded=embedded, caution=suite.caution, **values
    )
    lines = [line.rstrip() for line in text.split("\n")]
    kept = [line for line, before in zip(lines, ["#", *lines], strict=False) if line or before]
    return ("\n".join(kept).strip() + "\n").encode()
