"""The record sheet and the forms: lines from tests and document for every regulation, values of the user's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from regc.errors import DataFileError
from regc.pipeline.build import compile_regulation
from regc.pipeline.profiles import profile_folder, regulation_names
from regc.pipeline.request import Compiled, Request
from regc.report import record


def sheet(compiled: Compiled) -> dict[str, record.RecordLine]:
    folder = profile_folder(compiled.suite.regulation)
    made = record.lines(record.sheet(folder, compiled.suite, compiled.document), compiled.document)
    return {line.field.key: line for line in made}


@pytest.mark.parametrize("name", regulation_names())
def test_every_regulation_has_a_sheet_whose_lines_say_what_asks(name: str) -> None:
    lines = sheet(compile_regulation(Request(name)))
    assert "vehicle" in lines
    assert len(lines) >= 4
    assert [key for key, line in lines.items() if line.field.clause and not line.asked] == []


def test_lines_follow_from_conditions_actors_and_sentences() -> None:
    lines = sheet(compile_regulation(Request("un131")))
    assert lines["temperature"].field.label == "Ambient temperature, as measured"
    assert lines["target_car"].field.label == "Target: make, type and identity (car)"
    assert lines["6.9.2"].field.label == "Robustness of the system: what the paragraph asks to be recorded"
    assert "test report" in lines["6.9.2"].asked


def test_a_line_of_the_regulations_own_file_takes_the_place_of_one_that_follows(embedded: Compiled) -> None:
    lines = sheet(embedded)
    assert lines["tyres"].field.clause == "6.2.3"
    assert not [key for key in lines if key.startswith("6.10.2")]


def test_values_of_the_users_file(embedded: Compiled, tmp_path: Path) -> None:
    fields = record.sheet(profile_folder("un152"), embedded.suite, embedded.document)
    own = tmp_path / "record.toml"
    own.write_text('fuel = "62 per cent"\n[Assessment]\n"1.1" = "Make X"\n"1.7/2" = "D-17"\n', encoding="utf-8")
    filled, forms = record.filled(fields, embedded.suite.forms, own)
    assert next(field.value for field in filled if field.key == "fuel") == "62 per cent"
    form = next(form for form in embedded.suite.forms if form.token == "Assessment")
    written = {line.text: value for _, line, value in record.form_lines(form, forms) if value}
    assert written == {"Make of the vehicle": "Make X", "Reference number of the documentation": "D-17"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[Assessment]\n"9.9" = "x"\n', "no line 9.9 in the form Assessment"),
        ('Assessment = "x"\n', "Assessment is a form"),
        ('[Assess]\n"1.1" = "x"\n', "no line Assess in the record sheet"),
    ],
)
def test_a_wrong_line_is_told(text: str, told: str, embedded: Compiled, tmp_path: Path) -> None:
    own = tmp_path / "record.toml"
    own.write_text(text, encoding="utf-8")
    with pytest.raises(DataFileError, match=told):
        record.filled((), embedded.suite.forms, own)
