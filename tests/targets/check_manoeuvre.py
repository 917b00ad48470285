"""Plays a written manoeuvre from its XML alone: paths of many vertices, changes of speed at distances. Shares nothing with the emitter.

Heading and position between two vertices are interpolated along the way. Standard library only.
"""

from __future__ import annotations

import bisect
import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from pathlib import Path

from tests.targets.check_geometry import _box, _child, _number

STEP = 0.01


@dataclass
class Body:
    """Who moves: vertices (s, x, y, heading), speed, and changes (distance, speed, rate)."""

    length: float
    width: float
    ahead: float
    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    speed: float = 0.0
    way: float = 0.0
    vertices: list[tuple[float, float, float, float]] = field(default_factory=list)
    changes: list[tuple[float, float, float]] = field(default_factory=list)

    def pose(self) -> tuple[float, float, float]:
        if not self.vertices:
            return self.x, self.y, self.heading
        k = min(max(bisect.bisect([v[0] for v in self.vertices], self.way), 1), len(self.vertices) - 1)
        a, b = self.vertices[k - 1], self.vertices[k]
        u = (self.way - a[0]) / (b[0] - a[0])
        return a[1] + u * (b[1] - a[1]), a[2] + u * (b[2] - a[2]), a[3] + u * (b[3] - a[3])

    def corners(self) -> list[tuple[float, float]]:
        x, y, h = self.pose()
        c, s = math.cos(h), math.sin(h)
        ends = [(self.ahead + a * self.length / 2, b * self.width / 2) for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        return [(x + c * u - s * v, y + s * u + c * v) for u, v in ends]

    def move(self) -> None:
        before = self.speed
        active = [change for change in self.changes if self.way >= change[0]]
        if active:
            _, goal, rate = active[-1]
            self.speed = goal if abs(goal - before) <= rate * STEP else before + math.copysign(rate * STEP, goal - before)
        self.way += (before + self.speed) / 2 * STEP


@dataclass
class Shown:
    """TTC (s) and the subject's speed (m/s) when steering begins and when overlap ends or the offset is reached; least distance (m)."""

    ttc_at_steer: float
    speed_at_steer: float
    ttc_when_overlap_ends: float
    speed_when_overlap_ends: float
    ttc_when_offset_reached: float | None
    contact: bool
    least_speed: float
    distance_driven: float


def measure(path: Path) -> Shown:
    """Raises ValueError for an element that it does not know."""
    root = ET.parse(path).getroot()
    folder = path.parent / _child(root, "CatalogLocations/VehicleCatalog/Directory").attrib["path"]
    bodies: dict[str, Body] = {}
    for item in root.iter("ScenarioObject"):
        box = _box(folder, _child(item, "CatalogReference"))
        bodies[item.attrib["name"]] = Body(box.length, box.width, box.x)
    for private in root.iter("Private"):
        body = bodies[private.attrib["entityRef"]]
        place = _child(private, "PrivateAction/TeleportAction/Position/WorldPosition")
        body.x, body.y, body.heading = (_number(place, name) for name in ("x", "y", "h"))
        body.speed = _number(next(private.iter("AbsoluteTargetSpeed")), "value")
    steering: tuple[Body, float] | None = None
    for group in root.iter("ManeuverGroup"):
        body = bodies[_child(group, "Actors/EntityRef").attrib["entityRef"]]
        for event in group.iter("Event"):
            reached = next(event.iter("TraveledDistanceCondition"), None)
            if event.attrib["name"] == "SteeringBegins":
                assert reached is not None
                who = next(event.iter("TriggeringEntities"))[0].attrib["entityRef"]
                steering = (bodies[who], _number(reached, "value"))
            elif next(event.iter("FollowTrajectoryAction"), None) is not None:
                body.vertices = _vertices(event)
            elif reached is not None:
                how = next(event.iter("SpeedActionDynamics"))
                if (how.attrib["dynamicsShape"], how.attrib["dynamicsDimension"]) != ("linear", "rate"):
                    raise ValueError("unknown dynamics")
                goal = _number(next(event.iter("AbsoluteTargetSpeed")), "value")
                body.changes.append((_number(reached, "value"), goal, _number(how, "value")))
            else:
                raise ValueError(f"unknown event {event.attrib['name']}")
    assert steering is not None
    end = next(c for c in _child(root, "Storyboard/StopTrigger").iter("TraveledDistanceCondition"))
    return _run(bodies["Ego"], bodies["Target"], steering, _number(end, "value"))


def _vertices(event: ET.Element) -> list[tuple[float, float, float, float]]:
    found: list[tuple[float, float, float, float]] = []
    for place in event.iter("WorldPosition"):
        x, y, h = (_number(place, name) for name in ("x", "y", "h"))
        way = 0.0
        if found:
            before = found[-1]
            chord, turned = math.dist((x, y), before[1:3]), h - before[3]
            # along an arc the way is longer than the chord
            way = before[0] + (chord if abs(turned) < 1e-9 else chord * (turned / 2) / math.sin(turned / 2))
            along = math.atan2(y - before[2], x - before[1])
            if abs(math.remainder(along - (h + before[3]) / 2, 2 * math.pi)) > 1e-3:
                raise ValueError("a heading that does not fit the way")
        found.append((way, x, y, h))
    return found


def _run(ego: Body, target: Body, steering: tuple[Body, float], end: float) -> Shown:
    front = ego.ahead + ego.length / 2
    at_steer: tuple[float, float] | None = None
    overlapped: tuple[float, float] | None = None
    offset: float | None = None
    contact, ended, least = False, False, ego.speed
    while ego.way < end:
        x, y, h = ego.pose()
        c, s = math.cos(h), math.sin(h)
        corners = target.corners()
        ahead = min((px - x) * c + (py - y) * s for px, py in corners) - front
        aside = [-(px - x) * s + (py - y) * c for px, py in corners]
        closing = ego.speed - target.speed * math.cos(target.pose()[2] - h)
        ttc = ahead / closing if closing > 1e-6 else math.inf
        if at_steer is None and steering[0].way >= steering[1]:
            at_steer = (ttc, ego.speed)
        inside = min(max(aside), ego.width / 2) - max(min(aside), -ego.width / 2)
        if at_steer and not ended:
            if inside > 0:
                overlapped = (ttc, ego.speed)
            elif overlapped:
                ended = True
        if at_steer and offset is None and abs(sum(aside) / 4) >= ego.width / 2:
            offset = ttc
        contact = contact or _meet(ego.corners(), corners)
        least = min(least, ego.speed)
        ego.move()
        target.move()
    assert at_steer
    assert overlapped
    return Shown(*at_steer, *overlapped, offset, contact, least, ego.way)


def _meet(one: list[tuple[float, float]], two: list[tuple[float, float]]) -> bool:
    for box in (one, two):
        for k in (0, 1):
            nx, ny = box[k + 1][1] - box[k][1], box[k][0] - box[k + 1][0]
            a, b = [x * nx + y * ny for x, y in one], [x * nx + y * ny for x, y in two]
            if max(a) < min(b) or max(b) < min(a):
                return False
    return True
