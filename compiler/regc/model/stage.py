"""A test laid out so that a simulator can drive it, whatever the simulator: road, movers with paths and speed changes, moments, ends.

SI units (m, s, rad, m/s, m/s2, kg): x along the road in the driving direction, y to the left, the subject vehicle's lane centre on
y = 0. Stages are laid out for right-hand traffic and mirrored whole for left-hand traffic. Whatever of this is not the regulation's
stands in `assumed` with its code.

Every number is also a line of `sheet`: given by the document (in its own unit), assumed, or calculated from other lines by its
formula (model/formula.py). A target that writes parameters instead of numbers, the sidecar and the second reader work from these
lines; `numbers` says which line belongs to which number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from regc.model.criterion import Criterion
from regc.model.source import Basis, Digits, Frozen, SourceRef, Wording

MomentKind = Literal[
    "start", "time", "ttc", "headway", "gap", "travelled", "speed", "event", "contact", "standstill", "passed", "apart"
]


class Pose(Frozen):
    """Where an origin stands; `heading` counter-clockwise from the x axis."""

    x: float
    y: float
    heading: float = 0.0


class Box(Frozen):
    """A bounding box and its origin. `front`: from the origin to the front end (vehicles: the rear axle; people and things: the
    centre). `reference`: from the origin forward to the point that the regulation measures at (a bicycle's crankshaft, a car's rear
    end)."""

    length: float
    width: float
    height: float
    front: float
    reference: float = 0.0

    @property
    def middle(self) -> float:
        """From the origin forward to the middle."""
        return self.front - self.length / 2

    @property
    def rear(self) -> float:
        """From the origin back to the rear end."""
        return self.length - self.front


class Leg(Frozen):
    """A piece of a path: `curvature` in 1/m (left positive). A change of lane is two arcs. Behind the last leg it goes straight on."""

    length: float
    curvature: float = 0.0


class Moment(Frozen):
    """When something holds.

    start: at once. time: `value` s after the start. ttc: the time to collision of `of` to `to` (a role, or "impact", the stage's
    impact point) is at most `value` s, measured along the heading of `of` from its front. headway: the time gap is at most `value` s.
    gap: the distance from the front of `of` to `to` is at most `value` m. travelled: `of` has gone `value` m along its path. speed:
    `of` drives at most `value` m/s. event: `to` began a step ago or before: "functional_part", an event of the stage, a Change by its
    name, or an event of the system ("warning", "braking"). contact: of `of` and `to`. standstill: of `of`. passed: the rear of `of` is
    past the whole of `to` (past the point, for "impact"). apart: `of` does not close in on `to` any more. `after`: not before that
    moment. `delay`: s later.
    """

    kind: MomentKind
    of: str = ""
    to: str = ""
    value: float = 0.0
    after: Moment | None = None
    delay: float = 0.0


class Change(Frozen):
    """From a moment on the speed goes to `speed` at `rate` (m/s2 > 0; 0: at once). `name` is for events in files and logs."""

    name: str
    when: Moment
    speed: float
    rate: float


class Chassis(Frozen):
    """Axles and performance of a vehicle on wheels; m, rad, m/s, m/s2. The origin is the rear axle; `track_width`: between the middles
    of the tyres, so that the outside of a front tyre lies (track_width + tyre_width) / 2 beside the centre line."""

    wheelbase: float
    track_width: float
    tyre_width: float
    wheel_diameter: float
    max_steering: float
    max_speed: float
    max_acceleration: float
    max_deceleration: float


class Mover(Frozen):
    """A road user or a thing. `role` is unique in a stage ("subject", "target", "pair_left"); `kind` of the vocabulary; `model`: the
    entry of the data file that gave the box. `form`: car, van, truck, bus, motorcycle, bicycle, pedestrian or object, as players and
    catalogues sort it. `begins`: when it starts along its path at `speed` (start: from the beginning), until then it stands; with a
    run-up `speed` is 0 and a change at the same moment gives it its speed. A thing has no path.
    `passable`: may be driven over or touched without a contact (a steel plate). `mass` where the test states or the data file gives
    one; `chassis` for what has wheels.
    """

    role: str
    kind: str
    model: str
    form: Literal["car", "van", "truck", "bus", "motorcycle", "bicycle", "pedestrian", "object"]
    box: Box
    chassis: Chassis | None = None
    mass: float | None = None
    start: Pose
    path: tuple[Leg, ...] = ()
    speed: float = 0.0
    begins: Moment = Moment(kind="start")
    changes: tuple[Change, ...] = ()
    passable: bool = False


class Marking(Frozen):
    """A longitudinal marking: lateral position of its centre (m), its width (m) and pattern."""

    y: float
    width: float
    pattern: Literal["solid", "broken"]


class Road(Frozen):
    """straight: `length`. curve: a straight of `entry`, then an arc of `radius` (centre line of the subject vehicle's lane; left
    positive) over `arc`, in an S-bend a straight `between` and an arc of `counter_radius` over `counter`, then straight. junction: a
    crossing whose middle lies at x = `centre`, arms of `arm` from it. `lanes_left`, `lanes_right`: lanes of the same direction beside
    the subject vehicle's own; `oncoming`: lanes of the other direction, left of them. `friction`: peak coefficient. `length` is of the
    whole road along x or the path."""

    kind: Literal["straight", "curve", "junction"]
    length: float
    lane_width: float
    lanes_left: int = 0
    lanes_right: int = 0
    oncoming: int = 1
    paved_side: float = 30.0
    friction: float = 0.9
    slope: float = 0.0
    entry: float = 0.0
    radius: float = 0.0
    arc: float = 0.0
    between: float = 0.0
    counter_radius: float = 0.0
    counter: float = 0.0
    centre: float = 0.0
    size: float = 0.0
    arm: float = 0.0
    markings: tuple[Marking, ...] = ()


class Entry(Frozen):
    """A line of the sheet. A number of the test ("bind.subject", 60, "km/h") stands in its own unit, cited or derived as the test says,
    without a formula here. Every other line is derived: `formula` over lines, SI ("subject.speed" = "bind.subject * 5 / 18"); or
    assumed: `assumption`, `reason`, and `key`, the place in a data file that replaces it."""

    value: float
    unit: str
    basis: Basis
    formula: str = ""
    sources: tuple[SourceRef, ...] = ()
    assumption: str | None = None
    reason: str = ""
    key: str = ""


class Parameter(Frozen):
    """A binding that the test leaves open: a range, a one-sided value or a symbol. `name` is its line in the sheet ("bind.subject"),
    `value` what this stage takes for it; unit and numbers are the regulation's. An open end is not itself allowed."""

    name: str
    unit: str
    value: Digits
    lo: Digits | None = None
    hi: Digits | None = None
    lo_open: bool = False
    hi_open: bool = False
    symbol: str = ""


class Assumption(Frozen):
    """What the simulation needs and the document does not say. `key`: file and key that replace it ("road_users.toml: M1.length")."""

    code: str
    what: str
    value: str
    key: str
    reason: str


class System(Frozen):
    """The system under test as a file or an engine can play it. none: nothing acts. external: a slot for the real one. reference and
    late: warns at `warns`, brakes at `brakes` with `demand` (m/s2) down to `floor` (m/s). Where it warns several times: `again`, the
    later ones, and `lasts`, s of each; a warning lasts to the end where it has none."""

    kind: Literal["none", "external", "reference", "late"] = "none"
    warns: Moment | None = None
    again: tuple[Moment, ...] = ()
    lasts: tuple[float, ...] = ()
    brakes: Moment | None = None
    demand: float = 0.0
    floor: float = 0.0

    def warnings(self) -> dict[str, Moment]:
        """Event -> moment of each warning: "warning", "warning_2"."""
        moments = (*((self.warns,) if self.warns is not None else ()), *self.again)
        return {"warning" if count == 1 else f"warning_{count}": moment for count, moment in enumerate(moments, 1)}


class Stage(Frozen):
    """One test, ready to be driven. `variant`: what tells apart several stages of one scenario (which object stands there). `things`
    stand still and hit nobody by themselves. `driver`: what the driver of the subject vehicle does (brakes, releases); `system`, what
    is under test, comes on top. `impact`: where subject and target would meet without a system. `functional_part`: its beginning, the
    event "functional_part". `end`: the first that holds ends the run. `events`: moments that files announce by name. `environment`:
    temperature (degC), illumination (lux), wind (m/s), pressure (Pa), sun_azimuth, sun_elevation (rad), visual_range (m); `date_time`
    of the sun (ISO 8601). `step`: s, for which start positions and moments are made. `sheet`: name -> line; names are paths of this
    stage ("subject.speed", "target.start.x") or auxiliary ("approach_time").
    """

    scenario: str
    variant: str = ""
    regulation: str
    edition: str
    wording: Wording
    clause: str
    manoeuvre: str
    title: str
    status: str
    road: Road
    subject: Mover
    others: tuple[Mover, ...] = ()
    things: tuple[Mover, ...] = ()
    driver: tuple[Change, ...] = ()
    system: System = System()
    impact: Pose | None = None
    functional_part: Moment
    end: tuple[Moment, ...]
    events: dict[str, Moment] = {}
    environment: dict[str, float] = {}
    date_time: str = ""
    headlamps: str = ""
    step: float = 0.01
    traffic: Literal["rht", "lht"] = "rht"
    free: tuple[Parameter, ...] = ()
    require: tuple[Criterion, ...] = ()
    assumed: tuple[Assumption, ...] = ()
    sheet: dict[str, Entry] = {}

    @property
    def stem(self) -> str:
        """The name of its files without an ending."""
        return f"{self.scenario}_{self.variant}" if self.variant else self.scenario

    def mover(self, role: str) -> Mover:
        """The mover or thing with that role; raises KeyError."""
        for mover in (self.subject, *self.others, *self.things):
            if mover.role == role:
                return mover
        raise KeyError(role)

    def mirrored(self) -> Stage:
        """The stage on the other side of the x axis, for left-hand traffic. The road stays as described: it is built on the other
        hand."""
        sheet = dict(self.sheet)
        for name in sheet:
            if name == "impact.y" or name.endswith((".start.y", ".start.heading", ".curvature")):
                line = sheet[name]
                turned = f"0 - ({line.formula})" if line.formula else ""
                sheet[name] = line.model_copy(update={"value": -line.value + 0.0, "formula": turned})
        return self.model_copy(
            update={
                "subject": _mirrored(self.subject),
                "others": tuple(_mirrored(mover) for mover in self.others),
                "things": tuple(_mirrored(mover) for mover in self.things),
                "impact": None if self.impact is None else _turned(self.impact),
                "traffic": "lht" if self.traffic == "rht" else "rht",
                "sheet": sheet,
            }
        )


def _turned(pose: Pose) -> Pose:
    return Pose(x=pose.x, y=-pose.y + 0.0, heading=-pose.heading + 0.0)


def _mirrored(mover: Mover) -> Mover:
    path = tuple(Leg(length=leg.length, curvature=-leg.curvature + 0.0) for leg in mover.path)
    return mover.model_copy(update={"start": _turned(mover.start), "path": path})


class Staged(Frozen):
    """What the tests of a suite became. `stages`: concrete ones, each a file. `logical`: with free parameters, for tests that leave
    something open. `left_out`: scenario id -> why it cannot be driven."""

    stages: tuple[Stage, ...] = ()
    logical: tuple[Stage, ...] = ()
    left_out: dict[str, str] = {}


def numbers(stage: Stage) -> Iterator[tuple[str, float]]:
    """Every number of a stage's geometry and timing with the name of its line in the sheet, zeros that nothing set left out.

    Names: ROLE.length .width .height .front .reference .mass .speed .start.x .start.y .start.heading, ROLE.leg1.length .curvature,
    ROLE.begins, ROLE.CHANGE.when .speed .rate, driver.CHANGE..., ROLE.chassis.FIELD, impact.x .y, functional_part, end1, events.NAME,
    system.warns .brakes .demand .floor, road.FIELD, road.marking1.y .width, environment.NAME. Beside a moment's value stand its
    _delay and, with _after, the moment before.
    """
    for name, value in _all_numbers(stage):
        if value:
            yield name, value


def _all_numbers(stage: Stage) -> Iterator[tuple[str, float]]:
    for mover in (stage.subject, *stage.others, *stage.things):
        yield from _fields(mover.role, mover.box)
        yield f"{mover.role}.mass", mover.mass or 0.0
        yield f"{mover.role}.speed", mover.speed
        yield from _fields(f"{mover.role}.start", mover.start)
        yield from _fields(f"{mover.role}.chassis", mover.chassis)
        for count, leg in enumerate(mover.path, 1):
            yield from _fields(f"{mover.role}.leg{count}", leg)
        yield from _moment(f"{mover.role}.begins", mover.begins)
        yield from _changes(mover.role, mover.changes)
    yield from _changes("driver", stage.driver)
    yield from _fields("impact", stage.impact)
    yield from _moment("functional_part", stage.functional_part)
    for count, moment in enumerate(stage.end, 1):
        yield from _moment(f"end{count}", moment)
    for name, moment in stage.events.items():
        yield from _moment(f"events.{name}", moment)
    yield from _moment("system.warns", stage.system.warns)
    for count, moment in enumerate(stage.system.again, 2):
        yield from _moment(f"system.warns{count}", moment)
    yield from _moment("system.brakes", stage.system.brakes)
    yield from _fields("system", stage.system)
    yield from _fields("road", stage.road)
    for count, marking in enumerate(stage.road.markings, 1):
        yield from _fields(f"road.marking{count}", marking)
    for name, value in stage.environment.items():
        yield f"environment.{name}", value


def _fields(name: str, part: Frozen | None) -> Iterator[tuple[str, float]]:
    if part is not None:
        for field in type(part).model_fields:
            value = getattr(part, field)
            if isinstance(value, float):
                yield f"{name}.{field}", value


def _moment(name: str, moment: Moment | None) -> Iterator[tuple[str, float]]:
    if moment is not None:
        yield name, moment.value
        yield f"{name}_delay", moment.delay
        yield from _moment(f"{name}_after", moment.after)


def _changes(name: str, changes: tuple[Change, ...]) -> Iterator[tuple[str, float]]:
    for change in changes:
        yield from _moment(f"{name}.{change.name}.when", change.when)
        yield f"{name}.{change.name}.speed", change.speed
        yield f"{name}.{change.name}.rate", change.rate


Moment.model_rebuild()
