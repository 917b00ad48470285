"""One draft's claims, each re-read at its place. Part of `resolve`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal

from regc._compare import claimed, held_words, plain, same_tolerance, within
from regc._ledger import Ledger, RefusedError
from regc.language import decimal
from regc.model.document import Clause, Document, Table
from regc.model.regulation import Edition, Family, FieldRule, Profile, StatementRule, Variant
from regc.model.result import Part
from regc.model.scenario import ClaimValue, Draft, Statement, Status
from regc.model.source import Cited, Place, Quantity, SourceRef, Tolerance
from regc.places import (
    AT_REST,
    PRESCRIBED,
    LoadColumn,
    TestSpeed,
    agreed,
    cell_source,
    column_index,
    find,
    is_number,
    limit_row,
    limit_tables,
    load_columns,
    load_of,
    matching_sentences,
    quote_source,
    row_index,
    speed_tables,
    test_speeds,
)

_CELL_FIELDS = ("subject.test_speed", "relative_speed", "criteria.max_impact_speed")


@dataclass
class Memory:
    """What one document has answered already; most claims of a family are the same in all its drafts."""

    quantities: dict[object, Quantity] = field(default_factory=dict)
    statements: dict[object, Statement] = field(default_factory=dict)


class Claims(Ledger):
    """Reads a draft's claims; what its places do not bear out is written into the ledger."""

    def __init__(
        self,
        draft: Draft,
        document: Document,
        profile: Profile,
        edition: Edition,
        family: Family,
        variant: Variant | None,
        memory: Memory,
    ) -> None:
        super().__init__(draft)
        self.document, self.profile, self.edition = document, profile, edition
        self.family, self.variant, self.memory = family, variant, memory
        self.rules: dict[str, list[FieldRule]] = {}
        named = load_of(draft.load_term or "", profile)
        self.load = named[0].kind if named else None
        self.statement_rules = profile.statement_rules(family, edition.id, variant)
        for rule in profile.field_rules(family, edition.id, variant):
            self.rules.setdefault(rule.field, []).append(rule)
        self.limit_sources: tuple[SourceRef, ...] = ()
        self.limit_term = ""
        self.prescribed = variant is not None
        if variant is not None and (draft.category or draft.load_term):
            with suppress(RefusedError):
                self.wrong_place("category", Place(clause=variant.procedure), "the test is told for every category and load state")

    # ------------------------------------------------------------ fields

    def read_fields(self) -> dict[str, Quantity]:
        """Every field whose place bears it out, with the value that stands there; the limit is read by `read_limit`."""
        values: dict[str, Quantity] = {}
        for name, claims in self.draft.fields.items():
            if name == "criteria.max_impact_speed" and not self.variant:
                continue
            with suppress(RefusedError):
                quantity = self._read_field(name, claims)
                if quantity is not None and not self._for_other_load(self.rules.get(name, [])):
                    values[name] = quantity
        return values

    def _read_field(self, field: str, claims: tuple[Cited[ClaimValue], ...]) -> Quantity | None:
        self.count += len(claims)
        if not claims:
            return None
        if field in _CELL_FIELDS and not self.variant:
            return self._test_speed(claims) if field == "subject.test_speed" else self._row_speed(field, claims[0])
        first = claims[0]
        key = (self.family.name, self.draft.variant, field, first.place.clause, first.place.quote, first.place.table,
               first.value.value, first.value.unit, first.value.bound, first.value.tolerance)  # fmt: skip
        if key not in self.memory.quantities:
            problems = len(self.disagreements)
            quantity = self._quoted(field, first)
            if len(self.disagreements) > problems:
                return quantity
            self.memory.quantities[key] = quantity
        return self.memory.quantities[key]

    def _quoted(self, field: str, claim: Cited[ClaimValue]) -> Quantity:
        """A number in a sentence: clause allowed for the field, words verbatim, the field's number among them."""
        place = claim.place
        rules = [rule for rule in self.rules.get(field, []) if place.clause in rule.clauses]
        if not rules:
            self.wrong_place(field, place, "the field does not stand in this clause")
        if place.table or not place.quote:
            self.wrong_place(field, place, "a verbatim quote of the sentence is needed")
        clause = self.document.clause(place.clause)
        if clause is None or plain(place.quote) not in plain(clause.text):
            self.wrong_place(field, place, "these words do not stand there")
        stands = [(rule, item) for rule in rules for item in find(rule, clause, self.profile.speed_unit)]
        found = agreed([item for rule, item in stands if within(item, place.quote, rule, clause.text)])
        if found is None:
            self.wrong_place(field, place, f"these words hold no single number for {field}")
        whole = agreed([item for _, item in stands])
        if whole is not None and (whole.bound, whole.tolerance) == (found.bound, found.tolerance):
            found = whole  # the clause says it more than once: the first place is named, whichever was quoted
        source = quote_source(self.document, clause, found.quote, at=(found.start, found.end))
        stated = claim.value
        right = (stated.value, stated.unit, stated.bound) == (found.value, found.unit, found.bound)
        if not right or not same_tolerance(stated.tolerance, found.tolerance):
            self.wrong_value(field, source, claimed(stated), held_words(found))
        formula = None
        if any(rule.unit == AT_REST for rule in rules):
            formula = "the word says that it stands still: 0"
        return Quantity(
            value=found.value,
            unit=found.unit,
            bound=found.bound,
            tolerance=found.tolerance,
            basis="derived" if formula else "cited",
            sources=(source,),
            formula=formula,
        )

    def _test_speed(self, claims: tuple[Cited[ClaimValue], ...]) -> Quantity:
        """The subject vehicle's speed: a cell or sentence that prescribes it, or the row header of the limit that it tests."""
        first = claims[0]
        if first.place.table and first.place.clause == self.family.limit_clause:
            return self._row_speed("subject.test_speed", first)
        category = self.draft.category or ""
        load = load_of(self.draft.load_term or "", self.profile)
        clause = self.document.clause(self.family.speed_clause or "")
        if load is None or clause is None:
            self.wrong_place("subject.test_speed", first.place, "no load state, or no clause of test speeds")
        speeds = test_speeds(self.document.tables, clause, self.family, self.profile, category, load[0])
        here = [speed for speed in speeds if self._same_place(speed.place, first.place)]
        if not here:
            own = {table.id for table in speed_tables(self.document.tables, self.family, self.profile, category)}
            said = f"no test speed of {category}, {self.draft.load_term} stands there"
            self.wrong_place("subject.test_speed", first.place, said, "column" if first.place.table in own else "speed table")
        speed = next((item for item in here if item.value == first.value.value), here[0])
        sources = [self.source(speed.place)]
        self.prescribed = True
        if (first.value.value, first.value.unit, first.value.bound) != (speed.value, self.profile.speed_unit, "eq"):
            if len(here) > 1 and speed.value != first.value.value:
                self.wrong_place("subject.test_speed", first.place, f"{first.value.value} is none of the speeds there")
            self.wrong_value("subject.test_speed", sources[0], claimed(first.value), f"{speed.value} {self.profile.speed_unit}")
        tolerance_held = self._speed_tolerance(speed, claims)
        return Quantity(
            value=speed.value,
            unit=self.profile.speed_unit,
            tolerance=tolerance_held,
            basis="cited",
            sources=tuple(sources),
        )

    def _speed_tolerance(self, speed: TestSpeed, claims: tuple[Cited[ClaimValue], ...]) -> Tolerance | None:
        """The tolerance of a prescribed speed, from the cell beside it or the same sentence."""
        stated = [claim for claim in claims if claim.value.tolerance is not None]
        if speed.tolerance is None or speed.tolerance_place is None:
            if stated:
                self.wrong_place("subject.test_speed", stated[0].place, "no tolerance stands there")
            return None
        if not stated:
            self.missing("subject.test_speed", "its tolerance was not claimed")
            return None
        if not self._same_place(speed.tolerance_place, stated[0].place):
            self.wrong_place("subject.test_speed", stated[0].place, "this is not the tolerance of that speed")
        source = self.source(speed.tolerance_place)
        if not same_tolerance(stated[0].value.tolerance, speed.tolerance):
            held = f"+{speed.tolerance.plus}/-{speed.tolerance.minus} {self.profile.speed_unit}"
            self.wrong_value("subject.test_speed", source, claimed(stated[0].value), held)
        return speed.tolerance.model_copy(update={"sources": (source,)})

    def _row_speed(self, field: str, claim: Cited[ClaimValue]) -> Quantity:
        """A speed that a limit table lists: the header of the draft's own row."""
        limits = self.draft.fields.get("criteria.max_impact_speed", ())
        other = field == "subject.test_speed" and limits and limits[0].place.table != claim.place.table
        table = self._limit_table(field, claim.place, "speed table" if other else "limit table")
        row = row_index(table, claim.place.row or "", self.profile)
        column = column_index(table, claim.place.column or "")
        if row is None or column != 0 or claim.place.row != self.draft.row or not is_number(table.rows[row][0].text):
            part: Part = "speed table" if field == "subject.test_speed" and column != 0 else ""
            self.wrong_place(field, claim.place, "this is not the header of the row that the test is about", part)
        held = decimal(table.rows[row][0].text)
        source = cell_source(self.document, table, row, 0, self.profile)
        if (claim.value.value, claim.value.unit, claim.value.bound) != (held, self.profile.speed_unit, "eq"):
            self.wrong_value(field, source, claimed(claim.value), f"{held} {self.profile.speed_unit}")
        return Quantity(value=held, unit=self.profile.speed_unit, basis="cited", sources=(source,))

    # ------------------------------------------------------------ the limit

    def read_limit(self, lookup: Decimal) -> Quantity | None:
        """The maximum impact speed: caption = category, column = load state, row = the row that holds at `lookup`."""
        claims = self.draft.fields.get("criteria.max_impact_speed", ())
        self.count += len(claims)
        with suppress(RefusedError):
            return self._limit(claims[0], lookup) if claims else None
        return None

    def check_limit(self) -> None:
        """Whether the limit's table and column are right, for a draft whose speed is not: a re-ask is told of both at once."""
        with suppress(RefusedError):
            for claim in self.draft.fields.get("criteria.max_impact_speed", ())[:1]:
                self._limit_column(claim)

    def _limit_column(self, claim: Cited[ClaimValue]) -> tuple[Table, LoadColumn]:
        field = "criteria.max_impact_speed"
        table = self._limit_table(field, claim.place)
        index = column_index(table, claim.place.column or "")
        column = next((item for item in load_columns(table, self.family, self.profile) if item.index == index), None)
        named = load_of(self.draft.load_term or "", self.profile)
        if column is None or named is None or column.load != named[0] or (column.group or None) != self.draft.group:
            self.wrong_place(field, claim.place, f'the column is not that of "{self.draft.load_term}"', "column")
        return table, column

    def _limit(self, claim: Cited[ClaimValue], lookup: Decimal) -> Quantity:
        field = "criteria.max_impact_speed"
        table, column = self._limit_column(claim)
        row = row_index(table, claim.place.row or "", self.profile)
        right = limit_row(table, lookup, self.profile)
        if row is None or row != right:
            self.wrong_place(field, claim.place, f"at {lookup} {self.profile.speed_unit} another row holds")
        text = table.rows[row][column.index].text
        if not is_number(text):
            self.wrong_place(field, claim.place, "the cell holds no limit")
        held = decimal(text)
        source = cell_source(self.document, table, row, column.index, self.profile)
        if (claim.value.value, claim.value.unit, claim.value.bound) != (held, self.profile.speed_unit, "le"):
            self.wrong_value(field, source, claimed(claim.value), f"{text} {self.profile.speed_unit}")
        sources = [source]
        if decimal(table.rows[row][0].text) != lookup:
            sources += [self._footnote(mark, table) for mark in table.footnotes[:1]]
        self.limit_sources, self.limit_term = (source,), column.term
        return Quantity(value=held, unit=self.profile.speed_unit, bound="le", basis="cited", sources=tuple(sources))

    def _footnote(self, mark: str, table: Table) -> SourceRef:
        note = next((note for note in self.document.footnotes if note.marker == mark and table.id in note.anchors), None)
        return SourceRef(
            regulation=self.document.id,
            edition=self.document.edition,
            wording=self.document.wording,
            clause=table.clause,
            table=table.id,
            footnote=mark,
            page=note.page if note else None,
            bbox=note.bbox if note else None,
            quote=note.text if note else "",
        )

    def _limit_table(self, field: str, place: Place, part: Part = "limit table") -> Table:
        tables = limit_tables(self.document.tables, self.family, self.profile, self.draft.category or "")
        table = next((table for table in tables if table.id == place.table and table.clause == place.clause), None)
        if table is None:
            self.wrong_place(field, place, f"this is not the limit table of category {self.draft.category}", part)
        return table

    # ------------------------------------------------------------ statements

    def read_statements(self) -> dict[str, tuple[Statement, ...]]:
        """Words of the test, each a sentence that the profile asks for under its topic, verbatim in its clause."""
        found: dict[str, tuple[Statement, ...]] = {}
        for topic, cited in self.draft.statements.items():
            kept: list[Statement] = []
            for claim in cited:
                key = (self.family.name, self.draft.variant, self.prescribed, topic, claim.place.clause, claim.place.quote, claim.value)
                if key not in self.memory.statements:
                    statement = self._statement(topic, claim)
                    if statement is None:
                        continue
                    self.memory.statements[key] = statement
                if not self._for_other_load([rule for rule in self.statement_rules if rule.topic == topic and _asks(rule, claim)]):
                    kept.append(self.memory.statements[key])
            if kept:
                found[topic] = tuple(kept)
        return found

    def _statement(self, topic: str, claim: Cited[str]) -> Statement | None:
        clause = self.document.clause(claim.place.clause)
        quote = claim.place.quote or ""
        if clause is None or quote != claim.value or quote not in self._sentences(topic, clause):
            with suppress(RefusedError):
                self.wrong_place(topic, claim.place, f"these are not words on {topic} that stand there: {quote[:60]!r}")
            return None
        return Statement(topic=topic, text=quote, sources=(quote_source(self.document, clause, quote),))

    def _sentences(self, topic: str, clause: Clause) -> set[str]:
        """The sentences of a clause that may stand under a topic."""
        patterns = [rule.anchor for rule in self.statement_rules if rule.topic == topic and clause.id in rule.clauses]
        if topic == "status" and clause.id == self.family.procedure and not self.variant:
            patterns.append(PRESCRIBED if self.prescribed else self.family.other_speeds)
        return {sentence.text for pattern in patterns if pattern for sentence in matching_sentences(clause, pattern)}

    def _for_other_load(self, rules: Sequence[FieldRule | StatementRule]) -> bool:
        """Whether the document says this for the other load state only."""
        return bool(rules) and all(rule.load is not None and rule.load != self.load for rule in rules)

    def status(self, speed: Quantity | None) -> Status:
        """What the place of the test speed makes of the test: a prescribed one, or one that may be added."""
        right = self.family.prescribed_status if self.prescribed else self.family.further_status
        if self.draft.status != right and speed is not None and speed.sources:
            self.wrong_value("status", speed.sources[0], self.draft.status, right)
        return right

    def is_prescribed(self, speed: Quantity) -> None:
        """Note that the procedure prescribes a speed that was claimed as a further one."""
        claims = self.draft.fields.get("subject.test_speed") or self.draft.fields.get("relative_speed") or ()
        place = claims[0].place if claims else Place(clause=self.family.procedure)
        with suppress(RefusedError):
            self.wrong_place(
                "subject.test_speed", place, f"{speed.value} {speed.unit} is prescribed; cite the place that says so", "speed table"
            )

    def require(self, present: tuple[str, ...]) -> None:
        """Note every required field that no claim gave."""
        needed = [rule.field for rules in self.rules.values() for rule in rules[:1] if rule.required]
        if not self.variant:
            needed += ["subject.test_speed", "criteria.max_impact_speed", "target.speed"]
        else:
            needed += ["subject.test_speed", "target.speed"]
        disputed = {item.field for item in self.disagreements}
        for name in dict.fromkeys(needed):
            if name not in present and name not in disputed:
                self.missing(name, "no place was claimed for it")

    # ------------------------------------------------------------ helpers

    def _same_place(self, own: Place, claimed: Place) -> bool:
        if own.clause != claimed.clause or (own.table or None) != (claimed.table or None):
            return False
        if own.table:
            table = self.document.table(own.table)
            if table is None or own.row != claimed.row:
                return False
            return column_index(table, own.column or "") == column_index(table, claimed.column or "")
        return bool(claimed.quote) and (
            plain(claimed.quote or "") in plain(own.quote or "") or plain(own.quote or "") in plain(claimed.quote or "")
        )

    def source(self, place: Place) -> SourceRef:
        """The source of a place that is known to exist."""
        if place.table:
            table = self.document.table(place.table)
            assert table is not None
            row, column = row_index(table, place.row or "", self.profile), column_index(table, place.column or "")
            assert row is not None
            assert column is not None
            return cell_source(self.document, table, row, column, self.profile)
        clause = self.document.clause(place.clause)
        assert clause is not None
        return quote_source(self.document, clause, place.quote or "")


def _asks(rule: StatementRule, claim: Cited[str]) -> bool:
    return claim.place.clause in rule.clauses and re.search(rule.anchor, claim.value, re.IGNORECASE) is not None
