"""Tests with ranges as concrete tests: the ends of every independent range, combined, and points between where asked.

What follows from other bindings by an equation of the manoeuvre is no range of its own: it is calculated again at each corner. A
symbol, and a value with one open side, have no corner. "Another one than the first run's" takes the ends in the other order, so that
the run beside it has the other end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import product

from regc.errors import StagingError
from regc.manoeuvres.sheet import to_si
from regc.model.formula import evaluate, names
from regc.model.scenario import Scenario
from regc.model.value import Value, Word
from regc.tomlfiles import packaged


def corners(scenario: Scenario, points: int = 0) -> list[Scenario]:
    """Concrete tests of a test, [itself] where nothing is open, [] where a symbol or an open side leaves no corner.

    `points`: values between the ends of each range. Ids are the test's with the values of the ranges behind: "..._010",
    "..._012-000.3".
    """
    if points < 0:
        raise StagingError(f"--points {points}: values between the ends of a range", hint="0 or more")
    rules = equations(scenario.manoeuvre)
    numbers = {name: bound for name, bound in scenario.bind.items() if isinstance(bound, Value)}
    own = independent(scenario)
    opened = [name for name, value in numbers.items() if is_open(name, value)]
    if not opened:
        return [scenario]
    if not own or any(not _follows(name, numbers, own, rules) for name in opened if name not in own):
        return []
    made = []
    for chosen in product(*(_along(numbers[name], points + 2) for name in own)):
        values = dict(zip(own, chosen, strict=True))
        bind = _solved(scenario, values, rules)
        suffix = "-".join(number_token(values[name].number) for name in own)
        made.append(scenario.model_copy(update={"id": f"{scenario.id}_{suffix}", "bind": bind}))
    return made


def _follows(name: str, numbers: Mapping[str, Value], own: Sequence[str], rules: Sequence[Equation]) -> bool:
    """Whether an open binding is settled by equations once the independent ones are."""
    settled = {key for key, value in numbers.items() if not is_open(key, value)} | set(own)
    while True:
        more = {left for left, right in rules if left not in settled and set(names(right)) <= settled}
        if not more:
            return name in settled
        settled |= more


def _along(value: Value, points: int) -> list[Value]:
    """The ends of a range and what lies evenly between; in the other order for a run that must differ."""
    lo, hi = value.lo, value.hi
    if lo is None or hi is None:
        raise ValueError("no range")
    ends = {0: lo, points - 1: hi}
    made = []
    for count in range(points):
        between = count not in ends
        number = ends.get(count, round(lo + (hi - lo) * count / (points - 1), 6).normalize() + Decimal(0))
        update: dict[str, object] = {"lo": number, "hi": number, "differs": False, "bound": "eq"}
        if between:
            update |= {"basis": "derived", "formula": f"{lo:f} + ({hi:f} - {lo:f}) * {count} / {points - 1}"}
        made.append(value.model_copy(update=update))
    return made[::-1] if value.differs else made


def _solved(scenario: Scenario, values: Mapping[str, Value], rules: Sequence[Equation]) -> dict[str, Value | Word]:
    """The bindings with these values, and with what follows from them."""
    bind = {**scenario.bind, **values}
    open_ = {name for name, value in bind.items() if isinstance(value, Value) and is_open(name, value)}
    while open_:
        left, right = next((rule for rule in rules if rule[0] in open_ and not set(names(rule[1])) & open_), ("", ""))
        if not left:
            break
        bind[left] = _calculated(bind, left, right)
        open_.remove(left)
    return bind


def _calculated(bind: Mapping[str, Value | Word], left: str, right: str) -> Value:
    before = bind[left]
    known: dict[str, float] = {}
    for name in names(right):
        value = bind[name]
        if isinstance(before, Word) or isinstance(value, Word):
            raise StagingError(f"{left} = {right}: {name} is a word", hint="see the manoeuvre's equations")
        known[name] = evaluate(f"x{to_si(value.unit)[0]}", {"x": float(value.number)})
    if isinstance(before, Word):
        raise StagingError(f"{left} = {right}: {left} is a word", hint="see the manoeuvre's equations")
    factor = evaluate(f"1{to_si(before.unit)[0]}", {})
    number = round(Decimal(str(evaluate(right, known) / factor)), 6).normalize() + Decimal(0)
    update = {"lo": number, "hi": number, "symbol": "", "differs": False, "basis": "derived", "formula": right}
    sources = before.sources or next(iter(bind[name].sources for name in names(right)), ())
    return before.model_copy(update={**update, "sources": sources})


def number_token(number: Decimal) -> str:
    """A number in an id: 42 is 042, 0.3 is 000.3."""
    text = format(number.normalize(), "f")
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, dot, rest = text.partition(".")
    return re.sub(r"[^0-9.+-]", "", f"{sign}{whole.zfill(3)}{dot}{rest}")


# ---- what a test leaves open, and what of it follows from the rest by the equations of its manoeuvre (data of the vocabulary).


#: Bindings whose one-sided value leaves nothing open: any value beyond the bound is the same test.
ROOMY = ("lane_width", "straight_time", "approach_distance")
#: "relative = subject - target" as (left, right)
Equation = tuple[str, str]


@lru_cache(maxsize=1)
def _vocabulary() -> dict[str, tuple[Equation, ...]]:
    data = packaged("lang", "vocabulary.toml")
    split = {name: (text.split("=", 1) for text in item.get("equations", ())) for name, item in data["manoeuvre"].items()}
    return {name: tuple((left.strip(), right.strip()) for left, right in texts) for name, texts in split.items()}


def equations(manoeuvre: str) -> tuple[Equation, ...]:
    """How the bindings of a manoeuvre follow from each other, as the vocabulary says."""
    return _vocabulary().get(manoeuvre, ())


def is_open(name: str, value: Value) -> bool:
    """Whether a binding leaves a choice: a range, a symbol, "another one", or only one side of what matters."""
    return not value.is_number or value.differs or (value.bound in ("gt", "lt", "ne") and name not in ROOMY)


def dependent(scenario: Scenario) -> dict[str, str]:
    """Open bindings that follow from others, and the formula over them: "target" is "subject - relative". What the document says
    itself is taken first."""
    rules = equations(scenario.manoeuvre)
    values = {name: bound for name, bound in scenario.bind.items() if isinstance(bound, Value)}
    opened = [name for name, value in values.items() if is_open(name, value)]
    known = set(values) - set(opened)
    formulas_of: dict[str, str] = {}
    for name in sorted(opened, key=lambda name: values[name].basis != "cited"):
        right = next((right for left, right in rules if left == name and set(names(right)) <= known), "")
        if right:
            formulas_of[name] = right
        known.add(name)
    return formulas_of


def independent(scenario: Scenario) -> tuple[str, ...]:
    """The bindings with a range of their own."""
    follow = dependent(scenario)
    return tuple(name for name, bound in scenario.bind.items() if isinstance(bound, Value) and bound.is_range and name not in follow)
