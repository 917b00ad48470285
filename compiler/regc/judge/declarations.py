"""What is declared or on record beside the logs, and the conditions that only it can decide. A judge infers none of it from a log.

declare.toml:
    v_design = "90 km/h"                                       # a declared quantity, by the name that the tests give it
    avoids_up_to = { run = "42 km/h", max = "40 km/h" }        # or one for each value of an axis
    urban = "no"
    [reasons]                                                  # why an exception holds, by what the criterion calls it
    warning = "the target was hidden until 1 s before"
    [reasons."UNR152-02_p6.4_CtoStC_M1_MassRun_042"]           # or for one scenario (in quotes: an id has dots)
    warning = "..."
    set_up = "the target was 0.4 m off"                        # what explains a failed run of it (in the run's sidecar: of that run)
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from regc.errors import DataFileError
from regc.judge.comparison import compared, in_unit, si
from regc.model.criterion import Criterion
from regc.model.formula import FormulaError, evaluate, names
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.suite import Suite
from regc.model.units import can_be, dimension, known_units
from regc.model.value import NO, YES, Comparison, Condition, Stated, Value
from regc.runs.log import RunInfo
from regc.tomlfiles import read_toml

_HINT = (
    'v_max = "90 km/h", coupled = "no", v_least = { heavy = "42 km/h" }, [reasons] warning = "why", [reasons."SCENARIO ID"] in quotes'
)
#: Under reasons: the deviation of the test set-up that a failed run is explained by.
SET_UP = "set_up"
_NUMBER = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(.*?)\s*$")
_UNIT = re.compile(rf"(?<![\w.])(\d+(?:\.\d+)?)\s+({'|'.join(sorted(map(re.escape, known_units()), key=len, reverse=True))})(?![\w/])")


@dataclass(frozen=True)
class Declarations:
    """What a manufacturer or the technical service states. `values`: text by name, or by name and axis value. `reasons`: by scenario
    id ("" for all) and the name of the exception."""

    values: Mapping[str, str | Mapping[str, str]] = field(default_factory=dict)
    reasons: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def stated(self, name: str, scenario: Scenario, info: RunInfo) -> str | None:
        """What is declared under a name for a run of a scenario; the run's own record comes first."""
        own = info.declared.get(name, self.values.get(name))
        if own is None or isinstance(own, str):
            return own
        for key, text in own.items():
            said = key.replace("_", " ").casefold()
            for axis in scenario.axes.values():
                if said in (axis.value.casefold(), axis.words.casefold()) or (len(said) > 3 and said in axis.words.casefold()):
                    return text
        return own.get("")

    def reason(self, name: str, scenario: Scenario, info: RunInfo) -> str:
        """Why an exception holds, "" where no reason is on record."""
        for reasons in (info.reasons, self.reasons.get(scenario.id, {}), self.reasons.get("", {})):
            if reasons.get(name):
                return reasons[name]
        return ""


def read_declarations(path: Path) -> Declarations:
    """A declare.toml. Raises DataFileError for anything else."""
    data = read_toml(path, hint=_HINT)
    reasons = data.pop("reasons", {})
    if not isinstance(reasons, dict):
        raise DataFileError(f"{path.name}: reasons = {reasons!r:.60}: not a table", hint=_HINT)
    values: dict[str, str | Mapping[str, str]] = {}
    for name, value in data.items():
        if isinstance(value, dict):
            values[name] = {key: _text(path, f"{name}.{key}", part) for key, part in value.items()}
        else:
            values[name] = _text(path, name, value)
    common = {name: str(text) for name, text in reasons.items() if not isinstance(text, dict)}
    own = {
        id: {name: _text(path, f'reasons."{id}".{name}', text) for name, text in part.items()}
        for id, part in reasons.items()
        if isinstance(part, dict)
    }
    return Declarations(values, {"": common, **own})


def _text(path: Path, name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise DataFileError(f"{path.name}: {name} = {value!r:.60}: neither a text nor a number", hint=_HINT)


def unused(declarations: Declarations, suite: Suite) -> Iterator[Finding]:
    """S717 for each declared name and reason that nothing of the suite hangs on."""
    exceptions = {SET_UP} | {name for scenario in suite.scenarios for item in scenario.require for name in _exceptions(item)}
    hung = {name for scenario in suite.scenarios for name in _hung_on(scenario)} | exceptions
    stated = {name for reasons in declarations.reasons.values() for name in reasons}
    for name, known in (*((name, hung) for name in declarations.values), *((name, exceptions) for name in sorted(stated))):
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            message = f"declared {name}: no test hangs on it" + (f"; did you mean {near[0]}?" if near else "")
            hint = f"names: {', '.join(sorted(known)) or 'none'}"
            yield Finding(code="S717", severity="warning", message=message, hint=hint)


def _exceptions(item: Criterion) -> Iterator[str]:
    if isinstance(item.unless, Stated):
        yield item.unless.name or item.label


def _hung_on(scenario: Scenario) -> Iterator[str]:
    """Names of declared quantities in conditions, bindings and limits of a test."""
    conditions = [*scenario.applies_if, *(condition for item in scenario.require for condition in item.only_if)]
    conditions += [item.unless for item in scenario.require if item.unless is not None]
    values = [value for _, value in scenario.values()]
    for condition in conditions:
        if isinstance(condition, Stated):
            yield condition.name or condition.reason
        else:
            values += [condition.left, condition.right]
    for value in values:
        if value.lo is None:
            yield from re.findall(r"[A-Za-z_]\w*", value.symbol)


@dataclass(frozen=True)
class Decided:
    """Whether a condition holds; None while `needs` names what is not declared."""

    holds: bool | None
    needs: tuple[str, ...] = ()


def decide(conditions: Iterable[Condition], scenario: Scenario, info: RunInfo, declarations: Declarations) -> Decided:
    """Whether all conditions hold by what is declared."""
    open_: list[str] = []
    for condition in conditions:
        decided = _decided(condition, scenario, info, declarations)
        if decided.holds is False:
            return decided
        open_ += decided.needs
    return Decided(None, tuple(dict.fromkeys(open_))) if open_ else Decided(True)


def _decided(condition: Condition, scenario: Scenario, info: RunInfo, declarations: Declarations) -> Decided:
    if isinstance(condition, Stated):
        name = condition.name or condition.reason
        text = (declarations.stated(name, scenario, info) or "").strip().casefold()
        if condition.word and text:
            return Decided(text == condition.word.casefold())
        if not condition.word and text in YES | NO:
            return Decided(text in YES)
        return Decided(None, (name,))
    return _compared(condition, scenario, info, declarations)


def _compared(condition: Comparison, scenario: Scenario, info: RunInfo, declarations: Declarations) -> Decided:
    sides, needs = [], []
    for own, other in ((condition.left, condition.right), (condition.right, condition.left)):
        other_value = _value(own, other, scenario, info, declarations)
        if isinstance(other_value, tuple):
            sides.append(other_value)
        else:
            needs.append(other_value)
    if needs:
        return Decided(None, tuple(dict.fromkeys(needs)))
    (low, high), (least, most) = sides
    results = {compared(number, number, condition.sign, limit) for number in (low, high) for limit in (least, most)}
    return Decided(results == {"met"}) if len(results) == 1 else Decided(None, ("one value of the range",))


def _value(value: Value, other: Value, scenario: Scenario, info: RunInfo, declarations: Declarations) -> tuple[float, float] | str:
    """Both ends of a side in SI, or the name that is not declared."""
    if value.lo is not None and value.hi is not None:
        return si(value.lo, value.unit), si(value.hi, value.unit)
    formula = _UNIT.sub(lambda match: repr(si(Decimal(match[1]), match[2])), value.symbol)
    try:
        needed = names(formula)
        known: dict[str, float] = {}
        for name in needed:
            text = declarations.stated(name, scenario, info)
            if text is None:
                return name
            known[name] = number(text, value.unit or other.unit, name)
        result = evaluate(formula, known)
    except FormulaError:
        return value.symbol
    return result, result


def resolved(value: Value, scenario: Scenario, info: RunInfo, declarations: Declarations) -> Value | str:
    """A value that hangs on declared quantities as a number in its own unit, or the name that is not declared."""
    if value.lo is not None:
        return value
    in_force = _value(value, value, scenario, info, declarations)
    if isinstance(in_force, str):
        return in_force
    digits = Decimal(repr(round(in_unit(in_force[0], value.unit), 9)))
    return value.model_copy(update={"lo": digits, "hi": digits})


def number(text: str, default_unit: str, name: str) -> float:
    """A stated number in SI; a bare one is in `default_unit`. Raises DataFileError."""
    match = _NUMBER.match(text)
    unit = (match[2] or default_unit) if match else ""
    try:
        if match is None or (unit and unit not in known_units()):
            raise InvalidOperation
        if unit and default_unit and dimension(unit) != dimension(default_unit):
            raise DataFileError(f"{name} = {text!r}: {unit} where {default_unit} is asked for", hint=_HINT)
        if not can_be(Decimal(match[1]), unit):
            raise DataFileError(f"{name} = {text!r}: below zero", hint=_HINT)
        return si(Decimal(match[1]), unit)
    except InvalidOperation:
        raise DataFileError(f"{name} = {text!r}: not a number with a unit", hint=_HINT) from None
