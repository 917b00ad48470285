"""`--ask rows`: the model writes every row with its numbers, as the literature does; each is re-read like any other claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from regc.extract._expand import Fields, Statements
from regc.extract._llm_ask import Asker, Question, enum, form
from regc.extract._llm_fields import NUMBER
from regc.extract._llm_prompts import Prompts, evidence_text, tokens, unit_key
from regc.extract._llm_shared import Shared
from regc.extract._llm_tables import NONE, TOLERANCE, Pointers, TableQuestions
from regc.extract._llm_template import Disputes, Outcome, nothing, settle
from regc.extract.rules import quotes
from regc.language import decimal, tolerance
from regc.model.chunk import Context, ContextItem
from regc.model.document import Table
from regc.model.protocols import Resolver
from regc.model.regulation import Family, Profile
from regc.model.scenario import ClaimValue, Draft
from regc.model.source import Cited
from regc.places import DASH, column_index, is_number

_LIMIT = "criteria.max_impact_speed"


def rows_outcome(
    family: Family,
    context: Context,
    profile: Profile,
    edition: str,
    resolve: Resolver,
    asker: Asker,
    prompts: Prompts,
    room: int,
    categories: Sequence[str] = (),
) -> Outcome:
    """All tests of a family, one question a category and load state; what all tests share is asked as with `template`."""
    procedure = context.clause(family.procedure)
    if procedure is None:
        return Outcome(findings=[nothing(family, f"{family.procedure}, the clause of the test, is not in the context")])
    shared, findings = Shared.of(family, None, context, profile, edition, prompts, room)
    statements = quotes(profile.statement_rules(family, edition), context)
    tables = TableQuestions(family, profile, context, prompts, shared.note, procedure)
    rows = _Rows(tables, room)
    shared.ask(asker)
    asked = [(category, term) for category in tables.categories(categories) for term in tables.terms()]
    answers = {key: rows.ask(asker, *key, ()) for key in asked}

    def drafts() -> list[Draft]:
        made = (rows.drafts(key[0], key[1], said, shared.fields(), statements, shared.steer()) for key, said in answers.items() if said)
        return [draft for part in made for draft in part]

    def again(disputes: Disputes) -> bool:
        put = shared.ask_again(asker, disputes.fields, disputes.repairable)
        for category, complaints in disputes.tables.items():
            for term in tables.terms():
                own = [text for text in complaints if f'"{term}"' in text.lower()]
                if own and asker.may_ask(rows.label(category, term)):
                    answers[category, term] = rows.ask(asker, category, term, own)
                    put = True
        return put

    def claims() -> int:
        return len(shared.claims) + sum(len(said["rows"]) + len(said["test_speeds"]) for said in answers.values() if said)

    def empty() -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for (category, term), said in answers.items():
            if said and not list(rows.drafts(category, term, said, shared.fields(), statements, shared.steer())):
                where = f'{said["limit_table"]} column "{said["limit_column"]}"'
                told = f'{category}, "{term}": {where} holds no limits of this test; read the captions again'
                found.setdefault(category, []).append(told)
        return found

    outcome = settle(drafts, again, claims, resolve, asker, findings, shared, empty)
    outcome.findings += [nothing(family, text) for texts in empty().values() for text in texts]
    outcome.findings += [
        nothing(family, f"{category}, {term}: no rows were written") for (category, term), said in answers.items() if not said
    ]
    return outcome


class _Rows:
    """Questions for the rows of one limit column, and their answers as drafts."""

    def __init__(self, tables: TableQuestions, room: int) -> None:
        self.tables, self.family, self.profile = tables, tables.family, tables.profile
        self.items = self._evidence(room)
        self.speed_key = unit_key(self.profile.speed_unit).removeprefix("value_")

    def label(self, category: str, term: str) -> str:
        """The name of a question."""
        return f"{self.family.name} rows {category} {term}"

    def _evidence(self, room: int) -> list[ContextItem]:
        """The tables of the context, those of the test's own clauses first where not all fit."""
        own = (self.family.limit_clause, self.family.speed_clause)
        ranked = sorted(
            (item for item in self.tables.context.items if item.table),
            key=lambda item: item.table is not None and item.table.clause not in own,
        )
        kept: list[ContextItem] = []
        for item in ranked:
            if tokens(evidence_text([*kept, item])) <= room:
                kept.append(item)
        return kept

    def ask(self, asker: Asker, category: str, term: str, complaints: Sequence[str]) -> dict[str, Any] | None:
        """The rows that the model writes."""
        shown = [item.table for item in self.items if item.table]
        if not shown:
            return None
        ids = [table.id for table in shown]
        labels = [table.column_label(at) for table in shown for at in range(len(table.columns))]
        prose = f"text of {self.tables.procedure.id}"
        number = {"type": "string", "pattern": NUMBER}
        limit = {"type": "string", "pattern": NUMBER[:-1] + "$|^-$"}
        schema = form(
            {
                "limit_table": enum(ids),
                "limit_column": enum(labels),
                "test_speed_table": enum([*ids, prose, NONE]),
                "test_speed_column": enum([*labels, NONE]),
                "rows": {"type": "array", "items": form({"limit_row": number, f"max_impact_speed_{self.speed_key}": limit})},
                "test_speeds": {
                    "type": "array",
                    "items": form({f"test_speed_{self.speed_key}": number, "tolerance": {"type": "string"}}),
                },
            }
        )
        prompt = self.tables.prompts.render(
            "rows",
            note=self.tables.note,
            evidence=evidence_text(self.items),
            category=category,
            term=term,
            unit=self.speed_key,
            prose=prose,
            complaints=list(complaints),
        )
        return asker.ask(Question(self.label(category, term), prompt, schema))

    def drafts(
        self, category: str, term: str, said: dict[str, Any], shared: Fields, statements: Statements, steer: dict[str, Decimal]
    ) -> Iterator[Draft]:
        """A draft for each test of the column that the model wrote, with the model's numbers; a row that it left out has none."""
        pointers = self._pointers(said, term)
        limits = {decimal(row["limit_row"]): row[f"max_impact_speed_{self.speed_key}"] for row in said["rows"]}
        speeds = said["test_speeds"]
        used: set[Decimal] = set()
        last: Draft | None = None
        for draft in self.tables.drafts(category, pointers, shared, statements, steer):
            last = draft
            if not is_number(draft.row or ""):
                yield draft  # no row headers: not a limit table, and refused as such
                continue
            header = decimal(draft.row or "0")
            used.add(header)
            written = limits.get(header)
            if written is None or written == DASH:
                continue
            fields = {**draft.fields, _LIMIT: (_with(draft.fields[_LIMIT][0], value=decimal(written)),)}
            claims = fields.get("subject.test_speed", ())
            if claims and pointers.speeds is not None and claims[0].place.clause == _clause(pointers):
                typed = self._typed(claims, speeds)
                if typed is None:
                    continue
                fields["subject.test_speed"] = typed
            yield draft.model_copy(update={"fields": fields})
        yield from self._invented(last, limits, used, pointers)

    def _pointers(self, said: dict[str, Any], term: str) -> Pointers:
        limit = self.tables.context_table(said["limit_table"])
        pointers = Pointers(limit=limit)
        at = column_index(limit, said["limit_column"]) if limit else None
        if at:
            pointers.limit_columns = {at: term}
        table = self.tables.context_table(said["test_speed_table"])
        if table is not None:
            pointers.speeds = table
            column = column_index(table, said["test_speed_column"])
            pointers.speed_columns = {} if column is None else {column: term}
            beside = [index for index in range(len(table.columns)) if TOLERANCE in table.column_label(index).lower()]
            pointers.speed_columns |= dict.fromkeys(beside[:1], TOLERANCE)
        elif said["test_speed_table"] != NONE:
            pointers.speeds = self.tables.procedure
        return pointers

    def _typed(self, claims: tuple[Cited[ClaimValue], ...], speeds: list[dict[str, str]]) -> tuple[Cited[ClaimValue], ...] | None:
        """A test speed's claims with the numbers that the model wrote in the same place of its list; None if the list is shorter."""
        place = claims[0].place
        if not place.table:
            return claims
        at = int((place.row or "#0").lstrip("#") or 0) - 1
        if not 0 <= at < len(speeds):
            return None
        speed = decimal(speeds[at][f"test_speed_{self.speed_key}"])
        stated = tolerance(speeds[at]["tolerance"])
        typed = [_with(claims[0], value=speed)]
        typed += [_with(claim, tolerance=stated) for claim in claims[1:]]
        return tuple(typed)

    def _invented(self, like: Draft | None, limits: dict[Decimal, str], used: set[Decimal], pointers: Pointers) -> Iterator[Draft]:
        """Drafts of rows that the table pointed to does not have, so that they are counted and refused, not dropped."""
        if like is None or pointers.limit is None:
            return
        real = {decimal(cells[0].text) for cells in pointers.limit.rows if is_number(cells[0].text)}
        for header, written in limits.items():
            if header in real or header in used or not is_number(written):
                continue
            claim = like.fields[_LIMIT][0]
            place = claim.place.model_copy(update={"row": format(header, "f")})
            invented = Cited[ClaimValue](value=claim.value.model_copy(update={"value": decimal(written)}), place=place)
            yield like.model_copy(update={"row": format(header, "f"), "fields": {**like.fields, _LIMIT: (invented,)}})


def _clause(pointers: Pointers) -> str:
    where = pointers.speeds
    return where.clause if isinstance(where, Table) else where.id if where else ""


def _with(claim: Cited[ClaimValue], **changes: Any) -> Cited[ClaimValue]:
    return Cited[ClaimValue](value=claim.value.model_copy(update=changes), place=claim.place)
