"""Plays a written scenario from its XML alone, and reports its geometry and timing. Shares nothing with the emitter.

It knows what the files use: straight motion, speed steps and ramps, two-vertex trajectories, conditions in groups. Everything else
raises, so that an element that it does not understand is never taken for right. Standard library only.

usage: python check_geometry.py FILE.xosc...
"""

from __future__ import annotations

import math
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

STEP = 0.01


@dataclass
class Box:
    """Size, and centre in the entity's frame (x forward from its origin)."""

    length: float
    width: float
    height: float
    x: float
    y: float
    z: float
    reference: float
    mass: float | None


@dataclass
class Entity:
    """An entity in motion."""

    box: Box
    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    speed: float = 0.0
    travelled: float = 0.0
    still: float = 0.0
    path: float | None = None  # direction of a trajectory
    ramp: tuple[float, float] | None = None  # target speed, acceleration

    _turned: tuple[float, list[tuple[float, float]], tuple[float, float, float, float]] | None = None

    def _offsets(self) -> tuple[float, list[tuple[float, float]], tuple[float, float, float, float]]:
        """For the heading: the corners and the extent (least x, greatest x, least y, greatest y) from the origin."""
        if self._turned is None or self._turned[0] != self.heading:
            c, s = math.cos(self.heading), math.sin(self.heading)
            found = []
            for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
                u, v = self.box.x + a * self.box.length / 2, self.box.y + b * self.box.width / 2
                found.append((c * u - s * v, s * u + c * v))
            xs, ys = [x for x, _ in found], [y for _, y in found]
            self._turned = (self.heading, found, (min(xs), max(xs), min(ys), max(ys)))
        return self._turned

    def corners(self) -> list[tuple[float, float]]:
        return [(self.x + x, self.y + y) for x, y in self._offsets()[1]]

    def extent(self) -> tuple[float, float, float, float]:
        """Least x, greatest x, least y, greatest y."""
        a, b, c, d = self._offsets()[2]
        return self.x + a, self.x + b, self.y + c, self.y + d

    def move(self, step: float) -> None:
        before = self.speed
        if self.ramp:
            goal, rate = self.ramp
            change = rate * step
            self.speed = goal if abs(goal - before) <= change else before + math.copysign(change, goal - before)
        way = (before + self.speed) / 2 * step
        if way:
            direction = self.heading if self.path is None else self.path
            self.x += way * math.cos(direction)
            self.y += way * math.sin(direction)
            self.travelled += way
        self.still = self.still + step if self.speed < 1e-3 else 0.0


@dataclass
class Measured:
    """What a run showed. Times in s, lengths in m, speeds in m/s; None where it did not happen."""

    subject_speed: float
    target_speed: float | None = None
    gap: float = 0.0
    events: dict[str, float] = field(default_factory=dict)
    ttc_at_functional_part: float | None = None
    contact_time: float | None = None
    impact_speed: float = 0.0
    contact_offset: float | None = None
    hidden_in_run_up: bool | None = None
    seen_after: bool | None = None
    offset_at_start: float = 0.0
    stop_time: float | None = None
    stop_reason: str = ""
    mass: float | None = None

    @property
    def straight_time(self) -> float:
        return self.events["FunctionalPart"]

    @property
    def time_to_contact(self) -> float | None:
        return None if self.contact_time is None else self.contact_time - self.events["FunctionalPart"]


def _number(element: ET.Element, name: str) -> float:
    return float(element.attrib[name])


def _child(element: ET.Element, path: str) -> ET.Element:
    found = element.find(path)
    if found is None:
        raise ValueError(f"{element.tag}: no {path}")
    return found


@lru_cache(maxsize=50)
def _catalog(path: Path, stamp: int) -> ET.Element:
    return ET.parse(path).getroot()


def _box(folder: Path, reference: ET.Element) -> Box:
    path = folder / f"{reference.attrib['catalogName']}.xosc"
    root = _catalog(path, path.stat().st_mtime_ns)
    if root.find("Catalog").attrib["name"] != reference.attrib["catalogName"]:
        raise ValueError(f"{path.name}: the catalogue has another name")
    for entry in root.find("Catalog"):
        if entry.attrib["name"] == reference.attrib["entryName"]:
            centre, size = _child(entry, "BoundingBox/Center"), _child(entry, "BoundingBox/Dimensions")
            properties = {item.attrib["name"]: item.attrib["value"] for item in entry.iter("Property")}
            mass = entry.attrib.get("mass")
            return Box(
                *(_number(size, name) for name in ("length", "width", "height")),
                *(_number(centre, name) for name in ("x", "y", "z")),
                float(properties.get("reference_offset", 0)),
                float(mass) if mass else None,
            )
    raise ValueError(f"{path.name}: no {reference.attrib['entryName']}")


class Player:
    """One run of one file."""

    def __init__(self, path: Path) -> None:
        self.root = ET.parse(path).getroot()
        if any("$" in value for element in self.root.iter() for value in element.attrib.values()):
            raise ValueError("an open parameter")
        folder = path.parent / _child(self.root, "CatalogLocations/VehicleCatalog/Directory").attrib["path"]
        self.entities = {
            item.attrib["name"]: Entity(_box(folder, _child(item, "CatalogReference"))) for item in self.root.iter("ScenarioObject")
        }
        self.time = 0.0
        self.done: dict[str, int] = {}
        self.contact: float | None = None
        self.held: dict[ET.Element, float] = {}
        self.started: dict[str, float] = {}
        for private in self.root.iter("Private"):
            for action in private:
                self._act(action, private.attrib["entityRef"])
        self.events: list[tuple[ET.Element, str, Callable[[], bool]]] = []
        for group in self.root.iter("ManeuverGroup"):
            actor = _child(group, "Actors/EntityRef").attrib["entityRef"]
            for event in group.iter("Event"):
                self.events.append((event, actor, self._trigger(_child(event, "StartTrigger"))))
        self.act = self._trigger(_child(self.root, "Storyboard/Story/Act/StartTrigger"))
        self.stops = [
            ("+".join(c.attrib["name"] for c in group), self._group(group)) for group in _child(self.root, "Storyboard/StopTrigger")
        ]

    # --- actions

    def _act(self, action: ET.Element, actor: str) -> None:
        entity = self.entities[actor]
        inner = action[0]
        if inner.tag == "TeleportAction":
            place = _child(inner, "Position/WorldPosition")
            entity.x, entity.y, entity.heading = (_number(place, name) for name in ("x", "y", "h"))
        elif inner.tag == "LongitudinalAction":
            self._speed(entity, _child(inner, "SpeedAction"))
        elif inner.tag == "RoutingAction":
            follow = _child(inner, "FollowTrajectoryAction")
            _child(follow, "TimeReference/None")
            first, last = ((_number(p, "x"), _number(p, "y")) for p in follow.iter("WorldPosition"))
            if math.dist(first, (entity.x, entity.y)) > 1e-6:
                raise ValueError("a path that does not begin at the entity")
            entity.path = math.atan2(last[1] - first[1], last[0] - first[0])
        elif "Controller" not in inner.tag:
            raise ValueError(f"unknown action {inner.tag}")

    def _speed(self, entity: Entity, action: ET.Element) -> None:
        how, goal = _child(action, "SpeedActionDynamics"), _number(_child(action, "SpeedActionTarget/AbsoluteTargetSpeed"), "value")
        shape, dimension, value = how.attrib["dynamicsShape"], how.attrib["dynamicsDimension"], _number(how, "value")
        if shape == "step":
            entity.speed, entity.ramp = goal, None
        elif shape == "linear":
            entity.ramp = (goal, value if dimension == "rate" else abs(goal - entity.speed) / value)
        else:
            raise ValueError(f"unknown dynamics {shape}")

    # --- conditions

    def _trigger(self, trigger: ET.Element) -> Callable[[], bool]:
        groups = [self._group(group) for group in trigger]
        return lambda: any(group() for group in groups)

    def _group(self, group: ET.Element) -> Callable[[], bool]:
        conditions = [self._condition(condition) for condition in group]
        if not any(float(condition.attrib["delay"]) for condition in group):
            return lambda: all(condition() for condition in conditions)
        # every condition is looked at in every step, so that delays begin when they should
        return lambda: all([condition() for condition in conditions])  # noqa: C419

    def _condition(self, condition: ET.Element) -> Callable[[], bool]:
        if condition.attrib["conditionEdge"] != "none":
            raise ValueError("an edge")
        delay = _number(condition, "delay")
        if condition[0].tag == "ByValueCondition":
            test = self._value(condition[0][0])
        else:
            actors = [item.attrib["entityRef"] for item in condition.find("ByEntityCondition/TriggeringEntities")]
            test = self._entity(_child(condition, "ByEntityCondition/EntityCondition")[0], *actors)
        if not delay:
            return test

        def delayed() -> bool:
            # true once the condition was true a delay ago, whatever has become of it
            if condition not in self.held and test():
                self.held[condition] = self.time
            return condition in self.held and self.time >= self.held[condition] + delay - 1e-9

        return delayed

    @staticmethod
    def _rule(element: ET.Element) -> Callable[[float], bool]:
        value = _number(element, "value")
        if element.attrib["rule"] == "lessThan":
            return lambda x: x < value
        if element.attrib["rule"] == "greaterThan":
            return lambda x: x > value
        raise ValueError(f"rule {element.attrib['rule']}")

    def _value(self, element: ET.Element) -> Callable[[], bool]:
        if element.tag == "SimulationTimeCondition":
            rule = self._rule(element)
            return lambda: rule(self.time)
        if element.tag == "StoryboardElementStateCondition" and element.attrib["state"] == "completeState":
            name = element.attrib["storyboardElementRef"]
            if name not in {event.attrib["name"] for event in self.root.iter("Event")}:
                raise ValueError(f"no event {name}")
            return lambda: name in self.done
        raise ValueError(f"unknown condition {element.tag}")

    def _entity(self, element: ET.Element, actor: str) -> Callable[[], bool]:
        entity = self.entities[actor]
        if element.tag == "TimeToCollisionCondition":
            return self._ttc(element, entity)
        if element.tag == "CollisionCondition":
            return lambda: self.contact is not None
        if element.tag == "StandStillCondition":
            duration = _number(element, "duration")
            return lambda: entity.still >= duration
        if element.tag == "TraveledDistanceCondition":
            value = _number(element, "value")
            return lambda: entity.travelled >= value
        if element.tag == "RelativeSpeedCondition":
            rule, other = self._rule(element), self.entities[element.attrib["entityRef"]]
            return lambda: rule(entity.speed - other.speed)
        raise ValueError(f"unknown condition {element.tag}")

    def _ttc(self, element: ET.Element, entity: Entity) -> Callable[[], bool]:
        if element.attrib["freespace"] != "true":
            raise ValueError("TTC between reference points")
        rule = self._rule(element)
        target = _child(element, "TimeToCollisionConditionTarget")[0]
        other = self.entities[target.attrib["entityRef"]] if target.tag == "EntityRef" else None
        place = None if other else _number(_child(target, "WorldPosition"), "x")

        def test() -> bool:
            distance = (other.extent()[0] if other else place) - self._front(entity)
            closing = entity.speed - (other.speed * math.cos(other.heading) if other else 0.0)
            return closing > 1e-9 and rule(distance / closing)

        return test

    @staticmethod
    def _front(entity: Entity) -> float:
        return entity.extent()[1]

    # --- the run

    def play(self) -> Measured:
        """Steps of STEP until a stop trigger holds."""
        ego, target = self.entities["Ego"], self.entities["Target"]
        result = Measured(ego.speed, mass=ego.box.mass)
        result.gap = target.extent()[0] - self._front(ego)
        result.offset_at_start = ego.y - target.y
        running = False
        for count in range(100_000):
            self.time = count * STEP
            running = running or self.act()
            for event, actor, trigger in self.events:
                name = event.attrib["name"]
                if running and name not in self.started and trigger():
                    self.started[name] = self.time
                    self._start(event, actor, result)
            # an event whose actions end at once is complete from the next step on
            self.done.update({name: 1 for name, at in self.started.items() if self.time > at})
            reason = next((name for name, stop in self.stops if stop()), None)
            if reason:
                result.stop_time, result.stop_reason = self.time, reason
                break
            if count % 10 == 0:
                self._sight(result, ego, target)
            before = ego.speed - target.speed * math.cos(target.heading - ego.heading)
            old = (ego.x, target.x, target.y)
            for entity in self.entities.values():
                entity.move(STEP)
            if self.contact is None and self._overlap(ego, target):
                self._touch(result, ego, target, old, before)
        result.events = self.started
        result.target_speed = target.speed if result.contact_time is None else result.target_speed
        return result

    def _start(self, event: ET.Element, actor: str, result: Measured) -> None:
        if event.attrib["name"] == "FunctionalPart":
            ego, target = self.entities["Ego"], self.entities["Target"]
            near = target.extent()[0]
            closing = ego.speed - target.speed * math.cos(target.heading)
            result.ttc_at_functional_part = (near - self._front(ego)) / closing
        for action in event.iter("PrivateAction"):
            self._act(action, actor)

    def _touch(self, result: Measured, ego: Entity, target: Entity, old: tuple[float, float, float], before: float) -> None:
        new = (ego.x, target.x, target.y)
        low, high = 0.0, 1.0
        for _ in range(40):  # the share of the step after which they touch
            share = (low + high) / 2
            ego.x, target.x, target.y = (a + (b - a) * share for a, b in zip(old, new, strict=True))
            low, high = (low, share) if self._overlap(ego, target) else (share, high)
        self.contact = result.contact_time = self.time + high * STEP
        result.impact_speed = before
        result.target_speed = target.speed
        reference = target.y + target.box.reference * math.sin(target.heading)
        result.contact_offset = reference - ego.y
        ego.x, target.x, target.y = new

    @staticmethod
    def _overlap(one: Entity, two: Entity) -> bool:
        """Boxes whose sides lie along the axes."""
        a, b = one.extent(), two.extent()
        return a[0] <= b[1] and b[0] <= a[1] and a[2] <= b[3] and b[2] <= a[3]

    def _sight(self, result: Measured, ego: Entity, target: Entity) -> None:
        """Whether the obstacle stands between the middle of the subject vehicle's front and the target."""
        obstacle = self.entities.get("Obstacle")
        if obstacle is None:
            return
        walls = obstacle.extent()
        eye = (self._front(ego), ego.y)
        hidden = [_crosses(eye, corner, walls) for corner in target.corners()]
        if "FunctionalPart" in self.started and self.contact is None:
            result.seen_after = result.seen_after is not False and not any(hidden)
        elif "FunctionalPart" not in self.started and (target.ramp is None or target.speed < target.ramp[0]):
            result.hidden_in_run_up = result.hidden_in_run_up is not False and all(hidden)


def _crosses(start: tuple[float, float], end: tuple[float, float], walls: tuple[float, float, float, float]) -> bool:
    """Whether the line from start to end meets the rectangle (Liang and Barsky)."""
    low, high = 0.0, 1.0
    for axis in (0, 1):
        delta = end[axis] - start[axis]
        least, most = walls[2 * axis] - start[axis], walls[2 * axis + 1] - start[axis]
        if abs(delta) < 1e-12:
            if least > 0 or most < 0:
                return False
            continue
        first, second = sorted((least / delta, most / delta))
        low, high = max(low, first), min(high, second)
    return low < high


def measure(path: Path) -> Measured:
    """Plays a concrete file. Raises ValueError or KeyError for anything that it does not know."""
    return Player(path).play()


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(argument, measure(Path(argument)))
