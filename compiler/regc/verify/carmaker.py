"""TestRuns of CarMaker: the places that they name, what they say is assumed, and the speed of the subject vehicle, against the sheet of
the test's stage. All else in them is held by their hash."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from regc.verify.folder import Folder
from regc.verify.suite import Test
from regc.verify.words import labels

_RUNS = "carmaker/Data/TestRun"
_ASSUMED = re.compile(r"# assumed A\d+: (\S+) = (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?) (\S*) ?\(")
_SPEED = re.compile(r"\$SubjectSpeed=(-?\d+(?:\.\d+)?)")
#: A line of a sheet, and what a km/h of CarMaker is of its m/s.
_SUBJECT, _KMH = "subject.speed", 3.6
_NEAR = 1e-5


def check(folder: Folder, tests: Mapping[str, Test], sheets: Mapping[str, list[Mapping[str, Any]]]) -> None:
    """Every TestRun that is called as a test; without a sidecar of that test there is no sheet, and its places alone are checked."""
    for name in folder.under(_RUNS, ""):
        test = tests.get(name.rpartition("/")[2])
        if test is not None:
            with folder.form_of(name):
                _run(folder, name, (folder.bytes(name) or b"").decode("utf-8"), test, sheets.get(test.id, ()))


def _run(folder: Folder, name: str, text: str, test: Test, sheets: Sequence[Mapping[str, Any]]) -> None:
    folder.with_numbers.add(name)
    known = labels(test)
    for line in text.splitlines():
        place = line.strip().removeprefix("source: ")
        if place != line.strip() and place not in known:
            folder.differ("V570", name, "source", place, "no such place in scenarios.json", test.id)
        assumed = _ASSUMED.match(line)
        if assumed and sheets:
            _held(folder, name, test, sheets, assumed[1], float(assumed[2]), f"{assumed[2]} {assumed[3]}".strip(), assumed[3])
        for speed in _SPEED.finditer(line) if sheets else ():
            _held(folder, name, test, sheets, _SUBJECT, float(speed[1]) / _KMH, f"{speed[1]} km/h", "m/s")


def _held(
    folder: Folder, name: str, test: Test, sheets: Sequence[Mapping[str, Any]], key: str, number: float, said: str, unit: str
) -> None:
    """Note a number that no sheet of the test has by that name."""
    lines = [sheet[key] for sheet in sheets if key in sheet]
    folder.calculated += 1
    near = _NEAR * max(1.0, abs(number))
    if not any(abs(abs(float(line["value"])) - abs(number)) <= near and line["unit"] == unit for line in lines):
        held = f"the sheet takes {lines[0]['value']} {lines[0]['unit']}".strip() if lines else "the sheet has no such line"
        folder.differ("V564", name, key, said, held, test.id)
