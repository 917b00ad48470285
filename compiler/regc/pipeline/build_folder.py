"""Tests to an output folder: filters, the machine files, the targets, the manifest, one atomic swap."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from regc import __version__, files, plugins
from regc import cache as caching
from regc.errors import TemplateFailedError, UnknownNameError
from regc.model.machine_files import CoverageFile, FileEntry, FindingsFile, ManifestFile, SourceFile, packed, seal
from regc.model.protocols import Progress
from regc.model.result import Artifact, Finding
from regc.model.scenario import Scenario
from regc.model.stage import Staged
from regc.model.suite import Fate, Suite
from regc.pipeline.request import Built, Compiled, Request
from regc.plugins import TARGETS
from regc.second_process import SecondProcess
from regc.templating import unread_findings

FINDINGS = "findings.json"
#: Tests whose files are made before a second process could begin.
_FEW = 20


def folder_name(compiled: Compiled, source: Path | None) -> str:
    """`un152-02`, and for a user's file `un152-02-<file's name>-<first four of its hash>`."""
    suite = compiled.suite
    if source is None:
        return f"{suite.regulation}-{suite.edition}"
    name = re.sub(r"[^A-Za-z0-9.+-]+", "-", source.stem).strip("-.")[:40]
    return f"{suite.regulation}-{suite.edition}-{name}-{suite.document_sha256[:4]}"


def spelled(suite: Suite, request: Request) -> Request:
    """The request with every test, category, axis and value as the suite spells it, whatever was typed ("m1"). Raises
    UnknownNameError."""
    tests = {name for scenario in suite.scenarios for name in (scenario.test, scenario.token)}
    values = {(axis, value.value) for scenario in suite.scenarios for axis, value in scenario.axes.items()}
    covered = {name for scenario in suite.scenarios for name in scenario.covers}
    where: dict[str, str] = {}
    for asked, value in request.where.items():
        axis = _known(asked, {name for name, _ in values}, f"axis of {suite.regulation}")
        where[axis] = _known(value, {known for name, known in values if name == axis}, f"value of {axis}")
    categories = {value for _, value in values} | covered | {_unbounded(name) for name in covered}
    return replace(
        request,
        tests=tuple(_known(name, tests, f"test of {suite.regulation}") for name in request.tests),
        categories=tuple(_known(name, categories, f"category of {suite.regulation}") for name in request.categories),
        where=where,
    )


def chosen(suite: Suite, request: Request) -> Suite:
    """The suite with the ids that the filters leave; scenarios, tables and coverage stay those of the whole edition. Raises
    UnknownNameError for a test, category, axis or value that the suite does not have, and where no test is left."""
    request = spelled(suite, request)
    chosen_tests, categories, where = set(request.tests), _categories(suite, request.categories), request.where

    def wanted(scenario: Scenario) -> bool:
        return (
            (not chosen_tests or scenario.test in chosen_tests or scenario.token in chosen_tests)
            and _is_of(scenario, categories)
            and all(axis in scenario.axes and scenario.axes[axis].value == value for axis, value in where.items())
            and (request.sweep == "full" or scenario.status != "option")
        )

    ids = tuple(scenario.id for scenario in suite.scenarios if wanted(scenario))
    if suite.scenarios and not ids:
        asked = [*request.tests, *request.categories, *(f"{axis} {value}" for axis, value in where.items())]
        asked += ["mandatory or guidance"] if request.sweep != "full" else []
        raise UnknownNameError(f"{suite.regulation}: no test is all of: {', '.join(asked)}", hint="leave out one of them")
    return suite if len(ids) == len(suite.scenarios) else suite.model_copy(update={"chosen": ids})


def _known(name: str, known: set[str], what: str) -> str:
    """A name as the suite spells it, whatever its capitals. Raises UnknownNameError."""
    folded = {one.casefold(): one for one in known}
    return plugins.check(folded.get(name.casefold(), name), tuple(sorted(known)), what=what)


def _categories(suite: Suite, names: tuple[str, ...]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Each category asked for: its axis ("" for a vehicle category), and the vehicle categories that it covers."""
    values = {value.value: (axis, value.covers) for scenario in suite.scenarios for axis, value in scenario.axes.items()}
    return {name: values.get(name, ("", (name,))) for name in names}


def _is_of(scenario: Scenario, categories: Mapping[str, tuple[str, tuple[str, ...]]]) -> bool:
    """Whether a scenario is of one of the categories: one that names none is of all, and one without the axis of a value where both
    cover a vehicle category. "M3" is also what is for a part of that category ("M3>8t"), and a part is what is for all of it."""
    covered = set(scenario.covers)
    named = {*(value.value for value in scenario.axes.values()), *covered}
    if not categories or not named or named & set(categories):
        return True

    def shared(covers: tuple[str, ...]) -> bool:
        return any(name in covered or _unbounded(name) in covered or name in map(_unbounded, covered) for name in covers)

    return any(axis not in scenario.axes and (not covers or shared(covers)) for axis, covers in categories.values())


def _unbounded(category: str) -> str:
    """A vehicle category without its bound of mass: "M3" of "M3>8t"."""
    return re.split(r"\s*[<>≤≥]", category, maxsplit=1)[0]


def as_it_was(compiled: Compiled, request: Request, folder: Path) -> Built | None:
    """The build that lies in `folder`, where it is what is asked for and every byte is still its own; else None."""
    with files.locked(folder):
        told = _recovered(folder)
        before = files.read_manifest(folder)
        if before.get("key") != _key(compiled, request) or not _whole(folder, before):
            return None
        return Built(compiled, folder, (), (*_kept_findings(folder), *told), up_to_date=True)


def fingerprint(folder: Path) -> str:
    """Of a folder whose files are as its manifest says: that manifest, and the names of all files."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return hashlib.sha256((folder / files.MANIFEST).read_bytes() + "\n".join(names).encode()).hexdigest()


def emit(
    compiled: Compiled, staged: Staged, scenarios: SecondProcess[bytes], request: Request, folder: Path, progress: Progress
) -> Built:
    """Write what is asked for into `folder`; builds into one folder take turns. `scenarios`: the content of scenarios.json."""
    with files.locked(folder):
        return _emit(compiled, staged, scenarios, spelled(compiled.suite, request), folder, progress)


def scenarios_file(suite: Suite) -> SecondProcess[bytes]:
    """The content of scenarios.json, which needs no stages and can be made while these are."""
    return SecondProcess(lambda: files.json_bytes(packed(suite)), worth=len(suite.scenarios) > _FEW)


def _key(compiled: Compiled, request: Request) -> str:
    """Hash of all that the files of a build depend on."""
    made_of = {"staging": request.staging, **request.targets}
    return caching.key(
        compiled.key,
        compiled.suite.chosen,
        *(
            f"{name}={options.model_dump_json()}{_data_files(options)}{TARGETS.version(name)}"
            for name, options in sorted(made_of.items())
        ),
    )


def _emit(
    compiled: Compiled, staged: Staged, scenarios: SecondProcess[bytes], request: Request, folder: Path, progress: Progress
) -> Built:
    from regc.report.front import front_page, pictures_of

    # what is told once and not kept: the files depend on the input alone
    told = _recovered(folder)
    before = files.read_manifest(folder)
    suite = compiled.suite
    others = _made_apart(suite, staged, request.targets)
    made = _made(suite, staged, request.targets, progress)
    pictures = pictures_of(suite, staged)
    made |= others.result()
    artifacts = [artifact for name in sorted(made) for artifact in made[name][0]]
    failed = [fault for name in sorted(made) if (fault := made[name][1]) is not None]
    losses = {(loss.code, loss.field, loss.message): loss for artifact in artifacts for loss in artifact.losses}
    findings = (*suite.findings, *_assumed(staged), *losses.values(), *failed, *_unread_templates(suite, request))
    contents = {artifact.path: artifact.content for artifact in artifacts} | machine_files(suite, findings, scenarios.result())
    old: Mapping[str, Any] = before.get("files", {})
    replaced = {*request.targets, "regc"}
    kept = {path: entry for path, entry in old.items() if entry.get("target") not in replaced}
    contents |= front_page(suite, artifacts, pictures, kept=kept)
    told += _other_selection(request, before, {str(entry.get("target")) for entry in kept.values()})
    targets = {artifact.path: artifact.target for artifact in artifacts}
    entries = kept | {
        path: {"target": targets.get(path, "regc"), "sha256": hashlib.sha256(content).hexdigest()} for path, content in contents.items()
    }
    manifest = _manifest(compiled, request, before, entries)
    drop = frozenset(path for path, entry in old.items() if entry.get("target") in replaced) | {files.MANIFEST}
    progress("write", 0, 1)
    files.replace_folder(folder, contents | {files.MANIFEST: files.json_bytes(manifest.sealed().model_dump(mode="json"))}, drop)
    return Built(compiled, folder, tuple(artifacts), (*findings, *told), up_to_date=False)


#: What a target comes to: its files, or why there are none.
_Made = tuple[tuple[Artifact, ...], Finding | None]


def _made_apart(suite: Suite, staged: Staged, targets: Mapping[str, BaseModel]) -> SecondProcess[dict[str, _Made]]:
    """The files of every other target, which a second process makes. A user's own templates run in one that is shared."""
    several = len(suite.selected) > _FEW and not any(getattr(options, "templates", None) for options in targets.values())
    names = sorted(targets)[1::2]
    return SecondProcess(lambda: {name: _emitted(name, suite, staged, targets[name]) for name in names}, worth=several)


def _made(suite: Suite, staged: Staged, targets: Mapping[str, BaseModel], progress: Progress) -> dict[str, _Made]:
    """The files of the targets that no second process makes."""
    names = sorted(targets)
    made: dict[str, _Made] = {}
    for number, name in enumerate(names[::2]):
        progress(f"emit {name}", 2 * number, len(names))
        made[name] = _emitted(name, suite, staged, targets[name])
    if len(names) > 1:
        progress(f"emit {names[1]}", len(names) - 1, len(names))
    return made


def _emitted(name: str, suite: Suite, staged: Staged, options: BaseModel) -> _Made:
    try:
        return tuple(TARGETS.load(name).emit(suite, staged, options)), None
    except TemplateFailedError as error:
        return (), Finding(code="O694", severity="error", message=f"{name}: not written: {error}", hint=error.hint)


def _unread_templates(suite: Suite, request: Request) -> tuple[Finding, ...]:
    """What lies in a user's folder of templates and is asked for by no target."""
    folders = {folder: None for options in request.targets.values() if isinstance(folder := getattr(options, "templates", None), Path)}
    names = {scenario.test for scenario in suite.scenarios}, {scenario.manoeuvre for scenario in suite.scenarios}
    return tuple(finding for folder in folders for finding in unread_findings(folder, suite.regulation, *names))


def enter(folder: Path, target: str, contents: Mapping[str, bytes], reports: Mapping[str, dict[str, Any]] | None = None) -> None:
    """Write files beside those of a build and enter them in its manifest; a folder without a build gets the files alone. `reports`: by
    format, what was asked of a report."""
    with files.locked(folder):
        for name, content in contents.items():
            files.write(folder / name, content)
        try:
            manifest = ManifestFile.model_validate(files.read_manifest(folder))
        except ValueError:
            return
        entries = {name: FileEntry(target=target, sha256=hashlib.sha256(content).hexdigest()) for name, content in contents.items()}
        told = {"files": {**manifest.files, **entries}, "reports": {**manifest.reports, **(reports or {})}}
        sealed = manifest.model_copy(update=told).sealed()
        files.write(folder / files.MANIFEST, files.json_bytes(sealed.model_dump(mode="json")))


def files_of(folder: Path, target: str) -> frozenset[str]:
    """The files of a target, as the manifest lists them."""
    listed = files.read_manifest(folder).get("files", {})
    return frozenset(name for name, entry in listed.items() if entry["target"] == target)


def old_report(names: list[str]) -> Finding:
    """That reports of an earlier build lie beside this one."""
    return Finding(
        code="O697",
        severity="warning",
        message=f"{', '.join(names)}: of an earlier build, with numbers that are not those of this one",
        hint="write it again with regc report, or move it away",
    )


def machine_files(suite: Suite, findings: tuple[Finding, ...], scenarios: bytes) -> dict[str, bytes]:
    """scenarios.json, findings.json and coverage.json, as their schemas say."""
    head: dict[str, Any] = {"regulation": suite.regulation, "edition": suite.edition, "wording": suite.wording}
    made: dict[str, BaseModel] = {
        FINDINGS: FindingsFile(**head, findings=findings),
        "coverage.json": CoverageFile(**head, coverage=suite.coverage, summary=summary(suite)),
    }
    contents = {name: files.json_bytes(model.model_dump(mode="json", exclude_none=True)) for name, model in made.items()}
    return contents | {"scenarios.json": scenarios}


def summary(suite: Suite) -> dict[str, int]:
    """Counts of the coverage by fate, and numbers by basis; where tests were chosen, what of it these rest on."""
    counts = {fate: suite.coverage.count(fate) for fate in get_args(Fate)}
    return {
        "prescribed": len(suite.coverage.entries),
        **counts,
        **({} if suite.chosen is None else {"test_written": suite.written}),
        "numbers_cited": suite.coverage.cited,
        "numbers_derived": suite.coverage.derived,
        "numbers_assumed": suite.coverage.assumed,
        "numbers_borrowed": suite.coverage.borrowed,
    }


def _assumed(staged: Staged) -> tuple[Finding, ...]:
    """Each assumption of the stages once, with what replaces it."""
    assumed = {(item.code, item.what): item for stage in (*staged.stages, *staged.logical) for item in stage.assumed}
    return tuple(
        Finding(code=item.code, severity="info", message=f"{item.what}: {item.value}", hint=f"replace it with {item.key}")
        for item in assumed.values()
    )


def _manifest(compiled: Compiled, request: Request, before: Mapping[str, Any], entries: Mapping[str, Any]) -> ManifestFile:
    suite = compiled.suite
    options = {name: plain(chosen_options) for name, chosen_options in request.targets.items()}
    filters, staging = filters_of(request), plain(request.staging)
    kept = {name: value for name, value in before.get("targets", {}).items() if name not in options}
    return ManifestFile(
        regc=__version__,
        regulation=suite.regulation,
        edition=suite.edition,
        wording=suite.wording,
        source=SourceFile(name=suite.source_name, sha256=suite.document_sha256, reader=compiled.document.reader),
        declared=dict(sorted(request.declared.items())),
        staging=staging,
        targets=kept | options,
        filters={name: value for name, value in before.get("filters", {}).items() if name in kept} | dict.fromkeys(options, filters),
        laid_out={
            name: earlier for name in kept if (earlier := before.get("laid_out", {}).get(name, before.get("staging", {}))) != staging
        },
        last=tuple(sorted(options)),
        reports=before.get("reports", {}),
        files={path: FileEntry.model_validate(entry) for path, entry in entries.items()},
        key=_key(compiled, request),
    )


def filters_of(request: Request) -> dict[str, Any]:
    """What narrowed a build; nothing where it is whole."""
    filters: dict[str, Any] = {"sweep": request.sweep} if request.sweep != "full" else {}
    for name, values in (("tests", request.tests), ("categories", request.categories)):
        if values:
            filters[name] = sorted(values)
    return filters | ({"where": dict(sorted(request.where.items()))} if request.where else {})


def _other_selection(request: Request, before: Mapping[str, Any], kept: set[str]) -> tuple[Finding, ...]:
    """Targets of an earlier build stay; when that build chose other scenarios, scenarios.json no longer lists theirs."""
    chosen_now = filters_of(request)
    others = sorted(name for name in kept if before.get("filters", {}).get(name, {}) != chosen_now)
    if not others:
        return ()
    return (
        Finding(
            code="O692",
            severity="info",
            message=f"{', '.join(others)}: kept from a build of another selection; scenarios.json says what this build chose",
            hint="build those targets again, or give builds with a filter a folder of their own with --out",
        ),
    )


def plain(options: BaseModel) -> dict[str, Any]:
    """Options for the manifest; of a data file only its name, since paths differ from machine to machine."""
    return {name: value.name if isinstance(value, Path) else value for name, value in options.model_dump().items()}


def _whole(folder: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether every file that the manifest names, and itself, is there unchanged."""
    for path, entry in manifest.get("files", {}).items():
        try:
            if hashlib.sha256((folder / path).read_bytes()).hexdigest() != entry.get("sha256"):
                return False
        except OSError:
            return False
    return bool(manifest.get("files")) and manifest.get("seal") == seal(manifest)


def _kept_findings(folder: Path) -> tuple[Finding, ...]:
    """All findings of the build that lies in a folder, those of its targets too."""
    data = json.loads((folder / FINDINGS).read_text("utf-8"))
    return tuple(Finding.model_validate(item) for item in data["findings"])


def _data_files(options: BaseModel) -> str:
    """Hashes of the data files and template folders that options point to: their content decides and not their path."""
    named = [value for value in options.model_dump().values() if isinstance(value, Path)]
    paths = [path for value in named for path in (sorted(value.rglob("*")) if value.is_dir() else (value,)) if path.is_file()]
    return json.dumps([[path.name, hashlib.sha256(path.read_bytes()).hexdigest()] for path in paths])


def _recovered(folder: Path) -> tuple[Finding, ...]:
    """Puts the last good output back where a build was interrupted, and tells it."""
    if not files.recover(folder):
        return ()
    return (
        Finding(
            code="O690",
            severity="info",
            message=f"{folder.name}: an earlier build was interrupted while it swapped folders; its last good output was put back",
            hint="nothing to do",
        ),
    )
