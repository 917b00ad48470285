"""Draft + Document -> Scenario + findings: re-reads every claimed place before a value may pass.

The place is checked first (a clause that the profile allows for the field; caption, row and column of a cell), then the value.
A wrong value at a right place is counted and repaired from the place; nothing is ever repaired from a wrong place.
"""

from __future__ import annotations

from decimal import Decimal

from regc._claims import Claims, Memory
from regc._derive import Derived, derive
from regc.model.document import Document
from regc.model.protocols import Resolver
from regc.model.regulation import Edition, Family, Profile, Variant
from regc.model.result import Disagreement, Finding, Resolution
from regc.model.scenario import (
    Approach,
    Criteria,
    Draft,
    Environment,
    LoadState,
    NamedQuantity,
    Runs,
    Scenario,
    Statement,
    Status,
    Subject,
    Target,
    Trigger,
)
from regc.model.source import Quantity, SourceRef
from regc.model.units import plain
from regc.places import load_of

_PARTS: dict[str, type[Approach] | type[Trigger] | type[Criteria] | type[Environment] | type[Runs]] = {
    "approach": Approach,
    "trigger": Trigger,
    "criteria": Criteria,
    "environment": Environment,
    "runs": Runs,
}


def resolver(document: Document, profile: Profile, edition: Edition) -> Resolver:
    """A function that resolves drafts against one document."""
    memory = Memory()

    def resolve(draft: Draft) -> Resolution:
        return _resolve(draft, document, profile, edition, memory)

    return resolve


def _resolve(draft: Draft, document: Document, profile: Profile, edition: Edition, memory: Memory) -> Resolution:
    family = profile.family(draft.family)
    if family is None:
        return _refused(f"the profile has no family {draft.family!r}", "family", "wrong_place")
    variant = next((item for item in family.variants if item.name == draft.variant), None)
    if family.variants and variant is None:
        return _refused(f"{draft.family}: the profile has no variant {draft.variant!r}", "variant", "wrong_place")
    claims = Claims(draft, document, profile, edition, family, variant, memory)
    values = claims.read_fields()
    derived = derive(draft, values, claims, family)
    statements = claims.read_statements()
    claims.require(tuple(values) + tuple(derived.values))
    if claims.refused:
        return claims.resolution(None)
    status = claims.status(derived.values.get("subject.test_speed") or values.get("subject.test_speed"))
    scenario = _scenario(
        draft, document, profile, edition, family, variant, {**values, **derived.values}, statements, claims, derived, status
    )
    return claims.resolution(scenario, derived.findings(scenario.id))


def _scenario(
    draft: Draft,
    document: Document,
    profile: Profile,
    edition: Edition,
    family: Family,
    variant: Variant | None,
    values: dict[str, Quantity],
    statements: dict[str, tuple[Statement, ...]],
    claims: Claims,
    derived: Derived,
    status: Status,
) -> Scenario:
    said = statements.pop("status", ())
    load = _load(draft, profile, claims)
    in_lane = family.approach_type == "in_lane"
    parts = {
        name: {field: values[f"{name}.{field}"] for field in model.model_fields if f"{name}.{field}" in values}
        for name, model in _PARTS.items()
    }
    procedure = variant.procedure if variant else family.procedure
    return Scenario(
        id=_id(edition, family, variant, draft, load, values),
        regulation=document.id,
        edition=document.edition,
        wording=document.wording,
        title=variant.title if variant else family.title,
        family=family.name,
        approach_type=family.approach_type,
        category=None if variant else draft.category,
        group=None if variant else draft.group,
        load_state=load,
        status=status,
        status_sources=tuple(source for statement in said for source in statement.sources),
        clause=procedure,
        relative_speed=values.get("relative_speed") if not family.variants else None,
        subject=Subject(test_speed=values["subject.test_speed"]),
        target=Target(
            type=variant.target_type if variant else family.target_type,
            description=(variant.target_description if variant else "") or family.target_description,
            speed=values["target.speed"],
            prescribed_speed=derived.prescribed if in_lane else None,
            sources=tuple(source for item in statements.get("target", ()) for source in item.sources),
        ),
        approach=Approach(**parts["approach"]),
        environment=Environment(**parts["environment"]),
        trigger=Trigger(**parts["trigger"]),
        criteria=Criteria(
            **parts["criteria"],
            warning_rule=family.warning_rule,
            no_braking_demand=family.approach_type == "manoeuvre",
        ),
        runs=Runs(**parts["runs"]),
        manoeuvre=_named(values, "manoeuvre."),
        envelope=_named(values, "envelope."),
        statements=tuple(statement for topic in sorted(statements) for statement in statements[topic]),
    )


def _named(values: dict[str, Quantity], prefix: str) -> tuple[NamedQuantity, ...]:
    return tuple(
        NamedQuantity(name=field.removeprefix(prefix), quantity=quantity)
        for field, quantity in values.items()
        if field.startswith(prefix)
    )


def _load(draft: Draft, profile: Profile, claims: Claims) -> LoadState | None:
    named = load_of(draft.load_term or "", profile)
    if named is None:
        return None
    load, _ = named
    sources: tuple[SourceRef, ...] = claims.limit_sources
    return LoadState(term=" ".join(claims.limit_term.split()), kind=load.kind, token=load.token, sources=sources)


def _id(
    edition: Edition, family: Family, variant: Variant | None, draft: Draft, load: LoadState | None, values: dict[str, Quantity]
) -> str:
    """A file stem: edition, clause, family, category, load and speeds, safe on every file system."""
    procedure = variant.procedure if variant else family.procedure
    clause = procedure.replace("Annex ", "A").replace(" - Appendix ", "App").replace(", ", "-")
    parts = [edition.stem, clause if clause.startswith("A") else f"p{clause}", family.token]
    if variant:
        return "_".join([*parts, variant.token])
    parts += [part for part in (draft.category, load.token if load else None, _token(draft.group)) if part]
    speeds = _padded(values["subject.test_speed"].value)
    if family.lookup == "relative" and values["target.speed"].value:
        speeds += f"-{_padded(values['target.speed'].value)}"
    return "_".join([*parts, speeds])


def _token(group: str | None) -> str | None:
    """A further distinction of a column as part of an id ("alpha <= 1.3" -> "alpha-le-1.3")."""
    if not group:
        return None
    text = group.replace("≤", "<=").replace("≥", ">=").replace("α", "alpha")
    for sign, word in (("<=", "-le-"), (">=", "-ge-"), ("<", "-lt-"), (">", "-gt-")):
        text = text.replace(sign, word)
    kept = "".join(char if char.isalnum() or char in ".-" else "" for char in text)
    return kept.strip("-") or None


def _padded(value: Decimal) -> str:
    whole, _, fraction = plain(value).partition(".")
    return whole.zfill(3) + (f".{fraction}" if fraction else "")


def _refused(message: str, field: str, kind: str) -> Resolution:
    finding = Finding(code="X411", severity="error", field=field, message=message, hint="the scenario is left out")
    return Resolution(
        scenario=None,
        findings=(finding,),
        disagreements=(Disagreement(field=field, kind="wrong_place", message=message),),
        claims=1,
        wrong_places=1,
    )
