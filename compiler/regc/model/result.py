"""What stages report and hand out: findings, resolutions, coverage, checked scenarios, artefacts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from regc.model.scenario import ProcedureCard, Scenario
from regc.model.source import Frozen, Place, SourceRef, Wording

Severity = Literal["error", "warning", "info"]


class Finding(Frozen):
    """A content problem, an assumption or something left out, never an exception.

    `code`: R1xx reading, R2xx links, C3xx context, X4xx extraction, V5xx validation, T6xx targets, S7xx simulation, A8xx assumptions;
    of a profile: P1xx names and shape, L2xx places, T3xx tables, E4xx expressions and types, X5xx worked examples, C1xx lint.
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


#: What of a claimed place in a table is wrong.
Part = Literal["", "limit table", "speed table", "column"]


class Disagreement(Frozen):
    """A claim that its place does not bear out, in words for a re-ask that do not give the answer away.

    `place` is the one that was claimed, `part` what of it is wrong ("" when that cannot be told apart).
    """

    field: str
    kind: Literal["wrong_value", "wrong_place", "no_place", "missing"]
    message: str
    place: Place | None = None
    part: Part = ""


class Resolution(Frozen):
    """What `resolve` makes of one draft. `disagreements` are for a re-ask; a scenario is None when it had to be refused.

    `claims`, `wrong_values`, `wrong_places`, `repaired` count for the hallucination rate.
    """

    scenario: Scenario | None
    findings: tuple[Finding, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    claims: int = 0
    wrong_values: int = 0
    wrong_places: int = 0
    repaired: int = 0


class TableUse(Frozen):
    """One limit or test-speed cell and what became of it: the scenarios that use it, or the reason that none does."""

    table: str
    clause: str
    caption: str
    role: Literal["limit", "test_speed"]
    row: str
    column: str
    value: str
    scenarios: tuple[str, ...] = ()
    reason: str | None = None
    notes: tuple[str, ...] = ()


class ClauseUse(Frozen):
    """One testable clause and what became of it."""

    clause: str
    title: str
    scenarios: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    reason: str | None = None


class Coverage(Frozen):
    """What of the document reached a scenario. The counts of numbers are over all scenarios and cards. `borrowed`: stated numbers
    whose tolerance is assumed; they count in `assumed` too."""

    cells: tuple[TableUse, ...] = ()
    clauses: tuple[ClauseUse, ...] = ()
    cited: int = 0
    derived: int = 0
    assumed: int = 0
    borrowed: int = 0
    traced: int = 0
    accurate: int = 0

    @property
    def numbers(self) -> int:
        """All numbers, each once."""
        return self.cited + self.derived + self.assumed - self.borrowed


class Checked(Frozen):
    """Scenarios that passed the checker, and all that was found on the way; the only thing that targets accept."""

    regulation: str
    edition: str
    wording: Wording
    title: str
    document_sha256: str
    source_name: str
    edition_date: str
    id_stem: str
    csv_form: str = "full"
    csv_categories: tuple[str, ...] = ()
    scenarios: tuple[Scenario, ...]
    cards: tuple[ProcedureCard, ...] = ()
    coverage: Coverage = Coverage()
    findings: tuple[Finding, ...] = ()
