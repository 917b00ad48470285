"""Measures that no formula gives: a trial stage is played, and the measure changed until a bound holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from regc.manoeuvres.plan import SUBJECT, TARGET
from regc.model.stage import Stage, System
from regc.motion import Playback, Seen, play


def least(low: float, high: float, step: float, fits: Callable[[float], bool]) -> float:
    """The least of `low`, `low + step`, ... up to `high` that fits, by bisection; `high` when none does."""
    below, above = -1, round((high - low) / step)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if fits(low + middle * step) else (middle, above)
    return low + above * step


def views(run: Playback, since: float = 0.0, of: str = SUBJECT, to: str = TARGET) -> Iterator[tuple[int, Seen]]:
    """(sample, what is seen) from a time on."""
    first = math.ceil(since / float(run.time[1]) - 1e-6)
    for sample in range(first, run.time.size):
        yield sample, run.seen(of, to, sample)


def overlap_ends(run: Playback, since: float = 0.0) -> Seen | None:
    """The last moment of overlap before it ends for the first time; None when there is none."""
    last = None
    for _, seen in views(run, since):
        if seen.overlap > 0:
            last = seen
        elif last is not None:
            return last
    return last


def offset_reached(run: Playback, half_widths: float, since: float = 0.0) -> Seen | None:
    """The first moment at which the middle of the target lies that many half widths of the subject vehicle to the left of its centre
    line, or farther (negative: to the right); None when it never does."""
    half = run.tracks[SUBJECT].box.width / 2
    side = math.copysign(1, half_widths)
    for _, seen in views(run, since):
        if side * seen.offset >= side * half_widths * half:
            return seen
    return None


def run_through(stage: Stage) -> Playback:
    """The whole run of a trial stage without a system, whatever its ends say but the last bound."""
    last = next(moment.value for moment in stage.end if moment.kind == "time")
    return play(stage.model_copy(update={"system": System()}), until=last, to_end=False)
