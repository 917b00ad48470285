"""`--ask rows`: the model also writes the number of every cell that it points to, row by row, as the literature does.

The compiler reads the same cells; what the model wrote is what it claims, and is re-read like any other claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from regc.extract._llm_ask import Asker, Question, form
from regc.extract._llm_fields import NUMBER
from regc.extract._llm_prompts import evidence_text
from regc.extract._llm_tables import LIMIT_FIELD, OTHER, TOLERANCE, Pointers, TableDispute, TableQuestions
from regc.language import decimal, tolerance
from regc.model.document import Table
from regc.model.result import Disagreement
from regc.model.scenario import ClaimValue, Draft
from regc.model.source import Cited, Place
from regc.places import DASH, is_number, row_label

_NUMBER_OR_DASH = {"type": "string", "pattern": rf"{NUMBER}|^{DASH}$"}
_TOLERANCE = {"type": "string", "pattern": r"^[-+±/., 0-9]+$"}


class Cell(NamedTuple):
    """A cell of a category's tables, by the labels of its row and column."""

    category: str
    table: str
    row: str
    column: str


@dataclass
class Cells:
    """What the model wrote in the cells that it points to."""

    tables: TableQuestions
    said: dict[Cell, str] = field(default_factory=dict)
    asked: set[tuple[str, str, str]] = field(default_factory=set)

    def ask(self, asker: Asker, pointers: Mapping[str, Pointers]) -> bool:
        """Ask for every cell that is pointed to and was not asked for yet; False when there is none."""
        put = False
        for category, pointed in pointers.items():
            for table, columns in self._columns(pointed):
                new = {at: says for at, says in columns.items() if (category, table.id, table.column_label(at)) not in self.asked}
                if new:
                    self.asked |= {(category, table.id, table.column_label(at)) for at in new}
                    cells = {at: list(range(len(table.rows))) for at in new}
                    self._put(asker, category, table, columns, cells, f"{self._label(category, table)} {sorted(new)}", ())
                    put = True
        return put

    def ask_again(self, asker: Asker, pointers: Mapping[str, Pointers], disputes: Mapping[str, TableDispute]) -> bool:
        """Ask for the disputed cells again; False when no question has a re-ask left."""
        put = False
        for category, dispute in disputes.items():
            for table, columns in self._columns(pointers[category]):
                wanted = {(item.place.row, item.place.column) for item in dispute.items if item.place and item.place.table == table.id}
                cells = {
                    at: [r for r in range(len(table.rows)) if (self._row(table, r), table.column_label(at)) in wanted] for at in columns
                }
                label = f"{self._label(category, table)} again"
                asker.asked.setdefault(label, 1)
                if any(cells.values()) and asker.may_ask(label):
                    told = [
                        text for text, item in {**dispute.read, **dispute.plain}.items() if item.place and item.place.table == table.id
                    ]
                    self._put(asker, category, table, columns, {at: rows for at, rows in cells.items() if rows}, label, told)
                    put = True
        return put

    def written(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """The drafts with the numbers that the model wrote; one of whose limit it wrote nothing is left out."""
        for draft in drafts:
            limit = self._typed(draft.category or "", draft.fields[LIMIT_FIELD])
            speed = self._typed(draft.category or "", draft.fields.get("subject.test_speed", ()))
            if limit is not None and speed is not None:
                fields = {**draft.fields, LIMIT_FIELD: limit} | ({"subject.test_speed": speed} if speed else {})
                yield draft.model_copy(update={"fields": fields})

    def invented(self, category: str, pointed: Pointers) -> dict[str, Disagreement]:
        """Numbers that the model wrote where the limit table has a dash: no scenario comes of them, but they are wrong."""
        found = {}
        for table, row, at in self._dashes(pointed):
            said = self.said.get(Cell(category, table.id, self._row(table, row), table.column_label(at)), DASH)
            if said != DASH:
                place = Place(clause=table.clause, table=table.id, row=self._row(table, row), column=table.column_label(at))
                told = (
                    f'{table.id} row {place.row} column "{place.column}": you said {said}, the place holds another value; read it again'
                )
                found[told] = Disagreement(field=LIMIT_FIELD, kind="wrong_value", message=told, place=place)
        return found

    def problems(self, category: str, pointed: Pointers) -> list[str]:
        """What is still missing or wrong when nothing more is asked."""
        wrong = [f"category {category}: {text.replace('you said', 'the model says')}" for text in self.invented(category, pointed)]
        written = {(cell.table, cell.column) for cell in self.said if cell.category == category}
        missing = [
            f'category {category}: no numbers were written for {table.id} column "{table.column_label(at)}"'
            for table, columns in self._columns(pointed)
            for at in columns
            if (table.id, table.column_label(at)) not in written
        ]
        return missing + wrong

    # ------------------------------------------------------------ helpers

    def _columns(self, pointed: Pointers) -> list[tuple[Table, dict[int, str]]]:
        """The tables pointed to with their columns and what the model takes each for."""
        found = []
        for table, columns in ((pointed.limit, pointed.limit_columns), (pointed.speeds, pointed.speed_columns)):
            chosen = {at: says for at, says in columns.items() if says != OTHER}
            if isinstance(table, Table) and table.rows and chosen:
                found.append((table, chosen))
        return found

    def _dashes(self, pointed: Pointers) -> Iterator[tuple[Table, int, int]]:
        for at, says in pointed.limit_columns.items() if pointed.limit else ():
            assert pointed.limit is not None
            for row, cells in enumerate(pointed.limit.rows):
                if says != OTHER and not is_number(cells[at].text):
                    yield pointed.limit, row, at

    def _row(self, table: Table, row: int) -> str:
        return row_label(table, row, self.tables.profile)

    def _label(self, category: str, table: Table) -> str:
        return f"{self.tables.family.name} rows {category} {table.id}"

    def _put(
        self,
        asker: Asker,
        category: str,
        table: Table,
        columns: Mapping[int, str],
        cells: Mapping[int, list[int]],
        label: str,
        complaints: Iterable[str],
    ) -> None:
        """One form: an object a column, in it a text a row."""
        properties: dict[str, Any] = {}
        for at, rows in cells.items():
            cell = _TOLERANCE if columns[at] == TOLERANCE else _NUMBER_OR_DASH
            properties[table.column_label(at)] = form({self._row(table, row): cell for row in rows})
        items = [item for item in self.tables.context.items if item.table is table]
        prompt = self.tables.prompts.render(
            "rows",
            note=self.tables.note,
            evidence=evidence_text(items),
            table=table.id,
            columns=list(properties),
            headers=table.column_label(0) if self._row(table, 0) == table.rows[0][0].text else "",
            complaints=list(complaints),
        )
        for column, rows in (asker.ask(Question(label, prompt, form(properties))) or {}).items():
            self.said |= {Cell(category, table.id, row, column): text.strip() for row, text in rows.items()}

    def _typed(self, category: str, claims: tuple[Cited[ClaimValue], ...]) -> tuple[Cited[ClaimValue], ...] | None:
        """Claims with what the model wrote in their cells; None when it wrote nothing there. Row headers and prose stay."""
        typed = []
        for claim in claims:
            place = claim.place
            if (category, place.table, place.column) in self.asked:
                text = self.said.get(Cell(category, place.table or "", place.row or "", place.column or ""))
                if text is None:
                    return None
                own = (
                    {"tolerance": tolerance(text)} if claim.value.value is None else {"value": decimal(text) if text != DASH else None}
                )
                claim = Cited[ClaimValue](value=claim.value.model_copy(update=own), place=place)
            typed.append(claim)
        return tuple(typed)
