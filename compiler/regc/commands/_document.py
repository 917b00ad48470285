"""Opens what the inspecting commands look at: a regulation's embedded edition, the user's file for it, or a file alone."""

from __future__ import annotations

from pathlib import Path

from regc.cache import Cache
from regc.commands._requests import request_of
from regc.errors import SourceError
from regc.model.document import Document
from regc.profiles import load_profile, profile_folder, regulation_names
from regc.source import load_document, read


def open_document(what: str, source: Path | None, edition: str | None, cache: Cache, *, reader: str | None = None) -> Document:
    """The document of REG, of REG with --source, or of a file that no profile is asked for."""
    path = Path(what)
    if path.is_file() and source is None:
        return read(path, cache, id=path.stem.split(".")[0], edition="file", title=path.name, reader=reader)
    request = request_of(what, edition=edition, source=source)
    if request.regulation not in regulation_names() and path.suffix and not path.exists():
        raise SourceError(f"{what}: no such file", hint=f"give a file, or a regulation: {', '.join(regulation_names())}")
    profile = load_profile(request.regulation, request.edition)
    return load_document(profile, profile_folder(request.regulation), source, cache, reader=reader)
