"""A stage as the run of an engine: what its log is told beside the channels, and the log of one that the built-in engine played."""

from __future__ import annotations

from typing import Any

import numpy as np

from regc.model.stage import Stage
from regc.motion import Playback, along, length
from regc.motion import PlayedTrack as Played
from regc.runs.geometry import Rectangle, Track, sideways
from regc.runs.log import BoxInfo, DriverBraking, RoadBend, RunInfo, RunLog, Standing, commanded, from_tracks

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
        "target_references": {
            mover.role: mover.box.reference for mover in stage.others if mover.role.startswith("target") and mover is not target
        },
        "mass": stage.subject.mass,
        "driver": tuple(DriverBraking(event=item.name, speed=item.speed, rate=item.rate) for item in stage.driver if item.rate > 0),
        "demand": stage.system.demand if stage.system.brakes is not None else None,
        "warning_lasts": stage.system.lasts,
        "standing": {thing.role: Standing(**thing.start.model_dump()) for thing in stage.things if thing.passable},
        **_line(stage),
    }
    return RunInfo.model_validate({**own, **run})


def log_of(stage: Stage, played: Playback, info: RunInfo) -> RunLog:
    """The channels of a played stage; its events are added to `info`."""
    tracks = {role: _track(track) for role, track in played.tracks.items()}
    subject = tracks[stage.subject.role]
    deceleration = np.zeros(played.time.shape)
    deceleration[1:] = -np.diff(subject.speed) / np.maximum(np.diff(played.time), 1e-9)
    driver = commanded(info.driver or (), played.events, played.time, subject.speed)
    channels = {"braking_demand": played.demand, "deceleration": deceleration, **sideways(subject, played.time)}
    if info.driver:
        channels["driver_deceleration"] = driver
    flags = {"warning": played.warning, "driver_input": driver > 0}
    known = info.model_copy(update={"events": played.events})
    begun = played.events.get("functional_part")
    return from_tracks(known, played.time, tracks, channels=channels, flags=flags, functional_part=begun)


def _track(played: Played) -> Track:
    box = Rectangle(played.box.length, played.box.width, played.box.middle)
    return Track(played.x, played.y, played.heading, played.speed, box)


def _line(stage: Stage) -> dict[str, Any]:
    """The marking that a subject vehicle comes to, which leaves its line on a road without junctions, or would come to in a change to
    the lane beside; its own measures; and where the road turns."""
    start, chassis, road = stage.subject.start, stage.subject.chassis, stage.road
    if road.kind == "junction" or road.counter_radius or chassis is None:
        return {}
    bend = (
        RoadBend(x=road.entry, radius=road.radius * (1 if stage.traffic == "rht" else -1), arc=road.arc)
        if road.kind == "curve"
        else None
    )
    aside = 0.0
    if bend is None:
        aside = along(start, stage.subject.path, length(stage.subject.path)).y - start.y
    if abs(aside) < _LEAVES:
        aside = float(road.lanes_left - road.lanes_right) * (1 if stage.traffic == "rht" else -1)
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
        **({} if bend is None else {"bend": bend}),
    }
