"""`regc report`: the report that an engineer signs, with traceability as CSV, XLSX and ReqIF."""

from __future__ import annotations

import json
import platform
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from rich.markup import escape

from regc import files, output, registry
from regc.build import compile_regulation
from regc.commands._console import console, print_findings
from regc.errors import DataFileError, MissingExtraError
from regc.job import Compiled, Request
from regc.model.report import ReportInput
from regc.model.result import Artifact, Checked, Finding
from regc.profiles import load_profile, profile_folder

FORMATS = ("html", "csv", "xlsx", "reqif")
_PACKAGES = ("bm25s", "lxml", "networkx", "pdfplumber", "pydantic", "pypdfium2", "scenariogeneration")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(write_report)


def write_report(
    regulation: Annotated[str, typer.Argument(metavar="REG", help="un152, or the folder of a profile of your own")],
    edition: Annotated[str | None, typer.Option(help="edition; else the regulation's default")] = None,
    source: Annotated[Path | None, typer.Option(help="your official file; else the embedded edition")] = None,
    out: Annotated[Path, typer.Option(help="folder of builds; the report goes beside the build's files")] = Path("out"),
    formats: Annotated[str | None, typer.Option("--format", help="comma-separated html, csv, xlsx, reqif [all that can be]")] = None,
    build: Annotated[
        Path | None, typer.Option(help="report on the scenarios of this build, for example one by a language model")
    ] = None,
    judge: Annotated[Path | None, typer.Option(help="verdicts.json of regc judge")] = None,
    evaluation: Annotated[Path | None, typer.Option("--eval", help="JSON of regc eval --json")] = None,
    record: Annotated[Path | None, typer.Option(help='TOML with values of the record sheet: key = "value"')] = None,
    family: Annotated[list[str] | None, typer.Option(help="only this family; may be repeated")] = None,
    category: Annotated[list[str] | None, typer.Option(help="only this category; may be repeated")] = None,
    vehicle: Annotated[Path | None, typer.Option(help="your vehicles.toml")] = None,
    targets: Annotated[Path | None, typer.Option(help="your targets.toml")] = None,
    road: Annotated[Path | None, typer.Option(help="your road.toml")] = None,
    templates: Annotated[Path | None, typer.Option(help="folder with templates of your own")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Write report.html and the traceability files."""
    from regc.report import record as record_sheet

    chosen = [name.strip() for name in formats.split(",") if name.strip()] if formats is not None else list(FORMATS)
    for name in chosen:
        registry.check(name, FORMATS, what="format of the report")
    compiled = compile_regulation(
        Request(regulation, edition=edition, source=source, families=tuple(family or ()), categories=tuple(category or ()))
    )
    folder = build or out / output.folder_name(compiled, source is not None)
    manifest = files.read_manifest(folder)
    if manifest.get("source", {}).get("sha256") != compiled.checked.document_sha256:
        if build:
            raise DataFileError(f"{build}: not a build of this document", hint="give the --edition and --source that it was built from")
        manifest = {}
    checked = _of_build(build, compiled.checked) if build else compiled.checked
    found = ReportInput(
        document=compiled.document,
        graph=compiled.graph,
        checked=checked,
        profile=load_profile(regulation),
        texts=_texts(checked, templates),
        provenance=provenance(compiled, manifest, family or [], category or []),
        files={path: entry["sha256"] for path, entry in manifest.get("files", {}).items()},
        judgement=_json(judge, "regc judge … --out FOLDER writes verdicts.json"),
        evaluation=_json(evaluation, "regc eval … --json > FILE"),
        record=record_sheet.fields(profile_folder(regulation), record),
        pdf=source.read_bytes() if source and source.suffix.lower() == ".pdf" else None,
    )
    artifacts: list[Artifact] = []
    skipped: list[Finding] = []
    for name in chosen:
        module = registry.load("report", name)
        values = {"vehicle": vehicle, "targets": targets, "road": road, "templates": templates} if name == "html" else {}
        try:
            artifacts.extend(module.emit(found, module.Options(**values)))
        except MissingExtraError as error:
            if formats is not None:
                raise
            skipped.append(Finding(code="O693", severity="warning", message=f"{name}: not written: {error}", hint=error.hint))
    for artifact in artifacts:
        files.write(folder / artifact.path, artifact.content)
    _tell(folder, artifacts, checked, skipped, as_json=as_json)


def provenance(compiled: Compiled, manifest: dict[str, Any], families: list[str], categories: list[str]) -> tuple[tuple[str, str], ...]:
    """What the report rests on: document, reader, how scenarios were extracted, versions."""
    document = compiled.document
    lines = [
        ("Document", document.source_name),
        ("SHA-256 of the document", document.sha256),
        ("Edition", f"{document.edition} ({document.wording} wording)"),
        ("Reader", document.reader),
        ("Extractor", str(manifest.get("extractor", "rules"))),
        ("Retriever", str(manifest.get("retriever", "regc"))),
        ("Language model", _model(manifest)),
    ]
    if families or categories:
        lines.append(("Only", ", ".join([*families, *categories])))
    if manifest:
        settings = {key: manifest[key] for key in ("sweep", "families", "categories", "targets", "stats") if manifest.get(key)}
        lines.append(("Settings of the build", json.dumps(settings, sort_keys=True, ensure_ascii=False)))
    lines.append(("Python", platform.python_version()))
    for name in _PACKAGES:
        try:
            lines.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            continue
    return tuple(lines)


def _model(manifest: dict[str, Any]) -> str:
    model = manifest.get("model")
    if not model:
        return "none" if manifest.get("extractor", "rules") == "rules" else "not recorded"
    settings = ", ".join(f"{name} {value}" for name, value in sorted(model.get("settings", {}).items()))
    return f"{model['name']} ({settings})" if settings else str(model["name"])


def _texts(checked: Checked, templates: Path | None) -> dict[str, str]:
    text = registry.load("targets", "text")
    made: tuple[Artifact, ...] = text.emit(checked, text.Options(templates=templates) if templates else text.Options())
    return {item.scenario: item.content.decode() for item in made if item.scenario}


def _of_build(folder: Path, compiled: Checked) -> Checked:
    """The checked scenarios that a build wrote, whatever extracted them."""
    parts: dict[str, Any] = {}
    try:
        for name, keys in (("scenarios", ("scenarios", "cards")), ("findings", ("findings",)), ("coverage", ("coverage",))):
            data = json.loads((folder / f"{name}.json").read_text("utf-8"))
            parts |= {key: data[key] for key in keys}
        return Checked.model_validate(compiled.model_dump(exclude=set(parts)) | parts)
    except (OSError, ValueError, KeyError, ValidationError) as error:
        raise DataFileError(f"{folder}: its JSON files cannot be read: {error}", hint="build it again") from error


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


def _tell(folder: Path, artifacts: list[Artifact], checked: Checked, skipped: list[Finding], *, as_json: bool) -> None:
    paths = [(folder / item.path).as_posix() for item in artifacts]
    if as_json:
        sizes = {path: len(item.content) for path, item in zip(paths, artifacts, strict=True)}
        told = [item.model_dump(exclude_none=True) for item in skipped]
        typer.echo(json.dumps({"files": sizes, "findings": told, "scenarios": len(checked.scenarios)}, indent=2, sort_keys=True))
        return
    out = console()
    out.print(f"{len(checked.scenarios)} scenarios, {len(checked.cards)} cards, {len(checked.findings)} findings")
    for path, item in zip(paths, artifacts, strict=True):
        out.print(f"{escape(path)}  [dim]{len(item.content) / 1e6:.2f} MB[/]", soft_wrap=True)
    print_findings(out, skipped)
