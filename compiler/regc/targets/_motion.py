"""Motion of a vehicle along a path of lines and arcs, and what two vehicles then see of each other. m, s, rad; floats.

Used to find the free measures of a manoeuvre (a radius, a gap) so that the regulation's bounds hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

Pose = tuple[float, float, float]
STEP = 0.01


@dataclass(frozen=True)
class Path:
    """Lines and arcs one after the other; `segments`: (length, curvature), left curves positive."""

    start: Pose
    segments: tuple[tuple[float, float], ...]

    @property
    def length(self) -> float:
        return sum(length for length, _ in self.segments)

    def at(self, s: float) -> Pose:
        """The pose at a distance; straight on behind the end."""
        x, y, h = self.start
        for length, curvature in self.segments:
            way = min(s, length)
            x, y, h = _advance(x, y, h, way, curvature)
            s -= way
            if s <= 0:
                return x, y, h
        return _advance(x, y, h, s, 0.0)

    def vertices(self, distance: float) -> list[tuple[float, Pose]]:
        """(distance along, pose) at the ends of lines and at least every `distance` along arcs."""
        found, s = [0.0], 0.0
        for length, curvature in self.segments:
            count = 1 if curvature == 0 else max(1, math.ceil(length / distance))
            found.extend(s + length * k / count for k in range(1, count + 1))
            s += length
        return [(s, self.at(s)) for s in found]

    def mirrored(self) -> Path:
        """The path on the other side of the x axis."""
        x, y, h = self.start
        return Path((x, -y, -h), tuple((length, -curvature) for length, curvature in self.segments))


def _advance(x: float, y: float, h: float, way: float, curvature: float) -> Pose:
    if abs(curvature) < 1e-12:
        return x + way * math.cos(h), y + way * math.sin(h), h
    turned = h + way * curvature
    return x + (math.sin(turned) - math.sin(h)) / curvature, y - (math.cos(turned) - math.cos(h)) / curvature, turned


@dataclass(frozen=True)
class Change:
    """From a distance along the path on, the speed goes to `speed` at `rate`. `name` is its event's."""

    name: str
    distance: float
    speed: float
    rate: float


@dataclass(frozen=True)
class Vehicle:
    """A box and its origin: `front` and `rear` from the origin."""

    front: float
    rear: float
    width: float

    def corners(self, pose: Pose) -> list[tuple[float, float]]:
        x, y, h = pose
        c, s = math.cos(h), math.sin(h)
        half = self.width / 2
        ends = ((self.front, half), (-self.rear, half), (-self.rear, -half), (self.front, -half))
        return [(x + c * u - s * v, y + s * u + c * v) for u, v in ends]


@dataclass(frozen=True)
class Mover:
    """A vehicle on its path; at rest with speed 0."""

    vehicle: Vehicle
    path: Path
    speed: float
    changes: tuple[Change, ...] = ()

    def run(self, until: float) -> Iterator[tuple[float, float, float]]:
        """(time, distance, speed) in steps."""
        s, v = 0.0, self.speed
        for count in range(math.ceil(until / STEP) + 1):
            yield count * STEP, s, v
            before = v
            active = [change for change in self.changes if s >= change.distance]
            if active and abs(active[-1].speed - v) > 1e-12:
                change = active[-1].rate * STEP
                v = active[-1].speed if abs(active[-1].speed - v) <= change else v + math.copysign(change, active[-1].speed - v)
            s += (before + v) / 2 * STEP


@dataclass(frozen=True)
class Seen:
    """One moment. `ttc`: longitudinal distance from the subject's front over the closing speed along its heading, inf when not
    closing; `overlap`: share of the subject's width that the target reaches into; `offset`: of the target's centre, in half widths."""

    time: float
    distance: float
    speed: float
    gap: float
    ttc: float
    overlap: float
    offset: float
    touching: bool


def watch(subject: Mover, target: Mover, until: float, since: float = 0.0) -> Iterator[Seen]:
    """What the subject vehicle sees of the target in every step from a time on."""
    for (time, s, v), (_, st, vt) in zip(subject.run(until), target.run(until), strict=True):
        if time < since - STEP / 2:
            continue
        pose, other = subject.path.at(s), target.path.at(st)
        x, y, h = pose
        c, d = math.cos(h), math.sin(h)
        corners = target.vehicle.corners(other)
        ahead = [(px - x) * c + (py - y) * d - subject.vehicle.front for px, py in corners]
        aside = [-(px - x) * d + (py - y) * c for px, py in corners]
        half = subject.vehicle.width / 2
        overlap = max(0.0, min(max(aside), half) - max(min(aside), -half)) / subject.vehicle.width
        gap, closing = min(ahead), v - vt * math.cos(other[2] - h)
        passed = max(ahead) < -(subject.vehicle.front + subject.vehicle.rear)
        yield Seen(
            time,
            s,
            v,
            gap,
            gap / closing if closing > 1e-6 else math.inf,
            0.0 if passed else overlap,
            (sum(aside) / 4) / half,
            gap <= 0 and _touch(subject.vehicle.corners(pose), corners),
        )


def _touch(one: list[tuple[float, float]], two: list[tuple[float, float]]) -> bool:
    """Whether two rectangles meet (separating axes)."""
    for box in (one, two):
        for k in (0, 1):
            nx, ny = box[k + 1][1] - box[k][1], box[k][0] - box[k + 1][0]
            a = [x * nx + y * ny for x, y in one]
            b = [x * nx + y * ny for x, y in two]
            if max(a) < min(b) or max(b) < min(a):
                return False
    return True
