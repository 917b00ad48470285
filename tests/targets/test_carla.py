"""The CARLA target: bodies apart, measured faces kept; the runner plays every stage as the stage's own player does."""

from __future__ import annotations

import csv
import importlib.util
import itertools
import json
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from regc.errors import DataFileError, TargetRefusedError
from regc.model.stage import Stage
from regc.motion import corners as stage_corners
from regc.motion import play
from regc.targets import carla as target
from regc.targets.carla.bodies import Body, cast, corners, models, overlapping
from regc.targets.carla.config import CarlaConfig
from tests.manoeuvres.examples import EXAMPLES
from tests.targets.carla_recorder import Recorder
from tests.targets.factory import one, staged

KNOWN = models(None)
EVERY = pytest.mark.parametrize("name", sorted(EXAMPLES))


def written(folder: Path, *names: str, ego: str = "none", **options: Any) -> list[CarlaConfig]:
    suite, stages = staged(*names, ego=ego, approach=options.pop("approach", None))  # type: ignore[arg-type]
    for artifact in target.emit(suite, stages, target.Options(**options)):
        path = folder / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
    return [CarlaConfig.model_validate_json(path.read_text("utf-8")) for path in sorted(folder.glob("carla/configs/*.json"))]


def runner(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_carla", folder / "carla" / "run_carla.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# -------------------------------------------------------------------------------------- configurations


def test_every_stage_has_one_configuration_and_the_same_bytes_again(tmp_path: Path) -> None:
    suite, stages = staged()
    assert {config.id for config in written(tmp_path)} == {stage.stem for stage in stages.stages}
    assert len(stages.stages) == len(EXAMPLES)
    assert target.emit(suite, stages, target.Options()) == target.emit(suite, stages, target.Options())


@EVERY
@pytest.mark.parametrize("mirrored", [False, True], ids=["rht", "lht"])
def test_no_boxes_overlap(name: str, mirrored: bool, tmp_path: Path) -> None:
    suite, stages = staged(name, mirrored=mirrored)
    found = target.emit(suite, stages, target.Options())
    config = next(CarlaConfig.model_validate_json(item.content) for item in found if "/configs/" in item.path)
    boxes = {}
    for body in (*config.actors, *config.props):
        place, yaw = body.transform.location, math.radians(body.transform.rotation.yaw)
        half = (body.box.length / 2, body.box.width / 2)
        boxes[body.role] = [
            (
                place.x + a * half[0] * math.cos(yaw) - b * half[1] * math.sin(yaw),
                place.y + a * half[0] * math.sin(yaw) + b * half[1] * math.cos(yaw),
            )
            for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))
        ]
    assert [pair for pair in itertools.combinations(boxes, 2) if overlapping(boxes[pair[0]], boxes[pair[1]])] == []


@EVERY
def test_models_keep_front_near_face_and_measured_point(name: str) -> None:
    stage = one(name)
    for body in cast(stage, KNOWN):
        mover = body.mover
        if "after a turn" in name and mover.role != "subject":
            continue  # the next test
        planned, there = _both(body)
        if mover.role == "subject":
            assert max(x for x, _ in there) == pytest.approx(max(x for x, _ in planned))  # its front
        elif mover in stage.things and stage.impact is not None and max(x for x, _ in planned) <= stage.impact.x:
            assert max(x for x, _ in there) == pytest.approx(max(x for x, _ in planned))  # nothing reaches into the target's way
        else:
            assert min(x for x, _ in there) == pytest.approx(min(x for x, _ in planned))  # the face that is met
        if mover.role != "subject" and min(y for _, y in planned) > 0 and not math.sin(mover.start.heading):
            assert min(y for _, y in there) == pytest.approx(min(y for _, y in planned))  # the gap to pass


@pytest.mark.parametrize("name", ["pedestrian after a turn", "bicycle after a turn"])
def test_after_a_turn_to_the_right_faces_are_kept_along_the_side_road(name: str) -> None:
    """The subject vehicle comes down the side road, against y: the upper face of the target is met and its middle is measured; of what
    hides the target, the lower face, beside the target's way, and the face beside the subject vehicle's way stay."""
    target, *hiding = [body for body in cast(one(name), KNOWN) if body.mover.role != "subject"]
    assert len(hiding) == (1 if "bicycle" in name else 0)
    planned, there = _both(target)
    assert max(y for _, y in there) == pytest.approx(max(y for _, y in planned))
    assert sum(x for x, _ in there) == pytest.approx(sum(x for x, _ in planned))
    for body in hiding:
        planned, there = _both(body)
        assert min(y for _, y in there) == pytest.approx(min(y for _, y in planned))
        assert max(x for x, _ in there) == pytest.approx(max(x for x, _ in planned))


def _both(body: Body) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Corners of the stage's box and of CARLA's."""
    there = [point for piece in body.pieces for point in corners(piece.size, piece.centre)]
    return list(stage_corners(body.mover.box, body.mover.start)), there


def test_the_wall_that_hides_a_bicycle_is_a_row_of_props(tmp_path: Path) -> None:
    config = written(tmp_path, "bicycle")[0]
    assert [prop.role for prop in config.props] == [f"obstruction.{number}" for number in range(1, 9)]
    assert {prop.blueprint for prop in config.props} == {"static.prop.advertisement"}
    assert {prop.transform.location.z for prop in config.props} == {0.0}


def test_frame_is_mirrored_and_walkers_stand_by_their_middle(tmp_path: Path) -> None:
    config = written(tmp_path, "child")[0]
    subject, child = config.actors
    assert (subject.role, child.role) == ("subject", "target")
    assert child.transform.location.y > 0  # from the near side, the right: positive in CARLA's left-handed frame
    assert child.transform.rotation.yaw == pytest.approx(-90.0)
    assert child.transform.location.z == pytest.approx(1.10 / 2 + 0.3)
    assert subject.transform.location.z == pytest.approx(0.3)
    assert subject.speed == pytest.approx(60 / 3.6)
    assert config.values["bind.subject"].value == "60 km/h (+0/-2 km/h)"
    assert config.values["bind.subject"].places


def test_friction_of_a_dry_road_leaves_the_tyres_as_they_are(tmp_path: Path) -> None:
    config = written(tmp_path, "standing car")[0]
    physics = config.actors[0].physics
    assert physics is not None
    assert (physics.friction_share, physics.mass, physics.max_deceleration) == (1.0, 1450.0, 9.5)


def test_named_town_needs_an_anchor_and_turns_the_run(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="no place to start from"):
        written(tmp_path, "standing car", town="Town04")
    with pytest.raises(DataFileError, match="not four numbers"):
        written(tmp_path, "standing car", town="Town04", anchor="1,2")
    with pytest.raises(DataFileError, match="no town"):
        written(tmp_path, "standing car", anchor="1,2,3,4")
    config = written(tmp_path, "standing car", town="Town04", anchor="10,20,0.5,90")[0]
    subject, lead = (actor.transform for actor in config.actors)
    assert config.map.town == "Town04"
    assert (subject.rotation.yaw, subject.location.z) == (90.0, 0.8)
    assert subject.location.x == pytest.approx(10.0)
    assert lead.location.y > subject.location.y > 20


def test_own_models(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[parts]\ncar = "vehicle.own.car"\n', encoding="utf-8")
    with pytest.raises(DataFileError, match=r"parts\.car: the size of 'vehicle\.own\.car'"):
        written(tmp_path, "standing car", blueprints=own)
    own.write_text(
        '[parts]\ncar = "vehicle.own.car"\n[models]\n"vehicle.own.car" = { length = 40, width = 9, height = 2 }\n', encoding="utf-8"
    )
    assert written(tmp_path, "standing car", blueprints=own)[0].actors[1].blueprint == "vehicle.own.car"


def test_models_that_do_not_fit_are_refused_by_name(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        '[parts]\ncar = "vehicle.own.long"\n[models]\n"vehicle.own.long" = { length = 12, width = 2, height = 2 }\n', encoding="utf-8"
    )
    suite, stages = staged("hidden child")
    found = target.emit(suite, stages, target.Options(blueprints=own))
    assert [item.path for item in found] == ["carla/not_driven/hidden_child.json"]
    assert "stand inside each other" in found[0].losses[0].message


def test_step_that_is_too_long_is_refused() -> None:
    suite, stages = staged("standing car")
    coarse = stages.model_copy(update={"stages": (stages.stages[0].model_copy(update={"step": 0.1}),)})
    with pytest.raises(TargetRefusedError, match=r"0\.1 s"):
        target.emit(suite, coarse, target.Options())


# -------------------------------------------------------------------------------------- the runner, with the real client's types


@pytest.fixture
def carla() -> ModuleType:
    return pytest.importorskip("carla", reason="the carla client wheel is not installed: pip install 'regc[carla]'")


def recorder(carla: ModuleType, config: CarlaConfig, stage: Stage | None = None) -> Recorder:
    """A server whose models measure what the data file says, or what the stage says."""
    sizes = {body.blueprint: (body.box.length, body.box.width) for body in (*config.actors, *config.props)}
    if stage is not None:
        sizes |= {actor.blueprint: _size(stage, actor.role) for actor in config.actors}
    return Recorder(carla, sizes)


def _size(stage: Stage, role: str) -> tuple[float, float]:
    box = stage.mover(role).box
    return box.length, box.width


def log(folder: Path, name: str) -> tuple[list[dict[str, float]], dict[str, Any]]:
    text = (folder / f"{name}.csv").read_text(encoding="utf-8")
    rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(text.splitlines())]
    return rows, json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


@EVERY
@pytest.mark.parametrize("ego", ["none", "reference", "late"])
def test_runner_plays_every_stage_as_the_stage_says(tmp_path: Path, carla: ModuleType, name: str, ego: str) -> None:
    config = written(tmp_path, name, ego=ego)[0]
    stage, script, out = one(name, ego=ego), runner(tmp_path), tmp_path / "logs"  # type: ignore[arg-type]
    out.mkdir()
    path = next((tmp_path / "carla" / "configs").glob("*.json"))
    server = recorder(carla, config, stage)
    assert script.drive(carla, server, path, out, None, None, 1, 0, False)
    rows, beside = log(out, f"{config.id}__{ego}__r1")
    expected = play(stage)
    assert set(beside["events"]) == set(expected.events)
    for event, time in expected.events.items():
        assert beside["events"][event] == pytest.approx(time, abs=3 * stage.step + 1e-6), event
    hit = next((row["time_s"] for row in rows if row["contact"]), None)
    if expected.contact is None:
        assert hit is None
    else:
        # a step of difference is a way at the subject vehicle's speed, and a time at the speed of closing in
        share = max(1.0, stage.subject.speed / expected.contact.speed)
        assert hit == pytest.approx(expected.contact.time, abs=2 * stage.step * share)
    # every place of the subject vehicle is on its way in the stage, whenever it is there
    track, ahead = expected.tracks["subject"], stage.subject.box.front - stage.subject.box.length / 2
    way = np.stack([track.x + ahead * np.cos(track.heading), track.y + ahead * np.sin(track.heading)], axis=1)
    for row in rows[::50]:
        dx, dy = row["subject_x_m"] - way[:, 0], row["subject_y_m"] - way[:, 1]
        nearest = int(np.hypot(dx, dy).argmin())
        heading = track.heading[nearest]
        assert abs(dy[nearest] * math.cos(heading) - dx[nearest] * math.sin(heading)) < 0.1
    assert server.calls["destroy"] == len(server.actors) + 2
    assert all(actor.gone for actor in server.actors)


def test_client_reads_every_road(tmp_path: Path, carla: ModuleType) -> None:
    written(tmp_path)
    for path in sorted((tmp_path / "carla" / "roads").glob("*.xodr")):
        road = carla.Map(path.stem, path.read_text(encoding="utf-8"))
        lane = road.get_waypoint(carla.Location(20.0, 0.0, 0.0))
        assert lane is not None
        assert lane.transform.location.y == pytest.approx(0.0, abs=0.01)  # the middle of the subject vehicle's lane
        assert lane.transform.rotation.yaw == pytest.approx(0.0, abs=1e-3)


def test_physics_light_and_weather_are_set(tmp_path: Path, carla: ModuleType) -> None:
    config = written(tmp_path, "standing adult at night", ego="none")[0]
    script, out = runner(tmp_path), tmp_path / "logs"
    out.mkdir()
    server = recorder(carla, config)
    script.drive(carla, server, next((tmp_path / "carla" / "configs").glob("*.json")), out, None, None, 1, 0, False)
    subject = server.actors[0]
    assert [wheel.tire_friction for wheel in subject.physics.wheels] == pytest.approx([3.5] * 4)
    radius, mass = 0.35, subject.physics.mass
    possible = sum(wheel.max_brake_torque for wheel in subject.physics.wheels) / radius / mass
    assert possible >= 5.0  # brakes that can do what is asked, at any mass
    assert server.lights[subject.id] & carla.VehicleLightState.LowBeam
    assert server.weather.sun_altitude_angle < 0


AGENT = """
class {name}:
    def __init__(self):
        self.calls = []
    def step(self, state):
        self.calls.append((state['time'], state['functional_part'], state['speed']))
        {body}
"""


def agent(folder: Path, body: str, name: str = "Agent") -> str:
    path = folder / "agent.py"
    path.write_text(AGENT.format(name=name, body=body), encoding="utf-8")
    return f"{path}:{name}"


def driven(tmp_path: Path, carla: ModuleType, body: str) -> tuple[bool, Recorder, list[Any], Path]:
    """Drives a standing car with an agent; (ended, server, agents made, folder of logs)."""
    config = written(tmp_path, "standing car", ego="external")[0]
    script, out = runner(tmp_path), tmp_path / "logs"
    out.mkdir()
    cls, made = script.load_agent(agent(tmp_path, body)), []
    server = recorder(carla, config)
    path = next((tmp_path / "carla" / "configs").glob("*.json"))
    ended = script.drive(carla, server, path, out, None, lambda: made.append(cls()) or made[-1], 1, 0, False)
    return ended, server, made, out


def test_agent_is_asked_at_every_tick_from_the_start(tmp_path: Path, carla: ModuleType) -> None:
    ended, _, made, out = driven(
        tmp_path, carla, "return {'demand': 6.0 if state['ttc'] < 2.0 else 0.0, 'warning': state['ttc'] < 3.0}"
    )
    rows, beside = log(out, "standing_car__external__r1")
    assert ended
    assert [call[0] for call in made[0].calls] == pytest.approx([row["time_s"] for row in rows])
    assert [call[1] for call in made[0].calls] == [bool(row["functional_part"]) for row in rows]
    assert (made[0].calls[0][1], made[0].calls[-1][1]) == (False, True)
    assert not any(row["contact"] for row in rows)
    assert beside["events"]["warning"] < beside["events"]["braking"]


def test_released_brake_is_released(tmp_path: Path, carla: ModuleType) -> None:
    _, server, _, out = driven(tmp_path, carla, "return {'brake': 0.5} if 1.8 < state['ttc'] < 2.0 else {}")
    rows, _ = log(out, "standing_car__external__r1")
    brakes = [control.brake for control in server.actors[0].controls]
    assert max(brakes) == 0.5
    assert brakes[-1] == 0.0  # controls of CARLA last until the next ones
    after = [row["subject_speed_m_s"] for row in rows if row["time_s"] > 0 and not row["contact"]][-50:]
    assert len(set(after)) == 1  # it coasts


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ValueError('no camera')", "ValueError: no camera"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("return 5", "returned 5"),
    ],
)
def test_exception_of_an_agent_ends_its_run_only(tmp_path: Path, carla: ModuleType, body: str, said: str) -> None:
    ended, server, _, out = driven(tmp_path, carla, body)
    assert not ended
    failed = (out / "standing_car__external__r1.not_driven.txt").read_text(encoding="utf-8")
    assert said in failed
    assert ("agent.py" in failed) == ("returned" not in said)  # the traceback names the agent's file
    assert not (out / "standing_car__external__r1.csv").exists()
    assert all(actor.gone for actor in server.actors)


def test_collision_counts_from_its_own_frame(tmp_path: Path, carla: ModuleType) -> None:
    config = written(tmp_path, "standing car")[0]
    script, out = runner(tmp_path), tmp_path / "logs"
    out.mkdir()
    server = recorder(carla, config)
    script.drive(carla, server, next((tmp_path / "carla" / "configs").glob("*.json")), out, None, None, 1, 0, False)
    rows, _ = log(out, "standing_car__none__r1")
    first = next(row for row in rows if row["contact"])
    before = rows[rows.index(first) - 1]
    # told a tick late, the flag stands at the first sample without a gap all the same
    assert first["gap_m"] <= 0 < before["gap_m"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("foo", "not FILE.py:CLASS"),
        ("nothing.py:A", "no file"),
        ("agent.py:Missing", "has no class Missing"),
        ("agent.py:Mute", "has no step"),
        ("broken.py:A", "cannot be imported: SyntaxError"),
    ],
)
def test_agent_that_cannot_be_loaded_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, carla: ModuleType, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    written(tmp_path, "standing car", ego="external")
    agent(tmp_path, "return None")
    (tmp_path / "agent.py").write_text("class Mute:\n    pass\n", encoding="utf-8")
    (tmp_path / "broken.py").write_text("class A(:\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert runner(tmp_path).main([str(tmp_path / "carla" / "configs"), "--agent", name]) == 2
    assert said in capsys.readouterr().err


def test_exit_codes(tmp_path: Path) -> None:
    written(tmp_path, "standing car")
    script = runner(tmp_path)
    assert script.main([str(tmp_path / "nothing.json")]) == 2
    assert script.main([str(tmp_path / "carla" / "configs"), "--ego", "external"]) == 2
    if importlib.util.find_spec("carla") is None:
        assert script.main([str(tmp_path / "carla" / "configs")]) == 3


def test_a_model_is_driven_only_where_it_was_built_for_it(tmp_path: Path, carla: ModuleType) -> None:
    config = written(tmp_path, "standing car", ego="none")[0]
    out = tmp_path / "logs"
    out.mkdir()
    path = next((tmp_path / "carla" / "configs").glob("*.json"))
    assert not runner(tmp_path).drive(carla, recorder(carla, config), path, out, "reference", None, 1, 0, False)
    assert "build it with --ego reference" in (out / "standing_car__reference__r1.not_driven.txt").read_text(encoding="utf-8")
