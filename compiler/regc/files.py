"""The only module that writes: single files atomically, and output folders that are swapped whole.

A new folder is staged beside the old one and swapped in by two renames. A build that dies leaves the old folder, or, between
the renames, its backup, which the next start puts back.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic_core import from_json, to_json

from regc.errors import OutputError

MANIFEST = "manifest.json"
#: s; a staging folder of another process that has not changed for so long is a dead build's.
_DEAD = 600
#: s that a build waits for another one that writes into the same folder.
_PATIENCE = 600.0


def write(path: Path, content: bytes) -> None:
    """Write one file atomically: whole or not at all. Raises OutputError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}", hint="check permission and space") from error


def json_bytes(data: Any) -> bytes:
    """JSON as regc writes it everywhere: UTF-8, sorted keys, two spaces, LF at the end."""
    # the compact encoder and pydantic's indenting one are native code; json's own indenting one is not
    compact = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return to_json(from_json(compact), indent=2) + b"\n"


@contextlib.contextmanager
def locked(folder: Path, wait: float = _PATIENCE) -> Iterator[None]:
    """Only one process at a time reads, makes and swaps an output folder; a second one waits up to `wait` seconds.

    The lock lies in the system's folder for temporary files and ends with its process. Raises OutputError when the time is over.
    """
    from filelock import FileLock, Timeout

    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:24]
    try:
        lock = FileLock(Path(tempfile.gettempdir()) / f"regc-{name}.lock", timeout=wait, mode=0o666)
        lock.acquire()
    except Timeout as error:
        raise OutputError(
            f"{folder}: another build has been writing there for {wait:g} s", hint="wait for it, or choose another folder with --out"
        ) from error
    except OSError as error:
        raise OutputError(
            f"{folder}: cannot be locked: {error.strerror or error}", hint="check the folder for temporary files"
        ) from error
    try:
        yield
    finally:
        lock.release()


def recover(folder: Path) -> bool:
    """Put back what an interrupted swap left, and clear its staging. True when something was put back."""
    backup = _backup(folder)
    put_back = False
    if backup.is_dir():
        if folder.is_dir():
            shutil.rmtree(backup, ignore_errors=True)
        else:
            backup.rename(folder)
            put_back = True
    for staging in folder.parent.glob(f".{glob.escape(folder.name)}.*.staging"):
        with contextlib.suppress(OSError):  # another build may be done with its own in this moment
            if _is_dead(staging):
                shutil.rmtree(staging, ignore_errors=True)
    return put_back


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of the last build in a folder; {} when there is none or it cannot be read as one."""
    try:
        data = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    tables = ("targets", "staging", "filters", "laid_out", "reports", "declared")
    if not isinstance(data, dict) or not isinstance(data.get("files"), dict):
        return {}
    if not all(isinstance(data.get(name, {}), dict) for name in tables):
        return {}
    if not all(isinstance(value, str) for value in data.get("declared", {}).values()):
        return {}
    if not all(isinstance(entry, dict) and isinstance(entry.get("target"), str) for entry in data["files"].values()):
        return {}
    return dict(data)


def replace_folder(folder: Path, contents: Mapping[str, bytes], drop: frozenset[str]) -> None:
    """Swap in a folder that holds `contents` (path -> bytes) and every other file of the old one but those in `drop`.

    `drop` are paths that the previous manifest named and this build replaces; files of the user are kept. Raises OutputError.
    """
    folder = folder.resolve() if folder.is_symlink() else folder
    backup, staging = _backup(folder), _staging(folder)
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: cannot be written: a file of that name is there", hint="move it, or choose a folder with --out")
    try:
        recover(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        staging.mkdir()
        for kept in _files(folder):
            if kept not in drop and kept not in contents:
                _link(folder / kept, staging / kept)
        for name, content in contents.items():
            path = staging / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if folder.exists():
            folder.rename(backup)
        staging.rename(folder)
        shutil.rmtree(backup, ignore_errors=True)
    except OSError as error:
        if backup.is_dir() and not folder.exists():
            with contextlib.suppress(OSError):
                backup.rename(folder)
        raise OutputError(
            f"{folder}: cannot be written: {error.strerror or error}",
            hint="check permission and space, or choose another folder with --out; the last good output is untouched",
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _is_dead(staging: Path) -> bool:
    """Whether nobody writes into a staging folder any more: its process is this one or gone, or it has not changed for long."""
    process = staging.name.split(".")[-2]
    if process == str(os.getpid()) or time.time() - staging.stat().st_mtime > _DEAD:
        return True
    if os.name != "posix" or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _backup(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.previous")


def _staging(folder: Path) -> Path:
    """One a process: builds into the same folder at the same time do not write into each other's."""
    return folder.with_name(f".{folder.name}.{os.getpid()}.staging")


def _files(folder: Path) -> list[str]:
    if not folder.is_dir():
        return []
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
