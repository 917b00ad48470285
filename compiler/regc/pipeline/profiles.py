"""Where regulations live: the built-in folders, those that installed packages bring, and a folder of one's own."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from regc import files, plugins
from regc.errors import DataFileError, UnknownNameError
from regc.lang import Profile, ProfileError
from regc.lang import load_profile as load_file
from regc.lang.located_toml import where
from regc.resources import package_data
from regc.tomlfiles import read_toml


def regulation_folders() -> dict[str, Path]:
    """Id -> folder of every regulation that is built in, or that an installed package brings: an entry point of the group
    `regc.regulations`, whose module lies beside a profile.toml. Packages do not take the place of a built-in one."""
    folders = {name: _folder_of(point.module) for name, point in plugins.installed("regulations").items()}
    return dict(sorted((folders | _built_in()).items()))


@cache
def _built_in() -> dict[str, Path]:
    return {path.parent.name: path.parent for path in sorted(package_data("regulations").glob("*/profile.toml"))}


def _folder_of(module: str) -> Path:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise UnknownNameError(
            f"{module}: an installed package names this module for a regulation, and it is not there", hint="install it anew"
        )
    return Path(spec.origin).parent


def regulation_names() -> tuple[str, ...]:
    """Ids of the regulations that are built in or installed."""
    return tuple(regulation_folders())


def regulation_name(text: str) -> str:
    """`UN152`, `R152`, `un-152`, `un r152` -> `un152`; `FMVSS No. 127` -> `fmvss127`; a folder and anything else stays."""
    if Path(text).exists():
        return text
    match = re.fullmatch(r"(?:un)?[\s._-]*r?[\s._-]*(\d{1,3})", text.strip(), re.IGNORECASE)
    if match:
        return f"un{match[1]}"
    letters = _letters(text)
    return next((name for name in regulation_names() if _letters(name) == letters), text.strip().lower())


def _letters(text: str) -> str:
    """Letters and digits alone, without the word for a number."""
    return re.sub(r"[^a-z0-9]|\bno\b", "", text.lower())


def profile_folder(name: str) -> Path:
    """The folder of a regulation: an id as people write it, or the path of a folder with a `profile.toml` of one's own.

    Raises UnknownNameError.
    """
    own = Path(name)
    if (own / "profile.toml").is_file():
        return own
    if (own / files.MANIFEST).is_file():
        raise UnknownNameError(f"{name}: is a build, not a regulation", hint="give a regulation's name; regc regulations lists them")
    if own.is_dir():
        raise UnknownNameError(f"{name}: no profile.toml in this folder", hint="docs/language.md says what a regulation's folder holds")
    known = regulation_name(name)
    folders = _built_in() if known in _built_in() else regulation_folders()
    return folders[plugins.check(known, tuple(folders), what="regulation")]


def load_profile(name: str, edition: str | None = None) -> Profile:
    """The profile of a regulation by id or folder; without an edition the base one. Raises UnknownNameError, ProfileError (file, line,
    key, next step), also where the text that it names is not there."""
    folder = profile_folder(name)
    profile = load_file(folder, edition)
    check_text(profile, folder)
    return profile


def check_text(profile: Profile, folder: Path) -> None:
    """Raises ProfileError (P100) where the text that a profile names is no file beside it, whatever else is read in its place."""
    if profile.text and not (folder / profile.text).is_file():
        hint = "put the text there, or take the line out and give the regulation with --source FILE"
        raise ProfileError("P100", f"there is no file {profile.text} in {folder.name}/", hint, where(profile.text))


def edition_files(folder: Path) -> dict[str, Path]:
    """Edition -> its TOML, the base profile first; a file that is no TOML is left to whoever loads it."""
    editions: dict[str, Path] = {}
    for path in (folder / "profile.toml", *sorted(folder.glob("*.toml"))):
        try:
            data = read_toml(path, hint="")
        except DataFileError:
            continue
        if "edition" in data and ("use" in data or "scope" in data):
            editions.setdefault(str(data["edition"]), path)
    return editions


def profile_files(name: str) -> tuple[Path, ...]:
    """Every file that a profile may be made of: the folder's TOML and texts, and the shared parts."""
    folder = profile_folder(name)
    return tuple(sorted({*folder.glob("*.toml"), *folder.glob("*.md"), *(folder.parent / "parts").glob("*.toml")}))
