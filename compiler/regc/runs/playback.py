"""A stage as the run of an engine: what its log is told beside the channels, and the log of one that the built-in engine played."""

from __future__ import annotations

from typing import Any

import numpy as np

from regc.model.stage import Stage
from regc.motion import Playback, along, length
from regc.motion import Track as Played
from regc.runs.geometry import Box, Series, Track
from regc.runs.log import BoxInfo, RunInfo, RunLog, from_tracks

#: How far the subject vehicle must leave its line (m) before a marking is looked for.
_LEAVES = 0.05


def info_of(stage: Stage, **run: Any) -> RunInfo:
    """What goes beside the log of a driven stage. `run`: further fields of RunInfo (scenario_key, run, ego, engine, ...)."""
    boxes = {
        mover.role: BoxInfo(length=mover.box.length, width=mover.box.width, forward=mover.box.middle)
        for mover in (stage.subject, *stage.others, *stage.things)
    }
    target = next((mover for mover in (*stage.others, *stage.things) if mover.role == "target"), None)
    own = {
        "scenario": stage.scenario,
        "ego": stage.system.kind,
        "simulated": True,
        "step": stage.step,
        "boxes": boxes,
        "target_reference": None if target is None else target.box.reference,
        "mass": stage.subject.mass,
        **_line(stage),
    }
    return RunInfo.model_validate({**own, **run})


def log_of(stage: Stage, played: Playback, info: RunInfo) -> RunLog:
    """The channels of a played stage; its events are added to `info`."""
    tracks = {role: _track(track) for role, track in played.tracks.items()}
    subject = tracks[stage.subject.role]
    deceleration = np.zeros(played.time.shape)
    deceleration[1:] = -np.diff(subject.speed) / np.maximum(np.diff(played.time), 1e-9)
    channels = {"braking_demand": played.demand, "deceleration": deceleration}
    driver = _driver(stage, played, subject.speed)
    if driver is not None:
        channels["driver_deceleration"] = driver
    flags = {"warning": played.warning, "driver_input": np.zeros(played.time.shape, dtype=np.bool_) if driver is None else driver > 0}
    known = info.model_copy(update={"events": played.events})
    begun = played.events.get("functional_part")
    return from_tracks(known, played.time, tracks, channels=channels, flags=flags, functional_part=begun)


def _track(played: Played) -> Track:
    box = Box(played.box.length, played.box.width, played.box.middle)
    return Track(played.x, played.y, played.heading, played.speed, box)


def _driver(stage: Stage, played: Playback, speed: Series) -> Series | None:
    """What the driver's own braking asks for; None where the driver does not brake."""
    braking = [change for change in stage.driver if change.rate > 0]
    if not braking:
        return None
    asked = np.zeros(played.time.shape)
    for change in braking:
        if change.name in played.events:
            begun = played.time >= played.events[change.name] - 1e-9
            asked[begun & (speed > change.speed + 1e-6)] = change.rate
    return asked


def _line(stage: Stage) -> dict[str, float]:
    """The marking that a subject vehicle comes to, which leaves its line on a straight road, and its own measures."""
    start, chassis = stage.subject.start, stage.subject.chassis
    aside = along(start, stage.subject.path, length(stage.subject.path)).y - start.y
    if stage.road.kind != "straight" or chassis is None or abs(aside) < _LEAVES:
        return {}
    side = 1.0 if aside > 0 else -1.0
    ahead = [marking for marking in stage.road.markings if side * (marking.y - start.y) > 0]
    if not ahead:
        return {}
    nearest = min(ahead, key=lambda marking: side * marking.y)
    return {
        "marking": nearest.y + side * nearest.width / 2,
        "front_axle": chassis.wheelbase,
        "track_width": chassis.track_width,
        "tyre_width": chassis.tyre_width,
    }
