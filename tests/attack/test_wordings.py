"""Numbers as clumsy or damaged texts write them: read as they stand, or not read at all; never the half of one."""

from __future__ import annotations

import pytest

from regc.language import Sentence, lead_in_bound, measurements, units_named


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("more than 1 000 lux", [("1000", "lux", "gt")]),
        ("more than 1\u00a0000 lux", [("1000", "lux", "gt")]),
        ("more than 1,000 lux", [("1000", "lux", "gt")]),
        ("more than 12,500.5 lux", [("12500.5", "lux", "gt")]),
        ("an offset of 0,125 m", [("0.125", "m", "eq")]),
        ("at -5 °C", [("-5", "degC", "eq")]),
        ("at –5 °C", [("-5", "degC", "eq")]),
        ("at - 5 °C", [("-5", "degC", "eq")]),
        ("at minus 5 °C", [("-5", "degC", "eq")]),
        ("speeds of 10 – 60 km/h", [("10", "km/h", "eq"), ("60", "km/h", "eq")]),
        ("speeds of 10-60 km/h", [("10", "km/h", "eq"), ("60", "km/h", "eq")]),
        ("between 0 °C - 45 °C", [("0", "degC", "eq"), ("45", "degC", "eq")]),
        ("at least 4 or 3 seconds", [("4", "s", "ge"), ("3", "s", "ge")]),
        ("repeated one or two times", [("1", "times", "eq"), ("2", "times", "eq")]),
        ("20 km/h +0/-2 km/h", [("20", "km/h", "eq")]),
        ("45 °C ± 5 K", [("45", "degC", "eq")]),
    ],
)
def test_is_read_as_it_stands(text: str, read: list[tuple[str, str, str]]) -> None:
    assert [(str(item.value), item.unit, item.bound) for item in measurements(text)] == read


@pytest.mark.parametrize(
    "text",
    [
        "at least 4 1/2 seconds",
        "at least 4. 5 seconds",
        "at least 4·5 seconds",
        "at least 4½ seconds",
        "at least 4'5 seconds",
        "at least 1.000,5 seconds",
        "at least twenty-four seconds",
        "at least four point five seconds",
        "at least one hundred and five seconds",
        "at least l4 seconds",
        "at least 4.O seconds",
        "at 4 seconds +0/-2 km/h",
        "at 4 seconds (with a tolerance of +0/-2 km/h)",
    ],
)
def test_no_half_of_a_number_is_read(text: str) -> None:
    assert [item for item in measurements(text) if item.unit == "s"] == []


def test_the_words_before_a_list_bound_its_items() -> None:
    text = "The share shall be at least:\n(a) 10 per cent of them."
    item = Sentence("(a) 10 per cent of them.", text.index("(a)"), len(text))
    assert lead_in_bound(text, item) == "ge"
    assert lead_in_bound("It reaches the limit or stays below it:\n(a) 10 per cent.", Sentence("(a) 10 per cent.", 40, 56)) == "eq"


@pytest.mark.parametrize(
    ("text", "units"),
    [("Speed in km/h", ("km/h",)), ("Limit (m/s)", ("m/s",)), ("All values in mph.", ("mph",)), ("Mass in running order", ())],
)
def test_units_that_a_table_declares(text: str, units: tuple[str, ...]) -> None:
    assert units_named(text) == units
