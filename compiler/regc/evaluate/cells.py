"""A scenario in the cells of a hand-typed truth table, and two cells compared.

A cell: `20 km/h`, `>=2 s`, `10..80 km/h`, `v_max - 20 km/h`, `min(58 km/h, v_max)`, `!=70 km/h` (another than the prescribed test's),
`+0/-2 km/h`, `impact_speed <= 0 km/h`, `warning before braking by 0.8 s`, `no contact`. Spaces and trailing zeros do not count.
"""

from __future__ import annotations

import re
from decimal import Decimal

from regc.lang.vocabulary import vocabulary
from regc.model.criterion import Criterion, Event
from regc.model.scenario import Scenario
from regc.model.source import Tolerance
from regc.model.value import Comparison, Condition, Stated, Value, Word

_SIGNS = {"eq": "", "ge": ">=", "le": "<=", "gt": ">", "lt": "<", "ne": "!="}
_TURNED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "==", "!=": "!="}
_NUMBER = re.compile(r"(?<!\w)(?<!\d\.)\d+(?:\.\d+)?")


def cells(scenario: Scenario) -> dict[str, str]:
    """Every field of a scenario as a truth table would have it: axis.load, bind.subject, tol.subject, require.impact, runs.count,
    ..."""
    found = {"test": scenario.test, "token": scenario.token.split("_")[0], "status": scenario.status}
    found |= {f"axis.{name}": value.value for name, value in scenario.axes.items()}
    found |= {f"actors.{actor.role}": "!=" * actor.differs + actor.kind for actor in scenario.actors}
    for name, bound in scenario.bind.items():
        found[f"bind.{name}"] = _cell(bound)
        if isinstance(bound, Value) and bound.tolerance is not None:
            found[f"tol.{name}"] = tolerance(bound.tolerance, bound.unit)
    for criterion in scenario.require:
        found |= _criterion(f"require.{criterion.label}", criterion)
    found |= {f"conditions.{name}": _cell(bound) for name, bound in scenario.conditions.items()}
    found |= {f"runs.{name}": value_text(value) for name, value in scenario.runs.items()}
    found["covers"] = "; ".join(scenario.covers)
    found["applies_if"] = "; ".join(
        f"{x.name} = {x.word or 'yes'}" if isinstance(x, Stated) else comparison(x) for x in scenario.applies_if
    )
    return found


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
    return _form(truth, scenario) == _form(built, scenario)


def rounded(built: str, truth: str) -> str:
    """A cell whose numbers are worked out, to the places that the truth has."""
    places = [len(match[0].partition(".")[2]) for match in _NUMBER.finditer(truth)]
    return _NUMBER.sub(lambda match: f"{Decimal(match[0]):.{max(places)}f}", built) if places else built


def _criterion(name: str, criterion: Criterion) -> dict[str, str]:
    found = {name: requirement(criterion)}
    if criterion.limit is not None:
        found[f"{name}.limit"] = _bare(criterion.limit.value)
    if criterion.by is not None:
        found[f"{name}.by"] = _bare(criterion.by)
    if criterion.only_if:
        found[f"{name}.if"] = "; ".join(condition(item) for item in criterion.only_if)
    if criterion.otherwise is not None:
        found[f"{name}.else"] = requirement(criterion.otherwise)
    elif criterion.unless is not None:
        found[f"{name}.not"] = condition(criterion.unless)
    return found


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


def _plain(text: str) -> str:
    """Numbers without trailing zeros, no spaces; a tolerance of equal sides in one form: `±2`, `+-2` and `+2/-2`."""
    bare = re.sub(r"\s+", "", _NUMBER.sub(lambda match: _digits(match[0]), text))
    return re.sub(r"\+([\d.]+)/-\1(?![\d.])", r"+-\1", bare.replace("±", "+-"))


def _digits(text: str) -> str:
    plain = format(Decimal(text).normalize(), "f")
    return "0" if plain in ("-0", "") else plain
