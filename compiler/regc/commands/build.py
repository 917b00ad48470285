"""`regc build`: compile a regulation into test cases and simulation files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel

from regc.cli.flags import (
    MORE,
    Category,
    Declare,
    Edition,
    ExtractorFlag,
    Family,
    Grouped,
    LlmFlag,
    LockedFlag,
    Reader,
    RecordFlag,
    Regulation,
    RepliesFlag,
    Source,
    Sweep,
    Where,
    all_known,
    extracting,
    options,
    request_of,
    unused,
    values_of,
    with_flags,
)
from regc.errors import ProfileRefusedError, UnknownNameError
from regc.pipeline.request import Staging
from regc.plugins import COMMANDS, REPORTS, TARGETS

if TYPE_CHECKING:
    from regc.model.protocols import Target

#: What is built when no target is named: what people read and what other tools read.
_DEFAULT = ("text", "csv")


def register(app: typer.Typer) -> None:
    """Add the command, with the flags of staging and those that targets declare."""
    app.command("build", cls=Grouped)(with_flags(build_command, _option_models(sys.argv[1:])))


def build_command(
    regulation: Regulation,
    target: Annotated[
        list[str] | None,
        typer.Option("--target", "-t", help="what to write; may be repeated [text, csv]", autocompletion=lambda: TARGETS.names()),
    ] = None,
    source: Source = None,
    reader: Reader = None,
    edition: Edition = None,
    family: Family = None,
    category: Category = None,
    sweep: Sweep = "full",
    declare: Declare = None,
    out: Annotated[Path, typer.Option(help="output folder")] = Path("out"),
    where: Where = None,
    force: Annotated[
        bool, typer.Option("--force", help="write although the check found errors; every file says so", rich_help_panel=MORE)
    ] = False,
    score: Annotated[
        bool,
        typer.Option("--score", help="score the texts against the golden truth (needs regc[minilm])", rich_help_panel=MORE),
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="repaired values and warnings are errors", rich_help_panel=MORE)] = False,
    extractor: ExtractorFlag = "rules",
    llm: LlmFlag = None,
    record: RecordFlag = None,
    replies: RepliesFlag = None,
    locked: LockedFlag = False,
    as_json: Annotated[bool, typer.Option("--json", help="print a summary as JSON", rich_help_panel=MORE)] = False,
    *,
    given: dict[str, Any],
) -> None:
    """Compile a regulation into test cases and simulation files."""
    # help and completion need the flags alone
    from regc.cache import Cache
    from regc.catalogue import code
    from regc.cli import results
    from regc.cli.console import console, print_json, progress
    from regc.cli.results import compare, score_texts
    from regc.pipeline.build import build

    names = tuple(target or _DEFAULT)
    if score and "csv" not in names:
        names += ("csv",)
    models = {name: _target(name, regulation).Options for name in names}
    useless = unused(given, [Staging, *models.values()])
    staging = options(Staging, given)
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
        llm=extracting(extractor, llm, record, replies, locked),
        force=force,
        targets={name: options(model, given) for name, model in models.items()},
    )
    try:
        with progress() as watch:
            built = build(request, out, watch, Cache())
    except ProfileRefusedError as refused:
        results.print_refused(refused, as_json=as_json)
        raise typer.Exit(1) from refused
    findings = built.findings + tuple(code("O691").at(f"{flag}: nothing that this build runs takes it") for flag in useless)
    comparison = compare(built.compiled.suite, request)
    scored = score_texts(built) if score else None
    failing = [f for f in findings if f.severity == "error" or (strict and f.severity == "warning")]
    wrong = comparison is not None and not comparison.clean
    if as_json:
        print_json(results.summary(built, findings, comparison, scored))
    else:
        results.print_built(console(), built, findings, comparison, scored)
    raise typer.Exit(1 if failing or wrong else 0)


def _target(name: str, regulation: str) -> Target:
    """A target by name. Raises UnknownNameError that points to the command or target that is meant."""
    meant = {
        "pdf": f"regc report {regulation} --pdf",
        "xosc": "--target openscenario",
        "md": "--target text",
        "json": "--target neutral",
    }
    if TARGETS.has(name):
        return TARGETS.load(name)
    hint = meant.get(name)
    if hint is None and name != "report" and REPORTS.has(name):
        hint = f"regc report {regulation} --format {name}"
    elif hint is None and COMMANDS.has(name):
        hint = f"it is a command: regc {name} (regc {name} --help)"
    if hint is None:
        return TARGETS.load(name)
    raise UnknownNameError(f"targets: no {name!r}", hint=hint)


def _option_models(arguments: list[str]) -> list[type[BaseModel]]:
    """Of what this call runs; for `--help`, and where a flag is none of those, of every target."""
    chosen = [TARGETS.load(name).Options for name in values_of(arguments, "--target", "-t") or _DEFAULT if TARGETS.has(name)]
    if not {"-h", "--help"} & set(arguments) and all_known(arguments, build_command, [Staging, *chosen]):
        return [Staging, *chosen]
    return [Staging, *(TARGETS.load(name).Options for name in TARGETS.names())]
