"""Subject vehicle and target go straight on at a junction; the subject vehicle's front meets the side of the target."""

from __future__ import annotations

from regc.manoeuvres import approach
from regc.manoeuvres.paths import QUARTER_TURN
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.road import shaped_road, straight_road
from regc.manoeuvres.system import yielding_system
from regc.model.stage import Stage


def stage(plan: Plan) -> Stage:
    """`overlap`: the share of the target's length, from its front, at which the middle of the subject vehicle's front meets it."""
    kind = approach.crossing_target(plan)
    approach.whole_steps(plan, "functional_ttc")
    plan.add(SUBJECT, "subject", x="subject.start.x", speed="subject.speed")
    plan.derive("impact.x", "subject.start.x + subject.front + subject.speed * time_to_contact", "m")
    overlap = plan.si("overlap") if plan.has("overlap") else "0"
    for name in ("size", "arm_behind"):
        plan.layout("cross_junction", name, "m", name)
    plan.derive("target_way", "target_speed * time_to_contact", "m")
    plan.add(
        TARGET,
        kind,
        x="impact.x + target.width / 2",
        y=f"side * (target_way + target.front - {overlap} * target.length)",
        heading=f"0 - side * {QUARTER_TURN}",
        legs=[("target_way + target.length + arm_behind", "")],
        speed="target_speed",
    )
    # players measure a time to collision along roads, and several lie on each other in a junction
    way = "subject.speed * (time_to_contact - functional_ttc)"
    functional = approach.gone(plan, "functional_part", SUBJECT, way, "subject.speed")
    approach.ends(plan, time="time_to_contact", passed="impact")
    system = yielding_system(plan, "subject.speed * time_to_contact", "subject.speed", "0")
    straight = straight_road(plan, "impact.x + subject.speed * after_end")
    road = shaped_road(
        plan,
        straight,
        "junction",
        size="size",
        arm="target_way + arm_behind",
        centre="impact.x + target.width / 2 + side * road.lane_width / 2",
    )
    return plan.finish(road, functional, impact=True, system=system)
