"""A test of the language in the columns of a truth.csv, so that both can be compared cell by cell."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from decimal import Decimal

from regc.lang.vocabulary import vocabulary
from regc.model.criterion import Criterion
from regc.model.scenario import Scenario
from regc.model.source import Tolerance
from regc.model.suite import Suite
from regc.model.value import Comparison, Condition, Stated, Value, Word
from tests.lang.documents import ROOT

_SIGNS = {"eq": "", "ge": ">=", "le": "<=", "gt": ">", "lt": "<", "ne": "!="}


def rows(file: str) -> list[dict[str, str]]:
    """The rows of a truth file, "un131/02/truth/truth.csv"."""
    with (ROOT / "golden" / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def differences(suite: Suite, *files: str, skip: Iterable[str] = ()) -> list[str]:
    """Cells that differ from the truth; a test that is missing or too much is one. `skip`: columns that are not compared."""
    truth = {row["id"]: row for file in files for row in rows(file)}
    got = {test.id: test for test in suite.scenarios}
    found = [f"missing {id}" for id in truth.keys() - got.keys()] + [f"not in the truth: {id}" for id in got.keys() - truth.keys()]
    for id in truth.keys() & got.keys():
        cells = columns(got[id])
        for column, cell in truth[id].items():
            if not cell and column.removeprefix("bind.") in not_compared(got[id]):
                continue
            said = worked_out(cell, got[id]) if column.endswith(".if") else cell
            cell = cells.get(column, "")
            if column.startswith("bind.") and re.fullmatch(r"[\d.]+\+-[\d.]+ \S+", said):
                cell = with_tolerance(cell, cells.get(column.replace("bind.", "tol."), ""))
            if column == "bind.gap":
                cell = re.sub(r"\d+\.\d{3,}", lambda match: f"{Decimal(match[0]):.2f}", cell)
            if column not in skip and same(cell) != same(said):
                found.append(f"{id} {column}: {cell!r}, not {said!r}")
        more = {column for column in cells if column.startswith(("bind.", "require.", "runs.")) and column not in truth[id]}
        more -= {f"bind.{name}" for name in not_compared(got[id])}
        found += [f"{id} {column}: {cells[column]!r}, of which the truth says nothing" for column in sorted(more) if column not in skip]
    return sorted(found)


def not_compared(test: Scenario) -> set[str]:
    """Bindings that only an equation gives, and words that an axis gives: the truth need not say them again."""
    derived = {equation.name for equation in vocabulary().manoeuvre(test.manoeuvre).equations}
    return derived | set(test.axes)


def with_tolerance(value: str, tolerance: str) -> str:
    """ "1.0 s" and "+-0.1 s" as "1.0+-0.1 s"."""
    return f"{value.split(' ')[0]}{tolerance}"


def worked_out(cell: str, test: Scenario) -> str:
    """A condition on a binding with its number: "relative > avoids_up_to" of the 50 km/h test is "50 km/h > avoids_up_to"."""
    match = re.fullmatch(r"(\w+) > (\w+)", cell)
    value = test.number(match[1]) if match else None
    return normal(side(value), ">", match[2]) if match and value else cell


def columns(test: Scenario) -> dict[str, str]:
    """Every cell of a test."""
    cells = {"id": test.id, "test": test.test, "status": test.status}
    cells |= {f"axis.{axis}": value.value for axis, value in test.axes.items()}
    cells |= {f"actors.{actor.role}": "!=" * actor.differs + actor.kind for actor in test.actors}
    for name, bound in test.bind.items():
        cells[f"bind.{name}"] = bound.word if isinstance(bound, Word) else value_text(bound)
        if isinstance(bound, Value) and bound.tolerance:
            cells[f"tol.{name}"] = tolerance_text(bound.tolerance, bound.unit)
    for criterion in test.require:
        cells |= criterion_cells(f"require.{criterion.label}", criterion)
    cells |= {
        f"conditions.{name}": bound.word if isinstance(bound, Word) else value_text(bound) for name, bound in test.conditions.items()
    }
    cells |= {f"runs.{name}": value_text(value) for name, value in test.runs.items()}
    cells["covers"] = "; ".join(test.covers)
    stated = [f"{held.name} = {held.word or 'yes'}" if isinstance(held, Stated) else condition_text(held) for held in test.applies_if]
    cells["applies_if"] = "; ".join(stated)
    return cells


def number(digits: Decimal) -> str:
    return format(digits, "f")


def value_text(value: Value) -> str:
    """ ">=2 s", "0..45 degC", "v_set - 20 km/h", "min(78 km/h, ...)" as a number and what it rests on."""
    sign = "!=" * value.differs + ("" if value.differs and value.bound == "ne" else _SIGNS[value.bound])
    rests = "".join(f" while {lower_bound(held)}" for held in value.holds_if)
    if value.lo is None or value.hi is None:
        return sign + value.symbol + rests
    digits = number(value.lo) if value.lo == value.hi else f"{number(value.lo)}..{number(value.hi)}"
    return f"{sign}{digits} {value.unit}".strip() + rests


def tolerance_text(tolerance: Tolerance, unit: str) -> str:
    plus, minus = number(tolerance.plus), number(tolerance.minus)
    return f"+-{plus} {unit}" if plus == minus else f"+{plus}/-{minus} {unit}"


def criterion_cells(name: str, criterion: Criterion) -> dict[str, str]:
    cells = {name: predicate_text(criterion)}
    if criterion.only_if:
        cells[f"{name}.if"] = "; ".join(map(condition_text, criterion.only_if))
    if criterion.otherwise is None and isinstance(criterion.unless, Stated):
        cells[f"{name}.not"] = criterion.unless.name
    if criterion.otherwise is not None:
        cells[f"{name}.else"] = predicate_text(criterion.otherwise)
    return cells


def predicate_text(criterion: Criterion) -> str:
    """ "impact_speed <= 0 km/h", "warning before braking by 0.8 s", "no contact", "assess"."""
    events = [event_text(event.name, event.argument) for event in (criterion.a, criterion.b) if event is not None]
    if criterion.form == "assess":
        return "assess"
    if criterion.form == "measure":
        assert criterion.limit is not None
        mean = f"moving_average({criterion.signal}, {bare(criterion.mean_over)})" if criterion.mean_over else criterion.signal
        return f"{mean} {criterion.sign} {bare(criterion.limit.value)}"
    if criterion.form in ("happens", "never"):
        return "no " * (criterion.form == "never") + events[0]
    if criterion.form == "duration":
        assert criterion.limit is not None
        return f"duration({events[0]}) {criterion.sign} {bare(criterion.limit.value)}"
    by = f" by {bare(criterion.by)}" if criterion.by else ""
    return f"{events[0]} {criterion.form} {events[1]}{by}"


def event_text(name: str, argument: Value | Word | None) -> str:
    if argument is None:
        return name
    return f"{name}({argument.word if isinstance(argument, Word) else bare(argument)})"


def bare(value: Value) -> str:
    return value_text(value.model_copy(update={"bound": "eq", "holds_if": ()}))


def condition_text(condition: Condition) -> str:
    if isinstance(condition, Stated):
        return f"{condition.name} = {condition.word}".removesuffix(" = ")
    return lower_bound(condition)


def lower_bound(held: Comparison) -> str:
    """A comparison with a declared quantity: "v_design - 20 km/h >= 58 km/h" is "v_design >= 78 km/h"."""
    left, sign, right = side(held.left), held.sign, side(held.right)
    return normal(left, sign, right)


def side(value: Value) -> str:
    return value.symbol or f"{number(value.lo or Decimal(0))} {value.unit}"


def normal(left: str, sign: str, right: str) -> str:
    """The declared name on the left, the number on the right."""
    if re.match(r"[\d.]+ ", left):
        left, sign, right = right, {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}[sign], left
    name, offset = re.fullmatch(r"(\w+)(?: - ([\d.]+) \S+)?", left).groups()  # type: ignore[union-attr]
    match = re.fullmatch(r"([\d.]+) (\S+)", right)
    if match is None:
        return f"{name} {sign} {right}"
    return f"{name} {sign} {Decimal(match[1]) + Decimal(offset or 0):f} {match[2]}"


def same(cell: str) -> str:
    """A cell in the one form in which both sides are compared."""
    cell = " ".join(cell.split())
    match = re.fullmatch(r"min\(([\d.]+ \S+), (.+)\)", cell)
    if match:
        return same(f"{match[1]} while {normal(match[2], '>=', match[1])}")
    match = re.fullmatch(r"([\d.]+ \S+|\w+) (<=|>=|<|>) ([\d.]+ \S+|v_\w+|avoids_up_to)", cell)
    if match and re.match(r"[\d.]", match[1]):
        return normal(*match.groups())
    return cell
