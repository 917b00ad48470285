"""A second number beside the one that a field took: the rule chose by the words of a bound, a reader might not."""

from __future__ import annotations

from regc.model.result import Finding
from regc.places import rivals
from regc.validate._candidate import Candidate


def check(candidate: Candidate) -> tuple[Finding, ...]:
    """V521: a number of the same unit, in the same words, that no bound goes with and that no scenario uses."""
    findings: list[Finding] = []
    for family in candidate.families():
        for rule in candidate.profile.field_rules(family, candidate.edition.id):
            for clause_id in rule.clauses:
                clause = candidate.document.clause(clause_id)
                for item in rivals(rule, clause, candidate.profile.speed_unit) if clause else ():
                    message = (
                        f"{clause_id}: {family.name} {rule.field}: the clause also says {item.value} {item.unit} ({item.quote[:80]!r})"
                    )
                    hint = "the number that is worded as a bound was taken; compare with the official text"
                    findings.append(
                        Finding(code="V521", severity="warning", field=rule.field, message=message, place=clause_id, hint=hint)
                    )
    return tuple(findings)
