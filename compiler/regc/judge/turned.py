"""A run in which the subject vehicle turns before it meets a crossing target, seen as if its path were straight.

A gap along the heading says nothing before the turn is over. With poses, the way that was driven until the end of the run (or until the
first contact) and the gap that was left there give the distance to the impact point at every sample before.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from regc.runs import geometry
from regc.runs.geometry import Track
from regc.runs.log import RunLog

_OF_THE_HEADING = ("gap", "lateral_offset", "closing_speed")
#: how far from a right angle the paths may lie where the run ends, rad
_ASKEW = 0.02


def unrolled(log: RunLog) -> RunLog:
    """The log with gap (m) and lateral offset (m, left positive) along the driven path. Without poses, or where the run ends before the
    subject vehicle faces the target's path, it has neither."""
    channels = {name: values for name, values in log.channels.items() if name not in _OF_THE_HEADING}
    subject, target = log.tracks.get("subject"), log.tracks.get("target")
    if subject is None or target is None:
        return replace(log, channels=channels)
    touched = np.flatnonzero(log.touching) if log.touching is not None else np.array([], dtype=np.intp)
    last = int(touched[0]) if touched.size else log.time.size - 1
    if abs(math.cos(float(target.heading[last] - subject.heading[last]))) > _ASKEW:
        return replace(log, channels=channels)
    way = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(subject.x), np.diff(subject.y)))))
    channels["gap"] = float(geometry.gap(subject, target)[last]) + way[last] - way
    there = np.full(log.time.shape, last)
    at_the_end = Track(subject.x[there], subject.y[there], subject.heading[there], subject.speed, subject.box)
    channels["lateral_offset"] = geometry.lateral_offset(at_the_end, target, log.info.target_reference)
    return replace(log, channels=channels)
