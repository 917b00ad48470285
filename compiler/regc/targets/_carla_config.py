"""The configuration of one CARLA run: what `run_carla.py` reads, and the schema that it fits.

CARLA's frame is left-handed: y and yaw are mirrored against the OpenDRIVE road. Transforms are those of the box centre on the road.
Lengths in m, times in s, speeds in m/s, angles in degrees, masses in kg.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Location(_Part):
    """A place in CARLA's frame."""

    x: float
    y: float
    z: float


class Rotation(_Part):
    """An attitude in degrees."""

    pitch: float = 0.0
    yaw: float
    roll: float = 0.0


class Transform(_Part):
    """Arguments of carla.Transform."""

    location: Location
    rotation: Rotation


class Weather(_Part):
    """Arguments of carla.WeatherParameters: dry, no wind, the sun high."""

    cloudiness: float = 0.0
    precipitation: float = 0.0
    precipitation_deposits: float = 0.0
    wind_intensity: float = 0.0
    sun_azimuth_angle: float = Field(ge=0, lt=360)
    sun_altitude_angle: float = Field(ge=-90, le=90)
    fog_density: float = 0.0
    wetness: float = 0.0
    dust_storm: float = 0.0


class World(_Part):
    """Arguments of carla.WorldSettings."""

    synchronous_mode: bool = True
    fixed_delta_seconds: float = Field(gt=0, le=0.05)
    substepping: bool = True
    max_substep_delta_time: float = Field(default=0.005, gt=0, le=0.01666)
    max_substeps: int = Field(default=10, ge=1, le=16)


class Map(_Part):
    """An OpenDRIVE file (relative to the config) or a town of CARLA's; exactly one."""

    opendrive: str | None = None
    town: str | None = None


class Box(_Part):
    """The assumed size; CARLA's model has its own, which the runner reads and places by."""

    length: float = Field(gt=0)
    width: float = Field(gt=0)
    height: float = Field(gt=0)


class Physics(_Part):
    """Set through the vehicle's physics control: the mass of the load state, and the tyres' friction on the dry road."""

    mass: float = Field(gt=0)
    tire_friction: float | None = Field(default=None, gt=0)


class Actor(_Part):
    """A body of the run. `speed` at the start of the log, along its heading."""

    role: Literal["hero", "target", "obstacle"]
    blueprint: str
    transform: Transform
    box: Box
    speed: float = 0.0
    physics: Physics | None = None


class Motion(_Part):
    """The target's own motion. "crossing": starts when the subject's time to the crossing plane falls to `start_ttc`, speeds up with
    `acceleration` (None: at once) and goes straight on. `reference_from_centre`: from the box centre ahead to the point that meets the
    centreline. `side`: from which it comes, seen from the subject vehicle."""

    kind: Literal["stationary", "constant", "crossing"]
    speed: float
    start_ttc: float | None = None
    acceleration: float | None = None
    reference_from_centre: float = 0.0
    side: Literal["left", "right"] | None = None


class Timing(_Part):
    """Times of the run. The functional part starts when the time to collision falls below `functional_ttc`, not before
    `min_straight_time`."""

    approach_time: float
    min_straight_time: float
    functional_ttc: float
    after_contact: float
    standstill: float
    end_time: float


class Aeb(_Part):
    """The runner's own model (`--ego reference|late`)."""

    warning_ttc: float
    braking_ttc: float
    late_braking_ttc: float
    demand: float


class CarlaConfig(_Part):
    """One run."""

    schema_version: Literal["1"] = "1"
    id: str
    title: str
    regulation: str
    edition: str
    wording: str
    clause: str
    status: str
    family: str
    category: str | None
    load_state: str | None
    map: Map
    world: World
    weather: Weather
    approach_type: Literal["in_lane", "crossing"]
    actors: tuple[Actor, ...]
    target_motion: Motion
    start_gap: float = Field(gt=0)
    timing: Timing
    aeb: Aeb
    sensors: tuple[Literal["sensor.other.collision", "sensor.other.imu"], ...] = ("sensor.other.collision", "sensor.other.imu")
    criteria: dict[str, Any]
    parameters: dict[str, Any]
    assumptions: tuple[dict[str, Any], ...]
    sources: tuple[str, ...]
    losses: tuple[str, ...] = ()


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a configuration."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **CarlaConfig.model_json_schema()}
