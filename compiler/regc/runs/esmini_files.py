"""esmini's CSV (motion, 31 columns an entity) and its log file (event times, error lines)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from regc.motion import warned
from regc.runs.geometry import Rectangle, Series, Track, sideways
from regc.runs.log import ROLES, DriverBraking, RunInfo, RunLog, commanded, from_tracks

#: Columns of one entity: how many, its name, and speed, box x, box y, length, width, x, y, heading.
_FIELDS, _NAME, _COLUMNS = 31, 0, (2, 5, 6, 8, 9, 11, 12, 24)
_HEADER = "esmini GIT"
_COMMANDED = "not measured: commanded by the scenario file, whose event began as the player's log says ({})"
_EVENT = re.compile(r"^\[(\d+\.\d+)\] \[info\] (.+?) \w+State -> startTransition -> runningState", re.MULTILINE)
_ERROR = re.compile(r"^\[[^\]]*\] \[error\] (.*)$", re.MULTILINE)
#: The beginning of a phase: "PhaseSecondTry" is the event phase_second_try.
_PHASE, _CAPITAL = re.compile(r"Phase(\w+)"), re.compile(r"(?<!^)([A-Z])")
#: A later warning of a model that warns several times.
_WARNING = re.compile(r"Warning(\d)")
#: The storyboard's event names -> what they are to the judge.
_EVENT_NAMES = {
    "FunctionalPart": "functional_part",
    "SequenceOver": "sequence_over",
    "SteeringBegins": "steering",
    "ModelOfAEB": "system",
    "CollisionWarning": "warning",
    "EmergencyBraking": "braking",
    "Warning": "warning",
    "Braking": "braking",
    "DriverBrake": "driver_brake",
}


def is_esmini(head: str) -> bool:
    """Whether a CSV's first characters are those of esmini's logger."""
    return head.startswith(_HEADER)


def event_times(log_text: str, driver: Iterable[DriverBraking] = ()) -> dict[str, float]:
    """When the events that the judge knows, and those of the driver, first started to run, in s, from esmini's log file."""
    known = {**_EVENT_NAMES, **{_written(item.event): item.event for item in driver}}
    times: dict[str, float] = {}
    for time, name in _EVENT.findall(log_text):
        if name in known:
            times.setdefault(known[name], float(time))
        elif again := _WARNING.fullmatch(name):
            times.setdefault(f"warning_{again[1]}", float(time))
        elif phase := _PHASE.fullmatch(name):
            words = _CAPITAL.sub(r"_\1", phase[1]).lower()
            times.setdefault(f"phase_{words}", float(time))
    return times


def _written(event: str) -> str:
    """The name of an event as scenario files have it: "driver_brakes" is DriverBrakes."""
    return "".join(part.capitalize() for part in event.split("_"))


def error_lines(log_text: str) -> tuple[str, ...]:
    """Every distinct `[error]` line in the order of its first appearance."""
    return tuple(dict.fromkeys(_ERROR.findall(log_text)))


def read(content: Iterable[str], info: RunInfo) -> RunLog:
    """The log of a run, from the lines of esmini's CSV. Neither the system's demand nor the driver's braking is a channel of esmini:
    they are what the file commands, from the moment on at which esmini says that it began. Where the file is not known, the
    deceleration stands in for the demand. A line that was cut makes the log invalid."""
    times: list[float] = []
    samples: list[list[float]] = []
    names: list[str] = []
    for number, line in enumerate(content, 1):
        if not line[:1].isdigit():
            continue
        cells = [cell.strip() for cell in line.split(",")]
        body = cells[2:-1] if cells[-1] == "" else cells[2:]
        own = body[_NAME::_FIELDS]
        if not body or len(body) % _FIELDS:
            return _broken(info, times, f"line {number} was cut")
        if names and own != names:
            return _broken(info, times, f"line {number}: {', '.join(sorted(set(names) ^ set(own)))} is not in every sample")
        names = own
        try:
            times.append(float(cells[1]))
            samples.append([float(body[start + column]) for start in range(0, len(body), _FIELDS) for column in _COLUMNS])
        except ValueError as problem:
            return _broken(info, times, f"line {number}: {problem}")
    if not samples:
        return _broken(info, [], "holds no samples")
    table: Series = np.array(samples)
    time = np.array(times)
    tracks = {}
    for index, role in enumerate(_roles(names, info)):
        if role:
            tracks[role] = _track(table[:, index * len(_COLUMNS) : (index + 1) * len(_COLUMNS)])
    for role, pose in info.standing.items():
        box = info.box(role)
        if box is not None and role not in tracks:
            x, y, heading = (np.full(time.shape, value) for value in (pose.x, pose.y, pose.heading))
            tracks[role] = Track(x, y, heading, np.zeros(time.shape), Rectangle(box.length, box.width, box.forward, box.left))
    if len(tracks) < 2 and len(names) > 1:
        return RunLog(info=info, time=time, problems=(("incomplete", f"has only {', '.join(names)}"),))
    speed = tracks["subject"].speed
    deceleration = np.zeros(time.shape)
    deceleration[1:] = -np.diff(speed) / np.maximum(np.diff(time), 1e-9)
    channels = {"deceleration": deceleration, **sideways(tracks["subject"], time)}
    flags = {}
    evidence = {}
    if info.driver is not None:
        braking = commanded(info.driver, info.events, time, speed)
        flags["driver_input"] = braking > 0
        if info.driver:
            channels["driver_deceleration"] = braking
            evidence["driver_deceleration"] = _commanded_by(info)
    system = "system" in info.events or info.ego in ("reference", "late")
    if system or "warning" in info.events:
        flags["warning"] = warned(info.events, info.warning_lasts, time)
    if system and "braking" not in info.events:
        channels["braking_demand"] = np.zeros(time.shape)
    elif system and info.demand is not None:
        channels["braking_demand"] = np.where(time >= info.events["braking"] - 1e-9, info.demand, 0.0)
        evidence["braking_demand"] = _COMMANDED.format(f"EmergencyBraking at {info.events['braking']:.3f} s")
    log = from_tracks(info, time, tracks, channels=channels, flags=flags, functional_part=info.events.get("functional_part"))
    return replace(log, evidence=evidence)


def _commanded_by(info: RunInfo) -> str:
    """Where the driver's braking is taken from."""
    began = [f"{_written(item.event)} at {info.events[item.event]:.3f} s" for item in info.driver or () if item.event in info.events]
    return _COMMANDED.format(", ".join(began) or "never")


def _broken(info: RunInfo, times: list[float], message: str) -> RunLog:
    return RunLog(info=info, time=np.array(times), problems=(("invalid", message),))


def _roles(names: list[str], info: RunInfo) -> list[str]:
    """Who plays which role, by name ("Ego", "Target", "PairLeft"); "" for others. Without a known name the first is the subject, the
    next one the target."""
    known = {role.replace("_", ""): role for role in ROLES}
    subject = info.subject if info.subject in names else names[0]
    roles = ["subject" if name == subject else known.get(name.lower().replace("_", ""), "") for name in names]
    if "target" in roles or any(role.startswith(("pair", "object")) for role in roles):
        return roles
    named = info.target if info.target in names else next((name for name in names if name.lower().startswith("target")), None)
    others = [name for name, role in zip(names, roles, strict=True) if not role]
    target = named or (others[0] if others else None)
    return ["target" if name == target else role for name, role in zip(names, roles, strict=True)]


def _track(table: Series) -> Track:
    speed, box_x, box_y, length, width, x, y, heading = table.T
    return Track(x, y, heading, speed, Rectangle(float(length[0]), float(width[0]), float(box_x[0]), float(box_y[0])))
