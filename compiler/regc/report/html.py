"""The report as one HTML file that needs no network: what was found, where each number stands, and what remains to be done."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup
from pydantic import BaseModel, ConfigDict

from regc import __version__, assumed
from regc.model.report import ReportInput
from regc.model.result import Artifact, Checked, Finding, Severity
from regc.report import record
from regc.report._assumptions import assumptions
from regc.report._data import data, embedded
from regc.report._graph import draw
from regc.report._page import environment, raw
from regc.report._scores import engines_of, evaluation, judged, runs_of, verdicts_of
from regc.report._tables import heat_maps, links
from regc.report._words import STATUS
from regc.resources import package_data

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_SCRIPTS = ("text.js", "table.js", "source.js", "scenario.js", "view.js", "matrix.js", "graph.js", "app.js")
_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Options(BaseModel):
    """Data files that replace the assumed sizes, and a folder of templates of one's own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    vehicle: Path | None = None
    targets: Path | None = None
    road: Path | None = None
    templates: Path | None = None


def emit(found: ReportInput, options: Options) -> tuple[Artifact, ...]:
    """report.html. Raises DataFileError for a data file that does not fit, MissingExtraError for page pictures without Pillow."""
    vehicles, targets, track = assumed.vehicles(options.vehicle), assumed.targets(options.targets), assumed.track(options.road)
    checked = found.checked
    counts = Counter(finding.severity for finding in checked.findings)
    judgement = judged(found.judgement)
    verdicts, runs = verdicts_of(judgement), runs_of(judgement)
    all_links = links(found)
    html = environment(options.templates).get_template("report.html.j2").render(
        checked=checked,
        document=found.document,
        profile=found.profile,
        coverage=checked.coverage,
        shares=shares(checked),
        severities=[(severity, counts[severity]) for severity in _SEVERITIES],
        findings=grouped(checked),
        statuses=[(name, STATUS[name], sum(item.status == name for item in checked.scenarios)) for name in STATUS],
        families=families(found, verdicts),
        heat=heat_maps(found),
        matrix=matrix(all_links, found),
        drawing=draw(found.graph),
        unresolved=[reference for reference in found.graph.references if reference.target is None],
        sheet=record.lines(found.record, found.document),
        judged=judgement,
        verdicts=verdicts,
        verdict_counts=Counter(item["verdict"] for item in verdicts.values()),
        simulated=engines_of(judgement, simulated=True),
        driven=engines_of(judgement, simulated=False),
        evaluation=evaluation(found.evaluation),
        assumptions=assumptions(vehicles, targets, track, checked),
        provenance=(("regc", __version__), *found.provenance),
        files=sorted(found.files.items()),
        data=Markup(embedded(data(found, vehicles, targets, track) | {"runs": runs, "verdicts": verdicts})),
        style=Markup(raw(options.templates, "style.css")),
        scripts=Markup("\n".join(raw(options.templates, name) for name in _SCRIPTS)),
    )  # fmt: skip
    return (Artifact(path="report/report.html", content=html.encode(), target="report"),)


def shares(checked: Checked) -> list[tuple[str, int, int, str]]:
    """The coverage figures as (name, part, whole, what it means)."""
    coverage = checked.coverage
    stated = coverage.cited + coverage.derived
    cells, clauses = coverage.cells, coverage.clauses
    return [
        (
            "Requirements",
            sum(bool(use.scenarios or use.cards or use.reason) for use in clauses),
            len(clauses),
            "testable paragraphs with a scenario, a card or a stated reason",
        ),
        (
            "Table cells",
            sum(bool(cell.scenarios or cell.reason) for cell in cells),
            len(cells),
            "limits and test speeds used or explained",
        ),
        (
            "Accuracy",
            coverage.accurate,
            stated,
            "cited numbers read again in the row, column or words they name; derived ones recalculated",
        ),
        ("Traceability", coverage.traced, coverage.numbers, "numbers with a place or an assumption code"),
    ]


def grouped(checked: Checked) -> list[dict[str, Any]]:
    """Findings by code, the worst first: (code, severity, title, items); the title is what `regc explain` has for the code."""
    groups: dict[tuple[Severity, str], list[Finding]] = {}
    for finding in checked.findings:
        groups.setdefault((finding.severity, finding.code), []).append(finding)
    titles = _titles()
    order = sorted(groups, key=lambda key: (_SEVERITIES.index(key[0]), key[1]))
    return [
        {"code": code, "severity": severity, "title": titles.get(code, "finding"), "items": groups[severity, code]}
        for severity, code in order
    ]


def _titles() -> dict[str, str]:
    return {
        code: str(entry["title"])
        for path in sorted(package_data("explain").glob("*.toml"))
        for code, entry in tomllib.loads(path.read_text("utf-8")).items()
        if isinstance(entry, dict) and "title" in entry
    }


def families(found: ReportInput, verdicts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A line for each family and category: counts by status, and verdicts when runs were judged."""
    rows = []
    for family in found.profile.families:
        own = [item for item in found.checked.scenarios if item.family == family.name]
        for category in sorted({item.category or "" for item in own}):
            members = [item for item in own if (item.category or "") == category]
            rows.append(
                {
                    "title": family.title,
                    "name": family.name,
                    "category": category,
                    "count": len(members),
                    "statuses": Counter(item.status for item in members),
                    "verdicts": Counter(verdicts[item.id]["verdict"] if item.id in verdicts else "not driven" for item in members),
                }
            )
    return rows


def matrix(all_links: Any, found: ReportInput) -> dict[str, Any]:
    """Paragraph by group of scenarios (family, category, load): counts; and the full lists both ways."""
    groups: dict[str, str] = {}
    for item in found.checked.scenarios:
        family = found.profile.family(item.family)
        parts = (family.token if family else item.family, item.category, item.load_state.token if item.load_state else None)
        groups[item.id] = " ".join(part for part in parts if part)
    columns = sorted(set(groups.values()), key=list(groups.values()).index)
    rows: dict[str, dict[str, Any]] = {}
    for link in all_links:
        row = rows.setdefault(link.clause, {"clause": link.clause, "title": link.title, "ids": [], "cards": [], "counts": Counter()})
        row["ids" if link.kind == "scenario" else "cards"].append(link.id)
        if link.id in groups:
            row["counts"][groups[link.id]] += 1
    by_id: dict[str, list[Any]] = {}
    for link in all_links:
        by_id.setdefault(link.id, []).append(link)
    order = [item.id for item in found.checked.scenarios] + [item.id for item in found.checked.cards]
    return {"columns": columns, "rows": list(rows.values()), "back": [(id, by_id.get(id, [])) for id in order]}
