"""How the movers of a Stage move in fixed steps, and what two of them see of each other. SI, right-hand traffic, no regulation.

Motion is as players do it: a moment that holds at a sample acts from the next step on. Without a path the new speed moves a mover.
Along a path the speed of the step before does, but for a speed taken at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from regc.model.stage import Box, Leg, Moment, Mover, Pose, Stage

if TYPE_CHECKING:  # a build plays a few stages and looks at no series
    import numpy as np
    from numpy.typing import NDArray

    Series = NDArray[np.float64]
    Flags = NDArray[np.bool_]

Point = tuple[float, float]

#: Speeds below this (m/s) are a standstill.
STANDSTILL = 1e-3
_SMALL = 1e-9


def length(path: Sequence[Leg]) -> float:
    """Length of a path in m."""
    return math.fsum(leg.length for leg in path)


#: x, y (m) and heading (rad) of an origin.
Place = tuple[float, float, float]


def along(start: Pose, path: Sequence[Leg], distance: float) -> Pose:
    """The pose after a distance along the legs; straight on behind the last."""
    x, y, heading = _Way((start.x, start.y, start.heading), path).at(distance)
    return Pose(x=x, y=y, heading=heading)


class _Way:
    """A path from a start, with the place at which each of its legs begins."""

    def __init__(self, start: Place, path: Sequence[Leg]) -> None:
        self._legs: list[tuple[Place, float, float]] = []
        for leg in path:
            self._legs.append((start, leg.length, leg.curvature))
            start = _advance(*start, leg.length, leg.curvature)
        self._end = start

    def at(self, distance: float) -> Place:
        """The place after a distance; straight on behind the last leg."""
        for begin, leg, curvature in self._legs:
            if distance <= leg:
                return _advance(*begin, distance, curvature)
            distance -= leg
        return _advance(*self._end, distance, 0.0)


def vertices(start: Pose, path: Sequence[Leg], spacing: float) -> list[tuple[float, Pose]]:
    """(distance along, pose) at the ends of legs and at least every `spacing` m along arcs."""
    lengths, reached = [0.0], 0.0
    for leg in path:
        count = 1 if leg.curvature == 0 else max(1, math.ceil(leg.length / spacing))
        lengths.extend(reached + leg.length * part / count for part in range(1, count + 1))
        reached += leg.length
    return [(distance, along(start, path, distance)) for distance in lengths]


def _advance(x: float, y: float, heading: float, way: float, curvature: float) -> tuple[float, float, float]:
    if abs(curvature) < 1e-12:
        return x + way * math.cos(heading), y + way * math.sin(heading), heading
    turned = heading + way * curvature
    return x + (math.sin(turned) - math.sin(heading)) / curvature, y - (math.cos(turned) - math.cos(heading)) / curvature, turned


def corners(box: Box, pose: Pose) -> list[Point]:
    """The four corners of a box, in order around it."""
    return _corners(box, (pose.x, pose.y, pose.heading))


def _corners(box: Box, place: Place) -> list[Point]:
    x, y, heading = place
    cos, sin = math.cos(heading), math.sin(heading)
    half, rear = box.width / 2, box.front - box.length
    ends = ((box.front, half), (rear, half), (rear, -half), (box.front, -half))
    return [(x + cos * u - sin * v, y + sin * u + cos * v) for u, v in ends]


def touching(one: Sequence[Point], two: Sequence[Point], allowed: float = 0.0) -> bool:
    """Whether two rectangles meet, by separating axes; `allowed`: m by which they may overlap without counting."""
    for box in (one, two):
        for k in (0, 1):
            nx, ny = box[k + 1][1] - box[k][1], box[k][0] - box[k + 1][0]
            size = math.hypot(nx, ny) or 1.0
            first = [(x * nx + y * ny) / size for x, y in one]
            second = [(x * nx + y * ny) / size for x, y in two]
            if max(first) - allowed < min(second) or max(second) - allowed < min(first):
                return False
    return True


class Seen(NamedTuple):
    """What one mover sees of another, along its own heading. m, m/s, s.

    gap: from its front to the nearest point of the other (negative: passed or beside). closing: longitudinal relative speed. ttc:
    gap / closing, inf when not closing. overlap: share of its own width that the other reaches into, 0 when it has passed it. offset:
    lateral position of the middle of the other, left positive. rear: how far its rear is past the farthest point of the other
    (negative: not yet). touching: the boxes meet.
    """

    gap: float
    closing: float
    ttc: float
    overlap: float
    offset: float
    rear: float
    touching: bool


def see(box: Box, pose: Pose, speed: float, other_box: Box, other: Pose, other_speed: float) -> Seen:
    """What a mover at a pose sees of another."""
    place, there = (pose.x, pose.y, pose.heading), (other.x, other.y, other.heading)
    return _see(box, place, speed, other_box, there, other_speed)


def _see(box: Box, place: Place, speed: float, other_box: Box, other: Place, other_speed: float) -> Seen:
    x, y, heading = place
    cos, sin = math.cos(heading), math.sin(heading)
    edges = _corners(other_box, other)
    ahead = [(px - x) * cos + (py - y) * sin - box.front for px, py in edges]
    aside = [(py - y) * cos - (px - x) * sin for px, py in edges]
    half = box.width / 2
    closing = speed - other_speed * math.cos(other[2] - heading)
    gap, rear = min(ahead), -max(ahead) - box.length
    overlap = max(0.0, min(max(aside), half) - max(min(aside), -half)) / box.width
    near = gap <= 0 <= max(ahead) + box.length and max(aside) >= -half and min(aside) <= half
    return Seen(
        gap=gap,
        closing=closing,
        ttc=max(gap, 0.0) / closing if closing > _SMALL else math.inf,
        overlap=0.0 if rear > 0 else overlap,
        offset=sum(aside) / 4,
        rear=rear,
        touching=near and touching(_corners(box, place), edges),
    )


@dataclass(frozen=True)
class PlayedTrack:
    """One mover over time: poses of its origin, speed (m/s) and way along its path (m), shape (samples,)."""

    box: Box
    x: Series
    y: Series
    heading: Series
    speed: Series
    travelled: Series

    def place(self, sample: int) -> Place:
        """x, y and heading at a sample."""
        return float(self.x[sample]), float(self.y[sample]), float(self.heading[sample])

    def pose(self, sample: int) -> Pose:
        """The pose at a sample."""
        x, y, heading = self.place(sample)
        return Pose(x=x, y=y, heading=heading)


@dataclass(frozen=True)
class PlayedContact:
    """The first contact of the subject vehicle. `speed`: longitudinal relative speed at the last sample before it (m/s). `point`:
    lateral offset of the other's reference point from the subject's centre line (m, left positive), at `time`."""

    time: float
    sample: int
    role: str
    speed: float
    point: float


@dataclass(frozen=True)
class Playback:
    """A stage that was played. `events`: name -> time in s ("functional_part", changes, "warning", "braking"). `end`: the moment that
    ended it, None when nothing did within the time allowed. `demand`: the system's braking demand (m/s2)."""

    time: Series
    tracks: dict[str, PlayedTrack]
    demand: Series
    warning: Flags
    events: dict[str, float]
    contact: PlayedContact | None
    end: Moment | None

    def seen(self, of: str, to: str, sample: int) -> Seen:
        """What one mover sees of another at a sample."""
        one, two = self.tracks[of], self.tracks[to]
        return _see(one.box, one.place(sample), float(one.speed[sample]), two.box, two.place(sample), float(two.speed[sample]))

    def at(self, event: str) -> int:
        """The sample at which an event began; raises KeyError."""
        import numpy as np

        return int(np.searchsorted(self.time, self.events[event] - _SMALL))


def warned(events: Mapping[str, float], lasts: Sequence[float], time: Series) -> Flags:
    """Where a warning is on. `events`: s at which "warning", "warning_2" begin; `lasts`: s of each (to the end without)."""
    import numpy as np

    on: Flags = np.zeros(time.shape, dtype=np.bool_)
    for count in range(1, max(len(lasts), 1) + 1):
        begins = events.get("warning" if count == 1 else f"warning_{count}", np.inf)
        on |= (time >= begins - 1e-6) & (time < begins + (lasts[count - 1] if lasts else np.inf) - 1e-6)
    return on


class _Body:
    """A mover in motion."""

    def __init__(self, mover: Mover) -> None:
        self.mover, self.box = mover, mover.box
        self.start: Place = (mover.start.x, mover.start.y, mover.start.heading)
        self.path = _Way(self.start, mover.path)
        self.place, self.travelled = self.start, 0.0
        self.moving = mover.begins.kind == "start"
        self.speed = mover.speed if self.moving else 0.0
        self.change: tuple[float, float] | None = None
        self.reach = math.hypot(self.box.length, self.box.width)
        self.way: list[tuple[float, float, float, float, float]] = []

    def record(self) -> None:
        self.way.append((*self.place, self.speed, self.travelled))

    def step(self, time: float, brake: tuple[float, float] | None = None) -> None:
        """One step on; `brake`: (deceleration, least speed) that comes on top of its own changes and wins where it brakes harder."""
        if not self.moving:
            return
        before = self.speed
        if self.change is not None:
            self.speed = _toward(before, *self.change, time)
        if brake is not None and brake[1] < before:
            self.speed = min(self.speed, max(before - brake[0] * time, brake[1]))
        at_once = self.change is not None and self.change[1] == 0 and brake is None
        moved = (before if self.mover.path and not at_once else self.speed) * time
        if moved:
            self.travelled += moved
            self.place = self.path.at(self.travelled)


def _toward(speed: float, goal: float, rate: float, time: float) -> float:
    if rate == 0 or abs(goal - speed) <= rate * time:
        return goal
    return speed + math.copysign(rate * time, goal - speed)


#: From the time since a demand (s) to what the vehicle does of it (m/s2).
Response = Callable[[float], float]


def play(
    stage: Stage, *, step: float | None = None, until: float = 600.0, to_end: bool = True, response: Response | None = None
) -> Playback:
    """Plays a stage: movers, driver, and the system that it holds. Stops at the first end moment (with `to_end`, else none is looked
    for) or after `until` s.
    `response`: how the vehicle follows the system's demand, at once and in full without one.

    A system of kind external does nothing here, as there is nothing to call.
    """
    return _Player(stage, step or stage.step, response).run(until, to_end)


class Trial:
    """A stage that is played as far as it is looked at, until a time (s) at most: what one mover sees of another in it."""

    def __init__(self, stage: Stage, of: str, to: str, until: float) -> None:
        self._player = _Player(stage, stage.step, None)
        self._one, self._two = self._player.bodies[of], self._player.bodies[to]
        self._samples = self._player.samples(until)

    def since(self, time: float) -> Iterator[Seen]:
        """What is seen at each sample from a time on."""
        sample = math.ceil(time / self._player.step - 1e-6)
        while len(self._one.way) > sample or next(self._samples, None) is not None:
            if len(self._one.way) > sample:
                (x, y, heading, speed, _), (ox, oy, turn, other, _) = self._one.way[sample], self._two.way[sample]
                yield _see(self._one.box, (x, y, heading), speed, self._two.box, (ox, oy, turn), other)
                sample += 1

    def begins(self, event: str) -> float:
        """When an event begins (s). Raises KeyError for one that never does."""
        while event not in self._player.events and next(self._samples, None) is not None:
            pass
        return self._player.events[event]

    def touches(self) -> bool:
        """Whether the subject vehicle meets anything, to the end."""
        for _ in self._samples:
            pass
        return self._player.contact is not None


class _Awaited(NamedTuple):
    """What begins at a moment: an event, the motion of a mover (`starts`), or a change of its speed to (goal, rate)."""

    name: str
    moment: Moment
    body: _Body | None = None
    change: tuple[float, float] = (0.0, 0.0)
    starts: bool = False


class _Player:
    """The state of one run."""

    def __init__(self, stage: Stage, step: float, response: Response | None) -> None:
        self.stage, self.step, self.response = stage, step, response
        self.bodies = {mover.role: _Body(mover) for mover in (stage.subject, *stage.others, *stage.things)}
        self.subject = self.bodies[stage.subject.role]
        self.events: dict[str, float] = {}
        self.first: dict[int, float] = {}
        self.contact: PlayedContact | None = None
        self.now = self.demand = 0.0
        moments = {"functional_part": stage.functional_part} | stage.events | stage.system.warnings()
        if stage.system.brakes is not None:
            moments["braking"] = stage.system.brakes
        self.awaited = [_Awaited(name, moment) for name, moment in moments.items()]
        for role, body in self.bodies.items():
            mover = body.mover
            if not body.moving:
                self.awaited.append(_Awaited(f"{role}_begins", mover.begins, body, (mover.speed, 0.0), starts=True))
            self.awaited += [_Awaited(each.name, each.when, body, (each.speed, each.rate)) for each in mover.changes]
        self.awaited += [_Awaited(each.name, each.when, self.subject, (each.speed, each.rate)) for each in stage.driver]
        #: What the subject vehicle can meet, with the distance below which it may.
        self.solid = [
            (role, body, self.subject.reach + body.reach)
            for role, body in self.bodies.items()
            if body is not self.subject and not body.mover.passable
        ]

    def samples(self, until: float) -> Iterator[int]:
        """Each sample with all that begins at it; the step to the next one is made when it is asked for."""
        for sample in range(math.floor(until / self.step + 1e-6) + 1):
            self.now = sample * self.step
            for body in self.bodies.values():
                body.record()
            self._meet(sample)
            self._happen()
            brakes = self._brakes()
            self.demand = self.stage.system.demand if brakes else 0.0
            yield sample
            for body in self.bodies.values():
                body.step(self.step, brakes if body is self.subject else None)

    def run(self, until: float, to_end: bool) -> Playback:
        import numpy as np

        demand: list[float] = []
        end: Moment | None = None
        for _ in self.samples(until):
            demand.append(self.demand)
            end = next((moment for moment in self.stage.end if self.holds(moment)), None) if to_end else None
            if end is not None:
                break
        time = np.array([sample * self.step for sample in range(len(demand))])
        tracks = {role: _track(body) for role, body in self.bodies.items()}
        warning = warned(self.events, self.stage.system.lasts, time)
        return Playback(time, tracks, np.array(demand), warning, dict(self.events), self.contact, end)

    def _brakes(self) -> tuple[float, float] | None:
        """What the vehicle does for the system: (deceleration, least speed)."""
        if "braking" not in self.events:
            return None
        system, since = self.stage.system, self.now - self.events["braking"]
        return (system.demand if self.response is None else self.response(since), system.floor)

    def _happen(self) -> None:
        """What begins at this sample: events, the system, movers, changes of speed."""
        begun = [item for item in self.awaited if self._begins(item)]
        if begun:
            self.awaited = [item for item in self.awaited if all(item is not done for done in begun)]

    def _begins(self, item: _Awaited) -> bool:
        """Whether something begins now; so does what bears the name of an event that has been, to no effect."""
        if item.name in self.events and not item.starts:
            return True
        if not self.holds(item.moment):
            return False
        self.events.setdefault(item.name, self.now)
        if item.body is not None:
            item.body.moving = item.body.moving or item.starts
            item.body.change = item.change
        return True

    def _meet(self, sample: int) -> None:
        """The first contact of the subject vehicle with what is not passable."""
        if self.contact is not None:
            return
        x, y, _ = self.subject.place
        for role, body, reach in self.solid:
            ox, oy, _ = body.place
            if abs(x - ox) > reach or abs(y - oy) > reach:
                continue
            if self._see(self.subject, body).touching:
                before = max(sample - 1, 0)
                *place, speed, _ = self.subject.way[before]
                *other, other_speed, _ = body.way[before]
                closing = speed - other_speed * math.cos(other[2] - place[2])
                self.contact = PlayedContact(self.now, sample, role, closing, self._reference(body))
                return

    def _reference(self, body: _Body) -> float:
        (px, py, turn), (sx, sy, heading) = body.place, self.subject.place
        x = px + body.box.reference * math.cos(turn) - sx
        y = py + body.box.reference * math.sin(turn) - sy
        return y * math.cos(heading) - x * math.sin(heading)

    def _see(self, of: _Body, to: _Body) -> Seen:
        return _see(of.box, of.place, of.speed, to.box, to.place, to.speed)

    def holds(self, moment: Moment) -> bool:
        """Whether a moment holds now or has held before; a delay counts from the first time."""
        first = self.first.get(id(moment))
        if first is None:
            if not self._is(moment) or not self._is_after(moment.after):
                return False
            first = self.first[id(moment)] = self.now
        return self.now >= first + moment.delay - _SMALL

    def _is_after(self, before: Moment | None) -> bool:
        """Whether the moment that another one comes after has come; an event that begins at this sample has."""
        return before is None or (before.kind == "event" and not before.delay and before.to in self.events) or self.holds(before)

    def _is(self, moment: Moment) -> bool:
        kind, value = moment.kind, moment.value
        if kind == "start":
            return True
        if kind == "time":
            return self.now >= value - _SMALL
        if kind == "event":
            # what begins at a sample is seen from the next one on, as players do it
            return self.events.get(moment.to, self.now) < self.now - _SMALL
        of = self.bodies[moment.of or self.stage.subject.role]
        if kind == "travelled":
            return of.travelled >= value - _SMALL
        if kind == "speed":
            return of.speed <= value + _SMALL
        if kind == "standstill":
            return of.speed < STANDSTILL
        if kind == "contact":
            return self.contact is not None and moment.to in ("", self.contact.role)
        return self._between(moment, of)

    def _between(self, moment: Moment, of: _Body) -> bool:
        """Moments of two: times and distances to another mover or to the impact point."""
        if moment.to == "impact":
            point = self.stage.impact
            if point is None:
                raise ValueError(f"{self.stage.stem}: {moment.kind} to an impact point that the stage does not have")
            x, y, heading = of.place
            gap = (point.x - x) * math.cos(heading) + (point.y - y) * math.sin(heading) - of.box.front
            rear, closing = -gap - of.box.length, of.speed
        else:
            seen = self._see(of, self.bodies[moment.to])
            gap, rear, closing = seen.gap, seen.rear, seen.closing
        if moment.kind == "gap":
            return gap <= moment.value + _SMALL
        if moment.kind == "passed":
            return rear >= -_SMALL
        if moment.kind == "apart":
            return closing <= _SMALL
        by = of.speed if moment.kind == "headway" else closing
        return by > _SMALL and gap / by <= moment.value + _SMALL


def _track(body: _Body) -> PlayedTrack:
    import numpy as np

    x, y, heading, speed, travelled = (np.array(values) for values in zip(*body.way, strict=True))
    return PlayedTrack(body.mover.box, x, y, heading, speed, travelled)
