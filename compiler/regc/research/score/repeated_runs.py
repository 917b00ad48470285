"""How much a score moves over repeated runs of a build with a language model."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from regc.model.source import Frozen
from regc.research.score.penalized_f1 import Evaluation


class Spread(Frozen):
    """Of one figure over runs; `stdev` is the population's (ddof 0)."""

    mean: float
    stdev: float
    min: float
    max: float


class RunsSummary(Frozen):
    """Spread of precision, recall and F1 (fractions), of F1 by family and of the Meta-Score (per cent).

    `unsteady` are the truth ids that some runs hit and others missed, with the number of runs that hit.
    """

    runs: int
    precision: Spread
    recall: Spread
    f1: Spread
    families: dict[str, Spread]
    meta_score: Spread
    unsteady: dict[str, int]


def spread(values: Sequence[float]) -> Spread:
    """Mean, population standard deviation, smallest and largest; needs one value at least."""
    return Spread(mean=statistics.fmean(values), stdev=statistics.pstdev(values), min=min(values), max=max(values))


def summarise(evaluations: Sequence[Evaluation], truth_ids: Sequence[str]) -> RunsSummary:
    """The spread over runs that were scored against the same truth; a family that a run lacks counts 0."""
    families = tuple(dict.fromkeys(family for run in evaluations for family in run.families))
    hits = dict.fromkeys(truth_ids, 0)
    for run in evaluations:
        for id, _ in run.matched:
            hits[id] += 1
    return RunsSummary(
        runs=len(evaluations),
        precision=spread([run.overall.precision for run in evaluations]),
        recall=spread([run.overall.recall for run in evaluations]),
        f1=spread([run.overall.f1 for run in evaluations]),
        families={
            family: spread([run.families[family].f1 if family in run.families else 0.0 for run in evaluations]) for family in families
        },
        meta_score=spread([run.meta_score for run in evaluations]),
        unsteady={id: count for id, count in hits.items() if 0 < count < len(evaluations)},
    )
