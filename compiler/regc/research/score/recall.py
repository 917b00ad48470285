"""Retrieval metrics over a ranking, and when a retrieved chunk answers a question."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

#: Share of the witness that must stand in a chunk in one piece.
WITNESS_SHARE = 0.75


def normalise(text: str) -> str:
    """Lower case, every run of white space one blank."""
    return re.sub(r"\s+", " ", text).strip().lower()


def holds_witness(chunk: str, witness: str, share: float = WITNESS_SHARE) -> bool:
    """Whether the longest common substring of both, normalised, is at least `share` of the normalised witness's length.

    An empty witness is held by nothing.
    """
    chunk, witness = normalise(chunk), normalise(witness)
    if not witness:
        return False
    length = max(1, math.ceil(share * len(witness) - 1e-9))
    return any(witness[start : start + length] in chunk for start in range(len(witness) - length + 1))


def average_precision_at(relevant: Sequence[bool], k: int) -> float:
    """Mean of the precision at each of the first k ranks that holds a relevant item, over the relevant items found; 0 if none."""
    found = [rank for rank, hit in enumerate(relevant[:k], start=1) if hit]
    return sum(count / rank for count, rank in enumerate(found, start=1)) / len(found) if found else 0.0


def reciprocal_rank_at(relevant: Sequence[bool], k: int) -> float:
    """1 / rank of the first relevant item among the first k; 0 if none. MRR is its mean over questions."""
    return next((1 / rank for rank, hit in enumerate(relevant[:k], start=1) if hit), 0.0)
