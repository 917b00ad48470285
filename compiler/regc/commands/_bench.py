"""What both benches need: documents, indexes by name and setting, scores of the scenarios that a context gives."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from regc import cache as caching
from regc import registry
from regc.bench.evidence import read_gold, read_questions
from regc.bench.retrieval import Scoring, Task
from regc.build import extract
from regc.enrich import enrich
from regc.errors import DataFileError, SourceError
from regc.evaluate.penalized_f1 import evaluate, evaluate_exact
from regc.evaluate.settings import Settings
from regc.evaluate.table import TextTable, read_texts, with_families
from regc.evaluate.texts import embed_texts
from regc.job import Request
from regc.link import link
from regc.model.chunk import Context, Corpus
from regc.model.document import Document
from regc.model.protocols import LLM, Embedder, Retriever
from regc.model.references import RefGraph
from regc.profiles import load_profile, profile_folder
from regc.resources import resource
from regc.source import load_document
from regc.validate import check

Library = tuple[tuple[Document, RefGraph], ...]


def library(regulation: str, source: Path | None, distractors: Path | None) -> Library:
    """The regulation first, then the other files of the folder by name, each read and linked. Raises SourceError."""
    cache = caching.Cache()
    document, _ = load_document(load_profile(regulation), profile_folder(regulation), None, source, cache)
    others = sorted(path for path in distractors.iterdir() if path.is_file()) if distractors and distractors.is_dir() else []
    if distractors and not others:
        raise SourceError(f"{distractors}: no folder with files", hint="give a folder of regulations (PDF, Markdown, HTML)")
    return tuple((found, link(found)[0]) for found in (document, *(_other(path, cache) for path in others)))


def _other(path: Path, cache: caching.Cache) -> Document:
    content = path.read_bytes()
    for name in registry.names("readers"):
        module = registry.load("readers", name)
        if path.suffix.lower() in module.suffixes:
            key = caching.key("bench document", name, path.name, content)
            known = cache.get("document", key, Document)
            if known is None:
                read: Document = module.read(path, content, regulation=path.stem, edition="-", title=path.stem, wording="official")
                known = read
                cache.put("document", key, known)
            return known
    raise SourceError(f"{path.name}: no reader for {path.suffix or 'a file without a suffix'}", hint="see `regc readers`")


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
        module = registry.load("retrieve", system)
        base = module.Options()
        if configuration:
            registry.check(configuration, tuple(module.CONFIGURATIONS), what=f"configuration of {system}")
            base = module.CONFIGURATIONS[configuration]
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
    for name in registry.names("retrieve"):
        configurations = getattr(registry.load("retrieve", name), "CONFIGURATIONS", {})
        found += [f"{name}:{configuration}" for configuration in configurations] or [name]
    return tuple(found)


def task(regulation: str, document: Document, scoring: Scoring | None) -> Task:
    """Questions and gold of a regulation's edition. Raises DataFileError where there are none."""
    truth = _truth(regulation, document)
    return Task(document, read_questions(truth / "queries.csv"), read_gold(truth / "evidence.csv"), scoring)


def scorer(regulation: str, document: Document, embedder: Embedder, llm: LLM | None = None) -> Scoring:
    """Scores of the scenarios that the rules (or, where one is given, a language model) make of contexts, against the hand-written
    texts: penalized F1, exact F1, Meta-Score."""
    profile = load_profile(regulation)
    edition = profile.edition(document.edition)
    assert edition is not None
    request = Request(regulation=regulation, extractor="llm" if llm else "rules", llm=llm)
    module = registry.load("targets", "csv")
    tokens = [family.token for family in profile.families]
    settings = Settings(vocabulary=profile.vocabulary)
    truth = with_families(read_texts(_truth(regulation, document) / "scenarios.csv", truth=True), tokens)
    wanted = embed_texts(truth.rows, embedder, settings.vocabulary)

    def score(contexts: Mapping[str, Context]) -> Mapping[str, float]:
        extraction = extract(dict(contexts), document, profile, edition, request)
        scenarios = tuple(resolution.scenario for resolution in extraction.resolutions if resolution.scenario)
        checked = check(scenarios, (), document, profile, edition, ())
        table = _texts(module.emit(checked, module.Options())[0].content, tokens)
        made = embed_texts(table.rows, embedder, settings.vocabulary)
        found, exact = evaluate(wanted, made, settings), evaluate_exact(wanted, made, settings)
        return {
            "f1": found.overall.f1,
            "f1_exact": exact.overall.f1,
            "meta_score": found.meta_score,
            "scenarios": float(len(scenarios)),
        }

    return score


def _texts(content: bytes, tokens: Sequence[str]) -> TextTable:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "generated.csv")
        path.write_bytes(content)
        return with_families(read_texts(path), tokens)


def _truth(regulation: str, document: Document) -> Path:
    folder = resource("golden", regulation, document.edition, "truth")
    if not (folder / "evidence.csv").is_file():
        raise DataFileError(
            f"{regulation} {document.edition}: no hand-written evidence",
            hint=f"write {folder.name}/evidence.csv and queries.csv for it",
        )
    return folder
