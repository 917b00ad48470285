"""The embedded editions of UN R152: complete and with the original's figures."""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pypdfium2
import pytest

from regc.readers import markdown
from regc.resources import package_data

FOLDER = package_data("regulations", "un152")
SHARED = Path(__file__).resolve().parents[3] / "shared"
OFFICIAL = SHARED / "regulations" / "un152-r2" / "un152-r2.pdf"
LIMITS = SHARED / "vectors" / "un152_eu2020-1597_limits.csv"

needs_official = pytest.mark.skipif(
    not OFFICIAL.is_file(), reason="the official text is not beside the checkout (../shared/regulations)"
)
needs_limits = pytest.mark.skipif(not LIMITS.is_file(), reason="the limit tables are not beside the checkout (../shared/vectors)")

REGIONS = ("body", "Annex 1", "Annex 2", "Annex 3", "Annex 3 - Appendix 1", "Annex 3 - Appendix 2")
_FIGURE = re.compile(r"(?<![A-Za-z\d])\d+(?:\.\d+)*")
_NUMBERED = re.compile(r"(?m)^(?:#+ )?(\d+(?:\.\d+)*)\. ")


def embedded(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


@cache
def pdf_pages(path: Path) -> tuple[str, ...]:
    document = pypdfium2.PdfDocument(path)
    try:
        return tuple(page.get_textpage().get_text_range().replace("\r", "") for page in document)
    finally:
        document.close()


def regions(text: str) -> dict[str, str]:
    """An embedded edition by region, without footnotes."""
    text = re.sub(r"(?m)^\[\^[^\]]+\]: .*$", "", text)
    text = re.sub(r"\[\^[^\]]+\]", "", text)
    heads = [(match.start(), match[1]) for match in re.finditer(r"(?m)^# (Annex \d+(?: - Appendix \d+)?)(?=:|$)", text)]
    bounds = [(0, "body"), *heads, (len(text), "")]
    return {name: text[start : bounds[index + 1][0]] for index, (start, name) in enumerate(bounds[:-1])}


def paragraphs(text: str, numbers: list[str]) -> dict[str, str]:
    """The text behind each number, up to the next one; the numbers are looked for in their order."""
    places: list[tuple[int, int]] = []
    cursor = 0
    for number in numbers:
        found = re.compile(rf"(?m)^(?:#+ )?{re.escape(number)}\.? ").search(text, cursor)
        assert found, f"paragraph {number} is missing"
        places.append(found.span())
        cursor = found.end()
    ends = [start for start, _ in places[1:]] + [len(text)]
    return {number: text[start:end] for number, (_, start), end in zip(numbers, places, ends, strict=True)}


def figures(text: str) -> Counter[str]:
    return Counter(_FIGURE.findall(re.sub(r"<[^>]+>", " ", text)))


def official_regions() -> dict[str, str]:
    """The official text by region, without running heads, footnotes and footnote marks that stand on a line of their own."""
    parts: dict[str, str] = dict.fromkeys(REGIONS, "")
    region = ""
    for page in pdf_pages(OFFICIAL)[4:]:
        page = page.replace("\ufffe", "")
        page = re.sub(r"^E/ECE/TRANS[^\n]*\n(?:Annex[^\n]*\n)?\d+\n", "", page)
        page = re.split(r"(?m)^\d{1,2} (?!May|July)(?=[A-Z])", page)[0]
        for line in (page + "\n").splitlines(keepends=True):
            if line.startswith("1. Scope") and not region:
                region = "body"
            elif line.strip() in REGIONS:
                region = line.strip()
            if region and not re.fullmatch(r"\d{1,2}\s*", line):
                parts[region] += line
    return parts


Row = tuple[str, ...]


def tables(text: str) -> list[tuple[str, list[Row]]]:
    """Caption and body rows of each HTML table."""
    found = re.findall(r"(?m)^\*\*(.+?)\*\*(?:\[\^\d+\])?\n\n<table>\n(.*?)</table>\n\nAll values in km/h$", text, re.DOTALL)
    return [
        (caption, [tuple(re.findall(r"<td>(.*?)</td>", row)) for row in re.findall(r"<tr>(<td>.*?)</tr>", body)])
        for caption, body in found
    ]


def official_tables() -> list[list[Row]]:
    """Body rows of the official tables in their order; a row is a line of figures only."""
    found: list[list[Row]] = []
    for line in "\n".join(pdf_pages(OFFICIAL)).splitlines():
        if re.match(r"Maximum (?:relative )?Impact Speed|Subject vehicle test speed for", line):
            found.append([])
        row = re.match(r"\d+ (?:\d+\.\d\d \d+\.\d\d|\d+ \+\d/-\d)\b", line)
        if row and found:
            found[-1].append(tuple(row[0].split()))
    return found


def test_every_paragraph_of_edition_02_is_there_once_and_in_order() -> None:
    numbers = {region: _NUMBERED.findall(text) for region, text in regions(embedded("02.md")).items()}
    assert {region: len(found) for region, found in numbers.items()} == dict(zip(REGIONS, (165, 18, 0, 42, 26, 8), strict=True))
    for region, found in numbers.items():
        assert found == sorted(set(found), key=lambda number: [int(part) for part in number.split(".")]), region
    assert (numbers["body"][0], numbers["body"][-1]) == ("1", "12.3.2")


def test_our_reader_finds_all_of_edition_02_and_mends_nothing() -> None:
    path = FOLDER / "02.md"
    document = markdown.read(path, path.read_bytes(), regulation="un152", edition="02", title="", wording="embedded")
    assert (document.findings, document.repairs) == ((), ())
    assert Counter(clause.region for clause in document.clauses if clause.number) == Counter(
        {region: len(numbers) for region, text in regions(embedded("02.md")).items() if (numbers := _NUMBERED.findall(text))}
    )
    assert [(table.caption, table.unit_note) for table in document.tables] == [
        (caption, "All values in km/h") for caption, _ in tables(embedded("02.md"))
    ]
    assert {note.marker: note.anchors for note in document.footnotes if note.region == "body" and note.marker in "345678"} == {
        str(3 + index): (f"5.2.{1 + index // 2}.4#{1 + index % 2}",) for index in range(6)
    }


@pytest.mark.parametrize("name", ["02.md", "eu2020-1597.md"])
def test_headings_are_as_deep_as_their_numbers(name: str) -> None:
    headings = re.findall(r"(?m)^(#+) (\d+(?:\.\d+)*)\. ", embedded(name))
    assert headings
    assert [number for marks, number in headings if len(marks) != number.count(".") + 1] == []


@pytest.mark.parametrize("name", ["02.md", "eu2020-1597.md"])
def test_it_says_what_it_is_not(name: str) -> None:
    first = embedded(name).splitlines()[0]
    assert first.startswith("<!--")
    assert "not the legal text" in first


def test_footnotes_are_defined_once_and_marked() -> None:
    text = embedded("02.md")
    defined = re.findall(r"(?m)^\[\^([^\]]+)\]: ", text)
    marked = set(re.findall(r"\[\^([^\]]+)\](?!:)", text))
    assert defined == [str(number) for number in range(1, 11)] + ["A1-1", "A1-2", "A3A1-1"]
    assert marked == set(defined)


def test_worked_examples_of_the_footnotes_agree_with_their_tables() -> None:
    text = embedded("02.md")
    limits = dict(re.findall(r"(?ms)^\*\*[^*]+\*\*\[\^(\d+)\]\n\n<table>(.*?)</table>", text))
    assert sorted(limits) == ["3", "4", "5", "6", "7", "8"]
    for mark, body in limits.items():
        note = re.search(rf"(?m)^\[\^{mark}\]: (.*)$", text)
        assert note
        example = re.search(r"for 53 km/h, for instance, the row for (\d+) km/h and so (\d+)/(\d+) km/h", note[1])
        assert example
        row, maximum_mass, running_order = example.groups()
        assert f"<tr><td>{row}</td><td>{maximum_mass}.00</td><td>{running_order}.00</td></tr>" in body


@needs_official
@pytest.mark.parametrize("region", ["body", "Annex 3", "Annex 3 - Appendix 1", "Annex 3 - Appendix 2"])
def test_every_paragraph_has_the_figures_of_the_original(region: str) -> None:
    ours = regions(embedded("02.md"))[region]
    numbers = _NUMBERED.findall(ours)
    original = paragraphs(official_regions()[region], numbers)
    differences: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for number, text in paragraphs(ours, numbers).items():
        expected = figures(original[number])
        if number == "4.4.1":
            expected -= Counter(["2"])  # a footnote mark that stands free of its word
        if region == "Annex 3 - Appendix 2" and number == "4.2":
            expected &= figures(text)  # the labels of the figures follow the last paragraph in the file's text
        if figures(text) != expected:
            differences[number] = (figures(text) - expected, expected - figures(text))
    assert differences == {}


@needs_official
def test_tables_of_edition_02_are_those_of_the_original() -> None:
    ours = tables(embedded("02.md"))
    assert [rows for _, rows in ours] == official_tables()
    assert [len(rows) for _, rows in ours] == [12, 14, 10, 11, 10, 11, 3, 3, 2, 2, 3, 3, 3, 3]
    assert [re.findall(r"\b[MN]1\b", caption) for caption, _ in ours] == [["M1"], ["N1"]] * 7


@needs_limits
def test_tables_of_the_reconstruction_are_the_published_ones() -> None:
    with LIMITS.open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    loads = [(target, load) for target in ("stationary", "moving") for load in ("laden", "unladen")]
    expected: list[list[Row]] = []
    for family, category, columns in (
        ("car_to_car", "M1", [(target, load, "") for target, load in loads]),
        ("car_to_car", "N1", [(target, load, alpha) for target, load in loads for alpha in (">1.3", "<=1.3")]),
        ("car_to_pedestrian", "M1", [("crossing", load, "") for load in ("maximum mass", "mass in running order")]),
    ):
        cells = {
            (int(row["speed_kmh"]), (row["target"], row["load_state"], row["alpha"])): row["max_impact_speed_kmh"] or "-"
            for row in published
            if (row["family"], row["category"]) == (family, category)
        }
        speeds = sorted({key[0] for key in cells})
        expected.append([(str(speed), *(cells[speed, column] for column in columns)) for speed in speeds])
    assert [rows for _, rows in tables(embedded("eu2020-1597.md"))] == expected
