"""Phases in a row, driven in one run: the subject vehicle's legs of one phase follow those of the phase before.

A part is what one manoeuvre adds: legs of the subject vehicle, perhaps a curve of the road, and who takes part. At the end of each part
the subject vehicle drives straight on in a lane at its speed, so that any part may follow, unless it meets its target: that part is the
last. The event "phase_NAME" is the beginning of a phase; the next phase's, or "sequence_over", is its end. Lines of the first phase
stand under "phase1.".
"""

from __future__ import annotations

from collections.abc import Callable

from regc.errors import StagingError
from regc.manoeuvres import approach, pass_between, pass_over
from regc.manoeuvres.course import Course
from regc.manoeuvres.crossing import Way, cross, obstruct, start
from regc.manoeuvres.curve import pose_around, radius_of, target_around
from regc.manoeuvres.paths import lane_change
from regc.manoeuvres.phase_system import keeps_lane
from regc.manoeuvres.plan import TARGET, Plan
from regc.manoeuvres.road import lane, marking_width
from regc.manoeuvres.system import braking_before, wants_nothing
from regc.model.scenario import Phase
from regc.model.stage import Stage


def stage(plan: Plan) -> Stage:
    """The functional part begins with the first phase. Raises StagingError for a phase that cannot follow another."""
    return laid_out(plan, plan.scenario.phases)


def alone(plan: Plan) -> Stage:
    """A test that is one part."""
    scenario = plan.scenario
    return laid_out(plan, (Phase(name=scenario.manoeuvre, manoeuvre=scenario.manoeuvre, bind=scenario.bind, actors=scenario.actors),))


def laid_out(plan: Plan, phases: tuple[Phase, ...]) -> Stage:
    """Phases in a row, after a straight approach."""
    plan.measure_subject()
    lane(plan, start="lead_in")
    marking_width(plan)
    approach.straight_time(plan)
    plan.derive("settled", "subject.speed * approach_time", "m")
    course = Course(plan, phases)
    course.go("settled", time="approach_time")
    for index, phase in enumerate(phases):
        if course.braking is not None:
            raise StagingError(
                f"{plan.scenario.id}: nothing follows phase {phases[index - 1].name}, in which the target is met",
                hint="let it be the last phase; the test is in text, CSV and scenarios.json",
            )
        part = PARTS.get(phase.manoeuvre)
        if part is None:
            raise StagingError(
                f"{plan.scenario.id}: {phase.manoeuvre} (phase {phase.name}) is no part of a sequence that can be laid out",
                hint=f"parts: {', '.join(PARTS)}; the test is in text, CSV and scenarios.json",
            )
        course.begin(phase)
        part(course, phase)
        course.over(phase)
    return course.finished()


# ---------------------------------------------------------------- parts


def _follow_lane(course: Course, phase: Phase) -> None:
    """Straight on in the lane for a while."""
    time = course.layout("follow_lane", "time", "s")
    course.go(course.plan.derive(f"{course.name}.straight", f"subject.speed * {time}", "m"), time=time)


def _leave_lane(course: Course, phase: Phase) -> None:
    """A drift until the outside of a front tyre is well past the marking, and back to the middle of the lane in two arcs."""
    plan, name = course.plan, course.name
    if course.y != "0":
        said = f"{plan.scenario.id}: phase {phase.name} is about the line of the first lane, which was left before"
        raise StagingError(said, hint="see the order of the phases")
    side = course.side(phase, "leave_lane")
    rate = course.si(phase, "rate") or course.layout("leave_lane", "rate", "m/s")
    lateral, beyond, settle = (
        course.layout("leave_lane", what, unit)
        for what, unit in (("lateral_acceleration", "m/s2"), ("beyond_line", "m"), ("settle_time", "s"))
    )
    if not 0 < plan.sheet.calculate(rate) < plan["subject.speed"] / 2:
        raise StagingError(
            f"{plan.scenario.id}: a vehicle at {plan['subject.speed']:g} m/s does not drift at {plan.sheet.calculate(rate):g} m/s",
            hint="see subject and rate of the test",
        )
    turn = plan.derive(f"{name}.turn", f"asin({rate} / subject.speed)", "rad")
    radius = plan.derive(f"{name}.radius", f"subject.speed * subject.speed / {lateral}", "m")
    half = "(subject.chassis.track_width + subject.chassis.tyre_width) / 2"
    turned = f"{radius} * (1 - cos({turn})) + subject.chassis.wheelbase * sin({turn}) + {half} * cos({turn})"
    to_line = plan.derive(f"{name}.to_line", f"road.lane_width / 2 + marking_width / 2 - ({turned})", "m")
    if plan[to_line] <= 0:
        raise StagingError(
            f"{plan.scenario.id}: the vehicle is over the line before it has settled in its drift",
            hint="a wider lane, or a greater lateral_acceleration of leave_lane in a file for --layouts",
        )
    line = f"{radius} * {turn} + {to_line} / sin({turn})"
    kept = keeps_lane(plan, phase.name)
    if kept:
        spare = course.layout("leave_lane", "kept_before_line", "m")
        out_of_it = f"max(0, {to_line} - {spare} - {radius} * (1 - cos({turn})))"
        straight = plan.derive(f"{name}.straight", f"{out_of_it} / sin({turn})", "m")
    else:
        straight = plan.derive(f"{name}.straight", f"({to_line} + {beyond}) / sin({turn})", "m")
        course.announce(f"line_{phase.name}", f"{name}.way + {line}", "")
    course.mark(phase, line=f"{name}.begins + ({f'{radius} * {turn} + {straight}' if kept else line}) / subject.speed")
    aside = plan.derive(f"{name}.aside", f"2 * {radius} * (1 - cos({turn})) + {straight} * sin({turn})", "m")
    back = plan.derive(f"{name}.back", f"acos(1 - {aside} / (2 * {radius}))", "rad")
    out, home = f"{side} / {radius}", f"0 - {side} / {radius}"
    course.go(f"{radius} * {turn}", out, along=f"{radius} * sin({turn})")
    course.go(straight, along=f"{straight} * cos({turn})")
    for angle, curvature in ((turn, home), (back, home), (back, out)):
        course.go(f"{radius} * {angle}", curvature, along=f"{radius} * sin({angle})")
    course.go(plan.derive(f"{name}.settles", f"subject.speed * {settle}", "m"))


def _approach_from_rear(course: Course, phase: Phase) -> None:
    """The target comes up in the lane beside and passes the subject vehicle, which drives straight on, entirely."""
    plan, name = course.plan, course.name
    if not course.meets(phase):
        raise StagingError(f"{plan.scenario.id}: nobody new comes from behind in phase {phase.name}", hint="see actors of the phase")
    side = course.side(phase, "approach_from_rear")
    speed = course.si(phase, "target")
    if not speed:
        relative = course.si(phase, "relative") or course.layout("approach_from_rear", "relative", "m/s")
        speed = f"subject.speed + {relative}"
    if plan.sheet.calculate(speed) <= plan["subject.speed"]:
        raise StagingError(
            f"{plan.scenario.id}: a target at {plan.sheet.calculate(speed):g} m/s does not come up to a vehicle at "
            f"{plan['subject.speed']:g} m/s",
            hint="see target and subject of the test; --declare gives what is not declared",
        )
    distance = course.si(phase, "distance") or course.layout("approach_from_rear", "distance", "m")
    clear = course.layout("approach_from_rear", "clear", "m")
    course.place(f"(0 - subject.rear - {distance} - {course.role}.front)", f"{course.y} + {side} * road.lane_width", speed)
    way = f"{distance} + {course.role}.length + subject.length + {clear}"
    passing = plan.derive(f"{name}.passing", f"({way}) / ({course.role}_speed - subject.speed)", "s")
    course.go(plan.derive(f"{name}.straight", f"subject.speed * {passing}", "m"), time=passing)


def _lane_change(course: Course, phase: Phase) -> None:
    """Two arcs into the lane beside, behind a slower target in the own lane where the phase brings one."""
    plan, name = course.plan, course.name
    if course.rests:
        raise StagingError(f"{plan.scenario.id}: a vehicle at rest does not change lanes", hint="see subject of the test")
    side = course.side(phase, "lane_change")
    if course.meets(phase):
        speed = course.si(phase, "target")
        if not speed:
            relative = course.si(phase, "relative") or plan.undeclared("relative")
            speed = f"max(0, subject.speed - {relative})"
        headway = course.layout("lane_change", "headway", "s")
        course.place(f"subject.front + {headway} * subject.speed + {course.role}.rear", course.y, speed)
    aside = plan.derive(f"{name}.aside", course.si(phase, "displacement") or "road.lane_width", "m")
    lateral = course.layout("lane_change", "lateral_acceleration", "m/s2")
    radius = plan.derive(f"{name}.radius", f"max(subject.speed * subject.speed / {lateral}, {aside})", "m")
    turn = plan.derive(f"{name}.turn", f"acos(1 - {aside} / (2 * {radius}))", "rad")
    settle = plan.layout("common", "after_time", "s", f"{name}.after_time")
    course.go(f"{radius} * {turn}", f"{side} / {radius}", along=f"{radius} * sin({turn})")
    course.go(f"{radius} * {turn}", f"0 - {side} / {radius}", along=f"{radius} * sin({turn})", aside=f"{side} * {aside}")
    changed = f"{name}.way + 2 * {radius} * {turn}"
    course.announce(f"changed_{phase.name}", changed, "")
    course.mark(phase, changed=f"{name}.begins + {radius} * {turn} / subject.speed")
    course.go(plan.derive(f"{name}.settles", f"subject.speed * {settle}", "m"))


def _target_speed(course: Course, phase: Phase) -> str:
    """Formula of the speed of a phase's target, bound or by its relative speed."""
    speed = course.si(phase, "target")
    return speed or f"max(0, subject.speed - {course.si(phase, 'relative') or course.plan.undeclared('relative')})"


def _new_target(course: Course, phase: Phase) -> None:
    """Raises StagingError where a phase names nobody who was not met before."""
    if not course.meets(phase):
        raise StagingError(f"{course.plan.scenario.id}: nobody new is ahead in phase {phase.name}", hint="see actors of the phase")


def _comes_up(course: Course, phase: Phase, speed: str) -> None:
    """Raises StagingError for a target that is not slower than the subject vehicle."""
    plan = course.plan
    if plan.sheet.calculate(speed) >= plan["subject.speed"]:
        raise StagingError(
            f"{plan.scenario.id}: at {plan['subject.speed']:g} m/s nobody comes up to a target at {plan.sheet.calculate(speed):g} m/s "
            f"(phase {phase.name})",
            hint="see target and subject of the test; --declare gives what is not declared",
        )


def _in_lane(course: Course, phase: Phase) -> None:
    """The subject vehicle comes up behind a slower or standing target in its lane."""
    _new_target(course, phase)
    speed = _target_speed(course, phase)
    _comes_up(course, phase, speed)
    if "target_deceleration" in phase.bind or "run_up" in phase.bind:
        raise StagingError(
            f"{course.plan.scenario.id}: a target that brakes or starts by itself (phase {phase.name}) is no part of a sequence",
            hint="a test of its own can have it; this one is in text, CSV and scenarios.json",
        )
    ttc, closing = course.si(phase, "ttc"), f"(subject.speed - {speed})"
    gap = course.si(phase, "gap") or f"{ttc or course.layout('in_lane_part', 'ttc', 's')} * {closing}"
    course.place(f"subject.front + {gap} + {course.role}.rear", course.y, speed)
    view = course.view(phase)
    view.derive("closing_speed", f"subject.speed - {course.role}_speed", "m/s")
    meeting = view.derive("meeting", f"{gap} / closing_speed", "s")
    _met(course, phase, meeting, floor=f"{course.role}_speed")
    approach.driver(view, TARGET)


def _met(course: Course, phase: Phase, time: str, *, floor: str = "", crossed_in: str = "", late_share: float = 1.0) -> None:
    """The subject vehicle drives straight on until it has met its target, `time` s (a line) after the phase began, and a while longer;
    the rest as for `approach_system`."""
    view, name = course.view(phase), course.name
    course.braking = braking_before(view, f"{name}.begins + {time}", floor, crossed_in=crossed_in, late_share=late_share)
    course.go(course.plan.derive(f"{name}.straight", f"subject.speed * {time}", "m"), time=time)
    settle = course.plan.layout("common", "after_time", "s", f"{name}.after_time")
    course.go(course.plan.derive(f"{name}.settles", f"subject.speed * {settle}", "m"), time=settle)


def _crossing(course: Course, phase: Phase) -> None:
    """A road user crosses and meets the front of the subject vehicle. The way that the vehicle has driven starts it, whatever held it
    up before."""
    _new_target(course, phase)
    view, name = course.view(phase), course.name
    if any(binding in phase.bind for binding in ("brake_ttc", "release_ttc")):
        raise StagingError(
            f"{view.scenario.id}: the driver acts by a time to collision in phase {phase.name}, and nobody is ahead in it",
            hint="a test of its own can have it; this one is in text, CSV and scenarios.json",
        )
    approach.side(view)
    view.derive("target_speed", view.si("target"), "m/s")
    if view["target_speed"] <= 0:
        message = f"{view.scenario.id}: a target at {view['target_speed']:g} m/s does not cross (phase {phase.name})"
        raise StagingError(message, hint="see target of the phase")
    view.derive("closing_speed", "subject.speed", "m/s")
    approach.time_to_collision(view)
    hidden = view.word("obstructed", "no")
    before = start(view, hidden)
    meeting = view.derive("time_to_contact", "functional_ttc", "s")
    if view.sheet.calculate(f"{name}.begins + time_to_contact - start_ttc") < before:
        raise StagingError(
            f"{view.scenario.id}: the target of phase {phase.name} must start {view['start_ttc']:.2f} s before it is met, and the run "
            "begins later",
            hint="--approach gives more time before the first phase",
        )
    way = Way(driven=f"{name}.way", middle="" if course.y == "0" else course.y)

    def lay_out() -> None:
        view.derive("impact.x", f"subject.start.x + {name}.x + subject.front + subject.speed * time_to_contact", "m")
        if view.has("overlap"):
            view.derive("impact.y", f"side * (0.5 - {view.si('overlap')}) * subject.width", "m")
        cross(view, view.kind(TARGET), hidden, way)
        obstruct(view, hidden, way)

    course.placed.append(lay_out)
    _met(course, phase, meeting, crossed_in="subject.width / 2 / target_speed")
    approach.driver(view, TARGET)


def _cut_in(course: Course, phase: Phase) -> None:
    """A slower road user of the lane beside changes into the subject vehicle's lane; the time to collision is that at its end."""
    _new_target(course, phase)
    speed = _target_speed(course, phase)
    _comes_up(course, phase, speed)
    view, name, role = course.view(phase), course.name, course.role
    side = course.side(phase, "cut_in")
    view.derive("target_speed", speed, "m/s")
    if view["target_speed"] <= 0:
        message = f"{view.scenario.id}: a target that stands does not cut in (phase {phase.name})"
        raise StagingError(message, hint="see target of the phase")
    lane_change(view, "cut_in", "target_speed")
    view.derive("closing_speed", "subject.speed - target_speed", "m/s")
    view.derive("ttc", view.si("ttc"), "s")
    meeting = view.derive("meeting", "change_time + ttc", "s")
    gap = view.derive("start_gap", "closing_speed * ttc + subject.speed * change_time - change_reach", "m")
    turn_out, turn_in = f"0 - {side} / {name}.radius", f"{side} / {name}.radius"
    legs = ((f"{name}.arc", turn_out), (f"{name}.arc", turn_in), (f"{name}.target_speed * end_time", ""))
    course.ride(
        role,
        view.kind(TARGET),
        f"subject.front + {gap} + {role}.rear",
        f"{course.y} + {side} * {name}.displacement",
        f"{name}.target_speed",
        legs,
    )
    _met(course, phase, meeting, floor="target_speed", late_share=0.8)
    approach.driver(view, TARGET)


def _cut_out(course: Course, phase: Phase) -> None:
    """The vehicle ahead changes lanes and uncovers what stands or drives slower behind it; the time to collision is the lead's to the
    target, when it begins to change lanes."""
    _new_target(course, phase)
    view, name, role = course.view(phase), course.name, course.role
    lead = view.named("lead")
    view.measure("lead", view.kind("lead"))
    course.solid.append(lead)
    view.derive("lead_speed", view.si("lead"), "m/s")
    view.derive("target_speed", view.si("target") if view.has("target") else "0", "m/s")
    view.derive("closing_speed", "subject.speed - target_speed", "m/s")
    view.derive("lead_closing_speed", "lead_speed - target_speed", "m/s")
    if view["lead_closing_speed"] <= 0 or view["closing_speed"] <= 0:
        message = f"{view.scenario.id}: lead and subject vehicle do not close in on the target (phase {phase.name})"
        raise StagingError(message, hint="see their speeds")
    side = course.side(phase, "cut_out")
    lane_change(view, "cut_out", "lead_speed")
    view.derive("ttc", view.si("ttc"), "s")
    view.layout("cut_out", "headway", "s", "headway")
    view.derive("lead_gap", "headway * subject.speed", "m")
    view.derive("start_gap", "lead_gap + lead.length + lead_closing_speed * ttc", "m")
    meeting = view.derive("meeting", "start_gap / closing_speed", "s")
    turn_out, turn_in = f"{side} / {name}.radius", f"0 - {side} / {name}.radius"
    legs = ((f"{name}.arc", turn_out), (f"{name}.arc", turn_in), (f"{name}.lead_speed * end_time", ""))
    course.ride(lead, view.kind("lead"), f"subject.front + {name}.lead_gap + {lead}.rear", course.y, f"{name}.lead_speed", legs)
    ahead = f"subject.front + {name}.start_gap + {role}.rear"
    course.ride(role, view.kind(TARGET), ahead, course.y, f"{name}.target_speed")
    _met(course, phase, meeting, floor="target_speed")
    approach.driver(view, TARGET)


def _curve(course: Course, phase: Phase) -> None:
    """The road bends once and the subject vehicle follows it; with a target it is met in the curve."""
    plan, name = course.plan, course.name
    if course.rests or course.bends:
        said = "a vehicle at rest follows no curve" if course.rests else "the road of a sequence bends once"
        raise StagingError(f"{plan.scenario.id}: {said} (phase {phase.name})", hint="see phases of the test")
    if "counter_radius" in phase.bind:
        said = f"{plan.scenario.id}: a road that bends back (phase {phase.name}) is no part of a sequence that can be laid out"
        raise StagingError(said, hint="a test of its own can have it; this one is in text, CSV and scenarios.json")
    view = course.view(phase)
    approach.side(view, "curve")
    side = f"{name}.side"
    radius_of(view)
    met = course.meets(phase)
    if met:
        approach.time_to_collision(view)
    entry = course.si(phase, "entry_length") or ("0" if not met else "functional_ttc * subject.speed")
    entry = view.derive("entry", f"max({entry}, functional_ttc * subject.speed)" if met else entry, "m")
    if met:
        target_around(view)
    view.layout("curve", "arc_behind", "m", "arc_behind")
    least = view.si("arc_length") if view.has("arc_length") else "0"
    arc = view.derive("arc", f"max({least}, {'target_way + ' if met else ''}arc_behind)", "m")
    middle = f"({name}.radius + {side} * ({course.y}))"
    plan.derive("bend.entry", f"{course.x} + {entry}", "m")
    plan.derive("bend.radius", f"{side} * {middle}", "m")
    plan.derive("bend.arc", f"{arc} * {middle} / {name}.radius", "m")
    if view["radius"] <= plan["road.lane_width"] or plan["bend.arc"] > 1.5 * abs(plan["bend.radius"]) * 3.14:
        raise StagingError(f"{plan.scenario.id}: no road bends so (phase {phase.name})", hint="see radius and arc_length of the phase")
    if not met:
        course.go(entry)
        course.go(arc, f"{side} / {name}.radius", along="bend.arc")
        settle = plan.layout("common", "after_time", "s", f"{name}.after_time")
        course.go(plan.derive(f"{name}.settles", f"max(subject.speed * {settle}, {course.si(phase, 'exit_length') or '0'})", "m"))
        return
    lateral = course.y

    def lay_out() -> None:
        x, y, heading = pose_around(view, f"subject.start.x + {name}.x + {entry}", lateral)
        Plan.add(view, TARGET, view.kind(TARGET), x=x, y=y, heading=heading)  # it is told where it stands in the curve, not along it

    course.placed.append(lay_out)
    view.derive("closing_speed", "subject.speed", "m/s")
    meeting = view.derive("meeting", "(entry + target_way - subject.front) / subject.speed", "s")
    course.braking = braking_before(view, f"{name}.begins + {meeting}", "")
    course.go(entry)
    course.go(arc, f"{side} / {name}.radius", along="bend.arc")
    course.go(plan.derive(f"{name}.settles", "subject.speed * 3", "m"))


def _pass(course: Course, phase: Phase, lay_out: Callable[[], None], length: str) -> None:
    """The subject vehicle goes straight past or over what stands there, `length` m long, at the test's distance; nothing should act."""
    view, name, plan = course.view(phase), course.name, course.plan
    view.derive("closing_speed", "subject.speed", "m/s")
    if not view.has("ttc") and view.has("approach_distance"):
        view.derive("ttc", f"{view.si('approach_distance')} / subject.speed", "s")
    approach.time_to_collision(view)
    meeting = view.derive("time_to_contact", "functional_ttc", "s")

    def placed() -> None:
        view.derive("impact.x", f"subject.start.x + {name}.x + subject.front + subject.speed * time_to_contact", "m")
        lay_out()

    course.placed.append(placed)
    if wants_nothing(view.scenario.require):
        course.passes(phase, f"{name}.begins + {meeting}")
    course.go(plan.derive(f"{name}.straight", f"subject.speed * {meeting}", "m"), time=meeting)
    course.go(view.derive("passing", f"{length} + subject.length", "m"))


def _pass_between(course: Course, phase: Phase) -> None:
    """Through the gap between two standing vehicles."""
    view = course.view(phase)
    pass_between.measure_pair(view)
    course.solid += [view.named(role) for role in pass_between.PAIR]
    _pass(course, phase, lambda: pass_between.place_pair(view, course.y), f"{view.named(pass_between.PAIR[0])}.length")


def _pass_over(course: Course, phase: Phase) -> None:
    """Over a thing that lies on the road."""
    view = course.view(phase)
    pass_over.measure_object(view)
    _pass(course, phase, lambda: pass_over.place_object(view, course.y), f"{view.named(pass_over.OBJECT)}.length")


#: Manoeuvre -> what it adds to a course.
PARTS: dict[str, Callable[[Course, Phase], None]] = {
    "follow_lane": _follow_lane,
    "leave_lane": _leave_lane,
    "drift": _leave_lane,
    "approach_from_rear": _approach_from_rear,
    "lane_change": _lane_change,
    "curve": _curve,
    "pass_between": _pass_between,
    "pass_over": _pass_over,
    "in_lane": _in_lane,
    "crossing": _crossing,
    "cut_in": _cut_in,
    "cut_out": _cut_out,
}
