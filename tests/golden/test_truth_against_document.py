"""The hand-typed truth against the official document and the published limits, read here on their own (no reader of regc).

Skipped without the folder `shared` beside the checkout: the official text is not ours to distribute.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
PDF = SHARED / "regulations" / "un152-r2" / "un152-r2.pdf"
LIMITS = SHARED / "vectors" / "un152_eu2020-1597_limits.csv"
LOADS = ("maximum_mass", "running_order")

Record = dict[str, str]


def table(edition: str, name: str) -> list[Record]:
    with (ROOT / "golden" / "un152" / edition / "truth" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


DRIVEN = [row for row in table("02", "fields.csv") if row["family"] != "false_reaction"]
TEXTS = table("02", "scenarios.csv") + table("eu2020-1597", "scenarios.csv")


@pytest.fixture(scope="module")
def pages() -> list[str]:
    if not PDF.is_file():
        pytest.skip("the official text of UN R152 (../shared) is not at hand")
    import pypdfium2

    document = pypdfium2.PdfDocument(PDF)
    return [page.get_textpage().get_text_range().replace("\r", "") for page in document]


def captioned(text: str, caption: str, row: str) -> list[list[tuple[str, ...]]]:
    """The rows that match under each caption, until the next one."""
    starts = [found.start() for found in re.finditer(caption, text, re.MULTILINE)]
    return [re.findall(row, text[start:end], re.MULTILINE) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]


@pytest.fixture(scope="module")
def limits(pages: list[str]) -> dict[tuple[str, str, str, str], str]:
    """(kind, category, load, row) -> limit, from pages 9 to 13."""
    tables = captioned("\n".join(pages[8:13]), r"^Maximum[^\n]*km/h\) for [MN]1", r"^(\d\d) (\d+\.\d\d) (\d+\.\d\d)(?!\S)")
    assert len(tables) == 6
    kinds = [(kind, category) for kind in ("car", "pedestrian", "bicycle") for category in ("M1", "N1")]
    return {
        (kind, category, load, cells[0]): cells[1 + i]
        for (kind, category), rows in zip(kinds, tables, strict=True)
        for cells in rows
        for i, load in enumerate(LOADS)
    }


@pytest.fixture(scope="module")
def prescribed(pages: list[str]) -> dict[tuple[str, str, str], dict[str, tuple[str, str]]]:
    """(target, category, load) -> {speed: (plus, minus)}, from pages 17 to 19."""
    text = "\n".join(pages[16:19])
    names = re.findall(r"for ([MN]1) category in (\w+) target", text)
    tables = captioned(text, r"for [MN]1 category in \w+ target", r"^(\d\d) (\d\d) \+(\d)/-(\d)")
    assert len(tables) == 8
    return {
        (target, category, load): {cells[i]: (cells[2], cells[3]) for cells in rows}
        for (category, target), rows in zip(names, tables, strict=True)
        for i, load in enumerate(LOADS)
    }


def kind(row: Record) -> str:
    return "car" if row["family"].endswith("_car") else row["family"].removeprefix("car_to_")


def target(row: Record) -> str:
    return row["family"].removeprefix("car_to_").removesuffix("_car")


def test_every_limit_is_the_documents(limits: dict[tuple[str, str, str, str], str]) -> None:
    for row in DRIVEN:
        key = (kind(row), row["category"], row["load_kind"], row["relative_speed"])
        assert row["max_impact_speed"] == limits[key], row["id"]


def test_every_row_that_can_be_reached_has_a_scenario(limits: dict[tuple[str, str, str, str], str]) -> None:
    for name in ("stationary", "moving", "pedestrian", "bicycle"):
        own = {key for key in limits if key[0] == ("car" if name in ("stationary", "moving") else name)}
        if name == "moving":
            own = {key for key in own if int(key[3]) <= 60 - 10}  # both vehicles within 10 to 60 km/h
        found = {(kind(row), row["category"], row["load_kind"], row["relative_speed"]) for row in DRIVEN if target(row) == name}
        assert found == own


def test_prescribed_speeds_and_tolerances_are_the_documents(prescribed: dict[tuple[str, str, str], dict[str, tuple[str, str]]]) -> None:
    assert sum(len(speeds) for speeds in prescribed.values()) == 44
    for key, speeds in prescribed.items():
        rows = [row for row in DRIVEN if (target(row), row["category"], row["load_kind"]) == key]
        mandatory = [row for row in rows if row["status"] == "mandatory"]
        assert {row["subject_speed"]: (row["speed_plus"], row["speed_minus"]) for row in mandatory} == speeds
        for row in rows:
            higher = [speed for speed in speeds if int(speed) >= int(row["subject_speed"])]
            borrowed = speeds[min(higher or [max(speeds, key=int)], key=int)]
            assert (row["speed_plus"], row["speed_minus"]) == borrowed, row["id"]


@pytest.mark.parametrize(
    ("family", "page", "pattern", "columns"),
    [
        ("car_to_stationary_car", 16, r"offset of not more than ([\d.]+) m", ("max_lateral_offset",)),
        ("car_to_stationary_car", 17, r"TTC\) of at least (\d) s", ("min_ttc",)),
        ("car_to_stationary_car", 8, r"at the latest ([\d.]+) s", ("min_warning_lead_time",)),
        (
            *("car_to_stationary_car", 8),  # the lead is asked under a condition
            r"relative speed above that speed up to which[^.]* avoid the collision[^.]*5\.5\.1\.[^.]*latest ([\d.]+) s",
            ("min_warning_lead_time",),
        ),
        ("car_to_stationary_car", 8, r"demand of at least ([\d.]+) m/s", ("min_braking_demand",)),
        ("car_to_moving_car", 17, r"offset of not more than ([\d.]+)m", ("max_lateral_offset",)),
        ("car_to_moving_car", 17, r"TTC of at least\s+(\d) s", ("min_ttc",)),
        ("car_to_moving_car", 17, r"tolerance of \+(\d)/-(\d) km/h for the target", ("target_plus", "target_minus")),
        ("car_to_pedestrian", 18, r"offset of not more\s+than ([\d.]+) m", ("max_lateral_offset",)),
        ("car_to_pedestrian", 18, r"tolerance of not\s+more than ([\d.]+) m", ("impact_point_tolerance",)),
        ("car_to_pedestrian", 18, r"TTC of at least\s+(\d) s", ("min_ttc",)),
        ("car_to_pedestrian", 18, r"speed of (\d+) km/h \+(\d)/-([\d.]+) km", ("target_speed", "target_plus", "target_minus")),
        ("car_to_pedestrian", 10, r"demand of at least ([\d.]+) m/s", ("min_braking_demand",)),
        ("car_to_bicycle", 18, r"crankshaft[^.]*not more than ([\d.]+) m", ("max_lateral_offset",)),
        ("car_to_bicycle", 19, r"tolerance of not more than ([\d.]+) m", ("impact_point_tolerance",)),
        ("car_to_bicycle", 18, r"(?s)6\.7\.1\..*TTC of at least\s+(\d) s", ("min_ttc",)),
        ("car_to_bicycle", 18, r"speed of (\d\d) km/h \+(\d)/-([\d.]+) km", ("target_speed", "target_plus", "target_minus")),
        ("car_to_bicycle", 12, r"demand of at least ([\d.]+) m/s", ("min_braking_demand",)),
        ("car_to_stationary_car", 20, r"([\d.]+) per cent[^;]*Car to Car", ("max_failed_share",)),
        ("car_to_moving_car", 20, r"([\d.]+) per cent[^;]*Car to Car", ("max_failed_share",)),
        ("car_to_pedestrian", 20, r"([\d.]+) per cent[^;]*Car to Pedestrian", ("max_failed_share",)),
        ("car_to_bicycle", 20, r"([\d.]+) per cent[^;]*Car to Bicycle", ("max_failed_share",)),
    ],
)
def test_number_in_prose_is_the_documents(pages: list[str], family: str, page: int, pattern: str, columns: tuple[str, ...]) -> None:
    found = re.search(pattern, pages[page - 1])
    assert found, f"page {page} has no {pattern}"
    assert {tuple(row[column] for column in columns) for row in DRIVEN if row["family"] == family} == {found.groups()}


@pytest.mark.parametrize("page", [16, 17, 18])
def test_straight_time_and_runs_are_words_in_the_document(pages: list[str], page: int) -> None:
    assert re.search(r"at\s+least\s+two seconds", pages[page - 1])
    assert "performed two times" in pages[19]
    assert {(row["min_straight_time"], row["runs"]) for row in DRIVEN} == {("2", "2")}


def test_false_reaction_numbers_are_the_documents(pages: list[str]) -> None:
    text = "\n".join(pages[31:36])
    for row in table("02", "scenarios.csv"):
        found = re.search(r"A3App2-(\d)\.2_FR", row["Unique_ID"])
        if not found:
            continue
        start = text.index(f"\n{found[1]}.2. ")
        paragraph = text[start + 5 : text.index("Figure", start)]
        paragraph = re.sub(r"\n(E/ECE[^\n]*|Annex 3[^\n]*|\d+)(?=\n)", "", paragraph)
        pattern = r"(?<![\w.])[+\-]?\d+(?:\.\d+)?(?=\s|/-| )"
        said = re.findall(r"(?<!\w)[+\-]?\d+(?:\.\d+)?", row["test_scenario"])
        assert said == re.findall(pattern, paragraph), row["Unique_ID"]


def test_evidence_items_exist_in_the_document(pages: list[str]) -> None:
    text = "\n" + "\n".join(pages)
    appendix = "\n" + "\n".join(pages[31:])
    for item in {row["item"] for row in table("02", "evidence.csv")}:
        if item == "Annex 3 - Appendix 2":
            assert item in text
        elif item.startswith("Annex"):
            assert f"\n{item.split(', ')[1]}. " in appendix
        elif item.startswith("footnote"):
            assert re.search(rf"\n{item.split()[1]} (For|The) ", text), item
        else:
            assert re.search(rf"\n{re.escape(item.split('#')[0])}\.? ", text), item


def test_truth_takes_no_sentence_of_the_document(pages: list[str]) -> None:
    def words(text: str) -> list[str]:
        return re.findall(r"[a-z]+", text.lower())

    size = 8
    official = words("\n".join(pages))
    runs = {tuple(official[i : i + size]) for i in range(len(official))}
    for row in TEXTS:
        own = words(row["test_scenario"])
        same = [own[i : i + size] for i in range(len(own) - size + 1) if tuple(own[i : i + size]) in runs]
        same = [found for found in same if not {"tolerance", "km"} <= set(found)]
        assert not same, row["Unique_ID"]


def test_eu_limits_are_the_published_ones() -> None:
    if not LIMITS.is_file():
        pytest.skip("the published limits (../shared) are not at hand")
    with LIMITS.open(encoding="utf-8", newline="") as file:
        published = [row for row in csv.DictReader(file) if row["category"] == "M1" and row["max_impact_speed_kmh"]]
    loads = {
        "laden": "maximum_mass",
        "unladen": "running_order",
        "maximum mass": "maximum_mass",
        "mass in running order": "running_order",
    }
    expected = {
        ("pedestrian" if row["target"] == "crossing" else row["target"], loads[row["load_state"]], row["speed_kmh"]): row[
            "max_impact_speed_kmh"
        ]
        for row in published
    }
    found = {
        (target(row), row["load_kind"], row["relative_speed"]): row["max_impact_speed"] for row in table("eu2020-1597", "fields.csv")
    }
    assert found == expected
