"""Is the log itself whole: samples, numbers, time, units, and channels that do not contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regc.judge.verdict import Check
from regc.runs.log import RunLog
from regc.signals.contact import closing_speed
from regc.signals.reading import Contact
from regc.signals.thresholds import Motion

#: A gap may not change by more or less than this share of what the closing speed says before the log's units are doubted.
_UNIT_DOUBT = 0.1
#: A step that is longer than so many usual ones, and than this time (s), is a hole.
_HOLE_STEPS, _HOLE_TIME = 5, 0.05


def log_checks(log: RunLog, motion: Motion, contact: Contact) -> Iterator[Check]:
    """What is wrong with the log itself, before any question of the regulation."""
    for kind, message in log.problems:
        yield Check(part="log", name="log", result="not_met" if kind == "invalid" else "missing", note=message)
    if log.time.size < 3:
        yield _wrong("samples", str(log.time.size), "a log of less than 3 samples")
        return
    bad = not_finite(log)
    if bad:
        yield _wrong("finite numbers", "", f"not a number in: {', '.join(bad)}")
        return
    steps = np.diff(log.time)
    if (steps <= 0).any():
        where = int(np.flatnonzero(steps <= 0)[0])
        yield _wrong("time", f"{log.time[where + 1]:.3f} s after {log.time[where]:.3f} s", "time does not run forward")
        return
    if steps.max() > max(_HOLE_STEPS * float(np.median(steps)), _HOLE_TIME):
        where = int(steps.argmax())
        yield _wrong("holes", f"{steps[where]:.3f} s", f"a hole after {log.time[where]:.3f} s")
        return
    yield from _units(log, motion, contact.first)
    for name, measured, against in contact.contradictions:
        yield _wrong(name, measured, against)


def readable(log: RunLog) -> bool:
    """Whether a log has numbers over time at all."""
    return log.time.size >= 3 and not not_finite(log) and bool((np.diff(log.time) > 0).all())


def not_finite(log: RunLog) -> list[str]:
    """Channels that hold something that is no number."""
    series = {"time": log.time, **log.channels}
    return [name for name, values in series.items() if not np.isfinite(values).all()]


def _wrong(name: str, measured: str, note: str) -> Check:
    return Check(part="log", name=name, result="not_met", measured=measured, note=note)


def _units(log: RunLog, motion: Motion, contact: int | None) -> Iterator[Check]:
    """Whether the gap closes by what the speeds say, up to the first contact, or until it is gone: some sensors stop there."""
    until = log.time.size if contact is None else contact
    gap, closing = log.get("gap"), closing_speed(log, motion)
    if gap is not None and gap[0] > 0 and (gap[:until] <= 0).any():
        until = int((gap[:until] <= 0).argmax())
    if gap is None or closing is None or until < 2 or motion == "":
        return
    travelled = float(gap[0] - gap[until - 1])
    said = float((np.diff(log.time[:until]) * (closing[1:until] + closing[: until - 1]) / 2).sum())
    slack = abs(float(closing[0])) * 2 * float(np.diff(log.time).max()) + 0.1
    if abs(travelled - said) <= _UNIT_DOUBT * abs(said) + slack:
        return
    ratio = said / travelled if travelled else float("inf")
    near = "km/h read as m/s" if 3 < ratio < 4.2 else "m/s read as km/h" if 0.23 < ratio < 0.33 else "another scale"
    yield _wrong("units", f"gap closes by {travelled:.2f} m, the speeds say {said:.2f} m", f"speeds and gap do not agree: {near}")
