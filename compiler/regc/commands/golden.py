"""`regc golden`: compare what a build writes with the snapshot on file, or renew it. The hand-written truth is not touched."""

from __future__ import annotations

import csv
import difflib
import hashlib
import io
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape

from regc import files, plugins
from regc.cli.console import console, print_json
from regc.errors import DataFileError
from regc.model.suite import Suite
from regc.pipeline.build import build
from regc.pipeline.profiles import edition_files, load_profile, profile_folder
from regc.pipeline.request import Built, Request
from regc.plugins import TARGETS
from regc.resources import in_source_tree, resource
from regc.truth import cells

HASHES = "hashes.csv"
NUMBERS = "numbers.csv"
#: Targets whose files are kept whole for the representative scenarios; of all others the hashes tell.
_WHOLE = ("text", "openscenario")
#: Lines of a file's difference, and files of a target, that are shown.
_NONE = "there is no snapshot to compare with"
_LINES = 40
_NAMES = 4


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("golden")(golden)


def golden(
    action: Annotated[Literal["check", "update"], typer.Argument(help="check or update")],
    regulation: Annotated[str, typer.Argument(help="regulation id")],
    edition: Annotated[str | None, typer.Option(help="one edition only; else every embedded one that has golden files")] = None,
    folder: Annotated[Path | None, typer.Option(help="another folder than golden/")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Compare a build with the golden snapshot, or renew the snapshot."""
    if folder is None and not in_source_tree():
        raise DataFileError(
            "snapshots of regc's own builds are kept in its source tree; an installed regc has none",
            hint="run it in a checkout, or give the folder of your own snapshots with --folder",
        )
    base = (folder or resource("golden")) / str(load_profile(regulation).id)
    told: dict[str, list[str]] = {}
    for name in _editions(regulation, edition, base):
        place = base / name / "snapshot"
        made = snapshot(regulation, name)
        told[name] = differences(read(place), made)
        if action == "update" and told[name]:
            files.replace_folder(place, made, frozenset(read(place)))
    if as_json:
        print_json(told)
    else:
        _print(regulation, action, told)
    raise typer.Exit(1 if action == "check" and any(told.values()) else 0)


def _editions(regulation: str, edition: str | None, base: Path) -> tuple[str, ...]:
    known = tuple(edition_files(profile_folder(regulation)))
    if edition is not None:
        return (plugins.check(edition, known, what=f"edition of {regulation}"),)
    return tuple(name for name in known if (base / name).is_dir()) or known[:1]


def snapshot(regulation: str, edition: str) -> dict[str, bytes]:
    """What is kept of a build with every target: a hash of each file, every number, and some files whole."""
    targets = {name: TARGETS.load(name).Options() for name in sorted(plugins.built_in("targets"))}
    with tempfile.TemporaryDirectory() as out:
        built = build(Request(regulation, edition=edition, targets=targets), Path(out))
        # the manifest names the versions that made it
        written = {path: content for path, content in read(built.folder).items() if path != files.MANIFEST}
    kept = {HASHES: _hashes(written), NUMBERS: _numbers(built.compiled.suite)}
    return kept | {f"files/{path}": written[path] for path in _representative(built)}


def read(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its path with "/"; {} when there is no folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in (sorted(folder.rglob("*")) if folder.is_dir() else ())
        if path.is_file()
    }


def _representative(built: Built) -> list[str]:
    """Files of the first scenario of each test and status, from the targets that people read."""
    first = {(item.test, item.status): item.id for item in reversed(built.compiled.suite.scenarios)}
    chosen = set(first.values())
    return sorted(item.path for item in built.artifacts if item.target in _WHOLE and item.scenario in chosen)


def _hashes(written: Mapping[str, bytes]) -> bytes:
    lines = (f"{path},{hashlib.sha256(content).hexdigest()[:16]}\n" for path, content in sorted(written.items()))
    return ("path,sha256 (first 16)\n" + "".join(lines)).encode()


def _numbers(suite: Suite) -> bytes:
    """One row a scenario, one column a field."""
    rows = [{"id": scenario.id} | cells(scenario) for scenario in suite.scenarios]
    fields = sorted({field for row in rows for field in row} - {"id", "status"})
    text = io.StringIO(newline="")
    table = csv.DictWriter(text, ["id", "status", *fields], restval="", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def differences(kept: Mapping[str, bytes], made: Mapping[str, bytes]) -> list[str]:
    """What differs between two snapshots, in lines for people; [] when nothing does."""
    if not kept:
        return [_NONE]
    lines = [f"missing from the snapshot: {name}" for name in made if name not in kept]
    lines += [f"stale in the snapshot: {name}" for name in kept if name not in made]
    for name in (name for name in made if name in kept and kept[name] != made[name]):
        if name == HASHES:
            lines += _hash_differences(kept[name], made[name])
            continue
        old, new = (content.decode(errors="replace").splitlines() for content in (kept[name], made[name]))
        shown = list(difflib.unified_diff(old, new, f"golden/{name}", f"built/{name}", n=1, lineterm=""))
        lines += shown[:_LINES]
        if len(shown) > _LINES:
            lines.append(f"... {len(shown) - _LINES} more lines of {name}")
    return lines


def _hash_differences(kept: bytes, made: bytes) -> list[str]:
    old, new = (dict(line.rsplit(",", 1) for line in content.decode().splitlines()[1:]) for content in (kept, made))
    lines: list[str] = []
    for word, names in (
        ("changed", [name for name in new if name in old and old[name] != new[name]]),
        ("new", [name for name in new if name not in old]),
        ("gone", [name for name in old if name not in new]),
    ):
        for group, count in Counter(_group(name) for name in names).items():
            some = [name for name in names if _group(name) == group][:_NAMES]
            lines.append(f"{count} {word} in {group}: {', '.join(some)}{', ...' if count > _NAMES else ''}")
    return lines


def _group(path: str) -> str:
    return path.split("/")[0] if "/" in path else "the machine files"


def _print(regulation: str, action: str, told: Mapping[str, list[str]]) -> None:
    out = console()
    for edition, lines in told.items():
        if not lines:
            out.print(f"{regulation} {edition}: the same")
        elif action == "update":
            out.print(f"{regulation} {edition}: snapshot renewed ({len(lines)} lines of difference)")
        elif lines == [_NONE]:
            out.print(f"[bold red]{regulation} {edition}: {_NONE}[/]")
            out.print(f"  next: regc golden update {regulation} --edition {edition} keeps the present build as one")
        else:
            out.print(f"[bold red]{regulation} {edition}: differs from the golden snapshot[/]")
            for line in lines:
                out.print(f"  {escape(line)}")
            out.print(f"  next: if it is meant, regc golden update {regulation} --edition {edition}, and look at git diff golden/")
