"""A forward vehicle slows down and turns off; the subject vehicle slows down behind it and goes straight on, near but untouched."""

from __future__ import annotations

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.paths import QUARTER_TURN
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.road import lane, shaped_road, straight_road
from regc.manoeuvres.search import overlap_ends, trial
from regc.manoeuvres.system import approach_system
from regc.model.stage import Stage


def stage(plan: Plan) -> Stage:
    """The gap when the forward vehicle begins to turn is as the first bound says, smaller where the second one asks it. Raises
    StagingError where no gap keeps both without a contact."""
    first = _with_gap(plan.fresh(), 0.0)
    leaves = overlap_ends(trial(first).since(first.sheet["turn_time"].value - 1))
    less = 0.0
    if leaves is not None and leaves.ttc > first.sheet["clear_ttc"].value:
        less = (leaves.ttc - first.sheet["clear_ttc"].value) * leaves.gap / leaves.ttc
    made = _with_gap(plan, less)
    run = trial(made)
    leaves = overlap_ends(run.since(made.sheet["turn_time"].value - 1))
    steers = next(run.since(run.begins("steering_begins")))
    margin = made.sheet["time_margin"].value
    if (
        run.touches()
        or leaves is None
        or leaves.ttc > made.sheet["clear_ttc"].value + margin
        or steers.ttc > made.sheet["steer_ttc"].value + margin
    ):
        raise StagingError(
            f"{plan.scenario.id}: no gap keeps every bound without a contact", hint="change lead_turns_off in a file for --layouts"
        )
    return made


def _with_gap(plan: Plan, less: float) -> Stage:
    """The layout with a gap that is `less` m smaller than the first bound allows."""
    plan.measure_subject()
    kind = plan.kind(TARGET)
    plan.measure(TARGET, kind)
    lane(plan)
    table = plan.data.layouts.tables["lead_turns_off"]
    plan.common("speed_margin", "deceleration", "straight_time", "after_time", "time_margin")
    for name, unit in (("turn_radius", "m"), ("target_deceleration", "m/s2"), ("arm", "m")):
        plan.layout("lead_turns_off", name, unit, name)
    plan.derive("target_speed", plan.si("target"), "m/s")
    plan.derive("target_turn_speed", plan.si("target_turn_speed"), "m/s")
    plan.derive("turn_start_speed", f"{plan.si('turn_start_speed')} + speed_margin", "m/s")
    plan.derive("after_speed", f"{plan.si('after_speed')} + speed_margin", "m/s")
    plan.derive("steer_ttc", f"{plan.si('turn_start_ttc')} - time_margin", "s")
    plan.derive("clear_ttc", f"{plan.si('clear_ttc')} - time_margin", "s")
    plan.derive("turn_time", "straight_time + (target_speed - target_turn_speed) / target_deceleration", "s")
    plan.derive("turning_time", f"turn_radius * {QUARTER_TURN} / target_turn_speed", "s")
    braking = "(target_speed * target_speed - target_turn_speed * target_turn_speed) / (2 * target_deceleration)"
    plan.derive("target_way", f"target_speed * straight_time + {braking}", "m")
    lost = "(subject.speed - turn_start_speed)"
    plan.derive("way", f"subject.speed * turn_time - {lost} * {lost} / (2 * deceleration)", "m")
    plan.sheet.assumed("less_gap", round(less, 6), "m", "A844", table.reason, "layouts.toml: lead_turns_off.turn_radius")
    plan.derive("turn_gap", "steer_ttc * (turn_start_speed - target_turn_speed) - less_gap", "m")
    way = f"subject.speed * (turn_time - {lost} / deceleration)"
    brakes = approach.gone(plan, "driver.driver_brakes.when", SUBJECT, way, "subject.speed")
    plan.driver.append(plan.change("driver", "driver_brakes", brakes, "after_speed", "deceleration"))
    plan.derive("end_way", "way + after_speed * (turning_time + after_time) + turn_start_speed", "m")
    plan.add(SUBJECT, "subject", x="subject.start.x", speed="subject.speed")
    slows = approach.gone(plan, "target.target_brakes.when", TARGET, "target_speed * straight_time", "target_speed")
    change = plan.change(TARGET, "target_brakes", slows, "target_turn_speed", "target_deceleration")
    plan.add(
        TARGET,
        kind,
        x="subject.start.x + way + subject.front + turn_gap + target.rear - target_way",
        legs=[("target_way", ""), (f"turn_radius * {QUARTER_TURN}", "0 - 1 / turn_radius"), ("arm - turn_radius", "")],
        speed="target_speed",
        changes=(change,),
    )
    functional = approach.gone(plan, "functional_part", TARGET, "target_speed * straight_time", "target_speed")
    plan.events["steering_begins"] = plan.moment("events.steering_begins", "travelled", of=TARGET, value="target_way", unit="m")
    approach.ends(plan, time="end_way / after_speed", travelled="end_way")
    plan.derive("closing_speed", "turn_start_speed - target_turn_speed", "m/s")
    system = approach_system(plan, TARGET, met_at="turn_time + turning_time")
    straight = straight_road(plan, "subject.start.x + end_way + subject.speed * 3")
    road = shaped_road(
        plan,
        straight,
        "junction",
        centre="target.start.x + target_way + turn_radius + road.lane_width / 2",
        size="turn_radius + road.lane_width",
        arm="arm",
    )
    return plan.finish(road, functional, system=system)
