"""Finds the text of a regulation (embedded edition or the user's file), chooses the reader, and recognises the edition."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from types import ModuleType

from regc import cache as caching
from regc import registry
from regc.errors import SourceError
from regc.identity import check_identity, opening
from regc.limits import limited, seconds_for
from regc.model.document import Document
from regc.model.regulation import Edition, Profile
from regc.model.result import Finding
from regc.profiles import choose_edition
from regc.readers._pair import files_beside

#: How every embedded text calls itself in its first lines.
_OUR_WORDING = b"regc's own re"


def load_document(
    profile: Profile, folder: Path, edition: str | None, source: Path | None, cache: caching.Cache
) -> tuple[Document, Edition]:
    """The document of an edition: embedded in the profile's `folder`, or the user's file, which must be the regulation asked for.

    Raises SourceError for a file that cannot be read or that names another regulation.
    """
    wanted = choose_edition(profile, edition)
    if source is None:
        return read(folder / wanted.file, profile, wanted, wanted.wording, cache), wanted
    document = read(source, profile, wanted, _wording(source), cache)
    text = _everything(document)
    title, words = opening(document)
    check_identity(
        source.name,
        title,
        document.heads,
        words,
        number=profile.number,
        title_words=profile.title_words,
        called=profile.title,
        hint=f"is it the right file? official texts: {profile.official_texts}",
    )
    named = [item for item in profile.editions if _any(item.recognise, text)]
    if wanted in named or not wanted.recognise:
        return document, wanted
    if edition is None and named:
        return document.model_copy(update={"edition": named[-1].id, "title": named[-1].title}), named[-1]
    return document.model_copy(update={"findings": (*document.findings, _other_edition(source, wanted, named))}), wanted


def _wording(source: Path) -> str:
    """A user's file counts as the official wording, unless it says itself that it is a rewording of ours."""
    try:
        with source.open("rb") as stream:
            return "embedded" if _OUR_WORDING in stream.read(2000) else "official"
    except OSError:
        return "official"  # `read` tells what is wrong with the file


def read(path: Path, profile: Profile, edition: Edition, wording: str, cache: caching.Cache) -> Document:
    """One file as a Document; read again only when its bytes, its reader or regc itself changed."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}", hint="check the path and the permission") from error
    reader = _reader(path)
    extra = b"".join(other.name.encode() + hashlib.sha256(_bytes_of(other)).digest() for other in files_beside(path))
    key = caching.key("document", reader.__name__, path.name, content, extra, profile.id, edition.id, edition.title, wording)
    document = cache.get("document", key, Document)
    if document is None:
        size = len(content) + sum(other.stat().st_size for other in files_beside(path))
        with limited(path.name, seconds_for(size)):
            made: Document = reader.read(path, content, regulation=profile.id, edition=edition.id, title=edition.title, wording=wording)
        document = made
        cache.put("document", key, document)
    return document


def _bytes_of(beside: Path) -> bytes:
    """The bytes of a further file that the reader may open; of one that cannot be read, that it cannot."""
    try:
        return beside.read_bytes()
    except OSError as error:
        return f"unreadable: {error.errno}".encode()


def _reader(path: Path) -> ModuleType:
    names = registry.names("readers")
    for name in names:
        module = registry.load("readers", name)
        if path.suffix.lower() in module.suffixes:
            return module
    known = ", ".join(sorted(suffix for name in names for suffix in registry.load("readers", name).suffixes))
    raise SourceError(f"{path.name}: no reader for {path.suffix or 'a file without a suffix'}", hint=f"readers take {known}")


def _everything(document: Document) -> str:
    """Running heads and every clause: where a document names its series of amendments."""
    return "\n".join((*document.heads, *(f"{clause.title or ''} {clause.text}" for clause in document.clauses)))


def _any(patterns: tuple[str, ...], text: str) -> bool:
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def _other_edition(source: Path, wanted: Edition, named: list[Edition]) -> Finding:
    seems = f"; it names {', '.join(item.id for item in named)}" if named else ""
    return Finding(
        code="R181",
        severity="error",
        message=f"{source.name}: nothing in it says that it is edition {wanted.id}{seems}",
        place=source.name,
        hint="choose the edition with --edition, or give the file of that edition",
    )
