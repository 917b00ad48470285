"""`regc verify`: every number of a build folder read again in the document, calculated again, all other bytes by the manifest."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from regc import __version__
from regc.cache import Cache
from regc.cli.console import console, print_findings, print_json
from regc.cli.flags import Reader
from regc.errors import RegcError, SourceError, UnknownNameError
from regc.files import MANIFEST, json_bytes, read_manifest
from regc.model.document import Document
from regc.pipeline import build_folder, documents
from regc.pipeline.build import build, compile_regulation
from regc.pipeline.profiles import profile_folder
from regc.pipeline.request import Request, Staging
from regc.plugins import TARGETS
from regc.readers.markup.beside import files_beside
from regc.verify import Difference, Verified, verify


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify")(verify_command)


def verify_command(
    folder: Annotated[Path, typer.Argument(help="folder of a build (the one with manifest.json)")],
    source: Annotated[Path | None, typer.Option(help="the document that it was built from; the embedded text without it")] = None,
    reader: Reader = None,
    profile: Annotated[
        Path | None, typer.Option(help="folder of a regulation of your own; an installed one is found by its name")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print every difference as JSON")] = False,
) -> None:
    """Read every number of a build folder again in the document, and build it a second time; exit code 1 where one differs."""
    verified = _built_again(verify(folder, _document(folder, source, reader, profile)), folder, source, profile)
    if as_json:
        print_json(summary(verified))
    else:
        out = console()
        print_findings(out, [item.finding() for item in verified.differences], rest="--json lists all")
        out.print(verified.line)
    raise typer.Exit(0 if verified.clean else 1)


def _built_again(verified: Verified, folder: Path, source: Path | None, profile: Path | None) -> Verified:
    """With what a second build writes otherwise, and how many files it wrote alike. A file that is named already is not named twice."""
    if any(item.code == "V568" for item in verified.differences):
        return verified  # another document
    manifest = read_manifest(folder)
    try:
        told = differences(folder, manifest, str(profile or manifest["regulation"]), source, Cache())
    except CannotBuildAgainError as error:
        return verified.model_copy(update={"again": f"not built again: {error}"})
    named = {item.file for item in verified.differences}
    count = sum(entry["target"] != "report" for entry in manifest["files"].values())
    more = tuple(item for item in told if item.file not in named)
    words = f"{count - len(told)} of {count} files are those of a second build"
    return verified.model_copy(update={"differences": (*verified.differences, *more), "again": words})


def summary(verified: Verified) -> dict[str, Any]:
    """What was computed and every difference, for `--json`."""
    return {**verified.model_dump(mode="json"), "clean": verified.clean, "line": verified.line}


def _document(folder: Path, source: Path | None, reader: str | None, profile: Path | None) -> Document:
    """The document that a folder was built from. Raises RegcError for a folder without a manifest, SourceError where none is given."""
    manifest = read_manifest(folder)
    try:
        regulation, edition, wording = (str(manifest[key]) for key in ("regulation", "edition", "wording"))
        name, read_by = Path(str(manifest["source"]["name"])).name, str(manifest["source"]["reader"])
    except (KeyError, TypeError) as error:
        raise RegcError(
            f"{folder}: no {MANIFEST} of a build that can be read", hint="give the folder that regc build wrote, out/REGULATION-EDITION"
        ) from error
    path = source
    if path is None:
        if wording != "embedded":
            raise SourceError(f"{folder} was built from a file of its own: {name}", hint="give it with --source FILE")
        try:
            path = profile_folder(str(profile or regulation)) / name
        except UnknownNameError as error:
            told = f"{folder} was built from {name} of a regulation that is not installed"
            raise SourceError(told, hint="give its folder with --profile FOLDER") from error
    if reader is None and path.suffix.lower() == Path(name).suffix.lower():
        reader = read_by
    held = "embedded" if wording == "embedded" else "official"
    return documents.read(path, Cache(), id=regulation, edition=edition, title=regulation, wording=held, reader=reader)  # type: ignore[arg-type]


#: Targets of files that a build does not write, and that it writes for itself.
_REPORT, _REGC = "report", "regc"
#: What says that a model chose a place.
_CHOSEN = "M391"
#: What of a differing line is shown, around the first place that differs.
_SHOWN = 24


class CannotBuildAgainError(Exception):
    """Why a folder cannot be built again; `str()` is a clause of a sentence."""


def differences(folder: Path, manifest: Mapping[str, Any], regulation: str, source: Path | None, cache: Cache) -> list[Difference]:
    """What a second build writes otherwise. Raises CannotBuildAgainError."""
    if _CHOSEN in _codes(folder):
        raise CannotBuildAgainError("a language model chose places of it, and a second build asks none")
    with tempfile.TemporaryDirectory(prefix="regc-verify-") as renamed:
        return _differences(folder, manifest, regulation, _as_it_was_called(source, manifest, Path(renamed)), cache)


def _as_it_was_called(source: Path | None, manifest: Mapping[str, Any], folder: Path) -> Path | None:
    """The document under the name that the build names it by: a copy in `folder` where whoever verifies calls it otherwise."""
    try:
        name = Path(str(manifest["source"]["name"])).name
        if source is None or source.name == name:
            return source
        for beside in files_beside(source):
            shutil.copy(beside, folder / beside.name.replace(source.stem, Path(name).stem))
        return Path(shutil.copy(source, folder / name))
    except OSError as error:
        raise CannotBuildAgainError(f"{error.filename}: {error.strerror}") from error
    except (KeyError, TypeError) as error:
        raise CannotBuildAgainError(f"{MANIFEST} does not say how it was made ({error})") from error


def _differences(folder: Path, manifest: Mapping[str, Any], regulation: str, source: Path | None, cache: Cache) -> list[Difference]:
    """Build again once for all targets that were built alike, and without the reports where they alone may be the difference."""
    requests = list(_requests_of_folder(manifest, regulation, source))
    differing = _second(folder, manifest, requests, source, cache)
    reports = [name for name, entry in manifest["files"].items() if entry["target"] == _REPORT]
    front = {item.file for item in differing if manifest["files"].get(item.file, {}).get("target") == _REGC}
    if reports and front:  # the front page lists a report that lay there before the build, and none that was written later
        files = {name: entry for name, entry in manifest["files"].items() if name not in reports}
        without = {item.file for item in _second(folder, {**manifest, "files": files}, requests, source, cache)}
        differing = [item for item in differing if item.file not in front or item.file in without]
    return differing


def _codes(folder: Path) -> set[str]:
    """The codes of findings.json; V566 and V567 tell one that is lost or changed."""
    try:
        return {str(item["code"]) for item in json.loads((folder / "findings.json").read_bytes())["findings"]}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _second(
    folder: Path, manifest: Mapping[str, Any], requests: Sequence[Request], source: Path | None, cache: Cache
) -> list[Difference]:
    """Build into a copy of the folder, and compare."""
    with tempfile.TemporaryDirectory(prefix="regc-verify-") as made:
        try:
            compiled = compile_regulation(requests[0], cache=cache)
            copy = Path(made) / build_folder.folder_name(compiled, source)
            shutil.copytree(folder, copy)
            (copy / MANIFEST).write_bytes(json_bytes({**manifest, "key": ""}))  # nothing is up to date
            for request in requests:
                build(request, Path(made), cache=cache)
        except RegcError as error:
            raise CannotBuildAgainError(str(error)) from error
        except OSError as error:
            raise CannotBuildAgainError(f"{error.filename}: {error.strerror}") from error
        again = json.loads((copy / MANIFEST).read_bytes())
        own = {name for request in requests for name in request.targets} | ({_REGC} if len(requests) == 1 else set())
        listed = {**manifest["files"], **again["files"]}
        names = sorted(name for name, entry in listed.items() if entry["target"] in own)
        return [item for name in names for item in _compared(name, folder / name, copy / name if name in again["files"] else None)]


def _requests_of_folder(manifest: Mapping[str, Any], regulation: str, source: Path | None) -> Iterator[Request]:
    """What was asked for, one request for all targets that were built with the same filters and laid out alike."""
    if manifest.get("regc") != __version__:
        raise CannotBuildAgainError(f"regc {manifest.get('regc')} made it and this is {__version__}")
    try:
        targets = manifest["targets"]
        staged = {target: manifest["laid_out"].get(target, manifest["staging"]) for target in targets}
        own = ("road_users", "test_track", "layouts")
        files = [f"{name} {value}" for staging in staged.values() for name in own if (value := staging.get(name))]
        for target, given in targets.items():
            options = TARGETS.load(target).Options.model_fields
            files += [f"{key} {value}" for key, value in given.items() if value and "Path" in str(options[key].annotation)]
        if files:
            raise CannotBuildAgainError(f"it was made with files of one's own: {', '.join(dict.fromkeys(files))}")
        if not targets:
            raise CannotBuildAgainError("it holds files of no target, so its filters are not known")
        groups: dict[str, list[str]] = {}
        for target in targets:
            groups.setdefault(json.dumps([manifest["filters"].get(target, {}), staged[target]], sort_keys=True), []).append(target)
        whole = Request(
            regulation,
            edition=str(manifest["edition"]),
            source=source,
            reader=str(manifest["source"]["reader"]) if source is not None else None,
            declared=dict(manifest["declared"]),
        )
        for asked, names in groups.items():
            chosen, staging = json.loads(asked)
            yield replace(
                whole,
                tests=tuple(chosen.get("tests", ())),
                categories=tuple(chosen.get("categories", ())),
                where=chosen.get("where", {}),
                sweep=chosen.get("sweep", "full"),
                staging=Staging(**staging),
                targets={name: TARGETS.load(name).Options(**targets[name]) for name in names},
            )
    except RegcError as error:
        raise CannotBuildAgainError(str(error)) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CannotBuildAgainError(f"{MANIFEST} does not say how it was made ({error})") from error


def _compared(name: str, file: Path, again: Path | None) -> Iterator[Difference]:
    """The first line of a file that is another one in the second build."""
    if again is None or not again.is_file():
        yield Difference(code="V572", file=name, held="a second build does not write this file")
        return
    if not file.is_file():
        return  # V566 has told that
    have, want = file.read_bytes(), again.read_bytes()
    if have == want:
        return
    try:
        ours, theirs = have.decode("utf-8").splitlines(), want.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        yield Difference(code="V572", file=name, held="its bytes are not those of a second build")
        return
    number = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    said = ours[number] if number < len(ours) else ""
    wanted = theirs[number] if number < len(theirs) else ""
    said, wanted = _around(said, wanted)
    held = f"a second build writes {wanted!r}" if wanted else "a second build writes no such line"
    yield Difference(code="V572", file=name, path=f"line {number + 1}", said=repr(said) if said else "", held=held)


def _around(one: str, other: str) -> tuple[str, str]:
    """Two lines cut down to what differs, with some signs around it."""
    start = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    begin = max(0, start - _SHOWN)
    return one[begin : start + _SHOWN], other[begin : start + _SHOWN]
