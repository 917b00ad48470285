"""esmini's CSV (motion, 31 columns an entity) and its log file (event times, error lines)."""

from __future__ import annotations

import re

import numpy as np

from regc.simulate._geometry import Box, Series, Track
from regc.simulate.runlog import RunInfo, RunLog, from_tracks

_FIELDS = 31
_NAME, _SPEED, _BOX_X, _BOX_Y, _LENGTH, _WIDTH, _X, _Y, _HEADING, _COLLISIONS = 0, 2, 5, 6, 8, 9, 11, 12, 24, 30
_HEADER = "esmini GIT"
_EVENT = re.compile(r"^\[(\d+\.\d+)\] \[info\] (.+?) \w+State -> startTransition -> runningState", re.MULTILINE)
_ERROR = re.compile(r"^\[[^\]]*\] \[error\] (.*)$", re.MULTILINE)
#: The storyboard's event names -> what they are to the judge.
_EVENT_NAMES = {
    "FunctionalPart": "functional_part",
    "SteeringBegins": "steering",
    "ModelOfAEB": "system",
    "CollisionWarning": "warning",
    "EmergencyBraking": "braking",
}


def is_esmini(head: str) -> bool:
    """Whether a CSV's first characters are those of esmini's logger."""
    return head.startswith(_HEADER)


def event_times(log_text: str) -> dict[str, float]:
    """When the events that the judge knows first started to run, in s, from esmini's log file."""
    found: dict[str, float] = {}
    for time, name in _EVENT.findall(log_text):
        if name in _EVENT_NAMES:
            found.setdefault(_EVENT_NAMES[name], float(time))
    return found


def error_lines(log_text: str) -> tuple[str, ...]:
    """Every distinct `[error]` line in the order of its first appearance."""
    return tuple(dict.fromkeys(_ERROR.findall(log_text)))


def read(content: str, info: RunInfo) -> RunLog:
    """The signals of a run. The braking demand is no channel of esmini: the deceleration stands in, the events say when the
    storyboard warned and braked. A line that was cut makes the log invalid."""
    times: list[float] = []
    rows: list[list[str]] = []
    for number, line in enumerate(content.splitlines(), 1):
        if not line[:1].isdigit():
            continue
        cells = [cell.strip() for cell in line.split(",")]
        body = cells[2:-1] if cells[-1] == "" else cells[2:]
        if not body or len(body) % _FIELDS:
            return RunLog(info=info, time=np.array(times), problems=(("invalid", f"line {number} was cut"),))
        try:
            times.append(float(cells[1]))
        except ValueError:
            return RunLog(info=info, time=np.array(times), problems=(("invalid", f"line {number}: {cells[1][:20]!r} is no time"),))
        rows.append(body)
    if not rows:
        return RunLog(info=info, time=np.array([]), problems=(("invalid", "holds no samples"),))
    names = list(dict.fromkeys(row[at] for row in rows for at in range(0, len(row), _FIELDS)))
    subject_name = info.subject if info.subject in names else names[0]
    others = [name for name in names if name != subject_name]
    target_name = info.target if info.target in names else next((name for name in others if name.lower().startswith("target")), None)
    target_name = target_name or (others[0] if others else None)
    try:
        subject = _track(rows, subject_name)
        target = _track(rows, target_name) if target_name else None
    except ValueError as problem:
        return RunLog(info=info, time=np.array(times), problems=(("invalid", str(problem)),))
    if target is None or subject is None:
        return RunLog(info=info, time=np.array(times), problems=(("incomplete", f"has only {', '.join(names)}"),))
    time = np.array(times)
    deceleration = np.zeros(time.shape)
    deceleration[1:] = -np.diff(subject.speed) / np.maximum(np.diff(time), 1e-9)
    warnings = {}
    system = "system" in info.events
    if system or "warning" in info.events:
        warnings = {"unspecified": time >= info.events.get("warning", np.inf) - 1e-6}
    # A storyboard's system that never braked demanded nothing; once it did, the deceleration has to stand in.
    silent = system and "braking" not in info.events
    return from_tracks(
        info,
        time,
        subject,
        target,
        warnings=warnings,
        demand=np.zeros(time.shape) if silent else None,
        deceleration=deceleration,
        functional_part=info.events.get("functional_part"),
    )


def _track(rows: list[list[str]], name: str) -> Track | None:
    columns = (_SPEED, _BOX_X, _BOX_Y, _LENGTH, _WIDTH, _X, _Y, _HEADING)
    values: list[list[float]] = []
    for row in rows:
        start = next((at for at in range(0, len(row), _FIELDS) if row[at + _NAME] == name), None)
        if start is None:
            raise ValueError(f"{name} is not in every sample")
        values.append([float(row[start + column]) for column in columns])
    table: Series = np.array(values)
    speed, box_x, box_y, length, width, x, y, heading = table.T
    return Track(x, y, heading, speed, Box(float(length[0]), float(width[0]), float(box_x[0]), float(box_y[0])))
