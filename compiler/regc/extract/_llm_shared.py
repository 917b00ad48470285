"""The numbers that all tests of a family (or one variant) share: asked, claimed, and asked again where a re-read disagrees."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from regc.extract._expand import Fields
from regc.extract._llm_ask import Asker
from regc.extract._llm_fields import COMMON, FieldQuestion, claims_of, field_questions, key_of, steering, to_ask
from regc.extract._llm_prompts import Prompts
from regc.model.chunk import Context
from regc.model.regulation import Family, FieldRule, Profile, Variant
from regc.model.result import Finding
from regc.model.scenario import ClaimValue
from regc.model.source import Cited


@dataclass
class Shared:
    """Claims by field, and which question each came from."""

    prompts: Prompts
    note: str
    test: str
    speed_unit: str
    order: tuple[str, ...]
    questions: list[FieldQuestion]
    claims: dict[str, Cited[ClaimValue]] = field(default_factory=dict)
    fallback: dict[str, Cited[ClaimValue]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, family: Family, variant: Variant | None, context: Context, profile: Profile, edition: str, prompts: Prompts, room: int
    ) -> tuple[Shared, list[Finding]]:
        """Questions for every field whose clause is in the context, and a finding for each whose clause is not."""
        rules = profile.field_rules(family, edition, variant)
        order = tuple(dict.fromkeys(rule.field for rule in rules))
        common = () if variant else [rule.field for rule in profile.fields if _for_all(rule)]
        questions, unasked = field_questions(rules, context, family, variant, common, room)
        findings = [
            Finding(
                code="X401",
                severity="error" if rule.required else "warning",
                field=rule.field,
                message=f"{' / '.join(rule.clauses)}: {family.name} {rule.field}: the clause is not in the context; nothing was asked",
                hint="another --retriever, or a larger budget of its context",
            )
            for rule in unasked
        ]
        return cls(prompts, prompts.note(family, variant), family.title, profile.speed_unit, order, questions), findings

    def ask(self, asker: Asker) -> None:
        """Put every question once."""
        for question in self.questions:
            self._put(asker, question, question.rules, ())

    def ask_again(self, asker: Asker, complaints: dict[str, str], repairable: Collection[str]) -> bool:
        """Put the disputed fields again with what was wrong; False when no question has a re-ask left. A `repairable` claim has a
        right place; it is kept for the case that the next one has not."""
        put = False
        self.fallback.update((name, self.claims[name]) for name in repairable if name in self.claims)
        for question in self.questions:
            disputed = [rule for rule in question.rules if rule.field in complaints]
            for clauses, rules in _by_place(disputed).items():
                # asked again over those clauses alone in which the profile lets these fields stand
                label = f"{question.label}, again {' / '.join(clauses)}"
                asker.asked.setdefault(label, asker.asked.get(question.label, 1))
                if not asker.may_ask(label):
                    continue
                put = True
                near = replace(question, label=label, items=tuple(item for item in question.items if item.id in clauses))
                claims = {rule.field: self.claims.get(rule.field) for rule in rules}
                stated = {name for name, claim in claims.items() if claim and _stands(claim, near)}
                self._put(asker, near, rules, [f"{key_of(rule)}: {complaints[rule.field]}" for rule in rules], stated)
        return put

    def _put(
        self,
        asker: Asker,
        question: FieldQuestion,
        rules: Sequence[FieldRule],
        complaints: Sequence[str],
        stated: Collection[str] = (),
    ) -> None:
        note = "" if question.about == COMMON else self.note
        answer = asker.ask(to_ask(question, rules, self.prompts, note, self.test, complaints, stated))
        if answer is not None:
            for rule in rules:
                self.claims.pop(rule.field, None)
            self.claims.update(claims_of(answer, rules, question.items, self.speed_unit))

    def fall_back(self, disputed: Collection[str]) -> bool:
        """Take the earlier claim of a right place back where the last one has none; False when there is none to take."""
        found = {name: self.fallback.pop(name) for name in disputed if name in self.fallback}
        self.claims.update(found)
        return bool(found)

    def fields(self) -> Fields:
        """The claims as a draft holds them, in the order of the profile."""
        return {name: (self.claims[name],) for name in self.order if name in self.claims}

    def steer(self) -> dict[str, Decimal]:
        """The numbers that decide which rows of a table are meant."""
        found: dict[str, Decimal] = {}
        for question in self.questions:
            for rule in question.rules:
                claim = self.claims.get(rule.field)
                value = steering(claim, rule, question.items) if claim else None
                if value is not None:
                    found[rule.field] = value
        return found

    def unanswered(self) -> list[FieldRule]:
        """Optional fields that the model says the evidence does not state."""
        return [rule for question in self.questions for rule in question.rules if rule.field not in self.claims and not rule.required]


def _by_place(rules: Sequence[FieldRule]) -> dict[tuple[str, ...], list[FieldRule]]:
    found: dict[tuple[str, ...], list[FieldRule]] = {}
    for rule in rules:
        found.setdefault(rule.clauses, []).append(rule)
    return found


def _stands(claim: Cited[ClaimValue], question: FieldQuestion) -> bool:
    quote = (claim.place.quote or "").lower()
    return any(quote in item.text.lower() for item in question.items)


def _for_all(rule: FieldRule) -> bool:
    """Whether a field stands in the same clauses for every family."""
    return not rule.families and not any("{" in clause for clause in rule.clauses)
