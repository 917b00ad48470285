"""Which of CARLA's models play a stage's movers and things, and where they stand: what a test measures from is kept, the sizes are the
models' own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from regc.model.stage import Mover, Pose, Stage
from regc.tomlfiles import fitted, laid_over, packaged, read_toml

FILE = "carla.toml"
#: between the pieces of a row, m: bodies that touch cannot be spawned
_JOINT = 0.01
#: a mover crosses where its heading is more than this far from the road's, as a sine
_ACROSS = 0.5
_TOUCH = 1e-6
Metres = Annotated[float, Field(gt=0, le=40)]
Point = tuple[float, float]


class Size(BaseModel):
    """A model's box: along, across and above its heading, m."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    length: Metres
    width: Metres
    height: Metres


class Models(BaseModel):
    """The data file. `parts`: entry, kind or form of a mover -> model; `dry_friction`: the peak coefficient that a model's tyres stand
    for as they are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str
    date: str
    source: str
    reason: str
    dry_friction: Annotated[float, Field(gt=0, le=1.5)]
    parts: dict[str, str]
    models: dict[str, Size]

    @model_validator(mode="after")
    def _sizes_are_known(self) -> Models:
        for part, model in self.parts.items():
            if model not in self.models:
                raise ValueError(f"parts.{part}: the size of {model!r} is not among the models")
        return self

    def model(self, mover: Mover) -> str | None:
        """The model that plays a mover: by the entry that gave its size, by its kind, by its form."""
        names = (mover.model, mover.kind, mover.form)
        return next((self.parts[name] for name in names if name in self.parts), None)


def models(path: Path | None) -> Models:
    """The built-in models with a user's file laid over them. Raises DataFileError for one that does not fit."""
    built_in = packaged("data", FILE)
    tables = built_in if path is None else laid_over(built_in, read_toml(path, hint=_HINT))
    return fitted(Models, tables, name=FILE if path is None else path.name, hint=_HINT)


_HINT = '[parts] M1 = "vehicle.tesla.model3" and, for a model that is not built in, [models] "vehicle.own.car" = { length = 4.5, ... }'


@dataclass(frozen=True)
class BodyPiece:
    """One model as it stands: the middle of its box in the stage's frame."""

    role: str
    blueprint: str
    size: Size
    centre: Pose


@dataclass(frozen=True)
class Body:
    """A mover or thing as CARLA shows it: one piece, or several in a row."""

    mover: Mover
    pieces: tuple[BodyPiece, ...]

    @property
    def passable(self) -> bool:
        """Whether it may be touched."""
        return self.mover.passable


class NoModel(Exception):
    """A mover that no model plays, or models that do not fit beside each other."""


def cast(stage: Stage, known: Models) -> tuple[Body, ...]:
    """The bodies of a stage, the subject vehicle first. Raises NoModel where there is no model, or where boxes overlap that do not in
    the stage."""
    bodies = [_body(stage, mover, known) for mover in (stage.subject, *stage.others, *stage.things)]
    pieces = [(body, piece) for body in bodies for piece in body.pieces if not body.passable]
    for count, (body, piece) in enumerate(pieces):
        for other, second in pieces[count + 1 :]:
            if overlapping(corners(piece.size, piece.centre), corners(second.size, second.centre)):
                raise NoModel(
                    f"{body.mover.role} ({piece.blueprint}) and {other.mover.role} ({second.blueprint}) stand inside each other"
                )
    return tuple(bodies)


def _body(stage: Stage, mover: Mover, known: Models) -> Body:
    blueprint = known.model(mover)
    if blueprint is None:
        raise NoModel(f"no CARLA model plays {mover.role} ({mover.model}, a {mover.form})")
    size = known.models[blueprint]
    if mover not in stage.things:
        return Body(mover, (BodyPiece(mover.role, blueprint, size, _placed(stage, mover, size)),))
    long, turned = _laid(mover, size)
    columns, rows = _count(mover.box.length, long.length), _count(mover.box.width, long.width)
    whole = Size(
        length=columns * long.length + (columns - 1) * _JOINT, width=rows * long.width + (rows - 1) * _JOINT, height=size.height
    )
    middle = _placed(stage, mover, whole)
    pieces: list[BodyPiece] = []
    for column in range(columns):
        for row in range(rows):
            ahead = (column - (columns - 1) / 2) * (long.length + _JOINT)
            aside = (row - (rows - 1) / 2) * (long.width + _JOINT)
            x, y = _moved(middle, ahead, aside)
            centre = Pose(x=x, y=y, heading=middle.heading + turned)
            number = len(pieces) + 1
            role = mover.role if columns * rows == 1 else f"{mover.role}.{number}"
            pieces.append(BodyPiece(role, blueprint, size, centre))
    return Body(mover, tuple(pieces))


def _laid(mover: Mover, size: Size) -> tuple[Size, float]:
    """A piece with its longer side along the thing's, and the turn that lays it so."""
    if mover.form != "object" or (size.length >= size.width) == (mover.box.length >= mover.box.width):
        return size, 0.0
    return Size(length=size.width, width=size.length, height=size.height), math.pi / 2


def _count(length: float, piece: float) -> int:
    """How many pieces are nearest to a length."""
    return max(1, round(length / piece))


def _moved(pose: Pose, ahead: float, aside: float) -> Point:
    cos, sin = math.cos(pose.heading), math.sin(pose.heading)
    return pose.x + ahead * cos - aside * sin, pose.y + ahead * sin + aside * cos


def _reach(length: float, width: float, heading: float) -> Point:
    """Half of what a box covers along and across the road."""
    cos, sin = abs(math.cos(heading)), abs(math.sin(heading))
    return (length * cos + width * sin) / 2, (length * sin + width * cos) / 2


@dataclass(frozen=True)
class _Meeting:
    """The straight on which the subject vehicle meets the others: its lane, or the lane that it turns into before a target crosses it.
    `impact`: how far along it lies the point that what hides a target must not reach, m."""

    origin: Pose
    impact: float | None

    def seen(self, pose: Pose) -> Pose:
        """A pose along and aside of the straight."""
        cos, sin = math.cos(self.origin.heading), math.sin(self.origin.heading)
        x, y = pose.x - self.origin.x, pose.y - self.origin.y
        return Pose(x=x * cos + y * sin, y=y * cos - x * sin, heading=pose.heading - self.origin.heading)

    def laid(self, ahead: float, aside: float, heading: float) -> Pose:
        """Back in the stage's frame."""
        x, y = _moved(self.origin, ahead, aside)
        return Pose(x=x, y=y, heading=heading)


def _meeting(stage: Stage) -> _Meeting:
    """The subject vehicle's lane, or the last straight of its way where a target crosses that: then at the target's near face."""
    from regc.motion import along, length

    ahead = _Meeting(Pose(x=0.0, y=0.0, heading=0.0), None if stage.impact is None else stage.impact.x)
    way, target = stage.subject.path, next((mover for mover in stage.others if mover.role == "target"), None)
    if target is None or not any(leg.curvature for leg in way) or way[-1].curvature:
        return ahead
    last = along(stage.subject.start, way, length(way[:-1]))
    turned = _Meeting(last, None)
    x, y = _moved(target.start, target.box.middle, 0.0)
    seen = turned.seen(Pose(x=x, y=y, heading=target.start.heading))
    near = seen.x - _reach(target.box.length, target.box.width, seen.heading)[0]
    return _Meeting(last, near) if abs(math.sin(seen.heading)) > _ACROSS and near > 0 else ahead


def _placed(stage: Stage, mover: Mover, size: Size) -> Pose:
    """The middle of a model's box. The subject vehicle keeps its front. Others keep the face that is next to what they must not meet
    or must meet first: along its way the near one, but the far one of what stands before the impact point; across it the one next to
    the subject vehicle's lane, but the middle of what crosses, since its measured point lies from there."""
    box, heading = mover.box, mover.start.heading
    if mover.role == stage.subject.role:
        x, y = _moved(mover.start, box.front - size.length / 2, 0.0)
        return Pose(x=x, y=y, heading=heading)
    meeting = _meeting(stage)
    x, y = _moved(mover.start, box.middle, 0.0)
    seen = meeting.seen(Pose(x=x, y=y, heading=heading))
    before, beside = _reach(box.length, box.width, seen.heading)
    ahead, across = _reach(size.length, size.width, seen.heading)
    hides = mover in stage.things and meeting.impact is not None and seen.x + before <= meeting.impact + _TOUCH
    x, y = seen.x + ((before - ahead) if hides else (ahead - before)), seen.y
    crosses = mover not in stage.things and abs(math.sin(seen.heading)) > _ACROSS
    if not crosses and abs(y) > beside:
        y += math.copysign(across - beside, y)
    return meeting.laid(x, y, heading)


def corners(size: Size, centre: Pose) -> list[Point]:
    """The corners of a box in order."""
    half, side = size.length / 2, size.width / 2
    return [_moved(centre, ahead, aside) for ahead, aside in ((half, side), (half, -side), (-half, -side), (-half, side))]


def overlapping(one: list[Point], two: list[Point]) -> bool:
    """Whether two rectangles share more than an edge, by separating axes."""
    for box in (one, two):
        for k in (0, 1):
            nx, ny = box[k + 1][1] - box[k][1], box[k][0] - box[k + 1][0]
            length = math.hypot(nx, ny)
            first = [(x * nx + y * ny) / length for x, y in one]
            second = [(x * nx + y * ny) / length for x, y in two]
            if max(first) <= min(second) + _TOUCH or max(second) <= min(first) + _TOUCH:
                return False
    return True
