"""What of the document reached a scenario, as shares, and how far the numbers can be trusted."""

from __future__ import annotations

from collections.abc import Sequence

from regc.model.result import Coverage, Resolution, TableUse
from regc.model.source import Frozen


class Share(Frozen):
    """`part` of `whole`; `value` is the fraction, None when there is nothing to count."""

    part: int
    whole: int

    @property
    def value(self) -> float | None:
        """part / whole."""
        return self.part / self.whole if self.whole else None


class CoverageRates(Frozen):
    """The five coverage figures.

    `requirements`: testable clauses with a scenario, a card or a stated reason. `cells`: limit and test-speed cells used or listed
    with a reason; `cells_used` and `cells_with_reason` add up to its part. `accuracy`: cited and derived numbers that
    `validate.trace` bears out. `traceability`: numbers of artefacts with a basis. `assumed` is counted apart. `hallucinations`:
    claims whose place holds another value. `open_clauses` and `open_cells` name what is missing.
    """

    requirements: Share
    cells: Share
    cells_used: int
    cells_with_reason: int
    accuracy: Share
    traceability: Share
    assumed: int
    hallucinations: Share
    open_clauses: tuple[str, ...]
    open_cells: tuple[str, ...]


def rates(coverage: Coverage, resolutions: Sequence[Resolution] = ()) -> CoverageRates:
    """The figures of a build from the checker's counts and, for the hallucination rate, the resolutions."""
    open_clauses = tuple(use.clause for use in coverage.clauses if not (use.scenarios or use.cards or use.reason))
    used = [cell for cell in coverage.cells if cell.scenarios]
    explained = [cell for cell in coverage.cells if not cell.scenarios and cell.reason]
    open_cells = tuple(_place(cell) for cell in coverage.cells if not cell.scenarios and not cell.reason)
    stated = coverage.cited + coverage.derived
    return CoverageRates(
        requirements=Share(part=len(coverage.clauses) - len(open_clauses), whole=len(coverage.clauses)),
        cells=Share(part=len(used) + len(explained), whole=len(coverage.cells)),
        cells_used=len(used),
        cells_with_reason=len(explained),
        accuracy=Share(part=coverage.accurate, whole=stated),
        traceability=Share(part=coverage.traced, whole=coverage.numbers),
        assumed=coverage.assumed,
        hallucinations=Share(part=sum(found.wrong_values for found in resolutions), whole=sum(found.claims for found in resolutions)),
        open_clauses=open_clauses,
        open_cells=open_cells,
    )


def _place(cell: TableUse) -> str:
    return f'{cell.table} row {cell.row} column "{cell.column}": {cell.value}'
