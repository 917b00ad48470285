"""What a build or a check came to, for the terminal and as JSON: tests by status, coverage, the truth typed by hand."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from regc.cli.console import console, print_findings, print_json
from regc.errors import ProfileRefusedError
from regc.model.result import Finding
from regc.model.suite import Suite
from regc.pipeline import build_folder
from regc.pipeline.request import Built, Request
from regc.resources import resource
from regc.truth import TruthComparison, compare_fields, read_truth, truth_file

#: Differences from the golden truth that the terminal shows.
_SHOWN = 5
_WORDINGS = {"embedded": "embedded wording", "official": "your file, taken as the official wording"}
_STATUSES = ("mandatory", "option", "guidance", "evidence")


def print_refused(refused: ProfileRefusedError, *, as_json: bool) -> None:
    """What the check found; nothing is written."""
    if as_json:
        print_json({"findings": [finding.model_dump(mode="json", exclude_none=True) for finding in refused.findings], "files": 0})
        return
    print_findings(console(), refused.findings)
    console().print(f"nothing is written: {refused}  ({refused.hint})")


def summary(built: Built, findings: tuple[Finding, ...], comparison: TruthComparison | None, scored: Any) -> dict[str, Any]:
    """A build for scripts (`--json`). `scored`: of the texts, None where they were not scored."""
    suite = built.compiled.suite
    return {
        "regulation": suite.regulation,
        "edition": suite.edition,
        "wording": suite.wording,
        "folder": built.folder.as_posix(),
        "up_to_date": built.up_to_date,
        "files": len(built.artifacts),
        "scenarios": len(suite.scenarios),
        "chosen": len(suite.selected),
        "by_test": by_test(suite),
        "cards": len(suite.cards),
        "coverage": build_folder.summary(suite),
        "findings": [finding.model_dump(mode="json", exclude_none=True) for finding in findings],
        "verified": None if built.verified is None else {**built.verified.model_dump(mode="json"), "line": built.verified.line},
        "golden": None if comparison is None else comparison.model_dump(mode="json"),
        "score": scored,
    }


def by_test(suite: Suite) -> dict[str, dict[str, int]]:
    """Test -> status -> number of chosen scenarios."""
    table: dict[str, dict[str, int]] = {}
    for scenario in suite.selected:
        row = table.setdefault(scenario.test, {})
        row[scenario.status] = row.get(scenario.status, 0) + 1
    return table


def tests_table(suite: Suite) -> Table:
    """The tests by status, for the terminal."""
    counts = by_test(suite)
    shown = [status for status in _STATUSES if any(status in row for row in counts.values())]
    table = Table(box=None, pad_edge=False)
    for column in ("test", *shown, "all"):
        table.add_column(column, justify="left" if column == "test" else "right")
    for test, row in counts.items():
        table.add_row(test, *(str(row.get(status, 0)) for status in shown), str(sum(row.values())))
    totals = [sum(row.get(status, 0) for row in counts.values()) for status in shown]
    table.add_row("all", *(str(total) for total in totals), str(len(suite.selected)))
    return table


def coverage_line(suite: Suite) -> str:
    """What became of each sentence that prescribes, cell, mark and rule of the scope."""
    count = suite.coverage.count
    here = "" if suite.chosen is None else f" ({suite.written} of them in the tests written here)"
    told = {"test": f"in tests{here}", "card": "by card", "told": "told", "external": "external", "waived": "waived", "open": "open"}
    parts = ", ".join(f"{count(fate)} {words}" for fate, words in told.items())  # type: ignore[arg-type]
    return f"of {len(suite.coverage.entries)} sentences, cells and rules in the scope: {parts}; cards: {len(suite.cards)}"


def _golden(out: Console, comparison: TruthComparison) -> None:
    """How many fields equal the hand-written truth, the first differences, and what to do about them."""
    counts = ((len(comparison.missing), "scenarios missing"), (len(comparison.extra), "scenarios too many"))
    told = "".join(f", {count} {what}" for count, what in counts if count)
    if comparison.untyped:
        told += f"; {comparison.scenarios} of {comparison.scenarios + comparison.untyped} tests are in the table"
    out.print(f"against the tables typed by hand: {comparison.equal} of {comparison.compared} fields equal{told}")
    lines = [f"{item.scenario} {item.field}: truth {item.truth}, built {item.built}" for item in comparison.differences]
    lines += [f"missing: {id}" for id in comparison.missing] + [f"too many: {id}" for id in comparison.extra]
    for line in lines[:_SHOWN]:
        out.print(f"  {line}", markup=False)
    if lines:
        rest = f"{len(lines) - _SHOWN} more; " if len(lines) > _SHOWN else ""
        out.print(f"  {rest}next: compare the named places with the official text (regc show); --json lists all")


def print_built(out: Console, built: Built, findings: tuple[Finding, ...], comparison: TruthComparison | None, scored: Any) -> None:
    """A build for the terminal. `scored`: of the texts, None where they were not scored."""
    suite = built.compiled.suite
    out.print(f"{suite.title}: {suite.source_name} ({_WORDINGS[suite.wording]}{', an excerpt' * suite.excerpt})")
    if suite.chosen is not None:
        out.print(f"{len(suite.chosen)} of {len(suite.scenarios)} tests of the edition were chosen")
    out.print(tests_table(suite))
    out.print(coverage_line(suite))
    numbers = suite.coverage
    out.print(f"numbers of all scenarios: {numbers.cited} cited, {numbers.derived} derived, {numbers.assumed} assumed")
    if built.verified is not None:
        out.print(built.verified.line)
    if comparison is not None:
        _golden(out, comparison)
    if scored is not None:
        exact = scored["exact"]["overall"]["f1"]
        out.print(f"penalized F1 {scored['overall']['f1']:.4f}, exact {exact:.4f}, Meta-Score {scored['meta_score']}")
    print_findings(out, findings)
    if built.up_to_date:
        out.print(f"up to date: {built.folder.as_posix()}")
    else:
        out.print(f"wrote {len(built.artifacts)} files to {built.folder.as_posix()}")
    if (built.folder / "index.html").is_file():
        out.print(f"next: open {(built.folder / 'index.html').as_posix()}")


def truth_folder(suite: Suite, request: Request | None = None) -> Path:
    """Where the truth of an edition lies: beside a foreign profile, else among the golden ones."""
    own = Path(request.regulation) if request is not None else Path()
    if request is not None and own.is_dir():
        return own
    return resource("golden", suite.regulation, suite.edition, "truth")


def compare(suite: Suite, request: Request) -> TruthComparison | None:
    """Fields of every chosen scenario that the truth covers; None where an edition has no golden truth, or where declared values make
    it another vehicle's suite. Golden truth is whole; what lies beside a foreign profile may speak of some tests only."""
    path = truth_file(truth_folder(suite, request))
    if path is None or request.declared:
        return None
    truth = read_truth(path)
    chosen = {scenario.id for scenario in suite.selected}
    every = {scenario.id for scenario in suite.scenarios}
    rows = [row for row in truth if row.id in chosen or row.id not in every]
    stated = {row.id for row in truth}
    # an edition whose truth is written for some categories only says nothing of the others
    known = [scenario for scenario in suite.selected if scenario.id in stated or not suite.csv_categories]
    return compare_fields(rows, known, whole=not Path(request.regulation).is_dir())


def score_texts(built: Built) -> dict[str, Any] | None:
    """Penalized F1 and the exact score of the build's CSV against the golden texts; None where there are none."""
    from regc.embed import open_embedder
    from regc.research.penalized_f1 import ScoreSettings, evaluate, evaluate_exact
    from regc.research.scored_texts import embed_texts, read_texts, with_families

    suite = built.compiled.suite
    truth = truth_folder(suite) / "scenarios.csv"
    if not truth.is_file():
        return None
    tokens = tuple(dict.fromkeys(scenario.token for scenario in suite.scenarios))
    generated = built.folder / "csv" / "test_cases.csv"
    model = open_embedder()
    settings = ScoreSettings(vocabulary=vocabulary(truth.parent))
    wanted = embed_texts(with_families(read_texts(truth, truth=True), tokens).rows, model, settings.vocabulary)
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "generated.csv"
        own.write_bytes(_covered(generated.read_text("utf-8"), suite).encode())
        texts = embed_texts(with_families(read_texts(own), tokens).rows, model, settings.vocabulary)
    payload = evaluate(wanted, texts, settings).model_dump(mode="json", exclude={"matched"})
    return payload | {"exact": evaluate_exact(wanted, texts, settings).model_dump(mode="json", exclude={"matched"})}


def vocabulary(folder: Path) -> tuple[str, ...]:
    """The terms that the metric looks for in the texts of an edition: lines of `vocabulary.txt` beside its truth."""
    path = folder / "vocabulary.txt"
    return tuple(line.strip() for line in path.read_text("utf-8").splitlines() if line.strip()) if path.is_file() else ()


def _covered(text: str, suite: Suite) -> str:
    """The rows of the categories that the edition's truth is written for (all, where the edition does not narrow it), in the three
    columns that the metric reads."""
    wanted = set(suite.csv_categories)
    left_out = {
        scenario.id for scenario in suite.scenarios if wanted and not wanted & {value.value for value in scenario.axes.values()}
    }
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for row in csv.reader(io.StringIO(text)):
        if row[0] not in left_out:
            writer.writerow(row[:3])
    return stream.getvalue()
