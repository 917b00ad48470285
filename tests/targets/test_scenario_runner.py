"""OpenSCENARIO 1.0 for CARLA's scenario runner: held against what its parser reads, written down as data with its versions."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree

from regc.engines import esmini
from regc.errors import TargetRefusedError
from regc.model.criterion import Criterion
from regc.model.result import Artifact
from regc.model.value import Stated
from regc.motion import play
from regc.targets import carla, openscenario
from regc.targets.carla.bodies import cast, corners, models, overlapping
from regc.targets.carla.scenario_runner import PROFILE, contact_is_the_criterion, middled
from regc.targets.openscenario import tools
from tests.manoeuvres.examples import EXAMPLES
from tests.manoeuvres.factory import NO_CONTACT, criterion
from tests.targets.factory import one, staged

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

READS = tomllib.loads(Path(__file__).with_name("scenario_runner.toml").read_text(encoding="utf-8"))
Element = etree._Element


def problems(root: Element, version: str) -> Iterator[str]:
    """Where the parser of a version would stop, or would not find what it looks for."""
    header = root.find("FileHeader")
    if (header.get("revMajor"), header.get("revMinor")) != ("1", "0"):
        yield "only OpenSCENARIO 1.0 is supported"
    names = {item.get("name") for item in root.iter("ScenarioObject")}
    for reference in root.iter("CatalogReference"):
        if reference.get("catalogName") not in READS["catalogs"]:
            yield f"KeyError: catalogue {reference.get('catalogName')}"
    for condition in root.iter("Condition"):
        yield from _condition(condition, names)
    for action in root.iterfind(".//Event/Action"):
        path = "/".join(_path(action[0]))
        if version not in READS["actions"].get(path, ()):
            yield f"{path} is not taken by {version}"
    for vertex in root.iter("Vertex"):
        float(vertex.get("time"))
    for tag in READS["override"]["tags"]:
        yield from (f"{tag} is overridden" for found in root.iter(tag) if found.get("active") != "false")


def _condition(condition: Element, names: set[str]) -> Iterator[str]:
    holder = condition.find(".//EntityCondition")
    kind = condition.find("ByValueCondition")[0] if holder is None else holder[0]
    needed = READS["conditions"].get(kind.tag)
    if needed is None:
        yield f"{kind.tag} is not supported"
        return
    yield from (f"{kind.tag} without {name}" for name in needed if kind.get(name) is None)
    if kind.get("rule") is not None and kind.get("rule") not in READS["rules"]["known"]:
        yield f"rule {kind.get('rule')}"
    for reference in condition.iter("EntityRef"):
        if reference.get("entityRef") not in names:
            yield f"no actor {reference.get('entityRef')}"
    name = condition.get("name")
    if name.startswith("criteria_") and name.removeprefix("criteria_") not in READS["criteria"]["known"]:
        yield f"{name} cannot be mapped"


def _path(action: Element) -> list[str]:
    found = [action.tag, action[0].tag]
    if action[0].tag in ("LongitudinalAction", "LateralAction", "RoutingAction"):
        found.append(action[0][0].tag)
    return found


def roots(artifacts: tuple[Artifact, ...], folder: str) -> dict[str, Element]:
    return {
        item.path: etree.fromstring(item.content) for item in artifacts if f"/{folder}/" in item.path and item.path.endswith(".xosc")
    }


@pytest.mark.parametrize("ego", ["none", "external", "reference"])
@pytest.mark.parametrize("version", READS["versions"])
def test_files_of_the_carla_target_are_read(ego: str, version: str, tmp_path: Path) -> None:
    suite, stages = staged(ego=ego)  # type: ignore[arg-type]
    made = carla.emit(suite, stages, carla.Options())
    files = roots(made, "scenario_runner")
    assert {path: list(problems(root, version)) for path, root in files.items()} == {path: [] for path in files}
    catalogs = {root.find("Catalog").get("name"): (path, root) for path, root in roots(made, "catalogs").items()}
    assert set(catalogs) <= set(READS["catalogs"])
    for path, root in files.items():
        for reference in root.iter("CatalogReference"):
            where, catalog = catalogs[reference.get("catalogName")]
            assert where == f"carla/catalogs/{reference.get('catalogName')}.xosc"
            assert catalog.find(f"Catalog/*[@name='{reference.get('entryName')}']") is not None, path
    egos = ".//Property[@name='type'][@value='ego_vehicle']"
    assert [path for path, root in files.items() if len(root.findall(egos)) != 1] == []  # a target of the same model is none
    assert [name for name, (_, root) in catalogs.items() if root.findall(egos)] == []


@pytest.mark.parametrize("ego", ["none", "external", "reference"])
@pytest.mark.parametrize("version", READS["versions"])
def test_files_of_the_openscenario_target_are_read_or_left_out_with_the_reason(ego: str, version: str) -> None:
    suite, stages = staged(ego=ego)  # type: ignore[arg-type]
    made = openscenario.emit(suite, stages, openscenario.Options(osc_version="1.0", profile=PROFILE))
    files = roots(made, "concrete")
    assert files
    assert {path: list(problems(root, version)) for path, root in files.items()} == {path: [] for path in files}
    notes = " ".join(loss.message for item in made for loss in item.losses)
    assert ("takes the rate for a duration" in notes) == (len(files) < len(stages.stages))


def test_parser_data_finds_what_the_parsers_stop_at() -> None:
    suite, stages = staged("child", "standing car")
    file = roots(carla.emit(suite, stages, carla.Options()), "scenario_runner")["carla/scenario_runner/child.xosc"]
    routed = etree.fromstring(etree.tostring(file).replace(b"FollowTrajectoryAction", b"AssignRouteAction"))
    assert not [problem for problem in problems(routed, "v0.9.15") if "AssignRoute" in problem]
    assert [problem for problem in problems(routed, "v0.9.16") if "AssignRoute" in problem]
    for wrong, said in (
        (b'rule="lessThan"', b'rule="below"'),
        (b"SimulationTimeCondition", b"UserDefinedValueCondition"),
        (b' freespace="true"', b""),
        (b'revMinor="0"', b'revMinor="2"'),
    ):
        assert list(problems(etree.fromstring(etree.tostring(file).replace(wrong, said)), "v0.9.16")), wrong


@pytest.mark.parametrize("ego", ["none", "external", "reference"])
def test_files_are_valid(ego: str, tmp_path: Path) -> None:
    suite, stages = staged(ego=ego)  # type: ignore[arg-type]
    made = (*carla.emit(suite, stages, carla.Options()), *openscenario.emit(suite, stages, openscenario.Options(osc_version="1.0")))
    for item in made:
        if item.path.endswith(".xosc"):
            path = tmp_path / item.path.replace("/", "_")
            path.write_bytes(item.content)
            assert esmini.problems(path) == (), item.path


def test_walkers_stand_in_the_air_and_props_on_the_road() -> None:
    suite, stages = staged("child", "bicycle")
    files = roots(carla.emit(suite, stages, carla.Options()), "scenario_runner")
    child = files["carla/scenario_runner/child.xosc"]
    assert {place.get("z") for place in child.iterfind(".//Private[@entityRef='Target']//WorldPosition")} == {"0.55"}
    assert {place.get("z") for place in child.iterfind(".//Trajectory//WorldPosition")} == {"0.55"}
    assert {place.get("z") for place in child.iterfind(".//Private[@entityRef='Ego']//WorldPosition")} == {"0"}
    wall = files["carla/scenario_runner/bicycle.xosc"]
    assert {place.get("z") for place in wall.iterfind(".//Init//WorldPosition")} == {"0"}
    assert len(wall.findall(".//ScenarioObject")) == 10


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_no_boxes_overlap_and_the_target_arrives_as_in_the_stage(name: str) -> None:
    stage = one(name)
    adapted = middled(stage, cast(stage, models(None)))
    movers = [adapted.subject, *adapted.others, *(thing for thing in adapted.things if not thing.passable)]
    boxes = [corners(mover.box, mover.start) for mover in movers]  # type: ignore[arg-type]
    assert not any(overlapping(boxes[a], boxes[b]) for a in range(len(boxes)) for b in range(a + 1, len(boxes)))
    for mover in adapted.others:
        before = stage.mover(mover.role)
        for change in before.changes:
            if change.when == before.begins:  # a run-up: the way that it has made when its speed is reached, against that at full speed
                time = change.speed / change.rate
                made, longer = change.rate * time**2 / 2, sum(leg.length for leg in mover.path) - sum(leg.length for leg in before.path)
                assert mover.speed * time - longer == pytest.approx(made)


@pytest.mark.parametrize("name", ["pedestrian after a turn", "bicycle after a turn", "cut in 2"])
def test_a_way_that_turns_is_driven_by_the_middle_on_the_same_straights(name: str) -> None:
    """So a target that crosses after a turn is met when the stage says, and a target that cuts in comes to the same line."""
    stage = one(name)
    adapted = middled(stage, cast(stage, models(None)))
    planned, made = (play(each, until=20.0, to_end=False) for each in (stage, adapted))
    if "after" in name:
        assert planned.contact is not None
        assert made.contact is not None
        assert (made.contact.time, made.contact.speed) == (planned.contact.time, planned.contact.speed)
        assert made.tracks["subject"].x[-1] == pytest.approx(planned.tracks["subject"].x[-1])
    role = "subject" if "after" in name else "target"
    turning, before = (each.mover(role) for each in (adapted, stage))
    assert turning.start.x + turning.path[0].length == pytest.approx(before.start.x + before.path[0].length)
    assert turning.path[1:-1] == before.path[1:-1]


def test_criterion_only_where_contact_itself_is_one() -> None:
    limit = criterion("impact", "measure", signal="impact_speed", sign="<=", limit="25 km/h")
    unless = NO_CONTACT.model_copy(update={"unless": Stated(reason="cannot be anticipated")})
    cases: tuple[tuple[tuple[Criterion, ...], bool], ...] = (((NO_CONTACT,), True), ((limit,), False), ((unless,), False), ((), False))
    assert [contact_is_the_criterion(require) for require, _ in cases] == [expected for _, expected in cases]
    suite, stages = staged("standing car", "adult from the left")
    files = roots(carla.emit(suite, stages, carla.Options()), "scenario_runner")
    found = {path: [item.get("name") for item in root.findall("Storyboard/StopTrigger//Condition")] for path, root in files.items()}
    assert found == {
        "carla/scenario_runner/standing_car.xosc": [],
        "carla/scenario_runner/adult_from_the_left.xosc": ["criteria_CollisionTest"],
    }


def test_what_it_cannot_play_stands_in_left_out() -> None:
    suite, stages = staged("braking lead", "standing car")
    made = carla.emit(suite, stages, carla.Options())
    assert set(roots(made, "scenario_runner")) == {"carla/scenario_runner/standing_car.xosc"}
    content = next(item.content for item in made if item.path.endswith("left_out.csv")).decode()
    rows = list(csv.reader(content.splitlines()))
    assert rows[0] == ["left out", "why", "instead"]
    assert "scenario_runner/braking_lead.xosc" in [row[0] for row in rows]


def test_other_versions_are_refused() -> None:
    suite, stages = staged("standing car")
    with pytest.raises(TargetRefusedError, match=r"OpenSCENARIO 1\.3"):
        openscenario.emit(suite, stages, openscenario.Options(profile=PROFILE))
    assert tools.load(PROFILE).version.startswith("0.9.16")
