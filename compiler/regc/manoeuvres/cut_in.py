"""A road user of the lane beside changes into the subject vehicle's lane; the test's time to collision holds when it is in the middle
of that lane."""

from __future__ import annotations

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.paths import lane_change
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.road import lane, straight_road
from regc.manoeuvres.system import approach_system
from regc.model.stage import Stage


def stage(plan: Plan) -> Stage:
    """The target drives its path from the start; the functional part begins with the change of lane."""
    plan.measure_subject()
    kind = plan.kind(TARGET)
    plan.measure(TARGET, kind)
    lane(plan)
    plan.derive("target_speed", plan.si("target"), "m/s")
    plan.derive("closing_speed", "subject.speed - target_speed", "m/s")
    if plan["closing_speed"] <= 0 or plan["target_speed"] <= 0:
        raise StagingError(
            f"{plan.scenario.id}: a target at {plan['target_speed']:.2f} m/s that cuts in before a subject vehicle at "
            f"{plan['subject.speed']:.2f} m/s is not closed in on",
            hint="see subject and target of the test",
        )
    approach.side(plan, "cut_in")
    approach.straight_time(plan)
    lane_change(plan, "cut_in", "target_speed")
    plan.derive("ttc", plan.si("ttc"), "s")
    plan.derive("change_end", "approach_time + change_time", "s")
    plan.derive("start_gap", "closing_speed * ttc + subject.speed * change_end - target_speed * approach_time - change_reach", "m")
    plan.common("after_time")
    plan.add(SUBJECT, "subject", x="subject.start.x", speed="subject.speed")
    plan.add(
        TARGET,
        kind,
        x="subject.start.x + subject.front + start_gap + target.rear",
        y="side * displacement",
        legs=[
            ("target_speed * approach_time", ""),
            ("arc", "0 - side / radius"),
            ("arc", "side / radius"),
            ("target_speed * (ttc + after_time)", ""),
        ],
        speed="target_speed",
    )
    functional = approach.gone(plan, "functional_part", TARGET, "target.leg1.length", "target_speed")
    plan.events["lane_change_done"] = approach.gone(
        plan, "events.lane_change_done", TARGET, "target.leg1.length + 2 * arc", "target_speed"
    )
    approach.ends(plan, time="change_end + ttc", apart=True)
    system = approach_system(plan, TARGET, floor="target_speed", late_share=0.8, met_at="change_end + ttc")
    beside = "lanes_left" if plan["side"] > 0 else "lanes_right"
    road = straight_road(plan, "subject.start.x + subject.speed * end_time + max(start_gap, 0)", **{beside: 1})
    return plan.finish(road, functional, system=system)
