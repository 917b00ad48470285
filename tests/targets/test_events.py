"""Events that only announce a moment change no motion."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.model.stage import Stage
from regc.targets.openscenario.storyboard import Cast, Header, Scenario
from tests.manoeuvres.factory import made

WALKING = {"subject": "50 km/h", "target": "5 km/h", "ttc": "4 s", "overlap": "25 per cent", "run_up": "<=1.5 m"}
RELEASING = {**WALKING, "release_time": "0.5 s"}
BRAKING = {"subject": "50 km/h", "target": "50 km/h", "gap": "12 m", "target_deceleration": "0.3 g", "straight_time": "3 s"}


def actions(staged: Stage, event: str) -> list[str]:
    """The kinds of the actions of an event."""
    movers = (staged.subject, *staged.others, *staged.things)
    cast = Cast({mover.role: ("vehicles", mover.role) for mover in movers}, ("environments", "day"))
    content, _ = Scenario(staged, 3, "straight.xodr").write(Header("made", "2026-01-01T00:00:00"), cast)
    found = [node for node in ET.fromstring(content).iter("Event") if node.attrib["name"] == event]
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


def test_the_functional_part_keeps_a_speed_that_is_known() -> None:
    slower = {"subject": "50 km/h", "target": "20 km/h", "ttc": "4 s"}
    assert actions(stage(made("in_lane", slower, {"target": "car"}), load()), "FunctionalPart") == ["LongitudinalAction"]
