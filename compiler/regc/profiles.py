"""Where regulations live: the built-in folders, those that installed packages bring, and a folder of one's own."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

from regc import registry
from regc.errors import UnknownNameError
from regc.lang import Profile
from regc.lang import load_profile as load_file
from regc.resources import package_data

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Entry points of packages that bring a regulation: name = the package whose folder holds the profile.
_GROUP = "regc.regulations"


def regulation_folders() -> dict[str, Path]:
    """Id -> folder of every regulation that is built in or installed."""
    found = {path.parent.name: path.parent for path in sorted(package_data("regulations").glob("*/profile.toml"))}
    for point in metadata.entry_points(group=_GROUP):
        module = point.load()
        found[point.name] = Path(module.__file__).parent
    return dict(sorted(found.items()))


def regulation_names() -> tuple[str, ...]:
    """Ids of the regulations that are built in or installed."""
    return tuple(regulation_folders())


def profile_folder(name: str) -> Path:
    """The folder of a regulation: an id, or the path of a folder with a `profile.toml` of one's own. Raises UnknownNameError."""
    own = Path(name)
    if (own / "profile.toml").is_file():
        return own
    if own.is_dir():
        raise UnknownNameError(f"{name}: no profile.toml in this folder", hint="docs/language.md says what a regulation's folder holds")
    folders = regulation_folders()
    registry.check(name, tuple(folders), what="regulation")
    return folders[name]


def load_profile(name: str, edition: str | None = None) -> Profile:
    """The profile of a regulation by id or folder; without an edition the base one. Raises UnknownNameError, ProfileError (file, line,
    key, next step)."""
    return load_file(profile_folder(name), edition)


def edition_files(folder: Path) -> dict[str, Path]:
    """Edition -> its TOML, the base profile first; a file that is no TOML is left to whoever loads it."""
    found: dict[str, Path] = {}
    for path in (folder / "profile.toml", *sorted(folder.glob("*.toml"))):
        try:
            data = tomllib.loads(path.read_text("utf-8"))
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
            continue
        if "edition" in data and ("use" in data or "scope" in data):
            found.setdefault(str(data["edition"]), path)
    return found


def profile_files(name: str) -> tuple[Path, ...]:
    """Every file that a profile may be made of: the folder's TOML and texts, and the shared parts."""
    folder = profile_folder(name)
    return tuple(sorted({*folder.glob("*.toml"), *folder.glob("*.md"), *(folder.parent / "parts").glob("*.toml")}))
