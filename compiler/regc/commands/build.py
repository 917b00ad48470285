"""`regc build`: compile a regulation into test cases and simulation files."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from regc import output, registry
from regc.build import build
from regc.cache import Cache
from regc.commands._console import console, print_findings, print_json, progress
from regc.commands._flags import all_known, options, unused, values_of, with_flags
from regc.commands._truth import compare
from regc.evaluate.fields import FieldComparison
from regc.job import Built, Request
from regc.model.result import Checked, Finding
from regc.profiles import choose_edition, load_profile

#: What is built when no target is named: what people read and what other tools read.
_DEFAULT = ("text", "csv")


#: Differences from the golden truth that the terminal shows.
_SHOWN = 5
_WORDINGS = {"embedded": "embedded wording", "official": "your file, taken as the official wording"}


def register(app: typer.Typer) -> None:
    """Add the command, with the flags that targets and extractors declare."""
    app.command("build")(with_flags(build_command, _option_models(sys.argv[1:])))


def build_command(
    regulation: Annotated[str, typer.Argument(help="regulation id (regc regulations), or a folder with a profile.toml")],
    target: Annotated[list[str] | None, typer.Option("--target", "-t", help="what to write; may be repeated [text, csv]")] = None,
    source: Annotated[Path | None, typer.Option(help="your official file (PDF, MinerU output, HTML, Markdown)")] = None,
    edition: Annotated[str | None, typer.Option(help="edition id")] = None,
    family: Annotated[list[str] | None, typer.Option(help="only this family; may be repeated")] = None,
    category: Annotated[list[str] | None, typer.Option(help="only this vehicle category; may be repeated")] = None,
    sweep: Annotated[Literal["full", "mandatory"], typer.Option(help="every speed of the tables, or the prescribed ones")] = "full",
    out: Annotated[Path, typer.Option(help="output folder")] = Path("out"),
    extractor: Annotated[str, typer.Option(help="rules or llm")] = "rules",
    retriever: Annotated[str, typer.Option(help="retrieval system (regc list retrieve)")] = "regc",
    embedder: Annotated[str | None, typer.Option(help="embedding model of the retriever (regc list embed)")] = None,
    llm: Annotated[str | None, typer.Option(help="PROVIDER:MODEL for --extractor llm")] = None,
    record: Annotated[bool, typer.Option("--record", help="keep each reply of the model on file")] = False,
    locked: Annotated[bool, typer.Option("--locked", help="answer from replies on file only; never open a connection")] = False,
    replies: Annotated[Path | None, typer.Option(help="folder of replies")] = None,
    score: Annotated[bool, typer.Option("--score", help="score the texts against the golden truth (needs regc[minilm])")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="repaired values and warnings are errors")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print a summary as JSON")] = False,
    *,
    given: dict[str, Any],
) -> None:
    """Compile a regulation into test cases and simulation files."""
    names = tuple(target or _DEFAULT)
    if score and "csv" not in names:
        names += ("csv",)
    targets = {name: registry.load("targets", name).Options for name in names}
    extract, retrieve = registry.load("extract", extractor).Options, registry.load("retrieve", retriever).Options
    useless = unused(given, [*targets.values(), extract, retrieve])
    if extractor != "llm":
        asked = {"--llm": llm, "--record": record, "--locked": locked, "--replies": replies}
        useless += [flag for flag, value in asked.items() if value]
    request = Request(
        regulation=regulation,
        edition=edition,
        source=source,
        families=tuple(family or ()),
        categories=tuple(category or ()),
        sweep=sweep,
        extractor=extractor,
        extractor_options=options(extract, given),
        retriever=retriever,
        retriever_options=options(retrieve, given) if set(given) & set(retrieve.model_fields) else None,
        embedder=_embedder(embedder),
        llm=_llm(llm, regulation, edition, options(extract, given), record=record, locked=locked, replies=replies)
        if extractor == "llm"
        else None,
        targets={name: options(model, given) for name, model in targets.items()},
    )
    with progress() as watch:
        built = build(request, out, watch, Cache())
    findings = built.findings + tuple(_unused_flag(flag) for flag in useless)
    comparison = compare(built.compiled.checked, request)
    scored = _score(built) if score else None
    failing = [f for f in findings if f.severity == "error" or (strict and f.severity == "warning")]
    wrong = comparison is not None and not comparison.clean
    if as_json:
        print_json(_summary(built, findings, comparison, scored))
    else:
        _print(console(), built, findings, comparison, scored)
    raise typer.Exit(1 if failing or wrong else 0)


def _option_models(arguments: list[str]) -> list[type[BaseModel]]:
    """Of what this call runs; for `--help`, and where a flag is none of those, of every target and extractor."""
    asked = {
        "targets": values_of(arguments, "--target", "-t") or list(_DEFAULT),
        "extract": values_of(arguments, "--extractor") or ["rules"],
        "retrieve": values_of(arguments, "--retriever") or ["regc"],
    }
    known = {stage: registry.names(stage) for stage in asked}
    chosen = [registry.load(stage, name).Options for stage in asked for name in asked[stage] if name in known[stage]]
    if "--help" not in arguments and all_known(arguments, build_command, chosen):
        return chosen
    everything = {"targets": known["targets"], "extract": known["extract"], "retrieve": tuple(asked["retrieve"])}
    return [registry.load(stage, name).Options for stage, names in everything.items() for name in names if name in known[stage]]


def _embedder(name: str | None) -> Any:
    if name is None:
        return None
    from regc.embed import open_embedder

    return open_embedder(name)


def _llm(
    spec: str | None, regulation: str, edition: str | None, chosen: Any, *, record: bool, locked: bool, replies: Path | None
) -> Any:
    """The model that is asked, within the limits of the extractor's flags, else of the environment."""
    from regc.llm import Limits, Settings, open_llm, replies_folder

    edition_id = choose_edition(load_profile(regulation), edition).id
    folder = replies or replies_folder(regulation, edition_id)
    own = {"timeout": chosen.timeout, "budget": chosen.token_budget}
    return open_llm(
        spec,
        regulation=regulation,
        edition=edition_id,
        record=folder if record else None,
        locked=locked,
        replies=folder,
        settings=Settings(max_tokens=chosen.reply),
        limits=Limits.of(os.environ).model_copy(update={name: value for name, value in own.items() if value is not None}),
        prices=chosen.prices,
    )


def _score(built: Built) -> Any:
    """Penalized F1 of the CSV against the golden texts of the edition."""
    from regc.commands._truth import score_texts

    return score_texts(built)


def _unused_flag(flag: str) -> Finding:
    return Finding(
        code="T691",
        severity="warning",
        message=f"{flag}: nothing that this build runs takes it",
        hint="regc build --help says what does",
    )


def _summary(built: Built, findings: tuple[Finding, ...], comparison: FieldComparison | None, scored: Any) -> dict[str, Any]:
    checked = built.compiled.checked
    return {
        "regulation": checked.regulation,
        "edition": checked.edition,
        "wording": checked.wording,
        "folder": built.folder.as_posix(),
        "up_to_date": built.up_to_date,
        "files": len(built.artifacts),
        "scenarios": len(checked.scenarios),
        "by_family": _by_family(checked),
        "cards": len(checked.cards),
        "coverage": output.summary(checked),
        "findings": [finding.model_dump(mode="json", exclude_none=True) for finding in findings],
        "golden": None
        if comparison is None
        else {"equal": comparison.equal, "compared": comparison.compared, "missing": comparison.missing, "extra": comparison.extra,
              "differences": [item.model_dump(mode="json") for item in comparison.differences]},
        "score": scored,
        "stats": built.compiled.stats,
    }  # fmt: skip


def _by_family(checked: Checked) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for scenario in checked.scenarios:
        row = table.setdefault(scenario.family, {})
        row[scenario.status] = row.get(scenario.status, 0) + 1
    return table


def _golden(out: Console, comparison: FieldComparison) -> None:
    """How many fields equal the hand-written truth, the first differences, and what to do about them."""
    counts = ((len(comparison.missing), "scenarios missing"), (len(comparison.extra), "scenarios too many"))
    told = "".join(f", {count} {what}" for count, what in counts if count)
    out.print(f"golden truth: {comparison.equal} of {comparison.compared} fields equal{told}")
    lines = [f"{item.scenario} {item.field}: truth {item.truth}, built {item.built} ({item.place})" for item in comparison.differences]
    lines += [f"missing: {id}" for id in comparison.missing] + [f"too many: {id}" for id in comparison.extra]
    for line in lines[:_SHOWN]:
        out.print(f"  {line}")
    if lines:
        rest = f"{len(lines) - _SHOWN} more; " if len(lines) > _SHOWN else ""
        out.print(f"  {rest}next: compare the named places with the official text (regc show); --json lists all")


def _print(out: Console, built: Built, findings: tuple[Finding, ...], comparison: FieldComparison | None, scored: Any) -> None:
    checked = built.compiled.checked
    out.print(f"{checked.title}: {checked.source_name} ({_WORDINGS[checked.wording]})")
    table = Table(box=None, pad_edge=False)
    statuses = ("mandatory", "ts_option", "guidance")
    for column in ("family", *statuses, "all"):
        table.add_column(column, justify="left" if column == "family" else "right")
    families = _by_family(checked)
    for family, counts in families.items():
        table.add_row(family, *(str(counts.get(status, 0)) for status in statuses), str(sum(counts.values())))
    totals = [sum(counts.get(status, 0) for counts in families.values()) for status in statuses]
    table.add_row("all", *(str(total) for total in totals), str(len(checked.scenarios)))
    out.print(table)
    summary = output.summary(checked)
    out.print(
        f"cells of the document: {summary['limit_cells']} limits and {summary['test_speed_cells']} test speeds, "
        f"{summary['cells_used']} used, {summary['cells_with_reason']} with a reason, {summary['cells_unaccounted']} unaccounted"
    )
    out.print(
        f"clauses of the document: {summary['clauses_testable']} testable, {summary['clauses_covered']} covered, "
        f"{summary['clauses_with_reason']} with a reason; cards: {len(checked.cards)}"
    )
    out.print(
        f"numbers of all scenarios: {summary['numbers_cited']} cited, {summary['numbers_derived']} derived, "
        f"{summary['numbers_assumed']} assumed; {_proof(summary)}"
    )
    if comparison is not None:
        _golden(out, comparison)
    if scored is not None:
        exact = scored["exact"]["overall"]["f1"]
        out.print(f"penalized F1 {scored['overall']['f1']:.4f}, exact {exact:.4f}, Meta-Score {scored['meta_score']}")
    print_findings(out, findings)
    if built.up_to_date:
        out.print(f"up to date: {built.folder.as_posix()}")
    else:
        out.print(f"wrote {len(built.artifacts)} files to {built.folder.as_posix()}")


def _proof(summary: dict[str, int]) -> str:
    """What the second look at the numbers computed (validate/trace.py)."""
    based = summary["numbers_cited"] + summary["numbers_derived"]
    if not based:
        return "none is cited or derived, so nothing was proved"
    return f"{summary['numbers_accurate']} of {based} read again in the row, column or words they name, or recalculated"
