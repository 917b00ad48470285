"""CarMaker: a TestRun a scenario, a TestSeries over all with variations and criteria, the quantities to store, and the road.

Written after public examples of CarMaker 12 to 14 files; what a project of the user's must bring stands in left_out.csv.
"""

from __future__ import annotations

import csv
import io
import sys
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

from pydantic import Field

from regc import __version__, toolprofiles
from regc.assumed import Pedestrian
from regc.errors import DataFileError
from regc.model.result import Artifact, Checked, Finding
from regc.model.scenario import Scenario
from regc.model.units import plain, si
from regc.targets._bench_common import not_driven, straight_road
from regc.targets._carmaker_infofile import Infofile
from regc.targets._carmaker_testrun import TARGET, testrun
from regc.targets._driven import DrivenOptions
from regc.targets._osc_formula import Value
from regc.targets._osc_values import Setup, Values, values

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAME = "carmaker"
PROFILE = "carmaker-14"
_FOLDER = "regc"

LEFT_OUT = (
    ("vehicle data sets", "masses, brakes and sensors are the project's", "Data/Vehicle/regc/Subject_<category>, or --data-sets FILE"),
    ("sizes of targets", "a template of the project has its own", "--data-sets FILE; start positions are those of the rear end"),
    ("road as .rd5", "CarMaker's own road format", "roadutil converts Data/Road/regc/straight.xodr"),
    ("friction", "stands in the road and the tyres", "the lane's material in straight.xodr says the document's number"),
    ("illumination and sun", "stand in the project's environment", "set them in the Movie settings of the project"),
    ("system under test", "names of its quantities differ", "--warning-quantity and --braking-quantity"),
)


class Options(DrivenOptions):
    """What a user can choose."""

    step: float = Field(0.01, gt=0, le=0.1, description="storage interval in s")
    warning_quantity: str = Field("LongCtrl.FCW.WarnLevel", description="quantity above 0 while the system warns")
    braking_quantity: str = Field("LongCtrl.AEB.IsActive", description="quantity above 0 while the system brakes")
    data_sets: Path | None = Field(None, description="TOML file with a [blueprints] table: category or target type -> data set")


def emit(checked: Checked, options: Options) -> tuple[Artifact, ...]:
    """All files under carmaker/, laid out as a project. Raises DataFileError for a data file that does not fit."""
    setup = options.setup("external", options.step)
    data_sets = _data_sets(options.data_sets)
    creator = f"regc {__version__}"
    found: list[Artifact] = []
    driven: list[Scenario] = []
    runs: list[tuple[Values, dict[str, Value]]] = []
    for scenario in checked.scenarios:
        refusal = not_driven(scenario, setup, data_sets, "CarMaker", "--data-sets")
        if refusal is not None:
            found.append(
                _artifact(f"not_driven/{scenario.id}.txt", f"{refusal.code} {refusal.message}\n".encode(), scenario, (refusal,))
            )
            continue
        numbers = values(scenario, setup)
        known = numbers.resolve()
        driven.append(scenario)
        runs.append((numbers, known))
        places = tuple(sorted({source.label() for _, item in scenario.quantities() for source in item.sources}))
        content = testrun(scenario, numbers, known, data_sets, road=f"{_FOLDER}/straight.rd5", creator=creator, sources=places)
        found.append(_artifact(f"Data/TestRun/{_FOLDER}/{scenario.id}", content, scenario, _losses(scenario)))
    if driven:
        found.append(_artifact(f"Data/Road/{_FOLDER}/straight.xodr", straight_road(checked, runs, setup)))
        name = f"{checked.regulation}-{checked.edition}"
        found.append(_artifact(f"Data/TestRun/{_FOLDER}/{name}.ts", _series(checked, driven, options, setup, creator)))
        found.append(_artifact("Data/Config/OutputQuantities", _quantities(options, creator)))
        found.append(_artifact("mapping.toml", _mapping(options, driven, [numbers for numbers, _ in runs]).encode()))
        found.append(_artifact("left_out.csv", _table()))
    return tuple(sorted(found, key=lambda item: item.path))


def _artifact(path: str, content: bytes, scenario: Scenario | None = None, losses: tuple[Finding, ...] = ()) -> Artifact:
    return Artifact(path=f"{NAME}/{path}", content=content, target=NAME, scenario=scenario.id if scenario else None, losses=losses)


def _data_sets(path: Path | None) -> dict[str, str]:
    found = dict(toolprofiles.load(PROFILE).blueprints)
    if path is not None:
        try:
            found.update(tomllib.loads(path.read_text(encoding="utf-8"))["blueprints"])
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise DataFileError(f"{path}: no [blueprints] table: {problem}", hint='[blueprints] M1 = "MyProject/MyCar"') from problem
    return found


def _losses(scenario: Scenario) -> tuple[Finding, ...]:
    return tuple(
        Finding(code="T640", severity="info", scenario=scenario.id, field=what, message=f"CarMaker: {what}: {why}", hint=instead)
        for what, why, instead in LEFT_OUT
    )


def _series(checked: Checked, driven: list[Scenario], options: Options, setup: Setup, creator: str) -> bytes:
    """One group a family; two variations a scenario: the nominal speed, and the middle of its tolerance, so that repeats differ."""
    file = Infofile("CarMaker-TestSeries 14", creator)
    file.text("Description", (checked.title, f"{checked.regulation} edition {checked.edition}, wording: {checked.wording}"))
    for key in ("LastChange", "StartTime", "EndTime", "ReportTemplate"):
        file.set(key)
    file.set("Step.0", "Settings")
    file.set("Step.0.Name", "Global Settings")
    families: dict[str, list[Scenario]] = defaultdict(list)
    for scenario in driven:
        families[scenario.family].append(scenario)
    for group, (family, scenarios) in enumerate(families.items(), 1):
        file.set(f"Step.{group}", "Group")
        file.set(f"Step.{group}.Name", family)
        for index, scenario in enumerate(scenarios):
            _step(file, f"Step.{group}.{index}", scenario, options, setup)
    return file.content()


def _step(file: Infofile, step: str, scenario: Scenario, options: Options, setup: Setup) -> None:
    file.set(step, "TestRun")
    file.set(f"{step}.Name", f"{_FOLDER}/{scenario.id}")
    file.set(f"{step}.Param.0", "SubjectSpeed NValue")
    file.set(f"{step}.Param.1", "LoadMass NValue")
    closing = f"Vhcl.v - Traffic.{TARGET}.LongVel" if scenario.approach_type == "in_lane" else "Vhcl.v"
    warns, brakes = f"{options.warning_quantity} > 0", f"{options.braking_quantity} > 0"
    quantities = (
        ("ImpactSpeed", "km/h", "first()", "Qu::ImpactSpeed=0"),
        ("", "", "first(Sensor.Collision.Vhcl.Fr1.Count > 0)", f"ImpactSpeed=({closing})*3.6"),
        ("MaxDeceleration", "m/s^2", "first()", "Qu::MaxDeceleration=0"),
        ("", "", f"{brakes} && -Car.ax > MaxDeceleration", "MaxDeceleration=-Car.ax"),
        ("WarningTime", "s", "first()", "Qu::WarningTime=0"),
        ("", "", f"first({warns})", "WarningTime=Time"),
        ("BrakingTime", "s", "first()", "Qu::BrakingTime=0"),
        ("", "", f"first({brakes})", "BrakingTime=Time"),
    )
    chars = [(quantities[at], quantities[at + 1]) for at in range(0, len(quantities), 2)]
    for number, (begin, change) in enumerate(chars):
        file.set(f"{step}.Char.{number}.Name", begin[0])
        file.text(f"{step}.Char.{number}.Description", ())
        file.set(f"{step}.Char.{number}.Identifier", begin[0])
        file.set(f"{step}.Char.{number}.Unit", begin[1])
        file.set(f"{step}.Char.{number}.Param.0", f"RTexpr {{{begin[2]} ? {begin[3]}}}")
        file.set(f"{step}.Char.{number}.Param.1", f"RTexpr {{{change[2]} ? {change[3]}}}")
    for number, (name, clause, good) in enumerate(_criteria(scenario)):
        file.set(f"{step}.Crit.{number}.Name", name)
        file.text(f"{step}.Crit.{number}.Description", (clause,))
        file.set(f"{step}.Crit.{number}.Good", good)
        file.set(f"{step}.Crit.{number}.Warn")
        file.set(f"{step}.Crit.{number}.Bad", f"!({good})")
    _, vehicle = setup.vehicles.of(scenario.category, scenario.group)
    kind = scenario.load_state.kind if scenario.load_state else "running_order"
    mass = plain(getattr(vehicle.mass, kind) - vehicle.mass.running_order)
    for number, (name, speed) in enumerate(_variations(scenario)):
        file.set(f"{step}.Var.{number}.Name", name)
        file.set(f"{step}.Var.{number}.Param", f"{speed} {mass}")


def _criteria(scenario: Scenario) -> list[tuple[str, str, str]]:
    """Name, place and condition; every number is the document's."""
    criteria = scenario.criteria
    found = []
    if limit := criteria.max_impact_speed:
        speed = plain(si(limit) * Decimal("3.6"), 2)
        found.append((f"Impact speed <= {limit.value} {limit.unit}", limit.sources[0].label(), f"[get ImpactSpeed] <= {speed}"))
    if demand := criteria.min_braking_demand:
        where = demand.sources[0].label()
        found.append((f"Braking demand >= {demand.value} {demand.unit}", where, f"[get MaxDeceleration] >= {plain(si(demand))}"))
    if lead := criteria.min_warning_lead_time:
        where = lead.sources[0].label()
        good = f"[get WarningTime] > 0 && [get BrakingTime] - [get WarningTime] >= {plain(si(lead))}"
        found.append((f"Warning >= {lead.value} {lead.unit} before braking", where, good))
    elif criteria.warning_rule == "no_later_than_braking":
        good = "[get WarningTime] > 0 && [get WarningTime] <= [get BrakingTime]"
        found.append(("Warning no later than braking", f"{scenario.regulation} {scenario.clause}", good))
    return found


def _variations(scenario: Scenario) -> list[tuple[str, str]]:
    speed = scenario.subject.test_speed
    nominal = si(speed) * Decimal("3.6")
    found = [("run 1: nominal speed", plain(nominal, 2))]
    if speed.tolerance and (speed.tolerance.plus or speed.tolerance.minus):
        middle = speed.model_copy(update={"value": speed.value + (speed.tolerance.plus - speed.tolerance.minus) / 2})
        if middle.value == speed.value:
            middle = speed.model_copy(update={"value": speed.value + speed.tolerance.plus / 2})
        found.append(("run 2: within the tolerance", plain(si(middle) * Decimal("3.6"), 2)))
    return found


def _stored(options: Options) -> tuple[str, ...]:
    target = f"Traffic.{TARGET}"
    return (
        "Time",
        "Vhcl.v",
        "Vhcl.Fr1.x",
        "Vhcl.Fr1.y",
        "Vhcl.Yaw",
        "Car.ax",
        *(f"{target}.{name}" for name in ("tx", "ty", "rz", "LongVel")),
        "Sensor.Collision.Vhcl.Fr1.Count",
        "DM.Brake",
        options.warning_quantity,
        options.braking_quantity,
    )


def _quantities(options: Options, creator: str) -> bytes:
    file = Infofile("CarMaker-OutputQuantities 1", creator)
    file.set("DStore.Format", "erg")
    file.set("DStore.dt.fast", "0.001")
    file.set("DStore.dt.normal", options.step)
    file.set("DStore.dt.slow", "0.1")
    file.text("DStore.Quantities.fast", ())
    file.text("DStore.Quantities.normal", _stored(options))
    file.text("DStore.Quantities.slow", ())
    return file.content()


def _mapping(options: Options, driven: list[Scenario], runs: list[Values]) -> str:
    """How `regc judge --mapping` reads the stored quantities after an export to CSV, with the boxes of each category and target."""
    columns = {
        "time": ("Time", "s"),
        "subject_speed": ("Vhcl.v", "m/s"),
        "subject_x": ("Vhcl.Fr1.x", "m"),
        "subject_y": ("Vhcl.Fr1.y", "m"),
        "subject_heading": ("Vhcl.Yaw", "rad"),
        "target_speed": (f"Traffic.{TARGET}.LongVel", "m/s"),
        "target_x": (f"Traffic.{TARGET}.tx", "m"),
        "target_y": (f"Traffic.{TARGET}.ty", "m"),
        "target_heading": (f"Traffic.{TARGET}.rz", "rad"),
        "warning": (options.warning_quantity, ""),
        "contact": ("Sensor.Collision.Vhcl.Fr1.Count", ""),
        "driver_input": ("DM.Brake", ""),
    }
    lines = ["# regc judge LOGS --mapping mapping.toml; boxes: put those of your data sets.", "[columns]"]
    lines.extend(f'{channel} = {{ column = "{column}", unit = "{unit}" }}' for channel, (column, unit) in columns.items())
    lines.append('deceleration = { column = "Car.ax", unit = "m/s2", factor = -1.0 }')
    bodies: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for scenario, numbers in zip(driven, runs, strict=True):
        subject, target = numbers.subject, numbers.target
        # the reference point of a body is that of Fr1: its rear end, on the road
        rear = target.length / 2 if isinstance(target, Pedestrian) else target.rear_overhang
        measured = rear + target.reference_offset if numbers.crossing else target.length / 2
        key = (
            f"subject_box = {_box(subject.length, subject.width)}",
            f"target_box = {_box(target.length, target.width)}",
            f"target_reference = {plain(measured)}",
        )
        bodies[key].append(scenario.id)
    for key, ids in bodies.items():
        lines.extend(("", "[[bodies]]", *key, "scenarios = [", *(f'  "{id}",' for id in ids), "]"))
    return "\n".join(lines) + "\n"


def _box(length: Decimal, width: Decimal) -> str:
    return f"{{ length = {plain(length)}, width = {plain(width)}, forward = {plain(length / 2)} }}"


def _table() -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([("left out", "why", "instead"), *LEFT_OUT])
    return stream.getvalue().encode()
