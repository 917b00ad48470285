"""What reaches the driver and what the driver does: warnings, steering force, hands."""

from __future__ import annotations

import numpy as np

from regc.runs.channels import mode_channel
from regc.signals.reading import Argument, EventKind, Happening, Measured, Reading, Signal, extreme, flagged, unlogged
from regc.signals.thresholds import thresholds


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


def _steering_force(reading: Reading, mean_over: float) -> Measured:
    values = reading.log.get("steering_force")
    if values is None:
        return Measured(None, note="the log has no steering_force", bench_only=True)
    return extreme(reading, values, mean_over)


def _hands_off(reading: Reading, argument: Argument) -> Happening:
    log = reading.log
    if "hands_off" in log.flags:
        return flagged(reading, log.flags["hands_off"], log.observed("hands_off"), event="hands_off")
    return unlogged("hands off the steering control are not logged (hands_off)", bench_only=True)


SIGNALS = {
    "warning_modes": Signal(
        "",
        ("warning_acoustic", "warning_optical", "warning_haptic"),
        "in how many modes the warning was given",
        _warning_modes,
    ),
    "steering_force": Signal("N", ("steering_force",), "the largest force at the steering control", _steering_force),
}
EVENTS = {
    "warning": EventKind(
        ("warning", "warning_acoustic", "warning_optical", "warning_haptic"), "a warning of any mode begins", _warning
    ),
    "hands_off": EventKind(("hands_off",), "no hand is at the steering control", _hands_off),
}
