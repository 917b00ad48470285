"""What the retrieval benches ask: documents, indexes by system and setting, and the task of a regulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from regc import cache as caching
from regc import plugins
from regc.errors import DataFileError, SourceError
from regc.link import link
from regc.model.chunk import Corpus
from regc.model.document import Document, RefGraph
from regc.model.protocols import Embedder, Retriever
from regc.pipeline.source import read
from regc.plugins import RETRIEVERS
from regc.research.bench.evidence import read_gold, read_questions
from regc.research.bench.retrieval import Task
from regc.research.chunks import enrich
from regc.resources import resource

Library = tuple[tuple[Document, RefGraph], ...]


def library(document: Document, distractors: Path | None, cache: caching.Cache) -> Library:
    """The document first, then the other files of the folder by name, each read and linked. Raises SourceError."""
    others = sorted(path for path in distractors.iterdir() if path.is_file()) if distractors and distractors.is_dir() else []
    if distractors and not others:
        raise SourceError(f"{distractors}: no folder with files", hint="give a folder of regulations (PDF, Markdown, HTML)")
    return tuple((found, link(found)[0]) for found in (document, *(_other(path, cache) for path in others)))


def _other(path: Path, cache: caching.Cache) -> Document:
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
    found: list[str] = []
    for name in RETRIEVERS.names():
        configurations = getattr(RETRIEVERS.load(name), "CONFIGURATIONS", {})
        found += [f"{name}:{configuration}" for configuration in configurations] or [name]
    return tuple(found)


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
