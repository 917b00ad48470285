"""The traceability matrix as CSV: one line for each number or statement that a scenario takes from a paragraph, and back."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from regc.model.report_input import ReportInput
from regc.model.result import Artifact
from regc.report.overview import Link, links, tests_of
from regc.report.xhtml import CONTROL

BY_CLAUSE = ("paragraph", "title", "kind", "id", "field", "value")
BY_SCENARIO = ("id", "kind", "paragraph", "title", "field", "value")

#: First characters by which a spreadsheet takes text for a formula or a command.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class Options(BaseModel):
    """Nothing to choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def emit(report: ReportInput, options: Options) -> tuple[Artifact, ...]:
    """traceability_by_paragraph.csv and traceability_by_scenario.csv; UTF-8 with BOM, as spreadsheets want it."""
    del options
    return tuple(
        Artifact(path=f"report/traceability_{name}.csv", content=_text(head, rows).encode("utf-8-sig"), target="report")
        for name, head, rows in (
            ("by_paragraph", BY_CLAUSE, by_clause(links(report))),
            ("by_scenario", BY_SCENARIO, by_scenario(links(report), report)),
        )
    )


def by_clause(all_links: Iterable[Link]) -> list[tuple[str, ...]]:
    """Lines in the order of the paragraphs."""
    return [
        (link.clause, link.title, link.kind, link.id, field, value)
        for link in all_links
        for field, value in (link.takes or (("", ""),))
    ]


def by_scenario(all_links: Iterable[Link], report: ReportInput) -> list[tuple[str, ...]]:
    """The same lines in the order of the scenarios and cards."""
    order = {item.id: rank for rank, item in enumerate(tests_of(report.suite))}
    return [
        (link.id, link.kind, link.clause, link.title, field, value)
        for link in sorted(all_links, key=lambda link: order[link.id])
        for field, value in (link.takes or (("", ""),))
    ]


def _text(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([plain_text(value) for value in row] for row in rows)
    return stream.getvalue()


def plain_text(value: str) -> str:
    """`value` as a spreadsheet shows it: with a quote before what would be a formula, without control characters."""
    text = CONTROL.sub("", value)
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text
