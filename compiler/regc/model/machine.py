"""The machine files of a build, as other programs read them; schemas/ holds their JSON Schemas."""

from __future__ import annotations

from typing import Any, Literal

from regc.model.result import Coverage, Finding
from regc.model.scenario import ProcedureCard, Scenario
from regc.model.source import Frozen, Wording


class _Head(Frozen):
    schema_version: Literal["1.0"] = "1.0"
    regulation: str
    edition: str
    wording: Wording


class ScenariosFile(_Head):
    """scenarios.json: every test and procedure card, each number with its unit, bound, basis and places."""

    scenarios: tuple[Scenario, ...]
    cards: tuple[ProcedureCard, ...]


class FindingsFile(_Head):
    """findings.json: all that was found on the way, assumptions and losses of targets included."""

    findings: tuple[Finding, ...]


class CoverageFile(_Head):
    """coverage.json: what became of each cell and testable clause; `summary` counts them and the numbers by basis."""

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


class ModelFile(Frozen):
    """The language model that extracted: "provider:model", and what it was asked with (temperature, seed, output limit)."""

    name: str
    settings: dict[str, Any] = {}


class ManifestFile(_Head):
    """manifest.json: input, options and files of a build with their hashes. `key`: what the build depends on, as one hash. `model` is
    None for a build without a language model."""

    regc: str
    source: SourceFile
    extractor: str
    retriever: str
    model: ModelFile | None = None
    sweep: str
    families: tuple[str, ...]
    categories: tuple[str, ...]
    targets: dict[str, dict[str, Any]]
    stats: dict[str, float]
    files: dict[str, FileEntry]
    key: str
