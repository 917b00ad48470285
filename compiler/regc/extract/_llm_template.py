"""`--ask template`: the model fills in one logical scenario a family and points to tables; the compiler expands the rows.

Also the loop of asking: resolve all drafts, take the disagreements back to the questions, at most as often as allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from regc.extract._llm_ask import Asker, Tally
from regc.extract._llm_prompts import Prompts
from regc.extract._llm_rows import Cells
from regc.extract._llm_shared import Shared
from regc.extract._llm_tables import LIMIT_FIELD, TABLE_FIELDS, Pointers, TableDispute, TableQuestions, is_cell
from regc.extract.rules import quotes
from regc.model.chunk import Context
from regc.model.protocols import Resolver
from regc.model.regulation import Family, Profile, Variant
from regc.model.result import Disagreement, Finding, Resolution
from regc.model.scenario import Draft


@dataclass
class Outcome:
    """What came of one family. `texts` are the paragraphs of a prose answer."""

    resolutions: list[Resolution] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    texts: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Disputes:
    """What a re-read did not bear out: by shared field, and by category for what stands in tables. `repairable` fields have a right
    place. `values`, `places` and `missing` count the mistakes."""

    fields: dict[str, str] = field(default_factory=dict)
    repairable: set[str] = field(default_factory=set)
    tables: dict[str, TableDispute] = field(default_factory=dict)
    values: int = 0
    places: int = 0
    missing: int = 0

    def __bool__(self) -> bool:
        return bool(self.fields or self.tables)


def variant_outcome(
    family: Family,
    variant: Variant,
    context: Context,
    profile: Profile,
    edition: str,
    resolve: Resolver,
    asker: Asker,
    prompts: Prompts,
    room: int,
) -> Outcome:
    """One scenario that is told in prose."""
    shared, findings = Shared.of(family, variant, context, profile, edition, prompts, room)
    statements = quotes(profile.statement_rules(family, edition, variant), context)
    shared.ask(asker)

    def drafts() -> list[Draft]:
        if not shared.claims:
            return []
        return [
            Draft(
                family=family.name,
                category=None,
                load_term=None,
                status=family.prescribed_status,
                variant=variant.name,
                fields=shared.fields(),
                statements=statements,
            )
        ]

    def again(disputes: Disputes) -> bool:
        return shared.ask_again(asker, disputes.fields, disputes.repairable)

    outcome = settle(drafts, again, lambda: len(shared.claims), resolve, asker, findings)
    outcome.findings += _unanswered(shared, family)
    return outcome


def family_outcome(
    family: Family,
    context: Context,
    profile: Profile,
    edition: str,
    resolve: Resolver,
    asker: Asker,
    prompts: Prompts,
    room: int,
    categories: Sequence[str] = (),
    *,
    rows: bool = False,
) -> Outcome:
    """All tests of a family that is driven by tables. With `rows` the model also writes the numbers of the cells that it points to."""
    procedure = context.clause(family.procedure)
    if procedure is None:
        return Outcome(findings=[nothing(family, f"{family.procedure}, the clause of the test, is not in the context")])
    shared, findings = Shared.of(family, None, context, profile, edition, prompts, room)
    tables = TableQuestions(family, profile, context, prompts, shared.note, procedure)
    statements = quotes(profile.statement_rules(family, edition), context)
    shared.ask(asker)
    pointers = tables.point(asker, tables.categories(categories))
    cells = Cells(tables) if rows else None
    if cells is not None:
        cells.ask(asker, pointers)

    def pointed_at(category: str) -> list[Draft]:
        return list(tables.drafts(category, pointers[category], shared.fields(), statements, shared.steer()))

    def drafts() -> list[Draft]:
        made = {category: pointed_at(category) for category in pointers}
        return [draft for own in made.values() for draft in (cells.written(own) if cells is not None else own)]

    def again(disputes: Disputes) -> bool:
        put = shared.ask_again(asker, disputes.fields, disputes.repairable)
        if cells is None:
            return tables.point_again(asker, pointers, disputes.tables) or put
        places = {category: part for category, dispute in disputes.tables.items() if (part := dispute.only(cells=False)).items}
        put |= tables.point_again(asker, pointers, places)
        put |= cells.ask(asker, pointers)
        numbers = {category: dispute.only(cells=True) for category, dispute in disputes.tables.items() if category not in places}
        return cells.ask_again(asker, pointers, numbers) or put

    def claims() -> int:
        pointed = sum(item.count() for item in pointers.values())
        return len(shared.claims) + pointed + (len(cells.said) if cells is not None else 0)

    def mistaken() -> dict[str, dict[str, Disagreement]]:
        found: dict[str, dict[str, Disagreement]] = {}
        for category, pointed in pointers.items():
            plain = found.setdefault(category, {})
            for mistake in tables.mistakes(pointed):
                said = f"{category}: column {mistake}; read its header again"
                plain[said] = Disagreement(field=LIMIT_FIELD, kind="wrong_place", message=said)
            if pointed.limit and pointed.limit_columns and not pointed_at(category):
                said = f"{category}: {pointed.limit.id} holds no limits of this test; read the captions again"
                plain[said] = Disagreement(field=LIMIT_FIELD, kind="wrong_place", message=said, part="limit table")
            plain |= cells.invented(category, pointed) if cells is not None else {}
        return {category: plain for category, plain in found.items() if plain}

    outcome = settle(drafts, again, claims, resolve, asker, findings, mistaken)
    outcome.findings += _unanswered(shared, family) + _not_pointed(family, tables, pointers)
    if cells is not None:
        found = (problem for category, pointed in pointers.items() for problem in cells.problems(category, pointed))
        outcome.findings += [nothing(family, problem) for problem in found]
    return outcome


def settle(
    drafts: Callable[[], list[Draft]],
    again: Callable[[Disputes], bool],
    claims: Callable[[], int],
    resolve: Resolver,
    asker: Asker,
    findings: list[Finding],
    more: Callable[[], dict[str, dict[str, Disagreement]]] = dict,
) -> Outcome:
    """Resolve, re-ask while there is something to dispute and a re-ask left, and take what the last resolution says."""
    tally = asker.tally
    first = True
    while True:
        made = drafts()
        resolutions = [resolve(draft) for draft in made]
        disputes = _disputes(made, resolutions)
        for category, plain in more().items():
            disputes.tables.setdefault(category, TableDispute()).plain = plain
            disputes.values += sum(is_cell(item) for item in plain.values())
        if first:
            tally.claims, tally.wrong_values, tally.wrong_places = claims(), disputes.values, disputes.places
            tally.missing, first = disputes.missing, False
        if not disputes:
            break
        if not again(disputes):
            break
    tally.final_wrong_values, tally.final_wrong_places = disputes.values, disputes.places
    tally.repaired = sum(resolution.repaired for resolution in resolutions)
    tally.refused = sum(resolution.scenario is None for resolution in resolutions)
    return Outcome(resolutions, findings + asker.findings, tally)


def _disputes(drafts: Sequence[Draft], resolutions: Sequence[Resolution]) -> Disputes:
    """Each disagreement once: a shared claim that 24 drafts repeat is one claim, and one mistake."""
    found = Disputes()
    counted: set[tuple[object, ...]] = set()
    for draft, resolution in zip(drafts, resolutions, strict=True):
        for item in resolution.disagreements:
            in_table = item.field in TABLE_FIELDS and draft.variant is None
            only = len(resolution.disagreements) == 1
            if in_table and item.kind == "missing" and not only:
                continue  # follows from another claim that was not borne out
            said = item.message.split(f"{item.field}: ", 1)[-1]
            if in_table:
                dispute = found.tables.setdefault(draft.category or "", TableDispute())
                dispute.read.setdefault(f'{draft.category}, "{draft.load_term}": {said}', item)
                cell = item.place if is_cell(item) else None
                mistake: tuple[object, ...] = (item.field, item.kind, draft.category, draft.load_term, cell)
            else:
                found.fields.setdefault(item.field, said)
                if item.kind == "wrong_value":
                    found.repairable.add(item.field)
                mistake = (item.field, item.kind)
            if mistake in counted:
                continue
            counted.add(mistake)
            found.values += item.kind == "wrong_value"
            found.places += item.kind in ("wrong_place", "no_place")
            found.missing += item.kind == "missing"
    return found


def _not_pointed(family: Family, tables: TableQuestions, pointers: dict[str, Pointers]) -> list[Finding]:
    found = []
    for category, pointed in pointers.items():
        if pointed.limit is None or not pointed.limit_columns:
            found.append(nothing(family, f"category {category}: no limit table was pointed to"))
        found += [nothing(family, f"category {category}: the column {mistake}") for mistake in tables.mistakes(pointed)]
    return found


def nothing(family: Family, why: str) -> Finding:
    """Something of a family that no scenario came out of."""
    return Finding(
        code="X422",
        severity="error",
        message=f"{family.name}: {why}",
        hint="`regc inspect` shows what was read, `regc context` what was retrieved; else another model",
    )


def _unanswered(shared: Shared, family: Family) -> list[Finding]:
    return [
        Finding(
            code="X423",
            severity="warning",
            field=rule.field,
            message=f"{' / '.join(rule.clauses)}: {family.name} {rule.field}: found stated nowhere",
            hint="it is left out, not filled in; look at the clause, or use --extractor rules",
        )
        for rule in shared.unanswered()
    ]
