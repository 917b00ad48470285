"""`regc report`: the report that an engineer signs, with traceability as CSV, XLSX and ReqIF."""

from __future__ import annotations

import json
import os
import sys
from datetime import date as calendar
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from regc import plugins
from regc.cli.console import console, print_findings
from regc.cli.flags import Category, Declare, Edition, Family, Reader, Regulation, Source, Sweep, Where, options, request_of, with_flags
from regc.errors import DataFileError
from regc.model.result import Artifact, Finding
from regc.model.suite import Suite
from regc.pipeline import build_folder
from regc.pipeline.reporting import ReportRequest, make_report
from regc.pipeline.request import Staging
from regc.plugins import REPORTS

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
    asked = ReportRequest(
        request, tuple(chosen), build, judge, evaluation, record, previous, templates, number=number, date=day_of(date)
    )  # fmt: skip
    done = make_report(asked, out, all_formats=formats is None)
    folder, artifacts = done.folder, list(done.artifacts)
    contents = {artifact.path: artifact.content for artifact in artifacts}
    told = {name: asked.told() | {"wrote": [artifact.path for artifact in own]} for name, own in done.made.items()}
    build_folder.enter(folder, "report", contents, told)
    if pdf:
        printed = _printed(folder, artifacts)
        build_folder.enter(folder, "report", {printed.path: printed.content})
        artifacts.append(printed)
    _tell(folder, artifacts, done.suite, list(done.findings), as_json=as_json)


def day_of(date: str) -> str:
    """The day of a report: as given, else SOURCE_DATE_EPOCH's, else blank. Raises DataFileError for what is no date."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        if date:
            return calendar.fromisoformat(date).isoformat()
        return datetime.fromtimestamp(int(epoch), timezone.utc).date().isoformat() if epoch else ""
    except (ValueError, OverflowError, OSError) as error:
        raise DataFileError(f"{date or epoch!r} is no date: {error}", hint="--date YYYY-MM-DD") from error


def _printed(folder: Path, artifacts: list[Artifact]) -> Artifact:
    from regc.report.html import print_pdf

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
