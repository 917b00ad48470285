"""Claims compared with what stands at their places, and both in words. Part of `resolve`."""

from __future__ import annotations

import re

from regc.language import measurements
from regc.model.regulation import FieldRule
from regc.model.scenario import ClaimValue
from regc.model.source import Tolerance
from regc.places import AT_REST, Found

#: Words that a quote without a number must have to point to a sentence.
_TELLING = 4


def plain(text: str) -> str:
    """A text as it is compared: lower case, every run of white space one blank."""
    return re.sub(r"\s+", " ", text).strip().lower()


def within(found: Found, quote: str, rule: FieldRule, text: str) -> bool:
    """Whether a quote of a clause's `text` holds the sentence of a found number, or is a telling part of it: with this number in it and
    not another of its kind alone, with the words for standing still, or some words without a number."""
    own, said = plain(found.quote), plain(quote)
    if own in said:
        return True
    if rule.unit == AT_REST:
        return said in own and re.search(rule.anchor, quote, re.IGNORECASE) is not None
    if said not in own:
        return False
    word = plain(text[found.start : found.end]).split()[0]
    if word.isalpha() and re.search(rf"\b{word}\b", said):
        return True  # a number in words
    numbers = [item.value for item in measurements(quote) if item.unit in (rule.unit, "1")]
    return found.value in numbers if numbers else len(said.split()) >= _TELLING


def same_tolerance(one: Tolerance | None, other: Tolerance | None) -> bool:
    """Whether two tolerances are the same, or both absent."""
    if one is None or other is None:
        return one is other
    return (one.plus, one.minus) == (other.plus, other.minus)


def claimed(value: ClaimValue) -> str:
    """A claimed value in words."""
    stated = value.tolerance
    if value.value is None and stated is None:
        return "no number"
    number = "" if value.value is None else f"{value.value} {value.unit}"
    sign = {"eq": "", "le": "<= ", "lt": "< ", "ge": ">= ", "gt": "> "}[value.bound]
    return (sign + number + (f" +{stated.plus}/-{stated.minus} {value.unit}" if stated else "")).strip()


def held_words(found: Found) -> str:
    """What a place holds in words."""
    return claimed(ClaimValue(value=found.value, unit=found.unit, bound=found.bound, tolerance=found.tolerance))
