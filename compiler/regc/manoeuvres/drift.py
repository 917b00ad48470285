"""The subject vehicle leaves its lane at a constant lateral speed, after it has driven straight in the middle of it.

Where the line is: the outer edge of the marking, whose middle lies at the edge of the lane. What crosses it: the outside of the front
tyre on that side.
"""

from __future__ import annotations

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.plan import SUBJECT, Plan
from regc.manoeuvres.road import lane, lane_markings, marking_width, straight_road
from regc.manoeuvres.system import line_system
from regc.model.stage import Stage
from regc.model.value import Value


def stage(plan: Plan) -> Stage:
    """The functional part begins with the drift; the run ends well beyond the last line of a criterion. Raises StagingError for a rate
    that the speed does not allow."""
    plan.measure_subject()
    lane(plan)
    plan.derive("rate", plan.si("rate"), "m/s")
    if not 0 < plan["rate"] < plan["subject.speed"] / 2:
        raise StagingError(
            f"{plan.scenario.id}: a vehicle at {plan['subject.speed']:g} m/s does not drift at {plan['rate']:g} m/s",
            hint="see subject and rate of the test",
        )
    approach.side(plan)
    approach.straight_time(plan)
    marking_width(plan)
    for name, unit in (("lateral_acceleration", "m/s2"), ("beyond_line", "m")):
        plan.layout("drift", name, unit, name)
    plan.derive("turn", "asin(rate / subject.speed)", "rad")
    plan.derive("radius", "subject.speed * subject.speed / lateral_acceleration", "m")
    plan.derive("settled", "subject.speed * approach_time", "m")
    half = "(subject.chassis.track_width + subject.chassis.tyre_width) / 2"
    plan.derive("line_y", "road.lane_width / 2 + marking_width / 2", "m")
    plan.derive("turned_y", f"radius * (1 - cos(turn)) + subject.chassis.wheelbase * sin(turn) + {half} * cos(turn)", "m")
    if plan["turned_y"] >= plan["line_y"]:
        raise StagingError(
            f"{plan.scenario.id}: the vehicle is over the line before it has settled in its drift",
            hint="a wider lane, or a greater lateral_acceleration of drift in a file for --layouts",
        )
    plan.derive("line_way", "settled + radius * turn + (line_y - turned_y) / sin(turn)", "m")
    last = _last_line(plan)
    plan.derive("end_way", f"line_way + ({last} + beyond_line) / sin(turn)", "m")
    plan.add(
        SUBJECT,
        "subject",
        x="subject.start.x",
        legs=[("settled", ""), ("radius * turn", "side / radius"), ("end_way - settled + subject.speed", "")],
        speed="subject.speed",
    )
    functional = approach.gone(plan, "functional_part", SUBJECT, "settled", "subject.speed")
    plan.events["line_reached"] = approach.gone(plan, "events.line_reached", SUBJECT, "line_way", "subject.speed")
    approach.ends(plan, time="end_way / subject.speed", contact=(), travelled="end_way")
    system = line_system(plan, last)
    road = straight_road(plan, "subject.start.x + subject.speed * end_time", lanes_left=1, lanes_right=1)
    return plan.finish(road.model_copy(update={"markings": lane_markings(plan)}), functional, system=system)


def _last_line(plan: Plan) -> str:
    """Formula of how far beyond the marking the farthest line of a criterion lies, m."""
    offsets = []
    for criterion in plan.scenario.require:
        for event in (criterion.a, criterion.b):
            argument = event.argument if event is not None and event.name == "line_crossed" else None
            if isinstance(argument, Value) and argument.is_number:
                line = f"require.{criterion.label}.line"
                plan.sheet.given(line, argument.number, argument)
                offsets.append(f"{line}{plan.unit(argument.unit, line)[0]}")
    return f"max({', '.join(offsets)})" if len(offsets) > 1 else (offsets[0] if offsets else "0")
