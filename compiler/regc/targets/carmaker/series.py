"""The TestSeries over all TestRuns: runs and repeats as the regulation has them, characteristic values, and those criteria that hold in
every run; a criterion that hangs on a condition is left to the judge."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from regc import wording
from regc.model.criterion import Criterion
from regc.model.scenario import Scenario
from regc.model.stage import Stage
from regc.model.suite import Suite
from regc.model.units import KMH, plain, si_of
from regc.model.value import Value
from regc.targets.carmaker.syntax import Infofile, Quantities, body, number

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
    found = [("run 1: nominal speed", plain(nominal, 3))]
    found += [(f"run {count}: within the tolerance", plain(inside, 3)) for count in range(2, _count(test, "count", 2) + 1)]
    found += [(f"repeat {count}, where the test allows it", plain(nominal, 3)) for count in range(1, _count(test, "repeats", 0) + 1)]
    return found


def _count(test: Scenario, name: str, default: int) -> int:
    value = test.runs.get(name)
    return int(value.number) if value is not None and value.is_number else default
