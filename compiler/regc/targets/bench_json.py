"""A neutral JSON file a scenario for benches that have no target of their own: SI numbers, each with the reason it may be used."""

from __future__ import annotations

from typing import Any

from regc.files import json_bytes
from regc.model.result import Artifact, Checked
from regc.model.scenario import Scenario
from regc.targets import _osc_sidecar as sidecar
from regc.targets._driven import DrivenOptions
from regc.targets._osc_values import Setup, values

NAME = "bench_json"


class Options(DrivenOptions):
    """What a user can choose."""


def emit(checked: Checked, options: Options) -> tuple[Artifact, ...]:
    """One file a scenario. In-lane and crossing tests have the numbers of their start (frame: x ahead on the straight road, y to its
    left); manoeuvres have the document's numbers alone. Raises DataFileError for a data file that does not fit."""
    setup = options.setup("external", 0.01)
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
