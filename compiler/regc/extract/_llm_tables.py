"""Questions for tables: which table, which column; the compiler reads the cells. Answers to drafts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from regc.extract._expand import Fields, Rows, Statements
from regc.extract._llm_ask import Asker, Question, enum, form
from regc.extract._llm_prompts import Prompts, evidence_text
from regc.language import decimal, tolerance
from regc.model.chunk import Context, ContextItem
from regc.model.document import Clause, Table
from regc.model.regulation import Family, Profile
from regc.model.scenario import Draft
from regc.model.source import Place
from regc.places import LoadColumn, TestSpeed, is_number, load_columns, load_of, row_label, test_speeds

NONE = "none"
OTHER = "neither"
TOLERANCE = "tolerance"
#: Fields whose place is a table, so that a dispute about them goes back to the questions of this module.
TABLE_FIELDS = ("criteria.max_impact_speed", "subject.test_speed", "relative_speed")


@dataclass
class Pointers:
    """Where the model says that a category's tests stand. `speeds` is a table, the clause whose text says them, or None."""

    limit: Table | None = None
    speeds: Table | Clause | None = None
    limit_columns: dict[int, str] = field(default_factory=dict)
    speed_columns: dict[int, str] = field(default_factory=dict)

    def count(self) -> int:
        """Claims that the model made."""
        return (self.limit is not None) + (self.speeds is not None) + len(self.limit_columns) + len(self.speed_columns)


@dataclass
class TableQuestions:
    """What is asked about the tables of one family's context."""

    family: Family
    profile: Profile
    context: Context
    prompts: Prompts
    note: str
    procedure: Clause

    def terms(self) -> tuple[str, ...]:
        """Load states as the column headers of the context name them."""
        named = [load_of(table.column_label(at), self.profile) for table in self.context.tables() for at in range(len(table.columns))]
        return tuple(dict.fromkeys(" ".join(term.lower().split()) for found in named if found for term in found[1:]))

    def categories(self, chosen: Sequence[str] = ()) -> tuple[str, ...]:
        """The family's vehicle categories, or those of them that were asked for."""
        own = self.family.categories or tuple(item.id for item in self.profile.categories)
        return tuple(category for category in own if not chosen or category in chosen)

    def point(self, asker: Asker, categories: Sequence[str], complaints: dict[str, list[str]]) -> dict[str, Pointers]:
        """Table and columns of each category. A category without a usable answer has no pointers."""
        tables = self.context.tables()
        found = {category: Pointers() for category in categories}
        if not tables or not self.terms():
            return found
        answer = asker.ask(self._tables(tables, categories, [text for texts in complaints.values() for text in texts]))
        for category in categories if answer else ():
            assert answer is not None
            pointers, said = found[category], answer[category]
            pointers.limit = self.context_table(said["limit_table"])
            speeds = said["test_speed_table"]
            pointers.speeds = self.procedure if speeds == self._prose() else self.context_table(speeds)
            if pointers.limit is not None:
                self._columns(asker, category, pointers, complaints.get(category, []))
        return found

    def context_table(self, id: str) -> Table | None:
        """The table of the context with that id."""
        return next((table for table in self.context.tables() if table.id == id), None)

    def _prose(self) -> str:
        return f"text of {self.procedure.id}"

    def _tables(self, tables: Sequence[Table], categories: Sequence[str], complaints: Sequence[str]) -> Question:
        if complaints:
            # asked again over those tables alone that stand in the clauses of this test
            own = (self.family.limit_clause, self.family.speed_clause)
            tables = [table for table in tables if table.clause in own] or tables
        ids = [table.id for table in tables]
        choice = form({"limit_table": enum(ids), "test_speed_table": enum([*ids, self._prose(), NONE])})
        listed = "\n".join(_heads(table) for table in tables)
        prompt = self.prompts.render(
            "tables",
            note=self.note,
            evidence=listed.replace("<", "‹"),
            categories=list(categories),
            prose=self._prose(),
            complaints=list(complaints),
        )
        return Question(f"{self.family.name} tables", prompt, form(dict.fromkeys(categories, choice)))

    def _columns(self, asker: Asker, category: str, pointers: Pointers, complaints: Sequence[str]) -> None:
        assert pointers.limit is not None
        limit, speeds = pointers.limit, pointers.speeds if isinstance(pointers.speeds, Table) else None
        terms = self.terms()
        named = {_column_key(limit, at): at for at in range(1, len(limit.columns))}
        properties: dict[str, Any] = {name: enum([*terms, OTHER]) for name in named}
        beside: dict[str, int] = {}
        if speeds is not None and speeds.id != limit.id:
            beside = {_column_key(speeds, at): at for at in range(len(speeds.columns))}
            properties |= {name: enum([*terms, TOLERANCE, OTHER]) for name in beside}
        shown = [limit, *([speeds] if speeds is not None and beside else [])]
        prompt = self.prompts.render(
            "columns",
            note=self.note,
            evidence="\n".join(_heads(table) for table in shown).replace("<", "‹"),
            terms=list(terms),
            columns=list(properties),
            tolerances=bool(beside),
            complaints=list(complaints),
        )
        answer = asker.ask(Question(f"{self.family.name} columns {category}", prompt, form(properties)))
        if answer is not None:
            pointers.limit_columns = {at: answer[name] for name, at in named.items()}
            pointers.speed_columns = {at: answer[name] for name, at in beside.items()}

    # ------------------------------------------------------------ pointers to drafts

    def drafts(
        self, category: str, pointers: Pointers, shared: Fields, statements: Statements, steer: dict[str, Decimal]
    ) -> Iterator[Draft]:
        """One draft a row of every limit column that the model points to; numbers are those of the cells pointed to."""
        if pointers.limit is None:
            return
        for column in self.limit_columns(pointers):
            speeds = self.speeds(category, pointers, column)
            rows = Rows(
                self.family, self.profile, self.procedure, pointers.limit, column, category, shared, statements, steer
            )  # fmt: skip
            yield from rows.drafts(speeds)

    def limit_columns(self, pointers: Pointers) -> list[LoadColumn]:
        """The columns to which the model gave a load state, with the claimed state."""
        assert pointers.limit is not None
        real = {column.index: column for column in load_columns(pointers.limit, self.family, self.profile)}
        found = []
        for at, term in sorted(pointers.limit_columns.items()):
            named = load_of(term, self.profile)
            if named is None:
                continue
            own = real.get(at)
            same = own is not None and own.load == named[0]
            words = own.term if own is not None and same else term
            found.append(LoadColumn(at, named[0], words, own.group if own else ""))
        return found

    def left_out(self, pointers: Pointers) -> list[str]:
        """Columns of the limit table that name a load state of this test and that the model passed over."""
        if pointers.limit is None or not pointers.limit_columns:
            return []
        columns = load_columns(pointers.limit, self.family, self.profile)
        return [pointers.limit.column_label(item.index) for item in columns if pointers.limit_columns.get(item.index) == OTHER]

    def speeds(self, category: str, pointers: Pointers, column: LoadColumn) -> tuple[TestSpeed, ...]:
        """The test speeds of a limit column's load state, where the model points to."""
        table = pointers.speeds
        if isinstance(table, Clause):
            return test_speeds((), table, self.family, self.profile, category, column.load)
        if table is None:
            return ()
        beside = next((at for at, said in sorted(pointers.speed_columns.items()) if said == TOLERANCE), None)
        found = []
        for at, said in sorted(pointers.speed_columns.items()):
            named = load_of(said, self.profile)
            if named is None or named[0].kind != column.load.kind:
                continue
            for row, cells in enumerate(table.rows):
                if not is_number(cells[at].text):
                    continue
                stated = tolerance(cells[beside].text) if beside is not None else None
                found.append(
                    TestSpeed(
                        decimal(cells[at].text),
                        self._place(table, row, at),
                        stated,
                        self._place(table, row, beside) if stated and beside is not None else None,
                    )
                )
        return tuple(found)

    def _place(self, table: Table, row: int, column: int) -> Place:
        label = row_label(table, row, self.profile)
        return Place(clause=table.clause, table=table.id, row=label, column=table.column_label(column))


def table_items(context: Context) -> list[ContextItem]:
    """The tables of a context as evidence."""
    return [item for item in context.items if item.table]


def _heads(table: Table) -> str:
    columns = "; ".join(dict.fromkeys(" > ".join(dict.fromkeys(path)) for path in table.columns))
    return f"{table.id}: {table.caption or 'no caption'} | columns: {columns} | {len(table.rows)} rows"


def _column_key(table: Table, at: int) -> str:
    """A column's name in the form, with the words of its header."""
    return f"{table.id} column {at + 1}: {' > '.join(dict.fromkeys(table.columns[at]))}"


__all__ = ["TABLE_FIELDS", "Pointers", "TableQuestions", "evidence_text", "table_items"]
