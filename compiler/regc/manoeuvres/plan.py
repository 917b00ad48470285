"""A stage in the making: bindings, data and options become lines of the sheet, and lines become movers, moments and a road.

Every number of the finished stage is a line of the sheet under the name that model/stage.numbers gives it, so the parts are made from
the lines and not beside them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from regc.errors import DataFileError, StagingError
from regc.manoeuvres.corners import dependent, is_open
from regc.manoeuvres.data import ROAD_USERS, TEST_TRACK, Actor, StageData, Subject, WheeledActor
from regc.manoeuvres.sheet import Sheet, to_si
from regc.model.formula import rewritten
from regc.model.scenario import Scenario
from regc.model.source import SourceRef
from regc.model.stage import (
    Box,
    Change,
    Leg,
    Moment,
    MomentKind,
    Mover,
    Parameter,
    Pose,
    Road,
    Stage,
    System,
)
from regc.model.units import known_units
from regc.model.value import Value, Word

Ego = Literal["none", "external", "reference", "late"]

FUNCTIONAL_PART = Moment(kind="event", to="functional_part")
SUBJECT, TARGET = "subject", "target"
#: Unit of each condition of the surroundings.
_UNITS = {"temperature": "degC", "illumination": "lux", "wind": "m/s", "sun_azimuth": "rad", "sun_elevation": "rad"}


@dataclass(frozen=True)
class Options:
    """What whoever builds may choose. `approach`: s of driving before the functional part, more than the test asks. `nearside`:
    where a target crosses from, if the document leaves it open. `right_hand`: side of the road."""

    ego: Ego = "none"
    step: float = 0.01
    approach: float | None = None
    nearside: bool | None = None
    right_hand: bool = True


@dataclass
class Plan:
    """See above. Raises StagingError where a test cannot be laid out, DataFileError where a data file is at fault."""

    scenario: Scenario
    data: StageData
    options: Options = Options()
    sheet: Sheet = field(default_factory=Sheet)
    free: dict[str, Parameter] = field(default_factory=dict)
    movers: dict[str, Mover] = field(default_factory=dict)
    things: dict[str, Mover] = field(default_factory=dict)
    ends: list[Moment] = field(default_factory=list)
    events: dict[str, Moment] = field(default_factory=dict)
    driver: list[Change] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.follows = dependent(self.scenario)
        if not 0 < self.options.step <= 0.1:
            raise StagingError(f"--step {self.options.step:g}: a step is above 0 and at most 0.1 s", hint="0.01 s is common")
        self.sheet.assumed("step", self.options.step, "s", "A835", "the step that the player is run with", "--step")
        player = self.data.track.player
        for name in ("spare_steps", "phase"):
            self.sheet.assumed(name, getattr(player, name), "1", "A835", player.reason, f"{TEST_TRACK}: player.{name}")

    def fresh(self) -> Plan:
        """Another plan of the same test, for a trial."""
        return Plan(self.scenario, self.data, self.options)

    def __getitem__(self, line: str) -> float:
        return self.sheet[line]

    # ---- numbers

    def has(self, binding: str) -> bool:
        """Whether a number is bound to a name."""
        return self.scenario.number(binding) is not None

    def word(self, name: str, default: str = "") -> str:
        """The word bound to a name, or the value of the axis of that name."""
        bound = self.scenario.word(name)
        if bound is None and name in self.scenario.axes:
            bound = self.scenario.axes[name].value
        return default if bound is None else bound

    def si(self, binding: str) -> str:
        """The formula that gives a bound number in SI; its line is made. Raises StagingError where nothing is bound."""
        line = f"bind.{binding}"
        value = self.scenario.number(binding)
        if value is None:
            raise StagingError(
                f"{self.scenario.id}: the manoeuvre {self.scenario.manoeuvre} needs {binding}, and nothing is bound to it",
                hint=f"bind it in the profile: bind.{binding} = ...",
            )
        if line not in self.sheet and binding in self.follows:
            return rewritten(self.follows[binding], self.si)
        return self.si_of(line, binding, value)

    def si_of(self, line: str, binding: str, value: Value) -> str:
        """The formula that gives a number in SI; its line is made under the name given."""
        if line not in self.sheet:
            self._give(line, binding, value)
        factor, _ = self.unit(self.sheet.entries[line].unit, binding)
        return f"({line}{factor})" if factor else line

    def sources(self, name: str) -> tuple[SourceRef, ...]:
        """Where the word bound to a name, or the value of the axis of that name, stands."""
        bound = self.scenario.bind.get(name) or self.scenario.axes.get(name)
        return () if bound is None else bound.sources

    def undeclared(self, name: str) -> str:
        """The formula that gives the data file's number for something that the test does not bind."""
        line, taken = f"open.{name}", self.data.track.open.numbers[name]
        reason, key = self.data.track.open.reason, f"{TEST_TRACK}: open.{name}"
        self.sheet.assumed(line, taken.value, taken.unit, "A845", reason, key)
        return f"({line}{self.unit(taken.unit, line)[0]})"

    def unit(self, unit: str, what: str) -> tuple[str, str]:
        """What turns a number of a unit into SI, and the SI unit. Raises StagingError for an unknown one."""
        if unit not in known_units():
            known = ", ".join(known_units())
            raise StagingError(f"{self.scenario.id}: {what} is in {unit!r}, which is no known unit", hint=f"known: {known}")
        return to_si(unit)

    def _give(self, line: str, name: str, value: Value) -> None:
        """The line of a binding: its number, or what stands for it where it is open."""
        open_ = self.data.track.open
        if value.is_number and value.bound not in ("gt", "lt", "ne") and not value.differs:
            self.sheet.given(line, value.number, value)
            return
        parameter = self._parameter(line, name, value)
        if is_open(name, value):
            self.free[line] = parameter
        key = f"{TEST_TRACK}: open.{name}" if value.lo is None else f"{TEST_TRACK}: beyond.margins"
        if value.is_range:
            self.sheet.given(line, parameter.value, value)
        else:
            reason = open_.reason if value.lo is None else self.data.track.beyond.reason
            code = "A845" if value.lo is None else "A846"
            self.sheet.assumed(line, parameter.value, parameter.unit, code, reason, key, value.sources)

    def _parameter(self, line: str, name: str, value: Value) -> Parameter:
        if value.lo is None or value.hi is None:
            taken = self.data.track.open.numbers.get(name)
            if taken is None:
                raise StagingError(
                    f"{self.scenario.id}: {name} is {value.symbol}, which is not declared, and {TEST_TRACK} has no number for it",
                    hint=f"--declare NAME=VALUE, or open.{name} in a file for --test-track",
                )
            return Parameter(name=line, unit=taken.unit, value=Decimal(str(taken.value)), symbol=value.symbol)
        if value.is_range:
            return Parameter(name=line, unit=value.unit, value=value.lo, lo=value.lo, hi=value.hi)
        margin = Decimal(str(self.data.track.beyond.margins.get(value.unit, 0.1)))
        if value.bound == "lt":
            return Parameter(name=line, unit=value.unit, value=value.lo - margin, hi=value.hi, hi_open=True)
        lo = value.lo if value.bound == "gt" else None
        return Parameter(name=line, unit=value.unit, value=value.lo + margin, lo=lo, lo_open=lo is not None)

    def derive(self, line: str, formula: str, unit: str) -> str:
        """A derived line; returns its name."""
        return self.sheet.derived(line, formula, unit)

    def layout(self, table: str, name: str, unit: str, line: str = "") -> str:
        """A line from layouts.toml; returns its name."""
        layout = self.data.layouts.tables[table]
        code = "A843" if table == "common" else "A844"
        return self.sheet.assumed(
            line or f"layout.{name}", layout.numbers[name], unit, code, layout.reason, f"layouts.toml: {table}.{name}"
        )

    def common(self, *names: str) -> None:
        """Lines of what all manoeuvres share, under their own names."""
        units = {"speed_margin": "m/s", "deceleration": "m/s2"}
        for name in names:
            self.layout("common", name, units.get(name, "s"), name)

    def track(self, table: Literal["road", "timing", "crossing"], name: str, unit: str, code: str, line: str) -> str:
        """A line from test_track.toml; returns its name."""
        part = getattr(self.data.track, table)
        return self.sheet.assumed(line, getattr(part, name), unit, code, part.reason, f"{TEST_TRACK}: {table}.{name}")

    # ---- moments

    def moment(
        self,
        line: str,
        kind: MomentKind,
        *,
        of: str = "",
        to: str = "",
        value: str = "",
        unit: str = "s",
        delay: str = "",
        after: Moment | None = None,
    ) -> Moment:
        """A moment whose value and delay are formulas; they become lines under its name."""
        number = self[self.derive(line, value, unit)] if value else 0.0
        late = self[self.derive(f"{line}_delay", delay, "s")] if delay else 0.0
        return Moment(kind=kind, of=of, to=to, value=number, delay=late, after=after)

    def end(self, kind: MomentKind, **how: Any) -> None:
        """One more moment that ends the run."""
        self.ends.append(self.moment(f"end{len(self.ends) + 1}", kind, **how))

    def change(self, who: str, name: str, when: Moment, speed: str, rate: str) -> Change:
        """A change of speed of `who` (a role or "driver"); `when` was made under WHO.NAME.when."""
        return Change(
            name=name,
            when=when,
            speed=self[self.derive(f"{who}.{name}.speed", speed, "m/s")],
            rate=self[self.derive(f"{who}.{name}.rate", rate, "m/s2")],
        )

    # ---- who takes part

    def category(self) -> tuple[str, Subject]:
        """The table of the subject vehicle: of an axis value that has one, else of the first covered category that has one."""
        users, axes = self.data.road_users, self.scenario.axes.values()
        for axis in axes:
            if axis.value in users.subjects and axis.value != "default":
                return axis.value, users.subjects[axis.value]
        for category in (category for axis in axes for category in axis.covers):
            table, subject = users.subject(category)
            if table != "default":
                return table, subject
        return "default", users.subjects["default"]

    def measure_subject(self) -> None:
        """The lines of the subject vehicle's size, axles and mass, which the layout needs. Raises DataFileError for a vehicle that
        cannot drive the test."""
        table, subject = self.category()
        code, key = ("A814" if table == "default" else "A811"), f"{ROAD_USERS}: subjects.{table}"
        self._measure(SUBJECT, subject, code, key)
        heavy = self.word_of_condition("mass") == "max"
        mass = subject.mass_max if heavy else subject.mass_run
        self.sheet.assumed(f"{SUBJECT}.mass", mass, "kg", "A812", subject.mass_reason, f"{key}.mass_{'max' if heavy else 'run'}")
        self.derive(f"{SUBJECT}.speed", self.si("subject"), "m/s")
        if subject.max_speed < self[f"{SUBJECT}.speed"]:
            raise DataFileError(
                f"{ROAD_USERS}: subjects.{table}.max_speed: {subject.max_speed:g} m/s is below the test speed of {self.scenario.id}, "
                f"{self[f'{SUBJECT}.speed']:g} m/s",
                hint="give the vehicle's top speed in m/s",
            )

    def word_of_condition(self, name: str) -> str:
        """The word of a condition ("mass": max), or ""."""
        condition = self.scenario.conditions.get(name)
        return "" if condition is None or isinstance(condition, Value) else condition.word

    def kind(self, role: str) -> str:
        """The kind of who plays a role. Raises StagingError where nobody does."""
        for actor in self.scenario.actors:
            if actor.role == role:
                return actor.kind
        raise StagingError(
            f"{self.scenario.id}: nobody plays the role {role} of {self.scenario.manoeuvre}",
            hint=f"name who does in the profile: actors.{role} = ...",
        )

    def actor(self, kind: str) -> Actor:
        """The data of a kind. Raises StagingError for one that the data file does not have."""
        actors = self.data.road_users.actors
        if kind not in actors:
            raise StagingError(
                f"{self.scenario.id}: no size is known for a {kind}", hint=f"add actors.{kind} to a file for --road-users"
            )
        return actors[kind]

    def measure(self, role: str, kind: str, code: str = "A821", given: Iterable[tuple[str, str]] = ()) -> Actor:
        """The lines of an actor's size; `given`: measures that the test binds, as (field, binding)."""
        actor = self.actor(kind)
        bound = dict(given)
        self._measure(role, actor, code, f"{ROAD_USERS}: actors.{kind}", bound)
        key = f"{ROAD_USERS}: actors.{kind}"
        self.sheet.assumed(f"{role}.mass", actor.mass, "kg", code, actor.reason, f"{key}.mass")
        if actor.reference:
            self.sheet.assumed(f"{role}.reference", actor.reference, "m", code, actor.reason, f"{key}.reference")
        return actor

    def _measure(self, role: str, shape: Subject | Actor, code: str, key: str, given: dict[str, str] | None = None) -> None:
        for name in ("length", "width", "height"):
            if given and name in given:
                self.derive(f"{role}.{name}", self.si(given[name]), "m")
            else:
                self.sheet.assumed(f"{role}.{name}", getattr(shape, name), "m", code, shape.reason, f"{key}.{name}")
        if isinstance(shape, (Subject, WheeledActor)):
            self.sheet.assumed(f"{role}.rear", shape.rear_overhang, "m", code, shape.reason, f"{key}.rear_overhang")
            self.derive(f"{role}.front", f"{role}.length - {role}.rear", "m")
            units = {"max_steering": "rad", "max_speed": "m/s", "max_acceleration": "m/s2", "max_deceleration": "m/s2"}
            for name, number in shape.chassis():
                self.sheet.assumed(f"{role}.chassis.{name}", number, units.get(name, "m"), code, shape.reason, f"{key}.{name}")
        else:
            self.derive(f"{role}.front", f"{role}.length / 2", "m")
            self.derive(f"{role}.rear", f"{role}.length / 2", "m")

    def named(self, role: str) -> str:
        """What a role is called in the stage."""
        return role

    def add(
        self,
        role: str,
        kind: str,
        *,
        x: str,
        y: str = "",
        heading: str = "",
        legs: Iterable[tuple[str, str]] = (),
        speed: str = "",
        begins: Moment | None = None,
        changes: tuple[Change, ...] = (),
        thing: bool = False,
    ) -> Mover:
        """A mover of a measured role: `legs` as (length, curvature), all as formulas."""
        pose = Pose(
            x=self._number(f"{role}.start.x", x, "m"),
            y=self._number(f"{role}.start.y", y, "m"),
            heading=self._number(f"{role}.start.heading", heading, "rad"),
        )
        path = tuple(
            Leg(
                length=self._number(f"{role}.leg{count}.length", length, "m"),
                curvature=self._number(f"{role}.leg{count}.curvature", curvature, "1/m"),
            )
            for count, (length, curvature) in enumerate(legs, 1)
        )
        moves = self._number(f"{role}.speed", speed, "m/s")
        shape = self.category()[1] if role == SUBJECT else self.actor(kind)
        table = self.category()[0] if role == SUBJECT else kind
        name = self.named(role)
        mover = Mover(
            role=name,
            kind=kind,
            model=table,
            form=shape.form,
            box=Box(
                length=self[f"{role}.length"],
                width=self[f"{role}.width"],
                height=self[f"{role}.height"],
                front=self[f"{role}.front"],
                reference=self[f"{role}.reference"] if f"{role}.reference" in self.sheet else 0.0,
            ),
            chassis=shape.chassis() if isinstance(shape, (Subject, WheeledActor)) else None,
            mass=self[f"{role}.mass"],
            start=pose,
            path=path,
            speed=moves,
            begins=begins or Moment(kind="start"),
            changes=changes,
            passable=not isinstance(shape, Subject) and shape.passable,
        )
        (self.things if thing else self.movers)[name] = mover
        return mover

    def _number(self, line: str, formula: str, unit: str) -> float:
        """The value of a line, made of a formula unless it stands already; 0 for no formula."""
        if not formula:
            return 0.0
        return self[line if formula == line else self.derive(line, formula, unit)]

    # ---- the finished stage

    def steps(self, least: float) -> float:
        """The least multiple of the step that is not below a time, s."""
        step = self.options.step
        return math.ceil(least / step - 1e-6) * step

    def finish(
        self,
        road: Road,
        functional_part: Moment,
        *,
        impact: bool = False,
        system: System | None = None,
        variant: str = "",
    ) -> Stage:
        """The stage: `impact` where the lines impact.x and impact.y stand; surroundings and mass come from the conditions."""
        scenario = self.scenario
        around, date_time = _surroundings(self)
        pose = Pose(x=self["impact.x"], y=self["impact.y"] if "impact.y" in self.sheet else 0.0) if impact else None
        subject = self.movers.pop(SUBJECT)
        return Stage(
            scenario=scenario.id,
            variant=variant,
            regulation=scenario.regulation,
            edition=scenario.edition,
            wording=scenario.wording,
            clause=scenario.clause,
            manoeuvre=scenario.manoeuvre,
            title=scenario.title,
            status=scenario.status,
            road=road,
            subject=subject,
            others=tuple(self.movers.values()),
            things=tuple(self.things.values()),
            driver=tuple(self.driver),
            system=system or System(kind=self.options.ego),
            impact=pose,
            functional_part=functional_part,
            end=tuple(self.ends),
            events=self.events,
            environment=around,
            date_time=date_time,
            headlamps=self.word_of_condition("headlamps"),
            step=self.options.step,
            free=tuple(self.free.values()),
            require=scenario.require,
            assumed=self.sheet.assumptions(),
            sheet=self.sheet.entries,
        )


def _allows(bound: Value, number: float) -> bool:
    """Whether a number (in the unit of the condition) is inside what a condition allows."""
    if bound.lo is None or bound.hi is None:
        return True
    lo, hi = float(bound.lo), float(bound.hi)
    if bound.is_range:
        return lo <= number <= hi
    sides = {"ge": number >= lo, "gt": number > lo, "le": number <= hi, "lt": number < hi, "ne": number != lo}
    return sides.get(bound.bound, number == lo)


def _surroundings(plan: Plan) -> tuple[dict[str, float], str]:
    """Environment by name, and the date and time of the sun: a number of the document where it gives one, else one of the data
    file that lies inside what the document allows. Raises DataFileError for an assumed value that the document excludes."""
    data, conditions = plan.data.track, plan.scenario.conditions
    day, date_time = data.surroundings, data.surroundings.date_time
    numbers = {"illumination": day.illumination, "sun_elevation": day.sun_elevation}
    key, code, reason = "surroundings", "A832", day.reason
    if _dark(conditions.get("illumination"), data.night.below):
        numbers = {"illumination": data.night.illumination, "sun_elevation": data.night.sun_elevation}
        key, code, reason, date_time = "night", "A833", data.night.reason, data.night.date_time
    values: dict[str, float] = {}
    for name, unit in (*_UNITS.items(), ("visual_range", "m"), ("pressure", "Pa")):
        own = name in numbers
        value = numbers[name] if own else getattr(day, name)
        bound = conditions.get(name)
        if isinstance(bound, Value) and bound.is_number and bound.bound == "eq" and bound.unit == unit:
            plan.sheet.given(f"environment.{name}", bound.number, bound)
            values[name] = float(bound.number)
            continue
        if isinstance(bound, Value):
            _check(plan, name, bound, value, f"{key if own else 'surroundings'}.{name}")
        plan.sheet.assumed(
            f"environment.{name}",
            value,
            unit,
            code if own else "A832",
            reason if own else day.reason,
            f"{TEST_TRACK}: {key if own else 'surroundings'}.{name}",
        )
        values[name] = value
    return values, date_time


def _dark(light: Value | Word | None, below: float) -> bool:
    """Whether a condition allows less light than `below` lux only."""
    return isinstance(light, Value) and light.hi is not None and light.bound in ("le", "lt", "eq") and float(light.hi) <= below


def _check(plan: Plan, name: str, bound: Value, value: float, key: str) -> None:
    if bound.unit not in ("", _UNITS[name]):
        raise DataFileError(f"{TEST_TRACK}: {key}: the document gives {name} in {bound.unit}, the file in {_UNITS[name]}", hint="")
    if not _allows(bound, value):
        said = f"{bound.bound} {bound.lo}" if bound.is_number else f"{bound.lo} to {bound.hi}"
        place = bound.sources[0].label() if bound.sources else plan.scenario.id
        raise DataFileError(
            f"{TEST_TRACK}: {key}: {value:g} {_UNITS[name]} is not what {plan.scenario.id} allows ({said} {bound.unit}; {place})",
            hint="give a value inside it in the file for --test-track",
        )
