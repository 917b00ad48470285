"""The second reader's own reading of numbers: text -> what stands there, worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from regc.verify.spoken_numbers import are_range, spoken, tolerances, unit_named

PHRASES = [Path(__file__).parents[1] / "cases" / "measure" / f"{name}.txt" for name in ("negated", "alternatives")]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a speed of 20 km/h", [("20", "km/h")]),
        ("for at least two seconds", [("2", "s")]),
        ("half a second later", [("1/2", "s")]),
        ("2,000 lux and 10 000 m", [("2000", "lux"), ("10000", "m")]),
        ("0,5 m", [("1/2", "m")]),
        ("a deceleration of 5.0 m/s² or 5 m/s3", [("5", "m/s2"), ("5", "m/s3")]),
        ("20, 42 and 60 km/h", [("20", "km/h"), ("42", "km/h"), ("60", "km/h")]),
        ("between 0 °C and 45 °C", [("0", "degC"), ("45", "degC")]),
        ("the target is stationary", [("0", "km/h")]),
        ("level or sloped by 1 per cent", [("0", "per cent"), ("1", "per cent")]),
        ("shall be repeated twice", [("2", "")]),
        ("paragraph 5.2.1.4. of Annex 3 holds", []),
        ("4.0 ± 0.1 m to the right", [("4", "m")]),
        ("at 30 (tolerance of +0/-2 km/h) km/h", [("30", "km/h")]),
        ("category M1 and N2", []),
    ],
)
def test_numbers_with_units(text: str, numbers: list[tuple[str, str]]) -> None:
    assert [(item.value, item.unit) for item in spoken(text)] == [(Fraction(value), unit) for value, unit in numbers]


@pytest.mark.parametrize(
    ("text", "sides"),
    [
        ("at least 4 s", [1]),
        ("not more than 0.2 m", [-1]),
        ("shall not exceed 125 kg", [-1]),
        ("in excess of 2000 lux", [1]),
        ("never below 50 per cent", [1]),
        ("no temperature lower than 0 °C", [1]),
        ("above 10 km/h", [1]),
        ("a speed of 20 km/h", [0]),
        # the words belong to the number before
        ("at least 4 s at 20 km/h", [1, 0]),
        ("more than one vehicle. It drives at 20 km/h", [1, 0]),
    ],
)
def test_the_words_before_a_number_bound_it(text: str, sides: list[int]) -> None:
    assert [item.side for item in spoken(text)] == sides


def cases() -> list[tuple[str, list[int]]]:
    """The phrases that a person has read for the compiler: its signs as sides; what is refused there bounds nothing here."""
    lines = [line for file in PHRASES for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    signs = {">": 1, "<": -1}
    return [
        (text, [] if said.startswith("?") else [signs.get(item[0], 0) for item in said.replace("..", "; ").split("; ")])
        for text, _, said in (line.partition(" -> ") for line in lines)
    ]


@pytest.mark.parametrize(("text", "sides"), cases(), ids=[text for text, _ in cases()])
def test_it_never_reads_the_other_side_of_what_a_person_read(text: str, sides: list[int]) -> None:
    read = [item.side for item in spoken(text)]
    assert len(read) == len(sides) or not sides
    for index, (own, side) in enumerate(zip(read, sides or [0] * len(read), strict=True)):
        assert own == side or (own == 0 and index > 0)  # a list's later numbers may show no side of their own


@pytest.mark.parametrize(
    ("text", "plus", "minus", "unit"),
    [
        ("+0/-2 km/h", "0", "2", "km/h"),
        ("± 1.6 km/h", "1.6", "1.6", "km/h"),
        ("+/- 2 km/h", "2", "2", "km/h"),
        ("-0/+5 km/h", "5", "0", "km/h"),
        ("+0 km/h / -0.4 km/h", "0", "0.4", "km/h"),
        ("+2/-0", "2", "0", ""),
    ],
)
def test_tolerances(text: str, plus: str, minus: str, unit: str) -> None:
    (found,) = tolerances(text)
    assert (found.plus, found.minus, found.unit) == (Fraction(plus), Fraction(minus), unit)


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("10 to 60 km/h", True),
        ("between 0 °C and 45 °C", True),
        ("0.5...4 m", True),
        ("10 km/h, at 60 km/h", False),
        ("12 and 18 mph", False),
    ],
)
def test_ends_of_a_range(text: str, together: bool) -> None:
    first, second = spoken(text)
    assert are_range(text, first, second) is together


@pytest.mark.parametrize(
    ("head", "unit"), [("Speed (km/h)", "km/h"), ("All values in mph", "mph"), ("Radius [m]", "m"), ("Category", "")]
)
def test_the_unit_of_a_column(head: str, unit: str) -> None:
    assert unit_named(head) == unit
