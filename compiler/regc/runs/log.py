"""One run as measured, whoever wrote the log: the channels, the units in which files write them, and the run as CSV with its
sidecar."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from regc.model.units import units
from regc.runs.geometry import Bend, Flags, Series, Track, closing_speed, gap, lateral_offset, touching, unbent

Kind = Literal["time", "speed", "length", "acceleration", "jerk", "angle", "angular_rate", "force", "torque", "flag"]

#: Who may have a pose in a log, beside the subject vehicle; target2 and the next are those of later phases.
ROLES = ("target", "lead", "pair_left", "pair_right", "object", "obstruction", "target2", "target3", "target4")

#: channel -> what it measures. "warning" may carry a mode. `gap`: from the subject vehicle's front to the nearest face of the target,
#: along the subject vehicle; `rear_gap`: from its rear to one that comes up behind it. `detected`: the system has found the road user.
#: `lateral_offset`: of the target's reference point from the subject's centreline, left positive.
#: `lane_offset` and `lateral_speed`: of the subject vehicle from the middle of its lane, left positive.
#: `line_distance`: from the outside of the front tyre to the outer edge of the marking, positive before it. `braking_demand`: of the
#: system under test. `driver_deceleration`: what the driver's own braking asks for.
CHANNELS: dict[str, Kind] = {
    "time": "time",
    "subject_speed": "speed",
    "target_speed": "speed",
    "lead_speed": "speed",
    "closing_speed": "speed",
    "gap": "length",
    "rear_gap": "length",
    "lateral_offset": "length",
    "line_distance": "length",
    "braking_demand": "acceleration",
    "deceleration": "acceleration",
    "driver_deceleration": "acceleration",
    "lateral_acceleration": "acceleration",
    "lateral_jerk": "jerk",
    "lateral_speed": "speed",
    "lane_offset": "length",
    "longitudinal_jerk": "jerk",
    "yaw_rate": "angular_rate",
    "steering_force": "force",
    "steering_torque": "torque",
    "steering_angle": "angle",
    **{f"{role}_{part}": "length" for role in ("subject", *ROLES) for part in ("x", "y")},
    **{f"{role}_heading": "angle" for role in ("subject", *ROLES)},
    **{f"{role}_speed": "speed" for role in ROLES[2:]},
    "contact": "flag",
    "warning": "flag",
    "warning_acoustic": "flag",
    "warning_optical": "flag",
    "warning_haptic": "flag",
    "warning_emergency": "flag",
    "driver_input": "flag",
    "driver_brake": "flag",
    "hands_off": "flag",
    "hands_on": "flag",
    "engine_running": "flag",
    "lane_change": "flag",
    "lane_change_end": "flag",
    "procedure": "flag",
    "second_action": "flag",
    "lateral_movement": "flag",
    "intervention": "flag",
    "deactivation": "flag",
    "detected": "flag",
    "functional_part": "flag",
}

#: Ways in which a warning can reach a driver.
WARNING_MODES = ("acoustic", "optical", "haptic", "emergency")

#: Other names of a channel in the header of a plain log.
ALIASES = {"timestamp": "time"}

#: What is measured -> its units as files write them.
_WRITTEN: dict[Kind, tuple[str, ...]] = {
    "time": ("s", "ms"),
    "speed": ("m/s", "m_s", "mps", "km/h", "km_h", "kmh", "kph", "mph"),
    "length": ("m", "cm", "mm"),
    "acceleration": ("m/s2", "m_s2", "m/s^2", "mps2", "g"),
    "jerk": ("m/s3", "m_s3", "m/s^3"),
    "angle": ("rad", "deg"),
    "angular_rate": ("rad/s", "rad_s", "deg/s", "deg_s"),
    "force": ("n", "N", "kn", "kN"),
    "torque": ("nm", "Nm"),
    "flag": ("", "-", "1"),
}
#: Other ways to write a unit -> its name in data/units.toml.
_NAMES = {
    "m_s": "m/s", "mps": "m/s", "km_h": "km/h", "kmh": "km/h", "kph": "km/h", "m_s2": "m/s2", "m/s^2": "m/s2", "mps2": "m/s2",
    "m_s3": "m/s3", "m/s^3": "m/s3", "deg_s": "deg/s", "n": "N", "nm": "Nm",
}  # fmt: skip
#: Units of logs that no regulation has, with their factor to SI.
_OF_LOGS = {"rad": 1.0, "rad/s": 1.0, "rad_s": 1.0, "kn": 1000.0, "kN": 1000.0, "": 1.0, "-": 1.0, "1": 1.0}


def _factor(written: str) -> float:
    name = _NAMES.get(written, written)
    return float(units()[name].factor) if name in units() else _OF_LOGS[written]


#: What is measured -> unit as files write it -> factor to SI.
UNITS: dict[Kind, dict[str, float]] = {kind: {text: _factor(text) for text in texts} for kind, texts in _WRITTEN.items()}


def mode_channel(mode: str) -> str:
    """The channel of a warning mode; "" is a log's one warning flag that names no mode."""
    return f"warning_{mode}" if mode else "warning"


Problem = tuple[Literal["invalid", "incomplete"], str]


class BoxInfo(BaseModel):
    """A bounding rectangle in metres; centre seen from the reference point of the logged pose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    length: float
    width: float
    forward: float = 0.0
    left: float = 0.0


class DriverBraking(BaseModel):
    """A change of speed that a scenario file has the driver make: the name of its event, m/s and m/s2."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    event: str
    speed: float
    rate: float


class Standing(BaseModel):
    """The pose (m, rad) of something that is part of the road and so in no player's log."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    x: float
    y: float
    heading: float = 0.0


class RoadBend(BaseModel):
    """Where the road of a run turns once: x of its beginning, radius of the line y = 0 (left positive) and length of the arc, m."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    x: float
    radius: float
    arc: float


class RunInfo(BaseModel):
    """What goes beside a log (its `.json` sidecar).

    `ego`: "none" is the baseline without a system. `events`: times in s by name (functional_part, warning, braking, driver_brake).
    `target_reference`: metres ahead of the target's reference point at which its lateral offset is measured (the crankshaft of a
    bicycle), `target_references`: of those of later phases, by role. `simulated`: a model was driven; its repeats must differ in `seed`
    or `parameters`. `scenario_key`: of the scenario that was driven ("" for a log that does not tell). Masses in kg; `gap_error`:
    measuring error of the gap (m). `front_axle` (m ahead of the pose), `track_width`, `tyre_width` and `marking` (lateral position of
    the marking's outer edge), in m, give the distance to a line from poses, along a road that turns once by its `bend`. `conditions`:
    what the record says of surroundings and set-up, by vocabulary name, as text with its unit ("12 degC"). `declared`: what was
    declared for this vehicle, by name. `reasons`: why an exception holds, by what the criterion calls it. `without_system`: the log of
    the same run without a system, for what it adds to the driver's braking. `driver`: what the file that was played has the driver do
    (None: not known); `demand`: what the model of a system in it demands (m/s2); `standing`: what is part of the road, by role;
    `warning_lasts`: s of each warning of such a model that warns several times (events warning, warning_2).
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    scenario: str
    scenario_key: str = ""
    run: str = "1"
    vehicle_type: str = ""
    category: str = ""
    ego: str = "external"
    engine: str = "plain"
    simulated: bool = False
    seed: int | None = None
    parameters: dict[str, float] = {}
    events: dict[str, float] = {}
    step: float | None = None
    subject: str = "Ego"
    target: str = ""
    subject_box: BoxInfo | None = None
    target_box: BoxInfo | None = None
    boxes: dict[str, BoxInfo] = {}
    target_reference: float | None = None
    target_references: dict[str, float] = {}
    mass: float | None = None
    running_order_mass: float | None = None
    maximum_mass: float | None = None
    gap_error: float | None = None
    front_axle: float | None = None
    track_width: float | None = None
    tyre_width: float | None = None
    marking: float | None = None
    bend: RoadBend | None = None
    conditions: dict[str, str] = {}
    declared: dict[str, str] = {}
    reasons: dict[str, str] = {}
    without_system: str = ""
    driver: tuple[DriverBraking, ...] | None = None
    demand: float | None = None
    warning_lasts: tuple[float, ...] = ()
    standing: dict[str, Standing] = {}
    log: str = ""

    def box(self, role: str) -> BoxInfo | None:
        """The rectangle of who plays a role."""
        own = {"subject": self.subject_box, "target": self.target_box}.get(role)
        return own or self.boxes.get(role)


@dataclass(frozen=True)
class RunLog:
    """Channels over time, SI units, shape (samples,).

    `channels`: numbers by channel name, with those that follow from poses. `flags`: yes or no by channel name; `unseen` holds the
    samples in which a flag was not observed. `tracks`: poses by role. `touching`: what the poses say of contact with the target.
    The functional part starts at `functional_part`, after `functional_after` where only samples tell. `problems` are errors of the
    log itself. `evidence`: what a channel follows from that was not measured.
    """

    info: RunInfo
    time: Series
    channels: Mapping[str, Series] = field(default_factory=dict)
    flags: Mapping[str, Flags] = field(default_factory=dict)
    unseen: Mapping[str, Flags] = field(default_factory=dict)
    tracks: Mapping[str, Track] = field(default_factory=dict)
    touching: Flags | None = None
    functional_part: float | None = None
    functional_after: float | None = None
    problems: tuple[Problem, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict)

    def get(self, channel: str) -> Series | None:
        """A channel of numbers, or None where the log has none."""
        return self.channels.get(channel)

    @cached_property
    def step(self) -> float:
        """The usual step in s; 0 for a log of less than two samples."""
        return float(np.median(np.diff(self.time))) if self.time.size > 1 else 0.0

    @property
    def warning_modes(self) -> tuple[str, ...]:
        """Modes of the warning that the log tells apart; ("",) for one flag that names none, () for no warning channel."""
        named = tuple(mode for mode in WARNING_MODES if f"warning_{mode}" in self.flags)
        return named or (("",) if "warning" in self.flags else ())

    def observed(self, channel: str) -> Flags:
        """Samples in which a flag that the log has was observed."""
        unseen = self.unseen.get(channel)
        return np.ones(self.time.shape, dtype=np.bool_) if unseen is None else ~unseen


def from_tracks(
    info: RunInfo,
    time: Series,
    tracks: Mapping[str, Track],
    *,
    channels: Mapping[str, Series] | None = None,
    flags: Mapping[str, Flags] | None = None,
    functional_part: float | None = None,
) -> RunLog:
    """The log of a run whose poses are known: gap, offset and contact from the boxes, unless a channel of its own was measured."""
    posed, touch = posed_channels(info, tracks)
    contact = {"contact": touch} if touch is not None else {}
    return RunLog(
        info=info,
        time=time,
        channels={**posed, **(channels or {})},
        flags={**contact, **(flags or {})},
        tracks=dict(tracks),
        touching=touch,
        functional_part=functional_part,
    )


def posed_channels(info: RunInfo, tracks: Mapping[str, Track]) -> tuple[dict[str, Series], Flags | None]:
    """What poses say: speeds, gap, closing speed and lateral offset of the target, distance to a marking; and whether bodies touch."""
    channels = {f"{role}_speed": track.speed for role, track in tracks.items()}
    subject, target = tracks.get("subject"), tracks.get("target")
    wheels = (info.marking, info.front_axle, info.track_width, info.tyre_width)
    if subject is not None and None not in wheels:
        marking, axle, track_width, tyre_width = (float(number) for number in wheels if number is not None)
        bend = info.bend
        along_road = subject if bend is None else unbent(subject, Bend(bend.x, bend.radius, bend.arc))
        channels["line_distance"] = line_distance(along_road, marking, axle, (track_width + tyre_width) / 2)
    others = {role: track for role, track in tracks.items() if role.startswith("pair") or role == "object"}
    if subject is None or (target is None and not others):
        return channels, None
    if target is None:
        # What is passed: the gap to the nearest of them. An object may be driven over, so its box tells of no contact.
        channels["gap"] = np.asarray(np.min([gap(subject, other) for other in others.values()], axis=0))
        channels["closing_speed"] = closing_speed(subject, next(iter(others.values())))
        solid = [touching(subject, other) for role, other in others.items() if role != "object"]
        return channels, np.asarray(np.any(solid, axis=0)) if solid else None
    targets = [target, *(track for role, track in tracks.items() if role.startswith("target") and role != "target")]
    gaps, touches = np.stack([gap(subject, one) for one in targets]), np.stack([touching(subject, one) for one in targets])
    # of several targets the one that counts: what is touched, else the nearest ahead, else the last that was passed
    near = np.argmin(np.where(touches, -np.inf, np.where(gaps >= 0, gaps, 1e6 - gaps)), axis=0)
    samples = np.arange(near.size)
    channels["closing_speed"] = np.stack([closing_speed(subject, one) for one in targets])[near, samples]
    channels["gap"] = gaps[near, samples]
    channels["lateral_offset"] = np.stack([lateral_offset(subject, one, info.target_reference) for one in targets])[near, samples]
    return channels, np.asarray(touches.any(axis=0))


def met_in(log: RunLog, roles: Collection[str]) -> RunLog:
    """The log as if only who plays one of these roles were there, the first of them as the target; as it is where it has no poses."""
    subject = log.tracks.get("subject")
    there = [role for role in roles if role in log.tracks]
    if subject is None or not there:
        return log
    boxes, tracks = dict(log.info.boxes), dict(log.tracks)
    met = {role: log.tracks[role] for role in there}
    if there[0].startswith("target"):
        tracks["target"] = log.tracks[there[0]]
        met = {"target": tracks["target"]}
        if there[0] in boxes:
            boxes["target"] = boxes[there[0]]
    box = log.info.target_box if there[0] == "target" else None
    reference = log.info.target_references.get(there[0], log.info.target_reference if there[0] == "target" else None)
    info = log.info.model_copy(update={"boxes": boxes, "target_box": box, "target_reference": reference})
    posed, _ = posed_channels(info, {"subject": subject, **met})
    return replace(log, info=info, tracks=tracks, channels={**log.channels, **posed})


def line_distance(subject: Track, marking: float, front_axle: float, half_track: float) -> Series:
    """Distance from the outside of the front tyre to the outer edge of a marking at the lateral position `marking` (m, left
    positive, along the x axis): positive before the edge, negative past it. `front_axle`: metres ahead of the pose."""
    side = 1.0 if marking > 0 else -1.0
    front_axle_y = subject.y + front_axle * np.sin(subject.heading)
    return np.asarray(side * (marking - front_axle_y) - half_track * np.cos(subject.heading))


def drift(track: Track) -> Series:
    """How far a track lies to the left of the straight line that its first heading gives (m)."""
    return np.asarray((track.x - track.x[0]) * -np.sin(track.heading[0]) + (track.y - track.y[0]) * np.cos(track.heading[0]))


# ---- what a scenario has the driver of the subject vehicle do, as a channel: no player measures a driver's braking.


#: Below this much (m/s) above its goal a driver's braking is over.
_REACHED = 1e-6


def commanded(driver: Sequence[DriverBraking], events: Mapping[str, float], time: Series, speed: Series) -> Series:
    """The deceleration (m/s2) that the driver's own braking asks for at each sample: from the moment on that its event began, by
    `events` (s), until the speed that it goes to; shape (samples,). Of two the later counts."""
    asked = np.zeros(time.shape)
    for braking in sorted((item for item in driver if item.event in events), key=lambda item: events[item.event]):
        begun = time >= events[braking.event] - 1e-9
        asked[begun] = np.where(speed[begun] > braking.speed + _REACHED, braking.rate, 0.0)
    return asked


#: The unit of each kind in a header, and digits after the point.
_HEADER = {
    "time": ("_s", 6), "speed": ("_m_s", 6), "length": ("_m", 6), "acceleration": ("_m_s2", 4), "jerk": ("_m_s3", 4),
    "angle": ("_rad", 6), "angular_rate": ("_rad_s", 6), "force": ("_n", 3), "flag": ("", 0),
}  # fmt: skip


def csv_text(log: RunLog) -> str:
    """The channels that the log has, one line a sample; a flag that was not observed is an empty cell. Time to collision is written
    for the reader's eye only."""
    names: list[str] = []
    columns: list[Series] = []
    formats: list[str] = []

    def add(name: str, values: Series, digits: int) -> None:
        names.append(name)
        columns.append(np.asarray(values, dtype=np.float64))
        formats.append(f"%.{digits}f")

    add("time_s", log.time, 6)
    values = {**_poses(log), **log.channels}
    for channel, kind in CHANNELS.items():
        if kind != "flag" and channel in values:
            add(channel + _HEADER[kind][0], values[channel], _HEADER[kind][1])
        elif channel in log.flags:
            add(channel, np.where(log.observed(channel), log.flags[channel], np.nan), 0)
    if log.functional_part is not None:
        add("functional_part", (log.time >= log.functional_part - log.step / 2).astype(np.float64), 0)
    gap, closing = log.get("gap"), log.get("closing_speed")
    if gap is not None and closing is not None:
        add("ttc_s", np.minimum(np.maximum(gap, 0.0) / np.maximum(closing, 1e-9), 999.0), 3)
    stream = io.StringIO()
    stream.write(",".join(names) + "\n")
    np.savetxt(stream, np.column_stack(columns) + 0.0, fmt=formats, delimiter=",", newline="\n")
    return stream.getvalue().replace("-0.000000", "0.000000").replace("-0.0000,", "0.0000,").replace("nan", "")


def _poses(log: RunLog) -> dict[str, Series]:
    columns: dict[str, Series] = {}
    for role, track in log.tracks.items():
        columns |= {f"{role}_x": track.x, f"{role}_y": track.y, f"{role}_heading": track.heading, f"{role}_speed": track.speed}
    return columns


def sidecar_text(info: RunInfo) -> str:
    """The sidecar as JSON with sorted keys; the log's own name is left out, since it is the file beside it."""
    data = info.model_dump(mode="json", exclude={"log"}, exclude_none=True)
    return json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def stem(info: RunInfo) -> str:
    """The file name without suffix: `<scenario id>__<ego>__r<run>`."""
    return f"{info.scenario}__{info.ego}__r{info.run}"
