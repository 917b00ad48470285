"""The whole pipeline, top to bottom: read, link, enrich, retrieve, extract and resolve, check, emit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from regc import cache as caching
from regc import output, registry
from regc.cards import cards
from regc.enrich import enrich
from regc.job import Built, Compiled, Request
from regc.limits import limited, seconds_for
from regc.link import link
from regc.model.chunk import Context, Corpus, Query
from regc.model.document import Document
from regc.model.protocols import Extraction, Progress
from regc.model.regulation import Edition, Profile
from regc.model.result import Finding
from regc.profiles import load_profile, profile_folder
from regc.resolve import resolver
from regc.source import load_document
from regc.validate import check

#: A paragraph number that should be there: no news for an embedded edition that is known to have gaps.
_LOST_NUMBER = "R101"
#: Tokens of a context for the rules extractor: room for documents whose numbers were lost, where evidence stands in longer pieces.
_RULES_BUDGET = 8000


def silent(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def compile_regulation(request: Request, progress: Progress = silent, cache: caching.Cache | None = None) -> Compiled:
    """From a regulation to checked scenarios, filtered as asked; writes nothing but the cache."""
    cache = cache or caching.Cache()
    profile, folder = load_profile(request.regulation), profile_folder(request.regulation)
    progress("read", 0, 5)
    document, edition = load_document(profile, folder, request.edition, request.source, cache)
    key = caching.key("compiled", document.model_dump_json(), edition.id, profile.model_dump_json(), _options(request))
    whole = cache.get("compiled", key, Compiled) if request.extractor == "rules" else None
    if whole is None:
        if request.extractor == "rules" and request.embedder is None:
            with limited(document.source_name, seconds_for(sum(len(clause.text) for clause in document.clauses))):
                whole = _compile(document, profile, edition, request, progress)
        else:
            whole = _compile(document, profile, edition, request, progress)
        if request.extractor == "rules":
            cache.put("compiled", key, whole)
    return whole.model_copy(update={"checked": output.filtered(whole.checked, profile, request)})


def _compile(document: Document, profile: Profile, edition: Edition, request: Request, progress: Progress) -> Compiled:
    progress("link", 1, 5)
    graph, link_findings = link(document)
    chunks = enrich(document, graph)
    progress("retrieve", 2, 5)
    contexts = contexts_of((Corpus(document=document, graph=graph, chunks=chunks),), profile, edition, request)
    progress("extract", 3, 5)
    extraction = extract(contexts, document, profile, edition, request)
    progress("check", 4, 5)
    findings = (
        *edition_notes(edition),
        *(
            finding
            for finding in document.findings
            if not (finding.code == _LOST_NUMBER and edition.gaps and document.wording == "embedded")
        ),
        *link_findings,
        *(finding for context in contexts.values() for finding in context.findings),
        *extraction.findings,
        *(finding for resolution in extraction.resolutions for finding in resolution.findings),
    )
    scenarios = tuple(resolution.scenario for resolution in extraction.resolutions if resolution.scenario)
    checked = check(scenarios, cards(document, profile, edition), document, profile, edition, findings)
    progress("check", 5, 5)
    return Compiled(document=document, graph=graph, checked=checked, stats=dict(extraction.stats))


def contexts_of(corpora: tuple[Corpus, ...], profile: Profile, edition: Edition, request: Request) -> dict[str, Context]:
    """One context a family: what the chosen retriever finds for the family's query."""
    module = registry.load("retrieve", request.retriever)
    options = request.retriever_options or _retriever_options(module.Options, request.extractor)
    retriever = module.build(corpora, embedder=request.embedder, llm=request.llm, options=options)
    return {family.name: retriever.retrieve(Query(text=family.query)) for family in profile.families_of(edition.id)}


def extract(contexts: dict[str, Context], document: Document, profile: Profile, edition: Edition, request: Request) -> Extraction:
    """Drafts from the contexts by the chosen extractor, each resolved against the document."""
    module = registry.load("extract", request.extractor)
    options = request.extractor_options or module.Options()
    resolve = resolver(document, profile, edition)
    extraction: Extraction = module.extract(contexts, profile, edition.id, resolve, llm=request.llm, options=options)
    return extraction


def build(request: Request, out: Path, progress: Progress = silent, cache: caching.Cache | None = None) -> Built:
    """Compile and emit into `out`/<regulation>-<edition>/ (with a source: -<sha8>); the last good output stays until all is made."""
    cache = cache or caching.Cache()
    compiled = compile_regulation(request, progress, cache)
    folder = out / output.folder_name(compiled, request.source is not None)
    built = output.emit(compiled, request, folder, progress)
    return replace(built, findings=(*built.findings, *cache.findings))


def edition_notes(edition: Edition) -> tuple[Finding, ...]:
    """What is known to be missing or reconstructed in an embedded edition."""
    return tuple(
        Finding(code="R180", severity="info", message=f"{edition.id}: {note}", hint="use the official text with --source FILE")
        for note in edition.notes
    )


def _retriever_options(model: type[BaseModel], extractor: str) -> BaseModel:
    """Defaults; the rules extractor pays for no tokens, so it may read further than a model's context."""
    return model(budget=_RULES_BUDGET) if extractor == "rules" and "budget" in model.model_fields else model()


def _options(request: Request) -> str:
    embedder = request.embedder.name if request.embedder else ""
    parts: tuple[Any, ...] = (request.extractor, request.extractor_options, request.retriever, request.retriever_options, embedder)
    return "|".join(part.model_dump_json() if isinstance(part, BaseModel) else str(part) for part in parts)
