"""`regc report`: the report that an engineer signs, with traceability as CSV, XLSX and ReqIF."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import sys
from datetime import date as calendar
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.markup import escape

from regc import files, plugins
from regc.cli.console import console, print_findings
from regc.cli.flags import Category, Declare, Edition, Family, Reader, Regulation, Source, Sweep, Where, options, request_of, with_flags
from regc.errors import DataFileError, MissingExtraError
from regc.link import link
from regc.model import suitefile
from regc.model.machine import CoverageFile, FindingsFile
from regc.model.report_input import ReportInput
from regc.model.result import Artifact, Finding
from regc.model.stage import Staged
from regc.model.suite import Suite
from regc.pipeline import build_folder
from regc.pipeline.build import compile_regulation
from regc.pipeline.profiles import profile_folder
from regc.pipeline.request import Compiled, Staging
from regc.pipeline.staging import stage_suite
from regc.plugins import REPORTS, TARGETS
from regc.templating import unread_findings

_PACKAGES = ("lxml", "networkx", "pdfplumber", "pydantic", "pypdfium2")
#: s; the drawings need no finer one.
_STEP = 0.05


def register(app: typer.Typer) -> None:
    """Add the command, with the flags of how tests are laid out."""
    app.command("report")(with_flags(write_report, [Staging]))


def write_report(
    regulation: Regulation,
    source: Source = None,
    reader: Reader = None,
    edition: Edition = None,
    out: Annotated[Path, typer.Option(help="folder of builds; the report goes beside the build's files")] = Path("out"),
    formats: Annotated[str | None, typer.Option("--format", help="comma-separated html, csv, xlsx, reqif [all that can be]")] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="also print report.html to report.pdf with Chromium")] = False,
    build: Annotated[Path | None, typer.Option(help="report on the tests of this build")] = None,
    judge: Annotated[Path | None, typer.Option(help="verdicts.json of regc judge")] = None,
    evaluation: Annotated[Path | None, typer.Option("--eval", help="JSON of regc eval --json")] = None,
    record: Annotated[Path | None, typer.Option(help='TOML with values of the record sheet and the forms: key = "value"')] = None,
    number: Annotated[str, typer.Option(help="number of the report; else blank for the pen")] = "",
    date: Annotated[str, typer.Option(help="day of the report, YYYY-MM-DD; else SOURCE_DATE_EPOCH's, else blank for the pen")] = "",
    previous: Annotated[
        Path | None, typer.Option(help="an earlier traceability.reqif: what has not changed keeps its LAST-CHANGE")
    ] = None,
    family: Family = None,
    category: Category = None,
    where: Where = None,
    sweep: Sweep = "full",
    declare: Declare = None,
    templates: Annotated[Path | None, typer.Option(help="folder with templates of your own")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
    *,
    given: dict[str, Any],
) -> None:
    """Write report.html and the traceability files."""
    from regc.report import record as record_sheet

    chosen = [name.strip() for name in formats.split(",") if name.strip()] if formats is not None else list(REPORTS.names())
    for name in chosen:
        plugins.check(name, REPORTS.names(), what="format of the report")
    if pdf and "html" not in chosen:
        raise DataFileError("--pdf prints the HTML report", hint="add html to --format")
    staging = options(Staging, {"step": _STEP} | given)
    assert isinstance(staging, Staging)
    request = request_of(
        regulation,
        edition=edition,
        source=source,
        reader=reader,
        family=family,
        category=category,
        where=where,
        sweep=sweep,
        declare=declare,
        staging=staging,
    )
    # what the user gives is read before anything takes time
    own, day = profile_folder(request.regulation), day_of(date)
    judgement = _json(judge, "regc judge … --out FOLDER writes verdicts.json")
    scores = _json(evaluation, "regc eval … --json > FILE")
    compiled = compile_regulation(request)
    folder = build or out / build_folder.folder_name(compiled, source)
    manifest = files.read_manifest(folder)
    if manifest.get("source", {}).get("sha256") != compiled.suite.document_sha256:
        if build:
            raise DataFileError(f"{build}: not a build of this document", hint="give the --edition and --source that it was built from")
        manifest = {}
    suite = _of_build(build) if build else compiled.suite
    fields, of_forms = record_sheet.filled(record_sheet.sheet(own, suite, compiled.document), suite.forms, record)
    staged = stage_suite(suite, staging)
    pages, skipped = _pages(source)
    report = ReportInput(
        document=compiled.document,
        graph=link(compiled.document)[0],
        suite=suite,
        staged=staged,
        reference=stage_suite(suite, staging.model_copy(update={"ego": "reference"})) if "html" in chosen else Staged(),
        texts=_texts(suite, staged, templates),
        provenance=provenance(compiled, manifest, staging),
        files={path: entry["sha256"] for path, entry in manifest.get("files", {}).items() if entry["target"] != "report"},
        judgement=judgement,
        evaluation=scores,
        record=fields,
        forms=of_forms,
        official_texts=record_sheet.official_texts(own),
        number=number,
        date=day,
        pdf=pages,
    )
    values: dict[str, dict[str, Any]] = {"html": {"templates": templates}, "reqif": {"date": day, "previous": previous}}
    artifacts: list[Artifact] = []
    if templates is not None:
        tests, manoeuvres = ({getattr(item, name) for item in suite.scenarios} for name in ("test", "manoeuvre"))
        skipped += unread_findings(templates, suite.regulation, tests, manoeuvres)
    for name in chosen:
        module = REPORTS.load(name)
        try:
            artifacts.extend(module.emit(report, module.Options(**values.get(name, {}))))
        except MissingExtraError as error:
            if formats is not None:
                raise
            skipped.append(Finding(code="O693", severity="warning", message=f"{name}: not written: {error}", hint=error.hint))
    build_folder.enter(folder, "report", {artifact.path: artifact.content for artifact in artifacts})
    if pdf:
        printed = _printed(folder, artifacts)
        build_folder.enter(folder, "report", {printed.path: printed.content})
        artifacts.append(printed)
    _tell(folder, artifacts, suite, skipped, as_json=as_json)


def day_of(date: str) -> str:
    """The day of a report: as given, else SOURCE_DATE_EPOCH's, else blank. Raises DataFileError for what is no date."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        if date:
            return calendar.fromisoformat(date).isoformat()
        return datetime.fromtimestamp(int(epoch), timezone.utc).date().isoformat() if epoch else ""
    except (ValueError, OverflowError, OSError) as error:
        raise DataFileError(f"{date or epoch!r} is no date: {error}", hint="--date YYYY-MM-DD") from error


def provenance(compiled: Compiled, manifest: dict[str, Any], staging: BaseModel) -> tuple[tuple[str, str], ...]:
    """What the report rests on: document, reader, how tests were laid out, settings of the build, versions."""
    document = compiled.document
    lines = [
        ("Document", document.source_name),
        ("SHA-256 of the document", document.sha256),
        ("Edition", f"{document.edition} ({document.wording} wording)"),
        ("Reader", document.reader),
        ("Drawings", ", ".join(f"{name} {value}" for name, value in staging.model_dump(mode="json", exclude_none=True).items())),
    ]
    if manifest:
        settings = {key: manifest[key] for key in ("declared", "staging", "targets", "filters", "laid_out") if manifest.get(key)}
        lines.append(("Settings of the build", json.dumps(settings, sort_keys=True, ensure_ascii=False)))
    lines.append(("Python", platform.python_version()))
    for name in _PACKAGES:
        try:
            lines.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            continue
    return tuple(lines)


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
        suite = suitefile.unpacked(json.loads(parts["scenarios"]))
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
    except (OSError, ValueError) as error:
        raise DataFileError(f"{path}: cannot be read as JSON: {error}", hint=hint) from error
    if not isinstance(data, dict):
        raise DataFileError(f"{path}: not an object", hint=hint)
    return data


def _printed(folder: Path, artifacts: list[Artifact]) -> Artifact:
    from regc.report.pdf import print_pdf

    page = next(item.path for item in artifacts if item.path.endswith(".html"))
    path = Path(page).with_suffix(".pdf")
    print_pdf(folder / page, folder / path)
    return Artifact(path=path.as_posix(), content=(folder / path).read_bytes(), target="report")


def _tell(folder: Path, artifacts: list[Artifact], suite: Suite, skipped: list[Finding], *, as_json: bool) -> None:
    paths = [(folder / item.path).as_posix() for item in artifacts]
    if as_json:
        sizes = {path: len(item.content) for path, item in zip(paths, artifacts, strict=True)}
        told = [item.model_dump(exclude_none=True) for item in skipped]
        typer.echo(json.dumps({"files": sizes, "findings": told, "scenarios": len(suite.selected)}, indent=2, sort_keys=True))
        return
    out = console()
    whole = f" of {len(suite.scenarios)}" if len(suite.selected) < len(suite.scenarios) else ""
    out.print(f"{len(suite.selected)}{whole} scenarios, {len(suite.cards)} cards, {len(suite.findings)} findings")
    for path, item in zip(paths, artifacts, strict=True):
        out.print(f"{escape(path)}  [dim]{len(item.content) / 1e6:.2f} MB[/]", soft_wrap=True)
    print_findings(out, skipped)
    if any(path.endswith(".html") for path in paths) and sys.stdout.isatty():
        out.print(f"open {escape(next(path for path in paths if path.endswith('.html')))}", soft_wrap=True)
