"""The machine files of a build, as other programs read them; schemas/ holds their JSON Schemas."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal

from regc.model.result import Finding
from regc.model.source import Frozen, Wording
from regc.model.suite import Coverage


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
