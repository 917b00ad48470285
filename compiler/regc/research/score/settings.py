"""How test texts are scored."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from regc.model.source import Frozen
from regc.research.score.number_match import ScoreTolerance

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
