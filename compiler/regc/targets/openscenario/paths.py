"""Paths of movers as vertices of a polyline: lines exactly, arcs at short distances."""

from __future__ import annotations

import math

from regc.model.stage import Leg, Mover
from regc.targets.openscenario.numbers import Number, Numbers

#: m between vertices along an arc
SPACING = 0.5

Vertex = tuple[Number, Number, Number]


def is_along_road(mover: Mover) -> bool:
    """Whether the mover only goes straight on in its lane, which every player does by itself."""
    straight = all(leg.curvature == 0 for leg in mover.path)
    return straight and abs(math.sin(mover.start.heading)) < 1e-9


def vertices(mover: Mover, numbers: Numbers) -> list[Vertex]:
    """(x, y, heading) from the start to the end of the path. Along a line they keep their formulas, so that a logical file moves
    them."""
    role = mover.role
    x, y = numbers.at(f"{role}.start.x", mover.start.x), numbers.at(f"{role}.start.y", mover.start.y)
    heading = mover.start.heading
    found: list[Vertex] = [(x, y, Number(heading))]
    for count, leg in enumerate(mover.path, 1):
        if leg.curvature == 0:
            length = numbers.at(f"{role}.leg{count}.length", leg.length)
            x, y = x + _along(length, math.cos(heading)), y + _along(length, math.sin(heading))
            found.append((x, y, Number(heading)))
            continue
        for dx, dy, turned in _offsets(leg, heading):
            found.append((x + Number(dx), y + Number(dy), Number(turned)))
        x, y, heading = found[-1][0], found[-1][1], found[-1][2].value
    return found


def _along(length: Number, share: float) -> Number:
    """`length` times a cosine or sine; nothing where that is nil within rounding."""
    if abs(share) < 1e-9:
        return Number(0.0)
    return length.times(round(share, 9) if abs(abs(share) - 1) > 1e-9 else math.copysign(1.0, share))


def _offsets(leg: Leg, heading: float) -> list[tuple[float, float, float]]:
    """(dx, dy, heading) along an arc."""
    count = max(2, math.ceil(leg.length / SPACING))
    found: list[tuple[float, float, float]] = []
    for step in range(1, count + 1):
        turned = heading + leg.length * step / count * leg.curvature
        dx = (math.sin(turned) - math.sin(heading)) / leg.curvature
        dy = (math.cos(heading) - math.cos(turned)) / leg.curvature
        found.append((dx, dy, turned))
    return found
