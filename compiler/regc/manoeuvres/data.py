"""What a stage needs and no document says: vehicles, actors, test track, layouts. Every number is replaceable by a user's file.

A user's file holds only what differs; it is laid over the built-in one table by table. What cannot be a vehicle is refused with file,
key and value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from regc.model.stage import Chassis
from regc.tomlfiles import Model, fitted, laid_over, packaged, read_toml

ROAD_USERS, TEST_TRACK, LAYOUTS = "road_users.toml", "test_track.toml", "layouts.toml"

#: m; no road user of a test is larger, so a lost decimal point is told.
Metres = Annotated[float, Field(gt=0, le=40)]
Kilograms = Annotated[float, Field(gt=0, le=100_000)]
Positive = Annotated[float, Field(gt=0, le=1_000_000)]
NotNegative = Annotated[float, Field(ge=0, le=1_000_000)]
Form = Literal["car", "van", "truck", "bus", "motorcycle", "bicycle", "pedestrian", "object"]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Shape(_Data):
    """A box, and where it comes from."""

    reason: str
    form: Form
    length: Metres
    width: Metres
    height: Annotated[float, Field(gt=0, le=5)]


class Wheeled(Shape):
    """A vehicle: axles and performance. The origin is the rear axle."""

    rear_overhang: NotNegative
    wheelbase: Metres
    track_width: Metres
    tyre_width: Annotated[float, Field(gt=0, le=1)]
    wheel_diameter: Annotated[float, Field(gt=0, le=2)]
    max_steering: Annotated[float, Field(gt=0, lt=1.5708)]
    max_speed: Annotated[float, Field(gt=0, le=120)]
    max_acceleration: Annotated[float, Field(gt=0, le=20)]
    max_deceleration: Annotated[float, Field(gt=0, le=20)]

    @model_validator(mode="after")
    def _is_a_vehicle(self) -> Wheeled:
        front = self.length - self.rear_overhang - self.wheelbase
        if front < 0:
            raise ValueError(
                f"rear_overhang + wheelbase = {self.rear_overhang + self.wheelbase:g} m is more than length {self.length:g} m"
            )
        outside = self.track_width + self.tyre_width
        if outside > self.width + 0.05:
            raise ValueError(f"track_width + tyre_width = {outside:g} m is more than width {self.width:g} m")
        return self

    @property
    def front(self) -> float:
        """From the rear axle to the front end, m."""
        return self.length - self.rear_overhang

    def chassis(self) -> Chassis:
        """Axles and performance as a stage holds them."""
        return Chassis(**{name: getattr(self, name) for name in Chassis.model_fields})


class Subject(Wheeled):
    """A subject vehicle of one category; masses in kg in running order and at the technically permissible maximum."""

    mass_reason: str
    mass_run: Kilograms
    mass_max: Kilograms

    @model_validator(mode="after")
    def _masses_in_order(self) -> Subject:
        if self.mass_max < self.mass_run:
            raise ValueError(f"mass_max {self.mass_max:g} kg is below mass_run {self.mass_run:g} kg")
        return self


class _Takes(_Data):
    overlap: Literal["width", "point"]
    mass: Kilograms
    reference: float = 0.0
    passable: bool = False


class WheeledActor(Wheeled, _Takes):
    """A vehicle, motorcycle or bicycle that takes part."""


class StandingActor(Shape, _Takes):
    """A person or thing that takes part; the origin is the middle of the box."""

    @property
    def front(self) -> float:
        """From the middle to the front end, m."""
        return self.length / 2


Actor = WheeledActor | StandingActor


class RoadUsers(_Data):
    """road_users.toml."""

    subjects: dict[str, Subject]
    actors: dict[str, Actor]

    def subject(self, category: str) -> tuple[str, Subject]:
        """The table for a category as the regulation writes it ("M3>8t"): of that name, without its mass, else "default"."""
        for name in (category, re.split(r"[\s<>=]", category, maxsplit=1)[0]):
            if name in self.subjects:
                return name, self.subjects[name]
        return "default", self.subjects["default"]


class RoadData(_Data):
    """The straight road; m."""

    reason: str
    lane_width: Metres
    paved_side: NotNegative
    lead_in: NotNegative
    lead_out: NotNegative
    friction: Annotated[float, Field(gt=0, le=1.5)]
    marking_width: Positive
    marking_pattern: Literal["solid", "broken"]


class Surroundings(_Data):
    """A dry, still day; degC, lux, m/s, rad, m, Pa."""

    reason: str
    temperature: Annotated[float, Field(ge=-60, le=60)]
    illumination: Positive
    wind: NotNegative
    sun_azimuth: float
    sun_elevation: float
    visual_range: Positive
    pressure: Positive
    date_time: str


class Night(_Data):
    """What takes the place of the day's light where the document allows less than `below` lux."""

    reason: str
    below: Positive
    illumination: NotNegative
    sun_elevation: float
    date_time: str


class Timing(_Data):
    """Times of a run, s."""

    reason: str
    external_approach: Positive
    approach_margin: NotNegative
    after_contact: NotNegative
    after_end: Positive
    standstill: Positive
    fallback_ttc: Positive
    fallback_approach: Positive
    reaction_ttc: Positive


class Player(_Data):
    """What players do with a trigger; in steps."""

    reason: str
    spare_steps: Annotated[int, Field(ge=0, le=10)]
    phase: Annotated[float, Field(gt=0, lt=1)]
    step_lag: Annotated[float, Field(ge=0, le=5)]
    ramp_lag: Annotated[float, Field(ge=0, le=5)]


class CrossingData(_Data):
    """A target that crosses. `nearside`: from the side of the lane's own edge, where the document leaves it open."""

    reason: str
    overrun: Positive
    nearside: bool


class DataNumber(_Data):
    """A number in a regulation's unit."""

    value: float
    unit: str


class OpenDefaults(_Data):
    """By binding: what is taken where nothing is declared."""

    reason: str
    numbers: dict[str, DataNumber]

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, data: Any) -> Any:
        if isinstance(data, dict) and "numbers" not in data:
            return {"reason": data.get("reason"), "numbers": {key: value for key, value in data.items() if key != "reason"}}
        return data


class Beyond(_Data):
    """By unit: how far beyond an open bound."""

    reason: str
    margins: dict[str, Positive]


class TrackData(_Data):
    """test_track.toml."""

    road: RoadData
    surroundings: Surroundings
    night: Night
    timing: Timing
    player: Player
    crossing: CrossingData
    open: OpenDefaults
    beyond: Beyond


class FreeMeasures(_Data):
    """One manoeuvre's free measures: name -> number, with a reason and the unit of each in the file's comments."""

    reason: str
    numbers: dict[str, float]
    models: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, data: Any) -> Any:
        if isinstance(data, dict) and "numbers" not in data:
            numbers = {key: value for key, value in data.items() if key not in ("reason", "models")}
            return {"reason": data.get("reason"), "models": tuple(data.get("models", ())), "numbers": numbers}
        return data


class Layouts(_Data):
    """layouts.toml: one table a manoeuvre, and "common"."""

    tables: dict[str, FreeMeasures]


@dataclass(frozen=True)
class StageData:
    """All data files."""

    road_users: RoadUsers
    track: TrackData
    layouts: Layouts


def load(road_users: Path | None = None, test_track: Path | None = None, layouts: Path | None = None) -> StageData:
    """The built-in data with a user's files laid over them. Raises DataFileError (file, key, value)."""
    return StageData(
        _fit(RoadUsers, _merged(ROAD_USERS, road_users), road_users or Path(ROAD_USERS)),
        _fit(TrackData, _merged(TEST_TRACK, test_track), test_track or Path(TEST_TRACK)),
        _fit(Layouts, {"tables": _merged(LAYOUTS, layouts)}, layouts or Path(LAYOUTS)),
    )


def _hint(name: str) -> str:
    return f"the built-in file shows keys and units: regc targets --example {name.removesuffix('.toml')}"


def _merged(name: str, path: Path | None) -> dict[str, Any]:
    built_in = packaged("data", name)
    return built_in if path is None else laid_over(built_in, read_toml(path, hint=_hint(name)))


def _fit(model: type[Model], data: dict[str, Any], path: Path) -> Model:
    return fitted(model, data, name=path.name, hint=_hint(path.stem), inner=("tables", "WheeledActor", "StandingActor", "numbers"))
