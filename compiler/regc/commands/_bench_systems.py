"""`regc bench systems`: retrieval systems x language models x families. The wiring; what is measured is in bench/systems.py."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from regc import registry
from regc.bench.systems import Ask, Cell, Made, Scored, Task, run
from regc.commands._bench import Indexes, library
from regc.errors import RegcError
from regc.evaluate.fields import compare_fields, read_fields
from regc.evaluate.penalized_f1 import evaluate, evaluate_exact
from regc.evaluate.settings import Settings
from regc.evaluate.table import COLUMNS, TextTable, read_texts, with_families
from regc.evaluate.texts import embed_texts
from regc.files import json_bytes, write
from regc.llm import Limits, open_llm, replies_folder
from regc.llm import Settings as Asking
from regc.llm.replay import DEFAULT_MODEL, ReplayLLM
from regc.model.chunk import Context, Query
from regc.model.document import Document
from regc.model.protocols import LLM, Embedder
from regc.model.regulation import Family
from regc.profiles import load_profile
from regc.resolve import resolver
from regc.resources import resource
from regc.validate import check

#: The six systems of the literature, and ours.
SYSTEMS = ("regc", "regularag", "rcs", "norag", "hipporag", "openai_rag", "hybrid")
#: Tokens of one reply: a form, and the paragraphs of a whole category.
REPLY = {"template": 1600, "rows": 1600, "prose": 2600}
SHOWN = ("mean", "sigma", "meta", "exact", "wrong before", "wrong after", "re-asks", "repaired", "refused", "tokens", "seconds")


def systems(
    regulation: Annotated[str, typer.Option(help="the regulation that the truth is for")] = "un152",
    system: Annotated[
        list[str] | None, typer.Option(help="retrieval system, repeated; default: the six of the literature and ours")
    ] = None,
    model: Annotated[list[str] | None, typer.Option(help="PROVIDER:MODEL, repeated; default: the extractor without a model")] = None,
    ask: Annotated[list[str] | None, typer.Option(help="template, rows or prose, repeated [template]")] = None,
    category: Annotated[str | None, typer.Option(help="only this vehicle category")] = None,
    embedder: Annotated[str, typer.Option(help="embedding model of the systems and of the score")] = "minilm",
    record: Annotated[bool, typer.Option("--record", help="keep each reply, so that a second run goes on")] = False,
    locked: Annotated[bool, typer.Option("--locked", help="replies on file only")] = False,
    replies: Annotated[Path | None, typer.Option(help="folder of replies")] = None,
    out: Annotated[Path, typer.Option(help="folder for JSON")] = Path("out/bench/systems"),
    as_json: Annotated[bool, typer.Option("--json", help="print the JSON instead of a table")] = False,
) -> None:
    """F1 by family, mean, sigma and Meta-Score of every retrieval system with every model, and what resolve made of the claims."""
    asked: tuple[Ask, ...] = tuple(_ask(name) for name in ask or ["template"])
    tasks = [
        Task(system=name, model=found, ask=way, category=category)
        for found in model or ["rules"]
        for name in system or SYSTEMS
        for way in (asked if found != "rules" else (_ask("rules"),))
    ]
    bench = SystemsBench(regulation, embedder, record=record, locked=locked, replies=replies)
    cells = bench.run(tasks, told=lambda cell: None if as_json else typer.echo(_line(cell), err=True))
    report = {"embedder": bench.embedder.name, "cells": [cell.model_dump(mode="json") | {"summary": cell.summary()} for cell in cells]}
    write(out / "systems.json", json_bytes(report))
    if as_json:
        typer.echo(json_bytes(report).decode(), nl=False)
    else:
        show(cells)


class SystemsBench:
    """Contexts, extraction and scores of one regulation's embedded edition."""

    def __init__(
        self, regulation: str, embedder: str, *, record: bool, locked: bool, replies: Path | None, limits: Limits | None = None
    ) -> None:
        from regc.embed import open_embedder

        self.profile = load_profile(regulation)
        documents = library(regulation, None, None)
        self.document: Document = documents[0][0]
        edition = self.profile.edition(self.document.edition)
        assert edition is not None
        self.edition = edition
        self.embedder: Embedder = open_embedder(embedder)
        self._indexes = Indexes(documents, self.embedder)
        self._folder = replies or replies_folder(regulation, edition.id)
        self._record, self._locked, self._limits = record, locked, limits
        self._used: set[str] = set()
        self.families = [family for family in self.profile.families_of(edition.id) if not family.variants]
        self._settings = Settings(vocabulary=self.profile.vocabulary)
        truth = resource("golden", regulation, edition.id, "truth")
        self._texts = read_texts(truth / "scenarios.csv", truth=True)
        self._fields = read_fields(truth / "fields.csv")

    def run(self, tasks: Sequence[Task], told: Any) -> list[Cell]:
        """All tasks in turn."""
        return run(tasks, self.contexts, self.extract, self.score, told)

    def contexts(self, system: str, families: Sequence[Family] = ()) -> Mapping[str, Context]:
        """What a system retrieves for each family, by default those that are driven."""
        retriever = self._indexes.maker(system, self._indexes.corpora(1, 2000))()
        return {family.name: retriever.retrieve(Query(text=family.query)) for family in families or self.families}

    def extract(self, task: Task, contexts: Mapping[str, Context]) -> Made:
        """Scenarios or texts of the task's extractor."""
        if task.model == "rules":
            rules = registry.load("extract", "rules")
            resolve = resolver(self.document, self.profile, self.edition)
            done = rules.extract(dict(contexts), self.profile, self.edition.id, resolve)
            return Made(scenarios=tuple(item.scenario for item in done.resolutions if item.scenario))
        outcomes, tally = self._outcomes(task, contexts)
        tokens = {family.name: family.token for family in self.families}
        return Made(
            scenarios=tuple(item.scenario for outcome in outcomes.values() for item in outcome.resolutions if item.scenario),
            texts=tuple((tokens[name], title, text) for name, outcome in outcomes.items() for title, text in outcome.texts),
            stats=tally.stats(),
        )

    def ask_variants(self, model: str) -> int:
        """Ask what a build asks beyond the table, for the tests that are told in prose; how many scenarios come out."""
        told = [family for family in self.profile.families_of(self.edition.id) if family.variants]
        outcomes, _ = self._outcomes(Task(system="regc", model=model, ask="template"), self.contexts("regc", told))
        return sum(item.scenario is not None for outcome in outcomes.values() for item in outcome.resolutions)

    def stale_replies(self) -> list[Path]:
        """Replies on file that nothing asked for so far."""
        return [path for path in sorted(self._folder.glob("*.json")) if path.name != DEFAULT_MODEL and path.stem not in self._used]

    def _outcomes(self, task: Task, contexts: Mapping[str, Context]) -> tuple[dict[str, Any], Any]:
        module = registry.load("extract", "llm")
        options = module.Options(ask=task.ask, only=task.category or "", concurrency=1, reply=REPLY[task.ask])
        llm = self._model(task)
        resolve = resolver(self.document, self.profile, self.edition)
        outcomes = module.outcomes_of(dict(contexts), self.profile, self.edition.id, resolve, llm=llm, options=options)
        self._used |= llm.used if isinstance(llm, ReplayLLM) else set()
        tally = module.Tally()
        for outcome in outcomes.values():
            tally.add(outcome.tally)
        return outcomes, tally

    def _model(self, task: Task) -> LLM:
        return open_llm(
            task.model,
            record=self._folder if self._record else None,
            locked=self._locked,
            replies=self._folder,
            regulation=self.profile.id,
            edition=self.edition.id,
            settings=Asking(max_tokens=REPLY[task.ask]),
            limits=self._limits,
        )

    def score(self, task: Task, made: Made) -> Scored:
        """Penalized F1 of the texts by family, and fields compared exactly."""
        tokens = [family.token for family in self.families]
        wanted_rows = tuple(
            row for row in with_families(self._texts, tokens).rows if row.family in tokens and _of(row.id, task.category)
        )
        generated = self._generated(made, tokens)
        truth = embed_texts(wanted_rows, self.embedder, self._settings.vocabulary)
        own = embed_texts(
            tuple(row for row in generated.rows if task.ask == "prose" or _of(row.id, task.category)),
            self.embedder,
            self._settings.vocabulary,
        )
        tolerant, exact = evaluate(truth, own, self._settings), evaluate_exact(truth, own, self._settings)
        fields = [row for row in self._fields if row.values["category"] and _of(row.id, task.category)]
        compared = compare_fields(fields, [item for item in made.scenarios if task.category in (None, item.category)])
        return Scored(
            families={token: 100 * tolerant.families[token].f1 if token in tolerant.families else 0.0 for token in tokens},
            exact={token: 100 * exact.families[token].f1 if token in exact.families else 0.0 for token in tokens},
            fields=compared.compared,
            wrong_fields=len(compared.differences),
            texts=len(own.rows),
            unmatched=exact.overall.fp,
        )

    def _generated(self, made: Made, tokens: Sequence[str]) -> TextTable:
        if made.texts:
            stream = io.StringIO()
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows((f"p_{token}_{number}", title, text) for number, (token, title, text) in enumerate(made.texts, start=1))
            return _read(stream.getvalue().encode(), tokens)
        target = registry.load("targets", "csv")
        checked = check(made.scenarios, (), self.document, self.profile, self.edition, ())
        return _read(target.emit(checked, target.Options())[0].content, tokens)


def show(cells: Sequence[Cell]) -> None:
    """One row a cell; figures of families first."""
    families = list(dict.fromkeys(name for cell in cells if cell.scored for name in cell.scored.families))
    table = Table(title="F1 in per cent by family", title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in ("system", "model", "ask"):
        table.add_column(column, no_wrap=True)
    for column in (*families, *SHOWN):
        table.add_column(column, justify="right", no_wrap=True)
    for cell in cells:
        if cell.scored is not None:
            figures = cell.summary()
            task = cell.task
            name = f"{task.ask} {task.category}" if task.category else task.ask
            table.add_row(
                task.system, task.model, name, *(f"{figures.get(column, 0):.{_places(column)}f}" for column in (*families, *SHOWN))
            )
    # as wide as it is: a figure that is cut off is worse than a line that a narrow terminal wraps
    console = Console(soft_wrap=True, highlight=False, width=400)
    console.print(table)
    for cell in cells:
        name = f"{cell.task.system} {cell.task.model} {cell.task.ask}"
        if cell.skipped:
            console.print(f"{name}: skipped, {cell.skipped}", markup=False)
        elif cell.task.model != "rules" and not cell.stats.get("llm.questions"):
            console.print(f"{name}: nothing was asked, no clause of a test is in its context", markup=False)


def _places(column: str) -> int:
    return 0 if column in ("re-asks", "repaired", "refused", "tokens", "seconds") else 2


def _line(cell: Cell) -> str:
    task = cell.task
    figures = cell.summary()
    said = f"mean {figures['mean']:.2f}, Meta-Score {figures['meta']:.2f}" if figures else f"skipped, {cell.skipped}"
    return f"{task.system} {task.model} {task.ask}{f' {task.category}' if task.category else ''}: {said}"


def _ask(name: str) -> Ask:
    ways: dict[str, Ask] = {"rules": "rules", "template": "template", "rows": "rows", "prose": "prose"}
    if name not in ways:
        raise RegcError(f"--ask {name!r}: not a way of asking", hint="template, rows or prose")
    return ways[name]


def _of(id: str, category: str | None) -> bool:
    return category is None or f"_{category}_" in id


def _read(content: bytes, tokens: Sequence[str]) -> TextTable:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "generated.csv")
        path.write_bytes(content)
        return with_families(read_texts(path), tokens)
