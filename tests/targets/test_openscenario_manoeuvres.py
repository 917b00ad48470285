"""Manoeuvres in which the system must not brake: every bound of the examples, seen from the written files alone."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from decimal import Decimal
from pathlib import Path

import pytest

from regc.resources import package_data
from regc.targets import openscenario
from tests import factories
from tests.targets import check_manoeuvre
from tests.targets.files import write

KMH = 1 / 3.6
FOUR = factories.false_reactions()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write(tmp_path_factory.mktemp("out"), factories.checked(*FOUR))


def test_both_sides_and_every_object(files: dict[str, Path]) -> None:
    stems = {f"{FOUR[n].id}_{side}" for n in (0, 1, 3) for side in "AB"}
    objects = ("vehicle_target", "pedestrian_target", "bicycle_target")
    assert set(files) == stems | {f"{FOUR[2].id}_{side}-{item}" for side in "AB" for item in objects}
    sidecar = json.loads(files[f"{FOUR[2].id}_B-bicycle_target"].with_suffix(".json").read_text(encoding="utf-8"))
    assert (sidecar["id"], sidecar["variant"]) == (FOUR[2].id, "B-bicycle_target")


def test_turn_in_front_of_an_oncoming_vehicle(files: dict[str, Path]) -> None:
    for side in "AB":
        shown = check_manoeuvre.measure(files[f"{FOUR[0].id}_{side}"])
        assert shown.ttc_at_steer <= 2.8
        assert shown.speed_at_steer >= 16 * KMH
        assert shown.ttc_when_overlap_ends <= 1.7
        assert shown.least_speed >= 10 * KMH
        assert not shown.contact
        # an example that keeps the bounds by miles would test nothing
        assert shown.ttc_at_steer > 2.5
        assert shown.ttc_when_overlap_ends > 1.4


def test_forward_vehicle_turns_off(files: dict[str, Path]) -> None:
    for side in "AB":
        shown = check_manoeuvre.measure(files[f"{FOUR[1].id}_{side}"])
        assert shown.ttc_at_steer <= 4.7
        assert shown.speed_at_steer >= 26 * KMH
        assert shown.ttc_when_overlap_ends <= 2.5
        assert shown.least_speed >= 20 * KMH
        assert not shown.contact
        assert shown.ttc_when_overlap_ends > 2.2


@pytest.mark.parametrize("item", ["vehicle_target", "pedestrian_target", "bicycle_target"])
def test_curve_with_an_object_behind_guard_pipes(files: dict[str, Path], item: str) -> None:
    for side in "AB":
        path = files[f"{FOUR[2].id}_{side}-{item}"]
        shown = check_manoeuvre.measure(path)
        assert shown.ttc_at_steer <= 1.6
        assert shown.speed_at_steer >= 22 * KMH
        assert shown.least_speed >= 21 * KMH
        if item == "vehicle_target":
            assert shown.ttc_when_overlap_ends <= 1.1
        else:
            assert shown.ttc_when_offset_reached is not None
            assert shown.ttc_when_offset_reached <= 1.1
        assert not shown.contact
        name = ET.parse(path).getroot().find("RoadNetwork/LogicFile").attrib["filepath"]  # type: ignore[union-attr]
        road = ET.parse(path.parent / name).getroot()
        curvature = abs(float(road.find(".//arc").attrib["curvature"]))  # type: ignore[union-attr]
        outer = 1 / curvature + float(road.find(".//lane[@type='driving']/width").attrib["a"])  # type: ignore[union-attr]
        assert outer == pytest.approx(25)
        rail = road.find(".//object[@type='barrier']/repeat")
        assert rail is not None
        assert abs(float(rail.attrib["tStart"])) > outer - 1 / curvature


def test_change_of_lane_in_front_of_a_sign(files: dict[str, Path]) -> None:
    for side in "AB":
        shown = check_manoeuvre.measure(files[f"{FOUR[3].id}_{side}"])
        assert shown.ttc_at_steer <= 4.2
        assert shown.ttc_when_offset_reached is not None
        assert shown.ttc_when_offset_reached <= 3.3
        assert shown.least_speed == pytest.approx(40 * KMH, abs=1e-5)
        assert not shown.contact


def test_the_subject_vehicle_keeps_to_the_road(files: dict[str, Path]) -> None:
    """The turn begins in the first arm's lane and ends in the lane of the arm to which it leads."""
    path = files[f"{FOUR[0].id}_A"]
    vertices = check_manoeuvre._vertices(next(e for e in ET.parse(path).iter("Event") if e.attrib["name"] == "EgoPath"))
    road = ET.parse(path.parent.parent / "roads" / f"{FOUR[0].id}_A.xodr").getroot()
    starts = {item.attrib["name"]: item.find("planView/geometry").attrib for item in road.iter("road") if item.get("name")}  # type: ignore[union-attr]
    assert vertices[0][2] == -1.75
    assert vertices[-1][1] == pytest.approx(float(starts["north"]["x"]) + 1.75, abs=1e-3)
    assert vertices[-1][2] < float(starts["north"]["y"]) + float(starts["north"]["length"])
    assert float(starts["west"]["length"]) > vertices[0][1]


def test_other_bounds_give_another_layout(tmp_path: Path) -> None:
    scenario = factories.false_reaction(1)
    tighter = tuple(
        item.model_copy(update={"quantity": item.quantity.model_copy(update={"value": Decimal("2.2")})})
        if item.name == "max_ttc_at_steer"
        else item
        for item in scenario.manoeuvre
    )
    changed = write(tmp_path, factories.checked(scenario.model_copy(update={"manoeuvre": tighter})))
    shown = check_manoeuvre.measure(changed[f"{scenario.id}_A"])
    assert 1.9 < shown.ttc_at_steer <= 2.2
    assert shown.ttc_when_overlap_ends <= 1.7


def test_bounds_that_cannot_be_kept_are_named() -> None:
    scenario = factories.false_reaction(3)
    tight = tuple(
        item.model_copy(update={"quantity": item.quantity.model_copy(update={"value": Decimal("0.2")})})
        if item.name == "max_ttc_at_turn_in"
        else item
        for item in scenario.manoeuvre
    )
    made = openscenario.emit(factories.checked(scenario.model_copy(update={"manoeuvre": tight})), openscenario.Options())
    assert [(item.path, [loss.code for loss in item.losses]) for item in made] == [
        (f"openscenario/concrete/{scenario.id}.json", ["T612"]),
    ]


def test_codes_are_explained_once(files: dict[str, Path]) -> None:
    explained = [
        line.strip("[]") for file in package_data("explain").glob("*.toml") for line in file.read_text().split() if line[:1] == "["
    ]
    sidecar = json.loads(files[f"{FOUR[0].id}_A"].with_suffix(".json").read_text(encoding="utf-8"))
    used = {item["code"] for item in sidecar["assumptions"]} | {c for p in sidecar["parameters"].values() for c in p["assumptions"]}
    assert all(explained.count(code) == 1 for code in used), used
