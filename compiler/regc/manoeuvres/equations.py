"""What a test leaves open, and what of it follows from the rest by the equations of its manoeuvre (data of the vocabulary)."""

from __future__ import annotations

from functools import lru_cache

from regc.model.formula import names
from regc.model.scenario import Scenario
from regc.model.value import Value
from regc.tomlfiles import packaged

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
    found: dict[str, str] = {}
    for name in sorted(opened, key=lambda name: values[name].basis != "cited"):
        right = next((right for left, right in rules if left == name and set(names(right)) <= known), "")
        if right:
            found[name] = right
        known.add(name)
    return found


def independent(scenario: Scenario) -> tuple[str, ...]:
    """The bindings with a range of their own."""
    follow = dependent(scenario)
    return tuple(name for name, bound in scenario.bind.items() if isinstance(bound, Value) and bound.is_range and name not in follow)
