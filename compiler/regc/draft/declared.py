"""Forms that the manufacturer fills in: the empty cell of a row that names a test is a declared quantity."""

from __future__ import annotations

import re
from dataclasses import dataclass

from regc.draft.field import field
from regc.draft.outline import Outline
from regc.lang.places import flat
from regc.model.document import Table

#: Words of a row that tell nothing in a name.
_COMMON = frozenset({"a", "an", "the", "on", "of", "in", "at", "to", "from", "and", "or"})


@dataclass(frozen=True)
class DeclaredCell:
    """A quantity that the applicant declares: `name`, and the place of its cell, "[table: row & column]"."""

    name: str
    place: str


def declared_speed(outline: Outline, at: str) -> DeclaredCell | None:
    """The empty cell of a form under a header of speeds, in the row that cites a test's clause; None where no form has one."""
    number = outline.clauses[at].number or at
    cited = re.compile(rf"(?<![\w.]){re.escape(number)}(?:\.\d+)*\.?(?!\w)")
    for table in outline.document.tables:
        rows = [row for row in table.rows if cited.search(row[0].text)]
        if len(rows) != 1:
            continue
        words = re.split(r"\s*[(\[]", rows[0][0].text)[0].strip()
        for column in range(1, len(table.columns)):
            head = table.column_label(column)
            if rows[0][column].text.strip() or not field().words("list", "speeds").find(head):
                continue
            named = _words_of(table, column)
            alone = sum(flat(words) in flat(row[0].text) for row in table.rows) == 1
            if words and named and alone:
                return DeclaredCell(_name(words), f"[{table.id}: {words} & {named}]")
    return None


def _words_of(table: Table, column: int) -> str:
    """The fewest last or first words by which a header differs from every other of its table."""
    heads = [flat(table.column_label(each)) for each in range(len(table.columns))]
    words = re.findall(r"[A-Za-z][A-Za-z-]*(?: [A-Za-z][A-Za-z-]*)*", table.column_label(column))
    for count in (2, 3, 4, 5):
        for part in words:
            tokens = part.split()
            for first in range(max(0, len(tokens) - count + 1)):
                said = " ".join(tokens[first : first + count])
                if sum(flat(said) in head for head in heads) == 1 and flat(said) in heads[column]:
                    return said
    return ""


def _name(words: str) -> str:
    """A name for a declared speed: "Stationary vehicle ahead on a curved road" is v_stationary_vehicle_ahead_curved_road."""
    return "v_" + "_".join(word.lower() for word in re.findall(r"[A-Za-z0-9]+", words) if word.lower() not in _COMMON)
