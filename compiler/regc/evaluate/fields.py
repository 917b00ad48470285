"""Compares scenarios field by field with a hand-written truth, exactly and without a model."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from regc.errors import DataFileError
from regc.evaluate.cells import cells, rounded, same
from regc.lang.vocabulary import vocabulary
from regc.model.scenario import Scenario
from regc.model.source import Frozen
from regc.model.suite import Suite
from regc.model.suitefile import unpacked
from regc.model.units import plain
from regc.tomlfiles import read_toml

#: Columns that name a row, or say in words what others hold.
_NAMES = ("id", "note", "place")


class TruthRow(Frozen):
    """One row: column -> cell, "" where the document asks nothing."""

    id: str
    line: int
    cells: dict[str, str]


class Difference(Frozen):
    """A field whose two cells differ; "" is "not asked"."""

    scenario: str
    field: str
    truth: str
    built: str


class Comparison(Frozen):
    """`equal` of `compared` fields over the scenarios that both have; `missing` are truth ids that were not built, `extra` built ids
    that the truth should have and does not; `untyped` is how many built tests a truth of some tests says nothing of."""

    scenarios: int
    equal: int
    compared: int
    differences: tuple[Difference, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    untyped: int = 0

    @property
    def clean(self) -> bool:
        """Nothing differs, nothing is missing, nothing is too many."""
        return not (self.differences or self.missing or self.extra)


def truth_file(folder: Path) -> Path | None:
    """The truth of a folder: `truth.csv`, or an older table with its column map; None where there is none."""
    return next((folder / name for name in ("truth.csv", "fields.csv") if (folder / name).is_file()), None)


def read_truth(path: Path) -> tuple[TruthRow, ...]:
    """Rows of a truth table. A `columns.toml` beside it maps its columns and words to those of a scenario. Raises DataFileError for a
    file that is no such table, a doubled id, or a cell too many."""
    renamed = _ColumnMap(path.with_name("columns.toml"))
    rows: dict[str, TruthRow] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            for line, record in enumerate(reader, 2):
                if None in record or None in record.values():
                    raise DataFileError(f"{path.name} line {line}: not as many cells as the head has", hint="quote cells with commas")
                id = record["id"]
                if id in rows:
                    raise DataFileError(f"{path.name} line {line}: {id!r} stands on line {rows[id].line} too", hint="one row a test")
                rows[id] = TruthRow(id=id, line=line, cells=renamed(record))
    except (OSError, UnicodeDecodeError, KeyError, csv.Error) as error:
        raise DataFileError(f"{path}: not a truth table: {error}", hint="a CSV with a column id, in UTF-8") from error
    if not rows:
        raise DataFileError(f"{path.name}: no rows below the header", hint="a truth file needs at least one scenario")
    return tuple(rows.values())


class _ColumnMap:
    """`columns.toml`: `[columns]` old = new; `[values.NEW]` old word = new word; `[units]` NEW = unit of bare numbers, `[bounds]` NEW =
    sign before them; `[tolerances]` NEW = [plus column, minus column, unit]."""

    def __init__(self, path: Path) -> None:
        self.map = read_toml(path, hint="columns.toml maps the columns of a truth table") if path.is_file() else {}

    def __call__(self, record: Mapping[str, str]) -> dict[str, str]:
        if not self.map:
            return {column: cell for column, cell in record.items() if column not in _NAMES}
        values, units, bounds = self.map.get("values", {}), self.map.get("units", {}), self.map.get("bounds", {})
        found: dict[str, str] = {}
        for old, new in self.map["columns"].items():
            cell = record[old]
            cell = values.get(new, {}).get(cell, cell)
            if cell and new in units:
                cell = f"{cell} {units[new]}".strip()
            found[new] = bounds.get(new, "") + cell if cell else ""
        for new, (plus, minus, unit) in self.map.get("tolerances", {}).items():
            stated = record[plus] or record[minus]
            sides = f"+-{record[plus]}" if record[plus] == record[minus] else f"+{record[plus]}/-{record[minus]}"
            found[new] = f"{sides} {unit}" if stated else ""
        return found


def read_suite(path: Path) -> Suite:
    """The suite of a build's `scenarios.json`. Raises DataFileError for anything else."""
    try:
        return unpacked(json.loads(path.read_text("utf-8")))
    except OSError as error:
        raise DataFileError(f"{path}: {error.strerror or error}", hint="give the path of a build's scenarios.json") from error
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise DataFileError(f"{path.name}: not a build's scenarios.json: {error}", hint="regc build writes one") from error


def compare_fields(truth: Sequence[TruthRow], scenarios: Sequence[Scenario], *, whole: bool = True) -> Comparison:
    """Every cell of every truth row against the scenario of the same id. An empty cell of what the profile need not say is not
    compared: what only an equation of the manoeuvre gives, and a tolerance that is borrowed from another speed.

    A truth that is not `whole` holds what somebody read of some tests: other tests are counted, and no empty cell is compared.
    """
    built = {scenario.id: scenario for scenario in scenarios}
    wanted = {row.id for row in truth}
    differences: list[Difference] = []
    compared = 0
    for row in truth:
        scenario = built.get(row.id)
        if scenario is None:
            continue
        own = cells(scenario)
        for column, expected in row.cells.items():
            if not expected and (not whole or follows(scenario, column)):
                continue
            compared += 1
            value = as_told(scenario, column, expected, own)
            if not same(expected, value, scenario):
                differences.append(Difference(scenario=row.id, field=column, truth=expected, built=value))
    others = tuple(scenario.id for scenario in scenarios if scenario.id not in wanted)
    return Comparison(
        scenarios=sum(row.id in built for row in truth),
        equal=compared - len(differences),
        compared=compared,
        differences=tuple(differences),
        missing=tuple(row.id for row in truth if row.id not in built),
        extra=others if whole else (),
        untyped=0 if whole else len(others),
    )


def follows(scenario: Scenario, column: str) -> bool:
    """Whether a field follows from others: by an equation of the manoeuvre, from an axis, or as a borrowed tolerance."""
    kind, _, name = column.partition(".")
    if kind == "bind":
        return name in scenario.axes or any(name == rule.name for rule in vocabulary().manoeuvre(scenario.manoeuvre).equations)
    value = scenario.number(name) if kind == "tol" else None
    return value is not None and value.tolerance is not None and value.tolerance.assumption is not None


def as_told(scenario: Scenario, column: str, expected: str, own: Mapping[str, str]) -> str:
    """The built cell in the truth's manner: a number with its tolerance in one cell, a worked-out one at the truth's places, an axis
    that is a number of the test without its unit."""
    kind, _, name = column.partition(".")
    value = scenario.number(name)
    cell = own.get(column, "")
    if kind == "axis" and not cell and value is not None and value.is_number:
        return plain(value.number)
    if kind != "bind" or value is None:
        return cell
    if re.fullmatch(r"[\d.]+(?:\+-|±)[\d.]+ \S+", expected):
        cell = cell.partition(" ")[0] + own.get(f"tol.{name}", "")
    return rounded(cell, expected) if value.basis == "derived" else cell
