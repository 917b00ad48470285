"""The configuration of one stage, in CARLA's left-handed frame."""

from __future__ import annotations

import math
from dataclasses import dataclass

from regc import wording
from regc.model.scenario import Scenario
from regc.model.stage import Change, Leg, Mover, Stage
from regc.targets.carla.bodies import Body, Models, Piece
from regc.targets.carla.config import (
    Actor,
    Box,
    CarlaConfig,
    Location,
    Map,
    Physics,
    Prop,
    Rotation,
    Source,
    Transform,
    Weather,
    World,
)

#: height above the road at which bodies are spawned, so that they do not start inside it; they settle before the run (m)
LIFT = 0.3
_DEFAULT_DECELERATION = 9.0


@dataclass(frozen=True)
class Anchor:
    """Where in a named town the origin of the stage lies (CARLA's frame, m and degrees), +x ahead."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    yaw: float = 0.0

    def location(self, x: float, y: float, z: float) -> Location:
        """A point of the stage in CARLA's frame."""
        turn = math.radians(self.yaw)
        return Location(
            x=rounded(self.x + x * math.cos(turn) + y * math.sin(turn)),
            y=rounded(self.y + x * math.sin(turn) - y * math.cos(turn)),
            z=rounded(self.z + z),
        )

    def transform(self, x: float, y: float, z: float, heading: float) -> Transform:
        """A pose of the stage in CARLA's frame."""
        return Transform(location=self.location(x, y, z), rotation=Rotation(yaw=rounded(self.yaw - math.degrees(heading))))


def rounded(value: float) -> float:
    """Six digits behind the point, no negative zero."""
    return round(value, 6) + 0.0


def config(
    test: Scenario, stage: Stage, bodies: tuple[Body, ...], known: Models, place: Map, anchor: Anchor, lost: tuple[str, ...]
) -> CarlaConfig:
    """What run_carla.py drives of a stage."""
    subject, *rest = bodies
    others = [body for body in rest if body.mover not in stage.things]
    things = [body for body in rest if body.mover in stage.things]
    actors = tuple(_actor(stage, body, known, anchor) for body in (subject, *others))
    props = tuple(_prop(body, piece, anchor) for body in things for piece in body.pieces)
    return CarlaConfig(
        id=stage.stem,
        scenario=stage.scenario,
        title=stage.title,
        regulation=stage.regulation,
        edition=stage.edition,
        wording=stage.wording,
        clause=f"{stage.regulation} {stage.clause}",
        status=stage.status,
        manoeuvre=stage.manoeuvre,
        made_for=known.version,
        map=place,
        world=World(fixed_delta_seconds=stage.step),
        weather=_weather(stage),
        actors=actors,
        props=props,
        primary=_primary(stage),
        impact=None if stage.impact is None else anchor.location(stage.impact.x, stage.impact.y, 0.0),
        functional_part=stage.functional_part,
        events=stage.events,
        driver=stage.driver,
        system=stage.system,
        end=stage.end,
        criteria=tuple(wording.criterion(asked) for asked in test.require),
        values={
            name: Source(
                value=wording.bounded(value),
                basis=value.basis,
                places=tuple(dict.fromkeys(source.label() for source in value.sources)),
            )
            for name, value in test.values()
        },
        assumed={item.what: f"{item.code}: {item.value} ({item.key})" for item in stage.assumed}
        | {f"{body.mover.role}.model": f"A851: {body.pieces[0].blueprint} (--blueprints)" for body in bodies},
        losses=lost,
    )


def _primary(stage: Stage) -> str:
    """Who gap and time to collision are logged to: the target, else the first other, else the first thing that may not be touched."""
    roles = [mover.role for mover in (*stage.others, *stage.things) if not mover.passable]
    return "target" if "target" in roles else next(iter(roles), "")


def _box(piece: Piece) -> Box:
    return Box(length=piece.size.length, width=piece.size.width, height=piece.size.height)


def _height(piece: Piece) -> float:
    """Walkers have their origin in the middle of their body, props and vehicles on the ground; props need no room to settle."""
    if piece.blueprint.startswith("walker."):
        return piece.size.height / 2 + LIFT
    return 0.0 if piece.blueprint.startswith("static.") else LIFT


def _transform(piece: Piece, anchor: Anchor) -> Transform:
    return anchor.transform(piece.centre.x, piece.centre.y, _height(piece), piece.centre.heading)


def _actor(stage: Stage, body: Body, known: Models, anchor: Anchor) -> Actor:
    mover, piece = body.mover, body.pieces[0]
    subject = mover.role == stage.subject.role
    lamps = stage.headlamps if subject and stage.headlamps in ("low", "high") else ""
    # the point that follows the path lies as far behind the front as in the stage; a crossing body is placed by its middle
    front = mover.box.front if subject else piece.size.length / 2 + mover.box.front - mover.box.length / 2
    return Actor(
        role=mover.role,
        kind=mover.kind,
        blueprint=piece.blueprint,
        transform=_transform(piece, anchor),
        box=_box(piece),
        front=rounded(front),
        reference=mover.box.reference,
        path=tuple(Leg(length=leg.length, curvature=-leg.curvature + 0.0) for leg in mover.path),
        speed=mover.speed,
        begins=mover.begins,
        changes=mover.changes,
        physics=_physics(stage, mover, known) if mover.mass is not None and piece.blueprint.startswith("vehicle.") else None,
        headlamps="high" if lamps == "high" else "low" if lamps == "low" else "",
    )


def _physics(stage: Stage, mover: Mover, known: Models) -> Physics:
    changes: tuple[Change, ...] = (*mover.changes, *(stage.driver if mover is stage.subject else ()))
    rates = [change.rate for change in changes]
    if mover is stage.subject:
        rates.append(stage.system.demand)
    own = mover.chassis.max_deceleration if mover.chassis is not None else _DEFAULT_DECELERATION
    share = min(1.0, stage.road.friction / known.dry_friction)
    return Physics(mass=mover.mass or 1.0, friction_share=rounded(share), max_deceleration=max([own, *rates]))


def _prop(body: Body, piece: Piece, anchor: Anchor) -> Prop:
    return Prop(
        role=piece.role,
        thing=body.mover.role,
        kind=body.mover.kind,
        blueprint=piece.blueprint,
        transform=_transform(piece, anchor),
        box=_box(piece),
        passable=body.passable,
    )


def _weather(stage: Stage) -> Weather:
    given = stage.environment
    return Weather(
        sun_azimuth_angle=rounded(math.degrees(given.get("sun_azimuth", 0.0)) % 360),
        sun_altitude_angle=rounded(math.degrees(given.get("sun_elevation", 0.0))),
    )
