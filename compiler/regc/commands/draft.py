"""`regc draft`: propose a profile for a regulation that has none, each number of it read back at its place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from regc.cache import Cache
from regc.choices.question import Questioner
from regc.cli.console import console, print_json, progress
from regc.cli.flags import LlmFlag, LockedFlag, Reader, RecordFlag, RepliesFlag, opened_model
from regc.cli.results import by_test, tests_table
from regc.draft import Drafted, draft
from regc.errors import SourceError
from regc.files import json_bytes, write
from regc.lang.schema import profile_schema
from regc.pipeline.documents import read


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("draft")(draft_command)


def draft_command(
    file: Annotated[Path, typer.Argument(help="a regulation: PDF, HTML, XML, Markdown or the output of MinerU")],
    reader: Reader = None,
    out: Annotated[Path | None, typer.Option(help="folder of the profile; the file's name without it")] = None,
    force: Annotated[bool, typer.Option("--force", help="write over a profile.toml that is there")] = False,
    llm: LlmFlag = None,
    record: RecordFlag = None,
    replies: RepliesFlag = None,
    locked: LockedFlag = False,
    as_json: Annotated[bool, typer.Option("--json", help="print what was found as JSON")] = False,
) -> None:
    """Write a profile folder that `regc check` accepts: tests, axes, tables, cards, and as comments what could not be decided."""
    id = "".join(re.findall(r"[a-z0-9.+-]", file.stem.lower())).strip(".+-") or "draft"
    folder = out or Path(id)
    target = folder / "profile.toml"
    if target.exists() and not force:
        raise SourceError(f"{target} is there already", hint="--force to write over it, or another folder with --out")
    model = opened_model(llm, record, replies, locked) if llm or record or replies or locked else None
    with progress() as watch:
        watch("read", 0, 2)
        document = read(file, Cache(), id=id, edition="", title="", reader=reader)
        watch("draft", 1, 2)
        questioner = Questioner(model, watch) if model is not None else None
        drafted = draft(document, id, questioner)
        watch("draft", 2, 2)
    write(target, drafted.profile.encode())
    write(folder / "profile.schema.json", json_bytes(profile_schema()))
    if as_json:
        print_json(_summary(drafted, target))
        return
    out_ = console()
    if drafted.suite is None:
        out_.print(f"no tests: {drafted.reason}", markup=False)
    else:
        out_.print(tests_table(drafted.suite))
        for line in drafted.refused:
            out_.print(f"no test from {line.splitlines()[0]}", markup=False)
        out_.print(
            f"{len(drafted.unused)} prescriptive sentences of its scope are not used yet; they are listed at the end of the file"
        )
    out_.print(f"wrote {target}", markup=False)
    out_.print(f"  next: regc check {folder} --source {file}", markup=False)


def _summary(drafted: Drafted, target: Path) -> dict[str, object]:
    summary: dict[str, object] = {"profile": str(target), "unused": list(drafted.unused), "refused": list(drafted.refused)}
    if drafted.suite is None:
        return summary | {"tests": {}, "reason": drafted.reason}
    return summary | {"tests": by_test(drafted.suite), "scenarios": len(drafted.suite.scenarios)}
