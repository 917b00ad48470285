"""Meta-Score on a case by hand and on the published rows."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from regc.research.penalized_f1 import meta_score

PUBLISHED = Path(__file__).resolve().parents[3] / "shared" / "vectors" / "paper_table1.csv"


def test_mean_less_population_deviation() -> None:
    # mean 80, deviations 20, 0, 20: variance 800 / 3 with ddof 0.
    assert meta_score([60, 80, 100]) == pytest.approx(80 - (800 / 3) ** 0.5)
    assert meta_score([70]) == 70
    assert meta_score([]) == 0


@pytest.mark.skipif(not PUBLISHED.is_file(), reason="../shared/vectors/paper_table1.csv is not there")
def test_the_published_rows() -> None:
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 18
    for row in rows:
        scores = [float(row[family]) for family in ("CtoStC", "CtoMoC", "CtoP")]
        assert meta_score(scores) == pytest.approx(float(row["meta_score"]), abs=0.02), row
