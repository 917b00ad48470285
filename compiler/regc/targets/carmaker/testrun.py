"""One TestRun: subject vehicle with load and driver, road, traffic with its own motion, what the driver does, and when it ends.

Fr1, to which CarMaker gives start positions, is the rear end of a body on the road. Velocities of the subject vehicle are km/h,
those of traffic m/s.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from regc.model.stage import Leg, Mover, Pose, Stage
from regc.model.units import kmh
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
