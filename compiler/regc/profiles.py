"""Loads a regulation's profile from its folder: `profile.toml` and the embedded editions beside it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from regc import registry
from regc.errors import ProfileError
from regc.model.regulation import Edition, Profile
from regc.resources import package_data

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def regulation_names() -> tuple[str, ...]:
    """Ids of the regulations that are built in: the folders that hold a profile."""
    return tuple(sorted(path.parent.name for path in package_data("regulations").glob("*/profile.toml")))


def profile_folder(name: str) -> Path:
    """The folder of a regulation: a built-in id, or the path of a folder with a `profile.toml` of one's own."""
    own = Path(name)
    if (own / "profile.toml").is_file():
        return own
    registry.check(name, regulation_names(), what="regulation")
    return package_data("regulations", name)


def load_profile(name: str) -> Profile:
    """The profile of a regulation by id or folder. Raises UnknownNameError, or ProfileError with file, key and value."""
    path = profile_folder(name) / "profile.toml"
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
        return Profile.model_validate(data)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path.name} of {name}: {error}", hint="mend the TOML at that line") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ProfileError(
            f"{path.name} of {name}: {place}: {first['msg']} (value: {first.get('input')!r:.80})",
            hint="model/regulation.py says what a profile holds",
        ) from error


def choose_edition(profile: Profile, edition: str | None) -> Edition:
    """The edition asked for, or the profile's default; raises UnknownNameError with the ids that there are."""
    name = edition or profile.default_edition
    registry.check(name, tuple(item.id for item in profile.editions), what=f"edition of {profile.id}")
    found = profile.edition(name)
    assert found is not None
    return found
