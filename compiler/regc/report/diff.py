"""Which tests an amendment adds, drops or changes: scenarios of two editions matched by what they test, not by their ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from markupsafe import Markup

from regc import wording
from regc.model.scenario import Scenario
from regc.model.source import Frozen, SourceRef
from regc.model.suite import Suite
from regc.model.value import Value, Word
from regc.report.page_templates import environment, raw

Kind = Literal["number", "rule", "words"]

#: Code of the findings that say what an embedded edition lacks.
_NOTE = "R180"
#: Beginnings of fields that decide what a test asks, the most important first.
_FIRST = ("require.", "status", "bind.subject", "bind.target", "bind.ttc", "bind.", "axes.")


class Side(Frozen):
    """A field on one side: what it says ("≤ 10.00 km/h", or "-" where this side has no such field) and where that stands."""

    text: str
    places: tuple[SourceRef, ...] = ()

    def where(self) -> str:
        """The places in one line."""
        return "; ".join(place.label() for place in self.places)


class FieldChange(Frozen):
    """One field that differs. `kind`: a number with its bound and tolerance, a rule (status, criterion, word), or words alone."""

    field: str
    kind: Kind
    before: Side
    after: Side


class TestPair(Frozen):
    """The same test in both editions and what differs in it; no change for one that only has another id."""

    before: str
    after: str
    title: str
    changes: tuple[FieldChange, ...]

    @property
    def kind(self) -> Literal["changed", "reworded", "same"]:
        """Changed when a number or a rule differs."""
        if any(change.kind != "words" for change in self.changes):
            return "changed"
        return "reworded" if self.changes else "same"


class OnlyInOne(Frozen):
    """A test that only one edition has, with its own numbers: speeds and limits."""

    id: str
    title: str
    clause: str
    numbers: tuple[tuple[str, Side], ...]


class Diff(Frozen):
    """Two editions (name, title) and their tests: pairs in the order of the later edition, then what only one of them has.

    `notes`: what is known to be missing in an edition's text, so that its lack is no change of the law."""

    before: tuple[str, str]
    after: tuple[str, str]
    pairs: tuple[TestPair, ...]
    added: tuple[OnlyInOne, ...]
    removed: tuple[OnlyInOne, ...]
    notes: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """How many tests are added, removed, changed, reworded and the same."""
        count_of = {"added": len(self.added), "removed": len(self.removed), "changed": 0, "reworded": 0, "same": 0}
        for pair in self.pairs:
            count_of[pair.kind] += 1
        return count_of

    def by_change(self) -> tuple[tuple[tuple[FieldChange, TestPair], ...], ...]:
        """Changes that are alike in field and text, each with its pair, grouped: what a test asks first, then the most frequent."""
        groups: dict[tuple[str, str, str], list[tuple[FieldChange, TestPair]]] = defaultdict(list)
        for pair in self.pairs:
            for change in pair.changes:
                groups[change.field, change.before.text, change.after.text].append((change, pair))
        ordered = sorted(groups.items(), key=lambda item: (_rank(item[0][0]), -len(item[1]), item[0]))
        return tuple(tuple(members) for _, members in ordered)


def diff(before: Suite, after: Suite) -> Diff:
    """Match by test, axis values and speeds; what is left then by the axes that the test has in both editions with the words of its
    conditions ("mass: max", where the axis is another one), and by those axes alone, since an edition may drop or bring in a
    distinction: each of its scenarios is paired with the one that covers it."""
    ours, theirs = _axes(before), _axes(after)
    both = {test: ours[test] & theirs.get(test, frozenset()) for test in ours}
    keys: tuple[Callable[[Scenario], _Key], ...] = (
        lambda item: _key(item, None),
        lambda item: (*_key(item, both.get(item.test)), _words(item)),
        lambda item: _key(item, both.get(item.test)),
    )
    left, right = list(before.selected), list(after.selected)
    pairs: list[tuple[Scenario, Scenario]] = []
    for key in keys:
        pairs += _matched(left, right, key)
        taken = {one.id for one, _ in pairs}, {other.id for _, other in pairs}
        left = [item for item in before.selected if item.id not in taken[0]]
        right = [item for item in after.selected if item.id not in taken[1]]
    order = {item.id: rank for rank, item in enumerate(after.selected)}
    pairs.sort(key=lambda pair: (order[pair[1].id], pair[0].id))
    return Diff(
        before=(f"{before.regulation}@{before.edition}", before.title),
        after=(f"{after.regulation}@{after.edition}", after.title),
        pairs=tuple(
            TestPair(before=one.id, after=other.id, title=wording.title(other), changes=changes(one, other)) for one, other in pairs
        ),
        added=tuple(_test(item) for item in right),
        removed=tuple(_test(item) for item in left),
        notes=tuple(finding.message for side in (before, after) for finding in side.findings if finding.code == _NOTE),
    )


def changes(before: Scenario, after: Scenario) -> tuple[FieldChange, ...]:
    """Every field in which two scenarios differ; digits do not count ("10" and "10.00" are the same number), bounds and
    tolerances do."""
    differing = []
    old, new = dict(_numbers(before)), dict(_numbers(after))
    for field in dict.fromkeys((*new, *old)):
        one, other = old.get(field), new.get(field)
        if _meaning(one) != _meaning(other):
            differing.append(FieldChange(field=field, kind="number", before=_side(one), after=_side(other)))
    others = [{(field, kind): side for field, kind, side in _others(item)} for item in (before, after)]
    for field, kind in dict.fromkeys((*others[1], *others[0])):
        sides = [side.get((field, kind), Side(text="-")) for side in others]
        if sides[0].text != sides[1].text:
            differing.append(FieldChange(field=field, kind=kind, before=sides[0], after=sides[1]))
    return tuple(differing)


def _numbers(item: Scenario) -> Iterator[tuple[str, Value]]:
    """Numbers that steer or decide; those of sentences that are only told are words."""
    return ((name, value) for name, value in item.values() if not name.startswith(("said.", "told.")))


def _others(item: Scenario) -> Iterator[tuple[str, Kind, Side]]:
    """Fields without a number: name, kind, and what they say."""
    said = tuple(place for statement in item.said for place in statement.sources)
    yield "status", "rule", Side(text=wording.term("status_short", item.status), places=said)
    for name, axis in item.axes.items():
        yield f"axes.{name}", "rule", Side(text=axis.value, places=axis.sources)
        yield f"axes.{name} words", "words", Side(text=axis.words or axis.value, places=axis.sources)
    for place, bounds in (("bind", item.bind), ("conditions", item.conditions)):
        for name, bound in bounds.items():
            if isinstance(bound, Word):
                yield f"{place}.{name}", "rule", Side(text=wording.word(name, bound.word), places=bound.sources)
    for one in item.require:
        form = f"{one.form} {one.signal or (wording.event(one.a) if one.a else '')}".strip()
        yield f"require.{one.label}", "rule", Side(text=form, places=one.sources)
    for actor in item.actors:
        yield f"actors.{actor.role}", "rule", Side(text=wording.actor(actor.kind), places=actor.sources)
    yield "applies only where", "rule", Side(text=" and ".join(wording.condition(one) for one in item.applies_if) or "-")
    yield "clause", "words", Side(text=item.clause)
    yield "title", "words", Side(text=item.title)


def _rank(field: str) -> int:
    return next((rank for rank, name in enumerate(_FIRST) if field.startswith(name)), len(_FIRST))


def text(value: Value | None) -> str:
    """ "≤ 10.00 km/h", with its tolerance where it has one."""
    if value is None:
        return "-"
    stated = f" ({wording.tolerance(value.tolerance, value.unit)})" if value.tolerance else ""
    return wording.compact(value) + stated


def _side(value: Value | None) -> Side:
    if value is None:
        return Side(text="-")
    places = value.sources + (value.tolerance.sources if value.tolerance else ())
    return Side(text=text(value), places=tuple(dict.fromkeys(places)))


def _meaning(value: Value | None) -> tuple[object, ...] | None:
    if value is None:
        return None
    stated = value.tolerance
    return (value.lo, value.hi, value.symbol, value.unit, value.bound, (stated.plus, stated.minus) if stated else None)


_Key = tuple[object, ...]


def _axes(suite: Suite) -> dict[str, frozenset[str]]:
    """Test -> the axes that it has."""
    values: dict[str, frozenset[str]] = {}
    for scenario in suite.selected:
        values[scenario.test] = values.get(scenario.test, frozenset()) | frozenset(scenario.axes)
    return values


def _words(item: Scenario) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, bound.word) for name, bound in item.conditions.items() if isinstance(bound, Word)))


def _key(item: Scenario, axes: frozenset[str] | None) -> _Key:
    """What is tested: `axes` None takes all of them."""
    kept = tuple(sorted((name, value.value) for name, value in item.axes.items() if axes is None or name in axes))
    return (item.test, kept, *(_number(item.number(name)) for name in ("subject", "relative", "target", "lead")))


def _number(value: Value | None) -> tuple[object, ...]:
    return (value.lo, value.hi, value.symbol, value.unit, value.differs) if value is not None else ()


def _matched(left: Iterable[Scenario], right: Iterable[Scenario], key: Callable[[Scenario], _Key]) -> list[tuple[Scenario, Scenario]]:
    """Pairs whose key one side has once at least and the other exactly once."""
    ours, theirs = defaultdict(list), defaultdict(list)
    for item in left:
        ours[key(item)].append(item)
    for item in right:
        theirs[key(item)].append(item)
    return [
        (one, other)
        for name, items in ours.items()
        if name in theirs and 1 in (len(items), len(theirs[name]))
        for one in items
        for other in theirs[name]
    ]


def _test(item: Scenario) -> OnlyInOne:
    shown = ("bind.subject", "bind.target", "require.")
    numbers = [(name, value) for name, value in _numbers(item) if name.startswith(shown)]
    return OnlyInOne(
        id=item.id, title=wording.title(item), clause=item.clause, numbers=tuple((name, _side(value)) for name, value in numbers)
    )


def page(compared: Diff) -> bytes:
    """Counts, changes with their tests and places, added and removed tests."""
    html = environment(None).get_template("diff.html.j2").render(
        diff=compared,
        counts=compared.counts(),
        groups=compared.by_change(),
        style=Markup(raw(None, "style.css")),
        script=Markup(raw(None, "diff.js") + raw(None, "table.js")),
    )  # fmt: skip
    return html.encode()
