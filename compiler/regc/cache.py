"""Content-hashed results of stages: the same input, options, profile and code give the same result without doing it again."""

from __future__ import annotations

import hashlib
import os
import sys
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from regc import __version__
from regc.errors import OutputError
from regc.files import write
from regc.model.result import Finding
from regc.resources import package_data, resource

M = TypeVar("M", bound=BaseModel)

#: Results of a kind that are kept.
_KEPT = 32
#: What a result depends on beside our own code.
_DEPENDENCIES = ("pydantic", "pypdfium2", "lxml", "networkx", "bm25s", "scenariogeneration", "jinja2", "numpy")


def cache_folder() -> Path:
    """`REGC_CACHE_DIR`, else the user's cache folder of the platform."""
    own = os.environ.get("REGC_CACHE_DIR")
    if own:
        return Path(own)
    from platformdirs import user_cache_path

    return user_cache_path("regc", appauthor=False)


@lru_cache(maxsize=1)
def code_hash() -> str:
    """Hash of regc's own source, data and templates, the Python version and the versions of what it stands on."""
    digest = hashlib.sha256(f"{__version__} {sys.version_info[:2]}".encode())
    roots = (package_data(), resource("templates"))
    for root in roots:
        for path in sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc":
                digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    for name in _DEPENDENCIES:
        try:
            digest.update(f"{name} {metadata.version(name)}".encode())
        except metadata.PackageNotFoundError:
            digest.update(f"{name} absent".encode())
    return digest.hexdigest()


def key(*parts: object) -> str:
    """A cache key of everything that a result depends on; the code's own hash is always part of it."""
    digest = hashlib.sha256(code_hash().encode())
    for part in parts:
        digest.update(b"\0" + (part if isinstance(part, bytes) else str(part).encode()))
    return digest.hexdigest()


class Cache:
    """Results by kind and key. `findings` tell of entries that could not be used."""

    def __init__(self, folder: Path | None = None, *, enabled: bool = True) -> None:
        self._folder = folder or cache_folder()
        self._enabled = enabled and not os.environ.get("REGC_NO_CACHE")
        self.findings: list[Finding] = []

    def get(self, kind: str, key: str, model: type[M]) -> M | None:
        """A stored result, None when there is none; one that cannot be read is rebuilt with a finding."""
        path = self._path(kind, key)
        if not self._enabled or not path.is_file():
            return None
        try:
            return model.model_validate_json(path.read_bytes())
        except (ValidationError, ValueError, OSError):
            self.findings.append(
                Finding(
                    code="R182",
                    severity="info",
                    message=f"the cached {kind} {key[:12]} could not be read and was made again",
                    hint="nothing to do; if it comes back, check the disk",
                )
            )
            return None

    def put(self, kind: str, key: str, value: BaseModel) -> None:
        """Store a result; a cache that cannot be written is no error."""
        if not self._enabled:
            return
        try:
            write(self._path(kind, key), value.model_dump_json(exclude_defaults=True).encode())
            self._prune(kind)
        except (OutputError, OSError):
            self._enabled = False

    def _prune(self, kind: str) -> None:
        """Drop the oldest results of a kind above the number that is kept."""
        entries = sorted((self._folder / kind).glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in entries[_KEPT:]:
            path.unlink(missing_ok=True)

    def _path(self, kind: str, key: str) -> Path:
        return self._folder / kind / f"{key}.json"


class Held(Cache):
    """The cache of a process that does the same work again at each save: what was read last is held, and what each save makes is not
    written."""

    def __init__(self, folder: Path | None = None, *, kinds: tuple[str, ...] = ("document",)) -> None:
        super().__init__(folder)
        self._kinds = kinds
        self._last: dict[str, tuple[str, BaseModel]] = {}

    def get(self, kind: str, key: str, model: type[M]) -> M | None:
        """What was stored last of a kind, else what lies on file."""
        held, value = self._last.get(kind, ("", None))
        if held == key and isinstance(value, model):
            return value
        kept = super().get(kind, key, model) if kind in self._kinds else None
        if kept is not None:
            self._last[kind] = (key, kept)
        return kept

    def put(self, kind: str, key: str, value: BaseModel) -> None:
        """Hold a result, and store it where it is of a kind that a later process takes."""
        self._last[kind] = (key, value)
        if kind in self._kinds:
            super().put(kind, key, value)
