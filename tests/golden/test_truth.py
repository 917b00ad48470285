"""The hand-written truth is well-formed, says what it must and nothing else, and equals the official document where that is at hand."""

from __future__ import annotations

import csv
import re
from collections import Counter
from decimal import Decimal
from itertools import product
from pathlib import Path

import pytest

Record = dict[str, str]

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "un152"
FIELD_COLUMNS = [
    *("id", "family", "category", "load_kind", "group", "status"),
    *("subject_speed", "speed_plus", "speed_minus", "target_speed", "relative_speed", "max_impact_speed"),
    *("min_ttc", "min_straight_time", "max_lateral_offset", "impact_point_tolerance", "target_plus", "target_minus"),
    *("min_warning_lead_time", "min_braking_demand", "runs", "max_failed_share"),
]
#: 02 asks the lead under a condition, and has another form where the collision comes too suddenly; the EU edition has neither.
LEAD = FIELD_COLUMNS.index("min_warning_lead_time") + 1
FIELD_COLUMNS_02 = [*FIELD_COLUMNS[:LEAD], "warning_only_if", "warning_otherwise", *FIELD_COLUMNS[LEAD:]]
EVIDENCE_COLUMNS = ["family", "category", "load_kind", "item", "kind", "why"]
TEXT_COLUMNS = ["Unique_ID", "Test_title", "test_scenario"]

TOKENS = {
    "car_to_stationary_car": ("6.4", "CtoStC"),
    "car_to_moving_car": ("6.5", "CtoMoC"),
    "car_to_pedestrian": ("6.6.1", "CtoP"),
    "car_to_bicycle": ("6.7.1", "CtoB"),
}
CARS = ("car_to_stationary_car", "car_to_moving_car")
LOADS = ("maximum_mass", "running_order")
LOAD_WORDS = {"maximum_mass": "maximum mass", "running_order": "mass in running order"}
LOAD_IDS = {"maximum_mass": "MaxMass", "running_order": "MassRun"}
CAR_LOADS = {"maximum_mass": "laden", "running_order": "unladen"}
MOTION = {"car_to_stationary_car": {"stationary"}, "car_to_moving_car": {"moving"}}
VOCABULARY = ("unladen", "laden", "MassRun", "MaxMass", "maximum mass", "mass in running order", "stationary", "moving", "stopped")
FALSE_REACTION_NUMBERS = {
    "S1-IntersectionTurn": "30 +0 -2 16 2.8 10 1.7 0",
    "S2-ForwardVehicleTurn": "40 +0 -2 10 +0 -2 26 4.7 20 2.5 0",
    "S3-CurveGuardPipe": "30 +0 -2 25 22 1.6 21 1.1 0 -100",
    "S4-LaneChangeSignboard": "40 +0 -2 4.2 3.3 -100",
}
FALSE_REACTION_TERMS = {"S1-IntersectionTurn": {"stopped"}, "S3-CurveGuardPipe": {"stationary"}}


def table(edition: str, name: str) -> list[Record]:
    with (GOLDEN / edition / "truth" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


FIELDS, TEXTS, EVIDENCE = (table("02", name) for name in ("fields.csv", "scenarios.csv", "evidence.csv"))
EU_FIELDS, EU_TEXTS = (table("eu2020-1597", name) for name in ("fields.csv", "scenarios.csv"))
DRIVEN = [row for row in FIELDS if row["family"] != "false_reaction"]


def numbers(text: str) -> list[str]:
    """The numbers of a text as written, by the regex of the score."""
    return re.findall(r"(?<!\w)[+\-]?\d+(?:[.,]\d+)?", text)


def terms(text: str) -> set[str]:
    return {term for term in VOCABULARY if re.search(rf"\b{term}", text, re.IGNORECASE)}


def expected_numbers(row: Record) -> list[str]:
    """What a text of edition 02 states, in order."""
    speed = [row["subject_speed"], f"+{row['speed_plus']}", f"-{row['speed_minus']}"]
    target = [row["target_speed"], f"+{row['target_plus']}", f"-{row['target_minus']}"]
    start = [row["min_straight_time"], row["max_lateral_offset"], *speed]
    demand = [row["min_braking_demand"], row["runs"]]
    if row["family"] == "car_to_stationary_car":
        return [*start, row["min_ttc"], row["max_impact_speed"], row["min_warning_lead_time"], *demand]
    if row["family"] == "car_to_moving_car":
        closing = [*target, row["relative_speed"], row["min_ttc"]]
        return [*start, *closing, row["max_impact_speed"], row["min_warning_lead_time"], *demand]
    return [*start, row["min_ttc"], *target, row["impact_point_tolerance"], row["max_impact_speed"], *demand]


@pytest.mark.parametrize(
    ("edition", "name", "columns", "count"),
    [
        ("02", "fields.csv", FIELD_COLUMNS_02, 184),
        ("02", "scenarios.csv", TEXT_COLUMNS, 184),
        ("02", "evidence.csv", EVIDENCE_COLUMNS, 504),
        ("eu2020-1597", "fields.csv", FIELD_COLUMNS, 59),
        ("eu2020-1597", "scenarios.csv", TEXT_COLUMNS, 59),
    ],
)
def test_file_is_well_formed(edition: str, name: str, columns: list[str], count: int) -> None:
    content = (GOLDEN / edition / "truth" / name).read_bytes()
    assert b"\r" not in content
    assert content.isascii()
    assert content.endswith(b"\n")
    rows = table(edition, name)
    assert len(rows) == count
    for row in rows:
        assert list(row) == columns
        assert all(value == value.strip() for value in row.values())
    if name != "evidence.csv":
        assert len({row[columns[0]] for row in rows}) == count


def test_02_counts_by_family_and_category() -> None:
    count = Counter((TOKENS[row["family"]][1], row["category"]) for row in DRIVEN)
    expected = {"CtoStC": (24, 28), "CtoMoC": (20, 24), "CtoP": (20, 22), "CtoB": (20, 22)}
    assert count == {(token, category): expected[token][i] for token in expected for i, category in enumerate(("M1", "N1"))}
    status = Counter(row["status"] for row in FIELDS)
    assert status == {"mandatory": 44, "ts_option": 136, "guidance": 4}


@pytest.mark.parametrize("row", DRIVEN, ids=lambda row: row["id"])
def test_02_driven_row(row: Record) -> None:
    clause, token = TOKENS[row["family"]]
    subject, target = int(row["subject_speed"]), int(row["target_speed"])
    in_lane = row["family"] in CARS
    stem = f"UNR152-02_p{clause}_{token}_{row['category']}_{LOAD_IDS[row['load_kind']]}_{subject:03d}"
    assert row["id"] == (f"{stem}-{target:03d}" if row["family"] == "car_to_moving_car" else stem)
    assert row["group"] == ""
    assert int(row["relative_speed"]) == (subject - target if in_lane else subject)
    assert (10 if in_lane else 20) <= subject <= 60
    assert Decimal(row["max_impact_speed"]) < Decimal(row["relative_speed"])
    lowest = 30 if row["family"] == "car_to_moving_car" else 20
    assert (row["speed_plus"], row["speed_minus"]) == (("2", "0") if subject <= lowest else ("0", "2"))
    assert row["min_warning_lead_time"] == ("0.8" if in_lane else "")
    assert row["warning_only_if"] == ("relative > avoids_up_to" if in_lane else "")
    assert row["warning_otherwise"] == ("warning before braking" if in_lane else "")
    assert row["max_failed_share"] == ("20.0" if row["family"] == "car_to_bicycle" else "10.0")
    prescribed = {"car_to_stationary_car": "0", "car_to_moving_car": "20", "car_to_pedestrian": "5", "car_to_bicycle": "15"}
    if row["target_speed"] != prescribed[row["family"]]:
        assert (row["family"], row["status"], subject) == ("car_to_moving_car", "ts_option", 60)
        assert row["relative_speed"] in ("42", "45", "50")


@pytest.mark.parametrize(("row", "text"), list(zip(FIELDS, TEXTS, strict=True)), ids=lambda row: next(iter(row.values())))
def test_02_text_states_its_numbers_and_terms_only(row: Record, text: Record) -> None:
    assert text["Unique_ID"] == row["id"]
    said, words = numbers(text["test_scenario"]), terms(text["test_scenario"])
    if row["family"] == "false_reaction":
        name = row["id"].split("_FR_")[1]
        assert said == FALSE_REACTION_NUMBERS[name].split()
        assert words == FALSE_REACTION_TERMS.get(name, set())
        assert said[0] == row["subject_speed"]
        return
    assert said == expected_numbers(row)
    assert words == {LOAD_WORDS[row["load_kind"]]} | MOTION.get(row["family"], set())
    assert re.search(rf"\b{row['category']}\b", text["test_scenario"])


def test_texts_of_a_file_differ() -> None:
    for rows in (TEXTS, EU_TEXTS):
        assert len({row["test_scenario"] for row in rows}) == len(rows)


@pytest.mark.parametrize(("row", "text"), list(zip(EU_FIELDS, EU_TEXTS, strict=True)), ids=lambda row: next(iter(row.values())))
def test_eu_text_states_its_numbers_and_terms_only(row: Record, text: Record) -> None:
    clause, token = TOKENS[row["family"]]
    load = (CAR_LOADS if row["family"] in CARS else LOAD_IDS)[row["load_kind"]]
    speed, limit = row["relative_speed"], row["max_impact_speed"]
    assert text["Unique_ID"] == f"Test_{token}_{load}_{speed}"
    suffix = f"{int(row['subject_speed']):03d}" + (f"-{int(row['target_speed']):03d}" if token == "CtoMoC" else "")
    assert row["id"] == f"UNR152-EU2020-1597_p{clause}_{token}_M1_{load}_{suffix}"
    expected = {
        "CtoStC": ["2", speed, "+0", "-2", "4", limit],
        "CtoMoC": ["2", speed, "+0", "-2", "4", "20", "+0", "-2", "0"],
        "CtoP": ["5", "0.1", "10", speed, "+0", "-2", limit],
    }
    assert numbers(text["test_scenario"]) == expected[token]
    words = CAR_LOADS if row["family"] in CARS else LOAD_WORDS
    assert terms(text["test_scenario"]) == {words[row["load_kind"]]} | MOTION.get(row["family"], set())


def test_eu_counts_and_constants() -> None:
    count = Counter(re.sub(r"_\d+$", "", row["Unique_ID"]) for row in EU_TEXTS)
    assert count == {
        "Test_CtoStC_laden": 12,
        "Test_CtoStC_unladen": 12,
        "Test_CtoMoC_laden": 7,
        "Test_CtoMoC_unladen": 8,
        "Test_CtoP_MaxMass": 10,
        "Test_CtoP_MassRun": 10,
    }
    mandatory = {
        "car_to_stationary_car": ("20", "42", "60"),
        "car_to_moving_car": ("10", "40"),
        "car_to_pedestrian": ("20", "30", "60"),
    }
    for row in EU_FIELDS:
        assert (row["status"] == "mandatory") == (row["relative_speed"] in mandatory[row["family"]])
        assert (row["speed_plus"], row["speed_minus"], row["min_ttc"], row["min_straight_time"]) == ("0", "2", "4", "2")
        assert (row["runs"], row["max_failed_share"], row["max_lateral_offset"], row["group"]) == ("", "", "", "")
        in_lane = row["family"] in CARS
        assert int(row["relative_speed"]) == int(row["subject_speed"]) - (int(row["target_speed"]) if in_lane else 0)
        assert int(row["subject_speed"]) <= 60


def test_evidence_covers_every_combination_once() -> None:
    keys = [(row["family"], row["category"], row["load_kind"], row["item"]) for row in EVIDENCE]
    assert len(set(keys)) == len(keys)
    assert {key[:3] for key in keys} == {*product(TOKENS, ("M1", "N1"), LOADS), ("false_reaction", "", "")}
    for row in EVIDENCE:
        assert row["why"]
        kind = "footnote" if row["item"].startswith("footnote ") else "table" if "#" in row["item"] else "clause"
        assert row["kind"] == kind


def test_evidence_has_the_tables_and_footnotes_of_its_own_category_only() -> None:
    tables = {"car_to_stationary_car": ("5.2.1.4", "6.4"), "car_to_moving_car": ("5.2.1.4", "6.5")}
    tables |= {"car_to_pedestrian": ("5.2.2.4", "6.6.1"), "car_to_bicycle": ("5.2.3.4", "6.7.1")}
    notes = {"5.2.1.4": 3, "5.2.2.4": 5, "5.2.3.4": 7}
    for family, (i, category), load in product(TOKENS, enumerate(("M1", "N1")), LOADS):
        items = {row["item"] for row in EVIDENCE if (row["family"], row["category"], row["load_kind"]) == (family, category, load)}
        limit, procedure = tables[family]
        assert {item for item in items if "#" in item} == {f"{limit}#{i + 1}", f"{procedure}#{i + 1}"}
        assert {item for item in items if item.startswith("footnote")} == {f"footnote {notes[limit] + i}", "footnote 9"}
        assert {limit, procedure, "6.2.1", "6.10.1"} <= items
        assert ("2.16" in items, "2.17" in items) == (load == "running_order", load == "maximum_mass")
