"""The hand-typed truth of FMVSS No. 127: its form, its headways by the standard's equations, its rows against the official tables
(read here on their own, with no reader of regc)."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from lxml import etree

ROOT = Path(__file__).resolve().parents[2]
OFFICIAL = ROOT.parent / "shared" / "regulations" / "fmvss127" / "fmvss127.xml"
TRUTH = ROOT / "golden" / "fmvss127" / "2024" / "truth"

TOKENS = {
    "stopped_lead": "StopLead",
    "slower_lead": "SlowLead",
    "braking_lead": "BrakeLead",
    "crossing_right": "PedNear",
    "crossing_left": "PedFar",
    "crossing_obstructed": "PedHidden",
    "stationary_pedestrian": "PedStand",
    "pedestrian_along": "PedAlong",
    "trench_plate": "TrenchPlate",
    "pass_through": "PassThrough",
}
AXES = {
    "side": {"right": "Right", "left": "Left"},
    "overlap": {"25": "O25", "50": "O50"},
    "obstructed": {"no": "InSight", "yes": "Hidden"},
    "light": {"day": "Day", "lower": "LowBeam", "upper": "HighBeam"},
    "brake": {"none": "NoBrake", "manual": "ManBrake"},
}
#: The first column of the tables, by test.
STUBS = {
    "stopped_lead": "Stopped Lead Vehicle",
    "slower_lead": "Slower-Moving Lead Vehicle",
    "braking_lead": "Decelerating Lead Vehicle",
    "crossing_right": "Pedestrian Crossing Road",
    "crossing_left": "Pedestrian Crossing Road",
    "crossing_obstructed": "Pedestrian Crossing Road",
    "stationary_pedestrian": "Stationary Pedestrian",
    "pedestrian_along": "Pedestrian Moving Along the Path",
}

Record = dict[str, str]


def read(name: str) -> list[Record]:
    with (TRUTH / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


ROWS = read("truth.csv")
by_id = pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])


def number(cell: str) -> str:
    """The number or range of a cell without its unit, a range as the tables write it: "10..80 km/h" is "Any 10-80"."""
    value = cell.partition(" ")[0]
    return f"Any {value.replace('..', '-')}" if ".." in value else value


def test_there_is_a_row_for_each_test() -> None:
    assert len(ROWS) == len({row["id"] for row in ROWS}) == 24
    assert {row["test"] for row in ROWS} == set(TOKENS)
    assert {row["status"] for row in ROWS} == {"mandatory"}
    assert all(re.fullmatch(r"S\d+(\.\d+)*", card["clause"]) and card["why"] for card in read("cards.csv"))


@by_id
def test_id_says_clause_test_axes_and_speed(row: Record) -> None:
    speeds = re.findall(r"\d+", row["bind.subject"])
    tests_with_light = ("crossing", "pedestrian")
    axes = ("side", "overlap", "obstructed", "light") if any(word in row["test"] for word in tests_with_light) else ("brake",)
    tokens = "_".join(AXES[axis][row[f"axis.{axis}"]] for axis in axes)
    clause = re.fullmatch(r"FMVSS127-2024_p(S\d(?:\.\d)+)_.*", row["id"])
    assert clause is not None
    assert row["id"] == f"FMVSS127-2024_p{clause[1]}_{TOKENS[row['test']]}_{tokens}_{'to'.join(speed.zfill(3) for speed in speeds)}"


@by_id
def test_headway_is_that_of_the_time_to_collision(row: Record) -> None:
    """S7.2, S8.2, S9.1: time to collision times the difference of the speeds along the path."""
    if not row["bind.ttc"]:
        assert row["test"] == "braking_lead"
        return
    along = 0.0 if row["test"].startswith("crossing") or not row["bind.target"] else float(number(row["bind.target"]))
    speeds = [float(speed) for speed in re.findall(r"\d+", row["bind.subject"])]
    seconds = float(number(row["bind.ttc"]))
    expected = [f"{seconds * (speed - along) / 3.6:.2f}" for speed in speeds]
    assert row["bind.gap"] == f"{'..'.join(expected)} m"


@by_id
def test_light_and_braking_bring_what_belongs_to_them(row: Record) -> None:
    dark = row["axis.light"] != "day"
    assert row["conditions.illumination"] == ("<=0.2 lux" if dark else ">=2000 lux")
    assert row["conditions.headlamps"] == {"day": "", "lower": "low", "upper": "high"}[row["axis.light"]]
    assert bool(row["bind.brake_deceleration"]) == (row["axis.brake"] == "manual")
    assert bool(row["require.deceleration"]) != bool(row["require.contact"])


def tables() -> list[list[list[str]]]:
    """Rows of the official tables; what is blank is that of the row above, each light is a row of its own."""
    found = []
    for table in etree.parse(OFFICIAL).getroot().iter("GPOTABLE"):
        rows: list[list[str]] = []
        for row in table.iter("ROW"):
            cells = [[" ".join(text.split()) for text in entry.itertext() if text.strip()] for entry in row.iter("ENT")]
            for light in cells[-1]:
                texts = [cell[0].removesuffix(".") if cell else "" for cell in cells[:-1]] + [light.removesuffix(".")]
                rows.append([text or rows[-1][column] for column, text in enumerate(texts)])
        found.append(rows)
    return found


@pytest.mark.skipif(not OFFICIAL.is_file(), reason="the official XML is not beside the checkout (../shared/regulations)")
def test_rows_are_those_of_the_official_tables() -> None:
    words = {"": "—", "none": "No", "manual": "Yes", "day": "Daylight", "lower": "Lower Beams", "upper": "Upper Beams"}
    lead, pedestrian = [], []
    for row in ROWS:
        stub, speeds = STUBS.get(row["test"]), [number(row["bind.subject"]), number(row["bind.target"])]
        if stub and row["axis.side"]:
            where = [row["axis.side"].title(), row["axis.overlap"], row["axis.obstructed"].title()]
            pedestrian.append([stub, *where, *speeds, words[row["axis.light"]]])
        elif stub:
            gap = "—" if row["bind.ttc"] else number(row["bind.gap"])
            lead.append([stub, *speeds, gap, number(row["bind.target_deceleration"]) or "—", words[row["axis.brake"]]])
    assert [lead, pedestrian] == tables()
