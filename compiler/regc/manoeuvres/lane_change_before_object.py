"""The driver changes to the lane on the left before something that stands in the lane; the change is over before it is reached."""

from __future__ import annotations

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.road import lane, straight_road
from regc.manoeuvres.search import offset_reached, trial
from regc.manoeuvres.system import approach_system
from regc.model.stage import Stage


def stage(plan: Plan) -> Stage:
    """Steering begins no earlier than the later bound allows, so that both hold whichever way the offset is measured. Raises
    StagingError where they do not, or the object is touched."""
    made = _layout(plan)
    run = trial(made)
    steers = run.begins("steering_begins")
    offset = plan.sheet.calculate(plan.si("clear_offset")) if plan.has("clear_offset") else -1.0
    leaves = offset_reached(run.since(steers), offset * made.subject.box.width / 2)
    if (
        run.touches()
        or leaves is None
        or leaves.ttc > plan.sheet.calculate(plan.si("clear_ttc"))
        or next(run.since(steers)).ttc > plan.sheet.calculate(plan.si("steer_ttc"))
    ):
        raise StagingError(
            f"{plan.scenario.id}: no change of lane keeps every bound without a contact",
            hint="change lane_change_before_object in a file for --layouts",
        )
    return made.model_copy(update={"sheet": plan.sheet.entries})


def _layout(plan: Plan) -> Stage:
    plan.measure_subject()
    kind = plan.kind(TARGET)
    plan.measure(TARGET, kind)
    lane(plan)
    plan.common("straight_time", "after_time", "time_margin")
    plan.layout("lane_change_before_object", "clearance", "m", "clearance")
    plan.derive("ahead", f"subject.speed * (min({plan.si('steer_ttc')}, {plan.si('clear_ttc')}) - time_margin)", "m")
    plan.derive("straight", "subject.speed * straight_time", "m")
    plan.derive("displacement", "road.lane_width", "m")
    plan.derive("change_reach", "ahead - clearance", "m")
    if plan["change_reach"] <= plan["displacement"]:
        raise StagingError(
            f"{plan.scenario.id}: {plan['ahead']:.1f} m are too short for a change of lane", hint="see subject, steer_ttc and clear_ttc"
        )
    plan.derive("radius", "(change_reach * change_reach + displacement * displacement) / (4 * displacement)", "m")
    plan.derive("turn", "asin(change_reach / (2 * radius))", "rad")
    plan.derive("arc", "radius * turn", "m")
    plan.derive("on", "subject.speed * after_time", "m")
    plan.add(
        SUBJECT,
        "subject",
        x="subject.start.x",
        legs=[("straight", ""), ("arc", "1 / radius"), ("arc", "0 - 1 / radius"), ("on", "")],
        speed="subject.speed",
    )
    plan.add(
        TARGET,
        kind,
        x="subject.start.x + straight + subject.front + ahead + target.rear",
        heading="3.141592653589793",
    )
    functional = approach.gone(plan, "functional_part", SUBJECT, "straight", "subject.speed")
    plan.events["steering_begins"] = functional
    plan.derive("events.steering_begins", "functional_part", "m")
    plan.derive("end_way", "straight + 2 * arc + on * 0.8", "m")
    approach.ends(plan, time="end_way / subject.speed", travelled="end_way")
    plan.derive("closing_speed", "subject.speed", "m/s")
    system = approach_system(plan, TARGET)
    road = straight_road(plan, "subject.start.x + straight + 2 * arc + on", lanes_left=1)
    return plan.finish(road, functional, system=system)
