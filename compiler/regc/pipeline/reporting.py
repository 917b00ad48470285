"""A report on the tests of a regulation or of a build: what is asked of it, and the files that answer. Nothing is written here."""

from __future__ import annotations

import importlib.util
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

from regc import files
from regc.errors import DataFileError, MissingExtraError
from regc.link import link
from regc.model import machine_files
from regc.model.machine_files import CoverageFile, FindingsFile
from regc.model.report_input import ReportInput
from regc.model.result import Artifact, Finding
from regc.model.stage import Staged
from regc.model.suite import Suite
from regc.pipeline import build_folder
from regc.pipeline.build import compile_regulation
from regc.pipeline.profiles import profile_folder
from regc.pipeline.request import Compiled, Request, Staging
from regc.pipeline.staging import stage_suite
from regc.plugins import REPORTS, TARGETS
from regc.report import record as record_sheet
from regc.templating import unread_findings

#: Libraries whose versions a report names.
_PACKAGES = ("lxml", "networkx", "pdfplumber", "pydantic", "pypdfium2")


@dataclass(frozen=True)
class ReportRequest:
    """What to report. `build`: a folder whose tests are meant; None: those of `request`. `judgement`, `evaluation`: the JSON of `regc
    judge` and `regc eval`; `record`: the user's TOML of the record sheet; `previous`: an earlier ReqIF. `number`, `date` (YYYY-MM-DD)
    of the report, blank for the pen. `versions` that it names: those of this process by default."""

    request: Request
    formats: tuple[str, ...]
    build: Path | None = None
    judgement: Path | None = None
    evaluation: Path | None = None
    record: Path | None = None
    previous: Path | None = None
    templates: Path | None = None
    number: str = ""
    date: str = ""
    versions: Mapping[str, str] | None = None

    #: The files of one's own that a report may be made with.
    OWN: ClassVar = ("judgement", "evaluation", "record", "previous", "templates")

    def told(self) -> dict[str, Any]:
        """All of it as the manifest keeps it, so that the report can be made again; of files only their names."""
        request = self.request
        return {
            "of_build": self.build is not None,
            "filters": build_folder.filters_of(request),
            "declared": dict(sorted(request.declared.items())),
            "staging": build_folder.plain(request.staging),
            "own": {name: path.name for name in self.OWN if (path := getattr(self, name)) is not None},
            "number": self.number,
            "date": self.date,
            "versions": dict(self.versions if self.versions is not None else versions()),
        }


@dataclass(frozen=True)
class Reported:
    """The files of a report by format, the folder that they belong into, the tests, and what was left out and why."""

    folder: Path
    made: Mapping[str, tuple[Artifact, ...]]
    suite: Suite
    findings: tuple[Finding, ...]

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """All files."""
        return tuple(artifact for own in self.made.values() for artifact in own)


def make_report(asked: ReportRequest, out: Path, *, all_formats: bool = False) -> Reported:
    """The files of a report. `out`: folder of builds, of no matter where a build is given; `all_formats`: a format whose library is not
    there is told and left out. Raises RegcError."""
    request = asked.request
    # what the user gives is read before anything takes time
    own = profile_folder(request.regulation)
    judgement = _json(asked.judgement, "regc judge … --out FOLDER writes verdicts.json")
    scores = _json(asked.evaluation, "regc eval … --json > FILE")
    compiled = compile_regulation(request)
    folder = asked.build or out / build_folder.folder_name(compiled, request.source)
    manifest = files.read_manifest(folder)
    if manifest.get("source", {}).get("sha256") != compiled.suite.document_sha256:
        if asked.build:
            raise DataFileError(
                f"{folder}: not a build of this document", hint="give the --edition and --source that it was built from"
            )
        manifest = {}
    suite = _of_build(asked.build) if asked.build else compiled.suite
    fields, of_forms = record_sheet.filled(record_sheet.sheet(own, suite, compiled.document), suite.forms, asked.record)
    staged = stage_suite(suite, request.staging)
    pages, findings = _pages(request.source)
    made_of = ReportInput(
        document=compiled.document,
        graph=link(compiled.document)[0],
        suite=suite,
        staged=staged,
        reference=(
            stage_suite(suite, request.staging.model_copy(update={"ego": "reference"})) if "html" in asked.formats else Staged()
        ),
        texts=_texts(suite, staged, asked.templates),
        provenance=provenance(compiled, manifest, request.staging, asked.versions),
        files={path: entry["sha256"] for path, entry in manifest.get("files", {}).items() if entry["target"] != "report"},
        judgement=judgement,
        evaluation=scores,
        record=fields,
        forms=of_forms,
        official_texts=record_sheet.official_texts(own),
        number=asked.number,
        date=asked.date,
        pdf=pages,
    )
    values: dict[str, dict[str, Any]] = {
        "html": {"templates": asked.templates},
        "reqif": {"date": asked.date, "previous": asked.previous},
    }
    made: dict[str, tuple[Artifact, ...]] = {}
    if asked.templates is not None:
        tests, manoeuvres = ({getattr(item, name) for item in suite.scenarios} for name in ("test", "manoeuvre"))
        findings += unread_findings(asked.templates, suite.regulation, tests, manoeuvres)
    for name in asked.formats:
        module = REPORTS.load(name)
        try:
            made[name] = module.emit(made_of, module.Options(**values.get(name, {})))
        except MissingExtraError as error:
            if not all_formats:
                raise
            findings.append(Finding(code="O693", severity="warning", message=f"{name}: not written: {error}", hint=error.hint))
    return Reported(folder, made, suite, tuple(findings))


def versions() -> dict[str, str]:
    """What makes a report in this process: Python and the libraries that are there."""
    there = {"Python": platform.python_version()}
    for name in _PACKAGES:
        try:
            there[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return there


def provenance(
    compiled: Compiled, manifest: Mapping[str, Any], staging: Staging, made_by: Mapping[str, str] | None = None
) -> tuple[tuple[str, str], ...]:
    """What the report rests on: document, reader, how tests were laid out, settings of the build, versions."""
    document = compiled.document
    lines = [
        ("Document", document.source_name),
        ("SHA-256 of the document", document.sha256),
        ("Edition", f"{document.edition} ({document.wording} wording)"),
        ("Reader", document.reader),
        ("Drawings", _pairs(build_folder.plain(staging))),
    ]
    if manifest:
        lines.extend(_of_manifest(manifest))
    return (*lines, *(versions() if made_by is None else made_by).items())


def _of_manifest(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the build in the folder was asked for: what was declared, how its tests were laid out, and each target with its options."""
    if manifest.get("declared"):
        yield "Declared for the build", _pairs(manifest["declared"])
    yield "Layout of the build", _pairs(manifest.get("staging", {}))
    for target, chosen in manifest.get("targets", {}).items():
        filters, earlier = (manifest.get(part, {}).get(target, {}) for part in ("filters", "laid_out"))
        told = [f"only {_pairs(filters)}" if filters else "every test", _pairs(chosen), earlier and f"laid out with {_pairs(earlier)}"]
        yield f"Target {target}", "; ".join(part for part in told if part)


def _pairs(told: Mapping[str, Any]) -> str:
    """ "step 0.01, traffic rht": what is set, in words."""
    return ", ".join(
        f"{name.replace('_', ' ')} {' '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in told.items()
        if value not in (None, "", [], {})
    )


def _pages(source: Path | None) -> tuple[bytes | None, list[Finding]]:
    """The PDF whose pages the report shows. Where they cannot be drawn the report is written without them, and says so."""
    if source is None or source.suffix.lower() != ".pdf":
        return None, []
    if importlib.util.find_spec("PIL") is None:
        error = MissingExtraError("they need Pillow", extra="report")
        message = f"html: without pictures of the document's pages: {error}"
        return None, [Finding(code="O693", severity="warning", message=message, hint=error.hint)]
    return source.read_bytes(), []


def _texts(suite: Suite, staged: Staged, templates: Path | None) -> dict[str, str]:
    text = TARGETS.load("text")
    made: tuple[Artifact, ...] = text.emit(suite, staged, text.Options(templates=templates))
    return {item.scenario: item.content.decode() for item in made if item.scenario}


def _of_build(folder: Path) -> Suite:
    """The suite that a build wrote, with its coverage and findings."""
    try:
        parts = {name: (folder / f"{name}.json").read_text("utf-8") for name in ("scenarios", "coverage", "findings")}
        suite = machine_files.unpacked(json.loads(parts["scenarios"]))
        coverage = CoverageFile.model_validate_json(parts["coverage"]).coverage
        findings = FindingsFile.model_validate_json(parts["findings"]).findings
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise DataFileError(f"{folder}: its JSON files cannot be read: {error}", hint="build it again") from error
    return suite.model_copy(update={"coverage": coverage, "findings": findings})


def _json(path: Path | None, hint: str) -> dict[str, Any] | None:
    if path is None:
        return None
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataFileError(f"{path}: cannot be read as JSON: {error}", hint=hint) from error
    if not isinstance(data, dict):
        raise DataFileError(f"{path}: not an object", hint=hint)
    return data
