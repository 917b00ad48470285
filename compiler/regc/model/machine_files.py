"""The machine files of a build, as other programs read them; schemas/ holds their JSON Schemas. scenarios.json is a Suite with each
place of the document written once, and values that refer to it by number."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from regc.model.result import Finding
from regc.model.source import Frozen, SourceRef, Wording
from regc.model.suite import Coverage, Suite


class _Head(Frozen):
    schema_version: Literal["1.0"] = "1.0"
    regulation: str
    edition: str
    wording: Wording


class FindingsFile(_Head):
    """findings.json: all that was found on the way, assumptions and losses of targets included."""

    findings: tuple[Finding, ...]


class CoverageFile(_Head):
    """coverage.json: what became of each sentence that prescribes, each cell, mark and rule; `summary` counts them and the numbers by
    basis."""

    coverage: Coverage
    summary: dict[str, int]


class SourceFile(Frozen):
    """The document that was compiled."""

    name: str
    sha256: str
    reader: str


class FileEntry(Frozen):
    """One file of the build folder; `target` is "regc" for the machine files."""

    target: str
    sha256: str


class ManifestFile(_Head):
    """manifest.json: input, options and files of a build with their hashes. `filters`: by target, what narrowed it ({}: nothing).
    `laid_out`: by target, the staging of an earlier build that wrote it, where that is not `staging`.
    `last`: the targets of the last build, which wrote the machine files too. `reports`: by format, what was asked of a report.
    `key`: what the build depends on, as one hash. `seal`: hash of the manifest itself without it, as compact JSON with sorted keys."""

    regc: str
    source: SourceFile
    declared: dict[str, str]
    staging: dict[str, Any]
    targets: dict[str, dict[str, Any]]
    filters: dict[str, dict[str, Any]]
    laid_out: dict[str, dict[str, Any]] = {}
    last: tuple[str, ...] = ()
    reports: dict[str, dict[str, Any]] = {}
    files: dict[str, FileEntry]
    key: str
    seal: str = ""

    def sealed(self) -> ManifestFile:
        """The same with its seal."""
        return self.model_copy(update={"seal": seal(self.model_dump(mode="json"))})


def seal(manifest: Mapping[str, Any]) -> str:
    """The hash of a manifest without its seal."""
    data = {key: value for key, value in manifest.items() if key != "seal"}
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


VERSION = "2.0"
#: What is told elsewhere, or is of one build.
_LEFT_OUT = {"coverage", "findings"}


def packed(suite: Suite) -> dict[str, Any]:
    """The suite as JSON data; every list of places becomes a list of positions in `sources`."""
    known: dict[str, int] = {}
    sources: list[Any] = []

    def number(source: Any) -> int:
        text = repr(source)
        if text not in known:
            known[text] = len(sources)
            sources.append(source)
        return known[text]

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: [number(item) for item in part] if _holds_places(key, part) else walk(part) for key, part in value.items()}
        return [walk(item) for item in value] if isinstance(value, list) else value

    data = walk(suite.model_dump(mode="json", exclude=_LEFT_OUT, exclude_defaults=True))
    return {"schema_version": VERSION, "sources": sources, **data}


def unpacked(data: dict[str, Any]) -> Suite:
    """The suite of a scenarios.json; raises ValueError, KeyError, TypeError or IndexError (pydantic's ValidationError is a ValueError)
    for what is none."""
    if data["schema_version"] != VERSION:
        raise ValueError(f"schema_version {data['schema_version']!r}, wanted {VERSION!r}")
    # each place is one object, however many values cite it
    sources = [SourceRef.model_validate(source) for source in data["sources"]]

    def walk(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: walk(part, name) for name, part in value.items()}
        if isinstance(value, list):
            if key.endswith("sources"):
                return [sources[number] for number in value]
            return [walk(item) for item in value]
        return value

    rest = {key: part for key, part in data.items() if key not in ("schema_version", "sources")}
    return Suite.model_validate(walk(rest))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of scenarios.json."""
    schema = Suite.model_json_schema(mode="serialization")
    for name in _LEFT_OUT:
        schema["properties"].pop(name)
    whole = schema["$defs"]["SourceRef"]

    def walk(value: Any) -> None:
        if isinstance(value, list):
            for item in value:
                walk(item)
        if isinstance(value, dict):
            for key, part in value.items():
                if key.endswith("sources") and isinstance(part, dict) and part.get("type") == "array":
                    part["items"] = {"type": "integer", "minimum": 0}
                walk(part)

    walk(schema)
    # what is left out of the file has its default
    for part in (schema, *schema["$defs"].values()):
        if "required" in part:
            part["required"] = [name for name in part["required"] if "default" not in part["properties"][name]]
    schema["properties"] = {
        "schema_version": {"const": VERSION},
        "sources": {"type": "array", "items": {"$ref": "#/$defs/SourceRef"}},
        **schema["properties"],
    }
    schema["$defs"]["SourceRef"] = whole
    schema["required"] = ["schema_version", "sources", *schema.get("required", [])]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _holds_places(key: str, value: Any) -> bool:
    return key.endswith("sources") and isinstance(value, list) and all(isinstance(item, dict) and "clause" in item for item in value)
