"""The subject vehicle turns into a side road, where a road user crosses its path at a right angle and meets its front.

The speed is kept through the turn, as in every crossing, so the turn is as wide as a comfortable lateral acceleration makes it, and the
subject vehicle is straight again before the impact. What moves on is told by the way that it has driven: players measure a time to
collision along roads or headings, and neither is its path here.
"""

from __future__ import annotations

from regc.manoeuvres import approach
from regc.manoeuvres.crossing import Way, cross, obstruct, start
from regc.manoeuvres.paths import QUARTER_TURN
from regc.manoeuvres.plan import SUBJECT, Plan
from regc.manoeuvres.road import shaped_road, straight_road
from regc.manoeuvres.system import yielding_system
from regc.model.stage import Stage


def stage(plan: Plan) -> Stage:
    """See above. Raises StagingError where the target cannot be hidden or cannot reach its speed."""
    kind = approach.crossing_target(plan)
    hidden = plan.word("obstructed", "no")
    before = start(plan, hidden)
    _turn(plan)
    straight_before = plan["turn_way"] / plan["subject.speed"] + plan["approach_time"] - plan["start_ttc"]
    approach.whole_steps(plan, "start_ttc", max(before, straight_before))
    approach.ends(plan, time="time_to_contact", travelled="subject.speed * time_to_contact + subject.length")
    plan.derive("straight", "subject.speed * time_to_contact - turn_way", "m")
    plan.derive("straight_after", "after_turn + subject.front + subject.speed * after_end", "m")
    legs = [("straight", ""), (f"radius * {QUARTER_TURN}", "turn_side / radius"), ("straight_after", "")]
    plan.add(SUBJECT, "subject", x="subject.start.x", legs=legs, speed="subject.speed")
    plan.derive("turn.x", "subject.start.x + straight + radius", "m")
    plan.derive("impact.along", "radius + after_turn + subject.front", "m")
    way = Way(turned=True, driven="0")
    cross(plan, kind, hidden, way)
    obstruct(plan, hidden, way)
    driven = "subject.speed * (time_to_contact - functional_ttc)"
    functional = plan.moment("functional_part", "travelled", of=SUBJECT, value=driven, unit="m")
    system = yielding_system(plan, "subject.speed * time_to_contact", "subject.speed", "0")
    road = shaped_road(
        plan,
        straight_road(plan, "turn.x"),
        "junction",
        size="radius - turn_side * road.lane_width / 2",
        arm="arm + straight_after",
        centre="turn.x - turn_side * road.lane_width / 2",
    )
    return plan.finish(road, functional, system=system)


def _turn(plan: Plan) -> None:
    """The lines `radius` and `turn_way`, the way from the beginning of the turn to the impact."""
    for name, unit in (("turn_side", "1"), ("after_turn", "m"), ("arm", "m")):
        plan.layout("cross_after_turn", name, unit, name)
    if plan.has("radius"):
        plan.derive("radius", plan.si("radius"), "m")
    else:
        for name, unit in (("least_radius", "m"), ("lateral_acceleration", "m/s2")):
            plan.layout("cross_after_turn", name, unit, name)
        # players know no maximum, so a logical file has the formula that holds at its default
        comfortable = "subject.speed * subject.speed / lateral_acceleration"
        wide = plan["subject.speed"] ** 2 / plan["lateral_acceleration"] > plan["least_radius"]
        plan.derive("radius", comfortable if wide else "least_radius", "m")
    plan.derive("turn_way", f"radius * {QUARTER_TURN} + after_turn", "m")
