"""The channels that a log may have: what each measures, and the units in which a file may write it."""

from __future__ import annotations

import math
from typing import Literal

Kind = Literal["time", "speed", "length", "acceleration", "jerk", "angle", "angular_rate", "force", "flag"]

#: Who may have a pose in a log, beside the subject vehicle.
ROLES = ("target", "lead", "pair_left", "pair_right", "object", "obstruction")

#: channel -> what it measures. "warning" may carry a mode. `gap`: from the subject vehicle's front to the nearest face of the target,
#: along the subject vehicle. `lateral_offset`: of the target's reference point from the subject's centreline, left positive.
#: `line_distance`: from the outside of the front tyre to the outer edge of the marking, positive before it. `braking_demand`: of the
#: system under test. `driver_deceleration`: what the driver's own braking asks for.
CHANNELS: dict[str, Kind] = {
    "time": "time",
    "subject_speed": "speed",
    "target_speed": "speed",
    "lead_speed": "speed",
    "closing_speed": "speed",
    "gap": "length",
    "lateral_offset": "length",
    "line_distance": "length",
    "braking_demand": "acceleration",
    "deceleration": "acceleration",
    "driver_deceleration": "acceleration",
    "lateral_acceleration": "acceleration",
    "lateral_jerk": "jerk",
    "yaw_rate": "angular_rate",
    "steering_force": "force",
    **{f"{role}_{part}": "length" for role in ("subject", *ROLES) for part in ("x", "y")},
    **{f"{role}_heading": "angle" for role in ("subject", *ROLES)},
    **{f"{role}_speed": "speed" for role in ROLES[2:]},
    "contact": "flag",
    "warning": "flag",
    "warning_acoustic": "flag",
    "warning_optical": "flag",
    "warning_haptic": "flag",
    "driver_input": "flag",
    "driver_brake": "flag",
    "hands_off": "flag",
    "lane_change": "flag",
    "functional_part": "flag",
}

#: Ways in which a warning can reach a driver.
WARNING_MODES = ("acoustic", "optical", "haptic")

#: Other names of a channel in the header of a plain log.
ALIASES = {"timestamp": "time"}

#: What is measured -> unit as files write it -> factor to SI.
UNITS: dict[Kind, dict[str, float]] = {
    "time": {"s": 1.0, "ms": 0.001},
    "speed": {"m/s": 1.0, "m_s": 1.0, "mps": 1.0, "km/h": 1 / 3.6, "km_h": 1 / 3.6, "kmh": 1 / 3.6, "kph": 1 / 3.6, "mph": 0.44704},
    "length": {"m": 1.0, "cm": 0.01, "mm": 0.001},
    "acceleration": {"m/s2": 1.0, "m_s2": 1.0, "m/s^2": 1.0, "mps2": 1.0, "g": 9.80665},
    "jerk": {"m/s3": 1.0, "m_s3": 1.0, "m/s^3": 1.0},
    "angle": {"rad": 1.0, "deg": math.pi / 180},
    "angular_rate": {"rad/s": 1.0, "rad_s": 1.0, "deg/s": math.pi / 180, "deg_s": math.pi / 180},
    "force": {"n": 1.0, "N": 1.0, "kn": 1000.0, "kN": 1000.0},
    "flag": {"": 1.0, "-": 1.0, "1": 1.0},
}


def mode_channel(mode: str) -> str:
    """The channel of a warning mode; "" is a log's one warning flag that names no mode."""
    return f"warning_{mode}" if mode else "warning"
