"""Candidates of the invented regulation with one thing changed, as the checks see them."""

from __future__ import annotations

from collections.abc import Callable

from regc.job import Compiled
from regc.model.document import Document
from regc.model.regulation import Profile
from regc.model.scenario import Scenario
from regc.model.source import Quantity
from regc.profiles import load_profile
from regc.validate._candidate import Candidate
from tests.conftest import INVENTED

ONE = "LR7-2nd_p4.2_ShToStand_LS_crowded_018"
ROLLING = "LR7-2nd_p4.3_ShToRoll_LS_crowded_018-006"


def candidate(compiled: Compiled, *scenarios: Scenario, document: Document | None = None, profile: Profile | None = None) -> Candidate:
    """All scenarios, or only those given."""
    chosen = profile or load_profile(str(INVENTED))
    edition = chosen.edition("2nd")
    assert edition is not None
    return Candidate(document or compiled.document, chosen, edition, scenarios or compiled.checked.scenarios, compiled.checked.cards)


def scenario(compiled: Compiled, id: str = ONE) -> Scenario:
    """The scenario with that id."""
    return next(item for item in compiled.checked.scenarios if item.id == id)


def changed(scenario: Scenario, field: str, change: Callable[[Quantity], Quantity]) -> Scenario:
    """The scenario with one quantity changed, by its dotted field."""
    if "." not in field:
        return scenario.model_copy(update={field: change(getattr(scenario, field))})
    part, name = field.split(".")
    if part in ("envelope", "manoeuvre"):
        group = tuple(
            item.model_copy(update={"quantity": change(item.quantity)}) if item.name == name else item
            for item in getattr(scenario, part)
        )
        return scenario.model_copy(update={part: group})
    own = getattr(scenario, part)
    return scenario.model_copy(update={part: own.model_copy(update={name: change(getattr(own, name))})})


def valued(value: str, **more: object) -> Callable[[Quantity], Quantity]:
    """Changes a quantity's value (and more of it)."""
    from decimal import Decimal

    return lambda quantity: quantity.model_copy(update={"value": Decimal(value), **more})


def with_cell(document: Document, table: str, row: int, column: int, text: str) -> Document:
    """The document with the text of one cell changed."""
    tables = []
    for item in document.tables:
        if item.id == table:
            rows = [list(cells) for cells in item.rows]
            rows[row][column] = rows[row][column].model_copy(update={"text": text})
            item = item.model_copy(update={"rows": tuple(tuple(cells) for cells in rows)})
        tables.append(item)
    return document.model_copy(update={"tables": tuple(tables)})


def without_row(document: Document, table: str, row: int) -> Document:
    """The document with one row of a table lost."""
    tables = tuple(
        item.model_copy(update={"rows": item.rows[:row] + item.rows[row + 1 :]}) if item.id == table else item
        for item in document.tables
    )
    return document.model_copy(update={"tables": tables})
