"""One TestRun: subject vehicle with load, straight road, the target with its own motion, end conditions.

CarMaker's Fr1 has its origin at the rear end of a body, on the road; start positions are given for it. Velocities of
the subject vehicle are km/h, those of traffic m/s, those of trajectories follow from their times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal

from regc.assumed import Pedestrian
from regc.model.scenario import Scenario
from regc.model.units import plain, si
from regc.targets._carmaker_infofile import Infofile
from regc.targets._osc_formula import Value
from regc.targets._osc_values import Values

TARGET, OBSTACLE = "Target", "Obstacle"
Number = Callable[[str], float]
#: Rows of a trajectory while the target gains speed.
_RUN_UP_ROWS = 20


def testrun(
    scenario: Scenario,
    numbers: Values,
    known: Mapping[str, Value],
    data_sets: Mapping[str, str],
    *,
    road: str,
    creator: str,
    sources: tuple[str, ...],
) -> bytes:
    """The TestRun of a driven scenario."""

    def number(name: str) -> float:
        return float(Decimal(str(known[name])))

    subject = numbers.subject
    speed = format(float(si(scenario.subject.test_speed)) * 3.6, ".3f").rstrip("0").rstrip(".")
    load = number("subject_mass") - float(subject.mass.running_order)
    file = Infofile("CarMaker-TestRun 14", creator)
    file.text(
        "Description",
        (
            f"{scenario.title} [{scenario.id}]",
            f"{scenario.regulation} edition {scenario.edition}, {scenario.clause}, {scenario.status}, wording: {scenario.wording}",
            *(f"source: {source}" for source in sources),
        ),
    )
    file.section("Subject vehicle and load")
    file.set("Vehicle", data_sets.get(scenario.category or "default", data_sets["default"]))
    file.set("Trailer")
    for wheel in range(4):
        file.set(f"Tire.{wheel}")
    file.set("Snapshot.TimeLimit")
    file.set("Snapshot.DistLimit")
    file.set("VehicleLoad.0.mass", f"$LoadMass={load:g}")
    file.set("VehicleLoad.0.pos", " ".join(plain(part) for part in (subject.length / 2, Decimal(0), subject.height / 2)))
    file.section("Road")
    file.set("Road.FName", road)
    file.set("Vehicle.Routing.Type", "Lane")
    file.set("Vehicle.StartPos.Type", "Global")
    file.set("Vehicle.StartPos", f"{number('subject_x') - float(subject.rear_overhang):.3f} {number('subject_y'):.3f} 0")
    file.set("Vehicle.StartPos.Orientation", "0 0 0")
    file.section("Driver: constant speed, no look at the traffic; the system under test brakes")
    file.set("Driver.Consider.Traffic", "0")
    file.set("DrivMan.VhclOperator.Kind", "IPGOperator 1")
    _manoeuvre(file, speed)
    file.set("DrivMan.Global.EndCond", _end(number))
    file.section("Target")
    _traffic(file, scenario, numbers, number, data_sets)
    file.section("Environment: dry, no wind")
    file.set("Env.Temperature", number("temperature") - 273.15)
    file.set("Env.RainRate", "0")
    file.set("Env.WindVelocity", "0")
    file.set("Env.WindAngle", "0")
    file.set("Env.FogDensity", "0")
    return file.content()


def _manoeuvre(file: Infofile, speed: str) -> None:
    file.set("DrivMan.nMan", "1")
    file.set("DrivMan.Man.Start.Velocity", f"$SubjectSpeed={speed}")
    _steps(file, "DrivMan.Man.0")
    file.text("DrivMan.Man.0.LongStep.0.Cmds", ())
    file.set("DrivMan.Man.0.LongStep.0.Dyn", f"VelControl $SubjectSpeed={speed} 0.0 1.0 0 1 0")
    file.text("DrivMan.Man.0.LatStep.0.Cmds", ())
    file.set("DrivMan.Man.0.LatStep.0.Dyn", "Driver 0")


def _steps(file: Infofile, prefix: str) -> None:
    for key, value in (
        ("nLongSteps", "1"),
        ("nLatSteps", "1"),
        ("CombinedSteps", "1"),
        ("MaxExec", "1"),
        ("ConsiderDomain", "own"),
        ("Transition.Interrupt", "end"),
        ("Transition.EndCond", "end"),
        ("Transition.SimultanStart", "end"),
    ):
        file.set(f"{prefix}.{key}", value)


def _end(number: Number) -> str:
    """Contact, or the last bound: a standstill shows in a log only if it lasts, which the first moment of one does not."""
    return f"rise(Time > {number('end_time'):.3f} || Sensor.Collision.Vhcl.Fr1.Count > 0)"


def _traffic(file: Infofile, scenario: Scenario, numbers: Values, value: Number, data_sets: Mapping[str, str]) -> None:
    run_up = numbers.target.run_up if numbers.crossing else None
    file.set("Traffic.N", "2" if run_up else "1")
    file.set("Traffic.SpeedUnit", "ms")
    target = numbers.target
    rear = float(target.length / 2 if isinstance(target, Pedestrian) else target.rear_overhang)
    speed = value("prescribed_target_speed")
    if not numbers.crossing:
        start = f"{value('target_x') - rear:.3f} {value('target_y'):.3f} 0"
        _body(file, 0, TARGET, data_sets[scenario.target.type], start, 0.0, moving=speed > 0)
        if speed > 0:
            file.set("Traffic.0.Man.Start.Velocity", speed)
            _steps(file, "Traffic.0.Man.0")
            file.set("Traffic.0.Man.0.LongStep.0.Limit", f"t {value('end_time'):.3f}")
            file.set("Traffic.0.Man.0.LongStep.0.Dyn", f"VelTransition {speed:.6f} linear")
            file.set("Traffic.0.Man.0.LatStep.0.Limit", f"t {value('end_time'):.3f}")
        return
    direction = value("direction")
    degrees = 90.0 * direction
    start_y = value("target_y") - direction * rear
    x = value("target_x")
    _body(file, 0, TARGET, data_sets[scenario.target.type], f"{x:.3f} {start_y:.3f} 0", degrees, moving=True)
    file.set("Traffic.0.Man.Start.Velocity", "0")
    _steps(file, "Traffic.0.Man.0")
    front = float(numbers.subject.length)
    file.set("Traffic.0.Man.0.StartCond", f"rise({value('impact_x') - front:.3f} - Vhcl.Fr1.x < {value('start_ttc'):.6f} * Vhcl.v)")
    acceleration = float(target.run_up.acceleration) if target.run_up else None
    rows = _path(start_y, value("path_end_y") - direction * rear, direction, speed, acceleration, value("end_time"))
    limit = f"t {rows[-1][1]:.3f}"
    file.set("Traffic.0.Man.0.LongStep.0.Limit", limit)
    file.set("Traffic.0.Man.0.LongStep.0.Dyn", "FollowTraj")
    file.set("Traffic.0.Man.0.LongStep.0.TimeRef", "Relative")
    file.set("Traffic.0.Man.0.LatStep.0.Limit", limit)
    file.set("Traffic.0.Man.0.LatStep.0.Dyn", "FollowTraj")
    file.set("Traffic.0.Man.0.LatStep.0.Shape", "Linear")
    file.set("Traffic.0.Man.0.LatStep.0.TimeChan", "1")
    file.set("Traffic.0.Man.0.LatStep.0.Pos.Type", "Global")
    file.text("Traffic.0.Man.0.LatStep.0.Data", (f"{x:.3f} {y:.3f} 0.000 {degrees:.3f} {time:.3f}" for y, time in rows))
    if run_up is not None:
        behind = value("obstacle_y") - direction * float(run_up.obstacle_length) / 2
        _body(file, 1, OBSTACLE, data_sets["obstacle"], f"{value('obstacle_x'):.3f} {behind:.3f} 0", degrees, moving=False)


def _body(file: Infofile, index: int, name: str, template: str, start: str, degrees: float, *, moving: bool) -> None:
    prefix = f"Traffic.{index}"
    file.set(f"{prefix}.Name", name)
    file.text(f"{prefix}.Info", ())
    file.set(f"{prefix}.DetectMask", "1 1")
    file.set(f"{prefix}.Template.FName", template)
    file.set(f"{prefix}.Routing.Type", "Off")
    file.set(f"{prefix}.StartPos.Type", "Global")
    file.set(f"{prefix}.StartPos", start)
    file.set(f"{prefix}.StartPos.Orientation", f"0 0 {degrees:g}")
    file.set(f"{prefix}.Man.TreatAtEnd", "FreezePos")
    file.set(f"{prefix}.nMan", "1" if moving else "0")


def _path(
    start: float, end: float, direction: float, speed: float, acceleration: float | None, hold: float
) -> list[tuple[float, float]]:
    """(y, time) of a crossing: speeding up, then at constant speed, then held where it ends."""
    rows = [(start, 0.0)]
    run_up = speed / acceleration if acceleration else 0.0
    if acceleration:
        for step in range(1, _RUN_UP_ROWS + 1):
            time = run_up * step / _RUN_UP_ROWS
            rows.append((start + direction * acceleration * time**2 / 2, time))
    left = abs(end - rows[-1][0])
    arrival = run_up + left / speed
    rows.append((end, arrival))
    rows.append((end, arrival + math.ceil(hold)))
    return rows
