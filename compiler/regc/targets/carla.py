"""CARLA: a configuration a scenario, the runner that drives them, the road, and files for CARLA's own scenario runner."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import Field

from regc import __version__, toolprofiles
from regc.errors import DataFileError
from regc.files import json_bytes
from regc.model.result import Artifact, Checked, Finding
from regc.model.scenario import Scenario
from regc.resources import resource
from regc.targets._bench_common import not_driven, straight_road
from regc.targets._carla_build import Anchor, config
from regc.targets._carla_config import Map, json_schema
from regc.targets._driven import DrivenOptions

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAME = "carla"
PROFILE = "carla-0.9.16"
_ROAD = "roads/straight.xodr"
SCHEMAS = {"carla-config": json_schema}

#: What CARLA's scenario runner cannot hold, and why; the same for every scenario.
RUNNER_LOSSES = (
    ("vehicle mass", "OpenSCENARIO 1.0 has none", "run_carla.py sets it"),
    (
        "friction",
        "the scenario runner sets the road's scale factor on all tyres; the lane's material is not read",
        "run_carla.py sets it",
    ),
    ("wind", "the scenario runner sets a wind of its own", "run_carla.py sets none"),
    ("temperature", "neither OpenSCENARIO 1.0 nor CARLA has one", "the configuration names it among the parameters"),
    ("run-up of a bicycle behind an obstacle", "triggers cannot be chained to a speed profile there", "it starts at its full speed"),
    ("trajectory of a crossing target", "there is no FollowTrajectoryAction", "a route of two waypoints, or a walk along the heading"),
    ("warning and braking demand", "the scenario runner has no such channels", "run_carla.py logs them"),
    ("impact speed", "its criteria know contact, not a speed at contact", "regc judge reads run_carla.py's logs"),
)


class Options(DrivenOptions):
    """What a user can choose."""

    town: str | None = Field(None, description="a town of CARLA's in place of the built-in road; needs --anchor")
    anchor: str | None = Field(None, description="X,Y,Z,YAW of the start of the straight road in that town, in CARLA's frame")
    step: float = Field(0.01, gt=0, le=0.05, description="fixed time step in s")
    scenario_runner: bool = Field(True, description="also write OpenSCENARIO 1.0 files for CARLA's scenario runner")
    blueprints: Path | None = Field(None, description="TOML file with a [blueprints] table: category or target type -> CARLA model")


def emit(checked: Checked, options: Options) -> tuple[Artifact, ...]:
    """All files under carla/. Raises DataFileError for a data file or an anchor that does not fit."""
    setup = options.setup("external", options.step)
    place, anchor = _map(options)
    blueprints = _blueprints(options.blueprints)
    driven, found = [], []
    for scenario in checked.scenarios:
        refusal = not_driven(scenario, setup, blueprints, "CARLA", "--blueprints")
        if refusal is None:
            driven.append(scenario)
        else:
            losses = [{"code": refusal.code, "message": refusal.message}]
            content = json_bytes({"id": scenario.id, "wording": scenario.wording, "losses": losses})
            found.append(_artifact(f"not_driven/{scenario.id}.json", content, scenario, (refusal,)))
    built = {scenario.id: config(scenario, setup, blueprints, place, anchor, ()) for scenario in driven}
    for scenario in driven:
        made = built[scenario.id][0]
        found.append(_artifact(f"configs/{scenario.id}.json", json_bytes(made.model_dump(mode="json", exclude_none=True)), scenario))
    if driven:
        found.append(_artifact("run_carla.py", _runner(checked)))
        if place.opendrive:
            found.append(_artifact(_ROAD, straight_road(checked, [item[1:] for item in built.values()], setup)))
        if options.scenario_runner and not options.town:
            from regc.targets._carla_scenario_runner import scenario_file

            for scenario in driven:
                content = scenario_file(scenario, *built[scenario.id], setup, date=checked.edition_date, road=f"../{_ROAD}")
                found.append(_artifact(f"scenario_runner/{scenario.id}.xosc", content, scenario, _losses(scenario)))
            found.append(_artifact("scenario_runner/left_out.csv", _table()))
    ordered = tuple(sorted(found, key=lambda item: item.path))
    return toolprofiles.enforce(PROFILE, ordered, options.model_dump())


def _artifact(path: str, content: bytes, scenario: Scenario | None = None, losses: tuple[Finding, ...] = ()) -> Artifact:
    return Artifact(path=f"{NAME}/{path}", content=content, target=NAME, scenario=scenario.id if scenario else None, losses=losses)


def _map(options: Options) -> tuple[Map, Anchor]:
    if options.town is None:
        return Map(opendrive=f"../{_ROAD}"), Anchor()
    hint = "--anchor X,Y,Z,YAW: the start of a straight, level road of that town"
    if options.anchor is None:
        raise DataFileError(f"--town {options.town}: no place to start from", hint=hint)
    try:
        x, y, z, yaw = (float(part) for part in options.anchor.split(","))
    except ValueError as problem:
        raise DataFileError(f"--anchor {options.anchor}: not four numbers", hint=hint) from problem
    return Map(town=options.town), Anchor(x, y, z, yaw)


def _blueprints(path: Path | None) -> dict[str, str]:
    found = dict(toolprofiles.load(PROFILE).blueprints)
    if path is not None:
        try:
            found.update(tomllib.loads(path.read_text(encoding="utf-8"))["blueprints"])
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise DataFileError(
                f"{path}: no [blueprints] table: {problem}", hint='[blueprints] M1 = "vehicle.tesla.model3"'
            ) from problem
    return found


def _losses(scenario: Scenario) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            code="T632", severity="info", scenario=scenario.id, field=what, message=f"scenario runner: no {what}: {why}", hint=instead
        )
        for what, why, instead in RUNNER_LOSSES
        if "bicycle" not in what or "bicycle" in scenario.target.type
    )


def _table() -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([("left out", "why", "instead"), *RUNNER_LOSSES])
    return stream.getvalue().encode()


def _runner(checked: Checked) -> bytes:
    environment = Environment(
        loader=FileSystemLoader(resource("templates", "carla")), undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False
    )
    text = environment.get_template("run_carla.py.j2").render(
        version=__version__, regulation=checked.regulation, edition=checked.edition, carla=PROFILE.removeprefix("carla-")
    )
    return text.encode()
