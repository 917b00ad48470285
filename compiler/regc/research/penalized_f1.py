"""Penalized F1: cosine of the texts, less a penalty for every number and term that differs, matched scenario by scenario."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from regc.errors import DataFileError, MissingExtraError
from regc.model.source import Frozen
from regc.research.scored_texts import EXACT, Matrix, NumberTable, ScoreTolerance, Texts, match_numbers

Matching = Literal["one-to-one", "paper"]
DeltaKind = Literal["count", "f1"]


class ScoreSettings(Frozen):
    """s = cosine - penalty * delta, a match when s >= threshold.

    `vocabulary` are the regulation's terms, `load_terms` those of them that name a load state (for the kind of a failure only).
    """

    match: Matching = "one-to-one"
    delta: DeltaKind = "count"
    vocabulary: tuple[str, ...] = ()
    load_terms: tuple[str, ...] = ()
    penalty: float = Field(default=0.2, ge=0)
    threshold: float = 0.9
    tolerance: ScoreTolerance = ScoreTolerance()


Kind = Literal[
    "load-state confusion",
    "high cosine with wrong numbers",
    "wrong number",
    "other term",
    "low cosine",
    "taken by another scenario",
    "nothing generated",
]


class Differences(Frozen):
    """What only the truth has (`missing`) and what only the generated text has (`extra`)."""

    missing: tuple[float | int | str, ...] = ()
    extra: tuple[float | int | str, ...] = ()


class Miss(Frozen):
    """A truth scenario without a partner. `nearest` is the id of the generated row that was taken for the attempt
    (see `describe`), None without any row."""

    id: str
    title: str
    family: str
    nearest: str | None = None
    cosine: float | None = None
    score: float | None = None
    numbers: Differences = Differences()
    terms: Differences = Differences()
    kind: Kind


def describe(
    truth: Texts,
    place: int,
    generated: Texts,
    cosine: Matrix,
    score: Matrix,
    used: frozenset[int],
    settings: ScoreSettings,
) -> Miss:
    """The miss of truth row `place`; `cosine` and `score` are its values against every generated row, `used` the matched ones."""
    row = truth.rows[place]
    if not generated.rows:
        return Miss(id=row.id, title=row.title, family=row.family, kind="nothing generated")
    # A row without a partner that reads alike is the failed attempt; without one, the best row of all.
    spare = [at for at in np.flatnonzero(cosine >= settings.threshold).tolist() if at not in used]
    pool = spare or range(len(generated.rows))
    top = max(score[at] for at in pool)
    best = max((at for at in pool if score[at] >= top - 1e-9), key=lambda at: (float(cosine[at]), -at))
    missing, extra = match_numbers(truth.numbers[place], generated.numbers[best], settings.tolerance)
    terms, other = truth.terms[place], generated.terms[best]
    return Miss(
        id=row.id,
        title=row.title,
        family=row.family,
        nearest=generated.rows[best].id,
        cosine=round(float(cosine[best]), 6),
        score=round(float(score[best]), 6),
        numbers=Differences(missing=tuple(map(_plain, missing)), extra=tuple(map(_plain, extra))),
        terms=Differences(missing=tuple(sorted(terms - other)), extra=tuple(sorted(other - terms))),
        kind=_kind(bool(missing or extra), terms ^ other, float(cosine[best]), best in used, settings),
    )


def _kind(numbers_differ: bool, terms: frozenset[str], cosine: float, used: bool, settings: ScoreSettings) -> Kind:
    """A swapped load state is named first: it is the cause, and wrong limits follow from it."""
    if terms & frozenset(settings.load_terms):
        return "load-state confusion"
    if numbers_differ:
        return "high cosine with wrong numbers" if cosine >= settings.threshold else "wrong number"
    if terms:
        return "other term"
    return "taken by another scenario" if used and cosine >= settings.threshold else "low cosine"


def _plain(number: float) -> float | int:
    return int(number) if number.is_integer() else number


def by_kind(kinds: Iterable[str]) -> dict[str, int]:
    """How many misses of each kind, most frequent first."""
    counts = Counter(kinds)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


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
        meta_score=meta_score([100 * score_of.f1 for family, score_of in scores.items() if family in with_truth]),
        misses=misses,
        matched=tuple((truth.rows[a].id, generated.rows[b].id) for a, b in sorted(assigned.items())),
    )


def counted(*, tp: int, fp: int, fn: int) -> Score:
    """Precision, recall and F1 of counts; 0/0 is 0."""
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Score(precision=precision, recall=recall, f1=f1, tp=tp, fp=fp, fn=fn)


def meta_score(f1: Sequence[float]) -> float:
    """mean(F1) - population standard deviation (ddof 0) over families, in the unit of the arguments; 0 for no family."""
    if not f1:
        return 0.0
    return statistics.fmean(f1) - statistics.pstdev(f1)


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
