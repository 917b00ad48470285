"""Numbers and terms of a test text, and how the numbers of two texts are matched one to one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from regc.model.source import Frozen

_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_FUSED_UNIT = re.compile(r"(?<!\w)([+\-]?\d+(?:\.\d+)?)(?=[^\W\d_])")
_NUMBER = re.compile(r"(?<!\w)[+\-]?\d+(?:[.,]\d+)?")
#: Keeps 1 and 1.05 equal at a tolerance of 0.05 although floats disagree.
_SLACK = 1e-9


class ScoreTolerance(Frozen):
    """Two numbers are equal when |a - b| <= max(absolute, relative * |truth|). `relative` is below 1."""

    absolute: float = 0.05
    relative: float = 0.05

    def bounds(self, truth: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest equal number for each truth number; both rise with the truth number."""
        values = np.asarray(truth, dtype=np.float64)
        reach = np.maximum(self.absolute, self.relative * np.abs(values)) + _SLACK
        return values - reach, values + reach


EXACT = ScoreTolerance(absolute=0, relative=0)


def normalise(text: str) -> str:
    """Decimal commas become dots, fused units are split: "0,2m at 10km/h" -> "0.2 m at 10 km/h"."""
    return _FUSED_UNIT.sub(r"\1 ", _DECIMAL_COMMA.sub(".", text))


def extract_numbers(text: str) -> tuple[float, ...]:
    """Every number in order, repeats kept; "+0/-2" holds +0 and -2, "M1" none."""
    return tuple(float(found) for found in _NUMBER.findall(normalise(text)))


def extract_terms(text: str, vocabulary: Iterable[str]) -> frozenset[str]:
    """The terms of the vocabulary that begin a word of the text, whatever the case ("laden" is not in "unladen")."""
    return frozenset(term for term in vocabulary if re.search(_term(term), text, re.IGNORECASE))


def _term(term: str) -> str:
    return r"\b" + r"\s+".join(re.escape(word) for word in term.split())


def match_numbers(
    truth: Sequence[float], generated: Sequence[float], tolerance: ScoreTolerance
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The truth numbers and the generated numbers that a maximum one-to-one matching leaves over, in rising order.

    Both ends of the tolerance interval rise with the truth number, so one walk over both sorted lists finds a maximum matching.
    """
    truth, generated = sorted(truth), sorted(generated)
    low, high = tolerance.bounds(truth)
    missing: list[float] = []
    extra: list[float] = []
    i = j = 0
    while i < len(truth) and j < len(generated):
        if generated[j] < low[i]:
            extra.append(generated[j])
            j += 1
        elif generated[j] > high[i]:
            missing.append(truth[i])
            i += 1
        else:
            i, j = i + 1, j + 1
    return (*missing, *truth[i:]), (*extra, *generated[j:])


class NumberTable:
    """Number lists of many texts as one array, to match a truth list against all of them at once."""

    def __init__(self, lists: Sequence[Sequence[float]]) -> None:
        self.counts = np.array([len(numbers) for numbers in lists], dtype=np.int64)
        self._values = np.full((len(lists), max(int(self.counts.max(initial=0)), 1)), np.nan)
        for row, numbers in enumerate(lists):
            self._values[row, : len(numbers)] = sorted(numbers)

    def matched(self, truth: Sequence[float], tolerance: ScoreTolerance) -> NDArray[np.int64]:
        """Size of the maximum matching with each list, shape (lists,); the walk of `match_numbers`, all lists in step."""
        low, high = tolerance.bounds(sorted(truth))
        i = np.zeros(len(self.counts), dtype=np.int64)
        j = i.copy()
        found: NDArray[np.int64] = i.copy()
        active = np.flatnonzero(self.counts) if len(low) else np.empty(0, dtype=np.int64)
        while active.size:
            value = self._values[active, j[active]]
            below, above = value < low[i[active]], value > high[i[active]]
            found[active] += ~(below | above)
            j[active] += ~above
            i[active] += ~below
            active = active[(i[active] < len(low)) & (j[active] < self.counts[active])]
        return found
