"""From a profile and a document to tests: axes x entries x points, each with its bindings, criteria, conditions and sources."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from regc.lang import ids
from regc.lang.bindings import bindings_of, line_of, must_differ, phases_of, procedures_of, restrictions, several, surroundings_of
from regc.lang.block_shapes import shaped_test
from regc.lang.criterion_reader import CriterionReader
from regc.lang.expressions import Scope, is_list, names_of
from regc.lang.faults import ProfileError
from regc.lang.forms import form
from regc.lang.load import merged
from regc.lang.located_toml import Text, after_word, where
from regc.lang.places import Reader
from regc.lang.plausible import count_findings, range_findings, reach_findings, sister_findings, table_findings, test_findings, twice
from regc.lang.profile import CheckSpec, FurtherSpec, Profile, Raw, TestSpec
from regc.lang.program import Program
from regc.lang.values import Truth, both, ends_of, is_symbol, of_ends, say, si_ends, span
from regc.lang.vocabulary import vocabulary
from regc.model.criterion import Criterion
from regc.model.document import Clause, Document
from regc.model.scenario import AxisValue, Card, Form, Scenario, Statement
from regc.model.source import SourceRef, Tolerance
from regc.model.suite import Suite
from regc.model.value import Condition, Value, Word

if TYPE_CHECKING:
    from regc.lang.program import Program

#: A binding that is needed and that the document, e.g. an empty cell, does not give.
_NOT_GIVEN = "P110"


@dataclass
class Made:
    """One test on the way: all but its id."""

    test: TestSpec
    entry: FurtherSpec | None
    axes: dict[str, str]
    bind: dict[str, Value | Word]
    scope: Scope
    status: str
    applies_if: tuple[Condition, ...]
    require: tuple[Criterion, ...]
    only: tuple[Word, ...]
    rest: dict[str, Any] = field(default_factory=dict)
    joined: dict[str, tuple[str, ...]] = field(default_factory=dict)  # axis = equal neighbours that are one test

    def values_of(self, axis: str) -> tuple[str, ...]:
        """The values of an axis that it is of: one, or equal neighbours."""
        return self.joined.get(axis, (self.axes[axis],))

    def key(self) -> tuple[Any, ...]:
        """What makes two tests the same: axes, bindings in SI, what must differ."""
        other = self.entry.other if self.entry else ()
        return (*sorted(self.axes.items()), *((name, _si(value)) for name, value in self.bind.items()), *other)


def _si(value: Value | Word) -> tuple[Any, ...]:
    if isinstance(value, Word):
        return (value.word,)
    if value.lo is None or value.hi is None:
        return (value.symbol, value.bound)
    known_units = vocabulary()
    return (known_units.si(value.lo, value.unit), known_units.si(value.hi, value.unit), value.bound)


def make_program(profile: Profile, document: Document, declared: Mapping[str, str] | None = None, *, strict: bool = False) -> Program:
    """A profile bound to a document."""
    edition = str(profile.edition) or document.edition
    program = Program(profile, Reader(document, str(profile.id), edition, strict=strict))
    program.declare(declared or {})
    return program


def evaluate(profile: Profile, document: Document, declared: Mapping[str, str] | None = None, *, strict: bool = False) -> Suite:
    """All tests of a profile as a document says them.

    `declared`: what the applicant declares, as written ("v_design": "90 km/h"). `strict`: words that only cite must stand there (a
    check); otherwise they are warnings in `findings`. Raises ProfileError.
    """
    return run(make_program(profile, document, declared, strict=strict))


def run(program: Program, *, partial: bool = False) -> Suite:
    """The tests of a program whose reader keeps what was read.

    `partial`: a test that the document does not give is an error finding, and the others are made all the same: a document that lost
    one clause is told as such, and every such test at once. Else, and for a fault of the profile alone (P), raises ProfileError.
    """
    profile, reader = program.profile, program.reader
    scenarios: list[Scenario] = []
    for test in profile.tests:
        try:
            with reader.ledger.evaluating(str(test.name), {}):
                scenarios += _scenarios(program, test)
        except ProfileError as error:
            _tell(program, error, partial)
    cards = tuple(_card(program, index) for index in range(len(profile.card)))
    printed: list[Form] = []
    for index in range(len(profile.form)):
        try:
            printed.append(form(program, index, _stem(program)))
        except ProfileError as error:
            _tell(program, error, partial)
    doubts = [finding for view in program.views() for finding in table_findings(view)]
    whole = not any(finding.severity == "error" for finding in program.findings)
    doubts += (*sister_findings(program.views()), *count_findings(program.views(), whole=whole))
    document = reader.document
    return Suite(
        regulation=reader.regulation, edition=reader.edition, wording=document.wording,
        excerpt=profile.excerpt and document.wording == "embedded",
        title=str(profile.title), stem=_stem(program), document_sha256=document.sha256, source_name=document.source_name,
        edition_date=str(profile.date or ""), csv_form=str(profile.csv_form), csv_categories=tuple(map(str, profile.csv_categories)),
        scenarios=tuple(scenarios), tables=tuple(program.kept.values()), cards=cards, declared=dict(sorted(program.given.items())),
        quantities=program.quantities(),
        forms=tuple(printed), procedures=procedures_of(program, scenarios),
        findings=(*reader.warnings.values(), *program.findings, *dict.fromkeys(doubts)),
    )  # fmt: skip


def _tell(program: Program, error: ProfileError, partial: bool) -> None:
    """A fault as a finding of the suite; raises it where all or nothing is asked for, and where it is the profile's own."""
    if not partial or (error.code.startswith("P") and error.code != _NOT_GIVEN):
        raise error
    program.findings.append(error.finding())


def _stem(program: Program) -> str:
    profile = program.profile
    return str(profile.stem) or ids.safe("-".join(filter(None, (str(profile.id).upper(), program.reader.edition))))


# ---------------------------------------------------------------- one test of the profile


def _scenarios(program: Program, test: TestSpec) -> list[Scenario]:
    made = list(_made(program, test))
    _check(program, test, made)
    for axis, place in test.merge.items():
        made = merge_neighbours(program, made, str(axis), place)
    made = _in_order(made)
    clause = program.reader.resolve("at", {**program.places, "at": str(test.at)})
    head = [_stem(program), ids.clause_token(clause), _token(str(test.token or test.name))]
    ends = [str(item.entry.token) if item.entry and item.entry.token else "" for item in made]
    names = ["_".join(filter(None, (*head, tail, end))) for tail, end in zip(_tails(program, test, made), ends, strict=True)]
    try:
        names = ids.unique(names, [bool(item.entry and item.entry.other) for item in made])
    except ProfileError as error:
        error.place = where(test.name)
        raise
    return [_scenario(program, item, id, clause) for item, id in zip(made, names, strict=True)]


def _tails(program: Program, test: TestSpec, made: Sequence[Made]) -> list[str]:
    """What tells the tests of one name apart in their ids: axes and numbers, in the profile's own form where it has one."""
    axes = [
        {
            axis: "+".join(_axis_token(program, axis, value) for value in item.values_of(axis))
            for axis in item.axes if axis not in test.fix
        }
        for item in made
    ]  # fmt: skip
    if test.id is not None:
        return [ids.filled(test.id, tokens, item.bind) for tokens, item in zip(axes, made, strict=True)]
    bound: list[ids.Bound] = [(tuple(tokens.values()), item.bind) for tokens, item in zip(axes, made, strict=True)]
    return ["_".join(filter(None, (*tokens, point))) for (tokens, _), point in zip(bound, ids.points(bound), strict=True)]


def _token(text: str) -> str:
    return "_".join(ids.safe(part) for part in text.split("_")) if text else ""


def _axis_token(program: Program, axis: str, value: str) -> str:
    return ids.safe(str(program.axis_value(axis, value).token or value))


def _in_order(made: list[Made]) -> list[Made]:
    """Tests of one choice of axis values by the number that its tables are read at: relative speed, else the subject's speed."""

    def number(item: Made) -> Decimal | None:
        value = item.bind.get("relative", item.bind.get("subject"))
        return value.lo if isinstance(value, Value) else None

    if not any(item.entry for item in made) or any(number(item) is None for item in made):
        return made
    out: list[Made] = []
    for _, group in itertools.groupby(made, key=lambda item: tuple(item.axes.items())):
        out += sorted(group, key=lambda item: number(item) or Decimal(0))
    return out


def _made(program: Program, test: TestSpec) -> Iterator[Made]:
    """The tests of one entry of the profile: every choice of axis values, the prescribed ones before the further ones."""
    specs = [program.profile.axis[axis].values for axis in test.vary]
    fixed = {str(axis): value.split(" ", 1)[0] for axis, value in test.fix.items()}
    for each in itertools.product(*specs):
        pick = {**fixed, **{str(axis): str(value) for axis, value in zip(test.vary, each, strict=True)}}
        if not program.goes_together(pick):
            continue
        done: dict[tuple[Any, ...], Made] = {}
        for entry in (None, *test.further):
            try:
                for item in _evaluated(program, test, pick, entry, list(done.values())):
                    if done.setdefault(item.key(), item) is not item and entry is None and test.points is not None:
                        program.findings.append(twice(_picked(test, entry, item.axes), item.scope))
            except ProfileError as error:
                error.test = error.test or _picked(test, entry, pick)
                error.place = error.place or where(entry.said if entry else None) or where(test.name)
                raise
        yield from done.values()


def _evaluated(program: Program, test: TestSpec, pick: dict[str, str], entry: FurtherSpec | None, done: list[Made]) -> list[Made]:
    with program.reader.ledger.evaluating(str(test.name), pick):
        return list(_entry(program, test, pick, entry, done))


def _picked(test: TestSpec, entry: FurtherSpec | None, pick: Mapping[str, str]) -> str:
    return ", ".join([f"{test.name}{'.further' if entry else ''}", *(f"{axis} {value}" for axis, value in pick.items())])


def _entry(program: Program, test: TestSpec, pick: dict[str, str], entry: FurtherSpec | None, done: list[Made]) -> Iterator[Made]:
    """The prescribed tests, or those of a `further` block, for one choice of axis values."""
    own = dict(entry.bind) if entry else {}
    by_axis = [program.axis_value(axis, value).bind for axis, value in pick.items()]
    has = vocabulary().manoeuvre(test.manoeuvre).bind
    base: dict[str, Any] = {str(name): value for held in by_axis for name, value in held.items() if name in has}
    base |= {str(name): value for name, value in test.bind.items()}
    scope = Scope(program, test, pick, {})
    anew = any(is_list(value) for value in own.values())
    for axis, value in pick.items():
        program.witness(scope, axis, value, after_word(test.fix.get(Text(axis))))
    bind = {**{name: value for name, value in base.items() if not (anew and is_list(value))}, **{str(k): v for k, v in own.items()}}
    rows: Sequence[tuple[dict[str, Value | Tolerance], dict[str, str]]] = [({}, {})]
    if test.points is not None and not anew:
        name, _, stub = test.points.partition(":")
        rows = list(program.table(name.strip(), scope).points(stub.strip()))
    lists = _lists(program, test, pick, bind)
    for cells, axes in rows:
        for index in range(max((len(values) for values in lists.values()), default=1)):
            step = {name: values[index] for name, values in lists.items()}
            item = _build(program, test, {**pick, **axes}, entry, {**cells, **bind, **step}, done, scope.witnesses)
            if item is not None:
                yield item


def _lists(program: Program, test: TestSpec, pick: dict[str, str], bind: Mapping[str, Any]) -> dict[str, list[Value]]:
    """The bindings that are one test each; several go in step. Raises E412 where they are not equally long."""
    scope = Scope(program, test, pick, {name: value for name, value in bind.items() if not is_list(value)})
    lists: dict[str, list[Value]] = {}
    for name, value in bind.items():
        if is_list(value):
            try:
                held = scope.value(value, scope.kind(name).dimension)
            except ProfileError as error:
                error.place = error.place or line_of(value)
                raise
            lists[name] = held if isinstance(held, list) else []
    if len({len(values) for values in lists.values()}) > 1:
        lengths = ", ".join(f"{name}: {len(values)}" for name, values in lists.items())
        message = f"lists of one test go in step; these are not equally long: {lengths}"
        raise ProfileError("E412", message, "one value each for every test", line_of(bind[next(iter(lists))]))
    return lists


def _build(
    program: Program, test: TestSpec, axes: dict[str, str], entry: FurtherSpec | None, own: dict[str, Any], done: list[Made],
    witnesses: Mapping[tuple[str, str], tuple[SourceRef, ...]],
) -> Made | None:  # fmt: skip
    """One test, or None where it is not for these axes, its guard is false, or its limit table asks nothing of it."""
    only = {str(axis): values for axis, values in test.only.items() if axis != "said"}
    if any(value not in several(only.get(axis, value)) for axis, value in axes.items()) or not program.goes_together(axes):
        return None
    test, own = _specialised(program, test, axes, own)
    scope = Scope(program, test, axes, {name: value for name, value in own.items() if not name.startswith("tol.")})
    scope.witnesses = dict(witnesses)
    for axis, value in axes.items():
        if scope.kind(axis).words:
            scope.own.setdefault(axis, value)
    must_differ(scope, entry)
    # the tolerance goes with the prescribed number
    differing = {name for name, value in scope.own.items() if isinstance(value, Value) and value.differs and not value.is_range}
    tolerances: dict[str, Any] = {
        **{str(name): place for name, place in test.tol.items() if str(name) not in differing},
        **{n[4:]: v for n, v in own.items() if n.startswith("tol.") and n[4:] not in differing},
    }
    prescribed = [item.bind for item in done if item.entry is None] if entry is not None and entry.borrow else []
    bind = bindings_of(scope, tolerances, prescribed)
    _check_declared(program, scope)
    phases = phases_of(scope, tolerances)
    applies = both(scope.truth(guard) for guard in (test.when, entry.when if entry else None) if guard is not None)
    if applies is False:
        return None
    require = _require(scope, axes, entry, {name: held for name, (held, _) in phases.items()})
    if entry is None and test.points is not None:
        program.findings.extend(test_findings(_picked(test, entry, axes), scope, require))
        program.findings.extend(range_findings(_picked(test, entry, axes), scope))
    if require is None:
        return None
    guards = [guard for guard in (test.when, entry.when if entry else None) if guard is not None]
    program.findings.extend(finding for finding in reach_findings(scope, guards, require) if finding not in program.findings)
    status = _status(program, test, entry, axes)
    item = Made(test, entry, axes, bind, scope, status, _open(applies), require, restrictions(scope, only, require))
    item.rest = {**surroundings_of(program, scope, entry), "phases": tuple(phase for _, phase in phases.values())}
    return item


def _open(truth: Truth) -> tuple[Condition, ...]:
    return truth if isinstance(truth, tuple) else ()


def _specialised(program: Program, test: TestSpec, axes: Mapping[str, str], own: dict[str, Any]) -> tuple[TestSpec, dict[str, Any]]:
    """A test with what it does otherwise for one value of an axis."""
    blocks = list(_otherwise(test.with_, axes))
    if not blocks:
        return test, own
    raw = program.profile.raws[test.name]
    for block in blocks:
        raw = merged(raw, block)
        own = merged(own, block.get("bind", {}))
    return shaped_test(raw), own


def _otherwise(with_: Mapping[Any, Any], axes: Mapping[str, str]) -> Iterator[Raw]:
    """The blocks of `with` that hold for these axis values, the outer before those inside them."""
    for axis, value in axes.items():
        block = with_.get(axis, {}).get(value)
        if block is not None:
            yield {key: held for key, held in block.items() if key != "with"}
            yield from _otherwise(block.get("with", {}), axes)


# ---------------------------------------------------------------- what is asked, of whom, where


def _require(
    scope: Scope, axes: Mapping[str, str], entry: FurtherSpec | None, phases: Mapping[str, Scope]
) -> tuple[Criterion, ...] | None:
    """The criteria; None where the limit table of one asks nothing of this test. One of a phase is read with the phase's bindings."""
    criteria: list[Criterion] = []
    asked = entry.require if entry is not None and entry.require is not None else scope.test.require
    for label, spec in asked.items():
        if any(axes.get(str(axis)) in several(values) for axis, values in spec.not_.items()):
            continue
        criterion = CriterionReader(phases[str(spec.phase)] if spec.phase else scope).read(str(label), spec)
        if criterion is None and spec.if_ is None:
            return None
        if criterion is not None:
            criteria.append(criterion)
    if not criteria:
        hint = 'add require.NAME = "...", or with.AXIS.VALUE.require.NAME for every value'
        raise ProfileError("P111", f"test {scope.test.name} has no criterion", hint, where(scope.test.name))
    status = str(entry.status if entry is not None and entry.status else scope.test.status)
    if all(criterion.form == "assess" for criterion in criteria) and status != "evidence":
        said = "only a test with status evidence is left to an assessor alone"
        raise ProfileError("P118", f"test {scope.test.name} has no criterion that a log can show", said, where(scope.test.name))
    return tuple(criteria)


def _status(program: Program, test: TestSpec, entry: FurtherSpec | None, axes: Mapping[str, str]) -> str:
    by_axis = next((str(held) for axis, value in axes.items() if (held := program.axis_value(axis, value).status)), None)
    return str(entry.status) if entry and entry.status else by_axis or str(test.status or "mandatory")


# ---------------------------------------------------------------- checks, scenarios, cards


def _check(program: Program, test: TestSpec, made: Sequence[Made]) -> None:
    """Worked examples and what the text says twice: `some` test or `all` tests of those axes must show what it says.

    The text's examples are of no declared vehicle: where something is declared they are read, and prove nothing. Raises X501.
    """
    tables = [
        spec for name, spec in program.profile.table.items() if any(f"{name}[" in criterion.is_ for criterion in test.require.values())
    ]
    for check in (*test.check, *(check for spec in tables for check in spec.check)):
        if check.declared is not None:
            continue
        _check_one(program, test, made, check)


def _check_declared(program: Program, scope: Scope) -> None:
    """What is declared against the bounds that the text sets: X502, an error that leaves the other tests standing."""
    for check in scope.test.check:
        if check.declared is None or any(scope.axes.get(str(axis)) != value for axis, value in check.axes.items()):
            continue
        program.used.add(f"check {scope.test.name}: {check.declared}")
        if scope.truth(check.declared) is False:
            names = {name for name in names_of(check.declared) if name in program.profile.declare}
            given = ", ".join(f"{name} = {say(scope.number(Text(name)))}" for name in sorted(names))
            picked = ", ".join(f"{axis} {value}" for axis, value in scope.axes.items())
            message = f"declared {given} is outside of what the text allows: {check.declared}" + (f" ({picked})" if picked else "")
            fault = ProfileError(
                "X502", message, "declare a value inside it, or compare the bound with the document", where(check.declared)
            )
            if fault.finding() not in program.findings:
                program.findings.append(fault.finding())


def _check_one(program: Program, test: TestSpec, made: Sequence[Made], check: CheckSpec) -> None:
    text = check.some if check.some is not None else check.all
    assert text is not None
    held: list[bool] = []
    for item in made:
        if item.entry is not None or any(item.axes.get(str(axis)) != value for axis, value in check.axes.items()):
            continue
        try:
            held.append(item.scope.truth(text) is True)
        except ProfileError as error:
            if program.declared:
                continue
            if not error.code.startswith("L"):
                raise
            error.place = error.place or where(text)
            program.reader.warnings.setdefault(error.message, error.finding(warning=True))
            return
    picked = ", ".join(f"{axis} {value}" for axis, value in check.axes.items())
    if program.declared:
        return
    if not held or not (any(held) if check.some is not None else all(held)):
        message = f"test {test.name}: the text says otherwise: {text}" + (f" ({picked})" if picked else "")
        raise ProfileError("X501", message, f"{len(held)} tests tried, it holds for {sum(held)}", where(text))
    program.used.add(f"check {test.name}: {text}")


def _scenario(program: Program, item: Made, id: str, clause: str) -> Scenario:
    reader, test = program.reader, item.test
    axes = {axis: _axis_value(program, item, axis) for axis in item.axes}
    return Scenario(
        id=id, regulation=reader.regulation, edition=reader.edition, wording=reader.document.wording, test=str(test.name),
        token=str(test.token or test.name), title=_title(program, test, clause), clause=clause, status=item.status,
        entry="further" if item.entry else "prescribed", axes=axes,
        manoeuvre=str(test.manoeuvre), bind=item.bind, require=item.require, applies_if=item.applies_if, only=item.only,
        covers=_covers(program, item), **item.rest,
    )  # fmt: skip


def _covers(program: Program, item: Made) -> tuple[str, ...]:
    """The vehicle categories of a test: those that a rule restricts it to, those of its axis values, or all of the regulation."""
    if item.only:
        return tuple(word.word for word in item.only)
    named = list(
        dict.fromkeys(c for axis in item.axes for value in item.values_of(axis) for c in program.axis_value(axis, value).covers)
    )
    scope = Scope(program, item.test, {}, {})
    for category in named or program.profile.covers:
        if " [" in category:
            scope.cite(after_word(category))
    return tuple(category.split(" [")[0] for category in named or program.profile.covers)


def _axis_value(program: Program, item: Made, axis: str) -> AxisValue:
    """The value of an axis; of equal neighbours "low+high" with the words of all."""
    values = item.values_of(axis)
    specs = [program.axis_value(axis, value) for value in values]
    covers = dict.fromkeys(category.split(" [")[0] for spec in specs for category in spec.covers)
    witnesses = [item.scope.witnesses.get((axis, value), ()) for value in values]
    sources = witnesses[0] if len(witnesses) == 1 else tuple(dict.fromkeys(itertools.chain(*witnesses)))
    words = ", ".join(str(spec.words[0]) for spec in specs)
    token = "+".join(dict.fromkeys(str(spec.token or value) for spec, value in zip(specs, values, strict=True)))
    called = str(program.profile.words.get(Text(axis), ""))
    return AxisValue(value="+".join(values), words=words, token=token, called=called, covers=tuple(covers), sources=sources)


def _title(program: Program, test: TestSpec, clause: str) -> str:
    """The profile's title, that of the clause or of the nearest one above it with the heading that stands between them ("False reaction
    scenarios, Scenario 1: turn at the intersection"), or the test's name in words."""
    if test.title is not None:
        return str(test.title)
    at: str | None = clause
    headings: list[str] = []
    while at:
        held = program.reader.clauses.get(at)
        if held is None:
            break
        if held.title:
            return ", ".join([held.title, *headings])
        headings = [": ".join(_heading(program, held)), *headings] if _heading(program, held) else headings
        at = held.parent
    return str(test.name).replace("_", " ")


def _heading(program: Program, clause: Clause) -> tuple[str, ...]:
    """The lines of the unnumbered heading above a clause, or above the nearest of its siblings before it."""
    above: tuple[str, ...] = ()
    for other in program.reader.clauses.values():
        if other.parent == clause.parent:
            above = other.headings or above
        if other.id == clause.id:
            break
    return above


def _card(program: Program, index: int) -> Card:
    """A requirement that is not driven; its clauses must be in the document."""
    spec, reader = program.profile.card[index], program.reader
    clauses: list[str] = []
    steps: list[Statement] = []
    scope = Scope(program, program.profile.tests[0], {}, {})
    for place in spec.clauses:
        try:
            spans = reader.spans(place.strip("[]").partition(":")[0], program.places)
        except ProfileError as error:
            error.place = where(place)
            if reader.strict:
                raise
            reader.warnings.setdefault(error.message, error.finding(warning=True))
            continue
        clauses.append(spans[0].at)
        if not spec.steps:
            below = [id for id in reader.clauses if id.startswith(f"{spans[0].clause}.") and not spans[0].text]
            for step in [place] if spans[0].text else [Text(id, place.where) for id in below if reader.clauses[id].text]:
                steps += program.statement(scope, step, told=True)
    for place in spec.steps:
        steps += program.statement(scope, place, told=True)
    proposes = program.statement(scope, spec.proposes, told=True) if spec.proposes is not None else ()
    token = _token(str(spec.token or spec.title))
    return Card(
        id="_".join((_stem(program), "card", token))[:120], regulation=reader.regulation, edition=reader.edition,
        wording=reader.document.wording, title=str(spec.title), kind=str(spec.kind), clauses=tuple(clauses), steps=tuple(steps),
        proposes=proposes,
    )  # fmt: skip


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
