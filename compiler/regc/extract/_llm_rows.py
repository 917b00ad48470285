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
from regc.extract._llm_tables import LIMIT, LIMIT_FIELD, NONE, SPEEDS, TOLERANCE, Pointers, TableDispute, TableQuestions
from regc.extract._llm_template import Disputes, Outcome, nothing, settle
from regc.extract.rules import quotes
from regc.language import decimal, tolerance
from regc.model.chunk import Context, ContextItem
from regc.model.document import Table
from regc.model.protocols import Resolver
from regc.model.regulation import Family, Profile
from regc.model.result import Disagreement
from regc.model.scenario import ClaimValue, Draft
from regc.model.source import Cited
from regc.places import DASH, is_number


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
        for category, dispute in disputes.tables.items():
            for term in tables.terms():
                own = [text for text in dispute.complaints if f'"{term}"' in text.lower()]
                said = answers.get((category, term))
                if not own or not asker.may_ask(rows.label(category, term)):
                    continue
                rows.refuse(category, term, said, [item for item in dispute.items if f'"{term}"' in item.message.lower()])
                if rows.options(category, term, LIMIT) and rows.options(category, term, SPEEDS):
                    # an answer that cannot be used leaves the refused one, with the reason
                    answers[category, term] = rows.ask(asker, category, term, own) or said
                    put = True
        return put

    def claims() -> int:
        return len(shared.claims) + sum(len(said["rows"]) + len(said["test_speeds"]) for said in answers.values() if said)

    def empty() -> dict[str, TableDispute]:
        found: dict[str, TableDispute] = {}
        for (category, term), said in answers.items():
            if said and not any(rows.drafts(category, term, said, shared.fields(), statements, shared.steer())):
                told = f'{category}, "{term}": {said[LIMIT]} holds no limits of this test; read the captions again'
                dispute = found.setdefault(category, TableDispute())
                dispute.complaints.append(told)
                dispute.items.append(Disagreement(field=LIMIT_FIELD, kind="wrong_place", message=told, part="limit table"))
        return found

    outcome = settle(drafts, again, claims, resolve, asker, findings, empty)
    outcome.findings += [nothing(family, text) for dispute in empty().values() for text in dispute.complaints]
    outcome.findings += [
        nothing(family, f"{category}, {term}: no rows were written") for (category, term), said in answers.items() if not said
    ]
    return outcome


class _Rows:
    """Questions for the rows of one limit column, and their answers as drafts."""

    def __init__(self, tables: TableQuestions, room: int) -> None:
        self.tables, self.family, self.profile = tables, tables.family, tables.profile
        self.items = self._evidence(room)
        self.refused: set[tuple[str, str, str, str]] = set()
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

    def options(self, category: str, term: str, role: str) -> dict[str, tuple[Table, int] | None]:
        """The columns that may be chosen for a role, by table and header; what was refused is no choice any more."""
        found: dict[str, tuple[Table, int] | None] = {
            f"{name}: {table.column_label(at)}": (table, at)
            for name, table in self.tables.options().items()
            if self.tables.may_be(role, table) and any(item.table is table for item in self.items)
            for at in range(1 if role == LIMIT else 0, len(table.columns))
        }
        if role == SPEEDS:
            found |= {self.tables.prose(): None, NONE: None}
        return {name: place for name, place in found.items() if (category, term, role, name) not in self.refused}

    def refuse(self, category: str, term: str, said: dict[str, Any] | None, items: Sequence[Disagreement]) -> None:
        """Take tables and columns that a re-read did not bear out out of the choices."""
        for item in items if said else ():
            assert said is not None
            role = SPEEDS if item.part == "speed table" or (item.part == "column" and item.field != LIMIT_FIELD) else LIMIT
            if item.part == "column":
                self.refused.add((category, term, role, said[role]))
            elif item.part:
                options = self.options(category, term, role)
                chosen = options.get(said[role])
                same = [name for name, place in options.items() if place and chosen and place[0] is chosen[0]] or [said[role]]
                self.refused |= {(category, term, role, name) for name in same}

    def ask(self, asker: Asker, category: str, term: str, complaints: Sequence[str]) -> dict[str, Any] | None:
        """The rows that the model writes."""
        limits, speeds = self.options(category, term, LIMIT), self.options(category, term, SPEEDS)
        if not limits:
            return None
        number = {"type": "string", "pattern": NUMBER}
        limit = {"type": "string", "pattern": NUMBER[:-1] + "$|^-$"}
        schema = form(
            {
                LIMIT: enum(list(limits)),
                SPEEDS: enum(list(speeds)),
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
            prose=self.tables.prose(),
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
            fields = {**draft.fields, LIMIT_FIELD: (_with(draft.fields[LIMIT_FIELD][0], value=decimal(written)),)}
            claims = fields.get("subject.test_speed", ())
            if claims and pointers.speeds is not None and claims[0].place.clause == _clause(pointers):
                typed = self._typed(claims, speeds)
                if typed is None:
                    continue
                fields["subject.test_speed"] = typed
            yield draft.model_copy(update={"fields": fields})
        yield from self._invented(last, limits, used, pointers)

    def _pointers(self, said: dict[str, Any], term: str) -> Pointers:
        limit, speeds = self.options("", "", LIMIT)[said[LIMIT]], self.options("", "", SPEEDS)[said[SPEEDS]]
        pointers = Pointers()
        if limit is not None:
            pointers.limit, pointers.limit_columns = limit[0], {limit[1]: term}
        if speeds is not None:
            table, at = speeds
            pointers.speeds, pointers.speed_columns = table, {at: term}
            beside = [index for index in range(len(table.columns)) if TOLERANCE in table.column_label(index).lower()]
            pointers.speed_columns |= dict.fromkeys(beside[:1], TOLERANCE)
        elif said[SPEEDS] != NONE:
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
            claim = like.fields[LIMIT_FIELD][0]
            place = claim.place.model_copy(update={"row": format(header, "f")})
            invented = Cited[ClaimValue](value=claim.value.model_copy(update={"value": decimal(written)}), place=place)
            yield like.model_copy(update={"row": format(header, "f"), "fields": {**like.fields, LIMIT_FIELD: (invented,)}})


def _clause(pointers: Pointers) -> str:
    where = pointers.speeds
    return where.clause if isinstance(where, Table) else where.id if where else ""


def _with(claim: Cited[ClaimValue], **changes: Any) -> Cited[ClaimValue]:
    return Cited[ClaimValue](value=claim.value.model_copy(update=changes), place=claim.place)
