"""The rules extractor: claims by the profile's rules from the context alone, no language model, the same every time."""

from __future__ import annotations

from pydantic import BaseModel

from regc.extract._expand import Fields, Statements, expand
from regc.model.chunk import Context
from regc.model.protocols import LLM, Extraction, Resolver
from regc.model.regulation import Family, FieldRule, Profile, StatementRule
from regc.model.result import Finding, Resolution
from regc.model.scenario import ClaimValue, Draft
from regc.model.source import Cited, Place
from regc.places import agreed, find, limit_tables, load_columns, matching_sentences


class Options(BaseModel):
    """The rules extractor has nothing to set."""


def extract(
    contexts: dict[str, Context],
    profile: Profile,
    edition: str,
    resolve: Resolver,
    *,
    llm: LLM | None = None,
    options: BaseModel | None = None,
) -> Extraction:
    """Drafts for every family that has a context, each passed through `resolve`; `llm` and `options` are not used."""
    resolutions: list[Resolution] = []
    findings: list[Finding] = []
    for family in profile.families_of(edition):
        context = contexts.get(family.name)
        if context is None:
            continue
        drafts, problems = drafts_of(family, context.of(profile.id, edition), profile, edition)
        findings.extend(problems)
        resolutions.extend(resolve(draft) for draft in drafts)
    return Extraction(resolutions=tuple(resolutions), findings=tuple(findings))


def drafts_of(family: Family, context: Context, profile: Profile, edition: str) -> tuple[list[Draft], list[Finding]]:
    """All drafts of one family from its context, and what could not be found."""
    if family.variants:
        return _variant_drafts(family, context, profile, edition)
    findings: list[Finding] = []
    shared = claims(profile.field_rules(family, edition), context, profile, family.name, findings)
    statements = quotes(profile.statement_rules(family, edition), context)
    procedure = context.clause(family.procedure)
    if procedure is None:
        findings.append(_missing(family, family.procedure, "the clause of the test is not in the context"))
        return [], findings
    tables = context.tables()
    drafts = list(expand(family, profile, tables, procedure, shared, statements))
    chosen = profile.edition(edition)
    unknown = chosen.unknown if chosen else ()
    for category in family.categories:
        if f"{family.name} {category}" not in unknown and not any(
            load_columns(table, family, profile) for table in limit_tables(tables, family, profile, category)
        ):
            findings.append(_missing(family, family.limit_clause or "", f"no limit table whose caption names category {category}"))
    return drafts, findings


def _variant_drafts(family: Family, context: Context, profile: Profile, edition: str) -> tuple[list[Draft], list[Finding]]:
    findings: list[Finding] = []
    drafts: list[Draft] = []
    for variant in family.variants:
        fields = claims(profile.field_rules(family, edition, variant), context, profile, family.name, findings)
        if "subject.test_speed" not in fields:
            if context.clause(variant.procedure) is not None:
                findings.append(_missing(family, variant.procedure, f"no test speed for {variant.title.lower()}"))
            continue
        drafts.append(
            Draft(
                family=family.name,
                category=None,
                load_term=None,
                status=family.prescribed_status,
                variant=variant.name,
                fields=fields,
                statements=quotes(profile.statement_rules(family, edition, variant), context),
            )
        )
    return drafts, findings


def claims(rules: tuple[FieldRule, ...], context: Context, profile: Profile, family: str, findings: list[Finding]) -> Fields:
    """One claim a field where the context answers its rule with one number; findings for those that it does not."""
    fields: Fields = {}
    absent: dict[str, list[FieldRule]] = {}
    for rule in rules:
        if all(context.clause(clause_id) is None for clause_id in rule.clauses):
            absent.setdefault(" / ".join(rule.clauses), []).append(rule)
            continue
        for clause_id in rule.clauses:
            clause = context.clause(clause_id)
            places = find(rule, clause, profile.speed_unit) if clause else ()
            if not places:
                continue
            found = agreed(places)
            if found is None:
                numbers = ", ".join(f"{place.value} {place.unit}" for place in places)
                findings.append(
                    Finding(
                        code="X402",
                        severity="error" if rule.required else "warning",
                        field=rule.field,
                        message=f"{clause_id}: {family} {rule.field}: the wording fits several numbers ({numbers})",
                        hint="narrow the rule's anchor in the profile; nothing is guessed",
                    )
                )
                break
            value = ClaimValue(value=found.value, unit=found.unit, bound=found.bound, tolerance=found.tolerance)
            fields[rule.field] = (Cited[ClaimValue](value=value, place=Place(clause=found.clause, quote=found.quote)),)
            break
        else:
            findings.append(
                Finding(
                    code="X401",
                    severity="error" if rule.required else "warning",
                    field=rule.field,
                    message=f"{' / '.join(rule.clauses)}: {family} {rule.field}: no number of unit {rule.unit} found there",
                    hint=f"does the clause say it? regc show {profile.id} {rule.clauses[0]!r}",
                )
            )
    findings.extend(_absent(clause_id, needing, family) for clause_id, needing in absent.items())
    return fields


def _absent(clause_id: str, rules: list[FieldRule], family: str) -> Finding:
    """One finding for a clause that is not there, with the fields that it would have given."""
    names = ", ".join(rule.field for rule in rules)
    return Finding(
        code="X403",
        severity="error" if any(rule.required for rule in rules) else "warning",
        message=f"{clause_id}: {family}: the clause is not in the context; it should give {names}",
        hint="regc inspect shows whether its number was read; if so, retrieval missed it: raise --budget or take --retriever fulltext",
    )


def quotes(rules: tuple[StatementRule, ...], context: Context) -> Statements:
    """The sentences that a family's statement rules ask for, by topic, verbatim."""
    found: dict[str, list[Cited[str]]] = {}
    for rule in rules:
        for clause_id in rule.clauses:
            clause = context.clause(clause_id)
            for sentence in matching_sentences(clause, rule.anchor) if clause else ():
                place = Place(clause=clause_id, quote=sentence.text)
                found.setdefault(rule.topic, []).append(Cited[str](value=sentence.text, place=place))
    return {topic: tuple(cited) for topic, cited in found.items()}


def _missing(family: Family, clause: str, message: str) -> Finding:
    return Finding(
        code="X403",
        severity="error",
        message=f"{clause}: {family.name}: {message}",
        hint="`regc inspect` shows what was read; a retrieval that misses the clause shows up in the C3xx findings",
    )
