"""CARLA: a configuration a stage, the runner that drives them, the roads, and files for CARLA's own scenario runner."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from regc import __version__
from regc.errors import DataFileError, TargetRefusedError
from regc.files import json_bytes
from regc.model.result import Artifact, Finding
from regc.model.stage import Stage, Staged
from regc.model.suite import Suite
from regc.targets.carla.bodies import Models, NoModel, cast, models
from regc.targets.carla.build import Anchor, config
from regc.targets.carla.config import Map, json_schema
from regc.targets.openscenario import roads
from regc.targets.openscenario.files import Roads
from regc.templating import render

NAME = "carla"
#: JSON Schemas of files that other programs read
SCHEMAS = {"carla-config": json_schema}
#: the greatest step that a server's physics takes, s
_MOST_STEP = 0.05

LOSSES = (
    ("temperature and pressure", "CARLA has neither", "the configuration names them among its values"),
    ("illumination", "CARLA has a sun, and no illuminance in lux", "the sun stands as the stage says"),
)


class Options(BaseModel):
    """What a user can choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    town: str | None = Field(None, description="a town of CARLA's in place of the built-in roads; needs --anchor")
    anchor: str | None = Field(None, description="X,Y,Z,YAW of the start of the straight road in that town, in CARLA's frame")
    blueprints: Path | None = Field(None, description="TOML file of CARLA's models and who they play, laid over the built-in one")
    scenario_runner: bool = Field(True, description="also write OpenSCENARIO 1.0 files for CARLA's scenario runner")


def emit(suite: Suite, staged: Staged, options: Options) -> tuple[Artifact, ...]:
    """All files under carla/. Raises DataFileError for a data file or an anchor that does not fit, TargetRefusedError for a step that
    CARLA does not take."""
    known = models(options.blueprints)
    anchor = _anchor(options)
    _check_steps(staged)
    tests = {test.id: test for test in suite.selected}
    plans = Roads(list(staged.stages))
    found, driven = [], []
    lost = tuple(f"no {what}: {why}; {instead}" for what, why, instead in LOSSES)
    for stage in staged.stages:
        try:
            bodies = cast(stage, known)
            if options.town and stage.road.kind != "straight":
                raise NoModel(f"--town holds straight roads only, and this test needs a {stage.road.kind}")
        except NoModel as problem:
            found.append(_not_driven(stage.stem, stage.scenario, str(problem), "O631", "name other models in a file for --blueprints"))
            continue
        place = Map(town=options.town) if options.town else Map(opendrive=f"../roads/{plans.name(stage)}")
        made = config(tests[stage.scenario], stage, bodies, known, place, anchor, lost)
        content = json_bytes(made.model_dump(mode="json", exclude_none=True))
        found.append(_artifact(f"configs/{stage.stem}.json", content, stage.scenario, _losses(stage)))
        driven.append((stage, bodies))
    for id, reason in staged.left_out.items():
        if id in tests:
            found.append(_not_driven(id, id, reason, "O633", "its test case stands in the text target"))
    if driven:
        found.append(_artifact("run_carla.py", _runner(suite, known)))
        if not options.town:
            found.extend(_roads(suite, plans, staged))
        if options.scenario_runner and not options.town:
            from regc.targets.carla.scenario_runner import files

            found.extend(files(suite, driven, plans))
    return tuple(sorted(found, key=lambda item: item.path))


def _artifact(path: str, content: bytes, scenario: str | None = None, lost: tuple[Finding, ...] = ()) -> Artifact:
    return Artifact(path=f"{NAME}/{path}", content=content, target=NAME, scenario=scenario, losses=lost)


def _not_driven(name: str, scenario: str, reason: str, code: str, hint: str) -> Artifact:
    finding = Finding(code=code, severity="warning", scenario=scenario, message=f"{name}: not driven in CARLA: {reason}", hint=hint)
    content = json_bytes({"id": name, "losses": [{"code": code, "message": finding.message}]})
    return _artifact(f"not_driven/{name}.json", content, scenario, (finding,))


def _losses(stage: Stage) -> tuple[Finding, ...]:
    return tuple(
        Finding(code="O632", severity="info", scenario=stage.scenario, field=what, message=f"CARLA: no {what}: {why}", hint=instead)
        for what, why, instead in LOSSES
    )


def _anchor(options: Options) -> Anchor:
    hint = "--anchor X,Y,Z,YAW: the start of a straight, level road of that town"
    if options.town is None:
        if options.anchor is not None:
            raise DataFileError(f"--anchor {options.anchor}: no town to start in", hint="--town NAME")
        return Anchor()
    if options.anchor is None:
        raise DataFileError(f"--town {options.town}: no place to start from", hint=hint)
    try:
        x, y, z, yaw = (float(part) for part in options.anchor.split(","))
    except ValueError as problem:
        raise DataFileError(f"--anchor {options.anchor}: not four numbers", hint=hint) from problem
    return Anchor(x, y, z, yaw)


def _check_steps(staged: Staged) -> None:
    steps = Counter(stage.step for stage in staged.stages)
    too_long = [step for step in steps if step > _MOST_STEP]
    if too_long:
        raise TargetRefusedError(
            f"CARLA does not take a step of {max(too_long):g} s: its physics becomes too coarse", hint=f"--step {_MOST_STEP:g} or less"
        )


def _roads(suite: Suite, plans: Roads, staged: Staged) -> list[Artifact]:
    right_hand = all(stage.traffic == "rht" for stage in staged.stages)
    date = f"{suite.edition_date or '1970-01-01'}T00:00:00"
    title = f"{suite.regulation} {suite.edition}, {suite.wording} wording"
    return [
        _artifact(f"roads/{name}", roads.written(plan, date, f"{plan.road.kind} road for {title}"))
        for name, plan in plans.plans(right_hand=right_hand)
    ]


def _runner(suite: Suite, known: Models) -> bytes:
    text = render(
        suite.regulation,
        "carla/run_carla.py.j2",
        None,
        version=__version__,
        title=f"{suite.regulation} {suite.edition}",
        carla=known.version,
    )
    return text.encode()
