"""Compares scenarios field by field with a hand-written truth, exactly and without a model."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

from regc.errors import DataFileError
from regc.lang.vocabulary import vocabulary
from regc.model.criterion import Criterion, Event
from regc.model.machine_files import unpacked
from regc.model.scenario import Scenario
from regc.model.source import Frozen, Tolerance
from regc.model.suite import Suite
from regc.model.units import plain
from regc.model.value import Comparison, Condition, Stated, Value, Word
from regc.tomlfiles import read_toml

#: Columns that name a row, or say in words what others hold.
_NAMES = ("id", "note", "place")


class TruthRow(Frozen):
    """One row: column -> cell, "" where the document asks nothing."""

    id: str
    line: int
    cells: dict[str, str]


class FieldDifference(Frozen):
    """A field whose two cells differ; "" is "not asked"."""

    scenario: str
    field: str
    truth: str
    built: str


class TruthComparison(Frozen):
    """`equal` of `compared` fields over the scenarios that both have; `missing` are truth ids that were not built, `extra` built ids
    that the truth should have and does not; `untyped` is how many built tests a truth of some tests says nothing of."""

    scenarios: int
    equal: int
    compared: int
    differences: tuple[FieldDifference, ...]
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
        fields: dict[str, str] = {}
        for old, new in self.map["columns"].items():
            cell = record[old]
            cell = values.get(new, {}).get(cell, cell)
            if cell and new in units:
                cell = f"{cell} {units[new]}".strip()
            fields[new] = bounds.get(new, "") + cell if cell else ""
        for new, (plus, minus, unit) in self.map.get("tolerances", {}).items():
            stated = record[plus] or record[minus]
            sides = f"+-{record[plus]}" if record[plus] == record[minus] else f"+{record[plus]}/-{record[minus]}"
            fields[new] = f"{sides} {unit}" if stated else ""
        return fields


def read_suite(path: Path) -> Suite:
    """The suite of a build's `scenarios.json`. Raises DataFileError for anything else."""
    try:
        return unpacked(json.loads(path.read_text("utf-8")))
    except OSError as error:
        raise DataFileError(f"{path}: {error.strerror or error}", hint="give the path of a build's scenarios.json") from error
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise DataFileError(f"{path.name}: not a build's scenarios.json: {error}", hint="regc build writes one") from error


def compare_fields(truth: Sequence[TruthRow], scenarios: Sequence[Scenario], *, whole: bool = True) -> TruthComparison:
    """Every cell of every truth row against the scenario of the same id. An empty cell of what the profile need not say is not
    compared: what only an equation of the manoeuvre gives, and a tolerance that is borrowed from another speed.

    A truth that is not `whole` holds what somebody read of some tests: other tests are counted, and no empty cell is compared.
    """
    built = {scenario.id: scenario for scenario in scenarios}
    wanted = {row.id for row in truth}
    differences: list[FieldDifference] = []
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
                differences.append(FieldDifference(scenario=row.id, field=column, truth=expected, built=value))
    others = tuple(scenario.id for scenario in scenarios if scenario.id not in wanted)
    return TruthComparison(
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


# ---- a scenario in the cells of a hand-typed truth table, and two cells compared.
#
# A cell: `20 km/h`, `>=2 s`, `10..80 km/h`, `v_max - 20 km/h`, `min(58 km/h, v_max)`, `!=70 km/h` (another than the prescribed test's),
# `+0/-2 km/h`, `impact_speed <= 0 km/h`, `warning before braking by 0.8 s`, `no contact`. Spaces and trailing zeros do not count.


_SIGNS = {"eq": "", "ge": ">=", "le": "<=", "gt": ">", "lt": "<", "ne": "!="}
_TURNED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "==", "!=": "!="}
_NUMBER = re.compile(r"(?<!\w)(?<!\d\.)\d+(?:\.\d+)?")


def cells(scenario: Scenario) -> dict[str, str]:
    """Every field of a scenario as a truth table would have it: axis.load, bind.subject, tol.subject, require.impact, runs.count; of
    phases "phases" (their names and manoeuvres in order), phase.NAME.bind.target, phase.NAME.actors.target, require.contact.phase;
    ..."""
    cells_of = {"test": scenario.test, "token": scenario.token.split("_")[0], "status": scenario.status}
    cells_of |= {f"axis.{name}": value.value for name, value in scenario.axes.items()}
    cells_of |= {f"actors.{actor.role}": "!=" * actor.differs + actor.kind for actor in scenario.actors}
    cells_of |= _bound(scenario.bind)
    if scenario.phases:
        cells_of["phases"] = "; ".join(f"{phase.name} {phase.manoeuvre}" for phase in scenario.phases)
    for phase in scenario.phases:
        own = {name: bound for name, bound in phase.bind.items() if scenario.bind.get(name) != bound}
        held = {**_bound(own), **{f"actors.{actor.role}": actor.kind for actor in phase.actors}}
        held |= {"until": requirement(phase.until)} if phase.until is not None else {}
        cells_of |= {f"phase.{phase.name}.{name}": text for name, text in held.items()}
    for criterion in scenario.require:
        cells_of |= _criterion(f"require.{criterion.label}", criterion)
        if criterion.phase:
            cells_of[f"require.{criterion.label}.phase"] = criterion.phase
    cells_of |= {f"conditions.{name}": _cell(bound) for name, bound in scenario.conditions.items()}
    cells_of |= {f"runs.{name}": value_text(value) for name, value in scenario.runs.items()}
    cells_of["covers"] = "; ".join(scenario.covers)
    cells_of["applies_if"] = "; ".join(
        f"{x.name} = {x.word or 'yes'}" if isinstance(x, Stated) else comparison(x) for x in scenario.applies_if
    )
    return cells_of


def _bound(bind: Mapping[str, Value | Word]) -> dict[str, str]:
    """Bindings and their tolerances."""
    cells_of: dict[str, str] = {}
    for name, bound in bind.items():
        cells_of[f"bind.{name}"] = _cell(bound)
        if isinstance(bound, Value) and bound.tolerance is not None:
            cells_of[f"tol.{name}"] = tolerance(bound.tolerance, bound.unit)
    return cells_of


def value_text(value: Value) -> str:
    """ ">=2 s", "0..45 degC", "v_set - 20 km/h"; of what holds while something declared allows it, that too."""
    sign = "!=" * value.differs + ("" if value.differs and value.bound == "ne" else _SIGNS[value.bound])
    rests = "".join(f" while {comparison(held)}" for held in value.holds_if)
    if value.lo is None or value.hi is None:
        return sign + value.symbol + rests
    digits = f"{value.lo:f}" if value.lo == value.hi else f"{value.lo:f}..{value.hi:f}"
    return f"{sign}{digits} {value.unit}".strip() + rests


def tolerance(stated: Tolerance, unit: str) -> str:
    """`+-2 km/h`, `+0/-2 km/h`."""
    digits = f"+-{stated.plus:f}" if stated.plus == stated.minus else f"+{stated.plus:f}/-{stated.minus:f}"
    return f"{digits} {unit}".strip()


def requirement(criterion: Criterion) -> str:
    """A criterion as a profile writes its predicate, with the number in the place of its address."""
    a, b = (_event(event) if event is not None else "" for event in (criterion.a, criterion.b))
    by = _bare(criterion.by) if criterion.by is not None else ""
    limit = f" {criterion.sign} {_bare(criterion.limit.value)}" if criterion.limit is not None else ""
    signal = criterion.signal or ""
    if criterion.mean_over is not None:
        signal = f"moving_average({signal}, {_bare(criterion.mean_over)})"
    return {
        "happens": a,
        "never": f"no {a}",
        "before": f"{a} before {b}" + (f" by {by}" if by else ""),
        "after": f"{a} after {b}" + (f" by {by}" if by else ""),
        "within": f"{a} within {by} after {b}",
        "until": f"{a} until {b}",
        "longer": f"{a} longer than {b}" + (f" by {by}" if by else ""),
        "measure": f"{signal}{limit}",
        "duration": f"duration({a}){limit}",
        "assess": "assess",
    }[criterion.form]


def condition(item: Condition) -> str:
    """`v_max >= 20 km/h`, or the name of what is stated."""
    return f"{item.name} = {item.word}".removesuffix(" = ") if isinstance(item, Stated) else comparison(item)


def comparison(held: Comparison) -> str:
    """A comparison with a declared quantity: "v_max - 20 km/h >= 58 km/h" is "v_max >= 78 km/h"."""
    return _normal(_side(held.left), held.sign, _side(held.right))


def same(truth: str, built: str, scenario: Scenario | None = None) -> bool:
    """Whether two cells say the same; a condition on a binding of the scenario is taken with its number."""
    return truth == built or _form(truth, scenario) == _form(built, scenario)


def rounded(built: str, truth: str) -> str:
    """A cell whose numbers are worked out, to the places that the truth has."""
    decimals = [len(match[0].partition(".")[2]) for match in _NUMBER.finditer(truth)]
    return _NUMBER.sub(lambda match: f"{Decimal(match[0]):.{max(decimals)}f}", built) if decimals else built


def _criterion(name: str, criterion: Criterion) -> dict[str, str]:
    fields = {name: requirement(criterion)}
    if criterion.limit is not None:
        fields[f"{name}.limit"] = _bare(criterion.limit.value)
    if criterion.by is not None:
        fields[f"{name}.by"] = _bare(criterion.by)
    if criterion.only_if:
        fields[f"{name}.if"] = "; ".join(condition(item) for item in criterion.only_if)
    if criterion.otherwise is not None:
        fields[f"{name}.else"] = requirement(criterion.otherwise)
    elif criterion.unless is not None:
        fields[f"{name}.not"] = condition(criterion.unless)
    return fields


def _cell(bound: Value | Word) -> str:
    return bound.word if isinstance(bound, Word) else value_text(bound)


def _bare(value: Value) -> str:
    return value_text(value.model_copy(update={"bound": "eq", "holds_if": ()}))


def _event(event: Event) -> str:
    ordinals = {number: word for word, number in vocabulary().ordinals.items()}
    name = f"{ordinals[event.occurrence]} {event.name}" if event.occurrence else event.name
    if event.argument is None:
        return name
    return f"{name}({event.argument.word if isinstance(event.argument, Word) else _bare(event.argument)})"


def _side(value: Value) -> str:
    return value.symbol or f"{value.lo or Decimal(0):f} {value.unit}"


def _normal(left: str, sign: str, right: str) -> str:
    """The declared name on the left, the number on the right."""
    if re.match(r"[\d.]+ ", left):
        left, sign, right = right, _TURNED[sign], left
    names = re.fullmatch(r"(\w+)(?: - ([\d.]+) \S+)?", left)
    number = re.fullmatch(r"([\d.]+) (\S+)", right)
    if names is None or number is None:
        return f"{left} {sign} {right}"
    return f"{names[1]} {sign} {Decimal(number[1]) + Decimal(names[2] or 0):f} {number[2]}"


def _form(cell: str, scenario: Scenario | None) -> str:
    """A cell in the one form in which both sides are compared; the parts of a list in order."""
    return ";".join(sorted(_plain(_part(" ".join(part.split()), scenario)) for part in cell.split(";") if part.strip()))


def _part(cell: str, scenario: Scenario | None) -> str:
    match = re.fullmatch(r"(\w+) (<=|>=|<|>) (\w+)", cell)
    bound = scenario.number(match[1]) if match and scenario is not None else None
    if match and bound is not None:
        return _normal(_side(bound), match[2], match[3])
    match = re.fullmatch(r"min\(([\d.]+ \S+), (.+)\)", cell)
    if match:
        return f"{match[1]} while {_normal(match[2], '>=', match[1])}"
    match = re.fullmatch(r"([\d.]+ \S+) (<=|>=|<|>) (.+)", cell)
    return _normal(*match.groups()) if match else cell


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    """Numbers without trailing zeros, no spaces; a tolerance of equal sides in one form: `±2`, `+-2` and `+2/-2`."""
    bare = re.sub(r"\s+", "", _NUMBER.sub(lambda match: _digits(match[0]), text))
    return re.sub(r"\+([\d.]+)/-\1(?![\d.])", r"+-\1", bare.replace("±", "+-"))


def _digits(text: str) -> str:
    plain = format(Decimal(text).normalize(), "f")
    return "0" if plain in ("-0", "") else plain
