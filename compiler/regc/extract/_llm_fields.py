"""Questions for numbers in sentences: which fields are asked together, over which clauses, and answers to claims."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from regc.extract._llm_ask import Question, enum, form
from regc.extract._llm_passages import Passage, passages
from regc.extract._llm_prompts import Prompts, evidence_text, tokens, unit_key, unit_words
from regc.language import decimal, measurements, sentences
from regc.model.chunk import Context, ContextItem
from regc.model.regulation import Family, FieldRule, Variant
from regc.model.scenario import ClaimValue
from regc.model.source import Bound, Cited, Place
from regc.places import AT_REST, agreed, find

NUMBER = r"^-?[0-9]+([.,][0-9]+)?$"
#: What questions are about whose answer is the same for all families.
COMMON = "common"
#: Fields that one question may ask for.
_TOGETHER = 8


@dataclass(frozen=True)
class FieldQuestion:
    """Fields that are asked together, and the clauses of the context that lie before the model. `about`: the family, or COMMON."""

    about: str
    label: str
    rules: tuple[FieldRule, ...]
    items: tuple[ContextItem, ...]


def field_questions(
    rules: Sequence[FieldRule], context: Context, family: Family, variant: Variant | None, common: Collection[str], room: int
) -> tuple[list[FieldQuestion], list[FieldRule]]:
    """Questions section by section, each within `room` tokens of evidence, and the rules of which no clause is in the context.

    `common` fields are the same for all families; they are asked by themselves, so that one reply serves all.
    """
    sections: dict[tuple[str, str], list[FieldRule]] = {}
    unasked: list[FieldRule] = []
    own_name = f"{family.name}{f' {variant.name}' if variant else ''}"
    seen: set[str] = set()
    for rule in rules:
        if rule.field in seen:
            continue
        seen.add(rule.field)
        clause = next((found for id in rule.clauses if (found := context.clause(id))), None)
        if clause is None:
            unasked.append(rule)
        else:
            asker = COMMON if rule.field in common else own_name
            sections.setdefault((asker, _section(clause.id, clause.parent)), []).append(rule)
    questions: list[FieldQuestion] = []
    for (asker, section), asked in sorted(sections.items(), key=lambda item: item[0][0] == COMMON):
        own = _question(asker, section, asked, context, room)
        last = questions[-1] if questions else None
        few = variant is not None or (last is not None and len(own.rules) <= 4 and len(last.rules) <= 4)
        small = last is not None and last.about == asker and few
        merged = _merged(last, own, context, room) if small and last else None
        if merged is not None:
            questions[-1] = merged
        else:
            questions.append(own)
    return [part for question in questions for part in _split(question, room)], unasked


def _section(id: str, parent: str | None) -> str:
    """The section above a clause; a clause right below a chapter stands for itself."""
    number = (parent or "").rsplit(", ", 1)[-1]
    body = ", " not in (parent or "")
    return parent if parent and re.match(r"[\dA-Z]", number) and ("." in number or not body) else id


def _question(about: str, section: str, rules: Sequence[FieldRule], context: Context, room: int) -> FieldQuestion:
    """The clauses that the fields may stand in, and around them the rest of the section as far as there is room."""
    allowed = frozenset(id for rule in rules for id in rule.clauses)
    near = [item for item in context.items if item.clause and item.id not in allowed and _below(item.id, item.clause.parent, section)]
    own = [item for item in context.items if item.clause and item.id in allowed]
    left = room - tokens(evidence_text(own))
    for item in near:
        left -= tokens(item.text)
        if left < 0:
            break
        own.append(item)
    rank = {item.id: at for at, item in enumerate(context.items)}
    items = tuple(sorted((item for item in own if item.clause and item.clause.text), key=lambda item: rank[item.id]))
    return FieldQuestion(about, f"{about} fields {section}", tuple(rules), items)


def _below(id: str, parent: str | None, section: str) -> bool:
    return id == section or parent == section


def _merged(one: FieldQuestion, other: FieldQuestion, context: Context, room: int) -> FieldQuestion | None:
    rank = {item.id: at for at, item in enumerate(context.items)}
    items = {item.id: item for item in (*one.items, *other.items)}
    ordered = tuple(sorted(items.values(), key=lambda item: rank[item.id]))
    if len(one.rules) + len(other.rules) > _TOGETHER or tokens(evidence_text(ordered)) > room:
        return None
    label = f"{one.label} + {other.label.rsplit(' ', 1)[-1]}"
    return FieldQuestion(one.about, label, one.rules + other.rules, ordered)


def _split(question: FieldQuestion, room: int) -> list[FieldQuestion]:
    """Halves of a question until each fits: fewer fields, and only the clauses that these may stand in."""
    if len(question.rules) <= _TOGETHER and tokens(evidence_text(question.items)) <= room:
        return [question]
    if len(question.rules) == 1:
        only = tuple(item for item in question.items if item.id in question.rules[0].clauses)
        return [replace(question, items=only)]
    half = (len(question.rules) + 1) // 2
    parts: list[FieldQuestion] = []
    for number, rules in enumerate((question.rules[:half], question.rules[half:]), start=1):
        allowed = frozenset(id for rule in rules for id in rule.clauses)
        fits = tokens(evidence_text(question.items)) <= room
        items = question.items if fits else tuple(item for item in question.items if item.id in allowed)
        parts += _split(replace(question, label=f"{question.label} {number}", rules=rules, items=items), room)
    return parts


def key_of(rule: FieldRule) -> str:
    """A field's name in the form."""
    if rule.unit == AT_REST:
        return f"{rule.field.partition('.')[0]}_at_rest"
    return rule.field.replace(".", "_")


def choices(items: Sequence[ContextItem], rule: FieldRule, refused: Collection[Passage] = ()) -> tuple[Passage, ...]:
    """The passages that an answer may quote: those with a number of the field's unit, without those that were refused before."""
    found = passages([item.clause for item in items if item.clause], rule.unit)
    return tuple(passage for passage in found if passage not in refused)


def to_ask(
    question: FieldQuestion,
    options: Mapping[str, Sequence[Passage]],
    prompts: Prompts,
    note: str,
    test: str,
    complaints: Sequence[str] = (),
) -> Question:
    """The question for the fields that have `options`: each answer quotes one of these passages and writes the number in it.

    Null is an answer for an optional field, the first time: what was claimed once stands somewhere.
    """
    properties: dict[str, Any] = {}
    fields = []
    for rule in (rule for rule in question.rules if options.get(rule.field)):
        asked: dict[str, Any] = {"quote": enum([passage.text for passage in options[rule.field]])}
        if rule.unit != AT_REST:
            asked[unit_key(rule.unit)] = {"type": "string", "pattern": NUMBER}
        own = form(asked)
        properties[key_of(rule)] = own if rule.required or complaints else {"anyOf": [own, {"type": "null"}]}
        fields.append({"key": key_of(rule), "description": prompts.describe(rule, test), "unit": unit_words(rule.unit)})
    prompt = prompts.render("fields", note=note, evidence=evidence_text(question.items), fields=fields, complaints=list(complaints))
    return Question(question.label, prompt, form(properties))


def claims_of(
    answer: dict[str, Any],
    question: FieldQuestion,
    options: Mapping[str, Sequence[Passage]],
    speed_unit: str,
) -> dict[str, Cited[ClaimValue]]:
    """The claims of an answer: the model's number and place, bound and tolerance as the quoted sentence words them."""
    clauses = {item.id: item.clause for item in question.items if item.clause}
    found: dict[str, Cited[ClaimValue]] = {}
    for rule in question.rules:
        given = answer.get(key_of(rule))
        if given is None:
            continue
        # words for standing still are the whole claim: there is no number to read
        number = Decimal(0) if rule.unit == AT_REST else decimal(given[unit_key(rule.unit)])
        same = [passage for passage in options[rule.field] if passage.text == given["quote"]]
        # words that two clauses share word for word are taken from the one in which the field may stand
        chosen = next((passage for passage in same if passage.clause in rule.clauses), same[0])
        value = _value(rule, number, chosen.text, clauses[chosen.clause].text, speed_unit)
        found[rule.field] = Cited[ClaimValue](value=value, place=Place(clause=chosen.clause, quote=chosen.text))
    return found


def steering(claim: Cited[ClaimValue], rule: FieldRule, items: Sequence[ContextItem]) -> Decimal | None:
    """The number that the rule finds in the quoted words, else the claimed one. Which rows of a table are meant follows from it; the
    claim itself is not touched."""
    quote = _plain(claim.place.quote or "")
    clause = next((item.clause for item in items if item.clause and item.clause.id == claim.place.clause), None)
    found = agreed([item for item in find(rule, clause) if quote in _plain(item.quote)]) if clause else None
    return found.value if found else claim.value.value


def _value(rule: FieldRule, number: Decimal, quote: str, text: str, speed_unit: str) -> ClaimValue:
    if rule.unit == AT_REST:
        return ClaimValue(value=number, unit=speed_unit)
    said = _plain(quote)
    for sentence in sentences(text):
        own = _plain(sentence.text)
        if said not in own and own not in said:
            continue
        for item in measurements(sentence.text):
            if (item.value, item.unit) == (number, rule.unit):
                bound: Bound = (rule.bound or "eq") if item.bound == "eq" else item.bound
                return ClaimValue(value=number, unit=rule.unit, bound=bound, tolerance=item.tolerance)
    return ClaimValue(value=number, unit=rule.unit, bound=rule.bound or "eq")


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().lower()
