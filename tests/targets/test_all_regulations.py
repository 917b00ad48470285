"""Every test of every regulation in the bench targets: who is driven, and that no bodies stand inside each other."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pytest

from regc.lang import evaluate, load_profile
from regc.manoeuvres.data import StageData, load
from regc.manoeuvres.plan import Options
from regc.model.stage import Staged
from regc.model.suite import Suite
from regc.pipeline.staging import staged
from regc.targets import carla, carmaker, neutral
from regc.targets.carla.bodies import overlapping
from regc.targets.carla.config import CarlaConfig
from tests.lang.documents import REGULATIONS, embedded

EDITIONS = {"un152": "02.md", "un131": "02.md", "un130": "00.md", "un171": "00.md", "fmvss127": "2024.md"}
#: top speeds of heavy vehicles, above every test speed
FAST = "".join(f"[subjects.{name}]\nmax_speed = 40\n" for name in ("M2", '"M3<=8t"', "M3", '"N2<=8t"', "N2", "N3"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> StageData:
    path = tmp_path_factory.mktemp("data") / "fast.toml"
    path.write_text(FAST, encoding="utf-8")
    return load(road_users=path)


@pytest.fixture(params=EDITIONS)
def made(request: pytest.FixtureRequest, data: StageData) -> tuple[Suite, Staged]:
    suite = evaluate(load_profile(REGULATIONS / request.param / "profile.toml"), embedded(request.param, EDITIONS[request.param]))
    return suite, staged(suite.scenarios, data, Options(ego="external"))


def test_every_stage_is_driven_and_no_bodies_overlap(made: tuple[Suite, Staged]) -> None:
    suite, stages = made
    found = carla.emit(suite, stages, carla.Options(scenario_runner=False))
    configs = [CarlaConfig.model_validate_json(item.content) for item in found if "/configs/" in item.path]
    assert {config.id for config in configs} == {stage.stem for stage in stages.stages}
    assert [(config.id, pair) for config in configs for pair in _overlaps(config)] == []


def _overlaps(config: CarlaConfig) -> list[tuple[str, str]]:
    boxes = {}
    for body in (*config.actors, *(prop for prop in config.props if not prop.passable)):
        place, yaw = body.transform.location, math.radians(body.transform.rotation.yaw)
        cos, sin, a, b = math.cos(yaw), math.sin(yaw), body.box.length / 2, body.box.width / 2
        ends = ((a, b), (a, -b), (-a, -b), (-a, b))
        boxes[body.role] = [(place.x + u * cos - v * sin, place.y + u * sin + v * cos) for u, v in ends]
    return [pair for pair in itertools.combinations(boxes, 2) if overlapping(boxes[pair[0]], boxes[pair[1]])]


def test_carmaker_and_neutral_hold_every_stage_or_say_why(made: tuple[Suite, Staged], tmp_path: Path) -> None:
    suite, stages = made
    paths = [item.path for item in carmaker.emit(suite, stages, carmaker.Options())]
    left = {stage.stem for stage in stages.stages} - {path.rsplit("/", 1)[1] for path in paths if "/Data/TestRun/" in path}
    assert left <= {path.rsplit("/", 1)[1].removesuffix(".txt") for path in paths if "/not_driven/" in path}
    names = {item.path for item in neutral.emit(suite, stages, neutral.Options())}
    for stage in stages.stages:
        assert {f"neutral/{stage.stem}.json", f"neutral/{stage.stem}.csv"} <= names
