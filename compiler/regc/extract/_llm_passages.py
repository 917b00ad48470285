"""The passages among which a model chooses: verbatim slices of clauses, each with a number of one unit in it.

A small model quotes badly and copies numbers well. So it quotes by choosing; a passage that is not in the evidence is no choice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from regc.language import Measurement, measurements, sentences
from regc.model.document import Clause
from regc.places import AT_REST

#: What may stand between the numbers of one list or range ("20, 42 and 60 km/h"), which stay together.
_JOINED = re.compile(r"[\s,;/–-]*(?:and|or|to)?\s*", re.IGNORECASE)
#: Where a sentence with several numbers may be cut, before the next part of an enumeration: at a comma, else at a word that joins.
_CUTS = (re.compile(r"[,;]\s+(?:and\s+|or\s+)?", re.IGNORECASE), re.compile(r"\s+(?:and|or)\s+", re.IGNORECASE))


@dataclass(frozen=True)
class Passage:
    """Words of a clause."""

    clause: str
    text: str


def passages(clauses: Sequence[Clause], unit: str) -> tuple[Passage, ...]:
    """Every passage with a number of that unit, in reading order; for AT_REST every sentence.

    A passage is a sentence or lettered item; a sentence that states several numbers one after the other is cut between them.
    """
    found: dict[Passage, None] = {}
    for clause in clauses:
        for sentence in sentences(clause.text):
            own = [item for item in measurements(sentence.text) if item.unit == unit]
            parts = [sentence.text] if unit == AT_REST else _parts(sentence.text, own)
            found |= dict.fromkeys(Passage(clause.id, part) for part in parts)
    return tuple(found)


def _parts(text: str, items: Sequence[Measurement]) -> list[str]:
    """A sentence cut between its numbers; nothing when it has none."""
    parts: list[str] = []
    start = 0
    for one, other in pairwise(items):
        between = text[one.end : other.start]
        places = next((found for cut in _CUTS if (found := list(cut.finditer(between)))), [])
        if places and not _JOINED.fullmatch(between):
            parts.append(text[start : one.end + places[-1].start()])
            start = one.end + places[-1].end()
    return [part.strip(" ,;") for part in (*parts, text[start:])] if items else []
