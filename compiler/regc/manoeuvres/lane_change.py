"""The subject vehicle changes lanes behind a slower vehicle in its own lane."""

from __future__ import annotations

from regc.manoeuvres import approach
from regc.manoeuvres.paths import displaced, lane_change
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.road import lane, lane_markings, marking_width, straight_road
from regc.model.stage import Stage, System


def stage(plan: Plan) -> Stage:
    """The functional part begins where the lane is to be changed. Without a system nothing changes it, and a system outside the file
    drives itself; the reference changes lanes as asked, and late too abruptly for a limit of the lateral jerk."""
    plan.measure_subject()
    kind = plan.kind(TARGET)
    plan.measure(TARGET, kind)
    lane(plan)
    if plan.has("target"):
        plan.derive("target_speed", plan.si("target"), "m/s")
    else:
        relative = plan.si("relative") if plan.has("relative") else plan.undeclared("relative")
        faster = plan["subject.speed"] > plan.sheet.calculate(relative)
        plan.derive("target_speed", f"subject.speed - {relative}" if faster else "0", "m/s")
    plan.derive("closing_speed", "subject.speed - target_speed", "m/s")
    approach.side(plan, "lane_change")
    approach.straight_time(plan)
    changes = plan.options.ego in ("reference", "late")
    _abrupt(plan)
    change_way = _change_way(plan, driven=changes)
    plan.layout("lane_change", "headway", "s", "headway")
    plan.common("after_time")
    plan.derive("start_gap", "headway * subject.speed + closing_speed * approach_time", "m")
    plan.derive("end_way", f"subject.speed * (approach_time + after_time) + {change_way}", "m")
    offset = plan.scenario.number("offset")
    beside = plan.si("offset") if offset is not None and offset.bound not in ("le", "lt") else ""
    plan.derive("straight", "subject.speed * approach_time", "m")
    way = [("straight", ""), ("arc", "side / radius"), ("arc", "0 - side / radius"), ("subject.speed * (after_time + 1)", "")]
    plan.add(SUBJECT, "subject", x="subject.start.x", legs=way if changes else (), speed="subject.speed")
    moves = plan["target_speed"] > 0
    plan.add(
        TARGET,
        kind,
        x="subject.start.x + subject.front + start_gap + target.rear",
        y=beside,
        speed="target_speed" if moves else "",
    )
    functional = approach.gone(plan, "functional_part", SUBJECT, "straight", "subject.speed")
    if changes:
        plan.events["lane_change_done"] = approach.gone(plan, "events.lane_change_done", SUBJECT, "straight + 2 * arc", "subject.speed")
    approach.ends(plan, time="end_way / subject.speed", travelled="end_way")
    side = "lanes_left" if plan["side"] > 0 else "lanes_right"
    road = straight_road(plan, "subject.start.x + subject.speed * end_time + start_gap", **{side: 1})
    marking_width(plan)
    road = road.model_copy(update={"markings": lane_markings(plan)})
    return plan.finish(road, functional, system=System(kind=plan.options.ego))


def _change_way(plan: Plan, *, driven: bool) -> str:
    """The way of the change of lane, as a formula. Where the file does not drive it, it only bounds the run: arcs of a lateral
    acceleration are then taken as flat, since a player's expressions know no angles for a speed that is declared later."""
    if driven or any(plan.has(name) for name in ("radius", "lateral_acceleration", "change_length")):
        lane_change(plan, "lane_change", "subject.speed")
        return "2 * arc"
    displaced(plan)
    plan.layout("lane_change", "lateral_acceleration", "m/s2", "lateral_acceleration")
    return "2 * subject.speed * sqrt(displacement / lateral_acceleration)"


def _abrupt(plan: Plan) -> None:
    """The line `lateral_acceleration` of late: between two arcs the acceleration turns round, so that its mean change over the time of
    the limit is twice the acceleration by that time. Nothing where no jerk is limited, or the document gives the way itself."""
    limited = next((item for item in plan.scenario.require if item.signal == "lateral_jerk" and item.limit and item.mean_over), None)
    given = any(plan.has(name) for name in ("radius", "lateral_acceleration", "change_length"))
    if plan.options.ego != "late" or limited is None or limited.limit is None or limited.mean_over is None or given:
        return
    line = f"require.{limited.label}"
    plan.sheet.given(f"{line}.limit", limited.limit.value.number, limited.limit.value)
    plan.sheet.given(f"{line}.mean_over", limited.mean_over.number, limited.mean_over)
    plan.layout("lane_change", "late_share", "1", "late_share")
    plan.derive("lateral_acceleration", f"late_share * {line}.limit * {line}.mean_over / 2", "m/s2")
