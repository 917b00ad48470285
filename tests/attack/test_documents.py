"""Damaged copies of the embedded text: what a document says twice, in another unit or not at all is told by a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from regc.build import compile_regulation
from regc.job import Request
from regc.model.result import Checked
from tests.test_mutations import TEXT

LIMITS = "**M1 vehicles: maximum relative impact speed"
SPEEDS = "stationary target, M1 category"
ROW = "<tr><td>42</td><td>10.00</td><td>0.00</td></tr>"

#: name -> (anchor, old, new, code of the finding, words in its message)
DAMAGED = {
    "limits in m/s": (LIMITS, "impact speed (km/h)", "impact speed (m/s)", "V545", "m/s"),
    "row headers in mph": (LIMITS, "Relative speed in km/h", "Relative speed in mph", "V545", "mph"),
    "unit under the limits": (LIMITS, "All values in km/h", "All values in m/s", "V545", "m/s"),
    "unit under the test speeds": (SPEEDS, "All values in km/h", "All values in mph", "V545", "mph"),
    "unit of the tolerance": (SPEEDS, "<th>Tolerance</th>", "<th>Tolerance (mph)</th>", "V545", "mph"),
    "a letter in a row header": (LIMITS, "<td>42</td>", "<td>4O</td>", "V546", "begins with '4O'"),
    "a row header with its unit": (LIMITS, "<td>42</td>", "<td>42 m/s</td>", "V546", "begins with '42 m/s'"),
    "a row too short": (LIMITS, ROW, "<tr><td>42</td><td>0.00</td></tr>", "V551", "row 42"),
    "a row too long": (LIMITS, ROW, "<tr><td>42</td><td>10.00</td><td>0.00</td><td>7.00</td></tr>", "V551", "7.00"),
    "one header for two loads": (LIMITS, "<th>Maximum mass<", "<th>Maximum mass, mass in running order<", "V551", "running"),
    "a letter in a test speed": (SPEEDS, "<td>40</td>", "<td>4O</td>", "V546", "'4O' is no speed"),
    "no test speed": (SPEEDS, "<td>40</td>", "<td></td>", "V546", "'' is no speed"),
    "a test speed twice": (SPEEDS, "<td>60</td><td>60</td>", "<td>40</td><td>60</td>", "V503", "2 tests have this id"),
    "a limit row that a test speed needs": (LIMITS, ROW, "", "V544", "test speed 42"),
    "no tolerance": (SPEEDS, "<td>+2/-0</td>", "<td></td>", "V547", "'' is no tolerance"),
    "half a tolerance": (SPEEDS, "<td>+2/-0</td>", "<td>+2</td>", "V547", "'+2' is no tolerance"),
    "two signs alike": (SPEEDS, "<td>+2/-0</td>", "<td>+2/+0</td>", "V547", "'+2/+0' is no tolerance"),
    "no column of tolerances": (SPEEDS, "<th>Tolerance</th>", "<th>Remark</th>", "V547", "no column of tolerances"),
    "a caption that names nobody": (SPEEDS, "M1 category", "Ml category", "V548", "names no single category"),
    "a caption of another category": ("## 6.4.", SPEEDS, SPEEDS.replace("M1", "N1"), "V548", "no test speed for M1"),
    "bounds that changed places": ("6.1.2. During", "0 °C and 45 °C", "45 °C and 0 °C", "V515", "above the upper bound"),
    "a comma of thousands": ("6.1.5. The", "1000 lux", "1,000 lux", "V504", "1000 lux"),
    "a second number": ("## 6.4.", "Between the start", "The functional part has a TTC of 3 seconds.\n\nBetween the start",
                        "V521", "3 s"),
    "a second tolerance": ("## 6.5.", "Between the start", "The target drives 20 km/h +0/-5 km/h.\n\nBetween the start", "X402", "20"),
    "a tolerance in another unit": ("## 6.5.", "+0/-2 km/h", "+0/-2 m/s", "X401", "target.speed"),
    "at least where at most was": ("6.10.1. Each", "shall be at most", "shall be at least", "X401", "max_failed_share"),
}  # fmt: skip


def compiled(text: str, folder: Path) -> Checked:
    path = folder / "copy.md"
    path.write_text(text, encoding="utf-8", newline="\n")
    return compile_regulation(Request("un152", source=path)).checked


def damaged(anchor: str, old: str, new: str) -> str:
    place = TEXT.index(old, TEXT.index(anchor))
    return TEXT[:place] + new + TEXT[place + len(old) :]


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_told(name: str, tmp_path: Path) -> None:
    anchor, old, new, code, words = DAMAGED[name]
    found = compiled(damaged(anchor, old, new), tmp_path).findings
    told = [item for item in found if item.code == code and item.severity != "info" and words in item.message]
    assert told, [item.message for item in found if item.severity != "info"]
    assert all(item.hint for item in told)


def test_digits_in_groups_are_one_number(tmp_path: Path) -> None:
    checked = compiled(damaged("6.1.5. The", "1000 lux", "1 000 lux"), tmp_path)
    needed = [scenario.environment.min_illumination for scenario in checked.scenarios if scenario.family == "car_to_stationary_car"]
    assert {str(item.value) for item in needed if item} == {"1000"}
    assert not [item for item in checked.findings if item.severity != "info"]


def test_the_two_numbers_of_a_clause_that_took_anothers_number(tmp_path: Path) -> None:
    """6.4 becomes 6.5: the relative speed 20 - 20 is no test, and nothing divides by it."""
    checked = compiled(TEXT.replace("## 6.4. Warning", "## 6.5. Warning"), tmp_path)
    assert any(item.severity == "error" for item in checked.findings)
