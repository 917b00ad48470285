"""Simulated repeats: the same test at another speed within the tolerance that the document states."""

from __future__ import annotations

import random
from decimal import Decimal

from regc.model.scenario import Scenario, Subject
from regc.model.source import Quantity

#: Repeats differ by whole steps of this size, in the unit of the test speed.
_STEP = Decimal("0.1")
ASSUMPTION = "A852"


def speed_offsets(scenario: Scenario, runs: int, seed: int) -> tuple[Decimal, ...]:
    """What to add to the test speed in each run (its own unit): nothing in the first, then different values within the tolerance,
    drawn from the seed. Shorter than `runs` when the tolerance has no room, or there is none."""
    tolerance = scenario.subject.test_speed.tolerance
    if tolerance is None:
        return (Decimal(0),)
    steps = [step for step in range(-int(tolerance.minus / _STEP), int(tolerance.plus / _STEP) + 1) if step]
    draw = random.Random(f"{scenario.id}:{seed}")
    chosen = draw.sample(steps, min(runs - 1, len(steps))) if runs > 1 else []
    return (Decimal(0), *(step * _STEP for step in chosen))


def at_speed(scenario: Scenario, offset: Decimal) -> Scenario:
    """The scenario driven at another test speed; the new number is marked assumed, limits and tolerances stay those of the nominal."""
    if not offset:
        return scenario
    speed = scenario.subject.test_speed
    changed = Quantity(
        value=speed.value + offset, unit=speed.unit, bound=speed.bound, basis="assumed", sources=speed.sources, assumption=ASSUMPTION
    )
    return scenario.model_copy(update={"subject": Subject(test_speed=changed)})
