"""A build against the hand-written golden truth of its edition: fields exactly, texts by penalized F1 when asked."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

from regc.model.suite import Suite
from regc.pipeline.request import Built, Request
from regc.resources import resource
from regc.truth import TruthComparison, compare_fields, read_truth, truth_file


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
