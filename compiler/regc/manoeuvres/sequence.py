"""Phases in a row, driven in one run: the subject vehicle's legs of one phase follow those of the phase before.

A part is what one manoeuvre adds: legs of the subject vehicle, and perhaps a target. At the end of each part the subject vehicle
drives straight on in a lane at its speed, so that any part may follow. The event "phase_NAME" is the beginning of a phase; the next
phase's, or "sequence_over", is its end. Lines of the first phase stand under "phase1.".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.phase_system import Marks, keeps_lane, phase_system
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.surroundings import lane, lane_markings, marking_width, straight_road
from regc.manoeuvres.system import braking_before
from regc.model.scenario import Actor, Phase
from regc.model.stage import Moment, Stage, System
from regc.model.value import Value


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
    course = Course(plan)
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
    return course.finished(phases)


@dataclass
class Course:
    """The subject vehicle's way so far. `legs`: (length, curvature) as formulas; `time`, `way`, `x` and `y`: formulas of how long (s)
    and how far it has gone along its path, along the road and to the left (m). A subject vehicle at rest stays where it is."""

    plan: Plan
    legs: list[tuple[str, str]] = field(default_factory=list)
    time: str = "0"
    way: str = "0"
    x: str = "0"
    y: str = "0"
    name: str = ""
    targets: list[tuple[str, Actor]] = field(default_factory=list)
    behind: list[str] = field(default_factory=list)
    sides: set[str] = field(default_factory=set)
    marks: dict[str, Marks] = field(default_factory=dict)
    braking: System | None = None

    @property
    def rests(self) -> bool:
        """Whether the subject vehicle stands."""
        return not self.plan["subject.speed"] > 0

    def go(self, length: str, curvature: str = "", *, along: str = "", aside: str = "", time: str = "") -> None:
        """One more leg; `along` and `aside`: how far it leads along the road (its length) and to the left (0), m; `time`: s that it
        takes, where that was there before its length."""
        self.legs.append((length, curvature))
        self.time = f"{self.time} + {time or f'{length} / subject.speed'}"
        self.way = f"{self.way} + {length}"
        self.x = f"{self.x} + {along or length}"
        if aside:
            self.y = f"{self.y} + {aside}"

    def begin(self, phase: Phase) -> None:
        """The lines of where and when a phase begins, and its event. Phases are counted: a name may be a word of formulas ("pass")."""
        self.name = f"phase{int(self.name.removeprefix('phase') or 0) + 1}"
        plan, name = self.plan, self.name
        self.way, self.x = (plan.derive(f"{name}.{part}", held, "m") for part, held in (("way", self.way), ("x", self.x)))
        if self.y != "0":
            self.y = plan.derive(f"{name}.y", self.y, "m")
        self.time = plan.derive(f"{name}.begins", self.time, "s")
        self.announce(f"phase_{phase.name}", self.way, self.time)
        self.marks[phase.name] = Marks(begins=self.time)

    def mark(self, phase: Phase, *, line: str = "", changed: str = "") -> None:
        """When the line would be reached or the lane is changed in a phase, as formulas in s."""
        self.marks[phase.name] = replace(self.marks[phase.name], line=line, changed=changed)

    def over(self, phase: Phase) -> None:
        """A phase has been laid out."""
        self.marks[phase.name] = replace(self.marks[phase.name], ends=self.time)

    def announce(self, event: str, way: str, time: str) -> None:
        """An event where the subject vehicle has gone a way, or has waited so long."""
        line = f"events.{event}"
        self.plan.events[event] = self.moment(line, way, time)

    def moment(self, line: str, way: str, time: str) -> Moment:
        """When the subject vehicle has gone a way, or has waited so long."""
        if self.rests or self.braking is not None:
            return self.plan.moment(line, "time", value=time)
        return approach.gone(self.plan, line, SUBJECT, way, "subject.speed")

    def si(self, phase: Phase, binding: str) -> str:
        """The formula of what a phase binds, in SI; "" where it binds nothing of that name."""
        value = phase.bind.get(binding)
        if not isinstance(value, Value):
            return ""
        if value == self.plan.scenario.bind.get(binding):
            return self.plan.si(binding)
        return self.plan.si_of(f"{self.name}.{binding}", binding, value)

    def layout(self, table: str, name: str, unit: str) -> str:
        """A line of layouts.toml under the phase's name."""
        return self.plan.layout(table, name, unit, f"{self.name}.{name}")

    def side(self, table: str) -> str:
        """The line `side`, +1 for the left, which the first phase that needs one sets; the lane on that side is there."""
        if "side" not in self.plan.sheet:
            approach.side(self.plan, table)
        self.sides.add("lanes_left" if self.plan["side"] > 0 else "lanes_right")
        return "side"

    def meets(self, phase: Phase) -> bool:
        """Whether a phase brings a target, which is measured then; one that the document names at the same place is met again."""
        actor = next((actor for actor in phase.actors if actor.role == TARGET), None)
        if actor is None or any((one.kind, one.sources) == (actor.kind, actor.sources) for _, one in self.targets):
            return False
        role = TARGET if not self.targets else f"{TARGET}{len(self.targets) + 1}"
        self.targets.append((role, actor))
        self.plan.measure(role, actor.kind)
        return True

    @property
    def role(self) -> str:
        """The target that was met last: "target", "target2"."""
        return self.targets[-1][0]

    def place(self, ahead: str, y: str, speed: str) -> None:
        """The target met last: its origin is `ahead` m of the subject vehicle's where the phase begins, and it drives straight at
        `speed` all the time."""
        plan, name, role = self.plan, self.name, self.role
        plan.derive(f"{role}_speed", speed, "m/s")
        plan.derive(f"{role}_ahead", f"{name}.x + {ahead} - {role}_speed * {name}.begins", "m")
        self.behind.append(f"{role}.rear - {role}_ahead")
        plan.derive(f"{role}_y", y, "m")

    def wait_for(self, system: System) -> None:
        """Straight on until the last of several warnings is over."""
        plan, count = self.plan, len(system.lasts)
        if count < 2:
            return
        time = plan.derive("waits", f"max(0, system.warns{count} + {system.lasts[-1]:g} + 4 * spare_steps * step - ({self.time}))", "s")
        if plan[time] > 0:
            self.go(plan.derive("waits_way", f"subject.speed * {time}", "m"), time=time)

    def finished(self, phases: tuple[Phase, ...]) -> Stage:
        """The stage of the whole course."""
        plan = self.plan
        system = phase_system(plan, phases, self.marks, self.braking or System(kind=plan.options.ego))
        self.wait_for(system)
        plan.derive("end_way", self.way, "m")
        spare = "spare_steps * step"
        self.announce("sequence_over", f"end_way - {spare} * subject.speed", f"{self.time} - {spare}")
        plan.derive("subject.start.x", f"lead_in + max({', '.join(['0', *self.behind])})" if self.behind else "lead_in + 0", "m")
        legs = [] if self.rests else [*self.legs, ("subject.speed", "")]
        plan.add(SUBJECT, "subject", x="subject.start.x", legs=legs, speed="" if self.rests else "subject.speed")
        reach = f"subject.start.x + {self.x} + subject.speed"
        for role, actor in self.targets:
            moves = plan[f"{role}_speed"] > 0
            plan.add(role, actor.kind, x=f"subject.start.x + {role}_ahead", y=f"{role}_y", speed=f"{role}_speed" if moves else "")
        functional = self.moment("functional_part", "phase1.way", "phase1.begins")
        contact = tuple(role for role, _ in self.targets)
        approach.ends(plan, time=self.time, contact=contact, stops=not self.rests, travelled="" if self.rests else "end_way")
        if self.targets:
            reach = f"max({', '.join([reach, *(f'subject.start.x + {role}_ahead + {role}_speed * end_time' for role in contact)])})"
        road = straight_road(plan, reach, **dict.fromkeys(sorted(self.sides), 1))
        return plan.finish(road.model_copy(update={"markings": lane_markings(plan)}), functional, system=system)


# ---------------------------------------------------------------- parts


def _follow_lane(course: Course, phase: Phase) -> None:
    """Straight on in the lane for a while."""
    time = course.layout("follow_lane", "time", "s")
    course.go(course.plan.derive(f"{course.name}.straight", f"subject.speed * {time}", "m"), time=time)


def _leave_lane(course: Course, phase: Phase) -> None:
    """A drift until the outside of a front tyre is well past the marking, and back to the middle of the lane in two arcs."""
    plan, name = course.plan, course.name
    side = course.side("leave_lane")
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
    side = course.side("approach_from_rear")
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
    course.place(f"(0 - subject.rear - {distance} - target.front)", f"{course.y} + {side} * road.lane_width", speed)
    way = f"{distance} + target.length + subject.length + {clear}"
    passing = plan.derive(f"{name}.passing", f"({way}) / ({course.role}_speed - subject.speed)", "s")
    course.go(plan.derive(f"{name}.straight", f"subject.speed * {passing}", "m"), time=passing)


def _lane_change(course: Course, phase: Phase) -> None:
    """Two arcs into the lane beside, behind a slower target in the own lane where the phase brings one."""
    plan, name = course.plan, course.name
    if course.rests:
        raise StagingError(f"{plan.scenario.id}: a vehicle at rest does not change lanes", hint="see subject of the test")
    side = course.side("lane_change")
    if course.meets(phase):
        speed = course.si(phase, "target")
        if not speed:
            relative = course.si(phase, "relative") or plan.undeclared("relative")
            speed = f"max(0, subject.speed - {relative})"
        headway = course.layout("lane_change", "headway", "s")
        course.place(f"subject.front + {headway} * subject.speed + target.rear", course.y, speed)
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


def _in_lane(course: Course, phase: Phase) -> None:
    """The subject vehicle comes up behind a slower or standing target in its lane; the last phase, since the two meet in it."""
    plan, name = course.plan, course.name
    if not course.meets(phase):
        raise StagingError(f"{plan.scenario.id}: nobody new is ahead in phase {phase.name}", hint="see actors of the phase")
    speed = course.si(phase, "target")
    if not speed:
        relative = course.si(phase, "relative") or plan.undeclared("relative")
        speed = f"max(0, subject.speed - {relative})"
    if plan.sheet.calculate(speed) >= plan["subject.speed"]:
        raise StagingError(
            f"{plan.scenario.id}: at {plan['subject.speed']:g} m/s nobody comes up to a target at {plan.sheet.calculate(speed):g} m/s",
            hint="see target and subject of the test; --declare gives what is not declared",
        )
    ttc, closing = course.si(phase, "ttc"), f"(subject.speed - {speed})"
    gap = course.si(phase, "gap") or f"{ttc or course.layout('in_lane_part', 'ttc', 's')} * {closing}"
    course.place(f"subject.front + {gap} + {course.role}.rear", course.y, speed)
    plan.derive("closing_speed", f"subject.speed - {course.role}_speed", "m/s")
    meeting = plan.derive(f"{name}.meeting", f"{gap} / closing_speed", "s")
    course.braking = braking_before(plan, f"{name}.begins + {meeting}", f"{course.role}_speed")
    course.go(plan.derive(f"{name}.straight", f"subject.speed * {meeting}", "m"), time=meeting)
    settle = plan.layout("common", "after_time", "s", f"{name}.after_time")
    course.go(plan.derive(f"{name}.settles", f"subject.speed * {settle}", "m"), time=settle)


#: Manoeuvre -> what it adds to a course.
PARTS: dict[str, Callable[[Course, Phase], None]] = {
    "follow_lane": _follow_lane,
    "leave_lane": _leave_lane,
    "drift": _leave_lane,
    "approach_from_rear": _approach_from_rear,
    "lane_change": _lane_change,
    "in_lane": _in_lane,
}
