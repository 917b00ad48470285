"""A build folder made a second time: every target, the machine files and the reports, and what of them is not in the folder so."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from regc import __version__
from regc.cache import Cache
from regc.errors import DataFileError, RegcError
from regc.files import MANIFEST, json_bytes
from regc.pipeline import build_folder
from regc.pipeline.build import build, compile_regulation
from regc.pipeline.reporting import ReportRequest, make_report
from regc.pipeline.request import Request, Staging
from regc.plugins import TARGETS
from regc.readers.markup.beside import files_beside
from regc.verify import Difference

#: Targets of files that a build does not write, and that it writes for itself.
_REPORT, _REGC = "report", "regc"
#: What says that a model chose a place.
_CHOSEN = "M391"
#: What of a differing line is shown, around the first place that differs.
_SHOWN = 24


class CannotBuildAgainError(Exception):
    """Why a folder cannot be built again; `str()` is a clause of a sentence."""


@dataclass(frozen=True)
class Rebuilt:
    """What a second build and a second report write otherwise, how many files they wrote alike, and what could not be made again."""

    differences: tuple[Difference, ...]
    alike: int
    files: int
    left: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """What was compared, in a clause."""
        return "; ".join((f"{self.alike} of {self.files} files are those of a second build", *self.left))


def build_again(
    folder: Path, manifest: Mapping[str, Any], regulation: str, source: Path | None, own: Sequence[Path], cache: Cache
) -> Rebuilt:
    """Make a folder again from its document and its manifest, and compare. `own`: files and folders of one's own that the build or its
    reports were made with, found by their names. Raises CannotBuildAgainError."""
    if _CHOSEN in _codes(folder):
        raise CannotBuildAgainError("a language model chose places of it, and a second build asks none")
    with tempfile.TemporaryDirectory(prefix="regc-verify-") as made:
        source = _as_it_was_called(source, manifest, Path(made))
        given = {path.name: path for path in own}
        requests = list(_requests_of_folder(manifest, regulation, source, given))
        reports = {name for name, entry in manifest["files"].items() if entry["target"] == _REPORT}
        plain = {**manifest, "files": {name: entry for name, entry in manifest["files"].items() if name not in reports}}
        # the front page lists a report that lay there before the build, and none that was written later
        tries = [_second(folder, Path(made, "later"), plain, requests, source, cache)]
        if reports and tries[0][1]:
            tries.append(_second(folder, Path(made, "before"), manifest, requests, source, cache))
        copy, differences = min(tries, key=lambda told: len(told[1]))
        told, left = _reports(folder, copy, manifest, requests[-1], given)
        differences += told
        count = len(manifest["files"]) - len(left)
        again = tuple(f"{name} {why}" for name, why in left.items())
        return Rebuilt(tuple(differences), count - len({item.file for item in differences}), count, again)


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


def _codes(folder: Path) -> set[str]:
    """The codes of findings.json; V566 and V567 tell one that is lost or changed."""
    try:
        return {str(item["code"]) for item in json.loads((folder / "findings.json").read_bytes())["findings"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()


# ---------------------------------------------------------------- the build


def _second(
    folder: Path, made: Path, manifest: Mapping[str, Any], requests: Sequence[Request], source: Path | None, cache: Cache
) -> tuple[Path, list[Difference]]:
    """Build into a copy of the folder, and compare; the last request is that of the last build. The copy and what differs."""
    try:
        compiled = compile_regulation(requests[0], cache=cache)
        copy = made / build_folder.folder_name(compiled, source)
        shutil.copytree(folder, copy)
        (copy / MANIFEST).write_bytes(json_bytes({**manifest, "key": ""}))  # nothing is up to date
        for request in requests:
            build(request, made, cache=cache)
    except RegcError as error:
        raise CannotBuildAgainError(str(error)) from error
    except OSError as error:
        raise CannotBuildAgainError(f"{error.filename}: {error.strerror}") from error
    again = json.loads((copy / MANIFEST).read_bytes())
    own = {_REGC, *(name for request in requests for name in request.targets)}
    listed = {**manifest["files"], **again["files"]}
    names = sorted(name for name, entry in listed.items() if entry["target"] in own)
    return copy, [
        item for name in names for item in _compared(name, folder / name, _content(copy / name) if name in again["files"] else None)
    ]


def _requests_of_folder(
    manifest: Mapping[str, Any], regulation: str, source: Path | None, own: Mapping[str, Path]
) -> Iterator[Request]:
    """What was asked for, one request for all targets that were built with the same filters and laid out alike; the last build last."""
    if manifest.get("regc") != __version__:
        raise CannotBuildAgainError(f"regc {manifest.get('regc')} made it and this is {__version__}")
    try:
        targets, last = manifest["targets"], set(manifest["last"])
        staged = {target: manifest["laid_out"].get(target, manifest["staging"]) for target in targets}
        files = [f"{name} {value}" for staging in staged.values() for name in _STAGED_WITH if (value := staging.get(name))]
        files += [f"{key} {value}" for target, given in targets.items() for key, value in _paths_of(target, given).items()]
        absent = [told for told in dict.fromkeys(files) if told.partition(" ")[2] not in own]
        if absent:
            raise CannotBuildAgainError(f"it was made with files of one's own: {', '.join(absent)} (give each by --with)")
        if not targets:
            raise CannotBuildAgainError("it holds files of no target, so its filters are not known")
        groups: dict[str, list[str]] = {}
        for target in sorted(targets, key=lambda name: name in last):
            asked = json.dumps([target in last, manifest["filters"].get(target, {}), staged[target]], sort_keys=True)
            groups.setdefault(asked, []).append(target)
        whole = Request(
            regulation,
            edition=str(manifest["edition"]),
            source=source,
            reader=str(manifest["source"]["reader"]) if source is not None else None,
            declared=dict(manifest["declared"]),
        )
        for asked, names in groups.items():
            _, chosen, staging = json.loads(asked)
            paths = {name: {key: own[value] for key, value in _paths_of(name, targets[name]).items()} for name in names}
            options = {name: TARGETS.load(name).Options(**{**targets[name], **paths[name]}) for name in names}
            yield replace(_narrowed(whole, chosen, staging, own), targets=options)
    except RegcError as error:
        raise CannotBuildAgainError(str(error)) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CannotBuildAgainError(f"{MANIFEST} does not say how it was made ({error})") from error


#: Files of one's own that tests are laid out with.
_STAGED_WITH = ("road_users", "test_track", "layouts")


def _paths_of(target: str, given: Mapping[str, Any]) -> dict[str, str]:
    """The files and folders of one's own among the options of a target, by option."""
    fields = TARGETS.load(target).Options.model_fields
    return {key: str(value) for key, value in given.items() if value and "Path" in str(fields[key].annotation)}


def _narrowed(whole: Request, chosen: Mapping[str, Any], staging: Mapping[str, Any], own: Mapping[str, Path]) -> Request:
    """A request with the filters and the staging that the manifest keeps."""
    files = {name: own[str(value)] for name in _STAGED_WITH if (value := staging.get(name))}
    return replace(
        whole,
        tests=tuple(chosen.get("tests", ())),
        categories=tuple(chosen.get("categories", ())),
        where=chosen.get("where", {}),
        sweep=chosen.get("sweep", "full"),
        staging=Staging(**{**staging, **files}),
    )


# ---------------------------------------------------------------- the reports


def _reports(
    folder: Path, copy: Path, manifest: Mapping[str, Any], built: Request, own: Mapping[str, Path]
) -> tuple[list[Difference], dict[str, str]]:
    """What a second report writes otherwise; and by file why one could not be made again. Formats that were asked for alike are made at
    once."""
    groups: dict[str, list[str]] = {}
    again: dict[str, bytes] = {}
    left: dict[str, str] = {}
    try:
        for name, told in manifest.get("reports", {}).items():
            groups.setdefault(json.dumps({**told, "wrote": []}, sort_keys=True), []).append(name)
        for key, formats in groups.items():
            told = json.loads(key)
            absent = [f"{what} {name}" for what, name in told["own"].items() if name not in own] + [
                f"{what} {name}" for what in _STAGED_WITH if (name := told["staging"].get(what)) and name not in own
            ]
            if absent:
                why = f"is made with files of one's own and was not made again: {', '.join(absent)} (give each by --with)"
                left |= {path: why for name in formats for path in manifest["reports"][name]["wrote"]}
                continue
            asked = ReportRequest(
                replace(_narrowed(built, told["filters"], told["staging"], own), declared=told["declared"], targets={}),
                tuple(formats),
                build=copy if told["of_build"] else None,
                number=told["number"],
                date=told["date"],
                versions=told["versions"],
                **{what: own[name] for what, name in told["own"].items()},
            )
            again |= {artifact.path: artifact.content for artifact in make_report(asked, copy.parent).artifacts}
    except RegcError as error:
        raise CannotBuildAgainError(f"its report: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CannotBuildAgainError(f"{MANIFEST} does not say how its report was made ({error})") from error
    differences: list[Difference] = []
    for name in sorted(name for name, entry in manifest["files"].items() if entry["target"] == _REPORT and name not in left):
        page = str(Path(name).with_suffix(".html"))
        if name.endswith(".pdf") and (page in again or page in left):
            printed = _print(again[page]) if page in again else left[page]
            if isinstance(printed, str):
                left[name] = printed
            else:
                differences += _pages_compared(name, folder / name, printed)
        else:
            differences += _compared(name, folder / name, again.get(name), code="V573", what="a second report")
    return differences, left


def _print(page: bytes) -> list[str] | str:
    """The words of each page that a browser prints of a report; or why it prints none."""
    from regc.report.html import print_pdf

    with tempfile.TemporaryDirectory(prefix="regc-verify-") as folder:
        html, pdf = Path(folder, "report.html"), Path(folder, "report.pdf")
        html.write_bytes(page)
        try:
            print_pdf(html, pdf)
            return _words(pdf.read_bytes())
        except (DataFileError, ValueError) as error:
            return f"was not printed again: {error}"


def _words(pdf: bytes) -> list[str]:
    """The text of each page. Raises ValueError for what is no PDF."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(pdf)
    except pypdfium2.PdfiumError as error:
        raise ValueError(f"no PDF: {error}") from error
    try:
        return [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]
    finally:
        document.close()


def _pages_compared(name: str, file: Path, again: Sequence[str]) -> Iterator[Difference]:
    """The first page that says something else; how a browser draws it is its own matter."""
    try:
        pages = _words(file.read_bytes())
    except (OSError, ValueError) as error:
        yield Difference(code="V573", file=name, held=str(error))
        return
    if len(pages) != len(again):
        yield Difference(code="V573", file=name, said=f"{len(pages)} pages", held=f"a second print has {len(again)}")
    for number, (ours, theirs) in enumerate(zip(pages, again, strict=False), 1):
        if ours != theirs:
            yield _line(name, f"page {number}", ours, theirs, "V573", "a second print")
            return


# ---------------------------------------------------------------- one file


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _compared(name: str, file: Path, again: bytes | None, code: str = "V572", what: str = "a second build") -> Iterator[Difference]:
    """The first place of a file that is another one in the second build: a cell of a workbook, a value of a JSON, a line of a text."""
    if again is None:
        yield Difference(code=code, file=name, held=f"{what} does not write this file")
        return
    have = _content(file)
    if have is None or have == again:
        return  # V566 has told a file that is not there
    if name.endswith(".xlsx"):
        yield _cell(name, have, again, code, what)
        return
    try:
        texts = have.decode("utf-8"), again.decode("utf-8")
    except UnicodeDecodeError:
        yield Difference(code=code, file=name, held=f"its bytes are not those of {what}")
        return
    told = _value(*texts) if name.endswith(".json") else None
    if told is not None:
        path, said, wanted = told
        yield Difference(code=code, file=name, path=path, said=said, held=f"{what} writes {wanted}")
        return
    ours, theirs = (text.splitlines() for text in texts)
    number = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    said, wanted = (lines[number] if number < len(lines) else "" for lines in (ours, theirs))
    yield _line(name, f"line {number + 1}", said, wanted, code, what)


def _line(name: str, path: str, said: str, wanted: str, code: str, what: str) -> Difference:
    """Two lines cut down to what differs, with some signs around it."""
    start = next((n for n, (a, b) in enumerate(zip(said, wanted, strict=False)) if a != b), min(len(said), len(wanted)))
    begin = max(0, start - _SHOWN)
    said, wanted = said[begin : start + _SHOWN], wanted[begin : start + _SHOWN]
    held = f"{what} writes {wanted!r}" if wanted else f"{what} writes no such line"
    return Difference(code=code, file=name, path=path, said=repr(said) if said else "", held=held)


def _value(ours: str, theirs: str) -> tuple[str, str, str] | None:
    """The first value of a JSON that differs: its path, and what stands there in both; None where a line says it better."""
    try:
        one, other = json.loads(ours), json.loads(theirs)
    except (ValueError, RecursionError):
        return None
    path: list[str] = []
    while one != other:
        if isinstance(one, dict) and isinstance(other, dict):
            key = next(key for key in (*other, *one) if one.get(key, _NOTHING) != other.get(key, _NOTHING))
            one, other = one.get(key, _NOTHING), other.get(key, _NOTHING)
        elif isinstance(one, list) and isinstance(other, list):
            pairs = zip_longest(one, other, fillvalue=_NOTHING)
            key, (one, other) = next((str(n), pair) for n, pair in enumerate(pairs) if pair[0] != pair[1])
        else:
            return ".".join(path), _clipped(one), _clipped(other)
        path.append(key)
    return None


#: What stands where one of two JSON has no value.
_NOTHING = object()


def _clipped(value: Any) -> str:
    text = "nothing" if value is _NOTHING else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 4 * _SHOWN else f"{text[: 4 * _SHOWN]}…"


def _cell(name: str, have: bytes, again: bytes, code: str, what: str) -> Difference:
    """The first cell of a workbook that differs, else the first part of its package."""
    sheets: list[dict[str, Any]] = []
    try:
        from openpyxl import load_workbook

        for content in (have, again):
            book = load_workbook(io.BytesIO(content), read_only=True)
            cells = [(sheet.title, cell) for sheet in book.worksheets for row in sheet.iter_rows() for cell in row]
            sheets.append({f"{title}!{cell.coordinate}": cell.value for title, cell in cells if cell.value is not None})
        ours, theirs = sheets
        for place in {**theirs, **ours}:
            if ours.get(place) != theirs.get(place):
                held = f"{what} writes {theirs[place]!r}" if place in theirs else f"{what} leaves it empty"
                return Difference(code=code, file=name, path=place, said=repr(ours[place]) if place in ours else "", held=held)
        parts = [_parts(content) for content in (have, again)]
        part = next((part for part in {**parts[1], **parts[0]} if parts[0].get(part) != parts[1].get(part)), "")
        return Difference(code=code, file=name, path=part, held=f"its bytes are not those of {what}")
    except Exception as error:  # whatever a changed package makes of a library
        return Difference(code=code, file=name, held=f"no workbook: {type(error).__name__}: {error}")


def _parts(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        return {part: package.read(part) for part in package.namelist()}
