"""CarMaker (written after public TestRuns, not run by anybody here): a TestRun a stage, a TestSeries, quantities, roads, results.

What a project must bring stands in left_out.csv and README.md.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from regc import __version__, wording
from regc.model.result import Artifact, Finding
from regc.model.scenario import Scenario
from regc.model.stage import Box, Mover, Stage, Staged
from regc.model.suite import Suite
from regc.targets import opendrive
from regc.targets.carmaker.syntax import Infofile, NoExpression, body, number
from regc.targets.carmaker.testrun import criteria, series, testrun
from regc.targets.opendrive import Roads
from regc.templating import render
from regc.tomlfiles import fitted, laid_over, packaged, read_toml

NAME = "carmaker"
FILE = "carmaker.toml"
_FOLDER = "regc"
_HINT = '[parts] M1 = "MyProject/MyCar" and [masses] "MyProject/MyCar" = 1510'

LEFT_OUT = (
    ("vehicle data sets", "brakes, tyres and sensors are the project's", "Data/Vehicle/regc/Subject_<category>, or --data-sets FILE"),
    ("sizes of targets", "a data set has its own", "--data-sets FILE; start positions are those of the rear end"),
    ("roads as .rd5", "CarMaker's own format", "roadutil converts Data/Road/regc/*.xodr; --road-in-testrun for straight ones"),
    (
        "routes",
        "an .xodr has none of CarMaker's",
        "a way out of the lane stands as points without times; a driver that needs a route gets it in the .rd5",
    ),
    ("friction", "stands in the road and the tyres", "the lane's material in the .xodr says the number"),
    ("illumination and sun", "stand in the project's environment", "set them in the Movie settings of the project"),
    ("system under test", "names of its quantities differ", "--warning-quantity and --braking-quantity"),
)


class Options(BaseModel):
    """What a user can choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    warning_quantity: str = Field("LongCtrl.FCW.WarnLevel", description="quantity above 0 while the system warns")
    braking_quantity: str = Field("LongCtrl.AEB.IsActive", description="quantity above 0 while the system brakes")
    data_sets: Path | None = Field(None, description="TOML file of the project's data sets and masses, laid over the built-in one")
    road_in_testrun: bool = Field(False, description="write straight roads into the TestRuns, in place of a file that roadutil makes")


class DataSets(BaseModel):
    """The data file. `parts`: entry, kind or form of a mover -> data set; `masses`: data set -> kg; `driver`, `gear`: without them the
    vehicle stands still."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str
    compared: str
    reason: str
    driver: str
    gear: int = Field(ge=1, le=12)
    parts: dict[str, str]
    masses: dict[str, float]

    def of(self, mover: Mover) -> str | None:
        """The data set that plays a mover."""
        names = (mover.model, "subject") if mover.role == "subject" else (mover.model, mover.kind, mover.form)
        return next((self.parts[name] for name in names if name in self.parts), None)


def emit(suite: Suite, staged: Staged, options: Options) -> tuple[Artifact, ...]:
    """All files under carmaker/, laid out as a project. Raises DataFileError for a data file that does not fit."""
    known = _data_sets(options.data_sets)
    tests = {test.id: test for test in suite.selected}
    plans = Roads(list(staged.stages))
    quantities = {"warning": options.warning_quantity, "braking": options.braking_quantity}
    written: list[Artifact] = []
    driven: list[tuple[Scenario, Stage, float]] = []
    for stage in staged.stages:
        test = tests[stage.scenario]
        try:
            content, load = _run(suite, test, stage, known, plans, quantities, options)
        except NoExpression as problem:
            written.append(_not_driven(stage.stem, test.id, str(problem), "O631"))
            continue
        written.append(_artifact(f"Data/TestRun/{_FOLDER}/{stage.stem}", content, test.id, _losses(stage, known)))
        driven.append((test, stage, load))
    written += [_not_driven(id, id, reason, "O633") for id, reason in staged.left_out.items() if id in tests]
    if driven:
        name, creator = f"{suite.regulation}-{suite.edition}", f"regc {__version__}"
        written.append(_artifact(f"Data/TestRun/{_FOLDER}/{name}.ts", series(suite, driven, quantities, _FOLDER, creator)))
        written.extend(_roads(suite, plans, staged))
        written.append(_artifact("Data/Config/OutputQuantities", _quantities(options, driven, creator)))
        written.append(_artifact("mapping.toml", _mapping(options, driven).encode()))
        written.append(_artifact("left_out.csv", _table(driven)))
        written.append(_artifact("README.md", _readme(suite, known, name)))
    return tuple(sorted(written, key=lambda item: item.path))


def _run(
    suite: Suite, test: Scenario, stage: Stage, known: DataSets, plans: Roads, quantities: dict[str, str], options: Options
) -> tuple[bytes, float]:
    sets: dict[str, str] = {}
    for mover in (stage.subject, *stage.others, *stage.things):
        vehicle = known.of(mover)
        if vehicle is None:
            raise NoExpression(f"no data set plays {mover.role} ({mover.model}, a {mover.form}): name one in a file for --data-sets")
        sets[mover.role] = vehicle
    own = known.masses.get(sets[stage.subject.role])
    load = max(0.0, (stage.subject.mass or 0.0) - own) if own is not None else 0.0
    road = (
        None
        if options.road_in_testrun and stage.road.kind == "straight"
        else f"{_FOLDER}/{plans.name(stage).removesuffix('.xodr')}.rd5"
    )
    places = sorted({source.label() for _, value in test.values() for source in value.sources})
    notes = (
        f"{stage.regulation} edition {stage.edition}, {stage.clause}, {stage.status}, wording: {stage.wording}",
        f"not run by who made it; keys compared with {known.compared}",
        *wording.assumed_notes(test),
        *wording.conditional_notes(test),
        *(f"source: {place}" for place in places),
    )
    made = testrun(stage, sets, (known.driver, known.gear), load, road, quantities, notes, f"regc {__version__}")
    return made, load


def _artifact(path: str, content: bytes, scenario: str | None = None, lost: tuple[Finding, ...] = ()) -> Artifact:
    return Artifact(path=f"{NAME}/{path}", content=content, target=NAME, scenario=scenario, losses=lost)


def _not_driven(name: str, scenario: str, reason: str, code: str) -> Artifact:
    message = f"{name}: not driven in CarMaker: {reason}"
    finding = Finding(
        code=code, severity="warning", scenario=scenario, message=message, hint="its files are in the openscenario target"
    )
    return _artifact(f"not_driven/{name}.txt", f"{code} {message}\n".encode(), scenario, (finding,))


def _losses(stage: Stage, known: DataSets) -> tuple[Finding, ...]:
    more = []
    data_set = known.of(stage.subject)
    if data_set not in known.masses:
        more.append(("load", f"the mass of {data_set} is not known, so the load is 0", "[masses] in a file for --data-sets"))
    return tuple(
        Finding(code="O640", severity="info", scenario=stage.scenario, field=what, message=f"CarMaker: {what}: {why}", hint=instead)
        for what, why, instead in (*LEFT_OUT, *more)
    )


def _data_sets(path: Path | None) -> DataSets:
    built_in = packaged("data", FILE)
    tables = built_in if path is None else laid_over(built_in, read_toml(path, hint=_HINT))
    return fitted(DataSets, tables, name=FILE if path is None else str(path), hint=_HINT)


def _roads(suite: Suite, plans: Roads, staged: Staged) -> list[Artifact]:
    right_hand = all(stage.traffic == "rht" for stage in staged.stages)
    date = f"{suite.edition_date or '1970-01-01'}T00:00:00"
    title = f"{suite.regulation} {suite.edition}, {suite.wording} wording"
    return [
        _artifact(f"Data/Road/{_FOLDER}/{name}", opendrive.written(plan, date, f"{plan.road.kind} road for {title}"))
        for name, plan in plans.plans(right_hand=right_hand)
    ]


# ---- how results come back


def _primary(stage: Stage) -> Mover | None:
    movers = [mover for mover in (*stage.others, *stage.things) if not mover.passable]
    return next((mover for mover in movers if mover.role == "target"), movers[0] if movers else None)


def _columns(options: Options) -> dict[str, tuple[str, str]]:
    return {
        "time": ("Time", "s"),
        "subject_speed": ("Vhcl.v", "m/s"),
        "subject_x": ("Vhcl.Fr1.x", "m"),
        "subject_y": ("Vhcl.Fr1.y", "m"),
        "subject_heading": ("Vhcl.Yaw", "rad"),
        "target_speed": ("Traffic.Target.LongVel", "m/s"),
        "target_x": ("Traffic.Target.tx", "m"),
        "target_y": ("Traffic.Target.ty", "m"),
        "target_heading": ("Traffic.Target.rz", "rad"),
        "warning": (options.warning_quantity, ""),
        "contact": ("Sensor.Collision.Vhcl.Fr1.Count", ""),
        "driver_input": ("DM.Brake", ""),
    }


def _quantities(options: Options, driven: list[tuple[Scenario, Stage, float]], creator: str) -> bytes:
    names = dict.fromkeys(column for column, _ in _columns(options).values())
    roles = {mover.role for _, stage, _ in driven for mover in stage.others}
    more = [f"Traffic.{body(role)}.{name}" for role in sorted(roles) for name in ("tx", "ty", "rz", "LongVel")]
    file = Infofile("CarMaker-OutputQuantities 1", creator)
    file.set("DStore.Format", "erg")
    file.set("DStore.dt.fast", "0.001")
    file.set("DStore.dt.normal", min(stage.step for _, stage, _ in driven))
    file.set("DStore.dt.slow", "0.1")
    file.text("DStore.Quantities.fast", ())
    file.text("DStore.Quantities.normal", dict.fromkeys((*names, "Car.ax", options.braking_quantity, *more)))
    file.text("DStore.Quantities.slow", ())
    return file.content()


def _mapping(options: Options, driven: list[tuple[Scenario, Stage, float]]) -> str:
    """How `regc judge --mapping` reads the stored quantities after an export to CSV, with the boxes of each stage."""
    lines = ["# regc judge LOGS --mapping mapping.toml; boxes: put those of your data sets.", "[columns]"]
    lines.extend(f'{channel} = {{ column = "{column}", unit = "{unit}" }}' for channel, (column, unit) in _columns(options).items())
    lines.append('deceleration = { column = "Car.ax", unit = "m/s2", factor = -1.0 }')
    bodies: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for _, stage, _ in driven:
        target = _primary(stage)
        key = [f"subject_box = {_box(stage.subject.box)}"]
        if target is not None:
            key.append(f"target_box = {_box(target.box)}")
            key.append(f"target_reference = {number(target.box.rear + target.box.reference)}")
        ids = bodies[tuple(key)]
        if stage.scenario not in ids:
            ids.append(stage.scenario)
    for parts, ids in bodies.items():
        lines.extend(("", "[[bodies]]", *parts, "scenarios = [", *(f'  "{id}",' for id in ids), "]"))
    return "\n".join(lines) + "\n"


def _box(box: Box) -> str:
    """The reference point of a body is its rear end, on the road."""
    return f"{{ length = {number(box.length)}, width = {number(box.width)}, forward = {number(box.length / 2)} }}"


def _table(driven: list[tuple[Scenario, Stage, float]]) -> bytes:
    left = {(text, why) for test, _, _ in driven for text, why in criteria(test.require)[1]}
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([("left out", "why", "instead"), *LEFT_OUT])
    writer.writerows((f"criterion: {text}", why, "regc judge decides it") for text, why in sorted(left))
    return stream.getvalue().encode()


def _readme(suite: Suite, known: DataSets, name: str) -> bytes:
    values = {
        "title": suite.title,
        "note": suite.note.strip(),
        "series": f"{_FOLDER}/{name}.ts",
        "folder": _FOLDER,
        "compared": known.compared,
        "data": known,
    }
    return render(suite.regulation, "carmaker/README.md.j2", None, **values).encode()
