"""Why a truth scenario found no partner: the nearest generated text, what differs in it, and the kind of failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

import numpy as np

from regc.model.source import Frozen
from regc.research.score.number_match import match_numbers
from regc.research.score.settings import ScoreSettings
from regc.research.score.texts import Matrix, Texts

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
    spare = [found for found in np.flatnonzero(cosine >= settings.threshold).tolist() if found not in used]
    pool = spare or range(len(generated.rows))
    top = max(score[found] for found in pool)
    best = max((found for found in pool if score[found] >= top - 1e-9), key=lambda found: (float(cosine[found]), -found))
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
