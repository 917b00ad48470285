"""Faults in sentences: numbers, bounds, units, tolerances, negations, letters."""

from __future__ import annotations

import random
import re
from decimal import Decimal

from bench.mutation.outside import NUMBER, Edit, Outside, Part, digit, hits_of, sentence_parts

_UNIT = re.compile(r"(?<=\d )(?:km/h|m/s|mph|seconds?|s|m|lux|Lux|per cent|percent|kg|°C|degrees?)(?![\w/])")
#: A bound's words, those of another one in their place, and what the other one says.
_BOUNDS = (
    ("at least", "at most", "le"),
    ("not more than", "not less than", "ge"),
    ("at the latest", "at the earliest", ""),
    ("no greater than", "no less than", "ge"),
    ("less than", "more than", "gt"),
    ("greater than", "less than", "lt"),
    ("in excess of", "below", "lt"),
    ("up to", "from", ""),
    ("higher than", "lower than", ""),
    ("between", "outside", ""),
    ("no later than", "no earlier than", ""),
)
_NEGATIONS = (
    ("shall not", "shall"), ("not more than", "more than"), ("no greater than", "greater than"), (" shall be ", " shall not be "),
    (" shall ", " shall not "), ("does not ", "does "), (" is ", " is not "), (" are ", " are not "), ("not less than", "less than"),
)  # fmt: skip
_TOLERANCE = re.compile(r"\+(\d+(?:\.\d+)?)/[-−](\d+(?:\.\d+)?)|\+/[-−] ?(\d+(?:\.\d+)?)|± ?(\d+(?:\.\d+)?)")


def sentence_number(outside: Outside, rng: random.Random) -> Edit:
    """One digit of a number in a sentence."""
    hit = rng.choice(hits_of(outside, NUMBER, sentence_parts(outside)))
    return hit.start(), hit.end(), digit(hit.group(), rng), False, ""


def example_number(outside: Outside, rng: random.Random) -> Edit:
    """One digit of a worked example: the table says otherwise."""
    spans = [
        Part("", part.start + hit.start(), part.start + hit.end())
        for part in sentence_parts(outside)
        for hit in re.finditer(r"\((?:e\.g|i\.e)\.[^)]*\)|and so [^,.]*", outside.text[part.start : part.end])
        if re.search(r"\d km/h", hit.group())
    ]
    hit = rng.choice(hits_of(outside, NUMBER, spans))
    new = digit(hit.group(), rng)
    keys = sorted({Decimal(row[0]) for row in outside.rows() if re.fullmatch(r"[\d.]+", row[0])})
    rows = [next((key for key in keys if key >= Decimal(number)), None) for number in (hit.group(), new)]
    between = Decimal(hit.group()) not in keys and rows[0] == rows[1]  # 53 and 51 both take the row of 55
    return hit.start(), hit.end(), new, not between, ""


def bound_word(outside: Outside, rng: random.Random) -> Edit:
    """Another bound in the place of a bound's words."""
    words = {old: (new, bound) for old, new, bound in _BOUNDS}
    pattern = re.compile(rf"(?<!not )(?<!no )\b(?:{'|'.join(words)})(?= (?:a |an |the )?[\d.]|\b(?= two))")
    hit = rng.choice(hits_of(outside, pattern, sentence_parts(outside)))
    new, bound = words[hit.group()]
    return hit.start(), hit.end(), new, False, bound


def unit_word(outside: Outside, rng: random.Random) -> Edit:
    """Another unit behind a number."""
    hit = rng.choice(hits_of(outside, _UNIT, sentence_parts(outside)))
    others = {"km/h": ["m/s", "mph"], "m": ["cm", "s"], "s": ["m", "ms"], "seconds": ["minutes", "metres"], "m/s": ["km/h"]}
    return hit.start(), hit.end(), rng.choice(others.get(hit.group(), ["km/h", "m"])), False, ""


def tolerance_sign(outside: Outside, rng: random.Random) -> Edit:
    """The signs of a tolerance turned, or one of them lost; in sentences and cells."""
    hit = rng.choice(hits_of(outside, _TOLERANCE, outside.in_scope()))
    plus, minus, both, sign = hit.groups()
    if plus is None:
        return hit.start(), hit.end(), rng.choice([f"+{both or sign}", f"-{both or sign}", f"+{both or sign}/-0"]), False, ""
    return hit.start(), hit.end(), rng.choice([f"-{plus}/+{minus}", f"+{minus}/-{plus}", f"+{plus}", f"{plus}/-{minus}"]), False, ""


def second_number(outside: Outside, rng: random.Random) -> Edit:
    """A second number with a unit beside the first one."""
    pattern = re.compile(r"\d+(?:\.\d+)? (?:km/h|m/s|seconds?|s|m|lux|per cent|kg)(?![\w/])")
    hit = rng.choice(hits_of(outside, pattern, sentence_parts(outside)))
    number, unit = hit.group().split(" ", 1)
    other = f"{Decimal(number) + 3}"
    new = rng.choice(
        [f"{hit.group()} or {other} {unit}", f"{hit.group()}, or {other} {unit} on request", f"{other} {unit} or {hit.group()}"]
    )
    return hit.start(), hit.end(), new, True, ""


def negation(outside: Outside, rng: random.Random) -> Edit:
    """A "not" put in or taken out."""
    pattern = re.compile("|".join(re.escape(old) for old, _ in _NEGATIONS))
    hit = rng.choice(hits_of(outside, pattern, sentence_parts(outside)))
    return hit.start(), hit.end(), dict(_NEGATIONS)[hit.group()], False, "negated"


def characters(outside: Outside, rng: random.Random) -> Edit:
    """One letter of a sentence is lost or another one."""
    part = rng.choice([part for part in sentence_parts(outside) if part.end - part.start > 20])
    at = rng.choice([index for index in range(part.start, part.end) if outside.text[index].isalpha()])
    return at, at + 1, rng.choice(["", "x", "1", "l", "O"]), False, "letter"
