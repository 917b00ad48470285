"""Our own runs: two boxes in a plane at a constant step, with an optional model of an AEB system. No player is needed.

Integration is semi-implicit (speed first, then position with the new speed), as players with a default controller do it.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from regc.model.scenario import Scenario
from regc.model.units import si
from regc.simulate._geometry import Flags, Series, Track
from regc.simulate._setup import Assumptions as Assumptions
from regc.simulate._setup import Setup, setup
from regc.simulate.runlog import BoxInfo, RunInfo, RunLog, from_tracks

Ego = Literal["none", "reference", "late"]
GRAVITY = 9.80665


class AebModel(BaseModel):
    """A braking system that sees the true time to collision. Times in s, deceleration in m/s2, jerk in m/s3 (0: at once).

    `delay` lies between the demand and the first deceleration. `load_factor` scales what the vehicle does of the demand at
    maximum mass. The tyres give at most the friction of the road.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    warning_ttc: float = Field(gt=0)
    braking_ttc: float = Field(gt=0)
    demand: float = Field(gt=0)
    delay: float = Field(default=0.0, ge=0)
    jerk: float = Field(default=0.0, ge=0)
    load_factor: float = Field(default=1.0, gt=0, le=1)


class RunParameters(BaseModel):
    """One run of a scenario. Speed offsets in km/h from the nominal speeds; friction None takes the document's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ego: Ego = "reference"
    run: str = "1"
    seed: int | None = None
    step: float = Field(default=0.01, gt=0, le=0.1)
    subject_offset: float = 0.0
    target_offset: float = 0.0
    friction: float | None = None
    vehicle_type: str = ""
    aeb: AebModel | None = None


def default_aeb(scenario: Scenario, data: Assumptions, ego: Ego) -> AebModel | None:
    """The model of the storyboard's AEB: assumed times to collision, the document's own lead and demand where it states them. A lead
    that is just the stated one would leave a sampled log open, so the warning comes earlier by the assumed margin."""
    if ego == "none":
        return None
    assumed, criteria = data.vehicles.aeb, scenario.criteria
    braking = assumed.braking_ttc if ego == "reference" else assumed.late_braking_ttc
    stated = criteria.min_warning_lead_time
    lead = si(stated) + assumed.warning_margin if stated else assumed.warning_ttc - assumed.braking_ttc
    demand = si(criteria.min_braking_demand) if criteria.min_braking_demand else assumed.braking_demand
    warning = braking + lead if ego == "reference" else assumed.warning_ttc
    return AebModel(warning_ttc=float(warning), braking_ttc=float(braking), demand=float(demand))


def simulate(scenario: Scenario, data: Assumptions, parameters: RunParameters | None = None) -> RunLog:
    """One run from the start of the approach until a second after contact, standstill, or the crossing is done. Raises
    SimulationError for a scenario that this engine does not drive."""
    chosen = parameters or RunParameters()
    start = setup(
        scenario, data, step=chosen.step, subject_offset=chosen.subject_offset / 3.6, target_offset=chosen.target_offset / 3.6
    )
    model = None if chosen.ego == "none" else chosen.aeb or default_aeb(scenario, data, chosen.ego)
    step = chosen.step
    time: Series = np.float64(step) * np.arange(round((start.approach + start.functional_ttc) / step) + _tail(start, step) + 1)
    target = _target_track(start, time)
    functional = float(time[int(start.approach / step + 1e-6) + 1])
    limit = chosen.friction if chosen.friction is not None else _friction(scenario)
    loaded = bool(scenario.load_state and scenario.load_state.kind == "maximum_mass")
    demand, speed, warned = _subject(start, time, model, functional, limit * GRAVITY if limit else None, loaded)
    position = np.concatenate(([0.0], np.cumsum(speed[1:] * step))) - start.subject_box.forward - start.subject_box.length / 2
    zeros: Series = np.zeros_like(time)
    subject = Track(position, zeros, zeros, speed, start.subject_box)
    events = {"functional_part": functional}
    for name, flags in (("warning", warned), ("braking", demand > 0)):
        if flags.any():
            events[name] = float(time[np.flatnonzero(flags)[0]])
    log = from_tracks(
        _info(scenario, chosen, start, events, model),
        time,
        subject,
        target,
        warnings={} if model is None else {"unspecified": warned},
        demand=None if model is None else demand,
        deceleration=np.concatenate(([0.0], -np.diff(speed) / step)),
        functional_part=functional,
    )
    return _cut(log, step)


def _tail(start: Setup, step: float) -> int:
    """Samples after the undisturbed contact: enough for a stop from the functional part on and a second more."""
    return round((start.subject_speed / 2.0 + 2.0) / step)


def _friction(scenario: Scenario) -> float | None:
    stated = scenario.environment.peak_braking_coefficient
    return float(si(stated)) if stated else None


def _target_track(start: Setup, time: Series) -> Track:
    """The target over time; its plane or rear lies at `gap`."""
    if not start.crossing:
        rear = start.target_box.length / 2 - start.target_box.forward
        x = start.gap + rear + start.target_speed * time
        return Track(x, np.zeros(time.shape), np.zeros(time.shape), np.full(time.shape, start.target_speed), start.target_box)
    step = float(time[1] - time[0])
    # A player acts on a trigger one step after it fires, and moves with the speed of the step before.
    since = np.maximum(time - (start.approach + start.functional_ttc - start.start_ttc) - step, 0.0)
    if start.run_up_time > 0:
        speed = start.target_speed * np.minimum(since / start.run_up_time, 1.0)
    else:
        speed = np.where(since > 1e-9, start.target_speed, 0.0)
    way = np.concatenate(([0.0], np.cumsum(speed[:-1]) * step))
    along = way - start.start_distance - start.target_reference
    heading = np.full(time.shape, np.pi / 2)
    return Track(np.full(time.shape, start.gap + start.target_box.width / 2), along, heading, speed, start.target_box)


def _subject(
    start: Setup, time: Series, model: AebModel | None, functional: float, grip: float | None, loaded: bool
) -> tuple[Series, Series, Flags]:
    """Demand (m/s2), speed (m/s) and warning over time. Until braking the motion is uniform, so that both triggers can be read from
    the undisturbed time to collision."""
    speed: Series = np.full_like(time, start.subject_speed)
    demand: Series = np.zeros_like(time)
    warned: Flags = np.zeros_like(time, dtype=np.bool_)
    if model is None:
        return demand, speed, warned
    ttc = start.approach + start.functional_ttc - time
    armed = time >= functional - 1e-9
    warning = np.flatnonzero(armed & (ttc < model.warning_ttc - 1e-9))
    braking = np.flatnonzero(armed & (ttc < model.braking_ttc - 1e-9))
    if warning.size:
        warned[warning[0] :] = True
    if not braking.size:
        return demand, speed, warned
    step = float(time[1] - time[0])
    onset = int(braking[0])
    demand[onset:] = model.demand
    acts = onset + round(model.delay / step)
    top = model.demand * (model.load_factor if loaded else 1.0)
    top = min(top, grip) if grip is not None else top
    since = np.maximum(time - time[min(acts, time.size - 1)], 0.0) + step
    actual = np.minimum(top, model.jerk * since) if model.jerk else np.full_like(time, top)
    actual[: acts + 1] = 0.0
    floor = 0.0 if start.crossing else max(start.target_speed, 0.0)
    speed = np.maximum(start.subject_speed - np.cumsum(actual) * step, floor)
    return demand, speed, warned


def _cut(log: RunLog, step: float) -> RunLog:
    """The log until a second after contact or standstill, or the end of the samples."""
    over = np.zeros(log.time.shape, dtype=bool)
    for flags in (log.contact, None if log.closing_speed is None else log.closing_speed <= 1e-9):
        over |= flags if flags is not None else over
    ends = np.flatnonzero(over)
    last = min(int(ends[0]) + round(1.0 / step), log.time.size - 1) if ends.size else log.time.size - 1
    changes: dict[str, Any] = {
        item.name: values[: last + 1] for item in fields(log) if isinstance(values := getattr(log, item.name), np.ndarray)
    }
    return replace(log, tracks=None, warnings={mode: flags[: last + 1] for mode, flags in log.warnings.items()}, **changes)


def _info(scenario: Scenario, chosen: RunParameters, start: Setup, events: dict[str, float], model: AebModel | None) -> RunInfo:
    parameters = {"subject_offset": chosen.subject_offset, "target_offset": chosen.target_offset}
    if chosen.friction is not None:
        parameters["friction"] = chosen.friction
    if model is not None:
        parameters.update({f"aeb_{name}": value for name, value in model.model_dump().items()})
    boxes = {
        name: BoxInfo(length=box.length, width=box.width, forward=box.forward, left=box.left)
        for name, box in (("subject_box", start.subject_box), ("target_box", start.target_box))
    }
    return RunInfo(
        scenario=scenario.id,
        run=chosen.run,
        vehicle_type=chosen.vehicle_type,
        ego=chosen.ego,
        engine="kinematic",
        simulated=True,
        seed=chosen.seed,
        parameters=parameters,
        events={name: round(time, 6) for name, time in events.items()},
        step=chosen.step,
        target_reference=start.target_reference,
        mass=start.mass or None,
        running_order_mass=start.running_order_mass,
        maximum_mass=start.maximum_mass,
        **boxes,
    )
