"""How regulations write numbers: values, units, bounds, tolerances, ranges, lists, words."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regc.language import decimal, measurements, sentences, tolerance

Said = list[tuple[str, str, str]]


def said(text: str) -> Said:
    """(value, unit, bound) of every number of a text."""
    return [(str(item.value), item.unit, item.bound) for item in measurements(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It moves at 5 km/h.", [("5", "km/h", "eq")]),
        ("It moves at 5km/h.", [("5", "km/h", "eq")]),
        ("a decimal comma: 0,2 m", [("0.2", "m", "eq")]),
        ("30 mph", [("30", "mph", "eq")]),
        ("a deceleration of 5.0 m/s² at least", [("5.0", "m/s2", "eq")]),
        ("at least 5.0 m/s2", [("5.0", "m/s2", "ge")]),
        ("for at least two seconds", [("2", "s", "ge")]),
        ("within ten seconds", [("10", "s", "le")]),
        ("not more than 0.2 m", [("0.2", "m", "le")]),
        ("shall not exceed 125 kg", [("125", "kg", "le")]),
        ("not less than 4 s", [("4", "s", "ge")]),
        ("not below 0 °C", [("0", "degC", "ge")]),
        ("in excess of 1000 lux", [("1000", "lux", "gt")]),
        ("less than 3 m", [("3", "m", "lt")]),
        ("less than or equal to 3 m", [("3", "m", "le")]),
        ("between 0 °C and 45 °C", [("0", "degC", "ge"), ("45", "degC", "le")]),
        ("between 10 and 60 km/h", [("10", "km/h", "ge"), ("60", "km/h", "le")]),
        ("from 10 to 15 km/h", [("10", "km/h", "ge"), ("15", "km/h", "le")]),
        ("20, 42 and 60 km/h", [("20", "km/h", "eq"), ("42", "km/h", "eq"), ("60", "km/h", "eq")]),
        ("30 or 60 km/h", [("30", "km/h", "eq"), ("60", "km/h", "eq")]),
        ("between level and 1 per cent", [("0", "per cent", "ge"), ("1", "per cent", "le")]),
        ("10 % of the runs", [("10", "per cent", "eq")]),
        ("repeated once", [("1", "times", "eq")]),
        ("performed two times", [("2", "times", "eq")]),
        ("at least two modes", [("2", "modes", "ge")]),
        ("a coefficient of 0.9", [("0.9", "1", "eq")]),
        ("a slope of -1 per cent", [("-1", "per cent", "eq")]),
        ("273.15 K or 0 °C", [("273.15", "K", "eq"), ("0", "degC", "eq")]),
        ("3 metres", [("3", "m", "eq")]),
        ("10 cm or 4 mm", [("10", "cm", "eq"), ("4", "mm", "eq")]),
        ("40 ft", [("40", "ft", "eq")]),
    ],
)
def test_numbers_have_value_unit_and_bound(text: str, expected: Said) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "see paragraph 6.4.",
        "paragraphs 5.2.1.4. and 5.3.2. hold",
        "as in Annex 3",
        "Table 2 says so",
        "Regulation No. 13-H",
        "it shall come back at once",
        "off, and once more on",
        "once the test has begun",
        "the one that stands",
        "vehicle R152B",
    ],
)
def test_what_is_no_number_is_none(text: str) -> None:
    assert [item for item in said(text) if item[1] != "1"] == []
    assert not any(value in ("6.4", "5.2") for value, _, _ in said(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+0/-2", ("0", "2")),
        ("+2/-0", ("2", "0")),
        ("+0/-0.4 km/h", ("0", "0.4")),
        ("+0 km/h / -2 km/h", ("0", "2")),
        ("-2/+0", ("0", "2")),
        ("±1", ("1", "1")),
        ("± 0,5 m", ("0.5", "0.5")),
        ("+0/−2", ("0", "2")),
    ],
)
def test_tolerances_are_magnitudes(text: str, expected: tuple[str, str]) -> None:
    found = tolerance(text)
    assert found is not None
    assert (str(found.plus), str(found.minus)) == expected


@pytest.mark.parametrize("text", ["", "none", "20 km/h", "20-30 km/h", "5/10"])
def test_no_tolerance_is_none(text: str) -> None:
    assert tolerance(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("at 5 km/h +0/-0.4 km/h", [("5", ("0", "0.4"))]),
        ("at 20 km/h (with a tolerance of +0/-2 km/h)", [("20", ("0", "2"))]),
        ("at 20 (with a tolerance of +0/-2) km/h", [("20", ("0", "2"))]),
        ("at 20, 42 and 60 km/h (with a tolerance of +0/-2 km/h)", [("20", ("0", "2")), ("42", ("0", "2")), ("60", ("0", "2"))]),
        ("at 20 km/h; the mass is 100 kg ±1 kg", [("20", None), ("100", ("1", "1"))]),
    ],
)
def test_a_tolerance_belongs_to_its_number_or_list(text: str, expected: list[tuple[str, tuple[str, str] | None]]) -> None:
    found = [(str(item.value), item.tolerance and (str(item.tolerance.plus), str(item.tolerance.minus))) for item in measurements(text)]
    assert found == expected


def test_sentences_keep_their_place_and_paragraph_numbers_end_none() -> None:
    text = "As paragraph 5.2. says, it stops.\n(a) First item;\n(b) Second. It waits for 2 s."
    found = sentences(text)
    assert [item.text for item in found] == ["As paragraph 5.2. says, it stops.", "(a) First item;", "(b) Second.", "It waits for 2 s."]
    assert all(text[item.start : item.end].strip() == item.text for item in found)


_UNITS = st.sampled_from(["km/h", "mph", "m", "s", "kg", "lux", "per cent", "m/s2"])
_NUMBERS = st.decimals(min_value=0, max_value=9999, places=2, allow_nan=False, allow_infinity=False)


@given(_NUMBERS, _UNITS)
def test_a_number_is_read_with_its_digits(value: Decimal, unit: str) -> None:
    text = f"The value is {value:f} {unit} here."
    (found,) = measurements(text)
    assert (format(found.value, "f"), found.unit) == (format(value, "f"), unit)
    assert text[found.start : found.end] == f"{value:f} {unit}"


@given(_NUMBERS)
def test_comma_and_point_say_the_same(value: Decimal) -> None:
    assert decimal(f"{value:f}".replace(".", ",")) == decimal(f"{value:f}") == value


@given(st.text(alphabet="0123456789.,+-/ ±()kmhs°C\nabcPar", max_size=120))
def test_no_text_makes_it_fail_and_places_are_true(text: str) -> None:
    for item in measurements(text):
        assert 0 <= item.start < item.end <= len(text)
    assert "".join(item.text for item in sentences(text)).replace(" ", "") == "".join(text.split()).replace(" ", "")
