"""Numbers as clumsy or damaged texts write them: read as they stand, or not read at all; never the half of one."""

from __future__ import annotations

import pytest

from regc.lang.words import quantities, units_listed


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
        ("speeds of 10 – 60 km/h", [("10..60", "km/h", "eq")]),
        ("speeds of 10-60 km/h", [("10..60", "km/h", "eq")]),
        ("between 0 °C - 45 °C", [("0..45", "degC", "eq")]),
        ("at least 4 or 3 seconds", [("4", "s", "ge"), ("3", "s", "ge")]),
        ("repeated one or two times", [("1", "", "eq"), ("2", "", "eq")]),
        ("20 km/h +0/-2 km/h", [("20", "km/h", "eq")]),
        ("45 °C ± 5 K", [("45", "degC", "eq")]),
    ],
)
def test_is_read_as_it_stands(text: str, read: list[tuple[str, str, str]]) -> None:
    """A range is "10..60"; a tolerance is no number of its own here."""
    found = [item for item in quantities(text).measurements if item.dimension != "tolerance"]
    assert [(str(item.lo) if item.lo == item.hi else f"{item.lo}..{item.hi}", item.unit, item.bound) for item in found] == read


@pytest.mark.parametrize(
    "text",
    [
        "at least 4 1/2 seconds",
        "at least 4. 5 seconds",
        "at least 4·5 seconds",
        "at least 4½ seconds",
        "at least 4'5 seconds",
        "at least 1.000,5 seconds",
        "at least four point five seconds",
        "at least one hundred and five seconds",
        "at least l4 seconds",
        "at least 4.O seconds",
        "at - 5 °C",
        "at minus 5 °C",
        "at 4 seconds +0/-2 km/h",
        "at 4 seconds (with a tolerance of +0/-2 km/h)",
    ],
)
def test_no_half_of_a_number_is_read(text: str) -> None:
    """Neither as a time nor as a count, and whoever reads the place is told why."""
    reading = quantities(text)
    assert [item for item in reading.measurements if item.dimension != "tolerance"] == []
    assert reading.doubts or "l4" in text


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("Speed in km/h", ("km/h",)),
        ("Limit (m/s)", ("m/s",)),
        ("All values in mph.", ("mph",)),
        ("Mass in running order", ()),
        ("Speed in km/h (mph)", ("km/h", "mph")),
    ],
)
def test_units_that_a_table_declares(text: str, units: tuple[str, ...]) -> None:
    assert units_listed(text) == units
