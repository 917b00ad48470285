"""Questions for tables: which table, which column; the compiler reads the cells. Answers to drafts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from regc.extract._expand import Fields, Rows, Statements
from regc.extract._llm_ask import Asker, Question, enum, form
from regc.extract._llm_prompts import Prompts
from regc.language import decimal, tolerance
from regc.model.chunk import Context
from regc.model.document import Clause, Table
from regc.model.regulation import Family, Profile
from regc.model.result import Disagreement
from regc.model.scenario import Draft
from regc.model.source import Place
from regc.places import LoadColumn, TestSpeed, column_index, has_row_headers, is_number, load_columns, load_of, row_label, test_speeds

NONE = "none"
OTHER = "neither"
TOLERANCE = "tolerance"
#: What a table is chosen for; names in the form.
LIMIT, SPEEDS = "limit_table", "test_speed_table"
LIMIT_FIELD = "criteria.max_impact_speed"
#: Fields whose place is a table, so that a dispute about them goes back to the questions of this module.
TABLE_FIELDS = (LIMIT_FIELD, "subject.test_speed", "relative_speed")


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
class TableDispute:
    """What is wrong with one category's tables, by complaint: `read` is what the re-read of the document says, `plain` what can be
    seen without it."""

    read: dict[str, Disagreement] = field(default_factory=dict)
    plain: dict[str, Disagreement] = field(default_factory=dict)

    @property
    def complaints(self) -> list[str]:
        """What a re-ask tells: a few of many that say the same, and all that are plain."""
        return [*list(self.read)[:4], *self.plain]

    @property
    def items(self) -> list[Disagreement]:
        """The disagreements themselves."""
        return [*self.read.values(), *self.plain.values()]

    def only(self, *, cells: bool) -> TableDispute:
        """The part of it that is about numbers in cells, or the rest."""
        return TableDispute(
            *({text: item for text, item in part.items() if is_cell(item) is cells} for part in (self.read, self.plain))
        )


def is_cell(item: Disagreement) -> bool:
    """Whether the number of a cell is disputed, not where it stands."""
    return item.kind == "wrong_value" and item.place is not None and item.place.table is not None


@dataclass
class TableQuestions:
    """What is asked about the tables of one family's context. `refused` are choices that a re-read did not bear out."""

    family: Family
    profile: Profile
    context: Context
    prompts: Prompts
    note: str
    procedure: Clause
    refused: set[tuple[str, str, str]] = field(default_factory=set)

    def terms(self) -> tuple[str, ...]:
        """Load states as the column headers of the context name them."""
        named = [load_of(table.column_label(at), self.profile) for table in self.context.tables() for at in range(len(table.columns))]
        return tuple(dict.fromkeys(" ".join(term.lower().split()) for found in named if found for term in found[1:]))

    def categories(self, chosen: Sequence[str] = ()) -> tuple[str, ...]:
        """The family's vehicle categories, or those of them that were asked for."""
        own = self.family.categories or tuple(item.id for item in self.profile.categories)
        return tuple(category for category in own if not chosen or category in chosen)

    def point(self, asker: Asker, categories: Sequence[str]) -> dict[str, Pointers]:
        """Table and columns of each category. A category without a usable answer has no pointers."""
        found = {category: Pointers() for category in categories}
        question = self._tables(f"{self.family.name} tables", dict.fromkeys(categories, (LIMIT, SPEEDS)))
        for category, said in ((asker.ask(question) if question else None) or {}).items():
            self._point(found[category], said)
            self._columns(asker, category, found[category])
        return found

    def point_again(self, asker: Asker, pointers: dict[str, Pointers], disputes: Mapping[str, TableDispute]) -> bool:
        """Point anew where a re-read disagrees; False when no question has a re-ask left.

        A table or column that was refused is no choice any more; what was not disputed stays as it was.
        """
        done = False
        for category, dispute in disputes.items():
            pointed = pointers[category]
            roles, columns = self._refuse(category, pointed, dispute)
            if not roles:
                done |= self._columns(asker, category, pointed, dispute, columns)
                continue
            label = f"{self.family.name} tables {category} again"
            asker.asked.setdefault(label, asker.asked.get(f"{self.family.name} tables", 1))
            question = self._tables(label, {category: roles}, dispute.complaints)
            if question is not None and asker.may_ask(label):
                if (answer := asker.ask(question)) is not None:
                    self._point(pointed, answer[category])
                    self._columns(asker, category, pointed)
                done = True
        return done

    def options(self) -> dict[str, Table]:
        """The tables of the context by the words with which they are chosen: caption and section tell more than an id."""
        return {
            f"{', '.join(filter(None, (table.caption, self._section(table)))) or 'table'} ({table.id})": table
            for table in self.context.tables()
        }

    def _section(self, table: Table) -> str:
        """The heading under which a table stands, as far as the context has it: that of the section, not of the chapter."""
        clause = self.context.clause(table.clause)
        above = self.context.clause(clause.parent) if clause and clause.parent and "." in clause.parent else None
        return (above.title if above else None) or (clause.title if clause else None) or ""

    def prose(self) -> str:
        """The choice for test speeds that the text of the procedure says."""
        return f"text of {self.procedure.id}"

    def _choices(self, category: str, role: str, *, near: bool) -> list[str]:
        """The tables that may be chosen for a role: limit tables have speeds for row headers, tables of test speeds have none.

        `near`: only those that stand in the clauses of this test, where there are any.
        """
        own = (self.family.limit_clause, self.family.speed_clause)
        tables = {name: table for name, table in self.options().items() if self.may_be(role, table)}
        if near:
            tables = {name: table for name, table in tables.items() if table.clause in own} or tables
        choices = [*tables, self.prose(), NONE] if role == SPEEDS else list(tables)
        return [name for name in choices if (category, role, name) not in self.refused]

    def may_be(self, role: str, table: Table) -> bool:
        """Whether a table has the shape of a role: columns that name load states, with speeds for row headers or without."""
        names_load = any(load_of(table.column_label(at), self.profile) for at in range(len(table.columns)))
        return names_load and has_row_headers(table, self.profile) is (role == LIMIT)

    def _tables(self, label: str, asked: Mapping[str, Sequence[str]], complaints: Sequence[str] = ()) -> Question | None:
        """Which table stands for each role; None where nothing is left to choose."""
        choices = {
            category: {role: self._choices(category, role, near=bool(complaints)) for role in roles}
            for category, roles in asked.items()
        }
        shown = {name for roles in choices.values() for names in roles.values() for name in names}
        if not all(names for roles in choices.values() for names in roles.values()):
            return None
        prompt = self.prompts.render(
            "tables",
            note=self.note,
            evidence="\n".join(_heads(name, table) for name, table in self.options().items() if name in shown).replace("<", "‹"),
            categories=list(asked),
            roles=list(next(iter(asked.values()))),
            prose=self.prose(),
            complaints=list(complaints),
        )
        forms = {category: form({role: enum(names) for role, names in roles.items()}) for category, roles in choices.items()}
        return Question(label, prompt, form(forms))

    def _point(self, pointers: Pointers, said: Mapping[str, str]) -> None:
        tables = self.options()
        if LIMIT in said:
            pointers.limit = tables[said[LIMIT]]
        if SPEEDS in said:
            pointers.speeds = self.procedure if said[SPEEDS] == self.prose() else tables.get(said[SPEEDS])

    def _refuse(self, category: str, pointed: Pointers, dispute: TableDispute) -> tuple[tuple[str, ...], list[str]]:
        """Take refused tables and columns out of the choices; for what a table, and for which columns, is to be asked anew."""
        names = {table.id: name for name, table in self.options().items()}
        speeds = pointed.speeds if isinstance(pointed.speeds, Table) else None
        misread = self.misread(pointed)
        tables: dict[str, str] = {}
        columns: dict[str, list[str]] = {}
        if pointed.limit is not None and any(item.part == "limit table" for item in dispute.items):
            tables[LIMIT] = names[pointed.limit.id]
        for item in dispute.items:
            # a speed that was read from a wrong limit table says nothing about the table of test speeds
            of_limits = LIMIT in tables and pointed.limit is not None and item.place and item.place.table == pointed.limit.id
            if item.part == "speed table" and not misread and not of_limits:
                tables[SPEEDS] = names[speeds.id] if speeds else NONE if pointed.speeds is None else self.prose()
            elif item.part == "column" and item.place is not None:
                table, said = (pointed.limit, pointed.limit_columns) if item.field == LIMIT_FIELD else (speeds, pointed.speed_columns)
                at = column_index(table, item.place.column or "") if table else None
                if table is not None and at in said:
                    columns[_column_key(table, at)] = [said[at]]
        if pointed.limit is not None:
            columns |= {_column_key(pointed.limit, at): [OTHER] for at in self.passed_over(pointed)}
        if speeds is not None:
            taken = pointed.speed_columns
            loads = list(self.terms())
            columns |= {_column_key(speeds, at): [taken[at]] if taken[at] not in loads else loads for at in misread}
        self.refused |= {(category, role, name) for role, name in tables.items()}
        self.refused |= {(category, name, word) for name, words in columns.items() for word in words}
        return tuple(tables), list(columns)

    def _columns(
        self,
        asker: Asker,
        category: str,
        pointers: Pointers,
        dispute: TableDispute | None = None,
        only: Sequence[str] = (),
    ) -> bool:
        """Ask which load state each column names, or `only` those columns; False when the question has no re-ask left."""
        limit, speeds = pointers.limit, pointers.speeds if isinstance(pointers.speeds, Table) else None
        if limit is None:
            return False
        terms = self.terms()
        named = {_column_key(limit, at): at for at in range(1, len(limit.columns))}
        beside = {_column_key(speeds, at): at for at in range(len(speeds.columns))} if speeds else {}
        choices: dict[str, list[str]] = {name: [*terms, OTHER] for name in named}
        choices |= {name: [*terms, TOLERANCE, OTHER] for name in beside}
        left = {name: [said for said in words if (category, name, said) not in self.refused] for name, words in choices.items()}
        left = {name: words for name, words in left.items() if name in only or not only}
        label = " ".join((self.family.name, "columns", category, limit.id, *([speeds.id] if speeds else [])))
        if not asker.may_ask(label) or not all(left.values()):
            return False
        shown = [
            table
            for table in (limit, speeds)
            if table is not None and any(_column_key(table, at) in left for at in range(len(table.columns)))
        ]
        names = {table.id: name for name, table in self.options().items()}
        prompt = self.prompts.render(
            "columns",
            note=self.note,
            evidence="\n".join(_heads(names[table.id], table) for table in shown).replace("<", "‹"),
            terms=list(terms),
            columns=list(left),
            tolerances=any(name in beside for name in left),
            complaints=dispute.complaints if dispute else [],
        )
        answer = asker.ask(Question(label, prompt, form({name: enum(words) for name, words in left.items()})))
        if answer is not None:
            if dispute is None:
                pointers.limit_columns, pointers.speed_columns = {}, {}
            pointers.limit_columns |= {at: answer[name] for name, at in named.items() if name in answer}
            pointers.speed_columns |= {at: answer[name] for name, at in beside.items() if name in answer}
        return True

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

    def passed_over(self, pointers: Pointers) -> list[int]:
        """Columns of the limit table that name a load state of this test and that the model passed over."""
        columns = load_columns(pointers.limit, self.family, self.profile) if pointers.limit else ()
        return [column.index for column in columns if pointers.limit_columns.get(column.index) == OTHER]

    def misread(self, pointers: Pointers) -> dict[int, str]:
        """Columns of the test speed table that cannot be what the model takes them for, and why."""
        found: dict[int, str] = {}
        table = pointers.speeds if isinstance(pointers.speeds, Table) else None
        for at, said in pointers.speed_columns.items() if table else ():
            assert table is not None
            label, numbers = table.column_label(at), any(is_number(cells[at].text) for cells in table.rows)
            if said == TOLERANCE and numbers:
                found[at] = "holds speeds"
            elif said == OTHER and (load_of(label, self.profile) or TOLERANCE in label.lower()):
                found[at] = "was passed over"
            elif said not in (TOLERANCE, OTHER) and not numbers:
                found[at] = "holds no speeds"
        return found

    def mistakes(self, pointers: Pointers) -> list[str]:
        """What is wrong with columns that need no re-read of the document, in words for a re-ask."""
        limit, speeds = pointers.limit, pointers.speeds if isinstance(pointers.speeds, Table) else None
        over = [f'"{limit.column_label(at)}" was passed over' for at in self.passed_over(pointers)] if limit else []
        wrong = [f'"{speeds.column_label(at)}" {why}' for at, why in self.misread(pointers).items()] if speeds else []
        return over + wrong

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


def _heads(name: str, table: Table) -> str:
    columns = "; ".join(dict.fromkeys(" > ".join(dict.fromkeys(path)) for path in table.columns))
    return f"{name} | columns: {columns} | {len(table.rows)} rows"


def _column_key(table: Table, at: int) -> str:
    """A column's name in the form, with the words of its header."""
    return f"{table.id} column {at + 1}: {' > '.join(dict.fromkeys(table.columns[at]))}"
