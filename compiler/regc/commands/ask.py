"""`regc ask`: the clauses and tables of the regulations that answer a question, each with why it was chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from regc.cache import Cache
from regc.cli.console import console, draw_table, print_findings, print_json, progress
from regc.errors import MissingExtraError
from regc.link import link
from regc.link.identity import numbers_named, opening
from regc.model.chunk import Context, ContextItem, Corpus, Query
from regc.model.document import Document
from regc.model.protocols import Embedder, Progress
from regc.model.result import Finding
from regc.pipeline.documents import load_document, read
from regc.pipeline.profiles import load_profile, profile_folder, regulation_names

AUTO = "auto"
#: The embedder that is taken where it is installed.
AT_HAND = "minilm"
#: Paragraphs that are embedded without being asked for: about a second of work.
AT_ONCE = 100


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ask")(ask_command)


def ask_command(
    question: Annotated[
        str, typer.Argument(help="in your own words, a sentence or some; a regulation, category or paragraph that it names counts")
    ],
    source: Annotated[
        list[Path] | None, typer.Option(help="a further document, or the official file of a shipped one; repeated")
    ] = None,
    top: Annotated[int, typer.Option(help="clauses to print, best first", min=1)] = 5,
    embedder: Annotated[
        str, typer.Option(help="what weighs meaning beside words: minilm, hash, ... or none; auto: minilm once it has read the texts")
    ] = AUTO,
    as_json: Annotated[bool, typer.Option("--json", help="print all that was found as JSON")] = False,
) -> None:
    """Find the clauses and tables that answer a question: in the shipped regulations, and in files of your own."""
    from regc.embed import CachedEmbedder
    from regc.retrieve import regc

    with progress() as tell:
        regulations = corpora(tuple(source or ()), Cache(), tell)
        model = embedder_for(embedder, tell)
        retriever = regc.build(regulations, embedder=model, llm=None, options=regc.Options())
        unread = model.lacks(retriever.embedded()) if embedder == AUTO and isinstance(model, CachedEmbedder) else 0
        if unread > AT_ONCE:
            retriever = regc.build(regulations, embedder=None, llm=None, options=regc.Options())
        context = retriever.retrieve(Query(text=question))
        if unread > AT_ONCE:
            context = context.model_copy(update={"findings": (*context.findings, _by_words(unread))})
    if as_json:
        print_json(context.model_dump(mode="json", exclude_none=True))
        return
    _print(context, top)
    print_findings(console(stderr=True), context.findings, rest="all with --json")


def _print(context: Context, top: int) -> None:
    out = console()
    clauses: dict[int, list[ContextItem]] = {}
    for item in context.items:
        clauses.setdefault(item.rank or 0, []).append(item)
    ranks = [rank for rank in sorted(clauses) if _says_something(clauses[rank])]
    for rank in ranks[:top]:
        head, *rest = clauses[rank]
        title = f" {head.clause.title}" if head.clause and head.clause.title else ""
        out.print(f"[bold]{escape(head.regulation)} {escape(head.id)}[/]{escape(title)}  [dim]({escape(head.why)})[/]")
        for item in (head, *rest):
            if item.clause and item.clause.text.strip():
                out.print(escape(item.clause.text.strip()))
            if item.table:
                draw_table(out, item.table, [other.footnote for other in rest if other.footnote and item.id in other.footnote.anchors])
            if item.footnote and not any(other.table and other.id in item.footnote.anchors for other in rest):
                out.print(escape(f"{item.footnote.marker} {item.footnote.text}"))
    if len(ranks) > top:
        others = Counter(clauses[rank][0].regulation for rank in ranks[top:])
        told = ", ".join(f"{count} of {regulation}" for regulation, count in sorted(others.items()))
        out.print(escape(f"further: {told} (--top {len(ranks)} prints them)"))


def _says_something(items: list[ContextItem]) -> bool:
    """Whether there is more than a heading."""
    return any(item.table or item.footnote or (item.clause and item.clause.text.strip()) for item in items)


def _by_words(unread: int) -> Finding:
    message = f"answered by words alone: {AT_HAND} has not read {unread} paragraphs so far"
    hint = f"--embedder {AT_HAND} reads them once (a few seconds a regulation); later questions then take meaning into account, too"
    return Finding(code="M307", severity="info", message=message, hint=hint)


def corpora(sources: Sequence[Path], cache: Cache, tell: Progress) -> tuple[Corpus, ...]:
    """The embedded text of every regulation that is built in or installed, and the user's files; a file that calls itself one of the
    regulations takes the place of its embedded text. Raises SourceError for a file that cannot be read."""
    names = regulation_names()
    steps = len(names) + len(sources)
    given = []
    for done, path in enumerate(sources):
        tell(f"read {path.name}", done, steps)
        given.append(read(path, cache, id=path.stem.split(".")[0], edition="file", title=path.name))
    numbers = {number.rpartition(".")[2] for document in given for number in _numbers(document)}
    shipped: list[Document] = []
    for done, name in enumerate(names, start=len(sources)):
        tell(f"read {name}", done, steps)
        profile = load_profile(name)
        if profile.text and str(profile.number or "").rpartition(".")[2] not in numbers:
            shipped.append(load_document(profile, profile_folder(name), None, cache))
    return tuple(Corpus(document=document, graph=link(document)[0], chunks=()) for document in (*shipped, *given))


def _numbers(document: Document) -> tuple[str, ...]:
    lines, _ = opening(document)
    return tuple(numbers_named(lines) | numbers_named(document.heads))


def embedder_for(name: str, tell: Progress) -> Embedder | None:
    """The embedder by name; "none" for none; "auto" for MiniLM where it is installed, else none. Raises MissingExtraError for one that
    was named and is not installed."""
    if name == "none":
        return None
    from regc.embed import open_embedder

    tell("embed (once a text)", 0, 1)
    try:
        return open_embedder(AT_HAND if name == AUTO else name)
    except MissingExtraError:
        if name == AUTO:
            return None
        raise
