"""From named series to a run log: flags with three values, poses, and the channels that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from regc.runs.channels import CHANNELS, ROLES
from regc.runs.geometry import Box, Series, Track
from regc.runs.log import Problem, RunInfo, RunLog, posed_channels
from regc.runs.mapping import LogMapping


def assemble(found: Mapping[str, Series], info: RunInfo, mapping: LogMapping | None, problems: Sequence[Problem]) -> RunLog:
    """The log of series in SI units by channel name; those of `time` are the samples."""
    if "time" not in found:
        return RunLog(info=info, time=np.array([]), problems=(*problems, ("invalid", "has no time column with a unit")))
    time = found["time"]
    values = {name: series for name, series in found.items() if name != "time"}
    for channel, value in (mapping.constants if mapping else {}).items():
        values[channel] = np.full(time.shape, value)
    flags = {name: series > 0.5 for name, series in values.items() if CHANNELS[name] == "flag"}
    # An empty cell, or a negative number that stands for one, is neither yes nor no.
    unseen = {name: ~(values[name] >= 0) for name in flags}
    functional, after = info.events.get("functional_part"), None
    marks = np.flatnonzero(flags.get("functional_part", False))
    if functional is None and marks.size:
        functional = float(time[marks[0]])
        before = np.flatnonzero(~unseen["functional_part"][: marks[0]])
        after = float(time[before[-1]]) if before.size else None
    channels = {name: series for name, series in values.items() if CHANNELS[name] != "flag"}
    log = RunLog(
        info=info,
        time=time,
        channels=channels,
        flags={name: flag for name, flag in flags.items() if name != "functional_part"},
        unseen={name: samples for name, samples in unseen.items() if samples.any()},
        functional_part=functional,
        functional_after=after,
        problems=tuple(problems),
    )
    tracks = _tracks(channels, info)
    posed, touching = posed_channels(info, tracks)
    contact = {"contact": touching} if touching is not None and "contact" not in flags else {}
    return replace(log, tracks=tracks, channels={**posed, **channels}, flags={**log.flags, **contact}, touching=touching)


def _tracks(channels: Mapping[str, Series], info: RunInfo) -> dict[str, Track]:
    """Poses of those whose channels and box are all there."""
    tracks: dict[str, Track] = {}
    for role in ("subject", *ROLES):
        box = info.box(role)
        parts = [channels.get(f"{role}_{part}") for part in ("x", "y", "heading", "speed")]
        if box is not None and all(part is not None for part in parts):
            x, y, heading, speed = (part for part in parts if part is not None)
            tracks[role] = Track(x, y, heading, speed, Box(box.length, box.width, box.forward, box.left))
    return tracks
