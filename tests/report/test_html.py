"""The report's file: hostile text stays text, every place leads to its words or cell, coverage counts the document."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from lxml import html as parser

from regc.errors import DataFileError
from regc.model.report_input import ReportInput
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Compiled, Request
from regc.report import html
from tests import suites
from tests.report.inputs import judgement, real

HOSTILE = suites.HOSTILE


def page(found: ReportInput) -> str:
    return html.emit(found, html.Options())[0].content.decode()


def data(text: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert match
    found: dict[str, Any] = json.loads(match.group(1))
    return found


def said(node: Any) -> str:
    """The text of an element, its parts kept apart and blanks folded."""
    return " ".join(" ".join(node.itertext()).split())


def words(text: str, selector: str) -> str:
    return said(parser.fromstring(text).xpath(selector)[0])


@pytest.fixture(scope="module")
def embedded_page(embedded: Compiled) -> str:
    return page(real(embedded))


# ---------------------------------------------------------------- safe and the same


def test_text_of_the_document_is_never_markup() -> None:
    one = suites.stationary(title=HOSTILE)
    made = suites.suite(one, title=HOSTILE)
    text = page(suites.report(made=made, document=suites.document(text=HOSTILE), texts={one.id: f"# T\n\n- {HOSTILE}\n"}))
    assert '<script>document.title="owned"' not in text
    assert "<img src=x" not in text
    assert "&lt;img src=x" in text
    assert data(text)["clauses"][1]["x"].endswith(HOSTILE)
    assert len(parser.fromstring(text).xpath("//script")) == 3


def test_no_text_ends_the_string_of_a_page_foot() -> None:
    text = page(suites.report(number='7"; } body { display: none } @page { @x { content: "', date="2026-11-30"))
    style = parser.fromstring(text).xpath("//style")[0].text
    foot = re.search(r'@bottom-center \{[^"]*("[^"]*");', style)
    assert foot is not None
    assert "body" in foot.group(1)
    assert foot.group(1).count('"') == 2


def test_nothing_is_fetched(embedded_page: str) -> None:
    tree = parser.fromstring(embedded_page)
    assert not tree.xpath("//link[@rel='stylesheet'] | //script[@src] | //iframe | //form[@action]")
    assert [value for value in tree.xpath("//@src | //link/@href") if not value.startswith("data:")] == []
    assert "default-src 'none'" in tree.xpath("//meta[@http-equiv]/@content")[0]


def test_same_input_same_bytes() -> None:
    assert page(suites.report()) == page(suites.report())


def test_size_of_the_full_sweep(embedded_page: str) -> None:
    assert len(embedded_page.encode()) < 3_000_000


# ---------------------------------------------------------------- places and numbers


def test_every_place_of_the_edition_is_found(embedded_page: str) -> None:
    """A number's cell holds its digits, and its words stand in the paragraph or footnote."""
    found = data(embedded_page)
    sources = found["sources"]
    assert len(sources) > 100
    for source in sources:
        if "t" in source and "r" in source and "k" in source:
            assert found["tables"][source["t"]]["r"][source["r"]][source["k"]].startswith(source["q"]), source
        elif "f" in source:
            assert source["q"] in found["notes"][source["f"]]["x"], source
        elif "t" not in source and "c" in source:
            clause = found["clauses"][source["c"]]
            assert source["q"] in clause.get("x", "") or source["q"] in clause.get("h", ""), source


def test_marked_words_are_the_number(embedded_page: str) -> None:
    found = data(embedded_page)
    marked = 0
    for value in found["values"]:
        for place, inside in zip(value.get("s", ()), value.get("h", ()), strict=False):
            if inside and value["b"] == "cited":
                marked += 1
                quoted = found["sources"][place]["q"][inside[0] : inside[1]].replace(",", ".")
                number = re.search(r"\d+(?:\.\d+)?", quoted)
                assert number is not None
                assert float(number.group()) == float(value["v"].split()[0]), (value, quoted)
    assert marked > 15


def test_the_page_holds_the_numbers_of_every_scenario(embedded: Compiled, embedded_page: str) -> None:
    found = data(embedded_page)
    assert [item["i"] for item in found["scenarios"]] == [item.id for item in embedded.suite.scenarios]
    for entry, item in zip(found["scenarios"], embedded.suite.scenarios, strict=True):
        told = [(found["lines"][name], found["values"][number]["b"]) for name, number in entry["q"]]
        assert told == [(name, value.basis) for name, value in item.values()]


def test_columns_and_filters_are_those_of_the_suite() -> None:
    tree = parser.fromstring(page(suites.report()))
    heads = [said(head) for head in tree.xpath("//table[@id='scenario-table']//th[@scope='col']")]
    assert heads == ["Scenario", "Test", "Load state", "Status", "Subject vehicle", "Target", "Requires", "Assumed", "Paragraph"]
    assert tree.xpath("//form[@id='filters']//select/@data-key") == ["test", "axis0", "status"]
    row = tree.xpath(f"//tr[@data-id='{suites.stationary('40').id}']")[0]
    assert said(row).endswith("40 km/h +0/-2 0 km/h Relative impact speed ≤ 10.00 km/h A861 6.4")


def test_assumed_and_borrowed_numbers_are_listed_with_their_tests() -> None:
    text = page(suites.report())
    rows = parser.fromstring(text).xpath("//section[@id='provenance']//table[.//span[text()='A861']]//tbody/tr")
    assert [said(row).replace("_ ", "_") for row in rows] == [
        "A861 Numbers of the test: Subject vehicle, tolerance +0/-2 km/h 2 tests RX1-01_p6.4_ST_max_040 RX1-01_p6.4_ST_run_040"
    ]
    assert "length of the subject vehicle 4.5 m vehicles.toml: M1.length (5 tests)" in words(text, "//section[@id='provenance']")


def test_a_symbol_and_what_a_test_depends_on_are_told() -> None:
    found = data(page(suites.report()))
    child = next(item for item in found["scenarios"] if item["i"].endswith("CH_025"))
    assert [found["lines"][line] for line in child["if"]] == ["v_design is at least 25 km/h"]
    assert "d_start" in [found["values"][number]["v"] for _, number in child["q"]]


def test_limits_are_mapped_by_the_key_of_their_table() -> None:
    table = parser.fromstring(page(suites.report())).xpath("//table[@class='heat']")
    assert len(table) == 1
    rows = [[said(cell) for cell in row] for row in table[0].xpath(".//tr")]
    assert rows == [["Tests", "20", "40"], ["maximum mass", "0.00", "10.00"], ["mass in running order", "0.00", "0.00"]]


# ---------------------------------------------------------------- coverage and parts


def test_coverage_says_tested_by_card_external_and_open() -> None:
    tiles = parser.fromstring(page(suites.report())).xpath("//a[contains(@class, 'tile') and @href='#coverage']")
    assert [said(tile) for tile in tiles] == [
        "2 tested 7 sentences that prescribe 1 by card, 1 told in a test, 1 external, 1 waived, 1 open",
        "4 tested 5 cells of test tables 0 by card, 0 external, 1 open",
        "1 tested 2 marks and rules below tables 0 by card, 0 external, 1 open",
    ]
    assert all("warn" in tile.get("class") for tile in tiles)
    assert "100 %" not in words(page(suites.report()), "//section[@id='summary']")


def test_open_entries_come_first() -> None:
    rows = parser.fromstring(page(suites.report())).xpath("//table[contains(@class, 'entries')]/tbody/tr")
    fates = [row.xpath(".//span[contains(@class, 'chip')]")[0].text for row in rows]
    assert fates[:3] == ["open"] * 3
    assert fates[3:7] == ["waived", "external", "told in a test", "by card"]
    assert set(fates[7:]) == {"tested"}
    assert len(rows) == 14


def test_counts_and_rows_of_the_coverage_agree(embedded_page: str) -> None:
    tree = parser.fromstring(embedded_page)
    counted = sum(int(cell.text) for cell in tree.xpath("//table[@class='counts']/tbody/tr/td[1]"))
    assert counted == len(tree.xpath("//table[contains(@class, 'entries')]/tbody/tr")) > 300


def test_a_part_says_that_it_is_one() -> None:
    made = suites.suite()
    part = made.model_copy(update={"chosen": (made.scenarios[0].id,)})
    summary = words(page(suites.report(made=part)), "//section[@id='summary']")
    assert "This report shows 1 of the 5 tests that the document prescribes" in summary
    assert "2 tested 7 sentences that prescribe 1 of these by the tests shown here, 1 by card" in summary
    whole = words(page(suites.report(made=made)), "//section[@id='summary']")
    assert "A part of the tests" not in whole
    assert "by the tests shown here" not in whole


def test_matrix_counts_what_its_cells_open(embedded_page: str) -> None:
    found = data(embedded_page)
    tree = parser.fromstring(embedded_page)
    for button in tree.xpath("//button[@data-trace]"):
        own = [found["scenarios"][number] for number in found["trace"][button.get("data-trace")]]
        named = [item for item in own if button.get("data-test") in (None, item["t"])]
        assert int(button.text) == len(named), button.get("data-trace")


# ---------------------------------------------------------------- what the text is


@pytest.mark.parametrize(
    ("heads", "wording", "standing"),
    [
        ((), "embedded", "embedded wording, not the legal text (invented.md)"),
        ((), "official", "file given by the user (invented.md)"),
        (("E/ECE/TRANS/505/Rev.9/Add.1",), "official", "official text (invented.md)"),
    ],
)
def test_a_text_is_official_where_it_bears_a_symbol(heads: tuple[str, ...], wording: str, standing: str) -> None:
    document = suites.document(wording=wording).model_copy(update={"heads": heads})
    assert words(page(suites.report(document=document)), "//table[contains(@class, 'title-block')]//tr[th='Text']/td") == standing


def test_symbol_and_level_come_from_the_title_page() -> None:
    document = suites.document(wording="official")
    front = document.clauses[0].model_copy(
        update={
            "number": None,
            "text": "E/ECE/505/Add.7\nSupplement 1 to the 02 series of amendments\n02 series of amendments\n"
            "Supplement 3 to the 01 series of amendments",
        }
    )
    text = page(suites.report(document=document.model_copy(update={"clauses": (front, *document.clauses[1:])})))
    block = words(text, "//table[contains(@class, 'title-block')]")
    assert "Symbol of the document E/ECE/505/Add.7" in block
    assert "Level Supplement 1 to the 02 series of amendments Text" in block


def test_number_date_and_hash_stand_in_every_foot() -> None:
    blank, filled = page(suites.report()), page(suites.report(number="TR-7", date="2026-11-30"))
    assert "report no. \\5f" in blank
    assert "number ________________, made on ________________" in words(blank, "//table[contains(@class, 'title-block')]")
    hash = re.search(r"report TR-7 \\b7  2026-11-30 \\b7  ([0-9a-f]{16})", filled)
    assert hash is not None
    assert f"hash {hash.group(1)}" in words(filled, "//table[contains(@class, 'title-block')]")
    other = page(suites.report(suites.stationary("20")))
    assert hash.group(1) not in other


# ---------------------------------------------------------------- cards, record, runs


def test_cards_say_how_they_are_done() -> None:
    text = page(suites.report())
    card = words(text, f"//li[@id='card-{suites.STEM}_card_Fault']")
    assert card.startswith("Fault, and its signal by driving 5.3")
    assert "Drive above 10 km/h for 15 s with the fault." in card
    for field in ("Result", "Verdict", "Date", "Signature"):
        assert field in card


def test_record_sheet_is_blank_until_it_is_known_and_quotes_what_asks() -> None:
    found = suites.report()
    row = words(page(found), "//table[contains(@class, 'sheet')]//tbody/tr")
    assert row == "Fuel level 6.4 The subject vehicle drives at 20 km/h or 40 km/h with a tolerance of +0/-2 km/h. not recorded"
    field = found.record[0].model_copy(update={"value": "62 % <b>"})
    assert words(page(suites.report(record=(field,))), "//td[@data-key='fuel']") == "62 % <b>"


def test_verdicts_of_a_judge() -> None:
    one = suites.stationary()
    text = page(suites.report(judgement=judgement([one.id])))
    assert parser.fromstring(text).xpath(f"//tr[@data-id='{one.id}']/@data-verdict") == ["fail"]
    summary = words(text, "//section[@id='summary']")
    assert "A model was driven, not a vehicle. All judged runs are simulated (1 by kinematic)" in summary
    assert "too many failed" in summary
    assert "4 not driven" in summary
    assert words(text, "//section[@id='summary']//table[contains(@class, 'sortable')]//tfoot") == "All 5 3 2 1 4"
    assert data(text)["runs"][one.id][0]["checks"][0]["measured"] == "12 km/h"


def test_runs_of_a_vehicle_are_not_called_a_model() -> None:
    found = judgement([suites.stationary().id], "pass")
    found["runs"].append(found["runs"][0] | {"run": "2", "engine": "plain", "simulated": False})
    mixed = words(page(suites.report(judgement=found)), "//section[@id='summary']")
    assert "Some judged runs are simulated (1 by kinematic)" in mixed
    assert "no simulation made: 1 by plain" in mixed
    del found["runs"][0]
    assert "A model was driven" not in words(page(suites.report(judgement=found)), "//section[@id='summary']")


def test_without_a_judge_every_verdict_is_open() -> None:
    assert "every verdict is open" in words(page(suites.report()), "//section[@id='summary']")


def test_worst_verdict_of_several_vehicle_types_counts() -> None:
    one = suites.stationary()
    found = judgement([one.id], "pass")
    found["scenarios"].append(found["scenarios"][0] | {"verdict": "fail", "vehicle_type": "B"})
    text = page(suites.report(judgement=found))
    assert parser.fromstring(text).xpath(f"//tr[@data-id='{one.id}']/@data-verdict") == ["fail"]
    assert [item["vehicle_type"] for item in data(text)["verdicts"][one.id]["all"]] == ["A", "B"]


@pytest.mark.parametrize("broken", [{}, {"scenarios": [{}]}, {"scenarios": 1}, {"scenarios": [{"scenario": "x", "verdict": "fine"}]}])
def test_judgement_of_another_shape_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(DataFileError):
        page(suites.report(judgement=broken))


# ---------------------------------------------------------------- evaluation


def test_evaluation_in_per_cent_with_misses() -> None:
    share = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "tp": 1, "fp": 0, "fn": 1}
    miss = {"id": "T_1", "kind": "wrong number", "nearest": "G_1", "cosine": 0.98, "score": 0.9}
    miss |= {"numbers": {"missing": [10.5], "extra": [20]}, "terms": {"missing": [], "extra": ["laden"]}}
    scores = {"overall": share, "families": {"CtoP": share}, "meta_score": 71.5, "misses": [miss]}
    section = words(page(suites.report(evaluation=scores)), "//section[@id='evaluation']")
    for told in ("66.67", "50.00", "wrong number", "71.5", "1 × wrong number", "10.5", "20, laden"):
        assert told in section


def test_spread_of_several_runs() -> None:
    share = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "tp": 1, "fp": 0, "fn": 1}
    one = {"mean": 0.5, "stdev": 0.25, "min": 0.25, "max": 0.75}
    spread = {"precision": one, "recall": one, "f1": one, "meta_score": one, "runs": 2}
    found = {"runs": [{"overall": share, "generated": "a.csv"}, {"overall": share}], "spread": spread}
    runs, figures = parser.fromstring(page(suites.report(evaluation=found))).xpath("//section[@id='evaluation']//table")
    assert [row.text for row in runs.xpath(".//tbody/tr/th")] == ["A.csv", "2"]
    assert [cell.text for cell in figures.xpath(".//tr[th='F1']/td")] == ["50.00", "25.00", "25.00", "75.00"]


def test_evaluation_of_another_shape_is_refused() -> None:
    with pytest.raises(DataFileError, match="not the JSON of regc eval"):
        page(suites.report(evaluation={"f1": 1.0}))


# ---------------------------------------------------------------- drawings


def test_every_test_with_a_stage_is_drawn(embedded: Compiled, embedded_page: str) -> None:
    """False reactions too."""
    found = data(embedded_page)
    assert [item["i"] for item in found["scenarios"] if not item.get("v")] == []
    assert {embedded.suite.scenarios[number].status for number in range(184)} == {"mandatory", "option", "guidance"}
    for drawing in found["drawings"]:
        assert drawing["m"][0]["r"] == "subject"
        assert all(len(mover["f"]) >= 2 for mover in drawing["m"])


def test_why_a_test_is_not_drawn_is_told() -> None:
    made = suites.suite()
    staged = suites.staged(made).model_copy(update={"stages": (), "left_out": {made.scenarios[0].id: "no path is known"}})
    text = page(suites.report(made=made, staged=staged))
    first, second = data(text)["scenarios"][:2]
    assert (first["no"], first.get("v"), second.get("no")) == ("no path is known", None, None)
    assert f"{made.scenarios[0].id} : no path is known" in words(text, "//section[@id='provenance']")


def test_variants_of_a_test_are_named_by_their_numbers() -> None:
    # FMVSS 127: each end of a range of speeds is drawn; two ranges have four corners; a variant of the manoeuvre keeps its name
    suite = compile_regulation(Request("fmvss127"))
    scenarios = data(page(real(suite, tests=("crossing_obstructed", "braking_lead"))))["scenarios"]
    names = {item["i"].partition("_")[2]: [variant["n"] for variant in item["v"] if "n" in variant] for item in scenarios}
    assert names["pS8.3.3_PedHidden_Right_O50_Hidden_Day_010to050"] == ["subject vehicle 10 km/h", "subject vehicle 50 km/h"]
    assert "target's deceleration 0.3 g, gap 12 m" in names["pS7.5_BrakeLead_NoBrake_050"]
    assert len(set(names["pS7.5_BrakeLead_NoBrake_050"])) == 4
