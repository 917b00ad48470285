"""`regc bench`: measures retrieval systems against each other on hand-written evidence, or on questions made from any document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from regc import plugins
from regc.cache import Cache
from regc.cli.flags import Reader, open_document
from regc.errors import DataFileError, RegcError, SourceError
from regc.files import json_bytes, write
from regc.link import link
from regc.model.chunk import Corpus
from regc.model.document import Document, RefGraph
from regc.model.protocols import Embedder, Retriever
from regc.pipeline.documents import read
from regc.plugins import RETRIEVERS
from regc.research.chunks import enrich
from regc.research.retrieval_bench import Task, read_gold, read_questions
from regc.resources import resource

#: Settings of the grid.
TOP_K = (10, 15, 20, 25, 30)
CHUNK_SIZE = (800, 1000, 1400, 1600, 2000, 3000, 4000)
#: What a terminal shows of a summary, and under which heading; --json has all of it.
COLUMNS = {
    "recall": "recall",
    "recall_worst": "worst",
    "recall_spread": "spread",
    "precision": "precision",
    "tokens": "tokens",
    "tokens_max": "max",
    "query_seconds": "query s",
    "index_seconds": "index s",
    "index_megabytes": "MB",
} | {f"{name}@{k}": f"{name}@{k}" for name in ("R", "AP", "MRR") for k in (5, 10, 20)}
#: The switches of regularag: name, settings of the chunks, settings of the retriever.
ABLATION: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("as published", {}, {}),
    ("no enrichment of vectors", {}, {"enrichment": False}),
    ("depth 0", {"depth": 0}, {}),
    ("depth 1", {"depth": 1}, {}),
    ("depth 2", {"depth": 2}, {}),
    ("depth 3", {"depth": 3}, {}),
    ("cap 10", {"cap": 10}, {}),
    ("cap 25", {"cap": 25}, {}),
    ("cap 100", {"cap": 100}, {"cap": 100}),
    ("no de-duplication", {}, {"deduplicate": False}),
    ("no ordering", {}, {"ordered": False}),
    ("no table joining", {"join_tables": False}, {}),
)

Regulation = Annotated[str, typer.Option(help="the regulation that the gold is for")]
Source = Annotated[Path | None, typer.Option(help="its official file instead of the embedded edition")]
Distractors = Annotated[Path | None, typer.Option(help="folder of further regulations (PDF, Markdown, HTML) for the same index")]
Systems = Annotated[list[str] | None, typer.Option("--system", help="NAME or NAME:CONFIGURATION, repeated; default: all")]
EmbedderName = Annotated[str, typer.Option("--embedder", help="minilm, hash, mpnet, openai:MODEL ... for the systems that need one")]
Out = Annotated[Path, typer.Option(help="folder for JSON and plots")]
AsJson = Annotated[bool, typer.Option("--json", help="print the JSON instead of a table")]


def register(app: typer.Typer) -> None:
    """Add the command with its benches."""
    bench = typer.Typer(help=__doc__.split(": ", 1)[1], no_args_is_help=True)
    bench.command("retrieval")(retrieval)
    bench.command("qa")(qa)
    app.add_typer(bench, name="bench")


def retrieval(
    regulation: Regulation,
    source: Source = None,
    reader: Reader = None,
    distractors: Distractors = None,
    systems: Systems = None,
    embedder: EmbedderName = "minilm",
    chunk_size: Annotated[int, typer.Option(help="characters of a base chunk", min=100)] = 2000,
    scaling: Annotated[bool, typer.Option(help="also with 1, 2, ... regulations in the index")] = False,
    grid: Annotated[bool, typer.Option(help="also top_k x chunk size of regularag")] = False,
    ablation: Annotated[bool, typer.Option(help="also the switches of regularag")] = False,
    memory: Annotated[bool, typer.Option(help="also the bytes of each index (builds it twice)")] = False,
    plots: Annotated[bool, typer.Option(help="write plots (extra plots)")] = False,
    out: Out = Path("out/bench/retrieval"),
    as_json: AsJson = False,
) -> None:
    """Evidence recall, precision, tokens and time of every system, over all wordings of every family."""
    from regc.embed import open_embedder
    from regc.research.retrieval_bench import grid as run_grid
    from regc.research.retrieval_bench import measure

    cache = Cache()
    documents = library(open_document(regulation, source, None, cache, reader=reader), distractors, cache)
    model = open_embedder(embedder)
    indexes = Indexes(documents, model)
    document = documents[0][0]
    asked = task(regulation, document)
    names = _systems(systems)
    count = len(documents)
    corpora = indexes.corpora(count, chunk_size)
    results = [measure(name, indexes.maker(name, corpora), asked, memory=memory) for name in names]
    report: dict[str, Any] = {
        "documents": [f"{document.id} {document.edition}" for document, _ in documents],
        "embedder": model.name,
        "chunk_size": chunk_size,
        "systems": {result.system: result.model_dump(exclude={"system"}) | {"summary": result.summary()} for result in results},
    }
    report["ranking"] = {
        key: _ranking({result.system: result.summary() for result in results}, key) for key in ("recall", "recall_worst")
    }
    if scaling:
        report["scaling"] = {
            name: {
                number: measure(name, indexes.maker(name, indexes.corpora(number, 3000)), asked, memory=memory).summary()
                for number in range(1, count + 1)
            }
            for name in names
        }
    if ablation:
        report["ablation"] = {
            label: measure(
                label, indexes.maker("regularag", indexes.corpora(count, chunk_size, **cutting), **switches), asked
            ).summary()
            for label, cutting, switches in ABLATION
        }
    if grid:
        cells = run_grid(lambda k, size: indexes.maker("regularag", indexes.corpora(count, size), top_k=k), asked, TOP_K, CHUNK_SIZE)
        report["grid"] = [cell.model_dump() for cell in cells]
    write(out / "retrieval.json", json_bytes(report))
    _tell(model)
    if plots:
        _plot(report, out)
    if as_json:
        typer.echo(json_bytes(report).decode(), nl=False)
        return
    _show("systems", {result.system: result.summary() for result in results}, {result.system: result.skipped for result in results})
    if ablation:
        _show("ablation of regularag", report["ablation"], {})
    for number in range(1, count + 1) if scaling else ():
        _show(f"{number} regulations", {name: report["scaling"][name][number] for name in names}, {})


def qa(
    regulation: Regulation,
    source: Source = None,
    reader: Reader = None,
    distractors: Distractors = None,
    systems: Systems = None,
    embedder: EmbedderName = "minilm",
    chunk_size: Annotated[int, typer.Option(help="characters of a base chunk", min=100)] = 2000,
    questions: Annotated[int, typer.Option(help="at most so many a document", min=1)] = 20,
    grid: Annotated[bool, typer.Option(help="also top_k x chunk size of regularag: share of questions whose witness is found")] = False,
    plots: Annotated[bool, typer.Option(help="write plots (extra plots)")] = False,
    llm: Annotated[str | None, typer.Option(help="language model that writes the questions; without it: cloze questions")] = None,
    out: Out = Path("out/bench/qa"),
    as_json: AsJson = False,
) -> None:
    """Recall, average precision and reciprocal rank at 5, 10 and 20 on questions made from the documents themselves."""
    from regc.embed import open_embedder
    from regc.llm import open_llm
    from regc.research import question_bench as making

    cache = Cache()
    documents = library(open_document(regulation, source, None, cache, reader=reader), distractors, cache)
    model = open_embedder(embedder)
    indexes = Indexes(documents, model)
    corpora = indexes.corpora(len(documents), chunk_size)
    writer = open_llm(llm) if llm else None
    cut_pairs, method = making.pairs([document for document, _ in documents], writer, per_document=questions)
    rankers: dict[str, making.RankingRetriever] = {}
    skipped: dict[str, str] = {}
    for name in _systems(systems):
        try:
            retriever = indexes.maker(name, corpora)()
        except RegcError as error:
            skipped[name] = str(error)
            continue
        if isinstance(retriever, making.RankingRetriever):
            rankers[name] = retriever
        else:
            skipped[name] = "ranks no passages"
    kept = making.in_every_index(cut_pairs, [ranker.texts() for ranker in rankers.values()])
    rows = [making.judge(name, ranker, kept) for name, ranker in rankers.items()]
    report: dict[str, Any] = {
        "method": method,
        "embedder": model.name,
        "made": len(cut_pairs),
        "asked": len(kept),
        "pairs": [pair.model_dump() for pair in kept],
        "systems": {row.system: row.model_dump(exclude={"system"}) for row in rows},
        "skipped": skipped,
    }
    if grid:
        report["grid"] = []
        for size in CHUNK_SIZE:
            cut = indexes.maker("regularag", indexes.corpora(len(documents), size))()
            assert isinstance(cut, making.RankingRetriever)
            found_at = making.judge("regularag", cut, kept, at=TOP_K).recall
            report["grid"] += [{"top_k": k, "chunk_size": size, "recall": found_at[k], "tokens": 0.0} for k in TOP_K]
    if grid and plots:
        _plot(report, out)
    write(out / "qa.json", json_bytes(report))
    _tell(model)
    if as_json:
        typer.echo(json_bytes(report).decode(), nl=False)
        return
    Console(soft_wrap=True, highlight=False).print(
        f"{method}: {len(kept)} of {len(cut_pairs)} questions have a witness that stands in every index"
    )
    _show("questions", {row.system: row.by_name() for row in rows}, skipped)


def _systems(asked: Sequence[str] | None) -> tuple[str, ...]:
    known = all_systems()
    for name in asked or ():
        plugins.check(name.partition(":")[0], RETRIEVERS.names(), what="retriever")
    return tuple(asked) if asked else known


def _ranking(summaries: Mapping[str, Mapping[str, float]], key: str) -> list[str]:
    """Systems that ran, best first by a figure; fewer tokens win when level."""
    ran = [name for name in summaries if summaries[name]]
    return sorted(ran, key=lambda name: (-summaries[name][key], summaries[name]["tokens"], name))


def _tell(model: object) -> None:
    """What an embedder's cache had to say goes to stderr."""
    for finding in getattr(model, "findings", ()):
        typer.echo(f"{finding.severity}[{finding.code}]: {finding.message}", err=True)


def _plot(report: Mapping[str, Any], out: Path) -> None:
    from regc.research import retrieval_bench
    from regc.research.retrieval_bench import GridSetting

    measured = {name: system["summary"] for name, system in report["systems"].items() if system.get("summary")}
    if measured:
        write(out / "systems.png", retrieval_bench.bars(measured))
    if "scaling" in report:
        write(out / "scaling.png", retrieval_bench.lines(report["scaling"]))
    if "grid" in report:
        write(out / "grid.png", retrieval_bench.heat([GridSetting.model_validate(cell) for cell in report["grid"]]))


def _show(title: str, summaries: Mapping[str, Mapping[str, float]], skipped: Mapping[str, str]) -> None:
    columns = [column for column in COLUMNS if any(column in summary for summary in summaries.values())]
    table = Table(title=title, title_justify="left")
    table.add_column("system", no_wrap=True)
    for column in columns:
        table.add_column(COLUMNS[column], justify="right", no_wrap=True)
    key = columns[0] if columns else ""
    ranked = sorted((name for name in summaries if summaries[name]), key=lambda name: (-summaries[name].get(key, 0.0), name))
    for name in ranked:
        table.add_row(name, *(_figure(summaries[name].get(column)) for column in columns))
    console = Console(soft_wrap=True, highlight=False, width=140)
    console.print(table)
    for name, reason in skipped.items():
        if reason:
            console.print(f"{name}: skipped, {reason}", markup=False)


def _figure(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.3f}".rstrip("0").rstrip(".") or "0"


Library = tuple[tuple[Document, RefGraph], ...]


def library(document: Document, distractors: Path | None, cache: Cache) -> Library:
    """The document first, then the other files of the folder by name, each read and linked. Raises SourceError."""
    others = sorted(path for path in distractors.iterdir() if path.is_file()) if distractors and distractors.is_dir() else []
    if distractors and not others:
        raise SourceError(f"{distractors}: no folder with files", hint="give a folder of regulations (PDF, Markdown, HTML)")
    return tuple((one, link(one)[0]) for one in (document, *(_other(path, cache) for path in others)))


def _other(path: Path, cache: Cache) -> Document:
    return read(path, cache, id=path.stem, edition="-", title=path.stem)


class Indexes:
    """Corpora and retrievers of a library by setting; the same chunks are cut once."""

    def __init__(self, documents: Library, embedder: Embedder | None) -> None:
        self._documents = documents
        self.embedder = embedder
        self._known: dict[tuple[object, ...], tuple[Corpus, ...]] = {}

    def corpora(
        self, count: int, chunk_size: int, *, depth: int | None = None, cap: int = 50, join_tables: bool = True
    ) -> tuple[Corpus, ...]:
        """The first `count` documents in chunks."""
        key = (count, chunk_size, depth, cap, join_tables)
        if key not in self._known:
            self._known[key] = tuple(
                Corpus(
                    document=document,
                    graph=graph,
                    chunks=enrich(document, graph, chunk_size=chunk_size, depth=depth, cap=cap, join_tables=join_tables),
                )
                for document, graph in self._documents[:count]
            )
        return self._known[key]

    def maker(self, name: str, corpora: Sequence[Corpus], **options: object) -> Callable[[], Retriever]:
        """Builds the system "name" or "name:configuration" with options changed; the default system gets no embedder."""
        system, _, configuration = name.partition(":")
        module = RETRIEVERS.load(system)
        base = module.Options()
        if configuration:
            known: dict[str, Any] = getattr(module, "CONFIGURATIONS", {})
            base = known[plugins.check(configuration, tuple(known), what=f"configuration of {system}")]
        chosen = base.model_copy(update=options)
        embedder = None if system in WITHOUT_MODEL else self.embedder

        def make() -> Retriever:
            retriever: Retriever = module.build(corpora, embedder=embedder, llm=None, options=chosen)
            return retriever

        return make


#: Systems that are measured as they are by default: without a model.
WITHOUT_MODEL = ("regc", "fulltext", "norag")


def all_systems() -> tuple[str, ...]:
    """Every retriever, those with named configurations once for each."""
    systems: list[str] = []
    for name in RETRIEVERS.names():
        configurations = getattr(RETRIEVERS.load(name), "CONFIGURATIONS", {})
        systems += [f"{name}:{configuration}" for configuration in configurations] or [name]
    return tuple(systems)


def task(regulation: str, document: Document) -> Task:
    """Questions and gold of a regulation's edition. Raises DataFileError where there are none."""
    truth = _truth(regulation, document)
    return Task(document, read_questions(truth / "queries.csv"), read_gold(truth / "evidence.csv"))


def _truth(regulation: str, document: Document) -> Path:
    folder = resource("golden", regulation, document.edition, "truth")
    if not (folder / "evidence.csv").is_file():
        raise DataFileError(
            f"{regulation} {document.edition}: no hand-written evidence",
            hint=f"write {folder.name}/evidence.csv and queries.csv for it",
        )
    return folder
