"""Numbers in text, case by case: tests/cases/measure, one "text -> quantities" a line."""

from __future__ import annotations

import re

import pytest

from regc.lang.vocabulary import vocabulary
from regc.lang.words import Measurement, QuantitiesRead, quantities
from tests.casefiles import lines

SIGNS = {"eq": "", "ge": ">=", "le": "<=", "gt": ">", "lt": "<"}


def cases(*files: str) -> list[tuple[str, str]]:
    return lines("measure", *files)


def said(item: Measurement) -> str:
    """ ">=2 s", "10..80 km/h", "50 km/h +-2", "tol +0/-2 km/h", "40 km/h example"."""
    if item.dimension == "tolerance":
        return f"tol {around(item.hi, item.lo)} {item.unit}".strip()
    digits = f"{item.lo}" if item.lo == item.hi else f"{item.lo}..{item.hi}"
    tolerance = f" {around(item.tolerance.plus, item.tolerance.minus)}" if item.tolerance else ""
    marks = " example" * item.example + " conversion" * item.conversion + " either side" * bool(item.either)
    return f"{SIGNS[item.bound]}{digits} {item.unit}".strip() + tolerance + marks


def around(plus: object, minus: object) -> str:
    return f"+-{plus}" if plus == minus else f"+{plus}/-{minus}"


def told(reading: QuantitiesRead) -> str:
    return "; ".join([said(item) for item in reading.measurements] + [f"? {doubt.reason}" for doubt in reading.doubts]) or "none"


@pytest.mark.parametrize(("text", "expected"), cases())
def test_a_text(text: str, expected: str) -> None:
    got = told(quantities(text))
    assert len(got.split("; ")) == len(expected.split("; "))
    for read, wanted in zip(got.split("; "), expected.split("; "), strict=True):
        assert wanted.removeprefix("? ") in read if wanted.startswith("? ") else read == wanted


def test_every_unit_is_read_as_it_is_written() -> None:
    read = {item.unit for text, _ in cases("units") for item in quantities(text).measurements}
    assert set(vocabulary().units) - read == {"mm/s", "h", "m2/s2", "m2", "mm", "km", "lb"} - read


def test_every_word_that_bounds_has_a_case() -> None:
    texts = [text for text, _ in cases("bounds", "negated")]
    bounds = vocabulary().bounds
    for group in (bounds.touching, bounds.before, bounds.in_time, bounds.turned, bounds.behind):
        for side, pattern in group:
            for words in alternatives(pattern.pattern):
                assert any(re.search(words, text, re.I) for text in texts), f"{side}: {words}"


def alternatives(pattern: str) -> list[str]:
    """The words of a pattern of alternatives, split at the bars that stand in no bracket."""
    opened = re.search(r"\(\?(?:P<words>|:)", pattern)
    assert opened is not None
    inner = pattern[opened.end() :]
    depth, start, found = 0, 0, []
    for index, sign in enumerate(inner):
        if sign == "(":
            depth += 1
        elif sign == ")":
            if depth == 0:
                found.append(inner[start:index])
                break
            depth -= 1
        elif sign == "|" and depth == 0:
            found.append(inner[start:index])
            start = index + 1
    return [words for words in found if words]


def test_bare_numbers_take_the_unit_of_their_header() -> None:
    assert told(quantities("42", "km/h")) == "42 km/h"
    assert told(quantities("+0/-2", "km/h")) == "tol +0/-2 km/h"


def test_text_of_any_length_is_read_in_linear_time() -> None:
    assert len(quantities("a speed of 50 km/h and then " * 4000).measurements) == 4000
