"""Motion to the side: lateral acceleration and jerk, crossing of a line, change of lane."""

from __future__ import annotations

import numpy as np

from regc.runs.geometry import Series
from regc.signals.reading import Argument, EventKind, Happening, Measured, Onset, Reading, Signal, extreme, flagged, unlogged


def _channel(name: str, reading: Reading, mean_over: float) -> Measured:
    values = reading.log.get(name)
    return Measured(None, note=f"the log has no {name}") if values is None else extreme(reading, values, mean_over)


def _lateral_acceleration(reading: Reading, mean_over: float) -> Measured:
    return _channel("lateral_acceleration", reading, mean_over)


def _lateral_jerk(reading: Reading, mean_over: float) -> Measured:
    return _channel("lateral_jerk", reading, mean_over)


def _line_crossed(reading: Reading, argument: Argument) -> Happening:
    """The outside of a front tyre lies so many metres past the outer edge of the marking; the moment is interpolated."""
    return _past(reading, argument if isinstance(argument, float) else 0.0)


def _past(reading: Reading, beyond: float) -> Happening:
    """The nearer front tyre is so many metres past the marking."""
    log, at = reading.log, reading.at
    distance = log.get("line_distance")
    if distance is None:
        needs = "line_distance, or poses with track_width, tyre_width, front_axle and marking"
        return unlogged(f"the distance to the line is not logged ({needs})")
    past = distance <= -beyond + 1e-9
    spans: list[tuple[Onset, Onset | None]] = []
    on = past[at.functional : at.last + 1].astype(np.int8)
    for start in at.functional + np.flatnonzero(np.diff(np.concatenate(([0], on))) == 1):
        moment = _reached(log.time, distance, -beyond, int(start))
        off = start + np.flatnonzero(~past[start : at.last + 1])
        back = _reached(log.time, distance, -beyond, int(off[0])) if off.size else None
        spans.append((Onset(moment, moment), None if back is None else Onset(back, back)))
    until = float(log.time[at.last])
    if spans:
        return Happening(True, tuple(spans), until)
    # Nothing tells when a drift is over but that the vehicle goes back; the log's end alone does not.
    went_back = bool(distance[at.last] > distance[at.functional : at.last + 1].min() + 0.05)
    return Happening(
        False if went_back or reading.outcome.over else None, (), until, "" if went_back else "the log ends before the line is crossed"
    )


def _reached(time: Series, values: Series, level: float, sample: int) -> float:
    """When a channel went through a level, between the sample before and this one."""
    if sample == 0 or values[sample] == values[sample - 1]:
        return float(time[sample])
    share = float((level - values[sample - 1]) / (values[sample] - values[sample - 1]))
    return float(time[sample - 1] + min(max(share, 0.0), 1.0) * (time[sample] - time[sample - 1]))


def _lane_change(reading: Reading, argument: Argument) -> Happening:
    """As logged; else the farther front tyre is past the marking too."""
    log = reading.log
    if "lane_change" in log.flags or "lane_change" in log.info.events:
        nothing = np.zeros(log.time.shape, dtype=np.bool_)
        return flagged(reading, log.flags.get("lane_change", nothing), log.observed("lane_change"), event="lane_change")
    track_width, tyre_width = log.info.track_width, log.info.tyre_width
    if track_width is None or tyre_width is None or log.get("line_distance") is None:
        return unlogged("a change of lane is not logged (lane_change, or line_distance with track_width and tyre_width)")
    return _past(reading, track_width + tyre_width)


SIGNALS = {
    "lateral_acceleration": Signal("m/s2", ("lateral_acceleration",), "the largest lateral acceleration", _lateral_acceleration),
    "lateral_jerk": Signal("m/s3", ("lateral_jerk",), "the largest lateral jerk", _lateral_jerk),
}
EVENTS = {
    "line_crossed": EventKind(
        ("line_distance",), "the outside of a front tyre is that far past the outer edge of the marking", _line_crossed
    ),
    "lane_change": EventKind(("lane_change",), "the subject vehicle changes lanes", _lane_change),
}
