"""The report as one HTML file that needs no network: what was found, where each number stands, and what remains to be done."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup
from pydantic import BaseModel, ConfigDict

from regc import __version__, wording
from regc.catalogue import codes
from regc.model.criterion import Criterion
from regc.model.document import Document
from regc.model.report_input import ReportInput
from regc.model.result import Artifact, Finding, Severity
from regc.model.scenario import Scenario
from regc.model.suite import Suite
from regc.report import record
from regc.report.outcomes import engines_of, evaluation, judged, runs_of, verdicts_of
from regc.report.overview import (
    Link,
    assumed,
    axes_of,
    axis_heads,
    bindings_of,
    coverage_of,
    entries_of,
    heat_maps,
    links,
    name_of,
    tests_of,
    titles_of,
)
from regc.report.page_data import data, embedded
from regc.report.page_templates import environment, raw
from regc.report.reference_graph import draw

_SCRIPTS = ("text.js", "table.js", "source.js", "scenario.js", "view.js", "matrix.js", "graph.js", "app.js")
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
_NOT_DRIVEN = "not driven"
#: Symbols under which regulations are published: the 1958 Agreement, the Code of Federal Regulations, acts of the Union.
_SYMBOLS = (
    re.compile(r"\bE/ECE/[^\s,;()]*\w"),
    re.compile(r"\b\d+ CFR (?:Part |§ ?)?\d+(?:\.\d+)?"),
    re.compile(r"§ ?\d+\.\d+"),
    re.compile(r"\bL \d+/\d+\b"),
    re.compile(r"\(E[UC]\) (?:No )?\d+/\d+"),
)
_LEVEL = re.compile(
    r"Supplement \d+ to (?:the )?(?:original version|\d\d(?:st|nd|rd|th)? series)[^\n.;–—]*"
    r"|\b\d\d series of amendments",
    re.IGNORECASE,
)


class Options(BaseModel):
    """A folder of templates of one's own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    templates: Path | None = None


def emit(found: ReportInput, options: Options) -> tuple[Artifact, ...]:
    """report.html. Raises DataFileError for a judgement or an evaluation of another shape, MissingExtraError for page pictures without
    Pillow."""
    suite = found.suite
    counts = Counter(finding.severity for finding in suite.findings)
    judgement = judged(found.judgement)
    verdicts, runs = verdicts_of(judgement), runs_of(judgement)
    all_links = links(found)
    inside = embedded(data(found, all_links) | {"runs": runs, "verdicts": verdicts})
    html = environment(options.templates).get_template("report.html.j2").render(
        suite=suite,
        scenarios=suite.selected,
        document=found.document,
        edition=edition_of(found.document),
        official_texts=found.official_texts,
        number=found.number,
        date=found.date,
        hash=hashlib.sha256(inside.encode()).hexdigest()[:16],
        axes=list(axis_heads(suite).items()),
        bindings=[(name, wording.large(wording.short(name))) for name in _columns(suite)],
        listed=listed(suite, verdicts),
        tests=tests(suite, verdicts),
        statuses=statuses(suite),
        coverage=coverage_of(suite),
        entries=entries_of(suite),
        numbers=suite.coverage,
        severities=[(severity, counts[severity]) for severity in _SEVERITIES],
        findings=grouped(suite),
        cards=suite.cards,
        forms=suite.forms,
        form_lines=lambda form: record.form_lines(form, found.forms),
        heat=heat_maps(suite),
        matrix=matrix(all_links, found),
        drawing=draw(found.graph),
        unresolved=[reference for reference in found.graph.references if reference.target is None],
        sheet=record.lines(found.record, found.document),
        judged=judgement,
        verdicts=verdicts,
        verdict_counts=Counter(item["verdict"] for item in verdicts.values()),
        not_driven=sum(scenario.id not in verdicts for scenario in suite.selected),
        simulated=engines_of(judgement, simulated=True),
        driven=engines_of(judgement, simulated=False),
        evaluation=evaluation(found.evaluation),
        borrowed=borrowed(suite),
        assumptions=assumptions(found),
        left_out=[(id, why) for id, why in found.staged.left_out.items() if any(one.id == id for one in suite.selected)],
        provenance=(("regc", __version__), *found.provenance),
        files=sorted(found.files.items()),
        data=Markup(inside),
        style=Markup(raw(options.templates, "style.css")),
        scripts=Markup("\n".join(raw(options.templates, name) for name in _SCRIPTS)),
    )  # fmt: skip
    return (Artifact(path="report/report.html", content=html.encode(), target="report"),)


def statuses(suite: Suite) -> list[tuple[str, str, int]]:
    """(status, its word, how many tests) of every status that a test has."""
    counts: Counter[str] = Counter(scenario.status for scenario in suite.selected)
    return [(name, wording.term("status_short", name), counts[name]) for name in wording.wording()["status"] if counts[name]]


def listed(suite: Suite, verdicts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of the list of scenarios."""
    axes, bindings = axes_of(suite), _columns(suite)
    return [
        {
            "id": scenario.id,
            "test": name_of(scenario.test),
            "axes": [wording.axis_cell(scenario.axes[name]) if name in scenario.axes else "" for name in axes],
            "status": scenario.status,
            "numbers": [_number(scenario, name) for name in bindings],
            "asked": [wording.asked(one) for one in _shown(scenario)],
            "limit": next((str(one.limit.value.lo) for one in scenario.require if one.limit and one.limit.value.is_number), "-1"),
            "codes": list(dict.fromkeys(code for _, _, code in assumed(scenario))),
            "clause": scenario.clause,
            "verdict": verdicts[scenario.id]["verdict"] if scenario.id in verdicts else _NOT_DRIVEN,
        }
        for scenario in suite.selected
    ]


def _columns(suite: Suite) -> tuple[str, ...]:
    """Bindings in the list of scenarios; a relative speed follows from the two others."""
    names = bindings_of(suite)
    both = all(one.number("subject") is not None for one in suite.selected if one.number("relative") is not None)
    return tuple(name for name in names if name != "relative" or not both)


def _shown(scenario: Scenario) -> tuple[Criterion, ...]:
    """The criteria that a list has room for: the measured ones, else all."""
    measured = tuple(one for one in scenario.require if one.form == "measure" and one.signal == "impact_speed")
    return measured or scenario.require[:2]


def _number(scenario: Scenario, name: str) -> dict[str, str] | None:
    value = scenario.number(name)
    if value is None:
        return None
    stated = wording.tolerance(value.tolerance) if value.tolerance else ""
    return {"text": wording.compact(value), "tolerance": stated, "sort": str(value.lo if value.lo is not None else "")}


def tests(suite: Suite, verdicts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A line for each test of the profile: axis values, counts by status, and verdicts when runs were judged."""
    rows, titles = [], titles_of(suite)
    for test in dict.fromkeys(scenario.test for scenario in suite.selected):
        own = [scenario for scenario in suite.selected if scenario.test == test]
        values = [list(dict.fromkeys(wording.axis_cell(one.axes[name]) for one in own if name in one.axes)) for name in axes_of(suite)]
        rows.append(
            {
                "name": name_of(test),
                "title": titles[test],
                "clauses": list(dict.fromkeys(one.clause for one in own)),
                "axes": [", ".join(one) for one in values],
                "count": len(own),
                "statuses": Counter(one.status for one in own),
                "verdicts": Counter(verdicts[one.id]["verdict"] if one.id in verdicts else _NOT_DRIVEN for one in own),
            }
        )
    return rows


def grouped(suite: Suite) -> list[dict[str, Any]]:
    """Findings by code, the worst first: (code, severity, title, items); the title is what `regc explain` has for the code."""
    groups: dict[tuple[Severity, str], list[Finding]] = {}
    for finding in suite.findings:
        groups.setdefault((finding.severity, finding.code), []).append(finding)
    order = sorted(groups, key=lambda key: (_SEVERITIES.index(key[0]), key[1]))
    return [
        {
            "code": code,
            "severity": severity,
            "title": codes()[code].title if code in codes() else "finding",
            "items": groups[severity, code],
        }
        for severity, code in order
    ]


def borrowed(suite: Suite) -> list[tuple[str, str, str, list[str]]]:
    """Numbers of tests that the document does not say: (code, field, number, tests)."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for scenario in suite.selected:
        for field, text, code in assumed(scenario):
            found.setdefault((code, field, text), []).append(scenario.id)
    return [(code, field, text, ids) for (code, field, text), ids in sorted(found.items())]


def assumptions(found: ReportInput) -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """What the simulations need beyond the document: (code and reason, where to replace it, (what, value, tests)) grouped."""
    groups: dict[tuple[str, str], dict[tuple[str, str, str], set[str]]] = {}
    for stage in (*found.staged.stages, *found.staged.logical):
        for one in stage.assumed:
            own = groups.setdefault((one.code, one.reason), {})
            own.setdefault((one.what, one.value, one.key), set()).add(stage.scenario)
    return [
        (code, reason, [(what, value, f"{key} ({len(ids)} tests)") for (what, value, key), ids in sorted(own.items())])
        for (code, reason), own in sorted(groups.items())
    ]


def matrix(all_links: tuple[Link, ...], found: ReportInput) -> dict[str, Any]:
    """Paragraph by test: counts; and the full lists both ways."""
    titles = titles_of(found.suite)
    test_of = {scenario.id: scenario.test for scenario in found.suite.selected}
    kinds = {item.id: "card" for item in found.suite.cards}
    columns = list(dict.fromkeys(test_of.values()))
    rows: dict[str, dict[str, Any]] = {}
    by_id: dict[str, list[Link]] = {}
    for link in all_links:
        row = rows.setdefault(link.clause, {"clause": link.clause, "title": link.title, "ids": [], "cards": [], "counts": Counter()})
        row["ids" if link.kind == "scenario" else "cards"].append(link.id)
        row["counts"][test_of.get(link.id, "")] += 1
        by_id.setdefault(link.id, []).append(link)
    back: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for item in tests_of(found.suite):
        clauses = tuple(dict.fromkeys(link.clause for link in by_id.get(item.id, ())))
        name = item.title if item.id in kinds else name_of(test_of[item.id])
        back.setdefault((name, clauses), []).append(item.id)
    return {
        "columns": [(name, name_of(name), titles[name]) for name in columns],
        "rows": list(rows.values()),
        "back": [(name, clauses, ids, kinds.get(ids[0], "scenario")) for (name, clauses), ids in back.items()],
    }


@dataclass(frozen=True)
class Edition:
    """`symbol` and `level` as printed, blank where the document does not say them. `standing`: what its text is."""

    symbol: str
    level: str
    standing: str


def edition_of(document: Document) -> Edition:
    """A text is called official only where its title page or running head bears the symbol of a published regulation."""
    lines = (*document.heads, *_title_page(document))
    symbol = next((match.group() for pattern in _SYMBOLS for line in lines if (match := pattern.search(line))), "")
    # a title page lists what it includes, and other documents that it goes with: the highest series counts, then its supplements
    levels = [" ".join(match.group().split()) for line in lines for match in _LEVEL.finditer(line)]
    if document.wording == "embedded":
        standing = "embedded wording, not the legal text"
    else:
        standing = "official text" if symbol else "file given by the user"
    return Edition(symbol, max(levels, key=_height, default=""), standing)


def _height(level: str) -> tuple[int, int]:
    """Series and supplement: "Supplement 2 to the 01 series of amendments" is (1, 2), "02 series of amendments" (2, 0)."""
    series = re.search(r"(\d\d)(?:st|nd|rd|th)? series", level)
    supplement = re.match(r"Supplement (\d+)", level, re.IGNORECASE)
    return (int(series.group(1)) if series else 0, int(supplement.group(1)) if supplement else 0)


def _title_page(document: Document) -> tuple[str, ...]:
    """The lines before the first numbered paragraph."""
    found: list[str] = []
    for clause in document.clauses:
        if clause.number is not None:
            break
        found += [line for line in f"{clause.title or ''}\n{clause.text}".splitlines() if line.strip()]
    return tuple(found)
