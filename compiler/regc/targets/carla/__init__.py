"""CARLA: a configuration a stage, the runner that drives them, the roads, and files for CARLA's own scenario runner."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from regc import __version__, wording
from regc.errors import DataFileError, TargetRefusedError
from regc.files import json_bytes
from regc.model.result import Artifact, Finding
from regc.model.scenario import Scenario
from regc.model.stage import Change, Leg, Mover, Stage, Staged
from regc.model.suite import Suite
from regc.targets import opendrive
from regc.targets.carla.bodies import Body, BodyPiece, Models, NoModel, cast, models
from regc.targets.carla.config import (
    CarlaActor,
    CarlaBox,
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
    json_schema,
)
from regc.targets.opendrive import Roads
from regc.templating import render

NAME = "carla"
#: JSON Schemas of files that other programs read
SCHEMAS = {"carla-config": json_schema}
#: the greatest step that a server's physics takes, s
_MOST_STEP = 0.05

LOSSES = (
    ("temperature and pressure", "CARLA has neither", "the configuration names them among its values"),
    ("illumination", "CARLA has a sun, and no illuminance in lux", "the sun stands as the stage says"),
)


class Options(BaseModel):
    """What a user can choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    town: str | None = Field(None, description="a town of CARLA's in place of the built-in roads; needs --anchor")
    anchor: str | None = Field(None, description="X,Y,Z,YAW of the start of the straight road in that town, in CARLA's frame")
    blueprints: Path | None = Field(None, description="TOML file of CARLA's models and who they play, laid over the built-in one")
    scenario_runner: bool = Field(True, description="also write OpenSCENARIO 1.0 files for CARLA's scenario runner")


def emit(suite: Suite, staged: Staged, options: Options) -> tuple[Artifact, ...]:
    """All files under carla/. Raises DataFileError for a data file or an anchor that does not fit, TargetRefusedError for a step that
    CARLA does not take."""
    known = models(options.blueprints)
    anchor = _anchor(options)
    _check_steps(staged)
    tests = {test.id: test for test in suite.selected}
    plans = Roads(list(staged.stages))
    configurations, driven = [], []
    lost = tuple(f"no {what}: {why}; {instead}" for what, why, instead in LOSSES)
    for stage in staged.stages:
        try:
            bodies = cast(stage, known)
            if options.town and stage.road.kind != "straight":
                raise NoModel(f"--town holds straight roads only, and this test needs a {stage.road.kind}")
        except NoModel as problem:
            configurations.append(
                _not_driven(stage.stem, stage.scenario, str(problem), "O631", "name other models in a file for --blueprints")
            )
            continue
        place = Map(town=options.town) if options.town else Map(opendrive=f"../roads/{plans.name(stage)}")
        made = config(tests[stage.scenario], stage, bodies, known, place, anchor, lost)
        content = json_bytes(made.model_dump(mode="json", exclude_none=True))
        configurations.append(_artifact(f"configs/{stage.stem}.json", content, stage.scenario, _losses(stage)))
        driven.append((stage, bodies))
    for id, reason in staged.left_out.items():
        if id in tests:
            configurations.append(_not_driven(id, id, reason, "O633", "its test case stands in the text target"))
    if driven:
        configurations.append(_artifact("run_carla.py", _runner(suite, known)))
        if not options.town:
            configurations.extend(_roads(suite, plans, staged))
        if options.scenario_runner and not options.town:
            from regc.targets.carla.scenario_runner import files

            configurations.extend(files(suite, driven, plans))
    return tuple(sorted(configurations, key=lambda item: item.path))


def _artifact(path: str, content: bytes, scenario: str | None = None, lost: tuple[Finding, ...] = ()) -> Artifact:
    return Artifact(path=f"{NAME}/{path}", content=content, target=NAME, scenario=scenario, losses=lost)


def _not_driven(name: str, scenario: str, reason: str, code: str, hint: str) -> Artifact:
    finding = Finding(code=code, severity="warning", scenario=scenario, message=f"{name}: not driven in CARLA: {reason}", hint=hint)
    content = json_bytes({"id": name, "losses": [{"code": code, "message": finding.message}]})
    return _artifact(f"not_driven/{name}.json", content, scenario, (finding,))


def _losses(stage: Stage) -> tuple[Finding, ...]:
    return tuple(
        Finding(code="O632", severity="info", scenario=stage.scenario, field=what, message=f"CARLA: no {what}: {why}", hint=instead)
        for what, why, instead in LOSSES
    )


def _anchor(options: Options) -> Anchor:
    hint = "--anchor X,Y,Z,YAW: the start of a straight, level road of that town"
    if options.town is None:
        if options.anchor is not None:
            raise DataFileError(f"--anchor {options.anchor}: no town to start in", hint="--town NAME")
        return Anchor()
    if options.anchor is None:
        raise DataFileError(f"--town {options.town}: no place to start from", hint=hint)
    try:
        x, y, z, yaw = (float(part) for part in options.anchor.split(","))
    except ValueError as problem:
        raise DataFileError(f"--anchor {options.anchor}: not four numbers", hint=hint) from problem
    return Anchor(x, y, z, yaw)


def _check_steps(staged: Staged) -> None:
    steps = Counter(stage.step for stage in staged.stages)
    too_long = [step for step in steps if step > _MOST_STEP]
    if too_long:
        raise TargetRefusedError(
            f"CARLA does not take a step of {max(too_long):g} s: its physics becomes too coarse", hint=f"--step {_MOST_STEP:g} or less"
        )


def _roads(suite: Suite, plans: Roads, staged: Staged) -> list[Artifact]:
    right_hand = all(stage.traffic == "rht" for stage in staged.stages)
    date = f"{suite.edition_date or '1970-01-01'}T00:00:00"
    title = f"{suite.regulation} {suite.edition}, {suite.wording} wording"
    return [
        _artifact(f"roads/{name}", opendrive.written(plan, date, f"{plan.road.kind} road for {title}"))
        for name, plan in plans.plans(right_hand=right_hand)
    ]


def _runner(suite: Suite, known: Models) -> bytes:
    text = render(
        suite.regulation,
        "carla/run_carla.py.j2",
        None,
        version=__version__,
        title=f"{suite.regulation} {suite.edition}",
        carla=known.version,
    )
    return text.encode()


# ---- the configuration of one stage, in CARLA's left-handed frame.


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
        criteria=tuple(wording.criteria(test)),
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


def _box(piece: BodyPiece) -> CarlaBox:
    return CarlaBox(length=piece.size.length, width=piece.size.width, height=piece.size.height)


def _height(piece: BodyPiece) -> float:
    """Walkers have their origin in the middle of their body, props and vehicles on the ground; props need no room to settle."""
    if piece.blueprint.startswith("walker."):
        return piece.size.height / 2 + LIFT
    return 0.0 if piece.blueprint.startswith("static.") else LIFT


def _transform(piece: BodyPiece, anchor: Anchor) -> Transform:
    return anchor.transform(piece.centre.x, piece.centre.y, _height(piece), piece.centre.heading)


def _actor(stage: Stage, body: Body, known: Models, anchor: Anchor) -> CarlaActor:
    mover, piece = body.mover, body.pieces[0]
    subject = mover.role == stage.subject.role
    lamps = stage.headlamps if subject and stage.headlamps in ("low", "high") else ""
    # the point that follows the path lies as far behind the front as in the stage; a crossing body is placed by its middle
    front = mover.box.front if subject else piece.size.length / 2 + mover.box.front - mover.box.length / 2
    return CarlaActor(
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


def _prop(body: Body, piece: BodyPiece, anchor: Anchor) -> Prop:
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
