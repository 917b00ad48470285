"""The report's file: hostile text stays text, every place leads to its words or cell, the same input gives the same bytes."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any

import pytest
from lxml import html as parser

from regc.errors import DataFileError
from regc.job import Compiled
from regc.model.report import ReportInput
from regc.report import html
from tests.factories import false_reaction, scenario
from tests.report.inputs import HOSTILE, hostile, judgement, real


def page(found: ReportInput) -> str:
    return html.emit(found, html.Options())[0].content.decode()


def data(text: str) -> dict[str, Any]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert match
    found: dict[str, Any] = json.loads(match.group(1))
    return found


@pytest.fixture(scope="module")
def embedded_page(embedded: Compiled) -> str:
    return page(real(embedded))


def test_text_of_the_document_is_never_markup() -> None:
    found = hostile(scenario(), evaluation=None, texts={scenario().id: f"# T\n\n- {HOSTILE}\n"})
    text = page(found)
    assert '<script>document.title="owned"' not in text
    assert "<img src=x" not in text
    assert "49" not in re.findall(r"\{\{ 7 \* 7 \}\}|\b49\b", text)
    assert data(text)["clauses"][0]["x"].endswith(HOSTILE)
    scripts = parser.fromstring(text).xpath("//script")
    assert len(scripts) == 3


def test_titles_and_findings_are_escaped() -> None:
    dressed = scenario().model_copy(update={"group": HOSTILE, "title": HOSTILE})
    text = page(hostile(dressed))
    assert "&lt;img src=x" in text
    assert "<img src=x" not in text


def test_nothing_is_fetched(embedded_page: str) -> None:
    tree = parser.fromstring(embedded_page)
    assert not tree.xpath("//link[@rel='stylesheet'] | //script[@src] | //iframe | //form[@action]")
    outside = [value for value in tree.xpath("//@src | //link/@href") if not value.startswith("data:")]
    assert outside == []
    assert "default-src 'none'" in tree.xpath("//meta[@http-equiv]/@content")[0]


def test_same_input_same_bytes(embedded: Compiled, embedded_page: str) -> None:
    assert page(real(embedded)) == embedded_page


def test_size_of_the_full_sweep(embedded_page: str) -> None:
    assert len(embedded_page.encode()) < 5_000_000


def test_every_place_of_the_edition_is_found(embedded: Compiled, embedded_page: str) -> None:
    """A number's cell holds its digits, its words stand in the paragraph, and the marked words are the number."""
    found = data(embedded_page)
    sources = found["sources"]
    assert len(sources) > 200
    for source in sources:
        if "t" in source:
            assert found["tables"][source["t"]]["r"][source["r"]][source["k"]] == source["q"], source
        else:
            assert source["q"] in found["clauses"][source["c"]]["x"], source
    marked = 0
    for quantity in found["quantities"]:
        for place, inside in zip(quantity.get("s", ()), quantity.get("h", ()), strict=False):
            if inside and quantity["b"] == "cited" and "t" not in sources[place]:
                marked += 1
                words = sources[place]["q"][inside[0] : inside[1]]
                number = re.search(r"-?\d+(?:\.\d+)?", words)
                assert number is None or Decimal(number.group()) == Decimal(quantity["n"]), (quantity, words)
    assert marked > 30


def test_the_page_holds_the_numbers_of_every_scenario(embedded: Compiled, embedded_page: str) -> None:
    found = data(embedded_page)
    assert [item["i"] for item in found["scenarios"]] == [item.id for item in embedded.checked.scenarios]
    for entry, item in zip(found["scenarios"], embedded.checked.scenarios, strict=True):
        told = {found["lines"][name]: found["quantities"][number]["n"] for name, number in entry["q"]}
        assert told == {name: f"{quantity.value:f}" for name, quantity in item.quantities()}


def test_matrix_counts_what_its_cells_open(embedded: Compiled, embedded_page: str) -> None:
    """Every testable paragraph with a scenario stands in the matrix with just the scenarios that the coverage has for it, or more
    where a number's place says so."""
    trace = data(embedded_page)["trace"]
    told = {button.get("data-trace"): int(button.text) for button in parser.fromstring(embedded_page).xpath("//button[@data-trace]")}
    assert told == {clause: len(own) for clause, own in trace.items()}
    ids = [item.id for item in embedded.checked.scenarios]
    for use in embedded.checked.coverage.clauses:
        assert set(use.scenarios) <= {ids[number] for number in trace.get(use.clause, ())}, use.clause


def test_limits_map_holds_each_scenario_once(embedded: Compiled, embedded_page: str) -> None:
    tree = parser.fromstring(embedded_page)
    cells = tree.xpath("//table[@class='heat']//td/a")
    limits = {item.id: item.criteria.max_impact_speed for item in embedded.checked.scenarios}
    assert len(cells) == 180
    for cell in cells:
        limit = limits[cell.get("href").removeprefix("#scenario/")]
        assert limit is not None
        assert cell.text == f"{limit.value:f}"


def test_record_sheet_is_blank_until_it_is_known() -> None:
    blank = parser.fromstring(page(hostile())).xpath("//td[@data-key='fuel']")[0]
    assert blank.text_content().strip() == "not recorded"
    field = hostile().record[0].model_copy(update={"value": "62 % <b>"})
    filled = parser.fromstring(page(hostile(record=(field,)))).xpath("//td[@data-key='fuel']")[0]
    assert filled.text_content().strip() == "62 % <b>"


def test_record_sheet_quotes_the_sentence_that_asks() -> None:
    row = parser.fromstring(page(hostile())).xpath("//table[@class='sheet']//tbody/tr")[0]
    assert "A first sentence." in row.text_content()


def test_verdicts_of_a_judge() -> None:
    one = scenario()
    text = page(hostile(one, judgement=judgement([one.id])))
    tree = parser.fromstring(text)
    row = tree.xpath(f"//tr[@data-id='{one.id}']")[0]
    assert row.get("data-verdict") == "fail"
    summary = tree.xpath("//section[@id='summary']")[0].text_content()
    assert "A model was driven, not a vehicle. All judged runs are simulated (1 by kinematic)" in summary
    assert "too many failed" in tree.xpath("//section[@id='summary']")[0].text_content()
    assert data(text)["runs"][one.id][0]["checks"][0]["measured"] == "12 km/h"


def test_runs_of_a_vehicle_are_not_called_a_model() -> None:
    one = scenario()
    found = judgement([one.id], "pass")
    found["runs"].append(found["runs"][0] | {"run": "2", "engine": "plain", "simulated": False})
    mixed = parser.fromstring(page(hostile(one, judgement=found))).xpath("//section[@id='summary']")[0].text_content()
    assert "Some judged runs are simulated (1 by kinematic)" in mixed
    assert "no simulation made: 1 by plain" in mixed
    del found["runs"][0]
    driven = parser.fromstring(page(hostile(one, judgement=found))).xpath("//section[@id='summary']")[0].text_content()
    assert "A model was driven" not in driven


def test_without_a_judge_every_verdict_is_open() -> None:
    summary = parser.fromstring(page(hostile())).xpath("//section[@id='summary']")[0].text_content()
    assert "every verdict is open" in summary


def test_evaluation_in_per_cent_with_misses() -> None:
    share = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "tp": 1, "fp": 0, "fn": 1}
    miss = {"id": "T_1", "kind": "wrong number", "nearest": "G_1", "cosine": 0.98, "score": 0.9}
    miss |= {"numbers": {"missing": [10.5], "extra": [20]}, "terms": {"missing": [], "extra": ["laden"]}}
    scores = {"overall": share, "families": {"CtoP": share}, "meta_score": 71.5, "misses": [miss]}
    section = parser.fromstring(page(hostile(evaluation=scores))).xpath("//section[@id='evaluation']")[0].text_content()
    assert "66.67" in section
    assert "50.00" in section
    assert "wrong number" in section
    assert "71.5" in section
    assert "1 × wrong number" in section
    assert "10.5" in section
    assert "20, laden" in section


def test_spread_of_several_runs() -> None:
    share = {"precision": 1.0, "recall": 0.5, "f1": 2 / 3, "tp": 1, "fp": 0, "fn": 1}
    one = {"mean": 0.5, "stdev": 0.25, "min": 0.25, "max": 0.75}
    spread = {"precision": one, "recall": one, "f1": one, "meta_score": one, "runs": 2}
    found = {"runs": [{"overall": share, "generated": "a.csv"}, {"overall": share}], "spread": spread}
    runs, figures = parser.fromstring(page(hostile(evaluation=found))).xpath("//section[@id='evaluation']//table")
    assert [row.text for row in runs.xpath(".//tbody/tr/th")] == ["A.csv", "2"]
    assert [cell.text for cell in figures.xpath(".//tr[th='F1']/td")] == ["50.00", "25.00", "25.00", "75.00"]


def test_worst_verdict_of_several_vehicle_types_counts() -> None:
    one = scenario()
    found = judgement([one.id], "pass")
    found["scenarios"].append(found["scenarios"][0] | {"verdict": "fail", "vehicle_type": "B"})
    text = page(hostile(one, judgement=found))
    assert parser.fromstring(text).xpath(f"//tr[@data-id='{one.id}']/@data-verdict") == ["fail"]
    assert [item["vehicle_type"] for item in data(text)["verdicts"][one.id]["all"]] == ["A", "B"]


@pytest.mark.parametrize("broken", [{}, {"scenarios": [{}]}, {"scenarios": 1}, {"scenarios": [{"scenario": "x", "verdict": "fine"}]}])
def test_judgement_of_another_shape_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(DataFileError):
        page(hostile(judgement=broken))


def test_evaluation_of_another_shape_is_refused() -> None:
    with pytest.raises(DataFileError, match="not the JSON of regc eval"):
        page(hostile(evaluation={"f1": 1.0}))


def test_a_manoeuvre_has_no_drawing_and_a_drive_has_one() -> None:
    found = data(page(hostile(scenario(), false_reaction(1))))["scenarios"]
    assert "v" in found[0]
    assert "v" not in found[1]


def test_shares_never_round_up() -> None:
    found = hostile()
    coverage = found.checked.coverage.model_copy(update={"cited": 3000, "assumed": 40, "borrowed": 40, "traced": 2999})
    found = found.model_copy(update={"checked": found.checked.model_copy(update={"coverage": coverage})})
    tile = parser.fromstring(page(found)).xpath("//div[contains(@class, 'tile')][span='Traceability']/b/text()")[0]
    assert tile == "99.9 %"
