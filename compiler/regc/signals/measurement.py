"""What signals and events are read from, and what they give: numbers with the bracket that the samples leave, moments in time; and
when a log is doubted (`data/judging.toml`, in SI units but for km/h where the name says so)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from regc.model.units import metres_per_second
from regc.runs.geometry import Flags, Series
from regc.runs.log import RunLog
from regc.tomlfiles import packaged

#: How the target moves, seen along the subject vehicle's path ("": only poses tell); data/signals.toml says what each means.
Motion = Literal["along", "across", "beside", "bend", "turned", "through", ""]


class Thresholds(BaseModel):
    """The numbers of judging.toml; what each is for stands there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    speed_step: float
    speed_step_time: float
    flag_delay: float
    flag_gap: float
    standstill_time: float
    standstill_speed: float
    gap_error: float
    held_distance: float
    held_time: float
    brake_delay: float
    brake_share: float
    undemanded_share: float
    undemanded_speed: float
    sign_noise: float
    deceleration_time: float
    least_half_width: float
    mass_ratio: float
    driven_by_hand: tuple[str, ...]

    @property
    def standing(self) -> float:
        """The speed in m/s below which a body stands."""
        return metres_per_second(self.standstill_speed)


@lru_cache(maxsize=1)
def thresholds() -> Thresholds:
    """The packaged numbers."""
    return Thresholds.model_validate(packaged("data", "judging.toml"))


@lru_cache(maxsize=1)
def _motions() -> dict[str, Motion]:
    motions: dict[str, Motion] = packaged("data", "signals.toml")["motion"]
    return motions


def motion_of(manoeuvre: str) -> Motion:
    """How the target of a manoeuvre of the vocabulary moves."""
    return _motions().get(manoeuvre, "")


#: What an event takes: a number in SI, or a word of the vocabulary.
Argument = float | str

#: What a float lacks in its last digits decides nothing (m/s, m/s2, m, s).
FLOAT_NOISE = 1e-6
#: Why a run is incomplete when a bound lies between what two samples say.
OPEN = "the bound lies between two samples, so the log leaves it open"


@dataclass(frozen=True)
class Contact:
    """`first`: sample of the first contact (None: none was observed). `observed`: the samples in which one would have been seen.
    `contradictions`: channels that cannot both be right, as (name, what was measured, why it cannot be)."""

    first: int | None = None
    observed: Flags = field(default_factory=lambda: np.array([], dtype=np.bool_))
    contradictions: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class Window:
    """Sample positions: start of the straight approach, start of the functional part, first contact (None: no contact), last
    sample that counts (before contact or the end of the log). `begins`: time of the start of the functional part in s, which lies
    after `after` where only samples tell."""

    approach: int
    functional: int
    contact: int | None
    last: int
    marked: bool
    begins: float
    after: float


@dataclass(frozen=True)
class Outcome:
    """What became of the run: `collided` None when the log does not show it, for the reason `unknown`; `over`: whether the log goes
    on until it is decided. The impact speed lies between the least and the most that the samples around contact allow; m/s, s."""

    collided: bool | None
    impact_speed: float | None = None
    contact_time: float | None = None
    contacts: int = 0
    least_impact_speed: float = 0.0
    most_impact_speed: float = 0.0
    unknown: str = ""
    over: bool = True


@dataclass(frozen=True)
class Reading:
    """A run as signals read it. `manual_braking`: the test has the driver brake. `base`: the same run without a system, and when (s)
    its functional part begins. `phase`: the phase of a sequence that it is cut to, "" for the whole run."""

    log: RunLog
    motion: Motion
    at: Window
    outcome: Outcome
    manual_braking: bool = False
    base: tuple[RunLog, float] | None = None
    phase: str = ""

    @property
    def part(self) -> slice:
        """Samples of the functional part up to contact or the end of the log."""
        return slice(self.at.functional, self.at.last + 1)


@dataclass(frozen=True)
class Measured:
    """A signal's value in SI; the true one lies from `least` to `most`. `value` None: the log does not show it, for the reason `note`.
    `shown`: words in place of the number. `proxy`: what stood in for a channel."""

    value: float | None
    least: float = -np.inf
    most: float = np.inf
    note: str = ""
    proxy: str = ""
    shown: str = ""
    #: No log of a simulator has it: not judged in a model's run.
    bench_only: bool = False


@dataclass(frozen=True)
class Onset:
    """When something began or ended: not after `latest`, after `earliest` (s)."""

    earliest: float
    latest: float


@dataclass(frozen=True)
class Happening:
    """An event: it happened (True), did not (False), or the log does not show it (None, for the reason `note`). `spans`: from when to
    when it lasted; the end is None for one that lasts to the end of the log. `watched_until`: up to then it would have been seen."""

    seen: bool | None
    spans: tuple[tuple[Onset, Onset | None], ...] = ()
    watched_until: float = -np.inf
    note: str = ""
    proxy: str = ""
    bench_only: bool = False

    @property
    def onset(self) -> Onset:
        """When it first began."""
        return self.spans[0][0]


@dataclass(frozen=True)
class Signal:
    """One signal of the vocabulary: its unit for reports, the channels that show it (any of them), what it is, and how it is measured.
    `measure` takes the time in s over which a mean is taken (0: none)."""

    unit: str
    channels: tuple[str, ...]
    definition: str
    measure: Callable[[Reading, float], Measured]


@dataclass(frozen=True)
class EventKind:
    """One event of the vocabulary, as Signal. `find` takes the event's argument: a number in SI (0: none) or a word."""

    channels: tuple[str, ...]
    definition: str
    find: Callable[[Reading, Argument], Happening]


Signals = Mapping[str, Signal]
Events = Mapping[str, EventKind]


def flagged(reading: Reading, flags: Flags, observed: Flags, *, event: str = "", delay: float = 0.0, proxy: str = "") -> Happening:
    """An event from a flag in the functional part. The run's own event time comes first; `delay`: by how much earlier it may have
    begun than its channel shows (a proxy)."""
    log, at = reading.log, reading.at
    span = slice(at.functional, at.last + 1)
    blind = np.flatnonzero(~observed[span])
    watched = float(log.time[at.last]) if not blind.size else float(log.time[at.functional + max(int(blind[0]) - 1, 0)])
    complete = not blind.size and reading.outcome.over
    if event and event in log.info.events:
        moment = log.info.events[event]
        if not reading.phase or log.time[at.functional] - log.step / 2 <= moment <= log.time[at.last]:
            return Happening(True, ((Onset(moment, moment), None),), watched)
        if moment > log.time[at.last]:
            return Happening(False, (), watched, "", proxy)  # it first came after this phase
    on = flags[span].astype(np.int8)
    # what lasts from the phase before does not begin in this one
    lasts = int(bool(reading.phase) and at.functional > 0 and bool(flags[at.functional - 1]))
    starts = at.functional + np.flatnonzero(np.diff(np.concatenate(([lasts], on))) == 1)
    if not starts.size:
        note = "" if complete else reading.outcome.unknown if not blind.size else f"{event or 'it'} is not observed in every sample"
        return Happening(False if complete else None, (), watched, note, proxy)
    spans = []
    for start in starts:
        before = np.flatnonzero(~flags[:start] & observed[:start])
        onset = Onset(float(log.time[before[-1]]) - delay if before.size else -np.inf, float(log.time[start]))
        off = start + np.flatnonzero(~flags[start : at.last + 1])
        end = Onset(float(log.time[off[0] - 1]), float(log.time[off[0]])) if off.size else None
        spans.append((onset, end))
    return Happening(True, tuple(spans), watched, "", proxy)


def unlogged(note: str, *, bench_only: bool = False) -> Happening:
    """An event that no channel of the log shows."""
    return Happening(None, note=note, bench_only=bench_only)


def extreme(reading: Reading, values: Series, mean_over: float) -> Measured:
    """The largest magnitude of a channel in the functional part, or of its moving average."""
    part = np.abs(mean(values, reading.log.time, mean_over) if mean_over else values)[reading.part]
    if not part.size or not np.isfinite(part).any():
        return Measured(None, note="too short for its mean")
    top = float(np.nanmax(part))
    return Measured(top, top, top if reading.outcome.over else np.inf, note="" if reading.outcome.over else reading.outcome.unknown)


def on_record(name: str) -> Callable[[Reading, float], Measured]:
    """The largest magnitude of a channel that no simulator logs."""

    def measure(reading: Reading, mean_over: float) -> Measured:
        values = reading.log.get(name)
        if values is None:
            return Measured(None, note=f"the log has no {name}", bench_only=True)
        return extreme(reading, values, mean_over)

    return measure


def mean(values: Series, time: Series, over: float) -> Series:
    """The mean over the last `over` seconds before each sample; NaN where the log is shorter."""
    way = np.concatenate(([0.0], np.cumsum(np.diff(time) * (values[1:] + values[:-1]) / 2)))
    earlier = time - over
    return np.where(earlier >= time[0] - 1e-9, (way - np.interp(earlier, time, way)) / over, np.nan)
