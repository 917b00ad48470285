"""What a question is put to: the shipped regulations and the user's files as corpora, and the embedder that is at hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from regc.cache import Cache
from regc.errors import MissingExtraError
from regc.identity import numbers_named, opening
from regc.link import link
from regc.model.chunk import Corpus
from regc.model.document import Document
from regc.model.protocols import Embedder, Progress
from regc.profiles import load_profile, profile_folder, regulation_names
from regc.source import load_document, read

#: The embedder that is taken where it is installed.
AT_HAND = "minilm"


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
        return open_embedder(AT_HAND if name == "auto" else name)
    except MissingExtraError:
        if name == "auto":
            return None
        raise
