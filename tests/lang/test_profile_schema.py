"""schemas/profile.schema.json takes every shipped profile and names what the compiler would refuse."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from regc.files import json_bytes
from regc.lang.schema import profile_schema
from regc.resources import resource

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

jsonschema = pytest.importorskip("jsonschema")

REGULATIONS = Path(__file__).parents[2] / "compiler" / "regc" / "regulations"
PROFILES = sorted(path for path in REGULATIONS.glob("*/*.toml") if path.name != "record_sheet.toml")
SCHEMA = json.loads(resource("schemas", "profile.schema.json").read_text("utf-8"))


def faults(text: str) -> list[str]:
    """What the schema says of a profile."""
    data: dict[str, Any] = tomllib.loads(text)
    return [error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(data)]


def test_the_file_is_what_the_types_say() -> None:
    assert resource("schemas", "profile.schema.json").read_bytes() == json_bytes(profile_schema())


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_there_are_profiles() -> None:
    assert {path.parent.name for path in PROFILES} >= {"un152", "un131", "un130", "un171", "fmvss127", "parts"}


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_shipped_profile_fits(path: Path) -> None:
    assert faults(path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_shipped_profile_names_the_schema_on_its_first_line(path: Path) -> None:
    head, _, named = path.read_text("utf-8").split("\n", 1)[0].partition(" ")
    assert head == "#:schema"
    assert (path.parent / named).resolve() == resource("schemas", "profile.schema.json").resolve()


@pytest.mark.parametrize(
    ("fault", "names"),
    [
        ('[[test]]\nname = "a"\nmanoeuver = "in_lane"', "manoeuver"),
        ('[[test]]\nname = "a"\nmanoeuvre = "in_line"', "in_line"),
        ('[[test]]\nname = "a"\nbind.ofset = "[6.4]"', "ofset"),
        ('[[test]]\nname = "a"\nconditions.temprature = "[6.4]"', "temprature"),
        ('[[test]]\nname = "a"\nstatus = "optional"', "optional"),
        ('[[card]]\ntitle = "a"\nkind = "review"', "clauses"),
        ("titel = 'a'", "titel"),
        ('[table.limit]\nat = "5"\ncaptoin = "category"', "captoin"),
    ],
)
def test_what_the_compiler_refuses_is_named(fault: str, names: str) -> None:
    found = faults(fault)
    assert found, fault
    assert any(names in message for message in found)


@pytest.mark.parametrize("block", ["test", "card", "table", "axis", "criterion", "check"])
def test_blocks_and_keys_are_described(block: str) -> None:
    form = SCHEMA["$defs"][block]
    form = next((each for each in form.get("anyOf", ()) if each.get("properties")), form)
    assert form["description"]
    assert all(key.get("description") for name, key in form["properties"].items() if "$ref" not in key), block
