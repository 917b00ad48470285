"""What a steering system, its driver and the engine do: procedures, interventions, changes of lane that end, hand-overs, detection.

No simulator logs these: a flag channel or an event of the sidecar marks them, from the record of the test. In a model's run they are
not judged, and listed; in a record run without them the criterion is incomplete.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from regc.signals.measurement import Argument, EventKind, Happening, Measured, Reading, Signal, flagged, unlogged


def _marked(name: str, what: str) -> Callable[[Reading, Argument], Happening]:
    """An event that a flag channel or the sidecar's event of its name marks; a number asks for that one of several."""

    def find(reading: Reading, argument: Argument) -> Happening:
        log = reading.log
        if name not in log.flags and name not in log.info.events:
            return unlogged(f"{what} is not logged (channel or event {name})", bench_only=True)
        flags = log.flags.get(name, np.zeros(log.time.shape, dtype=np.bool_))
        return _ordinal(flagged(reading, flags, log.observed(name), event="" if name in log.flags else name), argument)

    return find


def _ordinal(steered: Happening, argument: Argument) -> Happening:
    """The n-th time that an event happened: from there on."""
    count = int(argument) if isinstance(argument, float) else 0
    if count <= 1 or not steered.seen:
        return steered
    if len(steered.spans) < count:
        return Happening(False, (), steered.watched_until, f"it came {len(steered.spans)} times", steered.proxy)
    return Happening(True, steered.spans[count - 1 :], steered.watched_until, steered.note, steered.proxy)


def _lane_change_end(reading: Reading, argument: Argument) -> Happening:
    """Where the flag of the change of lane goes off, or the event of that name."""
    log = reading.log
    if "lane_change_end" in log.flags or "lane_change_end" in log.info.events:
        return _marked("lane_change_end", "the end of a change of lane")(reading, argument)
    if "lane_change" not in log.flags:
        return unlogged("the end of a change of lane is not logged (lane_change, or the event lane_change_end)", bench_only=True)
    change = flagged(reading, log.flags["lane_change"], log.observed("lane_change"))
    ends = tuple((end, None) for _, end in change.spans if end is not None)
    if change.seen and not ends:
        return Happening(None, note="the log ends in the change of lane", bench_only=False)
    return Happening(change.seen and bool(ends), ends, change.watched_until, change.note, change.proxy)


def _engine(name: str, *, running: bool) -> Callable[[Reading, Argument], Happening]:
    """Where the flag engine_running goes on, or off; else the event of that name."""

    def find(reading: Reading, argument: Argument) -> Happening:
        flags, seen = reading.log.flags.get("engine_running"), reading.log.observed("engine_running")
        if flags is None:
            return _marked(name, f"the {name.replace('_', ' ')}")(reading, argument)
        wanted = (flags if running else ~flags) & seen
        changed = np.flatnonzero(~wanted[reading.at.functional :])  # what is so from the beginning has not begun
        first = reading.at.functional + int(changed[0]) if changed.size else wanted.size
        return flagged(reading, np.where(np.arange(wanted.size) < first, False, wanted), seen)

    return find


def _detection_distance(reading: Reading, mean_over: float) -> Measured:
    """The distance to the road user at the first sample in which the system has detected it: behind the subject vehicle where the log
    has a rear_gap, else ahead of it. It was detected between that sample and the one before."""
    log, part = reading.log, reading.part
    distance = log.get("rear_gap") if log.get("rear_gap") is not None else log.get("gap")
    if "detected" not in log.flags or distance is None:
        return Measured(None, note="the log has no detected with rear_gap or gap", bench_only=True)
    seen = np.flatnonzero(log.flags["detected"][part])
    if not seen.size:
        whole = bool(log.observed("detected")[part].all()) and reading.outcome.over
        return Measured(0.0, 0.0, 0.0, shown="not detected") if whole else Measured(None, note="not detected in what the log shows")
    first = int(seen[0]) + reading.at.functional
    before = max(first - 1, 0)
    least, most = sorted((float(distance[first]), float(distance[before])))
    return Measured(float(distance[first]), least, most)


SIGNALS = {
    "detection_distance": Signal(
        "m", ("detected", "rear_gap", "gap"), "the distance to the road user when the system detects it", _detection_distance
    ),
}
EVENTS = {
    name: EventKind((name,), definition, _marked(name, what))
    for name, what, definition in (
        ("procedure", "the start of the procedure", "the driver starts a procedure of the system"),
        ("second_action", "the second action", "the driver confirms a procedure of the system"),
        ("lateral_movement", "the movement towards the line", "the subject vehicle begins to move towards the line"),
        ("intervention", "an intervention of the system", "the system intervenes; with a number, that intervention"),
        ("deactivation", "the deactivation", "the system hands over"),
    )
} | {
    "engine_stop": EventKind(("engine_running",), "the engine of the subject vehicle stops", _engine("engine_stop", running=False)),
    "engine_start": EventKind(("engine_running",), "the engine of the subject vehicle starts", _engine("engine_start", running=True)),
    "lane_change_end": EventKind(("lane_change", "lane_change_end"), "the change of lane is over", _lane_change_end),
}
