"""Nothing of the document is lost in silence: each limit and test-speed cell and each testable clause is used or has a reason."""

from __future__ import annotations

from regc.job import Compiled
from regc.model.result import Coverage
from regc.places import is_number
from regc.validate import check as check_all
from regc.validate import coverage
from tests.validate.candidates import ONE, candidate


def test_every_cell_of_the_tables_is_listed_once(invented: Compiled, embedded: Compiled) -> None:
    for compiled, limits, speeds in ((invented, 16, 0), (embedded, 136, 44)):
        cells = compiled.checked.coverage.cells
        assert len({(cell.table, cell.row, cell.column) for cell in cells}) == len(cells)
        assert (sum(cell.role == "limit" for cell in cells), sum(cell.role == "test_speed" for cell in cells)) == (limits, speeds)
        for cell in cells:
            table = compiled.document.table(cell.table)
            assert table is not None
            assert cell.value in {item.text for row in table.rows for item in row}
            assert bool(cell.scenarios) != bool(cell.reason)


def test_users_of_a_cell_are_the_scenarios_that_cite_it(embedded: Compiled) -> None:
    by_id = {item.id: item for item in embedded.checked.scenarios}
    for cell in embedded.checked.coverage.cells:
        for user in cell.scenarios:
            sources = [source for _, quantity in by_id[user].quantities() for source in quantity.sources]
            held = [q.tolerance.sources for _, q in by_id[user].quantities() if q.tolerance]
            places = {(source.table, source.row, source.column) for source in (*sources, *(item for group in held for item in group))}
            assert (cell.table, cell.row, cell.column) in places


def test_a_dash_has_its_reason(invented: Compiled) -> None:
    (cell,) = (cell for cell in invented.checked.coverage.cells if not is_number(cell.value))
    assert (cell.row, cell.value, cell.scenarios, cell.reason) == ("30", "-", (), "no requirement (a dash)")


def test_a_lost_scenario_leaves_its_cell_and_the_finding(invented: Compiled) -> None:
    rest = tuple(
        item for item in invented.checked.scenarios if "_LS_crowded_018" not in item.id and "_LS_crowded_024-006" not in item.id
    )
    measured = coverage.measure(candidate(invented, *rest))
    lost = [finding for finding in coverage.findings(measured) if finding.code == "V551"]
    assert [finding.severity for finding in lost] == ["error"]
    assert 'row 18 column "Any cart > Crowded" (6.5)' in lost[0].message


def test_a_testable_clause_that_nothing_shows_is_told(invented: Compiled) -> None:
    rolling = tuple(item for item in invented.checked.scenarios if "ShToRoll" in item.id)
    measured = coverage.measure(candidate(invented, *rolling))
    told = [finding for finding in coverage.findings(measured) if finding.code == "V552"]
    assert [finding.place for finding in told] == ["4.2"]


def test_a_clause_with_a_reason_is_accounted_for(embedded: Compiled) -> None:
    uses = {use.clause: use for use in embedded.checked.coverage.clauses}
    assert "external" in (uses["5.1.2"].reason or "")
    assert uses["6.4"].scenarios
    assert uses["5.4.1"].cards
    assert all(use.scenarios or use.cards or use.reason for use in uses.values())


def test_numbers_are_counted_by_their_basis(invented: Compiled) -> None:
    measured = invented.checked.coverage
    quantities = [quantity for item in invented.checked.scenarios for _, quantity in item.quantities()]
    borrowed = sum(1 for quantity in quantities if quantity.tolerance and quantity.tolerance.assumption)
    assert measured.cited == sum(quantity.basis == "cited" for quantity in quantities)
    assert measured.derived == sum(quantity.basis == "derived" for quantity in quantities)
    assert measured.assumed == borrowed > 0
    assert measured.traced == measured.accurate == len(quantities)


def test_nothing_measured_is_nothing_found() -> None:
    assert coverage.findings(Coverage()) == ()


def test_findings_are_told_once(invented: Compiled) -> None:
    whole = candidate(invented)
    (first, *_) = invented.checked.findings
    checked = check_all(whole.scenarios, (), whole.document, whole.profile, whole.edition, (first, first, first))
    assert checked.findings.count(first) == 1
    assert ONE in {item.id for item in checked.scenarios}
