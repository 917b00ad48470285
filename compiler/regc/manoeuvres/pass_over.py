"""The subject vehicle drives over a thing that lies on the road; nothing should brake."""

from __future__ import annotations

from regc.manoeuvres import approach
from regc.manoeuvres.plan import SUBJECT, Plan
from regc.manoeuvres.road import lane, straight_road
from regc.manoeuvres.system import approach_system
from regc.model.stage import Stage

OBJECT = "object"
_MEASURES = (("width", "object_width"), ("length", "object_length"), ("height", "object_height"))


def stage(plan: Plan) -> Stage:
    """The impact point is the leading edge; the run is over when the rear of the subject vehicle has passed it."""
    plan.measure_subject()
    measure_object(plan)
    lane(plan)
    plan.derive("closing_speed", "subject.speed", "m/s")
    approach.straight_time(plan)
    approach.time_to_collision(plan)
    approach.whole_steps(plan, "functional_ttc")
    plan.add(SUBJECT, "subject", x="subject.start.x", speed="subject.speed")
    plan.derive("impact.x", "subject.start.x + subject.front + subject.speed * time_to_contact", "m")
    place_object(plan)
    functional = approach.functional_part(plan, "impact")
    approach.ends(plan, time="time_to_contact + subject.length / subject.speed", contact=(), passed="impact")
    system = approach_system(plan, "impact")
    approach.driver(plan, "impact")
    road = straight_road(plan, "subject.start.x + subject.speed * end_time")
    return plan.finish(road, functional, impact=True, system=system)


def measure_object(plan: Plan) -> None:
    """The lines of the thing's size, as far as the test binds it."""
    plan.measure(OBJECT, plan.kind(OBJECT), given=[(field, binding) for field, binding in _MEASURES if plan.has(binding)])


def place_object(plan: Plan, middle: str = "0") -> None:
    """The thing, its leading edge at the line `impact.x`, at the lateral position `middle` (formula)."""
    plan.add(OBJECT, plan.kind(OBJECT), x="impact.x + object.length / 2", y="" if middle == "0" else middle, thing=True)
