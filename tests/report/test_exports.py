"""CSV, XLSX and ReqIF: the same pairs both ways, no formula, the same bytes, and files that their own libraries read."""

from __future__ import annotations

import csv as reading
import io
from typing import Any

import pytest

from regc import registry
from regc.job import Compiled
from regc.report import csv, xlsx
from regc.report._cells import plain_text, printable
from tests.factories import scenario
from tests.report.inputs import FORMULA, document, hostile, real


def rows(content: bytes) -> list[list[str]]:
    return list(reading.reader(io.StringIO(content.decode("utf-8-sig"))))


def test_both_directions_hold_the_same_pairs(embedded: Compiled) -> None:
    forth, back = (rows(artifact.content) for artifact in csv.emit(real(embedded), csv.Options()))
    assert {(row[0], row[3], row[4], row[5]) for row in forth[1:]} == {(row[2], row[0], row[4], row[5]) for row in back[1:]}
    assert {row[3] for row in forth[1:] if row[2] == "scenario"} == {item.id for item in embedded.checked.scenarios}


def test_every_number_is_in_the_matrix(embedded: Compiled) -> None:
    found = {(row[0], row[3], row[4]) for row in rows(csv.emit(real(embedded), csv.Options())[0].content)[1:]}
    for item in embedded.checked.scenarios:
        for field, quantity in item.quantities():
            for source in quantity.sources:
                assert (source.clause, item.id, field) in found


@pytest.mark.parametrize("text", [FORMULA, "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_formula_is_shown_and_not_run(text: str) -> None:
    assert plain_text(text).startswith("'")


@pytest.mark.parametrize("text", ["-3.5", "12", "5.2.1.4", "plain", ""])
def test_numbers_and_words_stay(text: str) -> None:
    assert plain_text(text) == text


def test_control_characters_go() -> None:
    assert printable("a\x00b\x0bc\n") == "abc\n"


def injected() -> Any:
    """A paragraph whose title is a formula, with a scenario on it."""
    return hostile(scenario(), document=document(title=FORMULA))


def test_formula_in_the_csv() -> None:
    titles = {row[1] for row in rows(csv.emit(injected(), csv.Options())[0].content)[1:]}
    assert f"'{FORMULA}" in titles
    assert FORMULA not in titles


def test_formula_in_the_workbook() -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs regc[report]")
    book = openpyxl.load_workbook(io.BytesIO(xlsx.emit(injected(), xlsx.Options())[0].content))
    cells = [cell for row in book["Paragraph to scenario"].iter_rows(min_row=2) for cell in row if cell.value == FORMULA]
    assert cells
    assert all(cell.data_type == "s" for cell in cells)
    assert not [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"]


def test_workbook_of_the_full_sweep(embedded: Compiled) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs regc[report]")
    content = xlsx.emit(real(embedded), xlsx.Options())[0].content
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    matrix = list(book["Matrix"].iter_rows(values_only=True))
    assert list(matrix[0][2:]) == [item.id for item in (*embedded.checked.scenarios, *embedded.checked.cards)]
    row = next(line for line in matrix if line[0] == "6.4")
    marked = {id for id, mark in zip(matrix[0][2:], row[2:], strict=False) if mark}
    assert {item.id for item in embedded.checked.scenarios if item.clause == "6.4"} <= marked


def test_reqif_is_read_back_whole(embedded: Compiled, tmp_path: Any) -> None:
    pytest.importorskip("reqif", reason="needs regc[report]")
    from reqif.parser import ReqIFParser

    from regc.report import reqif

    content = reqif.emit(real(embedded), reqif.Options())[0].content
    path = tmp_path / "t.reqif"
    path.write_bytes(content)
    bundle = ReqIFParser.parse(str(path))
    assert not bundle.exceptions
    held = bundle.core_content.req_if_content
    ids = {item.identifier for item in held.spec_objects}
    assert len(ids) == len(embedded.document.clauses) + len(embedded.checked.scenarios) + len(embedded.checked.cards)
    assert all(relation.source in ids and relation.target in ids for relation in held.spec_relations)
    tree = list(bundle.iterate_specification_hierarchy(held.specifications[0]))
    assert {entry.spec_object for entry in tree} <= ids
    assert len(tree) == len(embedded.document.clauses)


def test_reqif_keeps_hostile_text(tmp_path: Any) -> None:
    pytest.importorskip("reqif", reason="needs regc[report]")
    from lxml import etree

    from regc.report import reqif
    from tests.report.inputs import HOSTILE

    tree = etree.fromstring(reqif.emit(hostile(), reqif.Options())[0].content)
    assert [node for node in tree.iter("{http://www.w3.org/1999/xhtml}div") if (node.text or "").endswith(HOSTILE)]
    assert not list(tree.iter("{http://www.w3.org/1999/xhtml}script"))


@pytest.mark.parametrize("name", ["csv", "xlsx", "reqif"])
def test_same_input_same_bytes(name: str) -> None:
    module = registry.load("report", name)
    if name != "csv":
        pytest.importorskip({"xlsx": "openpyxl", "reqif": "reqif"}[name], reason="needs regc[report]")
    first, second = (module.emit(hostile(), module.Options()) for _ in range(2))
    assert [item.content for item in first] == [item.content for item in second]


@pytest.mark.parametrize("name", ["html", "csv", "xlsx", "reqif"])
def test_a_document_without_a_scenario(name: str) -> None:
    if name in ("xlsx", "reqif"):
        pytest.importorskip({"xlsx": "openpyxl", "reqif": "reqif"}[name], reason="needs regc[report]")
    found = hostile()
    empty = found.model_copy(update={"checked": found.checked.model_copy(update={"scenarios": ()})})
    module = registry.load("report", name)
    assert all(artifact.content for artifact in module.emit(empty, module.Options()))
