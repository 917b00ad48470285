"""Stage 6: resolved scenarios to Checked. CHECKS is the order of the checks."""

from __future__ import annotations

from collections.abc import Callable

from regc.model.document import Document
from regc.model.regulation import Edition, Profile
from regc.model.result import Checked, Finding
from regc.model.scenario import ProcedureCard, Scenario
from regc.validate import coverage, limit_tables, physics, ranges, rivals, speed_tables, trace
from regc.validate._candidate import Candidate

CHECKS: tuple[Callable[[Candidate], tuple[Finding, ...]], ...] = (
    trace.check,
    ranges.check,
    rivals.check,
    limit_tables.check,
    speed_tables.check,
    physics.check,
)


def check(
    scenarios: tuple[Scenario, ...],
    cards: tuple[ProcedureCard, ...],
    document: Document,
    profile: Profile,
    edition: Edition,
    findings: tuple[Finding, ...] = (),
) -> Checked:
    """All scenarios of an edition, checked. `findings` are those of the stages before; a scenario with an error of `trace`
    does not pass."""
    candidate = Candidate(document, profile, edition, scenarios, cards)
    found = [finding for run in CHECKS for finding in run(candidate)]
    untraced = {finding.scenario for finding in found if finding.code in ("V501", "V502")}
    kept = tuple(scenario for scenario in scenarios if scenario.id not in untraced)
    measured = coverage.measure(Candidate(document, profile, edition, kept, cards))
    return Checked(
        regulation=document.id,
        edition=document.edition,
        wording=document.wording,
        title=edition.title,
        document_sha256=document.sha256,
        source_name=document.source_name,
        edition_date=edition.date,
        id_stem=edition.stem,
        csv_form=edition.csv_form,
        csv_categories=edition.csv_categories,
        scenarios=kept,
        cards=cards,
        coverage=measured,
        findings=_once((*findings, *found, *coverage.findings(measured))),
    )


def _once(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Findings in order, each message once."""
    return tuple({(finding.code, finding.message, finding.scenario): finding for finding in findings}.values())
