"""The CARLA target: every value fits the client's own classes, the runner is driven against a recorder of calls."""

from __future__ import annotations

import csv
import importlib.util
import json
import math
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from lxml import etree

from regc.errors import DataFileError
from regc.resources import resource
from regc.simulate import _xosc_schema
from regc.simulate.judge import judge
from regc.simulate.readlog import read_logs
from regc.targets import carla as target
from regc.targets._carla_config import CarlaConfig, json_schema
from tests.factories import checked, false_reactions, scenario, sweep

ONE_EACH = (
    scenario("car_to_stationary_car", speed="42", load="MassRun"),
    scenario("car_to_moving_car", speed="60"),
    scenario("car_to_pedestrian", speed="40"),
    scenario("car_to_bicycle", speed="60", category="N1"),
)


def written(folder: Path, *scenarios: Any, **options: Any) -> dict[str, bytes]:
    artifacts = target.emit(checked(*scenarios), target.Options(**options))
    for artifact in artifacts:
        path = folder / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
    return {artifact.path: artifact.content for artifact in artifacts}


def configs(files: dict[str, bytes]) -> list[CarlaConfig]:
    return [CarlaConfig.model_validate_json(content) for path, content in files.items() if path.startswith("carla/configs/")]


def runner(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_carla", folder / "carla" / "run_carla.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_config_a_driven_scenario_and_same_bytes(tmp_path: Path) -> None:
    suite = (*sweep(), *false_reactions())
    files = written(tmp_path, *suite)
    assert len(configs(files)) == 180
    assert sum(path.startswith("carla/not_driven/") for path in files) == 4
    assert files == {artifact.path: artifact.content for artifact in target.emit(checked(*suite), target.Options())}


def test_schema_file_is_the_model(tmp_path: Path) -> None:
    assert json.loads(resource("schemas", "carla-config.schema.json").read_text(encoding="utf-8")) == json_schema()


def test_frame_is_mirrored_and_numbers_are_the_scenarios(tmp_path: Path) -> None:
    stationary, moving, pedestrian, bicycle = _by_family(tmp_path)
    hero = stationary.actors[0]
    assert hero.transform.location.y == 1.75  # the right lane of a right-handed frame is at y = -1.75
    assert hero.speed == pytest.approx(42 / 3.6, abs=1e-6)
    assert stationary.start_gap == pytest.approx(42 / 3.6 * 19.02, abs=1e-4)  # 15 s for the system to initialise
    lead = stationary.actors[1].transform.location.x - hero.transform.location.x - (4.50 + 4.70) / 2
    assert lead == pytest.approx(stationary.start_gap, abs=1e-4)
    assert moving.actors[1].speed == pytest.approx(20 / 3.6, abs=1e-6)
    assert moving.target_motion.kind == "constant"
    walker = pedestrian.actors[1].transform
    assert (walker.rotation.yaw, walker.location.y > 1.75) == (-90.0, True)
    assert pedestrian.target_motion.side == "right"
    assert bicycle.target_motion.acceleration == 2.0
    assert {actor.role for actor in bicycle.actors} == {"hero", "target", "obstacle"}
    masses = {config.load_state: config.actors[0].physics.mass for config in (stationary, moving) if config.actors[0].physics}
    assert masses == {"running_order": 1450.0, "maximum_mass": 1950.0}
    assert stationary.actors[0].physics is not None
    assert stationary.actors[0].physics.tire_friction == 0.9
    assert any("6.1.1.1" in source for source in stationary.sources)


def _by_family(folder: Path) -> list[CarlaConfig]:
    found = {config.family: config for config in configs(written(folder, *ONE_EACH))}
    return [found[item.family] for item in ONE_EACH]


def test_named_town_needs_an_anchor_and_turns_the_run(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="no place to start from"):
        written(tmp_path, ONE_EACH[0], town="Town04")
    config = configs(written(tmp_path, ONE_EACH[0], town="Town04", anchor="10,20,0.5,90"))[0]
    assert config.map.town == "Town04"
    hero = config.actors[0].transform
    assert (hero.rotation.yaw, hero.location.z) == (90.0, 0.8)
    assert (hero.location.x, hero.location.y) == (pytest.approx(10 - 1.75), pytest.approx(20 + 51.35))


def test_scenario_runner_files_are_valid_and_in_its_subset(tmp_path: Path) -> None:
    files = written(tmp_path, *ONE_EACH)
    paths = sorted((tmp_path / "carla" / "scenario_runner").glob("*.xosc"))
    assert len(paths) == 4
    for path in paths:
        assert _xosc_schema.problems(path) == ()
        root = etree.parse(str(path)).getroot()
        assert root.find("FileHeader").get("revMinor") == "0"
        assert root.find(".//Property[@name='type'][@value='ego_vehicle']") is not None
        assert root.find(".//SynchronizeAction") is None
        assert root.find(".//FollowTrajectoryAction") is None
        assert [item.get("name") for item in root.findall("Storyboard/StopTrigger//Condition")] == [
            "criteria_CollisionTest",
            "criteria_KeepLaneTest",
            "criteria_MaxVelocityTest",
        ]
        assert (path.parent / root.find("RoadNetwork/LogicFile").get("filepath")).exists()
    table = list(csv.reader(files["carla/scenario_runner/left_out.csv"].decode().splitlines()))
    assert table[0] == ["left out", "why", "instead"]
    assert len(table) == 9


# -------------------------------------------------------------------------------------- with the real client's types


class RecordedActor:
    """Not a simulation: remembers what the runner asked for, and moves exactly as it was told."""

    def __init__(self, world: RecorderOfCalls, blueprint: str, transform: Any) -> None:
        self.world, self.type_id, self.transform = world, blueprint, transform
        self.id, self.speed, self.direction = len(world.actors) + 1, 0.0, None
        size = {"walker": (0.35, 0.25), "vehicle.bh": (0.9, 0.3)}
        half = next((value for name, value in size.items() if blueprint.startswith(name)), (2.4, 0.95))
        self.bounding_box = world.carla.BoundingBox(world.carla.Location(0, 0, 0.7), world.carla.Vector3D(half[0], half[1], 0.7))
        self.physics = world.carla.VehiclePhysicsControl(mass=1000.0, wheels=[world.carla.WheelPhysicsControl() for _ in range(4)])

    def __getattr__(self, name: str) -> Any:
        def record(*arguments: Any) -> None:
            self.world.calls[name] += 1

        return record

    def get_transform(self) -> Any:
        return self.world.carla.Transform(self.transform.location, self.transform.rotation)

    def set_transform(self, transform: Any) -> None:
        self.transform = transform

    def get_velocity(self) -> Any:
        yaw = math.radians(self.transform.rotation.yaw)
        return self.world.carla.Vector3D(self.speed * math.cos(yaw), self.speed * math.sin(yaw), 0.0)

    def get_physics_control(self) -> Any:
        return self.physics

    def apply_physics_control(self, control: Any) -> None:
        self.world.physics[self.id] = (control.mass, [wheel.tire_friction for wheel in control.wheels])

    def enable_constant_velocity(self, velocity: Any) -> None:
        self.speed = velocity.x

    def set_target_velocity(self, velocity: Any) -> None:
        self.speed = math.hypot(velocity.x, velocity.y)

    def apply_control(self, control: Any) -> None:
        self.speed = control.speed if hasattr(control, "speed") else max(self.speed - control.brake * 9.0 * self.world.step, 0.0)

    def listen(self, callback: Any) -> None:
        self.world.callback = callback


class RecorderOfCalls:
    """Stands in for a CARLA server as a recorder: real carla types go in, nothing is simulated but uniform motion."""

    def __init__(self, carla: ModuleType) -> None:
        self.carla, self.actors, self.calls = carla, [], Counter()
        self.physics: dict[int, Any] = {}
        self.weather: Any = None
        self.callback: Any = None
        self.step = 0.01

    def generate_opendrive_world(self, text: str, parameters: Any) -> RecorderOfCalls:
        assert isinstance(parameters, self.carla.OpendriveGenerationParameters)
        self.map = self.carla.Map("straight", text)
        return self

    def get_blueprint_library(self) -> RecorderOfCalls:
        return self

    def find(self, name: str) -> Any:
        class Blueprint:
            id = name

            def has_attribute(self, _: str) -> bool:
                return True

            def set_attribute(self, key: str, value: str) -> None:
                assert key == "role_name"

        return Blueprint()

    def try_spawn_actor(self, blueprint: Any, transform: Any) -> RecordedActor:
        assert isinstance(transform, self.carla.Transform)
        actor = RecordedActor(self, blueprint.id, transform)
        self.actors.append(actor)
        return actor

    def spawn_actor(self, blueprint: Any, transform: Any, attach_to: Any) -> RecordedActor:
        return RecordedActor(self, blueprint.id, transform)

    def apply_settings(self, settings: Any) -> None:
        assert isinstance(settings, self.carla.WorldSettings)
        self.calls["apply_settings"] += 1

    def get_settings(self) -> Any:
        return self.carla.WorldSettings()

    def set_weather(self, weather: Any) -> None:
        assert isinstance(weather, self.carla.WeatherParameters)
        self.weather = weather

    def tick(self) -> None:
        for actor in self.actors:
            ahead = actor.transform.get_forward_vector()
            place = actor.transform.location
            actor.transform.location = self.carla.Location(
                place.x + ahead.x * actor.speed * self.step, place.y + ahead.y * actor.speed * self.step, place.z
            )
        hero, other = self.actors[0], self.actors[1]
        away = other.transform.location - hero.transform.location
        turn = math.radians(other.transform.rotation.yaw)
        reach = abs(other.bounding_box.extent.x * math.cos(turn)) + abs(other.bounding_box.extent.y * math.sin(turn))
        across = abs(other.bounding_box.extent.y * math.cos(turn)) + abs(other.bounding_box.extent.x * math.sin(turn))
        if abs(away.x) <= hero.bounding_box.extent.x + reach and abs(away.y) <= hero.bounding_box.extent.y + across and self.callback:
            self.callback(type("Event", (), {"other_actor": other, "frame": 0}))


@pytest.fixture
def carla() -> ModuleType:
    return pytest.importorskip("carla", reason="the carla client wheel is not installed: pip install 'regc[carla]'")


def test_client_classes_take_every_value(tmp_path: Path, carla: ModuleType) -> None:
    files = written(tmp_path, *sweep())
    script = runner(tmp_path)
    for content in (content for path, content in files.items() if path.startswith("carla/configs/")):
        data = CarlaConfig.model_validate_json(content).model_dump()
        for body in data["actors"]:
            made = script.transform(carla, body["transform"])
            assert made.location.y == pytest.approx(body["transform"]["location"]["y"], abs=1e-4)
            assert made.rotation.yaw == pytest.approx(body["transform"]["rotation"]["yaw"], abs=1e-4)
            if body["physics"]:
                assert carla.VehiclePhysicsControl(mass=body["physics"]["mass"]).mass == pytest.approx(body["physics"]["mass"])
        sky = script.weather(carla, data["weather"])
        assert sky.sun_altitude_angle == pytest.approx(data["weather"]["sun_altitude_angle"], abs=1e-4)
        assert (sky.wind_intensity, sky.wetness, sky.precipitation) == (0.0, 0.0, 0.0)
        world = script.settings(carla, data["world"])
        assert world.synchronous_mode
        assert world.fixed_delta_seconds == 0.01


def test_client_reads_our_road_offline(tmp_path: Path, carla: ModuleType) -> None:
    road = written(tmp_path, *ONE_EACH)["carla/roads/straight.xodr"].decode()
    made = carla.Map("straight", road)
    ours = made.get_waypoint(carla.Location(100.0, 1.75, 0.0))
    assert ours is not None
    assert ours.lane_width == pytest.approx(3.5)
    assert ours.transform.rotation.yaw == pytest.approx(0.0, abs=1e-3)
    assert len(made.generate_waypoints(10.0)) > 20


@pytest.mark.parametrize(("ego", "verdicts"), [("none", {"evidence"}), ("reference", {"pass"}), ("late", {"fail"})])
def test_runner_drives_the_recorder_and_the_judge_reads_its_logs(
    tmp_path: Path, carla: ModuleType, ego: str, verdicts: set[str]
) -> None:
    written(tmp_path, *ONE_EACH)
    script, out = runner(tmp_path), tmp_path / "logs"
    out.mkdir()
    for path in sorted((tmp_path / "carla" / "configs").glob("*.json")):
        recorder = RecorderOfCalls(carla)
        assert script.drive(carla, recorder, path, out, ego, None, 1, 0, False)
        assert recorder.physics[1][0] in (1450.0, 1950.0, 3500.0)
        assert recorder.physics[1][1] == pytest.approx([0.9] * 4, abs=1e-6)
        assert recorder.weather is not None
        assert recorder.calls["destroy"] == len(recorder.actors) + 2
        assert script.drive(carla, RecorderOfCalls(carla), path, out, ego, None, 1, 0, False)  # done already: the log is kept
    logs, findings = read_logs([out])
    assert not findings
    judgement = judge(ONE_EACH, logs)
    assert {run.verdict for run in judgement.runs} == verdicts, [run.reason for run in judgement.runs]
    if ego == "none":
        assert all(run.collided for run in judgement.runs)


def test_external_agent_is_asked_and_obeyed(tmp_path: Path, carla: ModuleType) -> None:
    written(tmp_path, ONE_EACH[0])
    agent = tmp_path / "agent.py"
    agent.write_text(
        "class Early:\n    def step(self, state):\n        near = state['ttc'] < 2.0\n"
        "        return {'warning': state['ttc'] < 3.0, 'demand': 6.0 if near else 0.0}\n",
        encoding="utf-8",
    )
    script, out = runner(tmp_path), tmp_path / "logs"
    out.mkdir()
    path = next((tmp_path / "carla" / "configs").glob("*.json"))
    assert script.drive(carla, RecorderOfCalls(carla), path, out, "external", script.load_agent(f"{agent}:Early"), 1, 0, False)
    run = judge(ONE_EACH, read_logs([out])[0]).runs[0]
    assert (run.verdict, run.max_demand) == ("pass", 6.0)


def test_exit_codes(tmp_path: Path) -> None:
    written(tmp_path, ONE_EACH[0])
    script = runner(tmp_path)
    assert script.main([str(tmp_path / "nothing.json")]) == 2
    assert script.main([str(tmp_path / "carla" / "configs"), "--ego", "external"]) == 2
    if importlib.util.find_spec("carla") is None:
        assert script.main([str(tmp_path / "carla" / "configs")]) == 3
