"""Finds the text of a regulation (embedded edition or the user's file), chooses the reader, and makes sure that it is the one."""

from __future__ import annotations

import hashlib
from pathlib import Path

from regc import cache as caching
from regc import plugins
from regc.errors import SourceError
from regc.lang import Profile
from regc.link.identity import check_identity, opening, words_missing
from regc.model.document import Document
from regc.model.result import Finding
from regc.model.source import Wording
from regc.pipeline.cost_limit import limited, seconds_for
from regc.plugins import READERS
from regc.readers.markup.beside import files_beside
from regc.readers.markup.printed_text import decode

#: Bytes of the largest document that is read: UN R90 with its drawings is 3 MB.
_LARGEST = 200_000_000
#: Readers that are called after what they read: format -> module.
_FORMATS = {"xml": "cfr"}
#: How every embedded text calls itself: in a comment of its first lines, and at the end of its title, which other formats keep.
_OUR_WORDING = "regc's own re"
_OUR_TITLES = ("reworded", "a reconstruction from published descriptions")


def load_document(profile: Profile, folder: Path, source: Path | None, cache: caching.Cache, *, reader: str | None = None) -> Document:
    """The document of a profile's edition: the embedded text in its `folder`, or the user's file, which must be the regulation asked
    for; `reader` reads it, the one of its suffix where none is named.

    Raises SourceError for a file that cannot be read or that is another regulation.
    """
    id, edition, title = str(profile.id), str(profile.edition), str(profile.title)
    if source is None:
        if reader is not None:
            raise SourceError(f"--reader {reader}: no file to read with it", hint="give the file with --source FILE")
        if not profile.text:
            raise SourceError(f"{id}: the profile embeds no text", hint="give the regulation with --source FILE")
        document = read(folder / str(profile.text), cache, id=id, edition=edition, title=title, wording="embedded")
        return _of_edition(profile, document)
    document = read(source, cache, id=id, edition=edition, title=title, wording=_wording(source), reader=reader)
    lines, words = opening(document)
    if any(line.rstrip(" .").casefold().endswith(_OUR_TITLES) for line in lines):
        document = document.model_copy(update={"wording": "embedded"})
    if profile.number or profile.title_words:
        check_identity(
            source.name,
            lines,
            document.heads,
            words,
            number=str(profile.number or ""),
            title_words=tuple(map(str, profile.title_words)),
            called=title or id,
            hint="is it the right file, and the right edition (--edition)?",
        )
    return _of_edition(profile, document)


def title_words_missing(profile: Profile, document: Document) -> tuple[str, ...]:
    """Words that tell the profile's edition apart and stand nowhere in the document."""
    return words_missing(tuple(map(str, profile.title_words)), _everything(document))


def _of_edition(profile: Profile, document: Document) -> Document:
    """The document; with an error where nothing in it says that it is the profile's edition."""
    missing = title_words_missing(profile, document)
    if not missing:
        return document
    return document.model_copy(update={"findings": (*document.findings, _other_edition(document.source_name, profile, missing))})


def _everything(document: Document) -> str:
    """Title page, running heads and every clause: where a document names its series of amendments."""
    return "\n".join((*opening(document)[0], *document.heads, *(f"{clause.title or ''} {clause.text}" for clause in document.clauses)))


def _other_edition(name: str, profile: Profile, missing: tuple[str, ...]) -> Finding:
    told = " and ".join(repr(word) for word in missing)
    return Finding(
        code="R181",
        severity="error",
        message=f"{name}: nothing in it says that it is edition {profile.edition}: {told} not found",
        place=name,
        hint="choose the edition with --edition, or give the file of that edition",
    )


def _wording(source: Path) -> Wording:
    """A user's file counts as the official wording, unless it says itself that it is a rewording of ours."""
    if not source.is_file():
        return "official"  # `read` tells what is wrong with the file
    try:
        with source.open("rb") as stream:
            return "embedded" if _OUR_WORDING in decode(stream.read(4000))[0] else "official"
    except OSError:
        return "official"


def read(
    path: Path,
    cache: caching.Cache,
    *,
    id: str,
    edition: str,
    title: str,
    wording: Wording = "official",
    reader: str | None = None,
) -> Document:
    """One file as a Document; read again only when its bytes, its reader or regc itself changed. `reader`: by name ("mineru"), that of
    the file's suffix where none is named. Raises UnknownNameError, SourceError."""
    content = _content(path)
    name = _reader(path) if reader is None else reader_named(reader)
    extra = b"".join(other.name.encode() + hashlib.sha256(_bytes_of(other)).digest() for other in files_beside(path))
    key = caching.key("document", READERS.module(name), READERS.version(name), path.name, content, extra, id, edition, title, wording)
    document = cache.get("document", key, Document)
    if document is None:
        size = len(content) + sum(other.stat().st_size for other in files_beside(path))
        with limited(path.name, seconds_for(size)):
            document = READERS.load(name).read(path, content, regulation=id, edition=edition, title=title, wording=wording)
        cache.put("document", key, document)
    return document


def _content(path: Path) -> bytes:
    """The bytes of a source; a device or a pipe has no end, or none that comes."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise SourceError(f"{path}: is a device or a pipe, not a file", hint="write the document to a file first")
        if path.is_file() and path.stat().st_size > _LARGEST:
            raise SourceError(
                f"{path}: {path.stat().st_size / 1e6:.0f} MB; no regulation is as large",
                hint="is it the right file? give the regulation alone",
            )
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}", hint="check the path and the permission") from error


def _bytes_of(beside: Path) -> bytes:
    """The bytes of a further file that the reader may open; of one that cannot be read, that it cannot."""
    try:
        return beside.read_bytes()
    except OSError as error:
        return f"unreadable: {error.errno}".encode()


def reader_named(name: str) -> str:
    """The module of a reader by the name of its format: "xml" is that of the Code of Federal Regulations. Raises UnknownNameError."""
    plugins.check(name, (*reader_names(), *_FORMATS.values()), what="reader")
    return _FORMATS.get(name, name)


def reader_names() -> tuple[str, ...]:
    """The names by which readers are chosen."""
    modules = {module: name for name, module in _FORMATS.items()}
    return tuple(sorted(modules.get(name, name) for name in READERS.names()))


def _reader(path: Path) -> str:
    suffixes = {suffix: name for name in READERS.names() for suffix in READERS.stated(name, "suffixes")}
    if path.suffix.lower() in suffixes:
        return suffixes[path.suffix.lower()]
    known = ", ".join(sorted(suffixes))
    raise SourceError(f"{path.name}: no reader for {path.suffix or 'a file without a suffix'}", hint=f"readers take {known}")
