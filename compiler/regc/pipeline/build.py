"""The whole pipeline, top to bottom: read, evaluate the profile over the document, check, stage, emit, read again what was emitted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from regc import cache as caching
from regc import files
from regc.errors import ProfileRefusedError
from regc.lang import Profile
from regc.lang.coverage import coverage
from regc.lang.evaluate import make_program, run
from regc.lang.lint import Linter
from regc.link import link
from regc.model.document import Document
from regc.model.protocols import Progress
from regc.model.result import Finding
from regc.model.suite import Suite
from regc.pipeline import build_folder
from regc.pipeline.cost_limit import limited
from regc.pipeline.documents import load_document
from regc.pipeline.profiles import load_profile, profile_folder
from regc.pipeline.request import Built, Compiled, Request

if TYPE_CHECKING:
    from regc.choices.mend import ModelMender
    from regc.verify import Verified

#: A paragraph number that should be there: no news for an embedded text that holds a part of the regulation.
_LOST_NUMBER = "R101"
#: s of processor time that the tests of one regulation may take to be made and checked; UN R131 takes 0.7 s.
_SECONDS = 60.0


def silent(what: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def compile_regulation(request: Request, progress: Progress = silent, cache: caching.Cache | None = None) -> Compiled:
    """From a regulation to its tests, chosen as asked; writes nothing but the cache. Raises ProfileError for a fault of the profile,
    SourceError where the document cannot be read; a test that the document does not give is an error finding."""
    cache = cache or caching.Cache()
    progress("read", 0, 3)
    profile = load_profile(request.regulation, request.edition)
    document = load_document(profile, profile_folder(request.regulation), request.source, cache, reader=request.reader)
    progress("evaluate", 1, 3)
    key = caching.key("suite", document.model_dump_json(), profile.model_dump_json(), sorted(request.declared.items()))
    # a model's replies are kept by --record; what it chose is not taken for what a later build would choose
    suite = cache.get("suite", key, Suite) if request.llm is None else None
    if suite is None:
        with limited(f"{profile.id} over {document.source_name}", _SECONDS):
            program = make_program(profile, document, request.declared)
            mender = _mender(profile, request, progress)
            program.reader.mender = mender
            suite = run(program, partial=True)
            progress("check", 2, 3)
            linter = Linter(program, suite)
            # where a test could not be made, what it would have read is no news
            unread = () if any(finding.severity == "error" for finding in suite.findings) else linter.findings()
        chosen = mender.findings(program.reader) if mender is not None else ()
        notes = (*_edition_notes(profile), *_of_document(document, suite), *suite.findings, *chosen, *unread)
        suite = suite.model_copy(update={"findings": _once(notes), "coverage": coverage(linter)})
        if request.llm is None:
            cache.put("suite", key, suite)
        else:
            key = caching.key(key, suite.model_dump_json())
    progress("check", 3, 3)
    return Compiled(document=document, suite=build_folder.chosen(suite, request), key=key)


def build(request: Request, out: Path, progress: Progress = silent, cache: caching.Cache | None = None) -> Built:
    """Compile, stage, emit into `out`/<regulation>-<edition>/ and read again; the last good output stays until all is made. Raises
    ProfileRefusedError where the check found an error and `force` is not set."""
    cache = cache or caching.Cache()
    compiled = compile_regulation(request, progress, cache)
    if not request.force and any(finding.severity == "error" for finding in compiled.suite.findings):
        raise ProfileRefusedError(compiled.suite.findings)
    folder = out / build_folder.folder_name(compiled, request.source)
    built = build_folder.as_it_was(compiled, request, folder)
    if built is None:
        # a check, and a build that is up to date, lay nothing out
        from regc.pipeline.staging import stage_suite

        progress("stage", 0, 1)
        scenarios = build_folder.scenarios_file(compiled.suite)
        staged = stage_suite(compiled.suite, request.staging)
        built = build_folder.emit(compiled, staged, scenarios, request, folder, progress)
    progress("verify", 0, 1)
    verified = _verified(built, cache)
    # files of one's own are kept beside a build, and are no matter of its numbers; a report of an earlier build is named once
    reports = build_folder.files_of(built.folder, "report")
    differing = tuple(item.finding() for item in verified.differences if item.code != "V567" and item.file not in reports)
    old = sorted({item.file for item in verified.differences if item.file in reports})
    differing += (build_folder.old_report(old),) if old else ()
    return replace(built, findings=(*built.findings, *cache.findings, *differing), verified=verified)


def _verified(built: Built, cache: caching.Cache) -> Verified:
    """What the second reader finds; known already for a folder whose bytes are still those that it read."""
    from regc.verify import Verified, verify

    with files.locked(built.folder):  # another build may write there
        key = caching.key("verified", built.compiled.key, build_folder.fingerprint(built.folder))
        known = cache.get("verified", key, Verified) if built.up_to_date else None
        if known is not None:
            return known
        verified = verify(built.folder, built.compiled.document)
    cache.put("verified", key, verified)
    return verified


def _mender(profile: Profile, request: Request, progress: Progress) -> ModelMender | None:
    """Who is asked where the profile's words stand no longer; None without a model."""
    if request.llm is None:
        return None
    from regc.choices.mend import ModelMender
    from regc.choices.question import Questioner

    return ModelMender(profile, Questioner(request.llm, progress))


def _edition_notes(profile: Profile) -> tuple[Finding, ...]:
    """What is known to be missing or reconstructed in an embedded edition."""
    return tuple(
        Finding(code="R180", severity="info", message=f"{profile.edition}: {note}", hint="use the official text with --source FILE")
        for note in profile.notes
    )


def _of_document(document: Document, suite: Suite) -> tuple[Finding, ...]:
    """What the reader found and the references that point at nothing, but for what an excerpt leaves out on purpose."""
    if suite.excerpt:
        return tuple(finding for finding in document.findings if finding.code != _LOST_NUMBER)
    return (*document.findings, *link(document)[1])


def _once(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Findings in order, each message once."""
    return tuple({(finding.code, finding.message, finding.scenario): finding for finding in findings}.values())
