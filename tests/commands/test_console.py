"""How findings are told on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from regc.cli.console import print_findings
from regc.model.result import Finding


def told(findings: list[Finding], *, every: bool = False) -> str:
    out = io.StringIO()
    print_findings(Console(file=out, width=200, soft_wrap=True), findings, every=every)
    return out.getvalue()


def finding(scenario: str, message: str) -> Finding:
    return Finding(code="X410", severity="warning", message=message, scenario=scenario, hint="look")


def test_what_several_scenarios_share_is_told_once_and_counted() -> None:
    shared = [finding(f"s{number}", "the place says 2 s") for number in range(1, 6)]
    text = told([*shared, finding("s1", "the place says 4 s")])
    assert "the place says 2 s (s1 and 4 more)" in text
    assert "the place says 4 s (s1)" in text
    assert text.count("X410") == 4, "two findings, each with its line on regc explain"
    assert "more X410" not in text


def test_every_one_is_told_where_all_are_asked_for() -> None:
    text = told([finding(f"s{number}", "the place says 2 s") for number in range(1, 6)], every=True)
    assert [f"(s{number})" in text for number in range(1, 6)] == [True] * 5
    assert "and 4 more" not in text
