"""What is drawn of a test: its Stage played once, reduced to the frames between which everything moves evenly. SI."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regc import wording
from regc.model.stage import Leg, Pose, Road, Stage
from regc.motion import Playback, PlayedTrack, play, vertices

#: s; fine enough for the eye, and a whole regulation is drawn in seconds.
STEP = 0.05
#: s; no test takes longer.
_LONGEST = 120.0
#: What a frame may be off by: m, m, rad, m/s.
_TOLERANCE = (0.03, 0.03, 0.01, 0.05)
#: m of road beyond where somebody is.
_MARGIN = 150.0
#: m of road drawn behind a curve
_BEHIND = 60.0
#: m; how long a crossing road is drawn where the stage does not say it. Points of a round corner.
_ARM, _CORNER = 40.0, 6

Line = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class DrawnStage:
    """A mover: its box (length, width, from the origin to the front) and frames (time, x, y, heading, speed)."""

    role: str
    name: str
    form: str
    box: tuple[float, float, float]
    frames: tuple[tuple[float, ...], ...]

    def at(self, time: float) -> Pose:
        """Where it is at a time."""
        times = [frame[0] for frame in self.frames]
        x, y, heading = (float(np.interp(time, times, [frame[column] for frame in self.frames])) for column in (1, 2, 3))
        return Pose(x=x, y=y, heading=heading)


@dataclass(frozen=True)
class Drawing:
    """A played stage. `surface`: outlines of the road, `lines`: (pattern, points) on it. `seen`: (time, gap, closing speed) between
    the subject vehicle and who it meets. `events`: (time, words). `contact`: (time, relative speed), None without one. `impact`: the
    point at which both would meet."""

    movers: tuple[DrawnStage, ...]
    surface: tuple[Line, ...]
    lines: tuple[tuple[str, Line], ...]
    seen: tuple[tuple[float, float, float], ...]
    met: str
    events: tuple[tuple[float, str], ...]
    functional: float | None
    contact: tuple[float, float] | None
    impact: tuple[float, float] | None
    end: float

    def data(self) -> dict[str, Any]:
        """For the page's script: short keys, centimetres."""
        return {
            "m": [
                {"r": one.role, "n": one.name, "k": one.form, "b": _short(one.box), "f": [_short(frame) for frame in one.frames]}
                for one in self.movers
            ],
            "s": [[_short(point) for point in outline] for outline in self.surface],
            "l": [[pattern, [_short(point) for point in points]] for pattern, points in self.lines],
            "g": [_short(line) for line in self.seen],
            "met": self.met,
            "e": [[round(time, 2), words] for time, words in self.events],
            "fp": None if self.functional is None else round(self.functional, 2),
            "c": _short(self.contact) if self.contact else None,
            "i": _short(self.impact) if self.impact else None,
            "t": round(self.end, 2),
        }


def drawing(stage: Stage) -> Drawing:
    """A stage, played with the system that it holds until it ends."""
    played = play(stage, step=STEP, until=_LONGEST)
    things = (*stage.others, *stage.things)
    met = next((mover.role for mover in things if mover.role == "target"), things[0].role if things else "")
    frames = {role: _frames(played, track) for role, track in played.tracks.items()}
    movers = tuple(
        DrawnStage(
            mover.role,
            wording.role(mover.role) if mover is not stage.subject else wording.role("subject"),
            mover.form,
            (mover.box.length, mover.box.width, mover.box.front),
            tuple(_frame(played, played.tracks[mover.role], sample) for sample in frames[mover.role]),
        )
        for mover in (stage.subject, *things)
    )
    samples = sorted({*frames[stage.subject.role], *frames.get(met, ())})
    functional = played.events.get("functional_part")
    return Drawing(
        movers=movers,
        surface=_surface(stage, movers),
        lines=_lines(stage, movers),
        seen=tuple(_seen(played, stage.subject.role, met, sample) for sample in samples) if met else (),
        met=wording.role(met) if met else "",
        events=tuple((time, wording.term("moment", name)) for name, time in sorted(played.events.items(), key=lambda item: item[1])),
        functional=functional,
        contact=(played.contact.time, played.contact.speed) if played.contact else None,
        impact=(stage.impact.x, stage.impact.y) if stage.impact else None,
        end=float(played.time[-1]),
    )


def _seen(played: Playback, subject: str, met: str, sample: int) -> tuple[float, float, float]:
    seen = played.seen(subject, met, sample)
    return float(played.time[sample]), seen.gap, seen.closing


def _frame(played: Playback, track: PlayedTrack, sample: int) -> tuple[float, ...]:
    return tuple(float(series[sample]) for series in (played.time, track.x, track.y, track.heading, track.speed))


def _frames(played: Playback, track: PlayedTrack) -> list[int]:
    """Samples between which every series is a straight line (Douglas and Peucker over time)."""
    series = np.stack((track.x, track.y, np.unwrap(track.heading), track.speed))
    return _needed(played.time, series / np.array(_TOLERANCE)[:, None])


def _needed(time: NDArray[np.float64], series: NDArray[np.float64]) -> list[int]:
    kept, open_spans = {0, len(time) - 1}, [(0, len(time) - 1)]
    while open_spans:
        first, last = open_spans.pop()
        if last - first < 2:
            continue
        share = (time[first : last + 1] - time[first]) / (time[last] - time[first])
        line = series[:, first, None] + (series[:, last] - series[:, first])[:, None] * share
        off = np.abs(series[:, first : last + 1] - line).max(axis=0)
        worst = int(off.argmax())
        if off[worst] > 1:
            kept.add(first + worst)
            open_spans += [(first, first + worst), (first + worst, last)]
    return sorted(kept)


def _extent(movers: tuple[DrawnStage, ...]) -> tuple[float, float]:
    along_x = [frame[1] for mover in movers for frame in mover.frames]
    return min(along_x) - _MARGIN, max(along_x) + _MARGIN


def _edges(stage: Stage) -> tuple[float, float]:
    """The right and left edge of the road across, y."""
    road = stage.road
    right, left = -(road.lanes_right + 0.5) * road.lane_width, (road.lanes_left + road.oncoming + 0.5) * road.lane_width
    return (right, left) if stage.traffic == "rht" else (-left, -right)


def _along(stage: Stage, y: float, first: float, last: float) -> Line:
    """A line at a lateral position from one x to another; along a curve it follows the lane's centre line, as far beside it."""
    road = stage.road
    if road.kind != "curve" or not road.radius:
        return (first, y), (last, y)
    side = 1.0 if stage.traffic == "rht" else -1.0
    way = [Leg(length=road.arc, curvature=side / road.radius)]
    if road.counter_radius:
        way += [Leg(length=road.between), Leg(length=road.counter, curvature=side / road.counter_radius)]
    step = min(min(leg.length / 8, 0.05 / abs(leg.curvature)) for leg in way if leg.curvature)
    centre = vertices(Pose(x=road.entry, y=0.0), (*way, Leg(length=_BEHIND)), step)
    return (min(first, 0.0), y), *((at.x - y * math.sin(at.heading), at.y + y * math.cos(at.heading)) for _, at in centre)


def _surface(stage: Stage, movers: tuple[DrawnStage, ...]) -> tuple[Line, ...]:
    first, last = _extent(movers)
    right, left = _edges(stage)
    outlines = [(*_along(stage, right, first, last), *reversed(_along(stage, left, first, last)))]
    if stage.road.kind == "junction":
        outlines.append(_crossing_road(stage.road, right, left))
    return tuple(outlines)


def _crossing_road(road: Road, right: float, left: float) -> Line:
    """The road of one lane on either hand that crosses at a junction; between it and the main road, whose edges are `right` and `left`,
    the corners are as round as ways through the junction are."""
    half, arm = road.lane_width, road.arm or _ARM
    round_off = max(road.size - half, 0.0)
    outline: list[tuple[float, float]] = []
    # around the junction from its south-west corner on: (side along x, side along y, edge of the main road, from the main road's edge)
    for east, north, edge, inwards in ((-1, -1, right, True), (1, -1, right, False), (1, 1, left, True), (-1, 1, left, False)):
        middle = (road.centre + east * (half + round_off), edge + north * round_off)
        turns = [math.pi / 2 * part / _CORNER for part in range(_CORNER + 1)]
        bow = [(middle[0] - east * round_off * math.sin(a), middle[1] - north * round_off * math.cos(a)) for a in turns]
        end = (road.centre + east * half, north * max(arm, abs(bow[-1][1])))
        outline += [*bow, end] if inwards else [end, *reversed(bow)]
    return tuple(outline)


def _lines(stage: Stage, movers: tuple[DrawnStage, ...]) -> tuple[tuple[str, Line], ...]:
    first, last = _extent(movers)
    road = stage.road
    if road.markings:
        return tuple((marking.pattern, _along(stage, marking.y, first, last)) for marking in road.markings)
    right, left = _edges(stage)
    lanes = road.lanes_left + road.lanes_right + road.oncoming
    between = [right + number * road.lane_width for number in range(1, lanes + 1)]
    return tuple(("broken", _along(stage, y, first, last)) for y in between if y < left)


def outline(box: tuple[float, float, float], pose: Pose) -> Line:
    """The four corners of a box at a pose."""
    size, width, front = box
    cos, sin = math.cos(pose.heading), math.sin(pose.heading)
    ends = ((front, width / 2), (front - size, width / 2), (front - size, -width / 2), (front, -width / 2))
    return tuple((pose.x + cos * u - sin * v, pose.y + sin * u + cos * v) for u, v in ends)


def _short(numbers: tuple[float, ...]) -> list[float]:
    return [round(number, 2) + 0.0 for number in numbers]
