"""`regc report` as a user runs it."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regc.commands.report import day_of
from regc.errors import DataFileError
from regc.pipeline.request import Compiled
from tests.report.inputs import judgement

Run = Callable[..., Any]


def test_all_formats_beside_the_build(cli: Run, tmp_path: Path) -> None:
    outcome = cli("report", "UN152", "--out", tmp_path, "--family", "bicycle", "--sweep", "mandatory", "--json")
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)
    assert {Path(path).name for path in told["files"]} == {
        "report.html",
        "traceability_by_paragraph.csv",
        "traceability_by_scenario.csv",
        "traceability.xlsx",
        "traceability.reqif",
    }
    assert told["scenarios"] == 12
    page = (tmp_path / "un152-02" / "report" / "report.html").read_text("utf-8")
    assert "This report shows 12 of the 184 tests" in page


def test_a_later_build_keeps_the_report(cli: Run, tmp_path: Path) -> None:
    assert cli("report", "un152", "--out", tmp_path, "--family", "bicycle", "--format", "html").code == 0
    assert cli("build", "un152", "--out", tmp_path, "--family", "bicycle", "--target", "csv").code == 0
    assert (tmp_path / "un152-02" / "report" / "report.html").is_file()


def test_the_report_tells_in_words_what_the_build_was_asked_for(cli: Run, tmp_path: Path) -> None:
    build = ("build", "un152", "--out", tmp_path, "--family", "bicycle", "--family", "moving", "--target", "csv", "--traffic", "lht")
    assert cli(*build).code == 0
    assert cli("report", "un152", "--out", tmp_path, "--format", "html").code == 0
    page = (tmp_path / "un152-02" / "report" / "report.html").read_text("utf-8")
    assert re.search(r"Layout of the build</th><td>ego none, [^<]*traffic lht<", page)
    assert "Target csv</th><td>only tests bicycle moving; csv form auto<" in page


@pytest.mark.slow
def test_the_manifest_holds_the_report(cli: Run, tmp_path: Path) -> None:
    folder = tmp_path / "un152-02"
    assert cli("build", "un152", "--out", tmp_path, "--target", "csv").code == 0
    report = ("report", "un152", "--out", tmp_path, "--family", "bicycle", "--format", "csv")
    assert cli(*report).code == 0
    whole = cli("verify", folder)
    assert (whole.code, "V567" in whole.out) == (0, False), whole.out
    written = folder / "report" / "traceability_by_paragraph.csv"
    first, manifest = written.read_bytes(), (folder / "manifest.json").read_bytes()
    assert cli(*report).code == 0
    assert (written.read_bytes(), (folder / "manifest.json").read_bytes()) == (first, manifest)
    written.write_bytes(first.replace(b"5.2.3.4", b"5.2.3.5", 1))
    assert cli("verify", folder).code == 1


@pytest.mark.slow
def test_a_report_of_an_earlier_build_is_told(cli: Run, tmp_path: Path) -> None:
    name = "report/traceability_by_scenario.csv"
    assert cli("build", "un131", "--out", tmp_path, "--target", "csv", "--declare", "v_design=90 km/h").code == 0
    assert cli("report", "un131", "--out", tmp_path, "--format", "csv", "--declare", "v_design=90 km/h").code == 0
    again = cli("build", "un131", "--out", tmp_path, "--target", "csv", "--declare", "v_design=60 km/h")
    assert again.code == 0, again.out
    assert json.loads((tmp_path / "un131-02" / "scenarios.json").read_text("utf-8"))["declared"] == {"v_design": "60 km/h"}
    assert "warning O697" in again.out
    assert name in "".join(again.out.split())
    assert (tmp_path / "un131-02" / name).is_file()


def test_without_an_extra_the_rest_is_written(cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("openpyxl", "reqif.reqif_bundle"):
        monkeypatch.setitem(sys.modules, module, None)
    asked = ("report", "un152", "--out", tmp_path, "--family", "bicycle", "--sweep", "mandatory")
    outcome = cli(*asked, "--json")
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)
    assert {Path(path).suffix for path in told["files"]} == {".html", ".csv"}
    for name, finding in zip(("reqif", "xlsx"), told["findings"], strict=True):
        assert (finding["code"], finding["severity"]) == ("O693", "warning")
        assert finding["message"].startswith(f"{name}: not written")
        assert 'pip install ".[report]"' in finding["hint"]
        named = cli(*asked, "--format", name)
        assert named.code == 2
        assert 'pip install ".[report]"' in named.err


def test_without_pillow_the_report_is_written_without_pages(
    cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: Path
) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    source = shared / "regulations" / "un152-r2" / "un152-r2.pdf"
    outcome = cli("report", "un152", "--source", source, "--out", tmp_path, "--format", "html", "--json")
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)
    assert [Path(path).name for path in told["files"]] == ["report.html"]
    assert [(item["code"], item["message"].split(":")[1].strip()) for item in told["findings"]] == [
        ("O693", "without pictures of the document's pages")
    ]


def test_on_a_build_with_its_files_and_a_record(cli: Run, tmp_path: Path, embedded: Compiled) -> None:
    assert cli("build", "un152", "--out", tmp_path, "--family", "bicycle", "--target", "csv").code == 0
    folder = tmp_path / "un152-02"
    record, verdicts = tmp_path / "record.toml", tmp_path / "verdicts.json"
    record.write_text('fuel = "62 per cent"\n', encoding="utf-8")
    id = next(item.id for item in embedded.suite.scenarios if item.test == "bicycle")
    verdicts.write_text(json.dumps(judgement([id], "pass")), encoding="utf-8")
    arguments = (
        "--build",
        folder,
        "--format",
        "html",
        "--record",
        record,
        "--judge",
        verdicts,
        "--number",
        "TR-9",
        "--date",
        "2026-11-30",
    )
    outcome = cli("report", "un152", *arguments)
    assert outcome.code == 0, outcome.err
    page = (folder / "report" / "report.html").read_text("utf-8")
    for told in ("62 per cent", "Files of the build", f'data-id="{id}"', "number TR-9, made on 2026-11-30", "of the 184 tests"):
        assert told in page


def test_last_change_of_an_earlier_export_is_kept(cli: Run, tmp_path: Path) -> None:
    asked = ("report", "un152", "--family", "bicycle", "--sweep", "mandatory", "--format", "reqif")
    assert cli(*asked, "--out", tmp_path / "a", "--date", "2026-01-01").code == 0
    earlier = tmp_path / "a" / "un152-02" / "report" / "traceability.reqif"
    assert cli(*asked, "--out", tmp_path / "b", "--date", "2026-02-01", "--previous", earlier).code == 0
    later = (tmp_path / "b" / "un152-02" / "report" / "traceability.reqif").read_text("utf-8")
    assert 'LAST-CHANGE="2026-02' not in later
    assert "<CREATION-TIME>2026-02-01T00:00:00Z</CREATION-TIME>" in later


def test_day_of_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert (day_of(""), day_of("2026-11-30")) == ("", "2026-11-30")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert (day_of(""), day_of("2026-11-30")) == ("1970-01-02", "2026-11-30")
    for wrong in ("30.11.2026", "2026-13-01"):
        with pytest.raises(DataFileError, match="is no date"):
            day_of(wrong)


def test_printed_by_a_browser(cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("report", "un152", "--out", tmp_path, "--family", "bicycle", "--sweep", "mandatory", "--format", "html", "--pdf")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))
        outcome = cli(*asked)
        assert outcome.code == 2
        assert "no Chromium to print the report with" in outcome.err
    if not shutil.which("chromium"):
        pytest.skip("no chromium (apt-get install chromium)")
    outcome = cli(*asked, "--date", "2026-11-30", "--number", "TR-9")
    assert outcome.code == 0, outcome.err
    pypdfium2 = pytest.importorskip("pypdfium2")
    document = pypdfium2.PdfDocument(tmp_path / "un152-02" / "report" / "report.pdf")
    pages = [sheet.get_textpage().get_text_range() for sheet in document]
    assert len(pages) > 5
    for number, text in enumerate(pages, 1):
        assert "report TR-9 · 2026-11-30 · " in text
        assert f"page {number} of {len(pages)}" in text
    everything = " ".join("\n".join(pages).split())
    assert "subjects.M1.length" in everything  # the values of assumptions are on paper


def test_bad_input_is_told_with_a_next_step(cli: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    unknown = tmp_path / "record.toml"
    unknown.write_text('tyre = "x"\n', encoding="utf-8")
    for arguments, told in (
        (("--judge", broken), "cannot be read as JSON"),
        (("--judge", tmp_path / "none.json"), "cannot be read as JSON"),
        (("--record", unknown), "no line tyre in the record sheet"),
        (("--format", "htm"), "did you mean 'html'"),
        (("--build", tmp_path), "not a build of this document"),
        (("--family", "bicicle"), "did you mean 'bicycle'"),
        (("--date", "tomorrow"), "is no date"),
        (("--format", "csv", "--pdf"), "--pdf prints the HTML report"),
    ):
        outcome = cli("report", "un152", "--out", tmp_path / "out", *arguments)
        assert outcome.code == 2, arguments
        assert told in outcome.err, outcome.err
        assert "next:" in outcome.err or "did you mean" in outcome.err


def test_a_report_beside_a_build_is_read_again_without_a_difference(cli: Run, tmp_path: Path) -> None:
    """Its workbook and its ReqIF too, with tests whose limit changes inside the tolerance."""
    chosen = ("--family", "bicycle", "--category", "M1", "--out", tmp_path)
    assert cli("build", "un152", "--target", "text", "--target", "csv", *chosen).code == 0
    assert cli("report", "un152", *chosen).code == 0
    outcome = cli("verify", tmp_path / "un152-02")
    assert outcome.code == 0, outcome.out
    assert "difference" not in outcome.out
