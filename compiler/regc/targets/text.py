"""Natural-language test cases: one Markdown file a scenario, from which a test is run alone, one a procedure card, one a form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ConfigDict, Field

from regc import wording
from regc.model.criterion import Criterion, LimitRow
from regc.model.formula import names as names_in
from regc.model.result import Artifact
from regc.model.scenario import Part, Scenario
from regc.model.source import SourceRef
from regc.model.stage import Assumption, Stage, Staged
from regc.model.suite import Suite
from regc.model.units import plain
from regc.model.value import Value, Word
from regc.templating import render

#: parts of a test case in the order in which they are done
PARTS: tuple[Part, ...] = get_args(Part)


class Options(BaseModel):
    """What a user can choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    templates: Path | None = Field(None, description="folder of your own templates, laid out like the built-in ones")


@dataclass(frozen=True)
class TextLine:
    """One thing to do or to show, and where the document says it."""

    text: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceRow:
    """A row of the table of sources."""

    name: str
    text: str
    basis: str
    places: tuple[str, ...]


@dataclass(frozen=True)
class CopiedFigure:
    """A working figure that follows from the test's numbers and the assumed data. `line`: its name in the sheet of the stage."""

    name: str
    text: str
    basis: str
    line: str
    formula: str


def emit(suite: Suite, staged: Staged, options: Options) -> tuple[Artifact, ...]:
    """text/<id>.md, text/cards/<id>.md and text/forms/<id>.md."""
    stages = {stage.scenario: stage for stage in staged.stages}
    artifacts = [
        Artifact(
            path=f"text/{scenario.id}.md",
            content=_render(suite, "text/test_case.md.j2", options, **case(suite, scenario, stages.get(scenario.id))),
            target="text",
            scenario=scenario.id,
        )
        for scenario in suite.selected
    ]
    artifacts += [
        Artifact(path=f"text/cards/{card.id}.md", content=_render(suite, "text/card.md.j2", options, c=card), target="text")
        for card in suite.cards
    ]
    artifacts += [
        Artifact(path=f"text/forms/{form.id}.md", content=_render(suite, "text/form.md.j2", options, f=form), target="text")
        for form in suite.forms
    ]
    return tuple(artifacts)


def case(suite: Suite, scenario: Scenario, stage: Stage | None) -> dict[str, object]:
    """What the template of a test case may use."""
    procedure = suite.procedures.get(scenario.clause, ())
    words = {item.text for item in procedure}
    beside = [item for item in scenario.told if item.text.strip() and not _inside(item.text, words)]
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
            TextLine(f"{wording.role(a.role)}: {_other(a.differs)}{wording.actor(a.kind)}", _places(a.sources)) for a in scenario.actors
        ],
        "steps": {part: steps(scenario, part) for part in PARTS},
        "conditions": [TextLine(wording.said("conditions", n, v), _places(v.sources)) for n, v in scenario.conditions.items()],
        "phases": phases(scenario),
        "ends": [TextLine(wording.term("ends", _ends(scenario)))],
        "criteria": [criterion_line(asked, scenario.require) for asked in scenario.require],
        "declared": wording.declared(suite, scenario),
        "limits": limit_lines(suite, scenario),
        "runs": [TextLine(wording.said("runs", name, value), _places(value.sources)) for name, value in scenario.runs.items()],
        "applies": [wording.condition(item) for item in scenario.applies_if],
        "only": only_lines(scenario),
        "choices": [TextLine(item.text, _places(item.sources)) for item in scenario.choices],
        "procedure": [TextLine(item.text, _places(item.sources)) for item in procedure],
        "told": {part: [TextLine(item.text, _places(item.sources)) for item in beside if item.part == part] for part in PARTS},
        "said": [
            TextLine(item.text, _places(item.sources))
            for item in (*scenario.said, *beside)
            if not item.part and not _inside(item.text, words)
        ],
        "results": results(scenario),
        "recorded": recorded(scenario),
        "numbers": numbers(scenario),
        "figures": figures(stage) if stage else [],
        "assumed": assumed(stage) if stage else [],
    }


def axes(scenario: Scenario) -> list[TextLine]:
    """The values of the axes with the vehicle categories that they cover, and how the id names them."""
    return [TextLine(wording.axis_line(name, value), _places(value.sources)) for name, value in scenario.axes.items()]


def steps(scenario: Scenario, step: str) -> list[TextLine]:
    """The bindings of one part of a test case, in the order of the test; what an axis says is said there."""
    return [
        TextLine(wording.binding(scenario.manoeuvre, name, bound), _places(bound.sources))
        for name, bound in scenario.bind.items()
        if wording.step(name) == step and name not in scenario.axes and not _says_nothing(bound)
    ]


def only_lines(scenario: Scenario) -> list[TextLine]:
    """The vehicle categories that a rule restricts the test to, those of one rule in one line."""
    by_rule: dict[tuple[str, ...], list[str]] = {}
    for item in scenario.only:
        by_rule.setdefault(_places(item.sources), []).append(item.word)
    return [TextLine(f"Only for {', '.join(words)}", places) for places, words in by_rule.items()]


def phases(scenario: Scenario) -> list[TextLine]:
    """The parts of a sequence, in order: what is driven, by whom, with which numbers, and what ends it."""
    lines = []
    for phase in scenario.phases:
        own = {name: bound for name, bound in phase.bind.items() if bound != scenario.bind.get(name) and not _says_nothing(bound)}
        said = [wording.binding(phase.manoeuvre, name, bound) for name, bound in own.items()]
        cast = [f"{wording.role(actor.role)}: {wording.actor(actor.kind)}" for actor in phase.actors]
        end = [f"it ends with: {wording.criterion(phase.until)}"] if phase.until is not None else []
        drive = wording.term("manoeuvre", phase.manoeuvre).rstrip(".")
        sources = [source for bound in own.values() for source in bound.sources]
        sources += [source for actor in phase.actors for source in actor.sources]
        sources += [source for statement in phase.said for source in statement.sources]
        sources += phase.until.sources if phase.until is not None else ()
        places = _places(tuple(dict.fromkeys(sources)))
        lines.append(TextLine(f"Phase {phase.name.replace('_', ' ')}: {'; '.join([drive, *cast, *said, *end])}", places))
    return lines


def criterion_line(asked: Criterion, beside: Sequence[Criterion]) -> TextLine:
    """A criterion; where its limit comes from a table, that the row of the measured value counts, and the rule of its mark."""
    text = wording.criterion(asked, beside)
    if asked.limit is not None and asked.limit.table and asked.limit.key:
        text += f" (the limit of the row for the measured {asked.limit.rows or wording.short(asked.limit.key)} holds)"
    sources = asked.sources or (asked.limit.value.sources if asked.limit is not None else ())
    rules = [source for word in asked.limit.only for source in word.sources] if asked.limit is not None else []
    return TextLine(text, _places((*sources, *rules)))


def limit_lines(suite: Suite, scenario: Scenario) -> list[TextLine]:
    """The limits by measured value, of every criterion whose limit changes inside the tolerance of the test."""
    lines = []
    for asked in scenario.require:
        changing = steps_of(suite, scenario, asked)
        if changing is None:
            continue
        unit, parts = wording.unit(changing.unit), []
        for step in changing.steps:
            below = f"up to {plain(step.high, 3)} {unit}" if step is not changing.steps[-1] else ""
            above = f"above {plain(step.low, 3)} {unit}" if step.low is not None else ""
            limit = wording.bounded(step.limit.model_copy(update={"bound": "le"}))
            parts.append(f"{' and '.join(filter(None, (above, below)))}: {limit}")
        key = (asked.limit.rows if asked.limit is not None else "") or wording.short(changing.key)
        text = f"The limit changes inside the tolerance. By the measured {key}: {'; '.join(parts)}"
        places = (*changing.sources, *(place for step in changing.steps for place in step.limit.sources))
        lines.append(TextLine(text, _places(tuple(dict.fromkeys(places)))))
    return lines


def _ends(scenario: Scenario) -> str:
    """Which of the ways to end a run it is: of phases, of a run towards somebody, or of the subject vehicle alone."""
    return "sequence" if scenario.phases else "run" if scenario.actors else "alone"


def results(scenario: Scenario) -> list[str]:
    """What is recorded of each run: speed, time to collision and offset as far as the test has them, then what is asked."""
    asked = [wording.measured(one) if one.signal else wording.event(one.a) if one.a else one.label for one in scenario.require]
    heads = wording.wording()["result"]
    bound = [name for name in heads if name in scenario.bind]
    own = [heads.get(f"{scenario.manoeuvre}.{name}", heads[name]) for name in bound]
    return list(dict.fromkeys(wording.large(name) for name in (*own, *asked)))


def recorded(scenario: Scenario) -> list[str]:
    """The rows of the table of results: each run, and each repeat where one fails."""
    numbers = {name: int(scenario.runs[name].number) for name in ("count", "repeats") if name in scenario.runs}
    rows = [str(number) for number in range(1, numbers.get("count", 1) + 1)]
    return rows + [f"repeat {number}" for number in range(1, numbers.get("repeats", 0) + 1)]


def numbers(scenario: Scenario) -> list[SourceRow]:
    """Every number with its basis and places, for the table of sources."""
    rows_of = []
    for name, value in scenario.values():
        basis = f"{value.basis}: {value.formula}" if value.basis == "derived" else value.basis
        borrowed = value.tolerance.sources if value.tolerance is not None else ()
        rows_of.append(SourceRow(name, wording.bounded(value), basis, _places((*value.sources, *borrowed))))
    return rows_of


def figures(stage: Stage) -> list[CopiedFigure]:
    """Lines of the sheet that are neither the test's own numbers nor fields of a file, those with a name in words first."""
    named: list[CopiedFigure] = []
    others: list[CopiedFigure] = []
    words = wording.wording()["figure"]
    for line, entry in stage.sheet.items():
        if "." in line or not entry.formula:
            continue
        text = f"{plain(Decimal(repr(entry.value)), 3)} {wording.unit(entry.unit)}".strip()
        codes = sorted(resting_on(stage, line))
        basis = f"assumed: {', '.join(codes)}" if codes else entry.basis
        (named if line in words else others).append(
            CopiedFigure(str(words.get(line, line.replace("_", " "))), text, basis, line, entry.formula)
        )
    return [*named, *others]


def resting_on(stage: Stage, line: str) -> set[str]:
    """Codes of the assumptions that a line of the sheet rests on, through all lines that its formula names."""
    conditions: set[str] = set()
    seen: set[str] = set()
    queue = [line]
    while queue:
        name = queue.pop()
        entry = stage.sheet.get(name)
        if entry is None or name in seen:
            continue
        seen.add(name)
        if entry.assumption:
            conditions.add(entry.assumption)
        queue.extend(names_in(entry.formula) if entry.formula else ())
    return conditions


def assumed(stage: Stage) -> list[Assumption]:
    """What is assumed, the numbers of one code and reason in one row."""
    rows: dict[tuple[str, str, str], list[Assumption]] = {}
    for item in stage.assumed:
        rows.setdefault((item.code, item.reason, item.key.split(":")[0]), []).append(item)
    return [
        Assumption(code=code, what=", ".join(f"{item.what} {item.value}" for item in items), value="", key=key, reason=reason)
        for (code, reason, key), items in rows.items()
    ]


def _inside(text: str, lines: set[str]) -> bool:
    """Whether words stand in one of the lines already."""
    return any(text in line for line in lines)


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


# ---- where a limit changes inside the tolerance of a test: the row of the measured value counts, not that of the test speed.


@dataclass(frozen=True)
class Step:
    """A limit and the measured values of the key that it holds for: above `low` (None: from the band's lower end) up to `high`."""

    low: Decimal | None
    high: Decimal
    limit: Value


@dataclass(frozen=True)
class Steps:
    """The limits inside a tolerance band, in the unit of the key, by rising key."""

    key: str
    unit: str
    steps: tuple[Step, ...]
    sources: tuple[SourceRef, ...]


def steps_of(suite: Suite, scenario: Scenario, asked: Criterion) -> Steps | None:
    """The limits that a run inside the tolerance can meet; None where it is one limit, or where nothing but the row itself counts."""
    if asked.limit is None or not asked.limit.table or not asked.limit.key:
        return None
    table, band = suite.table(asked.limit.table), band_of(scenario, asked.limit.key)
    if table is None or band is None or table.between != "next_higher":
        return None
    low, high, unit = band
    rows = [row for row in table.rows if row.limit is not None and row.key.lo is not None and row.key.unit == unit]
    steps = _within(rows, low, high)
    if len({step.limit.lo for step in steps}) < 2:
        return None
    return Steps(asked.limit.key, unit, steps, table.between_sources)


def band_of(scenario: Scenario, key: str) -> tuple[Decimal, Decimal, str] | None:
    """The least and the greatest measured value of a binding that its tolerance, or those of the speeds that make it up, allow."""
    value = scenario.number(key)
    if value is None or not value.is_number:
        return None
    plus = minus = Decimal(0)
    subject, target = scenario.number("subject"), scenario.number("target")
    if value.tolerance is not None:
        plus, minus = value.tolerance.plus, value.tolerance.minus
    elif key == "relative" and subject is not None and subject.unit == value.unit and subject.is_number:
        if subject.tolerance is not None:
            plus, minus = subject.tolerance.plus, subject.tolerance.minus
        # a target that drives ahead is closed in on with the difference of both speeds; one that crosses is not
        ahead = target is not None and target.is_number and target.unit == value.unit and value.number != subject.number
        if ahead and target is not None and target.tolerance is not None:
            plus, minus = plus + target.tolerance.minus, minus + target.tolerance.plus
    return value.number - minus, value.number + plus, value.unit


def _within(rows: list[LimitRow], low: Decimal, high: Decimal) -> tuple[Step, ...]:
    steps: list[Step] = []
    before: Decimal | None = None
    for row in rows:
        assert row.limit is not None
        key = row.key.number
        if key >= low and (before is None or before < high):
            below = before if before is not None and before >= low else None
            if steps and steps[-1].limit.lo == row.limit.lo:
                steps[-1] = Step(steps[-1].low, min(key, high), steps[-1].limit)
            else:
                steps.append(Step(below, min(key, high), row.limit))
        before = key
    return tuple(steps)
