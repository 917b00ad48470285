"""The channels that a log may have: what each measures, and the units in which a file may write it."""

from __future__ import annotations

from typing import Literal

from regc.model.units import units

Kind = Literal["time", "speed", "length", "acceleration", "jerk", "angle", "angular_rate", "force", "torque", "flag"]

#: Who may have a pose in a log, beside the subject vehicle; target2 and target3 are those of later phases.
ROLES = ("target", "lead", "pair_left", "pair_right", "object", "obstruction", "target2", "target3")

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
