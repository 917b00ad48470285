"""Values, criteria and conditions in words, for everything that people read; the words are data (`data/wording.toml`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from regc.model.criterion import Criterion, Event, Limit
from regc.model.scenario import AxisValue, Scenario
from regc.model.source import Tolerance
from regc.model.suite import Suite
from regc.model.units import plain
from regc.model.value import Bound, Condition, Stated, Value, Word
from regc.tomlfiles import packaged

_BOUNDS = {"eq": "", "ge": "at least ", "le": "not more than ", "gt": "more than ", "lt": "less than ", "ne": "other than "}
_MARKS = {"eq": "", "ge": "≥ ", "le": "≤ ", "gt": "> ", "lt": "< ", "ne": "≠ "}
_COMPARED = {"<=": "≤", ">=": "≥", "<": "<", ">": ">", "==": "=", "!=": "≠"}
_SIGNS = {"<=": "not more than", ">=": "at least", "<": "less than", ">": "more than", "==": "exactly", "!=": "other than"}


@lru_cache(maxsize=1)
def wording() -> dict[str, dict[str, Any]]:
    """The tables of `data/wording.toml`."""
    tables: dict[str, dict[str, Any]] = packaged("data", "wording.toml")
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
    notes += holds(value)
    return f"{text} ({', '.join(notes)})" if notes else text


def holds(value: Value) -> list[str]:
    """Under which conditions on declared quantities a number holds: "where the declared speed is at least 78 km/h"."""
    return [f"where {condition(held)}" for held in value.holds_if]


def spelled(value: Value) -> str:
    """Bound, number and the unit written out, as a regulation has it: "at least 4 seconds"."""
    name = str(wording()["unit_spelled"].get(value.unit, unit(value.unit)))
    return f"{_BOUNDS[value.bound]}{amount(value.model_copy(update={'unit': ''}))} {name}".strip()


def mark(bound: Bound) -> str:
    """The sign of a bound, for tables: "≥ "."""
    return _MARKS[bound]


def compact(value: Value) -> str:
    """Number and unit with the sign of its bound, for tables: "≥ 4 s", "10 to 80 km/h"."""
    return _MARKS[value.bound] + amount(value)


def short(binding: str) -> str:
    """A binding as the head of a column: "subject" -> "subject vehicle"."""
    entry = wording()["bind"].get(binding)
    return str(entry["short"]) if isinstance(entry, dict) else binding.replace("_", " ")


def axis(name: str, value: AxisValue | None = None) -> str:
    """An axis as the head of a column: "load" -> "Load state"; as the profile calls it where `value` tells."""
    called = value.called if value is not None else ""
    return large(called) or str(wording()["axis"].get(name, name.replace("_", " ").capitalize()))


def axis_cell(value: AxisValue) -> str:
    """A value of an axis in a table: the document's words, of a header within a header the inner one, with the categories that it
    covers: "class A (M3, N3)"."""
    covers = f" ({', '.join(value.covers)})" if value.covers and value.covers != (value.value,) else ""
    words = (value.words or value.value).rpartition(" > ")[2]
    first = words.partition(" ")[0]
    plain = len(first) > 1 and first[:1].isupper() and first[1:].isalpha() and first[1:].islower()
    return f"{words[:1].lower() if plain else words[:1]}{words[1:]}{covers}"


def term(table: str, name: str) -> str:
    """A word of a table as a person reads it: term("status", "option") -> "may be chosen by who carries out the tests"."""
    return str(wording()[table].get(name, name.replace("_", " ")))


def field(name: str) -> tuple[str, str]:
    """Heading and label of a number by its dotted name: "require.impact.limit" -> ("Requirements", "Impact: limit")."""
    head, _, rest = name.partition(".")
    group = term("part", head)
    if head == "bind":
        return group, large(short(rest))
    if head in ("said", "told"):
        return group, f"Statement {int(rest.partition('.')[0]) + 1}"
    if head in ("conditions", "runs"):
        return group, large(said(head, rest, Word(word="")).partition(":")[0].strip())
    return group, large(rest.replace(".", ": ").replace("_", " "))


def asked(criterion: Criterion) -> str:
    """A criterion in the cell of a table: "impact speed ≤ 10.00 km/h", "no braking"."""
    if criterion.form == "measure" and criterion.limit is not None:
        only = f" ({_only_for(criterion.limit)})" if criterion.limit.only else ""
        return f"{measured(criterion)} {_COMPARED[criterion.sign or '<=']} {amount(criterion.limit.value)}{only}"
    return _form(criterion)


def notes(value: Value) -> list[str]:
    """What a reader must know of a number: the codes of what is assumed about it."""
    lines = [value.assumption] if value.basis == "assumed" and value.assumption else []
    if value.tolerance is not None and value.tolerance.assumption:
        lines.append(value.tolerance.assumption)
    return lines


def assumed_notes(scenario: Scenario) -> list[str]:
    """A line for each number of a test that the document does not say for it: assumed ones and borrowed tolerances."""
    lines = []
    for name, value in scenario.values():
        if value.basis == "assumed":
            lines.append(f"{name} {amount(value)} is assumed ({value.assumption})")
        if value.tolerance is not None and value.tolerance.assumption:
            lines.append(f"tolerance of {name} {tolerance(value.tolerance, value.unit)} is borrowed ({value.tolerance.assumption})")
    return lines


def conditional_notes(scenario: Scenario) -> list[str]:
    """A line for each number of a test that holds only while something declared does not make it another, and for what the whole test
    hangs on."""
    conditional = [(name, amount(value), " and ".join(holds(value))) for name, value in scenario.values() if value.holds_if]
    notes = [f"{name} is {number} only {conditions}" for name, number, conditions in conditional]
    return [*notes, *(f"the test is asked only where {condition(item)}" for item in scenario.applies_if)]


def quantities(scenario: Scenario) -> list[str]:
    """Names of the declared quantities that the numbers and conditions of a test hang on, in the order in which they stand."""
    conditions = [*scenario.applies_if, *(one for asked in scenario.require for one in (*asked.only_if, asked.unless) if one)]
    values = [value for _, value in scenario.values()]
    conditions += [held for value in values for held in value.holds_if]
    values += [side for one in conditions if not isinstance(one, Stated) for side in (one.left, one.right)]
    return list(dict.fromkeys(name for value in values if value.lo is None for name in re.findall(r"[A-Za-z_]\w*", value.symbol)))


def declared(suite: Suite, scenario: Scenario) -> list[str]:
    """A line for each declared quantity that a test hangs on: "v_design: maximum design speed"."""
    return [f"{name}: {suite.quantities[name]}" for name in quantities(scenario) if name in suite.quantities]


def large(text: str) -> str:
    """With a capital first letter, the rest as it is."""
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    """With a small first letter, unless it is an abbreviation."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def said(table: str, name: str, bound: Value | Word) -> str:
    """A binding, condition or run in a sentence: said("bind", "ttc", value) -> "The functional part begins at ... of at least 4 s"."""
    entry = wording()[table].get(name)
    pattern = entry["say"] if isinstance(entry, dict) else entry
    if pattern is None:
        pattern = name.replace("_", " ").capitalize() + ": {value}"
    text = bounded(bound) if isinstance(bound, Value) else word(name, bound.word)
    return str(pattern).replace("{value}", text)


def binding(manoeuvre: str, name: str, bound: Value | Word) -> str:
    """A binding in a sentence, as its manoeuvre means it: the TTC of a cut-in is that at the end of the change of lane."""
    own = f"{manoeuvre}.{name}"
    return said("bind_in", own, bound) if own in wording()["bind_in"] else said("bind", name, bound)


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


def named_in(name: str, text: str) -> str:
    """The one of a signal's names that a text has: named_in("impact_speed", "maximum impact speed") -> "impact speed"; "" for none."""
    lower = " ".join(text.lower().split())
    return next((each for each in wording()["signal_named"].get(name, ()) if each in lower), "")


def measured(criterion: Criterion) -> str:
    """What a criterion measures, as the document calls it: "Impact speed"."""
    return large(criterion.called) or signal(criterion.signal or "")


def event(happening: Event) -> str:
    """ "line_crossed" with 0.3 m -> "crossing of the line (0.3 m)"."""
    text = str(wording()["event"].get(happening.name, happening.name.replace("_", " ")))
    if happening.occurrence:
        text = f"{term('ordinal', str(happening.occurrence))} {text}"
    if happening.argument is None:
        return text
    said = happening.argument.word if isinstance(happening.argument, Word) else amount(happening.argument)
    return f"{text} ({said})"


def condition(open_condition: Condition) -> str:
    """ "the declared maximum speed minus 20 km/h is at least 78 km/h", or the reason that a person states."""
    if isinstance(open_condition, Stated):
        return open_condition.reason
    return f"{_side(open_condition.left)} is {_SIGNS[open_condition.sign]} {_side(open_condition.right)}"


def _side(value: Value) -> str:
    """A side of a comparison: a number as `amount` says it, a symbol with its declared names and signs in words."""
    if not value.called:
        return amount(value)
    read = {name: _declared_name(words) for name, words in value.called}
    signs = {f" {sign} ": f" {said} " for sign, said in wording()["operator"].items()}
    parts = "|".join([*(rf"\b{re.escape(name)}\b" for name in read), *map(re.escape, signs)])
    return re.sub(parts, lambda part: (read | signs)[part[0]], value.symbol)


def _declared_name(words: str) -> str:
    """ "maximum speed" -> "the declared maximum speed"; words that say that it is declared need no more than their article."""
    bare = re.sub(r"^(?:the|an?|its) ", "", words)
    return f"the {bare}" if re.search(r"\bdeclare", bare) else f"the declared {bare}"


def criterion(asked: Criterion, beside: Sequence[Criterion] = ()) -> str:
    """One criterion as a sentence without an end: "Relative impact speed: not more than 0.00 km/h". `beside`: all criteria of its test,
    for one that it replaces."""
    text = _form(asked) + (f", in the phase {asked.phase.replace('_', ' ')}" if asked.phase else "")
    replaced = next((other for other in beside if other.label == asked.instead), None)
    if replaced is not None:
        text += f", in place of the limit of the {_small(measured(replaced))}"
    if asked.only_if:
        text += " (where " + " and ".join(condition(item) for item in asked.only_if) + ")"
    reason = condition(asked.unless) if asked.unless is not None else "the reason is on record"
    if asked.otherwise is not None:
        text += f"; where {reason}: {_small(_form(asked.otherwise))}"
    elif asked.unless is not None:
        text += f"; where {reason}: not asked"
    return text


def criteria(scenario: Scenario) -> list[str]:
    """All criteria of a test, a sentence each."""
    return [criterion(asked, scenario.require) for asked in scenario.require]


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
        "longer": f"{a} lasts {by + ' ' if by else ''}longer than {b}",
        "measure": _measured(asked),
        "duration": f"duration of {a}: {_limit(asked)}",
        "assess": "assessed by a person",
    }[asked.form]
    return large(text)


def _measured(asked: Criterion) -> str:
    name = measured(asked)
    mean = f" (mean over {amount(asked.mean_over)})" if asked.mean_over is not None else ""
    return f"{name}{mean}: {_limit(asked)}"


def _limit(asked: Criterion) -> str:
    if asked.limit is None:
        return ""
    only = f" ({_only_for(asked.limit)})" if asked.limit.only else ""
    return f"{_SIGNS[asked.sign or '<=']} {amount(asked.limit.value)}{only}"


def _only_for(limit: Limit) -> str:
    """ "only for M3>8t, footnote ***": the categories that the mark of a limit's cell restricts it to."""
    notes = dict.fromkeys(source.footnote for word in limit.only for source in word.sources if source.footnote)
    return ", ".join([f"only for {', '.join(word.word for word in limit.only)}", *(f"footnote {mark}" for mark in notes)])


def axis_words(name: str, value: AxisValue) -> str:
    """How the document names the value of an axis, in a line of its own: of a header within a header, the inner one; a bare yes or no
    says of what."""
    words = _axis_inner(value)
    return f"{_small(axis(name, value))}: {words.lower()}" if words.lower() in ("yes", "no") else words


def axis_line(name: str, value: AxisValue) -> str:
    """An axis with its value, each said once, and how ids name it: "Load state: maximum mass (MaxMass)", "Type 2"."""
    words, head = _axis_inner(value), axis(name, value)
    if words.lower() in ("yes", "no"):
        words = words.lower()
    line = words if words.lower().startswith(head.lower()) else f"{head}: {words}"
    plain = re.sub(r"\W", "", value.token).lower()
    known = plain in re.sub(r"\W", "", words).lower() or plain in {re.sub(r"\W", "", cover).lower() for cover in value.covers}
    notes = [", ".join(value.covers)] if value.covers and value.covers != (value.value,) and ", ".join(value.covers) != words else []
    notes += [f"{value.token} in the id"] if value.token and not known else []
    return f"{line} ({'; '.join(notes)})" if notes else line


def _axis_inner(value: AxisValue) -> str:
    return (value.words or value.value).rpartition(" > ")[2]


def title(scenario: Scenario) -> str:
    """Title, axes and speeds of a test in one line, with the conditions under which they are asked: "Car to bicycle, M1, maximum mass,
    20 km/h", "Car to car, 58 km/h (where the declared speed is at least 58 km/h)"."""
    parts = [scenario.title, *(axis_words(name, value) for name, value in scenario.axes.items())]
    for name in ("subject", "target"):
        bound = scenario.bind.get(name)
        if isinstance(bound, Value) and not (name == "target" and bound.is_number and bound.lo == 0):
            speed = amount(bound) if name == "subject" else f"{role(name).lower()} {amount(bound)}"
            parts.append(f"{speed} ({' and '.join(holds(bound))})" if bound.holds_if else speed)
    conditions = " and ".join(condition(item) for item in scenario.applies_if)
    return ", ".join(parts) + (f" (only where {conditions})" if conditions else "")
