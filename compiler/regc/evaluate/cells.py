"""A scenario in the cells of a hand-typed truth table, and two cells compared.

A cell: `20 km/h`, `>=2 s`, `10..80 km/h`, `v_max - 20 km/h`, `!=70 km/h` (another than the prescribed test's), `+0/-2 km/h`,
`impact_speed <= 0 km/h`, `warning before braking by 0.8 s`, `no contact`. Units and spaces do not count where both sides are
expressions over declared names, nor do trailing zeros.
"""

from __future__ import annotations

import re
from decimal import Decimal

from regc.model.criterion import Criterion, Event
from regc.model.scenario import Scenario
from regc.model.source import Tolerance
from regc.model.value import Condition, Stated, Value, Word

_BOUNDS = {"eq": "", "ge": ">=", "le": "<=", "gt": ">", "lt": "<", "ne": "!="}
_TURNED = {">=": "<=", ">": "<"}
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_UNIT = re.compile(r"(?<=\d)\s*(?:km/h|mph|m/s[23]?|mm|cm|km|m|s|ms|per cent|deg/s|deg|degC|lux|kg|g|N)(?![\w/])")


def cells(scenario: Scenario) -> dict[str, str]:
    """Every field of a scenario as a truth table would have it: axis.load, bind.subject, tol.subject, require.impact, runs.count,
    ..."""
    found = {"test": scenario.test, "token": scenario.token.split("_")[0], "status": scenario.status}
    found |= {f"axis.{name}": value.value for name, value in scenario.axes.items()}
    found["covers"] = "; ".join(scenario.covers)
    found |= {f"actors.{actor.role}": ("!=" if actor.differs else "") + actor.kind for actor in scenario.actors}
    for name, bound in scenario.bind.items():
        found[f"bind.{name}"] = _cell(bound)
        if isinstance(bound, Value) and bound.tolerance is not None:
            found[f"tol.{name}"] = f"{tolerance(bound.tolerance)} {bound.unit}".strip()
    for criterion in scenario.require:
        name = f"require.{criterion.label}"
        found[name] = requirement(criterion)
        if criterion.limit is not None:
            found[f"{name}.limit"] = amount(criterion.limit.value)
        if criterion.by is not None:
            found[f"{name}.by"] = amount(criterion.by)
        if criterion.only_if:
            found[f"{name}.if"] = "; ".join(condition(item) for item in criterion.only_if)
        if criterion.otherwise is not None:
            found[f"{name}.else"] = requirement(criterion.otherwise)
        elif criterion.unless is not None:
            found[f"{name}.not"] = condition(criterion.unless)
    found |= {f"conditions.{name}": _cell(bound) for name, bound in scenario.conditions.items()}
    found |= {f"runs.{name}": _cell(value) for name, value in scenario.runs.items()}
    found["applies_if"] = "; ".join(condition(item) for item in scenario.applies_if)
    return found


def amount(value: Value) -> str:
    """Number with unit, range or symbol, without bound."""
    if value.lo is None or value.hi is None:
        return value.symbol
    digits = f"{value.lo:f}" if value.lo == value.hi else f"{value.lo:f}..{value.hi:f}"
    return f"{digits} {value.unit}".strip()


def tolerance(stated: Tolerance) -> str:
    """`+-2`, `+0/-2`."""
    return f"+-{stated.plus:f}" if stated.plus == stated.minus else f"+{stated.plus:f}/-{stated.minus:f}"


def requirement(criterion: Criterion) -> str:
    """A criterion as a profile writes its predicate, with the number in the place of its address."""
    a, b = _event(criterion.a), _event(criterion.b)
    by = amount(criterion.by) if criterion.by is not None else ""
    limit = f" {criterion.sign} {amount(criterion.limit.value)}" if criterion.limit is not None else ""
    signal = criterion.signal or ""
    if criterion.mean_over is not None:
        signal = f"moving_average({signal}, {amount(criterion.mean_over)})"
    return {
        "happens": a,
        "never": f"no {a}",
        "before": f"{a} before {b}" + (f" by {by}" if by else ""),
        "after": f"{a} after {b}" + (f" by {by}" if by else ""),
        "within": f"{a} within {by} after {b}",
        "until": f"{a} until {b}",
        "measure": f"{signal}{limit}",
        "duration": f"duration({a}){limit}",
        "assess": "assess",
    }[criterion.form]


def condition(item: Condition) -> str:
    """`20 km/h <= v_design`, or the reason that is stated."""
    if isinstance(item, Stated):
        return item.reason
    return f"{amount(item.left)} {item.sign} {amount(item.right)}"


def same(truth: str, built: str) -> bool:
    """Whether two cells say the same."""
    return _normal(truth) == _normal(built)


def _cell(bound: Value | Word) -> str:
    if isinstance(bound, Word):
        return bound.word
    text = amount(bound)
    if bound.differs:
        return "!=" + ("" if bound.bound in ("eq", "ne") else _BOUNDS[bound.bound]) + text
    return _BOUNDS[bound.bound] + text


def _event(event: Event | None) -> str:
    if event is None:
        return ""
    return event.name if event.argument is None else f"{event.name}({_cell(event.argument)})"


def _normal(text: str) -> str:
    """Plain numbers, no spaces; an expression over names without its units; parts of a list in order; `a >= b` as `b <= a`."""
    parts = [_turned(_plain(part)) for part in text.split(";") if part.strip()]
    return ";".join(sorted(parts))


def _plain(part: str) -> str:
    text = _NUMBER.sub(lambda match: _digits(match[0]), part.strip())
    named = re.sub(r"\b(?:min|max|by|before|after|within|until|no|duration|moving_average)\b", "", _UNIT.sub("", text))
    if re.search(r"[a-z]_?[a-z]", named) and re.search(r"[-+*(]|<=|>=", text):
        text = _UNIT.sub("", text)
    return re.sub(r"\s+", "", text)


def _digits(text: str) -> str:
    plain = format(Decimal(text).normalize(), "f")
    return "0" if plain in ("-0", "") else plain


def _turned(text: str) -> str:
    match = re.fullmatch(r"([^<>=!]+)(>=|>)([^<>=!]+)", text)
    return f"{match[3]}{_TURNED[match[2]]}{match[1]}" if match and not re.match(r"\d", match[3]) else text
