"""Loads a regulation's profile from its folder: `profile.toml` and the embedded editions beside it."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from regc import registry
from regc.errors import ProfileError, UnknownNameError
from regc.model.regulation import Edition, Profile
from regc.resources import package_data

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


#: Keys of a profile that hold regular expressions.
_PATTERNS = ("anchor", "before", "after", "recognise", "terms", "pattern", "limit_column", "other_speeds")
#: Names that become part of file names, by the list that they stand in.
_TOKENS = (("families", "token"), ("load_states", "token"), ("categories", "id"), ("cards", "id"))


def regulation_names() -> tuple[str, ...]:
    """Ids of the regulations that are built in: the folders that hold a profile."""
    return tuple(sorted(path.parent.name for path in package_data("regulations").glob("*/profile.toml")))


def profile_folder(name: str) -> Path:
    """The folder of a regulation: a built-in id, or the path of a folder with a `profile.toml` of one's own."""
    own = Path(name)
    if (own / "profile.toml").is_file():
        return own
    if own.is_dir():
        raise UnknownNameError(f"{name}: no profile.toml in this folder", hint="CONTRIBUTING.md says what a regulation's folder holds")
    registry.check(name, regulation_names(), what="regulation")
    return package_data("regulations", name)


def load_profile(name: str) -> Profile:
    """The profile of a regulation by id or folder. Raises UnknownNameError, or ProfileError with file, key and value."""
    path = profile_folder(name) / "profile.toml"
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
        _check_patterns(data, f"{path.name} of {name}")
        _check_names(data, f"{path.name} of {name}")
        return Profile.model_validate(data)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProfileError(f"{path.name} of {name}: {error}", hint="mend the TOML at that line") from error
    except ValidationError as error:
        told = [f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']} ({item['input']!r:.60})" for item in error.errors()]
        more = f"; and {len(told) - 5} more" if len(told) > 5 else ""
        raise ProfileError(
            f"{path.name} of {name}: {'; '.join(told[:5])}{more}",
            hint="regc/model/regulation.py describes every key, regc/regulations/un152/profile.toml is an example",
        ) from error


def _check_patterns(value: object, place: str, key: str = "") -> None:
    """Raises ProfileError for a pattern that is no regular expression."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_patterns(inner, f"{place}: {name}" if not key else f"{place}.{name}", str(name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _check_patterns(inner, f"{place}.{index}", key)
    elif isinstance(value, str) and key in _PATTERNS:
        try:
            re.compile(value)
        except re.error as error:
            raise ProfileError(f"{place}: no regular expression: {error} (value: {value!r:.80})", hint="mend the pattern") from error


def _check_names(data: dict[str, Any], place: str) -> None:
    """Raises ProfileError for ids that become part of file names and cannot, and for families of one name."""
    named: list[tuple[str, Any]] = [("id", data.get("id")), ("stem", data.get("stem"))]
    named += [
        (f"editions.{index}.{key}", item.get(key)) for index, item in enumerate(_tables(data, "editions")) for key in ("id", "stem")
    ]
    named += [(f"{kind}.{index}.{key}", item.get(key)) for kind, key in _TOKENS for index, item in enumerate(_tables(data, kind))]
    named += [
        (f"families.{index}.variants.{number}.token", item.get("token"))
        for index, family in enumerate(_tables(data, "families"))
        for number, item in enumerate(_tables(family, "variants"))
    ]
    for key, value in named:
        if isinstance(value, str) and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,60}", value):
            raise ProfileError(f"{place}: {key}: {value!r} cannot be part of a file name", hint="letters, digits and . _ + - only")
    families = [item.get("name") for item in _tables(data, "families")]
    twice = next((name for name in families if families.count(name) > 1), None)
    if twice is not None:
        raise ProfileError(f"{place}: families: {twice!r} stands there twice", hint="give each family a name of its own")


def _tables(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    found = data.get(key)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def choose_edition(profile: Profile, edition: str | None) -> Edition:
    """The edition asked for, or the profile's default; raises UnknownNameError with the ids that there are."""
    name = edition or profile.default_edition
    registry.check(name, tuple(item.id for item in profile.editions), what=f"edition of {profile.id}")
    found = profile.edition(name)
    assert found is not None
    return found
