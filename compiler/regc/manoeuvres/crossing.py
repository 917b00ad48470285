"""A road user crosses the subject vehicle's path at a right angle and meets its front, if nothing brakes.

The crossing plane is the near face of the target's box, so that a contact falls on the moment at which the subject vehicle's front and
the target's reference point are at the impact point. What starts the target is the time to collision to the impact point, which is
right at every speed of the subject vehicle inside its tolerance; the start is placed so that the steps until it moves cost nothing.

At a junction the subject vehicle turns into the side road first and meets the target there, when it drives straight on again. Then what
it has travelled starts the target, since a time to collision along the heading says nothing in a turn.
"""

from __future__ import annotations

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.plan import FUNCTIONAL_PART, SUBJECT, TARGET, Plan
from regc.manoeuvres.surroundings import shaped_road, straight_road
from regc.manoeuvres.system import approach_system
from regc.model.stage import Change, Moment, Stage

_QUARTER_TURN = "1.5707963267948966"


def stage(plan: Plan) -> Stage:
    """See above. Raises StagingError where the target cannot be hidden or cannot reach its speed."""
    turns = plan.word("junction", "no") == "yes"
    kind = approach.crossing_target(plan, _turn_speed(plan) if turns else "subject.speed")
    hidden = plan.word("obstructed", "no")
    before = _start(plan, hidden)
    if turns:
        return _after_turn(plan, kind, hidden)
    approach.whole_steps(plan, "start_ttc", before)
    plan.add(SUBJECT, "subject", x="subject.start.x", speed="subject.speed")
    plan.derive("impact.x", "subject.start.x + subject.front + subject.speed * time_to_contact", "m")
    if plan.has("overlap"):
        plan.derive("impact.y", f"side * (0.5 - {plan.si('overlap')}) * subject.width", "m")
    plan.track("crossing", "overrun", "m", "A834", "overrun")
    after = None if hidden == "run_up" else FUNCTIONAL_PART
    _cross(plan, kind, plan.moment("target.begins", "ttc", of=SUBJECT, to="impact", value="start_ttc", after=after))
    _obstruct(plan, hidden)
    functional = approach.functional_part(plan, "impact")
    approach.ends(plan, time="time_to_contact", passed="impact")
    system = approach_system(plan, "impact", crossed_in="subject.width / 2 / target_speed")
    approach.driver(plan, "impact")
    road = straight_road(plan, "impact.x + subject.speed * after_end")
    return plan.finish(road, functional, impact=True, system=system)


def _turn_speed(plan: Plan) -> str:
    """The line `turn_speed`: the test speed, or the layout's where that is lower."""
    plan.measure_subject()
    plan.layout("crossing_after_turn", "turn_speed", "m/s", "layout_turn_speed")
    slows = plan["subject.speed"] > plan["layout_turn_speed"]
    return plan.derive("turn_speed", "layout_turn_speed" if slows else "subject.speed", "m/s")


def _after_turn(plan: Plan, kind: str, hidden: str) -> Stage:
    """The subject vehicle slows down for the turn, where the test speed is above that of the turn, and turns at a constant speed. The
    functional part begins at its time to collision along the heading, before the turn; that of a hidden target by the way to the
    impact."""
    for name, unit in (("turn_side", "1"), ("turn_radius", "m"), ("turn_straight", "m"), ("arm", "m")):
        plan.layout("crossing_after_turn", name, unit, name)
    plan.common("deceleration")
    plan.derive("slowing_way", "(subject.speed * subject.speed - turn_speed * turn_speed) / (2 * deceleration)", "m")
    plan.derive("turn_way", f"turn_radius * {_QUARTER_TURN}", "m")
    # before the steering: for the functional part, and for what starts the target
    plan.derive("start_way", "turn_speed * start_ttc - turn_way - turn_straight", "m")
    if hidden == "run_up":
        plan.derive("functional_way", "turn_speed * functional_ttc - turn_way - turn_straight", "m")
    else:
        beside = "turn_side * side * (start_distance + reference)"
        ahead = f"turn_speed * functional_ttc + {beside} + target.rear + subject.front - turn_radius"
        plan.derive("functional_way", ahead, "m")
    plan.derive("settled_way", "max(start_way, functional_way, 0) + turn_speed", "m")
    plan.derive("steer_way", "subject.speed * approach_time + slowing_way + settled_way", "m")
    plan.derive("impact_way", "steer_way + turn_way + turn_straight", "m")
    plan.derive("impact.x", "subject.start.x + steer_way + turn_radius", "m")
    plan.derive("meeting_y", "turn_side * (turn_radius + turn_straight + subject.front)", "m")
    plan.derive("impact.y", "meeting_y", "m")
    plan.derive("end_way", "impact_way + subject.length", "m")
    changes: tuple[Change, ...] = ()
    if plan["subject.speed"] > plan["turn_speed"]:
        when = approach.gone(plan, "subject.slows_down.when", SUBJECT, "subject.speed * approach_time", "subject.speed")
        changes = (plan.change(SUBJECT, "slows_down", when, "turn_speed", "deceleration"),)
    legs = [("steer_way", ""), ("turn_way", "turn_side / turn_radius"), ("turn_straight + subject.length + arm", "")]
    plan.add(SUBJECT, "subject", x="subject.start.x", legs=legs, speed="subject.speed", changes=changes)
    plan.track("crossing", "overrun", "m", "A834", "overrun")
    begins = approach.gone(plan, "target.begins", SUBJECT, "steer_way - start_way", "turn_speed")
    _cross(plan, kind, begins)
    _obstruct(plan, hidden)
    functional = approach.gone(plan, "functional_part", SUBJECT, "steer_way - functional_way", "turn_speed")
    plan.events["steering_begins"] = plan.moment("events.steering_begins", "travelled", of=SUBJECT, value="steer_way", unit="m")
    slowing = "2 * slowing_way / (subject.speed + turn_speed)"
    met = f"approach_time + {slowing} + (impact_way - steer_way + settled_way) / turn_speed"
    approach.ends(plan, time=met, travelled="end_way")
    plan.derive("met_at", met, "s")
    system = approach_system(plan, TARGET, crossed_in="subject.width / 2 / target_speed", met_at="met_at")
    road = shaped_road(
        plan,
        straight_road(plan, "impact.x + arm"),
        "junction",
        size="turn_radius + road.lane_width / 2",
        arm="arm",
        centre="impact.x + road.lane_width / 2",
    )
    return plan.finish(road, functional, impact=True, system=system)


def _start(plan: Plan, hidden: str) -> float:
    """The lines `start_distance` (reference point to impact point), `start_ttc` (what starts the target) and its run-up; returns the
    time that must pass from the start of the run to that of the target."""
    reference = "target.reference" if "target.reference" in plan.sheet else "0"
    plan.derive("reference", reference, "m")
    player = plan.data.track.player
    ramp = hidden == "run_up" or plan.has("run_up")
    lag = player.ramp_lag if ramp else player.step_lag
    key = f"test_track.toml: player.{'ramp_lag' if ramp else 'step_lag'}"
    plan.sheet.assumed("lag_steps", lag, "1", "A835", player.reason, key)
    plan.derive("lag", "(lag_steps + phase) * step", "s")
    if hidden == "run_up":
        return _start_hidden(plan)
    if plan.has("run_up"):
        plan.layout("crossing", "run_up_share", "1", "run_up_share")
        plan.derive("run_up_distance", f"{plan.si('run_up')} * run_up_share", "m")
    else:
        plan.derive("run_up_distance", "0", "m")
    if plan.has("set_up"):
        aside = f" - (0.5 - {plan.si('overlap')}) * subject.width" if plan.has("overlap") else ""
        plan.derive("start_distance", f"{plan.si('set_up')}{aside}", "m")
        plan.derive("start_ttc", "(start_distance + run_up_distance) / target_speed + lag", "s")
        if plan["start_ttc"] > plan["functional_ttc"]:
            raise StagingError(
                f"{plan.scenario.id}: the target needs {plan['start_ttc']:.2f} s from where it is set up, and the functional part "
                f"begins {plan['functional_ttc']:.2f} s before the impact",
                hint="see set_up, target and ttc of the test",
            )
    else:
        plan.derive("start_ttc", "ttc", "s")
        plan.derive("start_distance", "target_speed * (start_ttc - lag) - run_up_distance", "m")
    return 0.0


def _start_hidden(plan: Plan) -> float:
    """The run-up lies before the functional part; what hides it ends where the whole target is free when the functional part starts."""
    for name, unit in (("acceleration", "m/s2"), ("emerging_time", "s"), ("spare_time", "s")):
        plan.layout("crossing", name, unit, name)
    plan.derive("run_up_distance", "target_speed * target_speed / (2 * acceleration)", "m")
    plan.derive("run_up_time", "target_speed / acceleration", "s")
    hidden = round(plan.steps(plan["run_up_time"] + plan["emerging_time"]), 9)
    reason = "run-up and emerging time, rounded up to whole steps"
    plan.sheet.assumed("hidden_time", hidden, "s", "A822", reason, "layouts.toml: crossing.emerging_time")
    plan.derive("start_ttc", "functional_ttc + hidden_time", "s")
    plan.derive("start_distance", "target_speed * (start_ttc - lag) - run_up_distance", "m")
    return plan["spare_time"]


def _cross(plan: Plan, kind: str, begins: Moment) -> None:
    """The target on its straight path; a step or a ramp of speed starts it. Where a system may brake, the run goes on behind the
    impact, and so does the path until the run's last bound: at the end of a path some players go on along the road."""
    way = "start_distance + reference + overrun"
    if plan.options.ego != "none":
        plan.track("timing", "after_end", "s", "A834", "after_end")
        way = f"{way} + target_speed * after_end"
    changes: tuple[Change, ...] = ()
    if plan["run_up_distance"] > 0:
        at = "start_ttc" if begins.kind == "ttc" else "target.begins"
        plan.derive("target.run_up.when", at, "s" if begins.kind == "ttc" else "m")
        changes = (plan.change(TARGET, "run_up", begins, "target_speed", "target_speed * target_speed / (2 * run_up_distance)"),)
    x, y = _placed(plan, "target.width / 2", "side * (start_distance + reference)")
    plan.add(
        TARGET,
        kind,
        x=x,
        y=y,
        heading=_across(plan),
        legs=[(way, "")],
        speed="" if changes else "target_speed",
        begins=begins,
        changes=changes,
    )


def _placed(plan: Plan, ahead: str, aside: str) -> tuple[str, str]:
    """Where something lies as seen from the subject vehicle that reaches the impact point: beyond it and to the left, m."""
    if "turn_side" in plan.sheet:
        return f"impact.x - turn_side * ({aside})", f"meeting_y + turn_side * ({ahead})"
    beyond = ahead.removeprefix("0 - ")
    sign = "-" if beyond != ahead else "+"
    middle = "impact.y + " if "impact.y" in plan.sheet else ""
    return f"impact.x {sign} {beyond}", f"{middle}{aside}"


def _across(plan: Plan) -> str:
    """The heading of who comes from `side`."""
    turned = f"turn_side * {_QUARTER_TURN}" if "turn_side" in plan.sheet else "0"
    return f"{turned} - side * {_QUARTER_TURN}"


def _obstruct(plan: Plan, hidden: str) -> None:
    if hidden == "run_up":
        _wall(plan)
    elif hidden == "yes":
        _parked(plan)


def _wall(plan: Plan) -> None:
    """Something between the subject vehicle and the target's way, beside that way."""
    role, kind = "obstruction", plan.kind("obstruction")
    plan.measure(role, kind, "A823")
    for name in ("obstacle_clearance", "obstacle_margin"):
        plan.layout("crossing", name, "m", name)
    plan.derive("hidden_edge", "target_speed * functional_ttc + reference + target.rear + obstacle_margin", "m")
    needed = plan["start_distance"] + plan["reference"] + plan["target.rear"] - plan["hidden_edge"]
    if needed > plan["obstruction.length"]:
        raise StagingError(
            f"{plan.scenario.id}: a {kind} of {plan['obstruction.length']:g} m does not hide a run-up of {needed:.1f} m",
            hint=f"give actors.{kind}.length in a file for --road-users",
        )
    middle = "hidden_edge + obstruction.length / 2"
    if plan["obstruction.front"] != plan["obstruction.length"] / 2:
        middle = "hidden_edge + obstruction.front"
    x, y = _placed(plan, "0 - obstacle_clearance - obstruction.width / 2", f"side * ({middle})")
    plan.add(
        role,
        kind,
        x=x,
        y=y,
        heading=_across(plan),
        thing=True,
    )


def _parked(plan: Plan) -> None:
    """Two vehicles, one behind the other, parked along the subject vehicle's path on the target's side."""
    kind = plan.kind("obstruction")
    for role in ("obstruction_1", "obstruction_2"):
        plan.measure(role, kind, "A823")
    for name in ("clearance", "spacing", "obstruction_ahead"):
        if plan.has(name):
            plan.derive(name, plan.si(name), "m")
        else:
            plan.layout("crossing", name, "m", name)
    lateral = "side * (subject.width / 2 + clearance + {0}.width / 2)"
    plan.add(
        "obstruction_1",
        kind,
        x="impact.x - obstruction_ahead - obstruction_1.front",
        y=lateral.format("obstruction_1"),
        thing=True,
    )
    plan.add(
        "obstruction_2",
        kind,
        x="obstruction_1.start.x - obstruction_1.rear - spacing - obstruction_2.front",
        y=lateral.format("obstruction_2"),
        thing=True,
    )
