"""The configuration of one CARLA run: what `run_carla.py` reads, and the schema that it fits.

CARLA's frame is left-handed: y, yaw and curvatures are mirrored against the stage. Transforms are those of the middle of a box on the
road, walkers' of its middle in the air. Lengths in m, times in s, speeds in m/s, angles of transforms in degrees, masses in kg.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from regc.model.source import Wording
from regc.model.stage import Change, Leg, Moment, System


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
    """Arguments of carla.WeatherParameters: dry, no wind."""

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


class CarlaBox(_Part):
    """The size of the model as its data file has it; the runner reads the model's own and keeps front and near face."""

    length: float = Field(gt=0)
    width: float = Field(gt=0)
    height: float = Field(gt=0)


class Physics(_Part):
    """Set through the vehicle's physics control. `friction_share`: of the tyres' own friction, 1 on a dry road. The brakes are made
    strong enough for `max_deceleration` (m/s2) at `mass`."""

    mass: float = Field(gt=0)
    friction_share: float = Field(gt=0, le=1)
    max_deceleration: float = Field(gt=0)


class CarlaActor(_Part):
    """A body that can move. `front`: from the point that follows the path to the front end; `reference`: from that point forward to
    the measured one. `path`: legs with curvature in CARLA's frame. `begins`: when it starts with `speed`; `changes` of its speed."""

    role: str
    kind: str
    blueprint: str
    transform: Transform
    box: CarlaBox
    front: float
    reference: float = 0.0
    path: tuple[Leg, ...] = ()
    speed: float = 0.0
    begins: Moment = Moment(kind="start")
    changes: tuple[Change, ...] = ()
    physics: Physics | None = None
    headlamps: Literal["", "low", "high"] = ""


class Prop(_Part):
    """A body that stands still. `role` is the thing's, with a number where it is made of several."""

    role: str
    thing: str
    kind: str
    blueprint: str
    transform: Transform
    box: CarlaBox
    passable: bool = False


class Source(_Part):
    """A number of the test in the regulation's digits and unit, and where the document says it."""

    value: str
    basis: str
    places: tuple[str, ...] = ()


class CarlaConfig(_Part):
    """One run. `actors`: the subject vehicle (role "subject") first. `primary`: the role that gap and time to collision are logged to.
    `impact`: in CARLA's frame. Moments, changes and system are those of the stage. `assumed`: line of the stage -> what replaces it."""

    schema_version: Literal["2"] = "2"
    id: str
    scenario: str
    title: str
    regulation: str
    edition: str
    wording: Wording
    clause: str
    status: str
    manoeuvre: str
    made_for: str
    map: Map
    world: World
    weather: Weather
    actors: tuple[CarlaActor, ...]
    props: tuple[Prop, ...] = ()
    primary: str = ""
    impact: Location | None = None
    functional_part: Moment
    events: dict[str, Moment] = {}
    driver: tuple[Change, ...] = ()
    system: System
    end: tuple[Moment, ...]
    sensors: tuple[Literal["sensor.other.collision", "sensor.other.imu"], ...] = ("sensor.other.collision", "sensor.other.imu")
    criteria: tuple[str, ...] = ()
    values: dict[str, Source]
    assumed: dict[str, str]
    losses: tuple[str, ...] = ()


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a configuration."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **CarlaConfig.model_json_schema()}
