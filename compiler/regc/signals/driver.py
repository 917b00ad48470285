"""What reaches the driver and what the driver does: warnings, steering force, hands."""

from __future__ import annotations

import numpy as np

from regc.runs.log import mode_channel
from regc.signals.measurement import Argument, EventKind, Happening, Measured, Reading, Signal, flagged, on_record, thresholds, unlogged


def _warning(reading: Reading, argument: Argument) -> Happening:
    """A warning of any mode, the first to come, or of the mode that is named."""
    log = reading.log
    modes = log.warning_modes
    if isinstance(argument, str):
        if argument not in modes:
            return unlogged(f"the log has no warning_{argument}", bench_only=True)
        flag = log.flags[mode_channel(argument)]
        return flagged(reading, flag, log.observed(mode_channel(argument)))
    if not modes and "warning" not in log.info.events:
        return unlogged("the log has no warning channel")
    flags = np.zeros(log.time.shape, dtype=np.bool_)
    observed = np.ones(log.time.shape, dtype=np.bool_)
    for mode in modes:
        flags |= log.flags[mode_channel(mode)]
        observed &= log.observed(mode_channel(mode)) | log.flags[mode_channel(mode)]
    return flagged(reading, flags, observed, event="" if log.info.warning_lasts and modes else "warning")


def _warning_modes(reading: Reading, mean_over: float) -> Measured:
    """How many modes warned. A simulator's log names none."""
    log, part = reading.log, reading.part
    known = [mode for mode in log.warning_modes if mode and mode != "emergency"]  # an emergency signal follows a warning, and is none
    if not known:
        note = "the log has one warning channel that names no mode" if log.warning_modes else "the log has no warning channel"
        return Measured(None, note=note, shown="not observed", bench_only=True)
    warned = [mode for mode in known if log.flags[mode_channel(mode)][part].any()]
    count = len(warned)
    shown = f"{count} ({', '.join(warned) or 'none'})"
    begun = min((log.time[part][log.flags[mode_channel(mode)][part]][0] for mode in warned), default=np.inf)
    if not reading.outcome.over and log.time[reading.at.last] < begun + thresholds().flag_delay:
        return Measured(
            count, count, len(known), note="the log ends before a warning, or a further mode of it, could have come", shown=shown
        )
    unseen = [mode for mode in known if mode not in warned and not log.observed(mode_channel(mode))[part].all()]
    return Measured(count, count, count + len(unseen), shown=shown)


def _warning_count(reading: Reading, mean_over: float) -> Measured:
    """How many warnings began, of any mode; more may follow where the log ends too early."""
    warning = _warning(reading, "")
    if warning.watched_until == -np.inf:
        return Measured(None, note=warning.note)
    count = len(warning.spans)
    sure = warning.seen is not None and reading.outcome.over
    return Measured(count, count, count if sure else np.inf, note="" if sure else warning.note or reading.outcome.unknown)


def _hands_off(reading: Reading, argument: Argument) -> Happening:
    log = reading.log
    if "hands_off" in log.flags:
        return flagged(reading, log.flags["hands_off"], log.observed("hands_off"), event="hands_off")
    return unlogged("hands off the steering control are not logged (hands_off)", bench_only=True)


def _hands_on(reading: Reading, argument: Argument) -> Happening:
    """As logged, else where the flag of hands off goes off."""
    log = reading.log
    if "hands_on" in log.flags or "hands_on" in log.info.events:
        nothing = np.zeros(log.time.shape, dtype=np.bool_)
        return flagged(reading, log.flags.get("hands_on", nothing), log.observed("hands_on"), event="hands_on")
    if "hands_off" not in log.flags:
        return unlogged("hands back at the steering control are not logged (hands_on, or hands_off)", bench_only=True)
    off = flagged(reading, log.flags["hands_off"], log.observed("hands_off"))
    ends = tuple((end, None) for _, end in off.spans if end is not None)
    if off.seen and not ends:
        return Happening(False if reading.outcome.over else None, (), off.watched_until, "the hands stay off")
    return Happening(off.seen and bool(ends), ends, off.watched_until, off.note, off.proxy)


SIGNALS = {
    "warning_modes": Signal(
        "",
        ("warning_acoustic", "warning_optical", "warning_haptic"),
        "in how many modes the warning was given",
        _warning_modes,
    ),
    "steering_force": Signal("N", ("steering_force",), "the largest force at the steering control", on_record("steering_force")),
    "steering_torque": Signal("Nm", ("steering_torque",), "the largest torque at the steering control", on_record("steering_torque")),
    "steering_angle": Signal("deg", ("steering_angle",), "the largest angle of the steering control", on_record("steering_angle")),
    "warning_count": Signal(
        "", ("warning", "warning_acoustic", "warning_optical", "warning_haptic"), "how many warnings were given", _warning_count
    ),
}
EVENTS = {
    "warning": EventKind(
        ("warning", "warning_acoustic", "warning_optical", "warning_haptic"), "a warning of any mode begins", _warning
    ),
    "hands_on": EventKind(("hands_on", "hands_off"), "hands are back at the steering control", _hands_on),
    "hands_off": EventKind(("hands_off",), "no hand is at the steering control", _hands_off),
}
