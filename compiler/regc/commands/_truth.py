"""A build against the hand-written golden truth of its edition: fields exactly, texts by penalized F1 when asked."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from regc.evaluate.fields import FieldComparison, compare_fields, read_fields
from regc.job import Built, Request
from regc.model.result import Checked
from regc.profiles import load_profile
from regc.resources import resource


def compare(checked: Checked, request: Request) -> FieldComparison | None:
    """Fields of every scenario that both the truth and this request cover; None where an edition has no golden truth."""
    path = resource("golden", checked.regulation, checked.edition, "truth", "fields.csv")
    if not path.is_file():
        return None
    truth = read_fields(path)
    categories = {row.values["category"] for row in truth}
    wanted = [
        row
        for row in truth
        if (not request.families or row.values["family"] in request.families)
        and (not request.categories or row.values["category"] in ("", *request.categories))
        and (request.sweep == "full" or row.values["status"] != "ts_option")
    ]
    known = [scenario for scenario in checked.scenarios if (scenario.category or "") in categories]
    return compare_fields(wanted, known)


def score_texts(built: Built) -> dict[str, Any] | None:
    """Penalized F1 and the exact score of the build's CSV against the golden texts; None where there are none."""
    from regc.embed import open_embedder
    from regc.evaluate.penalized_f1 import evaluate, evaluate_exact
    from regc.evaluate.settings import Settings
    from regc.evaluate.table import read_texts, with_families
    from regc.evaluate.texts import embed_texts

    checked = built.compiled.checked
    truth = resource("golden", checked.regulation, checked.edition, "truth", "scenarios.csv")
    if not truth.is_file():
        return None
    profile = load_profile(checked.regulation)
    tokens = tuple(dict.fromkeys(family.token for family in profile.families))
    generated = built.folder / "csv" / "test_cases.csv"
    model = open_embedder()
    settings = Settings(vocabulary=profile.vocabulary)
    wanted = embed_texts(with_families(read_texts(truth, truth=True), tokens).rows, model, settings.vocabulary)
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "generated.csv"
        own.write_bytes(_covered(generated.read_text("utf-8"), checked).encode())
        texts = embed_texts(with_families(read_texts(own), tokens).rows, model, settings.vocabulary)
    payload = evaluate(wanted, texts, settings).model_dump(mode="json", exclude={"matched"})
    return payload | {"exact": evaluate_exact(wanted, texts, settings).model_dump(mode="json", exclude={"matched"})}


def _covered(text: str, checked: Checked) -> str:
    """The rows of the categories that the edition's truth is written for (all, where the edition does not narrow it)."""
    if not checked.csv_categories:
        return text
    kept = {scenario.id for scenario in checked.scenarios if scenario.category not in checked.csv_categories}
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if line.split(",")[0] not in kept)
