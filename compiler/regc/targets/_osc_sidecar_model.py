"""The form of a sidecar, for programs that read it; the schema in schemas/ is made from it."""

from __future__ import annotations

from typing import Any, Literal

from regc.model.scenario import LoadKind, Status, WarningRule
from regc.model.source import Basis, Bound, Frozen, Wording


class SidecarTolerance(Frozen):
    """Magnitudes in the unit of the quantity."""

    plus: str
    minus: str
    sources: tuple[str, ...] = ()
    assumption: str | None = None


class SidecarQuantity(Frozen):
    """A number of the scenario in the regulation's digits and unit; `sources` name places in words."""

    value: str
    unit: str
    bound: Bound
    basis: Basis
    sources: tuple[str, ...] = ()
    formula: str | None = None
    assumption: str | None = None
    tolerance: SidecarTolerance | None = None


class SidecarParameter(Frozen):
    """A number of the scenario file in SI: the field that it is, or the formula, fields and assumptions that it follows from."""

    value: str
    unit: str
    basis: Basis
    field: str | None = None
    sources: tuple[str, ...] = ()
    assumption: str | None = None
    formula: str | None = None
    fields: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


class SidecarAssumption(Frozen):
    """Assumed numbers of one code, why they may be assumed, and the option that replaces them."""

    code: str
    reason: str
    replace_with: str
    numbers: dict[str, str]


class SidecarLoss(Frozen):
    """What the file could not hold, or why there is none."""

    code: str
    severity: Literal["error", "warning", "info"]
    message: str


class SidecarLoad(Frozen):
    """The edition's words and the kind that they map to."""

    term: str
    kind: LoadKind


class SidecarCriteria(Frozen):
    """What a run must show."""

    max_impact_speed: SidecarQuantity | None = None
    min_warning_lead_time: SidecarQuantity | None = None
    min_warning_modes: SidecarQuantity | None = None
    min_braking_demand: SidecarQuantity | None = None
    warning_rule: WarningRule
    no_braking_demand: bool


class SidecarFiles(Frozen):
    """Paths under openscenario/."""

    scenario: str
    road: str
    catalogs: str


class Sidecar(Frozen):
    """Beside each scenario file; without `files` it stands for a scenario that became no file, and `losses` say why.

    `variant` and `shown` belong to manoeuvres: which side of traffic and object, and what the layout gives for the bounds.
    """

    schema_version: str
    id: str
    title: str
    regulation: str
    edition: str
    wording: Wording
    family: str
    category: str | None
    load_state: SidecarLoad | None
    status: Status
    status_sources: tuple[str, ...]
    clause: str
    openscenario: Literal["1.0", "1.1", "1.2", "1.3"]
    ego: Literal["none", "external", "reference", "late"]
    quantities: dict[str, SidecarQuantity]
    criteria: SidecarCriteria
    sources: tuple[str, ...]
    losses: tuple[SidecarLoss, ...]
    parameters: dict[str, SidecarParameter] = {}
    assumptions: tuple[SidecarAssumption, ...] = ()
    files: SidecarFiles | None = None
    variant: str | None = None
    shown: dict[str, str] = {}


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a sidecar."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Sidecar.model_json_schema()}
