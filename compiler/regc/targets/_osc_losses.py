"""What a version of OpenSCENARIO cannot hold, and which scenarios become no file."""

from __future__ import annotations

from regc.model.result import Finding
from regc.model.scenario import Scenario
from regc.targets._osc_values import Setup

#: first minor version that can hold it, code, what is lost
_SINCE: tuple[tuple[int, str, str], ...] = (
    (1, "T601", "the vehicle's mass (the load state) has no place in the file"),
    (1, "T602", "ambient temperature and pressure have no place in the file"),
    (1, "T603", "absence of wind has no place in the file"),
    (1, "T604", "expressions and distributions do not exist: no logical scenario and no variations are written"),
    (2, "T605", "dryness of the road surface has no place in the file"),
    (2, "T606", "the header has no properties: id, status and criterion stand in the sidecar alone"),
)


def of_version(version: str) -> tuple[Finding, ...]:
    """The losses of every scenario file of a version ("1.0")."""
    minor = int(version.split(".")[1])
    return tuple(
        Finding(
            code=code,
            severity="warning" if since == 1 else "info",
            message=f"OpenSCENARIO {version}: {what}",
            hint=f"--osc-version 1.{since} or later holds it",
        )
        for since, code, what in _SINCE
        if minor < since
    )


def not_written(scenario: Scenario, setup: Setup) -> Finding | None:
    """Why a scenario becomes no scenario file, or None."""
    if scenario.approach_type == "manoeuvre":
        return Finding(
            code="T610",
            severity="info",
            scenario=scenario.id,
            message=f"{scenario.id}: a manoeuvre of the subject vehicle; this target writes in-lane and crossing tests",
            hint="its test case stands in the text target",
        )
    if scenario.target.type not in setup.targets.types:
        return Finding(
            code="T611",
            severity="warning",
            scenario=scenario.id,
            field="target.type",
            message=f"{scenario.id}: no data for a target of type {scenario.target.type!r}",
            hint=f"add a [{scenario.target.type}] table to a copy of targets.toml and pass it with --targets",
        )
    return None
