"""Motion to the side: lateral acceleration, jerk and speed, place in the lane, yaw rate, crossing of a line, change of lane."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from regc.runs.geometry import Series
from regc.runs.log import RunLog, drift
from regc.signals.measurement import Argument, EventKind, Happening, Measured, Onset, Reading, Signal, extreme, flagged, mean, unlogged


def _channel(name: str, reading: Reading, mean_over: float) -> Measured:
    values = reading.log.get(name)
    return Measured(None, note=f"the log has no {name}") if values is None else extreme(reading, values, mean_over)


def _lateral_acceleration(reading: Reading, mean_over: float) -> Measured:
    return _channel("lateral_acceleration", reading, mean_over)


def _lateral_jerk(reading: Reading, mean_over: float) -> Measured:
    return _channel("lateral_jerk", reading, mean_over)


def _lane_offset_of(log: RunLog) -> tuple[Series | None, str]:
    """The offset from the middle of the lane, and what stood in for its channel: of a simulated run on a straight road the poses, which
    begin in it. Where a vehicle that was driven began, only its log can say."""
    values, track = log.get("lane_offset"), log.tracks.get("subject")
    if values is not None or track is None or log.info.marking is None or not log.info.simulated:
        return values, ""
    return drift(track), "from the poses, which begin in the middle of a straight lane"


def _lane_offset(reading: Reading, mean_over: float) -> Measured:
    """The greatest offset to either side."""
    values, proxy = _lane_offset_of(reading.log)
    if values is None:
        return Measured(None, note="the log has no lane_offset, nor poses of a simulated run on a road with a marking")
    return replace(extreme(reading, values, mean_over), proxy=proxy)


def _lateral_speed(reading: Reading, mean_over: float) -> Measured:
    """The greatest speed to either side: the channel, else how fast the offset from the lane or the distance to a line changes."""
    log = reading.log
    values, proxy = log.get("lateral_speed"), ""
    if values is None and log.time.size > 1:
        place, _ = _lane_offset_of(log)
        place, name = (place, "lane_offset") if place is not None else (log.get("line_distance"), "line_distance")
        values, proxy = (None, "") if place is None else (np.gradient(place, log.time), f"from the change of {name}")
    if values is None:
        return Measured(None, note="the log has no lateral_speed, lane_offset or line_distance")
    return replace(extreme(reading, values, mean_over), proxy=proxy)


def _line_distance(reading: Reading, mean_over: float) -> Measured:
    """The least distance of the nearer front tyre to the marking."""
    values, outcome = reading.log.get("line_distance"), reading.outcome
    if values is None:
        return Measured(None, note="the log has no line_distance, nor poses with track_width, tyre_width, front_axle and marking")
    part = (mean(values, reading.log.time, mean_over) if mean_over else values)[reading.part]
    if not part.size or not np.isfinite(part).any():
        return Measured(None, note="too short for its mean")
    least = float(np.nanmin(part))
    return Measured(least, least if outcome.over else -np.inf, least, note="" if outcome.over else outcome.unknown)


def _yaw_rate(reading: Reading, mean_over: float) -> Measured:
    """The channel, else how fast the heading of the poses changes."""
    log, track = reading.log, reading.log.tracks.get("subject")
    values, proxy = log.get("yaw_rate"), ""
    if values is None and track is not None and log.time.size > 1:
        values, proxy = np.gradient(np.unwrap(track.heading), log.time), "from the heading of the poses"
    if values is None:
        return Measured(None, note="the log has no yaw_rate, nor poses")
    return replace(extreme(reading, values, mean_over), proxy=proxy)


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
    "lateral_speed": Signal(
        "m/s", ("lateral_speed", "lane_offset", "line_distance"), "the largest speed to either side of the lane", _lateral_speed
    ),
    "lane_offset": Signal(
        "m", ("lane_offset",), "the largest offset of the subject vehicle's middle from the middle of its lane", _lane_offset
    ),
    "line_distance": Signal(
        "m", ("line_distance",), "the least distance of a front tyre to the marking, below 0 past it", _line_distance
    ),
    "yaw_rate": Signal("deg/s", ("yaw_rate", "subject_heading"), "the largest yaw rate", _yaw_rate),
}
EVENTS = {
    "line_crossed": EventKind(
        ("line_distance",), "the outside of a front tyre is that far past the outer edge of the marking", _line_crossed
    ),
    "lane_change": EventKind(("lane_change",), "the subject vehicle changes lanes", _lane_change),
}
