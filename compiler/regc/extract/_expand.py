"""Rows of a family: from its limit tables and test speeds to one draft a test, every number cited by its place.

Used by every extractor that points to tables; what is expanded is taken from the evidence given, nothing is filled in.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from regc.language import decimal
from regc.model.document import Clause, Table
from regc.model.regulation import Family, Profile
from regc.model.scenario import ClaimValue, Draft, Status
from regc.model.source import Cited, Place
from regc.places import (
    PRESCRIBED,
    LoadColumn,
    TestSpeed,
    is_number,
    limit_row,
    limit_tables,
    load_columns,
    matching_sentences,
    row_label,
    speed_pair,
    test_speeds,
)

Fields = dict[str, tuple[Cited[ClaimValue], ...]]
Statements = dict[str, tuple[Cited[str], ...]]


def expand(
    family: Family, profile: Profile, tables: tuple[Table, ...], procedure: Clause, shared: Fields, statements: Statements
) -> Iterator[Draft]:
    """Drafts of a family: for each category, limit table and load column the prescribed speeds, then the further rows.

    `shared` are the claims that hold for every row (approach, trigger, criteria, environment).
    """
    for category in family.categories or tuple(item.id for item in profile.categories):
        for table in limit_tables(tables, family, profile, category):
            for column in load_columns(table, family, profile):
                speeds = test_speeds(tables, procedure, family, profile, category, column.load)
                yield from Rows(family, profile, procedure, table, column, category, shared, statements).drafts(speeds)


class Rows:
    """The rows of one limit column. `steer` are numbers that decide which rows are meant where the claims are not to be trusted."""

    def __init__(
        self,
        family: Family,
        profile: Profile,
        procedure: Clause,
        table: Table,
        column: LoadColumn,
        category: str,
        shared: Fields,
        statements: Statements,
        steer: dict[str, Decimal] | None = None,
    ) -> None:
        self.family, self.profile, self.procedure = family, profile, procedure
        self.table, self.column, self.category = table, column, category
        self.shared, self.statements = shared, statements
        self.steer = steer or {}
        self.target = self._known("target.speed") or Decimal(0)

    def drafts(self, speeds: tuple[TestSpeed, ...]) -> Iterator[Draft]:
        """One draft a prescribed speed, then one a further row that has a limit and can be reached."""
        prescribed: set[Decimal] = set()
        for speed in speeds:
            lookup = speed.value - self.target if self.family.lookup == "relative" else speed.value
            row = limit_row(self.table, lookup, self.profile)
            if row is None or not is_number(self._limit(row)):
                continue
            prescribed.add(lookup)
            yield self._draft(row, self.family.prescribed_status, PRESCRIBED, {"subject.test_speed": _cited_speed(speed, self.profile)})
        for row, cells in enumerate(self.table.rows):
            if not is_number(cells[0].text) or not is_number(self._limit(row)):
                continue
            lookup = decimal(cells[0].text)
            if lookup in prescribed or not self._reachable(lookup):
                continue
            name = "relative_speed" if self.family.lookup == "relative" and self.target else "subject.test_speed"
            claim = Cited[ClaimValue](
                value=ClaimValue(value=lookup, unit=self.profile.speed_unit),
                place=Place(
                    clause=self.table.clause,
                    table=self.table.id,
                    row=row_label(self.table, row, self.profile),
                    column=self.table.column_label(0),
                ),
            )
            yield self._draft(row, self.family.further_status, self.family.other_speeds, {name: (claim,)})

    def _known(self, name: str) -> Decimal | None:
        return self.steer[name] if name in self.steer else _value(self.shared, name)

    def _limit(self, row: int) -> str:
        return self.table.rows[row][self.column.index].text

    def _reachable(self, lookup: Decimal) -> bool:
        low, high = self._known("envelope.min_speed"), self._known("envelope.max_speed")
        if low is None or high is None:
            return True
        if self.family.lookup == "relative" and self.target:
            return speed_pair(lookup, self.target, low, high) is not None
        return low <= lookup <= high

    def _draft(self, row: int, status: Status, status_pattern: str, own: Fields) -> Draft:
        limit = Cited[ClaimValue](
            value=ClaimValue(value=decimal(self._limit(row)), unit=self.profile.speed_unit, bound="le"),
            place=Place(
                clause=self.table.clause,
                table=self.table.id,
                row=row_label(self.table, row, self.profile),
                column=self.table.column_label(self.column.index),
            ),
        )
        statements = dict(self.statements)
        said = matching_sentences(self.procedure, status_pattern) if status_pattern else ()
        if said:
            place = Place(clause=self.procedure.id, quote=said[0].text)
            statements["status"] = (Cited[str](value=said[0].text, place=place),)
        return Draft.model_construct(
            family=self.family.name,
            category=self.category,
            load_term=self.column.term,
            status=status,
            variant=None,
            group=self.column.group or None,
            row=row_label(self.table, row, self.profile),
            fields={**self.shared, **own, "criteria.max_impact_speed": (limit,)},
            statements=statements,
        )


def _value(fields: Fields, name: str) -> Decimal | None:
    return fields[name][0].value.value if fields.get(name) else None


def _cited_speed(speed: TestSpeed, profile: Profile) -> tuple[Cited[ClaimValue], ...]:
    """The speed, and the tolerance where it stands in a cell of its own."""
    same = speed.tolerance_place == speed.place
    value = ClaimValue(value=speed.value, unit=profile.speed_unit, tolerance=speed.tolerance if same else None)
    claims = [Cited[ClaimValue](value=value, place=speed.place)]
    if speed.tolerance_place and not same:
        beside = ClaimValue(value=None, unit=profile.speed_unit, tolerance=speed.tolerance)
        claims.append(Cited[ClaimValue](value=beside, place=speed.tolerance_place))
    return tuple(claims)
