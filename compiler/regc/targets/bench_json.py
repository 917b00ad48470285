"""A neutral JSON file a scenario for benches that have no target of their own: SI numbers, each with the reason it may be used."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from regc import assumed
from regc.files import json_bytes
from regc.model.result import Artifact, Checked
from regc.model.scenario import Scenario
from regc.targets import _osc_sidecar as sidecar
from regc.targets._osc_values import Setup, values

NAME = "bench_json"


class Options(BaseModel):
    """What a user can choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    approach: float | None = Field(None, ge=0, le=600, description="straight approach before the functional part in s")
    crossing_from: Literal["nearside", "farside"] = Field("nearside", description="side from which crossing targets come")
    traffic: Literal["rht", "lht"] = Field("rht", description="right-hand or left-hand traffic")
    vehicle: Path | None = Field(None, description="TOML file of subject vehicles, in place of the built-in one")
    targets: Path | None = Field(None, description="TOML file of targets, in place of the built-in one")
    road: Path | None = Field(None, description="TOML file of road, surroundings and times, in place of the built-in one")


def emit(checked: Checked, options: Options) -> tuple[Artifact, ...]:
    """One file a scenario. In-lane and crossing tests have the numbers of their start (frame: x ahead on the straight road, y to its
    left); manoeuvres have the document's numbers alone. Raises DataFileError for a data file that does not fit."""
    setup = Setup(
        ego="external",
        approach=None if options.approach is None else Decimal(str(options.approach)),
        step=Decimal("0.01"),
        nearside=options.crossing_from == "nearside",
        right_hand=options.traffic == "rht",
        vehicles=assumed.vehicles(options.vehicle),
        targets=assumed.targets(options.targets),
        track=assumed.track(options.road),
    )
    return tuple(
        Artifact(path=f"bench/{scenario.id}.json", content=json_bytes(_content(scenario, setup)), target=NAME, scenario=scenario.id)
        for scenario in sorted(checked.scenarios, key=lambda item: item.id)
    )


def _content(scenario: Scenario, setup: Setup) -> dict[str, Any]:
    found = sidecar.head(scenario, (), "", setup.ego)
    for name in ("openscenario", "ego", "losses"):
        found.pop(name)
    found["approach_type"] = scenario.approach_type
    found["statements"] = [
        {"topic": item.topic, "text": item.text, "sources": [source.label() for source in item.sources]} for item in scenario.statements
    ]
    if scenario.approach_type != "manoeuvre" and scenario.target.type in setup.targets.types:
        numbers = values(scenario, setup)
        found["parameters"] = sidecar.parameters(numbers, numbers.resolve())
        found["assumptions"] = sidecar.assumptions(numbers, setup)
    return found
