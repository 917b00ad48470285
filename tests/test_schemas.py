"""schemas/ is what the models say, and what a build writes fits it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from regc.model import machine_files
from regc.model.machine_files import CoverageFile, FindingsFile, ManifestFile
from regc.pipeline.request import Built
from regc.resources import resource
from tests.conftest import Outcome

jsonschema = pytest.importorskip("jsonschema")

FILES = {"findings": FindingsFile, "coverage": CoverageFile, "manifest": ManifestFile}


def schema(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(resource("schemas", f"{name}.schema.json").read_text("utf-8"))
    return data


def test_schemas_are_up_to_date(cli: Callable[..., Outcome]) -> None:
    done = cli("schemas", "--check")
    assert done.code == 0, done.out


def test_check_names_what_differs_and_what_has_no_model(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    assert cli("schemas", "--out", tmp_path).code == 0
    assert cli("schemas", "--out", tmp_path, "--check").code == 0
    (tmp_path / "scenarios.schema.json").write_text("{}\n")
    (tmp_path / "left-over.schema.json").write_text("{}\n")
    done = cli("schemas", "--out", tmp_path, "--check", "--json")
    assert done.code == 1
    assert json.loads(done.out) == {"differ": ["scenarios.schema.json"], "unknown": ["left-over.schema.json"]}
    assert (tmp_path / "scenarios.schema.json").read_text() == "{}\n"


@pytest.mark.parametrize("path", sorted(resource("schemas").glob("*.schema.json")), ids=lambda path: path.name)
def test_every_schema_is_a_schema(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text("utf-8")))


@pytest.mark.parametrize("path", sorted(resource("schemas").glob("*.schema.json")), ids=lambda path: path.name)
def test_every_reference_of_a_schema_leads_somewhere(path: Path) -> None:
    data = json.loads(path.read_text("utf-8"))
    for reference in set(references(data)):
        held = data
        assert reference.startswith("#/"), reference
        for key in reference[2:].split("/"):
            assert key in held, reference
            held = held[key]


def references(data: Any) -> Iterator[str]:
    """Every `$ref` of a schema, at any depth."""
    if isinstance(data, dict):
        if isinstance(data.get("$ref"), str):
            yield data["$ref"]
        for value in data.values():
            yield from references(value)
    elif isinstance(data, list):
        for value in data:
            yield from references(value)


@pytest.mark.parametrize("name", FILES)
def test_what_a_build_writes_fits_its_schema(name: str, built: Built) -> None:
    data = json.loads((built.folder / f"{name}.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema(name)).validate(data)
    again = FILES[name].model_validate(data)
    assert again.model_dump(mode="json", exclude_none=name != "manifest") == data


def test_scenarios_fit_their_schema_and_come_back(built: Built) -> None:
    data = json.loads((built.folder / "scenarios.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema("scenarios")).validate(data)
    again = machine_files.unpacked(data)
    assert again == built.compiled.suite.model_copy(update={"coverage": again.coverage, "findings": again.findings})
    assert machine_files.unpacked(machine_files.packed(again)) == again


def test_a_number_is_its_sources_digits(built: Built) -> None:
    """A string, so that no reader turns 0.00 into 0 or 10.00 into a binary fraction."""
    data = json.loads((built.folder / "scenarios.json").read_text("utf-8"))
    limits = {part["limit"]["value"]["lo"] for item in data["scenarios"] for part in item["require"] if part["label"] == "impact"}
    assert {"0.00", "10.00", "35.00"} <= limits
    wrong = json.loads(json.dumps(data))
    wrong["scenarios"][0]["bind"]["subject"]["lo"] = 20
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema("scenarios")).validate(wrong)


def test_the_schema_refuses_unknown_and_missing_keys(built: Built) -> None:
    data = json.loads((built.folder / "findings.json").read_text("utf-8"))
    for wrong in (data | {"more": 1}, {key: value for key, value in data.items() if key != "edition"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(schema("findings")).validate(wrong)
