"""The subject vehicle drives through the gap between two standing vehicles that face its way; nothing should brake."""

from __future__ import annotations

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.plan import SUBJECT, Plan
from regc.manoeuvres.road import lane, straight_road
from regc.manoeuvres.system import approach_system
from regc.model.stage import Stage

PAIR = LEFT, RIGHT = "pair_left", "pair_right"


def stage(plan: Plan) -> Stage:
    """The functional part begins at the test's time to collision, or where its distance to drive begins. Raises StagingError where the
    gap is narrower than the subject vehicle."""
    plan.measure_subject()
    lane(plan)
    measure_pair(plan)
    plan.derive("closing_speed", "subject.speed", "m/s")
    approach.straight_time(plan)
    if not plan.has("ttc") and plan.has("approach_distance"):
        plan.derive("ttc", f"{plan.si('approach_distance')} / subject.speed", "s")
    approach.time_to_collision(plan)
    approach.whole_steps(plan, "functional_ttc")
    plan.add(SUBJECT, "subject", x="subject.start.x", speed="subject.speed")
    plan.derive("impact.x", "subject.start.x + subject.front + subject.speed * time_to_contact", "m")
    place_pair(plan)
    functional = approach.functional_part(plan, "impact")
    plan.derive("passing_time", "(pair_left.length + subject.length) / subject.speed", "s")
    approach.ends(plan, time="time_to_contact + passing_time", contact=(LEFT, RIGHT), passed=LEFT)
    system = approach_system(plan, "impact")
    approach.driver(plan, "impact")
    road = straight_road(plan, "subject.start.x + subject.speed * end_time")
    return plan.finish(road, functional, impact=True, system=system)


def measure_pair(plan: Plan) -> None:
    """The lines of both vehicles and `gap_between`. Raises StagingError where the subject vehicle does not fit through."""
    kind = plan.kind("pair")
    for role in PAIR:
        plan.measure(role, kind)
    plan.derive("gap_between", plan.si("gap_between"), "m")
    if plan["gap_between"] <= plan["subject.width"]:
        raise StagingError(
            f"{plan.scenario.id}: a subject vehicle {plan['subject.width']:g} m wide does not fit through {plan['gap_between']:g} m",
            hint="see gap_between of the test and width in the file for --road-users",
        )


def place_pair(plan: Plan, middle: str = "0") -> None:
    """Both vehicles, their rears at the line `impact.x`, on either side of the lateral position `middle` (formula)."""
    before = "" if middle == "0" else f"{middle} + "
    for role, sign in ((LEFT, ""), (RIGHT, "0 - ")):
        y = f"{before}{sign}(gap_between / 2 + {role}.width / 2)"
        plan.add(role, plan.kind("pair"), x=f"impact.x + {role}.rear", y=y, thing=True)
