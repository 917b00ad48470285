"""Which tests an amendment adds, drops or changes: scenarios of two editions matched by what they test, not by their ids."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Literal

from regc.model.result import Checked
from regc.model.scenario import Scenario
from regc.model.source import Frozen, Quantity, SourceRef, Tolerance
from regc.model.units import plain

Kind = Literal["number", "rule", "words"]

#: Code of the findings that say what an embedded edition lacks.
_NOTE = "R180"
#: Fields that decide what a test asks, the most important first.
_FIRST = ("criteria.max_impact_speed", "status", "subject.test_speed", "target.speed", "trigger.min_ttc", "group")

_BOUNDS = {"eq": "", "ge": ">= ", "le": "<= ", "gt": "> ", "lt": "< "}


class Side(Frozen):
    """A field on one side: what it says ("<= 10.00 km/h", or "-" where this side has no such field) and where that stands."""

    text: str
    places: tuple[SourceRef, ...] = ()

    def where(self) -> str:
        """The places in one line."""
        return "; ".join(place.label() for place in self.places)


class Change(Frozen):
    """One field that differs. `kind`: a number with its bound and tolerance, a rule (status, warning), or words alone."""

    field: str
    kind: Kind
    before: Side
    after: Side


class Pair(Frozen):
    """The same test in both editions and what differs in it; no change for one that only has another id."""

    before: str
    after: str
    title: str
    changes: tuple[Change, ...]

    @property
    def kind(self) -> Literal["changed", "reworded", "same"]:
        """Changed when a number or a rule differs."""
        if any(change.kind != "words" for change in self.changes):
            return "changed"
        return "reworded" if self.changes else "same"


class Test(Frozen):
    """A test that only one edition has, with its own numbers: test speed, target speed, limit."""

    id: str
    title: str
    clause: str
    numbers: tuple[tuple[str, Side], ...]


class Diff(Frozen):
    """Two editions (name, title) and their tests: pairs in the order of the later edition, then what only one of them has.

    `notes`: what is known to be missing in an edition's text, so that its lack is no change of the law."""

    before: tuple[str, str]
    after: tuple[str, str]
    pairs: tuple[Pair, ...]
    added: tuple[Test, ...]
    removed: tuple[Test, ...]
    notes: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """How many tests are added, removed, changed, reworded and the same."""
        found = {"added": len(self.added), "removed": len(self.removed), "changed": 0, "reworded": 0, "same": 0}
        for pair in self.pairs:
            found[pair.kind] += 1
        return found

    def by_change(self) -> tuple[tuple[tuple[Change, Pair], ...], ...]:
        """Changes that are alike in field and text, each with its pair, grouped: what a test asks first, then the most frequent."""
        groups: dict[tuple[str, str, str], list[tuple[Change, Pair]]] = defaultdict(list)
        for pair in self.pairs:
            for change in pair.changes:
                groups[change.field, change.before.text, change.after.text].append((change, pair))
        ordered = sorted(groups.items(), key=lambda item: (_rank(item[0][0]), -len(item[1]), item[0]))
        return tuple(tuple(members) for _, members in ordered)


def diff(before: Checked, after: Checked) -> Diff:
    """Match by family, category, load state, group and speeds; what is left then without the group, since an edition may drop or
    bring in a distinction: each of its scenarios is paired with the one that covers it."""
    left, right = list(before.scenarios), list(after.scenarios)
    found: list[tuple[Scenario, Scenario]] = []
    for key in (_key, _key_without_group):
        found += _matched(left, right, key)
        taken = {one.id for one, _ in found}, {other.id for _, other in found}
        left = [item for item in before.scenarios if item.id not in taken[0]]
        right = [item for item in after.scenarios if item.id not in taken[1]]
    order = {item.id: rank for rank, item in enumerate(after.scenarios)}
    found.sort(key=lambda pair: (order[pair[1].id], pair[0].id))
    return Diff(
        before=(f"{before.regulation}@{before.edition}", before.title),
        after=(f"{after.regulation}@{after.edition}", after.title),
        pairs=tuple(Pair(before=one.id, after=other.id, title=title(other), changes=changes(one, other)) for one, other in found),
        added=tuple(_test(item) for item in right),
        removed=tuple(_test(item) for item in left),
        notes=tuple(finding.message for side in (before, after) for finding in side.findings if finding.code == _NOTE),
    )


def changes(before: Scenario, after: Scenario) -> tuple[Change, ...]:
    """Every field in which two scenarios differ; digits do not count ("10" and "10.00" are the same number), bounds and
    tolerances do."""
    found = []
    old, new = dict(before.quantities()), dict(after.quantities())
    for field in dict.fromkeys((*new, *old)):
        one, other = old.get(field), new.get(field)
        if _meaning(one) != _meaning(other):
            found.append(Change(field=field, kind="number", before=_side(one), after=_side(other)))
    for field, kind, read in _FIELDS:
        sides = read(before), read(after)
        if sides[0].text != sides[1].text:
            found.append(Change(field=field, kind=kind, before=sides[0], after=sides[1]))
    return tuple(found)


def _rank(field: str) -> int:
    return _FIRST.index(field) if field in _FIRST else len(_FIRST)


def title(scenario: Scenario) -> str:
    """What is tested, in one line."""
    speed = f"{plain(scenario.subject.test_speed.value)} {scenario.subject.test_speed.unit}"
    load = scenario.load_state.term if scenario.load_state else None
    parts = (scenario.family.replace("_", " "), scenario.category, load, scenario.group, speed)
    return ", ".join(part for part in parts if part)


def text(quantity: Quantity | None) -> str:
    """ "<= 10.00 km/h", with its tolerance where it has one."""
    if quantity is None:
        return "-"
    stated = f" ({_tolerance(quantity.tolerance)})" if quantity.tolerance else ""
    return f"{_BOUNDS[quantity.bound]}{quantity.value:f} {quantity.unit}{stated}"


def _tolerance(stated: Tolerance) -> str:
    return f"+{stated.plus:f}/-{stated.minus:f}"


def _side(quantity: Quantity | None) -> Side:
    if quantity is None:
        return Side(text="-")
    places = quantity.sources + (quantity.tolerance.sources if quantity.tolerance else ())
    return Side(text=text(quantity), places=tuple(dict.fromkeys(places)))


def _meaning(quantity: Quantity | None) -> tuple[object, ...] | None:
    if quantity is None:
        return None
    stated = quantity.tolerance
    return (quantity.value, quantity.unit, quantity.bound, (stated.plus, stated.minus) if stated else None)


#: Fields without a number: name, kind, and how a scenario is asked for them.
_FIELDS: tuple[tuple[str, Kind, Callable[[Scenario], Side]], ...] = (
    ("status", "rule", lambda item: Side(text=item.status, places=item.status_sources)),
    ("criteria.warning_rule", "rule", lambda item: Side(text=item.criteria.warning_rule, places=item.criteria.sources)),
    ("group", "rule", lambda item: Side(text=item.group or "-")),
    ("clause", "words", lambda item: Side(text=item.clause)),
    (
        "load_state.term",
        "words",
        lambda item: Side(text=item.load_state.term, places=item.load_state.sources) if item.load_state else Side(text="-"),
    ),
    ("target.description", "words", lambda item: Side(text=item.target.description or item.target.type, places=item.target.sources)),
)

_Key = tuple[object, ...]


def _key(item: Scenario) -> _Key:
    return (*_key_without_group(item), item.group)


def _key_without_group(item: Scenario) -> _Key:
    load = item.load_state.kind if item.load_state else None
    named = "" if item.load_state or item.approach_type != "manoeuvre" else item.title
    return (item.family, item.category, load, named, _number(item.subject.test_speed), _number(item.target.speed))


def _number(quantity: Quantity) -> tuple[Decimal, str]:
    return (quantity.value.normalize(), quantity.unit)


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


def _test(item: Scenario) -> Test:
    numbers = [("subject.test_speed", item.subject.test_speed), ("target.speed", item.target.speed)]
    if item.criteria.max_impact_speed:
        numbers.append(("criteria.max_impact_speed", item.criteria.max_impact_speed))
    return Test(id=item.id, title=title(item), clause=item.clause, numbers=tuple((name, _side(quantity)) for name, quantity in numbers))
