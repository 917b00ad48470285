"""The JSON beside a scenario file: what each of its numbers rests on, what was assumed, what the format could not hold.

The schema in `schemas/` is made from the classes here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from regc.files import json_bytes
from regc.model.origins import Described, described
from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.model.source import Frozen
from regc.model.stage import Stage
from regc.targets.openscenario.logical import criterion_words


class SidecarLoss(Frozen):
    """What the file could not hold, or why there is none."""

    code: str
    severity: Literal["error", "warning", "info"]
    message: str


class SidecarFiles(Frozen):
    """Paths under openscenario/."""

    scenario: str
    road: str
    catalogs: str


class Sidecar(Described):
    """Beside each scenario file; without `files` it stands for a test that became no file, and `losses` say why.

    `places`: attribute of the file (`path@attribute`) -> formula over the sheet that gives it.
    """

    schema_version: Literal["2"] = "2"
    id: str
    openscenario: str
    ego: str
    criteria: str
    places: dict[str, str] = {}
    losses: tuple[SidecarLoss, ...] = ()
    files: SidecarFiles | None = None


def sidecar(
    scenario: Scenario,
    stage: Stage | None,
    minor: int,
    ego: str,
    losses: Iterable[Finding],
    places: Mapping[str, str] | None = None,
    files: SidecarFiles | None = None,
) -> Sidecar:
    """What a scenario file rests on; `stage` and `files` are missing for a test that became no file."""
    return Sidecar(
        **dict(described(scenario, stage)),
        id=scenario.id,
        openscenario=f"1.{minor}",
        ego=ego,
        criteria=criterion_words(scenario.require),
        places=dict(places or {}),
        losses=tuple(SidecarLoss(code=loss.code, severity=loss.severity, message=loss.message) for loss in losses),
        files=files,
    )


def dump(made: Sidecar) -> bytes:
    """Fixed bytes, written as every JSON file of regc."""
    return json_bytes(made.model_dump(mode="json", exclude_defaults=True) | {"schema_version": made.schema_version})


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a sidecar."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Sidecar.model_json_schema()}
