"""Penalized F1: cosine of the texts, less a penalty for every number and term that differs, matched scenario by scenario."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regc.errors import DataFileError, MissingExtraError
from regc.model.source import Frozen
from regc.research.score.failures import Miss, describe
from regc.research.score.meta_score import meta_score
from regc.research.score.number_match import EXACT, NumberTable
from regc.research.score.settings import DeltaKind, ScoreSettings
from regc.research.score.texts import Matrix, Texts

#: Three matrices of 8 bytes a pair are held: 400 MB.
MAX_PAIRS = 16_000_000
#: Cosines of equal vectors and decimal thresholds miss each other by rounding only.
_ROUNDING = 1e-9


class Score(Frozen):
    """Precision, recall and F1 as fractions, 0 where they would be 0/0."""

    precision: float
    recall: float
    f1: float
    tp: int
    fp: int
    fn: int


class Evaluation(Frozen):
    """One comparison. `families` by token in the truth's order, then those of which only generated rows exist.

    `meta_score` is in per cent, over the families that the truth has. `matched` are (truth id, generated id).
    """

    overall: Score
    families: dict[str, Score]
    meta_score: float
    misses: tuple[Miss, ...]
    matched: tuple[tuple[str, str], ...] = ()


def evaluate(truth: Texts, generated: Texts, settings: ScoreSettings) -> Evaluation:
    """Score generated texts against the truth. Raises DataFileError above MAX_PAIRS pairs."""
    pairs = len(truth.rows) * len(generated.rows)
    if pairs > MAX_PAIRS:
        raise DataFileError(
            f"{len(truth.rows)} x {len(generated.rows)} scenarios are more than {MAX_PAIRS} pairs",
            hint="score one build at a time, or split the files by family",
        )
    cosine = truth.vectors @ generated.vectors.T if pairs else np.zeros((len(truth.rows), len(generated.rows)))
    score = cosine - settings.penalty * deltas(truth, generated, settings)
    assigned = _assign(score, settings)
    return _evaluation(truth, generated, cosine, score, assigned, settings)


def evaluate_exact(truth: Texts, generated: Texts, settings: ScoreSettings) -> Evaluation:
    """The same with a number tolerance of zero."""
    return evaluate(truth, generated, settings.model_copy(update={"tolerance": EXACT}))


def deltas(truth: Texts, generated: Texts, settings: ScoreSettings) -> Matrix:
    """Delta of every pair, shape (truth, generated), by the settings' kind."""
    result = np.zeros((len(truth.rows), len(generated.rows)))
    table = NumberTable(generated.numbers)
    known: dict[tuple[tuple[float, ...], frozenset[str]], Matrix] = {}
    distinct_terms = {terms: place for place, terms in enumerate(dict.fromkeys(generated.terms))}
    term_place = np.array([distinct_terms[terms] for terms in generated.terms], dtype=np.int64)
    for row, (numbers, terms) in enumerate(zip(truth.numbers, truth.terms, strict=True)):
        key = (tuple(sorted(numbers)), terms)
        if key not in known:
            of_terms = np.array([_term_delta(terms, other, settings.delta) for other in distinct_terms])
            of_numbers = _number_delta(len(numbers), table, table.matched(numbers, settings.tolerance), settings.delta)
            known[key] = of_numbers + (of_terms[term_place] if len(term_place) else 0)
        result[row] = known[key]
    return result


def _number_delta(count: int, table: NumberTable, matched: NDArray[np.int64], kind: DeltaKind) -> Matrix:
    if kind == "count":
        return np.asarray(np.maximum(count, table.counts) - matched, dtype=np.float64)
    total = count + table.counts
    # Two texts without a number agree in their numbers.
    return np.asarray(1 - np.where(total > 0, 2 * matched / np.maximum(total, 1), 1.0))


def _term_delta(truth: frozenset[str], generated: frozenset[str], kind: DeltaKind) -> float:
    if kind == "count":
        return float(max(len(truth - generated), len(generated - truth)))
    union = truth | generated
    return len(truth ^ generated) / len(union) if union else 0.0


def _assign(score: Matrix, settings: ScoreSettings) -> dict[int, int]:
    """Truth row -> the generated row that it is matched with."""
    eligible = score >= settings.threshold - _ROUNDING
    if settings.match == "paper":
        return {int(row): int(np.argmax(score[row])) for row in np.flatnonzero(eligible.any(axis=1))}
    try:
        from scipy.optimize import linear_sum_assignment
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components
    except ImportError as error:
        raise MissingExtraError("one-to-one matching needs scipy", hint="pip install scipy") from error
    assigned: dict[int, int] = {}
    rows, columns = np.nonzero(eligible)
    truths, total = score.shape[0], sum(score.shape)
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, columns + truths)), shape=(total, total))
    # Rows that share no eligible pair cannot take a partner from each other: solve each part alone, which is much faster.
    _, part = connected_components(graph, directed=False)
    for label in np.unique(part[rows]):
        left, right = np.flatnonzero(part[:truths] == label), np.flatnonzero(part[truths:] == label)
        weight = np.where(eligible[np.ix_(left, right)], score[np.ix_(left, right)], 0)
        for a, b in zip(*linear_sum_assignment(weight, maximize=True), strict=True):
            if eligible[left[a], right[b]]:
                assigned[int(left[a])] = int(right[b])
    return assigned


def _evaluation(
    truth: Texts, generated: Texts, cosine: Matrix, score: Matrix, assigned: dict[int, int], settings: ScoreSettings
) -> Evaluation:
    used = frozenset(assigned.values())
    families = tuple(dict.fromkeys(row.family for row in (*truth.rows, *generated.rows)))
    scores: dict[str, Score] = {}
    for family in families:
        wanted = [place for place, row in enumerate(truth.rows) if row.family == family]
        spare = [place for place, row in enumerate(generated.rows) if row.family == family and place not in used]
        hits = sum(place in assigned for place in wanted)
        scores[family] = counted(tp=hits, fp=len(spare), fn=len(wanted) - hits)
    with_truth = {row.family for row in truth.rows}
    misses = tuple(
        describe(truth, place, generated, cosine[place], score[place], used, settings)
        for place in range(len(truth.rows))
        if place not in assigned
    )
    return Evaluation(
        overall=counted(tp=len(assigned), fp=len(generated.rows) - len(used), fn=len(truth.rows) - len(assigned)),
        families=scores,
        meta_score=meta_score([100 * found.f1 for family, found in scores.items() if family in with_truth]),
        misses=misses,
        matched=tuple((truth.rows[a].id, generated.rows[b].id) for a, b in sorted(assigned.items())),
    )


def counted(*, tp: int, fp: int, fn: int) -> Score:
    """Precision, recall and F1 of counts; 0/0 is 0."""
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Score(precision=precision, recall=recall, f1=f1, tp=tp, fp=fp, fn=fn)
