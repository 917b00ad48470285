"""Damaged copies of the embedded text: what a document says twice, in another unit or not at all is told by a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.edits import TEXT, compile_text, edited

#: Faults made on purpose, many of them: .ci/run has them after the others.
pytestmark = pytest.mark.slow

LIMITS = "**M1 vehicles: maximum relative impact speed"
SPEEDS = "stationary target, M1 category"
ROW = "<tr><td>42</td><td>10.00</td><td>0.00</td></tr>\n"

#: name -> (anchor, old, new, code of the finding, words in its message)
DAMAGED = {
    "limits in m/s": (LIMITS, "impact speed (km/h)", "impact speed (m/s)", "T316", "m/s"),
    "row headers in mph": (LIMITS, "Relative speed in km/h", "Relative speed in mph", "T318", "no row for"),
    "unit under the limits": (LIMITS, "All values in km/h", "All values in m/s", "T316", "m/s"),
    "unit under the test speeds": (SPEEDS, "All values in km/h", "All values in mph", "T317", "subject 60 mph"),
    "unit of the tolerance": (SPEEDS, "<th>Tolerance</th>", "<th>Tolerance (mph)</th>", "T316", "gives mph"),
    "a letter in a row header": (LIMITS, "<td>42</td>", "<td>4O</td>", "T303", "'4O' is not one number"),
    "a row header with its unit": (LIMITS, "<td>42</td>", "<td>42 m/s</td>", "R107", "'42 m/s' is no figure"),
    "a row too short": (LIMITS, ROW, "<tr><td>42</td><td>0.00</td></tr>\n", "R107", "has 2 of 3 cells"),
    "a row too long": (LIMITS, ROW, ROW.replace("</tr>", "<td>7.00</td></tr>"), "R107", "has 3 of 4 cells"),
    "one header for two loads": (LIMITS, "<th>Maximum mass<", "<th>Maximum mass, mass in running order<", "T302", "name 'max'"),
    "a letter in a test speed": (SPEEDS, "<td>40</td>", "<td>4O</td>", "T303", "'4O' is not one speed"),
    "no test speed": (SPEEDS, "<td>40</td>", "<td></td>", "P110", "needs 'subject'"),
    "a test speed twice": (SPEEDS, "<td>60</td><td>60</td>", "<td>40</td><td>60</td>", "T319", "two rows prescribe the same test"),
    "a limit row that a test speed needs": (LIMITS, ROW, "", "T318", "no row for the prescribed test speed 42 km/h"),
    "a test speed past the limits": (SPEEDS, "<td>60</td><td>60</td>", "<td>90</td><td>60</td>", "T317", "subject 90 km/h"),
    "no tolerance": (SPEEDS, "<td>+2/-0</td>", "<td></td>", "T315", "'' is no tolerance"),
    "a dash for a tolerance": (SPEEDS, "<td>+2/-0</td>", "<td>-</td>", "T315", "'-' is no tolerance"),
    "half a tolerance": (SPEEDS, "<td>+2/-0</td>", "<td>+2</td>", "T303", "'+2' is not one tolerance"),
    "two signs alike": (SPEEDS, "<td>+2/-0</td>", "<td>+2/+0</td>", "T303", "'+2/+0' is not one tolerance"),
    "no column of tolerances": (SPEEDS, "<th>Tolerance</th>", "<th>Remark</th>", "T302", "name 'Tolerance'"),
    "a caption that names nobody": (SPEEDS, "M1 category", "Ml category", "T301", "0 tables of 6.4 are for category M1"),
    "a caption of another category": ("## 6.4.", SPEEDS, SPEEDS.replace("M1", "N1"), "T301", "0 tables of 6.4 are for category M1"),
    "bounds that changed places": ("6.1.2. During", "0 °C and 45 °C", "45 °C and 0 °C", "L204", "2 numbers"),
    "a second number": ("## 6.4.", "Between the start", "The functional part has a TTC of 3 seconds.\n\nBetween the start",
                        "L204", "3 s"),
    "a second tolerance": ("## 6.5.", "Between the start", "The target drives 20 km/h +0/-5 km/h.\n\nBetween the start",
                           "C101", "+0/-5"),
    "a tolerance in another unit": ("## 6.5.", "+0/-2 km/h", "+0/-2 m/s", "L203", "target travelling at"),
    "at least where at most was": ("6.10.1. Each", "shall be at most", "shall be at least", "E406", "failed_share is an upper bound"),
    "half a number": ("## 6.4.", "at least 4 seconds", "at least 4½ seconds", "L203", "[at: TTC] has no time"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_told(name: str, tmp_path: Path) -> None:
    anchor, old, new, code, words = DAMAGED[name]
    found = compile_text(edited(TEXT, anchor, old, new), tmp_path).suite.findings
    told = [item for item in found if item.code == code and item.severity != "info" and words in item.message]
    assert told, [item.message for item in found if item.severity != "info"]
    assert all(item.hint or item.place for item in told)


@pytest.mark.parametrize("digits", ["1 000 lux", "1,000 lux"])
def test_digits_in_groups_are_one_number(digits: str, tmp_path: Path) -> None:
    suite = compile_text(edited(TEXT, "6.1.5. The", "1000 lux", digits), tmp_path).suite
    needed = {str(item.conditions["illumination"].lo) for item in suite.scenarios if item.test == "stationary"}  # type: ignore[union-attr]
    assert needed == {"1000"}
    assert not [item for item in suite.findings if item.severity != "info"]


def test_the_two_numbers_of_a_clause_that_took_anothers_number(tmp_path: Path) -> None:
    """6.4 becomes 6.5: a test of a clause that is not there is an error, and the tests of other clauses are made."""
    suite = compile_text(TEXT.replace("## 6.4. Warning", "## 6.5. Warning"), tmp_path).suite
    assert any(item.severity == "error" and "6.4" in item.message for item in suite.findings)
    assert {item.test for item in suite.scenarios} >= {"pedestrian", "bicycle"}
    assert "stationary" not in {item.test for item in suite.scenarios}
