"""What stages report and hand out: findings and artefacts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from regc.model.source import Frozen, SourceRef

Severity = Literal["error", "warning", "info"]


class Finding(Frozen):
    """A content problem, an assumption or something left out, never an exception.

    `code`: R reading, of a profile P names and shape, L places, T tables, E expressions and types, X worked examples, C lint; V
    verification, S simulation, O output, A assumptions, M models and retrieval.
    `message` names the place, the value and what is wrong; `hint` is the next step. `place` is for findings that have no SourceRef
    yet (a page, a line of a file). `excerpt` is the input at that place, for display.
    """

    code: str = Field(pattern=r"^[PLTEXCRVSOAM][1-8]\d\d$")
    severity: Severity
    message: str
    scenario: str | None = None
    field: str | None = None
    source: SourceRef | None = None
    place: str | None = None
    excerpt: str | None = None
    hint: str = ""


class Artifact(Frozen):
    """One output file. `path` is relative to the build folder, with "/" ; `losses` is what the target could not express."""

    path: str
    content: bytes
    target: str
    scenario: str | None = None
    losses: tuple[Finding, ...] = ()
