"""How near texts lie that say the same facts: to each of several truth sets, and the sets to each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from regc.model.source import Frozen
from regc.research.score.texts import Texts


class Nearness(Frozen):
    """The lowest cosine between two sets over texts that state the same scenario, and the id of that scenario in the first set."""

    cosine: float
    id: str


class Between(Nearness):
    """The lowest over every pair of sets; `sets` are the names of the two."""

    sets: tuple[str, str]


def nearness(truth: Texts, other: Texts) -> Nearness | None:
    """The lowest over the rows of `truth` of the cosine with the row of the same id, without one with the nearest of its family.

    None where no row of `truth` has such a row in `other`.
    """
    at = {row.id: place for place, row in enumerate(other.rows)}
    lowest: Nearness | None = None
    for row, vector in zip(truth.rows, truth.vectors, strict=True):
        places = [at[row.id]] if row.id in at else [place for place, text in enumerate(other.rows) if text.family == row.family]
        if not places:
            continue
        cosine = float(np.max(other.vectors[places] @ vector))
        if lowest is None or cosine < lowest.cosine:
            lowest = Nearness(cosine=cosine, id=row.id)
    return lowest


def between(names: Sequence[str], sets: Sequence[Texts]) -> Between | None:
    """The lowest nearness of any two of the sets; None for a single set, or sets that share no scenario."""
    pairs = (((names[a], names[b]), nearness(sets[a], sets[b])) for a, b in combinations(range(len(sets)), 2))
    lowest = [Between(cosine=near.cosine, id=near.id, sets=sides) for sides, near in pairs if near is not None]
    return min(lowest, key=lambda near: near.cosine) if lowest else None
