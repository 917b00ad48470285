"""The files of one manoeuvre: both sides of traffic (A: right, B: left) and every object that the regulation names for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from regc.assumed import Manoeuvres, Pedestrian
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.units import plain
from regc.targets import _manoeuvres, _roads
from regc.targets import _osc_catalogs as catalogs
from regc.targets import _osc_sidecar as sidecar
from regc.targets._manoeuvres import Layout, RoadPlan
from regc.targets._motion import Mover
from regc.targets._osc_manoeuvre import Cast, Play, template
from regc.targets._osc_storyboard import Shape
from regc.targets._osc_values import Setup
from regc.targets._osc_xml import fill

SIDES = (("A", True), ("B", False))


@dataclass(frozen=True)
class File:
    """A file under the target's folder, and what it could not hold."""

    path: str
    content: bytes
    losses: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Frame:
    """What a build shares: `words` are texts of a template by name, `entries` catalogue entries by catalogue (filled here)."""

    setup: Setup
    data: Manoeuvres
    osc_version: str
    date: str
    road_title: str
    note: str
    words: Mapping[str, str]
    entries: dict[str, dict[str, catalogs.Entry]]
    losses: tuple[Finding, ...]


def files(scenario: Scenario, frame: Frame) -> list[File] | Finding:
    """Scenario files, sidecars and roads; or the reason why there are none."""
    setup = frame.setup
    name, subject = setup.vehicles.of(scenario.category)
    given = _manoeuvres.given(scenario, subject, setup.targets, frame.data, setup.track)
    if given is None:
        return _reason(
            "T610",
            scenario,
            "no way is known to drive this manoeuvre from the numbers that it gives",
            "its test case stands in the text target",
        )
    if setup.ego in ("reference", "late"):
        loss = _reason("T613", scenario, "driven without the model of a braking system", "--ego external for the system under test")
        frame = replace(frame, losses=(*frame.losses, loss))
    found: dict[str, File] = {}
    for variant in _manoeuvres.variants(scenario, frame.data):
        layout = _manoeuvres.layout(scenario.target.type, variant, given)
        if layout is None:
            return _reason("T612", scenario, f"no geometry keeps every bound ({variant})", "change the free measures with --manoeuvres")
        for side, right_hand in SIDES:
            several = variant != scenario.target.type
            stem = f"{scenario.id}_{side}" + (f"-{variant}" if several else "")
            road = f"{scenario.id}_{side}.xodr"
            cast = _cast(scenario, layout, name, frame)
            content, about = _scenario_file(scenario, layout, cast, stem, road, right_hand, frame)
            for file in (
                File(f"concrete/{stem}.xosc", content, frame.losses),
                File(f"concrete/{stem}.json", sidecar.dump(about | {"variant": stem.removeprefix(f"{scenario.id}_")})),
                File(f"roads/{road}", _road(layout.road, frame, right_hand)),
            ):
                found.setdefault(file.path, file)
    return list(found.values())


def _reason(code: str, scenario: Scenario, what: str, hint: str) -> Finding:
    return Finding(code=code, severity="info", scenario=scenario.id, message=f"{scenario.id}: {what}", hint=hint)


def _cast(scenario: Scenario, layout: Layout, vehicle: str, frame: Frame) -> Cast:
    """Makes the catalogue entries that are not there yet."""
    minor = int(frame.osc_version.split(".")[1])
    load = scenario.load_state.kind if scenario.load_state else "running_order"
    entry = catalogs.entry_name("subject", vehicle, load)
    data = frame.setup.vehicles.categories[vehicle]
    if entry not in frame.entries["vehicles"]:
        frame.entries["vehicles"][entry] = catalogs.wheeled(entry, data, getattr(data.mass, load), minor)
    name = catalogs.entry_name(layout.target_type)
    if layout.target_type == "signboard":
        sign = frame.data.signboard
        frame.entries["objects"].setdefault(name, catalogs.sign(name, sign))
        return Cast(entry, "objects", name, float(sign.height / 2))
    target = frame.setup.targets.types[layout.target_type]
    walks = isinstance(target, Pedestrian)
    catalog = "pedestrians" if walks else "vehicles"
    if name not in frame.entries[catalog]:
        frame.entries[catalog][name] = catalogs.target(name, target, minor)
    return Cast(entry, catalog, name, float(target.height / 2) if walks else 0.0)


def _scenario_file(
    scenario: Scenario, layout: Layout, cast: Cast, stem: str, road: str, right_hand: bool, frame: Frame
) -> tuple[bytes, dict[str, Any]]:
    setup, common = frame.setup, frame.data.common
    subject, target = layout.subject, layout.target
    if not right_hand:
        subject, target = (replace(mover, path=mover.path.mirrored()) for mover in (subject, target))
    shape = Shape(
        minor=int(frame.osc_version.split(".")[1]),
        ego=setup.ego,
        crossing=False,
        run_up=False,
        moving=False,
        road=road,
        date=frame.date,
        date_time=setup.track.environment.date_time,
    )
    slowest = min([subject.speed, *(change.speed for change in subject.changes)])
    play = Play(
        subject,
        target,
        layout.steering,
        target_turns=len(target.path.segments) > 0,
        end=layout.end,
        last=layout.end / slowest + float(setup.track.timing.after_end),
        after_contact=float(setup.track.timing.after_contact),
        vertex_distance=float(common.vertex_distance),
    )
    words = dict(frame.words) | {
        "description": f"{scenario.title} [{stem}].{frame.note}",
        "header_id": stem,
        "header_status": scenario.status,
        "header_clause": f"{scenario.regulation} {scenario.clause}",
        "header_wording": scenario.wording,
        "header_criterion": "no braking demand of the system" if scenario.criteria.no_braking_demand else "none",
    }
    about = sidecar.head(scenario, frame.losses, frame.osc_version, setup.ego)
    about |= {
        "parameters": _parameters(scenario, layout, subject, frame),
        "assumptions": [
            {
                "code": "A843",
                "reason": common.reason,
                "replace_with": "--manoeuvres",
                "numbers": {key: f"{plain(value)}" for key, value in common.model_dump(exclude={"reason"}).items()},
            },
            {
                "code": "A844",
                "reason": _kind(scenario, frame).reason,
                "replace_with": "--manoeuvres",
                "numbers": _numbers(layout.found),
            },
        ],
        "shown": {"second_time_taken_at": layout.moment} | _numbers(layout.measured),
        "files": {"scenario": f"concrete/{stem}.xosc", "road": f"roads/{road}", "catalogs": "catalogs"},
    }
    return fill(template(shape, cast, play), words), about


def _kind(scenario: Scenario, frame: Frame) -> Any:
    return getattr(frame.data, scenario.target.type)


def _numbers(values: Mapping[str, float]) -> dict[str, str]:
    return {name: plain(Decimal(str(value)), 4) for name, value in values.items()}


def _parameters(scenario: Scenario, layout: Layout, subject: Mover, frame: Frame) -> dict[str, Any]:
    """Speeds, rates and distances of the file, and the fields and assumptions that they follow from."""
    fields = [name for name, _ in scenario.quantities() if name.startswith(("manoeuvre.", "subject.", "target."))]
    found: dict[str, Any] = {}

    def add(name: str, value: float, unit: str) -> None:
        found[name] = {
            "value": plain(Decimal(str(value))),
            "unit": unit,
            "basis": "derived",
            "fields": fields,
            "assumptions": ["A811", "A821", "A831", "A843", "A844"],
            "formula": "layout of the manoeuvre: every bound kept with its margin",
        }

    for who, mover in (("subject", subject), ("target", layout.target)):
        add(f"{who}.speed", mover.speed, "m/s")
        for change in mover.changes:
            add(f"{who}.{change.name}.distance", change.distance, "m")
            add(f"{who}.{change.name}.speed", change.speed, "m/s")
            add(f"{who}.{change.name}.rate", change.rate, "m/s2")
        for axis, value in zip("xyh", mover.path.start, strict=True):
            add(f"{who}.start.{axis}", value, "rad" if axis == "h" else "m")
    add("steering", layout.steering, "m")
    add("end", layout.end, "m")
    for name, value in layout.found.items():
        add(name, value, "m")
    return found


def _road(plan: RoadPlan, frame: Frame, right_hand: bool) -> bytes:
    """The road of a plan; friction is not stated for manoeuvres."""
    road = frame.setup.track.road
    measures = [Decimal(str(round(value, 6))) for value in (plan.length, plan.centre, plan.size, plan.arm)]
    length, centre, size, arm = measures
    if plan.kind == "intersection":
        return _roads.intersection(road, centre, size, arm, None, right_hand=right_hand, date=frame.date, title=frame.road_title)
    if plan.kind == "curve":
        after = road.lead_out
        guard = frame.data.stationary_object
        return _roads.curve(road, guard, centre, size, after, None, right_hand=right_hand, date=frame.date, title=frame.road_title)
    return _roads.two_lanes(road, length, None, right_hand=right_hand, date=frame.date, title=frame.road_title)
