"""What a version of OpenSCENARIO cannot hold."""

from __future__ import annotations

from regc.model.result import Finding
from regc.model.stage import Stage
from regc.model.suite import Suite

#: first minor version that can hold it, code, what is lost
_SINCE: tuple[tuple[int, str, str], ...] = (
    (1, "O601", "the vehicle's mass (the load state) has no place in the file"),
    (1, "O602", "ambient temperature and pressure have no place in the file"),
    (1, "O603", "absence of wind has no place in the file"),
    (1, "O604", "expressions and distributions do not exist: no logical scenario and no variations are written"),
    (2, "O605", "dryness of the road surface has no place in the file"),
    (2, "O606", "the header has no properties: id, status and criterion stand in the sidecar alone"),
)


def of_suite(suite: Suite) -> tuple[Finding, ...]:
    """What every file says where the check found errors."""
    if not suite.forced:
        return ()
    hint = "mend what findings.json says, and build without --force"
    return (Finding(code="O695", severity="error", message=suite.forced, hint=hint),)


def of_version(minor: int) -> tuple[Finding, ...]:
    """The losses of every scenario file of a version."""
    return tuple(
        Finding(
            code=code,
            severity="warning" if since == 1 else "info",
            message=f"OpenSCENARIO 1.{minor}: {what}",
            hint=f"--osc-version 1.{since} or later holds it",
        )
        for since, code, what in _SINCE
        if minor < since
    )


def of_stage(stage: Stage, minor: int) -> tuple[Finding, ...]:
    """What one stage asks for and the version lacks."""
    if stage.headlamps and minor < 3:
        message = f"{stage.stem}: OpenSCENARIO 1.{minor} cannot set headlamps alone: {stage.headlamps} beam is not set"
        return (Finding(code="O607", severity="warning", scenario=stage.scenario, message=message, hint="--osc-version 1.3"),)
    return ()
