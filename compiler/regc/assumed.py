"""What a simulation needs and the regulation does not say: vehicles, targets, road. Every value is replaceable by a user's file."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from regc.errors import DataFileError
from regc.resources import package_data

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _decimal(value: object) -> object:
    # TOML has no decimal type; the shortest text of the float is what the user wrote
    return Decimal(str(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


#: Nothing that a test needs is larger, in any of the files' units; what is was mistyped.
_MOST = 1_000_000
Number = Annotated[Decimal, BeforeValidator(_decimal), Field(ge=-_MOST, le=_MOST)]
Positive = Annotated[Number, Field(gt=0)]
NotNegative = Annotated[Number, Field(ge=0)]


#: m; no vehicle or target of a test is larger, so a lost decimal point is told.
Metres = Annotated[Positive, Field(le=40)]
#: kg
Kilograms = Annotated[Positive, Field(le=100_000)]


class Masses(_Data):
    """Mass in kg by load state; the maximum mass is not the smaller one."""

    running_order: Kilograms
    maximum_mass: Kilograms

    @model_validator(mode="after")
    def _in_order(self) -> Masses:
        if self.maximum_mass < self.running_order:
            raise ValueError(f"maximum_mass {self.maximum_mass} kg is below running_order {self.running_order} kg")
        return self


class Wheeled(_Data):
    """A vehicle's box, axles and performance; m, m/s, m/s2, rad. `rear_overhang`: rear axle to rear end."""

    length: Metres
    width: Metres
    height: Metres
    rear_overhang: NotNegative
    wheelbase: Metres
    track_width: Metres
    wheel_diameter: Metres
    max_steering: Positive
    max_speed: Positive
    max_acceleration: Positive
    max_deceleration: Positive

    @property
    def front(self) -> Decimal:
        """From the rear axle to the front end."""
        return self.length - self.rear_overhang


class SubjectVehicle(Wheeled):
    """A subject vehicle of one category."""

    reason: str
    mass_reason: str
    mass: Masses


class Aeb(_Data):
    """The storyboard AEB: time to collision in s at which it warns and brakes, and m/s2 where the document has no demand.
    `warning_margin`: s by which its lead exceeds the one that the document states."""

    reason: str
    warning_ttc: Positive
    braking_ttc: Positive
    late_braking_ttc: Positive
    braking_demand: Positive
    warning_margin: NotNegative = Decimal("0.2")


class Vehicles(_Data):
    """vehicles.toml: `categories` by the regulation's category ("N1"), or category and group ("N1 alpha <= 1.3"), with "default"
    for any other."""

    categories: dict[str, SubjectVehicle]
    aeb: Aeb

    def of(self, category: str | None, group: str | None = None) -> tuple[str, SubjectVehicle]:
        """The table's name and the vehicle: of "category group" where there is one, else of the category, else "default"."""
        for name in (f"{category} {group}", category):
            if name in self.categories:
                return name, self.categories[name]
        return "default", self.categories["default"]


class RunUp(_Data):
    """How a target reaches its speed before the functional part, hidden by an obstacle. `emerging_time`: at constant speed
    between the end of the acceleration and the start of the functional part. `spare_time`: from the start of the run to that of
    the acceleration, for a subject vehicle at its nominal speed."""

    reason: str
    acceleration: Positive
    emerging_time: Positive
    spare_time: Positive
    obstacle_length: Positive
    obstacle_width: Positive
    obstacle_height: Positive
    obstacle_clearance: NotNegative
    obstacle_margin: NotNegative
    obstacle_mass: Positive


class Car(Wheeled):
    """A vehicle target."""

    kind: Literal["car"]
    reason: str
    mass: Positive
    reference_offset: Number = Decimal(0)
    run_up: RunUp | None = None


class Bicycle(Wheeled):
    """A bicycle target; `reference_offset`: rear axle to crankshaft."""

    kind: Literal["bicycle"]
    reason: str
    mass: Positive
    reference_offset: Number
    run_up: RunUp | None = None


class Pedestrian(_Data):
    """A pedestrian target; the origin is the centre of the box."""

    kind: Literal["pedestrian"]
    reason: str
    length: Positive
    width: Positive
    height: Positive
    mass: Positive
    reference_offset: Number = Decimal(0)
    run_up: RunUp | None = None


TargetData = Car | Bicycle | Pedestrian


class Targets(_Data):
    """targets.toml: one table a target type."""

    types: dict[str, Annotated[TargetData, Field(discriminator="kind")]]


class Road(_Data):
    """The straight road; m."""

    reason: str
    lane_width: Positive
    paved_side: NotNegative
    lead_in: NotNegative
    lead_out: NotNegative
    surface: str


class Surroundings(_Data):
    """The environment's values; degC, lux, per cent, rad, m, Pa."""

    reason: str
    temperature: Number
    illuminance: Positive
    slope: Number
    sun_azimuth: Number
    sun_elevation: Number
    visual_range: Positive
    pressure: Positive
    date_time: str


class Timing(_Data):
    """Times of a run in s, how far (m) a crossing target goes beyond the centreline and when it is done. `fallback_*`: where the
    document says nothing."""

    reason: str
    external_approach: Positive
    after_contact: NotNegative
    after_end: Positive
    crossing_overrun: Positive
    crossing_done: Positive
    standstill: Positive
    fallback_ttc: Positive
    fallback_approach: Positive


class Track(_Data):
    """road.toml."""

    road: Road
    environment: Surroundings
    timing: Timing


Model = TypeVar("Model", bound=_Data)


def _read(name: str, path: Path | None) -> tuple[dict[str, Any], str]:
    file = path or package_data("data", name)
    try:
        return tomllib.loads(file.read_text(encoding="utf-8")), file.name
    except OSError as error:
        raise DataFileError(f"{file}: cannot be read: {error.strerror}", hint=_example(name)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataFileError(f"{file}: not TOML: {error}", hint=_example(name)) from error


def _example(name: str) -> str:
    return f"the built-in file shows keys and units: regc targets --example {name.removesuffix('.toml')}"


def _fit(model: type[Model], data: dict[str, Any], file: str, name: str) -> Model:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"] if part not in ("categories", "types", "car", "bicycle", "pedestrian"))
        raise DataFileError(
            f"{file}: {key}: {first['msg']}, got {first['input']!r}" if first["type"] != "missing" else f"{file}: {key}: is missing",
            hint=_example(name),
        ) from error


def vehicles(path: Path | None = None) -> Vehicles:
    """Subject vehicles and the AEB model; raises DataFileError (file, key, value)."""
    data, file = _read("vehicles.toml", path)
    aeb = data.pop("aeb", None)
    if aeb is None:
        aeb = _read("vehicles.toml", None)[0]["aeb"]
    found = _fit(Vehicles, {"categories": data, "aeb": aeb}, file, "vehicles.toml")
    if "default" not in found.categories:
        raise DataFileError(f"{file}: default: is missing", hint="add a [default] table for every other category")
    return found


def targets(path: Path | None = None) -> Targets:
    """Targets by type; raises DataFileError (file, key, value)."""
    data, file = _read("targets.toml", path)
    return _fit(Targets, {"types": data}, file, "targets.toml")


def track(path: Path | None = None) -> Track:
    """Road, surroundings and times; raises DataFileError (file, key, value)."""
    data, file = _read("road.toml", path)
    return _fit(Track, data, file, "road.toml")


class Common(_Data):
    """What all manoeuvres share."""

    reason: str
    speed_margin: NotNegative
    time_margin: NotNegative
    deceleration: Positive
    straight_time: Positive
    after_time: Positive
    vertex_distance: Positive


class Radii(_Data):
    """Where a radius is looked for."""

    least: Positive
    greatest: Positive
    step: Positive


class TurnAcross(_Data):
    """A turn in front of an oncoming vehicle that stands."""

    reason: str
    target: str
    radii: Radii
    arm_length: Positive


class TurnOff(_Data):
    """A forward vehicle that turns off."""

    reason: str
    target: str
    turn_radius: Positive
    target_deceleration: Positive
    arm_length: Positive


class Curve(_Data):
    """A curve with guard pipes and an object behind them."""

    reason: str
    targets: tuple[str, ...]
    guard_offset: NotNegative
    guard_height: Positive
    object_clearance: NotNegative
    curve_angle: Positive


class Sign(_Data):
    """A signboard in the lane; `clearance`: between the end of the change of lane and the sign."""

    reason: str
    length: Positive
    width: Positive
    height: Positive
    mass: Positive
    clearance: Positive


class Manoeuvres(_Data):
    """manoeuvres.toml: one table a kind of manoeuvre, by the type of its target."""

    common: Common
    oncoming_vehicle: TurnAcross
    forward_vehicle: TurnOff
    stationary_object: Curve
    signboard: Sign


def manoeuvres(path: Path | None = None) -> Manoeuvres:
    """Data of manoeuvres; raises DataFileError (file, key, value)."""
    data, file = _read("manoeuvres.toml", path)
    return _fit(Manoeuvres, data, file, "manoeuvres.toml")
