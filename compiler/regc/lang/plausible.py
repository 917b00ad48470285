"""Whether a declared table, and a test of one, can be as it was read: generic checks that find a wrong digit where nothing else would.

Each takes the table as a test sees it and returns findings; none knows a regulation.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal

from regc.lang.expressions import Scope
from regc.lang.faults import ProfileError
from regc.lang.located_toml import Text, where
from regc.lang.profile import AxisSpec
from regc.lang.tables import TableView, value_named
from regc.lang.values import Ends, plain, say, to
from regc.lang.vocabulary import vocabulary
from regc.lang.words import units_listed
from regc.model.criterion import Criterion
from regc.model.result import Finding
from regc.model.value import Value

#: Share of the steps that must be equal before a series counts as regular.
_REGULAR = Decimal("0.4")
#: Fewer steps, or multiples of ten, are no series.
_STEPS = 4
#: So many other first cells of a table show what stands under each.
_OTHERS = 2


def table_findings(view: TableView) -> tuple[Finding, ...]:
    """Every doubt about a table; the rows of a list of tests have no order to hold."""
    if not view.rows:
        return ()
    checks = (units_agree, tolerances_stand, columns_in_order, groups_agree, stubs_agree) if view.spec.is_list else CHECKS
    return tuple(finding for check in checks for finding in check(view))


def sister_findings(views: Iterable[TableView]) -> Iterator[Finding]:
    """The tables of one clause, one for each value of the axis in their captions, list as many tests, or reach as far."""
    families: dict[tuple[str, str], dict[str, TableView]] = {}
    for view in views:
        if view.spec.caption is not None and view.rows:
            families.setdefault((view.name, view.table.clause), {})[view.table.id] = view
    for sisters in families.values():
        first, *others = sisters.values()
        for other in others:
            if first.spec.is_list and len(first.rows) != len(other.rows):
                said = f"{first.table.id} has {len(first.rows)} rows, {other.table.id} has {len(other.rows)}"
                yield _of_table("T320", other, said)
            ends = [[key for key in _keys(view) if key is not None] for view in (first, other)]
            if not first.spec.is_list and all(ends) and (ends[0][0], ends[0][-1]) != (ends[1][0], ends[1][-1]):
                reach = [f"from {plain(keys[0])} to {plain(keys[-1])}" for keys in ends]
                yield _of_table("T321", other, f"{first.table.id} is {reach[0]}, {other.table.id} {reach[1]}")


def count_findings(views: Iterable[TableView], *, whole: bool) -> Iterator[Finding]:
    """Each table has as many rows as whoever wrote the profile counted in it: a lost row leaves out a test, and may be told by nothing
    else. `whole`: every test was made, so that a count of a table that none reads is told too."""
    by_table: dict[str, dict[str, TableView]] = {}
    for view in views:
        by_table.setdefault(view.name, {})[view.table.id] = view
    for name, own in by_table.items():
        first = next(iter(own.values()))
        for id, count in first.spec.rows.items():
            counted = own.get(str(id))
            if counted is None and whole:
                yield _of_table("T326", first, f"table.{name}: the profile counts {count} rows in {id}, which no test reads")
            elif counted is not None and len(counted.rows) != count:
                yield _of_table("T326", counted, f"{id} has {len(counted.rows)} rows, the profile counts {count}")


def _of_table(code: str, view: TableView, message: str) -> Finding:
    return Finding(
        code=code,
        severity="warning",
        message=message,
        place=where(view.spec.at) or None,
        hint="a row may be missing: compare both tables with the document",
    )


def test_findings(test: str, scope: Scope, require: tuple[Criterion, ...] | None) -> Iterator[Finding]:
    """Every doubt about a test of a table of tests against its limit table: a speed that has no row of its own, or no limit."""
    if require is None:
        yield Finding(
            code="T317",
            severity="error",
            message=f"{_at(scope)}: test {test}, {_binding(scope)}: its limit table asks nothing at this speed, "
            "so the test is left out",
            hint="compare the table of tests and the limit table with the document",
        )
    for criterion in require or ():
        limit = criterion.limit
        if limit is None or limit.table is None or limit.key is None:
            continue
        key = scope.find(limit.key)
        view = next(view for view in scope.program.views() if view.id == limit.table)
        if isinstance(key, Value) and key.lo is not None and not any(row.lo == to(key, row.unit).lo for row, _ in view.limits()):
            yield Finding(
                code="T318",
                severity="warning",
                message=f"{view.table.id}: no row for the prescribed test speed {say(key)} (test {test})",
                hint="a row may be missing, or the test speed misread: compare both tables with the document",
            )


#: The "and" between guards, not one inside a place.
_AND = re.compile(r" and (?![^\[]*\])")


def range_findings(test: str, scope: Scope) -> Iterator[Finding]:
    """A prescribed test outside the range that the document states for further ones ("subject in range")."""
    guards = {part.strip() for entry in scope.test.further for part in _AND.split(entry.when or "")}
    for guard in sorted(guards):
        asked = re.fullmatch(r"(\w+) in (\S.*)", guard)
        if asked is None or scope.truth(Text(guard)) is not False:
            continue
        reach = scope.value(asked[2], scope.kind(asked[1]).dimension)
        if isinstance(reach, Value):
            yield Finding(
                code="T325",
                severity="error",
                message=f"{_at(scope)}: test {test}, {_binding(scope)}: prescribed, and outside the stated range {say(reach)}",
                hint="the test speed or the range may be misread: compare the table of tests with the range",
            )


def reach_findings(scope: Scope, guards: Iterable[Text], require: tuple[Criterion, ...]) -> Iterator[Finding]:
    """A range that a guard asks for ("subject in range") and that begins before, or goes on behind, the rows of the limit table."""
    for guard, criterion in itertools.product(guards, require):
        asked = re.fullmatch(r"\w+ in (\w+)", str(guard).strip())
        if asked is None or criterion.limit is None or criterion.limit.table is None:
            continue
        reach, view = scope.find(asked[1]), next(view for view in scope.program.views() if view.id == criterion.limit.table)
        keys = [key for key, _ in view.limits() if key.lo is not None]
        low, high = _ends(reach)
        if not keys or any(end is not None and not _alike(end, keys[0]) for end in (low, high)):
            continue
        first, last = keys[0].lo, keys[-1].lo
        least = to(low, keys[0].unit).lo if low is not None else None
        most = to(high, keys[0].unit).hi if high is not None else None
        assert first is not None
        assert last is not None
        if (least is not None and least < first) or (most is not None and most > last):
            asked_for = say(reach) if isinstance(reach, Value) else f"{say(reach.low)} to {say(reach.high)}"
            said = f"{view.table.id} is from {plain(first)} to {plain(last)}, and its tests are for {asked_for}"
            yield _of_table("T323", view, said)


def twice(test: str, scope: Scope) -> Finding:
    """A row of a table of tests that says what another row says."""
    return Finding(
        code="T319",
        severity="warning",
        message=f"{_at(scope)}: test {test}, {_binding(scope)}: two rows prescribe the same test",
        hint="one of the two may be misread: compare the table with the document",
    )


def _at(scope: Scope) -> str:
    return scope.program.reader.resolve("at", scope.places)


def _binding(scope: Scope) -> str:
    """What tells a test apart for a reader: the subject's speed."""
    value = scope.find("subject")
    return f"subject {say(value)}" if isinstance(value, Value) else "subject not bound"


def units_agree(view: TableView) -> Iterator[Finding]:
    """Headers, caption and the note below give one unit for each dimension: km/h in one and m/s in another cannot both hold."""
    units: dict[str, tuple[str, str]] = {}
    for text in (*view.heads, view.table.caption or "", view.table.unit_note or ""):
        for unit in units_listed(text)[:1]:
            dimension = vocabulary().dimension(unit)
            first, stood = units.setdefault(dimension, (unit, text))
            if first != unit and stood != text:
                yield _finding("T316", view, 0, 0, f"'{text}' gives {unit}, '{stood}' gives {first}")


def keys_rise(view: TableView) -> Iterator[Finding]:
    """Keys rise from row to row, none twice: 10, 15, 51, 25 holds one that does not."""
    keys = _keys(view)
    for row, (above, key) in enumerate(itertools.pairwise(keys)):
        if above is not None and key is not None and key <= above:
            yield _finding("T310", view, row + 1, 0, f"the key {plain(key)} follows {plain(above)}: keys rise")


def limits_do_not_fall(view: TableView) -> Iterator[Finding]:
    """A limit does not fall where the key rises: 10.00, 25.00, 15.00 holds one that does."""
    for column in range(1, len(view.heads)):
        held: tuple[Decimal, str] | None = None
        for row, cells in enumerate(view.rows):
            limit = _decimal(view, row, column)
            if limit is not None and held is not None and limit < held[0]:
                yield _finding(
                    "T311",
                    view,
                    row,
                    column,
                    f"{plain(limit)} at {cells[0]} is less than {plain(held[0])} at {held[1]}: limits do not fall",
                )
            held = (limit, cells[0]) if limit is not None else held


def decimals_agree(view: TableView) -> Iterator[Finding]:
    """The cells of a column have the same number of decimals: 10.003 among 10.00 has a digit too many."""
    for column in range(len(view.heads)):
        numbers = {row: number for row in range(len(view.rows)) if (number := _decimal(view, row, column)) is not None}
        decimals = Counter(_places(number) for number in numbers.values())
        if len(decimals) < 2:
            continue
        usual = decimals.most_common(1)[0][0]
        for row, number in numbers.items():
            if _places(number) != usual:
                yield _finding("T312", view, row, column, f"{plain(number)} has {_places(number)} decimals, its column {usual}")


def no_hole(view: TableView) -> Iterator[Finding]:
    """A regular series of keys has no hole: 10, 15, 20, 30, 35 lacks 25; and where every multiple of ten but one is a key, it lacks
    that one: 20, 26, 30, 40, 60 lacks 50."""
    keys = [key for key in _keys(view) if key is not None]
    pairs = [(before, after) for before, after in itertools.pairwise(keys) if after > before]
    steps = Counter(after - before for before, after in pairs)
    step, count = steps.most_common(1)[0] if steps else (Decimal(0), 0)
    regular = len(pairs) >= _STEPS and Decimal(count) / len(pairs) >= _REGULAR
    tens = (
        [number for number in itertools.takewhile(lambda n: n <= max(keys), itertools.count(10, 10)) if number >= min(keys)]
        if keys
        else []
    )
    lost = [number for number in tens if number not in keys] if len(tens) >= _STEPS else []
    for before, after in pairs:
        row = next(index for index, key in enumerate(_keys(view)) if key == after)
        between = f"between {plain(before)} and {plain(after)} a row may be missing"
        if regular and after - before > step:
            yield _finding("T313", view, row, 0, f"the keys rise by {plain(step)}; {between}")
        elif len(lost) == 1 and before < lost[0] < after:
            yield _finding("T313", view, row, 0, f"every other multiple of ten is a key; {between}")


def no_blank(view: TableView) -> Iterator[Finding]:
    """A column of limits has no blank between two limits (0, -, 13), and none where the other columns have none."""
    limits = [
        [bool(re.search(r"\d", view.marks(row, column)[0])) for column in range(len(view.heads))] for row in range(len(view.rows))
    ]
    for column in range(1, len(view.heads)):
        held = [row for row in range(len(view.rows)) if limits[row][column]]
        for row in range(len(view.rows)) if held else ():
            alone = len(view.heads) > 2 and all(line[other] for line in limits for other in range(len(view.heads)) if other != column)
            if not limits[row][column] and (alone or held[0] < row < held[-1]):
                text, _ = view.marks(row, column)
                yield _finding("T322", view, row, column, f"'{text}' stands where '{view.heads[column]}' has limits in other rows")


def groups_agree(view: TableView) -> Iterator[Finding]:
    """Rows of a list that differ in one axis alone go through the same values of it: day, low, high; day, high lacks one."""
    columns = _bound_columns(view)
    for axis in columns.keys() & view.axis_specs.keys():
        groups: dict[tuple[str, ...], dict[str, int]] = {}
        for row, cells in enumerate(view.rows):
            rest = (cells[0], *(cells[column] for name, column in columns.items() if name != axis))
            for line in cells[columns[axis]].split("\n"):
                groups.setdefault(rest, {})[line.strip()] = row
        several = [group for group in groups.values() if len(group) > 1]
        most = max(several, key=len, default={})
        for group in several:
            if missing := most.keys() - group.keys():
                said = f"the rows of '{axis}' {', '.join(group)} lack {', '.join(sorted(missing))}, which others have"
                yield _finding("T324", view, max(group.values()), columns[axis], said)


def _bound_columns(view: TableView) -> dict[Text, int]:
    """The columns of a list by what they bind; none where one of them is not there, which is told where the tests are made."""
    try:
        return {name: view.column(head) for name, head in view.spec.cells.items()}
    except ProfileError:
        return {}


def stubs_agree(view: TableView) -> Iterator[Finding]:
    """Under each first cell that holds for the rows below it stand rows for the same values of an axis: where all others, two or more,
    have a row without and one with braking, one that has none with braking lacks a row."""
    columns = _bound_columns(view)
    for axis in columns.keys() & view.axis_specs.keys():
        stubs: dict[str, dict[str, int]] = {}
        for row, cells in enumerate(view.rows):
            for line in cells[columns[axis]].split("\n"):
                stubs.setdefault(cells[0], {})[line.strip()] = row
        for stub, held in stubs.items() if len(stubs) > _OTHERS and 0 not in columns.values() else ():
            every = set.intersection(*(set(values) for other, values in stubs.items() if other != stub))
            if missing := every - held.keys():
                said = f"the rows of '{stub}' lack '{axis}' {', '.join(sorted(missing))}, which all other first cells have"
                yield _finding("T324", view, max(held.values()), columns[axis], said)


def columns_in_order(view: TableView) -> Iterator[Finding]:
    """The columns of an axis stand in the order in which the profile states its values; swapped headers are not."""
    named_axes = [view.spec.columns, *(head for head in view.spec.cells.values() if view.spec.is_list)]
    for name in named_axes:
        if name is not None and name in view.axis_specs:
            yield from _in_stated_order(view, view.axis_specs[name])


def _in_stated_order(view: TableView, axis: AxisSpec) -> Iterator[Finding]:
    named = [value_named(axis, head) for head in view.heads]
    in_order = [name for name in named if name is not None]
    stated = [str(name) for name in axis.values if str(name) in in_order]
    if len(set(in_order)) == len(in_order) and in_order != stated:
        yield _finding(
            "T314",
            view,
            0,
            1,
            f"the columns are {', '.join(in_order)}; the profile states {', '.join(stated)}: are the headers swapped?",
        )


def tolerances_stand(view: TableView) -> Iterator[Finding]:
    """Where a list of tests has tolerances, every row has one: +2/-0, -, +0/-2 holds one that is not bound."""
    for name, head in view.spec.cells.items():
        if not name.startswith("tol."):
            continue
        try:
            column = view.column(head)
        except ProfileError:
            continue  # told where the tests are made
        for row in range(len(view.rows)):
            text, _ = view.marks(row, column)
            if not any(sign.isdigit() for sign in text):
                yield _finding("T315", view, row, column, f"row {row + 1}: '{text}' is no tolerance, {name[4:]} is not bound")


#: Every check of a lookup table, in the order in which findings are told.
CHECKS: tuple[Callable[[TableView], Iterator[Finding]], ...] = (
    keys_rise,
    limits_do_not_fall,
    decimals_agree,
    no_hole,
    no_blank,
    columns_in_order,
    units_agree,
)


def _decimal(view: TableView, row: int, column: int) -> Decimal | None:
    """A cell that is digits and nothing else; "NaN" and "1e9" are none, though Decimal takes them."""
    text, _ = view.marks(row, column)
    return Decimal(text.replace(",", ".")) if re.fullmatch(r"-?\d{1,9}(?:[.,]\d{1,9})?", text) else None


def _keys(view: TableView) -> list[Decimal | None]:
    return [_decimal(view, row, 0) for row in range(len(view.rows))]


def _places(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


def _finding(code: str, view: TableView, row: int, column: int, message: str) -> Finding:
    return Finding(
        code=code,
        severity="warning",
        message=f"{view.table.id}: {message}",
        source=view.source(row, column),
        place=where(view.spec.at) or None,
        hint="compare with the document; another reading of it may be right",
    )


def _ends(reach: object) -> tuple[Value | None, Value | None]:
    """The ends of a range that are numbers; "from 10 km/h to what is declared" has one."""
    if isinstance(reach, Ends):
        return (reach.low if reach.low.lo is not None else None), (reach.high if reach.high.hi is not None else None)
    return (reach, reach) if isinstance(reach, Value) and reach.lo is not None else (None, None)


def _alike(end: Value, key: Value) -> bool:
    return vocabulary().dimension(end.unit) == vocabulary().dimension(key.unit)
