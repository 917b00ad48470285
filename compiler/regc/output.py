"""Checked scenarios to an output folder: filters, the machine files, the targets, the manifest, one atomic swap."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from regc import __version__, files, registry
from regc import cache as caching
from regc.errors import TemplateFailedError
from regc.job import Built, Compiled, Request
from regc.model.machine import CoverageFile, FileEntry, FindingsFile, ManifestFile, ModelFile, ScenariosFile, SourceFile
from regc.model.protocols import LLM, Progress
from regc.model.regulation import Profile
from regc.model.result import Artifact, Checked, Finding
from regc.model.scenario import Scenario

FINDINGS = "findings.json"


def folder_name(compiled: Compiled, from_source: bool) -> str:
    """`un152-02`, and with a source file `un152-02-<first eight of its hash>`."""
    checked = compiled.checked
    own = f"-{checked.document_sha256[:8]}" if from_source else ""
    return f"{checked.regulation}-{checked.edition}{own}"


def filtered(checked: Checked, profile: Profile, request: Request) -> Checked:
    """Only the families, categories and sweep asked for; coverage stays that of the whole edition."""
    for family in request.families:
        registry.check(family, tuple(item.name for item in profile.families), what=f"family of {profile.id}")
    for category in request.categories:
        registry.check(category, tuple(item.id for item in profile.categories), what=f"category of {profile.id}")

    def wanted(scenario: Scenario) -> bool:
        return (
            (not request.families or scenario.family in request.families)
            and (not request.categories or scenario.category in (None, *request.categories))
            and (request.sweep == "full" or scenario.status != "ts_option")
        )

    kept = tuple(scenario for scenario in checked.scenarios if wanted(scenario))
    if len(kept) == len(checked.scenarios):
        return checked
    ids = {scenario.id for scenario in kept}
    findings = tuple(finding for finding in checked.findings if finding.scenario is None or finding.scenario in ids)
    return checked.model_copy(update={"scenarios": kept, "findings": findings})


def emit(compiled: Compiled, request: Request, folder: Path, progress: Progress) -> Built:
    """Write what is asked for into `folder`, unless it holds just that already; builds into one folder take turns."""
    with files.locked(folder):
        return _emit(compiled, request, folder, progress)


def _emit(compiled: Compiled, request: Request, folder: Path, progress: Progress) -> Built:
    # what is told once and not kept: the files depend on the input alone
    told: tuple[Finding, ...] = (_recovered(folder),) if files.recover(folder) else ()
    before = files.read_manifest(folder)
    checked = compiled.checked
    key = caching.key(
        checked.document_sha256,
        hashlib.sha256(checked.model_dump_json().encode()).hexdigest(),
        f"{request.extractor} {_model(request.llm)}",
        *(f"{name}={options.model_dump_json()}{_data_files(options)}" for name, options in sorted(request.targets.items())),
    )
    if before.get("key") == key and _whole(folder, before):
        return Built(compiled, folder, (), (*_kept_findings(folder), *told), up_to_date=True)
    artifacts: list[Artifact] = []
    failed: list[Finding] = []
    for number, (name, options) in enumerate(sorted(request.targets.items())):
        progress(f"emit {name}", number, len(request.targets))
        try:
            artifacts.extend(registry.load("targets", name).emit(checked, options))
        except TemplateFailedError as error:
            failed.append(_failed(name, error))
    losses = {(loss.code, loss.field, loss.message): loss for artifact in artifacts for loss in artifact.losses}
    findings = (*checked.findings, *losses.values(), *failed)
    contents = {artifact.path: artifact.content for artifact in artifacts} | machine_files(checked, findings)
    old: Mapping[str, Any] = before.get("files", {})
    replaced = {*request.targets, "regc"}
    kept = {path: entry for path, entry in old.items() if entry.get("target") not in replaced}
    told += _other_selection(request, before, {str(entry.get("target")) for entry in kept.values()})
    targets = {artifact.path: artifact.target for artifact in artifacts}
    entries = kept | {
        path: {"target": targets.get(path, "regc"), "sha256": hashlib.sha256(content).hexdigest()} for path, content in contents.items()
    }
    manifest = _manifest(compiled, request, key, before, entries)
    drop = frozenset(path for path, entry in old.items() if entry.get("target") in replaced) | {files.MANIFEST}
    progress("write", 0, 1)
    files.replace_folder(folder, contents | {files.MANIFEST: files.json_bytes(manifest.model_dump(mode="json"))}, drop)
    return Built(compiled, folder, tuple(artifacts), (*findings, *told), up_to_date=False)


def machine_files(checked: Checked, findings: tuple[Finding, ...]) -> dict[str, bytes]:
    """scenarios.json, findings.json and coverage.json, as their schemas say."""
    head: dict[str, Any] = {"regulation": checked.regulation, "edition": checked.edition, "wording": checked.wording}
    made: dict[str, BaseModel] = {
        "scenarios.json": ScenariosFile(**head, scenarios=checked.scenarios, cards=checked.cards),
        FINDINGS: FindingsFile(**head, findings=findings),
        "coverage.json": CoverageFile(**head, coverage=checked.coverage, summary=summary(checked)),
    }
    return {name: files.json_bytes(model.model_dump(mode="json", exclude_none=True)) for name, model in made.items()}


def summary(checked: Checked) -> dict[str, int]:
    """Counts of the coverage: cells used or explained, clauses covered or explained, numbers by basis."""
    cells, clauses = checked.coverage.cells, checked.coverage.clauses
    return {
        "limit_cells": sum(cell.role == "limit" for cell in cells),
        "test_speed_cells": sum(cell.role == "test_speed" for cell in cells),
        "cells_used": sum(bool(cell.scenarios) for cell in cells),
        "cells_with_reason": sum(not cell.scenarios and bool(cell.reason) for cell in cells),
        "cells_unaccounted": sum(not cell.scenarios and not cell.reason for cell in cells),
        "clauses_testable": len(clauses),
        "clauses_covered": sum(bool(clause.scenarios or clause.cards) for clause in clauses),
        "clauses_with_reason": sum(not clause.scenarios and not clause.cards and bool(clause.reason) for clause in clauses),
        "numbers_cited": checked.coverage.cited,
        "numbers_derived": checked.coverage.derived,
        "numbers_assumed": checked.coverage.assumed,
        "numbers_traced": checked.coverage.traced,
        "numbers_accurate": checked.coverage.accurate,
    }


def _manifest(compiled: Compiled, request: Request, key: str, before: Mapping[str, Any], entries: Mapping[str, Any]) -> ManifestFile:
    checked = compiled.checked
    options = {name: _plain(chosen) for name, chosen in request.targets.items()}
    return ManifestFile(
        regc=__version__,
        regulation=checked.regulation,
        edition=checked.edition,
        wording=checked.wording,
        source=SourceFile(name=checked.source_name, sha256=checked.document_sha256, reader=compiled.document.reader),
        extractor=request.extractor,
        retriever=request.retriever,
        model=_model(request.llm),
        sweep=request.sweep,
        families=tuple(sorted(request.families)),
        categories=tuple(sorted(request.categories)),
        targets={name: value for name, value in before.get("targets", {}).items() if name not in options} | options,
        stats=compiled.stats,
        files={path: FileEntry.model_validate(entry) for path, entry in entries.items()},
        key=key,
    )


def _model(llm: LLM | None) -> ModelFile | None:
    """Name and settings of the language model; a model of one's own need not have settings."""
    if llm is None:
        return None
    settings = getattr(llm, "settings", None)
    return ModelFile(name=llm.name, settings=settings.model_dump(mode="json") if isinstance(settings, BaseModel) else {})


def _other_selection(request: Request, before: Mapping[str, Any], kept: set[str]) -> tuple[Finding, ...]:
    """Targets of an earlier build stay; when that build chose other scenarios, scenarios.json no longer lists theirs."""
    chosen = {"sweep": request.sweep, "families": sorted(request.families), "categories": sorted(request.categories)}
    if not kept or all(before.get(name) == value for name, value in chosen.items()):
        return ()
    return (
        Finding(
            code="T692",
            severity="info",
            message=f"{', '.join(sorted(kept))}: kept from a build of another selection; scenarios.json is this build's",
            hint="build those targets again, or give builds with a filter a folder of their own with --out",
        ),
    )


def _failed(target: str, error: TemplateFailedError) -> Finding:
    return Finding(
        code="T694",
        severity="error",
        message=f"{target}: not written: {error}",
        hint=error.hint,
    )


def _plain(options: BaseModel) -> dict[str, Any]:
    """Options for the manifest; of a data file only its name, since paths differ from machine to machine."""
    return {name: value.name if isinstance(value, Path) else value for name, value in options.model_dump().items()}


def _whole(folder: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether every file that the manifest names is there unchanged."""
    for path, entry in manifest.get("files", {}).items():
        try:
            if hashlib.sha256((folder / path).read_bytes()).hexdigest() != entry.get("sha256"):
                return False
        except OSError:
            return False
    return bool(manifest.get("files"))


def _kept_findings(folder: Path) -> tuple[Finding, ...]:
    """All findings of the build that lies in a folder, those of its targets too."""
    data = json.loads((folder / FINDINGS).read_text("utf-8"))
    return tuple(Finding.model_validate(item) for item in data["findings"])


def _data_files(options: BaseModel) -> str:
    """Hashes of the data files and template folders that options point to: their content decides and not their path."""
    named = [value for value in options.model_dump().values() if isinstance(value, Path)]
    paths = [path for value in named for path in (sorted(value.rglob("*")) if value.is_dir() else (value,)) if path.is_file()]
    return json.dumps([[path.name, hashlib.sha256(path.read_bytes()).hexdigest()] for path in paths])


def _recovered(folder: Path) -> Finding:
    return Finding(
        code="T690",
        severity="info",
        message=f"{folder.name}: an earlier build was interrupted while it swapped folders; its last good output was put back",
        hint="nothing to do",
    )
