"""ReqIF as requirements tools want it: read by its own library and by StrictDoc, dates that move with the content."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from regc.errors import DataFileError
from regc.model.document import Clause
from regc.model.report_input import ReportInput
from regc.pipeline.request import Compiled
from regc.report import reqif
from tests import suites
from tests.report.inputs import judgement, real

pytest.importorskip("reqif", reason="needs regc[report]")

DAY, NEXT = "2026-11-30", "2026-12-24"


def made(found: ReportInput, **options: Any) -> bytes:
    return reqif.emit(found, reqif.Options(**options))[0].content


def objects(content: bytes) -> dict[str, dict[str, str]]:
    """Foreign id -> attribute name -> value; XHTML as its text with the names of its elements."""
    root = etree.fromstring(content)
    names = {node.get("IDENTIFIER"): node.get("LONG-NAME", "") for node in root.iter("{*}*") if node.get("LONG-NAME")}
    found = {}
    for item in root.iter("{*}SPEC-OBJECT"):
        values: dict[str, str] = {}
        for value in item.iterfind("{*}VALUES/*"):
            definition = next(node.text or "" for node in value.iterfind("{*}DEFINITION/*"))
            enumerated = [names[node.text or ""] for node in value.iter("{*}ENUM-VALUE-REF")]
            xhtml = value.find("{*}THE-VALUE")
            text = "".join(etree.tostring(node, encoding="unicode") for node in xhtml) if xhtml is not None else ""
            values[names[definition]] = value.get("THE-VALUE") or ", ".join(enumerated) or text
        found[values["ReqIF.ForeignID"]] = values | {"identifier": item.get("IDENTIFIER", "")}
    return found


def changed(content: bytes, earlier: bytes) -> set[str]:
    """Foreign ids whose LAST-CHANGE differs from the earlier file's."""
    both = [
        {node.get("IDENTIFIER"): node.get("LAST-CHANGE") for node in etree.fromstring(one).iter("{*}SPEC-OBJECT")}
        for one in (content, earlier)
    ]
    known = {values["identifier"]: id for id, values in objects(content).items()}
    return {known[id] for id, date in both[0].items() if both[1].get(id) != date}


def test_read_back_whole_by_its_library(tmp_path: Path) -> None:
    from reqif.parser import ReqIFParser

    path = tmp_path / "t.reqif"
    path.write_bytes(made(suites.report()))
    bundle = ReqIFParser.parse(str(path))
    assert not bundle.exceptions
    held = bundle.core_content.req_if_content
    ids = {item.identifier for item in held.spec_objects}
    assert len(ids) == 7 + 5 + 2
    assert all(relation.source in ids and relation.target in ids for relation in held.spec_relations)


def test_no_empty_names_and_no_comma_in_an_id() -> None:
    found = objects(made(suites.report()))
    assert all(values["ReqIF.Name"].strip() for values in found.values())
    assert found["RX1-01.5.3"]["ReqIF.Name"] == "Paragraph 5.3"
    assert not [id for id in found if not set(id) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-_")]
    root = etree.fromstring(made(suites.report()))
    assert not [node for node in root.iter("{*}*") if node.get("LONG-NAME") == "" or node.get("THE-VALUE") == ""]


def test_ids_that_differ_in_signs_alone_stay_apart() -> None:
    clauses = (Clause(region="Annex 1", number="2.1", text="One."), Clause(region="Annex 1", number="2(1)", text="Two."))
    document = suites.document().model_copy(
        update={"clauses": (*suites.document().clauses, *clauses, Clause(region="Annex-1", number="2.1"))}
    )
    ids = [id for id in objects(made(suites.report(document=document))) if "Annex" in id]
    assert ids == ["RX1-01.Annex-1", "RX1-01.Annex-1-2.1", "RX1-01.Annex-1-2-1", "RX1-01.Annex-1-2.1.2"]


def test_relations_run_from_tests_to_paragraphs_only() -> None:
    """The document's own references run in a circle (5.2 and 6.4 name each other), so they are an attribute."""
    content = made(suites.report())
    root, kinds = etree.fromstring(content), {values["identifier"]: values["Kind"] for values in objects(content).values()}
    pairs = [(kinds[one.find("{*}SOURCE/*").text], kinds[one.find("{*}TARGET/*").text]) for one in root.iter("{*}SPEC-RELATION")]
    assert set(pairs) == {("test", "paragraph"), ("card", "paragraph")}
    found = objects(content)
    assert (found["RX1-01.6.4"]["Refers to"], found["RX1-01.5.2"]["Refers to"]) == ("RX1-01.5.2", "RX1-01.6.4")


def test_a_test_verifies_its_paragraph_and_what_its_criteria_ask_and_refers_to_the_rest(embedded: Compiled) -> None:
    # UN R152, stationary car: 6.4, limit, warning, demand, modes; surface, mass and runs are told in an attribute
    content, id = made(real(embedded)), "UNR152-02_p6.4_CtoStC_M1_MaxMass_042"
    found = objects(content)
    named = {values["identifier"]: foreign for foreign, values in found.items()}
    relations = [
        [named[one.find(f"{{*}}{end}/*").text] for end in ("SOURCE", "TARGET")]
        for one in etree.fromstring(content).iter("{*}SPEC-RELATION")
    ]
    verified = ("6.4", "5.2.1.1", "5.2.1.2", "5.2.1.4", "5.5.1")
    assert {target for source, target in relations if source == id} == {f"UNR152-02.{number}" for number in verified}
    assert {"UNR152-02.6.1.1", "UNR152-02.6.2.1", "UNR152-02.6.10.1"} <= set(found[id]["Refers to"].split(", "))
    assert "UNR152-02.6.4" not in found[id]["Refers to"].split(", ")
    assert len(relations) < 1000  # StrictDoc draws each on the page of both its ends


def test_text_holds_items_tables_rules_and_footnotes_as_xhtml() -> None:
    found = objects(made(suites.report()))
    limits = found["RX1-01.5.2"]["ReqIF.Text"]
    assert "<xhtml:th>Limit &gt; mass in running order</xhtml:th>" in limits
    assert "<xhtml:td>10.00<xhtml:sup>*</xhtml:sup></xhtml:td>" in limits
    assert "<xhtml:sup>*</xhtml:sup> Only for vehicles with two axles." in limits
    assert limits.count("Only for vehicles with two axles.") == 1
    assert "<xhtml:sup>1</xhtml:sup> As agreed with the technical service." in found["RX1-01.5.3"]["ReqIF.Text"]
    assert (
        "<xhtml:ul><xhtml:li>(a) a first item;</xhtml:li><xhtml:li>(b) a second item.</xhtml:li></xhtml:ul>"
        in found["RX1-01.6.4"]["ReqIF.Text"]
    )
    test = found[suites.stationary().id]["ReqIF.Text"]
    assert "<xhtml:h3>Approach</xhtml:h3><xhtml:ul><xhtml:li>Drive.</xhtml:li></xhtml:ul>" in test


def test_nested_items() -> None:
    from regc.model.document import Item
    from regc.report.xhtml import of_clause

    text = "Lead:\n(a) one:\n(i) deep;\n(ii) deeper;\n(b) two.\nTail."
    spans = [(("a",), "(a) one:"), (("a", "i"), "(i) deep;"), (("a", "ii"), "(ii) deeper;"), (("b",), "(b) two.")]
    items = tuple(
        Item(path=path, number=1, lead="", text=own, start=text.index(own), end=text.index(own) + len(own)) for path, own in spans
    )
    made = of_clause(Clause(region="body", number="1", text=text, items=items), suites.document()).replace("xhtml:", "")
    assert made == (
        "<p>Lead:</p><ul><li>(a) one:<ul><li>(i) deep;</li><li>(ii) deeper;</li></ul></li><li>(b) two.</li></ul><p>Tail.</p>"
    )


def test_attributes_are_typed() -> None:
    found = objects(made(suites.report(judgement=judgement([suites.stationary().id], "pass"))))
    test = found[suites.stationary().id]
    wanted = {
        "Kind": "test",
        "Status": "mandatory",
        "Test": "Standing car",
        "Load state": "maximum mass",
        "Subject vehicle in km/h": "20",
    }
    wanted |= {"Limit in km/h": "0.00", "Verification method": "driven test", "Verdict": "pass"}
    assert {name: test.get(name) for name in wanted} == wanted
    assert found[suites.stationary("40").id]["Assumed"] == "A861"
    assert found[suites.cards()[0].id]["Verification method"] == "by driving"
    states = {id: values.get("Coverage") for id, values in found.items() if values["Kind"] == "paragraph"}
    assert (states["RX1-01.6.6"], states["RX1-01.Annex-1"], states["RX1-01.6"]) == ("tested", "open", "no prescription")


def test_hierarchy_follows_the_numbers() -> None:
    """Also where the paragraph between is not in the excerpt: 5.2.1.4 lies below 5.2."""
    more = (
        Clause(region="body", number="5.2.1.4", text="Deep."),
        Clause(region="Annex 1", number="2.1", text="In the annex."),
        Clause(region="Annex 1 - Appendix 2", number=None, title="Appendix", text=""),
        Clause(region="Annex 9", number="3", text="Its annex has no heading."),
    )
    document = suites.document().model_copy(update={"clauses": (*suites.document().clauses, *more)})
    root = etree.fromstring(made(suites.report(document=document)))
    known = {values["identifier"]: id.removeprefix("RX1-01.") for id, values in objects(etree.tostring(root)).items()}

    def below(node: Any) -> dict[str, Any]:
        return {known[one.find("{*}OBJECT/*").text]: below(one) for one in node.iterfind("{*}CHILDREN/{*}SPEC-HIERARCHY")}

    assert below(next(root.iter("{*}SPECIFICATION"))) == {
        "5": {"5.2": {"5.2.1.4": {}}, "5.3": {}},
        "6": {"6.4": {}, "6.6": {}},
        "Annex-1": {"Annex-1-2.1": {}, "Annex-1-Appendix-2": {}},
        "Annex-9-3": {},
    }


def test_last_change_moves_where_the_content_moves(tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.reqif"
    earlier.write_bytes(made(suites.report(), date=DAY))
    same = made(suites.report(), date=NEXT, previous=earlier)
    assert changed(same, earlier.read_bytes()) == set()
    document = suites.document(text="A sentence more.")
    later = made(suites.report(document=document), date=NEXT, previous=earlier)
    assert changed(later, earlier.read_bytes()) == {"RX1-01.5.2"}
    assert f"{NEXT}T00:00:00Z".encode() in later
    assert later.count(f'LAST-CHANGE="{NEXT}'.encode()) == 1


def test_an_added_object_moves_alone_and_its_list(tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.reqif"
    tests = suites.suite().scenarios
    earlier.write_bytes(made(suites.report(*tests[:4]), date=DAY))
    later = made(suites.report(*tests[:4], suites.stationary("20", "max", id="RX1-01_new")), date=NEXT, previous=earlier)
    moved = [node for node in etree.fromstring(later).iter("{*}SPECIFICATION") if node.get("LAST-CHANGE", "").startswith(NEXT)]
    assert [node.get("LONG-NAME") for node in moved] == ["Tests of Invented regulation No. 1"]
    assert changed(later, earlier.read_bytes()) == {"RX1-01_new"}


def test_bad_dates_and_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="is no date"):
        made(suites.report(), date="2026-02-31")
    with pytest.raises(DataFileError, match="cannot be read"):
        made(suites.report(), previous=tmp_path / "none")
    broken = tmp_path / "broken.reqif"
    broken.write_text("<a>", encoding="utf-8")
    with pytest.raises(DataFileError, match="not ReqIF"):
        made(suites.report(), previous=broken)


def test_hostile_text_stays_text() -> None:
    one = suites.stationary(title=suites.HOSTILE)
    found = suites.report(
        one, document=suites.document(title=suites.HOSTILE, text=suites.HOSTILE), texts={one.id: f"# T\n\n- {suites.HOSTILE}\n"}
    )
    tree = etree.fromstring(made(found))
    assert [node for node in tree.iter("{http://www.w3.org/1999/xhtml}p") if (node.text or "").endswith(suites.HOSTILE)]
    assert [node for node in tree.iter("{http://www.w3.org/1999/xhtml}li") if node.text == suites.HOSTILE]
    assert not list(tree.iter("{http://www.w3.org/1999/xhtml}script", "{http://www.w3.org/1999/xhtml}img"))


# ---------------------------------------------------------------- StrictDoc


@pytest.fixture(scope="module")
def strictdoc() -> str:
    """The program that REGC_STRICTDOC names, or that is on PATH; it pins libraries, so it lives in an environment of its own."""
    program = os.environ.get("REGC_STRICTDOC") or shutil.which("strictdoc")
    if not program:
        pytest.skip("no strictdoc (pip install strictdoc in an environment of its own, REGC_STRICTDOC=…/bin/strictdoc)")
    return program


def imported(strictdoc: str, content: bytes, folder: Path, *options: str) -> dict[str, str]:
    """What StrictDoc makes of a ReqIF: file name -> SDoc."""
    (folder / "t.reqif").write_bytes(content)
    done = subprocess.run(
        [strictdoc, "convert", *options, str(folder / "t.reqif"), str(folder / "out")],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=folder,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.stem: path.read_text("utf-8") for path in (folder / "out").glob("*.sdoc")}


@pytest.mark.parametrize("options", [(), ("--reqif-import-markup", "HTML")])
def test_strictdoc_imports_and_exports_it(strictdoc: str, tmp_path: Path, options: tuple[str, ...]) -> None:
    found = imported(strictdoc, made(suites.report()), tmp_path, *options)
    paragraphs, tests = found["Invented_regulation_No_1"], found["Tests_of_Invented_regulation_No_1"]
    assert paragraphs.count("UID: ") == 7
    assert tests.count("UID: ") == 7
    assert "VALUE: RX1-01.5.2\n    ROLE: verifies" in tests or "VALUE: RX1-01.5.2\n  ROLE: verifies" in tests
    assert "TYPE: SingleChoice(mandatory, option, guidance, evidence)" in tests
    if options:
        done = subprocess.run(
            [strictdoc, "export", str(tmp_path / "out"), "--output-dir", str(tmp_path / "html")],
            capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_strictdoc_imports_a_whole_regulation(strictdoc: str, embedded: Compiled, tmp_path: Path) -> None:
    found = imported(strictdoc, made(real(embedded)), tmp_path, "--reqif-import-markup", "HTML")
    counts = sorted(text.count("\nUID: ") for text in found.values())
    assert counts == sorted([len(embedded.document.clauses), len(embedded.suite.scenarios) + len(embedded.suite.cards)])
    done = subprocess.run(
        [strictdoc, "export", str(tmp_path / "out"), "--output-dir", str(tmp_path / "html")],
        capture_output=True, text=True, check=False, timeout=600, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {path.name for path in (tmp_path / "html").rglob("*.html")}
    assert any(name.startswith("Tests_of_UN_Regulation") for name in pages), sorted(pages)


def test_steps_of_a_test_case_are_a_numbered_list_and_its_results_are_left_out() -> None:
    from regc.report.xhtml import of_markdown

    text = "# T\n\n## Prepare\n\n1. Load.\n\n2. Brake.\n\n## End\n\n3. Stop.\n\n## Result\n\n| run |\n\nDate: ____\n"
    assert of_markdown(text).replace("xhtml:", "") == (
        "<h3>Prepare</h3><ol><li>Load.</li><li>Brake.</li></ol><h3>End</h3><ol><li>Stop.</li></ol>"
    )
