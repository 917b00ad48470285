"""Simulated repeats: the same test at another speed within the tolerance that the document states."""

from __future__ import annotations

import random
from decimal import Decimal

from regc.model.scenario import Scenario
from regc.model.value import Value

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


def at_speed(scenario: Scenario, offset: Decimal) -> Scenario:
    """The scenario driven at another test speed; the new numbers are marked assumed, limits stay those of the nominal one. What
    followed from the test speed follows from the new one."""
    if not offset:
        return scenario
    bind = dict(scenario.bind)
    for name in ("subject", "relative"):
        value = bind.get(name)
        if isinstance(value, Value) and value.lo is not None and value.hi is not None:
            bind[name] = value.model_copy(
                update={
                    "lo": value.lo + offset,
                    "hi": value.hi + offset,
                    "basis": "assumed",
                    "assumption": ASSUMPTION,
                    "tolerance": None,
                    "formula": "",
                }
            )
    gap = bind.get("gap")
    if isinstance(gap, Value) and gap.basis == "derived":
        del bind["gap"]
    return scenario.model_copy(update={"bind": bind})
