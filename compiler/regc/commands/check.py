"""`regc check`: a profile over its document: errors with place and next step, what of the text is not accounted for, the tests."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from regc.cache import Cache, Held
from regc.cli.console import console, print_findings, print_json, progress
from regc.cli.flags import (
    Declare,
    Edition,
    ExtractorFlag,
    LlmFlag,
    LockedFlag,
    Reader,
    RecordFlag,
    Regulation,
    RepliesFlag,
    Source,
    extracting,
    request_of,
)
from regc.cli.results import by_test, coverage_line, tests_table, truth_folder
from regc.errors import RegcError
from regc.lang.faults import ProfileError
from regc.lang.vocabulary import vocabulary
from regc.model.criterion import Criterion
from regc.model.result import Finding
from regc.model.suite import Suite
from regc.pipeline import build_folder
from regc.pipeline.build import compile_regulation
from regc.pipeline.profiles import profile_files
from regc.pipeline.request import Compiled, Request
from regc.truth import truth_file

#: s between two looks at the files of a watched profile
_LOOK = 0.3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check_command)


def check_command(
    regulation: Regulation,
    source: Source = None,
    reader: Reader = None,
    edition: Edition = None,
    declare: Declare = None,
    watch: Annotated[bool, typer.Option("--watch", help="check again at each save, until Ctrl-C")] = False,
    extractor: ExtractorFlag = "rules",
    llm: LlmFlag = None,
    record: RecordFlag = None,
    replies: RepliesFlag = None,
    locked: LockedFlag = False,
    as_json: Annotated[bool, typer.Option("--json", help="print what was found as JSON")] = False,
) -> None:
    """Check a profile over its document: what is wrong, what is left unread, which tests come out."""
    model = extracting(extractor, llm, record, replies, locked)
    request = request_of(regulation, edition=edition, source=source, reader=reader, declare=declare, llm=model)
    if watch:
        _watch(request)
        return
    compiled, findings = _checked(request)
    if as_json:
        print_json(_summary(compiled, findings))
    else:
        _print(console(), compiled, findings)
    raise typer.Exit(1 if any(finding.severity == "error" for finding in findings) else 0)


def _checked(request: Request, cache: Cache | None = None) -> tuple[Compiled | None, tuple[Finding, ...]]:
    """What the compiler says; a profile that cannot be read over the document is one finding."""
    try:
        with progress() as watch:
            compiled = compile_regulation(request, watch, cache or Cache())
    except ProfileError as error:
        return None, error.findings()
    return compiled, (*compiled.suite.findings, *_left_to_people(compiled.suite), *_without_truth(compiled, request))


def _left_to_people(suite: Suite) -> tuple[Finding, ...]:
    """Notes on the criteria that no log decides: those that a person judges, and those on what is on record or declared only."""
    notes: dict[str, Finding] = {}
    for scenario in suite.scenarios:
        for criterion in (each for stated in scenario.require for each in (stated, stated.otherwise) if each is not None):
            name = f"{scenario.test}.{criterion.label}"
            if criterion.form == "assess":
                hint = "regc judge leaves it open; an assessor decides it"
                note = Finding(code="C117", severity="info", message=f"{name} is judged by a person", hint=hint)
            elif words := ", ".join(_on_record(criterion)):
                hint = "a simulated run leaves it open; the record of a test decides it"
                note = Finding(code="C118", severity="info", message=f"{name}: no simulator's log shows {words}", hint=hint)
            else:
                continue
            notes.setdefault(note.message, note)
    return tuple(notes.values())


def _on_record(criterion: Criterion) -> tuple[str, ...]:
    """The signals and events of a criterion whose evidence is no channel of a simulator's log but the record of the test."""
    names = [event.name for event in (criterion.a, criterion.b) if event is not None]
    names += [criterion.signal] if criterion.signal else []
    return tuple(dict.fromkeys(name for name in names if name in vocabulary().on_record))


def _without_truth(compiled: Compiled, request: Request) -> tuple[Finding, ...]:
    """A warning where no person's reading of the document lies beside the profile."""
    folder = truth_folder(compiled.suite, request)
    if truth_file(folder) is not None:
        return ()
    message = "no truth.csv lies beside the profile"
    hint = "read some tests from the document by hand and write them there: id, test, bind.*, require.*; every build compares them"
    return (Finding(code="C111", severity="warning", message=message, hint=hint, place=folder.name),)


def _summary(compiled: Compiled | None, findings: tuple[Finding, ...]) -> dict[str, object]:
    summary: dict[str, object] = {"findings": [finding.model_dump(mode="json", exclude_none=True) for finding in findings]}
    if compiled is not None:
        suite = compiled.suite
        summary |= {"scenarios": len(suite.scenarios), "by_test": by_test(suite), "coverage": build_folder.summary(suite)}
    return summary


def _print(out: Console, compiled: Compiled | None, findings: tuple[Finding, ...]) -> None:
    if compiled is not None:
        suite = compiled.suite
        out.print(f"{suite.title}: {suite.source_name}")
        out.print(tests_table(suite))
        # what a test that could not be made would have read is not open
        faulty = any(finding.severity == "error" for finding in findings)
        if not faulty:
            out.print(coverage_line(suite))
        for entry in suite.coverage.entries:
            if entry.fate == "open" and not faulty:
                out.print(f"open: {entry.kind} {entry.place}: {entry.text[:100]}", markup=False)
    print_findings(out, findings, every=compiled is None, rest="--json lists all")
    if words := sum(finding.code == "P101" for finding in findings):
        out.print(f"{words} {'word' if words == 1 else 'words'} that regc does not know")


def _watch(request: Request) -> None:
    """Check, and again whenever a file of the profile or the source changes."""
    seen: dict[Path, float] = {}
    cache = Held()
    try:
        while True:
            now = {path: path.stat().st_mtime for path in _files(request) if path.is_file()}
            if now != seen:
                seen = now
                began = time.monotonic()
                try:
                    _print(console(), *_checked(request, cache))
                except RegcError as error:
                    console().print(f"error: {error}  {error.hint}", markup=False)
                console().print(f"checked in {time.monotonic() - began:.2f} s; watching {len(now)} files")
            time.sleep(_LOOK)
    except KeyboardInterrupt:
        return


def _files(request: Request) -> list[Path]:
    return [*profile_files(request.regulation), *([request.source] if request.source else [])]
