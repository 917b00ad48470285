"""The vehicle ahead changes lanes and uncovers what stands or drives slower behind it; the test's time to collision is the lead's to
the target, when it begins to change lanes."""

from __future__ import annotations

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.paths import lane_change
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.road import lane, straight_road
from regc.manoeuvres.system import approach_system
from regc.model.stage import Stage

LEAD = "lead"


def stage(plan: Plan) -> Stage:
    """The lead drives its path from the start; the functional part begins with its change of lane."""
    plan.measure_subject()
    kinds = {role: plan.kind(role) for role in (LEAD, TARGET)}
    for role, kind in kinds.items():
        plan.measure(role, kind)
    lane(plan)
    plan.derive("lead_speed", plan.si("lead"), "m/s")
    plan.derive("target_speed", plan.si("target") if plan.has("target") else "0", "m/s")
    plan.derive("closing_speed", "subject.speed - target_speed", "m/s")
    plan.derive("lead_closing_speed", "lead_speed - target_speed", "m/s")
    if plan["lead_closing_speed"] <= 0 or plan["closing_speed"] <= 0:
        raise StagingError(f"{plan.scenario.id}: lead and subject vehicle do not close in on the target", hint="see their speeds")
    approach.side(plan, "cut_out")
    approach.straight_time(plan)
    lane_change(plan, "cut_out", "lead_speed")
    plan.derive("ttc", plan.si("ttc"), "s")
    plan.layout("cut_out", "headway", "s", "headway")
    plan.common("after_time")
    plan.derive("lead_gap", "headway * subject.speed + (subject.speed - lead_speed) * approach_time", "m")
    plan.derive("target_gap", "lead_closing_speed * (approach_time + ttc)", "m")
    plan.derive("start_gap", "lead_gap + lead.length + target_gap", "m")
    plan.add(SUBJECT, "subject", x="subject.start.x", speed="subject.speed")
    plan.add(
        LEAD,
        kinds[LEAD],
        x="subject.start.x + subject.front + lead_gap + lead.rear",
        legs=[
            ("lead_speed * approach_time", ""),
            ("arc", "side / radius"),
            ("arc", "0 - side / radius"),
            ("lead_speed * (headway + ttc + after_time)", ""),
        ],
        speed="lead_speed",
    )
    moves = plan["target_speed"] > 0
    plan.add(
        TARGET,
        kinds[TARGET],
        x="subject.start.x + subject.front + start_gap + target.rear",
        speed="target_speed" if moves else "",
    )
    functional = approach.gone(plan, "functional_part", LEAD, "lead.leg1.length", "lead_speed")
    approach.ends(plan, time="start_gap / closing_speed", contact=(TARGET, LEAD), apart=moves)
    system = approach_system(plan, TARGET, floor="target_speed" if moves else "")
    beside = "lanes_left" if plan["side"] > 0 else "lanes_right"
    road = straight_road(plan, "subject.start.x + subject.speed * end_time + start_gap", **{beside: 1})
    return plan.finish(road, functional, system=system)
