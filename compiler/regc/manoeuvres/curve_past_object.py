"""A narrow curve to the left with guard pipes at its outer edge; something stands straight ahead behind them, and is not touched.

The object stands on the lane's centre line, extended, as near as the guard pipes and its own box allow.
"""

from __future__ import annotations

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.data import StageData
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.road import lane, shaped_road, straight_road
from regc.manoeuvres.search import offset_reached, overlap_ends, trial
from regc.manoeuvres.system import approach_system
from regc.model.scenario import Actor, Scenario
from regc.model.stage import Stage


def variants(scenario: Scenario, data: StageData) -> tuple[Scenario, ...]:
    """The test with each kind of object that the layout names."""
    others = tuple(actor for actor in scenario.actors if actor.role != TARGET)
    target = next((actor for actor in scenario.actors if actor.role == TARGET), Actor(role=TARGET, kind=""))
    kinds = data.layouts.tables["curve_past_object"].models
    made = (target.model_copy(update={"kind": kind}) for kind in kinds)
    return tuple(scenario.model_copy(update={"actors": (*others, actor)}) for actor in made)


def stage(plan: Plan) -> Stage:
    """The stage with its object, which is its variant. Raises StagingError where a bound does not hold or the object is touched."""
    kind = plan.kind(TARGET)
    made = _with(plan, kind)
    run = trial(made)
    steers = run.begins("steering_begins")
    wide = made.mover(TARGET).chassis is not None and made.mover(TARGET).form == "car"
    if wide or not plan.has("clear_offset"):
        leaves = overlap_ends(run.since(0.0))
    else:
        # the regulation counts an offset as plus towards the driver's side, so an object on the other side is at minus
        leaves = offset_reached(run.since(steers), plan.sheet.calculate(plan.si("clear_offset")) * made.subject.box.width / 2)
    seen = next(run.since(steers))
    if (
        run.touches()
        or leaves is None
        or leaves.ttc > plan.sheet.calculate(plan.si("clear_ttc"))
        or seen.ttc > plan.sheet.calculate(plan.si("steer_ttc"))
    ):
        raise StagingError(
            f"{plan.scenario.id}: the curve does not keep every bound for a {kind} without a contact",
            hint="change curve_past_object in a file for --layouts",
        )
    return made.model_copy(update={"sheet": plan.sheet.entries})


def _with(plan: Plan, kind: str) -> Stage:
    plan.measure_subject()
    plan.measure(TARGET, kind)
    lane(plan)
    plan.common("speed_margin", "deceleration", "straight_time", "after_time")
    for name, unit in (("guard_offset", "m"), ("object_clearance", "m"), ("curve_angle", "rad")):
        plan.layout("curve_past_object", name, unit, name)
    plan.derive("outer_radius", plan.si("radius"), "m")
    plan.derive("radius", "outer_radius - road.lane_width / 2", "m")
    plan.derive("entry_speed", f"{plan.si('entry_speed')} + speed_margin", "m/s")
    plan.derive("curve_speed", f"{plan.si('curve_speed')} + speed_margin", "m/s")
    plan.derive("braking_way", "(subject.speed * subject.speed - entry_speed * entry_speed) / (2 * deceleration)", "m")
    plan.derive("straight", "subject.speed * straight_time + braking_way", "m")
    # the guard pipes lie on a circle around the curve's centre; the object's near corners must lie outside it
    plan.derive("guard", "outer_radius + guard_offset + object_clearance", "m")
    plan.derive("near", "sqrt(guard * guard - (radius - target.width / 2) * (radius - target.width / 2))", "m")
    brakes = approach.gone(plan, "driver.driver_brakes.when", SUBJECT, "straight - braking_way", "subject.speed")
    plan.driver.append(plan.change("driver", "driver_brakes", brakes, "entry_speed", "deceleration"))
    slows = plan.moment("driver.driver_slows_in_turn.when", "travelled", of=SUBJECT, value="straight", unit="m")
    plan.driver.append(plan.change("driver", "driver_slows_in_turn", slows, "curve_speed", "deceleration"))
    plan.add(
        SUBJECT,
        "subject",
        x="subject.start.x",
        legs=[("straight", ""), ("radius * curve_angle", "1 / radius"), ("curve_speed * after_time", "")],
        speed="subject.speed",
    )
    plan.add(TARGET, kind, x="subject.start.x + straight + near + target.rear")
    functional = approach.gone(plan, "functional_part", SUBJECT, "straight - braking_way", "subject.speed")
    plan.events["steering_begins"] = plan.moment("events.steering_begins", "travelled", of=SUBJECT, value="straight", unit="m")
    plan.derive("end_way", "straight + radius * curve_angle + curve_speed * after_time * 0.8", "m")
    approach.ends(plan, time="straight / entry_speed + (end_way - straight) / curve_speed", travelled="end_way")
    plan.derive("closing_speed", "entry_speed", "m/s")
    system = approach_system(plan, TARGET)
    straight = straight_road(plan, "subject.start.x + end_way + curve_speed * after_time")
    road = shaped_road(plan, straight, "curve", entry="subject.start.x + straight", radius="radius", arc="radius * curve_angle")
    return plan.finish(road, functional, system=system, variant=kind)
