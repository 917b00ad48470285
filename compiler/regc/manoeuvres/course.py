"""The subject vehicle's way through several phases, and where who it meets on it stands or drives.

Places are told along the road from the subject vehicle's start, in m, and to the left of the middle of the lane that it starts in; one
curve of the road may lie between (lines `bend.entry`, `bend.radius`, `bend.arc`, all of that middle). What is placed is laid out last,
when the road behind the subject vehicle is known to be long enough for who comes up from there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.corners import dependent
from regc.manoeuvres.phase_system import Marks, phase_system
from regc.manoeuvres.plan import SUBJECT, TARGET, Plan
from regc.manoeuvres.road import lane_markings, shaped_road, straight_road
from regc.manoeuvres.sheet import Sheet
from regc.manoeuvres.system import reaction_to_nothing
from regc.model.formula import names, rewritten
from regc.model.scenario import Phase, target_roles
from regc.model.stage import Entry, Moment, Mover, Stage, System
from regc.model.value import Value, Word
from regc.motion import play

#: Lines that belong to the whole course, whichever phase makes them.
_SHARED = ("subject", "road", "system", "driver", "events", "environment")
#: Who stands for a role of more than one.
_PARTS_OF = {"pair": ("pair_left", "pair_right"), "obstruction": ("obstruction", "obstruction_1", "obstruction_2")}

#: How often it is looked whether road users drive into each other, s.
_LOOKS_EVERY = 0.1


@dataclass(frozen=True)
class Ride:
    """A road user that drives along the road at one speed all the time. `at`: where its origin is at the time `when` (s), `y` aside;
    from there on it goes along `legs`. All formulas, but for the role and the kind."""

    role: str
    kind: str
    at: str
    when: str
    y: str
    speed: str
    legs: tuple[tuple[str, str], ...] = ()


@dataclass
class Course:
    """The subject vehicle's way so far. `legs`: (length, curvature) as formulas; `time`, `way`, `x` and `y`: formulas of how long (s)
    and how far it has gone along its path, along the road and to the left (m). A subject vehicle at rest stays where it is."""

    plan: Plan
    phases: tuple[Phase, ...]
    legs: list[tuple[str, str]] = field(default_factory=list)
    time: str = "0"
    way: str = "0"
    x: str = "0"
    y: str = "0"
    name: str = ""
    targets: dict[str, str] = field(default_factory=dict)
    rides: list[Ride] = field(default_factory=list)
    placed: list[Callable[[], object]] = field(default_factory=list)
    solid: list[str] = field(default_factory=list)
    lanes: dict[str, int] = field(default_factory=dict)
    marks: dict[str, Marks] = field(default_factory=dict)
    braking: System | None = None
    false_braking: System | None = None
    views: dict[str, PhasePlan] = field(default_factory=dict)

    @property
    def rests(self) -> bool:
        """Whether the subject vehicle stands."""
        return not self.plan["subject.speed"] > 0

    @property
    def bends(self) -> bool:
        """Whether the road has its curve already."""
        return "bend.radius" in self.plan.sheet

    # ---- the way

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
        self.plan.events[event] = self.moment(f"events.{event}", way, time)

    def moment(self, line: str, way: str, time: str) -> Moment:
        """When the subject vehicle has gone a way, or has waited so long."""
        if self.rests or self.braking is not None:
            return self.plan.moment(line, "time", value=time)
        return approach.gone(self.plan, line, SUBJECT, way, "subject.speed")

    # ---- numbers of a phase

    def si(self, phase: Phase, binding: str) -> str:
        """The formula of what a phase binds, in SI; "" where it binds nothing of that name."""
        value = phase.bind.get(binding)
        if not isinstance(value, Value):
            return ""
        if value == self.plan.scenario.bind.get(binding):
            return self.plan.si(binding)
        line, view = f"{self.name}.bind.{binding}", self.view(phase)
        if line not in self.plan.sheet and binding in view.follows:
            return rewritten(view.follows[binding], view.si)
        return self.plan.si_of(line, binding, value)

    def layout(self, table: str, name: str, unit: str) -> str:
        """A line of layouts.toml under the phase's name."""
        return self.plan.layout(table, name, unit, f"{self.name}.{name}")

    def side(self, phase: Phase, table: str) -> str:
        """The line that says the side, +1 for the left: of the phase, where it binds one, else of the first phase that needs one. The
        road has the lane beside the subject vehicle's on that side."""
        plan, word = self.plan, phase.bind.get("side")
        line = "side"
        if isinstance(word, Word) and word != plan.scenario.bind.get("side"):
            approach.side(self.view(phase))
            line = f"{self.name}.side"
        elif "side" not in plan.sheet:
            approach.side(plan, table)
        aside = round(plan.sheet.calculate(f"({self.y}) / road.lane_width + {line}"))
        hand = "lanes_left" if aside > 0 else "lanes_right"
        self.lanes[hand] = max(self.lanes.get(hand, 0), abs(aside))
        return line

    # ---- who is met

    def meets(self, phase: Phase) -> bool:
        """Whether a phase brings a target, which is measured then; one that the document names at the same place is met again."""
        role = target_roles(self.phases).get(phase.name)
        if role is None or role in self.targets:
            return False
        self.targets[role] = next(actor.kind for actor in phase.actors if actor.role == TARGET)
        self.solid.append(role)
        self.plan.measure(role, self.targets[role])
        return True

    @property
    def role(self) -> str:
        """The target that was met last: "target", "target2"."""
        return list(self.targets)[-1]

    def place(self, ahead: str, y: str, speed: str) -> None:
        """The target met last: its origin is `ahead` m of the subject vehicle's where the phase begins, and it drives straight at
        `speed` all the time."""
        role = self.role
        self.ride(role, self.targets[role], ahead, y, self.plan.derive(f"{role}_speed", speed, "m/s"))

    def ride(self, role: str, kind: str, ahead: str, y: str, speed: str, legs: tuple[tuple[str, str], ...] = ()) -> None:
        """A road user along the road: `ahead` m of the subject vehicle's origin where the phase begins, at the line `speed`; its own
        legs begin there."""
        self.rides.append(Ride(role, kind, f"{self.name}.x + {ahead}", f"{self.name}.begins", y, speed, legs))

    def view(self, phase: Phase) -> PhasePlan:
        """The phase as a test of its own, for what its manoeuvre lays out."""
        if phase.name not in self.views:
            scenario, plan = self.plan.scenario, self.plan
            require = tuple(item for item in scenario.require if item.phase in ("", phase.name))
            own = scenario.model_copy(
                update={"manoeuvre": phase.manoeuvre, "bind": phase.bind, "actors": phase.actors, "require": require, "phases": ()}
            )
            roles = {role: self._unused(role) for actor in phase.actors for role in _PARTS_OF.get(actor.role, (actor.role,))}
            if TARGET in roles:
                roles[TARGET] = target_roles(self.phases)[phase.name]
            sheet = PhaseSheet(plan.sheet, self.name, roles)
            view = PhasePlan(own, plan.data, plan.options, sheet, course=self, phase=phase, roles=roles)
            view.free, view.movers, view.things, view.events, view.driver = (
                plan.free,
                plan.movers,
                plan.things,
                plan.events,
                plan.driver,
            )
            self.views[phase.name] = view
        return self.views[phase.name]

    def _unused(self, role: str) -> str:
        """A role's name in the whole course: of the second phase that has it "lead2"."""
        taken = {name for view in self.views.values() for name in view.roles.values()}
        names = (role if count == 1 else f"{role}{count}" for count in range(1, len(taken) + 2))
        return next(name for name in names if name not in taken)

    # ---- places on a road with a curve

    def at_place(self, x: str, y: str, heading: str) -> tuple[str, str, str]:
        """The pose of what stands at x along the road, y aside and at a heading to it, as formulas; what of the curve lies before it
        has turned it."""
        plan = self.plan
        if not self.bends or plan.sheet.calculate(x) <= plan.sheet.calculate("subject.start.x + bend.entry"):
            return x, y, heading
        return self._turned(f"{x} - subject.start.x - bend.entry - bend.arc", "bend.arc", y or "0", heading)

    def _turned(self, past: str, arc: str, y: str, heading: str) -> tuple[str, str, str]:
        """The pose `past` m behind an arc of the curve that is `arc` m long in the middle of the road's first lane."""
        turn, aside = f"({arc}) / bend.radius", f"(bend.radius - ({y}))"
        x = f"subject.start.x + bend.entry + {aside} * sin({turn}) + ({past}) * cos({turn})"
        turned = f"{turn} + {heading}" if heading else turn
        return x, f"bend.radius - {aside} * cos({turn}) + ({past}) * sin({turn})", turned

    def _start(self, ride: Ride) -> str:
        """The line of where a ride starts, m along its own way from where the subject vehicle starts."""
        at = ride.at
        if self.bends and self.plan.sheet.calculate(f"{at} - bend.entry") > 0:
            at = f"{at} - bend.arc * ({ride.y}) / bend.radius"
        return self.plan.derive(f"{ride.role}_ahead", f"{at} - {ride.speed} * {ride.when}", "m")

    def _add(self, ride: Ride) -> None:
        """The mover of a ride, along the road's curve where that still lies ahead of it."""
        plan, start = self.plan, f"{ride.role}_ahead"
        moves = plan[ride.speed] > 0
        x, y, heading = f"subject.start.x + {start}", ride.y if ride.y != "0" else "", ""
        legs: list[tuple[str, str]] = []
        driven = start
        if self.bends:
            arc = f"bend.arc * (bend.radius - ({ride.y})) / bend.radius"
            into = plan.sheet.calculate(f"{start} - bend.entry")
            if into >= plan.sheet.calculate(arc):
                x, y, heading = self._turned(f"{start} - bend.entry - {arc}", "bend.arc", ride.y, "")
            elif into > 0:
                x, y, heading = self._turned("0", f"({start} - bend.entry) * bend.radius / (bend.radius - ({ride.y}))", ride.y, "")
                legs = [(f"bend.entry + {arc} - {start}", f"1 / (bend.radius - ({ride.y}))")]
                driven = f"(bend.entry + {arc})"
            elif moves and plan.sheet.calculate(f"{start} + {ride.speed} * end_time - bend.entry") > 0:
                legs = [(f"bend.entry - {start}", ""), (arc, f"1 / (bend.radius - ({ride.y}))")]
                driven = f"(bend.entry + {arc})"
        if ride.legs:
            there = f"{start} + {ride.speed} * {ride.when}"
            legs += [(f"{there} - {driven}", ""), *ride.legs]
        elif legs:
            legs.append((f"{ride.speed} * end_time", ""))
        plan.add(ride.role, ride.kind, x=x, y=y, heading=heading, legs=legs if moves else (), speed=ride.speed if moves else "")

    # ---- the end

    def wait_for(self, system: System) -> None:
        """Straight on until the last of several warnings is over."""
        plan, count = self.plan, len(system.lasts)
        if count < 2:
            return
        time = plan.derive("waits", f"max(0, system.warns{count} + {system.lasts[-1]:g} + 4 * spare_steps * step - ({self.time}))", "s")
        if plan[time] > 0:
            self.go(plan.derive("waits_way", f"subject.speed * {time}", "m"), time=time)

    def finished(self) -> Stage:
        """The stage of the whole course."""
        plan = self.plan
        braking = self.braking or self.false_braking or System(kind=plan.options.ego)
        system = phase_system(plan, self.phases, self.marks, braking)
        self.wait_for(system)
        plan.derive("end_way", self.way, "m")
        spare = "spare_steps * step"
        self.announce("sequence_over", f"end_way - {spare} * subject.speed", f"{self.time} - {spare}")
        behind = [f"{ride.role}.rear - {self._start(ride)}" for ride in self.rides]
        plan.derive("subject.start.x", f"lead_in + max({', '.join(['0', *behind])})" if behind else "lead_in + 0", "m")
        turns = any(curvature for _, curvature in self.legs)
        legs = [*self.legs, ("subject.speed", "")] if turns and not self.rests else []
        plan.add(SUBJECT, "subject", x="subject.start.x", legs=legs, speed="" if self.rests else "subject.speed")
        functional = self.moment("functional_part", "phase1.way", "phase1.begins")
        stops = not self.rests
        approach.ends(plan, time=self.time, contact=tuple(self.solid), stops=stops, travelled="" if self.rests else "end_way")
        for ride in self.rides:
            self._add(ride)
        for lay_out in self.placed:
            lay_out()
        reach = f"subject.start.x + {self.x} + subject.speed"
        if self.rides:
            farthest = (f"subject.start.x + {ride.role}_ahead + {ride.speed} * end_time" for ride in self.rides)
            reach = f"max({', '.join([reach, *farthest])})"
        road = straight_road(plan, reach, **{hand: count for hand, count in sorted(self.lanes.items()) if count})
        if self.bends:
            road = shaped_road(plan, road, "curve", entry="subject.start.x + bend.entry", radius="bend.radius + 0", arc="bend.arc + 0")
        stage = plan.finish(road.model_copy(update={"markings": lane_markings(plan)}), functional, system=system)
        self._go_free(stage)
        return stage

    def _go_free(self, stage: Stage) -> None:
        """Raises StagingError where a road user drives into another or into what stands there, before the subject vehicle meets it."""
        last_bound = next(moment.value for moment in stage.end if moment.kind == "time")
        run = play(stage.model_copy(update={"system": System()}), until=last_bound)
        pairs = [
            (one, two) for one in stage.others for two in (*stage.others, *stage.things) if one.role < two.role or two in stage.things
        ]
        last = run.contact.sample if run.contact is not None else run.time.size
        for sample in range(0, last, max(round(_LOOKS_EVERY / stage.step), 1)):
            for one, two in pairs:
                if not (one.passable or two.passable) and run.seen(one.role, two.role, sample).touching:
                    raise StagingError(
                        f"{stage.scenario}: {one.role} would drive into {two.role} at {run.time[sample]:.1f} s",
                        hint="see sides, speeds and order of the phases; one drives where another stands or drives",
                    )

    def passes(self, phase: Phase, met_at: str) -> None:
        """A phase in which nothing needs to act comes to what it passes at a time (formula, s): late brakes for the first of them."""
        if self.plan.options.ego == "late" and self.false_braking is None:
            self.false_braking = reaction_to_nothing(self.view(phase), met_at)


class PhaseSheet(Sheet):
    """The sheet of a course as a phase of it sees it: its own lines stand under the phase's name, and those of a road user under the
    name that it has in the whole course ("target2.width")."""

    def __init__(self, base: Sheet, phase: str, roles: Mapping[str, str]) -> None:
        super().__init__()
        self.base, self.phase, self.roles = base, phase, roles

    def named(self, name: str) -> str:
        """The name under which a line of this phase is written."""
        first, dot, rest = name.partition(".")
        if dot and first in self.roles:
            return f"{self.roles[first]}.{rest}"
        return name if first in _SHARED else f"{self.phase}.{name}"

    def meant(self, name: str) -> str:
        """The line that a name of a formula means: the phase's own, else the course's."""
        own = self.named(name)
        return own if own in self.base or name.partition(".")[0] in self.roles else name

    def __contains__(self, name: str) -> bool:
        return self.meant(name) in self.base

    def __getitem__(self, name: str) -> float:
        return self.base[self.meant(name)]

    def formula(self, name: str) -> str:
        return self.base.formula(self.meant(name))

    def calculate(self, formula: str) -> float:
        return self.base.calculate(self.meant_by(formula))

    def derived(self, name: str, formula: str, unit: str) -> str:
        return self.base.derived(self.named(name), self.meant_by(formula), unit)

    def meant_by(self, formula: str) -> str:
        changed = any(self.meant(name) != name for name in names(formula))
        return rewritten(formula, self.meant) if changed else formula

    def put(self, name: str, entry: Entry) -> str:
        return self.base.put(self.named(name), entry)


@dataclass
class PhasePlan(Plan):
    """A phase of a course as the plan of a test of its own: bindings, actors and lines are the phase's, and who it adds stands where
    the road leads in the whole course."""

    course: Course = field(kw_only=True)
    phase: Phase = field(kw_only=True)
    roles: Mapping[str, str] = field(kw_only=True)

    def __post_init__(self) -> None:
        self.follows = dependent(self.scenario)

    def si(self, binding: str) -> str:
        return self.course.si(self.phase, binding) or super().si(binding)

    def moment(self, line: str, kind: Any, *, of: str = "", to: str = "", **how: Any) -> Moment:
        return super().moment(line, kind, of=self.named(of), to=self.named(to), **how)

    def named(self, role: str) -> str:
        return self.roles.get(role, role)

    def add(self, role: str, kind: str, *, x: str, y: str = "", heading: str = "", **how: Any) -> Mover:
        x, y, heading = self.course.at_place(*(self.sheet_formula(part) for part in (x, y, heading)))
        return super().add(role, kind, x=x, y=y, heading=heading, **how)

    def sheet_formula(self, formula: str) -> str:
        """A formula of the phase over the course's lines; "" stays so."""
        return self.sheet.meant_by(formula) if formula and isinstance(self.sheet, PhaseSheet) else formula
