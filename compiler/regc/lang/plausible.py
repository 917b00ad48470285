"""Whether a declared table can be as it was read: generic checks that find a wrong digit where nothing else would.

Each takes the table as a test sees it and returns findings; none knows a regulation.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal

from regc.lang.tables import TableView, value_named
from regc.lang.text import where
from regc.lang.values import plain
from regc.model.result import Finding

#: Share of the steps that must be equal before a series counts as regular.
_REGULAR = Decimal("0.5")


def table_findings(view: TableView) -> tuple[Finding, ...]:
    """Every doubt about a table; the rows of a list of tests have no order to hold."""
    if not view.rows:
        return ()
    if view.spec.is_list:
        return tuple(tolerances_stand(view))
    return tuple(finding for check in CHECKS for finding in check(view))


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
        places = Counter(_places(number) for number in numbers.values())
        if len(places) < 2:
            continue
        usual = places.most_common(1)[0][0]
        for row, number in numbers.items():
            if _places(number) != usual:
                yield _finding("T312", view, row, column, f"{plain(number)} has {_places(number)} decimals, its column {usual}")


def no_hole(view: TableView) -> Iterator[Finding]:
    """A regular series of keys has no hole: 10, 15, 20, 30, 35 lacks 25."""
    keys = [key for key in _keys(view) if key is not None]
    steps = [after - before for before, after in itertools.pairwise(keys) if after > before]
    if len(steps) < 4:
        return
    step, count = Counter(steps).most_common(1)[0]
    if Decimal(count) / len(steps) < _REGULAR:
        return
    for before, after in itertools.pairwise(keys):
        if after - before > step:
            row = next(index for index, key in enumerate(_keys(view)) if key == after)
            yield _finding(
                "T313", view, row, 0, f"the keys rise by {plain(step)}; between {plain(before)} and {plain(after)} a row may be missing"
            )


def columns_in_order(view: TableView) -> Iterator[Finding]:
    """The columns of an axis stand in the order in which the profile states its values; swapped headers are not."""
    if view.spec.columns is None:
        return
    axis = view.axis_specs[view.spec.columns]
    named = [value_named(axis, head) for head in view.heads]
    found = [name for name in named if name is not None]
    stated = [str(name) for name in axis.values if str(name) in found]
    if len(set(found)) == len(found) and found != stated:
        yield _finding(
            "T314", view, 0, 1, f"the columns are {', '.join(found)}; the profile states {', '.join(stated)}: are the headers swapped?"
        )


def tolerances_stand(view: TableView) -> Iterator[Finding]:
    """Where a list of tests has tolerances, every row has one: +2/-0, -, +0/-2 holds one that is not bound."""
    for name, head in view.spec.cells.items():
        if not name.startswith("tol."):
            continue
        column = view.column(head)
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
    columns_in_order,
)


def _decimal(view: TableView, row: int, column: int) -> Decimal | None:
    text, _ = view.marks(row, column)
    try:
        return Decimal(text.replace(",", "."))
    except ArithmeticError:
        return None


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
