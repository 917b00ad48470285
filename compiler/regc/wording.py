"""Values, criteria and conditions in words, for everything that people read; the words are data (`data/wording.toml`)."""

from __future__ import annotations

import sys
from decimal import Decimal
from functools import lru_cache
from typing import Any

from regc.model.criterion import Criterion, Event
from regc.model.scenario import AxisValue, Scenario
from regc.model.source import Tolerance
from regc.model.units import plain
from regc.model.value import Condition, Stated, Value, Word
from regc.resources import package_data

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_BOUNDS = {"eq": "", "ge": "at least ", "le": "not more than ", "gt": "more than ", "lt": "less than ", "ne": "other than "}
_SIGNS = {"<=": "not more than", ">=": "at least", "<": "less than", ">": "more than", "==": "exactly", "!=": "other than"}


@lru_cache(maxsize=1)
def wording() -> dict[str, dict[str, Any]]:
    """The tables of `data/wording.toml`."""
    tables: dict[str, dict[str, Any]] = tomllib.loads(package_data("data", "wording.toml").read_text("utf-8"))
    return tables


def unit(name: str) -> str:
    """A unit as people write it: degC -> °C."""
    return str(wording()["unit"].get(name, name))


def amount(value: Value) -> str:
    """Number and unit without the bound: "0.2 m", "10 to 80 km/h", "v_design - 20 km/h"."""
    if value.lo is None or value.hi is None:
        return value.symbol
    ends = [_digits(value, end) for end in dict.fromkeys((value.lo, value.hi))]
    return f"{' to '.join(ends)} {unit(value.unit)}".strip()


def _digits(value: Value, number: Decimal) -> str:
    """The source's digits; of a calculated number at most three places."""
    return plain(number, 3) if value.basis == "derived" else f"{number:f}"


def tolerance(stated: Tolerance, of: str = "") -> str:
    """ "+2/-0 km/h", "±1.6 km/h"; `of` is the unit."""
    digits = f"±{stated.plus:f}" if stated.plus == stated.minus else f"+{stated.plus:f}/-{stated.minus:f}"
    return f"{digits} {unit(of)}".strip()


def bounded(value: Value) -> str:
    """Number with the words of its bound, tolerance and what is assumed: "at least 4 s", "20 km/h (+2/-0 km/h, assumed: A861)"."""
    text = _BOUNDS[value.bound] + amount(value)
    notes = []
    if value.tolerance is not None:
        notes.append(tolerance(value.tolerance, value.unit))
        if value.tolerance.assumption:
            notes.append(f"assumed: {value.tolerance.assumption}")
    if value.differs:
        notes.append("another than in the prescribed test")
    if value.basis == "assumed":
        notes.append(f"assumed: {value.assumption}")
    return f"{text} ({', '.join(notes)})" if notes else text


def said(table: str, name: str, bound: Value | Word) -> str:
    """A binding, condition or run in a sentence: said("bind", "ttc", value) -> "The functional part begins at ... of at least 4 s"."""
    entry = wording()[table].get(name)
    pattern = entry["say"] if isinstance(entry, dict) else entry
    if pattern is None:
        pattern = name.replace("_", " ").capitalize() + ": {value}"
    text = bounded(bound) if isinstance(bound, Value) else word(name, bound.word)
    return str(pattern).replace("{value}", text)


def word(name: str, value: str) -> str:
    """A word of the vocabulary: word("mass", "max") -> "maximum mass"."""
    return str(wording()["word"].get(f"{name}.{value}", value.replace("_", " ")))


def step(binding: str) -> str:
    """The part of a test case that a binding belongs to: prepare, approach or functional."""
    entry = wording()["bind"].get(binding)
    return str(entry["step"]) if isinstance(entry, dict) else "approach"


def actor(kind: str) -> str:
    """ "child" -> "child pedestrian"."""
    return str(wording()["actor"].get(kind, kind.replace("_", " ")))


def role(name: str) -> str:
    """ "target" -> "Target"."""
    return str(wording()["role"].get(name, name.replace("_", " ").capitalize()))


def signal(name: str) -> str:
    """ "impact_speed" -> "Relative impact speed"."""
    return str(wording()["signal"].get(name, name.replace("_", " ").capitalize()))


def event(happening: Event) -> str:
    """ "line_crossed" with 0.3 m -> "crossing of the line (0.3 m)"."""
    text = str(wording()["event"].get(happening.name, happening.name.replace("_", " ")))
    if happening.argument is None:
        return text
    said = happening.argument.word if isinstance(happening.argument, Word) else amount(happening.argument)
    return f"{text} ({said})"


def condition(open_condition: Condition) -> str:
    """ "v_design - 20 km/h is at least 78 km/h", or the reason that a person states."""
    if isinstance(open_condition, Stated):
        return open_condition.reason
    return f"{amount(open_condition.left)} is {_SIGNS[open_condition.sign]} {amount(open_condition.right)}"


def criterion(asked: Criterion) -> str:
    """One criterion as a sentence without an end: "Relative impact speed: not more than 0.00 km/h"."""
    text = _form(asked)
    if asked.only_if:
        text += " (where " + " and ".join(condition(item) for item in asked.only_if) + ")"
    if asked.otherwise is not None:
        reason = condition(asked.unless) if asked.unless is not None else "the reason is on record"
        text += f"; where {reason}: {_form(asked.otherwise)[0].lower()}{_form(asked.otherwise)[1:]}"
    return text


def _form(asked: Criterion) -> str:
    a = event(asked.a) if asked.a is not None else ""
    b = event(asked.b) if asked.b is not None else ""
    by = bounded(asked.by) if asked.by is not None else ""
    text = {
        "happens": f"{a} is given" if asked.a is not None and asked.a.name == "warning" else f"{a} happens",
        "never": f"no {a}",
        "before": f"{a} {by + ' ' if by else 'no later than '}{'before ' if by else ''}{b}",
        "after": f"{a} {by + ' ' if by else ''}after {b}",
        "within": f"{a} within {amount(asked.by) if asked.by is not None else ''} after {b}",
        "until": f"{a} until {b}",
        "measure": _measured(asked),
        "duration": f"duration of {a}: {_limit(asked)}",
        "assess": "assessed by a person",
    }[asked.form]
    return text[:1].upper() + text[1:]


def _measured(asked: Criterion) -> str:
    name = signal(asked.signal or "")
    mean = f" (mean over {amount(asked.mean_over)})" if asked.mean_over is not None else ""
    return f"{name}{mean}: {_limit(asked)}"


def _limit(asked: Criterion) -> str:
    return f"{_SIGNS[asked.sign or '<=']} {amount(asked.limit.value)}" if asked.limit is not None else ""


def axis(value: AxisValue) -> str:
    """How the document names the value of an axis; of a header within a header, the inner one."""
    return (value.words or value.value).rpartition(" > ")[2]


def title(scenario: Scenario) -> str:
    """Title, axes and speeds of a test in one line: "Car to bicycle, M1, maximum mass, 20 km/h"."""
    parts = [scenario.title, *map(axis, scenario.axes.values())]
    for name in ("subject", "target"):
        bound = scenario.bind.get(name)
        if isinstance(bound, Value) and not (name == "target" and bound.is_number and bound.lo == 0):
            parts.append(amount(bound) if name == "subject" else f"{role(name).lower()} {amount(bound)}")
    return ", ".join(parts)
