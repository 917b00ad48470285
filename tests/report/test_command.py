"""`regc report` as a user runs it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regc.commands.report import provenance
from regc.job import Compiled
from tests.report.inputs import judgement

Run = Callable[..., Any]


def test_all_formats_beside_the_build(cli: Run, tmp_path: Path) -> None:
    outcome = cli("report", "un152", "--out", tmp_path, "--family", "car_to_bicycle", "--json")
    assert outcome.code == 0, outcome.err
    names = {Path(path).name for path in json.loads(outcome.out)["files"]}
    assert names == {
        "report.html",
        "traceability_by_paragraph.csv",
        "traceability_by_scenario.csv",
        "traceability.xlsx",
        "traceability.reqif",
    }
    assert (tmp_path / "un152-02" / "report" / "report.html").is_file()


def test_a_later_build_keeps_the_report(cli: Run, tmp_path: Path) -> None:
    assert cli("report", "un152", "--out", tmp_path, "--family", "false_reaction", "--format", "html").code == 0
    assert cli("build", "un152", "--out", tmp_path, "--family", "false_reaction", "--target", "text").code == 0
    assert (tmp_path / "un152-02" / "report" / "report.html").is_file()


def test_without_an_extra_the_rest_is_written(cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("openpyxl", "reqif.reqif_bundle"):
        monkeypatch.setitem(sys.modules, module, None)
    asked = ("report", "un152", "--out", tmp_path, "--family", "false_reaction")
    outcome = cli(*asked, "--json")
    assert outcome.code == 0, outcome.err
    told = json.loads(outcome.out)
    assert {Path(path).suffix for path in told["files"]} == {".html", ".csv"}
    for name, finding in zip(("xlsx", "reqif"), told["findings"], strict=True):
        assert (finding["code"], finding["severity"]) == ("T693", "warning")
        assert finding["message"].startswith(f"{name}: not written")
        assert 'pip install "regc[report]"' in finding["hint"]
        assert 'pip install ".[report]"' in finding["hint"]
        named = cli(*asked, "--format", name)
        assert named.code == 2
        assert 'pip install ".[report]"' in named.err


def test_on_a_build_with_its_files_and_a_record(cli: Run, tmp_path: Path, embedded: Compiled) -> None:
    assert cli("build", "un152", "--out", tmp_path, "--family", "car_to_bicycle", "--target", "text").code == 0
    folder = tmp_path / "un152-02"
    record = tmp_path / "record.toml"
    record.write_text('fuel = "62 per cent"\n', encoding="utf-8")
    verdicts = tmp_path / "verdicts.json"
    id = next(item.id for item in embedded.checked.scenarios if item.family == "car_to_bicycle")
    verdicts.write_text(json.dumps(judgement([id], "pass")), encoding="utf-8")
    outcome = cli("report", "un152", "--build", folder, "--format", "html", "--record", record, "--judge", verdicts)
    assert outcome.code == 0, outcome.err
    page = (folder / "report" / "report.html").read_text("utf-8")
    assert "62 per cent" in page
    assert "Files of the build" in page
    assert f'data-id="{id}"' in page


def test_language_model_of_a_build(embedded: Compiled) -> None:
    def told(manifest: dict[str, Any]) -> str:
        return dict(provenance(embedded, manifest, [], []))["Language model"]

    assert told({}) == "none"
    assert told({"extractor": "llm"}) == "not recorded"
    model = {"name": "some:model", "settings": {"temperature": 0.1, "max_tokens": 1600}}
    assert told({"extractor": "llm", "model": model}) == "some:model (max_tokens 1600, temperature 0.1)"


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
        (("--family", "car_to_bicicle"), "did you mean 'car_to_bicycle'"),
    ):
        outcome = cli("report", "un152", "--out", tmp_path, *arguments)
        assert outcome.code == 2, arguments
        assert told in outcome.err, outcome.err
        assert "next:" in outcome.err or "did you mean" in outcome.err


def test_invented_regulation_without_a_record_sheet(cli: Run, tmp_path: Path) -> None:
    folder = Path(__file__).resolve().parents[1] / "fixtures" / "regulations" / "shuttles"
    outcome = cli("report", folder, "--out", tmp_path, "--format", "html")
    assert outcome.code == 0, outcome.err
