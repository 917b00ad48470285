"""The numbers that all tests of a family (or one variant) share: asked, claimed, and asked again where a re-read disagrees."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from regc.extract._expand import Fields
from regc.extract._llm_ask import Asker
from regc.extract._llm_fields import COMMON, FieldQuestion, choices, claims_of, field_questions, key_of, steering, to_ask
from regc.extract._llm_passages import Passage
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
    refused: dict[str, set[Passage]] = field(default_factory=dict)

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
            self._put(asker, question, {rule.field: choices(question.items, rule) for rule in question.rules}, ())

    def ask_again(self, asker: Asker, complaints: dict[str, str], repairable: Collection[str]) -> bool:
        """Put each disputed field again by itself, with what was wrong; False when nothing more could be done.

        It is put over those clauses alone in which the profile lets the field stand. A `repairable` claim has a right place, of which
        the number is read again; the passage of any other is no choice any more. An optional field of which every passage was refused
        is stated nowhere, and is left out.
        """
        done = False
        for question in self.questions:
            for rule in (rule for rule in question.rules if rule.field in complaints):
                items = tuple(item for item in question.items if item.id in rule.clauses)
                near = replace(question, label=f"{question.label}, {rule.field} again", rules=(rule,), items=items)
                options = self._left(near, rule, rule.field in repairable)
                asker.asked.setdefault(near.label, asker.asked.get(question.label, 1))
                if not options and not rule.required:
                    done |= self.claims.pop(rule.field, None) is not None
                elif options and asker.may_ask(near.label):
                    done = True
                    self._put(asker, near, {rule.field: options}, [f"{key_of(rule)}: {complaints[rule.field]}"])
        return done

    def _left(self, near: FieldQuestion, rule: FieldRule, repairable: bool) -> tuple[Passage, ...]:
        """The passages that a disputed field may still be quoted from."""
        claim = self.claims.get(rule.field)
        refused = self.refused.setdefault(rule.field, set())
        if claim is not None:
            claimed = Passage(claim.place.clause, claim.place.quote or "")
            if repairable:
                return (claimed,)
            refused.add(claimed)
        return choices(near.items, rule, refused)

    def _put(self, asker: Asker, question: FieldQuestion, options: Mapping[str, Sequence[Passage]], complaints: Sequence[str]) -> None:
        if not any(options.values()):
            return
        note = "" if question.about == COMMON else self.note
        answer = asker.ask(to_ask(question, options, self.prompts, note, self.test, complaints))
        if answer is not None:
            for name in options:
                self.claims.pop(name, None)
            self.claims.update(claims_of(answer, question, options, self.speed_unit))

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


def _for_all(rule: FieldRule) -> bool:
    """Whether a field stands in the same clauses for every family."""
    return not rule.families and not any("{" in clause for clause in rule.clauses)
