"""TOML files: those of the package, and a user's, with an error that names the file, the key and what would be right."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from regc.errors import DataFileError
from regc.resources import package_data

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Model = TypeVar("Model", bound=BaseModel)


def packaged(*parts: str) -> dict[str, Any]:
    """The tables of a TOML file inside the package: packaged("data", "wording.toml")."""
    tables: dict[str, Any] = tomllib.loads(package_data(*parts).read_text("utf-8"))
    return tables


def read_toml(path: Path, *, hint: str, name: str = "") -> dict[str, Any]:
    """The tables of a user's file; `name` is how messages call it. Raises DataFileError with the hint."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataFileError(f"{name or path}: a device or a pipe is no file", hint=hint)  # reading one may never end
    try:
        tables: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise DataFileError(f"{name or path}: cannot be read: {error.strerror}", hint=hint) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataFileError(f"{name or path}: not TOML: {error}", hint=hint) from error
    return tables


def fitted(model: type[Model], tables: Mapping[str, Any], *, name: str, hint: str, inner: Collection[str] = ()) -> Model:
    """Tables as a model has them; `inner` are parts of a key that a user's file does not have.

    Raises DataFileError: "my.toml: subject.length: Input should be greater than 0, got -1".
    """
    try:
        return model.model_validate(tables)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"] if part not in inner)
        what = "is missing" if first["type"] == "missing" else first["msg"].removeprefix("Value error, ")
        given = "" if first["type"] in ("missing", "value_error") else f", got {first['input']!r:.80}"
        raise DataFileError(": ".join(part for part in (name, key, f"{what}{given}") if part), hint=hint) from error


def read_model(path: Path, model: type[Model], *, hint: str) -> Model:
    """A user's file as a model. Raises DataFileError."""
    return fitted(model, read_toml(path, hint=hint), name=path.name, hint=hint)


def laid_over(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """A user's tables over the built-in ones, table by table.

    >>> laid_over({"car": {"length": 4.5, "width": 1.8}}, {"car": {"length": 4.2}})
    {'car': {'length': 4.2, 'width': 1.8}}
    """
    merged = dict(base)
    for key, value in top.items():
        before = merged.get(key)
        merged[key] = laid_over(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return merged
