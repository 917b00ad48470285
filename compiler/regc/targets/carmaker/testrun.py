"""One TestRun: subject vehicle with load and driver, road, traffic with its own motion, what the driver does, and when it ends. And
the TestSeries over all of them: runs and repeats as the regulation has them, characteristic values, and those criteria that hold
in every run; a criterion that hangs on a condition is left to the judge.

Fr1, to which CarMaker gives start positions, is the rear end of a body on the road. Velocities of the subject vehicle are km/h,
those of traffic m/s.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from regc import wording
from regc.model.criterion import Criterion
from regc.model.scenario import Scenario
from regc.model.stage import Leg, Mover, Pose, Stage
from regc.model.suite import Suite
from regc.model.units import KMH, kmh, plain, si_of
from regc.model.value import Value
from regc.motion import Playback, length, play, vertices
from regc.targets.carmaker.syntax import Infofile, NoExpression, Quantities, body, expression, number

VERSION = "14"
#: s between the rows of a trajectory, and what is held after its last
_ROW, _HOLD = 0.25, 60.0
#: m between the points of a way along its arcs
_POINT = 0.5
_LIMIT = 600.0


def testrun(
    stage: Stage,
    data_sets: dict[str, str],
    driver: tuple[str, int],
    load: float,
    road: str | None,
    quantities: Quantities,
    notes: Sequence[str],
    creator: str,
) -> bytes:
    """The TestRun of a stage. `load`: kg on top of the data set; `road`: file of the project, None for a straight road inside the
    TestRun. Raises NoExpression for what CarMaker's expressions cannot hold."""
    file = Infofile(f"CarMaker-TestRun {VERSION}", creator)
    file.text("Description", (f"{stage.title} [{stage.stem}]", *notes))
    file.comment(f"assumed {item.code}: {item.what} = {item.value} ({item.key})" for item in stage.assumed)
    _vehicle(file, stage, data_sets, driver, load)
    _road(file, stage, road)
    _driver(file, stage, quantities)
    _traffic(file, stage, data_sets, quantities)
    file.section("Environment: dry, no wind")
    file.set("Env.Temperature", stage.environment.get("temperature", 20.0))
    for key in ("RainRate", "WindVelocity", "WindAngle", "FogDensity"):
        file.set(f"Env.{key}", "0")
    return file.content()


def _vehicle(file: Infofile, stage: Stage, data_sets: dict[str, str], driver: tuple[str, int], load: float) -> None:
    subject = stage.subject
    file.section("Subject vehicle and load: the data set has the mass in running order, the load what the test adds")
    file.set("Vehicle", data_sets[subject.role])
    file.set("Trailer")
    for wheel in range(4):
        file.set(f"Tire.{wheel}")
    file.set("Snapshot.TimeLimit")
    file.set("Snapshot.DistLimit")
    file.set("VehicleLoad.0.mass", f"$LoadMass={number(load)}")
    file.set("VehicleLoad.0.pos", f"{number(subject.box.length / 2)} 0 {number(subject.box.height / 2)}")
    file.set("Vehicle.DriverTemplate.FName", driver[0])
    file.set("Vehicle.Routing.Type", "Lane")
    file.set("Vehicle.StartPos.Type", "Global")
    file.set("Vehicle.StartPos", f"{number(subject.start.x - subject.box.rear)} {number(subject.start.y)} 0")
    file.set("Vehicle.StartPos.Orientation", "0 0 0")
    file.set("Driver.Consider.Traffic", "0")
    file.set("DrivMan.VhclOperator.Kind", "IPGOperator 1")
    file.set("DrivMan.Man.Start.GearNo", str(driver[1]))


# ---- road


def _road(file: Infofile, stage: Stage, road: str | None) -> None:
    file.section("Road")
    if road is not None:
        file.set("Road.FName", road)
        return
    plan = stage.road
    half = plan.lane_width * (0.5 + plan.lanes_left)
    side = 1.0 if stage.traffic == "rht" else -1.0
    for key, value in (
        ("FileIdent", "IPGRoad 7.0"), ("LibVersion", "7.1"), ("Country", "DEU"), ("nLinks", "1"), ("nJunctions", "0"), ("nRoutes", "0"),
        ("RoadNetworkLength", number(plan.length)), ("PathMode", "-1"), ("Link.0.ID", "0"), ("Link.0.Junctions", "-2 -1 -2 -1"),
        ("Link.0.Node0", f"0 {number(side * half)} 0 0"), ("Link.0.RST", "countryroad"), ("Link.0.RL.ID", "1"),
        ("Link.0.Seg.0.ID", "5"),
        ("Link.0.Seg.0.Type", "Straight"), ("Link.0.Seg.0.Param", f"{number(plan.length)} 0 0 0 0 0 0 0"),
        ("Link.0.LaneSection.0.ID", "6"), ("Link.0.LaneSection.0.Start", "0"),
    ):  # fmt: skip
        file.set(f"Road.{key}", value)
    own = 1 + plan.lanes_left + plan.lanes_right
    counts = {"R": own, "L": plan.oncoming} if side > 0 else {"L": own, "R": plan.oncoming}
    ident = 7
    for hand, count in counts.items():
        widths = [(plan.lane_width, "0")] * count + [(plan.paved_side, "5")]
        for lane, (width, kind) in enumerate(widths):
            prefix = f"Road.Link.0.LaneSection.0.Lane{hand}.{lane}"
            file.set(f"{prefix}.ID", str(ident))
            file.set(prefix, f"0 {number(width)} {number(width)} {kind} 0 0 0")
            ident += 1
    file.set("Road.MaxUsedObjId", str(ident))


# ---- driver


def _driver(file: Infofile, stage: Stage, quantities: Quantities) -> None:
    """Constant speed, then each change of speed from its moment on. A change of lane is the driver's offset from the lane's centre; a
    way that leaves the lane is a manoeuvre of its own beside those of the speed."""
    subject = stage.subject
    file.section("Driver: holds the speed and does not look at the traffic; the system under test brakes on its own")
    file.set("DrivMan.Man.Start.Velocity", f"$SubjectSpeed={number(kmh(subject.speed))}")
    steps: list[tuple[str, str, float]] = []  # dynamics, end condition, time limit
    speed, offset, dynamics = subject.speed, subject.start.y, f"VelControl $SubjectSpeed={number(kmh(subject.speed))} 0.0 1.0 0 1 0"
    for change in (*subject.changes, *stage.driver):
        delay = change.when.delay
        until = expression(stage, change.when.model_copy(update={"delay": 0.0}), quantities)
        if until != "1":
            steps.append((dynamics, f"rise({until})", 0.0))
        if delay:
            steps.append((dynamics, "", delay))
        lasting = abs(change.speed - speed) / change.rate if change.rate > 0 else 0.0
        shape = "linear" if lasting else "step"
        steps.append((f"VelTransition {number(kmh(change.speed))} {shape}", "", lasting or 0.1))
        speed, dynamics = change.speed, f"VelControl {number(kmh(change.speed))} 0.0 1.0 0 1 0"
    steps.append((dynamics, "", 0.0))
    last = max((moment.value for moment in stage.end if moment.kind == "time"), default=_LIMIT)
    steers = leaves_its_lane(stage)
    file.set("DrivMan.nMan", str(len(steps) + steers))
    if steers:
        _steps(file, "DrivMan.Man.0", long=0)
        file.text("DrivMan.Man.0.LatStep.0.Cmds", ())
        _follow(file, "DrivMan.Man.0.LatStep.0", way(subject, last), times=False)
    for count, (long, until, limit) in enumerate(steps, steers):
        prefix = f"DrivMan.Man.{count}"
        _steps(file, prefix, lat=0 if steers else 1)
        if until:
            file.set(f"{prefix}.EndCond", until)
        file.text(f"{prefix}.LongStep.0.Cmds", ())
        if limit:
            file.set(f"{prefix}.LongStep.0.TimeLimit", limit)
        file.set(f"{prefix}.LongStep.0.Dyn", long)
        if not steers:
            file.text(f"{prefix}.LatStep.0.Cmds", ())
            file.set(f"{prefix}.LatStep.0.Dyn", f"Driver {number(offset)}")
    file.set("DrivMan.Global.EndCond", f"rise(Time > {number(last)} || Sensor.Collision.Vhcl.Fr1.Count > 0)")


def leaves_its_lane(stage: Stage) -> bool:
    """Whether the subject vehicle's way is not along its lane: then the driver model's own way would not be the test's."""
    return stage.road.kind != "curve" and any(leg.curvature for leg in stage.subject.path)


def way(mover: Mover, last: float) -> list[tuple[float, float, float]]:
    """(x, y, heading in degrees) of the rear end along a path, as far as its speed leads in `last` s."""
    behind = max(mover.speed * last - length(mover.path), 0.0)
    path = (*mover.path, Leg(length=behind)) if behind else mover.path
    return [(*_rear_end(mover, pose), math.degrees(pose.heading)) for _, pose in vertices(mover.start, path, _POINT)]


def _rear_end(mover: Mover, pose: Pose) -> tuple[float, float]:
    return pose.x - mover.box.rear * math.cos(pose.heading), pose.y - mover.box.rear * math.sin(pose.heading)


def _steps(file: Infofile, prefix: str, *, long: int = 1, lat: int = 1) -> None:
    """The head of a manoeuvre; one without a step of one kind lasts beside those that have it."""
    for key, value in (
        ("nLongSteps", str(long)),
        ("nLatSteps", str(lat)),
        ("CombinedSteps", "1"),
        ("MaxExec", "1"),
        ("ConsiderDomain", "own"),
        ("Transition.Interrupt", "end"),
        ("Transition.EndCond", "end"),
        ("Transition.SimultanStart", "end"),
    ):
        file.set(f"{prefix}.{key}", value)


# ---- traffic


def _traffic(file: Infofile, stage: Stage, data_sets: dict[str, str], quantities: Quantities) -> None:
    movers = (*stage.others, *stage.things)
    file.section("Traffic")
    file.set("Traffic.N", str(len(movers)))
    file.set("Traffic.SpeedUnit", "ms")
    for index, mover in enumerate(movers):
        moves = mover not in stage.things and (mover.speed > 0 or bool(mover.changes))
        _body(file, index, mover, data_sets[mover.role], moves=moves)
        if moves:
            _motion(file, index, stage, mover, quantities)


def _body(file: Infofile, index: int, mover: Mover, template: str, *, moves: bool) -> None:
    prefix = f"Traffic.{index}"
    x, y = _rear_end(mover, mover.start)
    file.set(f"{prefix}.Name", body(mover.role))
    file.text(f"{prefix}.Info", ())
    file.set(f"{prefix}.DetectMask", "1 1")
    file.set(f"{prefix}.Template.FName", template)
    file.set(f"{prefix}.Routing.Type", "Off")
    file.set(f"{prefix}.StartPos.Type", "Global")
    file.set(f"{prefix}.StartPos", f"{number(x)} {number(y)} 0")
    file.set(f"{prefix}.StartPos.Orientation", f"0 0 {number(math.degrees(mover.start.heading))}")
    file.set(f"{prefix}.Man.TreatAtEnd", "FreezePos")
    file.set(f"{prefix}.nMan", "1" if moves else "0")


def _motion(file: Infofile, index: int, stage: Stage, mover: Mover, quantities: Quantities) -> None:
    """A constant speed along the road, or the trajectory that the stage's own player gives it, from its start on."""
    man = f"Traffic.{index}.Man"
    waits = mover.begins.kind != "start"
    if not waits and not mover.changes and not any(leg.curvature for leg in mover.path):
        file.set(f"{man}.Start.Velocity", mover.speed)
        _steps(file, f"{man}.0")
        file.set(f"{man}.0.LongStep.0.Limit", f"t {number(_LIMIT)}")
        file.set(f"{man}.0.LongStep.0.Dyn", f"VelTransition {number(mover.speed)} linear")
        file.set(f"{man}.0.LatStep.0.Limit", f"t {number(_LIMIT)}")
        return
    file.set(f"{man}.Start.Velocity", 0.0 if waits else mover.speed)
    _steps(file, f"{man}.0")
    if waits:
        file.set(f"{man}.0.StartCond", f"rise({expression(stage, mover.begins, quantities)})")
    rows = trajectory(mover, _undisturbed(stage))
    limit = f"t {number(rows[-1][3])}"
    file.set(f"{man}.0.LongStep.0.Limit", limit)
    file.set(f"{man}.0.LongStep.0.Dyn", "FollowTraj")
    file.set(f"{man}.0.LongStep.0.TimeRef", "Relative")
    file.set(f"{man}.0.LatStep.0.Limit", limit)
    _follow(file, f"{man}.0.LatStep.0", rows, times=True)


def _follow(file: Infofile, step: str, points: Iterable[tuple[float, ...]], *, times: bool) -> None:
    """A lateral step along points: x, y, heading in degrees, and with `times` s since it began; z is 0."""
    file.set(f"{step}.Dyn", "FollowTraj")
    file.set(f"{step}.Shape", "Linear")
    file.set(f"{step}.TimeChan", "1" if times else "0")
    file.set(f"{step}.Pos.Type", "Global")
    file.text(f"{step}.Data", (" ".join(f"{value + 0.0:.3f}" for value in (x, y, 0.0, *more)) for x, y, *more in points))


def _undisturbed(stage: Stage) -> Playback:
    """The stage with nobody braking, to its last bound: who is met moves on as if nothing had happened."""
    none = stage.system.model_copy(update={"kind": "none", "warns": None, "brakes": None})
    last = max((moment.value for moment in stage.end if moment.kind == "time"), default=_HOLD)
    return play(stage.model_copy(update={"system": none, "driver": ()}), until=last, to_end=False)


def trajectory(mover: Mover, played: Playback) -> list[tuple[float, float, float, float]]:
    """(x, y, heading in degrees, time) of the rear end, from the start of its motion on, held where it ends."""
    track, begins = played.tracks[mover.role], played.events.get(f"{mover.role}_begins", 0.0)
    if mover.begins.kind != "start" and f"{mover.role}_begins" not in played.events:
        raise NoExpression(f"{mover.role} never begins to move")
    first = round(begins / (played.time[1] - played.time[0]))
    stride = max(1, round(_ROW / (played.time[1] - played.time[0])))
    samples = [*range(first, played.time.size - 1, stride), played.time.size - 1]
    rows = []
    for sample in samples:
        pose = track.pose(sample)
        rows.append((*_rear_end(mover, pose), math.degrees(pose.heading), float(played.time[sample]) - begins))
    x, y, turn, time = rows[-1]
    return [*rows, (x, y, turn, time + _HOLD)]


_CONTACT = "Sensor.Collision.Vhcl.Fr1.Count"


@dataclass(frozen=True)
class SeriesCriterion:
    """A criterion as CarMaker's report can decide it."""

    name: str
    places: tuple[str, ...]
    good: str


def criteria(require: Sequence[Criterion]) -> tuple[list[SeriesCriterion], list[tuple[str, str]]]:
    """Those that the report decides, and (criterion, why not) of the others."""
    asked: list[SeriesCriterion] = []
    left: list[tuple[str, str]] = []
    for one in require:
        text = wording.criterion(one, require)
        if one.only_if or one.unless is not None or one.instead:
            left.append((text, "it is asked under a condition that no quantity of CarMaker holds"))
            continue
        good = _good(one)
        if good is None:
            left.append((text, "no quantity of CarMaker shows it"))
            continue
        sources = one.sources or (one.limit.value.sources if one.limit is not None else ())
        asked.append(SeriesCriterion(text, tuple(dict.fromkeys(source.label() for source in sources)), good))
    return asked, left


def _good(one: Criterion) -> str | None:
    if one.form in ("never", "happens") and one.a is not None and one.a.argument is None:
        wanted = {"contact": "Contacts", "warning": "WarningTime", "braking": "BrakingTime"}.get(one.a.name)
        sign = "== 0" if one.form == "never" else "> 0"
        return None if wanted is None else f"[get {wanted}] {sign}"
    events = (one.a.name if one.a else "", one.b.name if one.b else "")
    if one.form == "before" and events == ("warning", "braking"):
        by = _si(one.by) if one.by is not None and one.by.is_number else Decimal(0)
        return f"[get WarningTime] > 0 && [get BrakingTime] - [get WarningTime] >= {plain(by)}"
    if one.form == "measure" and one.limit is not None and one.limit.value.is_number and one.sign is not None:
        if one.signal == "impact_speed":
            return f"[get ImpactSpeed] {one.sign} {plain(_si(one.limit.value) * KMH, 2)}"
        if one.signal == "braking_demand":
            return f"[get MaxDeceleration] {one.sign} {plain(_si(one.limit.value))}"
    return None


def _si(value: Value) -> Decimal:
    return si_of(value.number, value.unit)


def series(suite: Suite, driven: Sequence[tuple[Scenario, Stage, float]], quantities: Quantities, folder: str, creator: str) -> bytes:
    """One group a test of the profile; `driven`: test, stage and load in kg."""
    file = Infofile("CarMaker-TestSeries 14", creator)
    file.text("Description", (suite.title, f"{suite.regulation} edition {suite.edition}, wording: {suite.wording}"))
    for key in ("LastChange", "StartTime", "EndTime", "ReportTemplate"):
        file.set(key)
    file.comment(sorted({f"assumed {item.code}: {item.what} ({item.key})" for _, stage, _ in driven for item in stage.assumed}))
    file.set("Step.0", "Settings")
    file.set("Step.0.Name", "Global Settings")
    groups: dict[str, list[tuple[Scenario, Stage, float]]] = defaultdict(list)
    for item in driven:
        groups[item[0].test].append(item)
    for group, (name, items) in enumerate(groups.items(), 1):
        file.set(f"Step.{group}", "Group")
        file.set(f"Step.{group}.Name", name)
        for index, (test, stage, load) in enumerate(items):
            _step(file, f"Step.{group}.{index}", test, stage, load, quantities, folder)
    return file.content()


def _step(file: Infofile, step: str, test: Scenario, stage: Stage, load: float, quantities: Quantities, folder: str) -> None:
    file.set(step, "TestRun")
    file.set(f"{step}.Name", f"{folder}/{stage.stem}")
    file.set(f"{step}.Param.0", "SubjectSpeed NValue")
    file.set(f"{step}.Param.1", "LoadMass NValue")
    warns, brakes = f"{quantities['warning']} > 0", f"{quantities['braking']} > 0"
    chars = (
        ("ImpactSpeed", "km/h", f"first({_CONTACT} > 0)", f"ImpactSpeed=({_closing(stage)})*{KMH}"),
        ("Contacts", "", f"{_CONTACT} > 0", f"Contacts={_CONTACT}"),
        ("MaxDeceleration", "m/s^2", f"{brakes} && -Car.ax > MaxDeceleration", "MaxDeceleration=-Car.ax"),
        ("WarningTime", "s", f"first({warns})", "WarningTime=Time"),
        ("BrakingTime", "s", f"first({brakes})", "BrakingTime=Time"),
    )
    for count, (name, unit, when, change) in enumerate(chars):
        file.set(f"{step}.Char.{count}.Name", name)
        file.text(f"{step}.Char.{count}.Description", ())
        file.set(f"{step}.Char.{count}.Identifier", name)
        file.set(f"{step}.Char.{count}.Unit", unit)
        file.set(f"{step}.Char.{count}.Param.0", f"RTexpr {{first() ? Qu::{name}=0}}")
        file.set(f"{step}.Char.{count}.Param.1", f"RTexpr {{{when} ? {change}}}")
    asked, left = criteria(test.require)
    file.comment(f"left to the judge: {text}: {why}" for text, why in left)
    for count, one in enumerate(asked):
        file.set(f"{step}.Crit.{count}.Name", one.name)
        file.text(f"{step}.Crit.{count}.Description", one.places)
        file.set(f"{step}.Crit.{count}.Good", one.good)
        file.set(f"{step}.Crit.{count}.Warn")
        file.set(f"{step}.Crit.{count}.Bad", f"!({one.good})")
    for count, (name, speed) in enumerate(runs(test, stage)):
        file.set(f"{step}.Var.{count}.Name", name)
        file.set(f"{step}.Var.{count}.Param", f"{speed} {number(load)}")


def _closing(stage: Stage) -> str:
    """Longitudinal relative speed to the body that is met; what crosses adds nothing."""
    target = next((mover for mover in stage.others if mover.role == "target"), None)
    if target is None or abs(target.start.heading) > 0.1:
        return "Vhcl.v"
    return f"Vhcl.v - Traffic.{body(target.role)}.LongVel"


def runs(test: Scenario, stage: Stage) -> list[tuple[str, str]]:
    """(name, speed in km/h) of each run and repeat: the first at the nominal speed, others inside the tolerance, to differ."""
    nominal = Decimal(repr(stage.subject.speed)) * KMH
    inside = nominal
    speed = test.number("subject")
    if speed is not None and speed.tolerance is not None and speed.is_number:
        tolerance = speed.tolerance
        middle = (tolerance.plus - tolerance.minus) / 2 or tolerance.plus / 2
        inside = nominal + si_of(middle, speed.unit) * KMH
    variations = [("run 1: nominal speed", plain(nominal, 3))]
    variations += [(f"run {count}: within the tolerance", plain(inside, 3)) for count in range(2, _count(test, "count", 2) + 1)]
    variations += [
        (f"repeat {count}, where the test allows it", plain(nominal, 3)) for count in range(1, _count(test, "repeats", 0) + 1)
    ]
    return variations


def _count(test: Scenario, name: str, default: int) -> int:
    value = test.runs.get(name)
    return int(value.number) if value is not None and value.is_number else default
