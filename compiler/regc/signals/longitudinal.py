"""Braking: of the system under test, of the driver, and what the system adds to the driver's."""

from __future__ import annotations

import numpy as np

from regc.runs.geometry import Flags, Series
from regc.runs.log import RunLog
from regc.signals.contact import DEMAND_NOISE
from regc.signals.measurement import (
    Argument,
    EventKind,
    Happening,
    Measured,
    Reading,
    Signal,
    flagged,
    mean,
    on_record,
    thresholds,
    unlogged,
)

#: What a logged deceleration must exceed (m/s2) to count as braking and not as noise of the channel.
DECELERATION_NOISE = 0.5
_PROXY = "deceleration of the vehicle"


def _braking_demand(reading: Reading, mean_over: float) -> Measured:
    """With a channel of the demand its largest value. Without one the deceleration is a lower bound of it."""
    demand, deceleration = reading.log.get("braking_demand"), reading.log.get("deceleration")
    unknown = "" if reading.outcome.over else reading.outcome.unknown
    if demand is not None:
        part = (mean(demand, reading.log.time, mean_over) if mean_over else demand)[reading.part]
        top = float(np.nanmax(part))
        return Measured(top, top, np.inf if unknown else top, note=unknown or reading.log.evidence.get("braking_demand", ""))
    if deceleration is None:
        return Measured(None, note="the log has neither a braking demand nor a deceleration")
    top = largest_mean(deceleration[reading.part], reading.log.time[reading.part], mean_over or thresholds().deceleration_time)
    note = "no braking demand was logged; the deceleration stands in for it, which is at most what was demanded"
    return Measured(top, top, np.inf, note=unknown or note, proxy=_PROXY)


def largest_mean(values: Series, time: Series, over: float) -> float:
    """The largest mean over the time `over` (s); 0 for a shorter part."""
    way = np.concatenate(([0.0], np.cumsum(np.diff(time) * values[1:])))
    ends = np.searchsorted(time, time + over - 1e-9)
    starts = np.flatnonzero(ends < time.size)
    if not starts.size:
        return 0.0
    ends = ends[starts]
    return float(((way[ends] - way[starts]) / (time[ends] - time[starts])).max())


def deceleration_of(log: RunLog) -> Series | None:
    """How hard the subject vehicle slows down (m/s2): the log's own channel, else from its speed."""
    own, speed = log.get("deceleration"), log.get("subject_speed")
    if own is not None or speed is None or log.time.size < 2:
        return own
    return np.asarray(-np.gradient(speed, log.time))


def _added_deceleration(reading: Reading, mean_over: float) -> Measured:
    """The largest deceleration beyond that of the driver's own braking: beyond a channel of it, or beyond the same run without a
    system, from the start of the functional part on; without braking by the driver all of it."""
    log, part = reading.log, reading.part
    own = deceleration_of(log)
    if own is None:
        return Measured(None, note="the log has neither a deceleration nor a speed of the subject vehicle")
    base, proxy = log.get("driver_deceleration"), ""
    if base is None and not reading.manual_braking:
        base = np.zeros(own.shape)
    elif base is None:
        other = deceleration_of(reading.base[0]) if reading.base is not None else None
        if reading.base is None or other is None:
            note = "the driver brakes, and the log has neither driver_deceleration nor a run without the system beside it"
            return Measured(None, note=note)
        paired, begun = reading.base
        shifted = log.time - reading.at.begins + begun
        if shifted[reading.at.last] > paired.time[-1] + 1e-9:
            return Measured(None, note="the run without the system is shorter than this one")
        base, proxy = np.interp(shifted, paired.time, other), "the run without the system"
    added = own - base
    least = largest_mean(added[part], log.time[part], mean_over or thresholds().deceleration_time)
    most = float(added[part].max()) if not mean_over else least
    unknown = "" if reading.outcome.over else reading.outcome.unknown
    note = unknown or log.evidence.get("driver_deceleration", "")
    return Measured(least, least, np.inf if unknown else max(most, least), note=note, proxy=proxy)


def _braking(reading: Reading, argument: Argument) -> Happening:
    """The start of the system's braking. A deceleration tells of one only where the driver does not brake."""
    log = reading.log
    demand, deceleration = log.get("braking_demand"), log.get("deceleration")
    all_seen: Flags = np.ones(log.time.shape, dtype=np.bool_)
    if demand is not None:
        return flagged(reading, demand > DEMAND_NOISE, all_seen, event="braking")
    if "braking" in log.info.events:
        return flagged(reading, ~all_seen, all_seen, event="braking")
    if deceleration is None or reading.manual_braking:
        return unlogged(
            "the start of braking is not logged" if deceleration is None else "the vehicle's deceleration is the driver's too"
        )
    # A vehicle slows down some time after it was asked to, and a demand too weak to show in it is not seen.
    braking = flagged(reading, deceleration > DECELERATION_NOISE, all_seen, delay=thresholds().brake_delay, proxy=_PROXY)
    if braking.seen is False:
        return Happening(
            None, (), braking.watched_until, "no braking demand was logged, and a deceleration does not show that none was made", _PROXY
        )
    return braking


def _driver_brake(reading: Reading, argument: Argument) -> Happening:
    log = reading.log
    for channel in ("driver_brake", "driver_input"):
        if channel in log.flags:
            return flagged(reading, log.flags[channel], log.observed(channel), event="driver_brake")
    own = log.get("driver_deceleration")
    if own is not None or "driver_brake" in log.info.events:
        on = own > DECELERATION_NOISE if own is not None else np.zeros(log.time.shape, dtype=np.bool_)
        return flagged(reading, on, np.ones(log.time.shape, dtype=np.bool_), event="driver_brake")
    return unlogged("braking by the driver is not logged (driver_brake, driver_input or driver_deceleration)")


SIGNALS = {
    "braking_demand": Signal(
        "m/s2", ("braking_demand", "deceleration"), "the largest demand of the system in the functional part", _braking_demand
    ),
    "added_deceleration": Signal(
        "m/s2", ("deceleration", "driver_deceleration"), "the largest deceleration beyond that of the driver's own braking",
        _added_deceleration,
    ),
    "longitudinal_jerk": Signal("m/s3", ("longitudinal_jerk",), "the largest longitudinal jerk", on_record("longitudinal_jerk")),
}  # fmt: skip
EVENTS = {
    "braking": EventKind(("braking_demand", "deceleration"), "the system demands braking", _braking),
    "driver_brake": EventKind(("driver_brake", "driver_input", "driver_deceleration"), "the driver brakes", _driver_brake),
}
