"""Coverage figures from hand-made counts."""

from __future__ import annotations

from regc.evaluate.coverage import rates
from regc.job import Compiled
from regc.model.result import ClauseUse, Coverage, Resolution, TableUse


def cell(row: str, *, scenarios: tuple[str, ...] = (), reason: str | None = None) -> TableUse:
    return TableUse(
        table="9.1#1", clause="9.1", caption="c", role="limit", row=row, column="Heavy", value="3", scenarios=scenarios, reason=reason
    )


def test_rates() -> None:
    found = rates(
        Coverage(
            cells=(cell("10", scenarios=("a",)), cell("20", reason="dash"), cell("30")),
            clauses=(
                ClauseUse(clause="9.1", title="", scenarios=("a",)),
                ClauseUse(clause="9.2", title="", cards=("k",)),
                ClauseUse(clause="9.3", title="", reason="inspection"),
                ClauseUse(clause="9.4", title=""),
            ),
            cited=6,
            derived=2,
            assumed=2,
            traced=10,
            accurate=7,
        ),
        [Resolution(scenario=None, claims=10, wrong_values=1), Resolution(scenario=None, claims=6, wrong_values=1)],
    )
    assert (found.requirements.part, found.requirements.whole, found.requirements.value) == (3, 4, 0.75)
    assert (found.cells.part, found.cells.whole, found.cells_used, found.cells_with_reason) == (2, 3, 1, 1)
    assert found.accuracy.value == 7 / 8
    assert found.traceability.value == 1
    assert found.assumed == 2
    assert found.hallucinations.value == 2 / 16
    assert found.open_clauses == ("9.4",)
    assert found.open_cells == ('9.1#1 row 30 column "Heavy": 3',)


def test_a_borrowed_tolerance_is_no_further_number() -> None:
    """Eight stated numbers, three of them with a tolerance that another speed's row states, and two assumed ones: ten in all."""
    found = rates(Coverage(cited=6, derived=2, assumed=5, borrowed=3, traced=10, accurate=8))
    assert (found.traceability.part, found.traceability.whole, found.assumed) == (10, 10, 5)


def test_every_number_of_the_edition_is_traced(embedded: Compiled) -> None:
    found = rates(embedded.checked.coverage)
    assert embedded.checked.coverage.borrowed > 0
    assert found.traceability.value == 1


def test_nothing_to_count_is_no_share() -> None:
    found = rates(Coverage())
    assert found.requirements.value is None
    assert found.accuracy.value is None
