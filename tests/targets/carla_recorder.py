"""Stands in for a CARLA server: real client types go in, calls are remembered, bodies move exactly as they are told and nothing else is
simulated. Collisions are told one tick late, with the frame in which they happened, as a server may tell them."""

from __future__ import annotations

import math
from collections import Counter
from types import ModuleType
from typing import Any


class RecordedActor:
    """A body that does what it was told."""

    def __init__(self, world: Recorder, blueprint: str, transform: Any, size: tuple[float, float]) -> None:
        self.world, self.type_id, self.transform = world, blueprint, transform
        self.id, self.speed, self.yaw_rate, self.held, self.brake = world.next_id(), 0.0, 0.0, False, 0.0
        carla = world.carla
        self.bounding_box = carla.BoundingBox(carla.Location(0, 0, 0.7), carla.Vector3D(size[0] / 2, size[1] / 2, 0.7))
        wheels = [carla.WheelPhysicsControl(tire_friction=3.5, radius=35.0, max_brake_torque=1500.0) for _ in range(4)]
        self.physics = carla.VehiclePhysicsControl(mass=1000.0, wheels=wheels)
        self.controls: list[Any] = []
        self.aside = 0.0
        self.stopped = self.gone = False

    def get_transform(self) -> Any:
        return self.world.carla.Transform(self.transform.location, self.transform.rotation)

    def set_transform(self, transform: Any) -> None:
        self.transform = transform

    def get_velocity(self) -> Any:
        yaw = math.radians(self.transform.rotation.yaw)
        cos, sin = math.cos(yaw), math.sin(yaw)
        return self.world.carla.Vector3D(self.speed * cos - self.aside * sin, self.speed * sin + self.aside * cos, 0.0)

    def get_physics_control(self) -> Any:
        return self.physics

    def apply_physics_control(self, control: Any) -> None:
        self.physics = control

    def enable_constant_velocity(self, velocity: Any) -> None:
        self.speed, self.aside, self.held = velocity.x, velocity.y, True

    def disable_constant_velocity(self) -> None:
        self.held = False

    def set_target_angular_velocity(self, velocity: Any) -> None:
        self.yaw_rate = velocity.z

    def set_light_state(self, state: Any) -> None:
        self.world.lights[self.id] = state

    def apply_control(self, control: Any) -> None:
        self.controls.append(control)
        if isinstance(control, self.world.carla.WalkerControl):
            self.speed = control.speed
        else:
            self.brake = control.brake  # sticky: holds until the next control

    def listen(self, callback: Any) -> None:
        self.world.callback = callback

    def stop(self) -> None:
        self.stopped = True

    def destroy(self) -> None:
        assert self.stopped or not self.type_id.startswith("sensor."), "a sensor is stopped before it is destroyed"
        self.gone = True
        self.world.calls["destroy"] += 1

    def move(self, step: float) -> None:
        if not self.held and self.type_id.startswith("vehicle."):
            self.speed = max(self.speed - self.brake * 9.0 * step, 0.0)
        carla, rotation = self.world.carla, self.transform.rotation
        yaw = rotation.yaw + self.yaw_rate * step
        middle = math.radians((yaw + rotation.yaw) / 2)
        place = self.transform.location
        ahead, aside = self.speed * step, self.aside * step
        x = place.x + ahead * math.cos(middle) - aside * math.sin(middle)
        y = place.y + ahead * math.sin(middle) + aside * math.cos(middle)
        self.transform = carla.Transform(carla.Location(x, y, place.z), carla.Rotation(0.0, yaw, 0.0))

    def corners(self) -> list[tuple[float, float]]:
        place, extent = self.transform.location, self.bounding_box.extent
        yaw = math.radians(self.transform.rotation.yaw)
        cos, sin = math.cos(yaw), math.sin(yaw)
        halves = ((extent.x, extent.y), (extent.x, -extent.y), (-extent.x, -extent.y), (-extent.x, extent.y))
        return [(place.x + a * cos - b * sin, place.y + a * sin + b * cos) for a, b in halves]


class Recorder:
    """Client and world in one. `sizes`: blueprint -> (length, width), what the models of this server measure."""

    def __init__(self, carla: ModuleType, sizes: dict[str, tuple[float, float]]) -> None:
        self.carla, self.sizes = carla, sizes
        self.actors: list[RecordedActor] = []
        self.calls: Counter[str] = Counter()
        self.lights: dict[int, Any] = {}
        self.weather: Any = None
        self.callback: Any = None
        self.step, self.frame, self.ids = 0.01, 0, 0
        self.late: list[Any] = []

    def next_id(self) -> int:
        self.ids += 1
        return self.ids

    def generate_opendrive_world(self, text: str, parameters: Any) -> Recorder:
        assert isinstance(parameters, self.carla.OpendriveGenerationParameters)
        self.map = self.carla.Map("road", text)
        return self

    def get_blueprint_library(self) -> Recorder:
        return self

    def find(self, name: str) -> Any:
        class Blueprint:
            id = name

            def has_attribute(self, _: str) -> bool:
                return True

            def set_attribute(self, key: str, value: str) -> None:
                assert key == "role_name"

        return Blueprint()

    def try_spawn_actor(self, blueprint: Any, transform: Any) -> RecordedActor | None:
        assert isinstance(transform, self.carla.Transform)
        actor = RecordedActor(self, blueprint.id, transform, self.sizes[blueprint.id])
        if any(_touching(actor.corners(), other.corners()) for other in self.actors):
            return None
        self.actors.append(actor)
        return actor

    def spawn_actor(self, blueprint: Any, transform: Any, attach_to: Any) -> RecordedActor:
        return RecordedActor(self, blueprint.id, transform, (0.0, 0.0))

    def apply_settings(self, settings: Any) -> None:
        assert isinstance(settings, self.carla.WorldSettings)
        self.calls["apply_settings"] += 1

    def get_settings(self) -> Any:
        return self.carla.WorldSettings()

    def set_weather(self, weather: Any) -> None:
        assert isinstance(weather, self.carla.WeatherParameters)
        self.weather = weather

    def tick(self) -> int:
        self.frame += 1
        for event in self.late:
            self.callback(event)
        self.late.clear()
        for actor in self.actors:
            actor.move(self.step)
        subject = self.actors[0]
        for other in self.actors[1:]:
            if _touching(subject.corners(), other.corners()) and self.callback:
                self.late.append(type("Event", (), {"other_actor": other, "frame": self.frame}))
        return self.frame


def _touching(one: list[tuple[float, float]], two: list[tuple[float, float]]) -> bool:
    for box in (one, two):
        for k in (0, 1):
            nx, ny = box[k + 1][1] - box[k][1], box[k][0] - box[k + 1][0]
            first = [x * nx + y * ny for x, y in one]
            second = [x * nx + y * ny for x, y in two]
            if max(first) < min(second) + 1e-9 or max(second) < min(first) + 1e-9:
                return False
    return True
