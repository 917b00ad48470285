"""Simulated repeats: the same test at another speed within the tolerance that the document states."""

from __future__ import annotations

import random
from decimal import Decimal

from regc.model.scenario import Scenario
from regc.model.value import Value, Word

#: Repeats differ by whole steps of this size, in the unit of the test speed.
_STEP = Decimal("0.1")
ASSUMPTION = "A852"


def speed_offsets(scenario: Scenario, runs: int, seed: int) -> tuple[Decimal, ...]:
    """What to add to the test speed in each run (its own unit): nothing in the first, then different values within the tolerance,
    drawn from the seed. Shorter than `runs` when the tolerance has no room, or there is none."""
    speed = scenario.number("subject")
    if speed is None or speed.tolerance is None or not speed.is_number:
        return (Decimal(0),)
    low, high = int(speed.tolerance.minus / _STEP), int(speed.tolerance.plus / _STEP)
    steps = [step for step in range(-low, high + 1) if step]
    draw = random.Random(f"{scenario.id}:{seed}")
    chosen = draw.sample(steps, min(runs - 1, len(steps))) if runs > 1 else []
    return (Decimal(0), *(step * _STEP for step in chosen))


def at_speed(scenario: Scenario, offset: Decimal, target: Decimal = Decimal(0)) -> Scenario:
    """The scenario driven at other speeds of subject vehicle and target (offsets in their own units). The new numbers are marked
    assumed; limits stay those of the nominal ones. What followed from the speeds follows from the new ones."""
    if not offset and not target:
        return scenario
    bind = {name: value for name, value in scenario.bind.items() if name not in ("relative", "gap") or _is_cited(value)}
    subject, other, relative = (scenario.number(name) for name in ("subject", "target", "relative"))
    for name, by in (("subject", offset), ("target", target), ("relative", _closing(subject, other, relative, offset, target))):
        value = bind.get(name)
        if by and isinstance(value, Value) and value.lo is not None and value.hi is not None:
            bind[name] = value.model_copy(
                update={
                    "lo": value.lo + by,
                    "hi": value.hi + by,
                    "basis": "assumed",
                    "assumption": ASSUMPTION,
                    "tolerance": None,
                    "formula": "",
                }
            )
    return scenario.model_copy(update={"bind": bind})


def _is_cited(value: Value | Word) -> bool:
    return isinstance(value, Word) or value.basis != "derived"


def _closing(subject: Value | None, target: Value | None, relative: Value | None, offset: Decimal, by: Decimal) -> Decimal:
    """What a relative speed that the document states changes by; a target that crosses takes nothing of it away."""
    if subject is None or target is None or relative is None or None in (subject.lo, target.lo, relative.lo):
        return offset
    assert subject.lo is not None
    assert target.lo is not None
    return offset - by if relative.lo == subject.lo - target.lo else offset
