"""Measures that no formula gives: a trial stage is played, and the measure changed until a bound holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from regc.manoeuvres.plan import SUBJECT, TARGET
from regc.model.stage import Stage, System
from regc.motion import Seen, Trial


def least(low: float, high: float, step: float, fits: Callable[[float], bool]) -> float:
    """The least of `low`, `low + step`, ... up to `high` that fits, by bisection; `high` when none does."""
    below, above = -1, round((high - low) / step)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if fits(low + middle * step) else (middle, above)
    return low + above * step


def trial(stage: Stage) -> Trial:
    """What the subject vehicle without a system sees of its target, whatever the ends of the stage say but the last bound."""
    last = next(moment.value for moment in stage.end if moment.kind == "time")
    return Trial(stage.model_copy(update={"system": System()}), SUBJECT, TARGET, last)


def overlap_ends(seen: Iterable[Seen]) -> Seen | None:
    """The last moment of overlap before it ends for the first time; None when there is none."""
    last = None
    for now in seen:
        if now.overlap > 0:
            last = now
        elif last is not None:
            return last
    return last


def offset_reached(seen: Iterable[Seen], offset: float) -> Seen | None:
    """The first moment at which the middle of the target lies that far to the left of the subject vehicle's centre line (m), or farther
    (negative: to the right); None when it never does."""
    side = math.copysign(1, offset)
    return next((now for now in seen if side * now.offset >= side * offset), None)
