"""Oriented rectangles over time: distance along the subject vehicle, lateral offset, and first contact. All SI, all vectorised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Series = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Rectangle:
    """A bounding rectangle in metres. `forward` and `left`: its centre seen from the body's reference point."""

    length: float
    width: float
    forward: float = 0.0
    left: float = 0.0


@dataclass(frozen=True)
class Track:
    """Pose of a body's reference point over time (m, rad) and its speed along its own heading (m/s), shape (samples,)."""

    x: Series
    y: Series
    heading: Series
    speed: Series
    box: Rectangle

    def at(self, samples: NDArray[np.intp]) -> Track:
        """The track at some samples only."""
        return Track(self.x[samples], self.y[samples], self.heading[samples], self.speed[samples], self.box)

    def centre(self) -> tuple[Series, Series]:
        """x and y of the centre of the box."""
        cos, sin = np.cos(self.heading), np.sin(self.heading)
        return self.x + self.box.forward * cos - self.box.left * sin, self.y + self.box.forward * sin + self.box.left * cos

    def corners(self) -> tuple[Series, Series]:
        """x and y of the four corners, shape (4, samples), in order around the rectangle."""
        cos, sin = np.cos(self.heading), np.sin(self.heading)
        half_length, half_width = self.box.length / 2, self.box.width / 2
        along = self.box.forward + np.array([half_length, -half_length, -half_length, half_length])[:, None]
        across = self.box.left + np.array([half_width, half_width, -half_width, -half_width])[:, None]
        return self.x + along * cos - across * sin, self.y + along * sin + across * cos


@dataclass(frozen=True)
class Bend:
    """A road along the x axis that turns once: from x on an arc (left positive radius, of the line y = 0) of a length, in metres."""

    x: float
    radius: float
    arc: float


def unbent(track: Track, bend: Bend) -> Track:
    """A track on a road that turns once as if the road were straight: the way along the road and the offset to the left of it (m), and
    the heading to it (rad)."""
    side, radius, turn = np.sign(bend.radius), abs(bend.radius), bend.arc / abs(bend.radius)
    aside = side * track.y
    around = np.arctan2(track.x - bend.x, radius - aside)
    turned = np.clip(around, 0.0, turn)
    # from the foot of the arc's radius at that angle: along the road and towards the middle of the bend
    dx, dy = track.x - bend.x - radius * np.sin(turned), aside - radius + radius * np.cos(turned)
    along = dx * np.cos(turned) + dy * np.sin(turned)
    inwards = dy * np.cos(turned) - dx * np.sin(turned)
    heading = track.heading - side * turned
    return Track(bend.x + radius * turned + along, side * inwards, heading, track.speed, track.box)


def in_frame(subject: Track, x: Series, y: Series) -> tuple[Series, Series]:
    """Points in the subject vehicle's frame: distance ahead of its front and to the left of its centreline, in metres."""
    cos, sin = np.cos(subject.heading), np.sin(subject.heading)
    dx, dy = x - subject.x, y - subject.y
    front = subject.box.forward + subject.box.length / 2
    return dx * cos + dy * sin - front, dy * cos - dx * sin - subject.box.left


def gap(subject: Track, target: Track) -> Series:
    """Longitudinal distance from the subject vehicle's front to the nearest point of the target's box (negative: passed)."""
    ahead, _ = in_frame(subject, *target.centre())
    turn = target.heading - subject.heading
    return np.asarray(ahead - np.abs(target.box.length / 2 * np.cos(turn)) - np.abs(target.box.width / 2 * np.sin(turn)))


def lateral_offset(subject: Track, target: Track, reference: float | None = None) -> Series:
    """Offset to the left of the subject's centreline of a point of the target: `reference` metres ahead of the target's own
    reference point (a crankshaft), or the centre of its box."""
    along = target.box.forward if reference is None else reference
    x = target.x + along * np.cos(target.heading) - target.box.left * np.sin(target.heading)
    y = target.y + along * np.sin(target.heading) + target.box.left * np.cos(target.heading)
    return in_frame(subject, x, y)[1]


def overlap(subject: Track, target: Track) -> Series:
    """Overlap of the extended lines of the widths as a share of the subject's width; negative when they are apart."""
    half = subject.box.width / 2
    middle = in_frame(subject, *target.centre())[1]
    turn = target.heading - subject.heading
    reach = np.abs(target.box.length / 2 * np.sin(turn)) + np.abs(target.box.width / 2 * np.cos(turn))
    return np.asarray((np.minimum(middle + reach, half) - np.maximum(middle - reach, -half)) / subject.box.width)


def closing_speed(subject: Track, target: Track) -> Series:
    """Longitudinal relative speed along the subject's heading (m/s); a crossing target's own speed does not count."""
    return np.asarray(subject.speed - target.speed * np.cos(target.heading - subject.heading))


def sideways(track: Track, time: Series) -> dict[str, Series]:
    """Channels of a body that turns as it drives: lateral acceleration (m/s2, left positive) and lateral jerk (m/s3) at each sample,
    from its speed and the change of its heading since the sample before."""
    if time.size < 2:
        return {}
    step = np.maximum(np.diff(time), 1e-9)
    acceleration, jerk = np.zeros(time.shape), np.zeros(time.shape)
    acceleration[1:] = track.speed[1:] * np.diff(np.unwrap(track.heading)) / step
    jerk[1:] = np.diff(acceleration) / step
    return {"lateral_acceleration": acceleration, "lateral_jerk": jerk}


def touching(first: Track, second: Track) -> Flags:
    """Whether the rectangles touch, by separating axes; shape (samples,). Only samples whose surrounding circles meet are looked at."""
    (first_x, first_y), (second_x, second_y) = first.centre(), second.centre()
    reach = sum(np.hypot(track.box.length, track.box.width) for track in (first, second)) / 2
    near = np.flatnonzero(np.hypot(first_x - second_x, first_y - second_y) <= reach)
    touch = np.zeros(first.x.shape, dtype=bool)
    if near.size:
        touch[near] = _overlap(first.at(near), second.at(near))
    return touch


def _overlap(first: Track, second: Track) -> Flags:
    corners = (first.corners(), second.corners())
    apart = np.zeros(first.x.shape, dtype=bool)
    for track in (first, second):
        for axis_x, axis_y in ((np.cos(track.heading), np.sin(track.heading)), (-np.sin(track.heading), np.cos(track.heading))):
            spans = [corner_x * axis_x + corner_y * axis_y for corner_x, corner_y in corners]
            apart |= (spans[0].min(axis=0) > spans[1].max(axis=0)) | (spans[1].min(axis=0) > spans[0].max(axis=0))
    return ~apart
