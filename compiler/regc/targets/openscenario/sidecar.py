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


class SidecarSource(Frozen):
    """One place of the document; values refer to it by its position in the sidecar's list."""

    label: str
    clause: str
    item: str | None = None
    table: str | None = None
    row: str | None = None
    column: str | None = None
    footnote: str | None = None
    page: int | None = None
    quote: str
    at: int | None = None


class SidecarTolerance(Frozen):
    """Magnitudes in the unit of the value."""

    plus: str
    minus: str
    sources: tuple[int, ...] = ()
    assumption: str | None = None


class SidecarValue(Frozen):
    """A number, a range or a symbol of the test in the regulation's digits and unit."""

    lo: str | None = None
    hi: str | None = None
    symbol: str = ""
    unit: str
    bound: Bound
    basis: Basis
    formula: str = ""
    sources: tuple[int, ...] = ()
    assumption: str | None = None
    tolerance: SidecarTolerance | None = None
    differs: bool = False


class SidecarLine(Frozen):
    """A line of the stage's sheet in SI: from the test (`formula` names its value), assumed, or calculated from other lines."""

    value: str
    unit: str
    basis: Basis
    formula: str = ""
    assumption: str | None = None
    reason: str = ""


class SidecarAssumption(Frozen):
    """Something that the simulation needs and the document does not say, and what replaces it."""

    code: str
    what: str
    value: str
    replace_with: str
    reason: str


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


class _Sources:
    """Places in the order in which they are first cited."""

    def __init__(self) -> None:
        self._known: dict[SourceRef, int] = {}

    def of(self, sources: Iterable[SourceRef]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._known.setdefault(source, len(self._known)) for source in sources))

    def listed(self) -> tuple[SidecarSource, ...]:
        return tuple(
            SidecarSource(
                label=source.label(),
                clause=source.clause,
                item=getattr(source, "item", None),
                table=source.table,
                row=source.row,
                column=source.column,
                footnote=source.footnote,
                page=source.page,
                quote=source.quote,
                at=source.at,
            )
            for source in self._known
        )


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
