"""Events that only announce a moment change no motion."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.manoeuvres.plan import Options
from regc.model.stage import Stage
from regc.targets.openscenario.storyboard import Cast, Header, ScenarioWriter
from tests.manoeuvres.examples import EXAMPLES
from tests.manoeuvres.factory import made

WALKING = {"subject": "50 km/h", "target": "5 km/h", "ttc": "4 s", "overlap": "25 per cent", "run_up": "<=1.5 m"}
RELEASING = {**WALKING, "release_time": "0.5 s"}
BRAKING = {"subject": "50 km/h", "target": "50 km/h", "gap": "12 m", "target_deceleration": "0.3 g", "straight_time": "3 s"}


def actions(staged: Stage, event: str) -> list[str]:
    """The kinds of the actions of an event."""
    found = [node for node in written(staged).iter("Event") if node.attrib["name"] == event]
    assert len(found) == 1
    return [child.tag for action in found[0].iter("PrivateAction") for child in action]


@pytest.mark.parametrize(
    ("bind", "target", "event"),
    [(RELEASING, "adult", "AcceleratorReleased"), (BRAKING, "car", "FunctionalPart")],
    ids=["after a run-up has begun", "when a lead begins to brake"],
)
def test_a_moment_is_announced_without_a_speed(bind: dict[str, str], target: str, event: str) -> None:
    staged = stage(made("in_lane", bind, {"target": target}), load())
    assert actions(staged, event) == ["VisibilityAction"]


def written(staged: Stage, minor: int = 3) -> ET.Element:
    movers = (staged.subject, *staged.others, *staged.things)
    cast = Cast({mover.role: ("vehicles", mover.role) for mover in movers}, ("environments", "day"))
    return ET.fromstring(ScenarioWriter(staged, minor, "straight.xodr").write(Header("made", "2026-01-01T00:00:00"), cast)[0])


def of(event: str, root: ET.Element) -> ET.Element:
    return next(node for node in root.iter("Event") if node.attrib["name"] == event)


@pytest.mark.parametrize(("minor", "initial"), [(3, True), (1, True), (0, False)])
def test_a_path_from_the_start_is_an_initial_action(minor: int, initial: bool) -> None:
    """As an event it begins a step late; the scenario runner, which plays 1.0, takes none in the initial actions."""
    root = written(stage(EXAMPLES["drift left"], load()), minor)
    init, story = root.find("Storyboard/Init"), root.find("Storyboard/Story")
    assert init is not None
    assert story is not None
    assert (len(list(init.iter("FollowTrajectoryAction"))), len(list(story.iter("FollowTrajectoryAction")))) == (initial, not initial)


@pytest.mark.parametrize("minor", [3, 1])
def test_a_driver_does_not_take_the_place_of_harder_braking(minor: int) -> None:
    """A later speed action replaces the one that goes on, so the driver's 0.4 g begins only where the system's 5 m/s2 did not."""
    bind = {**RELEASING, "target": "0 km/h", "brake_delay": "1.0 s", "brake_deceleration": "0.4 g"}
    test = made("in_lane", {name: said for name, said in bind.items() if name not in ("run_up", "release_time")}, {"target": "adult"})
    root = written(stage(test, load(), Options(ego="late")), minor)
    said, own, brakes = of("DriverBrakes", root), of("DriverBrakesAlone", root), of("EmergencyBraking", root)
    assert not list(said.iter("SpeedAction"))
    assert len(list(own.iter("SpeedAction"))) == 1
    kind, name = ("VariableCondition", "variableRef") if minor >= 2 else ("ParameterCondition", "parameterRef")
    assert [(node.get(name), node.get("value")) for node in own.iter(kind)] == [("system_brakes", "false")]
    assert [node.get("value") for node in brakes.iter("SetAction")] == ["true"]
    alone = written(stage(test, load()), minor)
    assert len(list(of("DriverBrakes", alone).iter("SpeedAction"))) == 1


@pytest.mark.parametrize(
    ("name", "system"), [("standing car", "road"), ("turn before an oncoming vehicle", "entity"), ("car in a curve", "entity")]
)
def test_times_to_collision_are_measured_along_the_heading(name: str, system: str) -> None:
    """Along a straight road the heading of who drives there is the road's; in a net of roads a way along them jumps."""
    root = written(stage(EXAMPLES[name], load(), Options(ego="late")))
    assert {node.get("coordinateSystem") for node in root.iter("TimeToCollisionCondition")} == {system}


def test_the_functional_part_keeps_a_speed_that_is_known() -> None:
    slower = {"subject": "50 km/h", "target": "20 km/h", "ttc": "4 s"}
    assert actions(stage(made("in_lane", slower, {"target": "car"}), load()), "FunctionalPart") == ["LongitudinalAction"]
