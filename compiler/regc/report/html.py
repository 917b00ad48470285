"""The report as one HTML file that needs no network: what was found, where each number stands, and what remains to be done."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict

from regc import __version__, wording
from regc.catalogue import codes
from regc.errors import DataFileError
from regc.model.criterion import Criterion
from regc.model.document import Document, RefGraph, natural
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


def emit(report: ReportInput, options: Options) -> tuple[Artifact, ...]:
    """report.html. Raises DataFileError for a judgement or an evaluation of another shape, MissingExtraError for page pictures without
    Pillow."""
    suite = report.suite
    counts = Counter(finding.severity for finding in suite.findings)
    judgement = judged(report.judgement)
    verdicts, runs = verdicts_of(judgement), runs_of(judgement)
    all_links = links(report)
    inside = embedded(data(report, all_links) | {"runs": runs, "verdicts": verdicts})
    html = environment(options.templates).get_template("report.html.j2").render(
        suite=suite,
        scenarios=suite.selected,
        document=report.document,
        edition=edition_of(report.document),
        official_texts=report.official_texts,
        number=report.number,
        date=report.date,
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
        form_lines=lambda form: record.form_lines(form, report.forms),
        heat=heat_maps(suite),
        matrix=matrix(all_links, report),
        drawing=draw(report.graph),
        unresolved=[reference for reference in report.graph.references if reference.target is None],
        sheet=record.lines(report.record, report.document),
        judged=judgement,
        verdicts=verdicts,
        verdict_counts=Counter(item["verdict"] for item in verdicts.values()),
        not_driven=sum(scenario.id not in verdicts for scenario in suite.selected),
        simulated=engines_of(judgement, simulated=True),
        driven=engines_of(judgement, simulated=False),
        evaluation=evaluation(report.evaluation),
        borrowed=borrowed(suite),
        assumptions=assumptions(report),
        left_out=[(id, why) for id, why in report.staged.left_out.items() if any(one.id == id for one in suite.selected)],
        provenance=(("regc", __version__), *report.provenance),
        files=sorted(report.files.items()),
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
    tests: dict[tuple[str, str, str], list[str]] = {}
    for scenario in suite.selected:
        for field, text, code in assumed(scenario):
            tests.setdefault((code, field, text), []).append(scenario.id)
    return [(code, field, text, ids) for (code, field, text), ids in sorted(tests.items())]


def assumptions(report: ReportInput) -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """What the simulations need beyond the document: (code and reason, where to replace it, (what, value, tests)) grouped."""
    groups: dict[tuple[str, str], dict[tuple[str, str, str], set[str]]] = {}
    for stage in (*report.staged.stages, *report.staged.logical):
        for one in stage.assumed:
            own = groups.setdefault((one.code, one.reason), {})
            own.setdefault((one.what, one.value, one.key), set()).add(stage.scenario)
    return [
        (code, reason, [(what, value, f"{key} ({len(ids)} tests)") for (what, value, key), ids in sorted(own.items())])
        for (code, reason), own in sorted(groups.items())
    ]


def matrix(all_links: tuple[Link, ...], report: ReportInput) -> dict[str, Any]:
    """Paragraph by test: counts; and the full lists both ways."""
    titles = titles_of(report.suite)
    test_of = {scenario.id: scenario.test for scenario in report.suite.selected}
    kinds = {item.id: "card" for item in report.suite.cards}
    columns = list(dict.fromkeys(test_of.values()))
    rows: dict[str, dict[str, Any]] = {}
    by_id: dict[str, list[Link]] = {}
    for link in all_links:
        row = rows.setdefault(link.clause, {"clause": link.clause, "title": link.title, "ids": [], "cards": [], "counts": Counter()})
        row["ids" if link.kind == "scenario" else "cards"].append(link.id)
        row["counts"][test_of.get(link.id, "")] += 1
        by_id.setdefault(link.id, []).append(link)
    back: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for item in tests_of(report.suite):
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
    lines: list[str] = []
    for clause in document.clauses:
        if clause.number is not None:
            break
        lines += [line for line in f"{clause.title or ''}\n{clause.text}".splitlines() if line.strip()]
    return tuple(lines)


_COLUMN, _ROW, _TOP, _BOX = 290, 26, 40, 170
#: Letters that a box has room for.
_LETTERS = 24
#: A column takes chapters until it has this many rows.
_ROWS = 38


@dataclass(frozen=True)
class Node:
    """A box: `id` of the clause, table, footnote or other document, its short label, kind, and corner."""

    id: str
    label: str
    kind: str
    x: int
    y: int


@dataclass(frozen=True)
class DrawnEdge:
    """A curve from one box to another as an SVG path."""

    source: str
    target: str
    kind: str
    quote: str
    path: str


@dataclass(frozen=True)
class GraphDrawing:
    """Nodes and edges with the size of the whole; `heads` are (heading, x, y)."""

    nodes: tuple[Node, ...]
    edges: tuple[DrawnEdge, ...]
    heads: tuple[tuple[str, int, int], ...]
    width: int
    height: int
    box: int = _BOX


def draw(references: RefGraph) -> GraphDrawing:
    """The drawing of every node that refers or is referred to; parallel references are one curve with all their words."""
    graph = references.to_networkx()
    graph.remove_nodes_from(list(nx.isolates(graph)))
    order = {node: rank for rank, node in enumerate(references.nodes)}
    sizes = Counter(_chapter(node) for node in graph.nodes)
    columns: dict[str, list[str]] = {}
    for node in sorted(graph.nodes, key=lambda name: (order.get(name, len(order)), name)):
        columns.setdefault(_column(node, graph.nodes[node]["kind"], sizes), []).append(node)
    names = sorted(columns, key=_rank)
    positions: dict[str, tuple[int, int]] = {}
    heads: list[tuple[str, int, int]] = []
    column, row = 0, 0
    for name in names:
        if row and row + len(columns[name]) + 1 > _ROWS:
            column, row = column + 1, 0
        x = 20 + column * _COLUMN
        heads.append((name, x, _TOP + row * _ROW - 12))
        for node in columns[name]:
            positions[node] = (x, _TOP + row * _ROW)
            row += 1
        row += 2
    nodes = tuple(Node(node, _label(node), graph.nodes[node]["kind"], *positions[node]) for node in positions)
    words: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for source, target, edge in graph.edges(data=True):
        words.setdefault((source, target), []).append((edge["kind"], edge["quote"]))
    edges = tuple(
        DrawnEdge(
            source,
            target,
            quotes[0][0],
            "; ".join(dict.fromkeys(quote for _, quote in quotes)),
            _path(positions[source], positions[target]),
        )
        for (source, target), quotes in sorted(words.items(), key=lambda item: tuple(order.get(end, len(order)) for end in item[0]))
    )
    return GraphDrawing(
        nodes=nodes,
        edges=edges,
        heads=tuple(heads),
        width=(column + 1) * _COLUMN,
        height=max((y for _, y in positions.values()), default=0) + 2 * _ROW,
    )


def _column(node: str, kind: str, sizes: Counter[str]) -> str:
    """The heading that a node stands under; a chapter too long for a column is told by its sections."""
    if kind == "external":
        return "Other documents"
    if kind == "footnote":
        return "Footnotes"
    chapter = _chapter(node)
    if not chapter.isdigit():
        return chapter
    return "Paragraph " + (chapter if sizes[chapter] <= _ROWS else ".".join(node.split("#")[0].split(".")[:2]))


def _chapter(node: str) -> str:
    region = node.split("#")[0]
    return region.split(".")[0] if region[:1].isdigit() else region.split(",")[0]


def _rank(name: str) -> tuple[int, tuple[tuple[int, str], ...]]:
    kinds = ("Paragraph", "Annex", "Footnotes", "Other documents")
    return next((rank for rank, kind in enumerate(kinds) if name.startswith(kind)), 1), natural(name)


def _label(node: str) -> str:
    """Short enough for its box."""
    text = node.replace("Appendix", "App.").replace("#", " table ")
    if len(text) <= _LETTERS:
        return text
    head = text[:_LETTERS].rpartition(" ")[0]
    return f"{head or text[: _LETTERS - 1]}…"


def _path(start: tuple[int, int], end: tuple[int, int]) -> str:
    half = _ROW // 2 - 2
    (x0, y0), (x1, y1) = start, end
    y0, y1 = y0 + half, y1 + half
    if x0 == x1:
        bulge = x0 + _BOX + min(20 + abs(y1 - y0) // 5, _COLUMN - _BOX - 10)
        return f"M{x0 + _BOX} {y0}C{bulge} {y0} {bulge} {y1} {x1 + _BOX} {y1}"
    if x0 < x1:
        x0 += _BOX
    else:
        x1 += _BOX
    middle = (x0 + x1) // 2
    return f"M{x0} {y0}C{middle} {y0} {middle} {y1} {x1} {y1}"


#: Programs that print, the first that is found.
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
#: s; a report of some hundred tests takes a few.
_TIME = 180


def print_pdf(page: Path, out: Path) -> None:
    """Print a page to a file. Raises DataFileError where no Chromium is found or it does not print."""
    browser = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        raise DataFileError(
            "no Chromium to print the report with", hint="install chromium, or open report.html in a browser and print it to PDF"
        )
    out.unlink(missing_ok=True)
    command = [browser, "--headless=new", "--disable-gpu", "--no-sandbox", "--disable-dev-shm-usage", "--no-pdf-header-footer",
               f"--print-to-pdf={out.resolve()}", page.resolve().as_uri()]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIME, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DataFileError(f"{browser}: {error}", hint="open report.html in a browser and print it to PDF") from error
    if not out.is_file():
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise DataFileError(f"{browser} printed nothing: {last[0]}", hint="open report.html in a browser and print it to PDF")
