"""A team's builds against golden ones: what differs in a scenario's numbers, with both places, and in any other file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from regc import files
from regc.errors import DataFileError
from regc.model.machine_files import unpacked
from regc.model.scenario import Scenario
from regc.report.diff import FieldChange, changes

#: Files whose every difference shows in another check, or that name what made them.
_LEFT_OUT = (files.MANIFEST, "scenarios.json")
#: Lines of a file that are shown at most.
_SHOWN = 3

#: Gives the lines that tell what differs.
Check = Callable[[], list[str]]


def checks(own: Path, golden: Path) -> list[tuple[str, Check]]:
    """A named check for each scenario and file of each golden build. Raises DataFileError where there is none."""
    kept = builds(golden)
    if not kept:
        raise DataFileError(
            f"{golden}: no golden build (a folder with {files.MANIFEST})", hint="make one of the present build with --regc-refresh"
        )
    built = builds(own)
    return [check for name, folder in kept.items() for check in _checks(name, built.get(name, own / name), folder)]


def refresh(own: Path, golden: Path) -> list[str]:
    """Make the builds of `own` the golden ones; returns their names. Files of an earlier golden build that are gone are dropped."""
    built = builds(own)
    if not built:
        raise DataFileError(f"{own}: no build (a folder with {files.MANIFEST})", hint="run regc build first")
    for name, folder in built.items():
        entries = files.read_manifest(folder).get("files", {})
        contents = {path: _bytes(folder / path) for path in (*entries, files.MANIFEST)}
        target = golden if own == folder else golden / name
        files.replace_folder(target, contents, frozenset(files.read_manifest(target).get("files", {})))
    return list(built)


def builds(folder: Path) -> dict[str, Path]:
    """Build folders by name: the folder itself, or those in it."""
    if (folder / files.MANIFEST).is_file():
        return {"": folder}
    return {path.parent.name: path.parent for path in sorted(folder.glob(f"*/{files.MANIFEST}"))}


def _checks(name: str, own: Path, golden: Path) -> Iterator[tuple[str, Check]]:
    kept = _scenarios(golden)
    prefix = f"{name} " if name else ""
    for id, scenario in kept.items():
        yield f"{prefix}{id}", partial(_scenario, scenario, own)
    yield f"{prefix}scenarios", partial(_further, set(kept), own)
    manifest = files.read_manifest(golden)
    for path, entry in sorted(manifest.get("files", {}).items()):
        if path not in _LEFT_OUT:
            yield f"{prefix}{path}", partial(_file, own / path, golden / path, str(entry.get("sha256", "")))


def _scenario(golden: Scenario, own: Path) -> list[str]:
    try:
        mine = _scenarios(own).get(golden.id)
    except DataFileError as error:
        return [str(error)]
    if mine is None:
        return [f"{golden.id}: golden has it, {own.name} does not", f"  golden: {golden.title}, paragraph {golden.clause}"]
    lines = []
    for change in changes(golden, mine):
        lines += [f"{golden.id}: {change.field}", f"  golden:   {_told(change, 'before')}", f"  artefact: {_told(change, 'after')}"]
    return lines


def _told(change: FieldChange, side: str) -> str:
    value = change.before if side == "before" else change.after
    return f"{value.text}  [{value.where()}]" if value.places else value.text


def _further(known: set[str], own: Path) -> list[str]:
    try:
        return [f"{id}: {own.name} has it, golden does not" for id in _scenarios(own) if id not in known]
    except DataFileError as error:
        return [str(error)]


def _file(own: Path, golden: Path, sha256: str) -> list[str]:
    kept = _bytes(golden)
    if sha256 and hashlib.sha256(kept).hexdigest() != sha256:
        return [f"{golden.name}: the golden file is not the one that its manifest names; it was edited by hand"]
    if not own.is_file():
        return [f"{golden.name}: golden has the file, the artefacts do not", f"  golden:   {golden}", f"  artefact: {own} is missing"]
    mine = _bytes(own)
    if mine == kept:
        return []
    lines = [f"{golden.name}: differs", f"  golden:   {golden}", f"  artefact: {own}"]
    old, new = (content.decode("utf-8", "replace").splitlines() for content in (kept, mine))
    shown = 0
    for number in range(max(len(old), len(new))):
        before, after = (text[number].strip() if number < len(text) else "(no line)" for text in (old, new))
        if before != after and shown < _SHOWN:
            shown += 1
            lines += [f"  line {number + 1}", f"    golden:   {before[:200]}", f"    artefact: {after[:200]}"]
    return lines


def _scenarios(folder: Path) -> dict[str, Scenario]:
    """Scenarios by id. Raises DataFileError when the file is missing or is no scenarios.json."""
    path = folder / "scenarios.json"
    return _read(path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=16)
def _read(path: Path, stamp: int) -> dict[str, Scenario]:
    """Read once for all checks; `stamp` is the file's time, so that a changed file is read again."""
    try:
        data: Any = json.loads(path.read_text("utf-8"))
        return {item.id: item for item in unpacked(data).scenarios}
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise DataFileError(f"{path}: cannot be read: {error}", hint="build again with regc build") from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataFileError(f"{path}: cannot be read: {error.strerror}", hint="build again, or refresh the golden build") from error
