"""Opens what the inspecting commands look at: a regulation's embedded edition, the user's file for it, or a file alone."""

from __future__ import annotations

from pathlib import Path

from regc.cache import Cache
from regc.errors import SourceError
from regc.model.document import Document
from regc.model.regulation import Edition, Family, Profile
from regc.profiles import load_profile, profile_folder, regulation_names
from regc.source import load_document, read


def open_document(what: str, source: Path | None, edition: str | None, cache: Cache) -> Document:
    """The document of REG, of REG with --source, or of a file that no profile is asked for."""
    path = Path(what)
    if path.is_file() and source is None:
        return read(path, _no_profile(path), _edition(path), "official", cache)
    if what not in regulation_names() and path.suffix and not path.exists():
        raise SourceError(f"{what}: no such file", hint=f"give a file, or a regulation: {', '.join(regulation_names())}")
    profile = load_profile(what)
    return load_document(profile, profile_folder(what), edition, source, cache)[0]


def _no_profile(path: Path) -> Profile:
    """A profile of nothing, for looking at a file as it is."""
    family = Family(
        name="none", token="none", title="none", approach_type="in_lane", target_type="none", procedure="", requirement="", query=""
    )
    return Profile(
        id=path.stem.split(".")[0], title=path.name, number="", stem="FILE", default_edition="file",
        editions=(_edition(path),), families=(family,),
    )  # fmt: skip


def _edition(path: Path) -> Edition:
    return Edition(id="file", title=path.name, date="1970-01-01", file=path.name, stem="FILE")
