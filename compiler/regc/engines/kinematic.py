"""Runs of a stage without any player: boxes in a plane at a constant step, with a model of a braking system. Any stage is driven."""

from __future__ import annotations

import math

from pydantic import BaseModel, ConfigDict, Field

from regc.errors import SimulationError
from regc.model.stage import Change, Moment, Mover, Stage, System
from regc.model.units import GRAVITY, metres_per_second
from regc.motion import Playback, Response, play

#: s; no test is longer, so a run that nothing ends is told.
_LONGEST = 600.0
#: rad in one leg of a path, above which two do not meet where their headings say.
_TURN = 0.2


class AebModel(BaseModel):
    """A braking system that sees the true time to collision. Times in s, deceleration in m/s2, jerk in m/s3 (0: at once).

    `delay` lies between the demand and the first deceleration. `load_factor` scales what the vehicle does of the demand at maximum
    mass.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    warning_ttc: float = Field(gt=0)
    braking_ttc: float = Field(gt=0)
    demand: float = Field(gt=0)
    delay: float = Field(default=0.0, ge=0)
    jerk: float = Field(default=0.0, ge=0)
    load_factor: float = Field(default=1.0, gt=0, le=1)


class RunParameters(BaseModel):
    """How one run differs from the stage as it is laid out. Speed offsets in km/h; `friction` None takes the road's. `aeb` takes the
    place of the stage's own system. `loaded`: at maximum mass."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: float | None = Field(default=None, gt=0, le=0.1)
    subject_offset: float = 0.0
    target_offset: float = 0.0
    friction: float | None = Field(default=None, gt=0, le=1.5)
    loaded: bool = False
    aeb: AebModel | None = None


def drive(stage: Stage, parameters: RunParameters | None = None) -> Playback:
    """One run until the stage's end. The tyres give at most the friction of the road. Raises SimulationError for a run that nothing
    ends."""
    chosen = parameters or RunParameters()
    changed = _offset(stage, metres_per_second(chosen.subject_offset), metres_per_second(chosen.target_offset))
    if chosen.aeb is not None:
        changed = with_model(changed, chosen.aeb)
    response = _response(changed, chosen)
    run = play(changed, step=chosen.step, until=_LONGEST, response=response)
    if run.end is None:
        raise SimulationError(f"{stage.stem}: nothing ends the run", hint="has the stage a last bound?")
    return run


def _offset(stage: Stage, subject: float, target: float) -> Stage:
    """The stage with other speeds; what is at rest stays so."""
    if not subject and not target:
        return stage
    others = tuple(_faster(mover, target) if mover.role == "target" else mover for mover in stage.others)
    return stage.model_copy(update={"subject": _faster(stage.subject, subject), "others": others})


def _faster(mover: Mover, by: float) -> Mover:
    changes = tuple(_reaching(change, by) for change in mover.changes)
    speed = max(mover.speed + by, 0.0) if mover.speed > 0 else mover.speed
    return mover.model_copy(update={"speed": speed, "changes": changes})


def _reaching(change: Change, by: float) -> Change:
    return change.model_copy(update={"speed": max(change.speed + by, 0.0)}) if change.speed > 0 else change


def with_model(stage: Stage, aeb: AebModel) -> Stage:
    """The stage with a model as its system: times to the impact point where there is one, else to the target, down to the least speed
    at which that drives away. Where somebody turns, or no target lies ahead, these times say nothing: the model acts as long before the
    contact of a run without it, and without a contact not at all. What the model has beside its times and its demand (delay, jerk,
    load), only `drive` knows."""
    begun = Moment(kind="event", to="functional_part")
    times = (aeb.warning_ttc, aeb.braking_ttc)
    target = next((mover for mover in (*stage.others, *stage.things) if mover.role == "target" and not mover.passable), None)
    floor = 0.0
    if target is None or _somebody_turns(stage):
        met = play(stage.model_copy(update={"system": System()}), until=_LONGEST).contact
        if met is None:
            return stage.model_copy(update={"system": System(kind="reference")})
        moments = [Moment(kind="time", value=max(met.time - time, 0.0), after=begun) for time in times]
    else:
        to = "impact" if stage.impact is not None else "target"
        moments = [Moment(kind="ttc", of="subject", to=to, value=time, after=begun) for time in times]
        if stage.impact is None:
            away = min(target.speed, *(change.speed for change in target.changes)) if target.changes else target.speed
            floor = max(away * math.cos(target.start.heading), 0.0)
    warns, brakes = moments
    return stage.model_copy(update={"system": System(kind="reference", warns=warns, brakes=brakes, demand=aeb.demand, floor=floor)})


def _somebody_turns(stage: Stage) -> bool:
    return any(abs(leg.length * leg.curvature) > _TURN for mover in (stage.subject, *stage.others) for leg in mover.path)


def _response(stage: Stage, chosen: RunParameters) -> Response:
    aeb = chosen.aeb
    friction = chosen.friction if chosen.friction is not None else stage.road.friction
    factor = aeb.load_factor if aeb is not None and chosen.loaded else 1.0
    top = min(stage.system.demand * factor, friction * GRAVITY)
    delay, jerk = (aeb.delay, aeb.jerk) if aeb is not None else (0.0, 0.0)

    def response(since: float) -> float:
        acting = since - delay
        if acting < -1e-9:
            return 0.0
        return min(top, jerk * acting) if jerk else top

    return response
