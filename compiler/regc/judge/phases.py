"""The part of a run in which a phase of a sequence lies: from the moment that the log marks to the next one, or to what ends it.

A log marks a phase by the event "phase_NAME" of its sidecar: files of regc announce it, and whoever drives the test by hand writes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from regc.model.criterion import Criterion
from regc.model.scenario import Scenario
from regc.signals.reading import Reading

#: When a predicate held first, in s; None where it did not, or the log does not show it.
Held = Callable[[Criterion, Reading], float | None]


def phase_part(scenario: Scenario, reading: Reading, name: str, held: Held) -> Reading | str:
    """The run within a phase, or why the log does not show it. A phase that `until` ends is over when that first holds in it."""
    names = [phase.name for phase in scenario.phases]
    index = names.index(name)
    begins = _begins(scenario, reading, index, held)
    if begins is None:
        return f"the log marks no beginning of the phase {name} (event phase_{name} in the run's sidecar)"
    whole = _within(reading, begins, None, name)
    if whole is None:
        return f"the log ends before the phase {name} begins"
    until = scenario.phases[index].until
    ends = held(until, whole) if until is not None else None
    if ends is None and index + 1 < len(names):
        ends = _begins(scenario, reading, index + 1, held)
        if ends is None:
            return f"the log does not show when the phase {name} ends"
    return whole if ends is None else _within(reading, begins, ends, name) or whole


def _begins(scenario: Scenario, reading: Reading, index: int, held: Held) -> float | None:
    """When a phase begins: as the log marks it, where the phase before ends by its predicate, or, the first one, with the functional
    part."""
    phase = scenario.phases[index]
    marked = reading.log.info.events.get(f"phase_{phase.name}")
    if marked is not None:
        return marked
    if index == 0:
        return reading.at.begins
    before = scenario.phases[index - 1]
    start = _begins(scenario, reading, index - 1, held) if before.until is not None else None
    part = None if start is None else _within(reading, start, None, before.name)
    return held(before.until, part) if before.until is not None and part is not None else None


def _within(reading: Reading, begins: float, ends: float | None, name: str) -> Reading | None:
    """The run from a moment to another (None: as far as it goes), in s; None where it ends before."""
    time, at = reading.log.time, reading.at
    first = int(np.searchsorted(time, begins - reading.log.step / 2))
    last = at.last if ends is None else min(at.last, int(np.searchsorted(time, ends - reading.log.step / 2)) - 1)
    if first > last:
        return None
    over = reading.outcome.over or (ends is not None and last < at.last)
    contact = at.contact if at.contact is not None and last == at.last else None
    window = replace(at, functional=first, last=last, contact=contact, begins=begins, after=begins)
    outcome = reading.outcome if contact is not None or last == at.last else replace(reading.outcome, collided=False, unknown="")
    return replace(reading, at=window, outcome=replace(outcome, over=over), phase=name)
