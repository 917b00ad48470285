"""Document -> procedure cards: what a drive cannot show, clause by clause in the document's own words."""

from __future__ import annotations

from regc.language import measurements
from regc.model.document import Document
from regc.model.regulation import CardRule, Edition, Profile
from regc.model.scenario import NamedQuantity, ProcedureCard, Statement
from regc.model.source import Quantity
from regc.places import quote_source


def cards(document: Document, profile: Profile, edition: Edition) -> tuple[ProcedureCard, ...]:
    """One card a rule of the edition of which the document has a clause; numbers with units become cited quantities."""
    rules = (rule for rule in profile.cards if not rule.editions or edition.id in rule.editions)
    found = (_card(rule, document, edition) for rule in rules)
    return tuple(card for card in found if card is not None)


def _card(rule: CardRule, document: Document, edition: Edition) -> ProcedureCard | None:
    statements: list[Statement] = []
    quantities: list[NamedQuantity] = []
    for clause_id in rule.clauses:
        clause = document.clause(clause_id)
        text = (clause.text or clause.title or "") if clause else ""
        if clause is None or not text:
            continue
        statements.append(
            Statement(topic=clause.title or clause_id, text=text, sources=(quote_source(document, clause, text),)),
        )
        numbers = [item for item in measurements(clause.text) if item.unit != "1"]
        for count, item in enumerate(numbers, start=1):
            quantity = Quantity(
                value=item.value,
                unit=item.unit,
                bound=item.bound,
                tolerance=item.tolerance,
                basis="cited",
                sources=(quote_source(document, clause, clause.text[item.start : item.end], at=(item.start, item.end)),),
            )
            quantities.append(NamedQuantity(name=f"{clause_id}/{count}", quantity=quantity))
    if not statements:
        return None
    return ProcedureCard(
        id=f"{edition.stem}_card_{rule.id}",
        regulation=document.id,
        edition=document.edition,
        wording=document.wording,
        title=rule.title,
        clauses=rule.clauses,
        reason=rule.reason,
        statements=tuple(statements),
        quantities=tuple(quantities),
    )
