"""The subject vehicle changes lanes behind a slower vehicle in its own lane."""

from __future__ import annotations

from regc.manoeuvres import approach
from regc.manoeuvres.paths import lane_change
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.surroundings import lane, straight_road
from regc.model.stage import Stage, System


def stage(plan: Plan) -> Stage:
    """The functional part begins with the change of lane, whoever drives it: the file's own path shows a right one."""
    plan.measure_subject()
    kind = plan.kind(TARGET)
    plan.measure(TARGET, kind)
    lane(plan)
    if plan.has("target"):
        plan.derive("target_speed", plan.si("target"), "m/s")
    else:
        relative = plan.si("relative") if plan.has("relative") else plan.undeclared("relative")
        plan.derive("target_speed", f"max(0, subject.speed - {relative})", "m/s")
    plan.derive("closing_speed", "subject.speed - target_speed", "m/s")
    approach.side(plan, "lane_change")
    approach.straight_time(plan)
    lane_change(plan, "lane_change", "subject.speed")
    plan.layout("lane_change", "headway", "s", "headway")
    plan.common("after_time")
    plan.derive("start_gap", "headway * subject.speed + closing_speed * approach_time", "m")
    plan.derive("end_way", "subject.speed * (approach_time + after_time) + 2 * arc", "m")
    offset = plan.scenario.number("offset")
    beside = plan.si("offset") if offset is not None and offset.bound not in ("le", "lt") else ""
    plan.add(
        SUBJECT,
        "subject",
        x="subject.start.x",
        legs=[
            ("subject.speed * approach_time", ""),
            ("arc", "side / radius"),
            ("arc", "0 - side / radius"),
            ("subject.speed * (after_time + 1)", ""),
        ],
        speed="subject.speed",
    )
    moves = plan["target_speed"] > 0
    plan.add(
        TARGET,
        kind,
        x="subject.start.x + subject.front + start_gap + target.rear",
        y=beside,
        speed="target_speed" if moves else "",
    )
    functional = approach.gone(plan, "functional_part", SUBJECT, "subject.leg1.length", "subject.speed")
    plan.events["lane_change_done"] = approach.gone(
        plan, "events.lane_change_done", SUBJECT, "subject.leg1.length + 2 * arc", "subject.speed"
    )
    approach.ends(plan, time="end_way / subject.speed", travelled="end_way")
    side = "lanes_left" if plan["side"] > 0 else "lanes_right"
    road = straight_road(plan, "subject.start.x + subject.speed * end_time + start_gap", **{side: 1})
    return plan.finish(road, functional, system=System(kind=plan.options.ego))
