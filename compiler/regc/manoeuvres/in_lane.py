"""The subject vehicle comes up behind a road user in its lane that stands, drives slower, walks along, or brakes.

The start gap is the closing speed times the time to contact. A lead that brakes drives ahead at the test's gap; the functional part
begins when it brakes. A target with a run-up stands until the functional part and then starts.
"""

from __future__ import annotations

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.plan import FUNCTIONAL_PART, SUBJECT, TARGET, Plan
from regc.manoeuvres.road import lane, straight_road
from regc.manoeuvres.system import approach_system, braking_lead_system
from regc.model.stage import Change, Moment, Stage


def stage(plan: Plan) -> Stage:
    """See above. Raises StagingError for a target that is not closed in on."""
    plan.measure_subject()
    kind = plan.kind(TARGET)
    actor = plan.measure(TARGET, kind)
    lane(plan)
    plan.derive("target_speed", plan.si("target"), "m/s")
    plan.derive("closing_speed", "subject.speed - target_speed", "m/s")
    plan.add(SUBJECT, "subject", x="subject.start.x", speed="subject.speed")
    lateral = _lateral(plan, actor.overlap)
    if plan.has("target_deceleration"):
        return _braking_lead(plan, kind, lateral)
    if plan["closing_speed"] <= 0:
        raise StagingError(
            f"{plan.scenario.id}: the subject vehicle at {plan['subject.speed']:.2f} m/s does not close in on a target at "
            f"{plan['target_speed']:.2f} m/s",
            hint="see subject, target and relative of the test",
        )
    approach.straight_time(plan)
    approach.time_to_collision(plan)
    if plan.has("run_up") and plan["target_speed"] > 0:
        return _starts_late(plan, kind, lateral)
    approach.whole_steps(plan, "functional_ttc")
    plan.derive("start_gap", "closing_speed * time_to_contact", "m")
    plan.add(TARGET, kind, x="subject.start.x + subject.front + start_gap + target.rear", y=lateral, speed="target_speed")
    functional = approach.functional_part(plan, TARGET)
    moves = plan["target_speed"] > 0
    approach.ends(plan, time="time_to_contact", apart=moves)
    system = approach_system(plan, TARGET, floor="target_speed" if moves else "")
    approach.driver(plan, TARGET)
    road = straight_road(plan, "subject.start.x + subject.speed * end_time + start_gap")
    return plan.finish(road, functional, system=system)


def _lateral(plan: Plan, overlap_of: str) -> str:
    """Formula of the target's lateral position: by overlap, by offset, else the middle of the lane."""
    if plan.has("overlap"):
        approach.side(plan)
        overlap = plan.si("overlap")
        if overlap_of == "point":  # the share of the width, from that side, at which the target's middle is met
            return f"side * (0.5 - {overlap}) * subject.width"
        return f"side * ((0.5 - {overlap}) * subject.width + target.width / 2)"
    offset = plan.scenario.number("offset")
    if offset is not None and offset.bound not in ("le", "lt"):
        return plan.si("offset")
    return ""


def _starts_late(plan: Plan, kind: str, lateral: str) -> Stage:
    """The target stands at the gap that its speed would give and starts when the functional part begins."""
    plan.derive("functional_gap", "ttc * closing_speed + spare_steps * step * subject.speed", "m")
    steps = round(plan.steps(plan["approach_time"]) / plan.options.step) + 1
    plan.sheet.assumed("lead_steps", steps, "1", "A835", "whole steps of the player between the start and the trigger", "--step")
    plan.derive("start_gap", "functional_gap + subject.speed * (lead_steps - phase) * step", "m")
    plan.layout("in_lane", "run_up_share", "1", "run_up_share")
    plan.derive("run_up_distance", f"{plan.si('run_up')} * run_up_share", "m")
    plan.derive("last_distance", "target_speed * functional_gap / closing_speed * 2", "m")
    run_up = plan.change(TARGET, "run_up", FUNCTIONAL_PART, "target_speed", "target_speed * target_speed / (2 * run_up_distance)")
    plan.add(
        TARGET,
        kind,
        x="subject.start.x + subject.front + start_gap + target.rear",
        y=lateral,
        legs=[("last_distance", "")],
        begins=FUNCTIONAL_PART,
        changes=(run_up,),
    )
    plan.derive("functional_part_after", "straight_time", "s")
    after = Moment(kind="time", value=plan["functional_part_after"])
    functional = plan.moment("functional_part", "gap", of=SUBJECT, to=TARGET, value="functional_gap", unit="m", after=after)
    approach.ends(plan, time="lead_steps * step + functional_gap / closing_speed", apart=True)
    system = approach_system(plan, TARGET, floor="target_speed")
    approach.driver(plan, TARGET)
    road = straight_road(plan, "subject.start.x + subject.speed * end_time + start_gap")
    return plan.finish(road, functional, system=system)


def _braking_lead(plan: Plan, kind: str, lateral: str) -> Stage:
    """The lead drives ahead at the test's gap and brakes at a constant rate from the start of the functional part."""
    approach.straight_time(plan)
    deceleration = plan.si("target_deceleration")
    plan.derive("start_gap", f"{plan.si('gap')} + closing_speed * approach_time", "m")
    plan.derive("onset", "approach_time - phase * step", "s")
    brakes = Change(
        name="lead_brakes",
        when=plan.moment("target.lead_brakes.when", "time", value="onset"),
        speed=0.0,
        rate=plan[plan.derive("target.lead_brakes.rate", deceleration, "m/s2")],
    )
    plan.add(
        TARGET,
        kind,
        x="subject.start.x + subject.front + start_gap + target.rear",
        y=lateral,
        speed="target_speed",
        changes=(brakes,),
    )
    functional = plan.moment("functional_part", "time", value="onset - phase * step")
    # at the latest the subject vehicle has gone the gap and the lead's way to rest
    approach.ends(plan, time=f"approach_time + target_speed / {deceleration} + {plan.si('gap')} / subject.speed")
    system = braking_lead_system(plan, deceleration, plan.si("gap"))
    approach.driver(plan, TARGET)
    road = straight_road(plan, "subject.start.x + subject.speed * end_time + start_gap")
    return plan.finish(road, functional, system=system)
