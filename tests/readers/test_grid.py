"""Tables and cells case by case: tests/cases/tables (spans, header rows, pages, figures) and tests/cases/cells."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.casefiles import Block, blocks, lines

from regc.readers.assemble.blocks import GridCell
from regc.readers.assemble.header_grids import Grid, Resolved, continues, is_number, joined, normalised, resolve, unitless

_SPAN = re.compile(r" \{(\d+) (wide|high)\}")


def cell(written: str) -> GridCell:
    """A cell as a case writes it: "Cart {2 wide}"."""
    spans = {kind: int(count) for count, kind in _SPAN.findall(written)}
    return GridCell(_SPAN.sub("", written).strip(), colspan=spans.get("wide", 1), rowspan=spans.get("high", 1))


def option(given: list[str], name: str) -> str:
    return next((line.removeprefix(f"{name}: ") for line in given if line.startswith(f"{name}: ")), "")


def pages(given: list[str]) -> list[Grid]:
    """The grid of each page, rows written "a | b"."""
    found: list[list[tuple[GridCell, ...]]] = [[]]
    for line in given:
        if line == "=== next page":
            found.append([])
        elif not line.startswith(("head: ", "around: ")):
            found[-1].append(tuple(cell(text) for text in line.split("|")))
    return [tuple(rows) for rows in found]


def shown(table: Resolved) -> list[str]:
    """A table as a case says it."""
    said = ["columns: " + "; ".join(" > ".join(path) for path in table.columns)]
    said += [" | ".join(cell.text for cell in row) for row in table.rows]
    return [*said, *(f"repaired: {place}: {before}" for place, before, _ in sorted(table.repairs) if "," in before)]


def stripped(line: str) -> list[str]:
    return [part.strip() for part in line.split("|")]


@pytest.mark.parametrize("case", blocks("tables"), ids=lambda case: case.name)
def test_a_table(case: Block) -> None:
    head = option(case.given, "head")
    whole, *more = [resolve(grid, page, head=int(head) if head else None) for page, grid in enumerate(pages(case.given), 1)]
    for part in more:
        if not continues(whole, part):
            assert case.read == ["another table"]
            return
        whole = joined(whole, part)
    wanted = [line for line in case.read if not line.startswith(("told: ", "unit: "))]
    told = [line.removeprefix("told: ") for line in case.read if line.startswith("told: ")]
    assert [stripped(line) for line in shown(whole)] == [stripped(line) for line in wanted]
    if unit := option(case.read, "unit"):
        assert unitless(whole, (option(case.given, "around"),)) is {"none": True, "given": False}[unit]
    assert len(whole.problems) == len(told)
    assert all(any(words in problem for problem in whole.problems) for words in told)


@pytest.mark.parametrize(("written", "said"), lines("cells"))
def test_a_cell(written: str, said: str) -> None:
    text, reason = normalised(written)
    assert text == said.removesuffix(" (told)")
    if said.endswith(" (told)"):
        assert "dash" in (reason or "")
    elif text == "-":
        assert reason is None


def test_a_row_is_on_its_page() -> None:
    upper, lower = (resolve(grid, page) for page, grid in enumerate(pages(["v | max", "10 | 0.0", "=== next page", "20 | 1.0"]), 1))
    assert [row[0].page for row in joined(upper, lower).rows] == [1, 2]


@given(st.text(max_size=12))
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalised(text)[0]
    assert normalised(once)[0] == once


@pytest.mark.parametrize(("text", "figure"), [("10", True), ("0,5", True), ("+2/-0", True), ("–", True), ("M1", False), ("", False)])
def test_what_is_a_figure(text: str, figure: bool) -> None:
    assert is_number(text) is figure
