"""Meta-Score: how good a system is over families, less how unevenly."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def meta_score(f1: Sequence[float]) -> float:
    """mean(F1) - population standard deviation (ddof 0) over families, in the unit of the arguments; 0 for no family."""
    if not f1:
        return 0.0
    return statistics.fmean(f1) - statistics.pstdev(f1)
